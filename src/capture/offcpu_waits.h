/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From the events of bpf/offcpu.bpf.c to samples: a task that left its CPU waits until it comes back. One that left again without a return,
 * or came back without having left, has lost an event: no time is made up for it.
 */
#ifndef ASSAY_CAPTURE_OFFCPU_WAITS_H
#define ASSAY_CAPTURE_OFFCPU_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"
#include "bpf/offcpu_events.h"

#define OFFCPU_SAMPLE_MAX 65536u

struct offcpu_wait {
	uint32_t tid;
	bool is_open;
	uint8_t *event; /* with what follows it; NULL unless is_open */
};

/* A zeroed struct is empty. */
struct offcpu_waits {
	uint64_t event_id;
	uint64_t schedule_start, schedule_end; /* of the kernel's scheduler: callers in front of it are our own program's; 0: not known */
	bool has_dumps;			       /* user parts are registers and stacks */
	VEC(struct offcpu_wait) v;
	struct hindex index;	/* by tid */
	VEC(uint8_t *) buffers; /* of OFFCPU_SAMPLE_MAX bytes at most, to be used again */
	uint64_t nr_unpaired;	/* waits whose begin or end is missing */
};

void offcpu_waits_fini(struct offcpu_waits *w);

/* Takes an event of `size` bytes. Returns the bytes of the sample that it completes, in `sample` with room for OFFCPU_SAMPLE_MAX; 0: none. */
size_t offcpu_waits_take(struct offcpu_waits *w, const void *event, size_t size, uint8_t *sample);
/* Ends a wait that is open by `now_ns`. Call until it returns 0. */
size_t offcpu_waits_end(struct offcpu_waits *w, uint64_t now_ns, uint8_t *sample);

#endif
