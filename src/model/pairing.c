/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A hash table with removal (entries behind a hole move up) over a list by age, which says what to drop when it is full.
 */
#include "model/latency.h"

#include <string.h>

#include "base/hash.h"

#define NONE UINT32_MAX
#define FIRST_SLOTS 64u

void pairing_init(struct pairing *p, uint32_t nr_keys, uint32_t max_open)
{
	*p = (struct pairing){ .nr_keys = nr_keys, .max_open = max_open ? max_open : PAIRING_MAX_OPEN };
	p->oldest = p->newest = p->first_free = NONE;
	p->mask = FIRST_SLOTS - 1;
	p->slots = mem_zalloc(FIRST_SLOTS * sizeof(*p->slots));
}

void pairing_fini(struct pairing *p)
{
	vec_fini(&p->entries);
	free(p->slots);
	p->slots = NULL;
}

static uint32_t hash_of(const struct pairing *p, const uint64_t *key)
{
	uint64_t h = hash_u64(key[0]);

	for (uint32_t i = 1; i < p->nr_keys; i++)
		h = hash_pair(key[i], h);
	return hash_fold(h);
}

/* The slot of a key: its entry's, or the empty one where it would go. */
static uint32_t slot_of(const struct pairing *p, const uint64_t *key, uint32_t hash)
{
	uint32_t i = hash & p->mask;

	for (; p->slots[i]; i = (i + 1) & p->mask) {
		const struct pairing_entry *e = &p->entries.v[p->slots[i] - 1];

		if (e->hash == hash && !memcmp(e->key, key, p->nr_keys * sizeof(*key)))
			break;
	}
	return i;
}

static void grow(struct pairing *p)
{
	uint32_t nr = (p->mask + 1) * 2;
	uint32_t *old = p->slots, old_nr = p->mask + 1;

	p->slots = mem_zalloc((size_t)nr * sizeof(*p->slots));
	p->mask = nr - 1;
	for (uint32_t i = 0; i < old_nr; i++) {
		uint32_t at;

		if (!old[i])
			continue;
		for (at = p->entries.v[old[i] - 1].hash & p->mask; p->slots[at]; at = (at + 1) & p->mask)
			;
		p->slots[at] = old[i];
	}
	free(old);
}

/* Takes an entry out of the list by age. */
static void unlink_entry(struct pairing *p, const struct pairing_entry *e)
{
	if (e->older == NONE)
		p->oldest = e->newer;
	else
		p->entries.v[e->older].newer = e->newer;
	if (e->newer == NONE)
		p->newest = e->older;
	else
		p->entries.v[e->newer].older = e->older;
}

static void link_newest(struct pairing *p, uint32_t id)
{
	struct pairing_entry *e = &p->entries.v[id];

	e->older = p->newest;
	e->newer = NONE;
	if (p->newest == NONE)
		p->oldest = id;
	else
		p->entries.v[p->newest].newer = id;
	p->newest = id;
}

/* Empties a slot: what stands behind it and could not be nearer to its own place moves up. */
static void remove_slot(struct pairing *p, uint32_t hole)
{
	uint32_t id = p->slots[hole] - 1;
	struct pairing_entry *e = &p->entries.v[id];

	unlink_entry(p, e);
	e->newer = p->first_free;
	p->first_free = id;
	p->nr_open--;
	for (uint32_t i = (hole + 1) & p->mask; p->slots[i]; i = (i + 1) & p->mask) {
		uint32_t home = p->entries.v[p->slots[i] - 1].hash & p->mask;

		if (((i - home) & p->mask) < ((i - hole) & p->mask))
			continue;
		p->slots[hole] = p->slots[i];
		hole = i;
	}
	p->slots[hole] = 0;
}

static uint32_t new_entry(struct pairing *p)
{
	uint32_t id = p->first_free;

	if (id == NONE) {
		vec_add(&p->entries);
		return p->entries.nr - 1;
	}
	p->first_free = p->entries.v[id].newer;
	return id;
}

void pairing_begin(struct pairing *p, const uint64_t *key, uint64_t time_ns, uint32_t tag)
{
	uint32_t hash = hash_of(p, key), slot = slot_of(p, key, hash), id;
	struct pairing_entry *e;

	if (p->slots[slot]) {
		p->nr_replaced++;
		if (p->keeps_first)
			return;
		id = p->slots[slot] - 1;
		unlink_entry(p, &p->entries.v[id]);
	} else {
		if (p->nr_open >= p->max_open) {
			const struct pairing_entry *old = &p->entries.v[p->oldest];

			p->nr_given_up++;
			remove_slot(p, slot_of(p, old->key, old->hash));
		}
		if ((p->nr_open + 1) * 2 > p->mask)
			grow(p);
		slot = slot_of(p, key, hash);
		id = new_entry(p);
		p->slots[slot] = id + 1;
		p->nr_open++;
	}
	e = &p->entries.v[id];
	memset(e->key, 0, sizeof(e->key));
	memcpy(e->key, key, p->nr_keys * sizeof(*key));
	e->time_ns = time_ns;
	e->hash = hash;
	e->tag = tag;
	link_newest(p, id);
}

bool pairing_end(struct pairing *p, const uint64_t *key, uint64_t time_ns, uint64_t *took_ns, uint32_t *tag)
{
	uint32_t slot = slot_of(p, key, hash_of(p, key));
	const struct pairing_entry *e;
	bool is_pair;

	if (!p->slots[slot]) {
		p->nr_ends_alone++;
		return false;
	}
	e = &p->entries.v[p->slots[slot] - 1];
	is_pair = time_ns >= e->time_ns;
	*took_ns = time_ns - e->time_ns;
	*tag = e->tag;
	remove_slot(p, slot);
	if (is_pair)
		p->nr_pairs++;
	else
		p->nr_backwards++;
	return is_pair;
}

uint32_t pairing_nr_open_but(const struct pairing *p, uint32_t tag)
{
	uint32_t nr = 0;

	for (uint32_t i = p->oldest; i != NONE; i = p->entries.v[i].newer)
		nr += p->entries.v[i].tag != tag;
	return nr;
}
