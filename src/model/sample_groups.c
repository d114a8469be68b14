/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The filter, and groups: one look-up a sample. A stack is usually in one group, so the last one is tried before the index.
 */
#include "model/sample_groups.h"

#include <fnmatch.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static bool is_one_of(const struct filter_names *names, const char *name)
{
	/* A name may have brackets of its own, as patterns have. */
	for (uint32_t i = 0; i < names->nr; i++)
		if (!strcmp(names->v[i], name) || !fnmatch(names->v[i], name, 0))
			return true;
	return false;
}

static bool has_function(struct profile *p, uint32_t location, const struct filter_names *names)
{
	uint32_t nr;
	const struct profile_place *places = profile_places_of(p, location, &nr);

	for (uint32_t i = 0; i < nr; i++) {
		uint32_t function = places[i].frame == FRAME_NONE ? 0 : p->frames.v[places[i].frame].function;

		if (function && is_one_of(names, profile_str(p, function)))
			return true;
	}
	return false;
}

struct through *through_new(struct profile *p, const struct filter_names *names)
{
	struct through *t = mem_alloc(sizeof(*t));

	t->locations = mem_zalloc(p->locations.nr + 1ul);
	t->stacks = mem_zalloc(p->stacks.nr + 1ul);
	for (uint32_t i = 0; i < p->locations.nr; i++)
		t->locations[i] = has_function(p, i, names);
	for (uint32_t i = 0; i < p->stacks.nr; i++)
		for (uint32_t n = profile_stack_node(p, i); n != STACK_TREE_ROOT && !t->stacks[i]; n = stack_tree_parent(&p->tree, n))
			t->stacks[i] = t->locations[stack_tree_frame(&p->tree, n)];
	return t;
}

void through_free(struct through *t)
{
	if (!t)
		return;
	free(t->locations);
	free(t->stacks);
	free(t);
}

bool through_has(const struct through *t, const struct profile_samples *s, uint32_t sample)
{
	return s->stack[sample] != STACK_NONE ? t->stacks[s->stack[sample]] : t->locations[s->location[sample]];
}

void sample_filter_init(struct sample_filter *f, struct profile *p, const struct filter *filter, int32_t event,
			const struct filter_names *through)
{
	*f = (struct sample_filter){
		.p = p,
		.filter = filter,
		.event = event,
		.of_task = mem_zalloc(p->tasks.nr + 1ul),
		.of_location = mem_zalloc(p->locations.nr + 1ul),
	};
	if (through && through->nr)
		f->through = through_new(p, through);
	if (filter && filter->symbols.nr && !filter->dsos.nr)
		f->called = through_new(p, &filter->symbols);
}

void sample_filter_fini(struct sample_filter *f)
{
	free(f->of_task);
	free(f->of_location);
	through_free(f->through);
	through_free(f->called);
}

/* The inlined function that was sampled, or the one that was really called. */
static bool keeps_location(const struct sample_filter *f, uint32_t location)
{
	uint32_t nr, dso = f->p->locations.v[location].at.dso;
	const struct profile_place *places = profile_places_of(f->p, location, &nr);

	return filter_keeps_place(f->filter, f->p, dso, places[0].frame) || filter_keeps_place(f->filter, f->p, dso, places[nr - 1].frame);
}

bool sample_filter_keeps(struct sample_filter *f, uint32_t sample)
{
	const struct profile_samples *s = &f->p->samples;
	uint32_t task = s->task[sample], location = s->location[sample];

	if (f->event >= 0 && s->event[sample] != f->event)
		return false;
	if (f->through && !through_has(f->through, s, sample))
		return false;
	if (!f->filter)
		return true;
	if (!f->of_task[task])
		f->of_task[task] = filter_keeps_task(f->filter, f->p, task) ? 2 : 1;
	if (f->of_task[task] == 1)
		return false;
	if (!f->of_location[location])
		f->of_location[location] = keeps_location(f, location) ? 2 : 1;
	if (f->of_location[location] == 2)
		return true;
	f->nr_called += f->called && through_has(f->called, s, sample);
	return false;
}

#define KEY_SIZE offsetof(struct sample_group, sample)

void sample_groups_fini(struct sample_groups *g)
{
	sample_groups_seal(g);
	vec_fini(&g->v);
}

void sample_groups_seal(struct sample_groups *g)
{
	hindex_fini(&g->index);
	vec_fini(&g->last);
}

static uint32_t find(struct sample_groups *g, const struct sample_group *key)
{
	uint32_t nr = g->v.nr;
	uint32_t id = HINDEX_INTERN(&g->index, hash_bytes(key, KEY_SIZE, 0), &g->v, other, !memcmp(other, key, KEY_SIZE), *key);

	if (id == nr)
		g->v.v[id].period = g->v.v[id].nr = 0;
	return id;
}

struct sample_group *sample_groups_add_to(struct sample_groups *g, const struct sample_group *key, uint64_t period)
{
	struct sample_group *group;
	uint32_t *last;

	while (g->last.nr <= key->stack)
		vec_push(&g->last, 0);
	last = &g->last.v[key->stack];
	if (!*last || memcmp(&g->v.v[*last - 1], key, KEY_SIZE))
		*last = find(g, key) + 1;
	group = &g->v.v[*last - 1];
	group->period += period;
	group->nr++;
	return group;
}

struct sample_group *sample_groups_add(struct sample_groups *g, const struct profile_samples *s, uint32_t sample, const uint32_t *by)
{
	struct sample_group key = { .stack = s->stack[sample], .sample = sample };

	key.location = key.stack == STACK_NONE ? s->location[sample] : 0;
	memcpy(key.by, by, sizeof(key.by));
	return sample_groups_add_to(g, &key, s->period[sample]);
}
