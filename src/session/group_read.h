/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Samples that carry counts (SAMPLE_READ, as in `-e '{a,b}:S'`): one sample of the leader stands for one of each member, whose period is
 * how far its count has moved since the last one.
 */
#ifndef ASSAY_SESSION_GROUP_READ_H
#define ASSAY_SESSION_GROUP_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/sample.h"
#include "base/hash.h"
#include "base/vec.h"

struct group_read_last { /* the count of an event id, when last read */
	uint64_t id, value;
	uint32_t tid; /* of whom; 0 where an id has one count for all */
};

/* A zeroed struct is a fresh one. */
struct group_read {
	VEC(struct group_read_last) last;
	struct hindex index;
	/* the sample at hand */
	struct sample_layout layout;
	struct sample_read read;
	uint32_t tid;
	uint64_t next;
};

void group_read_fini(struct group_read *g);
/* Begins with the counts of a sample. `per_task`: the event is inherited, so that its counts are those of the sample's
 * task alone, under an id that all tasks share. */
void group_read_begin(struct group_read *g, const struct sample_layout *l, const struct sample *s, bool per_task);
/* The next member that moved: its id and by how much. False at the end. */
bool group_read_next(struct group_read *g, uint64_t *id, uint64_t *period);

#endif
