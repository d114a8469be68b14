/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Hashing, and an index from hashes to u32 ids.
 *
 * `struct hindex` stores no keys: the owner keeps its items in an array and compares.
 *
 *	uint64_t h = hash_bytes(key, len, 0);
 *	struct hindex_iter it = hindex_find(&ix, h);
 *	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;)
 *		if (items[id] equals key)
 *			return id;
 *	hindex_add(&ix, h, new_id);
 *
 * Open addressing, at most half full; each slot keeps 32 bits of the hash, so that false
 * candidates are rare and growth needs no keys. There is no removal.
 */
#ifndef ASSAY_BASE_HASH_H
#define ASSAY_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HINDEX_NONE UINT32_MAX

struct hindex_slot {
	uint32_t id;
	uint32_t hash;
};

/* A zeroed struct is an empty index. */
struct hindex {
	struct hindex_slot *slots;
	uint32_t mask; /* slots - 1 */
	uint32_t nr;
};

struct hindex_iter {
	const struct hindex *ix;
	uint32_t pos;
	uint32_t hash;
};

uint64_t hash_bytes(const void *data, size_t size, uint64_t seed);

static inline uint64_t hash_u64(uint64_t v)
{
	v ^= v >> 32;
	v *= 0xd6e8feb86659fd93ULL;
	v ^= v >> 32;
	v *= 0xd6e8feb86659fd93ULL;
	return v ^ (v >> 32);
}

static inline uint64_t hash_pair(uint64_t a, uint64_t b)
{
	return hash_u64(a ^ hash_u64(b + 0x9e3779b97f4a7c15ULL));
}

static inline uint32_t hash_fold(uint64_t hash)
{
	return (uint32_t)(hash ^ (hash >> 32));
}

static inline struct hindex_iter hindex_find(const struct hindex *ix, uint64_t hash)
{
	uint32_t folded = hash_fold(hash);
	return (struct hindex_iter){ ix, folded & ix->mask, folded };
}

/* The next candidate id, or HINDEX_NONE. */
static inline uint32_t hindex_next(struct hindex_iter *it)
{
	const struct hindex *ix = it->ix;

	if (!ix->slots)
		return HINDEX_NONE;
	for (;;) {
		const struct hindex_slot *s = &ix->slots[it->pos];

		if (s->id == HINDEX_NONE)
			return HINDEX_NONE;
		it->pos = (it->pos + 1) & ix->mask;
		if (s->hash == it->hash)
			return s->id;
	}
}

/* Puts another id in the place of one that was added under that hash. */
void hindex_replace(struct hindex *ix, uint64_t hash, uint32_t old_id, uint32_t new_id);
/* Adds an id under a hash; does not look for an equal one. */
void hindex_add(struct hindex *ix, uint64_t hash, uint32_t id);
/* Empties it, and keeps its memory. */
void hindex_clear(struct hindex *ix);
void hindex_fini(struct hindex *ix);

#endif
