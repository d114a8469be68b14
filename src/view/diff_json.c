/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A row has the keys it was sorted by; each side has its share and period and, except the baseline, the difference and its noise. Unknown
 * numbers are null.
 */
#include "view/diff.h"

static void put_match(struct json *j, const struct match *m)
{
	json_put_str(j, "match", match_word(m->by));
	json_put_array(j, "paired");
	for (uint32_t i = 0; i < m->pairs.nr; i++) {
		json_object(j);
		json_put_str(j, "base", strtab_get(&m->strings, m->pairs.v[i].base));
		json_put_str(j, "new", strtab_get(&m->strings, m->pairs.v[i].now));
		json_object_end(j);
	}
	json_array_end(j);
}

void diff_json_begin(struct json *j, struct out *o, const struct diff_table_options *opts, const struct match *m, const uint32_t *side_of,
		     const char *const *names, uint32_t nr_recordings)
{
	static const char *const computations[] = { "delta", "delta-abs", "ratio", "wdiff" };

	json_init(j, o, true);
	json_object(j);
	json_put_str(j, "schema", "assay-diff-1");
	json_put_str(j, "computation", computations[opts->compute]);
	json_put_array(j, "sides");
	for (uint32_t i = 0; i < nr_recordings; i++) {
		if (!i || side_of[i] != side_of[i - 1]) {
			json_object(j);
			json_put_array(j, "recordings");
		}
		json_str(j, names[i]);
		if (i + 1 == nr_recordings || side_of[i + 1] != side_of[i]) {
			json_array_end(j);
			json_object_end(j);
		}
	}
	json_array_end(j);
	put_match(j, m);
	json_put_array(j, "events");
}

static void put_difference(struct json *j, const struct diff_figure *f)
{
	static const char *const bases[] = { "nothing", "samples", "recordings" };
	static const char *const tests[] = { [DIFF_UNTESTED] = "none", [DIFF_FEW] = "few", [DIFF_SMALL] = "small", [DIFF_TESTED] = "done" };

	json_put_double(j, "value", f->value, 6);
	json_put_double(j, "delta", f->delta, 4);
	json_put_double(j, "low", f->test.low, 4);
	json_put_double(j, "high", f->test.high, 4);
	json_put_str(j, "basis", bases[f->test.basis]);
	json_put_str(j, "test", tests[f->test.test]);
	json_put_double(j, "adjusted_p", f->test.p, 6);
	json_key(j, "significant");
	if (f->test.test == DIFF_TESTED)
		json_bool(j, f->test.is_significant);
	else
		json_null(j);
}

/* Fields are in an object of their own: an event may call one as it likes. */
static void put_keys(struct json *j, const struct diff_table *t, uint32_t row, bool of_fields)
{
	bool is_open = false;

	for (uint32_t i = 0; i < t->options->nr_keys; i++) {
		const struct column *c = diff_table_column(t, i);

		if ((t->options->keys[i] >= HIST_FIELDS) != of_fields)
			continue;
		if (of_fields && !is_open)
			json_put_object(j, "fields");
		is_open = of_fields;
		c->kind->json(c, j, &diff_table_keys(t, row)[i].shown, true);
	}
	if (is_open)
		json_object_end(j);
}

static void put_row(struct json *j, const struct diff_table *t, uint32_t row)
{
	json_object(j);
	put_keys(j, t, row, false);
	put_keys(j, t, row, true);
	json_put_array(j, "sides");
	for (uint32_t side = 0; side < t->nr_sides; side++) {
		const struct diff_figure *f = diff_table_figure(t, row, side);

		json_object(j);
		json_put_double(j, "percent", f->percent, 4);
		json_put_u64(j, "period", f->period);
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
	json_put_str(j, "name", event_name);
	json_put_u64(j, "tests", t->tests.nr_tests);
	json_put_array(j, "recordings");
	for (uint32_t i = 0; i < t->nr_recordings; i++) {
		json_object(j);
		json_put_u64(j, "side", t->recordings[i].side);
		json_put_u64(j, "samples", t->recordings[i].nr);
		json_put_u64(j, "period", t->recordings[i].period);
		json_object_end(j);
	}
	json_array_end(j);
	json_put_array(j, "rows");
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
