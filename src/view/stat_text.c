/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The text of stat. Columns are perf's to the byte, because people cut them with awk: a value of 18,
 * a unit, a name of 32 (25 where there is no value), a metric of 35.
 *
 * Fed by counts and metrics, which it only reads.
 */
#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "model/metrics.h"
#include "view/stat.h"

#define VALUE_WIDTH 18
#define NAME_WIDTH 32
#define NAME_WIDTH_EMPTY 25 /* beside <not counted> */
#define METRIC_WIDTH 35
#define UNIT_WIDTH_MIN 4
#define COMM_WIDTH 16
#define INTERVALS_PER_HEADING 25
#define NS_PER_SEC 1000000000ull

/* What printing needs to know again and again. */
struct printer {
	struct out *o;
	const struct counts *c;
	const struct stat_style *s;
	char time[32]; /* before each line of an interval; "" in a table */
	int unit_width;
	char separator[8]; /* between groups of digits; "" for none */
};

static const char *const grade_colour[] = {
	[METRIC_PLAIN] = "",
	[METRIC_FAIR] = "\033[33m",
	[METRIC_POOR] = "\033[35m",
	[METRIC_BAD] = "\033[31m",
};
#define COLOUR_OFF "\033[m"

/* Digits are grouped by the user's locale. The decimal point stays a point: output is parsed. */
static void read_separator(struct printer *p)
{
	locale_t own = newlocale(LC_NUMERIC_MASK, "", (locale_t)0);
	locale_t old;

	if (!own)
		return;
	old = uselocale(own);
	snprintf(p->separator, sizeof(p->separator), "%s", localeconv()->thousands_sep);
	uselocale(old);
	freelocale(own);
	if (!strcmp(p->separator, "."))
		p->separator[0] = '\'';
}

static void printer_init(struct printer *p, struct out *o, const struct counts *c, const struct stat_style *s)
{
	*p = (struct printer){ .o = o, .c = c, .s = s, .unit_width = UNIT_WIDTH_MIN };
	for (uint32_t i = 0; i < c->events.nr; i++) {
		int len = (int)strlen(c->events.v[i].unit);

		if (len > p->unit_width)
			p->unit_width = len;
	}
	if (s->big_num)
		read_separator(p);
}

static int columns_of(const char *s)
{
	int nr = 0;

	for (; *s; s++)
		nr += (*s & 0xc0) != 0x80;
	return nr;
}

/* Right-aligned in 18 columns. */
static void print_value(const struct printer *p, double value, int decimals)
{
	char digits[512], grouped[1024];
	size_t at = 0;
	int left;

	snprintf(digits, sizeof(digits), "%.*f", decimals, value);
	for (left = 0; isdigit((unsigned char)digits[left + (digits[0] == '-')]); left++)
		;
	for (const char *d = digits; *d && at < sizeof(grouped) - sizeof(p->separator); d++) {
		grouped[at++] = *d;
		if (!isdigit((unsigned char)*d) || left <= 0)
			continue;
		left--;
		if (left > 0 && left % 3 == 0 && p->separator[0]) {
			memcpy(&grouped[at], p->separator, strlen(p->separator));
			at += strlen(p->separator);
		}
	}
	grouped[at] = '\0';
	out_spaces(p->o, VALUE_WIDTH - columns_of(grouped));
	out_str(p->o, grouped);
}

/* Names come from the command line and from sysfs, comms from any program. Aligned to the left; to the right where the width is negative. */
static void print_padded(const struct printer *p, const char *text, int width)
{
	struct out escaped;

	out_init(&escaped, -1);
	escape_terminal_str(&escaped, text);
	out_char(&escaped, '\0');
	out_spaces(p->o, -width - columns_of(escaped.buf));
	out_str(p->o, escaped.buf);
	out_spaces(p->o, width - columns_of(escaped.buf));
	out_fini(&escaped);
}

/* What stands before the value: when, and of which core, CPU, thread. */
static void print_place(const struct printer *p, uint32_t place, uint32_t nr)
{
	const struct counts_place *at = &p->c->places.v[place];
	const struct counts_thread *t = &p->c->threads.v[at->thread];

	out_str(p->o, p->time);
	switch (p->c->aggr) {
	case COUNTS_GLOBAL:
		break;
	case COUNTS_PER_SOCKET:
		out_printf(p->o, "S%-5d %4u ", at->socket, nr);
		break;
	case COUNTS_PER_DIE:
		out_printf(p->o, "S%d-D%-8d %4u ", at->socket, at->die, nr);
		break;
	case COUNTS_PER_CORE:
		out_printf(p->o, "S%d-D%d-C%-8d %4u ", at->socket, at->die, at->core, nr);
		break;
	case COUNTS_PER_NODE:
		out_printf(p->o, "N%-5d %4u ", at->node, nr);
		break;
	case COUNTS_PER_CPU:
		out_printf(p->o, "CPU%-7d ", at->cpu);
		break;
	case COUNTS_PER_THREAD:
		print_padded(p, t->comm ? t->comm : "?", -COMM_WIDTH);
		out_printf(p->o, "-%-8d ", t->tid);
		break;
	}
}

static void print_metric(const struct printer *p, const struct metric *m)
{
	const char *colour = p->s->colour ? grade_colour[m->grade] : "";
	char number[STAT_METRIC_MAX];

	if (m->empty) {
		out_spaces(p->o, METRIC_WIDTH);
		return;
	}
	stat_metric_text(number, m->format, m->value);
	out_printf(p->o, " # %s%s%s ", colour, number, colour[0] ? COLOUR_OFF : "");
	print_padded(p, m->label, METRIC_WIDTH - 4 - (int)strlen(number));
}

static void print_unit_and_name(const struct printer *p, const struct counts_event *e, int name_width)
{
	out_printf(p->o, " %-*s ", p->unit_width, e->unit);
	print_padded(p, e->name, name_width);
	if (e->cgroup) {
		out_char(p->o, ' ');
		print_padded(p, e->cgroup, 0);
	}
}

static void print_counted(const struct printer *p, uint32_t event, uint32_t place, const struct counts_row *row)
{
	const struct counts_event *e = &p->c->events.v[event];
	struct metric metrics[METRICS_MAX];
	uint32_t nr = metrics_get(p->c, event, place, metrics);

	print_value(p, row->value * e->scale, floor(e->scale) != e->scale ? 2 : 0);
	print_unit_and_name(p, e, NAME_WIDTH);
	for (uint32_t i = 0; i < nr; i++) {
		if (i) {
			out_char(p->o, '\n');
			print_place(p, place, row->nr_cells);
			out_spaces(p->o, VALUE_WIDTH + p->unit_width + NAME_WIDTH + 2);
		}
		print_metric(p, &metrics[i]);
	}
	if (p->s->repeated && row->spread_pct > 0)
		out_printf(p->o, "  ( +-%6.2f%% )", row->spread_pct);
	if (counts_row_is_scaled(row))
		out_printf(p->o, "  (%.2f%%)", counts_row_running_pct(row));
	out_char(p->o, '\n');
}

static void print_row(void *ctx, uint32_t event, uint32_t place)
{
	const struct printer *p = ctx;
	const struct counts_row *row = counts_row_get(p->c, event, place);
	const struct counts_event *e = &p->c->events.v[event];

	print_place(p, place, stat_row_nr_cpus(row));
	if (row->state == COUNTS_OK) {
		print_counted(p, event, place, row);
		return;
	}
	out_printf(p->o, "%*s", VALUE_WIDTH, row->state == COUNTS_NOT_COUNTED ? "<not counted>" : "<not supported>");
	print_unit_and_name(p, e, NAME_WIDTH_EMPTY);
	out_spaces(p->o, METRIC_WIDTH);
	out_char(p->o, '\n');
}

static void print_rows(struct printer *p)
{
	if (p->s->null_run)
		return;
	if (p->s->metric_only)
		stat_metric_only_print(p->o, p->c, p->s, STAT_OUTPUT_TEXT);
	else
		stat_rows_each(p->c, p->s->skip_zero, print_row, p);
}

static void print_interval_heading(const struct printer *p)
{
	static const char *const columns[] = {
		[COUNTS_GLOBAL] = "",
		[COUNTS_PER_SOCKET] = " socket cpus",
		[COUNTS_PER_DIE] = " die          cpus",
		[COUNTS_PER_CORE] = " core            cpus",
		[COUNTS_PER_NODE] = " node   cpus",
		[COUNTS_PER_CPU] = " CPU       ",
		[COUNTS_PER_THREAD] = "             comm-pid     ",
	};

	out_printf(p->o, "#           time%s %*s %*s events\n", columns[p->c->aggr], VALUE_WIDTH, "counts", p->unit_width, "unit");
}

static void text_interval(struct out *o, const struct counts *c, const struct stat_style *s, uint64_t time_ns, uint64_t nr)
{
	struct printer p;

	printer_init(&p, o, c, s);
	if (s->clear)
		out_str(o, "\033[H\033[J");
	if (!s->metric_only && (s->clear || nr % INTERVALS_PER_HEADING == 0))
		print_interval_heading(&p);
	snprintf(p.time, sizeof(p.time), "%6llu.%09llu ", (unsigned long long)(time_ns / NS_PER_SEC),
		 (unsigned long long)(time_ns % NS_PER_SEC));
	print_rows(&p);
}

/* Digits after the point: two more than the spread leaves certain. */
static int precision_of(double spread)
{
	int digits;

	if (spread > 1 || spread <= 0)
		return spread > 0 ? 2 : 9;
	digits = (int)ceil(-log10(spread)) + 2;
	return digits > 11 ? 11 : digits;
}

static void print_run_table(const struct printer *p, int precision, double mean)
{
	int len = snprintf(NULL, 0, "%.*f", precision, mean);
	int indent = len < 17 ? 18 - len : 1;

	out_printf(p->o, "%*s# Table of individual measurements:\n", indent, "");
	for (uint32_t i = 0; i < p->c->runs.nr; i++) {
		double run = (double)p->c->runs.v[i].elapsed_ns / NS_PER_SEC;
		int bars = 1 + (run > 0 ? abs((int)(100.0 * (run - mean) / run) / 5) : 0);

		out_printf(p->o, " %17.*f (%+.*f) ", precision, run, precision, run - mean);
		while (bars-- > 0)
			out_char(p->o, '#');
		out_char(p->o, '\n');
	}
	out_printf(p->o, "\n%*s# Final result:\n", indent, "");
}

static void print_times(const struct printer *p)
{
	const struct counts *c = p->c;
	double mean = c->elapsed.mean / NS_PER_SEC;
	double spread = counts_series_stderr(&c->elapsed) / NS_PER_SEC;
	int precision = precision_of(spread);

	if (!p->s->null_run)
		out_char(p->o, '\n');
	if (p->s->repeated) {
		if (p->s->table)
			print_run_table(p, precision, mean);
		out_printf(p->o, " %17.*f +- %.*f seconds time elapsed", precision, mean, precision, spread);
		if (spread > 0)
			out_printf(p->o, "  ( +-%6.2f%% )", counts_series_spread_pct(&c->elapsed));
	} else {
		out_printf(p->o, " %17.9f seconds time elapsed", mean);
		if (p->s->show_times)
			out_printf(p->o, "\n\n %17.9f seconds user\n %17.9f seconds sys\n", c->user.mean / NS_PER_SEC,
				   c->system.mean / NS_PER_SEC);
	}
	out_str(p->o, "\n\n");
}

static void text_total(struct out *o, const struct counts *c, const struct stat_style *s)
{
	struct printer p;

	printer_init(&p, o, c, s);
	out_str(o, "\n Performance counter stats for ");
	escape_terminal_str(o, s->target);
	if (s->repeated)
		out_printf(o, " (%u runs)", c->runs.nr);
	out_str(o, ":\n\n");
	print_rows(&p);
	print_times(&p);
}

const struct stat_format stat_text_format = {
	.interval = text_interval,
	.total = text_total,
};
