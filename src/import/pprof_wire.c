/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The wire format: a tag (number of the field, and how it is written), then a number or a size and bytes. Numbers of a list may stand one
 * by one or packed. A message is read by one function for its fields.
 */
#include "import/pprof.h"

#include <errno.h>
#include <string.h>

/* What an item costs with its share of the index, and with what the importer makes of each before any sample refers to it. */
#define TYPE_COST (sizeof(struct pprof_type) + 128)
#define MAPPING_COST (sizeof(struct pprof_mapping) + 160)
#define FUNCTION_COST (sizeof(struct pprof_function) + 36)
#define LOCATION_COST (sizeof(struct pprof_location) + 40)
#define LABEL_COST (sizeof(struct pprof_label) + 88)
/* Of one sample; the deepest stack that is kept has 8,000 frames, and there are no more types of values than events. */
#define MOST_LOCATIONS 8192u
#define MOST_VALUES 4096u

enum wire { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

struct field {
	uint32_t number;
	enum wire wire;
	uint64_t value; /* of a number */
	struct bytes bytes;
};

uint64_t pprof_take_varint(struct bytes *b)
{
	uint64_t v = 0;

	for (unsigned int shift = 0; shift < 70; shift += 7) {
		uint8_t byte = bytes_u8(b);

		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	b->failed = true;
	return 0;
}

/* The next field; false at the end, or where it makes no sense (b->failed). */
static bool take_field(struct bytes *b, struct field *f)
{
	uint64_t tag, size;
	const void *data;

	if (b->failed || !bytes_left(b))
		return false;
	tag = pprof_take_varint(b);
	*f = (struct field){ .number = (uint32_t)(tag >> 3), .wire = (enum wire)(tag & 7) };
	if (!f->number || tag >> 3 > UINT32_MAX)
		b->failed = true;
	switch (f->wire) {
	case WIRE_VARINT:
		f->value = pprof_take_varint(b);
		break;
	case WIRE_FIXED64:
		f->value = bytes_u64(b);
		break;
	case WIRE_FIXED32:
		f->value = bytes_u32(b);
		break;
	case WIRE_BYTES:
		size = pprof_take_varint(b);
		data = bytes_has(b, size, 1) ? bytes_take(b, size) : NULL;
		f->bytes = bytes_of(data, data ? size : 0, false);
		break;
	default:
		b->failed = true;
		break;
	}
	return !b->failed;
}

typedef void take_fn(struct pprof_wire *t, void *to, struct field *f);

/* A message inside of another: its first `nr` fields are the numbers that `to` begins with, in the same order; others go to `take`. */
static bool take_message(struct pprof_wire *t, struct bytes b, void *to, uint32_t nr, take_fn *take)
{
	uint64_t *numbers = to;
	struct field f;

	while (take_field(&b, &f)) {
		if (f.number <= nr)
			numbers[f.number - 1] = f.value;
		else if (take)
			take(t, to, &f);
	}
	if (b.failed && !t->bad_off)
		t->bad_off = (uint64_t)(b.pos - t->data);
	return !b.failed;
}

static void take_line(struct pprof_wire *t, void *to, struct field *f)
{
	struct pprof_location *l = to;
	struct pprof_line line = { 0 };

	if (f->number != 4 || f->wire != WIRE_BYTES)
		return;
	take_message(t, f->bytes, &line, 2, NULL);
	if (!budget_take(t->memory, sizeof(line)))
		return;
	vec_push(&t->lines, line);
	l->nr_lines++;
}

static void add_number(struct pprof_sample *s, uint32_t field, uint64_t v)
{
	if (field == 1 && s->locations.nr < MOST_LOCATIONS)
		vec_push(&s->locations, v);
	else if (field == 2 && s->values.nr < MOST_VALUES)
		vec_push(&s->values, (int64_t)v);
}

static void take_sample(struct pprof_wire *t, void *to, struct field *f)
{
	struct pprof_sample *s = to;

	if (f->number == 3 && f->wire == WIRE_BYTES) {
		struct pprof_label l = { 0 };

		take_message(t, f->bytes, &l, 4, NULL);
		if (s->labels.nr == t->most_labels && !budget_take(t->memory, LABEL_COST))
			return;
		vec_push(&s->labels, l);
		if (s->labels.nr > t->most_labels)
			t->most_labels = s->labels.nr;
		return;
	}
	if (f->number > 2)
		return;
	if (f->wire != WIRE_BYTES)
		add_number(s, f->number, f->value);
	/* Packed: a list may be empty. */
	while (f->wire == WIRE_BYTES && bytes_left(&f->bytes)) {
		uint64_t v = pprof_take_varint(&f->bytes);

		if (f->bytes.failed)
			return;
		add_number(s, f->number, v);
	}
}

/* The first of equal ids counts, and 0 is none: the search for one must not become long. */
static void index_add(struct hindex *index, uint64_t id, uint32_t i, uint32_t found)
{
	if (id && found == UINT32_MAX)
		hindex_add(index, hash_u64(id), i);
}

static void take_table(struct pprof_wire *t, struct field *f)
{
	struct pprof_type type = { 0 };
	struct pprof_mapping m = { 0 };
	struct pprof_function fn = { 0 };
	struct pprof_location l = { .first_line = t->lines.nr };
	static const size_t cost[] = { 0, TYPE_COST, 0, MAPPING_COST, LOCATION_COST, FUNCTION_COST, sizeof(struct pprof_text) };

	if (f->number < sizeof(cost) / sizeof(*cost) && !budget_take(t->memory, cost[f->number]))
		return;
	switch (f->number) {
	case 1:
		take_message(t, f->bytes, &type, 2, NULL);
		vec_push(&t->types, type);
		break;
	case 3:
		take_message(t, f->bytes, &m, 10, NULL);
		index_add(&t->mapping_index, m.id, t->mappings.nr, pprof_wire_mapping(t, m.id));
		vec_push(&t->mappings, m);
		break;
	case 4:
		take_message(t, f->bytes, &l, 3, take_line);
		index_add(&t->location_index, l.id, t->locations.nr, pprof_wire_location(t, l.id));
		vec_push(&t->locations, l);
		break;
	case 5:
		take_message(t, f->bytes, &fn, 5, NULL);
		index_add(&t->function_index, fn.id, t->functions.nr, pprof_wire_function(t, fn.id));
		vec_push(&t->functions, fn);
		break;
	case 6:
		vec_push(&t->strings, ((struct pprof_text){ (const char *)f->bytes.pos, bytes_left(&f->bytes) }));
		break;
	case 11:
		take_message(t, f->bytes, &t->period_type, 2, NULL);
		break;
	default:
		break;
	}
}

static void add_comment(struct pprof_wire *t, uint64_t string)
{
	if (budget_take(t->memory, sizeof(string)))
		vec_push(&t->comments, string);
}

static void take_number(struct pprof_wire *t, const struct field *f)
{
	void *const fields[] = {
		[7] = &t->drop, [8] = &t->keep, [9] = &t->time_ns, [10] = &t->duration_ns, [12] = &t->period, [14] = &t->default_type
	};

	if (f->number == 13)
		add_comment(t, f->value);
	else if (f->number < sizeof(fields) / sizeof(*fields) && fields[f->number])
		*(uint64_t *)fields[f->number] = f->value;
}

static void take_comments(struct pprof_wire *t, struct bytes b)
{
	while (bytes_left(&b) && !b.failed && !t->memory->is_exhausted)
		add_comment(t, pprof_take_varint(&b));
}

int pprof_wire_init(struct pprof_wire *t, const void *data, size_t size, struct budget *memory)
{
	struct bytes b = bytes_of(data, size, false);
	struct field f;

	memset(t, 0, sizeof(*t));
	t->data = data;
	t->size = size;
	t->memory = memory;
	while (!memory->is_exhausted && take_field(&b, &f)) {
		if (f.wire == WIRE_BYTES && f.number == 13)
			take_comments(t, f.bytes);
		else if (f.wire == WIRE_BYTES)
			take_table(t, &f);
		else
			take_number(t, &f);
	}
	if (b.failed)
		t->bad_off = (uint64_t)(b.pos - t->data);
	if (memory->is_exhausted)
		return -E2BIG;
	/* Strings are the one thing that every profile has. */
	return b.failed || !t->strings.nr || !t->types.nr ? -EBADMSG : 0;
}

void pprof_wire_fini(struct pprof_wire *t)
{
	vec_fini(&t->strings);
	vec_fini(&t->types);
	vec_fini(&t->mappings);
	vec_fini(&t->functions);
	vec_fini(&t->locations);
	vec_fini(&t->lines);
	vec_fini(&t->comments);
	hindex_fini(&t->mapping_index);
	hindex_fini(&t->function_index);
	hindex_fini(&t->location_index);
	vec_fini(&t->sample.locations);
	vec_fini(&t->sample.values);
	vec_fini(&t->sample.labels);
}

uint32_t pprof_wire_mapping(const struct pprof_wire *t, uint64_t id)
{
	return id ? HINDEX_FIND(&t->mapping_index, hash_u64(id), i, t->mappings.v[i].id == id) : PPROF_NONE;
}

uint32_t pprof_wire_function(const struct pprof_wire *t, uint64_t id)
{
	return id ? HINDEX_FIND(&t->function_index, hash_u64(id), i, t->functions.v[i].id == id) : PPROF_NONE;
}

uint32_t pprof_wire_location(const struct pprof_wire *t, uint64_t id)
{
	return id ? HINDEX_FIND(&t->location_index, hash_u64(id), i, t->locations.v[i].id == id) : PPROF_NONE;
}

void pprof_wire_samples(struct pprof_wire *t, int (*each)(void *ctx, const struct pprof_sample *s), void *ctx)
{
	struct bytes b = bytes_of(t->data, t->size, false);
	struct field f;

	while (!t->memory->is_exhausted && take_field(&b, &f)) {
		bool ok;

		if (f.number != 2 || f.wire != WIRE_BYTES)
			continue;
		t->sample.locations.nr = t->sample.values.nr = t->sample.labels.nr = 0;
		ok = take_message(t, f.bytes, &t->sample, 0, take_sample);
		if (each(ctx, ok ? &t->sample : NULL))
			return;
	}
}
