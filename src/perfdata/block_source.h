/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A source of records that are in memory: its owner puts blocks, which are spans of rings, or of anything else that yields records. It
 * frames them; source_record.at is the index of the record in its block.
 *
 * A block stays the owner's: it is done with when all of its records were yielded and nr_held is 0.
 */
#ifndef ASSAY_PERFDATA_BLOCK_SOURCE_H
#define ASSAY_PERFDATA_BLOCK_SOURCE_H

#include "perfdata/record_source.h"

struct block_source {
	struct record_source source; /* first: what others see of it */
	struct source_damage damage; /* always none */
	struct record_block *first, *last;
	uint32_t off, index; /* in the first: of the next record */
	uint64_t nr_damaged; /* blocks with something that is no record; what follows in them is left out */
	bool is_ended;
};

/* Both are borrowed; the source is closed by its user, and needs no more. */
void block_source_init(struct block_source *b, const struct perfdata_info *info, const char *name);
void block_source_put(struct block_source *b, struct record_block *block);
/* Nothing more will be put. */
void block_source_end(struct block_source *b);

#endif
