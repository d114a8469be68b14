/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Building a histogram: samples → groups (one pass over the columns, no strings) → entries; last, the paths of the entries that are large
 * enough to show a call tree.
 */
#include "model/hist.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "model/field_keys.h"

void hist_init(struct hist *h, struct profile *p, const struct hist_options *opts, uint32_t event)
{
	uint32_t nr_dsos = p->machine->dsos.dsos.nr;

	memset(h, 0, sizeof(*h));
	h->profile = p;
	h->options = opts;
	h->event = event;
	h->max_row_bytes = opts->row_memory ? budget_left(opts->row_memory) / 2 : 0;
	h->sym_names = mem_alloc(nr_dsos * sizeof(*h->sym_names));
	for (uint32_t i = 0; i < nr_dsos; i++) {
		char buf[PATH_MAX];

		h->sym_names[i] = strtab_intern(&p->strings, match_label(opts->match, profile_dso(p, i), buf, sizeof(buf)));
	}
}

void hist_fini(struct hist *h)
{
	sample_groups_fini(&h->groups);
	vec_fini(&h->latencies);
	vec_fini(&h->entries);
	hindex_fini(&h->index);
	vec_fini(&h->frames);
	vec_fini(&h->first_frame);
	vec_fini(&h->rows);
	vec_fini(&h->paths);
	vec_fini(&h->node_places);
	vec_fini(&h->sources);
	hindex_fini(&h->source_index);
	weighted_tree_fini(&h->tree);
	if (h->row_bytes)
		budget_give(h->options->row_memory, h->row_bytes);
	free(h->sym_names);
}

static void add_latency(struct hist *h, uint32_t group, double latency)
{
	if (group == h->latencies.nr)
		vec_push(&h->latencies, 0.0);
	h->latencies.v[group] += latency;
}

static void group_samples(struct hist *h, bool by_cpu)
{
	const struct profile_samples *s = &h->profile->samples;

	for (uint32_t i = 0; i < s->nr; i++) {
		if (s->event[i] != h->event)
			continue;

		struct sample_group key = { .stack = s->stack[i], .location = s->location[i], .sample = i };

		key.by[HIST_BY_TASK] = s->task[i];
		key.by[HIST_BY_CPU] = by_cpu ? s->cpu[i] : 0;
		key.by[HIST_BY_FIELDS] = s->fields ? s->fields[i] : FIELD_NONE;
		key.by[HIST_BY_PARALLELISM] = s->parallelism ? s->parallelism[i] : 0;

		struct sample_group *g = sample_groups_add_to(&h->groups, &key, s->period[i]);

		g->nr += profile_samples_count(s, i) - 1;
		if (h->options->latency)
			add_latency(h, (uint32_t)(g - h->groups.v.v), s->latency[i]);
	}
}

static void group_branches(struct hist *h, bool by_cpu)
{
	const struct profile_samples *s = &h->profile->samples;

	for (uint32_t i = 0; i < h->profile->branches.nr; i++) {
		const struct profile_branch *b = &h->profile->branches.v[i];

		if (s->event[b->sample] != h->event)
			continue;

		struct sample_group key = { .stack = STACK_NONE, .location = b->to, .sample = b->sample };

		key.by[HIST_BY_TASK] = s->task[b->sample];
		key.by[HIST_BY_CPU] = by_cpu ? s->cpu[b->sample] : 0;
		key.by[HIST_BY_FIELDS] = s->fields ? s->fields[b->sample] : FIELD_NONE;
		key.by[HIST_BY_FROM] = b->from;
		key.by[HIST_BY_FLAGS] = (uint32_t)b->flags;
		key.by[HIST_BY_FLAGS_HIGH] = (uint32_t)(b->flags >> 32);
		sample_groups_add_to(&h->groups, &key, 1);
	}
}

static void make_groups(struct hist *h)
{
	bool by_cpu = false;

	for (uint32_t i = 0; i < h->options->nr_keys; i++)
		by_cpu |= (hist_column(h, h->options->keys[i])->flags & COLUMN_OF_CPUS) != 0;
	if (h->options->branches)
		group_branches(h, by_cpu);
	else
		group_samples(h, by_cpu);
	sample_groups_seal(&h->groups);
}

/* A place in no map tells no level: it keeps the one met before. */
static char level_at(const struct hist *h, uint32_t location, char before)
{
	const struct profile_location *l = &h->profile->locations.v[location];

	return l->at.dso == DSO_NONE ? before : hist_level_of(l->cpumode);
}

/* Lays the places of all chains out in display order, once for the passes below. */
static void lay_out_chains(struct hist *h)
{
	const struct profile *p = h->profile;

	vec_reserve(&h->frames, 1); /* somewhere to point at, even where there are no chains */
	for (uint32_t i = 0; i < h->groups.v.nr; i++) {
		uint32_t start = h->frames.nr;

		vec_push(&h->first_frame, start);
		for (uint32_t n = profile_stack_node(p, h->groups.v.v[i].stack); n != STACK_TREE_ROOT; n = stack_tree_parent(&p->tree, n)) {
			const struct profile_location *l = &p->locations.v[stack_tree_frame(&p->tree, n)];

			for (uint32_t k = 0; k < l->nr_places; k++)
				vec_push(&h->frames, l->first_place + k);
		}
		for (uint32_t a = start, z = h->frames.nr; h->options->order == HIST_CALLER && a + 1 < z; a++) {
			uint32_t place = h->frames.v[--z];

			h->frames.v[z] = h->frames.v[a];
			h->frames.v[a] = place;
		}
	}
	vec_push(&h->first_frame, h->frames.nr);
}

/* `from`: where in the group's chain the entry stands; SELF for the sampled place. */
#define SELF UINT32_MAX
typedef void visit_fn(struct hist *h, uint32_t group, uint32_t entry, uint32_t from);

/* The row of a place as the last group had it: groups that differ in their stacks alone have the same. */
struct place_row {
	uint32_t by[SAMPLE_GROUP_KEYS];
	uint32_t entry;
	char level;
	bool is_known;
};

static uint32_t find_place_row(struct hist *h, struct place_row *known, const struct sample_group *g, uint32_t place, char level)
{
	struct place_row *r = &known[place];
	struct hist_entry key;

	if (r->is_known && r->level == level && !memcmp(r->by, g->by, sizeof(r->by)))
		return r->entry;
	key = hist_entry_at(h, g, place, level);
	r->entry = hist_find_entry(h, &key);
	r->level = level;
	r->is_known = true;
	memcpy(r->by, g->by, sizeof(r->by));
	return r->entry;
}

/* The entries of a group: of the sampled place, then (with children) of each frame; HIST_NO_ENTRY where recursion leads to one again. */
static uint32_t *rows_of(const struct hist *h, uint32_t group)
{
	return h->rows.v + group + (h->options->children ? h->first_frame.v[group] : 0);
}

/* h->frames holds places here. */
static void find_group_rows(struct hist *h, struct place_row *known, uint32_t group)
{
	const struct sample_group *g = &h->groups.v.v[group];
	const uint32_t *places = h->frames.v + h->first_frame.v[group];
	uint32_t nr = h->options->children ? h->first_frame.v[group + 1] - h->first_frame.v[group] : 0;
	char level = hist_level_of(h->profile->locations.v[g->location].cpumode);
	struct hist_entry key = hist_entry_of(h, g, level);
	uint32_t *rows = rows_of(h, group);

	bool is_whole = true;

	rows[0] = hist_find_entry(h, &key);
	if (rows[0] == HIST_NO_ENTRY)
		is_whole = false;
	else
		h->entries.v[rows[0]].stamp = group;
	for (uint32_t k = 0; k < nr; k++) {
		uint32_t id;

		level = level_at(h, h->profile->places.v[places[k]].location, level);
		id = find_place_row(h, known, g, places[k], level);
		is_whole &= id != HIST_NO_ENTRY;
		rows[k + 1] = id == HIST_NO_ENTRY || h->entries.v[id].stamp == group ? HIST_NO_ENTRY : id;
		if (id != HIST_NO_ENTRY)
			h->entries.v[id].stamp = group;
	}
	if (!is_whole)
		h->nr_without_row += g->nr;
}

static void find_rows(struct hist *h)
{
	uint32_t nr = h->groups.v.nr + (h->options->children ? h->frames.nr : 0);
	struct place_row *known = h->options->children ? mem_zalloc((h->profile->places.nr + 1) * sizeof(*known)) : NULL;

	vec_reserve(&h->rows, nr + 1);
	h->rows.nr = nr;
	for (uint32_t i = 0; i < h->groups.v.nr; i++)
		find_group_rows(h, known, i);
	free(known);
}

/* The sampled place with the whole chain, then (with children) each frame with the rest of the chain. */
static void visit_all(struct hist *h, visit_fn *visit)
{
	for (uint32_t i = 0; i < h->groups.v.nr; i++) {
		uint32_t nr = h->options->children ? h->first_frame.v[i + 1] - h->first_frame.v[i] : 0;
		const uint32_t *rows = rows_of(h, i);

		if (rows[0] != HIST_NO_ENTRY)
			visit(h, i, rows[0], SELF);
		for (uint32_t k = 0; k < nr; k++)
			if (rows[k + 1] != HIST_NO_ENTRY)
				visit(h, i, rows[k + 1], k);
	}
}

static uint32_t chain_length(const struct hist *h, uint32_t group, uint32_t from)
{
	return h->first_frame.v[group + 1] - h->first_frame.v[group] - (from == SELF ? 0 : from);
}

static void sum_up(struct hist *h, uint32_t group, uint32_t entry, uint32_t from)
{
	const struct sample_group *g = &h->groups.v.v[group];
	struct hist_entry *e = &h->entries.v[entry];
	uint32_t depth = chain_length(h, group, from);

	e->children += g->period;
	if (h->latencies.nr)
		e->latency_children += h->latencies.v[group];
	if (depth > e->max_depth)
		e->max_depth = depth;
	if (from != SELF)
		return;
	e->period += g->period;
	e->nr += g->nr;
	if (h->latencies.nr)
		e->latency += h->latencies.v[group];

	char level = hist_level_of(h->profile->locations.v[g->location].cpumode);

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

static bool keeps_group(const struct hist *h, const struct hist_filter *f, const struct sample_group *g)
{
	if (f->keep_task && !f->keep_task(f->ctx, h->profile, g->by[HIST_BY_TASK]))
		return false;
	return !f->keep_parallelism || !h->profile->tells_parallelism || f->keep_parallelism(f->ctx, g->by[HIST_BY_PARALLELISM]);
}

static void drop_groups(struct hist *h, const struct hist_filter *f)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < h->groups.v.nr; i++) {
		if (!keeps_group(h, f, &h->groups.v.v[i]))
			continue;
		if (h->latencies.nr)
			h->latencies.v[kept] = h->latencies.v[i];
		h->groups.v.v[kept++] = h->groups.v.v[i];
	}
	h->groups.v.nr = kept;
}

static void hide_entries(struct hist *h, const struct hist_filter *f)
{
	for (uint32_t i = 0; i < h->entries.nr; i++)
		h->entries.v[i].hidden = !f->keep_place(f->ctx, h->profile, h->entries.v[i].at.dso, h->entries.v[i].at.frame);
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

/* Nodes that stand for an address or a line get ids of their own. Of a place whose line is not known the function counts. */
static uint32_t node_of(struct hist *h, struct hindex *ix, uint32_t place)
{
	const struct profile *p = h->profile;
	const struct profile_place *at = &p->places.v[place];
	bool by_line = h->options->chain_key == HIST_CHAIN_SRCLINE;
	uint64_t what = by_line && at->file ? hist_srcline(h, place) : p->frames.v[at->frame].row;
	uint64_t where = by_line ? !at->file : p->locations.v[at->location].at.ip;
	uint64_t hash = hash_pair(what, where);
	struct hindex_iter it = hindex_find(ix, hash);

	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;) {
		const struct profile_place *other = &p->places.v[h->node_places.v[id]];
		uint64_t other_what = by_line && other->file ? hist_srcline(h, h->node_places.v[id]) : p->frames.v[other->frame].row;

		if (other_what == what && where == (by_line ? !other->file : p->locations.v[other->location].at.ip))
			return id;
	}
	vec_push(&h->node_places, place);
	hindex_add(ix, hash, h->node_places.nr - 1);
	return h->node_places.nr - 1;
}

/* Frame → the one that stands for it in trees: an inlined function is one node, whatever it was inlined into. The caller frees. */
static uint32_t *make_nodes(const struct profile *p)
{
	uint32_t *nodes = mem_alloc(p->frames.nr * sizeof(*nodes) + 1);
	struct hindex ix = { 0 };

	for (uint32_t i = 0; i < p->frames.nr; i++) {
		const struct profile_frame *f = &p->frames.v[p->frames.v[i].row];
		uint64_t hash = hash_pair(f->function, f->dso);
		uint32_t id;

		nodes[i] = p->frames.v[i].row;
		if (!f->is_inlined)
			continue;
		id = HINDEX_FIND_ITEM(&ix, hash, &p->frames, other, other->function == f->function && other->dso == f->dso);
		if (id == HINDEX_NONE)
			hindex_add(&ix, hash, nodes[i]);
		else
			nodes[i] = id;
	}
	hindex_fini(&ix);
	return nodes;
}

static void name_nodes(struct hist *h)
{
	const struct profile *p = h->profile;
	bool by_function = h->options->chain_key == HIST_CHAIN_FUNCTION;
	uint32_t *nodes = by_function && h->frames.nr ? make_nodes(p) : NULL;
	struct hindex ix = { 0 };

	for (uint32_t i = 0; i < h->frames.nr; i++)
		h->frames.v[i] = by_function ? nodes[p->places.v[h->frames.v[i]].frame] : node_of(h, &ix, h->frames.v[i]);
	hindex_fini(&ix);
	free(nodes);
}

void hist_build(struct hist *h, const struct hist_filter *filter)
{
	make_groups(h);
	for (uint32_t i = 0; i < h->groups.v.nr; i++) {
		h->total_period += h->groups.v.v[i].period;
		h->nr_samples += h->groups.v.v[i].nr;
	}
	for (uint32_t i = 0; i < h->latencies.nr; i++)
		h->total_latency += h->latencies.v[i];
	if (filter && (filter->keep_task || filter->keep_parallelism))
		drop_groups(h, filter);
	lay_out_chains(h);
	find_rows(h);
	visit_all(h, sum_up);
	if (filter && filter->keep_place)
		hide_entries(h, filter);
	if (h->options->chains)
		list_paths(h);
	vec_fini(&h->rows);
	drop_hidden_entries(h);
	/* From here on nodes are what counts: equal functions, addresses or lines are one. */
	name_nodes(h);
}

/* What growing it goes through. */
static uint64_t tree_cost(const struct hist *h, const struct hist_entry *e)
{
	uint64_t nr = 0;

	for (uint32_t i = 0; i < e->nr_paths; i++) {
		const struct hist_path *p = &h->paths.v[e->first_path + i];

		nr += h->first_frame.v[p->group + 1] - h->first_frame.v[p->group] - p->from;
	}
	return nr;
}

bool hist_grow_tree(struct hist *h, const struct hist_entry *e)
{
	const uint64_t least[] = { least_total(h), UINT64_MAX };
	const struct weighted_options o = {
		.nr_columns = 2,
		.has_counts = true,
		.steps = h->frames.v,
		.nr_frames = h->options->chain_key == HIST_CHAIN_FUNCTION ? h->profile->frames.nr : h->node_places.nr,
		.least = least,
		.share = h->options->tree_relative ? h->options->tree_min_percent / 100.0 : 0,
		.max_nodes = HIST_MAX_TREE_NODES,
	};
	struct weighted_path *paths;

	if (!e->nr_paths)
		return false;
	if (h->options->tree_work && !budget_take(h->options->tree_work, tree_cost(h, e))) {
		h->nr_without_tree++;
		return false;
	}
	paths = mem_realloc(NULL, e->nr_paths, sizeof(*paths));
	for (uint32_t i = 0; i < e->nr_paths; i++) {
		const struct hist_path *p = &h->paths.v[e->first_path + i];
		const struct sample_group *g = &h->groups.v.v[p->group];
		uint32_t start = h->first_frame.v[p->group] + p->from;

		paths[i] = (struct weighted_path){
			.weight = g->period, .count = (uint32_t)g->nr, .first = start, .nr = h->first_frame.v[p->group + 1] - start
		};
	}
	weighted_tree_grow(&h->tree, paths, e->nr_paths, &o);
	free(paths);
	h->nr_cut_trees += h->tree.is_cut;
	return true;
}
