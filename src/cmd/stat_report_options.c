/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The options of `stat report`. perf takes -x and the like before the word `report`; here they may
 * stand behind it, too.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/input.h"
#include "cmd/perf_options.h"
#include "cmd/stat.h"
#include "cmd/stat_report.h"

static int show(struct stat_args *a, const char *path, bool force, struct errbuf *eb)
{
	struct stat_report_options o = { .path = path, .force = force, .out_fd = STDOUT_FILENO };
	bool wanted[] = { a->no_aggr, a->per_core, a->per_die, a->per_socket, a->per_node };
	static const enum counts_aggr modes[] = { COUNTS_PER_CPU, COUNTS_PER_CORE, COUNTS_PER_DIE,
						  COUNTS_PER_SOCKET, COUNTS_PER_NODE };
	int err;

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		if (!wanted[i])
			continue;
		if (o.has_aggr)
			return errbuf_set(eb, -EINVAL,
					  "stat report: -A and the --per-… exclude each other");
		o.has_aggr = true;
		o.aggr = modes[i];
	}
	o.style.big_num = !a->no_big_num;
	o.style.colour = isatty(STDOUT_FILENO);
	stat_formats_set_style(a, &o.style, STDOUT_FILENO);
	o.format = a->format;
	err = stat_report(&o, eb);
	stat_formats_fini_style(&o.style);
	return err;
}

int cmd_stat_report(struct stat_args *a, int argc, char **argv, struct errbuf *eb)
{
	const char *path = NULL;
	bool force = false;
	const struct option table[] = {
		OPT_STRING('i', "input", &path, "FILE", "Read FILE (- is stdin; default perf.data)",
			   .complete = "file"),
		OPT_BOOL('f', "force", &force, "Read a file that another user owns"),
		OPT_GROUP("One row for each …"),
		OPT_BOOL('A', "no-aggr", &a->no_aggr, "CPU"),
		OPT_BOOL(0, "per-core", &a->per_core, "Core"),
		OPT_BOOL(0, "per-die", &a->per_die, "Die"),
		OPT_BOOL(0, "per-socket", &a->per_socket, "Socket"),
		OPT_BOOL(0, "per-node", &a->per_node, "NUMA node"),
		OPT_GROUP("Other forms"),
		OPT_STRING('x', "field-separator", &a->separator, "SEP",
			   "Values separated by SEP, for programs (\\t: tabs)"),
		OPT_BOOL('j', "json-output", &a->json, "A JSON object a line"),
		OPT_BOOL(0, "metric-only", &a->metric_only, "Only the metrics, a column each"),
		OPT_END,
	};
	const struct options opts = {
		.command = "stat report",
		.absent = perf_options_absent("stat report"),
		.usage = "assay stat report [OPTIONS] [FILE]",
		.summary = "Show what `stat record` recorded",
		.table = table,
	};
	int err = options_parse(&opts, &argc, &argv, eb);

	if (err)
		return cmd_options_status(err);
	if (input_take_file(&path, "stat report", argc, argv, eb))
		return CMD_USAGE;
	a->plot = false;
	err = stat_formats_check(a, eb);
	if (err)
		return CMD_USAGE;
	if (!path)
		path = input_default_path(NULL);
	if (!path)
		return errbuf_set(
			eb, -ENOENT,
			"there is no perf.data here: record first with 'assay stat record -- "
				  "COMMAND', "
			"or name a file with -i FILE");
	return show(a, path, force, eb);
}
