/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The code of the hottest functions in the page, line by line with its samples: kind of line, samples of each event, number of the source line, text.
 * Text of source files is there only where that was asked for: a page is passed on more easily than they are.
 */
#include <stdio.h>
#include <string.h>

#include "model/annotation.h"
#include "view/page.h"
#include "view/viewer.h"

#define MOST_FUNCTIONS 24u
#define MOST_ROWS 3000u
#define MOST_TEXT 400u /* bytes of a line */

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

static void put_clean(struct json *j, const char *s, size_t len)
{
	struct out clean;

	out_init(&clean, -1);
	svg_text_clean(&clean, s, len < MOST_TEXT ? len : MOST_TEXT);
	json_str_len(j, clean.buf ? clean.buf : "", clean.len);
	out_fini(&clean);
}

static const struct annotation_sum *sums_of(const struct annotation *a, const struct annotation_row *row)
{
	if (row->kind == ANNOTATION_INSN)
		return a->insns.v[row->index].sums;
	return row->kind == ANNOTATION_ADDRESS ? a->points.v[row->index].sums : NULL;
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
	const struct annotation_sum *sums = sums_of(a, row);

	json_array(j);
	json_u64(j, row->kind);
	json_u64(j, line_of(a, row));
	put_text(j, a, row);
	for (uint32_t e = 0; sums && e < a->nr_events; e++)
		json_u64(j, sums[e].nr);
	json_array_end(j);
}

static void put_function(struct json *j, struct annotation_list *l, uint32_t i, uint32_t frame, bool with_source)
{
	const struct annotation_options options = { .with_lines = true };
	const struct annotation_row_options row_options = { .with_source = with_source, .max_rows = MOST_ROWS };
	struct annotation_rows rows;
	struct annotation a;

	annotation_init(&a, l, i, &options);
	annotation_rows_init(&rows, &a, &row_options);
	json_object(j);
	json_put_u64(j, "frame", frame);
	json_key(j, "missing");
	put_clean(j, a.why_no_code ? a.why_no_code : "", a.why_no_code ? strlen(a.why_no_code) : 0);
	json_put_array(j, "rows");
	for (uint32_t r = 0; r < rows.v.nr; r++)
		if (rows.v.v[r].kind != ANNOTATION_BYTES && rows.v.v[r].kind != ANNOTATION_BLANK)
			put_row(j, &a, &rows.v.v[r]);
	json_array_end(j);
	json_object_end(j);
	annotation_rows_fini(&rows);
	annotation_fini(&a);
}

void viewer_code(struct json *j, struct export_tree *t, const struct filter *filter, const struct viewer_options *options)
{
	struct annotation_list l;

	json_put_array(j, "code");
	if (options->with_code) {
		annotation_list_init(&l, t->x->p, filter);
		annotation_list_sort(&l, 0, l.nr_events);
		for (uint32_t i = 0; i < l.symbols.nr && i < MOST_FUNCTIONS; i++) {
			uint32_t frame = frame_of(t, l.symbols.v[i].frame);

			if (frame != EXPORT_NONE)
				put_function(j, &l, i, frame, options->with_source);
		}
		annotation_list_fini(&l);
	}
	json_array_end(j);
}
