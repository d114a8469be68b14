/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Neighbours of a function in the chains of a histogram.
 */
#include "model/callers.h"

#include <stdlib.h>
#include <string.h>

struct side {
	uint64_t *period; /* by node */
	uint32_t *stamp;  /* by node: the group that was last counted, + 1 */
};

static void add(struct side *s, uint32_t node, uint32_t group, uint64_t period)
{
	if (s->stamp[node] == group + 1)
		return;
	s->stamp[node] = group + 1;
	s->period[node] += period;
}

static bool is_same_function(const struct profile *p, uint32_t a, uint32_t b)
{
	const struct profile_frame *fa = &p->frames.v[a], *fb = &p->frames.v[b];

	return a == b || fa->row == fb->row || (fa->function && fa->function == fb->function && fa->dso == fb->dso);
}

static int cmp_callers(const void *va, const void *vb)
{
	const struct caller *a = va, *b = vb;

	return COMPARE(b->period, a->period) ?: COMPARE(a->node, b->node);
}

/* One group's chain; frame 0 of it is the sampled one. */
static void add_group(struct callers *c, const struct hist *h, uint32_t group, const uint8_t *is_wanted, struct side *above,
		      struct side *below)
{
	const uint32_t *frames = h->frames.v + h->first_frame.v[group];
	uint32_t nr = h->first_frame.v[group + 1] - h->first_frame.v[group];
	uint64_t period = h->groups.v.v[group].period;
	bool is_met = false, is_reversed = h->options->order == HIST_CALLER;

	for (uint32_t i = 0; i < nr; i++) {
		uint32_t at = is_reversed ? nr - 1 - i : i;

		if (!is_wanted[frames[at]])
			continue;
		if (!is_met)
			c->total += period;
		is_met = true;
		if (!i)
			c->self += period;
		else
			add(below, frames[is_reversed ? at + 1 : at - 1], group, period);
		if (i + 1 == nr)
			c->outermost += period;
		else
			add(above, frames[is_reversed ? at - 1 : at + 1], group, period);
	}
}

void callers_init(struct callers *c, const struct hist *h, uint32_t frame)
{
	const struct profile *p = h->profile;
	uint32_t nr = h->options->chain_key == HIST_CHAIN_FUNCTION ? p->frames.nr : h->node_places.nr;
	uint8_t *is_wanted = mem_zalloc(nr + 1);
	struct side above = { mem_zalloc((nr + 1) * sizeof(uint64_t)), mem_zalloc((nr + 1) * sizeof(uint32_t)) };
	struct side below = { mem_zalloc((nr + 1) * sizeof(uint64_t)), mem_zalloc((nr + 1) * sizeof(uint32_t)) };

	memset(c, 0, sizeof(*c));
	for (uint32_t i = 0; i < nr; i++)
		is_wanted[i] = is_same_function(p, hist_node_frame(h, i), frame);
	for (uint32_t i = 0; i < h->groups.v.nr; i++)
		add_group(c, h, i, is_wanted, &above, &below);
	for (uint32_t i = 0; i < nr; i++) {
		if (above.period[i])
			vec_push(&c->callers, ((struct caller){ i, above.period[i] }));
		if (below.period[i])
			vec_push(&c->callees, ((struct caller){ i, below.period[i] }));
	}
	vec_sort(&c->callers, cmp_callers);
	vec_sort(&c->callees, cmp_callers);
	free(is_wanted);
	free(above.period);
	free(above.stamp);
	free(below.period);
	free(below.stamp);
}

void callers_fini(struct callers *c)
{
	vec_fini(&c->callers);
	vec_fini(&c->callees);
}
