/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct pairing: begins and ends against a plain list that does the same, slowly.
 */
#include "model/latency.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static bool end(struct pairing *p, uint64_t key, uint64_t time_ns, uint64_t *took)
{
	uint32_t tag;

	return pairing_end(p, &key, time_ns, took, &tag);
}

static void begin(struct pairing *p, uint64_t key, uint64_t time_ns)
{
	pairing_begin(p, &key, time_ns, 0);
}

static void test_pairs(void **state)
{
	struct pairing p;
	uint64_t took, two[2] = { 1, 2 }, other[2] = { 2, 1 };
	uint32_t tag;

	(void)state;
	pairing_init(&p, 1, 0);
	begin(&p, 7, 100);
	begin(&p, 8, 110);
	assert_false(end(&p, 9, 120, &took));
	assert_true(end(&p, 7, 150, &took));
	assert_int_equal(took, 50);
	assert_false(end(&p, 7, 160, &took));
	begin(&p, 8, 200); /* again, before it ended */
	assert_true(end(&p, 8, 201, &took));
	assert_int_equal(took, 1);
	begin(&p, 5, 300);
	assert_false(end(&p, 5, 299, &took));
	begin(&p, 6, 400);
	assert_int_equal(p.nr_pairs, 2);
	assert_int_equal(p.nr_ends_alone, 2);
	assert_int_equal(p.nr_replaced, 1);
	assert_int_equal(p.nr_backwards, 1);
	assert_int_equal(p.nr_open, 1);
	pairing_fini(&p);

	pairing_init(&p, 2, 0);
	pairing_begin(&p, two, 1, 42);
	assert_false(pairing_end(&p, other, 2, &took, &tag));
	assert_true(pairing_end(&p, two, 2, &took, &tag));
	assert_int_equal(tag, 42);
	pairing_fini(&p);
}

/* The oldest goes; one that began anew is young again. */
static void test_given_up(void **state)
{
	struct pairing p;
	uint64_t took;

	(void)state;
	pairing_init(&p, 1, 3);
	for (uint64_t k = 0; k < 3; k++)
		begin(&p, k, k);
	begin(&p, 0, 10);
	begin(&p, 3, 11); /* in place of 1 */
	begin(&p, 4, 12); /* in place of 2 */
	assert_int_equal(p.nr_open, 3);
	assert_int_equal(p.nr_given_up, 2);
	assert_false(end(&p, 1, 20, &took));
	assert_false(end(&p, 2, 20, &took));
	assert_true(end(&p, 0, 20, &took));
	assert_int_equal(took, 10);
	assert_true(end(&p, 3, 20, &took));
	assert_true(end(&p, 4, 20, &took));
	assert_int_equal(p.nr_open, 0);
	pairing_fini(&p);
}

#define KEYS 500
static void test_many(void **state)
{
	static uint64_t began[KEYS]; /* 0: not open */
	uint64_t rng = 1, nr_pairs = 0, nr_replaced = 0, nr_alone = 0, nr_open = 0, took;
	struct pairing p;

	(void)state;
	pairing_init(&p, 1, 0);
	for (uint64_t t = 1; t < 200000; t++) {
		uint64_t key;

		rng = rng * 6364136223846793005ULL + 1442695040888963407ULL;
		key = rng >> 40;
		if (key & 1) {
			key = key / 2 % KEYS;
			nr_replaced += began[key] != 0;
			nr_open += !began[key];
			began[key] = t;
			begin(&p, key << 32, t); /* equal low halves: what a poor hash would mix up */
		} else {
			key = key / 2 % KEYS;
			if (end(&p, key << 32, t, &took)) {
				assert_int_equal(took, t - began[key]);
				nr_pairs++;
				nr_open--;
			} else {
				assert_int_equal(began[key], 0);
				nr_alone++;
			}
			began[key] = 0;
		}
		assert_int_equal(p.nr_open, nr_open);
	}
	assert_int_equal(p.nr_pairs, nr_pairs);
	assert_int_equal(p.nr_replaced, nr_replaced);
	assert_int_equal(p.nr_ends_alone, nr_alone);
	pairing_fini(&p);
}

/* What has begun goes on: the time of the first begin counts. */
static void test_keeps_first(void **state)
{
	struct pairing p;
	uint64_t took;

	(void)state;
	pairing_init(&p, 1, 0);
	p.keeps_first = true;
	begin(&p, 7, 100);
	begin(&p, 7, 130);
	assert_true(end(&p, 7, 150, &took));
	assert_int_equal(took, 50);
	assert_int_equal(p.nr_replaced, 1);
	assert_false(end(&p, 7, 160, &took));
	pairing_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_keeps_first),
		cmocka_unit_test(test_given_up),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
