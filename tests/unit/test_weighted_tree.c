/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Weighted trees: weights go to the end of a path and to all above; small branches are left out but counted; the same as a naive trie.
 * What is kept of narrow branches, and flame graphs of several columns, are in test_flame_narrow.c and test_flame.c.
 */
#include "session_fixture.h"

#include "model/weighted_tree.h"

static uint32_t child(const struct weighted_tree *t, uint32_t node, uint32_t frame)
{
	for (uint32_t n = t->nodes.v[node].first_child; n != WEIGHTED_NONE; n = t->nodes.v[n].next_sibling)
		if (t->nodes.v[n].frame == frame)
			return n;
	return WEIGHTED_NONE;
}

static void test_weights(void **state)
{
	static const uint32_t steps[] = { 1, 2, 3, 1, 2, 4 };
	struct weighted_path paths[] = { { 10, 0, 3, 0, 1 }, { 5, 3, 3, 0, 2 }, { 1, 0, 2, 0, 1 } };
	struct weighted_options o = { .nr_columns = 2, .has_counts = true, .steps = steps, .nr_frames = 5 };
	struct weighted_tree t = { 0 };
	uint32_t b;

	(void)state;
	weighted_tree_grow(&t, paths, 3, &o);
	b = child(&t, child(&t, WEIGHTED_ROOT, 1), 2);
	assert_int_not_equal(b, WEIGHTED_NONE);
	assert_int_equal(weighted_self(&t, b, 0), 1);
	assert_int_equal(weighted_total(&t, b, 0), 16);
	assert_int_equal(weighted_self(&t, b, 1), 1);
	assert_int_equal(weighted_total(&t, b, 1), 4);
	assert_int_equal(t.nodes.v[b].nr_children, 2);
	assert_int_equal(weighted_total(&t, child(&t, b, 3), 0), 10);
	assert_int_equal(weighted_total(&t, child(&t, b, 4), 0), 5);
	assert_int_equal(weighted_total(&t, WEIGHTED_ROOT, 0), 16);
	assert_int_equal(t.nodes.v[child(&t, b, 4)].parent, b);
	assert_int_equal(t.nodes.v[b].depth, 2);
	weighted_tree_fini(&t);
}

static void test_small_branches_go(void **state)
{
	static const uint32_t steps[] = { 0, 1, 0, 2, 0, 3 };
	struct weighted_path paths[] = { { 3, 2, 2, 0, 1 }, { 90, 0, 2, 0, 1 }, { 7, 4, 2, 0, 1 } };
	const uint64_t least[] = { 7 }, any[] = { 0 };
	struct weighted_options o = { .nr_columns = 1, .steps = steps, .nr_frames = 4, .least = least };
	struct weighted_tree t = { 0 };
	uint32_t a;

	(void)state;
	weighted_tree_grow(&t, paths, 3, &o);
	a = child(&t, WEIGHTED_ROOT, 0);
	assert_int_equal(weighted_total(&t, a, 0), 100);
	assert_int_equal(t.nodes.v[a].nr_children, 3);
	assert_int_equal(t.nr_hidden, 1);
	assert_int_not_equal(child(&t, a, 1), WEIGHTED_NONE);
	assert_int_not_equal(child(&t, a, 3), WEIGHTED_NONE);
	assert_int_equal(child(&t, a, 2), WEIGHTED_NONE);

	/* 7.5% of 100 is 8, rounded up: the branch of 7 goes too. The tree is a new one. */
	o.least = any;
	o.share = 0.075;
	weighted_tree_grow(&t, paths, 3, &o);
	a = child(&t, WEIGHTED_ROOT, 0);
	assert_int_not_equal(child(&t, a, 1), WEIGHTED_NONE);
	assert_int_equal(child(&t, a, 3), WEIGHTED_NONE);
	assert_int_equal(t.nr_hidden, 2);
	weighted_tree_fini(&t);
}

static void test_nothing(void **state)
{
	struct weighted_options o = { .nr_columns = 1, .keeps_narrow = true };
	struct weighted_tree t = { 0 };

	(void)state;
	weighted_tree_grow(&t, NULL, 0, &o);
	assert_int_equal(weighted_total(&t, WEIGHTED_ROOT, 0), 0);
	assert_int_equal(t.nodes.v[WEIGHTED_ROOT].first_child, WEIGHTED_NONE);
	weighted_tree_fini(&t);
}

/* Siblings: as they are met, the last first, or by rank. A tree of too many nodes is cut and says so. */
static void test_order_and_limit(void **state)
{
	static const uint32_t steps[] = { 0, 1, 2 }, rank[] = { 1, 0, 2 };
	struct weighted_path paths[] = { { 1, 0, 1, 0, 1 }, { 1, 1, 1, 0, 1 }, { 1, 2, 1, 0, 1 } };
	struct weighted_options o = { .nr_columns = 1, .steps = steps, .nr_frames = 3 };
	struct weighted_tree t = { 0 };

	(void)state;
	weighted_tree_grow(&t, paths, 3, &o);
	assert_int_equal(t.nodes.v[1].frame, 2);
	assert_int_equal(t.nodes.v[3].frame, 0);
	assert_false(t.is_cut);
	o.rank = rank;
	o.max_nodes = 4;
	weighted_tree_grow(&t, paths, 3, &o);
	assert_int_equal(t.nodes.v[1].frame, 1);
	assert_int_equal(t.nodes.v[2].frame, 0);
	assert_true(t.is_cut);
	weighted_tree_fini(&t);
}

/* Every node of the tree has the sum of the paths that begin with it. */
static void check_node(const struct weighted_tree *t, uint32_t node, const struct weighted_path *paths, uint32_t nr, const uint32_t *steps,
		       uint32_t *prefix, uint32_t depth)
{
	uint64_t total = 0, self = 0;

	for (uint32_t i = 0; i < nr; i++) {
		if (paths[i].nr < depth || (depth && memcmp(steps + paths[i].first, prefix, depth * sizeof(*prefix))))
			continue;
		total += paths[i].weight;
		self += paths[i].nr == depth ? paths[i].weight : 0;
	}
	assert_int_equal(weighted_total(t, node, 0), total);
	assert_int_equal(weighted_self(t, node, 0), self);
	for (uint32_t n = t->nodes.v[node].first_child; n != WEIGHTED_NONE; n = t->nodes.v[n].next_sibling) {
		prefix[depth] = t->nodes.v[n].frame;
		check_node(t, n, paths, nr, steps, prefix, depth + 1);
	}
}

static void test_random(void **state)
{
	enum { NR = 300, DEPTH = 8 };
	static uint32_t steps[NR * DEPTH], prefix[DEPTH + 1];
	struct weighted_path paths[NR];
	struct weighted_options o = { .nr_columns = 1, .steps = steps, .nr_frames = 3 };
	struct weighted_tree t = { 0 };
	uint32_t seed = 1;

	(void)state;
	for (uint32_t i = 0; i < NR; i++) {
		seed = seed * 1664525 + 1013904223;
		paths[i] = (struct weighted_path){ .weight = seed >> 20, .first = i * DEPTH, .nr = 1 + (seed >> 24) % DEPTH };
		for (uint32_t k = 0; k < DEPTH; k++) {
			seed = seed * 1664525 + 1013904223;
			steps[i * DEPTH + k] = (seed >> 24) % 3;
		}
	}
	weighted_tree_grow(&t, paths, NR, &o);
	check_node(&t, WEIGHTED_ROOT, paths, NR, steps, prefix, 0);
	weighted_tree_fini(&t);
}

/* Frames of a recursion, with what was inlined into each: no stack of our own may grow with them. */
static void test_deep(void **state)
{
	enum { DEPTH = 1000000 };
	uint32_t *steps = mem_zalloc(DEPTH * sizeof(*steps));
	struct weighted_path path = { .weight = 7, .nr = DEPTH };
	struct weighted_options o = { .nr_columns = 1, .steps = steps, .nr_frames = 1 };
	struct weighted_tree t = { 0 };

	(void)state;
	weighted_tree_grow(&t, &path, 1, &o);
	assert_int_equal(t.nodes.nr, DEPTH + 1);
	assert_int_equal(weighted_self(&t, DEPTH, 0), 7);
	weighted_tree_fini(&t);
	free(steps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_weights), cmocka_unit_test(test_small_branches_go),
		cmocka_unit_test(test_nothing), cmocka_unit_test(test_order_and_limit),
		cmocka_unit_test(test_random),	cmocka_unit_test(test_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
