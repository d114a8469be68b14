/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Parsing of --sort, -F and -g, with perf's words and defaults.
 */
#include "cmd/report_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cmd/perf_compat.h"

void report_options_init(struct report_options *o)
{
	memset(o, 0, sizeof(*o));
	o->text.chain_style = CHAIN_GRAPH;
	o->text.chain_min_percent = 0.5;
}

static bool has(const struct report_columns *c, enum hist_column col)
{
	for (uint32_t i = 0; i < c->nr; i++)
		if (c->v[i] == col)
			return true;
	return false;
}

static void add(struct report_columns *c, enum hist_column col)
{
	if (!has(c, col))
		c->v[c->nr++] = col;
}

static int add_word(struct report_columns *c, const char *option, const char *word, size_t len, struct errbuf *eb)
{
	enum hist_column col = column_find(word, len);
	char where[32];

	if (col < HIST_NR_COLUMNS) {
		add(c, col);
		return 0;
	}
	snprintf(where, sizeof(where), "report: %s", option);
	return perf_sort_key_refuse(where, word, len, HIST_NR_COLUMNS, 0, eb);
}

static int add_words(struct report_columns *c, const char *option, const char *arg, struct errbuf *eb)
{
	if (!*arg)
		return errbuf_set(eb, -EINVAL, "report: %s: the list of keys is empty", option);
	while (*arg) {
		size_t len = strcspn(arg, ", ");
		int err = len ? add_word(c, option, arg, len, eb) : 0;

		if (err)
			return err;
		arg += len + (arg[len] != 0);
	}
	return 0;
}

static void add_default_keys(struct report_columns *c, bool branches)
{
	static const uint8_t of_samples[] = { HIST_COMM, HIST_DSO, HIST_SYM };
	static const uint8_t of_branches[] = { HIST_COMM, HIST_DSO_FROM, HIST_SYM_FROM, HIST_SYM_TO, HIST_CYCLES };
	struct report_columns all = { .nr = 0 };

	for (size_t i = 0; i < (branches ? sizeof(of_branches) : sizeof(of_samples)); i++)
		add(&all, branches ? of_branches[i] : of_samples[i]);
	for (uint32_t i = 0; i < c->nr; i++)
		add(&all, c->v[i]);
	*c = all;
}

int report_option_sort(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct report_options *o = ctx;

	(void)opt, (void)negated;
	o->sort.nr = 0;
	o->sort_added = *arg == '+'; /* what the default is shows when the file is open */
	return add_words(&o->sort, "--sort", arg + o->sort_added, eb);
}

int report_option_fields(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct report_options *o = ctx;

	(void)opt, (void)negated;
	o->fields.nr = 0;
	o->fields_added = *arg == '+';
	return add_words(&o->fields, "-F", arg + o->fields_added, eb);
}

static int parse_percent(const char *s, double *value)
{
	char *end;

	*value = strtod(s, &end);
	return end == s || *end || !(*value >= 0 && *value <= 100) ? -EINVAL : 0;
}

int report_option_percent_limit(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct report_options *o = ctx;

	(void)opt, (void)negated;
	if (parse_percent(arg, &o->text.percent_limit))
		return errbuf_set(eb, -EINVAL, "report: --percent-limit: '%s' is no number from 0 to 100", arg);
	o->text.chain_min_percent = o->text.percent_limit;
	return 0;
}

int report_option_separator(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct report_options *o = ctx;

	(void)opt, (void)negated;
	if (!strcmp(arg, "\\t"))
		arg = "\t";
	if (!arg[0] || arg[1] || arg[0] == '.')
		return errbuf_set(eb, -EINVAL, "report: -%c: the separator is one character other than '.', not '%s'", opt->short_name,
				  arg);
	o->text.separator = arg[0];
	return 0;
}

int report_option_widths(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct report_options *o = ctx;
	uint32_t nr = 0;

	(void)opt, (void)negated;
	for (const char *rest = arg; *rest; nr++) {
		size_t len = strcspn(rest, ",");
		char word[8] = "";
		uint64_t width;

		if (len < sizeof(word))
			memcpy(word, rest, len);
		if (nr == HIST_NR_COLUMNS || options_u64(word, 0, 1000, &width))
			return errbuf_set(eb, -EINVAL, "report: -w: '%s' is no list of at most %d widths from 0 to 1000", arg,
					  HIST_NR_COLUMNS);
		o->text.widths[nr] = (uint16_t)width;
		rest += len + (rest[len] == ',');
	}
	return 0;
}

int report_option_tui(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	(void)opt, (void)ctx, (void)arg, (void)eb;
	if (!negated)
		log_warn("report: --tui: this version of assay prints text");
	return 0;
}

int report_option_absent(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	(void)ctx, (void)arg;
	if (negated)
		return 0;
	return errbuf_set(eb, -EINVAL, "report: --%s: %s of assay", opt->long_name, opt->help);
}

/* A word of -g; words are distinguished by what they are, so their order is free. Numbers: the least percent, then the limit. */
static int parse_chain_word(struct report_options *o, const char *w, int *nr_numbers)
{
	static const char *const styles[] = { "graph", "fractal", "flat", "folded", "none" };
	static const char *const values[] = { "percent", "period", "count" };
	static const char *const keys[] = { "function", "address", "srcline" };
	double number;

	for (int i = 0; i < 5; i++) {
		if (!strcmp(w, styles[i])) {
			o->text.chain_style = (enum chain_style)i;
			return 0;
		}
	}
	for (int i = 0; i < 3; i++) {
		if (!strcmp(w, values[i])) {
			o->text.chain_value = (enum chain_value)i;
			return 0;
		}
	}
	if (!strcmp(w, "caller") || !strcmp(w, "callee")) {
		o->hist.order = !strcmp(w, "caller") ? HIST_CALLER : HIST_CALLEE;
		o->order_set = true;
		return 0;
	}
	for (int i = 0; i < 3; i++) {
		if (!strcmp(w, keys[i])) {
			o->hist.chain_key = (enum hist_chain_key)i;
			return 0;
		}
	}
	if (!*nr_numbers && !parse_percent(w, &number)) {
		o->text.chain_min_percent = number;
		++*nr_numbers;
		return 0;
	}
	if (*nr_numbers == 1) {
		uint64_t limit;

		++*nr_numbers;
		if (options_u64(w, 0, UINT32_MAX, &limit))
			return -EINVAL;
		o->text.chain_print_limit = (uint32_t)limit;
		return 0;
	}
	return -EINVAL;
}

int report_option_call_graph(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct report_options *o = ctx;
	int nr_numbers = 0;

	(void)opt;
	o->chains_asked = !negated;
	if (negated) {
		o->text.chain_style = CHAIN_NO;
		return 0;
	}
	while (arg && *arg) {
		size_t len = strcspn(arg, ",");
		char word[32];

		if (len >= sizeof(word))
			len = sizeof(word) - 1;
		memcpy(word, arg, len);
		word[len] = 0;
		if (len && parse_chain_word(o, word, &nr_numbers))
			return errbuf_set(
				eb, -EINVAL,
				"report: -g: '%s' is none of graph, fractal, flat, folded, none, caller, callee, function, address, srcline, percent, period, count, nor a threshold in percent, nor a limit behind one",
				word);
		arg += len;
		arg += *arg == ',';
	}
	return 0;
}

static bool is_key(enum hist_column col)
{
	return col < HIST_NR_KEYS;
}

/* Which columns are shown, before single-name filters take theirs out. */
static void choose_columns(struct report_options *o, struct report_columns *shown)
{
	if (o->fields.nr && !o->fields_added) {
		for (uint32_t i = 0; i < o->fields.nr; i++)
			add(shown, o->fields.v[i]);
	} else {
		if (o->hist.children)
			add(shown, HIST_CHILDREN);
		add(shown, HIST_SELF);
		if (o->show_modes) {
			add(shown, HIST_SYS);
			add(shown, HIST_USER);
		}
		if (o->show_samples)
			add(shown, HIST_SAMPLES);
		if (o->show_period)
			add(shown, HIST_PERIOD);
		for (uint32_t i = 0; i < o->fields.nr; i++)
			add(shown, o->fields.v[i]);
	}
	for (uint32_t i = 0; i < o->sort.nr; i++)
		add(shown, o->sort.v[i]);
}

static bool elided(enum hist_column col, const struct filter *f)
{
	return (col == HIST_COMM && f->comms.nr == 1) || (col == HIST_DSO && f->dsos.nr == 1) || (col == HIST_SYM && f->symbols.nr == 1);
}

/* As perf has it: a filter of one name takes its column out, unless no key would be left. */
static bool elides(const struct report_columns *shown, const struct filter *f)
{
	for (uint32_t i = 0; i < shown->nr; i++)
		if (is_key(shown->v[i]) && !elided(shown->v[i], f))
			return true;
	return false;
}

bool report_options_caller_first(const struct report_options *o)
{
	if (o->inverted)
		return true;
	return o->order_set ? o->hist.order == HIST_CALLER : !o->children_set || o->children;
}

static bool uses(const struct report_options *o, enum hist_column col)
{
	return has(&o->sort, col) || has(&o->fields, col);
}

bool report_options_want_lines(const struct report_options *o)
{
	for (enum hist_column col = 0; col < HIST_NR_KEYS; col++)
		if (columns[col].flags & COLUMN_NEEDS_LINES && uses(o, col))
			return true;
	return o->hist.chain_key != HIST_CHAIN_FUNCTION;
}

int report_options_check_keys(const struct report_options *o, struct errbuf *eb)
{
	for (enum hist_column col = 0; col < HIST_NR_KEYS; col++)
		if (!o->branches && columns[col].flags & COLUMN_OF_BRANCHES && uses(o, col))
			return errbuf_set(
				eb, -EINVAL,
				"report: '%s' is about branches, and rows here are about samples: read a recording of 'perf record -b' "
				"(and leave --no-branch-stack out)",
				columns[col].name);
	return 0;
}

void report_options_finish(struct report_options *o, bool has_chains, const struct filter *f)
{
	struct report_columns shown = { .nr = 0 }, order = { .nr = 0 };
	bool sym_first, has_other_keys;

	has_chains = has_chains && !o->branches;
	o->hist.branches = o->branches;
	o->chains_asked = (o->chains_asked || o->inverted) && o->text.chain_style != CHAIN_NO;
	o->hist.chains = has_chains && o->text.chain_style != CHAIN_NO;
	o->hist.children = has_chains && (!o->children_set || o->children);
	o->hist.order = report_options_caller_first(o) ? HIST_CALLER : HIST_CALLEE;
	o->hist.tree_min_percent = o->text.chain_min_percent;
	o->hist.tree_relative = o->text.chain_style == CHAIN_FRACTAL;

	sym_first = o->sort.nr && o->sort.v[0] == HIST_SYM && !o->fields.nr && !o->sort_added;
	if (o->sort_added || (!o->sort.nr && (!o->fields.nr || o->fields_added)))
		add_default_keys(&o->sort, o->branches);
	choose_columns(o, &shown);
	/* Next to -F the keys of --sort alone say what comes first, without the share in front of them. */
	if (o->fields.nr && !o->fields_added)
		for (uint32_t i = 0; i < o->sort.nr; i++)
			add(&order, o->sort.v[i]);
	has_other_keys = elides(&shown, f);
	for (uint32_t i = 0; i < shown.nr; i++) {
		enum hist_column col = shown.v[i];

		if (is_key(col))
			o->hist.keys[o->hist.nr_keys++] = (uint8_t)col;
		add(&order, col);
		if (!has_other_keys || !elided(col, f))
			o->text.columns[o->text.nr_columns++] = (uint8_t)col;
	}
	memcpy(o->hist.order_by, order.v, order.nr);
	o->hist.nr_order_by = order.nr;
	o->text.beside_children = o->hist.children && (!o->fields.nr || o->fields_added);
	o->text.skip_first_frame = sym_first;
}
