/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * base/hash.h: quality of hash_bytes() as far as a short test can see it, and the id index.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void assert_all_different(uint64_t *v, size_t nr)
{
	qsort(v, nr, sizeof(*v), compare_u64);
	for (size_t i = 1; i < nr; i++)
		assert_true(v[i] != v[i - 1]);
}

/* Zeros of any length and any seed: the length and the seed have to count. */
static void test_lengths_and_seeds(void **state)
{
	static const char zeros[2048];
	uint64_t *h = malloc(4 * 2048 * sizeof(*h));
	size_t nr = 0;

	(void)state;
	for (size_t len = 0; len < 2048; len++)
		for (uint64_t seed = 0; seed < 4; seed++)
			h[nr++] = hash_bytes(zeros, len, seed);
	assert_all_different(h, nr);
	free(h);
}

/* Reads exactly the bytes it was given, and the same ones at any alignment. */
static void test_bounds_and_alignment(void **state)
{
	(void)state;
	for (size_t len = 0; len < 300; len++) {
		uint8_t *exact = malloc(len ? len : 1);
		uint8_t shifted[400];
		uint64_t h;

		for (size_t i = 0; i < len; i++)
			exact[i] = (uint8_t)(i * 7 + len);
		h = hash_bytes(exact, len, 1);
		for (size_t off = 0; off < 9; off++) {
			memset(shifted, 0xaa, sizeof(shifted));
			memcpy(shifted + off, exact, len);
			assert_true(hash_bytes(shifted + off, len, 1) == h);
		}
		free(exact);
	}
}

/* One flipped bit changes about half of the result, whatever the bit and the length. */
static void test_avalanche(void **state)
{
	const size_t lengths[] = { 1, 3, 4, 7, 8, 9, 15, 16, 17, 33, 64, 65, 128, 129, 200 };
	uint8_t key[200];

	(void)state;
	for (size_t l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++) {
		size_t len = lengths[l];
		uint64_t flips = 0, nr = 0;

		for (unsigned round = 0; round < 20; round++) {
			for (size_t i = 0; i < len; i++)
				key[i] = (uint8_t)hash_u64(round * 1000 + i);
			for (size_t bit = 0; bit < len * 8; bit++) {
				uint64_t before = hash_bytes(key, len, 0);
				int changed;

				key[bit / 8] ^= (uint8_t)(1u << bit % 8);
				changed = __builtin_popcountll(before ^ hash_bytes(key, len, 0));
				key[bit / 8] ^= (uint8_t)(1u << bit % 8);
				assert_true(changed > 8);
				flips += (uint64_t)changed;
				nr++;
			}
		}
		assert_true(flips > nr * 30 && flips < nr * 34);
	}
}

/* Call chains are much alike: the same kernel entry, one different return address. */
static void test_chains_spread(void **state)
{
	enum { NR = 1 << 17, BUCKETS = 1 << 10 };
	uint64_t *h = malloc(NR * sizeof(*h));
	uint32_t buckets[BUCKETS] = { 0 };
	uint64_t chain[24];

	(void)state;
	for (uint64_t i = 0; i < 24; i++)
		chain[i] = 0xffffffff81000000ULL + i * 0x100;
	for (uint64_t i = 0; i < NR; i++) {
		chain[i % 24] ^= (i + 1) * 16;
		h[i] = hash_bytes(chain, sizeof(chain), 0);
		chain[i % 24] ^= (i + 1) * 16;
		buckets[hash_fold(h[i]) % BUCKETS]++;
	}
	/* 128 expected in each; six standard deviations either way. */
	for (size_t i = 0; i < BUCKETS; i++)
		assert_in_range(buckets[i], 60, 196);
	assert_all_different(h, NR);
	free(h);
}

static void test_integers(void **state)
{
	enum { NR = 100000 };
	uint64_t *h = malloc(2 * NR * sizeof(*h));

	(void)state;
	for (uint64_t i = 0; i < NR; i++) {
		h[2 * i] = hash_u64(i + 1);
		h[2 * i + 1] = hash_pair(i + 1, i / 2);
	}
	assert_all_different(h, 2 * NR);
	assert_true(hash_pair(1, 2) != hash_pair(2, 1));
	free(h);
}

static uint32_t find(const struct hindex *ix, const uint64_t *keys, uint64_t key)
{
	struct hindex_iter it = hindex_find(ix, hash_u64(key));

	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;)
		if (keys[id] == key)
			return id;
	return HINDEX_NONE;
}

static void test_index_grows_past_a_million(void **state)
{
	const uint32_t nr = 1500000;
	uint64_t *keys = calloc(nr, sizeof(*keys));
	struct hindex ix = { 0 };

	(void)state;
	assert_int_equal(find(&ix, keys, 5), HINDEX_NONE);
	for (uint32_t i = 0; i < nr; i++) {
		keys[i] = (uint64_t)i * 4096;
		hindex_add(&ix, hash_u64(keys[i]), i);
		assert_true(ix.nr <= (ix.mask + 1) / 2);
	}
	assert_int_equal(ix.nr, nr);
	for (uint32_t i = 0; i < nr; i++)
		if (find(&ix, keys, keys[i]) != i)
			fail_msg("id %u is lost", i);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(find(&ix, keys, (uint64_t)i * 4096 + 1), HINDEX_NONE);
	hindex_fini(&ix);
	assert_int_equal(find(&ix, keys, 0), HINDEX_NONE); /* empty again, and usable */
	hindex_add(&ix, hash_u64(keys[3]), 3);
	assert_int_equal(find(&ix, keys, keys[3]), 3);
	hindex_clear(&ix);
	assert_true(find(&ix, keys, keys[3]) == HINDEX_NONE && ix.slots);
	hindex_add(&ix, hash_u64(keys[4]), 4);
	assert_int_equal(find(&ix, keys, keys[4]), 4);
	hindex_fini(&ix);
	hindex_clear(&ix);
	hindex_fini(NULL);
	free(keys);
}

static void test_index_equal_hashes(void **state)
{
	struct hindex ix = { 0 };
	struct hindex_iter it;
	uint64_t seen = 0;
	uint32_t id, nr = 0;

	(void)state;
	for (uint32_t i = 0; i < 50; i++)
		hindex_add(&ix, 42, i);
	it = hindex_find(&ix, 42);
	while ((id = hindex_next(&it)) != HINDEX_NONE) {
		assert_true(id < 50);
		seen |= 1ULL << id;
		nr++;
	}
	assert_int_equal(nr, 50);
	assert_true(seen == (1ULL << 50) - 1);
	it = hindex_find(&ix, 43);
	assert_int_equal(hindex_next(&it), HINDEX_NONE);
	hindex_fini(&ix);
}

/* Keys that share a place under one key of the process do not under another; sums stay what they are. */
/* Of ids that come and go, each is found as long as it is in, and the index grows no larger than what it holds needs. */
static void test_index_removes(void **state)
{
	enum { KEYS = 3000, TURNS = 200000 };
	uint64_t keys[KEYS];
	bool is_in[KEYS] = { false };
	struct hindex ix = { 0 };
	uint32_t nr = 0;
	uint64_t random = 1;

	(void)state;
	hindex_remove(&ix, 1, 1);
	for (uint32_t i = 0; i < KEYS; i++)
		keys[i] = i * 64;
	for (uint32_t turn = 0; turn < TURNS; turn++) {
		uint32_t i;

		random = random * 6364136223846793005u + 1442695040888963407u;
		i = (uint32_t)(random >> 33) % KEYS;
		if (is_in[i])
			hindex_remove(&ix, hash_u64(keys[i]), i);
		else
			hindex_add(&ix, hash_u64(keys[i]), i);
		is_in[i] = !is_in[i];
		nr += is_in[i] ? 1 : -1u;
		assert_int_equal(ix.nr, nr);
		if (turn % 4096 == 0)
			for (uint32_t k = 0; k < KEYS; k++)
				assert_int_equal(find(&ix, keys, keys[k]), is_in[k] ? k : HINDEX_NONE);
	}
	hindex_remove(&ix, hash_u64(UINT64_MAX), 7); /* not there */
	assert_int_equal(ix.nr, nr);
	assert_true(ix.mask < 4 * KEYS);
	hindex_fini(&ix);

	/* Under one hash, the id decides. */
	for (uint32_t i = 0; i < 5; i++)
		hindex_add(&ix, 42, i);
	hindex_remove(&ix, 42, 2);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(HINDEX_FIND(&ix, 42, id, id == i), i == 2 ? HINDEX_NONE : i);
	hindex_fini(&ix);
}

static void test_random_key(void **state)
{
	enum { NR = 4096 };
	uint64_t known[2 * NR], sum = hash_sum("sum", 3, 7);
	uint32_t nr_equal = 0;
	uint64_t text[4];

	(void)state;
	/* A factor of zero in the first step, and a second one that takes its result back: equal hashes, were the key known. */
	text[0] = hash_secret[1];
	text[2] = 1;
	for (uint64_t i = 0; i < NR; i++) {
		text[1] = text[3] = i;
		known[i] = hash_bytes(text, sizeof(text), 0);
		known[NR + i] = hash_u64(i);
	}
	for (uint64_t i = 1; i < NR; i++)
		nr_equal += known[i] == known[0];
	assert_int_equal(nr_equal, NR - 1);
	hash_randomize();
	for (uint64_t i = 0; i < NR; i++) {
		text[1] = text[3] = i;
		assert_true(hash_u64(i) != known[NR + i]);
		known[i] = hash_bytes(text, sizeof(text), 0);
	}
	assert_all_different(known, NR);
	assert_true(hash_sum("sum", 3, 7) == sum);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lengths_and_seeds),  cmocka_unit_test(test_bounds_and_alignment),
		cmocka_unit_test(test_avalanche),	   cmocka_unit_test(test_chains_spread),
		cmocka_unit_test(test_integers),	   cmocka_unit_test(test_index_grows_past_a_million),
		cmocka_unit_test(test_index_equal_hashes), cmocka_unit_test(test_index_removes),
		cmocka_unit_test(test_random_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
