/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Matching rows of several recordings by name. What is computed of them is in diff_figures.c.
 */
#include "model/diff_table.h"

#include <stdlib.h>
#include <string.h>

void diff_table_init(struct diff_table *t, const struct diff_table_options *o, const uint32_t *side_of, uint32_t nr_recordings)
{
	memset(t, 0, sizeof(*t));
	t->options = o;
	t->nr_recordings = nr_recordings;
	t->recordings = mem_zalloc((nr_recordings + 1) * sizeof(*t->recordings));
	for (uint32_t i = 0; i < nr_recordings; i++) {
		t->recordings[i].side = side_of[i];
		t->has_several |= i && side_of[i] == side_of[i - 1];
	}
	t->nr_sides = nr_recordings ? side_of[nr_recordings - 1] + 1 : 0;
	strtab_init(&t->strings);
}

void diff_table_fini(struct diff_table *t)
{
	free(t->recordings);
	strtab_fini(&t->strings);
	vec_fini(&t->rows);
	vec_fini(&t->keys);
	hindex_fini(&t->index);
	vec_fini(&t->cells);
	vec_fini(&t->figures);
	vec_fini(&t->shown);
}

static bool has_key(const struct diff_table_options *o, enum hist_column key)
{
	for (uint32_t i = 0; i < o->nr_keys; i++)
		if (o->keys[i] == key)
			return true;
	return false;
}

static const char *keep_str(struct diff_table *t, const char *s)
{
	return s ? strtab_get(&t->strings, strtab_intern(&t->strings, s)) : NULL;
}

/* What another recording has the file, the task or whatever under. */
static uint64_t find_same(struct diff_table *t, uint32_t col, const struct hist_entry *e, const struct column_value *v)
{
	const struct match *m = t->options->match;
	const char *name = v->text;

	/* Functions of one name are one in whatever file, but the kernel's are not those of programs. */
	if (col == HIST_DSO && m && m->by == MATCH_NAME && v->has_symbol && has_key(t->options, HIST_SYM))
		return e->at.level == 'k' ? UINT32_MAX : UINT32_MAX - 1;
	if (col < HIST_FIELDS && columns[col].flags & COLUMN_IS_NUMBER)
		return v->number;
	if (col == HIST_COMM || col == HIST_DSO)
		name = col == HIST_COMM ? match_comm(m, name) : match_file(m, name);
	return strtab_intern(&t->strings, name);
}

/* A field that the event has not is not known of any row. */
static struct column_value field_value(struct diff_table *t, struct hist *h, const struct hist_entry *e, uint32_t word)
{
	const struct field_event *known = field_keys_event(h->profile->fields, h->event);
	uint32_t slot = field_event_slot(known, word);
	const struct column *c;

	if (slot == FIELD_MAX_SLOTS)
		return (struct column_value){ .text = "N/A" };
	c = hist_column(h, HIST_FIELDS + slot);
	t->options->fields[word].flags |= c->flags & COLUMN_IS_NUMBER;
	return column_value(c, h, e);
}

static void make_keys(struct diff_table *t, struct hist *h, const struct hist_entry *e, struct diff_key *keys)
{
	for (uint32_t i = 0; i < t->options->nr_keys; i++) {
		uint32_t col = t->options->keys[i];
		struct column_value v = col >= HIST_FIELDS ? field_value(t, h, e, col - HIST_FIELDS) : column_value(&columns[col], h, e);

		v.text = keep_str(t, v.text);
		v.other = keep_str(t, v.other);
		v.is_inlined = false; /* here or there: rows are matched by name */
		keys[i] = (struct diff_key){ v, find_same(t, col, e, &v) };
	}
}

static bool same_keys(const struct diff_table *t, const struct diff_key *a, const struct diff_key *b)
{
	for (uint32_t i = 0; i < t->options->nr_keys; i++)
		if (a[i].same != b[i].same)
			return false;
	return true;
}

/* What the filter leaves out stays in rows of its own: names that are kept may be the same. */
static uint32_t find_row(struct diff_table *t, const struct diff_key *keys, const struct diff_row *row)
{
	uint64_t hash = row->is_hidden;
	uint32_t known;

	for (uint32_t i = 0; i < t->options->nr_keys; i++)
		hash = hash_pair(hash, keys[i].same);
	known = HINDEX_FIND(&t->index, hash, id, t->rows.v[id].is_hidden == row->is_hidden && same_keys(t, diff_table_keys(t, id), keys));
	if (known != HINDEX_NONE)
		return known;
	vec_push(&t->rows, *row);
	for (uint32_t i = 0; i < t->options->nr_keys; i++)
		vec_push(&t->keys, keys[i]);
	for (uint32_t i = 0; i < t->nr_recordings; i++)
		vec_push(&t->cells, (struct diff_cell){ 0 });
	hindex_add(&t->index, hash, t->rows.nr - 1);
	return t->rows.nr - 1;
}

/* Of the places that one recording has in a row, the one that the row shows: in the kernel, at the lowest address. */
static bool is_shown_before(const struct diff_row *a, const struct diff_row *b)
{
	if ((a->level == 'k') != (b->level == 'k'))
		return a->level == 'k';
	return a->addr < b->addr;
}

static void add_entry(struct diff_table *t, uint32_t recording, struct hist *h, const struct hist_entry *e, bool kept)
{
	struct diff_row place = { .recording = recording, .is_hidden = !kept, .level = e->at.level, .addr = e->at.addr };
	struct diff_key keys[DIFF_MAX_KEYS];
	struct diff_cell *cell;
	struct diff_row *row;
	uint32_t id;

	make_keys(t, h, e, keys);
	id = find_row(t, keys, &place);
	row = &t->rows.v[id];
	cell = &t->cells.v[(uint64_t)id * t->nr_recordings + recording];
	if (row->recording == recording && cell->nr && is_shown_before(&place, row)) {
		*row = place;
		memcpy(&t->keys.v[(uint64_t)id * t->options->nr_keys], keys, t->options->nr_keys * sizeof(*keys));
	}
	cell->period += e->period;
	cell->nr += e->nr;
	if (kept)
		t->recordings[recording].kept_period += e->period;
}

void diff_table_add(struct diff_table *t, uint32_t recording, struct hist *h, const struct filter *f)
{
	struct diff_recording *r = &t->recordings[recording];

	r->period += h->total_period;
	r->nr += h->nr_samples;
	for (uint32_t i = 0; i < h->profile->samples.nr; i++)
		if (h->profile->samples.event[i] == h->event)
			r->squares += (double)h->profile->samples.period[i] * (double)h->profile->samples.period[i];
	for (uint32_t i = 0; i < h->entries.nr; i++) {
		const struct hist_entry *e = &h->entries.v[i];

		add_entry(t, recording, h, e, !f || filter_keeps_place(f, h->profile, e->at.dso, e->at.frame));
	}
}

uint32_t diff_table_nr_used(const struct diff_table *t, uint32_t side)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < t->nr_recordings; i++)
		nr += t->recordings[i].side == side && t->recordings[i].nr;
	return nr;
}

void diff_table_finish(struct diff_table *t)
{
	diff_figures_compute(t);
	diff_figures_sort(t);
}
