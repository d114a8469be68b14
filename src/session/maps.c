/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A treap: a search tree by address that is also a heap by random priorities, which keeps it balanced. Sets share subtrees: a node is
 * changed in place by the set that owns it and copied by others; all nodes above an owned one are owned too.
 *
 * Functions here recurse as deep as the tree: about 4 log2(n) at worst, by the priorities, which input does not choose.
 */
#include "session/machine.h"

#include <string.h>

#include "base/hash.h"

#define CHUNK_NODES 256u

struct map_node {
	struct map map;
	struct map_node *left, *right;
	uint32_t nr; /* maps in the subtree; 0: spare */
	uint32_t priority;
	uint32_t owner;
	bool is_kept; /* map_pool_keep()'s */
};

static struct map_node *node_get(struct map_pool *p)
{
	struct map_node *n = p->spare;

	if (n) {
		p->spare = n->left;
		return n;
	}
	if (!p->chunks.nr || p->nr_in_chunk == CHUNK_NODES) {
		vec_push(&p->chunks, mem_alloc(CHUNK_NODES * sizeof(*n)));
		p->nr_in_chunk = 0;
	}
	if (p->memory)
		budget_take(p->memory, sizeof(*n));
	return &p->chunks.v[p->chunks.nr - 1][p->nr_in_chunk++];
}

static void node_put(struct map_pool *p, struct map_node *n)
{
	*n = (struct map_node){ .left = p->spare };
	p->spare = n;
}

static struct map_node *node_new(struct map_set *s, const struct map *m)
{
	struct map_node *n = node_get(s->pool);

	*n = (struct map_node){ .map = *m, .nr = 1, .owner = s->owner, .priority = hash_fold(hash_u64(s->pool->nr_made++)) };
	return n;
}

/* The node, or a copy that may be changed. */
static struct map_node *own(struct map_set *s, struct map_node *n)
{
	struct map_node *copy;

	if (n->owner == s->owner)
		return n;
	copy = node_get(s->pool);
	*copy = *n;
	copy->owner = s->owner;
	return copy;
}

static void count(struct map_node *n)
{
	n->nr = 1 + (n->left ? n->left->nr : 0) + (n->right ? n->right->nr : 0);
}

static bool ends_before(const struct map *m, uint64_t at)
{
	return m->end <= at;
}

static bool starts_before(const struct map *m, uint64_t at)
{
	return m->start < at;
}

/* Those that are `before` the address, which are the first ones, and the others. */
static void split(struct map_set *s, struct map_node *n, uint64_t at, bool (*before)(const struct map *, uint64_t), struct map_node **first,
		  struct map_node **rest)
{
	if (!n) {
		*first = *rest = NULL;
		return;
	}
	n = own(s, n);
	if (before(&n->map, at)) {
		split(s, n->right, at, before, &n->right, rest);
		*first = n;
	} else {
		split(s, n->left, at, before, first, &n->left);
		*rest = n;
	}
	count(n);
}

/* All of `a` lies below all of `b`. */
static struct map_node *join(struct map_set *s, struct map_node *a, struct map_node *b)
{
	if (!a || !b)
		return a ? a : b;
	if (a->priority >= b->priority) {
		a = own(s, a);
		a->right = join(s, a->right, b);
		count(a);
		return a;
	}
	b = own(s, b);
	b->left = join(s, a, b->left);
	count(b);
	return b;
}

static void discard(struct map_set *s, struct map_node *n)
{
	if (!n || n->owner != s->owner)
		return;
	discard(s, n->left);
	discard(s, n->right);
	node_put(s->pool, n);
}

static struct map behind(const struct map *m, uint64_t start)
{
	struct map rest = *m;

	rest.pgoff += start - m->start;
	rest.start = start;
	return rest;
}

/* What is left of the maps in `covered` in front of the new one and behind it. */
static void keep_ends(struct map_set *s, const struct map_node *covered, const struct map *m, struct map_node **head,
		      struct map_node **tail)
{
	const struct map_node *first = covered, *last = covered;
	struct map piece;

	*head = *tail = NULL;
	if (!covered)
		return;
	while (first->left)
		first = first->left;
	while (last->right)
		last = last->right;
	if (first->map.start < m->start) {
		piece = first->map;
		piece.end = m->start;
		*head = node_new(s, &piece);
	}
	if (last->map.end > m->end) {
		piece = behind(&last->map, m->end);
		*tail = node_new(s, &piece);
	}
}

void map_set_add(struct map_set *s, const struct map *m)
{
	struct map_node *before, *covered, *after, *head, *tail;

	if (m->start >= m->end)
		return;
	if (!s->owner)
		s->owner = ++s->pool->last_owner;
	split(s, s->root, m->start, ends_before, &before, &after);
	split(s, after, m->end, starts_before, &covered, &after);
	keep_ends(s, covered, m, &head, &tail);
	discard(s, covered);
	s->root = join(s, join(s, join(s, before, head), node_new(s, m)), join(s, tail, after));
}

const struct map *map_set_find(const struct map_set *s, uint64_t ip)
{
	const struct map_node *n = s->root;

	while (n) {
		if (ip < n->map.start)
			n = n->left;
		else if (ip >= n->map.end)
			n = n->right;
		else
			return &n->map;
	}
	return NULL;
}

const struct map *map_set_first(const struct map_set *s, uint64_t addr)
{
	const struct map_node *n = s->root;
	const struct map *first = NULL;

	while (n) {
		if (n->map.end > addr) {
			first = &n->map;
			n = n->left;
		} else {
			n = n->right;
		}
	}
	return first;
}

uint32_t map_set_nr(const struct map_set *s)
{
	return s->root ? s->root->nr : 0;
}

const struct map *map_set_at(const struct map_set *s, uint32_t i)
{
	const struct map_node *n = s->root;

	for (;;) {
		uint32_t nr_left = n->left ? n->left->nr : 0;

		if (i == nr_left)
			return &n->map;
		if (i < nr_left) {
			n = n->left;
		} else {
			i -= nr_left + 1;
			n = n->right;
		}
	}
}

struct map_set map_set_successor(const struct map_set *frozen)
{
	return (struct map_set){ .pool = frozen->pool, .root = frozen->root };
}

static void mark_kept(struct map_node *n)
{
	if (!n || n->is_kept)
		return;
	n->is_kept = true;
	mark_kept(n->left);
	mark_kept(n->right);
}

void map_pool_keep(struct map_pool *p, struct map_set *const *sets, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		mark_kept(sets[i]->root);
	for (uint32_t c = 0; c < p->chunks.nr; c++) {
		uint32_t nr_used = c + 1 < p->chunks.nr ? CHUNK_NODES : p->nr_in_chunk;

		for (uint32_t i = 0; i < nr_used; i++) {
			struct map_node *n = &p->chunks.v[c][i];

			if (n->nr && !n->is_kept)
				node_put(p, n);
			n->is_kept = false;
		}
	}
}

void map_pool_fini(struct map_pool *p)
{
	for (uint32_t i = 0; i < p->chunks.nr; i++)
		free(p->chunks.v[i]);
	vec_fini(&p->chunks);
	*p = (struct map_pool){ 0 };
}
