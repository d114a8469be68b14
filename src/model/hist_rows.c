/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rows of a histogram: identity and order. model/hist_columns.h defines the keys.
 */
#include <stdlib.h>
#include <string.h>

#include "base/out.h"
#include "model/hist.h"

char hist_level_of(unsigned cpumode)
{
	switch (cpumode) {
	case MISC_KERNEL:
		return 'k';
	case MISC_GUEST_KERNEL:
		return 'g';
	case MISC_GUEST_USER:
		return 'u';
	case MISC_HYPERVISOR:
		return 'H';
	default:
		return '.';
	}
}

static const char *shown_path(const struct hist *h, uint32_t file)
{
	const char *path = profile_str(h->profile, file), *slash = h->options->full_paths ? NULL : strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "FILE:LINE"; "??:0" of a file that says nothing; of what is no file the function and how far into it, or where in it. */
static uint32_t make_srcline(const struct hist *h, const struct profile_place *place)
{
	struct profile *p = h->profile;
	const struct location *at = &p->locations.v[place->location].at;
	const struct profile_frame *f = &p->frames.v[place->frame];
	const struct dso *d = profile_dso(p, at->dso);
	struct out text;
	uint32_t id;

	out_init(&text, -1);
	if (place->file)
		out_printf(&text, "%s:%u", shown_path(h, place->file), place->line);
	else if (d->kind == MODULE_ELF)
		out_str(&text, "??:0");
	else if (f->function)
		out_printf(&text, "%s+%llu", profile_str(p, f->function), (unsigned long long)(at->addr - f->start));
	else
		out_printf(&text, "%s[%llx]", d->short_name, (unsigned long long)at->addr);
	id = strtab_intern_len(&p->strings, text.buf, text.len);
	out_fini(&text);
	return id;
}

static struct hist_source *source_of(struct hist *h, uint32_t place)
{
	struct hist_source added = { .place = place };
	uint32_t i = HINDEX_INTERN(&h->source_index, hash_u64(place), &h->sources, s, s->place == place, added);

	return &h->sources.v[i];
}

uint32_t hist_srcline(struct hist *h, uint32_t place)
{
	struct hist_source *s = source_of(h, place);

	if (!s->line)
		s->line = make_srcline(h, &h->profile->places.v[place]);
	return s->line;
}

uint32_t hist_srcfile(struct hist *h, uint32_t place)
{
	struct hist_source *s = source_of(h, place);
	uint32_t file = h->profile->places.v[place].file;

	if (!s->file && file)
		s->file = strtab_intern(&h->profile->strings, shown_path(h, file));
	return s->file;
}

/* `line_place` says file and line, `place` the function: they differ where functions were inlined and the sampled place is one row. */
static void set_place(struct hist *h, struct hist_end *end, uint32_t place, uint32_t line_place)
{
	const struct profile *p = h->profile;
	uint32_t frame = p->places.v[place].frame, location = p->places.v[place].location;
	const struct profile_location *l = &p->locations.v[location];
	bool named = p->frames.v[frame].function;

	end->dso = l->at.dso;
	end->dso_name = h->sym_names[l->at.dso];
	end->frame = named ? p->frames.v[frame].row : FRAME_NONE;
	end->addr = named ? 0 : l->at.ip;
	end->place = line_place;
}

/* perf shows the address in the file for the sampled place and both ends of a branch, and the runtime address for callers. */
static void set_sampled_place(struct hist *h, struct hist_end *end, const struct profile_location *l)
{
	set_place(h, end, l->first_place + l->nr_places - 1, l->first_place);
	if (end->frame == FRAME_NONE)
		end->addr = l->at.addr;
}

static struct hist_entry task_entry(const struct hist *h, const struct sample_group *g)
{
	return (struct hist_entry){
		.comm = h->profile->tasks.v[g->by[HIST_BY_TASK]].comm,
		.task = g->by[HIST_BY_TASK],
		.cpu = g->by[HIST_BY_CPU],
		.parallelism = h->options->branches ? 0 : g->by[HIST_BY_PARALLELISM],
		.branch_flags = (uint64_t)g->by[HIST_BY_FLAGS_HIGH] << 32 | g->by[HIST_BY_FLAGS],
		.fields = g->by[HIST_BY_FIELDS],
		.stamp = UINT32_MAX,
	};
}

struct hist_entry hist_entry_at(struct hist *h, const struct sample_group *g, uint32_t place, char level)
{
	struct hist_entry e = task_entry(h, g);
	const struct profile_place *at = &h->profile->places.v[place];

	set_place(h, &e.at, place, place);
	e.at.level = level;
	e.offset = h->profile->locations.v[at->location].at.addr - h->profile->frames.v[at->frame].start;
	return e;
}

struct hist_entry hist_entry_of(struct hist *h, const struct sample_group *g, char level)
{
	struct hist_entry e = task_entry(h, g);
	const struct profile_location *l = &h->profile->locations.v[g->location];

	set_sampled_place(h, &e.at, l);
	e.at.level = level;
	e.offset = l->at.addr - h->profile->frames.v[l->frame].start;
	if (h->options->branches) {
		const struct profile_location *from = &h->profile->locations.v[g->by[HIST_BY_FROM]];

		set_sampled_place(h, &e.from, from);
		e.from.level = hist_level_of(from->cpumode);
	}
	return e;
}

static bool has_keys(struct hist *h, const struct hist_entry *e, const struct hist_entry *wanted, const uint64_t *keys)
{
	for (uint32_t i = 0; i < h->options->nr_keys; i++) {
		const struct column *c = hist_column(h, h->options->keys[i]);

		if (c->same ? !c->same(c, h, e, wanted) : c->key(c, h, e) != keys[i])
			return false;
	}
	return true;
}

/* With its slots in the index, of which a quarter to a half is used. */
#define ENTRY_BYTES (sizeof(struct hist_entry) + 4 * sizeof(struct hindex_slot))

uint32_t hist_find_entry(struct hist *h, const struct hist_entry *wanted)
{
	uint64_t keys[HIST_MAX_COLUMNS], hash = 0;
	uint32_t found;

	for (uint32_t i = 0; i < h->options->nr_keys; i++) {
		const struct column *c = hist_column(h, h->options->keys[i]);

		keys[i] = c->key(c, h, wanted);
		hash = hash_pair(hash, keys[i]);
	}
	found = HINDEX_FIND_ITEM(&h->index, hash, &h->entries, e, has_keys(h, e, wanted, keys));
	if (found != HINDEX_NONE)
		return found;
	if (h->options->row_memory) {
		if (h->row_bytes + ENTRY_BYTES > h->max_row_bytes || !budget_take(h->options->row_memory, ENTRY_BYTES))
			return HIST_NO_ENTRY;
		h->row_bytes += ENTRY_BYTES;
	}
	vec_push(&h->entries, *wanted);
	hindex_add(&h->index, hash, h->entries.nr - 1);
	return h->entries.nr - 1;
}

/* Rows that are equal in all columns: by address, DSO, symbol and task, so that the order is stable. Inlined functions share an address. */
static int cmp_rest(struct hist *h, const struct hist_entry *a, const struct hist_entry *b)
{
	return column_cmp_rows(&columns[HIST_SYM_TO], h, a, b)   ?:
	       COMPARE(a->at.dso, b->at.dso)	       ?:
	       column_cmp_rows(&columns[HIST_SYM], h, a, b)      ?:
	       column_cmp_rows(&columns[HIST_SYM_FROM], h, a, b) ?:
	       COMPARE(a->task, b->task);
}

/* By the columns asked for. */
static int cmp_entries(const void *a, const void *b, void *ctx)
{
	struct hist *h = ctx;

	for (uint32_t i = 0; i < h->options->nr_order_by; i++) {
		int c = column_cmp_rows(hist_column(h, h->options->order_by[i]), h, a, b);

		if (c)
			return c;
	}
	return cmp_rest(h, a, b);
}

void hist_sort(struct hist *h)
{
	vec_sort_r(&h->entries, cmp_entries, h);
}
