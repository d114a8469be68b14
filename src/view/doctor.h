/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What `assay doctor` shows: the command fills checks from the results of the kernel module (strings are borrowed).
 */
#ifndef ASSAY_VIEW_DOCTOR_H
#define ASSAY_VIEW_DOCTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"

enum doctor_level { DOCTOR_OK, DOCTOR_NOTE, DOCTOR_WARN, DOCTOR_FAIL, DOCTOR_NR_LEVELS };

struct doctor_item {
	const char *name;  /* "perf_event_paranoid" */
	const char *title; /* "kernel.perf_event_paranoid" */
	enum doctor_level level;
	const char *state;
	const char *effect; /* "" where nothing degrades */
	const char *fix;    /* "" where there is no command */
};

/* For a person: a summary, then a line per check, with effect and fix below those that are not ok. `quiet`: only those. */
void doctor_text(struct out *o, const struct doctor_item *items, uint32_t nr, bool colour, bool quiet);
/* For a program (schema: assay-doctor(1)). */
void doctor_json(struct out *o, const struct doctor_item *items, uint32_t nr, uint32_t uid);

#endif
