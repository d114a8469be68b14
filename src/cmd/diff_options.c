/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Parsing of diff's --compute, --sort, and --percentage, with perf's words and defaults.
 */
#include "cmd/diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "cmd/perf_compat.h"

static const struct {
	const char *name;
	enum hist_column key;
} words[] = {
	{ "comm", HIST_COMM }, { "pid", HIST_PID }, { "tid", HIST_TID },	 { "dso", HIST_DSO },	      { "sym", HIST_SYM },
	{ "symbol", HIST_SYM }, { "cpu", HIST_CPU }, { "srcline", HIST_SRCLINE }, { "srcfile", HIST_SRCFILE },
};
#define NR_WORDS (sizeof(words) / sizeof(*words))

char *diff_option_words(char separator)
{
	struct out o;

	out_init(&o, -1);
	for (size_t i = 0; i < NR_WORDS; i++) {
		if (i)
			out_char(&o, separator);
		out_str(&o, words[i].name);
	}
	out_char(&o, 0);
	return o.buf; /* changes hands */
}

static int parse_weights(const char *s, struct diff_table_options *o, struct errbuf *eb)
{
	char *end = NULL;

	errno = 0;
	if (*s == ':')
		o->weight_base = strtoll(s + 1, &end, 10);
	if (!end || end == s + 1 || *end != ',')
		goto bad;
	s = end;
	o->weight_now = strtoll(s + 1, &end, 10);
	if (end == s + 1 || *end || errno || !o->weight_base || !o->weight_now)
		goto bad;
	o->compute = DIFF_WEIGHTED;
	return 0;
bad:
	return errbuf_set(eb, -EINVAL,
			  "diff: -c: a weighted difference needs two whole numbers other than 0, of the baseline and of the others: -c wdiff:1,2");
}

int diff_option_compute(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct diff_table_options *o = &((struct diff_options *)ctx)->table;

	(void)opt, (void)negated;
	if (!strncmp(arg, "wdiff", 5) && (arg[5] == ':' || !arg[5]))
		return parse_weights(arg + 5, o, eb);
	if (!strcmp(arg, "delta"))
		o->compute = DIFF_DELTA;
	else if (!strcmp(arg, "delta-abs"))
		o->compute = DIFF_DELTA_ABS;
	else if (!strcmp(arg, "ratio"))
		o->compute = DIFF_RATIO;
	else if (!strcmp(arg, "cycles"))
		return errbuf_set(eb, -EINVAL, "diff: -c cycles (cycles of basic blocks, from branch stacks) is not in this version of assay");
	else
		return errbuf_set(eb, -EINVAL, "diff: -c: there is delta, delta-abs, ratio and wdiff:W1,W2, but no '%s'", arg);
	return 0;
}

/* Keys that tables of one recording have. */
static int refuse_of_report(const char *word, size_t len, struct errbuf *eb)
{
	static const char *const keys[] = { "dso_from",	    "dso_to",	  "symbol_from", "symbol_to",	     "srcline_from", "srcline_to",
					    "mispredict",   "abort",	  "in_tx",	 "cycles",	     "overhead",     "overhead_children",
					    "overhead_sys", "overhead_us", "sample",	 "period" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strlen(keys[i]) == len && !memcmp(keys[i], word, len))
			return errbuf_set(eb, -EINVAL, "diff: --sort: perf's key '%s' is not in this version of assay: 'assay report --sort %s' has it",
					  keys[i], keys[i]);
	return 0;
}

static int unknown_key(const char *word, size_t len, struct errbuf *eb)
{
	struct suggest s;
	char *all;
	int err = perf_sort_key_refuse("diff: --sort", word, len, eb);

	if (!err)
		err = refuse_of_report(word, len, eb);
	if (err)
		return err;
	all = diff_option_words(' ');
	suggest_init_part(&s, word, len);
	for (size_t i = 0; i < NR_WORDS; i++)
		suggest_offer(&s, words[i].name);
	err = suggest_refuse(&s, "diff: --sort", "key", all, eb);
	free(all);
	return err;
}

static void add_key(struct diff_table_options *o, enum hist_column key)
{
	for (uint32_t i = 0; i < o->nr_keys; i++)
		if (o->keys[i] == key)
			return;
	o->keys[o->nr_keys++] = (uint8_t)key;
}

static void add_default_keys(struct diff_table_options *o)
{
	add_key(o, HIST_DSO);
	add_key(o, HIST_SYM);
}

int diff_option_sort(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct diff_table_options *o = &((struct diff_options *)ctx)->table;

	(void)opt, (void)negated;
	o->nr_keys = 0;
	if (*arg == '+') {
		add_default_keys(o);
		arg++;
	}
	while (*arg) {
		size_t len = strcspn(arg, ", "), i = 0;

		while (i < NR_WORDS && (strlen(words[i].name) != len || memcmp(words[i].name, arg, len)))
			i++;
		if (len && i == NR_WORDS)
			return unknown_key(arg, len, eb);
		if (len)
			add_key(o, words[i].key);
		arg += len + (arg[len] != 0);
	}
	return o->nr_keys ? 0 : errbuf_set(eb, -EINVAL, "diff: --sort: the list of keys is empty");
}

int diff_option_percentage(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	(void)opt, (void)negated;
	if (strcmp(arg, "relative") && strcmp(arg, "absolute"))
		return errbuf_set(eb, -EINVAL, "diff: --percentage: there is relative and absolute, but no '%s'", arg);
	((struct diff_options *)ctx)->table.relative = !strcmp(arg, "relative");
	return 0;
}

int diff_option_separator(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	(void)negated;
	if (!strcmp(arg, "\\t"))
		arg = "\t";
	if (!arg[0] || arg[1] || arg[0] == '.')
		return errbuf_set(eb, -EINVAL, "diff: -%c: the separator is one character other than '.', not '%s'", opt->short_name, arg);
	((struct diff_options *)ctx)->text.separator = arg[0];
	return 0;
}

int diff_option_absent(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	(void)ctx, (void)arg;
	return negated ? 0 : errbuf_set(eb, -EINVAL, "diff: --%s: %s", opt->long_name, opt->help);
}

bool diff_options_want_lines(const struct diff_options *o)
{
	for (uint32_t i = 0; i < o->table.nr_keys; i++)
		if (o->table.keys[i] == HIST_SRCLINE || o->table.keys[i] == HIST_SRCFILE)
			return true;
	return false;
}

static bool is_settled(enum hist_column key, const struct filter *f)
{
	return (key == HIST_COMM && f->comms.nr == 1) || (key == HIST_DSO && f->dsos.nr == 1) || (key == HIST_SYM && f->symbols.nr == 1);
}

void diff_options_finish(struct diff_options *o, const struct filter *f)
{
	if (!o->table.nr_keys)
		add_default_keys(&o->table);
	for (uint32_t i = 0; i < o->table.nr_keys; i++)
		if (!is_settled(o->table.keys[i], f))
			o->text.keys[o->text.nr_keys++] = o->table.keys[i];
	/* Rows without any name would say nothing. */
	if (!o->text.nr_keys) {
		memcpy(o->text.keys, o->table.keys, sizeof(o->text.keys));
		o->text.nr_keys = o->table.nr_keys;
	}
}
