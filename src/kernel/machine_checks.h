/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the facts of a machine mean for a profiler: for each thing that may be in the way its state,
 * what is poorer for it, and the exact command that fixes it, for the user who asks.
 *
 * Pure: fed by struct machine_facts alone. Prints nothing.
 */
#ifndef ASSAY_KERNEL_MACHINE_CHECKS_H
#define ASSAY_KERNEL_MACHINE_CHECKS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/machine_facts.h"

enum check_level {
	CHECK_OK,
	CHECK_NOTE, /* something beyond sampling one's own programs is not to be had */
	CHECK_WARN, /* profiles of one's own programs are poorer than they could be, or a command is
		     * refused */
	CHECK_FAIL, /* nothing can be recorded */
};

struct machine_check {
	const char *name;  /* "perf_event_paranoid": for programs, never changes */
	const char *title; /* for people */
	enum check_level level;
	char state[256];
	char effect[320]; /* what degrades; "" where all is well */
	char fix[400];	  /* the command; "" where there is none */
};

#define MACHINE_MAX_CHECKS 32

/* Judges; fills `checks` (MACHINE_MAX_CHECKS of them) in a fixed order and returns how many apply
 * to this machine. */
uint32_t machine_checks(const struct machine_facts *f, struct machine_check *checks);

#endif
