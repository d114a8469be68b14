/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The TRACING_DATA section: format texts of the recorded tracepoints, in the container of trace-cmd's files.
 */
#ifndef ASSAY_PERFDATA_TRACING_DATA_H
#define ASSAY_PERFDATA_TRACING_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"

struct tracing_event {
	uint64_t id;	    /* attr.config of its events */
	const char *system; /* "sched"; NUL-terminated, in the arena */
	const char *name;   /* "sched_switch" */
	const char *format; /* the text of its format file, NUL-terminated */
	size_t format_size; /* without the NUL */
};

struct tracing_data {
	struct arena arena;
	bool big_endian;
	uint8_t long_size;
	uint32_t page_size;
	VEC(struct tracing_event) events;
	struct hindex by_id;
	const char *printk; /* lines of addresses and constant strings of the kernel; in the arena */
	size_t printk_size; /* 0: none */
};

/* The blob is copied. -EBADMSG: malformed; `t` has the events before the damage. tracing_data_fini() in any case. */
int tracing_data_init(struct tracing_data *t, const void *blob, size_t size);
void tracing_data_fini(struct tracing_data *t);
/* NULL where there is none. */
const struct tracing_event *tracing_data_find(const struct tracing_data *t, uint64_t id);

#endif
