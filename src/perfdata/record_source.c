/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct block_source: a list of blocks, read one after the other; a batch is of one block.
 */
#include "perfdata/record_source.h"

#include <errno.h>
#include <string.h>

static int fill(struct record_source *s, struct errbuf *eb)
{
	struct block_source *b = (struct block_source *)s;
	struct record_block *block;

	(void)eb;
	while ((block = b->first)) {
		struct record_header *h;

		while (s->nr < SOURCE_BATCH && (h = record_frame(block->data, block->size, b->off)) && h->size % 8 == 0) {
			s->batch[s->nr++] = (struct source_record){ h, block, b->index++ };
			b->off += h->size;
		}
		if (s->nr)
			return 1;
		b->nr_damaged += block->size - b->off >= sizeof(*h);
		b->first = block->next;
		b->off = b->index = 0;
	}
	return b->is_ended ? 0 : -EAGAIN;
}

static void close_blocks(struct record_source *s)
{
	((struct block_source *)s)->first = NULL;
}

void block_source_init(struct block_source *b, const struct perfdata_info *info, const char *name)
{
	static const struct record_source_ops ops = { .fill = fill, .close = close_blocks };

	memset(b, 0, sizeof(*b));
	b->source.ops = &ops;
	b->source.info = info;
	b->source.damage = &b->damage;
	b->source.name = name;
	b->source.is_live = true;
}

void block_source_put(struct block_source *b, struct record_block *block)
{
	block->next = NULL;
	if (b->first)
		b->last->next = block;
	else
		b->first = block;
	b->last = block;
}

void block_source_end(struct block_source *b)
{
	b->is_ended = true;
}
