/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Call trees: steps make nodes once, weights go to the end and to all above.
 */
#include "session_fixture.h"

#include "model/calltree.h"

static uint32_t walk(struct calltree *t, uint32_t root, const uint32_t *frames, uint32_t nr)
{
	uint32_t node = root;

	for (uint32_t i = 0; i < nr; i++)
		node = calltree_step(t, node, frames[i]);
	return node;
}

static void test_weights(void **state)
{
	const uint32_t abc[] = { 1, 2, 3 }, abd[] = { 1, 2, 4 };
	struct calltree t;
	uint32_t root, c, d, b;

	(void)state;
	calltree_init(&t);
	root = calltree_new_root(&t);
	assert_int_not_equal(root, CALLTREE_NONE);
	c = walk(&t, root, abc, 3);
	calltree_add(&t, c, 10, 1);
	d = walk(&t, root, abd, 3);
	calltree_add(&t, d, 5, 1);
	b = walk(&t, root, abc, 2);
	calltree_add(&t, b, 1, 1);
	assert_int_equal(walk(&t, root, abc, 3), c);
	assert_int_equal(t.nodes.v[c].parent, b);
	assert_int_equal(t.nodes.v[d].parent, b);
	assert_int_equal(t.nodes.v[b].hit, 1);
	assert_int_equal(t.nodes.v[b].below, 15);
	assert_int_equal(t.nodes.v[b].nr_below, 2);
	assert_int_equal(calltree_total(&t, b), 16);
	assert_int_equal(calltree_total(&t, root), 16);
	assert_int_equal(calltree_total(&t, c), 10);
	calltree_fini(&t);
}

static void test_trees_are_apart(void **state)
{
	const uint32_t path[] = { 1, 2 };
	struct calltree t;
	uint32_t one, two;

	(void)state;
	calltree_init(&t);
	one = calltree_new_root(&t);
	two = calltree_new_root(&t);
	calltree_add(&t, walk(&t, one, path, 2), 7, 1);
	assert_int_equal(calltree_total(&t, two), 0);
	assert_int_not_equal(walk(&t, one, path, 1), walk(&t, two, path, 1));
	calltree_fini(&t);
}

/* Sums over children are what is below, whatever was added. */
static void test_sums(void **state)
{
	struct calltree t;
	uint64_t rng = 11, total = 0;
	uint32_t root;

	(void)state;
	calltree_init(&t);
	root = calltree_new_root(&t);
	for (int i = 0; i < 5000; i++) {
		uint32_t frames[12], nr = (uint32_t)(fixture_rng(&rng) % 12);
		uint64_t period = 1 + fixture_rng(&rng) % 100;

		for (uint32_t k = 0; k < nr; k++)
			frames[k] = (uint32_t)(fixture_rng(&rng) % 4);
		calltree_add(&t, walk(&t, root, frames, nr), period, 1);
		total += period;
	}
	assert_true(calltree_total(&t, root) == total);
	for (uint32_t n = 1; n < t.nodes.nr; n++) {
		uint64_t below = 0, nr_below = 0;

		for (uint32_t c = t.nodes.v[n].first_child; c != CALLTREE_NONE;
		     c = t.nodes.v[c].next_sibling) {
			assert_int_equal(t.nodes.v[c].parent, n);
			below += calltree_total(&t, c);
			nr_below += t.nodes.v[c].nr_hit + t.nodes.v[c].nr_below;
		}
		assert_true(below == t.nodes.v[n].below);
		assert_true(nr_below == t.nodes.v[n].nr_below);
	}
	calltree_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_weights),
		cmocka_unit_test(test_trees_are_apart),
		cmocka_unit_test(test_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
