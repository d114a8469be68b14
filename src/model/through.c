/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Looking for functions in the stacks of a profile.
 */
#include "model/through.h"

#include <fnmatch.h>
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
