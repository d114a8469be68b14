/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Off-CPU times below the threshold of --off-cpu-thresh: those of one task, state and stack that stand in the same buffer become one sample
 * with the sum of their periods, at the place of the first. Buffers are what is written at a time, so that order and the maps that addresses
 * are resolved by stay right, and a recorder that is killed loses nothing of them.
 */
#ifndef ASSAY_CAPTURE_OFFCPU_MERGE_H
#define ASSAY_CAPTURE_OFFCPU_MERGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"

/* A zeroed struct is empty. */
struct offcpu_merge {
	uint64_t event_id;
	uint64_t thresh_ns;
	struct hindex index;
	VEC(uint32_t) kept; /* where short samples are that others are added to */
	uint64_t nr_merged; /* samples that were added to others */
};

void offcpu_merge_fini(struct offcpu_merge *m);
/* `records` are whole records, samples of the event without dumped stacks among them. Returns how many bytes are left. */
size_t offcpu_merge(struct offcpu_merge *m, uint8_t *records, size_t size);

#endif
