/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Statements of source files, out of the line tables of all units that have a file of that name: a header may be in thousands of units, each
 * with code that no other one has. Units are read by several threads, and kept until those before them are done.
 */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "base/suggest.h"
#include "symbols/probe_place.h"

#define UNITS_A_ROUND 256U
#define TIDY_ROWS (1U << 16)

struct file_row {
	uint64_t addr;
	uint32_t path, line;
};

/* What was found in a unit. */
struct unit_files {
	struct source_builder names;
	VEC(uint32_t) paths;	   /* strings of `names`, ascending: each is made when its turn comes */
	VEC(struct file_row) rows; /* of the lines that are wanted */
	uint32_t tidy_at;	   /* so many are sorted, and those that are there twice removed */
};

struct files_reading {
	struct probe_module *m;
	const char *name;
	const struct probe_file_reader *reader;
	uint32_t first_unit;
	struct unit_files *units;
};

struct row_taking {
	const struct probe_file_reader *reader;
	struct unit_files *to;
};

static int compare_rows(const void *a, const void *b)
{
	const struct file_row *x = a, *y = b;

	return compare_u32(&x->path, &y->path) ?: compare_u32(&x->line, &y->line);
}

static bool has_path(const struct unit_files *u, uint32_t path)
{
	uint32_t i = vec_search(u->paths.nr, n, u->paths.v[n] >= path);

	return i < u->paths.nr && u->paths.v[i] == path;
}

static void take_row(void *ctx, const struct dwarf_line_row *row)
{
	const struct row_taking *x = ctx;
	const struct probe_file_reader *r = x->reader;
	struct unit_files *u = x->to;
	const struct file_row *last = u->rows.nr ? &u->rows.v[u->rows.nr - 1] : NULL;

	if (!probe_is_statement(row) || row->line < r->first || row->line > r->last)
		return;
	if (r->lines) {
		uint32_t i = vec_search(r->lines->v.nr, n, r->lines->v.v[n] >= row->line);

		if (i == r->lines->v.nr || r->lines->v.v[i] != row->line)
			return;
	} else if (last && last->line == row->line && last->path == row->file) {
		return;
	}
	if (!has_path(u, row->file))
		return;
	vec_push(&u->rows, ((struct file_row){ row->addr, row->file, row->line }));
	if (r->lines || u->rows.nr < u->tidy_at)
		return;
	vec_sort_unique(&u->rows, compare_rows);
	u->tidy_at = u->rows.nr * 2 < TIDY_ROWS ? TIDY_ROWS : u->rows.nr * 2;
}

static bool choose_paths(struct unit_files *u, struct dwarf_lines *lines, const char *name, bool *files)
{
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
	size_t len = strlen(base);

	for (uint32_t k = 0; k < lines->files.nr; k++) {
		uint32_t path;

		/* Nearly all names differ in their last part: no path is put together for those. */
		if (!dwarf_lines_has_name(lines, k, base, len))
			continue;
		path = dwarf_lines_path(lines, k);
		if (!path || !probe_same_file(u->names.strings.v + path, name))
			continue;
		files[k] = true;
		if (!has_path(u, path))
			vec_push(&u->paths, path);
	}
	return u->paths.nr;
}

static void read_lines(const struct files_reading *x, struct unit_files *to, struct dwarf_unit *u)
{
	struct row_taking taking = { x->reader, to };
	struct dwarf_lines lines;
	bool *files;

	if (dwarf_lines_init(&lines, u, &to->names))
		return;
	files = mem_zalloc(lines.files.nr + 1);
	if (choose_paths(to, &lines, x->name, files) && x->reader->row) {
		const struct dwarf_line_filter filter = { files, lines.files.nr, x->reader->first, x->reader->last };

		to->tidy_at = TIDY_ROWS;
		lines.sink = take_row;
		lines.sink_ctx = &taking;
		lines.filter = &filter;
		dwarf_lines_run(&lines);
	}
	free(files);
	dwarf_lines_fini(&lines);
}

static void read_unit(void *ctx, uint32_t i)
{
	struct files_reading *x = ctx;
	const struct dwarf_units *us = &x->m->dwarf.units;
	struct dwarf_unit u;

	if (dwarf_unit_init(&u, &x->m->dwarf.file, &us->headers.v[x->first_unit + i]))
		return;
	if (u.stmt_list != DWARF_NONE && u.tag != DW_TAG_partial_unit)
		read_lines(x, &x->units[i], &u);
	dwarf_unit_fini(&u);
}

static void give_unit(const struct probe_file_reader *r, struct unit_files *u)
{
	for (uint32_t i = 0; i < u->paths.nr; i++)
		r->path(r->ctx, u->names.strings.v + u->paths.v[i]);
	for (uint32_t i = 0; i < u->rows.nr; i++)
		r->row(r->ctx, u->names.strings.v + u->rows.v[i].path, u->rows.v[i].line, u->rows.v[i].addr);
	source_builder_fini(&u->names);
	vec_fini(&u->paths);
	vec_fini(&u->rows);
}

void probe_files_read(struct probe_module *m, const char *name, const struct probe_file_reader *reader)
{
	struct files_reading x = { .m = m, .name = name, .reader = reader };
	uint32_t nr = m->dwarf.units.headers.nr;

	for (; x.first_unit < nr; x.first_unit += UNITS_A_ROUND) {
		uint32_t now = nr - x.first_unit < UNITS_A_ROUND ? nr - x.first_unit : UNITS_A_ROUND;

		x.units = mem_zalloc(now * sizeof(*x.units));
		pool_run(now, 0, read_unit, &x);
		for (uint32_t i = 0; i < now; i++)
			give_unit(reader, &x.units[i]);
		free(x.units);
	}
}

/* The nearest of all names of files. */
struct name_search {
	struct suggest suggest;
	char *best;
};

static void offer_name(struct name_search *s, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (strlen(slash ? slash + 1 : path) < 64)
		suggest_offer(&s->suggest, slash ? slash + 1 : path);
	if (s->suggest.best && s->suggest.best != s->best) {
		free(s->best);
		s->suggest.best = s->best = mem_strdup(s->suggest.best);
	}
}

int probe_no_such_file(struct probe_module *m, const char *name, struct errbuf *eb)
{
	const char *slash = strrchr(name, '/'), *in = m->path ? m->path : "the kernel";
	struct name_search s = { .best = NULL };

	suggest_init(&s.suggest, slash ? slash + 1 : name);
	for (uint32_t i = 0; i < m->dwarf.units.headers.nr; i++) {
		struct source_builder names = { 0 };
		struct dwarf_lines lines;
		struct dwarf_unit u;

		if (dwarf_unit_init(&u, &m->dwarf.file, &m->dwarf.units.headers.v[i]))
			continue;
		if (u.stmt_list != DWARF_NONE && dwarf_lines_init(&lines, &u, &names) == 0) {
			for (uint32_t k = 0; k < lines.files.nr; k++) {
				uint32_t path = dwarf_lines_path(&lines, k);

				if (path)
					offer_name(&s, names.strings.v + path);
			}
			dwarf_lines_fini(&lines);
		}
		source_builder_fini(&names);
		dwarf_unit_fini(&u);
	}
	if (s.best)
		errbuf_set(eb, -ENOENT, "no source file '%s' is part of %s; did you mean '%s'?", name, in, s.best);
	else
		errbuf_set(eb, -ENOENT, "no source file '%s' is part of %s", name, in);
	free(s.best);
	return -ENOENT;
}
