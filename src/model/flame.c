/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From paths to the tree, by partition: the paths at a node are sorted into buckets by their next frame, and only buckets that are wide
 * enough are followed; the others are flame_narrow.c's. Memory is the paths plus the nodes that stay; time is a pass over the paths for
 * each level that stays. What is still to do is a list, not a recursion: paths may be as deep as a file says.
 */
#include "model/flame_grow.h"

#include <stdlib.h>
#include <string.h>

#define CUT_NAME "[truncated]"

void flame_init(struct flame *f, uint32_t nr_columns)
{
	memset(f, 0, sizeof(*f));
	f->nr_columns = nr_columns;
	f->sum = mem_zalloc(nr_columns * sizeof(*f->sum));
	f->nr_samples = mem_zalloc(nr_columns * sizeof(*f->nr_samples));
	f->sum_cut = mem_zalloc(nr_columns * sizeof(*f->sum_cut));
	f->squares = mem_zalloc(nr_columns * sizeof(*f->squares));
	strtab_init(&f->strings);
	flame_intern_frame(f, "all", 3, "", FLAME_ROOT, 0);
}

static void drop_paths(struct flame *f)
{
	vec_fini(&f->steps);
	vec_fini(&f->paths);
}

void flame_fini(struct flame *f)
{
	drop_paths(f);
	free(f->sum);
	free(f->nr_samples);
	free(f->sum_cut);
	free(f->squares);
	vec_fini(&f->frames);
	vec_fini(&f->spots);
	vec_fini(&f->lines);
	vec_fini(&f->nodes);
	vec_fini(&f->narrow);
	free(f->first_narrow);
	vec_fini(&f->self);
	vec_fini(&f->total);
	hindex_fini(&f->frame_index);
	hindex_fini(&f->spot_index);
	strtab_fini(&f->strings);
}

uint32_t flame_intern_frame(struct flame *f, const char *name, size_t len, const char *module, enum flame_kind kind, unsigned marks)
{
	struct flame_frame key = {
		.name = strtab_intern_len(&f->strings, name, len),
		.module = strtab_intern(&f->strings, module),
		.kind = (uint8_t)kind,
		.marks = (uint8_t)marks,
	};
	uint64_t h = hash_pair((uint64_t)key.name << 32 | key.module, (uint64_t)kind << 8 | marks);
	struct hindex_iter it = hindex_find(&f->frame_index, h);

	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;) {
		const struct flame_frame *other = &f->frames.v[id];

		if (other->name == key.name && other->module == key.module && other->kind == kind && other->marks == marks)
			return id;
	}
	vec_push(&f->frames, key);
	hindex_add(&f->frame_index, h, f->frames.nr - 1);
	return f->frames.nr - 1;
}

uint32_t flame_cut_frame(struct flame *f)
{
	return flame_intern_frame(f, CUT_NAME, strlen(CUT_NAME), "", FLAME_CUT, 0);
}

uint32_t flame_intern_spot(struct flame *f, uint32_t frame, const char *file, uint32_t line)
{
	struct flame_spot key = { .frame = frame, .file = strtab_intern(&f->strings, line ? file : ""), .line = line };
	uint64_t h = hash_pair((uint64_t)key.frame << 32 | key.file, key.line);
	struct hindex_iter it = hindex_find(&f->spot_index, h);

	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;) {
		const struct flame_spot *other = &f->spots.v[id];

		if (other->frame == frame && other->file == key.file && other->line == line)
			return id;
	}
	f->has_lines |= line != 0;
	vec_push(&f->spots, key);
	hindex_add(&f->spot_index, h, f->spots.nr - 1);
	return f->spots.nr - 1;
}

void flame_add_path(struct flame *f, uint32_t column, const uint32_t *frames, uint32_t nr, uint64_t weight, uint64_t nr_samples)
{
	VEC(uint32_t) spots = { 0 };

	for (uint32_t i = 0; i < nr; i++)
		vec_push(&spots, flame_intern_spot(f, frames[i], "", 0));
	flame_add_spots(f, column, spots.v, nr, weight, nr_samples);
	vec_fini(&spots);
}

void flame_add_spots(struct flame *f, uint32_t column, const uint32_t *spots, uint32_t nr, uint64_t weight, uint64_t nr_samples)
{
	struct flame_path p = { .first = f->steps.nr, .nr = nr, .column = column };

	/* Figures come from files: a sum that could overflow is cut, so that those below it still add up. */
	if (weight > INT64_MAX - f->sum[column])
		weight = INT64_MAX - f->sum[column];
	p.weight = weight;
	vec_reserve(&f->steps, (uint64_t)f->steps.nr + nr);
	if (nr)
		memcpy(f->steps.v + f->steps.nr, spots, nr * sizeof(*spots));
	f->steps.nr += nr;
	vec_push(&f->paths, p);
	f->sum[column] += weight;
	f->nr_samples[column] += nr_samples;
	for (uint32_t i = 0; i < nr; i++)
		if (f->frames.v[f->spots.v[spots[i]].frame].kind == FLAME_CUT) {
			f->sum_cut[column] += weight;
			break;
		}
}

static int cmp_frames(const void *va, const void *vb, void *ctx)
{
	const struct flame *f = ctx;
	const struct flame_frame *a = &f->frames.v[*(const uint32_t *)va], *b = &f->frames.v[*(const uint32_t *)vb];
	bool a_is_cut = a->kind == FLAME_CUT;
	int order;

	if (a_is_cut != (b->kind == FLAME_CUT))
		return a_is_cut ? 1 : -1;
	order = strcmp(strtab_get(&f->strings, a->name), strtab_get(&f->strings, b->name));
	if (!order)
		order = strcmp(strtab_get(&f->strings, a->module), strtab_get(&f->strings, b->module));
	if (!order)
		order = (a->kind << 8 | a->marks) - (b->kind << 8 | b->marks);
	/* Names with a NUL inside may look the same. */
	return order ? order : *(const uint32_t *)va < *(const uint32_t *)vb ? -1 : 1;
}

static uint32_t *rank_frames(struct flame *f)
{
	uint32_t *order = mem_alloc(f->frames.nr * sizeof(*order)), *rank = mem_alloc(f->frames.nr * sizeof(*rank));

	for (uint32_t i = 0; i < f->frames.nr; i++)
		order[i] = i;
	qsort_r(order, f->frames.nr, sizeof(*order), cmp_frames, f);
	for (uint32_t i = 0; i < f->frames.nr; i++)
		rank[order[i]] = i;
	free(order);
	return rank;
}

static uint32_t add_node(struct flame *f, uint32_t parent, uint32_t frame, const uint64_t *totals)
{
	struct flame_node n = { .frame = frame, .parent = parent, .first_child = FLAME_NONE, .next_sibling = FLAME_NONE };

	if (parent != FLAME_NONE)
		n.depth = f->nodes.v[parent].depth + 1;
	vec_push(&f->nodes, n);
	if (f->has_lines)
		vec_push(&f->lines, ((struct flame_line){ .spot = FLAME_NONE }));
	for (uint32_t c = 0; c < f->nr_columns; c++) {
		vec_push(&f->total, totals[c]);
		vec_push(&f->self, 0);
	}
	return f->nodes.nr - 1;
}

uint32_t flame_take_ends(struct flame *f, const struct range *r)
{
	uint32_t nr = 0;

	for (uint32_t i = r->from; i < r->to; i++) {
		struct flame_path p = f->paths.v[i];

		if (p.nr != r->depth)
			continue;
		f->self.v[(uint64_t)r->node * f->nr_columns + p.column] += p.weight;
		f->paths.v[i] = f->paths.v[r->from + nr];
		f->paths.v[r->from + nr++] = p;
	}
	return nr;
}

void flame_fill_buckets(struct grower *g, const struct range *r)
{
	struct flame *f = g->f;

	g->stamp++;
	g->buckets.nr = g->totals.nr = 0;
	for (uint32_t i = r->from; i < r->to; i++) {
		const struct flame_path *p = &f->paths.v[i];
		uint32_t frame = flame_step(f, p, r->depth);

		if (g->stamp_of[frame] != g->stamp) {
			g->stamp_of[frame] = g->stamp;
			g->bucket_of[frame] = g->buckets.nr;
			*vec_add(&g->buckets) = (struct bucket){ .frame = frame, .totals = g->bucket_of[frame] };
			for (uint32_t c = 0; c < f->nr_columns; c++)
				vec_push(&g->totals, 0);
		}
		g->buckets.v[g->bucket_of[frame]].nr_paths++;
		g->totals.v[(uint64_t)g->bucket_of[frame] * f->nr_columns + p->column] += p->weight;
	}
}

static bool is_wide(const struct grower *g, const uint64_t *totals)
{
	for (uint32_t c = 0; c < g->f->nr_columns; c++)
		if (!g->least || totals[c] >= g->least[c])
			return true;
	return false;
}

static int cmp_buckets(const void *va, const void *vb, void *ctx)
{
	const struct grower *g = ctx;
	uint32_t a = g->rank[((const struct bucket *)va)->frame], b = g->rank[((const struct bucket *)vb)->frame];

	return a < b ? -1 : a > b;
}

void flame_place_paths(struct grower *g, const struct range *r)
{
	struct flame *f = g->f;

	if (g->buckets.nr == 1)
		return;
	for (uint32_t i = r->from; i < r->to; i++) {
		const struct flame_path *p = &f->paths.v[i];

		g->sorted[g->buckets.v[g->bucket_of[flame_step(f, p, r->depth)]].start++] = *p;
	}
	memcpy(f->paths.v + r->from, g->sorted, (r->to - r->from) * sizeof(*g->sorted));
}

/* A bucket that is wide enough becomes the child behind `last`. */
static uint32_t add_child(struct grower *g, const struct range *r, const struct bucket *b, uint32_t last)
{
	struct flame *f = g->f;
	uint32_t node = add_node(f, r->node, b->frame, &g->totals.v[(uint64_t)b->totals * f->nr_columns]);

	if (last == FLAME_NONE)
		f->nodes.v[r->node].first_child = node;
	else
		f->nodes.v[last].next_sibling = node;
	*vec_add(&g->todo) = (struct range){
		.node = node, .depth = r->depth + 1, .from = r->from + b->start, .to = r->from + b->start + b->nr_paths,
	};
	return node;
}

/* Children in the order of names; what is too narrow is put aside. Each has its paths side by side. */
static void add_children(struct grower *g, const struct range *r)
{
	struct flame *f = g->f;
	uint32_t start = 0, last = FLAME_NONE;

	for (uint32_t i = 0; i < g->buckets.nr; i++) {
		g->buckets.v[i].kept = is_wide(g, &g->totals.v[(uint64_t)i * f->nr_columns]);
		f->nr_hidden += !g->buckets.v[i].kept;
	}
	qsort_r(g->buckets.v, g->buckets.nr, sizeof(*g->buckets.v), cmp_buckets, g);
	for (uint32_t i = 0; i < g->buckets.nr; i++) {
		struct bucket *b = &g->buckets.v[i];

		g->bucket_of[b->frame] = i;
		b->start = start;
		start += b->nr_paths;
		if (b->kept)
			last = add_child(g, r, b, last);
		else
			flame_narrow_add(g, r, b);
	}
	flame_place_paths(g, r);
}

/* Which line of the node's function most of the weight is in; `r` is all paths through the node. */
static void find_line(struct grower *g, const struct range *r)
{
	struct flame *f = g->f;
	struct flame_line *best = &f->lines.v[r->node];

	g->stamp++;
	for (uint32_t i = r->from; r->depth && i < r->to; i++) {
		const struct flame_path *p = &f->paths.v[i];
		uint32_t spot = f->steps.v[p->first + r->depth - 1];

		if (!f->spots.v[spot].line)
			continue;
		if (g->spot_stamp[spot] != g->stamp) {
			g->spot_stamp[spot] = g->stamp;
			g->weight_of_spot[spot] = 0;
		}
		g->weight_of_spot[spot] += p->weight;
		/* of two that weigh the same, the one that was interned first, whatever the order of paths */
		if (g->weight_of_spot[spot] > best->weight || (g->weight_of_spot[spot] == best->weight && spot < best->spot))
			*best = (struct flame_line){ spot, g->weight_of_spot[spot] };
	}
}

static void grow(struct grower *g)
{
	*vec_add(&g->todo) = (struct range){ .node = FLAME_TOP, .to = g->f->paths.nr };
	while (g->todo.nr) {
		struct range r = g->todo.v[--g->todo.nr];

		if (g->weight_of_spot)
			find_line(g, &r);
		r.from += flame_take_ends(g->f, &r);
		if (r.from == r.to)
			continue;
		flame_fill_buckets(g, &r);
		add_children(g, &r);
	}
}

void flame_finish(struct flame *f, const uint64_t *least)
{
	struct grower g = {
		.f = f,
		.least = least,
		.rank = rank_frames(f),
		.bucket_of = mem_zalloc(f->frames.nr * sizeof(uint32_t)),
		.stamp_of = mem_zalloc(f->frames.nr * sizeof(uint32_t)),
		.sorted = mem_realloc(NULL, f->paths.nr + 1ul, sizeof(struct flame_path)),
	};

	if (f->has_lines) {
		g.weight_of_spot = mem_alloc(f->spots.nr * sizeof(*g.weight_of_spot));
		g.spot_stamp = mem_zalloc(f->spots.nr * sizeof(*g.spot_stamp));
	}
	add_node(f, FLAME_NONE, 0, f->sum);
	grow(&g);
	flame_narrow_grow(&g);
	free(g.rank);
	free(g.bucket_of);
	free(g.stamp_of);
	free(g.sorted);
	free(g.weight_of_spot);
	free(g.spot_stamp);
	vec_fini(&g.buckets);
	vec_fini(&g.totals);
	vec_fini(&g.todo);
	vec_fini(&g.narrow);
	drop_paths(f);
}
