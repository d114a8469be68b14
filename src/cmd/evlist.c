/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `assay evlist`: the events of a perf.data, in perf's lines. A pipe is read to its end: events and names are records there.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/out.h"
#include "cmd/cmd.h"
#include "cmd/input.h"
#include "perfdata/tracing_data.h"
#include "view/header_text.h"

struct evlist_options {
	const char *input;
	bool verbose, freq, group, trace_fields;
	bool force;
};

static void print_name(struct out *o, const char *name)
{
	escape_terminal(o, name, strlen(name));
}

/* The group that an event is in; NULL: it stands alone. */
static const struct perfdata_group *group_of(const struct perfdata_info *info, uint32_t event)
{
	for (uint32_t i = 0; i < info->groups.nr; i++) {
		const struct perfdata_group *g = &info->groups.v[i];

		if (event >= g->leader_idx && event - g->leader_idx < g->nr_members && g->nr_members > 1)
			return g;
	}
	return NULL;
}

/* "name{leader,member}" at the leader, nothing at the members. */
static void print_group(struct out *o, const struct perfdata_info *info, uint32_t event)
{
	const struct perfdata_group *g = group_of(info, event);

	if (g && event != g->leader_idx)
		return;
	if (!g) {
		print_name(o, info->events.v[event].name);
		out_char(o, '\n');
		return;
	}
	if (g->name && strcmp(g->name, "{anon_group}"))
		print_name(o, g->name);
	for (uint32_t i = event; i < info->events.nr && i - event < g->nr_members; i++) {
		out_char(o, i == event ? '{' : ',');
		print_name(o, info->events.v[i].name);
	}
	out_str(o, "}\n");
}

/* The names of a format's own fields, behind the empty line: "\tfield:TYPE NAME;\toffset:…". A name ends before '[' or ';'. */
static void print_format_fields(struct out *o, const char *format)
{
	const char *line = strstr(format, "\n\n"), *sep = "";

	while (line && (line = strstr(line, "field:"))) {
		const char *end = line + strcspn(line, ";\n"), *name;

		while (end > line && end[-1] == ']')
			while (end > line && *--end != '[')
				;
		for (name = end; name > line && !strchr(" \t*:", name[-1]);)
			name--;
		out_str(o, sep);
		escape_terminal(o, name, (size_t)(end - name));
		sep = ",";
		line = end;
	}
}

static void print_trace_fields(struct out *o, const struct perfdata_event *e, const struct tracing_data *t)
{
	const struct tracing_event *te;

	if (e->attr.type != ATTR_TYPE_TRACEPOINT) {
		out_str(o, " (not a tracepoint)");
		return;
	}
	te = tracing_data_find(t, e->attr.config);
	if (!te) {
		out_str(o, " (the file has no format of it)");
		return;
	}
	out_str(o, " trace_fields: ");
	print_format_fields(o, te->format);
}

static void print_event(struct out *o, const struct perfdata_event *e, const struct evlist_options *opts, const struct tracing_data *t)
{
	print_name(o, e->name);
	if (opts->verbose)
		attr_text(o, &e->attr, &attr_style_list);
	else if (opts->freq)
		out_printf(o, ": sample_%s=%llu", e->attr.flags & ATTR_FREQ ? "freq" : "period", (unsigned long long)e->attr.sample_period);
	if (opts->trace_fields) {
		out_char(o, opts->verbose || opts->freq ? ',' : ':');
		print_trace_fields(o, e, t);
	}
	out_char(o, '\n');
}

static int print_events(const struct perfdata_info *info, const struct evlist_options *opts)
{
	struct tracing_data t = { 0 };
	bool has_tracepoint = false;
	struct out o;

	/* A damaged blob still has the formats before the damage. */
	if (opts->trace_fields && info->tracing_data)
		tracing_data_init(&t, info->tracing_data, info->tracing_data_size);
	out_init(&o, STDOUT_FILENO);
	out_page(&o);
	for (uint32_t i = 0; i < info->events.nr; i++) {
		if (opts->group)
			print_group(&o, info, i);
		else
			print_event(&o, &info->events.v[i], opts, &t);
		has_tracepoint |= info->events.v[i].attr.type == ATTR_TYPE_TRACEPOINT;
	}
	if (has_tracepoint && !opts->trace_fields)
		out_str(&o, "# Tip: use 'assay evlist --trace-fields' to show fields for tracepoint events\n");
	if (opts->trace_fields && info->tracing_data)
		tracing_data_fini(&t);
	return out_fini(&o);
}

static int list(const struct evlist_options *opts, struct errbuf *eb)
{
	struct source_record rec;
	struct record_source *r;
	uint64_t bytes_present;
	int damage = 0, err = input_open_source(&r, opts->input, opts->force, &bytes_present, eb);

	if (err < 0)
		return err;
	err = 0;
	if (r->info->pipe_mode)
		while ((err = record_source_next(r, &rec, eb)) > 0)
			;
	if (err == 0 && r->damage->err)
		damage = errbuf_set(eb, r->damage->err, "%s", r->damage->text);
	if (err == 0)
		err = print_events(r->info, opts);
	record_source_close(r);
	return err ? err : damage;
}

int cmd_evlist(int argc, char **argv, struct errbuf *eb)
{
	struct evlist_options o = { 0 };
	const struct option table[] = {
		OPT_STRING('i', "input", &o.input, "FILE", "read FILE (perf.data); - is standard input", .complete = "file"),
		OPT_BOOL('v', "verbose", &o.verbose, "show all fields of each event's attr"),
		OPT_BOOL('F', "freq", &o.freq, "show the sample frequency or period"),
		OPT_BOOL('g', "group", &o.group, "show which events were recorded as groups"),
		OPT_BOOL(0, "trace-fields", &o.trace_fields, "show the fields of tracepoints"),
		OPT_BOOL('f', "force", &o.force, "read a file that another user owns"),
		OPT_END,
	};
	const struct options opts = {
		.command = "evlist",
		.usage = "assay evlist [OPTIONS] [FILE]",
		.summary = "List the events of a profile",
		.examples = "  assay evlist -v perf.data\n",
		.table = table,
	};
	int err = cmd_parse(&opts, &argc, &argv, eb);

	if (err)
		return err;
	if (input_take_file(&o.input, "evlist", argc, argv, eb))
		return CMD_USAGE;
	if (o.group && (o.verbose || o.freq || o.trace_fields))
		return errbuf_set(eb, CMD_USAGE, "--group does not go together with -v, -F or --trace-fields");
	if (!o.input)
		o.input = input_default_path(NULL, eb);
	return o.input ? list(&o, eb) : -ENOENT;
}
