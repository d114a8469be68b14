/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The code of the hottest functions in the page, line by line: kind of line, number of the source line, address, text. Lines are numbered through all
 * functions, and rows of samples have the number of theirs, so that their sums follow what is filtered. Text of source files is there only where that
 * was asked for: a page is passed on more easily than they are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/annotation.h"
#include "view/page.h"
#include "view/viewer.h"

#define MOST_FUNCTIONS 24u
#define MOST_ROWS 3000u
#define MOST_TEXT 400u /* bytes of a line */
#define TAB 8

/* The frame of the page that a frame of the profile is in; EXPORT_NONE: none. */
static uint32_t frame_of(const struct export_tree *t, uint32_t frame)
{
	const struct profile *p = t->x->p;

	for (uint32_t i = 0; i < t->frames.nr; i++)
		if (p->places.v[t->frames.v[i].place].frame == frame)
			return i;
	for (uint32_t i = 0; i < p->places.nr; i++)
		if (p->places.v[i].frame == frame && t->frame_of_place[i] != EXPORT_NONE)
			return t->frame_of_place[i];
	return EXPORT_NONE;
}

/* With spaces for tabs. */
static void put_clean(struct json *j, const char *s, size_t len)
{
	struct out spaced, clean;

	out_init(&spaced, -1);
	out_init(&clean, -1);
	for (size_t i = 0; i < len && spaced.len < MOST_TEXT; i++) {
		if (s[i] != '\t')
			out_char(&spaced, s[i]);
		else
			out_printf(&spaced, "%*s", TAB - (int)(spaced.len % TAB), "");
	}
	svg_text_clean(&clean, spaced.buf ? spaced.buf : "", spaced.len);
	json_str_len(j, clean.buf ? clean.buf : "", clean.len);
	out_fini(&spaced);
	out_fini(&clean);
}

/* The line of an instruction, or of a row that is one. */
static uint32_t line_of(const struct annotation *a, const struct annotation_row *row)
{
	const struct annotation_insn *insn = row->kind == ANNOTATION_INSN ? &a->insns.v[row->index] : NULL;

	return insn && insn->nr_places ? a->places.v[insn->first_place].line : row->line;
}

static void put_text(struct json *j, const struct annotation *a, const struct annotation_row *row)
{
	char address[24];

	if (row->kind == ANNOTATION_INSN) {
		const char *text = &a->text.v[a->insns.v[row->index].text];

		snprintf(address, sizeof(address), "%llx", (unsigned long long)a->insns.v[row->index].vaddr);
		json_str(j, address);
		put_clean(j, text, strlen(text));
		return;
	}
	snprintf(address, sizeof(address), "%llx", row->kind == ANNOTATION_ADDRESS ? (unsigned long long)a->points.v[row->index].addr : 0);
	json_str(j, row->kind == ANNOTATION_ADDRESS ? address : "");
	put_clean(j, row->text ? row->text : "", row->text ? row->len ? row->len : strlen(row->text) : 0);
}

static void put_row(struct json *j, const struct annotation *a, const struct annotation_row *row)
{
	json_array(j);
	json_u64(j, row->kind);
	json_u64(j, line_of(a, row));
	put_text(j, a, row);
	json_array_end(j);
}

/* Lines of one function by instruction, or by point where there is no code; 0: not shown. */
struct code_lines {
	const struct annotation *a;
	uint32_t *of_insn, *of_point;
};

static void code_lines_init(struct code_lines *l, const struct annotation *a)
{
	*l = (struct code_lines){ .a = a };
	l->of_insn = mem_zalloc((a->insns.nr + 1ul) * sizeof(*l->of_insn));
	l->of_point = mem_zalloc((a->points.nr + 1ul) * sizeof(*l->of_point));
}

static void code_lines_fini(struct code_lines *l)
{
	free(l->of_insn);
	free(l->of_point);
}

static uint32_t line_at(const struct code_lines *l, uint64_t addr)
{
	const struct annotation *a = l->a;
	uint32_t insn = vec_search(a->insns.nr, i, a->insns.v[i].addr > addr), point;

	if (insn && addr - a->insns.v[insn - 1].addr < a->insns.v[insn - 1].size && l->of_insn[insn - 1])
		return l->of_insn[insn - 1];
	point = vec_search(a->points.nr, i, a->points.v[i].addr >= addr);
	return point < a->points.nr && a->points.v[point].addr == addr ? l->of_point[point] : 0;
}

/* Gives the places of a function their lines. */
static void number_locations(struct viewer_code *c, const struct code_lines *l, uint32_t frame)
{
	struct profile *p = c->p;

	for (uint32_t i = 0; i < p->locations.nr; i++)
		if (profile_frame_of(p, i) == frame)
			c->of_location[i] = line_at(l, p->locations.v[i].at.addr);
}

static void put_rows(struct viewer_code *c, struct json *j, const struct annotation *a, const struct annotation_rows *rows)
{
	struct code_lines lines;

	code_lines_init(&lines, a);
	for (uint32_t r = 0; r < rows->v.nr; r++) {
		const struct annotation_row *row = &rows->v.v[r];

		if (row->kind == ANNOTATION_BYTES || row->kind == ANNOTATION_BLANK)
			continue;
		put_row(j, a, row);
		c->nr_lines++;
		if (row->kind == ANNOTATION_INSN)
			lines.of_insn[row->index] = c->nr_lines;
		if (row->kind == ANNOTATION_ADDRESS)
			lines.of_point[row->index] = c->nr_lines;
	}
	number_locations(c, &lines, a->frame);
	code_lines_fini(&lines);
}

static void put_function(struct viewer_code *c, struct json *j, struct annotation_list *l, uint32_t i, uint32_t frame, bool with_source)
{
	const struct annotation_options options = { .with_lines = true };
	const struct annotation_row_options row_options = { .with_source = with_source, .max_rows = MOST_ROWS };
	struct annotation_rows rows;
	struct annotation a;

	annotation_init(&a, l, i, &options);
	annotation_rows_init(&rows, &a, &row_options);
	json_object(j);
	json_put_u64(j, "frame", frame);
	json_put_u64(j, "first", c->nr_lines + 1);
	json_key(j, "missing");
	put_clean(j, a.why_no_code ? a.why_no_code : "", a.why_no_code ? strlen(a.why_no_code) : 0);
	json_put_array(j, "rows");
	put_rows(c, j, &a, &rows);
	json_array_end(j);
	json_object_end(j);
	annotation_rows_fini(&rows);
	annotation_fini(&a);
}

void viewer_code_init(struct viewer_code *c, struct export_tree *t, const struct filter *filter, const struct viewer_options *options)
{
	struct annotation_list l;
	struct json j;

	*c = (struct viewer_code){ .p = t->x->p };
	c->of_location = mem_zalloc((c->p->locations.nr + 1ul) * sizeof(*c->of_location));
	out_init(&c->text, -1);
	out_str(&c->text, "\"code\":");
	json_init(&j, &c->text, false);
	json_array(&j);
	if (options->with_code) {
		annotation_list_init(&l, c->p, filter);
		annotation_list_sort(&l, 0, l.nr_events);
		for (uint32_t i = 0; i < l.symbols.nr && i < MOST_FUNCTIONS; i++) {
			uint32_t frame = frame_of(t, l.symbols.v[i].frame);

			if (frame != EXPORT_NONE)
				put_function(c, &j, &l, i, frame, options->with_source);
		}
		annotation_list_fini(&l);
	}
	json_array_end(&j);
	out_char(&c->text, '\0');
}

void viewer_code_fini(struct viewer_code *c)
{
	out_fini(&c->text);
	free(c->of_location);
}
