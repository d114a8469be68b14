/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Metrics that are asked for by name (`stat -M`): a table of formulas over events, and what they
 * come to over a `struct counts`. Which of them this machine can count is not known here: the table
 * says what each needs.
 */
#ifndef ASSAY_MODEL_METRIC_DEFS_H
#define ASSAY_MODEL_METRIC_DEFS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "model/counts.h"
#include "model/metrics.h"

struct metric_def {
	const char *name;    /* several of one name: the first whose `needs` are there is taken */
	const char *group;   /* "TopdownL1": asking for it asks for all of its metrics */
	const char *desc;    /* one line, no full stop */
	const char *events;  /* as -e takes them: one group, so that they are counted together */
	uint32_t shown_at;   /* beside which of the events */
	const char *formula; /* + - * / ( ) numbers; a, b, … are the events in their order, with
				their scale; S is the slots of a cycle */
	const char *format;  /* printf format of the number */
	const char *label;   /* behind the number: what it is of */
	const char *needs;   /* events that a CPU's PMU must have in sysfs, with commas; NULL: generic
			      events; "" for what the kernel counts without a PMU */
};

/* Ends with a NULL name. */
const struct metric_def *metric_defs(void);

/* A metric that was asked for. */
struct metric_use {
	const struct metric_def *def;
	uint32_t first_event; /* of its events in the counts: the others follow */
	double slots;	      /* S of its formula */
};

/* What a formula comes to. `values`: of a, b, …; false where it divides by zero, or is none
 * (position of the mistake in *at, from 0; only the table's tests care). */
bool metric_formula(const char *formula, const double *values, uint32_t nr, double slots, double *result, uint32_t *at);

/* metrics_get() for events that metrics were asked for: only those are shown, or one empty metric.
 * 0 where the event belongs to none. */
uint32_t metric_uses_get(const struct counts *c, const struct metric_use *uses, uint32_t nr_uses, uint32_t event, uint32_t place,
			 struct metric out[METRICS_MAX]);

/* Is it the metric's or its group's name? */
bool metric_def_is(const struct metric_def *d, const char *name);
/* "there is no metric 'ipx'; did you mean 'ipc'?": fills `eb`, returns -EINVAL. */
int metric_unknown(const char *name, struct errbuf *eb);

#endif
