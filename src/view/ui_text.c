/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Views of lines of text: help, headers, lists to choose from.
 */
#include <stdlib.h>
#include <string.h>

#include "view/ui.h"

struct line {
	const char *s;
	size_t len;
};

struct text_model {
	char *title, *text;
	uint32_t nr_heading;
	VEC(struct line) lines; /* of all text */
	VEC(uint32_t) shown;	/* lines behind the heading that pass the filter */
	ui_text_fn *on_enter;
	void *ctx;
	ui_save_fn *save;
	void *save_ctx;
};

static void text_title(void *model, struct out *o, int width)
{
	const struct text_model *t = model;

	(void)width;
	out_str(o, t->title);
}

static void draw_line(const struct line *l, struct ui_screen *s, int row, int left, enum ui_style style)
{
	ui_put_skipped(s, row, 0, left, style, l->s, l->len);
}

static void text_heading(void *model, struct ui_screen *s, int row, int left)
{
	const struct text_model *t = model;

	ui_fill(s, row, 0, s->columns, UI_HEADING);
	if (t->nr_heading)
		draw_line(&t->lines.v[t->nr_heading - 1], s, row, left, UI_HEADING);
}

static uint32_t text_nr(void *model)
{
	return ((const struct text_model *)model)->shown.nr;
}

static void text_draw(void *model, struct ui_screen *s, int row, uint32_t i, int left)
{
	const struct text_model *t = model;

	draw_line(&t->lines.v[t->shown.v[i]], s, row, left, UI_PLAIN);
}

static void text_filter(void *model, const char *word, struct ui_list *list)
{
	struct text_model *t = model;
	uint32_t before = list->selected < t->shown.nr ? t->shown.v[list->selected] : 0;

	t->shown.nr = 0;
	list->selected = 0;
	for (uint32_t i = t->nr_heading; i < t->lines.nr; i++) {
		if (!ui_has_word(t->lines.v[i].s, t->lines.v[i].len, word))
			continue;
		if (i <= before)
			list->selected = t->shown.nr;
		vec_push(&t->shown, i);
	}
}

static bool text_key(void *model, struct ui_app *app, struct ui_list *list, const struct ui_event *e)
{
	struct text_model *t = model;
	const struct line *l;
	char *line;

	if (e->key == 'P' && t->save) {
		t->save(t->save_ctx, app);
		return true;
	}
	if (e->key != UI_KEY_ENTER || !t->on_enter || !t->shown.nr)
		return false;
	l = &t->lines.v[t->shown.v[list->selected]];
	line = mem_strndup(l->s, l->len);
	/* The view may be gone afterwards. */
	t->on_enter(t->ctx, app, line);
	free(line);
	return true;
}

static void text_free(void *model)
{
	struct text_model *t = model;

	free(t->title);
	free(t->text);
	vec_fini(&t->lines);
	vec_fini(&t->shown);
	free(t);
}

#define TEXT_OPS .title = text_title, .nr = text_nr, .draw = text_draw, .key = text_key, .filter = text_filter, .free = text_free

static const struct ui_rows_ops text_ops = { TEXT_OPS, .hint = "q:back  /:only lines with" };
static const char *const table_help[] = {
	"Table",
	"  P                     save as text",
	NULL,
};
static const struct ui_rows_ops table_ops = { TEXT_OPS, .heading = text_heading, .hint = "/:only rows with  P:save  h:help  q:quit",
					      .help = table_help };
static const struct ui_rows_ops choice_ops = { TEXT_OPS, .hint = "Enter:choose  q:back" };

struct ui_view *ui_text_view(const char *title, const char *text, size_t len, uint32_t nr_heading, ui_text_fn *on_enter, void *ctx)
{
	struct text_model *t = mem_zalloc(sizeof(*t));
	struct ui_list unused = { 0 };

	t->title = mem_strdup(title);
	t->text = mem_alloc(len + 1);
	memcpy(t->text, text, len);
	t->on_enter = on_enter;
	t->ctx = ctx;
	for (const char *s = t->text, *end = s + len; s < end;) {
		const char *next = memchr(s, '\n', (size_t)(end - s));
		size_t nr = (size_t)((next ? next : end) - s);

		vec_push(&t->lines, ((struct line){ s, nr }));
		s += nr + 1;
	}
	t->nr_heading = nr_heading < t->lines.nr ? nr_heading : t->lines.nr;
	text_filter(t, "", &unused);
	return ui_rows_view(on_enter ? &choice_ops : nr_heading ? &table_ops : &text_ops, t);
}

void ui_text_on_save(struct ui_view *v, ui_save_fn *save, void *ctx)
{
	struct text_model *t = ui_rows_model(v, &table_ops);

	if (!t)
		return;
	t->save = save;
	t->save_ctx = ctx;
}

struct ui_view *ui_help_view(const struct ui_view *of)
{
	static const char *const common[] = {
		"Everywhere",
		"  Up Down PgUp PgDn     move; Home End: first and last row",
		"  Left Right            scroll sideways",
		"  /                     only rows with a word; Esc shows all again",
		"  h ?                   this page",
		"  n                     the quality of the data, where it is no other key",
		"  q Esc                 back; from the first view, the end",
		"  Ctrl-C                the end",
		"  Ctrl-Z                to the shell; 'fg' returns",
		"  mouse                 wheel scrolls, a click selects, a double click is Enter",
	};
	struct ui_view *v;
	struct out o;

	out_init(&o, -1);
	for (const char *const *line = of->help; line && *line; line++) {
		out_str(&o, *line);
		out_char(&o, '\n');
	}
	for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++) {
		out_str(&o, common[i]);
		out_char(&o, '\n');
	}
	v = ui_text_view("assay: keys", o.buf, o.len, 0, NULL, NULL);
	out_fini(&o);
	return v;
}
