/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay script: every sample as text.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/input.h"
#include "cmd/perf_compat.h"
#include "model/profile.h"
#include "model/syscall_log.h"
#include "view/header_text.h"
#include "view/quality_text.h"
#include "view/record_text.h"
#include "view/script_lines.h"
#include "view/script_text.h"

struct script_command {
	struct input in;
	struct script_fields fields;
	bool header, header_only, full_info;
	bool dump, hide_chain, nanoseconds, json, fields_set;
	bool inlines, full_paths;
	bool show_task, show_mmap, show_switch, show_lost, show_namespaces, show_bpf, show_cgroup, show_rounds;
};

struct script_run {
	struct script_command *cmd;
	struct out out;
	struct script_text text;
	struct script_lines *lines; /* NULL: this thread prints */
	uint32_t nr_events;	    /* that the lines know */
	struct script_json json;
};

static int option_fields(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	(void)opt, (void)negated;
	return script_fields_parse(ctx, arg, eb);
}

static bool shows(const struct script_command *c, uint32_t type)
{
	switch (type) {
	case RECORD_COMM:
	case RECORD_FORK:
	case RECORD_EXIT:
		return c->show_task;
	case RECORD_MMAP:
	case RECORD_MMAP2:
		return c->show_mmap;
	case RECORD_SWITCH:
	case RECORD_SWITCH_CPU_WIDE:
		return c->show_switch;
	case RECORD_LOST:
		return c->show_lost;
	case RECORD_NAMESPACES:
		return c->show_namespaces;
	case RECORD_KSYMBOL:
	case RECORD_BPF_EVENT:
		return c->show_bpf;
	case RECORD_CGROUP:
		return c->show_cgroup;
	default:
		return false;
	}
}

static void dump(void *ctx, const struct session_record *sr)
{
	struct script_run *r = ctx;

	dump_record(&r->out, r->cmd->in.path, &r->cmd->in.session->recording, sr, DUMP_SCRIPT);
}

/* The ids of the places that are shown of a sample. Places whose names are shown count for the quality. */
static struct script_sample locate(struct script_run *r, const struct session_record *sr, int needs)
{
	struct script_sample s = { .sr = sr, .stack = STACK_NONE };
	struct unwind_result walk = { UNWIND_NOT_DONE, false };
	struct quality *q = &r->cmd->in.quality;
	struct profile *p = r->cmd->in.profile;

	if (needs & SCRIPT_NEEDS_DATA)
		s.data = profile_intern_data(p, sr);
	if (needs & SCRIPT_NEEDS_PLACE)
		s.location = profile_intern_sampled(p, sr);
	if (needs & SCRIPT_NEEDS_CHAIN)
		s.stack = profile_intern_sample(p, sr, &walk);
	/* What a trace has beside its calls never had a stack. */
	if (needs & SCRIPT_NEEDS_NAMES && !syscall_log_is_weighed(p->recording, sr))
		return s;
	if (needs & SCRIPT_NEEDS_NAMES && needs & SCRIPT_NEEDS_CHAIN)
		quality_add_record(q, p, sr, s.stack, walk);
	else if (needs & SCRIPT_NEEDS_NAMES)
		quality_add(q, s.location, false, STACK_NONE, walk);
	return s;
}

static bool shows_records(const struct script_command *c)
{
	return c->show_task || c->show_mmap || c->show_switch || c->show_lost || c->show_namespaces || c->show_bpf || c->show_cgroup ||
	       c->show_rounds;
}

/* Where each line is a function of its record alone, threads print. */
static void choose_printers(struct script_run *r)
{
	const struct script_command *c = r->cmd;
	struct errbuf unsaid = { 0 };

	if (c->dump || c->json || shows_records(c) || script_text_learn(&r->text, &unsaid) || !script_lines_can(&r->text)) {
		out_write_behind(&r->out);
		return;
	}
	r->lines = script_lines_new(&r->text);
	r->nr_events = c->in.session->recording.info->events.nr;
}

static int stop_printers(struct script_run *r)
{
	int err = r->lines ? script_lines_flush(r->lines) : 0;

	script_lines_free(r->lines);
	r->lines = NULL;
	return err;
}

static int print_sample(struct script_run *r, const struct session_record *sr, struct errbuf *eb)
{
	struct script_command *c = r->cmd;
	struct script_sample s;
	int needs = SCRIPT_NEEDS_CHAIN | SCRIPT_NEEDS_PLACE | SCRIPT_NEEDS_NAMES;

	input_forget(&c->in);
	if (r->lines && __builtin_expect(r->nr_events != c->in.session->recording.info->events.nr, 0))
		stop_printers(r);
	if (!input_keeps(&c->in, sr))
		return 0;
	c->in.nr_passed++;
	if (c->dump)
		dump_place(&r->out, &c->in.session->machine, sr);
	if (!c->json)
		needs = script_text_needs(&r->text, sr, eb);
	if (needs < 0)
		return needs;
	if (r->lines) {
		const struct script_line line = script_line_of(&c->in.session->machine, sr);

		return script_lines_add(r->lines, &line);
	}
	s = locate(r, sr, needs);
	if (c->json)
		script_json_sample(&r->json, &s);
	else
		script_text_sample(&r->text, &s);
	return 0;
}

static int print_record(struct script_run *r, const struct session_record *sr, struct errbuf *eb)
{
	const struct script_command *c = r->cmd;
	int err;

	if (sr->header->type == RECORD_SAMPLE)
		return print_sample(r, sr, eb);
	if (c->json)
		return 0;
	if (sr->header->type == RECORD_HEADER_FEATURE && c->header)
		header_text_feature(&r->out, c->in.session->recording.info, sr->header, c->full_info);
	if (sr->header->type == RECORD_FINISHED_ROUND && c->show_rounds)
		out_str(&r->out, "PERF_RECORD_FINISHED_ROUND\n");
	if (!shows(c, sr->header->type))
		return 0;
	err = script_text_prefix(&r->text, sr, eb);
	if (!err)
		record_text(&r->out, sr);
	return err;
}

static int print_all(struct script_run *r, struct errbuf *eb)
{
	struct session_record sr;
	int ret;

	while ((ret = input_next(&r->cmd->in, &sr, eb)) > 0) {
		ret = print_record(r, &sr, eb);
		if (ret)
			return ret;
		if (!r->lines && r->out.error)
			return r->out.error;
	}
	return ret;
}

static int run(struct script_command *c, struct errbuf *eb)
{
	struct script_run r = { .cmd = c };
	struct session *s = c->in.session;
	struct profile *p = c->in.profile;
	int err, flush_err;

	out_init(&r.out, STDOUT_FILENO);
	out_page(&r.out);
	if (c->header) {
		header_text(&r.out, s->recording.info, c->in.path, c->full_info);
		header_text_end(&r.out);
	}
	input_limit_output(&c->in, &r.out, !c->dump);
	p->only_symbols = true;
	p->keep_cycles = true;
	if (c->inlines)
		p->source = PROFILE_INLINES;
	else if (script_fields_have(&c->fields, SCRIPT_SRCLINE))
		p->source = PROFILE_LINES;
	script_text_init(&r.text, &r.out, p);
	r.text.fields = c->fields;
	r.text.nanoseconds = c->nanoseconds;
	r.text.hide_chain = c->hide_chain;
	r.text.full_paths = c->full_paths;
	if (c->json)
		script_json_begin(&r.json, &r.out, p);
	if (c->dump) {
		s->options.each_record = dump;
		s->options.each_record_ctx = &r;
	}
	choose_printers(&r);
	err = print_all(&r, eb);
	flush_err = stop_printers(&r);
	if (!err)
		err = flush_err;
	quality_finish(&c->in.quality, p);
	if (c->json)
		script_json_end(&r.json, &c->in.quality);
	c->in.quality_known = true;
	/* Behind the last record, where it is known: for a line of the header the file would be read twice. */
	if (c->header && !c->in.quiet && !err)
		quality_text(&r.out, &c->in.quality);
	c->in.quality_shown |= c->json;
	script_text_fini(&r.text);
	flush_err = out_fini(&r.out);
	return input_limit_error(&c->in, err ? err : flush_err, eb);
}

static int run_header_only(struct script_command *c)
{
	struct out o;

	out_init(&o, STDOUT_FILENO);
	out_page(&o);
	input_show_header(&c->in, c->full_info, &o);
	return out_fini(&o);
}

/* Documents write --ns with one dash. There is no -n here that it could be taken for. */
static void spell_ns(char **argv)
{
	for (; *argv && strcmp(*argv, "--"); argv++)
		if (!strcmp(*argv, "-ns"))
			*argv = (char *)(uintptr_t) "--ns";
}

static int check_json(const struct script_command *c, struct errbuf *eb)
{
	const struct input_switch others[] = {
		{ "--header", c->header },     { "--header-only", c->header_only },    { "--dump-raw-trace", c->dump },
		{ "--fields", c->fields_set }, { "--hide-call-graph", c->hide_chain }, { "--show-…-events", shows_records(c) },
	};

	return c->json ? input_check_json("script", others, sizeof(others) / sizeof(*others), eb) : 0;
}

int cmd_script(int argc, char **argv, struct errbuf *eb)
{
	struct script_command c = { .inlines = true };
	char *field_words = script_fields_words('|');
	int err;
	const struct option table[] = {
		OPT_GROUP("Input"),
		INPUT_OPTIONS(&c.in),
		OPT_GROUP("Which samples"),
		INPUT_FILTERS(&c.in),
		OPT_CALL(0, "dsos", input_option_filter, &c.in, "NAME,…", "only samples in these files"),
		OPT_GROUP("What is printed"),
		OPT_CALL(
			'F', "fields", option_fields, &c.fields, "FIELD,…",
			"these fields: comm tid pid time cpu event ip sym symoff dso srcline period addr misc …; +FIELD adds, -FIELD removes; "
			"hw: sw: trace: raw: in front for one kind of event",
			.is_set = &c.fields_set, .complete = field_words),
		OPT_BOOL('G', "hide-call-graph", &c.hide_chain, "no call chains: the sampled place in the line"),
		OPT_BOOL(0, "ns", &c.nanoseconds, "times with nine decimals (-ns is taken, too)"),
		INPUT_RAW_VIEWS(&c),
		OPT_BOOL(0, "json", &c.json, "JSON instead of text (schema: assay-script(1))"),
		OPT_BOOL(0, "show-task-events", &c.show_task, "COMM, FORK and EXIT records too"),
		OPT_BOOL(0, "show-mmap-events", &c.show_mmap, "MMAP records too"),
		OPT_BOOL(0, "show-switch-events", &c.show_switch, "context switches too"),
		OPT_BOOL(0, "show-lost-events", &c.show_lost, "LOST records too"),
		OPT_BOOL(0, "show-namespace-events", &c.show_namespaces, "NAMESPACES records too"),
		OPT_BOOL(0, "show-bpf-events", &c.show_bpf, "KSYMBOL and BPF_EVENT records too"),
		OPT_BOOL(0, "show-cgroup-events", &c.show_cgroup, "CGROUP records too"),
		OPT_BOOL(0, "show-round-events", &c.show_rounds, "FINISHED_ROUND marks too"),
		OPT_BOOL(0, "inline", &c.inlines, "functions that the compiler inlined are lines of their own in call chains (default)"),
		OPT_BOOL(0, "full-source-path", &c.full_paths, "srcline: whole paths of source files"),
		OPT_END,
	};
	const struct options opts = {
		.command = "script",
		.absent = perf_script_absent,
		.usage = "assay script [OPTIONS] [FILE]",
		.summary = "Prints every sample of a recording as text, in time order.",
		.examples = "  assay script | less\n"
			    "  assay script -F comm,tid,time,ip,sym --time 12.5,13\n"
			    "  assay script | stackcollapse-perf.pl | flamegraph.pl > flame.svg\n",
		.table = table,
	};

	input_init(&c.in);
	script_fields_init(&c.fields);
	spell_ns(argv);
	err = cmd_parse(&opts, &argc, &argv, eb);
	if (err)
		goto out;
	if (argc && !input_is_recording(argv[0]) && perf_script_refuse(argv[0], argv[1], eb))
		err = CMD_USAGE;
	else if (argc && strcmp(argv[0], "-") && access(argv[0], F_OK))
		err = errbuf_set(eb, CMD_USAGE, "script: there is no recording '%s'; scripts in other languages are not run here", argv[0]);
	else
		err = input_take_file(&c.in.path, "script", argc, argv, eb);
	if (err)
		goto out;
	err = check_json(&c, eb);
	if (err)
		goto out;
	/* Marks of rounds mean something in the order of the file only. */
	err = input_open(&c.in, c.show_rounds, eb);
	if (err)
		goto out;
	c.in.reads_header_only = c.header_only;
	c.in.checks_passed = !c.header_only;
	err = c.header_only ? run_header_only(&c) : run(&c, eb);
	if (!err)
		err = input_finish(&c.in, eb);
out:
	input_fini(&c.in);
	free(field_words);
	return err;
}
