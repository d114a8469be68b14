/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Matching rows of several recordings by name. What is computed of them is in diff_figures.c.
 */
#include "model/diff_table.h"

#include <stdlib.h>
#include <string.h>

#include "model/diff_figures.h"

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
	hindex_fini(&t->index);
	vec_fini(&t->cells);
	vec_fini(&t->figures);
	vec_fini(&t->shown);
}

static uint32_t copy_str(struct diff_table *t, const struct profile *p, uint32_t id)
{
	return id ? strtab_intern_len(&t->strings, profile_str(p, id), strtab_len(&p->strings, id)) : 0;
}

static uint32_t last_comm(struct diff_table *t, const struct profile *p, const struct profile_task *task)
{
	const struct task *found = task_table_find(&p->machine->tasks, task->tid);

	return found ? strtab_intern(&t->strings, machine_comm(p->machine, found)) : copy_str(t, p, task->comm);
}

static bool has_key(const struct diff_table_options *o, enum hist_column key)
{
	for (uint32_t i = 0; i < o->nr_keys; i++)
		if (o->keys[i] == key)
			return true;
	return false;
}

/* What another recording has the file and the task under. */
static void find_same(struct diff_table *t, struct diff_key *k, char level)
{
	const struct match *m = t->options->match;

	k->same_comm = strtab_intern(&t->strings, match_comm(m, diff_table_str(t, k->comm)));
	k->same_dso = strtab_intern(&t->strings, match_file(m, diff_table_str(t, k->dso)));
	/* Functions of one name are one in whatever file, but the kernel's are not those of programs. */
	if (m && m->by == MATCH_NAME && k->symbol && has_key(t->options, HIST_SYM))
		k->same_dso = level == 'k' ? UINT32_MAX : UINT32_MAX - 1;
}

static struct diff_key key_of(struct diff_table *t, const struct hist *h, const struct hist_entry *e)
{
	const struct profile *p = h->profile;
	const struct profile_task *task = &p->tasks.v[e->task];
	struct diff_key k = {
		.comm = copy_str(t, p, e->comm),
		.last_comm = last_comm(t, p, task),
		.tid = task->tid,
		.dso = copy_str(t, p, e->at.dso_name),
		.has_dso = e->at.dso != DSO_NONE,
		.srcline = copy_str(t, p, e->at.srcline),
		.srcfile = copy_str(t, p, e->srcfile),
		.cpu = e->cpu,
		.addr = e->at.addr,
		.offset = e->offset,
		.level = e->at.level,
	};

	if (e->at.frame != FRAME_NONE) {
		const struct profile_frame *f = &p->frames.v[e->at.frame];

		k.symbol = copy_str(t, p, f->function);
		k.is_object = f->is_object;
		k.is_inlined = f->is_inlined;
	}
	find_same(t, &k, e->at.level);
	return k;
}

/* What makes a key: strings of one table, or numbers. Addresses do not count: those of another build are others. */
static uint64_t part_of(const struct diff_key *k, enum hist_column key)
{
	switch (key) {
	case HIST_COMM:
		return k->same_comm;
	case HIST_PID:
	case HIST_TID:
		return (uint32_t)k->tid;
	case HIST_DSO:
		return k->same_dso;
	case HIST_SYM:
		return k->symbol;
	case HIST_CPU:
		return k->cpu;
	case HIST_SRCLINE:
		return k->srcline;
	case HIST_SRCFILE:
		return k->srcfile;
	default:
		return 0;
	}
}

static bool same_key(const struct diff_table_options *o, const struct diff_key *a, const struct diff_key *b)
{
	for (uint32_t i = 0; i < o->nr_keys; i++)
		if (part_of(a, o->keys[i]) != part_of(b, o->keys[i]))
			return false;
	return true;
}

/* What the filter leaves out stays in rows of its own: names that are kept may be the same. */
static uint32_t find_row(struct diff_table *t, const struct diff_key *k, uint32_t recording, bool hidden)
{
	uint64_t hash = hidden;
	struct hindex_iter it;

	for (uint32_t i = 0; i < t->options->nr_keys; i++)
		hash = hash_pair(hash, part_of(k, t->options->keys[i]));
	it = hindex_find(&t->index, hash);
	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;)
		if (t->rows.v[id].is_hidden == hidden && same_key(t->options, &t->rows.v[id].key, k))
			return id;
	vec_push(&t->rows, ((struct diff_row){ .key = *k, .recording = recording, .is_hidden = hidden }));
	for (uint32_t i = 0; i < t->nr_recordings; i++)
		vec_push(&t->cells, (struct diff_cell){ 0 });
	hindex_add(&t->index, hash, t->rows.nr - 1);
	return t->rows.nr - 1;
}

/* Of the places that one recording has in a row, the one that the row shows: in the kernel, at the lowest address. */
static bool is_shown_before(const struct diff_key *a, const struct diff_key *b)
{
	if ((a->level == 'k') != (b->level == 'k'))
		return a->level == 'k';
	return a->addr < b->addr;
}

void diff_table_add(struct diff_table *t, uint32_t recording, const struct hist *h, const struct filter *f)
{
	struct diff_recording *r = &t->recordings[recording];

	r->period += h->total_period;
	r->nr += h->nr_samples;
	for (uint32_t i = 0; i < h->profile->samples.nr; i++)
		if (h->profile->samples.event[i] == h->event)
			r->squares += (double)h->profile->samples.period[i] * (double)h->profile->samples.period[i];
	for (uint32_t i = 0; i < h->entries.nr; i++) {
		const struct hist_entry *e = &h->entries.v[i];
		bool kept = !f || filter_keeps_place(f, h->profile, e->at.dso, e->at.frame);
		struct diff_key k = key_of(t, h, e);
		uint32_t id = find_row(t, &k, recording, !kept);
		struct diff_row *row = &t->rows.v[id];
		struct diff_cell *cell = &t->cells.v[(uint64_t)id * t->nr_recordings + recording];

		if (row->recording == recording && cell->nr && is_shown_before(&k, &row->key))
			row->key = k;
		cell->period += e->period;
		cell->nr += e->nr;
		if (kept)
			r->kept_period += e->period;
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
