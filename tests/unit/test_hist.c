/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Histograms over a profile made by hand: shares, children, recursion, keys, order, trees.
 */
#include "session_fixture.h"

#include "model/hist.h"
#include "model/quality.h"

static const char *const names[] = { "main", "work", "leaf", "rec", NULL };
enum { MAIN = 0x10010, WORK = 0x10110, LEAF = 0x10210, REC = 0x10310, NOWHERE = 0x99990 };

struct hist_fixture {
	struct fixture f;
	struct task *app, *other;
	struct hist_options opts;
	struct hist h;
};

static void setup(struct hist_fixture *x)
{
	memset(x, 0, sizeof(*x));
	fixture_init(&x->f);
	x->app = fixture_task(&x->f, 10, 10, "app");
	x->other = fixture_task(&x->f, 20, 20, "other");
	fixture_map(&x->f, x->app, 0x10000, 0x1000, fixture_dso(&x->f, "/bin/app", names));
	fixture_map(&x->f, x->other, 0x10000, 0x1000, fixture_dso(&x->f, "/bin/app", names));
	x->opts = (struct hist_options){
		.keys = { HIST_COMM, HIST_DSO, HIST_SYM },
		.nr_keys = 3,
		.order_by = { HIST_SELF, HIST_COMM, HIST_DSO, HIST_SYM },
		.nr_order_by = 4,
	};
}

static void build(struct hist_fixture *x)
{
	profile_symbolize(&x->f.p);
	hist_init(&x->h, &x->f.p, &x->opts, 0);
	hist_build(&x->h, NULL);
	hist_sort(&x->h);
}

static void teardown(struct hist_fixture *x)
{
	hist_fini(&x->h);
	fixture_fini(&x->f);
}

static const char *symbol_of(const struct hist *h, const struct hist_entry *e)
{
	return e->at.frame == FRAME_NONE ? "?" : profile_str(h->profile, h->profile->frames.v[e->at.frame].function);
}

static const struct hist_entry *entry(const struct hist *h, const char *comm, const char *symbol)
{
	for (uint32_t i = 0; i < h->entries.nr; i++)
		if (!strcmp(profile_str(h->profile, h->entries.v[i].comm), comm) && !strcmp(symbol_of(h, &h->entries.v[i]), symbol))
			return &h->entries.v[i];
	fail_msg("there is no row %s %s", comm, symbol);
	return NULL;
}

static void test_shares(void **state)
{
	struct hist_fixture x;

	(void)state;
	setup(&x);
	for (int i = 0; i < 7; i++)
		fixture_sample(&x.f, x.app, 10, (uint64_t[]){ WORK + (uint64_t)i }, 1);
	for (int i = 0; i < 3; i++)
		fixture_sample(&x.f, x.app, 10, (uint64_t[]){ LEAF }, 1);
	fixture_sample(&x.f, x.other, 1, (uint64_t[]){ WORK }, 1);
	build(&x);
	assert_int_equal(x.h.nr_samples, 11);
	assert_int_equal(x.h.total_period, 101);
	assert_int_equal(x.h.entries.nr, 3);
	assert_string_equal(symbol_of(&x.h, &x.h.entries.v[0]), "work");
	assert_int_equal(entry(&x.h, "app", "work")->period, 70);
	assert_int_equal(entry(&x.h, "app", "work")->nr, 7);
	assert_int_equal(entry(&x.h, "app", "work")->user, 70);
	assert_int_equal(entry(&x.h, "app", "work")->sys, 0);
	assert_int_equal(entry(&x.h, "app", "leaf")->period, 30);
	assert_int_equal(entry(&x.h, "other", "work")->period, 1);
	teardown(&x);
}

static void test_children_count_once(void **state)
{
	struct hist_fixture x;

	(void)state;
	setup(&x);
	x.opts.children = true;
	x.opts.order_by[0] = HIST_CHILDREN;
	fixture_sample(&x.f, x.app, 10, (uint64_t[]){ LEAF, WORK, MAIN }, 3);
	fixture_sample(&x.f, x.app, 5, (uint64_t[]){ WORK, MAIN }, 2);
	/* rec calls itself, at two places of it. */
	fixture_sample(&x.f, x.app, 3, (uint64_t[]){ REC, REC + 4, REC, REC + 4, MAIN }, 5);
	fixture_sample(&x.f, x.app, 2, (uint64_t[]){ LEAF, REC, REC + 4, REC, MAIN }, 5);
	build(&x);
	assert_int_equal(x.h.total_period, 20);
	assert_int_equal(entry(&x.h, "app", "main")->children, 20);
	assert_int_equal(entry(&x.h, "app", "main")->period, 0);
	assert_int_equal(entry(&x.h, "app", "work")->children, 15);
	assert_int_equal(entry(&x.h, "app", "work")->period, 5);
	assert_int_equal(entry(&x.h, "app", "leaf")->children, 12);
	assert_int_equal(entry(&x.h, "app", "rec")->children, 5);
	assert_int_equal(entry(&x.h, "app", "rec")->period, 3);
	assert_string_equal(symbol_of(&x.h, &x.h.entries.v[0]), "main");
	for (uint32_t i = 1; i < x.h.entries.nr; i++)
		assert_true(x.h.entries.v[i - 1].children >= x.h.entries.v[i].children);
	teardown(&x);
}

static void test_keys(void **state)
{
	struct hist_fixture x;

	(void)state;
	setup(&x);
	x.opts.keys[0] = HIST_SYM;
	x.opts.nr_keys = 1;
	x.opts.order_by[1] = HIST_SYM;
	x.opts.nr_order_by = 2;
	fixture_sample(&x.f, x.app, 10, (uint64_t[]){ WORK }, 1);
	fixture_sample(&x.f, x.other, 10, (uint64_t[]){ WORK }, 1);
	fixture_sample(&x.f, x.other, 20, (uint64_t[]){ LEAF }, 1);
	build(&x);
	assert_int_equal(x.h.entries.nr, 2);
	/* Equal figures: by name. */
	assert_string_equal(symbol_of(&x.h, &x.h.entries.v[0]), "leaf");
	assert_string_equal(symbol_of(&x.h, &x.h.entries.v[1]), "work");
	assert_int_equal(x.h.entries.v[1].nr, 2);
	hist_fini(&x.h);

	x.opts.keys[0] = HIST_TID;
	build(&x);
	assert_int_equal(x.h.entries.nr, 2);
	assert_int_equal(x.h.entries.v[0].period, 30);
	hist_fini(&x.h);

	x.opts.keys[0] = HIST_DSO;
	build(&x);
	assert_int_equal(x.h.entries.nr, 1);
	assert_int_equal(x.h.entries.v[0].period, 40);
	teardown(&x);
}

static void test_unresolved_by_address(void **state)
{
	struct hist_fixture x;

	(void)state;
	setup(&x);
	fixture_sample(&x.f, x.app, 1, (uint64_t[]){ NOWHERE }, 1);
	fixture_sample(&x.f, x.app, 1, (uint64_t[]){ NOWHERE }, 1);
	fixture_sample(&x.f, x.app, 1, (uint64_t[]){ NOWHERE + 8 }, 1);
	fixture_sample(&x.f, x.app, 2, (uint64_t[]){ WORK }, 1);
	build(&x);
	assert_int_equal(x.h.entries.nr, 3);
	/* What has a name comes before what has none. */
	assert_string_equal(symbol_of(&x.h, &x.h.entries.v[0]), "work");
	assert_true(x.h.entries.v[1].at.frame == FRAME_NONE && x.h.entries.v[1].at.addr == NOWHERE);
	assert_true(x.h.entries.v[2].at.addr == NOWHERE + 8);
	teardown(&x);
}

static uint32_t child(const struct hist *h, uint32_t node, const char *symbol)
{
	for (uint32_t n = h->tree.nodes.v[node].first_child; n != WEIGHTED_NONE; n = h->tree.nodes.v[n].next_sibling) {
		const struct profile_frame *f = &h->profile->frames.v[h->tree.nodes.v[n].frame];

		if (!strcmp(profile_str(h->profile, f->function), symbol))
			return n;
	}
	return WEIGHTED_NONE;
}

static void check_figures(const struct hist *h, uint32_t node, uint64_t total, uint64_t self)
{
	assert_int_equal(weighted_total(&h->tree, node, 0), total);
	assert_int_equal(weighted_self(&h->tree, node, 0), self);
}

static void test_trees(void **state)
{
	struct hist_fixture x;
	uint32_t n;

	(void)state;
	setup(&x);
	x.opts.chains = true;
	x.opts.order = HIST_CALLEE;
	fixture_sample(&x.f, x.app, 60, (uint64_t[]){ LEAF, WORK, MAIN }, 3);
	fixture_sample(&x.f, x.app, 39, (uint64_t[]){ LEAF + 8, MAIN }, 2);
	fixture_sample(&x.f, x.app, 1, (uint64_t[]){ WORK, MAIN }, 2);
	x.opts.tree_min_percent = 5;
	build(&x);
	assert_false(hist_grow_tree(&x.h, entry(&x.h, "app", "work")));
	assert_true(hist_grow_tree(&x.h, entry(&x.h, "app", "leaf")));
	n = child(&x.h, WEIGHTED_ROOT, "leaf");
	assert_int_not_equal(n, WEIGHTED_NONE);
	check_figures(&x.h, n, 99, 0);
	assert_int_equal(weighted_total(&x.h.tree, n, 1), 2);
	n = child(&x.h, n, "work");
	check_figures(&x.h, n, 60, 0);
	hist_fini(&x.h);

	x.opts.order = HIST_CALLER;
	x.opts.children = true;
	x.opts.tree_min_percent = 0;
	build(&x);
	assert_true(hist_grow_tree(&x.h, entry(&x.h, "app", "main")));
	n = child(&x.h, WEIGHTED_ROOT, "main");
	check_figures(&x.h, n, 100, 0);
	n = child(&x.h, n, "work");
	check_figures(&x.h, n, 61, 1);
	teardown(&x);
}

static bool keep_named(void *ctx, const struct profile *p, uint32_t dso, uint32_t frame)
{
	(void)dso;
	return frame != FRAME_NONE && !strcmp(profile_str(p, p->frames.v[frame].function), ctx);
}

static bool keep_tid(void *ctx, const struct profile *p, uint32_t task)
{
	return p->tasks.v[task].tid == *(int32_t *)ctx;
}

/* A row that stays has the figures it would have without the filter. */
static void test_filtered_places(void **state)
{
	struct hist_filter filter = { .keep_place = keep_named, .ctx = (void *)(uintptr_t) "work" };
	struct hist_fixture x;

	(void)state;
	setup(&x);
	x.opts.children = true;
	fixture_sample(&x.f, x.app, 10, (uint64_t[]){ WORK, MAIN }, 2);
	fixture_sample(&x.f, x.app, 30, (uint64_t[]){ LEAF, WORK, MAIN }, 3);
	fixture_sample(&x.f, x.app, 60, (uint64_t[]){ LEAF, MAIN }, 2);
	profile_symbolize(&x.f.p);
	hist_init(&x.h, &x.f.p, &x.opts, 0);
	hist_build(&x.h, &filter);
	hist_sort(&x.h);
	assert_int_equal(x.h.entries.nr, 1);
	assert_int_equal(x.h.entries.v[0].period, 10);
	assert_int_equal(x.h.entries.v[0].children, 40);
	assert_int_equal(x.h.total_period, 100);
	teardown(&x);
}

static void test_filtered_tasks(void **state)
{
	struct hist_fixture x;
	int32_t tid;
	struct hist_filter filter = { .keep_task = keep_tid, .ctx = &tid };

	(void)state;
	setup(&x);
	fixture_sample(&x.f, x.app, 10, (uint64_t[]){ WORK }, 1);
	fixture_sample(&x.f, x.other, 30, (uint64_t[]){ LEAF }, 1);
	tid = x.f.p.tasks.v[0].tid;
	profile_symbolize(&x.f.p);
	hist_init(&x.h, &x.f.p, &x.opts, 0);
	hist_build(&x.h, &filter);
	hist_sort(&x.h);
	assert_int_equal(x.h.entries.nr, 1);
	assert_int_equal(x.h.entries.v[0].period, 10);
	assert_int_equal(x.h.total_period, 40);
	teardown(&x);
}

/* Figures do not depend on the order of samples, and selves sum up to the whole. */
static void test_sums(void **state)
{
	struct hist_fixture x;
	uint64_t rng = 13, self = 0, nr = 0;

	(void)state;
	setup(&x);
	x.opts.children = x.opts.chains = true;
	x.opts.order = HIST_CALLER;
	for (int i = 0; i < 3000; i++) {
		uint64_t ips[10];
		uint32_t depth = 1 + (uint32_t)(fixture_rng(&rng) % 9);

		for (uint32_t k = 0; k < depth; k++)
			ips[k] = MAIN + fixture_rng(&rng) % 5 * 0x100;
		fixture_sample(&x.f, fixture_rng(&rng) % 2 ? x.app : x.other, fixture_rng(&rng) % 100, ips, depth);
	}
	build(&x);
	for (uint32_t i = 0; i < x.h.entries.nr; i++) {
		const struct hist_entry *e = &x.h.entries.v[i];

		self += e->period;
		nr += e->nr;
		assert_true(e->children >= e->period && e->children <= x.h.total_period);
		if (hist_grow_tree(&x.h, e))
			assert_true(weighted_total(&x.h.tree, WEIGHTED_ROOT, 0) <= e->children);
	}
	assert_true(self == x.h.total_period);
	assert_int_equal(nr, 3000);
	teardown(&x);
}

static void add_random(struct hist_fixture *x, int nr)
{
	uint64_t rng = 29;

	for (int i = 0; i < nr; i++) {
		const uint64_t ips[] = { MAIN + fixture_rng(&rng) % 5 * 0x100, MAIN };

		fixture_sample(&x->f, fixture_rng(&rng) % 3 ? x->app : x->other, fixture_rng(&rng) % 100, ips, 2);
	}
	build(x);
}

/* Samples that are alike are one row of the profile, and count as many. */
static void test_added_up(void **state)
{
	struct hist_fixture x, one_by_one;
	struct quality q, of_each;

	(void)state;
	setup(&x);
	setup(&one_by_one);
	x.f.p.adds_up = true;
	add_random(&x, 5000);
	add_random(&one_by_one, 5000);
	assert_int_equal(one_by_one.f.p.samples.nr, 5000);
	assert_true(x.f.p.samples.nr <= 100);
	assert_int_equal(x.h.nr_samples, 5000);
	assert_true(x.h.total_period == one_by_one.h.total_period);
	assert_int_equal(x.h.entries.nr, one_by_one.h.entries.nr);
	for (uint32_t i = 0; i < x.h.entries.nr; i++) {
		assert_true(x.h.entries.v[i].period == one_by_one.h.entries.v[i].period);
		assert_true(x.h.entries.v[i].nr == one_by_one.h.entries.v[i].nr);
	}
	quality_init(&q);
	quality_init(&of_each);
	quality_of_profile(&q, &x.f.p);
	quality_of_profile(&of_each, &one_by_one.f.p);
	assert_int_equal(q.nr_samples, 5000);
	assert_int_equal(q.nr_stacks, of_each.nr_stacks);
	assert_int_equal(q.nr_unresolved, of_each.nr_unresolved);
	assert_memory_equal(q.nr_by_stack, of_each.nr_by_stack, sizeof(q.nr_by_stack));
	quality_fini(&q);
	quality_fini(&of_each);
	teardown(&x);
	teardown(&one_by_one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shares),	       cmocka_unit_test(test_children_count_once),
		cmocka_unit_test(test_keys),	       cmocka_unit_test(test_unresolved_by_address),
		cmocka_unit_test(test_trees),	       cmocka_unit_test(test_filtered_places),
		cmocka_unit_test(test_filtered_tasks), cmocka_unit_test(test_sums),
		cmocka_unit_test(test_added_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
