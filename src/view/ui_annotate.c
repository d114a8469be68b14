/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * An annotated function on a screen: its lines with jump arrows; H goes from the hottest instruction to the next, Enter follows a jump.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/ui_report.h"

#define LEAST_FOR_ARROWS 60 /* columns of a screen */

struct annotate_model {
	struct ui_annotate *a;
	struct annotation_rows rows;
	struct annotate_lines *lines;
	VEC(uint32_t) hot; /* rows with samples, the hottest first */
	uint32_t next_hot;
	VEC(uint32_t) jumps; /* rows that jumps were followed from */
	VEC(uint32_t) shown; /* rows with the word of the filter */
	char word[UI_PROMPT_SIZE];
};

static const char *const help[] = {
	"Annotate",
	"  H Tab                 the hottest line, then the next hottest",
	"  Enter                 follow the jump of this line, or the call",
	"  b Backspace           back to where it was followed from",
	"  s                     with or without source lines",
	"  t                     percent of the function or of all, by periods or samples",
	"  P                     save as text: assay.annotate.N",
	NULL,
};

static int cmp_hot(const void *va, const void *vb, void *ctx)
{
	const struct annotate_model *m = ctx;
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;
	double of_a = annotate_lines_share(m->lines, &m->rows.v.v[a]), of_b = annotate_lines_share(m->lines, &m->rows.v.v[b]);

	return COMPARE(of_b, of_a) ?: COMPARE(a, b);
}

static void show_rows(struct annotate_model *m)
{
	m->shown.nr = 0;
	m->a->options.width = 0; /* words are looked for in the whole names */
	for (uint32_t i = 0; i < m->rows.v.nr; i++) {
		size_t len;
		const char *line = m->word[0] ? annotate_lines_row(m->lines, &m->rows.v.v[i], &len) : NULL;

		if (!line || ui_has_word(line, len, m->word))
			vec_push(&m->shown, i);
	}
}

/* Which rows are hot, and how their figures look; the rows are the same. */
static void take_figures(struct annotate_model *m)
{
	annotate_lines_free(m->lines);
	m->lines = annotate_lines_new(&m->a->options, m->a->list, &m->a->annotation, &m->a->events);
	m->hot.nr = 0;
	m->next_hot = 0;
	for (uint32_t i = 0; i < m->rows.v.nr; i++)
		if (annotate_lines_share(m->lines, &m->rows.v.v[i]) > 0)
			vec_push(&m->hot, i);
	vec_sort_r(&m->hot, cmp_hot, m);
}

static void lay_out(struct annotate_model *m)
{
	struct annotation_row_options o = m->a->options.rows;

	annotation_rows_fini(&m->rows);
	memset(&m->rows, 0, sizeof(m->rows));
	o.event = m->a->events.first;
	annotation_rows_init(&m->rows, &m->a->annotation, &o);
	m->jumps.nr = 0;
	take_figures(m);
	show_rows(m);
}

static void annotate_title(void *model, struct out *o, int width)
{
	static const char *const types[] = { "of the function", "of all", "of the function's samples", "of all samples" };
	const struct annotate_model *m = model;
	const struct annotation *a = &m->a->annotation;
	char *rest = mem_printf(" (%s), %llu samples, percent %s", profile_dso(a->p, a->dso)->short_name,
				(unsigned long long)a->sums[m->a->events.first].nr, types[m->a->options.percent_type]);

	ui_title_name(o, a->name, width - (int)strlen(rest));
	out_str(o, rest);
	if (m->a->annotation.cut)
		out_printf(o, " (%s)", m->a->annotation.cut);
	free(rest);
}

static uint32_t annotate_nr(void *model)
{
	return ((const struct annotate_model *)model)->shown.nr;
}

static void annotate_draw(void *model, struct ui_screen *s, int row, uint32_t i, int left)
{
	struct annotate_model *m = model;
	const struct annotation_row *r = &m->rows.v.v[m->shown.v[i]];
	size_t len;
	const char *line;
	double share = annotate_lines_share(m->lines, r);

	m->a->options.utf8 = s->utf8;
	m->a->options.arrows = s->columns >= LEAST_FOR_ARROWS;
	m->a->options.width = left ? 0 : s->columns;
	line = annotate_lines_row(m->lines, r, &len);
	ui_put_skipped(s, row, 0, left, r->kind == ANNOTATION_INSN ? UI_PLAIN : UI_FAINT, line, len);
	if (!left && share > 0)
		ui_restyle(s, row, 0, 8 * (int)m->a->events.nr, ui_heat(share));
}

static void annotate_filter(void *model, const char *word, struct ui_list *list)
{
	struct annotate_model *m = model;
	uint32_t before = list->selected < m->shown.nr ? m->shown.v[list->selected] : 0;

	snprintf(m->word, sizeof(m->word), "%s", word);
	show_rows(m);
	list->selected = vec_search(m->shown.nr, i, m->shown.v[i] >= before);
}

/* Around it are the lines before, as far as they fit. */
static void go_to(struct annotate_model *m, struct ui_list *list, uint32_t row)
{
	uint32_t at = vec_search(m->shown.nr, i, m->shown.v[i] >= row);

	list->selected = at < m->shown.nr ? at : 0;
	list->top = list->selected > 5 ? list->selected - 5 : 0;
}

static void follow_call(struct annotate_model *m, struct ui_app *app, uint32_t insn)
{
	const struct ui_annotate *a = m->a;
	uint8_t kind = insn != ANNOTATION_NONE ? a->annotation.insns.v[insn].kind : DISASM_OTHER;
	uint32_t symbol;

	if (kind != DISASM_CALL && kind != DISASM_JUMP && kind != DISASM_BRANCH) {
		ui_app_say(app, "this line neither jumps nor calls");
		return;
	}
	symbol = a->call ? annotation_callee(&a->annotation, a->list, insn) : ANNOTATION_NONE;
	if (symbol != ANNOTATION_NONE)
		a->call(app, a, symbol);
	else
		ui_app_say(app,
			   a->call ? "where this goes is not known, or has no samples of its own" : "calls are not followed while it runs");
}

static void follow(struct annotate_model *m, struct ui_app *app, struct ui_list *list)
{
	const struct annotation_row *r = m->shown.nr ? &m->rows.v.v[m->shown.v[list->selected]] : NULL;
	uint32_t to = r && r->kind == ANNOTATION_INSN ? m->a->annotation.insns.v[r->index].jump : ANNOTATION_NONE;

	for (uint32_t i = 0; to != ANNOTATION_NONE && i < m->rows.v.nr; i++) {
		if (m->rows.v.v[i].kind != ANNOTATION_INSN || m->rows.v.v[i].index != to)
			continue;
		vec_push(&m->jumps, m->shown.v[list->selected]);
		go_to(m, list, i);
		return;
	}
	follow_call(m, app, r && r->kind == ANNOTATION_INSN ? r->index : ANNOTATION_NONE);
}

static bool annotate_key(void *model, struct ui_app *app, struct ui_list *list, const struct ui_event *e)
{
	struct annotate_model *m = model;
	bool had_source = m->a->options.rows.with_source;

	switch (e->key) {
	case 'H':
	case UI_KEY_TAB:
		if (m->hot.nr)
			go_to(m, list, m->hot.v[m->next_hot++ % m->hot.nr]);
		return true;
	case UI_KEY_ENTER:
		follow(m, app, list);
		return true;
	case 'b':
	case UI_KEY_BACKSPACE:
		if (m->jumps.nr)
			go_to(m, list, m->jumps.v[--m->jumps.nr]);
		return true;
	case 's':
		m->a->options.rows.with_source = !had_source;
		lay_out(m);
		*list = (struct ui_list){ 0 };
		if (m->hot.nr)
			go_to(m, list, m->hot.v[0]);
		ui_app_say(app, had_source ? "source lines are left out" : "with source lines");
		return true;
	case 't':
		m->a->options.percent_type = (m->a->options.percent_type + 1) % 4;
		return true;
	case 'P':
		m->a->save(m->a->save_ctx, app, m->a);
		return true;
	default:
		return false;
	}
}

static bool annotate_refresh(void *model, struct ui_list *list)
{
	struct annotate_model *m = model;

	(void)list;
	if (!m->a->refresh || !m->a->refresh(m->a->live_ctx, m->a))
		return false;
	/* Without code the rows are addresses of samples, and there may be more of them. */
	if (m->a->annotation.why_no_code)
		lay_out(m);
	else
		take_figures(m);
	return true;
}

static void annotate_free(void *model)
{
	struct annotate_model *m = model;

	annotate_lines_free(m->lines);
	annotation_rows_fini(&m->rows);
	annotation_fini(&m->a->annotation);
	if (m->a->free)
		m->a->free(m->a->live_ctx);
	vec_fini(&m->hot);
	vec_fini(&m->jumps);
	vec_fini(&m->shown);
	free(m->a);
	free(m);
}

static const struct ui_rows_ops annotate_ops = {
	.title = annotate_title,
	.nr = annotate_nr,
	.draw = annotate_draw,
	.key = annotate_key,
	.filter = annotate_filter,
	.refresh = annotate_refresh,
	.free = annotate_free,
	.hint = "H:hottest  Enter:follow  b:back  s:source  t:percent  /:filter  h:help  q:back",
	.help = help,
};

struct ui_view *ui_annotate_view(struct ui_annotate *a)
{
	struct annotate_model *m = mem_zalloc(sizeof(*m));
	struct ui_view *v;

	m->a = a;
	a->options.arrows = true;
	lay_out(m);
	v = ui_rows_view(&annotate_ops, m);
	if (m->hot.nr)
		go_to(m, ui_rows_list(v), m->hot.v[m->next_hot++]);
	return v;
}
