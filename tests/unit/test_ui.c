/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The terminal UI without a terminal: cells, lists, and the views, by keys and what is drawn then.
 */
#include "session_fixture.h"

#include "view/ui_report.h"

static struct out drawn;

/* The screen of an app as text. */
static const char *screen_of(struct ui_app *app, int rows, int columns_, bool utf8)
{
	struct ui_screen s;

	ui_screen_init(&s, rows, columns_, utf8);
	ui_app_draw(app, &s);
	free(drawn.buf);
	out_init(&drawn, -1);
	ui_screen_text(&s, &drawn);
	out_char(&drawn, 0);
	ui_screen_fini(&s);
	return drawn.buf;
}

static void press(struct ui_app *app, uint32_t key)
{
	ui_app_event(app, &(struct ui_event){ .key = key });
}

static void type(struct ui_app *app, const char *text)
{
	for (; *text; text++)
		press(app, (unsigned char)*text);
}

#define assert_shows(text, part)                                                                                                           \
	do {                                                                                                                               \
		if (!strstr(text, part))                                                                                                   \
			fail_msg("'%s' is not on the screen:\n%s", part, text);                                                            \
	} while (0)
#define assert_hides(text, part)                                                                                                           \
	do {                                                                                                                               \
		if (strstr(text, part))                                                                                                    \
			fail_msg("'%s' is on the screen:\n%s", part, text);                                                                \
	} while (0)

static void put_on_screen(const char *text, size_t len, int width, bool utf8, bool middle, char *result, size_t size)
{
	struct ui_screen s;
	struct out o;

	ui_screen_init(&s, 1, width, utf8);
	if (middle)
		ui_put_middle(&s, 0, 0, width, UI_PLAIN, text, len);
	else
		ui_put(&s, 0, 0, width, UI_PLAIN, text, len);
	out_init(&o, -1);
	ui_screen_text(&s, &o);
	assert_true(o.len <= size);
	memcpy(result, o.buf, o.len);
	result[o.len - 1] = 0;
	out_fini(&o);
	ui_screen_fini(&s);
}

static void test_text_becomes_harmless_cells(void **state)
{
	static const struct {
		const char *text, *cells;
		int width;
		bool utf8;
	} cases[] = {
		{ "main", "main", 10, true },
		{ "a\33[2Jb", "a\\e[2Jb", 20, true },
		{ "a\nb\tc", "a\\nb\\tc", 20, true },
		{ "x\xe2\x80\xaey", "x\\xe2\\x80\\xaey", 20, true }, /* override of direction */
		{ "\xff\xfe", "\\xff\\xfe", 20, true },
		{ "\xc2\x9b"
		  "1m",
		  "\\xc2\\x9b1m", 20, true },		  /* a control character of eight bits */
		{ "e\xcc\x81", "e\\xcc\\x81", 20, true }, /* a mark that combines */
		{ "\xc3\xa9t\xc3\xa9", "\xc3\xa9t\xc3\xa9", 20, true },
		{ "\xc3\xa9", "\\xc3\\xa9", 20, false },
		{ "\xe6\xbc\xa2\xe5\xad\x97", "\xe6\xbc\xa2", 3, true }, /* two columns each: the second does not fit */
		{ "abcdef", "abc", 3, true },
	};
	char got[200];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put_on_screen(cases[i].text, strlen(cases[i].text), cases[i].width, cases[i].utf8, false, got, sizeof(got));
		assert_string_equal(got, cases[i].cells);
	}
}

static void test_long_names_lose_their_middle(void **state)
{
	char got[200];

	(void)state;
	put_on_screen("std::vector<int>::push_back", 27, 11, true, true, got, sizeof(got));
	assert_string_equal(got, "std::\u2026_back");
	put_on_screen("std::vector<int>::push_back", 27, 12, false, true, got, sizeof(got));
	assert_string_equal(got, "std::.._back");
}

/* What is shown of a function's name is what tells it from others. */
static void test_names_of_functions_keep_their_end(void **state)
{
	static const struct {
		const char *name, *shown;
		int width;
	} cases[] = {
		{ "[.] acme::Tree<int, acme::Less<int>>::insert", "[.] acme::Tree<int, acme::Less<int>>::insert", 44 },
		{ "[.] acme::Tree<int, acme::Less<int>>::insert", "[.] acme::Tree<\u2026>::insert", 25 },
		{ "[.] acme::Tree<int, acme::Less<int>>::insert", "\u2026::insert", 12 }, /* the mark has no room */
		{ "acme::Tree<int, acme::Less<int>>::insert (inlined)", "acme::Tree<\u2026>::insert (inlined)", 35 },
		{ "acme::Tree<int, acme::Less<int>>::insert (inlined)", "acme::Tree<\u2026>::insert", 22 },
		{ "acme::Tree<int, acme::Less<int>>::insert", "acme", 4 },
		{ "acme::Tree<\33c, acme::Less<int>>::insert", "acme::Tree<\u2026>::insert", 22 },
		{ "wide::\xe6\xbc\xa2\xe5\xad\x97::\xe6\xbc\xa2\xe5\xad\x97", "wide:\u2026\xe6\xbc\xa2\xe5\xad\x97", 10 },
	};
	struct ui_screen s;
	struct out o;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ui_screen_init(&s, 1, cases[i].width, true);
		ui_put_name(&s, 0, 0, cases[i].width, UI_PLAIN, cases[i].name, strlen(cases[i].name));
		out_init(&o, -1);
		ui_screen_text(&s, &o);
		o.buf[o.len - 1] = 0;
		assert_string_equal(o.buf, cases[i].shown);
		out_fini(&o);
		ui_screen_fini(&s);
	}
}

static void test_wide_cells_are_whole(void **state)
{
	struct ui_screen s;

	(void)state;
	ui_screen_init(&s, 1, 4, true);
	ui_put_str(&s, 0, 0, 4, UI_PLAIN, "\xe6\xbc\xa2\xe5\xad\x97");
	assert_int_equal(s.cells[0].character, 0x6f22);
	assert_int_equal(s.cells[1].character, 0);
	ui_put_str(&s, 0, 1, 1, UI_PLAIN, "x"); /* over a half */
	assert_int_equal(s.cells[0].character, ' ');
	assert_int_equal(s.cells[1].character, 'x');
	ui_put_str(&s, 0, 99, 4, UI_PLAIN, "outside");
	ui_put_str(&s, 7, 0, 4, UI_PLAIN, "outside");
	ui_put_str(&s, -1, 0, 4, UI_PLAIN, "outside");
	ui_screen_fini(&s);
}

static void test_layouts(void **state)
{
	(void)state;
	for (int rows = 1; rows <= 60; rows++) {
		struct ui_layout at = ui_layout(rows, true);

		assert_true(at.nr_body >= 1);
		assert_true(at.body + at.nr_body <= rows);
		assert_true(at.heading < at.body);
		assert_true(at.hint < 0 || at.hint == rows - 1);
	}
	assert_int_equal(ui_layout(5, true).nr_body, 3);
	assert_int_equal(ui_layout(24, true).nr_body, 20);
}

static void test_lists_scroll(void **state)
{
	struct ui_layout at = ui_layout(12, false);
	struct ui_list l = { 0 };

	(void)state;
	ui_list_key(&l, &(struct ui_event){ .key = UI_KEY_END }, 100, &at);
	ui_list_fit(&l, 100, at.nr_body);
	assert_int_equal(l.selected, 99);
	assert_int_equal(l.top, 100 - at.nr_body);
	ui_list_key(&l, &(struct ui_event){ .key = UI_KEY_PAGE_UP }, 100, &at);
	assert_int_equal(l.selected, 99 - (at.nr_body - 1));
	ui_list_key(&l, &(struct ui_event){ .key = UI_MOUSE_WHEEL_UP }, 100, &at);
	ui_list_fit(&l, 100, at.nr_body);
	assert_int_equal(l.top, 100 - at.nr_body - 3);
	ui_list_key(&l, &(struct ui_event){ UI_MOUSE_CLICK, at.body + 2, 5 }, 100, &at);
	assert_int_equal(l.selected, l.top + 2);
	ui_list_fit(&l, 3, at.nr_body);
	assert_int_equal(l.selected, 2);
	assert_int_equal(l.top, 0);
	ui_list_fit(&l, 0, at.nr_body);
	assert_int_equal(l.selected, 0);
}

static void test_text_views_filter(void **state)
{
	static const char text[] = "alpha\nbeta\ngamma\n";
	struct ui_app app;

	(void)state;
	ui_app_init(&app);
	ui_app_push(&app, ui_text_view("Greek", text, strlen(text), 0, NULL, NULL));
	assert_shows(screen_of(&app, 10, 40, true), "Greek\nalpha\nbeta\ngamma\n");
	press(&app, '/');
	type(&app, "ETx");
	press(&app, UI_KEY_BACKSPACE);
	assert_shows(screen_of(&app, 10, 40, true), "only rows with: ET");
	press(&app, UI_KEY_ENTER);
	assert_shows(screen_of(&app, 10, 40, true), "Greek [only 'ET']\nbeta\n\n");
	press(&app, UI_KEY_ESCAPE);
	assert_shows(screen_of(&app, 10, 40, true), "alpha");
	press(&app, 'h');
	assert_shows(screen_of(&app, 10, 40, true), "assay: keys");
	press(&app, 'q');
	assert_shows(screen_of(&app, 10, 40, true), "Greek");
	press(&app, 'q');
	assert_true(app.is_over);
	ui_app_fini(&app);
}

static const char *const names[] = { "main", "work", "leaf", "rec", NULL };
enum { MAIN = 0x10010, WORK = 0x10110, LEAF = 0x10210, REC = 0x10310 };

struct report_fixture {
	struct fixture f;
	struct hist_options opts;
	struct report_text_options text;
	struct hist h;
	struct ui_app app;
	enum ui_request last;
	uint32_t nr_requests, frame;
	struct ui_host host;
};

static bool note_request(void *ctx, struct ui_app *app, enum ui_request what, const struct hist_entry *e, uint32_t frame)
{
	struct report_fixture *x = ctx;

	(void)app, (void)e;
	x->last = what;
	x->frame = frame;
	x->nr_requests++;
	return what != UI_ZOOM_OUT;
}

static void setup(struct report_fixture *x, const char *comm)
{
	struct task *app;

	memset(x, 0, sizeof(*x));
	fixture_init(&x->f);
	app = fixture_task(&x->f, 10, 10, comm);
	fixture_map(&x->f, app, 0x10000, 0x1000, fixture_dso(&x->f, "/bin/app", names));
	fixture_sample(&x->f, app, 60, (uint64_t[]){ LEAF, WORK, MAIN }, 3);
	fixture_sample(&x->f, app, 10, (uint64_t[]){ LEAF, REC, MAIN }, 3);
	fixture_sample(&x->f, app, 30, (uint64_t[]){ WORK, MAIN }, 2);
	x->opts = (struct hist_options){
		.keys = { HIST_COMM, HIST_DSO, HIST_SYM },
		.nr_keys = 3,
		.order_by = { HIST_SELF, HIST_COMM, HIST_DSO, HIST_SYM },
		.nr_order_by = 4,
		.chains = true,
		.order = HIST_CALLEE,
	};
	x->text = (struct report_text_options){ .columns = { HIST_SELF, HIST_COMM, HIST_DSO, HIST_SYM }, .nr_columns = 4 };
	profile_symbolize(&x->f.p);
	hist_init(&x->h, &x->f.p, &x->opts, 0);
	hist_build(&x->h, NULL);
	hist_sort(&x->h);
	x->host = (struct ui_host){ x, note_request, NULL };
	ui_app_init(&x->app);
	x->app.status = "Quality: fine";
	ui_app_push(&x->app, ui_report_view(&x->h, &x->text, &x->host, "Samples: 3"));
}

static void teardown(struct report_fixture *x)
{
	ui_app_fini(&x->app);
	hist_fini(&x->h);
	fixture_fini(&x->f);
}

static void test_report_opens_chains(void **state)
{
	struct report_fixture x;

	(void)state;
	setup(&x, "app");
	assert_string_equal(screen_of(&x.app, 10, 60, false), "Samples: 3\n"
							      "  Overhead  Command  Shared Object  Symbol\n"
							      "+   70.00%  app      app            [.] leaf\n"
							      "+   30.00%  app      app            [.] work\n"
							      "\n\n\n\n"
							      "Quality: fine\n"
							      "h:help Enter:chains a:annotate f:flame b:callers ...\n");
	press(&x.app, UI_KEY_ENTER);
	assert_shows(screen_of(&x.app, 12, 60, false), "-   70.00%  app      app            [.] leaf\n"
						       "    - 70.00% leaf\n"
						       "      + 60.00% work\n"
						       "      + 10.00% rec\n"
						       "+   30.00%  app");
	press(&x.app, UI_KEY_DOWN);
	press(&x.app, UI_KEY_DOWN);
	press(&x.app, 'e');
	assert_shows(screen_of(&x.app, 12, 60, false), "      - 60.00% work\n"
						       "             | main\n"
						       "      + 10.00% rec\n");
	/* A row inside of a branch closes the branch. */
	press(&x.app, UI_KEY_DOWN);
	press(&x.app, 'c');
	assert_hides(screen_of(&x.app, 12, 60, false), "main");
	press(&x.app, 'E');
	assert_shows(screen_of(&x.app, 20, 60, false), "main");
	press(&x.app, 'C');
	assert_hides(screen_of(&x.app, 20, 60, false), "main");
	teardown(&x);
}

/* A long name of a command leaves the symbols their room. */
static void test_columns_of_names_are_bounded(void **state)
{
	struct report_fixture x;

	(void)state;
	setup(&x, "libwith-a-long-name-of-its-own.so.6.0.30");
	assert_shows(screen_of(&x.app, 10, 80, false), "+   70.00%  libwith..o.6.0.30  app            [.] leaf\n");
	assert_shows(screen_of(&x.app, 10, 200, false), "+   70.00%  libwith-a-long-name-of-its-own.so.6.0.30  app");
	teardown(&x);
}

/* On a narrow screen a share without a name would tell nothing. */
static void test_narrow_screens_have_names(void **state)
{
	struct report_fixture x;

	(void)state;
	setup(&x, "application");
	assert_shows(screen_of(&x.app, 5, 20, true), "+   70.00%  [.] leaf\n+   30.00%  [.] work\n");
	assert_shows(screen_of(&x.app, 10, 40, true), "  Overhead  Command      Symbol\n"
						      "+   70.00%  application  [.] leaf\n");
	teardown(&x);
}

static void test_long_messages_take_lines(void **state)
{
	static const char text[] = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
	struct ui_app app;

	(void)state;
	ui_app_init(&app);
	ui_app_push(&app, ui_text_view("Title", text, strlen(text), 0, NULL, NULL));
	ui_app_say(&app, "the code is not there: give the file with -k VMLINUX");
	assert_shows(screen_of(&app, 10, 30, false), "six\n"
						     "the code is not there: give\n"
						     "the file with -k VMLINUX\n"
						     "q:back");
	assert_shows(screen_of(&app, 5, 30, false), "one\ntwo\n"
						    "the code is not there: give\n"
						    "the file with -k VMLINUX\n");
	assert_shows(screen_of(&app, 4, 30, false), "the code is not there: ...\n");
	press(&app, UI_KEY_DOWN);
	assert_hides(screen_of(&app, 10, 30, false), "VMLINUX");
	ui_app_fini(&app);
}

static void test_report_filters_and_asks(void **state)
{
	struct report_fixture x;

	(void)state;
	setup(&x, "app");
	press(&x.app, '/');
	type(&x.app, "wOr");
	press(&x.app, UI_KEY_ENTER);
	assert_hides(screen_of(&x.app, 10, 60, false), "leaf");
	assert_shows(screen_of(&x.app, 10, 60, false), "30.00%");
	press(&x.app, 'a');
	assert_int_equal(x.last, UI_ANNOTATE);
	assert_string_equal(profile_str(&x.f.p, x.f.p.frames.v[x.frame].function), "work");
	press(&x.app, UI_KEY_ESCAPE);
	assert_shows(screen_of(&x.app, 10, 60, false), "leaf");
	assert_int_equal(x.nr_requests, 1);
	press(&x.app, '/');
	type(&x.app, "nowhere");
	assert_shows(screen_of(&x.app, 10, 60, false), "no row has this word");
	press(&x.app, 'a'); /* is a letter of the word */
	press(&x.app, UI_KEY_ESCAPE);
	press(&x.app, 'q');
	assert_true(x.app.is_over);
	teardown(&x);
}

/* Every size draws, and nothing raw of a name is in a cell. */
static void test_sizes_and_hostile_names(void **state)
{
	struct report_fixture x;

	(void)state;
	setup(&x, "\33]0;x\a\xe2\x80\xae");
	press(&x.app, 'E');
	for (int rows = 1; rows < 30; rows++)
		for (int width = 1; width < 100; width += 7) {
			const char *text = screen_of(&x.app, rows, width, rows % 2);

			for (; *text; text++)
				assert_true((unsigned char)*text >= 0x20 || *text == '\n');
		}
	assert_shows(screen_of(&x.app, 24, 80, true), "\\e]0;x");
	assert_hides(screen_of(&x.app, 24, 80, true), "\xe2\x80\xae");
	assert_shows(screen_of(&x.app, 5, 20, true), "Samples: 3\n");
	teardown(&x);
}

static void test_callers(void **state)
{
	struct report_fixture x;
	struct callers *c = mem_zalloc(sizeof(*c));
	uint32_t work = 0;
	const char *text;

	(void)state;
	setup(&x, "app");
	for (uint32_t i = 0; i < x.f.p.frames.nr; i++)
		if (!strcmp(profile_str(&x.f.p, x.f.p.frames.v[i].function), "work"))
			work = i;
	callers_init(c, &x.h, work);
	assert_int_equal(c->total, 90);
	assert_int_equal(c->self, 30);
	assert_int_equal(c->callers.nr, 1);
	assert_int_equal(c->callers.v[0].period, 90);
	assert_int_equal(c->callees.nr, 1);
	assert_int_equal(c->callees.v[0].period, 60);
	ui_app_push(&x.app, ui_callers_view(c, &x.h, work, &x.host));
	text = screen_of(&x.app, 12, 60, false);
	assert_shows(text, "  90.00% caller  main\n");
	assert_shows(text, "  90.00% ==>     work\n");
	assert_shows(text, "  60.00% callee  leaf\n");
	press(&x.app, UI_KEY_UP);
	press(&x.app, UI_KEY_UP);
	press(&x.app, UI_KEY_ENTER);
	assert_int_equal(x.last, UI_CALLERS);
	teardown(&x);
}

static uint32_t frame_of(struct flame *f, const char *name)
{
	return flame_intern_frame(f, name, strlen(name), "app", FLAME_USER, 0);
}

static void test_flame(void **state)
{
	struct flame *f = mem_zalloc(sizeof(*f));
	uint32_t a, b, d;
	struct ui_app app;

	(void)state;
	flame_init(f, 1);
	a = frame_of(f, "aaaa");
	b = frame_of(f, "bbbb");
	d = frame_of(f, "dddd");
	flame_add_path(f, 0, (uint32_t[]){ a, b }, 2, 75, 75);
	flame_add_path(f, 0, (uint32_t[]){ a, d }, 2, 25, 25);
	flame_finish(f, NULL);
	ui_app_init(&app);
	ui_app_push(&app, ui_flame_view(f, "title"));
	assert_shows(screen_of(&app, 10, 40, false), "100.00% all - title\nall\naaaa\nbbbb                          dddd\n");
	press(&app, UI_KEY_DOWN);
	press(&app, UI_KEY_DOWN);
	assert_shows(screen_of(&app, 10, 40, false), "75.00% bbbb (app) - title\n");
	press(&app, UI_KEY_RIGHT);
	assert_shows(screen_of(&app, 10, 40, false), "25.00% dddd (app) - title\n");
	press(&app, UI_KEY_ENTER);
	assert_shows(screen_of(&app, 10, 40, false), "title\nall\naaaa\ndddd\n");
	press(&app, UI_KEY_ESCAPE);
	press(&app, '/');
	type(&app, "BB");
	press(&app, UI_KEY_ENTER);
	assert_shows(screen_of(&app, 10, 60, false), "75.00% bbbb (app) - title [marked: 'BB']\n");
	for (int rows = 1; rows < 12; rows++)
		for (int width = 1; width < 30; width++)
			screen_of(&app, rows, width, true);
	ui_app_event(&app, &(struct ui_event){ UI_MOUSE_DOUBLE, 2, 3 });
	press(&app, UI_KEY_ESCAPE);
	press(&app, UI_KEY_ESCAPE);
	assert_true(app.is_over);
	ui_app_fini(&app);
}

static uint64_t from_taken, to_taken;

static void note_time(void *ctx, struct ui_app *app, uint64_t from_ns, uint64_t to_ns)
{
	(void)ctx, (void)app;
	from_taken = from_ns;
	to_taken = to_ns;
}

static void test_neighbours_in_a_flame_differ(void **state)
{
	struct flame *f = mem_zalloc(sizeof(*f));
	struct ui_screen s;
	struct ui_app app;
	uint32_t a;

	(void)state;
	flame_init(f, 1);
	a = frame_of(f, "aaaa");
	for (int i = 0; i < 4; i++) {
		uint32_t b = frame_of(f, (const char *[]){ "bbbb", "cccc", "dddd", "eeee" }[i]);

		frame_of(f, (const char *[]){ "v", "w", "x", "y" }[i]);
		flame_add_path(f, 0, (uint32_t[]){ a, b }, 2, 25, 25);
	}
	flame_finish(f, NULL);
	ui_app_init(&app);
	ui_app_push(&app, ui_flame_view(f, "title"));
	ui_screen_init(&s, 10, 40, false);
	ui_app_draw(&app, &s);
	assert_int_equal(s.cells[3 * 40].character, 'b');
	for (int i = 0; i < 3; i++)
		assert_int_not_equal(s.cells[3 * 40 + 10 * i].style, s.cells[3 * 40 + 10 * i + 10].style);
	ui_screen_fini(&s);
	ui_app_fini(&app);
}

static void test_time_strips(void **state)
{
	struct ui_host host = { NULL, NULL, note_time };
	struct time_strips t = { 0 };
	struct ui_app app;
	uint64_t sum = 0;

	(void)state;
	for (uint64_t i = 0; i < 1000; i++)
		time_strips_add(&t, 1, 1, "one", 5000000000 + i * 1000000);
	/* A thread that executed another program after its first samples. */
	for (uint64_t i = 0; i < 10; i++)
		time_strips_add(&t, 1, 2, i < 2 ? "sh" : "two", 5900000000 + i * 1000000);
	time_strips_add(&t, 1, 3, "early", 1);
	time_strips_add(&t, 1, 3, "none", 0);
	time_strips_finish(&t);
	assert_int_equal(t.v.nr, 3);
	assert_int_equal(t.v.v[0]->tid, 1);
	assert_string_equal(t.v.v[1]->comm, "two");
	assert_int_equal(t.nr_before, 1);
	for (uint32_t i = 0; i < TIME_STRIP_BUCKETS; i++)
		sum += t.v.v[0]->buckets[i];
	assert_int_equal(sum, 1000);
	assert_true(t.bucket_ns * TIME_STRIP_BUCKETS > 999000000);
	ui_app_init(&app);
	ui_app_push(&app, ui_time_view(&t, &host));
	assert_shows(screen_of(&app, 12, 100, false), "one");
	press(&app, UI_KEY_ENTER);
	assert_shows(screen_of(&app, 12, 100, false), "Space marks");
	for (int i = 0; i < 38; i++)
		press(&app, UI_KEY_RIGHT);
	press(&app, ' ');
	for (int i = 0; i < 100; i++)
		press(&app, UI_KEY_RIGHT);
	press(&app, UI_KEY_ENTER);
	assert_true(from_taken > 5490000000 && from_taken < 5510000000);
	assert_true(to_taken >= 5999000000 && to_taken < 5999000100);
	ui_app_fini(&app);
	time_strips_fini(&t);
}

static void test_threads_past_the_limit_share_a_strip(void **state)
{
	struct time_strips t = { 0 };

	(void)state;
	for (int32_t i = 0; i < (int32_t)TIME_STRIP_MAX_THREADS + 50; i++)
		time_strips_add(&t, 1, i + 1, "x", 1000 + (uint64_t)i);
	assert_int_equal(t.v.nr, TIME_STRIP_MAX_THREADS + 1);
	assert_int_equal(t.v.v[TIME_STRIP_MAX_THREADS]->nr, 50);
	time_strips_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_becomes_harmless_cells),
		cmocka_unit_test(test_long_names_lose_their_middle),
		cmocka_unit_test(test_names_of_functions_keep_their_end),
		cmocka_unit_test(test_wide_cells_are_whole),
		cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_lists_scroll),
		cmocka_unit_test(test_text_views_filter),
		cmocka_unit_test(test_report_opens_chains),
		cmocka_unit_test(test_columns_of_names_are_bounded),
		cmocka_unit_test(test_narrow_screens_have_names),
		cmocka_unit_test(test_long_messages_take_lines),
		cmocka_unit_test(test_report_filters_and_asks),
		cmocka_unit_test(test_sizes_and_hostile_names),
		cmocka_unit_test(test_callers),
		cmocka_unit_test(test_flame),
		cmocka_unit_test(test_neighbours_in_a_flame_differ),
		cmocka_unit_test(test_time_strips),
		cmocka_unit_test(test_threads_past_the_limit_share_a_strip),
	};
	int status = cmocka_run_group_tests(tests, NULL, NULL);

	free(drawn.buf);
	return status;
}
