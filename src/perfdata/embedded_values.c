/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A head, then tables: where made-up addresses begin, mappings, functions, labels, types, where
 * texts end, where sets end, and the texts themselves, each with a NUL behind it. Everything refers
 * to texts by number, and each begins where the one before ends: reading costs no more than the
 * bytes there are, whatever they say.
 */
#include "perfdata/embedded_names.h"

#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "base/strtab.h"

struct head {
	int64_t period;
	uint64_t made_kernel;
	uint32_t nr_made, nr_functions, nr_mappings, nr_labels, nr_types, nr_sets, nr_texts;
	uint32_t default_type, period_type, period_unit, drop, keep; /* texts */
};

struct mapping_row {
	uint64_t id, start, limit, offset;
	uint32_t file, build_id, flags, zero;
};

struct function_row {
	uint32_t name, file, line, zero;
};

struct label_row {
	int64_t num;
	uint32_t key, str, unit; /* texts; str 0: it is the number, others are one more than the text's */
	uint32_t zero;
};

struct type_row {
	uint32_t name, unit, event, zero;
};
_Static_assert(sizeof(struct head) == 64 && sizeof(struct mapping_row) == 48 && sizeof(struct label_row) == 24, "rows have no holes");

/* ---- reading ---- */

struct texts {
	const char *data;
	const uint64_t *ends;
	uint32_t nr;
	bool failed; /* one was asked for that is not there */
};

static const char *text_at(struct texts *t, uint32_t i)
{
	if (i >= t->nr) {
		t->failed = true;
		return "";
	}
	return t->data + (i ? t->ends[i - 1] : 0);
}

/* Each begins where the one before ends, and ends with its first NUL. */
static bool check_texts(const struct texts *t, size_t size)
{
	uint64_t at = 0;

	for (uint32_t i = 0; i < t->nr; i++) {
		uint64_t end = t->ends[i];

		if (end <= at || end > size || memchr(t->data + at, 0, end - at) != t->data + end - 1)
			return false;
		at = end;
	}
	return true;
}

static void take_labels(struct embedded_values *v, struct texts *t, const struct label_row *rows, uint32_t nr)
{
	vec_reserve(&v->labels, nr);
	for (uint32_t i = 0; i < nr; i++)
		vec_push(&v->labels, ((struct embedded_label){
					     .key = text_at(t, rows[i].key),
					     .str = rows[i].str ? text_at(t, rows[i].str - 1) : NULL,
					     .unit = text_at(t, rows[i].unit),
					     .num = rows[i].num,
				     }));
}

static void take_mappings(struct embedded_values *v, struct texts *t, const struct mapping_row *rows, uint32_t nr)
{
	vec_reserve(&v->mappings, nr);
	for (uint32_t i = 0; i < nr; i++)
		vec_push(&v->mappings,
			 ((struct embedded_mapping){ rows[i].id, rows[i].start, rows[i].limit, rows[i].offset, text_at(t, rows[i].file),
						     text_at(t, rows[i].build_id), rows[i].flags }));
}

static void take_functions(struct embedded_values *v, struct texts *t, const struct function_row *rows, uint32_t nr)
{
	vec_reserve(&v->functions, nr);
	for (uint32_t i = 0; i < nr; i++)
		vec_push(&v->functions, ((struct embedded_function){ text_at(t, rows[i].name), text_at(t, rows[i].file), rows[i].line }));
}

static bool take_sets(struct embedded_values *v, const uint32_t *ends, uint32_t nr)
{
	uint32_t at = 0;

	vec_reserve(&v->sets, nr);
	for (uint32_t i = 0; i < nr; i++) {
		if (ends[i] < at || ends[i] > v->labels.nr)
			return false;
		vec_push(&v->sets, ((struct embedded_set){ at, ends[i] - at }));
		at = ends[i];
	}
	return true;
}

static const void *take_table(struct bytes *b, uint32_t nr, size_t item_size)
{
	if (!bytes_has(b, nr, item_size)) {
		b->failed = true;
		return NULL;
	}
	return bytes_take(b, nr * item_size);
}

int embedded_values_init(struct embedded_values *v, const void *data, size_t size)
{
	struct bytes b = bytes_of(data, size, false);
	const struct head *h = bytes_take(&b, sizeof(*h));
	const uint64_t *made;
	const struct mapping_row *mappings;
	const struct function_row *functions;
	const struct label_row *labels;
	const struct type_row *types;
	const uint32_t *sets;
	struct texts t = { 0 };

	memset(v, 0, sizeof(*v));
	if (!h)
		return -EBADMSG;
	made = take_table(&b, h->nr_made, sizeof(*made));
	mappings = take_table(&b, h->nr_mappings, sizeof(*mappings));
	functions = take_table(&b, h->nr_functions, sizeof(*functions));
	labels = take_table(&b, h->nr_labels, sizeof(*labels));
	types = take_table(&b, h->nr_types, sizeof(*types));
	t.ends = take_table(&b, h->nr_texts, sizeof(*t.ends));
	sets = take_table(&b, h->nr_sets, sizeof(*sets));
	t.nr = h->nr_texts;
	t.data = (const char *)b.pos;
	if (b.failed || !check_texts(&t, bytes_left(&b)))
		return -EBADMSG;
	for (uint32_t i = 0; i < h->nr_types; i++)
		vec_push(&v->types, ((struct embedded_type){ text_at(&t, types[i].name), text_at(&t, types[i].unit), types[i].event }));
	take_mappings(v, &t, mappings, h->nr_mappings);
	take_functions(v, &t, functions, h->nr_functions);
	take_labels(v, &t, labels, h->nr_labels);
	for (uint32_t i = 0; i < h->nr_made; i++)
		vec_push(&v->made_from, made[i]);
	v->made_kernel = h->made_kernel;
	v->period = h->period;
	v->default_type = text_at(&t, h->default_type);
	v->period_type = text_at(&t, h->period_type);
	v->period_unit = text_at(&t, h->period_unit);
	v->drop = text_at(&t, h->drop);
	v->keep = text_at(&t, h->keep);
	return take_sets(v, sets, h->nr_sets) && !t.failed ? 0 : -EBADMSG;
}

void embedded_values_fini(struct embedded_values *v)
{
	vec_fini(&v->types);
	vec_fini(&v->labels);
	vec_fini(&v->sets);
	vec_fini(&v->mappings);
	vec_fini(&v->made_from);
	vec_fini(&v->functions);
}

const struct embedded_label *embedded_values_labels(const struct embedded_values *v, uint64_t set, uint32_t *nr)
{
	*nr = set < v->sets.nr ? v->sets.v[set].nr : 0;
	return *nr ? &v->labels.v[v->sets.v[set].first] : NULL;
}

const char *embedded_values_unit(const struct embedded_values *v, uint32_t event)
{
	for (uint32_t i = 0; i < v->types.nr; i++)
		if (v->types.v[i].event == event && *v->types.v[i].unit && strcmp(v->types.v[i].unit, "count"))
			return v->types.v[i].unit;
	return NULL;
}

/* ---- writing ---- */

static uint32_t text_id(struct strtab *texts, const char *s)
{
	return s ? strtab_intern(texts, s) : 0;
}

static void put_mappings(const struct embedded_values *v, struct strtab *texts, struct out *o)
{
	for (uint32_t i = 0; i < v->mappings.nr; i++) {
		const struct embedded_mapping *m = &v->mappings.v[i];
		struct mapping_row row = { m->id,    m->start, m->limit, m->offset, text_id(texts, m->file), text_id(texts, m->build_id),
					   m->flags, 0 };

		out_mem(o, &row, sizeof(row));
	}
}

static void put_functions(const struct embedded_values *v, struct strtab *texts, struct out *o)
{
	for (uint32_t i = 0; i < v->functions.nr; i++) {
		const struct embedded_function *f = &v->functions.v[i];
		struct function_row row = { text_id(texts, f->name), text_id(texts, f->file), f->line, 0 };

		out_mem(o, &row, sizeof(row));
	}
}

/* Text 0 is the empty one, as it is in every string table. */
void embedded_values_encode(const struct embedded_values *v, struct out *o)
{
	struct strtab texts;
	struct head h = { .period = v->period, .nr_labels = v->labels.nr, .nr_types = v->types.nr, .nr_sets = v->sets.nr };
	uint64_t end = 0;

	strtab_init(&texts);
	h.nr_mappings = v->mappings.nr;
	h.nr_made = v->made_from.nr;
	h.nr_functions = v->functions.nr;
	h.made_kernel = v->made_kernel;
	h.default_type = text_id(&texts, v->default_type);
	h.period_type = text_id(&texts, v->period_type);
	h.period_unit = text_id(&texts, v->period_unit);
	h.drop = text_id(&texts, v->drop);
	h.keep = text_id(&texts, v->keep);
	out_mem(o, &h, sizeof(h));
	out_mem(o, v->made_from.v, v->made_from.nr * sizeof(*v->made_from.v));
	put_mappings(v, &texts, o);
	put_functions(v, &texts, o);
	for (uint32_t i = 0; i < v->labels.nr; i++) {
		const struct embedded_label *l = &v->labels.v[i];
		struct label_row row = { .num = l->num, .key = text_id(&texts, l->key), .unit = text_id(&texts, l->unit) };

		row.str = l->str ? text_id(&texts, l->str) + 1 : 0;
		out_mem(o, &row, sizeof(row));
	}
	for (uint32_t i = 0; i < v->types.nr; i++) {
		const struct embedded_type *t = &v->types.v[i];
		struct type_row row = { .name = text_id(&texts, t->name), .unit = text_id(&texts, t->unit), .event = t->event };

		out_mem(o, &row, sizeof(row));
	}
	h.nr_texts = texts.entries.nr;
	memcpy(o->buf, &h, sizeof(h));
	for (uint32_t i = 0; i < h.nr_texts; i++) {
		end += texts.entries.v[i].len + 1ul;
		out_mem(o, &end, sizeof(end));
	}
	for (uint32_t i = 0; i < v->sets.nr; i++) {
		uint32_t set_end = v->sets.v[i].first + v->sets.v[i].nr;

		out_mem(o, &set_end, sizeof(set_end));
	}
	for (uint32_t i = 0; i < h.nr_texts; i++)
		out_mem(o, texts.entries.v[i].s, texts.entries.v[i].len + 1);
	strtab_fini(&texts);
}
