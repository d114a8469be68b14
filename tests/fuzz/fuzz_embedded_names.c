/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The feature section with the names and values of an imported profile: whatever it says, all that
 * is pointed to lies inside; and what was understood comes out the same when it is written and read
 * again.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "perfdata/embedded_names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(what)                                                                                \
	do {                                                                                       \
		if (!(what))                                                                       \
			abort();                                                                   \
	} while (0)

static volatile size_t touched;

static void same(const char *a, const char *b)
{
	CHECK(!strcmp(a, b));
}

static void same_part(const struct embedded_part *a, const struct embedded_part *b)
{
	CHECK(a->size_bytes == b->size_bytes &&
	      (!a->size_bytes || !memcmp(a->data, b->data, a->size_bytes)));
}

static void same_values(const struct embedded_values *a, const struct embedded_values *b)
{
	uint32_t nr_a, nr_b;

	CHECK(a->types.nr == b->types.nr && a->sets.nr == b->sets.nr &&
	      a->mappings.nr == b->mappings.nr && a->functions.nr == b->functions.nr);
	for (uint32_t i = 0; i < a->types.nr; i++)
		same(a->types.v[i].unit, b->types.v[i].unit);
	for (uint32_t i = 0; i <= a->sets.nr; i++) {
		const struct embedded_label *x = embedded_values_labels(a, i, &nr_a),
					    *y = embedded_values_labels(b, i, &nr_b);

		CHECK(nr_a == nr_b);
		for (uint32_t k = 0; k < nr_a; k++) {
			same(x[k].key, y[k].key);
			CHECK(x[k].num == y[k].num && !x[k].str == !y[k].str);
			same(x[k].str ? x[k].str : "", y[k].str ? y[k].str : "");
		}
	}
	for (uint32_t i = 0; i < a->mappings.nr; i++)
		same(a->mappings.v[i].file, b->mappings.v[i].file);
	for (uint32_t i = 0; i < a->functions.nr; i++)
		same(a->functions.v[i].name, b->functions.v[i].name);
	if (a->types.nr)
		same(a->default_type, b->default_type);
}

static void compare(const struct embedded_names *a, const struct embedded_names *b)
{
	CHECK(a->modules.nr == b->modules.nr && a->notes.nr == b->notes.nr);
	for (uint32_t i = 0; i < a->modules.nr; i++) {
		const struct embedded_module *x = &a->modules.v[i],
					     *y = embedded_names_find(b, x->mapped_as);

		CHECK(y && x->kind == y->kind && x->nr_sources == y->nr_sources);
		same(x->path, y->path);
		same_part(&x->symbols, &y->symbols);
		for (uint32_t k = 0; k < x->nr_sources; k++)
			same_part(&x->sources[k], &y->sources[k]);
	}
	for (uint32_t i = 0; i < a->notes.nr; i++)
		touched += strlen(a->notes.v[i]);
	same_values(&a->values, &b->values);
}

/* Rows may all point to the same bytes: what is written again is bounded here. */
static size_t size_of(const struct embedded_names *n)
{
	size_t size = 0;

	for (uint32_t i = 0; i < n->modules.nr; i++) {
		size += n->modules.v[i].symbols.size_bytes + strlen(n->modules.v[i].path);
		for (uint32_t k = 0; k < n->modules.v[i].nr_sources; k++)
			size += n->modules.v[i].sources[k].size_bytes;
	}
	return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t *copy = mem_alloc(size + 8); /* aligned */
	struct embedded_names n, again;
	struct out o;

	memcpy(copy, data, size);
	if (!embedded_names_init(&n, copy, size) && size_of(&n) < (1u << 24)) {
		out_init(&o, -1);
		embedded_names_encode(&n, &o);
		CHECK(!embedded_names_init(&again, o.buf, o.len));
		compare(&n, &again);
		embedded_names_fini(&again);
		out_fini(&o);
	}
	embedded_names_fini(&n);
	free(copy);
	return 0;
}
