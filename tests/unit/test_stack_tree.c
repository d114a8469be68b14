/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Stack trees: equal stacks are one node, common callers are shared, parents and frames are those of a naive trie, and a million stacks that
 * share nothing take little more than their frames.
 */
#include "session_fixture.h"

#include "model/stack_tree.h"

static void expect_path(const struct stack_tree *t, uint32_t node, const uint32_t *frames, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++, node = stack_tree_parent(t, node))
		assert_int_equal(stack_tree_frame(t, node), frames[i]);
	assert_int_equal(node, STACK_TREE_ROOT);
}

static void test_sharing(void **state)
{
	static const uint32_t cba[] = { 3, 2, 1 }, dba[] = { 4, 2, 1 }, e[] = { 5 };
	struct stack_tree t;
	uint32_t first, second;

	(void)state;
	stack_tree_init(&t);
	assert_int_equal(stack_tree_add(&t, NULL, 0), STACK_TREE_ROOT);
	first = stack_tree_add(&t, cba, 3);
	second = stack_tree_add(&t, dba, 3);
	assert_int_equal(t.frames.nr, 1 + 3 + 1);
	assert_int_equal(stack_tree_parent(&t, first), stack_tree_parent(&t, second));
	assert_int_equal(stack_tree_add(&t, cba + 1, 2), stack_tree_parent(&t, first));
	assert_int_equal(stack_tree_add(&t, dba, 3), second);
	expect_path(&t, first, cba, 3);
	expect_path(&t, second, dba, 3);
	expect_path(&t, stack_tree_add(&t, e, 1), e, 1);
	stack_tree_clear(&t);
	assert_int_equal(stack_tree_add(&t, dba, 3), first);
	expect_path(&t, first, dba, 3);
	stack_tree_fini(&t);
}

/* Of few frames, so that stacks share, end inside of others, and go on where others end. */
static void test_same_as_trie(void **state)
{
	enum { NR = 4000, DEPTH = 12 };
	static uint32_t frames[NR][DEPTH], depth[NR], node[NR];
	struct stack_tree t;
	uint32_t seed = 1;

	(void)state;
	stack_tree_init(&t);
	for (uint32_t i = 0; i < NR; i++) {
		for (uint32_t k = 0; k < DEPTH; k++) {
			seed = seed * 1103515245 + 12345;
			frames[i][k] = seed >> 16 & 1 ? 0 : seed >> 20 & 3;
		}
		depth[i] = 1 + (seed >> 24) % DEPTH;
		node[i] = stack_tree_add(&t, frames[i], depth[i]);
	}
	for (uint32_t i = 0; i < NR; i++) {
		expect_path(&t, node[i], frames[i], depth[i]);
		for (uint32_t k = i / 64 * 64; k < i; k++)
			assert_int_equal(node[i] == node[k],
					 depth[i] == depth[k] && !memcmp(frames[i], frames[k], depth[i] * sizeof(uint32_t)));
	}
	for (uint32_t i = 1; i < t.frames.nr; i++)
		assert_true(stack_tree_parent(&t, i) < i);
	stack_tree_fini(&t);
}

static void test_distinct_stacks_are_small(void **state)
{
	enum { NR = 100000, DEPTH = 30 };
	uint32_t frames[DEPTH], seed = 7;
	struct stack_tree t;

	(void)state;
	stack_tree_init(&t);
	for (uint32_t i = 0; i < NR; i++) {
		for (uint32_t k = 0; k < DEPTH; k++) {
			seed = seed * 1103515245 + 12345;
			frames[k] = seed >> 8;
		}
		expect_path(&t, stack_tree_add(&t, frames, DEPTH), frames, DEPTH);
	}
	assert_in_range(t.frames.nr, NR * (DEPTH - 2), NR * DEPTH);
	assert_in_range(t.runs.nr, NR / 2, NR + 1);
	assert_true(stack_tree_size_bytes(&t) < NR * (DEPTH + 10ul) * sizeof(uint32_t));
	stack_tree_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sharing),
		cmocka_unit_test(test_same_as_trie),
		cmocka_unit_test(test_distinct_stacks_are_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
