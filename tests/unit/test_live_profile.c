/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The model of `top`: weights fade, what fades away is dropped, and memory stays where it is over a day of refreshes with functions that come and
 * go; and its text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <malloc.h>

#include "model/live_profile.h"
#include "view/top.h"

static const uint16_t keys[] = { HIST_DSO, HIST_SYM };

static void add(struct live_profile *l, const char *dso, const char *symbol, double period)
{
	struct live_row row = { .self = period, .children = period, .nr_samples = 1, .level = '.' };
	char text[256], json[300];

	snprintf(text, sizeof(text), "[.] %s", symbol);
	snprintf(json, sizeof(json), "{\"symbol\":\"%s\"", symbol);
	row.cells[0] = live_profile_string(l, dso, strlen(dso));
	row.cells[1] = live_profile_string(l, text, strlen(text));
	row.json = live_profile_string(l, json, strlen(json));
	row.name = live_profile_string(l, symbol, strlen(symbol));
	live_profile_add_row(l, 0, &row);
	live_profile_add_total(l, 0, period, 1);
}

static void add_path(struct live_profile *l, double period, const char *a, const char *b)
{
	const char *const names[] = { a, b };
	uint32_t node = 0;

	for (int i = 0; i < 2; i++) {
		node = live_profile_node(l, 0, node, live_profile_string(l, names[i], strlen(names[i])), '.');
		l->events.v[0].nodes.v[node].total += period;
	}
	l->events.v[0].nodes.v[0].total += period;
	l->events.v[0].nodes.v[node].self += period;
}

static void start(struct live_profile *l, bool by_children)
{
	live_profile_init(l, keys, 2, by_children);
	live_profile_add_event(l, "cycles");
}

static void test_weights_fade(void **state)
{
	struct live_profile l;
	const struct live_event *e;

	(void)state;
	start(&l, false);
	e = &l.events.v[0];
	live_profile_age(&l);
	add(&l, "a.out", "before", 800);
	add(&l, "a.out", "always", 100);
	live_profile_settle(&l);
	assert_string_equal(live_profile_text(&l, e->rows.v[0].cells[1]), "[.] before");
	for (int i = 0; i < 30; i++) {
		live_profile_age(&l);
		add(&l, "a.out", "always", 100);
		live_profile_settle(&l);
	}
	assert_string_equal(live_profile_text(&l, e->rows.v[0].cells[1]), "[.] always");
	/* 100 * (1 + 7/8 + …) tends to 800. */
	assert_true(e->rows.v[0].self > 750 && e->rows.v[0].self < 800);
	assert_true(e->rows.v[1].self < 20);
	for (int i = 0; i < 60; i++) {
		live_profile_age(&l);
		add(&l, "a.out", "always", 100);
		live_profile_settle(&l);
	}
	assert_int_equal(e->rows.nr, 1);
	live_profile_clear(&l);
	assert_int_equal(e->rows.nr, 0);
	assert_true(e->total == 0);
	live_profile_fini(&l);
}

/* Two seconds each: a day. Half of the functions are new at each refresh, as in a build. */
static void test_a_day_of_refreshes(void **state)
{
	struct live_profile l;
	size_t most_early = 0, most_late = 0;
	uint32_t most_rows = 0;

	(void)state;
	start(&l, true);
	for (uint32_t day = 0; day < 43200; day++) {
		size_t used;

		live_profile_age(&l);
		for (uint32_t i = 0; i < 16; i++) {
			char name[160], caller[40];

			snprintf(name, sizeof(name), "function_%u_of_a_long_name_that_takes_some_memory", i % 2 ? i : day * 16 + i);
			snprintf(caller, sizeof(caller), "caller_%u", i % 4 ? i : day);
			add(&l, "a.out", name, 1000);
			add_path(&l, 1000, caller, name);
		}
		live_profile_settle(&l);
		most_rows = l.events.v[0].rows.nr > most_rows ? l.events.v[0].rows.nr : most_rows;
		if (day % 50)
			continue;
		used = mallinfo2().uordblks;
		if (day >= 500 && day < 5000)
			most_early = used > most_early ? used : most_early;
		if (day >= 38000)
			most_late = used > most_late ? used : most_late;
	}
	assert_true(most_rows < 1000);
	assert_true(l.strings.entries.nr < 20000);
	/* Allocators of sanitizers do not tell: both are 0. */
	assert_int_equal(!most_early, !most_late);
	if (most_late > most_early + most_early / 10)
		fail_msg("%zu bytes in the first hours, %zu in the last", most_early, most_late);
	live_profile_fini(&l);
}

/* A flood of functions that are all different. */
static void test_rows_are_bounded(void **state)
{
	struct live_profile l;
	char name[32];

	(void)state;
	start(&l, true);
	for (uint32_t i = 0; i < 5; i++) {
		live_profile_age(&l);
		for (uint32_t k = 0; k < 3 * LIVE_MAX_NODES; k++) {
			snprintf(name, sizeof(name), "f%u_%u", i, k);
			add(&l, "a.out", name, 10);
			add_path(&l, 10, "main", name);
		}
		add(&l, "a.out", "hot", 1e9);
		add_path(&l, 1e9, "main", "hot");
		live_profile_settle(&l);
		assert_true(l.events.v[0].rows.nr <= LIVE_MAX_ROWS);
		assert_true(l.events.v[0].nodes.nr <= LIVE_MAX_NODES);
	}
	assert_true(l.nr_dropped > 0);
	assert_string_equal(live_profile_text(&l, l.events.v[0].rows.v[0].cells[1]), "[.] hot");
	live_profile_fini(&l);
}

static bool has(const struct out *o, const char *text)
{
	return memmem(o->buf, o->len, text, strlen(text));
}

static void test_text_and_json(void **state)
{
	const struct top_stats s = {
		.target = "all CPUs", .rate = "4000 Hz", .seconds = 2, .counts.nr_samples = 200, .nr_lost = 7, .real_delay = 2
	};
	const struct top_state st = { .delay = 2 };
	struct top_style style = { 0 };
	struct live_profile l;
	struct out o;

	(void)state;
	start(&l, true);
	live_profile_age(&l);
	add(&l, "a.out", "hot", 750);
	add(&l, "a.out", "cold", 250);
	live_profile_settle(&l);
	out_init(&o, -1);
	top_block(&o, &l, &s, &st, &style, 80);
	assert_true(has(&o, "100 samples/s"));
	assert_true(has(&o, "lost 7"));
	assert_true(has(&o, "75.00%    75.00%  a.out          [.] hot"));
	assert_true(has(&o, "[.] cold"));
	o.len = 0;
	style.max_rows = 1;
	top_block(&o, &l, &s, &st, &style, 80);
	assert_false(has(&o, "[.] cold"));
	o.len = 0;
	top_json(&o, &l, &s, &st, &style);
	assert_true(has(&o, "\"rows\":[{\"symbol\":\"hot\",\"overhead\":75.00,\"children\":75.00,"));
	out_fini(&o);
	live_profile_fini(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_weights_fade),
		cmocka_unit_test(test_a_day_of_refreshes),
		cmocka_unit_test(test_rows_are_bounded),
		cmocka_unit_test(test_text_and_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
