/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay annotate: which instructions and source lines of a function took the time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/log.h"
#include "base/terminal.h"
#include "cmd/annotate_ui.h"
#include "cmd/cmd.h"
#include "cmd/input.h"
#include "cmd/perf_compat.h"
#include "model/annotation.h"
#include "tui/tui.h"
#include "view/annotate.h"

struct annotate_command {
	struct input in;
	struct annotate_options options;
	enum disasm_syntax syntax;
	double percent_limit;
	bool json, stdio, tui, is_browsed, group, group_set, skip_missing, modules, arrows_set;
	unsigned colour; /* enum annotate_colour */
	uint32_t nr_shown, nr_missing;
};

enum annotate_colour { COLOUR_ALWAYS, COLOUR_NEVER, COLOUR_AUTO };

static int option_percent_limit(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct annotate_command *c = ctx;
	char *end;

	(void)opt, (void)negated;
	c->percent_limit = strtod(arg, &end);
	if (end == arg || *end || !(c->percent_limit >= 0 && c->percent_limit <= 100))
		return errbuf_set(eb, -EINVAL, "annotate: --percent-limit: '%s' is no number from 0 to 100", arg);
	return 0;
}

static int option_symbol(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct annotate_command *c = ctx;

	(void)opt, (void)negated, (void)eb;
	filter_add_names(&c->in.filter.symbols, arg);
	return 0;
}

static int option_objdump(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	(void)opt, (void)ctx, (void)negated, (void)eb;
	log_warn("annotate: --objdump %s is not needed: no other program is started", arg);
	return 0;
}

/* Events that are shown side by side, from `first` on. */
static struct annotate_events events_from(const struct annotate_command *c, uint32_t first)
{
	const struct perfdata_info *info = c->in.session->recording.info;

	for (uint32_t i = 0; c->group && i < info->groups.nr; i++)
		if (info->groups.v[i].leader_idx == first && info->groups.v[i].nr_members <= info->events.nr - first)
			return (struct annotate_events){ first, info->groups.v[i].nr_members, info->groups.v[i].name };
	/* Where nothing was recorded as a group it is asked for of all. */
	if (c->group && c->group_set && !info->groups.nr && !first)
		return (struct annotate_events){ 0, info->events.nr, NULL };
	return (struct annotate_events){ first, 1, NULL };
}

static void put_skid(struct out *o, const struct annotate_command *c, const struct annotate_events *events)
{
	const struct perfdata_info *info = c->in.session->recording.info;

	for (uint32_t e = events->first; !c->in.quiet && e < events->first + events->nr; e++) {
		const char *skid = annotate_skid(&info->events.v[e].attr);

		if (!skid)
			continue;
		out_str(o, "# ");
		escape_terminal_str(o, info->events.v[e].name);
		out_printf(o, ": %s\n", skid);
	}
}

static double share_of(const struct annotation_list *l, const struct annotated_symbol *s, const struct annotate_events *events)
{
	uint64_t total = annotation_symbol_sum(&(struct annotated_symbol){ .sums = l->totals }, events->first, events->nr).period;

	return total ? 100.0 * (double)annotation_symbol_sum(s, events->first, events->nr).period / (double)total : 0;
}

static void show_symbol(struct annotate_command *c, struct annotation_list *l, uint32_t i, const struct annotate_events *events,
			struct out *o, struct json *j)
{
	const struct annotation_options options = { c->syntax, c->options.rows.with_source || c->options.line_summary || c->json };
	struct annotation a;

	annotation_init(&a, l, i, &options);
	if (a.why_no_code && c->skip_missing) {
		c->nr_missing++;
	} else if (j) {
		annotate_json(j, &c->options, l, &a, events);
		c->nr_shown++;
	} else {
		annotate_text(o, &c->options, l, &a, events);
		c->nr_shown++;
	}
	annotation_fini(&a);
}

static void show_events(struct annotate_command *c, struct annotation_list *l, const struct annotate_events *events, struct out *o,
			struct json *j)
{
	annotation_list_sort(l, events->first, events->nr);
	for (uint32_t i = 0; i < l->symbols.nr && !o->error; i++) {
		const struct annotated_symbol *s = &l->symbols.v[i];

		if (annotation_symbol_sum(s, events->first, events->nr).nr == 0 || share_of(l, s, events) < c->percent_limit)
			continue;
		show_symbol(c, l, i, events, o, j);
	}
}

/* The first events that have samples. */
static int browse(struct annotate_command *c, struct annotation_list *l, struct errbuf *eb)
{
	const struct perfdata_info *info = c->in.session->recording.info;
	struct annotate_ui u = { .list = l, .options = c->options, .syntax = c->syntax };
	const char *skid;

	for (uint32_t e = 0; e < info->events.nr && !u.events.nr;) {
		struct annotate_events events = events_from(c, e);

		if (!attr_is_dummy(&info->events.v[e].attr) && l->totals[e].nr)
			u.events = events;
		e += events.nr ? events.nr : 1;
	}
	if (!u.events.nr || !l->symbols.nr)
		return 0; /* the closing warnings say why */
	skid = annotate_skid(&info->events.v[u.events.first].attr);
	tui_use_colours(c->colour == COLOUR_NEVER ? TUI_COLOURS_NEVER : c->colour == COLOUR_ALWAYS ? TUI_COLOURS_ALWAYS : TUI_COLOURS_AUTO);
	return annotate_ui_run(&u, c->percent_limit, &c->in, skid, eb);
}

static int show(struct annotate_command *c, struct out *o, struct errbuf *eb)
{
	const struct perfdata_info *info = c->in.session->recording.info;
	struct annotation_list l;
	struct json j;
	int err = 0;

	input_symbolize(&c->in);
	annotation_list_init(&l, c->in.profile, &c->in.filter);
	c->in.nr_passed = l.symbols.nr;
	c->in.checks_passed = true;
	if (c->json) {
		json_init(&j, o, true);
		json_object(&j);
		json_put_str(&j, "schema", "assay-annotate-1");
		json_put_u64(&j, "samples_without_function", l.nr_unnamed);
		json_put_array(&j, "functions");
	}
	if (c->is_browsed)
		err = browse(c, &l, eb);
	for (uint32_t e = 0; e < info->events.nr && !c->is_browsed;) {
		struct annotate_events events = events_from(c, e);

		if (!c->json && l.totals[e].nr)
			put_skid(o, c, &events);
		if (!attr_is_dummy(&info->events.v[e].attr) || events.nr > 1)
			show_events(c, &l, &events, o, c->json ? &j : NULL);
		e += events.nr ? events.nr : 1;
	}
	if (c->json) {
		json_array_end(&j);
		json_object_end(&j);
		out_char(o, '\n');
	} else if (l.nr_unnamed && !filter_is_set(&c->in.filter) && !c->in.quiet) {
		log_warn("%llu samples are in no known function, and not shown; 'assay report -s dso' says in which files",
			 (unsigned long long)l.nr_unnamed);
	}
	if (c->nr_missing)
		log_info("%u functions without code were left out", c->nr_missing);
	annotation_list_fini(&l);
	return err;
}

/* On a terminal there are colours, and rows end where it does; without --stdio, which has perf's columns, there are arrows, too. To be found out
 * before there is a pager. */
static void finish_options(struct annotate_command *c)
{
	bool is_terminal = isatty(STDOUT_FILENO) && !c->json;

	if (!c->arrows_set)
		c->options.arrows = is_terminal && !c->stdio;
	c->options.utf8 = terminal_is_utf8();
	c->options.colour = c->colour == COLOUR_ALWAYS || (c->colour == COLOUR_AUTO && is_terminal && out_is_colourful(STDOUT_FILENO));
	c->options.width = is_terminal ? terminal_size_of(STDOUT_FILENO).columns : 0;
}

static int run(struct annotate_command *c, struct errbuf *eb)
{
	struct profile *p = c->in.profile;
	struct out o;
	int err, flush_err;

	finish_options(c);
	out_init(&o, STDOUT_FILENO);
	out_page(&o);
	input_limit_output(&c->in, &o, false);
	p->only_places = true;
	p->adds_up = true;
	p->source = PROFILE_SYMBOLS;
	err = input_load(&c->in, &(struct input_load){ .see = NULL }, eb);
	if (!err)
		err = show(c, &o, eb);
	flush_err = out_fini(&o);
	return input_limit_error(&c->in, err ? err : flush_err, eb);
}

/* [RECORDING] [SYMBOL]: what cannot be read as a recording is a function, as in report. */
static int take_words(struct annotate_command *c, int argc, char **argv, struct errbuf *eb)
{
	if (argc && input_is_recording(argv[0])) {
		int err = input_take_file(&c->in.path, "annotate", 1, argv, eb);

		if (err)
			return err;
		argc--;
		argv++;
	}
	if (argc > 1)
		return errbuf_set(eb, CMD_USAGE, "annotate: unexpected argument '%s'; there is one recording and one function", argv[1]);
	if (argc) {
		filter_add_names(&c->in.filter.symbols, argv[0]);
		c->in.symbol_word = argv[0];
	}
	return 0;
}

static int check_options(const struct annotate_command *c, struct errbuf *eb)
{
	const struct input_switch others[] = {
		{ "--print-line", c->options.line_summary },
		{ "--show-nr-samples", c->options.show_samples },
		{ "--show-total-period", c->options.show_period },
		{ "--max-lines", c->options.rows.max_rows },
		{ "--arrows", c->arrows_set },
	};

	if (c->options.rows.source.nr_stripped && !c->options.rows.source.prefix)
		return errbuf_set(eb, CMD_USAGE, "annotate: --prefix-strip needs --prefix, which says what is put in front of paths");
	return c->json ? input_check_json("annotate", others, sizeof(others) / sizeof(*others), eb) : 0;
}

/* Text where an option asks for some, in a pipe, and on a terminal that has no UI. */
static int choose_ui(struct annotate_command *c, struct errbuf *eb)
{
	bool wants_text = c->stdio || c->json || c->in.quiet || c->options.line_summary || c->options.rows.max_rows || c->skip_missing ||
			  c->arrows_set;
	int ret = tui_choose("annotate", c->tui, wants_text, eb);

	c->is_browsed = ret > 0;
	return ret < 0 ? ret : 0;
}

static int annotate(struct annotate_command *c, int argc, char **argv, struct errbuf *eb)
{
	int err = take_words(c, argc, argv, eb);

	if (!err)
		err = check_options(c, eb);
	if (!err)
		err = choose_ui(c, eb);
	if (!err)
		err = input_open(&c->in, false, eb);
	if (!err)
		err = run(c, eb);
	return err ? err : input_finish(&c->in, eb);
}

int cmd_annotate(int argc, char **argv, struct errbuf *eb)
{
	struct annotate_command c = { .options.rows.with_source = true, .group = true, .colour = COLOUR_AUTO };
	int err;
	const struct option table[] = {
		OPT_GROUP("Input"),
		INPUT_OPTIONS(&c.in),
		OPT_STRING('S', NULL, &c.in.symbols.symfs, "DIR", "the same as --symfs", .complete = "file"),
		OPT_BOOL('m', "modules", &c.modules, "taken for perf's sake: symbols of kernel modules are looked for without it",
			 .hidden = true),
		OPT_GROUP("Which functions"),
		OPT_CALL('s', "symbol", option_symbol, &c, "NAME,…", "only these functions"),
		OPT_CALL(0, "symbols", option_symbol, &c, "NAME,…", "the same as --symbol", .hidden = true),
		OPT_CALL('d', "dsos", input_option_filter, &c.in, "NAME,…", "only functions of these files"),
		OPT_CALL(0, "percent-limit", option_percent_limit, &c, "PERCENT", "only functions with at least this share of an event"),
		OPT_BOOL(0, "skip-missing", &c.skip_missing, "leave out functions whose code cannot be read"),
		OPT_GROUP("Which samples"),
		OPT_CALL('C', "cpu", input_option_filter, &c.in, "LIST", "only these CPUs, as in 0-3,7"),
		OPT_CALL(0, "comms", input_option_filter, &c.in, "NAME,…", "only tasks of these names"),
		OPT_CALL(0, "pid", input_option_filter, &c.in, "PID,…", "only these processes", .complete = "pid"),
		OPT_CALL(0, "tid", input_option_filter, &c.in, "TID,…", "only these threads"),
		OPT_CALL(0, "time", input_option_time, &c.in, "FROM,TO",
			 "only samples of this time: seconds as in 12.5,13 or shares as in 10%/2 or 0%-10%"),
		OPT_GROUP("Code and source"),
		OPT_CALL('M', "disassembler-style", annotate_option_syntax, &c.syntax, "STYLE", "syntax of x86: att (the default) or intel",
			 .complete = "att|intel"),
		OPT_BOOL(0, "asm-raw", &c.options.rows.with_bytes, "the bytes of instructions, too"),
		OPT_BOOL(0, "source", &c.options.rows.with_source, "source lines in front of their code (default)"),
		OPT_BOOL('l', "print-line", &c.options.line_summary, "a summary of source lines, and their names behind hot instructions"),
		OPT_BOOL('P', "full-paths", &c.options.full_paths, "whole paths of files"),
		OPT_STRING(0, "prefix", &c.options.rows.source.prefix, "DIR", "look for source files below DIR", .complete = "file"),
		OPT_U64(0, "prefix-strip", &c.options.rows.source.nr_stripped, 0, 1000, "N",
			"drop the first N directories of their paths before (with --prefix)"),
		OPT_BOOL(0, "arrows", &c.options.arrows, "arrows of jumps inside a function (default on a terminal without --stdio)",
			 .is_set = &c.arrows_set),
		OPT_CALL(0, "objdump", option_objdump, NULL, "PATH", "perf's: not needed, no other program is started", .hidden = true),
		OPT_GROUP("Columns"),
		OPT_CHOICE(0, "percent-type", &c.options.percent_type, ANNOTATE_PERCENT_WORDS, "TYPE",
			   "local-period (the default), global-period, local-hits or global-hits: of the function or of the recording, by "
			   "periods or by samples"),
		OPT_BOOL('n', "show-nr-samples", &c.options.show_samples, "numbers of samples instead of percent"),
		OPT_BOOL(0, "show-total-period", &c.options.show_period, "sums of periods instead of percent"),
		OPT_BOOL(0, "group", &c.group,
			 "events of a group side by side (default where groups were recorded; given, all events else)",
			 .is_set = &c.group_set),
		OPT_U64(0, "max-lines", &c.options.rows.max_rows, 1, 1000000, "N",
			"at most N lines of each function, around its hottest instruction"),
		OPT_GROUP("Other output"),
		OPT_BOOL(0, "stdio", &c.stdio, "text in perf's columns, on a terminal too"),
		OPT_BOOL(0, "tui", &c.tui, "browse functions in the terminal (default on a terminal; fails where there is none)"),
		OPT_CHOICE(0, "color", &c.colour, "always|never|auto", "MODE",
			   "colours of shares in text: always, never or auto (default: on a terminal, unless NO_COLOR is set)"),
		OPT_CHOICE(0, "stdio-color", &c.colour, "always|never|auto", "MODE", "the same, as perf calls it", .hidden = true),
		OPT_BOOL(0, "json", &c.json, "JSON instead of text (schema: assay-annotate(1))"),
		OPT_END,
	};
	const struct options opts = {
		.command = "annotate",
		.absent = perf_annotate_absent,
		.usage = "assay annotate [OPTIONS] [FILE] [SYMBOL]",
		.summary = "Shows which instructions and source lines of functions took the time, the hottest functions first.",
		.examples = "  assay annotate --stdio -s main\n"
			    "  assay annotate --percent-limit 5 --max-lines 40\n"
			    "  assay annotate -l -M intel --no-source hot_loop\n",
		.table = table,
	};

	input_init(&c.in);
	err = cmd_parse(&opts, &argc, &argv, eb);
	if (!err)
		err = annotate(&c, argc, argv, eb);
	input_fini(&c.in);
	return err;
}
