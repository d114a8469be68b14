/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What flame_finish() keeps of frames that are too narrow to be drawn (model/weighted_tree.h), and what a picture says of them
 * ("narrow" in view/flame_svg.h): with both, a search finds as much as in the stacks themselves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/flame.h"
#include "view/flame_svg.h"

static void add(struct flame *f, uint64_t weight, const char *stack)
{
	uint32_t frames[32], nr = 0;

	for (size_t len; *stack; stack += len + (stack[len] == ';')) {
		len = strcspn(stack, ";");
		frames[nr++] = flame_intern_frame(f, stack, len, "", FLAME_USER, 0);
	}
	flame_add_path(f, 0, frames, nr, weight, weight);
}

static void finish(struct flame *f, uint64_t least, struct flame_layout *l, struct out *o)
{
	struct renumbering names;

	flame_finish(f, &least);
	flame_layout_build(l, f, flame_width_first, NULL, 0);
	out_init(o, -1);
	renumbering_init(&names, f->strings.entries.nr);
	flame_svg_narrow(o, f, l, &names);
	out_char(o, 0);
	renumbering_fini(&names);
}

static void done(struct flame *f, struct flame_layout *l, struct out *o)
{
	out_fini(o);
	flame_layout_fini(l);
	flame_fini(f);
}

/* Weight of narrow nodes that have the name or stand on one that has. */
static uint64_t narrow_weight(const struct flame *f, const char *name)
{
	uint64_t sum = 0;
	uint8_t *inside = mem_zalloc(f->tree.narrow.nr + 1);

	for (uint32_t i = 0; i < f->tree.narrow.nr; i++) {
		const struct weighted_node *n = &f->tree.narrow.v[i];

		/* parents come first */
		inside[i] = n->parent >= f->tree.nodes.nr && inside[n->parent - f->tree.nodes.nr];
		if (!inside[i] && !strcmp(strtab_get(&f->strings, f->frames.v[n->frame].name), name)) {
			inside[i] = 1;
			sum += weighted_total(&f->tree, f->tree.nodes.nr + i, 0);
		}
	}
	free(inside);
	return sum;
}

static void test_known(void **state)
{
	struct flame_layout l;
	struct flame f;
	struct out o;

	(void)state;
	flame_init(&f, 1);
	add(&f, 90, "main;wide");
	add(&f, 2, "main;a;x;y");
	add(&f, 1, "main;a;x");
	add(&f, 3, "main;a;z;x");
	add(&f, 4, "main;b");
	finish(&f, 10, &l, &o);
	assert_int_equal(f.tree.nodes.nr, 3);
	assert_int_equal(f.tree.nr_hidden, 2);
	assert_int_equal(f.tree.narrow.nr, 6);
	assert_int_equal(narrow_weight(&f, "x"), 6);
	assert_int_equal(narrow_weight(&f, "y"), 2);
	assert_int_equal(narrow_weight(&f, "b"), 4);
	assert_int_equal(narrow_weight(&f, "main"), 0);
	/* on rectangle 1, main: a;x 1, a;x;y 2, a;z;x 3, b 4. Names are numbered as they come. */
	assert_string_equal(o.buf, ",\n\"narrow\":[[1,0,0,1,-1,0,2,-2,2,3,1,-3,3,4,-4]]");
	done(&f, &l, &o);
}

static void test_nothing(void **state)
{
	struct flame_layout l;
	struct flame f;
	struct out o;

	(void)state;
	flame_init(&f, 1);
	add(&f, 90, "main;wide");
	finish(&f, 10, &l, &o);
	assert_int_equal(f.tree.narrow.nr, 0);
	assert_string_equal(o.buf, "");
	done(&f, &l, &o);
}

/* More than there is room for: the widest are kept, and how much is missing is said. */
static void test_too_many(void **state)
{
	const uint32_t nr = WEIGHTED_MAX_NARROW * 2 + 500, nr_heavy = 7;
	struct flame_layout l;
	struct flame f;
	struct out o;
	char stack[64];
	char want[64];

	(void)state;
	flame_init(&f, 1);
	for (uint32_t i = 0; i < nr; i++) {
		snprintf(stack, sizeof(stack), "main;f%u", i);
		add(&f, i % 15000 == 14999 ? 5 : 1, stack);
	}
	add(&f, nr, "main;wide");
	finish(&f, 100, &l, &o);
	assert_int_equal(f.tree.narrow.nr, WEIGHTED_MAX_NARROW);
	assert_int_equal(nr / 15000 + 1, nr_heavy);
	assert_int_equal(narrow_weight(&f, "f14999"), 5);
	assert_int_equal(narrow_weight(&f, "f89999"), 5);
	snprintf(want, sizeof(want), "\"narrow\":[[1,-1,-%u,", nr - WEIGHTED_MAX_NARROW);
	assert_non_null(strstr(o.buf, want));
	done(&f, &l, &o);
}

/* A deep one that there is no room to follow to its end. */
static void test_cut(void **state)
{
	struct flame_layout l;
	struct flame f;
	struct out o;
	uint32_t *path = mem_alloc((WEIGHTED_MAX_NARROW + 10) * sizeof(*path));
	char name[32];

	(void)state;
	flame_init(&f, 1);
	for (uint32_t i = 0; i < WEIGHTED_MAX_NARROW + 10; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		path[i] = flame_intern_frame(&f, name, strlen(name), "", FLAME_USER, 0);
	}
	flame_add_path(&f, 0, path, WEIGHTED_MAX_NARROW + 10, 3, 3);
	free(path);
	add(&f, 1000, "main");
	finish(&f, 100, &l, &o);
	assert_int_equal(f.tree.narrow.nr, WEIGHTED_MAX_NARROW);
	assert_non_null(strstr(o.buf, "\"narrow\":[[0,-1,0,1,2,"));
	assert_non_null(strstr(o.buf, ",-3]]"));
	done(&f, &l, &o);
}

/* Stacks that end where frames are missing are none of these. */
static void test_cut_and_own(void **state)
{
	struct flame_layout l;
	struct flame f;
	struct out o;
	uint32_t *path = mem_alloc((WEIGHTED_MAX_NARROW + 10) * sizeof(*path));
	char name[32];

	(void)state;
	flame_init(&f, 1);
	for (uint32_t i = 0; i < WEIGHTED_MAX_NARROW + 10; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		path[i] = flame_intern_frame(&f, name, strlen(name), "", FLAME_USER, 0);
	}
	flame_add_path(&f, 0, path, WEIGHTED_MAX_NARROW + 10, 3, 3);
	flame_add_path(&f, 0, path, WEIGHTED_MAX_NARROW, 2, 2);
	free(path);
	add(&f, 1000, "main");
	finish(&f, 100, &l, &o);
	assert_non_null(strstr(o.buf, "\"narrow\":[[0,0,0,1,2,"));
	assert_non_null(strstr(o.buf, ",-2,-1,-3]]"));
	done(&f, &l, &o);
}

/* The same of a diff, where a frame's own weight is of several columns. */
static void test_own_of_diff(void **state)
{
	const uint32_t nr = WEIGHTED_MAX_NARROW + 5000;
	uint32_t main_frame;
	const uint64_t least[] = { 100, 100 };
	struct renumbering names;
	struct flame_layout l;
	struct flame_diff d;
	struct flame f;
	struct out o;
	char stack[64];
	const char *at;
	double unlisted;

	(void)state;
	flame_init(&f, 2);
	for (uint32_t i = 0; i < nr; i++) {
		snprintf(stack, sizeof(stack), "main;f%u", i);
		add(&f, 1, stack);
	}
	add(&f, 1000000 - nr, "main");
	main_frame = flame_intern_frame(&f, "main", 4, "", FLAME_USER, 0);
	flame_add_path(&f, 1, &main_frame, 1, 500000, 500000);
	flame_finish(&f, least);
	flame_diff_init(&d, &f, 1, false);
	flame_layout_build(&l, &f, flame_diff_width, &d, 0);
	out_init(&o, -1);
	renumbering_init(&names, f.strings.entries.nr);
	flame_svg_narrow(&o, &f, &l, &names);
	out_char(&o, 0);
	renumbering_fini(&names);
	at = strstr(o.buf, "\"narrow\":[[1,-1,-");
	assert_non_null(at);
	/* 5000 of the million of one side */
	unlisted = strtod(at + strlen("\"narrow\":[[1,-1,-"), NULL) / (double)l.total;
	assert_true(unlisted > 0.0024 && unlisted < 0.0026);
	flame_diff_fini(&d);
	done(&f, &l, &o);
}

/* Any stacks: what is drawn and what is narrow add up to what the stacks say, for every name. */
static void test_random(void **state)
{
	uint64_t want[6];
	char stack[64], *at;
	struct flame_layout l;
	struct flame f;
	struct out o;
	unsigned seed = 7;

	(void)state;
	memset(want, 0, sizeof(want));
	flame_init(&f, 1);
	for (int i = 0; i < 400; i++) {
		unsigned has = 0, depth = 1 + (unsigned)rand_r(&seed) % 10;
		uint64_t weight = 1 + (uint64_t)rand_r(&seed) % 4;

		at = stack;
		for (unsigned d = 0; d < depth; d++) {
			unsigned name = (unsigned)rand_r(&seed) % 6;

			at += sprintf(at, "%s%c", d ? ";" : "", 'a' + (int)name);
			has |= 1u << name;
		}
		add(&f, weight, stack);
		for (int n = 0; n < 6; n++)
			want[n] += has & 1u << n ? weight : 0;
	}
	finish(&f, 25, &l, &o);
	assert_true(f.tree.nr_hidden > 20 && f.tree.nodes.nr > 10);
	for (int n = 0; n < 6; n++) {
		uint64_t found = 0;
		uint8_t *inside = mem_zalloc(f.tree.nodes.nr + f.tree.narrow.nr);

		for (uint32_t i = 0; i < f.tree.nodes.nr + f.tree.narrow.nr; i++) {
			const struct weighted_node *node = i < f.tree.nodes.nr ? &f.tree.nodes.v[i] : &f.tree.narrow.v[i - f.tree.nodes.nr];
			const char *name = strtab_get(&f.strings, f.frames.v[node->frame].name);

			inside[i] = i && inside[node->parent];
			if (i && !inside[i] && name[0] == 'a' + n && !name[1]) {
				inside[i] = 1;
				found += weighted_total(&f.tree, i, 0);
			}
		}
		free(inside);
		assert_int_equal(found, want[n]);
	}
	done(&f, &l, &o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),  cmocka_unit_test(test_nothing),	   cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_cut),    cmocka_unit_test(test_cut_and_own), cmocka_unit_test(test_own_of_diff),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
