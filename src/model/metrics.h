/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a count means: "1.2 insn per cycle", "3.4% of all branches", "5.6 K/sec". One table says which event has which metric.
 */
#ifndef ASSAY_MODEL_METRICS_H
#define ASSAY_MODEL_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/errbuf.h"
#include "base/vec.h"
#include "model/counts.h"

/* How good a value is: views show it in colour on a terminal. */
enum metric_grade {
	METRIC_PLAIN,
	METRIC_FAIR, /* yellow */
	METRIC_POOR, /* magenta */
	METRIC_BAD,  /* red */
};

struct metric {
	double value;
	const char *format; /* printf format of the number: "%8.3f ", "%7.2f%%"; static */
	char label[64];	    /* "CPUs utilized", "K/sec", "of all branches"; "" where the event has
			       no metric at all. JSON's "metric-unit", CSV's last field */
	enum metric_grade grade;
	bool empty;   /* no value: what it needs was not counted (then there is a label), or the event
		       has no metric. Views keep the column blank */
	bool is_rate; /* "/sec": no metric of its own; --metric-only leaves it out */
};

#define METRICS_MAX 4 /* of one event */

/* The metrics of an event's row as computed last (counts_compute()), in the order of their lines.
 * At least one (maybe `empty`); returns how many. With -M (counts.uses) those asked for. */
uint32_t metrics_get(const struct counts *c, uint32_t event, uint32_t place, struct metric out[METRICS_MAX]);

/* ---- metrics that are asked for by name (`stat -M`): formulas over events ---- */

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

/* ---- the same, listed: each name once, with the events in its formula ---- */

/* By name. Strings are the table's own. */
struct metric_list {
	VEC(const struct metric_def *) defs;
};

/* Of several definitions of one name the first is taken that can be counted here; metrics that need
 * special events and cannot be counted are left out. `has_events` answers for metric_def's `needs`.
 */
typedef bool metric_has_events_fn(void *ctx, const char *needs);
void metric_list_init(struct metric_list *l, metric_has_events_fn *has_events, void *ctx);
void metric_list_fini(struct metric_list *l);

/* "a / b" becomes "instructions / cycles". */
const char *metric_expression(const struct metric_def *d, struct arena *arena);

#endif
