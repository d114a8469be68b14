/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Building a histogram: samples → groups (one pass over the columns, no strings), groups → entries, and in a last pass the lists of paths
 * for the entries that are large enough to show a call tree.
 */
#include "model/hist.h"

#include <stdlib.h>
#include <string.h>

static bool uses(const struct hist_options *o, enum hist_column key)
{
	for (uint32_t i = 0; i < o->nr_keys; i++)
		if (o->keys[i] == key)
			return true;
	return false;
}

void hist_init(struct hist *h, struct profile *p, const struct hist_options *opts, uint32_t event)
{
	uint32_t nr_dsos = p->session->machine.dsos.dsos.nr;

	memset(h, 0, sizeof(*h));
	h->profile = p;
	h->options = opts;
	h->event = event;
	h->sym_names = mem_alloc(nr_dsos * sizeof(*h->sym_names));
	for (uint32_t i = 0; i < nr_dsos; i++)
		h->sym_names[i] = strtab_intern(&p->strings, profile_dso(p, i)->short_name);
}

void hist_fini(struct hist *h)
{
	vec_fini(&h->groups);
	vec_fini(&h->entries);
	hindex_fini(&h->index);
	vec_fini(&h->frames);
	vec_fini(&h->first_frame);
	vec_fini(&h->paths);
	calltree_fini(&h->tree);
	free(h->sym_names);
}

static struct hist_group *find_group(struct hist *h, struct hindex *ix, const struct hist_group *key)
{
	uint64_t hash = hash_pair((uint64_t)key->task << 32 | key->location, (uint64_t)key->stack << 32 | key->cpu);
	struct hindex_iter it = hindex_find(ix, hash);

	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;) {
		struct hist_group *g = &h->groups.v[id];

		if (g->task == key->task && g->location == key->location && g->stack == key->stack && g->cpu == key->cpu)
			return g;
	}
	vec_push(&h->groups, *key);
	hindex_add(ix, hash, h->groups.nr - 1);
	return &h->groups.v[h->groups.nr - 1];
}

static void make_groups(struct hist *h)
{
	const struct profile_samples *s = &h->profile->samples;
	bool by_cpu = uses(h->options, HIST_CPU);
	struct hindex ix = { 0 };

	for (uint32_t i = 0; i < s->nr; i++) {
		if (s->event[i] != h->event)
			continue;

		struct hist_group key = { s->task[i], s->location[i], s->stack[i], by_cpu ? s->cpu[i] : 0, 0, 0 };
		struct hist_group *g = find_group(h, &ix, &key);

		g->period += s->period[i];
		g->nr++;
	}
	hindex_fini(&ix);
}

/* Files of one name count as one, as perf has it: two builds of a program with the same function at the same place are one row. */
static bool same_symbol(const struct hist *h, const struct hist_entry *a, const struct hist_entry *b)
{
	if (a->dso_name != b->dso_name || (a->frame == FRAME_NONE) != (b->frame == FRAME_NONE) || a->addr != b->addr)
		return false;
	if (a->frame == b->frame)
		return true;

	const struct profile_frame *fa = &h->profile->frames.v[a->frame], *fb = &h->profile->frames.v[b->frame];

	return fa->start == fb->start && fa->end == fb->end;
}

static bool same_keys(const struct hist *h, const struct hist_entry *a, const struct hist_entry *b)
{
	for (uint32_t i = 0; i < h->options->nr_keys; i++) {
		bool same = true;

		switch (h->options->keys[i]) {
		case HIST_COMM:
			same = a->comm == b->comm;
			break;
		case HIST_PID:
		case HIST_TID:
			same = h->profile->tasks.v[a->task].tid == h->profile->tasks.v[b->task].tid;
			break;
		case HIST_DSO:
			same = a->dso_name == b->dso_name;
			break;
		case HIST_SYM:
			same = same_symbol(h, a, b);
			break;
		case HIST_CPU:
			same = a->cpu == b->cpu;
			break;
		}
		if (!same)
			return false;
	}
	return true;
}

static uint64_t hash_keys(const struct hist *h, const struct hist_entry *e)
{
	uint64_t hash = 0;

	for (uint32_t i = 0; i < h->options->nr_keys; i++) {
		switch (h->options->keys[i]) {
		case HIST_COMM:
			hash = hash_pair(hash, e->comm);
			break;
		case HIST_PID:
		case HIST_TID:
			hash = hash_pair(hash, (uint32_t)h->profile->tasks.v[e->task].tid);
			break;
		case HIST_DSO:
			hash = hash_pair(hash, e->dso_name);
			break;
		case HIST_SYM:
			hash = hash_pair(hash, e->frame == FRAME_NONE ? e->addr : h->profile->frames.v[e->frame].start);
			break;
		case HIST_CPU:
			hash = hash_pair(hash, e->cpu);
			break;
		}
	}
	return hash;
}

static uint32_t find_entry(struct hist *h, const struct hist_entry *key)
{
	uint64_t hash = hash_keys(h, key);
	struct hindex_iter it = hindex_find(&h->index, hash);

	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;)
		if (same_keys(h, &h->entries.v[id], key))
			return id;
	vec_push(&h->entries, *key);
	hindex_add(&h->index, hash, h->entries.nr - 1);
	return h->entries.nr - 1;
}

/* The keys of a place in a task. `addr` is what stands for it where it has no symbol: perf shows the address in the file for the
 * sampled place and the runtime address for its callers. */
static struct hist_entry entry_at(const struct hist *h, const struct hist_group *g, uint32_t location, bool sampled, char level)
{
	const struct profile_location *l = &h->profile->locations.v[location];
	const struct profile_frame *f = &h->profile->frames.v[l->frame];

	return (struct hist_entry){
		.comm = h->profile->tasks.v[g->task].comm,
		.task = g->task,
		.dso = l->at.dso,
		.dso_name = h->sym_names[l->at.dso],
		.frame = f->function ? l->frame : FRAME_NONE,
		.addr = f->function ? 0 : sampled ? l->at.addr : l->at.ip,
		.offset = l->at.addr - f->start,
		.cpu = g->cpu,
		.level = level,
		.stamp = UINT32_MAX,
	};
}

static char level_of(unsigned cpumode)
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

/* A place in no map tells no level: it keeps the one met before. */
static char level_at(const struct hist *h, uint32_t location, char before)
{
	const struct profile_location *l = &h->profile->locations.v[location];

	return l->at.dso == DSO_NONE ? before : level_of(l->cpumode);
}

/* Lays the frames of all chains out in display order, once for the passes below. */
static void lay_out_chains(struct hist *h)
{
	const struct profile *p = h->profile;

	vec_reserve(&h->frames, 1); /* a place to point at, even where there are no chains */
	for (uint32_t i = 0; i < h->groups.nr; i++) {
		uint32_t nr = p->stacks.v[h->groups.v[i].stack].depth, start = h->frames.nr, pos = 0;

		vec_push(&h->first_frame, start);
		vec_reserve(&h->frames, start + nr);
		h->frames.nr += nr;
		for (uint32_t s = h->groups.v[i].stack; s != STACK_NONE; s = p->stacks.v[s].parent, pos++)
			h->frames.v[start + (h->options->order == HIST_CALLER ? nr - 1 - pos : pos)] = p->stacks.v[s].location;
	}
	vec_push(&h->first_frame, h->frames.nr);
}

/* `from`: where in the group's chain the entry stands; SELF for the sampled place. */
#define SELF UINT32_MAX
typedef void visit_fn(struct hist *h, uint32_t group, uint32_t entry, uint32_t from);

/* Goes over the entries that a group belongs to: the sampled place with the whole chain, then (with children) each frame with the rest of
 * the chain from there on. h->frames still holds locations here. */
static void visit_group(struct hist *h, uint32_t group, visit_fn *visit)
{
	const struct hist_group *g = &h->groups.v[group];
	const uint32_t *locations = h->frames.v + h->first_frame.v[group];
	uint32_t nr = h->first_frame.v[group + 1] - h->first_frame.v[group];
	char level = level_of(h->profile->locations.v[g->location].cpumode);
	struct hist_entry key = entry_at(h, g, g->location, true, level);
	uint32_t id = find_entry(h, &key);

	h->entries.v[id].stamp = group;
	visit(h, group, id, SELF);
	if (!h->options->children)
		return;
	for (uint32_t k = 0; k < nr; k++) {
		level = level_at(h, locations[k], level);
		key = entry_at(h, g, locations[k], false, level);
		id = find_entry(h, &key);
		if (h->entries.v[id].stamp == group)
			continue;
		h->entries.v[id].stamp = group;
		visit(h, group, id, k);
	}
}

static uint32_t chain_length(const struct hist *h, uint32_t group, uint32_t from)
{
	return h->first_frame.v[group + 1] - h->first_frame.v[group] - (from == SELF ? 0 : from);
}

static void sum_up(struct hist *h, uint32_t group, uint32_t entry, uint32_t from)
{
	const struct hist_group *g = &h->groups.v[group];
	struct hist_entry *e = &h->entries.v[entry];
	uint32_t depth = chain_length(h, group, from);

	e->children += g->period;
	if (depth > e->max_depth)
		e->max_depth = depth;
	if (from != SELF)
		return;
	e->period += g->period;
	e->nr += g->nr;

	char level = level_of(h->profile->locations.v[g->location].cpumode);

	if (level == 'k')
		e->sys += g->period;
	else if (level == '.')
		e->user += g->period;
}

static uint64_t least_total(const struct hist *h)
{
	return h->options->tree_relative ? 0 : (uint64_t)((double)h->total_period * (h->options->tree_min_percent / 100.0));
}

/* A row smaller than the least branch has no tree to show. */
static bool shows_tree(const struct hist *h, const struct hist_entry *e)
{
	return !e->hidden && (h->options->children ? e->children : e->period) >= least_total(h);
}

static void count_path(struct hist *h, uint32_t group, uint32_t entry, uint32_t from)
{
	struct hist_entry *e = &h->entries.v[entry];

	if (chain_length(h, group, from) && shows_tree(h, e))
		e->nr_paths++;
}

static void add_path(struct hist *h, uint32_t group, uint32_t entry, uint32_t from)
{
	struct hist_entry *e = &h->entries.v[entry];

	if (chain_length(h, group, from) && shows_tree(h, e))
		h->paths.v[e->first_path + e->nr_paths++] = (struct hist_path){ group, from == SELF ? 0 : from };
}

static void visit_all(struct hist *h, visit_fn *visit)
{
	for (uint32_t i = 0; i < h->entries.nr; i++)
		h->entries.v[i].stamp = UINT32_MAX;
	for (uint32_t i = 0; i < h->groups.nr; i++)
		visit_group(h, i, visit);
}

/* Lists each entry's paths: counted, placed one behind the other, filled in. */
static void list_paths(struct hist *h)
{
	uint32_t nr = 0;

	visit_all(h, count_path);
	for (uint32_t i = 0; i < h->entries.nr; i++) {
		h->entries.v[i].first_path = nr;
		nr += h->entries.v[i].nr_paths;
		h->entries.v[i].nr_paths = 0;
	}
	vec_reserve(&h->paths, nr);
	h->paths.nr = nr;
	visit_all(h, add_path);
}

static void drop_groups(struct hist *h, const struct hist_filter *f)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < h->groups.nr; i++)
		if (f->keep_task(f->ctx, h->profile, h->groups.v[i].task))
			h->groups.v[kept++] = h->groups.v[i];
	h->groups.nr = kept;
}

static void hide_entries(struct hist *h, const struct hist_filter *f)
{
	for (uint32_t i = 0; i < h->entries.nr; i++)
		h->entries.v[i].hidden = !f->keep_place(f->ctx, h->profile, h->entries.v[i].dso, h->entries.v[i].frame);
}

static void drop_hidden_entries(struct hist *h)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < h->entries.nr; i++)
		if (!h->entries.v[i].hidden)
			h->entries.v[kept++] = h->entries.v[i];
	h->entries.nr = kept;
	hindex_fini(&h->index); /* ids have changed */
}

void hist_build(struct hist *h, const struct hist_filter *filter)
{
	make_groups(h);
	for (uint32_t i = 0; i < h->groups.nr; i++) {
		h->total_period += h->groups.v[i].period;
		h->nr_samples += h->groups.v[i].nr;
	}
	if (filter && filter->keep_task)
		drop_groups(h, filter);
	lay_out_chains(h);
	visit_all(h, sum_up);
	if (filter && filter->keep_place)
		hide_entries(h, filter);
	if (h->options->chains)
		list_paths(h);
	drop_hidden_entries(h);
	/* From here on frames are what counts: equal functions are equal nodes. */
	for (uint32_t i = 0; i < h->frames.nr; i++)
		h->frames.v[i] = h->profile->locations.v[h->frames.v[i]].frame;
}

bool hist_grow_tree(struct hist *h, const struct hist_entry *e)
{
	struct calltree_least least = { .total = least_total(h) };
	struct calltree_path *paths;

	if (!e->nr_paths)
		return false;
	if (h->options->tree_relative)
		least.share = h->options->tree_min_percent / 100.0;
	paths = mem_realloc(NULL, e->nr_paths, sizeof(*paths));
	for (uint32_t i = 0; i < e->nr_paths; i++) {
		const struct hist_path *p = &h->paths.v[e->first_path + i];
		const struct hist_group *g = &h->groups.v[p->group];
		uint32_t start = h->first_frame.v[p->group] + p->from;

		paths[i] = (struct calltree_path){ h->frames.v + start, h->first_frame.v[p->group + 1] - start, g->period, g->nr };
	}
	calltree_grow(&h->tree, paths, e->nr_paths, h->profile->frames.nr, &least);
	free(paths);
	return true;
}
