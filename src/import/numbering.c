/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Locations are sorted by module, symbol and address, and numbered in that order: a module is a range of numbers, and a symbol is a run of
 * them.
 */
#include <stdlib.h>
#include <string.h>

#include "import/recording.h"

#define PAGE 4096u

/* What is known of where a location's symbol begins. */
enum start {
	START_KNOWN,   /* its address in the module */
	START_IN_PAGE, /* its place in a page of memory, which is the same in all processes */
	START_UNKNOWN,
};

struct key {
	uint32_t dso, symbol;
	enum start how;
	uint32_t id;
	uint64_t start; /* by `how`; 0 where it is not known */
	uint64_t addr;	/* in the module, or else in memory, or IMPORT_UNKNOWN, which is the highest */
};

static struct key key_of(const struct import_builder *b, uint32_t id)
{
	const struct import_location *l = &b->locations.v[id];
	struct key k = { .dso = l->dso, .symbol = l->dso ? l->symbol : 0, .id = id, .addr = l->addr != IMPORT_UNKNOWN ? l->addr : l->ip };

	if (l->off == IMPORT_UNKNOWN || k.addr == IMPORT_UNKNOWN) {
		k.how = START_UNKNOWN;
	} else if (l->addr != IMPORT_UNKNOWN) {
		k.how = START_KNOWN;
		k.start = l->addr - l->off;
	} else {
		k.how = START_IN_PAGE;
		k.start = (l->ip - l->off) % PAGE;
	}
	return k;
}

static int compare_symbols(const struct key *a, const struct key *b)
{
	if (a->dso != b->dso)
		return a->dso < b->dso ? -1 : 1;
	if (a->symbol != b->symbol)
		return a->symbol < b->symbol ? -1 : 1;
	if (a->how != b->how)
		return a->how < b->how ? -1 : 1;
	return a->start < b->start ? -1 : a->start > b->start;
}

static int compare_keys(const void *va, const void *vb)
{
	const struct key *a = va, *b = vb;
	int by_symbol = compare_symbols(a, b);

	if (by_symbol)
		return by_symbol;
	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return a->id < b->id ? -1 : 1;
}

/* `k` is the first one of the symbol, which has the lowest address. */
static uint64_t start_of(const struct import_builder *b, const struct key *k, uint64_t word)
{
	const struct import_location *l = &b->locations.v[k->id];

	if (k->how == START_UNKNOWN)
		return k->addr != IMPORT_UNKNOWN ? k->addr : word;
	return k->how == START_KNOWN ? k->start : l->ip - l->off;
}

/* What is shown where the source has no address: the symbol's where that has one. */
static uint64_t addr_of(const struct import_location *l, const struct key *k, const struct key *first, uint64_t start, uint64_t word)
{
	if (k->symbol && l->off != IMPORT_UNKNOWN)
		return start + l->off;
	if (k->addr != IMPORT_UNKNOWN || !k->dso)
		return k->addr != IMPORT_UNKNOWN ? k->addr : 0;
	return k->symbol && first->addr != IMPORT_UNKNOWN ? start : word;
}

/* The next one of the section; `first` is the first one of its symbol. */
static void add_location(struct import_builder *b, const struct key *k, const struct key *first, bool is_first_of_dso, uint64_t word)
{
	const struct import_location *l = &b->locations.v[k->id];
	struct imported *n = &b->section;
	struct imported_location to = {
		.module = IMPORTED_NONE,
		.symbol = IMPORTED_NONE,
		.first_place = n->places.nr,
		.nr_places = (uint16_t)l->nr_places,
		.has_address = k->addr != IMPORT_UNKNOWN,
	};

	if (k->dso && is_first_of_dso)
		vec_push(&n->modules, b->dsos.v[k->dso]);
	if (k->dso)
		to.module = n->modules.nr - 1;
	if (k->symbol && k == first)
		vec_push(&n->symbols, ((struct imported_symbol){ start_of(b, k, word), k->symbol, to.module }));
	if (k->symbol)
		to.symbol = n->symbols.nr - 1;
	to.addr = addr_of(l, k, first, k->symbol ? n->symbols.v[to.symbol].start : 0, word);
	to.ip = l->ip != IMPORT_UNKNOWN ? l->ip : to.addr;
	for (uint32_t i = 0; i < l->nr_places; i++)
		vec_push(&n->places, b->places.v[l->first_place + i]);
	vec_push(&n->locations, to);
}

void import_number(struct import_builder *b, struct import_numbers *numbers)
{
	uint32_t nr = b->locations.nr;
	struct key *keys = mem_alloc((nr + 1ul) * sizeof(*keys));

	*numbers = (struct import_numbers){
		.words = mem_alloc((nr + 1ul) * sizeof(*numbers->words)),
		.ranges = mem_zalloc(b->dsos.nr * sizeof(*numbers->ranges)),
	};
	for (uint32_t i = 0; i < nr; i++)
		keys[i] = key_of(b, i);
	qsort(keys, nr, sizeof(*keys), compare_keys);
	for (uint32_t i = 0, first = 0; i < nr; i++) {
		const struct key *k = &keys[i];
		struct import_range *range = &numbers->ranges[k->dso];
		uint64_t word = imported_word(i, b->locations.v[k->id].is_kernel);

		if (!range->nr)
			range->first = i;
		if (compare_symbols(k, &keys[first]))
			first = i;
		add_location(b, k, &keys[first], !range->nr++, word);
		numbers->words[k->id] = word;
	}
	free(keys);
}
