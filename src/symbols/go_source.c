/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From Go's tables of values to source units. An address has a file, a line and the number of the innermost inlined call; a call has an
 * address of the same function that stands for the place it was called from, whose own values name the caller's call.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "symbols/go_module.h"
#include "symbols/source_unit.h"
#include "symbols/symbol_readers.h"

/* How much code a unit has: one is read as a whole. */
#define UNIT_BYTES (64U << 10)
/* Of names that are read for one; real units need a tenth. */
#define MAX_NAME_BYTES (4U << 20)
/* Calls inlined in one function; more are damage. */
#define MAX_NODES (1U << 16)
/* Of one function's addresses; the same. */
#define MAX_SPANS (1U << 20)

struct value_span {
	uint64_t start, end;
	int32_t value;
};

struct value_spans {
	VEC(struct value_span) list;
};

/* One function's tables, taken apart. */
struct reading {
	const struct go_module *m;
	struct source_builder *b;
	struct go_function f;
	struct value_spans files, lines, nodes;
	VEC(uint32_t) scope_of_node; /* SOURCE_NONE: not made yet */
	uint32_t scope;		     /* of the function itself */
	size_t name_bytes_left;
	int32_t last_file; /* of the function; its string */
	uint32_t last_string;
};

static uint32_t next_unit(const struct go_pclntab *t, uint32_t first)
{
	uint64_t start = go_pclntab_entry(t, first);
	uint32_t i = first + 1;

	while (i < t->nr_functions && go_pclntab_entry(t, i) - start < UNIT_BYTES)
		i++;
	return i;
}

void *go_source_map(const struct go_module *m, size_t *size)
{
	const struct go_pclntab *t = &m->table;
	VEC(struct source_map_item) items = { 0 };
	void *map;

	for (uint32_t i = 0, next; i < t->nr_functions; i = next) {
		next = next_unit(t, i);
		vec_push(&items, ((struct source_map_item){ go_pclntab_entry(t, i), go_pclntab_entry(t, next), i }));
	}
	map = source_map_pack(items.v, items.nr, size);
	vec_fini(&items);
	return map;
}

static void read_spans(struct reading *r, struct value_spans *to, uint32_t values)
{
	struct go_values v = go_values_begin(&r->m->table, &r->f, values);
	struct value_span s;

	to->list.nr = 0;
	while (to->list.nr < MAX_SPANS && go_values_next(&v, &s.start, &s.end, &s.value))
		vec_push(&to->list, s);
}

static int32_t value_at(const struct value_spans *v, uint64_t addr)
{
	const struct value_span *s = vec_find_span(&v->list, addr);

	return s ? s->value : -1;
}

/* Names can be long, and each may be needed many times. */
static uint32_t string_of(struct reading *r, const char *name, size_t len)
{
	if (!name)
		return 0;
	if (len > r->name_bytes_left)
		len = r->name_bytes_left = 0;
	r->name_bytes_left -= len;
	return source_builder_string(r->b, name, len);
}

static uint32_t file_string(struct reading *r, int32_t number)
{
	size_t len = 0;

	if (number < 0 || !r->name_bytes_left)
		return 0;
	if (number != r->last_file) {
		const char *name = go_pclntab_file(&r->m->table, &r->f, number, &len);

		r->last_string = string_of(r, name, len);
		r->last_file = number;
	}
	return r->last_string;
}

static uint32_t name_string(struct reading *r, uint32_t name)
{
	size_t len = 0;
	const char *s = r->name_bytes_left ? go_pclntab_name(&r->m->table, name, &len) : NULL;

	return string_of(r, s, len);
}

static uint32_t line_of(int32_t value)
{
	return value > 0 ? (uint32_t)value : 0;
}

/* A node's scope has its caller's for a parent: outwards to one that is there, then back. Calls of a chain without end are left out. */
static uint32_t scope_of_node(struct reading *r, int32_t node)
{
	struct go_inlined calls[SOURCE_MAX_DEPTH];
	int32_t chain[SOURCE_MAX_DEPTH];
	uint32_t nr = 0, scope = r->scope;

	for (; node >= 0; node = value_at(&r->nodes, calls[nr - 1].parent_addr)) {
		if ((uint32_t)node < r->scope_of_node.nr && r->scope_of_node.v[node] != SOURCE_NONE) {
			scope = r->scope_of_node.v[node];
			break;
		}
		if (nr == SOURCE_MAX_DEPTH || node >= (int32_t)MAX_NODES || !go_module_inlined(r->m, &r->f, (uint32_t)node, &calls[nr]))
			return r->scope;
		chain[nr++] = node;
	}
	while (nr--) {
		struct source_unit_scope s = {
			.parent = scope,
			.function = name_string(r, calls[nr].name),
			.call_file = file_string(r, value_at(&r->files, calls[nr].parent_addr)),
			.call_line = line_of(value_at(&r->lines, calls[nr].parent_addr)),
		};

		scope = source_builder_add_scope(r->b, &s);
		while (r->scope_of_node.nr <= (uint32_t)chain[nr])
			vec_push(&r->scope_of_node, SOURCE_NONE);
		r->scope_of_node.v[chain[nr]] = scope;
	}
	return scope;
}

static void add_inlines(struct reading *r)
{
	r->nodes.list.nr = r->scope_of_node.nr = 0;
	if (!r->f.has_inlines || !r->m->trees)
		return;
	read_spans(r, &r->nodes, r->f.inline_values);
	for (uint32_t i = 0; i < r->nodes.list.nr; i++) {
		const struct value_span *s = &r->nodes.list.v[i];

		if (s->value >= 0)
			source_builder_add_span(r->b, s->start, s->end, scope_of_node(r, s->value));
	}
}

/* A row wherever the file or the line changes. */
static void add_rows(struct reading *r)
{
	uint32_t file = 0, line = 0;
	uint64_t at = r->f.start, end = r->f.start;

	while (line < r->lines.list.nr) {
		const struct value_span *l = &r->lines.list.v[line];
		const struct value_span *f;

		while (file < r->files.list.nr && r->files.list.v[file].end <= at)
			file++;
		f = file < r->files.list.nr ? &r->files.list.v[file] : NULL;
		end = f && f->end < l->end ? f->end : l->end;
		source_builder_add_row(r->b, &(struct source_builder_row){
						     .addr = at, .file = f ? file_string(r, f->value) : 0, .line = line_of(l->value) });
		at = end;
		if (l->end <= at)
			line++;
	}
	source_builder_end_rows(r->b, end);
}

static void add_function(struct reading *r, uint32_t i)
{
	if (!go_pclntab_function(&r->m->table, i, &r->f))
		return;
	r->last_file = -1;
	r->scope =
		source_builder_add_scope(r->b, &(struct source_unit_scope){ .parent = SOURCE_NONE, .function = name_string(r, r->f.name) });
	source_builder_add_span(r->b, r->f.start, r->f.end, r->scope);
	read_spans(r, &r->files, r->f.file_values);
	read_spans(r, &r->lines, r->f.line_values);
	add_inlines(r);
	add_rows(r);
}

void *go_source_read(const struct go_module *m, uint64_t unit, size_t *size)
{
	struct source_builder b = { 0 };
	struct reading r = { .m = m, .b = &b, .name_bytes_left = MAX_NAME_BYTES };
	uint32_t next;
	void *bytes;

	if (unit >= m->table.nr_functions)
		return NULL;
	next = next_unit(&m->table, (uint32_t)unit);
	for (uint32_t i = (uint32_t)unit; i < next; i++)
		add_function(&r, i);
	bytes = source_builder_finish(&b, size);
	source_builder_fini(&b);
	vec_fini(&r.files.list);
	vec_fini(&r.lines.list);
	vec_fini(&r.nodes.list);
	vec_fini(&r.scope_of_node);
	return bytes;
}

/* A symbol for each function. Names are as Go prints them: main.(*T).Method. Each function ends where the next begins. */
int go_symbols_load(struct symtab *t, const struct elf_file *f)
{
	struct go_module m;
	size_t left, len;
	int nr = 0, err = go_module_open(&m, f, false);

	if (err)
		return err;
	/* Each function has a name of its own in the table: only hostile ones have more bytes together than the table. */
	left = m.table.size;
	for (uint32_t i = 0; i < m.table.nr_functions; i++) {
		struct go_function fn;
		const char *name;
		uint64_t off;

		if (!go_pclntab_function(&m.table, i, &fn) || !elf_file_offset(f, fn.start, &off))
			continue;
		name = go_pclntab_name(&m.table, fn.name, &len);
		if (!name || !len)
			continue;
		if (len > left)
			break;
		left -= len;
		symtab_add(t, off, off + (fn.end - fn.start), name, len, SYMBOL_GLOBAL, SYMBOL_FUNCTION);
		nr++;
	}
	go_module_close(&m);
	return nr ? nr : -ENODATA;
}
