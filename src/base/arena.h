/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A bump allocator: many small objects with one lifetime, freed at once.
 */
#ifndef ASSAY_BASE_ARENA_H
#define ASSAY_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct arena_block;

struct arena {
	struct arena_block *blocks;
	char *pos;
	char *end;
	size_t size_bytes; /* all blocks together */
};

/* A zeroed `struct arena` is an empty arena. Memory is 16-byte aligned and uninitialised. */
void *arena_alloc(struct arena *a, size_t size);
void *arena_copy(struct arena *a, const void *data, size_t size);
/* Copies `len` bytes and adds a NUL; packed, not aligned. */
char *arena_str(struct arena *a, const char *s, size_t len);
void arena_fini(struct arena *a);

#endif
