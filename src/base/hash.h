/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Hashing, and an index from hashes to u32 ids. The author of a file could choose keys that collide, so hashes are made under a random key
 * (hash_randomize): they must not reach a file or decide an order that is shown. hash_sum() has a fixed key, for sums in files.
 *
 * `struct hindex` stores no keys: the owner keeps its items in an array and compares.
 *
 *	uint64_t h = hash_bytes(key, len, 0);
 *	uint32_t found = HINDEX_FIND(&ix, h, id, items[id] equals key);
 *	if (found == HINDEX_NONE)
 *		hindex_add(&ix, h, new_id);
 *
 * Open addressing, at most half full; each slot keeps 32 bits of the hash, so that growth and removal need no keys.
 */
#ifndef ASSAY_BASE_HASH_H
#define ASSAY_BASE_HASH_H

#include <stdbool.h>
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

/* Written by hash_randomize() only; until then constants, so that tests and fuzzers repeat. */
extern uint64_t hash_secret[4];

/* Once, before there is a hash or a second thread. */
void hash_randomize(void);

uint64_t hash_bytes(const void *data, size_t size, uint64_t seed);
/* The same under a fixed key. Its value may reach files: a change of it needs another INDEX_VERSION. */
uint64_t hash_sum(const void *data, size_t size, uint64_t seed);

/* The whole 128-bit product folded to 64 bits. The factors are folded in as well: where one of them is zero, the other must not vanish. */
static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return a ^ b ^ (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t hash_u64(uint64_t v)
{
	return hash_mix(v ^ hash_secret[0], hash_secret[1]);
}

/* Of two words, in half the time: where a chance hit or miss costs little, as in caches that keep what came last. */
static inline uint64_t hash_two(uint64_t a, uint64_t b)
{
	return hash_mix(a ^ hash_secret[2], b ^ hash_secret[3]);
}

static inline uint64_t hash_pair(uint64_t a, uint64_t b)
{
	return hash_mix(hash_mix(a ^ hash_secret[2], b ^ hash_secret[3]), hash_secret[1]);
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

/* The id under that hash for which `is_it`, an expression of the variable `id`, holds; or HINDEX_NONE. */
#define HINDEX_FIND(ix, hash, id, is_it)                                                                                                   \
	({                                                                                                                                 \
		struct hindex_iter it_ = hindex_find(ix, hash);                                                                            \
		uint32_t id;                                                                                                               \
		while ((id = hindex_next(&it_)) != HINDEX_NONE && !(is_it))                                                                \
			;                                                                                                                  \
		id;                                                                                                                        \
	})

/* The same among the items of a vector: `is_it` is an expression of `item`, a pointer to one. */
#define HINDEX_FIND_ITEM(ix, hash, vec, item, is_it)                                                                                       \
	HINDEX_FIND(ix, hash, id_, ({                                                                                                      \
			    const __typeof__(*(vec)->v) *item = &(vec)->v[id_];                                                            \
			    is_it;                                                                                                         \
		    }))

/* The same, and appends `added` to the vector where there is none. */
#define HINDEX_INTERN(ix, hash, vec, item, is_it, added)                                                                                   \
	({                                                                                                                                 \
		uint64_t hash_ = (hash);                                                                                                   \
		uint32_t found_ = HINDEX_FIND_ITEM(ix, hash_, vec, item, is_it);                                                           \
		if (found_ == HINDEX_NONE) {                                                                                               \
			found_ = (vec)->nr;                                                                                                \
			vec_push(vec, (added));                                                                                            \
			hindex_add(ix, hash_, found_);                                                                                     \
		}                                                                                                                          \
		found_;                                                                                                                    \
	})

/* Puts another id in the place of one that was added under that hash. */
void hindex_replace(struct hindex *ix, uint64_t hash, uint32_t old_id, uint32_t new_id);
/* Adds an id under a hash; does not look for an equal one. */
void hindex_add(struct hindex *ix, uint64_t hash, uint32_t id);
/* Takes out an id that was added under that hash; what is not there is no error. */
void hindex_remove(struct hindex *ix, uint64_t hash, uint32_t id);
/* Empties it, and keeps its memory. */
void hindex_clear(struct hindex *ix);
void hindex_fini(struct hindex *ix);

/* SipHash-2-4 (Aumasson, Bernstein 2012): a sum that cannot be forged without its key; hash_sum() is faster, and can be. */
#define SIPHASH_KEY_SIZE 16

struct siphash {
	uint64_t v[4];
	uint64_t size_bytes;
	uint8_t rest[8]; /* what does not fill a word yet */
};

void siphash_init(struct siphash *s, const uint8_t key[SIPHASH_KEY_SIZE]);
void siphash_add(struct siphash *s, const void *data, size_t size);
uint64_t siphash_sum(const struct siphash *s);
/* Of what an open file has; false where it cannot be read, or has not just `size` bytes. */
bool siphash_file(int fd, const uint8_t key[SIPHASH_KEY_SIZE], uint64_t size, uint64_t *sum);

#endif
