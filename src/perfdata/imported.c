/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The section is a head, where each string ends, the tables in the order of `tables`, and the strings, each with a NUL behind it. Numbers are in
 * the byte order of the machine that wrote it. Bytes come from a file: counts are held against what is there, and places and labels belong
 * to one row each, and what rows refer to is bounded, so that using the section costs some times its size, whatever it says.
 */
#include "perfdata/imported.h"

#include <errno.h>
#include <string.h>

#include "base/bytes.h"

#define MAGIC 0x32706d6979617361ULL /* "asayimp2" */
#define MAX_STRING 65536	    /* bytes: rows may share one, and each that is used costs its length */
#define WORK_PER_BYTE 64	    /* bytes of paths and notes that rows refer to, for a byte of the section */

/* Those with 8-byte members first: each begins where the one before ends. */
static const struct {
	uint16_t at, row_size;
} tables[] = {
#define TABLE(of, type)                                                                                                                    \
	{                                                                                                                                  \
		offsetof(struct imported, of), sizeof(type)                                                                                \
	}
	TABLE(locations, struct imported_location), TABLE(symbols, struct imported_symbol),
	TABLE(labels, struct imported_label),	    TABLE(mappings, struct imported_mapping),
	TABLE(sets, struct imported_set),	    TABLE(modules, struct imported_module),
	TABLE(places, struct imported_place),	    TABLE(types, struct imported_type),
	TABLE(functions, struct imported_function), TABLE(notes, uint32_t),
#undef TABLE
};
#define NR_TABLES (sizeof(tables) / sizeof(*tables))

struct head {
	uint64_t magic;
	int64_t period;
	uint32_t flags, nr_strings;
	uint32_t default_type, period_type, period_unit, drop, keep;
	uint32_t zero;
	uint32_t nr[NR_TABLES];
};
_Static_assert(sizeof(struct head) % 8 == 0 && sizeof(struct imported_location) == 32 && sizeof(struct imported_module) == 28,
	       "rows have no holes");

/* Any of the vectors. */
typedef VEC(char) __attribute__((may_alias)) any_table;

static any_table *table_of(const struct imported *n, size_t i)
{
	return (any_table *)((uintptr_t)n + tables[i].at);
}

/* ---- reading ---- */

/* Each begins where the one before ends, and ends with its first NUL. */
static bool check_strings(const struct imported *n, size_t size)
{
	uint64_t at = 0;

	for (uint32_t i = 0; i < n->nr_strings; i++) {
		uint64_t end = n->string_ends[i];

		if (end <= at || end > size || end - at > MAX_STRING || memchr(n->strings + at, 0, end - at) != n->strings + end - 1)
			return false;
		at = end;
	}
	return true;
}

static bool are_strings(const struct imported *n, const uint32_t *ids, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		if (ids[i] >= n->nr_strings)
			return false;
	return true;
}

/* Rows may share a string: what all of them refer to is bounded by the size of the section. */
static bool spend(const struct imported *n, uint32_t id, uint64_t *left)
{
	uint64_t len = n->string_ends[id] - (id ? n->string_ends[id - 1] : 0);

	*left -= len <= *left ? len : *left;
	return *left != 0;
}

static bool check_locations(const struct imported *n, uint64_t *left)
{
	uint64_t next_place = 0;

	if (n->modules.nr > n->locations.nr)
		return false; /* each is that of a location */
	for (uint32_t i = 0; i < n->modules.nr; i++)
		if (n->modules.v[i].path >= n->nr_strings || n->modules.v[i].kind >= IMPORTED_NR_KINDS ||
		    n->modules.v[i].build_id_size > sizeof(n->modules.v[i].build_id) || !spend(n, n->modules.v[i].path, left))
			return false;
	for (uint32_t i = 0; i < n->symbols.nr; i++)
		if (n->symbols.v[i].name >= n->nr_strings || n->symbols.v[i].module >= n->modules.nr)
			return false;
	for (uint32_t i = 0; i < n->locations.nr; i++) {
		const struct imported_location *l = &n->locations.v[i];

		if ((l->module >= n->modules.nr && l->module != IMPORTED_NONE) || l->first_place != next_place ||
		    l->nr_places > IMPORTED_MAX_PLACES)
			return false;
		if (l->symbol != IMPORTED_NONE && (l->symbol >= n->symbols.nr || n->symbols.v[l->symbol].module != l->module))
			return false;
		next_place += l->nr_places;
	}
	for (uint32_t i = 0; i < n->places.nr; i++)
		if (!are_strings(n, (const uint32_t[]){ n->places.v[i].function, n->places.v[i].file }, 2))
			return false;
	return next_place == n->places.nr;
}

static bool check_values(const struct imported *n, uint64_t *left)
{
	uint64_t next_label = 0;

	for (uint32_t i = 0; i < n->types.nr; i++)
		if (!are_strings(n, (const uint32_t[]){ n->types.v[i].name, n->types.v[i].unit }, 2))
			return false;
	for (uint32_t i = 0; i < n->labels.nr; i++) {
		const struct imported_label *l = &n->labels.v[i];

		if (!are_strings(n, (const uint32_t[]){ l->key, l->unit, l->str == IMPORTED_NONE ? 0 : l->str }, 3))
			return false;
	}
	for (uint32_t i = 0; i < n->sets.nr; i++) {
		if (n->sets.v[i].first != next_label || n->sets.v[i].nr > n->labels.nr - next_label)
			return false;
		next_label += n->sets.v[i].nr;
	}
	for (uint32_t i = 0; i < n->mappings.nr; i++)
		if (!are_strings(n, (const uint32_t[]){ n->mappings.v[i].file, n->mappings.v[i].build_id }, 2))
			return false;
	for (uint32_t i = 0; i < n->functions.nr; i++)
		if (!are_strings(n, (const uint32_t[]){ n->functions.v[i].name, n->functions.v[i].file }, 2))
			return false;
	if (!are_strings(n, n->notes.v, n->notes.nr))
		return false;
	for (uint32_t i = 0; i < n->notes.nr; i++)
		if (!spend(n, n->notes.v[i], left))
			return false;
	return are_strings(n, (const uint32_t[]){ n->default_type, n->period_type, n->period_unit, n->drop, n->keep }, 5);
}

static const void *take_table(struct bytes *b, uint32_t nr, size_t row_size)
{
	return bytes_has(b, nr, row_size) ? bytes_take(b, nr * row_size) : NULL;
}

int imported_init(struct imported *n, const void *data, size_t size)
{
	struct bytes b = bytes_of(data, size, false);
	const struct head *h = bytes_take(&b, sizeof(*h));
	uint64_t left = WORK_PER_BYTE * (uint64_t)size;

	memset(n, 0, sizeof(*n));
	if (size >= sizeof(h->magic) && memcmp(data, &(uint64_t){ MAGIC }, sizeof(h->magic)))
		return -EPROTO;
	if (!h)
		return -EBADMSG;
	n->flags = h->flags;
	n->period = h->period;
	n->default_type = h->default_type;
	n->period_type = h->period_type;
	n->period_unit = h->period_unit;
	n->drop = h->drop;
	n->keep = h->keep;
	n->nr_strings = h->nr_strings;
	n->string_ends = take_table(&b, n->nr_strings, sizeof(*n->string_ends));
	for (size_t i = 0; i < NR_TABLES; i++) {
		table_of(n, i)->v = (char *)(uintptr_t)take_table(&b, h->nr[i], tables[i].row_size);
		table_of(n, i)->nr = h->nr[i];
	}
	n->strings = (const char *)b.pos;
	if (b.failed || !check_strings(n, bytes_left(&b)) || !check_locations(n, &left) || !check_values(n, &left)) {
		memset(n, 0, sizeof(*n));
		return -EBADMSG;
	}
	return 0;
}

const char *imported_unit(const struct imported *n, uint32_t event)
{
	for (uint32_t i = 0; i < n->types.nr; i++) {
		const char *unit = imported_str(n, n->types.v[i].unit);

		if (n->types.v[i].event == event && *unit && strcmp(unit, "count"))
			return unit;
	}
	return NULL;
}

/* ---- writing ---- */

void imported_fini(struct imported *n)
{
	for (size_t i = 0; i < NR_TABLES; i++)
		vec_fini(table_of(n, i));
}

static void put_string_ends(const struct strtab *strings, struct out *o)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < strings->entries.nr; i++) {
		end += strings->entries.v[i].len + 1ul;
		out_mem(o, &end, sizeof(end));
	}
}

void imported_encode(const struct imported *n, const struct strtab *strings, struct out *o)
{
	struct head h = {
		.magic = MAGIC,
		.period = n->period,
		.flags = n->flags,
		.nr_strings = strings->entries.nr,
		.default_type = n->default_type,
		.period_type = n->period_type,
		.period_unit = n->period_unit,
		.drop = n->drop,
		.keep = n->keep,
	};

	for (size_t i = 0; i < NR_TABLES; i++)
		h.nr[i] = table_of(n, i)->nr;
	out_mem(o, &h, sizeof(h));
	put_string_ends(strings, o);
	for (size_t i = 0; i < NR_TABLES; i++)
		out_mem(o, table_of(n, i)->v, (size_t)h.nr[i] * tables[i].row_size);
	for (uint32_t i = 0; i < h.nr_strings; i++)
		out_mem(o, strings->entries.v[i].s, strings->entries.v[i].len + 1);
}
