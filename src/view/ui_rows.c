/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Views of rows: scrolling, the selected one, filtering. What the rows are, their provider knows.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "view/ui.h"

#define SIDE_STEP 8 /* columns */
#define WHEEL_STEP 3

void ui_list_fit(struct ui_list *l, uint32_t nr, int nr_body)
{
	uint32_t seen = nr_body > 0 ? (uint32_t)nr_body : 1;

	if (l->selected >= nr)
		l->selected = nr ? nr - 1 : 0;
	if (l->top > l->selected)
		l->top = l->selected;
	if (l->selected - l->top >= seen)
		l->top = l->selected - seen + 1;
	/* No empty lines below while there are rows above. */
	if (nr <= seen)
		l->top = 0;
	else if (l->top > nr - seen)
		l->top = nr - seen;
}

static void move_by(struct ui_list *l, int64_t by, uint32_t nr)
{
	int64_t to = (int64_t)l->selected + by;

	l->selected = to < 0 || !nr ? 0 : to >= nr ? nr - 1 : (uint32_t)to;
}

static void scroll_by(struct ui_list *l, int64_t by, uint32_t nr, int nr_body)
{
	int64_t most = (int64_t)nr - nr_body, top = (int64_t)l->top + by;

	top = top > most ? most : top;
	l->top = top < 0 ? 0 : (uint32_t)top;
	if (l->selected < l->top)
		l->selected = l->top;
	if (nr_body > 0 && l->selected >= l->top + (uint32_t)nr_body)
		l->selected = l->top + (uint32_t)nr_body - 1;
}

bool ui_list_key(struct ui_list *l, const struct ui_event *e, uint32_t nr, const struct ui_layout *at)
{
	int page = at->nr_body > 1 ? at->nr_body - 1 : 1;

	switch (e->key) {
	case UI_KEY_UP:
		move_by(l, -1, nr);
		break;
	case UI_KEY_DOWN:
		move_by(l, 1, nr);
		break;
	case UI_KEY_PAGE_UP:
		move_by(l, -page, nr);
		break;
	case UI_KEY_PAGE_DOWN:
	case ' ':
		move_by(l, page, nr);
		break;
	case UI_KEY_HOME:
		l->selected = 0;
		break;
	case UI_KEY_END:
		l->selected = nr ? nr - 1 : 0;
		break;
	case UI_KEY_LEFT:
		l->left = l->left > SIDE_STEP ? l->left - SIDE_STEP : 0;
		break;
	case UI_KEY_RIGHT:
		l->left = l->left < UI_MAX_SIZE ? l->left + SIDE_STEP : l->left;
		break;
	case UI_MOUSE_WHEEL_UP:
		scroll_by(l, -WHEEL_STEP, nr, at->nr_body);
		break;
	case UI_MOUSE_WHEEL_DOWN:
		scroll_by(l, WHEEL_STEP, nr, at->nr_body);
		break;
	case UI_MOUSE_CLICK:
	case UI_MOUSE_DOUBLE:
		if (e->row < at->body || e->row >= at->body + at->nr_body || l->top + (uint32_t)(e->row - at->body) >= nr)
			return false;
		l->selected = l->top + (uint32_t)(e->row - at->body);
		break;
	default:
		return false;
	}
	return true;
}

struct rows_view {
	struct ui_view view;
	const struct ui_rows_ops *ops;
	void *model;
	struct ui_list list;
	char word[UI_PROMPT_SIZE]; /* rows are filtered by */
	struct out title;
};

static void rows_draw(struct ui_view *view, struct ui_app *app, struct ui_screen *s)
{
	struct rows_view *v = (struct rows_view *)view;
	struct ui_layout at = ui_layout(s->rows, v->ops->heading);
	uint32_t nr = v->ops->nr(v->model);

	(void)app;
	ui_list_fit(&v->list, nr, at.nr_body);
	if (at.title >= 0) {
		char *only = v->word[0] ? mem_printf(" [only '%s']", v->word) : mem_strdup("");

		v->title.len = 0;
		v->ops->title(v->model, &v->title, s->columns - (int)strlen(only));
		out_str(&v->title, only);
		free(only);
		ui_title(s, v->title.buf, v->title.len);
	}
	if (at.heading >= 0)
		v->ops->heading(v->model, s, at.heading, v->list.left);
	for (int i = 0; i < at.nr_body && v->list.top + (uint32_t)i < nr; i++) {
		uint32_t row = v->list.top + (uint32_t)i;

		v->ops->draw(v->model, s, at.body + i, row, v->list.left);
		if (row == v->list.selected)
			ui_restyle(s, at.body + i, 0, s->columns, UI_SELECTED);
	}
	if (!nr)
		ui_put_str(s, at.body, 0, s->columns, UI_FAINT,
			   v->word[0] ? "no row has this word in it: / changes it" : "nothing to show");
}

static void set_word(struct rows_view *v, const char *word)
{
	size_t len = strnlen(word, sizeof(v->word) - 1);

	/* Enter ends a word that was looked for letter by letter. */
	if (!strcmp(word, v->word))
		return;
	memmove(v->word, word, len);
	v->word[len] = 0;
	v->ops->filter(v->model, v->word, &v->list);
}

static bool rows_key(struct ui_view *view, struct ui_app *app, const struct ui_event *e)
{
	struct rows_view *v = (struct rows_view *)view;
	struct ui_layout at = ui_layout(app->rows, v->ops->heading);
	uint32_t nr = v->ops->nr(v->model);
	struct ui_event press = *e;

	ui_list_fit(&v->list, nr, at.nr_body);
	if (e->key == UI_MOUSE_DOUBLE) {
		if (!ui_list_key(&v->list, e, nr, &at))
			return false;
		press.key = UI_KEY_ENTER;
	}
	if (v->ops->key && v->ops->key(v->model, app, &v->list, &press))
		return true;
	if (e->key == '/' && v->ops->filter) {
		ui_app_ask(app, "only rows with: ", v->word);
		return true;
	}
	/* The first way back is to all rows. */
	if (e->key == UI_KEY_ESCAPE && v->word[0]) {
		set_word(v, "");
		return true;
	}
	return ui_list_key(&v->list, e, nr, &at);
}

static void rows_answer(struct ui_view *view, struct ui_app *app, const char *text, bool is_final)
{
	struct rows_view *v = (struct rows_view *)view;

	if (v->ops->answer && v->ops->answer(v->model, app, text, is_final))
		return;
	if (v->ops->filter)
		set_word(v, text);
}

static bool rows_refresh(struct ui_view *view)
{
	struct rows_view *v = (struct rows_view *)view;

	return v->ops->refresh && v->ops->refresh(v->model, &v->list);
}

static void rows_free(struct ui_view *view)
{
	struct rows_view *v = (struct rows_view *)view;

	v->ops->free(v->model);
	out_fini(&v->title);
	free(v);
}

static const struct ui_view_ops rows_ops = { rows_draw, rows_key, rows_refresh, rows_answer, rows_free };

struct ui_view *ui_rows_view(const struct ui_rows_ops *ops, void *model)
{
	struct rows_view *v = mem_zalloc(sizeof(*v));

	v->view = (struct ui_view){ &rows_ops, ops->hint, ops->help };
	v->ops = ops;
	v->model = model;
	out_init(&v->title, -1);
	return &v->view;
}

void *ui_rows_model(struct ui_view *v, const struct ui_rows_ops *ops)
{
	return v->ops == &rows_ops && ((struct rows_view *)v)->ops == ops ? ((struct rows_view *)v)->model : NULL;
}

struct ui_list *ui_rows_list(struct ui_view *v)
{
	return &((struct rows_view *)v)->list;
}

bool ui_has_word(const char *text, size_t len, const char *word)
{
	size_t nr = strlen(word);

	for (size_t i = 0; i + nr <= len; i++) {
		size_t k = 0;

		while (k < nr && tolower((unsigned char)text[i + k]) == tolower((unsigned char)word[k]))
			k++;
		if (k == nr)
			return true;
	}
	return false;
}
