/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Samples between two changes of the maps: unwound in any order, on as many CPUs as it is worth.
 * Each result goes to its sample's place in the chunk. The stage says which samples, of which task,
 * and when; files and tables are the unwinder's.
 */
#ifndef ASSAY_CAPTURE_UNWIND_BATCH_H
#define ASSAY_CAPTURE_UNWIND_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "capture/unwind_queue.h"
#include "session/unwinder.h"

/* An event as the rings have it and as the file will. */
struct unwind_event {
	struct sample_layout in, out;
	bool unwinds;	  /* its samples carry stacks */
	bool is_switched; /* the file says that dumps are large, but some are small */
};

struct unwind_item {
	struct unwind_chunk *chunk;
	uint32_t piece;
	const struct unwind_event *event;
	const struct task *task;
	uint64_t id; /* of the event that is written; 0: as it is */
	/* results */
	int err;
	struct unwind_result walk;
	bool has_user;	 /* user space was there to be unwound */
	uint32_t dumped; /* bytes of the stack that there was room for */
	uint64_t reach;	 /* of them, bytes that the walk went over */
};

struct unwind_worker {
	struct unwinder *unwinder;
	uint64_t *chain;
	uint8_t *record;
};

struct unwind_batch {
	struct machine *machine;
	VEC(struct unwind_item) items;
	VEC(struct unwind_worker) workers;
	uint32_t max_workers;
	VEC(uint32_t) prepared; /* generations of maps whose tables are loaded */
	VEC(int32_t) pids;	/* of the items; as many as are told apart */
};

void unwind_batch_init(struct unwind_batch *b, struct machine *m, uint32_t max_workers);
void unwind_batch_fini(struct unwind_batch *b);
/* Adds an item. */
void unwind_batch_add(struct unwind_batch *b, const struct unwind_item *item);
/* May an item be of that process? */
bool unwind_batch_has(const struct unwind_batch *b, int32_t pid);
/* Unwinds all items. They stay until the owner clears it. */
void unwind_batch_run(struct unwind_batch *b);
void unwind_batch_clear(struct unwind_batch *b);

#endif
