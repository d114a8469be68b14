/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Instructions, source lines and names of functions as rows, in the order of the addresses. Source is put in front of the code of it as
 * objdump does: some lines before it the first time, else what was not shown yet, or the line alone where the code goes back.
 */
#include "model/annotation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES_BEFORE 5
#define BYTES_IN_ROW 7 /* of x86; instructions of arm64 have four */

static struct annotation_row *add_row(struct annotation_rows *r, enum annotation_row_kind kind, const char *text, size_t len)
{
	struct annotation_row *row = vec_add(&r->v);

	*row = (struct annotation_row){ .kind = (uint8_t)kind, .index = ANNOTATION_NONE, .text = text, .len = len };
	return row;
}

static void add_head(struct annotation_rows *r, const struct annotation *a)
{
	char text[128];
	char *name;

	for (int i = 0; i < 3; i++)
		add_row(r, ANNOTATION_BLANK, "", 0);
	snprintf(text, sizeof(text), "Disassembly of section %.80s:", a->section ? a->section : "?");
	if (a->section)
		add_row(r, ANNOTATION_HEAD, arena_str(&r->arena, text, strlen(text)), strlen(text));
	add_row(r, ANNOTATION_BLANK, "", 0);
	if (a->start != a->function_start)
		snprintf(text, sizeof(text), "+0x%llx", (unsigned long long)(a->start - a->function_start));
	name = mem_printf("%016llx <%s%s>:", (unsigned long long)a->vaddr, a->name, a->start != a->function_start ? text : "");
	add_row(r, ANNOTATION_HEAD, arena_str(&r->arena, name, strlen(name)), strlen(name));
	free(name);
}

static struct annotation_source *find_source(struct annotation_rows *r, const struct annotation *a, const struct annotation_row_options *o,
					     const char *file)
{
	struct annotation_source *s;

	for (uint32_t i = r->sources.nr; i--;)
		if (r->sources.v[i].file == file || !strcmp(r->sources.v[i].file, file))
			return &r->sources.v[i];
	s = vec_add(&r->sources);
	*s = (struct annotation_source){ .file = file, .text = source_text_open(&o->source, file, module_code_mtime_s(a->code)) };
	if (s->text->why)
		vec_push(&r->notes, s->text->why);
	return s;
}

static void add_lines(struct annotation_rows *r, struct annotation_source *s, uint32_t line)
{
	uint32_t first = line > LINES_BEFORE ? line - LINES_BEFORE : 1;

	if (line == s->last)
		return;
	if (s->most >= first)
		first = s->most < line ? s->most + 1 : line;
	for (uint32_t i = first; i <= line; i++) {
		size_t len;
		const char *text = source_text_line(s->text, i, &len);

		if (text)
			add_row(r, ANNOTATION_SOURCE, text, len)->line = i;
	}
	if (s->most < line)
		s->most = line;
	s->last = line;
}

static void add_place(struct annotation_rows *r, const struct annotation *a, const struct annotation_row_options *o,
		      const struct annotation_place *place, bool is_new_line)
{
	struct annotation_source *s;

	if (!o->with_source || !place->file || !place->line)
		return;
	s = find_source(r, a, o, place->file);
	if (s->text->data)
		add_lines(r, s, place->line);
	else if (is_new_line)
		add_row(r, ANNOTATION_LINE, place->file, strlen(place->file))->line = place->line;
}

static void add_insn(struct annotation_rows *r, const struct annotation *a, const struct annotation_row_options *o, uint32_t i)
{
	add_row(r, ANNOTATION_INSN, &a->text.v[a->insns.v[i].text], strlen(&a->text.v[a->insns.v[i].text]))->index = i;
	for (uint8_t at = BYTES_IN_ROW; o->with_bytes && at < a->insns.v[i].size; at = (uint8_t)(at + BYTES_IN_ROW)) {
		struct annotation_row *row = add_row(r, ANNOTATION_BYTES, "", 0);

		row->index = i;
		row->at = at;
	}
}

static void add_code(struct annotation_rows *r, const struct annotation *a, const struct annotation_row_options *o)
{
	const char *function = NULL, *file = NULL;
	uint32_t line = 0;

	for (uint32_t i = 0; i < a->insns.nr; i++) {
		const struct annotation_insn *insn = &a->insns.v[i];
		const struct annotation_place *place = insn->nr_places ? &a->places.v[insn->first_place] : NULL;
		const char *name = place && *place->function ? place->function : a->name;

		if (!function || strcmp(function, name)) {
			char *text = mem_printf("%s():", name);

			add_row(r, ANNOTATION_FUNCTION, arena_str(&r->arena, text, strlen(text)), strlen(text));
			free(text);
		}
		function = name;
		if (place) {
			add_place(r, a, o, place, place->file != file || place->line != line);
			file = place->file;
			line = place->line;
		}
		add_insn(r, a, o, i);
	}
}

/* Without code: the addresses that have samples. */
static void add_points(struct annotation_rows *r, const struct annotation *a)
{
	add_row(r, ANNOTATION_NOTE, a->why_no_code, strlen(a->why_no_code));
	add_row(r, ANNOTATION_BLANK, "", 0);
	for (uint32_t i = 0; i < a->points.nr; i++)
		add_row(r, ANNOTATION_ADDRESS, "", 0)->index = i;
}

static uint64_t heat(const struct annotation *a, const struct annotation_row *row, uint32_t event)
{
	if (row->kind == ANNOTATION_INSN)
		return a->insns.v[row->index].sums ? a->insns.v[row->index].sums[event].period : 0;
	return row->kind == ANNOTATION_ADDRESS ? a->points.v[row->index].sums[event].period : 0;
}

/* Keeps the rows around the hottest one. */
static void keep_hottest(struct annotation_rows *r, const struct annotation *a, const struct annotation_row_options *o)
{
	uint32_t hottest = 0, first;

	if (!o->max_rows || r->v.nr <= o->max_rows)
		return;
	for (uint32_t i = 1; i < r->v.nr; i++)
		if (heat(a, &r->v.v[i], o->event) > heat(a, &r->v.v[hottest], o->event))
			hottest = i;
	first = hottest > o->max_rows / 2 ? hottest - (uint32_t)(o->max_rows / 2) : 0;
	if (first > r->v.nr - o->max_rows)
		first = r->v.nr - (uint32_t)o->max_rows;
	memmove(r->v.v, r->v.v + first, o->max_rows * sizeof(*r->v.v));
	r->v.nr = (uint32_t)o->max_rows;
}

void annotation_rows_init(struct annotation_rows *r, const struct annotation *a, const struct annotation_row_options *o)
{
	*r = (struct annotation_rows){ .v.nr = 0 };
	if (a->insns.nr) {
		add_head(r, a);
		add_code(r, a, o);
	} else {
		add_points(r, a);
	}
	keep_hottest(r, a, o);
}

void annotation_rows_fini(struct annotation_rows *r)
{
	for (uint32_t i = 0; i < r->sources.nr; i++)
		source_text_free(r->sources.v[i].text);
	vec_fini(&r->sources);
	vec_fini(&r->notes);
	vec_fini(&r->v);
	arena_fini(&r->arena);
}

/* Lines: a sum each. */

struct order {
	uint32_t first, nr;
};

static int compare_lines(const void *x, const void *y, void *ctx)
{
	const struct annotation_line_sum *a = x, *b = y;
	const struct order *o = ctx;

	for (uint32_t i = o->first; i < o->first + o->nr; i++)
		if (a->sums[i].period != b->sums[i].period)
			return a->sums[i].period > b->sums[i].period ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

static struct annotation_line_sum *line_of(struct annotation_line_sums *l, struct hindex *index, const struct annotation_place *place,
					   uint32_t nr_events)
{
	uint64_t h = hash_bytes(place->file, strlen(place->file), place->line);
	struct hindex_iter it = hindex_find(index, h);

	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;)
		if (l->v.v[id].line == place->line && !strcmp(l->v.v[id].file, place->file))
			return &l->v.v[id];
	hindex_add(index, h, l->v.nr);
	vec_push(&l->v, ((struct annotation_line_sum){ place->file, place->line, mem_zalloc(nr_events * sizeof(struct annotation_sum)) }));
	return &l->v.v[l->v.nr - 1];
}

void annotation_line_sums_init(struct annotation_line_sums *l, const struct annotation *a, uint32_t first_event, uint32_t nr_events)
{
	struct order o = { first_event, nr_events };
	struct hindex index = { 0 };

	*l = (struct annotation_line_sums){ .v.nr = 0 };
	for (uint32_t i = 0; i < a->insns.nr; i++) {
		const struct annotation_insn *insn = &a->insns.v[i];
		const struct annotation_place *place = insn->nr_places ? &a->places.v[insn->first_place] : NULL;
		struct annotation_line_sum *sum;

		if (!insn->sums || !place || !place->file || !place->line)
			continue;
		sum = line_of(l, &index, place, a->nr_events);
		for (uint32_t e = 0; e < a->nr_events; e++) {
			sum->sums[e].period += insn->sums[e].period;
			sum->sums[e].nr += insn->sums[e].nr;
		}
	}
	hindex_fini(&index);
	if (l->v.nr)
		qsort_r(l->v.v, l->v.nr, sizeof(*l->v.v), compare_lines, &o);
}

void annotation_line_sums_fini(struct annotation_line_sums *l)
{
	for (uint32_t i = 0; i < l->v.nr; i++)
		free(l->v.v[i].sums);
	vec_fini(&l->v);
}
