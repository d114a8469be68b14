/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where arrows of jumps are drawn: short ones next to the code, others in the next lane that is free over their whole length.
 */
#include "model/annotation.h"

#include <stdlib.h>
#include <string.h>

static uint32_t top(const struct annotation_lane *l)
{
	return l->from < l->to ? l->from : l->to;
}

static uint32_t bottom(const struct annotation_lane *l)
{
	return l->from < l->to ? l->to : l->from;
}

static int compare_lengths(const void *x, const void *y)
{
	const struct annotation_lane *a = x, *b = y;
	uint32_t len_a = bottom(a) - top(a), len_b = bottom(b) - top(b);

	if (len_a != len_b)
		return len_a < len_b ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

static int compare_lanes(const void *x, const void *y)
{
	const struct annotation_lane *a = x, *b = y;

	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	return top(a) < top(b) ? -1 : top(a) > top(b);
}

/* `used`: a bit a lane for each instruction. */
static bool take_lane(uint16_t *used, struct annotation_lane *l)
{
	for (uint8_t lane = 0; lane < ANNOTATION_MAX_LANES; lane++) {
		bool is_free = true;

		for (uint32_t i = top(l); i <= bottom(l) && is_free; i++)
			is_free = !(used[i] & 1u << lane);
		if (!is_free)
			continue;
		for (uint32_t i = top(l); i <= bottom(l); i++)
			used[i] |= (uint16_t)(1u << lane);
		l->lane = lane;
		return true;
	}
	return false;
}

/* What all arrows together may cost: a function of 4 MB may have a million jumps over all of it. */
#define MAX_WORK 20000000u

void annotation_lanes_init(struct annotation_lanes *l, const struct annotation *a)
{
	uint16_t *used = mem_zalloc((a->insns.nr + (size_t)1) * sizeof(*used));
	uint64_t work = 0;
	uint32_t nr = 0;

	*l = (struct annotation_lanes){ .v.nr = 0 };
	for (uint32_t i = 0; i < a->insns.nr; i++)
		if (a->insns.v[i].jump != ANNOTATION_NONE && a->insns.v[i].jump != i)
			vec_push(&l->v, ((struct annotation_lane){ i, a->insns.v[i].jump, 0 }));
	if (l->v.nr)
		qsort(l->v.v, l->v.nr, sizeof(*l->v.v), compare_lengths);
	for (uint32_t i = 0; i < l->v.nr; i++) {
		work += bottom(&l->v.v[i]) - top(&l->v.v[i]);
		if (work > MAX_WORK || !take_lane(used, &l->v.v[i])) {
			l->nr_left_out++;
			continue;
		}
		if (l->v.v[i].lane >= l->nr_lanes)
			l->nr_lanes = (uint8_t)(l->v.v[i].lane + 1);
		l->v.v[nr++] = l->v.v[i];
	}
	l->v.nr = nr;
	free(used);
	if (nr)
		qsort(l->v.v, nr, sizeof(*l->v.v), compare_lanes);
	for (uint32_t i = 0, lane = 0; lane <= ANNOTATION_MAX_LANES; lane++) {
		while (i < nr && l->v.v[i].lane < lane)
			i++;
		l->first[lane] = i;
	}
}

void annotation_lanes_fini(struct annotation_lanes *l)
{
	vec_fini(&l->v);
}

static void set_end(const struct annotation_lanes *l, const struct annotation_lane *lane, uint32_t insn, uint8_t *cells)
{
	uint32_t at = l->nr_lanes - 1u - lane->lane;

	cells[at] = insn == top(lane) ? CELL_TOP : CELL_BOTTOM;
	for (uint32_t i = at + 1; i < l->nr_lanes; i++)
		cells[i] = cells[i] == CELL_DOWN ? CELL_CROSS : cells[i] == CELL_EMPTY ? CELL_ACROSS : cells[i];
	if (insn == lane->to)
		cells[l->nr_lanes] = CELL_ARROW;
	else if (cells[l->nr_lanes] == CELL_EMPTY)
		cells[l->nr_lanes] = CELL_ACROSS;
}

/* The arrow of a lane that is there at an instruction; NULL: none. */
static const struct annotation_lane *lane_at(const struct annotation_lanes *l, uint8_t lane, uint32_t insn)
{
	const struct annotation_lane *v = l->v.v + l->first[lane];
	uint32_t nr = l->first[lane + 1] - l->first[lane], i = vec_search(nr, k, bottom(&v[k]) >= insn);

	return i < nr && top(&v[i]) <= insn ? &v[i] : NULL;
}

void annotation_lanes_cells(const struct annotation_lanes *l, uint32_t insn, uint8_t cells[ANNOTATION_MAX_LANES + 1])
{
	const struct annotation_lane *at[ANNOTATION_MAX_LANES];

	memset(cells, CELL_EMPTY, ANNOTATION_MAX_LANES + 1);
	for (uint8_t lane = 0; lane < l->nr_lanes; lane++) {
		at[lane] = lane_at(l, lane, insn);
		if (at[lane] && insn > top(at[lane]) && insn < bottom(at[lane]))
			cells[l->nr_lanes - 1u - lane] = CELL_DOWN;
	}
	for (uint8_t lane = 0; lane < l->nr_lanes; lane++)
		if (at[lane] && (insn == top(at[lane]) || insn == bottom(at[lane])))
			set_end(l, at[lane], insn, cells);
}
