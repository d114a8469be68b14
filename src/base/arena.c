/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Blocks double up to a megabyte. What is large beside the current block gets a block of its own and leaves the current one in use.
 */
#include "base/arena.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define ARENA_ALIGN 16
#define ARENA_BLOCK_MIN 512
#define ARENA_BLOCK_MAX (1u << 20)

struct arena_block {
	alignas(ARENA_ALIGN) struct arena_block *next;
	size_t size_bytes;
	char data[];
};

_Static_assert(sizeof(struct arena_block) % ARENA_ALIGN == 0, "block data must be aligned");

static struct arena_block *arena_add_block(struct arena *a, size_t data_size)
{
	struct arena_block *b;

	if (data_size > SIZE_MAX - sizeof(*b))
		mem_die(data_size);
	b = mem_alloc(sizeof(*b) + data_size);
	b->size_bytes = sizeof(*b) + data_size;
	b->next = a->blocks;
	a->blocks = b;
	a->size_bytes += b->size_bytes;
	return b;
}

/* Called where the current block has no room; gives aligned memory. */
static void *arena_alloc_slow(struct arena *a, size_t size)
{
	size_t block_size = a->size_bytes;
	struct arena_block *b;

	if (block_size < ARENA_BLOCK_MIN)
		block_size = ARENA_BLOCK_MIN;
	if (block_size > ARENA_BLOCK_MAX)
		block_size = ARENA_BLOCK_MAX;
	if (size > block_size / 4)
		return arena_add_block(a, size)->data;

	b = arena_add_block(a, block_size - sizeof(*b));
	a->pos = b->data + size;
	a->end = (char *)b + b->size_bytes;
	return b->data;
}

void *arena_alloc(struct arena *a, size_t size)
{
	size_t pad = -(uintptr_t)a->pos & (ARENA_ALIGN - 1);
	size_t left = (size_t)(a->end - a->pos);
	char *p;

	if (!size)
		size = 1;
	if (left < pad || left - pad < size)
		return arena_alloc_slow(a, size);
	p = a->pos + pad;
	a->pos = p + size;
	return p;
}

void *arena_copy(struct arena *a, const void *data, size_t size)
{
	void *p = arena_alloc(a, size);

	if (size)
		memcpy(p, data, size);
	return p;
}

char *arena_str(struct arena *a, const char *s, size_t len)
{
	char *p;

	if (len == SIZE_MAX)
		mem_die(len);
	if ((size_t)(a->end - a->pos) > len) {
		p = a->pos;
		a->pos += len + 1;
	} else {
		p = arena_alloc_slow(a, len + 1);
	}
	if (len)
		memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

void arena_fini(struct arena *a)
{
	struct arena_block *b, *next;

	if (!a)
		return;
	for (b = a->blocks; b; b = next) {
		next = b->next;
		free(b);
	}
	*a = (struct arena){ 0 };
}
