/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Source lines: the addresses of a line, lines that match a pattern, and the lines with code of a function or a file (-L).
 */
#include <dwarf.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/probe_place.h"
#include "symbols/probe_resolve.h"

#define MAX_DEPTH 32U

/* Rows at which a statement of a line begins. */
static bool is_statement(const struct dwarf_line_row *row)
{
	return row->is_stmt && !row->is_end && row->line;
}

static bool is_path(const struct probe_rows *r, uint32_t file, const char *path)
{
	return file && !strcmp(probe_rows_path(r, file), path);
}

void probe_spots_of_line(struct probe_module *m, const struct probe_function *f, const char *path, uint32_t line, struct probe_spots *spots)
{
	const struct probe_rows *r = probe_rows_get(m, f->die.tree);
	struct dwarf_ranges ranges = { 0 };

	if (!r)
		return;
	dwarf_die_ranges(&f->die, &ranges);
	for (uint32_t k = 0; k < ranges.list.nr; k++) {
		const struct dwarf_range *in = &ranges.list.v[k];

		for (uint32_t i = vec_search(r->v.nr, n, r->v.v[n].addr >= in->start); i < r->v.nr && r->v.v[i].addr < in->end; i++)
			if (is_statement(&r->v.v[i]) && r->v.v[i].line == line && is_path(r, r->v.v[i].file, path))
				vec_push(&spots->v,
					 ((struct probe_spot){
						 .vaddr = r->v.v[i].addr, .f = *f, .has_function = true, .path = path, .line = line }));
	}
	vec_fini(&ranges.list);
}

void probe_lines_of(struct probe_module *m, const struct probe_function *f, const char *path, struct probe_line_set *set)
{
	const struct probe_rows *r = probe_rows_get(m, f->die.tree);
	struct dwarf_ranges ranges = { 0 };

	if (!r)
		return;
	dwarf_die_ranges(&f->die, &ranges);
	for (uint32_t k = 0; k < ranges.list.nr; k++) {
		const struct dwarf_range *in = &ranges.list.v[k];

		for (uint32_t i = vec_search(r->v.nr, n, r->v.v[n].addr >= in->start); i < r->v.nr && r->v.v[i].addr < in->end; i++)
			if (is_statement(&r->v.v[i]) && is_path(r, r->v.v[i].file, path))
				vec_push(&set->v, r->v.v[i].line);
	}
	vec_fini(&ranges.list);
	vec_sort_unique(&set->v, compare_u32);
}

/* Of the functions at an address, the one that a line belongs to: the last one that begins before it in the file. */
static void choose_function(struct probe_module *m, struct probe_spot *spot)
{
	struct probe_function fs[MAX_DEPTH];
	uint32_t nr = probe_functions_at(m, spot->vaddr, fs, MAX_DEPTH), best = 0;

	for (uint32_t i = 0; i < nr; i++) {
		const char *path;
		uint32_t line;

		if (!probe_declared(m, &fs[i].die, &path, &line) || strcmp(path, spot->path) || line > spot->line || line < best)
			continue;
		best = line;
		spot->f = fs[i];
		spot->has_function = true;
	}
	if (!spot->has_function && nr) {
		spot->f = fs[nr - 1];
		spot->has_function = true;
	}
}

/* Calls for each unit whose line table has a file of that name. */
typedef void unit_fn(void *ctx, const struct probe_rows *r, uint32_t file);

static void for_files(struct probe_module *m, const char *name, unit_fn *fn, void *ctx)
{
	struct dwarf_units *us = &m->dwarf.units;

	for (uint32_t i = 0; i < us->headers.nr; i++) {
		struct source_builder names = { 0 };
		struct dwarf_lines lines;
		struct dwarf_unit u;
		bool has = false;

		if (dwarf_unit_init(&u, &m->dwarf.file, &us->headers.v[i]))
			continue;
		if (u.stmt_list != DWARF_NONE && u.tag != DW_TAG_partial_unit && dwarf_lines_init(&lines, &u, &names) == 0) {
			for (uint32_t k = 0; k < lines.files.nr && !has; k++) {
				uint32_t path = dwarf_lines_path(&lines, k);

				has = path && probe_same_file(names.strings.v + path, name);
			}
			dwarf_lines_fini(&lines);
		}
		source_builder_fini(&names);
		dwarf_unit_fini(&u);
		if (has) {
			struct dwarf_tree *t = dwarf_trees_get(&m->trees, &us->headers.v[i], false);
			struct probe_rows *r = t ? (struct probe_rows *)(uintptr_t)probe_rows_get(m, t) : NULL;

			for (uint32_t k = 0; r && k < r->lines.files.nr; k++) {
				uint32_t path = dwarf_lines_path(&r->lines, k);

				if (path && probe_same_file(probe_rows_path(r, path), name))
					fn(ctx, r, path);
			}
		}
	}
}

struct line_search {
	struct probe_module *m;
	const struct probe_spec *spec;
	struct probe_spots *spots;
	uint32_t line;
	uint32_t before, after; /* nearest lines with code */
	bool has_file;
	const char *path; /* of the first file that was found */
};

static void take_line(void *ctx, const struct probe_rows *r, uint32_t file)
{
	struct line_search *s = ctx;
	const char *path = probe_rows_path(r, file);

	path = arena_str(&s->m->trees.arena, path, strlen(path));
	s->has_file = true;
	for (uint32_t i = 0; i < r->v.nr; i++) {
		const struct dwarf_line_row *row = &r->v.v[i];
		struct probe_spot spot = { .vaddr = row->addr, .path = path, .line = s->line };

		if (!is_statement(row) || row->file != file)
			continue;
		if (row->line < s->line && row->line > s->before)
			s->before = row->line;
		if (row->line > s->line && (!s->after || row->line < s->after))
			s->after = row->line;
		if (row->line != s->line)
			continue;
		choose_function(s->m, &spot);
		vec_push(&s->spots->v, spot);
	}
}

int probe_spots_of_source(struct probe_module *m, const struct probe_spec *spec, struct probe_spots *spots, struct errbuf *eb)
{
	struct line_search s = { .m = m, .spec = spec, .spots = spots, .line = spec->line };

	for_files(m, spec->file, take_line, &s);
	if (spots->v.nr)
		return 0;
	if (!s.has_file)
		return errbuf_set(eb, -ENOENT, "no source file '%s' is part of %s", spec->file, m->path ? m->path : "the kernel");
	return errbuf_set(eb, -ENOENT, "line %u of %s has no code of its own; the nearest lines with code are %u and %u", spec->line,
			  spec->file, s.before, s.after ? s.after : s.before);
}

/* Without blanks, for patterns. */
static void squeeze(char *s)
{
	char *to = s;

	for (; *s; s++)
		if (*s != ' ' && *s != '\t' && *s != '\n' && *s != '\r')
			*to++ = *s;
	*to = 0;
}

/* Lines [first, last] of a source file that match a glob. */
static int match_lines(const char *path, const char *pattern, uint32_t first, uint32_t last, struct probe_line_set *set, struct errbuf *eb)
{
	FILE *f = fopen(path, "re");
	char *line = NULL, *glob;
	size_t cap = 0;

	if (!f)
		return errbuf_set(eb, -errno, "the source file %s cannot be read, which a pattern needs: %s", path, strerror(errno));
	glob = mem_strdup(pattern);
	squeeze(glob);
	for (uint32_t n = 1; n <= last && getline(&line, &cap, f) >= 0; n++) {
		if (n < first)
			continue;
		squeeze(line);
		if (fnmatch(glob, line, 0) == 0)
			vec_push(&set->v, n);
	}
	free(line);
	free(glob);
	fclose(f);
	return 0;
}

static void note_path(void *ctx, const struct probe_rows *r, uint32_t file)
{
	struct line_search *s = ctx;
	const char *path = probe_rows_path(r, file);

	if (!s->path)
		s->path = arena_str(&s->m->trees.arena, path, strlen(path));
}

int probe_spots_of_pattern(struct probe_module *m, const struct probe_function *f, const struct probe_spec *spec, struct probe_spots *spots,
			   struct errbuf *eb)
{
	struct line_search s = { .m = m, .spec = spec, .spots = spots };
	struct probe_line_set lines = { 0 }, matched = { 0 };
	uint32_t first = 1, last = UINT32_MAX;
	int err;

	if (f) {
		if (!probe_declared(m, &f->die, &s.path, &first))
			return 0;
		probe_lines_of(m, f, s.path, &lines);
		last = lines.v.nr ? lines.v.v[lines.v.nr - 1] : first;
		vec_fini(&lines.v);
	} else {
		for_files(m, spec->file, note_path, &s);
		if (!s.path)
			return errbuf_set(eb, -ENOENT, "no source file '%s' is part of %s", spec->file, m->path ? m->path : "the kernel");
	}
	err = match_lines(s.path, spec->pattern, first, last, &matched, eb);
	for (uint32_t i = 0; !err && i < matched.v.nr; i++) {
		s.line = matched.v.v[i];
		if (f)
			probe_spots_of_line(m, f, s.path, s.line, spots);
		else
			for_files(m, s.path, take_line, &s);
	}
	vec_fini(&matched.v);
	if (!err && !f && !spots->v.nr)
		err = errbuf_set(eb, -ENOENT, "no line of %s with code matches '%s'", spec->file, spec->pattern);
	return err;
}

static void take_lines(void *ctx, const struct probe_rows *r, uint32_t file)
{
	struct probe_lines *to = ctx;

	if (!to->path)
		to->path = mem_strdup(probe_rows_path(r, file));
	for (uint32_t i = 0; i < r->v.nr; i++)
		if (is_statement(&r->v.v[i]) && r->v.v[i].file == file)
			vec_push(&to->lines, r->v.v[i].line);
}

/* Most functions have a symbol of their name, which leads to their unit: no other is read then. */
static bool find_quickly(struct probe_module *m, const struct probe_range_spec *range, struct probe_functions *fs)
{
	struct probe_function around[MAX_DEPTH];
	const char *name, *path;
	uint64_t vaddr;
	uint32_t line;

	*fs = (struct probe_functions){ 0 };
	if (!probe_find_symbol(m, range->function, strlen(range->function), &vaddr) || !probe_functions_at(m, vaddr, around, MAX_DEPTH) ||
	    around[0].entry != vaddr)
		return false;
	name = dwarf_die_name(&around[0].die);
	if (!name || strcmp(name, range->function) || !probe_declared(m, &around[0].die, &path, &line) ||
	    (range->file && !probe_same_file(path, range->file)))
		return false;
	vec_push(&fs->v, around[0]);
	return true;
}

static int list_function(struct probe_module *m, const struct probe_range_spec *range, struct probe_lines *to, struct errbuf *eb)
{
	struct probe_functions fs;
	struct probe_line_set set = { 0 };
	int err = find_quickly(m, range, &fs) ? 0 : probe_functions_first(m, range->function, range->file, &fs, eb);
	const char *path;
	uint32_t line;

	for (uint32_t i = 0; !err && i < fs.v.nr; i++) {
		if (!probe_declared(m, &fs.v.v[i].die, &path, &line))
			continue;
		/* Of several of that name the first one is shown, wherever it was compiled into. */
		if (!to->path) {
			const char *name = dwarf_die_name(&fs.v.v[i].die);

			to->path = mem_strdup(path);
			to->function = mem_strdup(name ? name : range->function);
			to->start = line;
		}
		if (!strcmp(path, to->path) && line == to->start)
			probe_lines_of(m, &fs.v.v[i], path, &set);
	}
	if (!err && !to->path)
		err = errbuf_set(eb, -ENOENT, "the debug information of %s has no function '%s' with lines",
				 m->path ? m->path : "the kernel", range->function);
	for (uint32_t i = 0; i < set.v.nr; i++)
		if (set.v.v[i] >= to->start)
			vec_push(&to->lines, set.v.v[i]);
	/* The entry is line 0. */
	if (to->path) {
		vec_push(&to->lines, to->start);
		vec_sort_unique(&to->lines, compare_u32);
	}
	vec_fini(&set.v);
	probe_functions_fini(&fs);
	to->first = to->start;
	to->last = to->lines.nr ? to->lines.v[to->lines.nr - 1] : to->start;
	if (range->has_range) {
		to->first = to->start + range->first;
		to->last = to->start + range->last;
	}
	return err;
}

int probe_list_lines(struct probe_module *m, const struct probe_range_spec *range, const char *source, struct probe_lines *lines,
		     struct errbuf *eb)
{
	int err = probe_module_dwarf(m, eb);

	*lines = (struct probe_lines){ 0 };
	if (err)
		return err;
	if (range->function) {
		err = list_function(m, range, lines, eb);
	} else {
		for_files(m, range->file, take_lines, lines);
		if (!lines->path)
			err = errbuf_set(eb, -ENOENT, "no source file '%s' is part of %s", range->file, m->path ? m->path : "the kernel");
		lines->first = range->has_range ? range->first : 1;
		lines->last = range->has_range ? range->last : UINT32_MAX;
		vec_sort_unique(&lines->lines, compare_u32);
	}
	if (!err && source) {
		char *moved = mem_printf("%s/%s", source, lines->path[0] == '/' ? lines->path + 1 : lines->path);

		free(lines->path);
		lines->path = moved;
	}
	if (err)
		probe_lines_fini(lines);
	return err;
}

void probe_lines_fini(struct probe_lines *lines)
{
	free(lines->function);
	free(lines->path);
	vec_fini(&lines->lines);
}
