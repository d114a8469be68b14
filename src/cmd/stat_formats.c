/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The other ways to show counts: -x, -j, --metric-only, -M, --plot; their options, which of them go
 * together, and what they mean for the printer.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cmd/stat.h"
#include "view/stat_csv.h"
#include "view/stat_json.h"
#include "view/stat_metric_only.h"
#include "view/stat_plot.h"

static int take_metrics(const struct option *opt, void *ctx, const char *arg, bool negated,
			struct errbuf *eb)
{
	struct stat_args *a = ctx;

	(void)opt, (void)eb;
	if (!negated)
		vec_push(&a->o.words, ((struct counting_word){ COUNT_METRIC, arg }));
	return 0;
}

static int take_csv_summary(const struct option *opt, void *ctx, const char *arg, bool negated,
			    struct errbuf *eb)
{
	(void)opt, (void)arg, (void)eb;
	((struct stat_args *)ctx)->no_csv_summary = negated;
	return 0;
}

static int take_topdown(const struct option *opt, void *ctx, const char *arg, bool negated,
			struct errbuf *eb)
{
	(void)arg;
	return take_metrics(opt, ctx, "TopdownL1", negated, eb);
}

void stat_formats_add_rows(struct stat_args *a)
{
	const struct option rows[] = {
		OPT_GROUP("Other forms"),
		OPT_STRING('x', "field-separator", &a->separator, "SEP",
			   "Values separated by SEP, for programs (\\t: tabs)"),
		OPT_BOOL('j', "json-output", &a->json, "A JSON object a line"),
		OPT_CALL_NONE(
			0, "csv-summary", take_csv_summary, a,
			"With -x, -I and --summary: the summary's lines say so (the default)"),
		OPT_CALL('M', "metrics", take_metrics, a, "METRIC[,…]",
			 "Count what these metrics need, and show them (ipc, TopdownL1, …)"),
		OPT_CALL_NONE(0, "topdown", take_topdown, a,
			      "Where the pipeline's slots went, level 1: -M TopdownL1"),
		OPT_BOOL(0, "metric-only", &a->metric_only, "Only the metrics, a column each"),
		OPT_BOOL(0, "plot", &a->plot, "With -I on a terminal: a live chart of each event"),
		OPT_BOOL(0, "no-merge", &a->o.no_merge,
			 "A row for each of the PMUs of one kind, not one for all"),
		OPT_ACCEPTED(0, "metric-no-group", "groups that do not fit are taken apart anyway"),
		OPT_ACCEPTED(0, "metric-no-merge",
			     "metrics share events only where all are the same"),
	};

	stat_args_add_rows(a, rows, sizeof(rows) / sizeof(rows[0]));
}

int stat_formats_check(struct stat_args *a, struct errbuf *eb)
{
	if (a->separator && a->json)
		return errbuf_set(eb, -EINVAL, "stat: -x and -j exclude each other");
	if (a->separator && !*a->separator)
		return errbuf_set(eb, -EINVAL,
				  "stat: -x needs what to put between two fields, as in -x,");
	if (a->separator && !strcmp(a->separator, "\\t"))
		a->separator = "\t";
	if (a->metric_only && a->per_thread)
		return errbuf_set(eb, -EINVAL, "stat: --metric-only does not go with --per-thread");
	if (a->metric_only && a->o.repeat != 1)
		return errbuf_set(eb, -EINVAL, "stat: --metric-only does not go with -r");
	if (a->plot && !a->o.interval_ms)
		return errbuf_set(
			eb, -EINVAL,
			"stat: --plot draws one column an interval: say how long with -I MSECS");
	if (a->plot && (a->separator || a->json || a->metric_only))
		return errbuf_set(
			eb, -EINVAL,
			"stat: --plot is for the eye, and excludes -x, -j and --metric-only");
	if (a->separator)
		a->format = &stat_csv_format;
	if (a->json)
		a->format = &stat_json_format;
	return 0;
}

static bool has_utf8_locale(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);

		if (value && *value) /* the first that is set counts */
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

void stat_formats_set_style(struct stat_args *a, struct stat_style *s, int fd)
{
	s->intervals = a->o.interval_ms != 0;
	s->separator = a->separator;
	s->no_csv_summary = a->no_csv_summary;
	if (a->separator || a->json)
		s->colour = s->clear = false;
	if (a->metric_only)
		s->metric_only = mem_zalloc(sizeof(*s->metric_only));
	if (!a->plot)
		return;
	if (!isatty(fd)) {
		log_warn("--plot needs a terminal: here are the rows instead");
		return;
	}
	s->plot = stat_plot_new(a->o.interval_ms * 1000000ull, has_utf8_locale());
	a->format = &stat_plot_format;
}

void stat_formats_fini_style(struct stat_style *s)
{
	if (s->metric_only)
		metric_columns_fini(s->metric_only);
	free(s->metric_only);
	stat_plot_free(s->plot);
	s->metric_only = NULL;
	s->plot = NULL;
}
