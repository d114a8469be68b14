/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Parsing of diff's --compute, --sort, and --percentage, with perf's words and defaults.
 */
#include "cmd/diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/perf_compat.h"

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
	return errbuf_set(
		eb, -EINVAL,
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
		return errbuf_set(eb, -EINVAL,
				  "diff: -c cycles (cycles of basic blocks, from branch stacks) is not in this version of assay");
	else
		return errbuf_set(eb, -EINVAL, "diff: -c: there is delta, delta-abs, ratio and wdiff:W1,W2, but no '%s'", arg);
	return 0;
}

static void add_key(struct diff_table_options *o, uint32_t key)
{
	for (uint32_t i = 0; i < o->nr_keys; i++)
		if (o->keys[i] == key)
			return;
	o->keys[o->nr_keys++] = (uint16_t)key;
}

static void add_default_keys(struct diff_table_options *o)
{
	add_key(o, HIST_DSO);
	add_key(o, HIST_SYM);
}

/* What is no key may be a field, which shows when a recording is open. A word is one column: rows of two recordings are matched by it. */
static int add_field(struct diff_options *o, const char *word, size_t len, struct errbuf *eb)
{
	int nr;

	if (column_find(word, len) < HIST_NR_COLUMNS)
		return errbuf_set(eb, -EINVAL,
				  "diff: --sort: perf's key '%.*s' is not in this version of assay: 'assay report --sort %.*s' has it",
				  (int)len, word, (int)len, word);
	if (perf_sort_key_is_known(word, len))
		return perf_sort_key_refuse("diff: --sort", word, len, HIST_NR_KEYS, COLUMN_IN_DIFF, eb);
	if (memchr(word, '*', len) || (len >= 12 && !memcmp(word, "trace_fields", 12)))
		return errbuf_set(eb, -EINVAL, "diff: --sort: '%.*s' stands for several fields: name them one by one", (int)len, word);
	nr = field_keys_add(&o->words, "diff: --sort", word, len, eb);
	if (nr < 0)
		return nr;
	o->fields[nr] = (struct column){
		.name = o->words.words.v[nr].text,
		.heading = o->words.words.v[nr].text,
		.member = o->words.words.v[nr].text,
		.kind = &column_field_kind,
		.order = COLUMN_BY_NAME,
	};
	add_key(&o->table, HIST_FIELDS + (uint32_t)nr);
	return 0;
}

int diff_option_sort(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct diff_table_options *o = &((struct diff_options *)ctx)->table;
	int err;

	(void)opt, (void)negated;
	o->nr_keys = 0;
	if (*arg == '+') {
		add_default_keys(o);
		arg++;
	}
	while (*arg) {
		size_t len = strcspn(arg, ", ");
		enum hist_column col = column_find(arg, len);

		if (len && (col == HIST_NR_COLUMNS || !(columns[col].flags & COLUMN_IN_DIFF))) {
			err = add_field(ctx, arg, len, eb);
			if (err)
				return err;
		} else if (len) {
			add_key(o, col);
		}
		arg += len + (arg[len] != 0);
	}
	return o->nr_keys ? 0 : errbuf_set(eb, -EINVAL, "diff: --sort: the list of keys is empty");
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
		if (o->table.keys[i] < HIST_FIELDS && columns[o->table.keys[i]].flags & COLUMN_NEEDS_LINES)
			return true;
	return false;
}

static bool is_settled(uint32_t key, const struct filter *f)
{
	return (key == HIST_COMM && f->comms.nr == 1) || (key == HIST_DSO && f->dsos.nr == 1) || (key == HIST_SYM && f->symbols.nr == 1);
}

void diff_options_finish(struct diff_options *o, const struct filter *f)
{
	o->table.fields = o->fields;
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

void diff_options_fini(struct diff_options *o)
{
	field_keys_fini(&o->words);
}

void diff_options_open_fields(const struct diff_options *o, struct field_keys *k, struct profile *p)
{
	struct errbuf unsaid = { 0 };

	*k = (struct field_keys){ 0 };
	if (!o->words.words.nr)
		return;
	for (uint32_t i = 0; i < o->words.words.nr; i++)
		field_keys_add(k, o->words.words.v[i].where, o->words.words.v[i].text, strlen(o->words.words.v[i].text), &unsaid);
	field_keys_open(k, p->recording, &p->strings, p->machine->memory);
	p->fields = k;
}

int diff_options_check_fields(struct field_keys *k, struct errbuf *eb)
{
	return perf_sort_fields_check(k, HIST_NR_KEYS, COLUMN_IN_DIFF, eb);
}

void diff_options_set_keys(const struct diff_options *o, const struct hist_options *common, struct field_keys *k, uint32_t event,
			   struct hist_options *h)
{
	const struct field_event *e = o->words.words.nr ? field_keys_event(k, event) : NULL;

	*h = *common;
	h->nr_keys = 0;
	h->fields = e ? e->slots.v : NULL;
	for (uint32_t i = 0; i < common->nr_keys; i++) {
		uint32_t slot = common->keys[i] >= HIST_FIELDS ? field_event_slot(e, common->keys[i] - HIST_FIELDS) : 0;

		if (common->keys[i] < HIST_FIELDS)
			h->keys[h->nr_keys++] = common->keys[i];
		else if (slot != FIELD_MAX_SLOTS)
			h->keys[h->nr_keys++] = (uint16_t)(HIST_FIELDS + slot);
	}
}
