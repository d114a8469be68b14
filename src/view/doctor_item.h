/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What `assay doctor` shows, for all its formats: one check, as texts. Filled by the command from what the kernel room found; strings
 * are borrowed.
 */
#ifndef ASSAY_VIEW_DOCTOR_ITEM_H
#define ASSAY_VIEW_DOCTOR_ITEM_H

#include <stdint.h>

enum doctor_level { DOCTOR_OK, DOCTOR_NOTE, DOCTOR_WARN, DOCTOR_FAIL, DOCTOR_NR_LEVELS };

struct doctor_item {
	const char *name;  /* "perf_event_paranoid" */
	const char *title; /* "kernel.perf_event_paranoid" */
	enum doctor_level level;
	const char *state;
	const char *effect; /* "" where nothing degrades */
	const char *fix;    /* "" where there is no command */
};

#endif
