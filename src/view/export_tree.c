/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Interning of frames and of runs of nodes. A path is followed from the root through known runs; the rest becomes a new run. The frames of
 * a run are looked up when a second path enters it: most have one.
 */
#include "view/export.h"

#include <stdlib.h>
#include <string.h>

#define NONE EXPORT_NONE

static uint32_t *all_none(uint32_t nr)
{
	uint32_t *v = mem_alloc((nr + 1ul) * sizeof(*v));

	memset(v, 0xff, (nr + 1ul) * sizeof(*v));
	return v;
}

void export_tree_init(struct export_tree *t, const struct export *x, enum export_key key)
{
	memset(t, 0, sizeof(*t));
	t->x = x;
	t->key = key;
	t->frame_of_place = all_none(x->p->places.nr);
	t->node_of_stack = all_none(x->p->stacks.nr);
	t->node_of_location = all_none(x->p->locations.nr);
	vec_push(&t->runs, ((struct export_run){ .parent = NONE, .frame = NONE, .tail = NONE }));
	t->nr_nodes = 1;
}

void export_tree_fini(struct export_tree *t)
{
	hindex_fini(&t->frame_index);
	hindex_fini(&t->run_index);
	vec_fini(&t->frames);
	vec_fini(&t->runs);
	vec_fini(&t->tails);
	vec_fini(&t->path);
	vec_fini(&t->scratch);
	free(t->frame_of_place);
	free(t->node_of_stack);
	free(t->node_of_location);
}

uint32_t export_inline_depth(const struct export *x, uint32_t place)
{
	const struct profile_location *l = &x->p->locations.v[x->p->places.v[place].location];

	return l->first_place + l->nr_places - 1 - place;
}

char export_mark(const struct export *x, uint32_t place)
{
	static const char marks[] = { [CODE_USER] = 0, [CODE_KERNEL] = 'k', [CODE_JIT] = 'j', [CODE_INTERPRETED] = 'j' };

	return export_frame_at(x, place)->is_inlined ? 'i' : marks[profile_code_kind(x->p, place)];
}

static struct export_frame key_of(const struct export_tree *t, uint32_t place)
{
	const struct export *x = t->x;
	const struct profile_place *pl = &x->p->places.v[place];
	const struct profile_location *l = &x->p->locations.v[pl->location];
	uint64_t name = export_name_id(x, place);

	switch (t->key) {
	case EXPORT_BY_NAME:
		return (struct export_frame){ .a = name, .place = place };
	case EXPORT_BY_MARK:
		return (struct export_frame){ .a = name, .b = (uint8_t)export_mark(x, place), .place = place };
	case EXPORT_BY_KIND:
		return (struct export_frame){ .a = name, .b = profile_code_kind(x->p, place), .place = place };
	case EXPORT_BY_FUNCTION:
		return (struct export_frame){ .a = name << 32 | l->at.dso, .c = export_file_of(x, place), .place = place };
	case EXPORT_BY_LINE:
		return (struct export_frame){ name << 32 | l->at.dso, (uint64_t)pl->file << 32 | pl->line, export_file_of(x, place),
					      place };
	default:
		return (struct export_frame){ .a = (uint64_t)l->at.dso << 32 | export_inline_depth(x, place) << 1 | l->is_caller,
					      .b = l->at.addr,
					      /* The source may have two functions at one address. */
					      .c = l->at.imported && x->p->frames.v[l->frame].function ? l->frame : 0,
					      .place = place };
	}
}

static uint32_t frame_of(struct export_tree *t, uint32_t place)
{
	uint32_t *id = &t->frame_of_place[place];

	if (*id == NONE) {
		struct export_frame key = key_of(t, place);

		*id = HINDEX_INTERN(&t->frame_index, hash_pair(key.a, key.b + ((uint64_t)key.c << 40)), &t->frames, f,
				    f->a == key.a && f->b == key.b && f->c == key.c, key);
	}
	return *id;
}

static void push_places(const struct profile *p, struct export_path *path, uint32_t location)
{
	const struct profile_location *l = &p->locations.v[location];

	for (uint32_t i = 0; i < l->nr_places; i++)
		vec_push(path, l->first_place + i);
}

/* Frames are numbered from the outermost on. */
static void read_path(struct export_tree *t, struct export_path *path, uint32_t sample)
{
	const struct profile *p = t->x->p;
	uint32_t stack = p->samples.stack[sample];

	path->nr = 0;
	if (stack == STACK_NONE)
		push_places(p, path, p->samples.location[sample]);
	for (uint32_t n = profile_stack_node(p, stack); n != STACK_TREE_ROOT; n = stack_tree_parent(&p->tree, n))
		push_places(p, path, stack_tree_frame(&p->tree, n));
	for (uint32_t i = path->nr; i-- > 0;)
		path->v[i] = frame_of(t, path->v[i]);
}

void export_tree_path(struct export_tree *t, uint32_t sample)
{
	read_path(t, &t->path, sample);
}

/* ---- numbered stacks ---- */

uint32_t export_tree_run_end(const struct export_tree *t, uint32_t run)
{
	return run + 1 < t->runs.nr ? t->runs.v[run + 1].node : t->nr_nodes;
}

uint32_t export_tree_run(const struct export_tree *t, uint32_t node)
{
	return vec_search(t->runs.nr, i, t->runs.v[i].node > node) - 1;
}

uint32_t export_tree_parent(const struct export_tree *t, uint32_t node)
{
	const struct export_run *r = &t->runs.v[export_tree_run(t, node)];

	return r->node == node ? r->parent : node - 1;
}

/* The frame of a node that is not the first of its run. */
static uint32_t frame_in_run(struct export_tree *t, uint32_t run, uint32_t node)
{
	struct export_run *r = &t->runs.v[run];

	if (r->tail == NONE) {
		read_path(t, &t->scratch, r->sample);
		r->tail = t->tails.nr;
		for (uint32_t i = t->scratch.nr - r->depth - 1; i-- > 0;)
			vec_push(&t->tails, t->scratch.v[i]);
	}
	return t->tails.v[r->tail + node - r->node - 1];
}

static uint32_t find_run(const struct export_tree *t, uint32_t parent, uint32_t frame)
{
	return HINDEX_FIND_ITEM(&t->run_index, hash_pair(parent, frame), &t->runs, run, run->parent == parent && run->frame == frame);
}

/* The node of t->path, which is the sample's. */
static uint32_t add_path(struct export_tree *t, uint32_t sample)
{
	uint32_t run = 0, node = EXPORT_ROOT, left = t->path.nr;

	for (; left; left--) {
		uint32_t frame = t->path.v[left - 1], next;

		if (node + 1 < export_tree_run_end(t, run) && frame_in_run(t, run, node + 1) == frame) {
			node++;
			continue;
		}
		next = find_run(t, node, frame);
		if (next == NONE)
			break;
		run = next;
		node = t->runs.v[run].node;
	}
	if (!left)
		return node;
	hindex_add(&t->run_index, hash_pair(node, t->path.v[left - 1]), t->runs.nr);
	*vec_add(&t->runs) = (struct export_run){
		.node = t->nr_nodes,
		.parent = node,
		.frame = t->path.v[left - 1],
		.sample = sample,
		.depth = t->path.nr - left,
		.tail = NONE,
	};
	t->nr_nodes += left;
	return t->nr_nodes - 1;
}

uint32_t export_tree_node(struct export_tree *t, uint32_t sample)
{
	const struct profile_samples *s = &t->x->p->samples;
	uint32_t stack = s->stack[sample],
		 *node = stack != STACK_NONE ? &t->node_of_stack[stack] : &t->node_of_location[s->location[sample]];

	if (*node == NONE) {
		export_tree_path(t, sample);
		*node = add_path(t, sample);
	}
	return *node;
}

void export_tree_each(struct export_tree *t, export_node_fn *put, void *ctx)
{
	for (uint32_t run = 1; run < t->runs.nr && !t->x->o->error; run++) {
		const struct export_run *r = &t->runs.v[run];
		uint32_t nr = export_tree_run_end(t, run) - r->node;

		read_path(t, &t->scratch, r->sample);
		for (uint32_t i = 0; i < nr; i++)
			put(ctx, r->node + i, i ? r->node + i - 1 : r->parent, t->scratch.v[t->scratch.nr - 1 - r->depth - i]);
	}
}

/* ---- order ---- */

struct branch { /* a run, to be sorted by the node it stands on */
	uint64_t key;
	uint32_t parent, run;
};

static int cmp_branches(const void *va, const void *vb)
{
	const struct branch *a = va, *b = vb;

	return COMPARE(a->parent, b->parent) ?: COMPARE(a->key, b->key) ?: COMPARE(a->run, b->run);
}

struct ranking {
	struct export_tree *t;
	const uint32_t *nodes;
	uint32_t nr;
	export_key_fn *key;
	const void *ctx;
	VEC(struct branch) branches;
	VEC(uint32_t) todo; /* nodes from which runs are to be gone through, the next one last */
	uint32_t *rank, next;
};

/* The children of a node, the last one first: branches [from, to) and the next node of its own run, which is as old as the eldest. */
static void push_children(struct ranking *r, uint32_t run, uint32_t node, uint32_t from, uint32_t to)
{
	bool has_next = node + 1 < export_tree_run_end(r->t, run);
	uint64_t key = has_next ? r->key(r->ctx, node + 1, frame_in_run(r->t, run, node + 1)) : 0;

	for (uint32_t i = to; i-- > from;) {
		if (has_next && r->branches.v[i].key < key) {
			vec_push(&r->todo, node + 1);
			has_next = false;
		}
		vec_push(&r->todo, r->t->runs.v[r->branches.v[i].run].node);
	}
	if (has_next)
		vec_push(&r->todo, node + 1);
}

/* Ranks the nodes of a run as far as the next branch. */
static void rank_from(struct ranking *r, uint32_t node)
{
	uint32_t run = export_tree_run(r->t, node), end = export_tree_run_end(r->t, run);
	const struct branch *branches = r->branches.v;
	uint32_t from = vec_search(r->branches.nr, i, branches[i].parent >= node), to = from;
	bool has_branch = from < r->branches.nr && branches[from].parent < end;
	uint32_t last = has_branch ? branches[from].parent : end - 1;

	for (uint32_t i = vec_search(r->nr, k, r->nodes[k] >= node); i < r->nr && r->nodes[i] <= last; i++)
		r->rank[i] = r->next++;
	while (has_branch && to < r->branches.nr && branches[to].parent == last)
		to++;
	if (has_branch)
		push_children(r, run, last, from, to);
}

uint32_t *export_tree_rank(struct export_tree *t, const uint32_t *nodes, uint32_t nr, export_key_fn *key, const void *ctx)
{
	struct ranking r = { .t = t, .nodes = nodes, .nr = nr, .key = key, .ctx = ctx };

	r.rank = mem_zalloc((nr + 1ul) * sizeof(*r.rank));
	vec_reserve(&r.branches, t->runs.nr);
	for (uint32_t run = 1; run < t->runs.nr; run++) {
		const struct export_run *at = &t->runs.v[run];

		vec_push(&r.branches, ((struct branch){ key(ctx, at->node, at->frame), at->parent, run }));
	}
	vec_sort(&r.branches, cmp_branches);
	vec_push(&r.todo, EXPORT_ROOT);
	while (r.todo.nr)
		rank_from(&r, r.todo.v[--r.todo.nr]);
	vec_fini(&r.todo);
	vec_fini(&r.branches);
	return r.rank;
}
