/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * model/flame_folded.h: lines of any kind, fed in pieces of any size.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "flame_text.h"
#include "model/flame_folded.h"

static void feed(struct flame *f, struct flame_folded *ff, const struct flame_options *o, const char *text, size_t len, size_t piece)
{
	flame_init(f, 1);
	flame_folded_init(ff, f, 0, o);
	for (size_t at = 0; at < len; at += piece)
		flame_folded_feed(ff, text + at, len - at < piece ? len - at : piece);
	flame_folded_end(ff);
	flame_finish(f, NULL);
}

static void done(struct flame *f, struct flame_folded *ff)
{
	flame_folded_fini(ff);
	flame_fini(f);
}

static void test_pieces(void **state)
{
	static const char text[] = "# a comment\nmain;work;leaf 5\nmain;work 2\n\nmain;operator new (int) 3\r\nmain;work;leaf 1";
	struct flame_folded ff;
	struct flame f;

	(void)state;
	for (size_t piece = 1; piece < sizeof(text); piece++) {
		feed(&f, &ff, &(struct flame_options){ 0 }, text, sizeof(text) - 1, piece);
		assert_flame(&f, " 11/0\nmain 11/0\nmain;operator new (int) 3/3\nmain;work 8/2\nmain;work;leaf 6/6\n");
		assert_int_equal(ff.nr_bad, 0);
		assert_int_equal(ff.nr_lines, 6);
		done(&f, &ff);
	}
}

static void test_bad(void **state)
{
	static const char text[] = "main 1\nnot a stack\n 7\n12\nmain x7\nmain -3\nmain 99999999999999999999999\nmain 1.5\nmain 0.2\nmain 2.x\nmain 0\n";
	struct flame_folded ff;
	struct flame f;

	(void)state;
	feed(&f, &ff, &(struct flame_options){ 0 }, text, sizeof(text) - 1, 4096);
	assert_flame(&f, " 3/0\nmain 3/3\n");
	assert_int_equal(ff.nr_bad, 7);
	assert_int_equal(ff.first_bad_line, 2);
	assert_int_equal(ff.nr_rounded, 2);
	done(&f, &ff);
}

static void test_marks(void **state)
{
	static const char text[] = "app;read_[k] 1\napp;read_[j] 1\napp;read_[i] 1\napp;read 1\napp;[libc.so.6] 1\napp;;x 1\n[truncated];app 2\n";
	struct flame_folded ff;
	struct flame f;
	unsigned seen = 0;

	(void)state;
	feed(&f, &ff, &(struct flame_options){ 0 }, text, sizeof(text) - 1, 4096);
	for (uint32_t i = 0; i < f.nodes.nr; i++) {
		const struct flame_frame *fr = flame_frame_of(&f, i);

		if (!strcmp(flame_name(&f, i), "read"))
			seen |= 1u << fr->kind << (fr->marks ? 8 : 0);
		if (!strcmp(flame_name(&f, i), "[libc.so.6]") || !strcmp(flame_name(&f, i), "[unknown]")) {
			assert_int_equal(fr->marks, FLAME_UNRESOLVED);
			seen |= 1u << 16;
		}
	}
	assert_int_equal(seen, 1u << FLAME_KERNEL | 1u << FLAME_JIT | 1u << FLAME_USER | 1u << FLAME_USER << 8 | 1u << 16);
	assert_int_equal(f.sum_cut[0], 2);
	done(&f, &ff);
}

static void test_options(void **state)
{
	static const char text[] = "main;work;leaf 5\nmain;leaf 1\n";
	struct flame_folded ff;
	struct flame f;

	(void)state;
	feed(&f, &ff, &(struct flame_options){ .bottom_up = true, .max_depth = 2 }, text, sizeof(text) - 1, 7);
	assert_flame(&f, " 6/0\nleaf 6/0\nleaf;main 1/1\nleaf;work 5/5\n");
	done(&f, &ff);
}

static void test_endless_line(void **state)
{
	size_t len = 70u << 20;
	char *text = mem_alloc(len);
	struct flame_folded ff;
	struct flame f;

	(void)state;
	memset(text, 'a', len);
	memcpy(text + len - 12, "\nmain;work 4", 12);
	feed(&f, &ff, &(struct flame_options){ 0 }, text, len, 1u << 20);
	assert_flame(&f, " 4/0\nmain 4/0\nmain;work 4/4\n");
	assert_int_equal(ff.nr_bad, 1);
	done(&f, &ff);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces), cmocka_unit_test(test_bad), cmocka_unit_test(test_marks), cmocka_unit_test(test_options),
		cmocka_unit_test(test_endless_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
