/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adding up the functions of a flame's stacks.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/flame.h"

static bool is_function(const struct flame_frame *fr)
{
	return fr->kind == FLAME_USER || fr->kind == FLAME_KERNEL || fr->kind == FLAME_JIT;
}

static int compare_functions(const void *va, const void *vb, void *ctx)
{
	const struct flame *f = ctx;
	uint32_t ia = *(const uint32_t *)va, ib = *(const uint32_t *)vb;
	const struct flame_frame *a = &f->frames.v[ia], *b = &f->frames.v[ib];

	return COMPARE(a->name, b->name) ?: COMPARE(a->module, b->module) ?: COMPARE(ia, ib);
}

/* Numbers the functions. Returns the row of each frame, FLAME_NONE of what is no function. */
static uint32_t *number_rows(struct flame_functions *fs, const struct flame *f)
{
	uint32_t *row_of = mem_alloc((f->frames.nr + 1ul) * sizeof(*row_of)), *order = mem_alloc((f->frames.nr + 1ul) * sizeof(*order)),
		 nr = 0;

	for (uint32_t i = 0; i < f->frames.nr; i++) {
		row_of[i] = FLAME_NONE;
		if (is_function(&f->frames.v[i]))
			order[nr++] = i;
	}
	qsort_r(order, nr, sizeof(*order), compare_functions, (void *)(uintptr_t)f);
	for (uint32_t i = 0; i < nr; i++) {
		const struct flame_frame *fr = &f->frames.v[order[i]], *before = i ? &f->frames.v[order[i - 1]] : NULL;

		if (!before || before->name != fr->name || before->module != fr->module)
			vec_push(&fs->frames, order[i]);
		row_of[order[i]] = fs->frames.nr - 1;
	}
	free(order);
	return row_of;
}

static void add_path(struct flame_functions *fs, const struct flame *f, const struct weighted_path *p, const uint32_t *row_of,
		     uint32_t *stamp_of, uint32_t stamp)
{
	uint32_t row = FLAME_NONE;

	for (uint32_t i = 0; i < p->nr; i++) {
		row = row_of[f->spots.v[f->steps.v[p->first + i]].frame];
		if (row == FLAME_NONE || stamp_of[row] == stamp)
			continue;
		stamp_of[row] = stamp;
		fs->total[(uint64_t)row * f->nr_columns + p->column] += p->weight;
	}
	if (row != FLAME_NONE)
		fs->self[(uint64_t)row * f->nr_columns + p->column] += p->weight;
}

void flame_functions_init(struct flame_functions *fs, const struct flame *f)
{
	uint32_t *row_of, *stamp_of;
	size_t nr;

	memset(fs, 0, sizeof(*fs));
	row_of = number_rows(fs, f);
	stamp_of = mem_zalloc((fs->frames.nr + 1ul) * sizeof(*stamp_of));
	nr = (size_t)fs->frames.nr * f->nr_columns + 1;
	fs->self = mem_zalloc(nr * sizeof(*fs->self));
	fs->total = mem_zalloc(nr * sizeof(*fs->total));
	for (uint32_t i = 0; i < f->paths.nr; i++)
		add_path(fs, f, &f->paths.v[i], row_of, stamp_of, i + 1);
	free(stamp_of);
	free(row_of);
}

void flame_functions_fini(struct flame_functions *fs)
{
	vec_fini(&fs->frames);
	free(fs->self);
	free(fs->total);
	free(fs->of_self);
	free(fs->of_total);
}
