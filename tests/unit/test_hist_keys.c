/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rows and trees by what the debug information says: inlined functions, lines, files; and rows of branches.
 */
#include "session_fixture.h"

#include "model/hist.h"

static const char *const names[] = { "main", "work", "leaf", NULL };
enum { MAIN = 0x10010, WORK = 0x10110, LEAF = 0x10210 };

/* A sample without a CPU is -1 in JSON, in a report as in a diff. */
static void test_unknown_cpu(void **state)
{
	const struct column *c = &columns[HIST_CPU];
	struct column_value v = { .number = UINT32_MAX };
	struct json j;
	struct out o;

	(void)state;
	out_init(&o, -1);
	json_init(&j, &o, false);
	json_object(&j);
	c->kind->json(c, &j, &v, false);
	c->kind->json(c, &j, &v, true);
	json_object_end(&j);
	out_char(&o, 0);
	assert_string_equal(o.buf, "{\"cpu\":-1,\"cpu\":-1}");
	out_fini(&o);
}

struct keys_fixture {
	struct fixture f;
	struct task *app;
	struct hist_options opts;
	struct hist h;
};

static void setup(struct keys_fixture *x)
{
	memset(x, 0, sizeof(*x));
	fixture_init(&x->f);
	x->f.p.source = PROFILE_INLINES;
	x->app = fixture_task(&x->f, 10, 10, "app");
	fixture_map(&x->f, x->app, 0x10000, 0x1000, fixture_dso(&x->f, "/bin/app", names));
	x->f.s.machine.dsos.dsos.v[1].source_tried = true; /* lines are set by hand */
	x->opts = (struct hist_options){
		.keys = { HIST_SYM },
		.nr_keys = 1,
		.order_by = { HIST_CHILDREN, HIST_SYM },
		.nr_order_by = 2,
		.children = true,
		.chains = true,
	};
}

static void build(struct keys_fixture *x)
{
	hist_init(&x->h, &x->f.p, &x->opts, 0);
	hist_build(&x->h, NULL);
	hist_sort(&x->h);
}

static void teardown(struct keys_fixture *x)
{
	hist_fini(&x->h);
	fixture_fini(&x->f);
}

/* work has `inner` inlined by way of `outer` at one address, and `inner` alone at another. */
static void add_inlines(struct keys_fixture *x)
{
	static const struct source_frame deep[] = {
		{ .function = "inner", .file = "/src/inner.h", .line = 3, .is_inlined = true },
		{ .function = "outer", .file = "/src/inner.h", .line = 9, .is_inlined = true },
		{ .function = "work", .file = "/src/app.c", .line = 20 },
	};
	static const struct source_frame shallow[] = {
		{ .function = "inner", .file = "/src/inner.h", .line = 3, .is_inlined = true },
		{ .function = "work", .file = "/src/app.c", .line = 21 },
	};
	static const struct source_frame called[] = { { .function = "main", .file = "/src/app.c", .line = 40 } };
	struct profile *p = &x->f.p;

	fixture_sample(&x->f, x->app, 30, (uint64_t[]){ WORK, MAIN }, 2);
	fixture_sample(&x->f, x->app, 10, (uint64_t[]){ WORK + 4, MAIN }, 2);
	fixture_sample(&x->f, x->app, 5, (uint64_t[]){ LEAF, WORK + 4, MAIN }, 3);
	profile_symbolize(p);
	for (uint32_t i = 0; i < p->locations.nr; i++) {
		switch (p->locations.v[i].at.ip) {
		case WORK:
			profile_set_places(p, i, deep, 3);
			break;
		case WORK + 4:
			profile_set_places(p, i, shallow, 2);
			break;
		case MAIN:
			profile_set_places(p, i, called, 1);
			break;
		}
	}
}

static const struct hist_entry *entry(const struct hist *h, const char *symbol, bool is_inlined)
{
	const struct hist_entry *found = NULL;

	for (uint32_t i = 0; i < h->entries.nr; i++) {
		const struct profile_frame *f = &h->profile->frames.v[h->entries.v[i].at.frame];

		if (strcmp(profile_str(h->profile, f->function), symbol) || f->is_inlined != is_inlined)
			continue;
		assert_null(found);
		found = &h->entries.v[i];
	}
	assert_non_null(found);
	return found;
}

static void test_places(void **state)
{
	struct keys_fixture x;
	uint32_t nr;

	(void)state;
	setup(&x);
	add_inlines(&x);

	const struct profile *p = &x.f.p;
	const struct profile_place *places = profile_places_of(&x.f.p, x.f.p.samples.location[0], &nr);

	assert_int_equal(nr, 3);
	assert_string_equal(profile_str(p, p->frames.v[places[0].frame].function), "inner");
	assert_true(p->frames.v[places[0].frame].is_inlined && p->frames.v[places[1].frame].is_inlined);
	assert_false(p->frames.v[places[2].frame].is_inlined);
	assert_int_equal(p->frames.v[places[0].frame].start, p->frames.v[places[2].frame].start);
	assert_int_equal(places[1].line, 9);
	assert_string_equal(profile_str(p, places[2].file), "/src/app.c");
	assert_int_equal(places[2].frame, p->locations.v[places[0].location].frame);
	hist_init(&x.h, &x.f.p, &x.opts, 0);
	teardown(&x);
}

/* A function that was inlined into itself counts as itself; and without inlines the line is that of the address. */
static void test_places_alike(void **state)
{
	static const struct source_frame twice[] = {
		{ .function = "work", .file = "/src/app.c", .line = 22, .is_inlined = true },
		{ .function = "work", .file = "/src/app.c", .line = 20 },
	};
	const struct profile_place *places;
	struct keys_fixture x;
	uint32_t nr;

	(void)state;
	setup(&x);
	fixture_sample(&x.f, x.app, 1, (uint64_t[]){ WORK }, 1);
	profile_symbolize(&x.f.p);
	profile_set_places(&x.f.p, 0, twice, 2);
	places = profile_places_of(&x.f.p, 0, &nr);
	assert_int_equal(nr, 2);
	assert_true(x.f.p.frames.v[places[0].frame].is_inlined && !x.f.p.frames.v[places[1].frame].is_inlined);
	assert_int_equal(x.f.p.frames.v[places[0].frame].row, places[1].frame);
	x.f.p.source = PROFILE_LINES;
	profile_set_places(&x.f.p, 0, twice, 2);
	places = profile_places_of(&x.f.p, 0, &nr);
	assert_int_equal(nr, 1);
	assert_int_equal(places[0].line, 22);
	assert_false(x.f.p.frames.v[places[0].frame].is_inlined);
	hist_init(&x.h, &x.f.p, &x.opts, 0);
	teardown(&x);
}

static void test_inlined_rows(void **state)
{
	struct keys_fixture x;

	(void)state;
	setup(&x);
	add_inlines(&x);
	build(&x);
	assert_int_equal(x.h.entries.nr, 5);
	assert_int_equal(entry(&x.h, "main", false)->children, 45);
	assert_int_equal(entry(&x.h, "work", false)->children, 45);
	assert_int_equal(entry(&x.h, "work", false)->period, 40);
	assert_int_equal(entry(&x.h, "inner", true)->children, 45);
	assert_int_equal(entry(&x.h, "inner", true)->period, 0);
	assert_int_equal(entry(&x.h, "outer", true)->children, 30);
	assert_int_equal(entry(&x.h, "leaf", false)->period, 5);
	teardown(&x);
}

static uint32_t only_child(const struct hist *h, uint32_t node, const char *symbol)
{
	uint32_t child = h->tree.nodes.v[node].first_child;
	const struct profile_frame *f;

	assert_int_equal(h->tree.nodes.v[node].nr_children, 1);
	f = &h->profile->frames.v[hist_node_frame(h, h->tree.nodes.v[child].frame)];
	assert_string_equal(profile_str(h->profile, f->function), symbol);
	return child;
}

static void test_inlined_trees(void **state)
{
	struct keys_fixture x;
	uint32_t node;

	(void)state;
	setup(&x);
	add_inlines(&x);
	x.opts.order = HIST_CALLER;
	build(&x);
	assert_true(hist_grow_tree(&x.h, entry(&x.h, "main", false)));
	node = only_child(&x.h, WEIGHTED_ROOT, "main");
	node = only_child(&x.h, node, "work");
	assert_int_equal(x.h.tree.nodes.v[node].nr_children, 2); /* inner, and outer with inner */
	hist_fini(&x.h);

	x.opts.order = HIST_CALLEE;
	x.opts.children = false;
	build(&x);
	assert_true(hist_grow_tree(&x.h, entry(&x.h, "work", false)));
	node = only_child(&x.h, WEIGHTED_ROOT, "inner");
	assert_int_equal(x.h.tree.nodes.v[node].nr_children, 2); /* work, and outer with work */
	teardown(&x);
}

static const char *line_of(struct hist *h, uint32_t i)
{
	return profile_str(h->profile, hist_srcline(h, h->entries.v[i].at.place));
}

static void test_lines(void **state)
{
	struct keys_fixture x;

	(void)state;
	setup(&x);
	add_inlines(&x);
	x.opts.keys[0] = x.opts.order_by[1] = HIST_SRCLINE;
	x.opts.order_by[0] = HIST_SELF;
	x.opts.children = false;
	build(&x);
	assert_int_equal(x.h.entries.nr, 2);
	assert_string_equal(line_of(&x.h, 0), "inner.h:3");
	assert_int_equal(x.h.entries.v[0].period, 40);
	assert_string_equal(line_of(&x.h, 1), "??:0");
	hist_fini(&x.h);

	x.opts.full_paths = x.opts.children = true;
	x.opts.order_by[0] = HIST_CHILDREN;
	build(&x);
	assert_int_equal(x.h.entries.nr, 6);
	assert_string_equal(line_of(&x.h, 0), "/src/app.c:40");
	assert_string_equal(line_of(&x.h, 1), "/src/inner.h:3");
	hist_fini(&x.h);

	x.opts.keys[0] = x.opts.order_by[1] = HIST_SRCFILE;
	x.opts.full_paths = x.opts.children = false;
	x.opts.order_by[0] = HIST_SELF;
	build(&x);
	assert_int_equal(x.h.entries.nr, 2);
	assert_string_equal(column_value(&columns[HIST_SRCFILE], &x.h, &x.h.entries.v[0]).text, "inner.h");
	assert_string_equal(column_value(&columns[HIST_SRCFILE], &x.h, &x.h.entries.v[1]).text, "");
	teardown(&x);
}

static void test_chain_keys(void **state)
{
	struct keys_fixture x;
	uint32_t node;

	(void)state;
	setup(&x);
	add_inlines(&x);
	x.opts.order = HIST_CALLER;
	x.opts.chain_key = HIST_CHAIN_ADDRESS;
	build(&x);
	assert_true(hist_grow_tree(&x.h, entry(&x.h, "main", false)));
	node = only_child(&x.h, WEIGHTED_ROOT, "main");
	assert_int_equal(x.h.tree.nodes.v[node].nr_children, 2); /* two addresses in work, one of them a caller and a sampled place */
	hist_fini(&x.h);

	x.opts.chain_key = HIST_CHAIN_SRCLINE;
	x.opts.order = HIST_CALLEE;
	x.opts.children = false;
	build(&x);
	assert_true(hist_grow_tree(&x.h, entry(&x.h, "work", false)));
	node = only_child(&x.h, WEIGHTED_ROOT, "inner");
	assert_int_equal(x.h.tree.nodes.v[node].nr_children, 2);
	teardown(&x);
}

static void add_branch(struct keys_fixture *x, uint64_t from, uint64_t to, uint64_t flags)
{
	struct profile_branch b = {
		.from = profile_intern_location(&x->f.p, x->app, from, MISC_USER),
		.to = profile_intern_location(&x->f.p, x->app, to, MISC_USER),
		.flags = flags,
	};

	vec_push(&x->f.p.branches, b);
}

static void test_branches(void **state)
{
	struct keys_fixture x;

	(void)state;
	setup(&x);
	fixture_sample(&x.f, x.app, 1000, (uint64_t[]){ WORK }, 1);
	add_branch(&x, MAIN, WORK, 2 | 7 << 4);
	add_branch(&x, MAIN + 4, WORK + 8, 2 | 7 << 4);
	add_branch(&x, WORK, LEAF, 1 | 4 | 8);
	profile_symbolize(&x.f.p);
	x.opts = (struct hist_options){
		.keys = { HIST_SYM_FROM, HIST_SYM_TO, HIST_MISPREDICT, HIST_CYCLES },
		.nr_keys = 4,
		.order_by = { HIST_SELF, HIST_SYM_FROM },
		.nr_order_by = 2,
		.branches = true,
	};
	build(&x);
	assert_int_equal(x.h.total_period, 3);
	assert_int_equal(x.h.nr_samples, 3);
	assert_int_equal(x.h.entries.nr, 2);
	assert_int_equal(x.h.entries.v[0].period, 2);
	assert_string_equal(profile_str(&x.f.p, x.f.p.frames.v[x.h.entries.v[0].from.frame].function), "main");
	assert_string_equal(profile_str(&x.f.p, x.f.p.frames.v[x.h.entries.v[0].at.frame].function), "work");
	assert_int_equal(column_value(&columns[HIST_CYCLES], &x.h, &x.h.entries.v[0]).number, 7);
	assert_int_equal(column_value(&columns[HIST_MISPREDICT], &x.h, &x.h.entries.v[0]).number, 0);
	for (enum hist_column col = HIST_MISPREDICT; col <= HIST_ABORT; col++)
		assert_int_equal(column_value(&columns[col], &x.h, &x.h.entries.v[1]).number, 1);
	teardown(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unknown_cpu),  cmocka_unit_test(test_places),	   cmocka_unit_test(test_places_alike),
		cmocka_unit_test(test_inlined_rows), cmocka_unit_test(test_inlined_trees), cmocka_unit_test(test_lines),
		cmocka_unit_test(test_chain_keys),   cmocka_unit_test(test_branches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
