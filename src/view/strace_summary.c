/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One table, and a second one for calls by the 32-bit entry, as strace has it.
 */
#include "view/strace_summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/syscalls.h"
#include "base/vec.h"

/* Words that say the same. */
static enum strace_sort sort_of(unsigned word)
{
	static const uint8_t sorts[] = { STRACE_BY_TIME, STRACE_BY_CALLS, STRACE_BY_ERRORS, STRACE_BY_NAME,  STRACE_BY_MIN,
					 STRACE_BY_MAX,	 STRACE_BY_AVG,	  STRACE_UNSORTED,  STRACE_UNSORTED, STRACE_BY_TIME,
					 STRACE_BY_TIME, STRACE_BY_CALLS, STRACE_BY_ERRORS, STRACE_BY_NAME,  STRACE_BY_NAME,
					 STRACE_BY_MIN,	 STRACE_BY_MIN,	  STRACE_BY_MAX,    STRACE_BY_MAX,   STRACE_BY_AVG };

	return word < sizeof(sorts) ? (enum strace_sort)sorts[word] : STRACE_BY_TIME;
}

static const char *name_of(const struct syscall_sums *s, uint32_t nr, char *buf, size_t size)
{
	uint32_t number = nr & ~SYSCALL_NR_32;
	const struct syscall_def *def = syscall_get(nr & SYSCALL_NR_32 ? SYSCALL_I386 : s->abi, number);

	if (def)
		return def->name;
	snprintf(buf, size, "syscall_%#x", number);
	return buf;
}

struct sorting {
	const struct syscall_sums *s;
	enum strace_sort by;
};

/* The most first, names in their order. */
static int compare(const void *a, const void *b, void *ctx)
{
	const struct syscall_sum *x = a, *y = b;
	const struct sorting *by = ctx;
	char names[2][32];
	uint64_t means[2];

	switch (by->by) {
	case STRACE_BY_TIME:
		return compare_u64(&y->total_ns, &x->total_ns);
	case STRACE_BY_CALLS:
		return compare_u64(&y->nr_calls, &x->nr_calls);
	case STRACE_BY_ERRORS:
		return compare_u64(&y->nr_errors, &x->nr_errors);
	case STRACE_BY_NAME:
		return strcmp(name_of(by->s, x->nr, names[0], sizeof(names[0])), name_of(by->s, y->nr, names[1], sizeof(names[1])));
	case STRACE_BY_MIN:
		return compare_u64(&y->min_ns, &x->min_ns);
	case STRACE_BY_MAX:
		return compare_u64(&y->max_ns, &x->max_ns);
	case STRACE_BY_AVG:
		means[0] = (uint64_t)syscall_sum_mean(x);
		means[1] = (uint64_t)syscall_sum_mean(y);
		return compare_u64(&means[1], &means[0]);
	default:
		return (x->nr > y->nr) - (x->nr < y->nr);
	}
}

/* ---- columns ---- */

#define NAME_WIDTH 16

static const struct {
	const char *words; /* of -U, with a space before and after each */
	const char *heading;
	int width;
} columns[STRACE_NR_COLUMNS] = {
	[STRACE_COLUMN_SHARE] = { " time-percent time percent ", "% time", 6 },
	[STRACE_COLUMN_TOTAL] = { " total-time time-total total seconds ", "seconds", 11 },
	[STRACE_COLUMN_MIN] = { " min-time time-min shortest ", "shortest", 8 },
	[STRACE_COLUMN_MAX] = { " max-time time-max longest ", "longest", 8 },
	[STRACE_COLUMN_AVG] = { " avg-time time-avg usecs ", "usecs/call", 11 },
	[STRACE_COLUMN_CALLS] = { " calls count ", "calls", 9 },
	[STRACE_COLUMN_ERRORS] = { " errors error ", "errors", 9 },
	[STRACE_COLUMN_NAME] = { " name syscall syscall-name ", "syscall", NAME_WIDTH },
};

int strace_column_find(const char *word)
{
	size_t len = strlen(word);

	for (int i = 0; i < STRACE_NR_COLUMNS && len && !strchr(word, ' '); i++)
		for (const char *at = strstr(columns[i].words, word); at; at = strstr(at + 1, word))
			if (at[-1] == ' ' && at[len] == ' ')
				return i;
	return -1;
}

/* The names stand at the left, and have no blanks behind them at the end of a line. */
static void put_cell(struct out *o, uint8_t column, bool is_last, const char *text)
{
	if (column == STRACE_COLUMN_NAME)
		out_printf(o, "%-*s", is_last ? 0 : columns[column].width, text);
	else
		out_printf(o, "%*s", columns[column].width, text);
	out_char(o, is_last ? '\n' : ' ');
}

struct row {
	double share;
	uint64_t total_ns, min_ns, max_ns, nr_calls, nr_errors;
	const char *name;
};

static void put_row(struct out *o, const struct row *r, const struct strace_summary_options *opts)
{
	for (uint32_t i = 0; i < opts->nr_columns; i++) {
		char text[32] = "";

		switch (opts->columns[i]) {
		case STRACE_COLUMN_SHARE:
			snprintf(text, sizeof(text), "%.2f", r->share);
			break;
		case STRACE_COLUMN_TOTAL:
			snprintf(text, sizeof(text), "%.6f", (double)r->total_ns / 1e9);
			break;
		case STRACE_COLUMN_MIN:
			snprintf(text, sizeof(text), "%.6f", (double)r->min_ns / 1e9);
			break;
		case STRACE_COLUMN_MAX:
			snprintf(text, sizeof(text), "%.6f", (double)r->max_ns / 1e9);
			break;
		case STRACE_COLUMN_AVG:
			snprintf(text, sizeof(text), "%llu", (unsigned long long)(r->nr_calls ? r->total_ns / r->nr_calls / 1000 : 0));
			break;
		case STRACE_COLUMN_CALLS:
			snprintf(text, sizeof(text), "%llu", (unsigned long long)r->nr_calls);
			break;
		case STRACE_COLUMN_ERRORS:
			if (r->nr_errors)
				snprintf(text, sizeof(text), "%llu", (unsigned long long)r->nr_errors);
			break;
		}
		put_cell(o, opts->columns[i], i + 1 == opts->nr_columns, opts->columns[i] == STRACE_COLUMN_NAME ? r->name : text);
	}
}

static void put_headings(struct out *o, const struct strace_summary_options *opts)
{
	for (uint32_t i = 0; i < opts->nr_columns; i++)
		put_cell(o, opts->columns[i], i + 1 == opts->nr_columns, columns[opts->columns[i]].heading);
}

static void put_rule(struct out *o, const struct strace_summary_options *opts)
{
	for (uint32_t i = 0; i < opts->nr_columns; i++) {
		for (int dash = 0; dash < columns[opts->columns[i]].width; dash++)
			out_char(o, '-');
		out_char(o, i + 1 == opts->nr_columns ? '\n' : ' ');
	}
}

static void put_table(struct out *o, const struct syscall_sums *s, bool is_32, const struct strace_summary_options *opts)
{
	struct row total = { .name = "total" };
	char name[32];

	for (uint32_t i = 0; i < s->sums.nr; i++) {
		const struct syscall_sum *r = &s->sums.v[i];

		if (!(r->nr & SYSCALL_NR_32) == is_32)
			continue;
		if (!total.nr_calls || r->min_ns < total.min_ns)
			total.min_ns = r->min_ns;
		if (r->max_ns > total.max_ns)
			total.max_ns = r->max_ns;
		total.total_ns += r->total_ns;
		total.nr_calls += r->nr_calls;
		total.nr_errors += r->nr_errors;
	}
	total.share = total.nr_calls ? 100 : 0;
	put_headings(o, opts);
	put_rule(o, opts);
	for (uint32_t i = 0; i < s->sums.nr; i++) {
		const struct syscall_sum *r = &s->sums.v[i];
		const struct row row = {
			.share = total.total_ns ? 100.0 * (double)r->total_ns / (double)total.total_ns : 0,
			.total_ns = r->total_ns,
			.min_ns = r->min_ns,
			.max_ns = r->max_ns,
			.nr_calls = r->nr_calls,
			.nr_errors = r->nr_errors,
			.name = name_of(s, r->nr, name, sizeof(name)),
		};

		if (!(r->nr & SYSCALL_NR_32) != is_32)
			put_row(o, &row, opts);
	}
	put_rule(o, opts);
	put_row(o, &total, opts);
}

void strace_summary_text(struct out *o, struct syscall_sums *s, const struct strace_summary_options *given)
{
	static const struct strace_summary_options usual = {
		.nr_columns = 6,
		.columns = { STRACE_COLUMN_SHARE, STRACE_COLUMN_TOTAL, STRACE_COLUMN_AVG, STRACE_COLUMN_CALLS, STRACE_COLUMN_ERRORS,
			     STRACE_COLUMN_NAME },
	};
	const struct strace_summary_options *opts = given->nr_columns ? given : &usual;
	struct sorting by = { .s = s, .by = sort_of(given->sort) };
	bool has_64 = false, has_32 = false;

	vec_sort_r(&s->sums, compare, &by);
	for (uint32_t i = 0; i < s->sums.nr; i++) {
		has_32 |= !!(s->sums.v[i].nr & SYSCALL_NR_32);
		has_64 |= !(s->sums.v[i].nr & SYSCALL_NR_32);
	}
	if (has_64)
		put_table(o, s, false, opts);
	if (!has_32)
		return;
	out_str(o, "System call usage summary for 32 bit mode:\n");
	put_table(o, s, true, opts);
}
