/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Building a histogram: samples → groups (one pass over the columns, no strings), groups → entries, and in a last pass call trees for the
 * entries that are large enough to show one.
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
	uint32_t nr_dsos = p->session->dsos.dsos.nr;

	memset(h, 0, sizeof(*h));
	h->profile = p;
	h->options = opts;
	h->event = event;
	calltree_init(&h->tree);
	h->sym_names = mem_alloc(nr_dsos * sizeof(*h->sym_names));
	for (uint32_t i = 0; i < nr_dsos; i++)
		h->sym_names[i] = strtab_intern(&p->strings, profile_dso(p, i)->short_name);
}

void hist_fini(struct hist *h)
{
	vec_fini(&h->groups);
	vec_fini(&h->entries);
	hindex_fini(&h->index);
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
			same = a->frame == b->frame && a->addr == b->addr && (a->frame != FRAME_NONE || a->dso_name == b->dso_name);
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
			hash = hash_pair(hash, e->addr ^ e->frame);
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

typedef void visit_fn(struct hist *h, const struct hist_group *g, uint32_t entry, const uint32_t *chain, uint32_t nr);

/* Goes over the entries that a group belongs to: the sampled place with the whole chain, then (with children) each frame with the rest of
 * the chain from there on. `chain` is frames in display order. */
static void visit_group(struct hist *h, uint32_t group, uint32_t *locations, uint32_t *frames, visit_fn *visit_self,
			visit_fn *visit_caller)
{
	const struct profile *p = h->profile;
	const struct hist_group *g = &h->groups.v[group];
	uint32_t nr = p->stacks.v[g->stack].depth;
	char level = level_of(p->locations.v[g->location].cpumode);
	struct hist_entry key = entry_at(h, g, g->location, true, level);
	uint32_t i = h->options->order == HIST_CALLER ? nr : 0;

	for (uint32_t s = g->stack; s != STACK_NONE; s = p->stacks.v[s].parent) {
		uint32_t pos = h->options->order == HIST_CALLER ? --i : i++;

		locations[pos] = p->stacks.v[s].location;
		frames[pos] = p->locations.v[p->stacks.v[s].location].frame;
	}

	uint32_t id = find_entry(h, &key);

	h->entries.v[id].stamp = group;
	visit_self(h, g, id, frames, nr);
	if (!h->options->children)
		return;
	for (uint32_t k = 0; k < nr; k++) {
		level = level_at(h, locations[k], level);
		key = entry_at(h, g, locations[k], false, level);
		id = find_entry(h, &key);
		if (h->entries.v[id].stamp == group)
			continue;
		h->entries.v[id].stamp = group;
		visit_caller(h, g, id, frames + k, nr - k);
	}
}

static void note_depth(struct hist_entry *e, uint32_t nr)
{
	if (nr > e->max_depth)
		e->max_depth = nr;
}

static void sum_self(struct hist *h, const struct hist_group *g, uint32_t entry, const uint32_t *chain, uint32_t nr)
{
	struct hist_entry *e = &h->entries.v[entry];
	char level = level_of(h->profile->locations.v[g->location].cpumode);

	(void)chain;
	e->period += g->period;
	e->nr += g->nr;
	e->children += g->period;
	if (level == 'k')
		e->sys += g->period;
	else if (level == '.')
		e->user += g->period;
	note_depth(e, nr);
}

static void sum_caller(struct hist *h, const struct hist_group *g, uint32_t entry, const uint32_t *chain, uint32_t nr)
{
	(void)chain;
	h->entries.v[entry].children += g->period;
	note_depth(&h->entries.v[entry], nr);
}

static void grow_tree(struct hist *h, const struct hist_group *g, uint32_t entry, const uint32_t *chain, uint32_t nr)
{
	struct hist_entry *e = &h->entries.v[entry];
	uint64_t size = h->options->children ? e->children : e->period;

	if (!nr || size < (uint64_t)((double)h->total_period * (h->options->tree_min_percent / 100.0)))
		return;
	if (e->tree == CALLTREE_NONE)
		e->tree = calltree_new_root(&h->tree);

	uint32_t node = e->tree;

	for (uint32_t i = 0; i < nr; i++)
		node = calltree_step(&h->tree, node, chain[i]);
	calltree_add(&h->tree, node, g->period, g->nr);
}

static void drop_groups(struct hist *h, bool (*keep)(void *, const struct profile *, uint32_t, uint32_t), void *ctx)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < h->groups.nr; i++)
		if (keep(ctx, h->profile, h->groups.v[i].task, h->groups.v[i].location))
			h->groups.v[kept++] = h->groups.v[i];
	h->groups.nr = kept;
}

void hist_build(struct hist *h, bool (*keep)(void *ctx, const struct profile *p, uint32_t task, uint32_t location), void *ctx)
{
	uint32_t depth = 1;

	make_groups(h);
	for (uint32_t i = 0; i < h->groups.nr; i++) {
		uint32_t d = h->profile->stacks.v[h->groups.v[i].stack].depth;

		h->total_period += h->groups.v[i].period;
		h->nr_samples += h->groups.v[i].nr;
		depth = d > depth ? d : depth;
	}
	if (keep)
		drop_groups(h, keep, ctx);

	uint32_t *locations = mem_realloc(NULL, depth, sizeof(*locations));
	uint32_t *frames = mem_realloc(NULL, depth, sizeof(*frames));

	for (uint32_t i = 0; i < h->groups.nr; i++)
		visit_group(h, i, locations, frames, sum_self, sum_caller);
	if (h->options->chains) {
		for (uint32_t i = 0; i < h->entries.nr; i++)
			h->entries.v[i].stamp = UINT32_MAX;
		for (uint32_t i = 0; i < h->groups.nr; i++)
			visit_group(h, i, locations, frames, grow_tree, grow_tree);
	}
	free(locations);
	free(frames);
}
