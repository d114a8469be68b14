/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Frames, spots and paths of a flame graph, and frames that are the same under other names. model/weighted_tree.h grows the tree.
 */
#include "model/flame.h"

#include <stdio.h>
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
	weighted_tree_fini(&f->tree);
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

	return HINDEX_INTERN(&f->frame_index, h, &f->frames, other,
			     other->name == key.name && other->module == key.module && other->kind == kind && other->marks == marks, key);
}

uint32_t flame_cut_frame(struct flame *f)
{
	return flame_intern_frame(f, CUT_NAME, strlen(CUT_NAME), "", FLAME_CUT, 0);
}

uint32_t flame_intern_spot(struct flame *f, uint32_t frame, const char *file, uint32_t line)
{
	struct flame_spot key = { .frame = frame, .file = strtab_intern(&f->strings, line ? file : ""), .line = line };
	uint64_t h = hash_pair((uint64_t)key.frame << 32 | key.file, key.line);

	f->has_lines |= line != 0;
	return HINDEX_INTERN(&f->spot_index, h, &f->spots, other, other->frame == frame && other->file == key.file && other->line == line,
			     key);
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
	struct weighted_path p = { .first = f->steps.nr, .nr = nr, .column = column };

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

/* Which line of a node's function most of its weight is in. */
struct line_finder {
	struct flame *f;
	uint64_t *weight_of; /* by spot, for the node at hand */
	uint32_t *stamp_of, stamp;
};

static void find_line(void *ctx, const struct weighted_tree *t, uint32_t node, const struct weighted_path *paths, uint32_t nr)
{
	struct line_finder *l = ctx;
	struct flame *f = l->f;
	struct flame_line best = { .spot = FLAME_NONE };
	uint32_t depth = t->nodes.v[node].depth;

	l->stamp++;
	for (uint32_t i = 0; depth && i < nr; i++) {
		uint32_t spot = f->steps.v[paths[i].first + depth - 1];

		if (!f->spots.v[spot].line)
			continue;
		if (l->stamp_of[spot] != l->stamp) {
			l->stamp_of[spot] = l->stamp;
			l->weight_of[spot] = 0;
		}
		l->weight_of[spot] += paths[i].weight;
		/* of two that weigh the same, the one that was interned first, whatever the order of paths */
		if (l->weight_of[spot] > best.weight || (l->weight_of[spot] == best.weight && spot < best.spot))
			best = (struct flame_line){ spot, l->weight_of[spot] };
	}
	while (f->lines.nr <= node)
		vec_push(&f->lines, best);
	f->lines.v[node] = best;
}

void flame_finish(struct flame *f, const uint64_t *least)
{
	struct line_finder lines = { .f = f };
	uint32_t *rank = rank_frames(f), *frame_of = mem_alloc((f->spots.nr + 1ul) * sizeof(*frame_of));
	struct weighted_options o = {
		.nr_columns = f->nr_columns,
		.steps = f->steps.v,
		.frame_of = frame_of,
		.nr_frames = f->frames.nr,
		.rank = rank,
		.least = least,
		.keeps_narrow = true,
		.ctx = &lines,
	};

	for (uint32_t i = 0; i < f->spots.nr; i++)
		frame_of[i] = f->spots.v[i].frame;
	if (f->has_lines) {
		o.visit = find_line;
		lines.weight_of = mem_alloc(f->spots.nr * sizeof(*lines.weight_of));
		lines.stamp_of = mem_zalloc(f->spots.nr * sizeof(*lines.stamp_of));
	}
	weighted_tree_grow(&f->tree, f->paths.v, f->paths.nr, &o);
	free(rank);
	free(frame_of);
	free(lines.weight_of);
	free(lines.stamp_of);
	drop_paths(f);
}

/* Matching. The paths are numbers of spots: each frame and each spot is looked at once, and the paths are rewritten. */

/* The frame that has a place of this name first, whatever file it is in. */
static uint32_t first_of_name(struct flame *f, struct hindex *names, uint32_t frame)
{
	const struct flame_frame *fr = &f->frames.v[frame];
	uint64_t h = hash_pair(fr->name, (uint64_t)fr->kind << 8 | fr->marks);
	uint32_t first = HINDEX_FIND_ITEM(names, h, &f->frames, other,
					  other->name == fr->name && other->kind == fr->kind && other->marks == fr->marks);

	if (first != HINDEX_NONE)
		return first;
	hindex_add(names, h, frame);
	return frame;
}

/* "[app-new]" stands for all places of that file without a name. */
static uint32_t rename_unresolved(struct flame *f, const struct flame_frame *fr, const char *module, const char *same)
{
	const char *name = strtab_get(&f->strings, fr->name);
	size_t len = strlen(module);
	char *text;
	uint32_t frame;

	if (strlen(name) != len + 2 || memcmp(name + 1, module, len))
		return flame_intern_frame(f, name, strtab_len(&f->strings, fr->name), same, fr->kind, fr->marks);
	text = mem_printf("[%s]", same);
	frame = flame_intern_frame(f, text, strlen(text), same, fr->kind, fr->marks);
	free(text);
	return frame;
}

static uint32_t same_frame(struct flame *f, const struct match *m, uint32_t frame)
{
	struct flame_frame fr = f->frames.v[frame];
	const char *name = strtab_get(&f->strings, fr.name), *module = strtab_get(&f->strings, fr.module), *same;

	if (fr.kind == FLAME_GROUP) {
		same = match_comm(m, name);
		return same == name ? frame : flame_intern_frame(f, same, strlen(same), module, fr.kind, fr.marks);
	}
	same = match_file(m, module);
	if (same == module)
		return frame;
	if (fr.marks & FLAME_UNRESOLVED)
		return rename_unresolved(f, &fr, module, same);
	return flame_intern_frame(f, name, strtab_len(&f->strings, fr.name), same, fr.kind, fr.marks);
}

/* Puts the paths through spots of these frames instead. */
static void rewrite_paths(struct flame *f, const uint32_t *same_frame_of)
{
	uint32_t nr = f->spots.nr, *same = mem_alloc((nr + 1ul) * sizeof(*same));

	for (uint32_t i = 0; i < nr; i++) {
		struct flame_spot s = f->spots.v[i];

		same[i] = same_frame_of[s.frame] == s.frame
				  ? i
				  : flame_intern_spot(f, same_frame_of[s.frame], strtab_get(&f->strings, s.file), s.line);
	}
	for (uint32_t i = 0; i < f->steps.nr; i++)
		f->steps.v[i] = same[f->steps.v[i]];
	free(same);
}

void flame_match(struct flame *f, const struct match *m)
{
	uint32_t nr = f->frames.nr, *same;
	struct hindex names = { 0 };

	if (!m->pairs.nr && m->by != MATCH_NAME)
		return;
	same = mem_alloc((nr + 1ul) * sizeof(*same));
	for (uint32_t i = 0; i < nr; i++) {
		const struct flame_frame *fr = &f->frames.v[i];

		if (m->by != MATCH_NAME)
			same[i] = same_frame(f, m, i);
		else
			same[i] = fr->kind == FLAME_ROOT || fr->kind == FLAME_GROUP || fr->kind == FLAME_CUT || fr->marks & FLAME_UNRESOLVED
					  ? i
					  : first_of_name(f, &names, i);
	}
	rewrite_paths(f, same);
	hindex_fini(&names);
	free(same);
}
