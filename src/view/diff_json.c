/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A row has the keys it was sorted by and no others; of each side its share, its period and, but for the baseline, the difference with
 * what is known of its noise. Numbers that are not known are null.
 */
#include "view/diff_json.h"

static void put_str(struct json *j, const char *key, const char *value)
{
	json_key(j, key);
	json_str(j, value);
}

static void put_double(struct json *j, const char *key, double value, int decimals)
{
	json_key(j, key);
	json_double(j, value, decimals);
}

static void put_u64(struct json *j, const char *key, uint64_t value)
{
	json_key(j, key);
	json_u64(j, value);
}

static void put_match(struct json *j, const struct match *m)
{
	put_str(j, "match", match_word(m->by));
	json_key(j, "paired");
	json_array(j);
	for (uint32_t i = 0; i < m->pairs.nr; i++) {
		json_object(j);
		put_str(j, "base", strtab_get(&m->strings, m->pairs.v[i].base));
		put_str(j, "new", strtab_get(&m->strings, m->pairs.v[i].now));
		json_object_end(j);
	}
	json_array_end(j);
}

void diff_json_begin(struct json *j, struct out *o, const struct diff_table_options *opts, const struct match *m,
		     const uint32_t *side_of, const char *const *names, uint32_t nr_recordings)
{
	static const char *const computations[] = { "delta", "delta-abs", "ratio", "wdiff" };

	json_init(j, o, true);
	json_object(j);
	put_str(j, "schema", "assay-diff-1");
	put_str(j, "computation", computations[opts->compute]);
	json_key(j, "sides");
	json_array(j);
	for (uint32_t i = 0; i < nr_recordings; i++) {
		if (!i || side_of[i] != side_of[i - 1]) {
			json_object(j);
			json_key(j, "recordings");
			json_array(j);
		}
		json_str(j, names[i]);
		if (i + 1 == nr_recordings || side_of[i + 1] != side_of[i]) {
			json_array_end(j);
			json_object_end(j);
		}
	}
	json_array_end(j);
	put_match(j, m);
	json_key(j, "events");
	json_array(j);
}

static void put_key(struct json *j, const struct diff_table *t, const struct diff_key *k, enum hist_column key)
{
	switch (key) {
	case HIST_COMM:
		put_str(j, "comm", diff_table_str(t, k->comm));
		break;
	case HIST_PID:
	case HIST_TID:
		json_key(j, "tid");
		json_i64(j, k->tid);
		break;
	case HIST_DSO:
		put_str(j, "dso", diff_table_str(t, k->dso));
		break;
	case HIST_SYM:
		if (k->symbol) {
			put_str(j, "symbol", diff_table_str(t, k->symbol));
			break;
		}
		json_key(j, "address");
		json_hex(j, k->addr);
		break;
	case HIST_CPU:
		json_key(j, "cpu");
		json_i64(j, (int32_t)k->cpu);
		break;
	case HIST_SRCLINE:
		put_str(j, "srcline", diff_table_str(t, k->srcline));
		break;
	case HIST_SRCFILE:
		put_str(j, "srcfile", diff_table_str(t, k->srcfile));
		break;
	default:
		break;
	}
}

static void put_difference(struct json *j, const struct diff_figure *f)
{
	static const char *const bases[] = { "nothing", "samples", "recordings" };
	static const char *const tests[] = { [DIFF_UNTESTED] = "none", [DIFF_FEW] = "few", [DIFF_SMALL] = "small", [DIFF_TESTED] = "done" };

	put_double(j, "value", f->value, 6);
	put_double(j, "delta", f->delta, 4);
	put_double(j, "low", f->test.low, 4);
	put_double(j, "high", f->test.high, 4);
	put_str(j, "basis", bases[f->test.basis]);
	put_str(j, "test", tests[f->test.test]);
	put_double(j, "adjusted_p", f->test.p, 6);
	json_key(j, "significant");
	if (f->test.test == DIFF_TESTED)
		json_bool(j, f->test.is_significant);
	else
		json_null(j);
}

static void put_row(struct json *j, const struct diff_table *t, uint32_t row)
{
	json_object(j);
	for (uint32_t i = 0; i < t->options->nr_keys; i++)
		put_key(j, t, &t->rows.v[row].key, t->options->keys[i]);
	json_key(j, "sides");
	json_array(j);
	for (uint32_t side = 0; side < t->nr_sides; side++) {
		const struct diff_figure *f = diff_table_figure(t, row, side);

		json_object(j);
		put_double(j, "percent", f->percent, 4);
		put_u64(j, "period", f->period);
		if (side)
			put_difference(j, f);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

void diff_json_table(struct json *j, const struct diff_table *t, const char *event_name)
{
	json_object(j);
	put_str(j, "name", event_name);
	put_u64(j, "tests", t->tests.nr_tests);
	json_key(j, "recordings");
	json_array(j);
	for (uint32_t i = 0; i < t->nr_recordings; i++) {
		json_object(j);
		put_u64(j, "side", t->recordings[i].side);
		put_u64(j, "samples", t->recordings[i].nr);
		put_u64(j, "period", t->recordings[i].period);
		json_object_end(j);
	}
	json_array_end(j);
	json_key(j, "rows");
	json_array(j);
	for (uint32_t i = 0; i < t->shown.nr; i++)
		put_row(j, t, t->shown.v[i]);
	json_array_end(j);
	json_object_end(j);
}

void diff_json_end(struct json *j)
{
	json_array_end(j);
	json_object_end(j);
	out_char(j->o, '\n');
}
