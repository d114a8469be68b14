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
	stack_tree_init(&t->tree);
}

void export_tree_seal(struct export_tree *t)
{
	hindex_fini(&t->frame_index);
	stack_tree_seal(&t->tree);
	free(t->frame_of_place);
	free(t->node_of_stack);
	free(t->node_of_location);
	t->frame_of_place = t->node_of_stack = t->node_of_location = NULL;
}

void export_tree_fini(struct export_tree *t)
{
	export_tree_seal(t);
	vec_fini(&t->frames);
	stack_tree_fini(&t->tree);
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

/* Behind what is in t->scratch, innermost first. */
static void push_places(struct export_tree *t, uint32_t location)
{
	const struct profile_location *l = &t->x->p->locations.v[location];

	for (uint32_t i = 0; i < l->nr_places; i++)
		vec_push(&t->scratch, l->first_place + i);
}

/* Frames are numbered from the outermost on. */
static uint32_t add_scratch(struct export_tree *t)
{
	for (uint32_t i = t->scratch.nr; i-- > 0;)
		t->scratch.v[i] = export_tree_frame(t, t->scratch.v[i]);
	return stack_tree_add(&t->tree, t->scratch.v, t->scratch.nr);
}

static uint32_t node_of_stack(struct export_tree *t, uint32_t stack)
{
	const struct stack_tree *all = &t->x->p->tree;

	t->scratch.nr = 0;
	for (uint32_t n = profile_stack_node(t->x->p, stack); n != STACK_TREE_ROOT; n = stack_tree_parent(all, n))
		push_places(t, stack_tree_frame(all, n));
	return add_scratch(t);
}

uint32_t export_tree_node(struct export_tree *t, uint32_t sample)
{
	const struct profile_samples *s = &t->x->p->samples;
	uint32_t stack = s->stack[sample], location = s->location[sample];

	if (stack != STACK_NONE) {
		if (t->node_of_stack[stack] == NONE)
			t->node_of_stack[stack] = node_of_stack(t, stack);
		return t->node_of_stack[stack];
	}
	if (t->node_of_location[location] == NONE) {
		t->scratch.nr = 0;
		push_places(t, location);
		t->node_of_location[location] = add_scratch(t);
	}
	return t->node_of_location[location];
}

void export_tree_path(struct export_tree *t, uint32_t node)
{
	t->scratch.nr = 0;
	for (; node != STACK_TREE_ROOT; node = stack_tree_parent(&t->tree, node))
		vec_push(&t->scratch, stack_tree_frame(&t->tree, node));
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
	uint32_t nr = t->tree.frames.nr, *child = mem_alloc((nr + 1ul) * sizeof(*child)), *end = mem_zalloc((nr + 2ul) * sizeof(*end));

	for (uint32_t i = 1; i < nr; i++)
		end[stack_tree_parent(&t->tree, i) + 2]++;
	for (uint32_t i = 2; i < nr + 2; i++)
		end[i] += end[i - 1];
	/* What begins as where the children of i begin is where they end when they are all there: where those of i + 1 begin. */
	for (uint32_t i = 1; i < nr; i++)
		child[end[stack_tree_parent(&t->tree, i) + 1]++] = i;
	for (uint32_t i = 0; i < nr; i++)
		if (end[i + 1] - end[i] > 1)
			qsort_r(child + end[i], end[i + 1] - end[i], sizeof(*child), cmp_siblings, (void *)(uintptr_t)key_of_node);
	*first = end;
	return child;
}

uint32_t *export_tree_rank(const struct export_tree *t, const uint64_t *key_of_node)
{
	uint32_t *first, *child = sort_children(t, key_of_node, &first), *rank = mem_alloc((t->tree.frames.nr + 1ul) * sizeof(*rank)), next = 0;
	VEC(uint32_t) todo = { 0 }; /* the next node last */

	vec_push(&todo, STACK_TREE_ROOT);
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
