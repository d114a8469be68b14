/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay diff: what changed between recordings.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "cmd/cmd.h"
#include "cmd/diff.h"
#include "cmd/input.h"
#include "cmd/report_ui.h"
#include "cmd/ui_quality.h"
#include "model/diff_table.h"
#include "model/profile.h"
#include "tui/tui.h"
#include "view/diff.h"
#include "view/quality_text.h"
#include "view/ui.h"

/* An event of the baseline, and its table. */
struct diff_event {
	char *name;
	uint32_t type;
	uint64_t config;
	struct diff_table table;
};

struct diff_command {
	struct input in; /* as the options say, without a file */
	struct diff_options options;
	struct sides sides;
	struct hist_options hist;
	VEC(struct diff_event) events;
	uint32_t nr_read; /* recordings whose samples are in the tables */
	bool interval, json, bare_addresses;
	bool stdio, tui, is_browsed;
	struct ui_quality quality; /* of all recordings, for the browser */
};

/* The events of the first recording are what is compared. */
static void add_events(struct diff_command *c, const struct perfdata_info *info)
{
	for (uint32_t i = 0; i < info->events.nr; i++) {
		const struct attr *a = &info->events.v[i].attr;
		struct diff_event *e;

		if (attr_is_dummy(a))
			continue;
		e = vec_add(&c->events);
		*e = (struct diff_event){ .name = mem_strdup(info->events.v[i].name), .type = a->type, .config = a->config };
		diff_table_init(&e->table, &c->options.table, c->sides.side_of.v, c->sides.names.nr);
	}
}

static bool keep_task(void *ctx, const struct profile *p, uint32_t task)
{
	return filter_keeps_task(ctx, p, task);
}

static void add_tables(struct diff_command *c, uint32_t recording, const struct input *in, struct field_keys *fields)
{
	for (uint32_t i = 0; i < c->events.nr; i++) {
		const struct diff_event *e = &c->events.v[i];
		uint32_t event = sides_find_event(in->profile->recording->info, e->name, e->type, e->config);
		struct hist_options options;
		struct hist h;

		if (event == UINT32_MAX)
			continue;
		diff_options_set_keys(&c->options, &c->hist, fields, event, &options);
		hist_init(&h, in->profile, &options, event);
		hist_build(&h, &(struct hist_filter){ .keep_task = keep_task, .ctx = (void *)(uintptr_t)&in->filter });
		diff_table_add(&c->events.v[i].table, recording, &h, &in->filter);
		hist_fini(&h);
	}
}

/* Stacks are looked at for the quality alone: rows are of the sampled places. */
static int forget_stacks(void *ctx, bool is_last, struct errbuf *eb)
{
	struct input *in = ctx;

	(void)eb;
	if (!is_last)
		profile_forget_stacks(in->profile);
	return 0;
}

static void warn_of_file(void *ctx, bool is_loud, const char *text)
{
	log_warn("%s: %s: %s", is_loud ? "WARNING" : "quality", (const char *)ctx, text);
}

static int load(struct diff_command *c, uint32_t recording, struct input *in, struct field_keys *fields, struct errbuf *eb)
{
	int err = !recording && in->is_stored ? diff_options_check_fields(fields, eb) : 0;

	if (!err)
		err = input_load(in, &(struct input_load){ .match = &c->sides.match, .take_part = forget_stacks, .ctx = in }, eb);
	/* The events of a pipe are known in the end. */
	return err || recording ? err : diff_options_check_fields(fields, eb);
}

static int read_open(struct diff_command *c, uint32_t recording, struct input *in, struct errbuf *eb)
{
	struct profile *p = in->profile;
	struct field_keys fields;
	int err;

	p->only_symbols = c->bare_addresses;
	p->tells_builds = true;
	p->source = diff_options_want_lines(&c->options) ? PROFILE_LINES : PROFILE_SYMBOLS;
	diff_options_open_fields(&c->options, &fields, p);
	err = load(c, recording, in, &fields, eb);
	if (err)
		goto out;
	in->quality_shown = true;
	if (c->is_browsed)
		ui_quality_add(&c->quality, in, true);
	quality_notes(&in->quality, warn_of_file, (void *)(uintptr_t)in->path);
	if (!recording)
		add_events(c, p->recording->info);
	add_tables(c, recording, in, &fields);
	c->nr_read++;
	/* What could be read of a damaged file is in the table; its sentence comes in the end. */
	err = input_finish(in, eb);
out:
	p->fields = NULL;
	field_keys_fini(&fields);
	return err;
}

/* Reads one recording into the tables. Filters are shared; only the times are its own. */
static int read_recording(struct diff_command *c, uint32_t recording, struct errbuf *eb)
{
	struct input in = c->in;
	char *time = sides_time_of(c->options.time, recording);
	int err = 0;

	in.path = c->sides.names.v[recording];
	quality_init(&in.quality);
	if (time)
		err = filter_set_time(&in.filter, time, eb);
	if (!err)
		err = input_open(&in, false, eb);
	c->in.cache_checked = true;
	if (!err)
		err = read_open(c, recording, &in, eb);
	input_close(&in);
	quality_fini(&in.quality);
	vec_fini(&in.filter.times);
	free(time);
	return err;
}

/* Damage does not hide what was read: its sentence is kept, and what there is is shown before. */
static int read_all(struct diff_command *c, struct errbuf *eb)
{
	struct errbuf fatal = { 0 };
	int first_err = 0;

	for (uint32_t i = 0; i < c->sides.names.nr; i++) {
		int err = read_recording(c, i, &fatal);

		if (c->nr_read <= i) {
			*eb = fatal;
			return err;
		}
		if (err && !first_err)
			*eb = fatal;
		first_err = first_err ? first_err : err;
		errbuf_clear(&fatal);
	}
	return first_err;
}

/* One without samples says nothing of its side, and is no run of it. */
static void warn_of_empty(const struct diff_command *c, const struct diff_event *e)
{
	for (uint32_t i = 0; !c->in.quiet && e->table.has_several && i < e->table.nr_recordings; i++)
		if (!e->table.recordings[i].nr)
			log_warn("%s has no samples of %s and is left out", c->sides.names.v[i], e->name);
}

static void print(struct diff_command *c, struct out *o)
{
	bool is_first = true;
	char *note = sides_match_note(&c->sides);

	c->options.text.match_note = note;
	for (uint32_t i = 0; i < c->events.nr; i++) {
		struct diff_event *e = &c->events.v[i];

		/* As perf has it: an event that never happened in the baseline has no table, unless it is the only one. */
		if (!diff_table_nr_used(&e->table, 0) && c->events.nr > 1)
			continue;
		warn_of_empty(c, e);
		diff_table_finish(&e->table);
		if (!is_first && !c->in.quiet)
			out_char(o, '\n');
		is_first = false;
		diff_text(o, &c->options.text, &e->table, e->name);
	}
	if (!c->in.quiet && !c->options.text.show_noise)
		out_str(o, "#\n# (What of this is noise, one recording a side does not tell: --interval shows the least of it, and\n"
			   "# 'assay diff A1,A2,A3 B1,B2,B3' tests every row)\n");
	free(note);
}

static void print_json(struct diff_command *c, struct out *o)
{
	struct json j;

	diff_json_begin(&j, o, &c->options.table, &c->sides.match, c->sides.side_of.v, (const char *const *)c->sides.names.v,
			c->sides.names.nr);
	for (uint32_t i = 0; i < c->events.nr; i++) {
		warn_of_empty(c, &c->events.v[i]);
		diff_table_finish(&c->events.v[i].table);
		diff_json_table(&j, &c->events.v[i].table, c->events.v[i].name);
	}
	diff_json_end(&j);
}

struct diff_browser {
	struct diff_command *c;
	struct out text; /* as it is printed */
};

static void save(void *ctx, struct ui_app *app)
{
	ui_save(app, "diff", &((struct diff_browser *)ctx)->text);
}

/* One event's table: its heading, then its rows. Of several there is all the text, one table after the other. */
static struct ui_view *make_view(const struct diff_browser *b)
{
	bool is_one = b->c->events.nr == 1;
	char *title = mem_printf("Differences%s%s", is_one ? " of event " : "", is_one ? b->c->events.v[0].name : "");
	struct ui_view *v;
	struct out rows;

	out_init(&rows, -1);
	for (const char *s = b->text.buf, *end = s + b->text.len; s < end;) {
		size_t len = strcspn(s, "\n");
		bool is_comment = *s == '#', is_heading = is_comment && len > 2 && !strncmp(s, "# Baseline", 10);

		if (len && (!is_one || !is_comment || is_heading)) {
			out_char(&rows, is_heading ? ' ' : *s);
			out_mem(&rows, s + 1, len - 1);
			out_char(&rows, '\n');
		}
		s += len + 1;
	}
	v = ui_text_view(title, rows.buf, rows.len, 1, NULL, NULL);
	ui_text_on_save(v, save, (void *)(uintptr_t)b);
	out_fini(&rows);
	free(title);
	return v;
}

static int browse(struct diff_command *c, struct errbuf *eb)
{
	struct diff_browser b = { .c = c };
	struct ui_app app;
	int err;

	c->options.text.is_colourful = false;
	out_init(&b.text, -1);
	print(c, &b.text);
	out_char(&b.text, 0);
	b.text.len--;
	ui_app_init(&app);
	if (!c->options.text.show_noise)
		ui_quality_note(&c->quality,
				"What of the differences is noise, one recording a side does not tell: --interval shows the least of it, "
				"and 'assay diff A1,A2,A3 B1,B2,B3' tests every row");
	ui_quality_show(&c->quality, &app);
	ui_app_push(&app, make_view(&b));
	err = tui_open(eb);
	if (!err)
		err = tui_run(&app);
	ui_app_fini(&app);
	tui_close();
	out_fini(&b.text);
	return err;
}

/* Rows of one side alone are a result; none at all are a filter that matches nothing. */
static int check_passed(const struct diff_command *c, struct errbuf *eb)
{
	char *filters = input_filter_text(&c->in.filter);
	uint64_t nr_kept = 0;
	int err = 0;

	for (uint32_t i = 0; i < c->events.nr; i++)
		for (uint32_t k = 0; k < c->events.v[i].table.nr_recordings; k++)
			nr_kept += c->events.v[i].table.recordings[k].kept_period > 0;
	if (filters && !nr_kept && c->events.nr)
		err = errbuf_set(eb, -ENODATA, "no sample of these recordings passes%s", filters);
	free(filters);
	return err;
}

static int run(struct diff_command *c, struct errbuf *eb)
{
	struct out o;
	int err = read_all(c, eb), flush_err;

	if (c->nr_read < c->sides.names.nr)
		return err;
	if (c->is_browsed) {
		flush_err = browse(c, eb);
		return err ? err : flush_err ? flush_err : check_passed(c, eb);
	}
	out_init(&o, STDOUT_FILENO);
	out_page(&o);
	if (c->json)
		print_json(c, &o);
	else
		print(c, &o);
	flush_err = out_fini(&o);
	if (!err && !flush_err)
		err = check_passed(c, eb);
	return err ? err : flush_err;
}

/* perf.data.old and perf.data where no file is named; perf.data.old and FILE where one is. */
static int take_words(struct diff_command *c, int argc, char **argv, struct errbuf *eb)
{
	if (argc < 2)
		sides_add(&c->sides, "perf.data.old");
	for (int i = 0; i < argc; i++)
		sides_add(&c->sides, argv[i]);
	if (!argc)
		sides_add(&c->sides, "perf.data");
	if (argc == 1 && access(argv[0], F_OK))
		return errbuf_set(eb, -ENOENT, "there is no recording '%s'", argv[0]);
	if (argc < 2 && access("perf.data.old", F_OK))
		return errbuf_set(
			eb, -ENOENT,
			"there is no perf.data.old here: record twice in this directory (the second recording renames the first), "
			"or name two recordings: assay diff BASE NEW");
	if (c->options.table.order >= c->sides.nr_sides)
		return errbuf_set(eb, CMD_USAGE, "diff: -o %u: there are %u sides, from 0 (the baseline) to %u", c->options.table.order,
				  c->sides.nr_sides, c->sides.nr_sides - 1);
	return sides_check(&c->sides, c->in.quiet, eb);
}

static void finish_options(struct diff_command *c)
{
	struct diff_options *o = &c->options;

	diff_options_finish(o, &c->in.filter);
	for (c->hist.nr_keys = 0; c->hist.nr_keys < o->table.nr_keys; c->hist.nr_keys++)
		c->hist.keys[c->hist.nr_keys] = o->table.keys[c->hist.nr_keys];
	o->table.match = c->hist.match = &c->sides.match;
	/* Places are filtered row by row: rows are those of places then. */
	if (c->in.filter.dsos.nr)
		c->hist.keys[c->hist.nr_keys++] = HIST_DSO;
	if (c->in.filter.symbols.nr)
		c->hist.keys[c->hist.nr_keys++] = HIST_SYM;
	o->text.rows_only = c->in.quiet;
	o->text.list_files = c->in.verbose;
	o->text.has_dso_filter = c->in.filter.dsos.nr;
	o->text.is_colourful = out_is_colourful(STDOUT_FILENO);
	o->text.names = (const char *const *)c->sides.names.v;
	o->text.show_noise = c->interval || c->sides.names.nr > c->sides.nr_sides;
}

static int check_json(const struct diff_command *c, struct errbuf *eb)
{
	const struct input_switch others[] = {
		{ "--period", c->options.text.show_period },
		{ "--formula", c->options.text.show_formula },
		{ "--field-separator", c->options.text.separator },
	};

	return c->json ? input_check_json("diff", others, sizeof(others) / sizeof(*others), eb) : 0;
}

static void fini(struct diff_command *c)
{
	for (uint32_t i = 0; i < c->events.nr; i++) {
		free(c->events.v[i].name);
		diff_table_fini(&c->events.v[i].table);
	}
	vec_fini(&c->events);
	sides_fini(&c->sides);
	ui_quality_fini(&c->quality);
	input_fini(&c->in);
	diff_options_fini(&c->options);
}

int cmd_diff(int argc, char **argv, struct errbuf *eb)
{
	struct diff_command c = { .options.table = { .compute = DIFF_DELTA_ABS } };
	struct diff_text_options *text = &c.options.text;
	uint64_t order = 1;
	unsigned percentage = 0;
	char *sort_words = column_words('|', HIST_NR_KEYS, COLUMN_IN_DIFF);
	int err;
	const struct option table[] = {
		OPT_GROUP("What is computed"),
		OPT_CALL('c', "compute", diff_option_compute, &c.options, "HOW",
			 "delta, delta-abs (sorted by size, the default), ratio, or wdiff:W1,W2 (new times W2 less baseline times W1)",
			 .complete = "delta|delta-abs|ratio|wdiff:1,1"),
		OPT_U64('o', "order", &order, 0, UINT32_MAX, "N", "sort by the Nth recording's column; 0: by the baseline (default 1)"),
		OPT_CALL('s', "sort", diff_option_sort, &c.options, "KEY,…",
			 "one row for each comm, pid, tid, dso, sym, cpu, srcline, srcfile (default dso,sym), or a field of "
			 "tracepoints: [EVENT.]FIELD[/raw|/name], syscall, trace; +KEY adds to the default",
			 .complete = sort_words),
		OPT_BOOL('b', "baseline-only", &c.options.table.baseline_only, "only rows of the baseline that have a match"),
		SIDES_OPTION_MATCH(&c.sides),
		OPT_CHOICE(0, "percentage", &percentage, "absolute|relative", "OF",
			   "under filters: shares relative to what they keep, or absolute (default)"),
		OPT_BOOL(0, "absolute", &c.options.table.absolute,
			 "compare as counted, instead of shares of each side: shares of what the baseline has"),
		OPT_BOOL(0, "interval", &c.interval, "how much of a difference may be noise (default where a side has several recordings)"),
		OPT_GROUP("Which samples"),
		OPT_CALL('d', "dsos", input_option_filter, &c.in, "NAME,…", "only samples in these files"),
		OPT_CALL('C', "comms", input_option_filter, &c.in, "NAME,…", "only tasks of these names"),
		OPT_CALL('S', "symbols", input_option_filter, &c.in, "NAME,…", "only samples in these functions"),
		OPT_CALL(0, "pid", input_option_filter, &c.in, "PID,…", "only these processes", .complete = "pid"),
		OPT_CALL(0, "tid", input_option_filter, &c.in, "TID,…", "only these threads"),
		OPT_CALL(0, "cpu", input_option_filter, &c.in, "LIST", "only these CPUs, as in 0-3,7"),
		INPUT_FIELD_FILTER(&c.in),
		OPT_STRING(0, "time", &c.options.time, "FROM,TO",
			   "only samples of this time: seconds as in 12.5,13 or shares as in 10%/2; of each recording with ':' between"),
		OPT_BOOL(0, "bare-addresses", &c.bare_addresses,
			 "one row for all code of a file without symbols, as perf has it, not one a function"),
		OPT_GROUP("Columns and text"),
		OPT_BOOL('p', "period", &text->show_period, "columns for the sums of periods"),
		OPT_BOOL('F', "formula", &text->show_formula, "a column that says how the value is computed"),
		OPT_CALL('t', "field-separator", diff_option_separator, &c.options, "CHAR",
			 "separate columns by CHAR instead of aligning them"),
		OPT_BOOL(0, "stdio", &c.stdio, "plain text, on a terminal too"),
		OPT_BOOL(0, "tui", &c.tui, "browse it in the terminal (default on a terminal; fails where there is none)"),
		OPT_BOOL(0, "json", &c.json, "JSON instead of text (schema: assay-diff(1))"),
		OPT_GROUP("Symbols"),
		INPUT_SYMBOLS(&c.in),
		OPT_COUNT('v', "verbose", &c.in.verbose, "say more (twice: debugging)"),
		OPT_BOOL('q', "quiet", &c.in.quiet, "no warnings, no headings"),
		OPT_BOOL('f', "force", &c.in.force, "read files that another user owns"),
		OPT_ACCEPTED('m', "modules", "symbols of kernel modules are always looked for"),
		OPT_CALL_NONE('D', "dump-raw-trace", diff_option_absent, NULL, "records of one file are shown by 'assay report -D -i FILE'",
			      .hidden = true),
		OPT_CALL_NONE(0, "cycles-hist", diff_option_absent, NULL, "cycles of basic blocks are not in this version of assay",
			      .hidden = true),
		OPT_CALL_NONE(0, "stream", diff_option_absent, NULL, "streams of branch records are not in this version of assay",
			      .hidden = true),
		OPT_END,
	};
	const struct options opts = {
		.command = "diff",
		.usage = "assay diff [OPTIONS] BASE NEW…\nassay diff [OPTIONS] BASE1,BASE2,… NEW1,NEW2,…\n"
			 "assay diff [OPTIONS] [NEW]     (with perf.data.old; NEW is perf.data where nothing is named)",
		.summary =
			"Shows what changed between recordings, function by function; with several recordings a side, what of it is noise.",
		.examples = "  assay diff                         (perf.data.old with perf.data)\n"
			    "  assay diff -c ratio -s sym old.data new.data\n"
			    "  assay diff a1.data,a2.data,a3.data b1.data,b2.data,b3.data\n",
		.table = table,
	};

	input_init(&c.in);
	ui_quality_init(&c.quality);
	sides_init(&c.sides);
	err = cmd_parse(&opts, &argc, &argv, eb);
	if (err)
		goto out;
	c.options.table.order = (uint32_t)order;
	c.options.table.relative = percentage;
	err = take_words(&c, argc, argv, eb);
	if (!err)
		err = check_json(&c, eb);
	if (err)
		goto out;
	err = tui_choose("diff", c.tui, c.stdio || c.json || c.in.quiet || c.options.text.separator, eb);
	if (err < 0)
		goto out;
	c.is_browsed = err;
	finish_options(&c);
	err = run(&c, eb);
out:
	fini(&c);
	free(sort_words);
	return err;
}
