/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The page that compares two sides: the functions as JSON, around a differential flame graph. web/compare.js makes the table of it.
 *
 *	{ "title", "subtitle", "notes": [text, …], "verdicts": [text, …], by enum diff_verdict
 *	  "strings": ["", "main", …],
 *	  "functions": [name, module, mark, (base, now, low, high, p, verdict) of self, the same of total, …] }     15 each; percentages, null: none
 */
#include <math.h>
#include <string.h>

#include "view/page.h"
#include "view/viewer.h"

static void put_number(struct out *o, double v, int decimals)
{
	if (isfinite(v))
		out_printf(o, ",%.*f", decimals, v);
	else
		out_str(o, ",null");
}

static void put_result(struct out *o, const struct diff_result *r)
{
	put_number(o, r->base, 4);
	put_number(o, r->now, 4);
	put_number(o, r->low, 4);
	put_number(o, r->high, 4);
	put_number(o, r->p, 6);
	out_printf(o, ",%u", (unsigned)diff_verdict(r));
}

static const char *mark_of(const struct flame_frame *fr)
{
	if (fr->marks & FLAME_UNRESOLVED)
		return "no symbol";
	return fr->kind == FLAME_KERNEL ? "kernel" : fr->kind == FLAME_JIT ? "JIT" : "";
}

static void put_functions(struct out *o, const struct viewer_comparison *c)
{
	static const char *const marks[] = { "", "kernel", "JIT", "no symbol" };
	const uint32_t nr_marks = sizeof(marks) / sizeof(*marks);
	struct renumbering strings;
	struct out table;

	out_init(&table, -1);
	renumbering_init(&strings, c->flame->strings.entries.nr);
	for (uint32_t i = 0; i < c->functions->frames.nr; i++) {
		const struct flame_frame *fr = &c->flame->frames.v[c->functions->frames.v[i]];
		uint32_t mark = 0;

		while (strcmp(marks[mark], mark_of(fr)))
			mark++;
		out_printf(&table, "%s%u,%u,%u", i ? ",\n" : "", nr_marks + renumbering_add(&strings, fr->name),
			   nr_marks + renumbering_add(&strings, fr->module), mark);
		put_result(&table, &c->functions->of_self[i]);
		put_result(&table, &c->functions->of_total[i]);
	}
	out_str(o, ",\n\"strings\":[");
	for (uint32_t i = 0; i < nr_marks; i++)
		out_printf(o, "%s\"%s\"", i ? "," : "", marks[i]);
	for (uint32_t i = 0; i < strings.used.nr; i++) {
		out_char(o, ',');
		svg_text_json(o, strtab_get(&c->flame->strings, strings.used.v[i]), strtab_len(&c->flame->strings, strings.used.v[i]));
	}
	out_str(o, "],\n\"functions\":[");
	out_mem(o, table.buf, table.len);
	out_char(o, ']');
	renumbering_fini(&strings);
	out_fini(&table);
}

static void put_texts(struct out *o, const char *key, const char *const *texts, uint32_t nr)
{
	out_printf(o, ",\n\"%s\":[", key);
	for (uint32_t i = 0; i < nr; i++) {
		out_str(o, i ? "," : "");
		svg_text_json(o, texts[i], strlen(texts[i]));
	}
	out_char(o, ']');
}

void viewer_compare_begin(struct page_html *page, struct out *o, const struct viewer_comparison *c)
{
	page_html_begin(page, o, "view", c->title);
	out_str(o, "<script type=\"application/json\" id=\"comparison\">{\"title\":");
	svg_text_json(o, c->title, strlen(c->title));
	out_str(o, ",\"subtitle\":");
	svg_text_json(o, c->subtitle, strlen(c->subtitle));
	put_texts(o, "notes", c->notes, c->nr_notes);
	put_texts(o, "verdicts", flame_diff_verdicts, DIFF_NR_VERDICTS);
	put_functions(o, c);
	out_str(o, "}</script>\n<div id=\"flame\">\n");
}

void viewer_compare_end(struct page_html *page, struct out *o)
{
	static const char *const scripts[] = { "flame_label.js", "view_sheet.js", "compare.js", NULL };

	out_str(o, "</div>\n");
	page_html_end(page, o, scripts);
}
