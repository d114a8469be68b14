/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Call trees: weights go to the end of a path and to all above; small branches are left out but counted; the same as a naive trie.
 */
#include "session_fixture.h"

#include "model/calltree.h"

static uint32_t child(const struct calltree *t, uint32_t node, uint32_t frame)
{
	for (uint32_t n = t->nodes.v[node].first_child; n != CALLTREE_NONE; n = t->nodes.v[n].next_sibling)
		if (t->nodes.v[n].frame == frame)
			return n;
	return CALLTREE_NONE;
}

static void test_weights(void **state)
{
	static const uint32_t abc[] = { 1, 2, 3 }, abd[] = { 1, 2, 4 };
	struct calltree_path paths[] = { { abc, 3, 10, 1 }, { abd, 3, 5, 2 }, { abc, 2, 1, 1 }, { abc, 0, 99, 9 } };
	struct calltree_least all = { 0 };
	struct calltree t = { 0 };
	uint32_t b;

	(void)state;
	calltree_grow(&t, paths, 4, 5, &all);
	b = child(&t, child(&t, CALLTREE_ROOT, 1), 2);
	assert_int_not_equal(b, CALLTREE_NONE);
	assert_int_equal(t.nodes.v[b].hit, 1);
	assert_int_equal(t.nodes.v[b].below, 15);
	assert_int_equal(t.nodes.v[b].nr_below, 3);
	assert_int_equal(t.nodes.v[b].nr_children, 2);
	assert_int_equal(calltree_total(&t, child(&t, b, 3)), 10);
	assert_int_equal(calltree_total(&t, child(&t, b, 4)), 5);
	assert_int_equal(calltree_total(&t, CALLTREE_ROOT), 16);
	assert_int_equal(t.nodes.v[child(&t, b, 4)].parent, b);
	calltree_fini(&t);
}

static void test_small_branches_go(void **state)
{
	static const uint32_t ab[] = { 0, 1 }, ac[] = { 0, 2 }, ad[] = { 0, 3 };
	struct calltree_path paths[] = { { ac, 2, 3, 1 }, { ab, 2, 90, 1 }, { ad, 2, 7, 1 } };
	struct calltree_least least = { .total = 7 };
	struct calltree t = { 0 };
	uint32_t a;

	(void)state;
	calltree_grow(&t, paths, 3, 4, &least);
	a = child(&t, CALLTREE_ROOT, 0);
	assert_int_equal(t.nodes.v[a].below, 100);
	assert_int_equal(t.nodes.v[a].nr_children, 3);
	assert_int_not_equal(child(&t, a, 1), CALLTREE_NONE);
	assert_int_not_equal(child(&t, a, 3), CALLTREE_NONE);
	assert_int_equal(child(&t, a, 2), CALLTREE_NONE);

	/* 7.5% of 100 is 8, rounded up: the branch of 7 goes too. The tree is a new one. */
	least = (struct calltree_least){ .share = 0.075 };
	calltree_grow(&t, paths, 3, 4, &least);
	a = child(&t, CALLTREE_ROOT, 0);
	assert_int_not_equal(child(&t, a, 1), CALLTREE_NONE);
	assert_int_equal(child(&t, a, 3), CALLTREE_NONE);
	calltree_fini(&t);
}

static void test_nothing(void **state)
{
	struct calltree_least all = { 0 };
	struct calltree t = { 0 };

	(void)state;
	calltree_grow(&t, NULL, 0, 0, &all);
	assert_int_equal(calltree_total(&t, CALLTREE_ROOT), 0);
	assert_int_equal(t.nodes.v[CALLTREE_ROOT].first_child, CALLTREE_NONE);
	calltree_fini(&t);
}

/* Every node of the tree has the sum of the paths that begin with it. */
static void check_node(const struct calltree *t, uint32_t node, const struct calltree_path *paths, uint32_t nr, uint32_t *prefix,
		       uint32_t depth)
{
	uint64_t total = 0, hit = 0;

	for (uint32_t i = 0; i < nr; i++) {
		if (paths[i].nr_frames < depth || (depth && memcmp(paths[i].frames, prefix, depth * sizeof(*prefix))))
			continue;
		total += paths[i].period;
		hit += paths[i].nr_frames == depth ? paths[i].period : 0;
	}
	assert_int_equal(calltree_total(t, node), total);
	assert_int_equal(t->nodes.v[node].hit, hit);
	for (uint32_t n = t->nodes.v[node].first_child; n != CALLTREE_NONE; n = t->nodes.v[n].next_sibling) {
		prefix[depth] = t->nodes.v[n].frame;
		check_node(t, n, paths, nr, prefix, depth + 1);
	}
}

static void test_random(void **state)
{
	enum { NR = 300, DEPTH = 8 };
	static uint32_t frames[NR][DEPTH], prefix[DEPTH + 1];
	struct calltree_path paths[NR];
	struct calltree_least all = { 0 };
	struct calltree t = { 0 };
	uint32_t seed = 1;

	(void)state;
	for (int i = 0; i < NR; i++) {
		seed = seed * 1664525 + 1013904223;
		paths[i] = (struct calltree_path){ frames[i], 1 + (seed >> 24) % DEPTH, seed >> 20, 1 };
		for (int k = 0; k < DEPTH; k++) {
			seed = seed * 1664525 + 1013904223;
			frames[i][k] = (seed >> 24) % 3;
		}
	}
	calltree_grow(&t, paths, NR, 3, &all);
	check_node(&t, CALLTREE_ROOT, paths, NR, prefix, 0);
	calltree_fini(&t);
}

/* Frames of a recursion, with what was inlined into each: no stack of our own may grow with them. */
static void test_deep(void **state)
{
	enum { DEPTH = 1000000 };
	uint32_t *frames = mem_zalloc(DEPTH * sizeof(*frames));
	struct calltree_path path = { frames, DEPTH, 7, 1 };
	struct calltree_least all = { 0 };
	struct calltree t = { 0 };

	(void)state;
	calltree_grow(&t, &path, 1, 1, &all);
	assert_int_equal(t.nodes.nr, DEPTH + 2);
	assert_int_equal(t.nodes.v[DEPTH + 1].hit, 7);
	calltree_fini(&t);
	free(frames);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_weights),
		cmocka_unit_test(test_small_branches_go),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
