/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * "comm;outermost;…;innermost COUNT", a line for each distinct stack, sorted. Equal lines are one: stacks are a tree by name here, and what
 * stands in front of them is a number until it is written. Memory is linear in the distinct frames of stacks, not in the text.
 */
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "view/export_tree.h"

struct pile {
	uint64_t weight;
	uint32_t group; /* string id: what stands in front */
	uint32_t node;
};

struct folder {
	struct export *x;
	struct export_tree tree;
	VEC(struct pile) piles;
	struct hindex index;
	uint32_t *group_of_task; /* string ids, 0: not made yet; by event and task where there are several events */
	struct out text;	 /* scratch */
	uint32_t *rank_of_node;	 /* where it comes among all */
	VEC(uint64_t) escaped;	 /* frame → offset of its text */
	struct out names;
};

/* A semicolon would make two frames of one. */
static void put_name(struct out *o, const char *name)
{
	size_t start = o->len;

	escape_terminal(o, name, strlen(name));
	for (size_t i = start; i < o->len; i++)
		if (o->buf[i] == ';')
			o->buf[i] = ':';
}

static uint32_t make_group(struct folder *f, uint32_t task, uint32_t event)
{
	struct profile *p = f->x->p;
	const struct profile_task *t = &p->tasks.v[task];

	f->text.len = 0;
	if (export_has_many_events(f->x)) {
		put_name(&f->text, export_event_name(f->x, event));
		out_char(&f->text, ';');
	}
	put_name(&f->text, profile_str(p, t->comm));
	if (f->x->options->with == EXPORT_WITH_PID)
		out_printf(&f->text, "-%d", t->pid);
	else if (f->x->options->with == EXPORT_WITH_TID)
		out_printf(&f->text, "-%d/%d", t->pid, t->tid);
	return strtab_intern_len(&p->strings, f->text.buf, f->text.len);
}

/* Of one event the names of tasks are remembered. */
static uint32_t group_of(struct folder *f, uint32_t sample)
{
	const struct profile_samples *s = &f->x->p->samples;
	uint32_t *group = &f->group_of_task[s->task[sample]];

	if (export_has_many_events(f->x))
		return make_group(f, s->task[sample], s->event[sample]);
	if (!*group)
		*group = make_group(f, s->task[sample], s->event[sample]);
	return *group;
}

static void pile_up(struct folder *f)
{
	const struct profile_samples *s = &f->x->p->samples;

	for (uint32_t i = 0; i < f->x->samples.nr; i++) {
		uint32_t sample = f->x->samples.v[i], node = export_tree_node(&f->tree, sample), group = group_of(f, sample), id;
		uint64_t h = hash_pair(group, node);
		struct hindex_iter it = hindex_find(&f->index, h);

		while ((id = hindex_next(&it)) != HINDEX_NONE)
			if (f->piles.v[id].group == group && f->piles.v[id].node == node)
				break;
		if (id == HINDEX_NONE) {
			id = f->piles.nr;
			*vec_add(&f->piles) = (struct pile){ .group = group, .node = node };
			hindex_add(&f->index, h, id);
		}
		f->piles.v[id].weight += f->x->weight_is_period ? s->period[sample] : 1;
	}
}

/* The text of each frame once, with a NUL behind it. */
static void write_names(struct folder *f)
{
	for (uint32_t i = 0; i < f->tree.frames.nr; i++) {
		uint32_t place = f->tree.frames.v[i].place;
		char mark = f->x->options->annotate ? export_mark(f->x, place) : 0;

		vec_push(&f->escaped, f->names.len);
		put_name(&f->names, export_name(f->x, place));
		if (mark)
			out_printf(&f->names, "_[%c]", mark);
		out_char(&f->names, 0);
	}
}

static const char *name_of(const struct folder *f, uint32_t frame)
{
	return f->names.buf + f->escaped.v[frame];
}

static int cmp_frames(const void *va, const void *vb, void *ctx)
{
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;
	int order = strcmp(name_of(ctx, a), name_of(ctx, b));

	return order ? order : a < b ? -1 : 1;
}

static uint32_t *rank_frames(const struct folder *f)
{
	uint32_t nr = f->tree.frames.nr, *order = mem_alloc((nr + 1ul) * sizeof(*order)), *rank = mem_alloc((nr + 1ul) * sizeof(*rank));

	for (uint32_t i = 0; i < nr; i++)
		order[i] = i;
	if (nr)
		qsort_r(order, nr, sizeof(*order), cmp_frames, (void *)(uintptr_t)f);
	for (uint32_t i = 0; i < nr; i++)
		rank[order[i]] = i;
	free(order);
	return rank;
}

static void rank_nodes(struct folder *f)
{
	uint32_t nr = f->tree.tree.frames.nr, *rank_of_frame = rank_frames(f);
	uint64_t *key = mem_zalloc(nr * sizeof(*key));

	for (uint32_t i = 1; i < nr; i++)
		key[i] = rank_of_frame[stack_tree_frame(&f->tree.tree, i)];
	f->rank_of_node = export_tree_rank(&f->tree, key);
	free(key);
	free(rank_of_frame);
}

/* By event, then by task: what stands in front of a semicolon is a name of its own. */
static int compare_groups(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (*a == ';' ? 1 : *a ? (uint8_t)*a + 1 : 0) - (*b == ';' ? 1 : *b ? (uint8_t)*b + 1 : 0);
}

static int cmp_piles(const void *va, const void *vb, void *ctx)
{
	const struct pile *a = va, *b = vb;
	const struct folder *f = ctx;

	if (a->group != b->group) {
		int order = compare_groups(profile_str(f->x->p, a->group), profile_str(f->x->p, b->group));

		return order ? order : a->group < b->group ? -1 : 1;
	}
	return f->rank_of_node[a->node] < f->rank_of_node[b->node] ? -1 : f->rank_of_node[a->node] > f->rank_of_node[b->node];
}

static void write_piles(struct folder *f)
{
	struct out *o = f->x->o;

	for (uint32_t i = 0; i < f->piles.nr && !o->error; i++) {
		const struct pile *pile = &f->piles.v[i];

		out_str(o, profile_str(f->x->p, pile->group));
		export_tree_path(&f->tree, pile->node);
		for (uint32_t k = 0; k < f->tree.scratch.nr && !o->error; k++) {
			/* An imported stack may have no task whose name stands in front. */
			if (k || pile->group)
				out_char(o, ';');
			out_str(o, name_of(f, f->tree.scratch.v[k]));
		}
		out_char(o, ' ');
		out_u64(o, pile->weight, 0);
		out_char(o, '\n');
	}
}

void export_folded(struct export *x)
{
	struct folder f = { .x = x };

	f.group_of_task = mem_zalloc((x->p->tasks.nr + 1ul) * sizeof(*f.group_of_task));
	out_init(&f.text, -1);
	out_init(&f.names, -1);
	export_tree_init(&f.tree, x, x->options->annotate ? EXPORT_BY_MARK : EXPORT_BY_NAME);
	pile_up(&f);
	export_tree_seal(&f.tree);
	hindex_fini(&f.index);
	write_names(&f);
	rank_nodes(&f);
	if (f.piles.nr)
		qsort_r(f.piles.v, f.piles.nr, sizeof(*f.piles.v), cmp_piles, &f);
	write_piles(&f);
	export_tree_fini(&f.tree);
	vec_fini(&f.piles);
	vec_fini(&f.escaped);
	hindex_fini(&f.index);
	out_fini(&f.text);
	out_fini(&f.names);
	free(f.group_of_task);
	free(f.rank_of_node);
}
