/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `assay probe`: functions, source lines and variables that can be probed, and the definitions of probes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "cmd/cmd.h"
#include "cmd/probe_edit.h"
#include "kernel/probe_events.h"
#include "symbols/probe_point.h"
#include "symbols/source_text.h"
#include "view/probe_text.h"

struct probe_options {
	struct probe_target target;
	struct probe_limits limits;
	uint64_t max_probes;
	const char *filter;
	const char *source;
	bool funcs, externs, ranges;
	const char *line, *vars;
	VEC(const char *) definitions;
	struct probe_edit edit;
	bool quiet;
	int verbose;
};

static int option_funcs(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct probe_options *o = ctx;

	(void)opt, (void)negated, (void)eb;
	o->funcs = true;
	if (arg)
		o->filter = arg;
	return 0;
}

static int option_definition(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct probe_options *o = ctx;

	(void)opt, (void)negated, (void)eb;
	vec_push(&o->definitions, arg);
	return 0;
}

static int show_functions(struct probe_module *m, const struct probe_options *o, struct out *out, struct errbuf *eb)
{
	struct probe_filter *filter = NULL;
	struct probe_names names;
	int err = o->filter ? probe_filter_new(&filter, o->filter, eb) : 0;

	if (err)
		return CMD_USAGE;
	err = probe_list_functions(m, filter, &names, eb);
	for (uint32_t i = 0; !err && i < names.v.nr; i++)
		probe_text_name(out, names.v.v[i]);
	if (!err && !names.v.nr && o->filter && !strpbrk(o->filter, "*?[&|!( "))
		err = errbuf_set(eb, -ENOENT, "no function has the name '%s'; '-F *%s*' lists those that contain it", o->filter, o->filter);
	else if (!err && !names.v.nr && o->filter)
		err = errbuf_set(eb, -ENOENT, "no function matches the filter '%s'", o->filter);
	if (!err && names.nr_left_out)
		err = errbuf_set(eb, -E2BIG,
				 "%u functions are left out: the names of all have more than %llu MB, the limit for a file of this size",
				 names.nr_left_out, (unsigned long long)(budget_limit(&names.bytes) >> 20));
	probe_names_fini(&names);
	probe_filter_free(filter);
	return err;
}

/* Definitions as they would be written, all of them or none. */
static int show_definition(struct probe_module *m, const struct probe_options *o, const char *text, struct out *out, struct errbuf *eb)
{
	struct probe_defs defs;
	struct probe_spec spec;
	int err = probe_spec_parse(&spec, text, eb);

	if (err)
		return CMD_USAGE;
	err = probe_module_path(m) ? probe_check_file(probe_module_path(m), eb) : 0;
	if (!err)
		err = probe_resolve(m, &spec, &o->limits, &defs, eb);
	for (uint32_t i = 0; !err && i < defs.v.nr; i++) {
		char *line = probe_def_text(&defs.v.v[i]);

		probe_text_name(out, line);
		free(line);
	}
	if (!err)
		probe_defs_fini(&defs);
	probe_spec_fini(&spec);
	return err;
}

/* The source of a function or a part of a file, with numbers where probes can be put. */
static int print_source(const struct probe_lines *l, struct out *out, struct errbuf *eb)
{
	struct source_text *t = source_text_read(l->path);
	uint32_t next = 0;
	const char *line;
	size_t len;
	int err = 0;

	if (!t->data)
		err = errbuf_set(eb, -ENOENT, "the source file %s cannot be read: %s; say where it is with -s DIR", l->path, t->why);
	else if (l->first > t->starts.nr)
		err = errbuf_set(eb, -ERANGE, "%s has no line %u: it ends with line %u", l->path, l->first, t->starts.nr);
	else
		probe_text_lines_head(out, l->function, l->path, l->first - l->start);
	for (uint32_t n = l->first ? l->first : 1; !err && n <= l->last && (line = source_text_line(t, n, &len)) != NULL; n++) {
		while (next < l->lines.nr && l->lines.v[next] < n)
			next++;
		probe_text_line(out, n - l->start, next < l->lines.nr && l->lines.v[next] == n, line, len);
	}
	source_text_free(t);
	return err;
}

static int show_lines(struct probe_module *m, const struct probe_options *o, struct out *out, struct errbuf *eb)
{
	struct probe_range_spec range;
	struct probe_lines lines;
	int err = probe_range_parse(&range, o->line, eb);

	if (err)
		return CMD_USAGE;
	err = probe_list_lines(m, &range, o->source, &lines, eb);
	if (!err) {
		err = print_source(&lines, out, eb);
		probe_lines_fini(&lines);
	}
	probe_range_fini(&range);
	return err;
}

static void print_vars(const struct probe_vars_at *at, bool ranges, struct out *out)
{
	probe_text_vars_at(out, at->function, at->offset);
	for (uint32_t i = 0; i < at->vars.nr; i++) {
		const struct probe_var *v = &at->vars.v[i];
		struct probe_text_var t = { v->type, v->name, v->ranges, v->why_not, v->is_extern, ranges };

		probe_text_var(out, &t);
	}
	if (!at->vars.nr)
		probe_text_no_vars(out);
}

static int show_vars(struct probe_module *m, const struct probe_options *o, struct out *out, struct errbuf *eb)
{
	struct probe_vars_options options = { .externs = o->externs, .ranges = o->ranges, .limits = o->limits };
	struct probe_filter *filter = NULL;
	struct probe_vars vars;
	struct probe_spec spec;
	int err;

	if (o->filter && probe_filter_new(&filter, o->filter, eb))
		return CMD_USAGE;
	options.filter = filter;
	err = probe_spec_parse(&spec, o->vars, eb);
	if (err) {
		probe_filter_free(filter);
		return CMD_USAGE;
	}
	err = probe_list_vars(m, &spec, &options, &vars, eb);
	if (!err)
		probe_text_vars_head(out, spec.text);
	for (uint32_t i = 0; !err && i < vars.v.nr; i++)
		print_vars(&vars.v.v[i], o->ranges, out);
	if (!err)
		probe_vars_fini(&vars);
	probe_spec_fini(&spec);
	probe_filter_free(filter);
	return err;
}

static int show(struct probe_module *m, const struct probe_options *o, struct errbuf *eb)
{
	struct out out;
	int err = 0, written;

	out_init(&out, STDOUT_FILENO);
	if (o->funcs)
		err = show_functions(m, o, &out, eb);
	if (!err && o->line)
		err = show_lines(m, o, &out, eb);
	if (!err && o->vars)
		err = show_vars(m, o, &out, eb);
	for (uint32_t i = 0; !err && i < o->definitions.nr; i++)
		err = show_definition(m, o, o->definitions.v[i], &out, eb);
	written = out_fini(&out);
	return err ? err : written;
}

static bool is_shown(const struct probe_options *o)
{
	return o->funcs || o->line || o->vars || o->definitions.nr;
}

static int run(struct probe_options *o, int argc, char **argv, struct errbuf *eb)
{
	struct probe_module *m;
	int err;

	cmd_set_log_level(o->quiet, o->verbose);
	for (int i = 0; i < argc; i++)
		vec_push(&o->edit.adds, argv[i]);
	o->edit.quiet = o->quiet;
	if (!is_shown(o) && !probe_edit_is_used(&o->edit))
		return errbuf_set(
			eb, CMD_USAGE,
			"probe: give a probe to define, or one of -l, -d, -F, -L, -V and -D; 'assay probe --help' lists the options");
	if (probe_edit_is_used(&o->edit) && is_shown(o))
		return errbuf_set(eb, CMD_USAGE,
				  "probe: -F, -L, -V and -D show, and -a, -d and -l are about probes of the kernel: give one of them");
	if (o->target.path && o->target.kernel)
		return errbuf_set(eb, CMD_USAGE, "probe: -x names a program and -k a kernel; give one of them");
	o->limits.max_points = (uint32_t)o->max_probes;
	if (probe_edit_is_used(&o->edit))
		return probe_edit_run(&o->edit, &o->target, &o->limits, eb);
	err = probe_module_open(&m, &o->target, eb);
	if (err)
		return err;
	err = show(m, o, eb);
	probe_module_close(m);
	return err;
}

int cmd_probe(int argc, char **argv, struct errbuf *eb)
{
	struct probe_options o = { .max_probes = 128 };
	const struct option table[] = {
		OPT_GROUP("What is probed"),
		OPT_STRING('x', "exec", &o.target.path, "FILE", "this program or shared library (default: the kernel)", .complete = "file"),
		OPT_STRING('k', "vmlinux", &o.target.kernel, "FILE", "the kernel with its debug information", .complete = "file"),
		OPT_STRING(0, "symfs", &o.target.symfs, "DIR", "look for files below DIR", .complete = "file"),
		OPT_GROUP("What to show"),
		OPT_CALL_OPT('F', "funcs", option_funcs, &o, "FILTER", "functions that can be probed", .takes_word = true),
		OPT_STRING('L', "line", &o.line, "FUNCTION|FILE[:RANGE]", "source lines, numbered where a probe can be put"),
		OPT_STRING('V', "vars", &o.vars, "PROBE", "variables that a probe at this place can fetch"),
		OPT_CALL('D', "definition", option_definition, &o, "PROBE", "what the kernel is given for this probe; nothing is changed"),
		OPT_STRING(0, "filter", &o.filter, "FILTER",
			   "with -F and -V: patterns joined by & and |, negated by ! (default: !_* & !*@plt)"),
		OPT_BOOL(0, "externs", &o.externs, "with -V: variables outside of functions, too"),
		OPT_BOOL(0, "range", &o.ranges, "with -V: where in the function each can be fetched"),
		OPT_STRING('s', "source", &o.source, "DIR", "with -L: source files are below DIR", .complete = "file"),
		PROBE_EDIT_OPTIONS(&o.edit),
		OPT_GROUP("How"),
		OPT_BOOL(0, "no-inlines", &o.limits.no_inlines, "only functions that are called, not where they were inlined"),
		OPT_U64(0, "max-probes", &o.max_probes, 1, 1000000, "N", "at most N places of a probe (128)"),
		OPT_BOOL('q', "quiet", &o.quiet, "No messages but errors"),
		OPT_COUNT('v', "verbose", &o.verbose, "Say more"),
		OPT_END,
	};
	const struct options opts = {
		.command = "probe",
		.usage = "assay probe [-x FILE|-k VMLINUX|-m MODULE] PROBE…\nassay probe -l|-d [GROUP:]EVENT\n"
			 "assay probe [-x FILE|-k VMLINUX] -F [FILTER]\nassay probe [-x FILE|-k VMLINUX] -L FUNCTION|FILE[:RANGE]\n"
			 "assay probe [-x FILE|-k VMLINUX] -V PROBE\nassay probe [-x FILE|-k VMLINUX] -D PROBE",
		.summary = "Define probes in programs and in the kernel, and show what can be probed",
		.examples = "  assay probe -x ./server parse_header\n"
			    "  assay record -e probe_server:parse_header -- ./server\n"
			    "  assay probe -d 'probe_server:*'\n"
			    "  assay probe -x ./server -F 'parse*'\n"
			    "  assay probe -x ./server -D 'parse_header%return $retval'\n",
		.table = table,
	};
	int err = cmd_parse(&opts, &argc, &argv, eb);

	if (!err)
		err = run(&o, argc, argv, eb);
	vec_fini(&o.definitions);
	probe_edit_fini(&o.edit);
	return err;
}
