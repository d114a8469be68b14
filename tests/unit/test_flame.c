/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * model/flame.h: paths become a tree of exact figures; samples become paths.
 */
#include "session_fixture.h"

#include "flame_text.h"

static uint32_t frame(struct flame *f, const char *name)
{
	return flame_intern_frame(f, name, strlen(name), "", FLAME_USER, 0);
}

static void add(struct flame *f, uint32_t column, uint64_t weight, const char *a, const char *b, const char *c)
{
	uint32_t path[3], nr = 0;

	if (a)
		path[nr++] = frame(f, a);
	if (b)
		path[nr++] = frame(f, b);
	if (c)
		path[nr++] = frame(f, c);
	flame_add_path(f, column, path, nr, weight, 1);
}

static void test_tree(void **state)
{
	struct flame f;

	(void)state;
	flame_init(&f, 1);
	add(&f, 0, 5, "main", "work", "leaf");
	add(&f, 0, 7, "main", "parse", NULL);
	add(&f, 0, 2, "main", "work", NULL);
	add(&f, 0, 1, "idle", NULL, NULL);
	add(&f, 0, 3, "main", "work", "leaf");
	add(&f, 0, 4, NULL, NULL, NULL);
	flame_add_path(&f, 0, (const uint32_t[]){ flame_cut_frame(&f), frame(&f, "lost") }, 2, 6, 2);
	assert_int_equal(f.sum[0], 28);
	assert_int_equal(f.nr_samples[0], 8);
	assert_int_equal(f.sum_cut[0], 6);
	flame_finish(&f, NULL);
	/* by name, what is cut last */
	assert_flame(&f, " 28/4\n"
			 "idle 1/1\n"
			 "main 17/0\n"
			 "main;parse 7/7\n"
			 "main;work 10/2\n"
			 "main;work;leaf 8/8\n"
			 "[truncated] 6/0\n"
			 "[truncated];lost 6/6\n");
	assert_int_equal(f.tree.nr_hidden, 0);
	flame_fini(&f);
}

static void add_line(struct flame *f, uint64_t weight, uint32_t line, uint32_t leaf_line)
{
	uint32_t spots[] = { flame_intern_spot(f, frame(f, "main"), "main.c", line),
			     flame_intern_spot(f, frame(f, "leaf"), "leaf.c", leaf_line) };

	flame_add_spots(f, 0, spots, 2, weight, 1);
}

static void check_line(const struct flame *f, uint32_t node, const char *file, uint32_t line, uint64_t weight)
{
	const struct flame_spot *s = &f->spots.v[f->lines.v[node].spot];

	assert_string_equal(strtab_get(&f->strings, s->file), file);
	assert_int_equal(s->line, line);
	assert_int_equal(f->lines.v[node].weight, weight);
}

/* Calls from several lines are one frame, which knows the line that most come from. */
static void test_lines(void **state)
{
	struct flame f;

	(void)state;
	flame_init(&f, 1);
	add_line(&f, 4, 10, 7);
	add_line(&f, 3, 20, 7);
	add_line(&f, 2, 20, 8);
	add_line(&f, 100, 0, 0);
	add(&f, 0, 50, "other", NULL, NULL);
	flame_finish(&f, NULL);
	assert_flame(&f, " 159/0\nmain 109/0\nmain;leaf 109/109\nother 50/50\n");
	assert_int_equal(f.lines.nr, f.tree.nodes.nr);
	assert_int_equal(f.lines.v[WEIGHTED_ROOT].spot, FLAME_NONE);
	check_line(&f, f.tree.nodes.v[WEIGHTED_ROOT].first_child, "main.c", 20, 5);
	check_line(&f, f.tree.nodes.v[f.tree.nodes.v[WEIGHTED_ROOT].first_child].first_child, "leaf.c", 7, 7);
	assert_int_equal(f.lines.v[f.tree.nodes.v[f.tree.nodes.v[WEIGHTED_ROOT].first_child].next_sibling].spot, FLAME_NONE);
	flame_fini(&f);
}

static void test_least(void **state)
{
	const uint64_t least = 3;
	struct flame f;

	(void)state;
	flame_init(&f, 1);
	add(&f, 0, 2, "main", "a", "x");
	add(&f, 0, 2, "main", "b", "x");
	add(&f, 0, 3, "main", "c", "x");
	add(&f, 0, 1, "other", "c", NULL);
	flame_finish(&f, &least);
	assert_flame(&f, " 8/0\nmain 7/0\nmain;c 3/0\nmain;c;x 3/3\n");
	assert_int_equal(f.tree.nr_hidden, 3);
	flame_fini(&f);
}

static void test_columns(void **state)
{
	const uint64_t least[] = { 2, 100 };
	struct flame f;

	(void)state;
	flame_init(&f, 2);
	add(&f, 0, 5, "main", "old", NULL);
	add(&f, 1, 9, "main", "new", NULL);
	add(&f, 1, 200, "main", "both", NULL);
	add(&f, 0, 1, "main", "both", NULL);
	flame_finish(&f, least);
	assert_flame(&f, " 6/0 209/0\nmain 6/0 209/0\nmain;both 1/1 200/200\nmain;old 5/5 0/0\n");
	assert_int_equal(f.tree.nr_hidden, 1);
	flame_fini(&f);
}

/* The same name is another frame where it is another module, kind or mark. */
static void test_frames(void **state)
{
	struct flame f;
	uint32_t a, ids[4];

	(void)state;
	flame_init(&f, 1);
	a = frame(&f, "read");
	assert_int_equal(frame(&f, "read"), a);
	ids[0] = flame_intern_frame(&f, "read", 4, "libc.so.6", FLAME_USER, 0);
	ids[1] = flame_intern_frame(&f, "read", 4, "", FLAME_KERNEL, 0);
	ids[2] = flame_intern_frame(&f, "read", 4, "", FLAME_USER, FLAME_INLINED);
	ids[3] = a;
	for (uint32_t i = 0; i < 4; i++) {
		flame_add_path(&f, 0, &ids[i], 1, 1, 1);
		for (uint32_t k = 0; k < i; k++)
			assert_int_not_equal(ids[i], ids[k]);
	}
	flame_finish(&f, NULL);
	assert_flame(&f, " 4/0\nread 1/1\nread 1/1\nread 1/1\nread 1/1\n");
	flame_fini(&f);
}

/* Sums of what files say must not run over: totals still add up. */
static void test_overflow(void **state)
{
	struct flame f;

	(void)state;
	flame_init(&f, 1);
	add(&f, 0, UINT64_MAX, "a", NULL, NULL);
	add(&f, 0, UINT64_MAX, "b", NULL, NULL);
	flame_finish(&f, NULL);
	assert_int_equal(weighted_total(&f.tree, WEIGHTED_ROOT, 0), INT64_MAX);
	assert_int_equal(weighted_total(&f.tree, 1, 0) + weighted_total(&f.tree, 2, 0), INT64_MAX);
	flame_fini(&f);
}

/* A path of a million frames is followed without recursion. */
static void test_deep(void **state)
{
	uint32_t nr = 1000000, *path = mem_alloc(nr * sizeof(*path));
	struct flame f;

	(void)state;
	flame_init(&f, 1);
	for (uint32_t i = 0; i < nr; i++)
		path[i] = frame(&f, i % 2 ? "odd" : "even");
	flame_add_path(&f, 0, path, nr, 1, 1);
	flame_finish(&f, NULL);
	assert_int_equal(f.tree.nodes.nr, nr + 1);
	assert_int_equal(f.tree.nodes.v[nr].depth, nr);
	flame_fini(&f);
	free(path);
}

static const char *const names[] = { "_start", "main", "work", "leaf", NULL };
#define IP(n) (0x10050 + (n)*UINT64_C(0x100))

struct sampled {
	struct fixture f;
	struct task *task, *thread;
	struct quality q;
	struct flame flame;
};

static void sampled_init(struct sampled *s)
{
	fixture_init(&s->f);
	s->task = fixture_task(&s->f, 10, 10, "app");
	s->thread = fixture_task(&s->f, 10, 11, "helper");
	for (int i = 0; i < 2; i++)
		fixture_map(&s->f, i ? s->thread : s->task, 0x10000, 0x10000, fixture_dso(&s->f, "/bin/app", names));
	fixture_sample(&s->f, s->task, 100, (const uint64_t[]){ IP(3), IP(2), IP(1), IP(0) }, 4);
	fixture_sample(&s->f, s->task, 10, (const uint64_t[]){ IP(3), IP(2), IP(1), IP(0) }, 4);
	fixture_sample(&s->f, s->task, 1, (const uint64_t[]){ IP(2), IP(1), IP(0) }, 3);
	fixture_sample(&s->f, s->thread, 7, (const uint64_t[]){ IP(3), IP(1), IP(0) }, 3);
	fixture_sample(&s->f, s->thread, 5, (const uint64_t[]){ IP(3), IP(2) }, 2);	     /* nobody knows who called work */
	fixture_sample(&s->f, s->thread, 3, (const uint64_t[]){ 0x18000, IP(1), IP(0) }, 3); /* no symbol there */
	profile_symbolize(&s->f.p);
	quality_of_profile(&s->q, &s->f.p);
	flame_init(&s->flame, 1);
}

static void sampled_fini(struct sampled *s)
{
	flame_fini(&s->flame);
	quality_fini(&s->q);
	fixture_fini(&s->f);
}

static void expect(const struct flame_options *o, const struct filter *filter, const char *want)
{
	struct flame_options with = *o;
	struct sampled s = { 0 };

	sampled_init(&s);
	with.quality = &s.q;
	flame_add(&s.flame, 0, &s.f.p, filter, &with);
	flame_finish(&s.flame, NULL);
	assert_flame(&s.flame, want);
	sampled_fini(&s);
}

static void test_samples(void **state)
{
	(void)state;
	expect(&(struct flame_options){ .event = -1 }, NULL,
	       " 6/0\n_start 5/0\n_start;main 5/0\n_start;main;[app] 1/1\n_start;main;leaf 1/1\n_start;main;work 3/1\n"
	       "_start;main;work;leaf 2/2\n[truncated] 1/0\n[truncated];work 1/0\n[truncated];work;leaf 1/1\n");
	expect(&(struct flame_options){ .event = 0, .by = { FLAME_BY_COMM }, .nr_by = 1, .weight = FLAME_PERIODS, .max_depth = 2 }, NULL,
	       " 126/0\napp 111/0\napp;_start 111/0\napp;_start;main 111/111\n"
	       "helper 15/0\nhelper;_start 10/0\nhelper;_start;main 10/10\nhelper;[truncated] 5/0\nhelper;[truncated];work 5/0\n"
	       "helper;[truncated];work;leaf 5/5\n");
	expect(&(struct flame_options){ .event = 1 }, NULL, " 0/0\n");
}

static void test_groups(void **state)
{
	(void)state;
	expect(
		&(struct flame_options){
			.event = -1, .by = { FLAME_BY_EVENT, FLAME_BY_CPU, FLAME_BY_PID, FLAME_BY_TID }, .nr_by = 4, .max_depth = 1 },
		NULL,
		" 6/0\ncpu-clock 6/0\ncpu-clock;CPU 0 6/0\ncpu-clock;CPU 0;pid 10 6/0\n"
		"cpu-clock;CPU 0;pid 10;tid 10 3/0\ncpu-clock;CPU 0;pid 10;tid 10;_start 3/3\n"
		"cpu-clock;CPU 0;pid 10;tid 11 3/0\ncpu-clock;CPU 0;pid 10;tid 11;_start 2/2\n"
		"cpu-clock;CPU 0;pid 10;tid 11;[truncated] 1/0\ncpu-clock;CPU 0;pid 10;tid 11;[truncated];work 1/1\n");
}

static void test_bottom_up(void **state)
{
	(void)state;
	expect(&(struct flame_options){ .event = -1, .bottom_up = true }, NULL,
	       " 6/0\n[app] 1/0\n[app];main 1/0\n[app];main;_start 1/1\n"
	       "leaf 4/0\nleaf;main 1/0\nleaf;main;_start 1/1\n"
	       "leaf;work 3/0\nleaf;work;main 2/0\nleaf;work;main;_start 2/2\nleaf;work;[truncated] 1/1\n"
	       "work 1/0\nwork;main 1/0\nwork;main;_start 1/1\n");
}

static void test_filter(void **state)
{
	struct filter by_comm = { 0 }, by_symbol = { 0 };

	(void)state;
	filter_add_names(&by_comm.comms, "helper");
	expect(&(struct flame_options){ .event = -1, .max_depth = 1 }, &by_comm,
	       " 3/0\n_start 2/2\n[truncated] 1/0\n[truncated];work 1/1\n");
	filter_add_names(&by_symbol.symbols, "work");
	expect(&(struct flame_options){ .event = -1 }, &by_symbol, " 1/0\n_start 1/0\n_start;main 1/0\n_start;main;work 1/1\n");
	filter_fini(&by_comm);
	filter_fini(&by_symbol);
}

/* Whole stacks that have a function in them, wherever: by its name, or by a pattern. */
static void test_through(void **state)
{
	static const char *const args[] = { "work", "nothing,wo*", "w?rk" };

	(void)state;
	for (size_t i = 0; i < sizeof(args) / sizeof(*args); i++) {
		struct filter_names through = { 0 };

		filter_add_names(&through, args[i]);
		expect(&(struct flame_options){ .event = -1, .through = &through }, NULL,
		       " 4/0\n_start 3/0\n_start;main 3/0\n_start;main;work 3/1\n_start;main;work;leaf 2/2\n"
		       "[truncated] 1/0\n[truncated];work 1/0\n[truncated];work;leaf 1/1\n");
		for (uint32_t k = 0; k < through.nr; k++)
			free(through.v[k]);
		vec_fini(&through);
	}
}

/* Samples that are not in the function but below it are told apart, so that somebody may say so. */
static void test_called(void **state)
{
	struct filter filter = { 0 };
	struct sampled s = { 0 };

	(void)state;
	filter_add_names(&filter.symbols, "main");
	sampled_init(&s);
	flame_add(&s.flame, 0, &s.f.p, &filter, &(struct flame_options){ .event = -1 });
	assert_int_equal(s.flame.sum[0], 0);
	assert_int_equal(s.flame.nr_called, 5);
	sampled_fini(&s);
	filter_fini(&filter);
}

/* What is inlined at a place is a frame of its own. */
static void test_inlined(void **state)
{
	const struct source_frame known[] = { { .function = "tiny", .line = 3 }, { .function = "leaf", .line = 9 } };
	struct sampled s = { 0 };
	const struct flame_frame *fr;

	(void)state;
	sampled_init(&s);
	s.f.p.source = PROFILE_INLINES;
	for (uint32_t i = 0; i < s.f.p.locations.nr; i++)
		if (s.f.p.locations.v[i].at.ip == IP(3))
			profile_set_places(&s.f.p, i, known, 2);
	flame_add(&s.flame, 0, &s.f.p, NULL, &(struct flame_options){ .event = -1, .bottom_up = true, .max_depth = 2 });
	flame_finish(&s.flame, NULL);
	assert_flame(&s.flame, " 6/0\n[app] 1/0\n[app];main 1/1\ntiny 4/0\ntiny;leaf 4/4\nwork 1/0\nwork;main 1/1\n");
	fr = flame_frame_of(&s.flame, 2);
	assert_string_equal(strtab_get(&s.flame.strings, fr->name), "tiny");
	assert_int_equal(fr->marks, FLAME_INLINED);
	assert_string_equal(strtab_get(&s.flame.strings, fr->module), "app");
	assert_int_equal(flame_frame_of(&s.flame, 1)->marks, FLAME_UNRESOLVED);
	sampled_fini(&s);
}

/* A walk that lost its way is not drawn address by address; a stack that is whole is. */
static void test_lost(void **state)
{
	const uint64_t lost[] = { IP(3), 0x900000, 0x900100, 0x900200, IP(2), 0x900300, 0x900400 };
	struct sampled s = { 0 };

	(void)state;
	sampled_init(&s);
	fixture_sample(&s.f, s.task, 1, lost, 7);
	profile_symbolize(&s.f.p);
	quality_fini(&s.q);
	quality_of_profile(&s.q, &s.f.p);
	s.f.p.samples.nr--;
	memmove(s.f.p.samples.stack, s.f.p.samples.stack + s.f.p.samples.nr, sizeof(*s.f.p.samples.stack));
	s.f.p.samples.nr = 1;
	flame_add(&s.flame, 0, &s.f.p, NULL, &(struct flame_options){ .event = -1, .bottom_up = true, .quality = &s.q });
	flame_add(&s.flame, 0, &s.f.p, NULL, &(struct flame_options){ .event = -1, .bottom_up = true });
	flame_finish(&s.flame, NULL);
	assert_flame(
		&s.flame,
		" 2/0\nleaf 2/0\nleaf;[unknown] 2/0\n"
		"leaf;[unknown];[unknown] 1/0\nleaf;[unknown];[unknown];[unknown] 1/0\nleaf;[unknown];[unknown];[unknown];work 1/0\n"
		"leaf;[unknown];[unknown];[unknown];work;[unknown] 1/0\nleaf;[unknown];[unknown];[unknown];work;[unknown];[unknown] 1/1\n"
		"leaf;[unknown];work 1/0\nleaf;[unknown];work;[unknown] 1/0\nleaf;[unknown];work;[unknown];[truncated] 1/1\n");
	sampled_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree),	  cmocka_unit_test(test_lines),	  cmocka_unit_test(test_least),
		cmocka_unit_test(test_columns),	  cmocka_unit_test(test_frames),  cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_deep),	  cmocka_unit_test(test_samples), cmocka_unit_test(test_groups),
		cmocka_unit_test(test_bottom_up), cmocka_unit_test(test_filter),  cmocka_unit_test(test_inlined),
		cmocka_unit_test(test_through),	  cmocka_unit_test(test_called),  cmocka_unit_test(test_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
