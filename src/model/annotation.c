/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which functions have samples, and the sums of one by address.
 */
#include "model/annotation.h"

#include <stdlib.h>
#include <string.h>

static void add_sum(struct annotation_sum *to, uint64_t period, uint64_t nr)
{
	to->period += period;
	to->nr += nr;
}

/* The function that is annotated for a location; FRAME_NONE: none, or one that the filter leaves out. */
static uint32_t frame_of(struct profile *p, const struct filter *f, uint32_t location)
{
	uint32_t frame = profile_frame_of(p, location);

	if (!p->frames.v[frame].function || p->locations.v[location].at.dso == DSO_NONE)
		return FRAME_NONE;
	return f && !filter_keeps_place(f, p, p->frames.v[frame].dso, frame) ? FRAME_NONE : frame;
}

static struct annotation_sum *new_sums(struct annotation_list *l)
{
	struct annotation_sum *sums = arena_alloc(&l->arena, (l->nr_events + (size_t)1) * sizeof(*sums));

	memset(sums, 0, (l->nr_events + (size_t)1) * sizeof(*sums));
	return sums;
}

/* What is known of a location once its first sample came. */
struct known_place {
	uint32_t symbol; /* + 1; 0: not known yet */
	uint32_t point;
};
#define IN_NO_SYMBOL UINT32_MAX
#define LEFT_OUT (UINT32_MAX - 1)

static void add_place(struct annotation_list *l, const struct filter *f, uint32_t location, uint32_t *of_frame, struct known_place *k)
{
	struct profile *p = l->p;
	uint32_t frame = frame_of(p, f, location);

	if (frame == FRAME_NONE) {
		k->symbol = p->frames.v[profile_frame_of(p, location)].function ? LEFT_OUT : IN_NO_SYMBOL;
		return;
	}
	if (!of_frame[frame]) {
		vec_push(&l->symbols, ((struct annotated_symbol){ .frame = frame, .sums = new_sums(l) }));
		of_frame[frame] = l->symbols.nr;
	}
	k->symbol = of_frame[frame];
	k->point = l->points.nr;
	vec_push(&l->points,
		 ((struct annotation_point){ p->locations.v[location].at.addr, new_sums(l), l->symbols.v[k->symbol - 1].points }));
	l->symbols.v[k->symbol - 1].points = l->points.nr;
}

void annotation_list_init(struct annotation_list *l, struct profile *p, const struct filter *f)
{
	const struct profile_samples *s = &p->samples;
	struct known_place *known = mem_zalloc((p->locations.nr + (size_t)1) * sizeof(*known));
	uint32_t *of_frame = mem_zalloc((p->frames.nr + (size_t)1) * sizeof(*of_frame)); /* symbol + 1 */

	*l = (struct annotation_list){ .p = p, .nr_events = p->recording->info->events.nr };
	l->totals = new_sums(l);
	for (uint32_t i = 0; i < s->nr; i++) {
		uint64_t nr = profile_samples_count(s, i);
		struct known_place *k = &known[s->location[i]];

		if (s->event[i] >= l->nr_events || (f && !filter_keeps_task(f, p, s->task[i])))
			continue;
		add_sum(&l->totals[s->event[i]], s->period[i], nr);
		if (!k->symbol)
			add_place(l, f, s->location[i], of_frame, k);
		if (k->symbol == IN_NO_SYMBOL || k->symbol == LEFT_OUT) {
			l->nr_unnamed += k->symbol == IN_NO_SYMBOL ? nr : 0;
			continue;
		}
		add_sum(&l->symbols.v[k->symbol - 1].sums[s->event[i]], s->period[i], nr);
		add_sum(&l->points.v[k->point].sums[s->event[i]], s->period[i], nr);
	}
	free(of_frame);
	free(known);
}

void annotation_list_fini(struct annotation_list *l)
{
	vec_fini(&l->symbols);
	vec_fini(&l->points);
	arena_fini(&l->arena);
}

struct annotation_sum annotation_symbol_sum(const struct annotated_symbol *s, uint32_t first, uint32_t nr)
{
	struct annotation_sum sum = { 0 };

	for (uint32_t i = first; i < first + nr; i++)
		add_sum(&sum, s->sums[i].period, s->sums[i].nr);
	return sum;
}

struct order {
	const struct annotation_list *l;
	uint32_t first, nr;
};

/* By the first event, then the next …; of equal ones the order is that of names, so that it is the same each time. */
static int compare_symbols(const void *x, const void *y, void *ctx)
{
	const struct annotated_symbol *a = x, *b = y;
	const struct order *o = ctx;
	const struct profile *p = o->l->p;

	for (uint32_t i = o->first; i < o->first + o->nr; i++)
		if (a->sums[i].period != b->sums[i].period)
			return a->sums[i].period > b->sums[i].period ? -1 : 1;
	return strcmp(profile_str(p, p->frames.v[a->frame].function), profile_str(p, p->frames.v[b->frame].function));
}

void annotation_list_sort(struct annotation_list *l, uint32_t first, uint32_t nr)
{
	struct order o = { l, first, nr };

	if (l->symbols.nr)
		qsort_r(l->symbols.v, l->symbols.nr, sizeof(*l->symbols.v), compare_symbols, &o);
}
