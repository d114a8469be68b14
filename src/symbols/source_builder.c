/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From what DWARF says, in its order, to sorted arrays without overlaps. Linkers fold and drop functions, and files are damaged: any input
 * gives a unit that passes source_unit_check(). Knows nothing of DWARF.
 */
#include "symbols/source_unit.h"

#include <stdlib.h>
#include <string.h>

void source_builder_fini(struct source_builder *b)
{
	vec_fini(&b->ranges);
	vec_fini(&b->spans);
	vec_fini(&b->scopes);
	vec_fini(&b->rows);
	vec_fini(&b->sequences);
	vec_fini(&b->strings);
	hindex_fini(&b->string_index);
}

uint32_t source_builder_string(struct source_builder *b, const char *s, size_t len)
{
	uint64_t hash = hash_bytes(s, len, 0);
	const char *v = b->strings.v;
	uint32_t off;

	if (!b->strings.nr)
		vec_push(&b->strings, 0);
	if (!len)
		return 0;
	off = HINDEX_FIND(&b->string_index, hash, id, b->strings.nr - id > len && memcmp(v + id, s, len) == 0 && !v[id + len]);
	if (off != HINDEX_NONE)
		return off;
	/* Offsets have 32 bits; far before that a unit is damaged. */
	if (len > INT32_MAX / 2 || b->strings.nr > INT32_MAX / 2)
		return 0;
	off = b->strings.nr;
	vec_reserve(&b->strings, (uint64_t)off + len + 1);
	memcpy(b->strings.v + off, s, len);
	b->strings.v[off + len] = 0;
	b->strings.nr += (uint32_t)len + 1;
	hindex_add(&b->string_index, hash, off);
	return off;
}

void source_builder_add_range(struct source_builder *b, uint64_t start, uint64_t end)
{
	if (start < end)
		vec_push(&b->ranges, ((struct source_unit_range){ start, end }));
}

uint32_t source_builder_add_scope(struct source_builder *b, const struct source_unit_scope *scope)
{
	vec_push(&b->scopes, *scope);
	return b->scopes.nr - 1;
}

void source_builder_add_span(struct source_builder *b, uint64_t start, uint64_t end, uint32_t scope)
{
	if (start < end)
		vec_push(&b->spans, ((struct source_builder_span){ start, end, scope }));
}

void source_builder_add_row(struct source_builder *b, const struct source_builder_row *row)
{
	if (b->rows.nr > b->first_row && b->rows.v[b->rows.nr - 1].addr == row->addr)
		b->rows.v[b->rows.nr - 1] = *row;
	else
		vec_push(&b->rows, *row);
}

void source_builder_end_rows(struct source_builder *b, uint64_t end)
{
	uint32_t nr = b->rows.nr - b->first_row;

	if (nr && end > b->rows.v[b->first_row].addr)
		vec_push(&b->sequences, ((struct source_builder_sequence){ b->rows.v[b->first_row].addr, end, b->first_row, nr }));
	else
		b->rows.nr = b->first_row;
	b->first_row = b->rows.nr;
}

void source_builder_drop_rows(struct source_builder *b)
{
	b->rows.nr = b->first_row;
}

/* Outer ones before the inner ones that begin at the same address. */
static int compare_spans(const void *a, const void *b)
{
	const struct source_builder_span *x = a, *y = b;

	return COMPARE(x->start, y->start) ?: COMPARE(y->end, x->end) ?: COMPARE(x->scope, y->scope);
}

/* Of two that begin together the longer comes last, and counts. */
static int compare_sequences(const void *a, const void *b)
{
	const struct source_builder_sequence *x = a, *y = b;

	return COMPARE(x->start, y->start) ?: COMPARE(x->end, y->end) ?: COMPARE(x->first, y->first);
}

/* What is packed: the arrays of the unit. */
struct packing {
	uint64_t base;
	VEC(struct source_unit_span) spans;
	VEC(struct source_unit_row) rows;
};

static void merge_ranges(struct source_builder *b)
{
	uint32_t to = 0;

	if (!b->ranges.nr) {
		for (uint32_t i = 0; i < b->spans.nr; i++)
			source_builder_add_range(b, b->spans.v[i].start, b->spans.v[i].end);
		for (uint32_t i = 0; i < b->sequences.nr; i++)
			source_builder_add_range(b, b->sequences.v[i].start, b->sequences.v[i].end);
	}
	vec_sort(&b->ranges, compare_u64);
	for (uint32_t i = 0; i < b->ranges.nr; i++) {
		struct source_unit_range r = b->ranges.v[i], *last = to ? &b->ranges.v[to - 1] : NULL;

		if (last && r.start <= last->end)
			last->end = r.end > last->end ? r.end : last->end;
		else
			b->ranges.v[to++] = r;
	}
	b->ranges.nr = to;
}

static void put_span(struct packing *p, uint64_t start, uint32_t scope)
{
	struct source_unit_span *last = p->spans.nr ? &p->spans.v[p->spans.nr - 1] : NULL;

	if (start - p->base > UINT32_MAX)
		return;
	if (last && last->start == start - p->base) {
		last->scope = scope;
		return;
	}
	if (last ? last->scope != scope : scope != SOURCE_NONE)
		vec_push(&p->spans, ((struct source_unit_span){ (uint32_t)(start - p->base), scope }));
}

/* A stack of the functions that reach over the address that the sweep has come to: the one on top counts. */
static void pack_spans(struct source_builder *b, struct packing *p)
{
	VEC(uint32_t) open = { 0 };

	vec_sort(&b->spans, compare_spans);
	for (uint32_t i = 0; i <= b->spans.nr; i++) {
		uint64_t until = i < b->spans.nr ? b->spans.v[i].start : UINT64_MAX;

		while (open.nr && b->spans.v[open.v[open.nr - 1]].end <= until) {
			uint64_t end = b->spans.v[open.v[open.nr - 1]].end;

			while (open.nr && b->spans.v[open.v[open.nr - 1]].end <= end)
				open.nr--;
			put_span(p, end, open.nr ? b->spans.v[open.v[open.nr - 1]].scope : SOURCE_NONE);
		}
		if (i < b->spans.nr) {
			vec_push(&open, i);
			put_span(p, b->spans.v[i].start, b->spans.v[i].scope);
		}
	}
	vec_fini(&open);
}

static void put_row(struct packing *p, uint64_t addr, const struct source_builder_row *row)
{
	struct source_unit_row *last = p->rows.nr ? &p->rows.v[p->rows.nr - 1] : NULL, r = { .is_end = 1 };

	if (addr - p->base > UINT32_MAX)
		return;
	if (row)
		r = (struct source_unit_row){ .file = row->file, .line = row->line, .column = row->column };
	r.start = (uint32_t)(addr - p->base);
	if (last && last->start == r.start) {
		*last = r;
		return;
	}
	if (last ? last->file != r.file || last->line != r.line || last->column != r.column || last->is_end != r.is_end : !r.is_end)
		vec_push(&p->rows, r);
}

static void pack_rows(struct source_builder *b, struct packing *p)
{
	vec_sort(&b->sequences, compare_sequences);
	for (uint32_t i = 0; i < b->sequences.nr; i++) {
		const struct source_builder_sequence *s = &b->sequences.v[i];
		uint64_t next = i + 1 < b->sequences.nr ? b->sequences.v[i + 1].start : UINT64_MAX;

		for (uint32_t j = 0; j < s->nr; j++) {
			const struct source_builder_row *row = &b->rows.v[s->first + j];

			if (row->addr >= next)
				break;
			if (row->addr < s->end)
				put_row(p, row->addr, row);
		}
		if (s->end <= next)
			put_row(p, s->end, NULL);
	}
}

static void *pack_unit(const struct source_builder *b, const struct packing *p, size_t *size)
{
	struct source_unit_head h = {
		.magic = SOURCE_UNIT_MAGIC,
		.strings_bytes = b->strings.nr,
		.base = p->base,
		.nr_ranges = b->ranges.nr,
		.nr_spans = p->spans.nr,
		.nr_scopes = b->scopes.nr,
		.nr_rows = p->rows.nr,
	};
	const struct {
		const void *from;
		size_t size;
	} parts[] = {
		{ &h, sizeof(h) },
		{ b->ranges.v, h.nr_ranges * sizeof(*b->ranges.v) },
		{ p->spans.v, h.nr_spans * sizeof(*p->spans.v) },
		{ p->rows.v, h.nr_rows * sizeof(*p->rows.v) },
		{ b->scopes.v, h.nr_scopes * sizeof(*b->scopes.v) },
		{ b->strings.v, h.strings_bytes },
	};
	char *unit, *pos;

	*size = 0;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		*size += parts[i].size;
	unit = pos = mem_alloc(*size);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (parts[i].size)
			memcpy(pos, parts[i].from, parts[i].size);
		pos += parts[i].size;
	}
	return unit;
}

void *source_builder_finish(struct source_builder *b, size_t *size)
{
	struct packing p = { .base = UINT64_MAX };
	void *unit;

	source_builder_drop_rows(b);
	source_builder_string(b, "", 0);
	merge_ranges(b);
	if (!b->ranges.nr)
		return NULL;
	p.base = b->ranges.v[0].start;
	for (uint32_t i = 0; i < b->spans.nr; i++)
		p.base = b->spans.v[i].start < p.base ? b->spans.v[i].start : p.base;
	for (uint32_t i = 0; i < b->sequences.nr; i++)
		p.base = b->sequences.v[i].start < p.base ? b->sequences.v[i].start : p.base;
	pack_spans(b, &p);
	pack_rows(b, &p);
	unit = pack_unit(b, &p, size);
	vec_fini(&p.spans);
	vec_fini(&p.rows);
	return unit;
}
