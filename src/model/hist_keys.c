/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Keys of rows. Figures are none of this file's business.
 */
#include "model/hist_keys.h"

#include <string.h>

#include "base/out.h"

#define BRANCH_MISPREDICTED 1u
#define BRANCH_IN_TX	    4u
#define BRANCH_ABORT	    8u

bool hist_uses(const struct hist_options *o, enum hist_column key)
{
	for (uint32_t i = 0; i < o->nr_keys; i++)
		if (o->keys[i] == key)
			return true;
	return false;
}

bool hist_branch_mispredicted(const struct hist_entry *e)
{
	return e->branch_flags & BRANCH_MISPREDICTED;
}

bool hist_branch_in_tx(const struct hist_entry *e)
{
	return e->branch_flags & BRANCH_IN_TX;
}

bool hist_branch_aborted(const struct hist_entry *e)
{
	return e->branch_flags & BRANCH_ABORT;
}

uint32_t hist_branch_cycles(const struct hist_entry *e)
{
	return (uint32_t)(e->branch_flags >> 4 & 0xffff);
}

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

uint32_t hist_srcline(struct hist *h, uint32_t place)
{
	while (h->srclines.nr < h->profile->places.nr)
		vec_push(&h->srclines, 0);
	if (!h->srclines.v[place])
		h->srclines.v[place] = make_srcline(h, &h->profile->places.v[place]);
	return h->srclines.v[place];
}

static bool shows_lines(const struct hist_options *o)
{
	return hist_uses(o, HIST_SRCLINE) || hist_uses(o, HIST_SRCLINE_FROM) || hist_uses(o, HIST_SRCLINE_TO);
}

static uint32_t srcfile_of(const struct hist *h, uint32_t place)
{
	uint32_t file = h->profile->places.v[place].file;

	return file ? strtab_intern(&h->profile->strings, shown_path(h, file)) : 0;
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
	end->srcline = shows_lines(h->options) ? hist_srcline(h, line_place) : 0;
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
		.branch_flags = (uint64_t)g->by[HIST_BY_FLAGS_HIGH] << 32 | g->by[HIST_BY_FLAGS],
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
	e.srcfile = hist_uses(h->options, HIST_SRCFILE) ? srcfile_of(h, place) : 0;
	return e;
}

struct hist_entry hist_entry_of(struct hist *h, const struct sample_group *g, char level)
{
	struct hist_entry e = task_entry(h, g);
	const struct profile_location *l = &h->profile->locations.v[g->location];

	set_sampled_place(h, &e.at, l);
	e.at.level = level;
	e.offset = l->at.addr - h->profile->frames.v[l->frame].start;
	e.srcfile = hist_uses(h->options, HIST_SRCFILE) ? srcfile_of(h, l->first_place) : 0;
	if (h->options->branches) {
		const struct profile_location *from = &h->profile->locations.v[g->by[HIST_BY_FROM]];

		set_sampled_place(h, &e.from, from);
		e.from.level = hist_level_of(from->cpumode);
	}
	return e;
}

/* Files of one name count as one, as perf has it: two builds of a program with the same function at the same place are one row (perf does
 * not look at the function's name). A function
 * that was inlined is a row for each that it was inlined into. (perf takes those of functions that touch each other for one, or not, depending
 * on what came first.) */
static bool same_symbol(const struct hist *h, const struct hist_end *a, const struct hist_end *b)
{
	if (a->dso_name != b->dso_name || (a->frame == FRAME_NONE) != (b->frame == FRAME_NONE) || a->addr != b->addr)
		return false;
	if (a->frame == b->frame)
		return true;

	const struct profile_frame *fa = &h->profile->frames.v[a->frame], *fb = &h->profile->frames.v[b->frame];

	return fa->start == fb->start && fa->end == fb->end && fa->is_inlined == fb->is_inlined && fa->function == fb->function;
}

static bool same_key(const struct hist *h, enum hist_column key, const struct hist_entry *a, const struct hist_entry *b)
{
	switch (key) {
	case HIST_COMM:
		return a->comm == b->comm;
	case HIST_PID:
	case HIST_TID:
		return h->profile->tasks.v[a->task].tid == h->profile->tasks.v[b->task].tid;
	case HIST_DSO:
	case HIST_DSO_TO:
		return a->at.dso_name == b->at.dso_name;
	case HIST_SYM:
	case HIST_SYM_TO:
		return same_symbol(h, &a->at, &b->at);
	case HIST_CPU:
		return a->cpu == b->cpu;
	case HIST_SRCLINE:
	case HIST_SRCLINE_TO:
		return a->at.srcline == b->at.srcline;
	case HIST_SRCFILE:
		return a->srcfile == b->srcfile;
	case HIST_DSO_FROM:
		return a->from.dso_name == b->from.dso_name;
	case HIST_SYM_FROM:
		return same_symbol(h, &a->from, &b->from);
	case HIST_SRCLINE_FROM:
		return a->from.srcline == b->from.srcline;
	case HIST_MISPREDICT:
		return hist_branch_mispredicted(a) == hist_branch_mispredicted(b);
	case HIST_IN_TX:
		return hist_branch_in_tx(a) == hist_branch_in_tx(b);
	case HIST_ABORT:
		return hist_branch_aborted(a) == hist_branch_aborted(b);
	case HIST_CYCLES:
		return hist_branch_cycles(a) == hist_branch_cycles(b);
	default:
		return true;
	}
}

static uint64_t hash_symbol(const struct hist *h, const struct hist_end *end)
{
	const struct profile_frame *f;

	if (end->frame == FRAME_NONE)
		return end->addr;
	f = &h->profile->frames.v[end->frame];
	return f->is_inlined ? hash_pair(f->start, f->function) : f->start;
}

static uint64_t hash_key(const struct hist *h, enum hist_column key, const struct hist_entry *e)
{
	switch (key) {
	case HIST_COMM:
		return e->comm;
	case HIST_PID:
	case HIST_TID:
		return (uint32_t)h->profile->tasks.v[e->task].tid;
	case HIST_DSO:
	case HIST_DSO_TO:
		return e->at.dso_name;
	case HIST_SYM:
	case HIST_SYM_TO:
		return hash_symbol(h, &e->at);
	case HIST_CPU:
		return e->cpu;
	case HIST_SRCLINE:
	case HIST_SRCLINE_TO:
		return e->at.srcline;
	case HIST_SRCFILE:
		return e->srcfile;
	case HIST_DSO_FROM:
		return e->from.dso_name;
	case HIST_SYM_FROM:
		return hash_symbol(h, &e->from);
	case HIST_SRCLINE_FROM:
		return e->from.srcline;
	default:
		return 0; /* few values: not worth a hash */
	}
}

uint32_t hist_find_entry(struct hist *h, const struct hist_entry *key)
{
	const struct hist_options *o = h->options;
	uint64_t hash = 0;
	struct hindex_iter it;

	for (uint32_t i = 0; i < o->nr_keys; i++)
		hash = hash_pair(hash, hash_key(h, o->keys[i], key));
	it = hindex_find(&h->index, hash);
	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;) {
		uint32_t same = 0;

		while (same < o->nr_keys && same_key(h, o->keys[same], &h->entries.v[id], key))
			same++;
		if (same == o->nr_keys)
			return id;
	}
	vec_push(&h->entries, *key);
	hindex_add(&h->index, hash, h->entries.nr - 1);
	return h->entries.nr - 1;
}
