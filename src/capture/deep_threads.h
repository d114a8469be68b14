/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The threads for which larger dumps were asked, as the unwinding stage sees them: what was asked
 * already, and which of their usual samples the large ones stand for. Processes with such threads
 * are noted beside them. Events are opened elsewhere (stack_growth.h).
 */
#ifndef ASSAY_CAPTURE_DEEP_THREADS_H
#define ASSAY_CAPTURE_DEEP_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"

struct deep_thread {
	uint32_t id; /* tid; of a process its pid; 0: forgotten */
	bool is_process;
	uint32_t asked;	 /* bytes of a dump that were too few, and it was said */
	uint8_t *credit; /* by event: large samples whose usual ones have not come yet */
	uint32_t nr_events;
};

/* A zeroed struct is an empty set. */
struct deep_threads {
	VEC(struct deep_thread) items;
	struct hindex index;
	uint32_t nr_forgotten;
};

void deep_threads_fini(struct deep_threads *d);
/* NULL: none. Valid until the next is added. */
struct deep_thread *deep_threads_find(const struct deep_threads *d, uint32_t id, bool is_process);
struct deep_thread *deep_threads_add(struct deep_threads *d, uint32_t id, bool is_process);
void deep_threads_forget(struct deep_threads *d, struct deep_thread *t);

/* A sample of the thread has come. Is it to be left out? Both events of a thread run at one rate: a
 * usual sample is left out for each large one, whichever comes first, and where there is no large
 * one (the kernel had no counter for it, the ring no room), the usual one stays. `max_credit`: how
 * many the large ones may be ahead. */
bool deep_thread_replaces(struct deep_thread *t, uint32_t event, bool is_large, uint8_t max_credit);

#endif
