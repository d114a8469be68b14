/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Parsing of --sort, -F and -g, with perf's words and defaults.
 */
#include "cmd/report_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/syscall_sample.h"
#include "base/log.h"
#include "cmd/cmd.h"
#include "cmd/perf_compat.h"

void report_options_init(struct report_options *o)
{
	memset(o, 0, sizeof(*o));
	o->text_word = o->call_word = -1;
	o->text.chain_style = CHAIN_GRAPH;
	o->text.chain_min_percent = 0.5;
}

void report_options_fini(struct report_options *o)
{
	field_keys_fini(&o->field_keys);
}

static bool has(const struct report_columns *c, uint32_t col)
{
	for (uint32_t i = 0; i < c->nr; i++)
		if (c->v[i] == col)
			return true;
	return false;
}

static void add(struct report_columns *c, uint32_t col)
{
	if (!has(c, col))
		c->v[c->nr++] = (uint16_t)col;
}

/* What is no column of the table may be a field, which shows when the recording is open. */
static int add_word(struct report_options *o, struct report_columns *c, const char *where, const char *word, size_t len, struct errbuf *eb)
{
	uint32_t col = column_find(word, len);

	if (col == HIST_NR_COLUMNS) {
		int field = perf_sort_key_is_known(word, len) ? perf_sort_key_refuse(where, word, len, HIST_NR_COLUMNS, 0, eb)
							      : field_keys_add(&o->field_keys, where, word, len, eb);

		if (field < 0)
			return field;
		col = HIST_FIELDS + (uint32_t)field;
	}
	add(c, col);
	return 0;
}

static int add_words(struct report_options *o, struct report_columns *c, const char *where, const char *arg, struct errbuf *eb)
{
	if (!*arg)
		return errbuf_set(eb, -EINVAL, "%s: the list of keys is empty", where);
	while (*arg) {
		size_t len = strcspn(arg, ", ");
		int err = len ? add_word(o, c, where, arg, len, eb) : 0;

		if (err)
			return err;
		arg += len + (arg[len] != 0);
	}
	return 0;
}

/* Whether keys beside the given ones are wanted. */
static bool has_default_keys(const struct report_options *o)
{
	return o->sort_added || (!o->sort.nr && (!o->fields.nr || o->fields_added));
}

static bool is_all_of_tracepoints(const struct perfdata_info *info)
{
	for (uint32_t i = 0; i < info->events.nr; i++)
		if (info->events.v[i].attr.type != ATTR_TYPE_TRACEPOINT)
			return false;
	return info->events.nr;
}

/* `trace record` has calls as tracepoints of the kernel where it could not use BPF: then its command line says what they are. That of perf has
 * the same words, and its reports are by text. */
static bool is_of_trace(const struct perfdata_info *info)
{
	const char *program = info->nr_cmdline > 2 ? info->cmdline[0] : "", *slash = strrchr(program, '/');

	return info->nr_cmdline > 2 && strcmp(slash ? slash + 1 : program, "perf") && !strcmp(info->cmdline[1], "trace") &&
	       !strcmp(info->cmdline[2], "record");
}

static bool has_own_calls(const struct perfdata_info *info)
{
	for (uint32_t i = 0; i < info->events.nr; i++)
		if (info->events.v[i].attr.type == ATTR_TYPE_TRACEPOINT && info->events.v[i].attr.config == SYSCALL_SAMPLE_ID)
			return true;
	return false;
}

static int add_default_word(struct report_options *o, const char *word)
{
	struct errbuf unsaid = { 0 };
	int nr = field_keys_add(&o->field_keys, "report", word, strlen(word), &unsaid);

	if (nr >= 0)
		o->field_keys.words.v[nr].is_optional = true;
	return nr;
}

/* Whether rows of system calls are by their names. */
static bool names_calls(const struct recording *r)
{
	return (has_own_calls(r->info) || is_of_trace(r->info)) && !recording_samples(r, SAMPLE_CALLCHAIN);
}

void report_options_choose_keys(struct report_options *o, const struct recording *r)
{
	if (!has_default_keys(o) || o->branches)
		return;
	if (!r->info->events.nr || names_calls(r))
		o->call_word = add_default_word(o, FIELD_CALL);
	else if (is_all_of_tracepoints(r->info) && !r->is_imported) /* whose tracepoints have no fields */
		o->text_word = add_default_word(o, o->field_keys.all_raw ? "trace_fields" : "trace");
}

/* In front of those that are given. */
static void add_default_keys(const struct report_options *o, struct report_columns *c, bool of_calls)
{
	static const uint8_t of_samples[] = { HIST_COMM, HIST_DSO, HIST_SYM };
	static const uint8_t of_branches[] = { HIST_COMM, HIST_DSO_FROM, HIST_SYM_FROM, HIST_SYM_TO, HIST_CYCLES };
	struct report_columns all = { .nr = 0 };

	if (of_calls) {
		add(&all, HIST_COMM);
		add(&all, HIST_FIELDS + (uint32_t)o->call_word);
	} else if (o->text_word >= 0) {
		add(&all, HIST_FIELDS + (uint32_t)o->text_word);
	} else {
		for (size_t i = 0; i < (o->branches ? sizeof(of_branches) : sizeof(of_samples)); i++)
			add(&all, o->branches ? of_branches[i] : of_samples[i]);
	}
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
	return add_words(o, &o->sort, "report: --sort", arg + o->sort_added, eb);
}

int report_option_fields(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct report_options *o = ctx;

	(void)opt, (void)negated;
	o->fields.nr = 0;
	o->fields_added = *arg == '+';
	return add_words(o, &o->fields, "report: -F", arg + o->fields_added, eb);
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

/* What the configuration says of chains holds where there are some; it does not ask for any. */
int report_option_default_call_graph(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct report_options *o = ctx;
	bool was_asked = o->chains_asked;
	int err = report_option_call_graph(opt, ctx, arg, negated, eb);

	o->chains_asked = was_asked;
	return err;
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

static bool is_key(uint32_t col)
{
	return col < HIST_NR_KEYS || col >= HIST_FIELDS;
}

/* As perf 7.2 has it of recordings with context switches: shares that are sort keys are the only ones, but not next to --latency. */
static bool chooses_shares(const struct report_options *o, const struct report_columns *sort)
{
	return o->has_switches && !o->latency &&
	       (has(sort, HIST_CHILDREN) || has(sort, HIST_LATENCY_CHILDREN) || has(sort, HIST_SELF) || has(sort, HIST_LATENCY));
}

static void add_shares(const struct report_options *o, const struct report_columns *sort, struct report_columns *shown)
{
	static const uint8_t by_cpu_time[] = { HIST_CHILDREN, HIST_LATENCY_CHILDREN, HIST_SELF, HIST_LATENCY };
	static const uint8_t by_latency[] = { HIST_LATENCY_CHILDREN, HIST_CHILDREN, HIST_LATENCY, HIST_SELF };
	bool chooses = chooses_shares(o, sort);

	for (size_t i = 0; i < sizeof(by_latency); i++) {
		uint8_t col = o->latency ? by_latency[i] : by_cpu_time[i];
		bool is_of_latency = columns[col].flags & COLUMN_OF_SWITCHES;

		if ((col == HIST_CHILDREN || col == HIST_LATENCY_CHILDREN) && !o->hist.children)
			continue;
		if (chooses ? has(sort, col) : !is_of_latency || o->latency || o->shows_latency)
			add(shown, col);
	}
}

/* Which columns are shown, before single-name filters take theirs out. */
static void choose_columns(const struct report_options *o, const struct report_columns *sort, bool of_calls, struct report_columns *shown)
{
	if (o->fields.nr && !o->fields_added) {
		for (uint32_t i = 0; i < o->fields.nr; i++)
			add(shown, o->fields.v[i]);
	} else {
		add_shares(o, sort, shown);
		if (o->show_modes) {
			add(shown, HIST_SYS);
			add(shown, HIST_USER);
		}
		if (o->show_samples || of_calls || (o->has_switches && has(sort, HIST_SAMPLES)))
			add(shown, HIST_SAMPLES);
		if (o->show_period || (o->has_switches && has(sort, HIST_PERIOD)))
			add(shown, HIST_PERIOD);
		for (uint32_t i = 0; i < o->fields.nr; i++)
			if (o->fields.v[i] != HIST_LATENCY || o->latency || o->shows_latency)
				add(shown, o->fields.v[i]);
	}
	for (uint32_t i = 0; i < sort->nr; i++)
		if (sort->v[i] != HIST_LATENCY_CHILDREN || o->hist.children || o->fields.nr)
			add(shown, sort->v[i]);
}

static bool elided(uint32_t col, const struct filter *f)
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

const char *report_options_needs_switches(const struct report_options *o)
{
	for (enum hist_column col = 0; col < HIST_NR_COLUMNS && !o->latency; col++)
		if (columns[col].flags & COLUMN_OF_SWITCHES && uses(o, col))
			return columns[col].name;
	return o->latency ? "--latency" : NULL;
}

bool report_options_want_parallelism(const struct report_options *o)
{
	return uses(o, HIST_PARALLELISM);
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

static void choose_rows(struct report_options *o, bool of_calls, const struct filter *f, struct report_rows *rows)
{
	struct report_columns shown = { .nr = 0 }, sort = o->sort;
	bool has_other_keys;

	if (has_default_keys(o))
		add_default_keys(o, &sort, of_calls);
	choose_columns(o, &sort, of_calls, &shown);
	/* Next to -F the keys of --sort alone say what comes first, without the share in front of them. */
	if ((o->fields.nr && !o->fields_added) || chooses_shares(o, &sort))
		for (uint32_t i = 0; i < sort.nr; i++)
			add(&rows->order, sort.v[i]);
	has_other_keys = elides(&shown, f);
	for (uint32_t i = 0; i < shown.nr; i++) {
		uint32_t col = shown.v[i];

		if (is_key(col))
			add(&rows->keys, col);
		add(&rows->order, col);
		if (!has_other_keys || !elided(col, f))
			add(&rows->shown, col);
	}
}

void report_options_finish(struct report_options *o, const struct recording *r, const struct filter *f)
{
	bool has_chains = recording_samples(r, SAMPLE_CALLCHAIN) && !o->branches;
	bool sym_first;

	if (!names_calls(r))
		o->call_word = -1;
	o->hist.branches = o->branches;
	o->chains_asked = (o->chains_asked || o->inverted) && o->text.chain_style != CHAIN_NO;
	o->hist.chains = has_chains && o->text.chain_style != CHAIN_NO;
	o->hist.children = has_chains && (!o->children_set || o->children);
	o->hist.order = report_options_caller_first(o) ? HIST_CALLER : HIST_CALLEE;
	o->hist.tree_min_percent = o->text.chain_min_percent;
	o->hist.tree_relative = o->text.chain_style == CHAIN_FRACTAL;

	sym_first = o->sort.nr && o->sort.v[0] == HIST_SYM && !o->fields.nr && !o->sort_added;
	choose_rows(o, false, f, &o->rows);
	if (o->call_word >= 0)
		choose_rows(o, true, f, &o->call_rows);
	o->text.beside_children = o->hist.children && (!o->fields.nr || o->fields_added);
	o->text.skip_first_frame = sym_first;
}

int report_options_check_fields(struct report_options *o, struct errbuf *eb)
{
	return perf_sort_fields_check(&o->field_keys, HIST_NR_COLUMNS, 0, eb);
}

/* Columns of the table stay as they are; a word becomes the fields that the event has of it. */
static uint32_t expand(uint16_t *to, const struct report_columns *from, const struct field_event *e)
{
	bool is_there[FIELD_MAX_SLOTS] = { false };
	uint32_t nr = 0;

	for (uint32_t i = 0; i < from->nr; i++) {
		if (from->v[i] < HIST_FIELDS)
			to[nr++] = from->v[i];
		for (uint32_t k = 0; from->v[i] >= HIST_FIELDS && k < e->slots_of_words.nr; k += 2) {
			uint16_t slot = e->slots_of_words.v[k + 1];

			if (e->slots_of_words.v[k] != from->v[i] - HIST_FIELDS || is_there[slot])
				continue;
			is_there[slot] = true;
			to[nr++] = (uint16_t)(HIST_FIELDS + slot);
		}
	}
	return nr;
}

void report_options_of_event(struct report_options *o, uint32_t event)
{
	static const struct field_event none = { .is_resolved = true };
	const struct field_event *e = o->field_keys.words.nr ? field_keys_event(&o->field_keys, event) : &none;
	bool is_call = o->call_word >= 0 && field_event_has(e, (uint32_t)o->call_word);
	const struct report_rows *rows = is_call ? &o->call_rows : &o->rows;

	o->hist.fields = e->slots.v;
	o->hist.nr_keys = expand(o->hist.keys, &rows->keys, e);
	o->hist.nr_order_by = expand(o->hist.order_by, &rows->order, e);
	o->text.nr_columns = expand(o->text.columns, &rows->shown, e);
}
