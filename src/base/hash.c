/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * hash_bytes(): multiply-and-fold over 16 bytes a step, in four independent lanes for long keys (call chains are 64 bytes to some kB). All
 * constants of the hash are keys: with a known one, input could make a factor zero, and all that is hashed after it collides.
 */
#include "base/hash.h"

#include <endian.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"

/* Odd constants with bits spread evenly: fractions of pi, e, and the square roots of 2 and 3. */
#define K0 0x243f6a8885a308d3ULL
#define K1 0xb7e151628aed2a6bULL
#define K2 0x6a09e667f3bcc909ULL
#define K3 0xbb67ae8584caa73bULL

uint64_t hash_secret[4] = { K0, K1, K2, K3 };
static const uint64_t sum_key[4] = { K0, K1, K2, K3 };

void hash_randomize(void)
{
	uint64_t random[4];
	struct timespec now;

	/* Not yet ready early at boot: what another user cannot know will have to do. */
	if (getrandom(random, sizeof(random), GRND_NONBLOCK) != sizeof(random)) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		random[0] = hash_mix((uint64_t)now.tv_nsec ^ K0, (uint64_t)(uintptr_t)&now ^ K1);
		for (int i = 1; i < 4; i++)
			random[i] = hash_mix(random[i - 1] ^ K2, (uint64_t)getpid() ^ K3);
	}
	for (int i = 0; i < 4; i++)
		hash_secret[i] = random[i] | 1;
}

static inline uint64_t load64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return v;
}

static inline uint64_t load32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return v;
}

static inline uint64_t step(uint64_t h, const uint8_t *p, uint64_t key)
{
	return hash_mix(load64(p) ^ key, load64(p + 8) ^ h);
}

static inline __attribute__((always_inline)) uint64_t hash_under(const uint64_t key[4], const void *data, size_t size, uint64_t seed)
{
	const uint64_t k0 = key[0], k1 = key[1], k2 = key[2], k3 = key[3];
	const uint8_t *p = data;
	uint64_t h = seed ^ k0;
	uint64_t a = 0, b = 0;
	size_t left = size;

	if (left > 64) {
		uint64_t h1 = h ^ k1, h2 = h ^ k2, h3 = h ^ k3;

		do {
			h = step(h, p, k1);
			h1 = step(h1, p + 16, k2);
			h2 = step(h2, p + 32, k3);
			h3 = step(h3, p + 48, k0);
			p += 64;
			left -= 64;
		} while (left > 64);
		h = hash_mix(h ^ k2, h1) ^ hash_mix(h2 ^ k3, h3);
	}
	for (; left > 16; p += 16, left -= 16)
		h = step(h, p, k1);

	/* The last 1 to 16 bytes; the two loads may overlap, the size below distinguishes these cases. */
	if (left >= 8) {
		a = load64(p);
		b = load64(p + left - 8);
	} else if (left >= 4) {
		a = load32(p);
		b = load32(p + left - 4);
	} else if (left) {
		a = (uint64_t)p[0] << 16 | (uint64_t)p[left / 2] << 8 | p[left - 1];
	}
	return hash_mix(hash_mix(a ^ k1, b ^ h) ^ size, k2);
}

uint64_t hash_bytes(const void *data, size_t size, uint64_t seed)
{
	return hash_under(hash_secret, data, size, seed);
}

uint64_t hash_sum(const void *data, size_t size, uint64_t seed)
{
	return hash_under(sum_key, data, size, seed);
}

static void hindex_put(struct hindex *ix, uint32_t hash, uint32_t id)
{
	uint32_t pos = hash & ix->mask;

	while (ix->slots[pos].id != HINDEX_NONE)
		pos = (pos + 1) & ix->mask;
	ix->slots[pos] = (struct hindex_slot){ .id = id, .hash = hash };
}

static void hindex_grow(struct hindex *ix)
{
	struct hindex old = *ix;
	uint64_t nr_slots = old.slots ? ((uint64_t)old.mask + 1) * 2 : 16;
	size_t size;

	if (nr_slots > (uint64_t)UINT32_MAX + 1 || __builtin_mul_overflow(nr_slots, sizeof(*ix->slots), &size))
		mem_die(SIZE_MAX);
	ix->slots = mem_alloc(size);
	/* All ones is HINDEX_NONE in every slot. */
	memset(ix->slots, 0xff, size);
	ix->mask = (uint32_t)(nr_slots - 1);
	for (uint64_t i = 0; old.slots && i <= old.mask; i++)
		if (old.slots[i].id != HINDEX_NONE)
			hindex_put(ix, old.slots[i].hash, old.slots[i].id);
	free(old.slots);
}

void hindex_add(struct hindex *ix, uint64_t hash, uint32_t id)
{
	if (!ix->slots || ix->nr > ix->mask / 2)
		hindex_grow(ix);
	hindex_put(ix, hash_fold(hash), id);
	ix->nr++;
}

void hindex_clear(struct hindex *ix)
{
	if (ix->slots)
		memset(ix->slots, 0xff, ((size_t)ix->mask + 1) * sizeof(*ix->slots));
	ix->nr = 0;
}

void hindex_fini(struct hindex *ix)
{
	if (!ix)
		return;
	free(ix->slots);
	*ix = (struct hindex){ 0 };
}

void hindex_replace(struct hindex *ix, uint64_t hash, uint32_t old_id, uint32_t new_id)
{
	uint32_t pos = hash_fold(hash) & ix->mask;

	if (!ix->slots)
		return;
	for (; ix->slots[pos].id != HINDEX_NONE; pos = (pos + 1) & ix->mask) {
		if (ix->slots[pos].id == old_id) {
			ix->slots[pos].id = new_id;
			return;
		}
	}
}

/* What stands behind the hole and could not be nearer to its own place moves up. */
static void close_hole(struct hindex *ix, uint32_t hole)
{
	for (uint32_t i = (hole + 1) & ix->mask; ix->slots[i].id != HINDEX_NONE; i = (i + 1) & ix->mask) {
		uint32_t home = ix->slots[i].hash & ix->mask;

		if (((i - home) & ix->mask) < ((i - hole) & ix->mask))
			continue;
		ix->slots[hole] = ix->slots[i];
		hole = i;
	}
	ix->slots[hole].id = HINDEX_NONE;
}

void hindex_remove(struct hindex *ix, uint64_t hash, uint32_t id)
{
	uint32_t folded = hash_fold(hash), pos = folded & ix->mask;

	if (!ix->slots)
		return;
	while (ix->slots[pos].id != HINDEX_NONE && (ix->slots[pos].id != id || ix->slots[pos].hash != folded))
		pos = (pos + 1) & ix->mask;
	if (ix->slots[pos].id == HINDEX_NONE)
		return;
	close_hole(ix, pos);
	ix->nr--;
}

/* SipHash: two rounds for each word, four at the end. Words are little-endian. */
#define READ_BYTES (1u << 18)

static inline uint64_t rotate(uint64_t v, unsigned int by)
{
	return v << by | v >> (64 - by);
}

static inline void round_once(uint64_t v[4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] = rotate(v[0], 32);
	v[2] += v[1];
	v[0] += v[3];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] = rotate(v[2], 32);
}

static inline uint64_t load_le64(const uint8_t *p)
{
	return le64toh(load64(p));
}

static inline void add_word(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	round_once(v);
	round_once(v);
	v[0] ^= word;
}

void siphash_init(struct siphash *s, const uint8_t key[SIPHASH_KEY_SIZE])
{
	uint64_t a = load_le64(key), b = load_le64(key + 8);

	*s = (struct siphash){
		.v = { a ^ 0x736f6d6570736575ULL, b ^ 0x646f72616e646f6dULL, a ^ 0x6c7967656e657261ULL, b ^ 0x7465646279746573ULL },
	};
}

void siphash_add(struct siphash *s, const void *data, size_t size)
{
	size_t held = s->size_bytes % 8, take;
	uint64_t v[4] = { s->v[0], s->v[1], s->v[2], s->v[3] };
	const uint8_t *p = data;

	s->size_bytes += size;
	if (held) {
		take = size < 8 - held ? size : 8 - held;
		memcpy(s->rest + held, p, take);
		p += take;
		size -= take;
		if (held + take < 8)
			return;
		add_word(v, load_le64(s->rest));
	}
	for (; size >= 8; p += 8, size -= 8)
		add_word(v, load_le64(p));
	if (size)
		memcpy(s->rest, p, size);
	memcpy(s->v, v, sizeof(v));
}

uint64_t siphash_sum(const struct siphash *s)
{
	uint64_t v[4] = { s->v[0], s->v[1], s->v[2], s->v[3] };
	uint8_t last[8] = { 0 };

	memcpy(last, s->rest, s->size_bytes % 8);
	last[7] = (uint8_t)s->size_bytes;
	add_word(v, load_le64(last));
	v[2] ^= 0xff;
	for (int i = 0; i < 4; i++)
		round_once(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

bool siphash_file(int fd, const uint8_t key[SIPHASH_KEY_SIZE], uint64_t size, uint64_t *sum)
{
	uint8_t *buf = mem_alloc(READ_BYTES);
	struct siphash s;
	uint64_t off = 0;
	ssize_t got;

	siphash_init(&s, key);
	while ((got = io_pread(fd, buf, READ_BYTES, off)) > 0) {
		siphash_add(&s, buf, (size_t)got);
		off += (uint64_t)got;
		if (off > size)
			break;
	}
	free(buf);
	*sum = siphash_sum(&s);
	return got >= 0 && off == size;
}
