/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay report: where the time went.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/offcpu.h"
#include "base/escape.h"
#include "base/log.h"
#include "base/terminal.h"
#include "cmd/cmd.h"
#include "cmd/input.h"
#include "cmd/perf_compat.h"
#include "cmd/report_table.h"
#include "cmd/report_ui.h"
#include "model/hist.h"
#include "model/profile.h"
#include "model/time_strips.h"
#include "tui/tui.h"
#include "view/record_text.h"
#include "view/header_text.h"
#include "view/quality_text.h"
#include "view/report.h"

struct report_command {
	struct input in;
	struct report_options options;
	struct parallelism parallelism;
	bool header, header_only, full_info;
	bool dump, stats, tasks, mmaps, json;
	bool stdio, tui, color_set, hide_unresolved, bare_addresses, inlines;
	unsigned colour;     /* enum report_colour */
	bool is_on_terminal; /* a person reads it, perhaps in a pager */
	bool is_browsed;     /* in a terminal UI */
	struct time_strips strips, wait_strips;
	struct report_ui ui;
};

enum report_colour { COLOUR_ALWAYS, COLOUR_NEVER, COLOUR_AUTO };

struct reading {
	const struct report_command *cmd;
	struct out *o;	  /* -D prints records there as they are read */
	struct out *head; /* a pipe's header comes in parts, which go here */
	struct time_strips *strips, *wait_strips;
};

static void dump(void *ctx, const struct session_record *sr)
{
	const struct reading *r = ctx;

	dump_record(r->o, r->cmd->in.path, &r->cmd->in.session->recording, sr, DUMP_REPORT);
}

/* A thread that waits is not busy, however often it does so. */
static void add_to_strip(const struct reading *r, const struct session_record *sr)
{
	const struct session *session = r->cmd->in.session;
	const struct perfdata_event *e = &session->recording.info->events.v[sr->event];

	time_strips_add(offcpu_is_event(&e->attr, e->name) ? r->wait_strips : r->strips, sr->task->pid, sr->task->tid,
			machine_comm(&session->machine, sr->task), sr->time_ns);
}

static void see(void *ctx, const struct session_record *sr)
{
	const struct reading *r = ctx;
	const struct report_command *c = r->cmd;

	if (c->is_browsed && sr->header->type == RECORD_SAMPLE && sr->task)
		add_to_strip(r, sr);
	if ((c->header || c->header_only) && sr->header->type == RECORD_HEADER_FEATURE)
		header_text_feature(r->head, c->in.session->recording.info, sr->header, c->full_info);
	if (c->dump && sr->header->type == RECORD_SAMPLE)
		dump_place(r->o, &c->in.session->machine, sr);
}

/* Reads everything into the profile; prints it record by record under -D. */
static int load(struct report_command *c, struct out *o, struct out *head, struct errbuf *eb)
{
	struct reading r = { c, o, head, &c->strips, &c->wait_strips };
	bool sees = c->dump || c->header || c->header_only || c->is_browsed;

	if (c->dump) {
		c->in.session->options.each_record = dump;
		c->in.session->options.each_record_ctx = &r;
	}
	return input_load(&c->in, &(struct input_load){ .see = sees ? see : NULL, .ctx = &r }, eb);
}

/* Fields that are sort keys are read with each sample. The events of a pipe are known in the end. */
static int open_fields(struct report_command *c, struct errbuf *eb)
{
	struct profile *p = c->in.profile;

	report_options_choose_keys(&c->options, p->recording);
	if (!c->options.field_keys.words.nr)
		return 0;
	field_keys_open(&c->options.field_keys, p->recording, &p->strings, p->machine->memory);
	p->fields = &c->options.field_keys;
	return c->in.is_stored ? report_options_check_fields(&c->options, eb) : 0;
}

static bool keep_task(void *ctx, const struct profile *p, uint32_t task)
{
	return filter_keeps_task(ctx, p, task);
}

static bool keep_parallelism(void *ctx, uint32_t parallelism)
{
	return filter_keeps_parallelism(ctx, parallelism);
}

static bool keep_place(void *ctx, const struct profile *p, uint32_t dso, uint32_t frame)
{
	return filter_keeps_place(ctx, p, dso, frame);
}

/* Rows are of branches where the recording was made for that, or where that is asked for. */
static int choose_branches(struct report_command *c, struct errbuf *eb)
{
	const struct recording *r = &c->in.session->recording;
	struct report_options *o = &c->options;

	if (!o->branches_set)
		o->branches = r->info->features >> FEAT_BRANCH_STACK & 1;
	if (o->branches && !recording_samples(r, SAMPLE_BRANCH_STACK))
		return errbuf_set(eb, -EINVAL, "-b: this recording has no branch stacks; those of 'perf record -b' have them");
	c->in.profile->keep_branches = o->branches;
	c->in.profile->adds_up = !o->branches;
	return report_options_check_keys(o, eb);
}

/* What needs context switches: an option or a column; NULL: nothing that was asked for. */
static const char *needs_switches(const struct report_command *c)
{
	return c->in.filter.parallelisms.nr ? "--parallelism" : report_options_needs_switches(&c->options);
}

static int check_switches(const struct report_command *c, struct errbuf *eb)
{
	const char *word = needs_switches(c);

	if (!word)
		return 0;
	if (c->options.branches)
		return errbuf_set(eb, -EINVAL, "report: '%s' is about samples, and rows here are about branches: add --no-branch-stack",
				  word);
	if (c->parallelism.is_of_all_cpus)
		return errbuf_set(eb, -EINVAL,
				  "report: '%s' is not known of a recording of all CPUs; 'assay record --latency -- COMMAND' records "
				  "what it needs of one program",
				  word);
	if (!parallelism_is_recorded(c->in.session->recording.info))
		return errbuf_set(eb, -EINVAL,
				  "report: '%s' needs the context switches beside the samples; 'assay record --latency' records them",
				  word);
	return 0;
}

/* Of a pipe it is known in the end whether it has context switches. */
static int open_latency(struct report_command *c, struct errbuf *eb)
{
	struct profile *p = c->in.profile;
	bool is_known = p->recording->info->events.nr;
	int err = is_known ? check_switches(c, eb) : 0;

	if (err || c->options.branches || (is_known && !parallelism_is_recorded(p->recording->info)))
		return err;
	p->parallelism = &c->parallelism;
	p->tells_parallelism = c->in.filter.parallelisms.nr || report_options_want_parallelism(&c->options);
	return 0;
}

static int finish_latency(struct report_command *c, struct errbuf *eb)
{
	struct report_options *o = &c->options;
	int err = check_switches(c, eb);

	if (err || !c->in.profile->parallelism || !parallelism_is_recorded(c->in.profile->recording->info))
		return err;
	o->has_switches = true;
	o->shows_latency = c->parallelism.max > 1 && !c->parallelism.is_of_all_cpus;
	o->hist.latency = c->in.profile->samples.nr && (o->shows_latency || needs_switches(c));
	if (o->hist.latency && c->parallelism.has_lost)
		log_warn("%s: records were lost, and context switches may be among them: latency and parallelism are estimates",
			 input_name(&c->in));
	return 0;
}

static void build(struct hist *h, struct report_command *c, const struct hist_options *options, uint32_t event)
{
	hist_init(h, c->in.profile, options, event);
	hist_build(h, &(struct hist_filter){ keep_task, keep_parallelism, keep_place, (void *)(uintptr_t)&c->in.filter });
	hist_sort(h);
	c->in.nr_passed += h->entries.nr;
}

/* What a filter of one name took out of the columns is said once on top. */
static void put_elided(struct out *o, const char *what, const struct filter_names *names)
{
	if (names->nr == 1) {
		out_printf(o, "# %s: ", what);
		escape_terminal(o, names->v[0], strlen(names->v[0]));
		out_char(o, '\n');
	}
}

static void put_header_hint(struct out *o, const struct report_command *c)
{
	if (!c->header && !c->in.quiet)
		out_str(o, "# To display the perf.data header info, please use --header/--header-only options.\n#\n");
}

static void put_preamble(struct out *o, const struct report_command *c)
{
	const struct recording *r = &c->in.session->recording;
	uint64_t lost = recording_lost(r), nr = r->stats.nr_by_type[RECORD_SAMPLE];

	put_header_hint(o, c);
	put_elided(o, "comm", &c->in.filter.comms);
	put_elided(o, "dso", &c->in.filter.dsos);
	put_elided(o, "symbol", &c->in.filter.symbols);
	out_printf(o, "#\n# Total Lost Samples: %llu\n", (unsigned long long)lost);
	quality_text(o, &c->in.quality);
	out_str(o, "#\n");
	if (lost)
		out_printf(o, "# Events: %llu = %llu samples + %llu lost\n#\n", (unsigned long long)(nr + lost), (unsigned long long)nr,
			   (unsigned long long)lost);
}

/* What else there is to see of this recording. */
static void put_tip(struct out *o, const struct report_command *c)
{
	bool is_named = strcmp(c->in.path, "-") && strcmp(c->in.path, "perf.data");
	const char *of = is_named ? " -i " : "", *path = is_named ? c->in.path : "";
	const char *tips[] = { NULL, "script" };
	const char *what[] = { NULL, "every sample" };

	if (c->options.call_word >= 0) {
		what[0] = "for callers and flame graphs";
		tips[0] = "trace record -g";
		what[1] = "every call";
		tips[1] = "trace -i";
		of = " ";
		path = c->in.path;
	} else if (c->options.hist.children) {
		what[0] = "sorted by own time alone";
		tips[0] = "report --no-children";
	} else if (c->options.hist.chains) {
		what[0] = "functions with all they called";
		tips[0] = "report --children";
	} else if (!c->options.chains_known) {
		what[0] = "for callers and flame graphs";
		tips[0] = "record --call-graph dwarf";
	}
	out_str(o, "#\n# (Tip: ");
	for (int i = 0; i < 2; i++) {
		if (!tips[i])
			continue;
		out_printf(o, "%s%s: assay %s", i && tips[0] ? "; " : "", what[i], tips[i]);
		if (!strstr(tips[i], "record")) {
			out_str(o, of);
			escape_terminal(o, path, strlen(path));
		}
	}
	out_str(o, ")\n#\n");
}

/* Of the first event that has samples. Rows of branches and of fields are another question. */
static void put_answer(struct out *o, struct report_command *c)
{
	const struct recording *r = &c->in.session->recording;
	bool has_answer = false;

	for (uint32_t i = 0; i < r->info->events.nr && !has_answer; i++) {
		struct hist_options options;
		uint64_t nr_passed = c->in.nr_passed;
		struct hist h;

		if (attr_is_dummy(&r->info->events.v[i].attr) || r->info->events.v[i].attr.type == ATTR_TYPE_TRACEPOINT)
			continue;
		report_answer_options(&options);
		build(&h, c, &options, i);
		c->in.nr_passed = nr_passed;
		has_answer = h.nr_samples;
		if (has_answer)
			report_answer(o, &c->options.text, &h);
		hist_fini(&h);
	}
}

static void print_hists(struct out *o, struct report_command *c)
{
	const struct recording *r = &c->in.session->recording;
	uint32_t nr_samples = c->in.profile->samples.nr;

	if (c->is_on_terminal && !c->in.quiet && !c->options.branches && !c->options.text.separator)
		put_answer(o, c);
	if (!c->in.quiet)
		put_preamble(o, c);
	for (uint32_t i = 0; i < r->info->events.nr; i++) {
		struct hist h;

		if (attr_is_dummy(&r->info->events.v[i].attr)) /* it never counts */
			continue;
		report_options_of_event(&c->options, i);
		build(&h, c, &c->options.hist, i);
		/* As perf has it: an event that never happened has no table, unless none happened. */
		if (!h.nr_samples && !recording_event_lost(r, i) && nr_samples) {
			hist_fini(&h);
			continue;
		}
		report_text(o, &c->options.text, &h, r->info->events.v[i].name, c->in.filter.time_arg);
		out_str(o, "\n\n");
		hist_fini(&h);
	}
	if (!c->in.quiet && nr_samples)
		put_tip(o, c);
	else if (!c->in.quiet)
		out_str(o, "#\n# (Tip: what is too short or too rare to be sampled can be counted: assay stat)\n#\n");
}

static void print_json(struct out *o, struct report_command *c)
{
	const struct recording *r = &c->in.session->recording;
	uint32_t nr = r->info->events.nr;
	struct hist *hists = mem_zalloc((nr + 1) * sizeof(*hists));
	struct hist **list = mem_zalloc((nr + 1) * sizeof(struct hist *));
	struct hist_options *options = mem_zalloc((nr + 1) * sizeof(*options));

	for (uint32_t i = 0; i < nr; i++) {
		report_options_of_event(&c->options, i);
		options[i] = c->options.hist;
		build(&hists[i], c, &options[i], i);
		list[i] = &hists[i];
	}
	report_json(o, r, list, nr, c->options.text.percent_limit, &c->in.quality);
	for (uint32_t i = 0; i < nr; i++)
		hist_fini(&hists[i]);
	free(hists);
	free(options);
	free(list);
}

static void print_stats(struct out *o, const struct profile *p)
{
	uint64_t *nr = mem_zalloc((p->recording->info->events.nr + 1) * sizeof(*nr));

	for (uint32_t i = 0; i < p->samples.nr; i++)
		nr[p->samples.event[i]] += profile_samples_count(&p->samples, i);
	stats_text(o, p->recording, nr);
	free(nr);
}

static int browse(struct report_command *c, struct errbuf *eb)
{
	struct time_strips *strips = c->strips.v.nr ? &c->strips : &c->wait_strips;

	time_strips_finish(strips);
	c->ui.in = &c->in;
	c->ui.options = &c->options;
	c->ui.strips = strips;
	return report_ui_run(&c->ui, eb);
}

/* What was found, after the header. */
static int show(struct report_command *c, struct out *o, const struct out *head, struct errbuf *eb)
{
	struct profile *p = c->in.profile;

	if (c->stats || c->dump || c->tasks || c->mmaps) {
		out_mem(o, head->buf, head->len);
		if (c->stats || c->dump)
			print_stats(o, p);
		else
			tasks_text(o, p->machine, c->mmaps);
		return 0;
	}
	input_symbolize(&c->in);
	quality_of_profile(&c->in.quality, p);
	c->in.quality_known = c->in.quality_shown = true;
	c->in.reads_header_only = c->header_only;
	c->in.checks_passed = !c->header_only;
	if (c->hide_unresolved)
		profile_drop_unnamed(p);
	if (c->is_browsed)
		return browse(c, eb);
	if (c->json) {
		print_json(o, c);
		return 0;
	}
	/* The first line that a person sees. */
	if (!c->in.quiet)
		quality_text_warnings(o, &c->in.quality, c->options.text.colour);
	out_mem(o, head->buf, head->len);
	if (c->header_only)
		quality_text(o, &c->in.quality);
	else
		print_hists(o, c);
	return 0;
}

static void finish_options(struct report_command *c)
{
	bool has_chains = recording_samples(&c->in.session->recording, SAMPLE_CALLCHAIN);

	c->options.text.rows_only = c->in.quiet;
	c->options.chains_known = has_chains;
	report_options_finish(&c->options, &c->in.session->recording, &c->in.filter);
	if (c->options.chains_asked && !has_chains)
		log_warn("-g shows nothing: this recording has no call chains (record with --call-graph dwarf)");
}

static int run(struct report_command *c, struct errbuf *eb)
{
	const struct perfdata_info *info = c->in.session->recording.info;
	struct profile *p = c->in.profile;
	struct out o, head, *head_out = c->dump ? &o : &head;
	int err, flush_err;

	/* Before there is a pager. */
	c->is_on_terminal = isatty(STDOUT_FILENO);
	c->options.text.ascii = !terminal_is_utf8();
	c->options.text.line_width = c->is_on_terminal && !c->options.text.separator ? terminal_size_of(STDOUT_FILENO).columns : 0;
	c->options.text.colour = c->colour == COLOUR_ALWAYS || (c->colour == COLOUR_AUTO && out_is_colourful(STDOUT_FILENO));
	out_init(&o, STDOUT_FILENO);
	out_page(&o);
	input_limit_output(&c->in, &o, false);
	out_init(&head, -1);
	p->only_symbols = c->bare_addresses;
	p->keep_outermost = report_options_caller_first(&c->options);
	p->source = c->inlines ? PROFILE_INLINES : report_options_want_lines(&c->options) ? PROFILE_LINES : PROFILE_SYMBOLS;
	if (c->header_only && !info->pipe_mode) {
		input_show_header(&c->in, c->full_info, &o);
		err = 0;
		goto out;
	}
	if (c->header || c->header_only) {
		header_text(head_out, info, c->in.path, c->full_info);
		header_text_end(head_out);
	}
	if (c->dump)
		put_header_hint(&o, c);
	err = choose_branches(c, eb);
	if (!err)
		err = open_fields(c, eb);
	if (!err)
		err = open_latency(c, eb);
	if (!err)
		err = load(c, &o, head_out, eb);
	if (!err)
		err = report_options_check_fields(&c->options, eb);
	if (!err)
		err = finish_latency(c, eb);
	if (err) {
		out_mem(&o, head.buf, head.len);
		goto out;
	}
	finish_options(c);
	c->options.hist.tree_work = input_tree_work(&c->in);
	c->options.hist.row_memory = input_row_memory(&c->in);
	err = show(c, &o, &head, eb);
out:
	out_fini(&head);
	flush_err = out_fini(&o);
	return input_limit_error(&c->in, err ? err : flush_err, eb);
}

/* [RECORDING] [SYMBOL]: what cannot be read as a recording is a function, as in perf. */
static int take_words(struct report_command *c, int argc, char **argv, struct errbuf *eb)
{
	if (argc && input_is_recording(argv[0])) {
		int err = input_take_file(&c->in.path, "report", 1, argv, eb);

		if (err)
			return err;
		argc--;
		argv++;
	}
	if (argc > 1 && input_is_recording(argv[1]))
		return errbuf_set(eb, CMD_USAGE, "report: the recording comes first: assay report %s %s", argv[1], argv[0]);
	if (argc > 1)
		return errbuf_set(eb, CMD_USAGE, "report: unexpected argument '%s'; there is one recording and one function to filter by",
				  argv[1]);
	if (argc) {
		filter_add_names(&c->in.filter.symbols, argv[0]);
		c->in.symbol_word = argv[0];
	}
	return 0;
}

static int check_json(const struct report_command *c, struct errbuf *eb)
{
	const struct input_switch others[] = {
		{ "--header", c->header },
		{ "--header-only", c->header_only },
		{ "--stats", c->stats },
		{ "--tasks", c->tasks },
		{ "--mmaps", c->mmaps },
		{ "--dump-raw-trace", c->dump },
		{ "--field-separator", c->options.text.separator },
	};

	return c->json ? input_check_json("report", others, sizeof(others) / sizeof(*others), eb) : 0;
}

/* Text where an option asks for some, in a pipe, and on a terminal that has no UI. */
static int choose_ui(struct report_command *c, struct errbuf *eb)
{
	bool wants_text = c->stdio || c->header || c->header_only || c->dump || c->stats || c->tasks || c->mmaps || c->json ||
			  c->in.quiet || c->color_set || c->options.text.separator;
	int ret = tui_choose("report", c->tui, wants_text, eb);

	tui_use_colours(c->colour == COLOUR_NEVER ? TUI_COLOURS_NEVER : c->colour == COLOUR_ALWAYS ? TUI_COLOURS_ALWAYS : TUI_COLOURS_AUTO);

	c->is_browsed = ret > 0;
	return ret < 0 ? ret : 0;
}

static int take_step(struct report_command *c, const struct report_step *step, struct errbuf *eb)
{
	if (step->path)
		c->in.path = step->path;
	return step->time ? filter_set_time(&c->in.filter, step->time, eb) : 0;
}

static int report(struct report_command *c, int argc, char **argv, const struct report_step *step, struct errbuf *eb)
{
	int err = take_words(c, argc, argv, eb);

	if (!err)
		err = check_json(c, eb);
	if (!err)
		err = choose_ui(c, eb);
	if (!err)
		err = take_step(c, step, eb);
	if (needs_switches(c))
		c->in.recorder = "assay record --latency -- COMMAND";
	if (!err)
		err = input_open(&c->in, false, eb);
	if (!err)
		err = run(c, eb);
	return err ? err : input_finish(&c->in, eb);
}

/* The command once, from its words on. `ui`: what the browser before wanted, and what this one wants. */
static int report_once(int argc, char **argv, const struct report_step *step, struct report_ui *ui, struct errbuf *eb)
{
	struct report_command c = { .inlines = true, .colour = COLOUR_AUTO, .ui = *ui };
	char *keys = column_words('|', HIST_NR_KEYS, 0), *all = column_words('|', HIST_NR_COLUMNS, 0);
	char *sort_words = mem_printf("%s|trace|trace_fields|syscall", keys),
	     *field_words = mem_printf("%s|trace|trace_fields|syscall", all);
	int err;
	const struct option table[] = {
		OPT_GROUP("Input"),
		INPUT_OPTIONS(&c.in),
		REPORT_SAMPLE_OPTIONS(&c),
		REPORT_ROW_OPTIONS(&c, sort_words, field_words),
		REPORT_CHAIN_OPTIONS(&c),
		REPORT_OUTPUT_OPTIONS(&c),
		OPT_END,
	};
	const struct options opts = {
		.command = "report",
		.absent = perf_report_absent,
		.usage = "assay report [OPTIONS] [FILE] [SYMBOL]",
		.summary = "Shows where the time of a recording went, by command, file and function.",
		.examples = "  assay report --stdio -n\n"
			    "  assay report --no-children --sort dso,sym\n"
			    "  assay report -g folded --percent-limit 1\n",
		.table = table,
	};

	input_init(&c.in);
	report_options_init(&c.options);
	err = cmd_parse(&opts, &argc, &argv, eb);
	if (!err)
		err = report(&c, argc, argv, step, eb);
	ui->next = c.ui.next;
	ui->goes_back = c.ui.goes_back;
	input_fini(&c.in);
	time_strips_fini(&c.strips);
	time_strips_fini(&c.wait_strips);
	parallelism_fini(&c.parallelism);
	report_options_fini(&c.options);
	free(keys);
	free(all);
	free(sort_words);
	free(field_words);
	return err;
}

/* Recordings and ranges of time that the browser was asked for, one on the other: going back reads the one before again. */
struct report_steps {
	struct report_step *v;
	uint32_t nr, cap;
};

static void push_step(struct report_steps *steps, struct report_step next)
{
	const struct report_step *last = &steps->v[steps->nr - 1];

	if (!next.path && last->path)
		next.path = mem_strdup(last->path);
	vec_push(steps, next);
}

static void pop_step(struct report_steps *steps)
{
	struct report_step *last = &steps->v[--steps->nr];

	free(last->path);
	free(last->time);
}

static int report_step_by_step(struct report_steps *steps, int argc, char **argv, struct errbuf *eb)
{
	char message[sizeof(eb->text)] = "";

	for (;;) {
		struct report_ui ui = { .has_step_before = steps->nr > 1, .message = message };
		char **words = mem_realloc(NULL, (size_t)argc + 1, sizeof(*words));
		int err;

		memcpy(words, argv, (size_t)argc * sizeof(*words));
		words[argc] = NULL;
		err = report_once(argc, words, &steps->v[steps->nr - 1], &ui, eb);
		free(words);
		message[0] = 0;
		/* What cannot be read is no reason to leave what was read before. */
		if (err && steps->nr > 1 && !ui.goes_back) {
			memcpy(message, eb->text, sizeof(message));
			errbuf_clear(eb);
			ui.goes_back = true;
			err = 0;
		}
		if (ui.goes_back)
			pop_step(steps);
		else if (ui.next.path || ui.next.time)
			push_step(steps, ui.next);
		else
			return err;
	}
}

int cmd_report(int argc, char **argv, struct errbuf *eb)
{
	struct report_steps steps = { 0 };
	int err;

	vec_push(&steps, ((struct report_step){ 0 }));
	err = report_step_by_step(&steps, argc, argv, eb);
	tui_close();
	while (steps.nr)
		pop_step(&steps);
	vec_fini(&steps);
	return err;
}
