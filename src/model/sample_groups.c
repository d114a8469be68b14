/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One look-up a sample. A stack is in one group as a rule: the last one is tried before the index.
 */
#include "model/sample_groups.h"

#include <stddef.h>
#include <string.h>

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
	uint64_t h = hash_bytes(key, KEY_SIZE, 0);
	struct hindex_iter it = hindex_find(&g->index, h);
	struct sample_group *added;

	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;)
		if (!memcmp(&g->v.v[id], key, KEY_SIZE))
			return id;
	added = vec_add(&g->v);
	*added = *key;
	added->period = added->nr = 0;
	hindex_add(&g->index, h, g->v.nr - 1);
	return g->v.nr - 1;
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
