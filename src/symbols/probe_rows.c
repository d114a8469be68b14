/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Line tables for probes: with the marks of statements and prologues that profiles do not need. A unit's table is read once.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/probe_find.h"

static void take_row(void *ctx, const struct dwarf_line_row *row)
{
	struct probe_rows *r = ctx;

	vec_push(&r->v, *row);
}

static int compare_rows(const void *a, const void *b)
{
	const struct dwarf_line_row *x = a, *y = b;

	/* The end of one sequence is where another begins. */
	return COMPARE(x->addr, y->addr) ?: COMPARE(y->is_end, x->is_end);
}

/* Rows of one address stay in their order: the last one is the line of the code. */
static void sort_rows(struct probe_rows *r)
{
	struct dwarf_line_row *sorted;
	uint32_t nr_sequences = 0, first = 0, at = 0;
	struct sequence {
		uint64_t addr;
		uint32_t first, nr;
	} * sequences;

	for (uint32_t i = 0; i < r->v.nr; i++)
		nr_sequences += r->v.v[i].is_end || i + 1 == r->v.nr;
	sequences = mem_alloc((nr_sequences + 1) * sizeof(*sequences));
	nr_sequences = 0;
	for (uint32_t i = 0; i < r->v.nr; i++) {
		if (!r->v.v[i].is_end && i + 1 != r->v.nr)
			continue;
		sequences[nr_sequences++] = (struct sequence){ r->v.v[first].addr, first, i + 1 - first };
		first = i + 1;
	}
	if (nr_sequences > 1)
		qsort(sequences, nr_sequences, sizeof(*sequences), compare_u64);
	sorted = mem_alloc((r->v.nr + 1) * sizeof(*sorted));
	for (uint32_t i = 0; i < nr_sequences; i++) {
		memcpy(sorted + at, r->v.v + sequences[i].first, sequences[i].nr * sizeof(*sorted));
		at += sequences[i].nr;
	}
	for (uint32_t i = 1; i < r->v.nr; i++)
		if (compare_rows(&sorted[i - 1], &sorted[i]) > 0) {
			/* Sequences that overlap are damage; searches need an order. */
			qsort(sorted, r->v.nr, sizeof(*sorted), compare_rows);
			break;
		}
	free(sequences);
	free(r->v.v);
	r->v.v = sorted;
	r->v.cap = r->v.nr + 1;
}

const struct probe_rows *probe_rows_get(struct probe_module *m, const struct dwarf_tree *t)
{
	struct probe_rows *r;

	for (uint32_t i = 0; i < m->rows.nr; i++)
		if (m->rows.v[i]->tree == t)
			return m->rows.v[i]->v.nr || m->rows.v[i]->lines.files.nr ? m->rows.v[i] : NULL;
	r = mem_zalloc(sizeof(*r));
	r->tree = t;
	vec_push(&m->rows, r);
	/* Lines are always in the program's own file, with the first half of a split unit. */
	if (t->own.stmt_list == DWARF_NONE || dwarf_lines_init(&r->lines, &t->own, &r->strings))
		return NULL;
	r->lines.sink = take_row;
	r->lines.sink_ctx = r;
	dwarf_lines_run(&r->lines);
	if (r->v.nr)
		sort_rows(r);
	return r;
}

void probe_rows_free(struct probe_rows *r)
{
	dwarf_lines_fini(&r->lines);
	source_builder_fini(&r->strings);
	vec_fini(&r->v);
	free(r);
}

bool probe_declared(struct probe_module *m, const struct dwarf_die *die, const char **path, uint32_t *line)
{
	struct dwarf_die at = *die, next;
	struct dwarf_value v;
	uint64_t file, number;

	/* The file is relative to the unit of the entry that names it; gcc repeats neither in clones. */
	for (int hops = 0; hops < 16; hops++, at = next) {
		if (dwarf_die_value(&at, DW_AT_decl_line, &v) && dwarf_value_number(&v, &number) && number <= INT32_MAX) {
			struct dwarf_die from;
			struct probe_rows *r;
			const char *path_here;

			/* A definition in the file of its declaration does not repeat it. */
			if (!dwarf_die_find(&at, DW_AT_decl_file, &v, &from) || !dwarf_value_number(&v, &file))
				return false;
			r = (struct probe_rows *)(uintptr_t)probe_rows_get(m, from.tree);
			if (!r)
				return false;
			path_here = probe_rows_path(r, dwarf_lines_path(&r->lines, file));
			/* Strings of the rows move when others are added. */
			*path = arena_str(&m->trees.arena, path_here, strlen(path_here));
			*line = (uint32_t)number;
			return **path;
		}
		if (!dwarf_die_ref(&at, DW_AT_abstract_origin, &next) && !dwarf_die_ref(&at, DW_AT_specification, &next))
			return false;
	}
	return false;
}

bool probe_same_file(const char *path, const char *file)
{
	size_t path_len = strlen(path), len;

	while (!strncmp(file, "./", 2))
		file += 2;
	len = strlen(file);
	if (len > path_len || strcmp(path + path_len - len, file) != 0)
		return false;
	return len == path_len || file[0] == '/' || path[path_len - len - 1] == '/';
}

/* gcc writes its options behind its name. */
static bool is_optimised(const struct dwarf_tree *t)
{
	struct dwarf_die root;
	const char *producer, *o;

	if (!dwarf_die_root((struct dwarf_tree *)(uintptr_t)t, &root))
		return true;
	producer = dwarf_die_string(&root, DW_AT_producer);
	if (!producer || strncmp(producer, "GNU", 3) != 0)
		return true;
	o = producer;
	while ((o = strstr(o, " -O")) != NULL) {
		if (o[3] != '0' && o[3] != 'p')
			return true;
		o += 3;
	}
	return false;
}

/* The end of the range that the entry is in. */
static uint64_t end_of_entry(const struct probe_function *f)
{
	struct dwarf_ranges r = { 0 };
	uint64_t end = f->entry;

	dwarf_die_ranges(&f->die, &r);
	for (uint32_t i = 0; i < r.list.nr; i++)
		if (f->entry >= r.list.v[i].start && f->entry < r.list.v[i].end)
			end = r.list.v[i].end;
	vec_fini(&r.list);
	return end;
}

uint64_t probe_after_prologue(struct probe_module *m, const struct probe_function *f)
{
	const struct probe_rows *r = probe_rows_get(m, f->die.tree);
	uint64_t end;
	uint32_t first, i;

	if (f->is_inlined || !r)
		return f->entry;
	end = end_of_entry(f);
	first = vec_search(r->v.nr, k, r->v.v[k].addr >= f->entry);
	/* Where the function before it ends. */
	while (first < r->v.nr && r->v.v[first].is_end && r->v.v[first].addr == f->entry)
		first++;
	for (i = first; i < r->v.nr && r->v.v[i].addr < end && !r->v.v[i].is_end; i++)
		if (r->v.v[i].is_prologue_end)
			return r->v.v[i].addr;
	/* Without optimisation gcc gives the body a row of its own, even where its line is that of the function. With it, the code of the
	 * second row may be one that not all calls come to. */
	if (is_optimised(f->die.tree))
		return f->entry;
	for (i = first; i < r->v.nr && r->v.v[i].addr < end && !r->v.v[i].is_end; i++)
		if (r->v.v[i].addr > f->entry && r->v.v[i].is_stmt && r->v.v[i].line)
			return r->v.v[i].addr;
	return f->entry;
}
