/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The screen of `top` by keys and what is drawn then: what a refresh changes, and what it leaves as it was.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "view/ui_top.h"

struct fixture {
	struct live_profile l;
	struct top_stats stats;
	struct top_style style;
	struct top_state state;
	struct ui_top_host host;
	struct ui_app app;
	struct ui_view *view;
	struct out status, drawn;
	enum ui_top_request last;
	char function[64];
	uint32_t nr_requests;
};

static void note_request(void *ctx, struct ui_app *app, enum ui_top_request what, const struct live_row *row, const char *function)
{
	struct fixture *x = ctx;

	(void)app, (void)row;
	x->last = what;
	x->nr_requests++;
	snprintf(x->function, sizeof(x->function), "%s", function);
	if (what == UI_TOP_CLEAR)
		live_profile_clear(&x->l);
}

static uint32_t string(struct fixture *x, const char *text)
{
	return live_profile_string(&x->l, text, strlen(text));
}

/* Samples of a function that main called, by way of `caller` unless it is NULL. */
static void add(struct fixture *x, const char *comm, const char *dso, const char *symbol, const char *caller, double weight)
{
	double period = weight * 1e6;
	struct live_row row = { .self = period, .children = period, .nr_samples = 1, .level = '.' };
	const char *path[] = { "main", caller, symbol };
	char text[600];
	uint32_t node = 0;

	snprintf(text, sizeof(text), "[.] %s", symbol);
	row.cells[0] = string(x, comm);
	row.cells[1] = string(x, dso);
	row.cells[2] = string(x, text);
	row.json = string(x, "{");
	row.name = string(x, symbol);
	live_profile_add_row(&x->l, 0, &row);
	live_profile_add_total(&x->l, 0, period, 1);
	for (int i = 0; i < 3; i++) {
		if (!path[i])
			continue;
		node = live_profile_node(&x->l, 0, node, string(x, path[i]), '.');
		x->l.events.v[0].nodes.v[node].total += period;
	}
	x->l.events.v[0].nodes.v[0].total += period;
	x->l.events.v[0].nodes.v[node].self += period;
}

static void refresh(struct fixture *x)
{
	live_profile_settle(&x->l);
	ui_app_refresh(&x->app);
}

static void setup(struct fixture *x)
{
	static const uint16_t keys[] = { HIST_COMM, HIST_DSO, HIST_SYM };

	memset(x, 0, sizeof(*x));
	live_profile_init(&x->l, keys, 3, false);
	live_profile_add_event(&x->l, "cycles");
	x->stats = (struct top_stats){ .target = "all CPUs", .rate = "4000 Hz", .seconds = 2, .counts.nr_samples = 200, .real_delay = 2 };
	x->state.delay = 2;
	x->host = (struct ui_top_host){ x, note_request };
	out_init(&x->status, -1);
	out_init(&x->drawn, -1);
	ui_app_init(&x->app);
	live_profile_age(&x->l);
	add(x, "shop", "a.out", "hot", "work", 600);
	add(x, "shop", "libc.so", "warm", NULL, 300);
	add(x, "bake", "a.out", "cold", NULL, 100);
	live_profile_settle(&x->l);
	ui_app_push(&x->app, ui_top_view(&x->l, &x->stats, &x->style, &x->state, &x->host));
}

static void teardown(struct fixture *x)
{
	ui_app_fini(&x->app);
	live_profile_fini(&x->l);
	out_fini(&x->status);
	out_fini(&x->drawn);
}

static const char *screen_of(struct fixture *x, int rows, int columns_)
{
	struct ui_screen s;

	ui_screen_init(&s, rows, columns_, false);
	ui_top_status(&x->app, &x->status, &x->stats, &x->state);
	ui_app_draw(&x->app, &s);
	x->drawn.len = 0;
	ui_screen_text(&s, &x->drawn);
	out_char(&x->drawn, 0);
	ui_screen_fini(&s);
	return x->drawn.buf;
}

static void press(struct fixture *x, uint32_t key)
{
	ui_app_event(&x->app, &(struct ui_event){ .key = key });
}

static void type(struct fixture *x, const char *text)
{
	for (; *text; text++)
		press(x, (unsigned char)*text);
}

#define assert_shows(x, part)                                                                                                              \
	do {                                                                                                                               \
		if (!strstr(screen_of(x, 20, 80), part))                                                                                   \
			fail_msg("'%s' is not on the screen:\n%s", part, (x)->drawn.buf);                                                  \
	} while (0)
#define assert_hides(x, part)                                                                                                              \
	do {                                                                                                                               \
		if (strstr(screen_of(x, 20, 80), part))                                                                                    \
			fail_msg("'%s' is on the screen:\n%s", part, (x)->drawn.buf);                                                      \
	} while (0)

static void test_rows_and_cost(void **state)
{
	struct fixture x;

	(void)state;
	setup(&x);
	x.stats.own_percent = 1.25;
	x.stats.memory_bytes = 40 << 20;
	assert_shows(&x, "assay top: 100 samples/s  kernel 0.0%  lost 0  [4000 Hz cycles]  all CPUs\n"
			 "  Overhead  Command  Shared Object  Symbol\n"
			 "+   60.00%  shop     a.out          [.] hot\n"
			 "+   30.00%  shop     libc.so        [.] warm\n"
			 "+   10.00%  bake     a.out          [.] cold\n");
	assert_shows(&x, "own cost: 1.2% of a CPU, 40 MB  refresh: 2 s\n");
	assert_false(x.app.is_status_loud);
	x.stats.nr_lost = 7;
	x.stats.counts.nr_skipped = 50;
	assert_shows(&x, "lost 7");
	assert_shows(&x, "refresh: 2 s  75% of the samples looked at");
	assert_true(x.app.is_status_loud);
	press(&x, 'K');
	press(&x, 'Z');
	assert_shows(&x, "hidden: kernel  each refresh");
	press(&x, ' ');
	assert_shows(&x, "FROZEN assay top");
	assert_true(x.state.is_frozen);
	press(&x, 'D');
	type(&x, "0.5");
	press(&x, UI_KEY_ENTER);
	assert_true(x.state.delay == 0.5);
	press(&x, 'D');
	type(&x, "5000");
	press(&x, UI_KEY_ENTER);
	assert_shows(&x, "'5000' is not a number of seconds");
	assert_true(x.state.delay == 0.5);
	x.style.percent_limit = 20;
	refresh(&x);
	assert_hides(&x, "cold");
	x.style.shows_samples = x.style.shows_period = true;
	assert_shows(&x, "Overhead   Samples        Period  Command");
	teardown(&x);
}

/* The order of rows turns around, strings are numbered anew: what was chosen stays. */
static void test_refreshes_keep_the_view(void **state)
{
	struct fixture x;

	(void)state;
	setup(&x);
	press(&x, UI_KEY_DOWN);
	press(&x, UI_KEY_DOWN);
	press(&x, 'k');
	press(&x, UI_KEY_UP);
	press(&x, UI_KEY_ENTER);
	assert_shows(&x, "-   60.00%  shop     a.out          [.] hot\n"
			 "    - 60.00% work\n"
			 "        60.00% main\n"
			 "+   30.00%");
	for (int i = 0; i < 5000; i++) { /* names that go: strings move */
		char name[32];

		snprintf(name, sizeof(name), "other%d", i);
		string(&x, name);
	}
	live_profile_age(&x.l);
	add(&x, "bake", "a.out", "cold", NULL, 9000);
	add(&x, "shop", "a.out", "hot", "other", 300);
	refresh(&x);
	assert_true(x.l.strings.entries.nr < 5000);
	assert_shows(&x, "[.] cold\n-");
	assert_shows(&x, "% work\n");
	assert_shows(&x, "% other\n");
	press(&x, 'a');
	assert_int_equal(x.last, UI_TOP_ANNOTATE);
	assert_string_equal(x.function, "hot");
	press(&x, UI_KEY_DOWN);
	press(&x, 'a');
	assert_string_equal(x.function, "work");
	press(&x, UI_KEY_UP);
	press(&x, 'c');
	assert_hides(&x, "% work\n");
	press(&x, 'E');
	assert_shows(&x, "% work\n");
	refresh(&x);
	assert_shows(&x, "% work\n");
	press(&x, 'C');
	assert_hides(&x, "% main\n");
	press(&x, 'z');
	assert_shows(&x, "nothing to show");
	teardown(&x);
}

static void test_filter_and_zooms(void **state)
{
	struct fixture x;

	(void)state;
	setup(&x);
	press(&x, '/');
	type(&x, "col");
	assert_hides(&x, "] hot");
	refresh(&x);
	type(&x, "d");
	press(&x, UI_KEY_ENTER);
	assert_shows(&x, "[only 'cold']");
	refresh(&x);
	assert_hides(&x, "] hot");
	press(&x, UI_KEY_ESCAPE);
	press(&x, UI_KEY_HOME);
	press(&x, 'd');
	assert_shows(&x, ", module: a.out");
	assert_hides(&x, "warm");
	press(&x, 't');
	assert_shows(&x, ", thread: shop");
	assert_hides(&x, "cold");
	live_profile_age(&x.l);
	add(&x, "shop", "a.out", "new", NULL, 100);
	add(&x, "bake", "a.out", "bread", NULL, 100);
	refresh(&x);
	assert_shows(&x, "[.] new");
	assert_hides(&x, "bread");
	press(&x, 't');
	assert_shows(&x, "bread");
	press(&x, 'q');
	assert_shows(&x, "warm");
	assert_false(x.app.is_over);
	press(&x, 'q');
	assert_true(x.app.is_over);
	teardown(&x);
}

static void test_flame_view(void **state)
{
	struct fixture x;

	(void)state;
	setup(&x);
	press(&x, 'f');
	assert_shows(&x, "100.00% all - cycles\nall\nmain\n");
	press(&x, '/');
	type(&x, "hot");
	press(&x, UI_KEY_ENTER);
	press(&x, UI_KEY_ENTER);
	assert_shows(&x, "60.00% hot - cycles [marked: 'hot']\nall\nmain\nwork\nhot\n");
	live_profile_age(&x.l);
	add(&x, "shop", "a.out", "hot", "work", 875);
	refresh(&x);
	assert_shows(&x, "80.00% hot - cycles [marked: 'hot']\nall\nmain\nwork\nhot\n");
	/* It goes: what is left of the path. */
	live_profile_clear(&x.l);
	live_profile_age(&x.l);
	add(&x, "shop", "libc.so", "warm", NULL, 500);
	refresh(&x);
	assert_shows(&x, "100.00% main - cycles");
	press(&x, UI_KEY_ESCAPE);
	press(&x, 'q');
	assert_shows(&x, "[.] warm");
	teardown(&x);
}

static void test_sizes_and_long_names(void **state)
{
	static const int sizes[][2] = { { 24, 80 }, { 50, 200 }, { 5, 20 }, { 1, 1 }, { 4, 7 }, { 60, 12 } };
	char name[500];
	struct fixture x;

	(void)state;
	setup(&x);
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	add(&x, name, name, name, name, 5000);
	live_profile_add_event(&x.l, "faults");
	refresh(&x);
	press(&x, 'E');
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (int k = 0; k < 4; k++) {
			screen_of(&x, sizes[i][0], sizes[i][1]);
			press(&x, k == 0 ? UI_KEY_END : k == 1 ? UI_KEY_RIGHT : k == 2 ? UI_KEY_HOME : UI_KEY_TAB);
		}
	assert_shows(&x, "xx..xx");
	press(&x, UI_KEY_TAB);
	assert_shows(&x, "[4000 Hz faults]");
	assert_shows(&x, "nothing to show");
	press(&x, 'a');
	assert_int_equal(x.nr_requests, 0);
	teardown(&x);
}

/* As many rows and callers as a model can have: what is open is bounded. */
static void test_all_open_is_bounded(void **state)
{
	struct fixture x;
	const char *text;

	(void)state;
	setup(&x);
	for (int i = 0; i < 12000; i++) {
		char name[32], caller[32];

		snprintf(name, sizeof(name), "f%d", i % 8000);
		snprintf(caller, sizeof(caller), "caller%d", i);
		add(&x, "shop", "a.out", name, caller, 100);
	}
	refresh(&x);
	press(&x, 'E');
	press(&x, UI_KEY_END);
	text = screen_of(&x, 20, 80);
	if (!strchr(text, '+'))
		fail_msg("%s", text);
	/* Those behind the bound open one by one. */
	for (int i = 0; i < 5; i++) {
		press(&x, UI_KEY_UP);
		press(&x, UI_KEY_ENTER);
	}
	assert_shows(&x, "\n-");
	press(&x, UI_KEY_HOME);
	assert_shows(&x, "\n-");
	teardown(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_and_cost),	     cmocka_unit_test(test_refreshes_keep_the_view),
		cmocka_unit_test(test_filter_and_zooms),     cmocka_unit_test(test_flame_view),
		cmocka_unit_test(test_sizes_and_long_names), cmocka_unit_test(test_all_open_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
