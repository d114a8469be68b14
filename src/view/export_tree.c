/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Interning of frames and nodes. A stack's callers are looked up until one is known, and the way back makes what is missing. Ranks are by counting: siblings
 * alone are sorted.
 */
#include "view/export_tree.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

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
	*vec_add(&t->nodes) = (struct export_node){ EXPORT_ROOT, NONE };
	t->node_of_stack[STACK_NONE] = EXPORT_ROOT;
}

void export_tree_seal(struct export_tree *t)
{
	hindex_fini(&t->frame_index);
	hindex_fini(&t->node_index);
	free(t->frame_of_place);
	free(t->node_of_stack);
	free(t->node_of_location);
	t->frame_of_place = t->node_of_stack = t->node_of_location = NULL;
}

void export_tree_fini(struct export_tree *t)
{
	export_tree_seal(t);
	vec_fini(&t->frames);
	vec_fini(&t->nodes);
	vec_fini(&t->scratch);
}

uint32_t export_inline_depth(const struct export *x, uint32_t place)
{
	const struct profile_location *l = &x->p->locations.v[x->p->places.v[place].location];

	return l->first_place + l->nr_places - 1 - place;
}

char export_mark(const struct export *x, uint32_t place)
{
	static const char marks[] = { [EXPORT_USER] = 0, [EXPORT_KERNEL] = 'k', [EXPORT_JIT] = 'j' };

	return export_frame_at(x, place)->is_inlined ? 'i' : marks[export_kind_of(x, place)];
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
		return (struct export_frame){ .a = name, .b = export_kind_of(x, place), .place = place };
	case EXPORT_BY_FUNCTION:
		return (struct export_frame){ .a = name << 32 | l->at.dso, .c = export_file_of(x, place), .place = place };
	case EXPORT_BY_LINE:
		return (struct export_frame){ name << 32 | l->at.dso, (uint64_t)pl->file << 32 | pl->line, export_file_of(x, place), place };
	default:
		return (struct export_frame){ .a = (uint64_t)l->at.dso << 32 | export_inline_depth(x, place) << 1 | l->is_caller,
					      .b = l->at.addr, .place = place };
	}
}

uint32_t export_tree_frame(struct export_tree *t, uint32_t place)
{
	struct export_frame key;
	struct hindex_iter it;
	uint32_t id;
	uint64_t h;

	if (t->frame_of_place[place] != NONE)
		return t->frame_of_place[place];
	key = key_of(t, place);
	h = hash_pair(key.a, key.b + ((uint64_t)key.c << 40));
	it = hindex_find(&t->frame_index, h);
	while ((id = hindex_next(&it)) != HINDEX_NONE)
		if (t->frames.v[id].a == key.a && t->frames.v[id].b == key.b && t->frames.v[id].c == key.c)
			break;
	if (id == HINDEX_NONE) {
		id = t->frames.nr;
		vec_push(&t->frames, key);
		hindex_add(&t->frame_index, h, id);
	}
	return t->frame_of_place[place] = id;
}

/* Nothing stands on the nodes from `fresh` on: nobody need look there. */
static uint32_t add_node(struct export_tree *t, uint32_t parent, uint32_t frame, uint32_t fresh)
{
	struct export_node n = { parent, frame };
	uint64_t h = hash_pair(parent, frame);
	struct hindex_iter it = hindex_find(&t->node_index, h);

	for (uint32_t id; parent < fresh && (id = hindex_next(&it)) != HINDEX_NONE;)
		if (t->nodes.v[id].parent == parent && t->nodes.v[id].frame == frame)
			return id;
	vec_push(&t->nodes, n);
	hindex_add(&t->node_index, h, t->nodes.nr - 1);
	return t->nodes.nr - 1;
}

/* What was inlined stands above the function it was inlined into. */
static uint32_t add_location(struct export_tree *t, uint32_t node, uint32_t location, uint32_t fresh)
{
	const struct profile_location *l = &t->x->p->locations.v[location];

	for (uint32_t i = l->nr_places; i-- > 0;)
		node = add_node(t, node, export_tree_frame(t, l->first_place + i), fresh);
	return node;
}

static uint32_t node_of_stack(struct export_tree *t, uint32_t stack)
{
	const struct profile_stack *stacks = t->x->p->stacks.v;
	uint32_t fresh = t->nodes.nr;

	t->scratch.nr = 0;
	for (uint32_t s = stack; t->node_of_stack[s] == NONE; s = stacks[s].parent)
		vec_push(&t->scratch, s);
	for (uint32_t i = t->scratch.nr; i-- > 0;) {
		uint32_t s = t->scratch.v[i];

		t->node_of_stack[s] = add_location(t, t->node_of_stack[stacks[s].parent], stacks[s].location, fresh);
	}
	return t->node_of_stack[stack];
}

uint32_t export_tree_node(struct export_tree *t, uint32_t sample)
{
	const struct profile_samples *s = &t->x->p->samples;
	uint32_t stack = s->stack[sample], location = s->location[sample];

	if (stack != STACK_NONE)
		return t->node_of_stack[stack] != NONE ? t->node_of_stack[stack] : node_of_stack(t, stack);
	if (t->node_of_location[location] == NONE)
		t->node_of_location[location] = add_location(t, EXPORT_ROOT, location, t->nodes.nr);
	return t->node_of_location[location];
}

void export_tree_path(struct export_tree *t, uint32_t node)
{
	t->scratch.nr = 0;
	for (; node != EXPORT_ROOT; node = t->nodes.v[node].parent)
		vec_push(&t->scratch, t->nodes.v[node].frame);
	for (uint32_t a = 0, z = t->scratch.nr; a + 1 < z; a++) {
		uint32_t frame = t->scratch.v[--z];

		t->scratch.v[z] = t->scratch.v[a];
		t->scratch.v[a] = frame;
	}
}

static int cmp_siblings(const void *va, const void *vb, void *ctx)
{
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;
	const uint64_t *key = ctx;

	if (key[a] != key[b])
		return key[a] < key[b] ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* Children of a node side by side, sorted; those of node i begin at (*first)[i] and end where the next one's begin. The caller frees both. */
static uint32_t *sort_children(const struct export_tree *t, const uint64_t *key_of_node, uint32_t **first)
{
	uint32_t nr = t->nodes.nr, *child = mem_alloc((nr + 1ul) * sizeof(*child)), *end = mem_zalloc((nr + 2ul) * sizeof(*end));

	for (uint32_t i = 1; i < nr; i++)
		end[t->nodes.v[i].parent + 2]++;
	for (uint32_t i = 2; i < nr + 2; i++)
		end[i] += end[i - 1];
	/* What begins as where the children of i begin is where they end when they are all there: where those of i + 1 begin. */
	for (uint32_t i = 1; i < nr; i++)
		child[end[t->nodes.v[i].parent + 1]++] = i;
	for (uint32_t i = 0; i < nr; i++)
		if (end[i + 1] - end[i] > 1)
			qsort_r(child + end[i], end[i + 1] - end[i], sizeof(*child), cmp_siblings, (void *)(uintptr_t)key_of_node);
	*first = end;
	return child;
}

uint32_t *export_tree_rank(const struct export_tree *t, const uint64_t *key_of_node)
{
	uint32_t *first, *child = sort_children(t, key_of_node, &first), *rank = mem_alloc((t->nodes.nr + 1ul) * sizeof(*rank)), next = 0;
	VEC(uint32_t) todo = { 0 }; /* the next node last */

	vec_push(&todo, EXPORT_ROOT);
	while (todo.nr) {
		uint32_t node = todo.v[--todo.nr];

		rank[node] = next++;
		for (uint32_t i = first[node + 1]; i-- > first[node];)
			vec_push(&todo, child[i]);
	}
	vec_fini(&todo);
	free(child);
	free(first);
	return rank;
}
