/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * "comm;outermost;…;innermost COUNT", a line per distinct stack, sorted. Stacks are a tree by name and prefixes are ids until they are
 * written: memory follows the number of distinct stacks, not the text.
 */
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "model/sample_groups.h"
#include "view/export.h"

/* A stack as it is in the profile; several may have the same names. */
struct line {
	uint64_t weight;
	uint32_t task;	 /* string id: what stands in front */
	uint32_t sample; /* whose stack it is */
	uint32_t rank;	 /* of its names among all */
};

struct folder {
	struct export *x;
	struct export_tree tree;
	VEC(struct line) lines;
	uint32_t *group_of_task; /* string ids, 0: not made yet; by event and task where there are several events */
	struct out text;	 /* scratch */
	VEC(uint64_t) escaped;	 /* frame → offset of its text */
	struct out names;
};

/* A semicolon would make two frames of one. */
static void put_name(struct out *o, const char *name)
{
	size_t start = o->len;

	escape_terminal_str(o, name);
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

/* One line for each distinct stack of the profile. */
static void collect_lines(struct folder *f)
{
	const struct profile_samples *s = &f->x->p->samples;
	struct sample_groups groups = { 0 };

	for (uint32_t i = 0; i < f->x->samples.nr; i++)
		sample_groups_add(&groups, s, f->x->samples.v[i], (uint32_t[SAMPLE_GROUP_KEYS]){ group_of(f, f->x->samples.v[i]) });
	sample_groups_seal(&groups);
	vec_reserve(&f->lines, groups.v.nr);
	for (uint32_t i = 0; i < groups.v.nr; i++) {
		const struct sample_group *g = &groups.v.v[i];

		vec_push(&f->lines, ((struct line){ f->x->weight_is_period ? g->period : g->nr, g->by[0], g->sample, 0 }));
		export_tree_node(&f->tree, g->sample);
	}
	sample_groups_fini(&groups);
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

	return strcmp(name_of(ctx, a), name_of(ctx, b)) ?: COMPARE(a, b);
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

static uint64_t key_of(const void *ctx, uint32_t node, uint32_t frame)
{
	(void)node;
	return ((const uint32_t *)ctx)[frame];
}

static void rank_lines(struct folder *f)
{
	uint32_t nr = f->lines.nr, *nodes = mem_alloc((nr + 1ul) * sizeof(*nodes)), *rank_of_frame = rank_frames(f), *rank;

	for (uint32_t i = 0; i < nr; i++)
		nodes[i] = export_tree_node(&f->tree, f->lines.v[i].sample);
	if (nr)
		qsort(nodes, nr, sizeof(*nodes), compare_u32);
	rank = export_tree_rank(&f->tree, nodes, nr, key_of, rank_of_frame);
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t node = export_tree_node(&f->tree, f->lines.v[i].sample);

		f->lines.v[i].rank = rank[(uint32_t *)bsearch(&node, nodes, nr, sizeof(*nodes), compare_u32) - nodes];
	}
	free(nodes);
	free(rank_of_frame);
	free(rank);
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

static int cmp_lines(const void *va, const void *vb, void *ctx)
{
	const struct line *a = va, *b = vb;
	const struct folder *f = ctx;

	if (a->task != b->task)
		return compare_groups(profile_str(f->x->p, a->task), profile_str(f->x->p, b->task)) ?: COMPARE(a->task, b->task);
	return COMPARE(a->rank, b->rank);
}

static void write_line(struct folder *f, const struct line *l, uint64_t weight)
{
	struct out *o = f->x->o;

	out_str(o, profile_str(f->x->p, l->task));
	export_tree_path(&f->tree, l->sample);
	for (uint32_t k = f->tree.path.nr; k-- > 0 && !o->error;) {
		/* An imported stack may have no task whose name stands in front. */
		if (l->task || k + 1 < f->tree.path.nr)
			out_char(o, ';');
		out_str(o, name_of(f, f->tree.path.v[k]));
	}
	out_char(o, ' ');
	out_u64(o, weight, 0);
	out_char(o, '\n');
}

static void write_lines(struct folder *f)
{
	const struct line *v = f->lines.v;

	for (uint32_t i = 0, next; i < f->lines.nr && !f->x->o->error; i = next) {
		uint64_t weight = 0;

		for (next = i; next < f->lines.nr && v[next].task == v[i].task && v[next].rank == v[i].rank; next++)
			weight += v[next].weight;
		write_line(f, &v[i], weight);
	}
}

void export_folded(struct export *x)
{
	struct folder f = { .x = x };

	f.group_of_task = mem_zalloc((x->p->tasks.nr + 1ul) * sizeof(*f.group_of_task));
	out_init(&f.text, -1);
	out_init(&f.names, -1);
	export_tree_init(&f.tree, x, x->options->annotate ? EXPORT_BY_MARK : EXPORT_BY_NAME);
	collect_lines(&f);
	write_names(&f);
	rank_lines(&f);
	vec_sort_r(&f.lines, cmp_lines, &f);
	write_lines(&f);
	export_tree_fini(&f.tree);
	vec_fini(&f.lines);
	vec_fini(&f.escaped);
	out_fini(&f.text);
	out_fini(&f.names);
	free(f.group_of_task);
}
