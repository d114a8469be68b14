/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names of the generic events: hardware, software and cache events as (type, config), both ways, and perf's name for an attr of which
 * nothing else is known. Tables only; what this machine offers (sysfs PMUs, tracepoints) is in kernel.
 */
#ifndef ASSAY_ABI_EVENT_NAMES_H
#define ASSAY_ABI_EVENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/attr.h"

struct event_name {
	uint32_t type; /* ATTR_TYPE_HARDWARE or ATTR_TYPE_SOFTWARE */
	uint64_t config;
	const char *name;  /* as perf prints it: "cycles" */
	const char *alias; /* another spelling that is understood: "cpu-cycles"; may be NULL */
};

/* The i-th hardware or software event, in the order of (type, config); NULL past the last. */
const struct event_name *event_names_get(uint32_t i);

/* The i-th valid cache event: its config, and its name into buf. False past the last. */
bool event_names_get_cache(uint32_t i, uint64_t *config, char *buf, size_t size);

/* What a name (without modifiers; `len` bytes, no NUL needed) stands for: a hardware or software event by either spelling, or a cache event
 * in any of perf's spellings ("L1-dcache-load-misses", "LLC-misses", "l1d-write"). -ENOENT where it is none of these. */
int event_names_find(const char *name, size_t len, uint32_t *type, uint64_t *config);

/* perf's name for an attr: "cycles", "cpu-clock:u", "L1-dcache-loads:ppp", "raw 0x1a8", "mem:0x1000:rw", with the modifiers its bits stand
 * for. Tracepoints have no name here ("unknown tracepoint"). Cut where it does not fit. */
void event_name_of(const struct attr *attr, char *buf, size_t size);
#define EVENT_NAME_MAX 128 /* enough for any of them */

/* Why an event may have left no samples, and what to try, by its attr alone: "the program slept or ended …: record longer, …". NULL: none
 * were requested. */
const char *no_samples_hint(const struct attr *a);

#endif
