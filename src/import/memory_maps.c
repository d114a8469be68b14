/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The plan is made in one pass over all samples: epochs and the addresses that are used in each. Maps of an epoch are written all at once,
 * by address, so that a reader appends each to its list.
 */
#include "import/recording.h"

#include <stdlib.h>
#include <string.h>

/* Whether the place in memory was told; of others the layout has chosen it. */
static bool is_told(const struct import_builder *b, const struct import_location *l)
{
	const struct import_dso *d = &b->dsos.v[l->dso];

	return !l->is_kernel && l->dso && !(l->ip - d->map_start < d->map_len && d->map_len);
}

static bool same_place(const struct import_builder *b, uint32_t x, uint32_t y)
{
	const struct import_location *l = &b->locations.v[x], *m = &b->locations.v[y];

	return x == y || (l->dso == m->dso && l->addr == m->addr);
}

static uint32_t find_process(struct memory_maps *m, int32_t pid)
{
	uint64_t h = hash_u64((uint32_t)pid);
	uint32_t found = HINDEX_FIND(&m->process_index, h, id, m->processes.v[id].pid == pid);

	if (found != HINDEX_NONE)
		return found;
	hindex_add(&m->process_index, h, m->processes.nr);
	vec_push(&m->processes, ((struct memory_process){ pid, UINT32_MAX, m->nr_lives++ }));
	return m->processes.nr - 1;
}

/* The claim of an address in an epoch; HINDEX_NONE: none yet. */
static uint32_t find_claim(const struct memory_maps *m, uint32_t epoch, uint64_t ip)
{
	return HINDEX_FIND(&m->claim_index, hash_pair(ip, epoch), id, m->claims.v[id].ip == ip && m->claims.v[id].epoch == epoch);
}

/* Locations in no module are of interest, too: no map may lie over them. */
static bool takes_part(const struct import_builder *b, const struct import_location *l)
{
	return !l->is_kernel && (!l->dso || is_told(b, l));
}

static bool contradicts(const struct memory_maps *m, const struct import_stack *s, uint32_t epoch)
{
	for (uint32_t i = 0; i < s->nr; i++) {
		const struct import_location *l = &m->b->locations.v[s->locations[i]];
		uint32_t claim = takes_part(m->b, l) ? find_claim(m, epoch, l->ip) : HINDEX_NONE;

		if (claim != HINDEX_NONE && !same_place(m->b, m->claims.v[claim].location, s->locations[i]))
			return true;
	}
	return false;
}

/* ---- ids that are used again ---- */

struct owners {
	VEC(struct memory_owner) v;
	struct hindex index; /* by tid */
};

/* Notes whose a tid is. A reader knows tasks by that alone: where it becomes another process's, the process that it led is gone. */
static void note_owner(struct memory_maps *m, struct owners *o, uint32_t sample, int32_t pid, int32_t tid)
{
	uint64_t h = hash_u64((uint32_t)tid);
	uint32_t id = HINDEX_FIND(&o->index, h, i, o->v.v[i].tid == tid);

	if (id == HINDEX_NONE) {
		hindex_add(&o->index, h, o->v.nr);
		vec_push(&o->v, ((struct memory_owner){ tid, pid }));
	} else if (o->v.v[id].pid != pid) {
		o->v.v[id].pid = pid;
		vec_push(&m->resets, ((struct memory_reset){ sample, tid }));
	}
}

static void find_resets(struct memory_maps *m)
{
	const struct import_builder *b = m->b;
	struct owners o = { 0 };

	for (uint32_t i = 0; i < b->samples.nr; i++) {
		const struct import_sample *s = &b->samples.v[i];

		if (i && s->pid == s[-1].pid && s->tid == s[-1].tid)
			continue;
		note_owner(m, &o, i, s->pid, s->tid);
		note_owner(m, &o, i, s->pid, s->pid);
	}
	vec_fini(&o.v);
	hindex_fini(&o.index);
}

/* Those of this sample; they come in order. */
static void apply_resets(struct memory_maps *m, uint32_t sample)
{
	while (m->next_reset < m->resets.nr && m->resets.v[m->next_reset].sample == sample) {
		uint32_t process = find_process(m, m->resets.v[m->next_reset++].pid);

		m->processes.v[process].epoch = UINT32_MAX;
		m->processes.v[process].life = m->nr_lives++;
	}
}

/* ---- epochs ---- */

static void plan_sample(struct memory_maps *m, uint32_t sample)
{
	const struct import_sample *s = &m->b->samples.v[sample];
	const struct import_stack *stack = &m->b->stacks.v[s->stack];
	uint32_t process = find_process(m, s->pid);
	struct memory_process *p = &m->processes.v[process];

	if (p->epoch == UINT32_MAX || contradicts(m, stack, p->epoch)) {
		p->epoch = m->epoch_starts.nr;
		vec_push(&m->epoch_starts, sample);
	}
	for (uint32_t i = 0; i < stack->nr; i++) {
		const struct import_location *l = &m->b->locations.v[stack->locations[i]];

		if (!takes_part(m->b, l) || find_claim(m, p->epoch, l->ip) != HINDEX_NONE)
			continue;
		hindex_add(&m->claim_index, hash_pair(l->ip, p->epoch), m->claims.nr);
		vec_push(&m->claims, ((struct memory_claim){ l->ip, p->epoch, stack->locations[i] }));
	}
}

static int by_epoch(const void *va, const void *vb)
{
	const struct memory_claim *a = va, *b = vb;

	if (a->epoch != b->epoch)
		return a->epoch < b->epoch ? -1 : 1;
	return a->ip < b->ip ? -1 : a->ip > b->ip;
}

static uint64_t key_of(uint32_t life, uint32_t id)
{
	return (uint64_t)life << 32 | id;
}

/* True the first time. */
static bool is_new(struct memory_maps *m, struct hindex *index, uint64_t key)
{
	if (HINDEX_FIND(index, hash_u64(key), id, m->seen.v[id] == key) != HINDEX_NONE)
		return false;
	hindex_add(index, hash_u64(key), m->seen.nr);
	vec_push(&m->seen, key);
	return true;
}

static void plan(struct memory_maps *m)
{
	const struct import_builder *b = m->b;
	bool any_told = false;

	for (uint32_t i = 0; i < b->locations.nr; i++)
		any_told |= is_told(b, &b->locations.v[i]);
	if (!any_told)
		return;
	for (uint32_t i = 0; i < b->samples.nr; i++) {
		apply_resets(m, i);
		plan_sample(m, i);
	}
	m->next_reset = 0;
	if (m->claims.nr)
		qsort(m->claims.v, m->claims.nr, sizeof(*m->claims.v), by_epoch);
	for (uint32_t i = 0, e = 0; e <= m->epoch_starts.nr; e++) {
		while (i < m->claims.nr && m->claims.v[i].epoch < e)
			i++;
		vec_push(&m->epoch_claims, i);
	}
}

void memory_maps_init(struct memory_maps *m, const struct import_builder *b, memory_map_fn *put, void *ctx)
{
	*m = (struct memory_maps){ .b = b, .put = put, .ctx = ctx };
	find_resets(m);
	plan(m);
}

void memory_maps_fini(struct memory_maps *m)
{
	hindex_fini(&m->seen_stacks);
	hindex_fini(&m->seen_dsos);
	vec_fini(&m->seen);
	vec_fini(&m->processes);
	vec_fini(&m->resets);
	hindex_fini(&m->process_index);
	vec_fini(&m->claims);
	hindex_fini(&m->claim_index);
	vec_fini(&m->epoch_starts);
	vec_fini(&m->epoch_claims);
}

#define MAX_GAP (UINT64_C(1) << 40) /* in a map: one that is wider could lie over addresses that the layout has made up */

/* One map for each run of addresses that are as far from their file's; `ids` are by address. */
struct run {
	struct memory_maps *m;
	const struct import_sample *s;
	struct memory_map map;
};

static void end_run(struct run *r)
{
	if (r->map.dso)
		r->m->put(r->m->ctx, r->s, &r->map);
	r->map.dso = IMPORT_NO_DSO;
}

static void add_to_run(struct run *r, const struct import_location *l)
{
	struct memory_map *map = &r->map;

	if (map->dso == l->dso && l->dso && (l->is_kernel || (l->ip - map->start == l->addr - map->pgoff && l->ip - map->end < MAX_GAP))) {
		map->end = l->ip + 1;
		return;
	}
	end_run(r);
	*map = (struct memory_map){ .start = l->ip, .end = l->ip + 1, .pgoff = l->addr, .dso = l->dso, .is_kernel = l->is_kernel };
}

static int by_ip(const void *va, const void *vb, void *ctx)
{
	const struct import_location *v = ctx, *a = &v[*(const uint32_t *)va], *b = &v[*(const uint32_t *)vb];

	return a->ip < b->ip ? -1 : a->ip > b->ip;
}

/* The kernel is the same in all processes: its maps come first. */
static void map_kernel(struct memory_maps *m)
{
	const struct import_builder *b = m->b;
	struct run r = { .m = m, .s = &b->samples.v[0] };
	VEC(uint32_t) ids = { 0 };

	for (uint32_t i = 0; i < b->locations.nr; i++)
		if (b->locations.v[i].is_kernel)
			vec_push(&ids, i);
	if (ids.nr)
		qsort_r(ids.v, ids.nr, sizeof(*ids.v), by_ip, b->locations.v);
	for (uint32_t i = 0; i < ids.nr; i++)
		add_to_run(&r, &b->locations.v[ids.v[i]]);
	end_run(&r);
	vec_fini(&ids);
}

static void begin_epoch(struct memory_maps *m, const struct import_sample *s)
{
	struct run r = { .m = m, .s = s };
	uint32_t e = m->next_epoch++;

	for (uint32_t i = m->epoch_claims.v[e]; i < m->epoch_claims.v[e + 1]; i++)
		add_to_run(&r, &m->b->locations.v[m->claims.v[i].location]);
	end_run(&r);
}

void memory_maps_before(struct memory_maps *m, uint32_t sample)
{
	const struct import_sample *s = &m->b->samples.v[sample];
	const struct import_stack *stack = &m->b->stacks.v[s->stack];
	uint32_t process, life;

	if (!sample)
		map_kernel(m);
	apply_resets(m, sample);
	process = find_process(m, s->pid);
	life = m->processes.v[process].life;
	while (m->next_epoch < m->epoch_starts.nr && m->epoch_starts.v[m->next_epoch] == sample)
		begin_epoch(m, s);
	if (!is_new(m, &m->seen_stacks, key_of(life, s->stack)))
		return;
	for (uint32_t i = 0; i < stack->nr; i++) {
		const struct import_location *l = &m->b->locations.v[stack->locations[i]];
		const struct import_dso *d = &m->b->dsos.v[l->dso];
		struct memory_map map = { d->map_start, d->map_start + d->map_len, d->map_pgoff, l->dso, false };

		if (l->is_kernel || !l->dso || is_told(m->b, l) || !is_new(m, &m->seen_dsos, key_of(life, l->dso)))
			continue;
		m->put(m->ctx, s, &map);
	}
}
