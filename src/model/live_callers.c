/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Nodes of a live tree by name, merged from each of them up to the root.
 */
#include "model/live_callers.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void live_callers_init(struct live_callers *c, const struct live_profile *l, uint32_t event)
{
	*c = (struct live_callers){ .e = &l->events.v[event], .nr_strings = l->strings.entries.nr };
	vec_push(&c->v, ((struct live_caller){ 0 })); /* 0 is no place */
}

void live_callers_fini(struct live_callers *c)
{
	free(c->first);
	free(c->next);
	vec_fini(&c->v);
}

static void make_index(struct live_callers *c)
{
	c->first = mem_zalloc((c->nr_strings + (size_t)1) * sizeof(*c->first));
	c->next = mem_zalloc((c->e->nodes.nr + (size_t)1) * sizeof(*c->next));
	for (uint32_t i = c->e->nodes.nr; i-- > 1;) {
		uint32_t name = c->e->nodes.v[i].name;

		c->next[i] = c->first[name];
		c->first[name] = i;
	}
}

static uint32_t first_of(struct live_callers *c, uint32_t name)
{
	if (!c->first)
		make_index(c);
	return name < c->nr_strings ? c->first[name] : 0;
}

bool live_callers_has(struct live_callers *c, uint32_t name)
{
	for (uint32_t n = name ? first_of(c, name) : 0; n; n = c->next[n])
		if (c->e->nodes.v[n].parent)
			return true;
	return false;
}

static uint32_t find_caller(struct live_callers *c, uint32_t first, uint32_t parent, uint32_t name)
{
	for (uint32_t i = c->v.v[parent].first_child; i; i = c->v.v[i].next_sibling)
		if (c->v.v[i].name == name)
			return i;
	if (c->v.nr - first >= LIVE_MAX_CALLERS)
		return 0;
	vec_push(&c->v, ((struct live_caller){ .name = name, .next_sibling = c->v.v[parent].first_child }));
	c->v.v[parent].first_child = c->v.nr - 1;
	c->v.v[parent].nr_children++;
	return c->v.nr - 1;
}

static int cmp_totals(const void *va, const void *vb, void *ctx)
{
	const struct live_callers *c = ctx;
	double a = c->v.v[*(const uint32_t *)va].total, b = c->v.v[*(const uint32_t *)vb].total;

	return a < b ? 1 : a > b ? -1 : COMPARE(*(const uint32_t *)va, *(const uint32_t *)vb);
}

/* The heaviest first. */
static void sort_children(struct live_callers *c, uint32_t parent)
{
	VEC(uint32_t) children = { 0 };
	uint32_t *link = &c->v.v[parent].first_child;

	for (uint32_t i = *link; i; i = c->v.v[i].next_sibling)
		vec_push(&children, i);
	vec_sort_r(&children, cmp_totals, c);
	for (uint32_t i = 0; i < children.nr; i++) {
		*link = children.v[i];
		link = &c->v.v[children.v[i]].next_sibling;
	}
	*link = 0;
	vec_fini(&children);
}

/* Each node of that function, with those above it; what a recursion counts in an inner call is not counted again. */
uint32_t live_callers_add(struct live_callers *c, uint32_t name)
{
	const struct live_event *e = c->e;
	uint32_t first = c->v.nr;

	vec_push(&c->v, ((struct live_caller){ .name = name }));
	for (uint32_t i = first_of(c, name); i; i = c->next[i]) {
		double weight = e->nodes.v[i].total;
		uint32_t at = first, n;
		bool is_inner = false;

		for (n = e->nodes.v[i].parent; n && !is_inner; n = e->nodes.v[n].parent)
			is_inner = e->nodes.v[n].name == name;
		if (is_inner)
			continue;
		c->v.v[first].total += weight;
		for (n = e->nodes.v[i].parent; n; n = e->nodes.v[n].parent) {
			at = find_caller(c, first, at, e->nodes.v[n].name);
			if (!at)
				break;
			c->v.v[at].total += weight;
		}
	}
	for (uint32_t i = first; i < c->v.nr; i++)
		if (c->v.v[i].nr_children > 1)
			sort_children(c, i);
	return first;
}

struct flame *live_profile_flame(const struct live_profile *l, uint32_t event)
{
	const struct live_event *e = &l->events.v[event];
	uint32_t *frames = mem_alloc((e->nodes.nr + (size_t)1) * sizeof(*frames));
	struct flame *f = mem_zalloc(sizeof(*f));
	uint32_t *path = mem_alloc((e->nodes.nr + (size_t)1) * sizeof(*path));

	flame_init(f, 1);
	for (uint32_t i = 1; i < e->nodes.nr; i++) {
		enum flame_kind kind = strchr("kg", e->nodes.v[i].level) ? FLAME_KERNEL : FLAME_USER;

		frames[i] = flame_intern_frame(f, live_profile_text(l, e->nodes.v[i].name), strtab_len(&l->strings, e->nodes.v[i].name), "",
					       kind, 0);
	}
	for (uint32_t i = 1; i < e->nodes.nr; i++) {
		uint32_t at = e->nodes.nr;

		if (e->nodes.v[i].self < 1)
			continue;
		/* The outermost first. */
		for (uint32_t n = i; n; n = e->nodes.v[n].parent)
			path[--at] = frames[n];
		flame_add_path(f, 0, path + at, e->nodes.nr - at, (uint64_t)e->nodes.v[i].self, 1);
	}
	flame_finish(f, NULL);
	free(path);
	free(frames);
	return f;
}
