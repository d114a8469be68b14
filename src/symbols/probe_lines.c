/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Source lines: the addresses of a line, and of lines that match a pattern, in a function or in all units that have a file of that name.
 */
#include <dwarf.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/out.h"
#include "base/suggest.h"
#include "symbols/probe_place.h"
#include "symbols/probe_resolve.h"
#include "symbols/source_text.h"

#define MAX_DEPTH 32U
#define MAX_MATCHED 4096U /* bytes of a line that a pattern is compared with */

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
			if (probe_is_statement(&r->v.v[i]) && r->v.v[i].line == line && is_path(r, r->v.v[i].file, path))
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
			if (probe_is_statement(&r->v.v[i]) && is_path(r, r->v.v[i].file, path))
				vec_push(&set->v, r->v.v[i].line);
	}
	vec_fini(&ranges.list);
	vec_sort_unique(&set->v, compare_u32);
}

uint32_t probe_last_line_of(struct probe_module *m, const struct probe_function *f, const char *path)
{
	const struct probe_rows *r = probe_rows_get(m, f->die.tree);
	struct dwarf_ranges ranges = { 0 };
	uint32_t last = 0;

	dwarf_die_ranges(&f->die, &ranges);
	for (uint32_t k = 0; r && k < ranges.list.nr; k++) {
		const struct dwarf_range *in = &ranges.list.v[k];

		for (uint32_t i = vec_search(r->v.nr, n, r->v.v[n].addr >= in->start); i < r->v.nr && r->v.v[i].addr < in->end; i++)
			if (!r->v.v[i].is_end && r->v.v[i].line > last && is_path(r, r->v.v[i].file, path))
				last = r->v.v[i].line;
	}
	vec_fini(&ranges.list);
	return last;
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

struct line_search {
	struct probe_module *m;
	struct probe_spots *spots;
	uint32_t max;			    /* places that can be used */
	const struct probe_line_set *lines; /* that are looked for, ascending */
	const char *path;		    /* the last one that was found, in the arena of the trees; NULL */
};

static void note_path(void *ctx, const char *path)
{
	struct line_search *s = ctx;

	if (!s->path || strcmp(s->path, path) != 0)
		s->path = arena_str(&s->m->trees.arena, path, strlen(path));
}

static void note_first_path(void *ctx, const char *path)
{
	struct line_search *s = ctx;

	if (!s->path)
		note_path(ctx, path);
}

static void take_line(void *ctx, const char *path, uint32_t line, uint64_t addr)
{
	struct line_search *s = ctx;

	note_path(s, path);
	vec_push(&s->spots->v, ((struct probe_spot){ .vaddr = addr, .path = s->path, .line = line }));
}

/* The places of s->lines in all files of that name. */
static void find_lines(struct line_search *s, const char *file)
{
	const struct probe_file_reader reader = {
		.path = note_path,
		.row = take_line,
		.ctx = s,
		.first = s->lines->v.v[0],
		.last = s->lines->v.v[s->lines->v.nr - 1],
		.lines = s->lines,
	};

	probe_files_read(s->m, file, &reader);
	probe_spots_sort(s->spots);
	/* Of more than can be used, only their number is of interest. */
	for (uint32_t i = 0; i < s->spots->v.nr && s->spots->v.nr <= s->max; i++)
		choose_function(s->m, &s->spots->v.v[i]);
}

/* The lines with code that are nearest to one that has none. */
struct nearest_lines {
	uint32_t line, before, after; /* 0: none */
};

static void ignore_path(void *ctx, const char *path)
{
	(void)ctx;
	(void)path;
}

static void compare_line(void *ctx, const char *path, uint32_t line, uint64_t addr)
{
	struct nearest_lines *n = ctx;

	(void)path;
	(void)addr;
	if (line < n->line && line > n->before)
		n->before = line;
	if (line > n->line && (!n->after || line < n->after))
		n->after = line;
}

static int no_such_line(struct probe_module *m, const struct probe_spec *spec, struct errbuf *eb)
{
	struct nearest_lines n = { .line = spec->line };
	struct probe_file_reader reader = { .path = ignore_path, .row = compare_line, .ctx = &n };

	/* Few rows are near, and passing over the others is fast. */
	for (uint32_t reach = 64; !n.before || !n.after; reach = UINT32_MAX) {
		reader.first = n.line > reach ? n.line - reach : 0;
		reader.last = n.line < UINT32_MAX - reach ? n.line + reach : UINT32_MAX;
		probe_files_read(m, spec->file, &reader);
		if (reach == UINT32_MAX)
			break;
	}
	if (!n.before && !n.after)
		return errbuf_set(eb, -ENOENT, "no line of %s has code", spec->file);
	if (!n.before || !n.after)
		return errbuf_set(eb, -ENOENT, "line %u of %s has no code of its own; the nearest line with code is %u", spec->line,
				  spec->file, n.before ? n.before : n.after);
	return errbuf_set(eb, -ENOENT, "line %u of %s has no code of its own; the nearest lines with code are %u and %u", spec->line,
			  spec->file, n.before, n.after);
}

int probe_spots_of_source(struct probe_module *m, const struct probe_spec *spec, uint32_t max, struct probe_spots *spots, struct errbuf *eb)
{
	struct probe_line_set lines = { 0 };
	struct line_search s = { .m = m, .spots = spots, .max = max, .lines = &lines };

	vec_push(&lines.v, spec->line);
	find_lines(&s, spec->file);
	vec_fini(&lines.v);
	if (spots->v.nr)
		return 0;
	return s.path ? no_such_line(m, spec, eb) : probe_no_such_file(m, spec->file, eb);
}

/* A line without blanks, for patterns; in the memory of the one before. */
static const char *squeeze(struct out *o, const char *line, size_t len)
{
	o->len = 0;
	for (size_t i = 0; i < len && i < MAX_MATCHED; i++)
		if (!strchr(" \t\r", line[i]))
			out_char(o, line[i]);
	out_char(o, 0);
	return o->buf;
}

/* Lines [first, last] of a source file that match a glob. */
static int match_lines(const char *path, const char *pattern, uint32_t first, uint32_t last, struct probe_line_set *set, struct errbuf *eb)
{
	struct source_text *t = source_text_read(path);
	const char *line;
	char *glob;
	struct out o;
	size_t len;

	if (!t->data) {
		int err = errbuf_set(eb, -ENOENT, "the source file %s cannot be read, which a pattern needs: %s", path, t->why);

		source_text_free(t);
		return err;
	}
	out_init(&o, -1);
	glob = mem_strdup(squeeze(&o, pattern, strlen(pattern)));
	for (uint32_t n = first; n <= last && (line = source_text_line(t, n, &len)) != NULL; n++)
		if (fnmatch(glob, squeeze(&o, line, len), 0) == 0)
			vec_push(&set->v, n);
	free(glob);
	out_fini(&o);
	source_text_free(t);
	return 0;
}

int probe_spots_of_pattern(struct probe_module *m, const struct probe_function *f, const struct probe_spec *spec, uint32_t max,
			   struct probe_spots *spots, struct errbuf *eb)
{
	struct line_search s = { .m = m, .spots = spots, .max = max };
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
		const struct probe_file_reader reader = { .path = note_first_path, .ctx = &s };

		probe_files_read(m, spec->file, &reader);
		if (!s.path)
			return probe_no_such_file(m, spec->file, eb);
	}
	err = match_lines(s.path, spec->pattern, first, last, &matched, eb);
	for (uint32_t i = 0; !err && f && i < matched.v.nr; i++)
		probe_spots_of_line(m, f, s.path, matched.v.v[i], spots);
	if (!err && !f && matched.v.nr) {
		s.lines = &matched;
		find_lines(&s, s.path);
	}
	vec_fini(&matched.v);
	if (!err && !f && !spots->v.nr)
		err = errbuf_set(eb, -ENOENT, "no line of %s with code matches '%s'", spec->file, spec->pattern);
	return err;
}
