/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rows of struct pair_sums as they are shown: those of equal callers, tasks or objects together.
 */
#include <stdlib.h>

#include "model/pair_sums.h"

/* What a group is known by. */
struct group_key {
	uint64_t a, b, c;
	uint32_t node; /* the caller; STACK_TREE_ROOT: it does not count */
};

struct maker {
	struct pair_groups *g;
	struct pair_sums *s;
	enum pair_groups_by by;
	uint32_t max_frames;
	uint32_t nr_before; /* groups of other sums */
	struct hindex index;
	VEC(struct group_key) keys;    /* by group */
	VEC(uint32_t) group_of_row;    /* UINT32_MAX: it has no pairs */
	VEC(struct pair_waker) wakers; /* .row is a group */
	struct hindex waker_index;
};

static uint64_t hash_stack(const struct maker *m, uint32_t node)
{
	const struct stack_tree *t = &m->s->profile->tree;
	uint64_t h = 0;

	for (uint32_t i = 0; i < m->max_frames && node != STACK_TREE_ROOT; i++, node = stack_tree_parent(t, node))
		h = hash_pair(stack_tree_frame(t, node), h);
	return h;
}

static bool is_same_stack(const struct maker *m, uint32_t a, uint32_t b)
{
	const struct stack_tree *t = &m->s->profile->tree;

	for (uint32_t i = 0; i < m->max_frames && a != b; i++) {
		if (a == STACK_TREE_ROOT || b == STACK_TREE_ROOT || stack_tree_frame(t, a) != stack_tree_frame(t, b))
			return false;
		a = stack_tree_parent(t, a);
		b = stack_tree_parent(t, b);
	}
	return true;
}

static const char *kind_by_flags(uint32_t flags)
{
	enum { SPIN = 1, READ = 2, WRITE = 4, RT = 8, PERCPU = 16, MUTEX = 32 };
	static const struct {
		uint32_t flags;
		const char *name;
	} kinds[] = {
		{ 0, "semaphore" },
		{ SPIN, "spinlock" },
		{ SPIN | READ, "rwlock:R" },
		{ SPIN | WRITE, "rwlock:W" },
		{ READ, "rwsem:R" },
		{ WRITE, "rwsem:W" },
		{ RT, "rtmutex" },
		{ RT | READ, "rwlock-rt:R" },
		{ RT | WRITE, "rwlock-rt:W" },
		{ PERCPU | READ, "pcpu-sem:R" },
		{ PERCPU | WRITE, "pcpu-sem:W" },
		{ MUTEX, "mutex" },
		{ MUTEX | SPIN, "mutex" },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].flags == flags)
			return kinds[i].name;
	return "unknown";
}

static struct group_key key_of(const struct maker *m, uint32_t i, uint32_t caller, const char *kind)
{
	const struct pair_row *r = &m->s->rows.v[i];
	const struct profile_task *t = &m->s->profile->tasks.v[r->task];

	/* Pages of different kinds are never one. */
	uint64_t b = 0, c = 0;
	const struct profile_frame *f;

	if (r->def->mobility) {
		b = r->flags;
		c = (uint64_t)r->order << 32 | r->mobility;
	}
	switch (m->by) {
	case PAIR_GROUPS_BY_CALLER:
		return (struct group_key){ .a = (uintptr_t)kind, .b = b, .c = c, .node = caller };
	case PAIR_GROUPS_BY_TASK:
		return (struct group_key){ .a = (uint32_t)t->tid };
	case PAIR_GROUPS_BY_OBJECT:
		/* Every process has its own memory. */
		return (struct group_key){ .a = r->object, .b = r->def->object_kind == PAIR_USER_ADDRESS ? (uint32_t)t->pid : b, .c = c };
	case PAIR_GROUPS_BY_PLACE:
		if (r->location == PAIR_NO_LOCATION)
			return (struct group_key){ .a = DSO_NONE };
		f = profile_frame_at(m->s->profile, r->location);
		return (struct group_key){ .a = m->s->profile->locations.v[r->location].at.dso,
					   .b = profile_is_named(f) ? f->function : 0 };
	case PAIR_GROUPS_BY_ROW:
		break;
	}
	return (struct group_key){ .a = i };
}

static uint32_t group_of(struct maker *m, uint32_t i)
{
	struct pair_row *r = &m->s->rows.v[i];
	const char *kind = NULL;
	uint32_t caller = STACK_TREE_ROOT, known;
	struct group_key key;
	uint64_t h;

	if (r->stack != STACK_NONE)
		caller = r->def->caller ? r->def->caller(m->s->profile, r->stack, &kind) : profile_stack_node(m->s->profile, r->stack);
	if (r->def->flags && !r->def->mobility)
		kind = kind_by_flags(r->flags);
	else if (!kind)
		kind = r->def->name;
	key = key_of(m, i, caller, kind);
	h = hash_pair(hash_stack(m, key.node), hash_pair(key.a, hash_pair(key.b, key.c)));
	known = HINDEX_FIND_ITEM(&m->index, h, &m->keys, k,
				 k->a == key.a && k->b == key.b && k->c == key.c && is_same_stack(m, k->node, key.node));
	if (known != HINDEX_NONE)
		return m->nr_before + known;
	vec_push(&m->keys, key);
	hindex_add(&m->index, h, m->keys.nr - 1);
	vec_push(&m->g->v, ((struct pair_group){ .row = r, .caller_node = caller, .kind = kind }));
	if (caller != STACK_TREE_ROOT)
		m->g->v.v[m->g->v.nr - 1].caller_ip = m->s->profile->locations.v[stack_tree_frame(&m->s->profile->tree, caller)].at.ip;
	return m->g->v.nr - 1;
}

/* Of wakers of one thread, the stack of the one that counts most. */
static void add_waker(struct maker *m, const struct pair_waker *w)
{
	uint32_t group = m->group_of_row.v[w->row], id;

	if (group == UINT32_MAX)
		return;
	id = HINDEX_INTERN(&m->waker_index, hash_pair(group, w->task), &m->wakers, o, o->row == group && o->task == w->task,
			   ((struct pair_waker){ .row = group, .task = w->task, .stack = w->stack }));
	if (w->total_ns > m->wakers.v[id].longest_ns) {
		m->wakers.v[id].longest_ns = w->total_ns;
		m->wakers.v[id].stack = w->stack;
	}
	m->wakers.v[id].nr += w->nr;
	m->wakers.v[id].total_ns += w->total_ns;
	if (m->wakers.v[id].total_ns >= m->g->v.v[group].waker.total_ns)
		m->g->v.v[group].waker = m->wakers.v[id];
}

static void add_row(struct pair_group *g, const struct pair_row *r)
{
	if (!g->longest || r->figures.total_ns > g->longest->figures.total_ns)
		g->longest = r;
	g->last = r;
	pair_figures_add(&g->figures, &r->figures);
	pair_amounts_add(&g->amounts, &r->amounts);
}

void pair_groups_make(struct pair_groups *g, struct pair_sums *s, enum pair_groups_by by, uint32_t max_frames)
{
	struct maker m = { .g = g, .s = s, .by = by, .max_frames = max_frames, .nr_before = g->v.nr };

	for (uint32_t i = 0; i < s->rows.nr; i++) {
		const struct pair_row *r = &s->rows.v[i];
		/* Memory counts when it was allocated, all else when it ended. */
		bool counts = r->figures.nr || (r->amounts.nr && r->size);
		uint32_t group = counts ? group_of(&m, i) : UINT32_MAX;

		vec_push(&m.group_of_row, group);
		if (counts)
			add_row(&g->v.v[group], r);
	}
	for (uint32_t i = 0; i < s->wakers.nr; i++)
		add_waker(&m, &s->wakers.v[i]);
	hindex_fini(&m.index);
	hindex_fini(&m.waker_index);
	vec_fini(&m.keys);
	vec_fini(&m.group_of_row);
	vec_fini(&m.wakers);
}

double pair_amounts_waste(const struct pair_amounts *a)
{
	return a->bytes ? 100.0 * ((double)a->bytes - (double)a->wanted) / (double)a->bytes : 0;
}

static uint64_t figure_of(const struct pair_group *g, enum pair_sort sort)
{
	switch (sort) {
	case PAIR_SORT_COUNT:
		return g->figures.nr;
	case PAIR_SORT_TOTAL:
		return g->figures.total_ns;
	case PAIR_SORT_MAX:
		return g->figures.max_ns;
	case PAIR_SORT_MIN:
		return g->figures.min_ns;
	case PAIR_SORT_MEAN:
		return pair_figures_mean(&g->figures);
	case PAIR_SORT_NR:
		return g->amounts.nr;
	case PAIR_SORT_BYTES:
		return g->amounts.bytes;
	case PAIR_SORT_MOVED:
		return g->amounts.nr_moved;
	case PAIR_SORT_OBJECT:
		return g->row->object;
	case PAIR_SORT_CALLER:
		return g->caller_ip;
	case PAIR_SORT_ORDER:
		return g->row->order;
	case PAIR_SORT_MOBILITY:
		return g->row->mobility;
	case PAIR_SORT_FLAGS:
		return g->row->flags;
	case PAIR_SORT_WASTE:
		break;
	}
	return 0;
}

struct sorting {
	const enum pair_sort *keys;
	uint32_t nr;
};

/* Equal ones in the order in which they were first met; of memory by address. */
static int compare_groups(const void *a, const void *b, void *ctx)
{
	const struct pair_group *x = a, *y = b;
	const struct sorting *s = ctx;
	int order = 0;

	for (uint32_t i = 0; i < s->nr && !order; i++)
		order = s->keys[i] == PAIR_SORT_WASTE ? COMPARE(pair_amounts_waste(&y->amounts), pair_amounts_waste(&x->amounts))
						      : COMPARE(figure_of(y, s->keys[i]), figure_of(x, s->keys[i]));
	if (order)
		return order;
	return x->row->size ? COMPARE(x->row->object, y->row->object) : COMPARE(x->figures.max_end_ns, y->figures.max_end_ns);
}

void pair_groups_sort_by(struct pair_groups *g, const enum pair_sort *keys, uint32_t nr)
{
	struct sorting s = { keys, nr };

	vec_sort_r(&g->v, compare_groups, &s);
}

void pair_groups_sort(struct pair_groups *g, enum pair_sort sort)
{
	pair_groups_sort_by(g, &sort, 1);
}

void pair_groups_fini(struct pair_groups *g)
{
	vec_fini(&g->v);
}
