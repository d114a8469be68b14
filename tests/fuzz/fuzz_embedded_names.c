/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The feature section with the names and values of an imported profile, or with mapped files: whatever it says, all that
 * is pointed to lies inside; and what was understood comes out the same when it is written and read
 * again.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "perfdata/embedded_names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(what)                                                                                                                        \
	do {                                                                                                                               \
		if (!(what))                                                                                                               \
			abort();                                                                                                           \
	} while (0)

static volatile size_t touched;

static void same(const char *a, const char *b)
{
	CHECK(!strcmp(a, b));
}

static void same_part(const struct embedded_part *a, const struct embedded_part *b)
{
	CHECK(a->size_bytes == b->size_bytes && (!a->size_bytes || !memcmp(a->data, b->data, a->size_bytes)));
}

static void same_values(const struct embedded_values *a, const struct embedded_values *b)
{
	uint32_t nr_a, nr_b;

	CHECK(a->types.nr == b->types.nr && a->sets.nr == b->sets.nr && a->mappings.nr == b->mappings.nr &&
	      a->functions.nr == b->functions.nr);
	for (uint32_t i = 0; i < a->types.nr; i++)
		same(a->types.v[i].unit, b->types.v[i].unit);
	for (uint32_t i = 0; i <= a->sets.nr; i++) {
		const struct embedded_label *x = embedded_values_labels(a, i, &nr_a), *y = embedded_values_labels(b, i, &nr_b);

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

/* A mapped file, which its own map finds, or another of the same identity. */
static void same_file(const struct embedded_names *n, const struct embedded_module *x, const struct embedded_module *y)
{
	struct record_mmap m = { .maj = x->file.major, .min = x->file.minor, .ino = x->file.inode, .build_id_size = x->build_id_size };

	memcpy(m.build_id, x->build_id, sizeof(m.build_id));
	CHECK(!memcmp(&x->file, &y->file, sizeof(x->file)));
	same_part(&x->unwind, &y->unwind);
	same_part(&x->functions, &y->functions);
	if (n->modules.nr < 100 && (m.ino || m.build_id_size))
		CHECK(embedded_names_find_file(n, &m, x->file.since_ns));
}

static void compare(const struct embedded_names *a, const struct embedded_names *b)
{
	CHECK(a->modules.nr == b->modules.nr && a->notes.nr == b->notes.nr);
	for (uint32_t i = 0; i < a->modules.nr; i++) {
		const struct embedded_module *x = &a->modules.v[i], *y = &b->modules.v[i];

		if (!(x->flags & EMBEDDED_FILE))
			y = embedded_names_find(b, x->mapped_as);
		else
			same_file(b, x, y);
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
		size += n->modules.v[i].symbols.size_bytes + n->modules.v[i].unwind.size_bytes + n->modules.v[i].functions.size_bytes +
			strlen(n->modules.v[i].path);
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
