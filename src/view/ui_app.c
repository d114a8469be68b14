/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The stack of views, the prompt, and the lines at the bottom.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "view/page.h"
#include "view/ui.h"

#define LEAST_TITLE_NAME 12
#define MESSAGE_LINES 8
#define ROWS_FOR_STATUS 6
#define ROWS_FOR_HEADING 8

void ui_app_init(struct ui_app *app)
{
	memset(app, 0, sizeof(*app));
}

void ui_app_fini(struct ui_app *app)
{
	while (app->stack.nr)
		ui_app_pop(app);
	vec_fini(&app->stack);
}

static struct ui_view *top_of(const struct ui_app *app)
{
	return app->stack.v[app->stack.nr - 1];
}

void ui_app_push(struct ui_app *app, struct ui_view *v)
{
	vec_push(&app->stack, v);
	app->question = NULL;
}

void ui_app_pop(struct ui_app *app)
{
	struct ui_view *v = top_of(app);

	app->stack.nr--;
	app->question = NULL;
	v->ops->free(v);
	app->is_over = !app->stack.nr;
}

void ui_app_say(struct ui_app *app, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(app->message, sizeof(app->message), fmt, ap);
	va_end(ap);
}

void ui_app_ask(struct ui_app *app, const char *question, const char *text)
{
	app->question = question;
	snprintf(app->answer, sizeof(app->answer), "%s", text);
}

struct ui_layout ui_layout(int rows, bool has_heading)
{
	struct ui_layout at = { .title = 0, .heading = -1, .body = rows > 2, .status = -1, .hint = rows > 3 ? rows - 1 : -1 };
	int end = at.hint < 0 ? rows : at.hint;

	if (rows >= ROWS_FOR_STATUS)
		at.status = --end;
	if (has_heading && rows >= ROWS_FOR_HEADING)
		at.heading = at.body++;
	if (!at.body)
		at.title = -1;
	at.nr_body = end - at.body;
	return at;
}

void ui_title(struct ui_screen *s, const char *text, size_t len)
{
	ui_fill(s, 0, 0, s->columns, UI_BAR);
	ui_put_middle(s, 0, 0, s->columns, UI_BAR, text, len);
}

void ui_title_name(struct out *o, const char *name, int width)
{
	struct out clean;

	out_init(&clean, -1);
	escape_terminal_str(&clean, name);
	label_shorten_text(o, clean.buf, clean.len, width > LEAST_TITLE_NAME ? (size_t)width : LEAST_TITLE_NAME, false);
	out_fini(&clean);
}

static void draw_prompt(const struct ui_app *app, struct ui_screen *s, int row)
{
	int column, width;

	ui_fill(s, row, 0, s->columns, UI_PLAIN);
	column = ui_put_str(s, row, 0, s->columns, UI_PLAIN, app->question);
	width = ui_width(s, app->answer, strlen(app->answer));
	/* The end of a long answer is what is typed at. */
	if (column + width >= s->columns)
		column = s->columns > width ? s->columns - width - 1 : 0;
	column = ui_put_str(s, row, column, s->columns, UI_PLAIN, app->answer);
	s->cursor_row = row;
	s->cursor_column = column < s->columns ? column : s->columns - 1;
}

/* As many words as fit, and a sign that there are more. */
static void put_words(struct ui_screen *s, int row, enum ui_style style, const char *text, size_t len)
{
	size_t whole = len;

	if (ui_width(s, text, len) <= s->columns) {
		ui_put(s, row, 0, s->columns, style, text, len);
		return;
	}
	while (len && (text[len] != ' ' || ui_width(s, text, len) > s->columns - 4))
		len--;
	while (len && text[len - 1] == ' ')
		len--;
	/* Not one word fits. */
	len = len ? len : whole;
	ui_put_str(s, row, ui_put(s, row, 0, s->columns, style, text, len), 4, style, s->utf8 ? " \u2026" : " ...");
}

/* How much of a text goes on a line: whole words, if one fits. */
static size_t words_of_line(struct ui_screen *s, const char *text, size_t len)
{
	size_t best = 0, nr = 0;

	while (nr < len && ui_width(s, text, nr) <= s->columns) {
		best = nr;
		nr += 1 + strcspn(text + nr + 1, " ");
	}
	if (nr >= len && ui_width(s, text, len) <= s->columns)
		return len;
	return best ? best : len;
}

/* A long message takes lines above its own one, but no more than half of the screen. */
static void draw_message(const struct ui_app *app, struct ui_screen *s, int row)
{
	struct {
		const char *text;
		size_t len;
	} lines[MESSAGE_LINES];
	int nr = 0, most = row / 2 < MESSAGE_LINES ? row / 2 : MESSAGE_LINES;
	const char *text = app->message;

	while (*text && nr < (most > 0 ? most : 1)) {
		size_t len = strlen(text);

		lines[nr].text = text;
		lines[nr].len = nr + 1 < most ? words_of_line(s, text, len) : len;
		text += lines[nr++].len;
		text += strspn(text, " ");
	}
	for (int i = 0; i < nr; i++) {
		ui_fill(s, row - nr + 1 + i, 0, s->columns, UI_WARNING);
		put_words(s, row - nr + 1 + i, UI_WARNING, lines[i].text, lines[i].len);
	}
}

void ui_app_draw(struct ui_app *app, struct ui_screen *s)
{
	struct ui_layout at = ui_layout(s->rows, false);
	int spoken = at.status >= 0 ? at.status : at.hint >= 0 ? at.hint : s->rows - 1;
	struct ui_view *v;

	app->rows = s->rows;
	app->columns = s->columns;
	ui_screen_clear(s);
	if (!app->stack.nr)
		return;
	v = top_of(app);
	v->ops->draw(v, app, s);
	if (at.status >= 0 && app->status)
		put_words(s, at.status, app->is_status_loud ? UI_WARNING : UI_FAINT, app->status, strlen(app->status));
	if (at.hint >= 0) {
		const char *hint = v->hint ? v->hint : "q:back  h:help";

		ui_fill(s, at.hint, 0, s->columns, UI_BAR);
		put_words(s, at.hint, UI_BAR, hint, strlen(hint));
	}
	if (app->question) {
		draw_prompt(app, s, spoken);
	} else if (app->message[0]) {
		draw_message(app, s, spoken);
	}
}

static void drop_character(char *s)
{
	size_t len = strlen(s);

	while (len && (s[len - 1] & 0xc0) == 0x80)
		len--;
	s[len ? len - 1 : 0] = 0;
}

static void add_character(char *s, size_t size, uint32_t c)
{
	size_t len = strlen(s);
	struct out o;

	if (c < 0x20 || c == 0x7f || c > 0x10ffff)
		return;
	out_init(&o, -1);
	if (c < 0x80) {
		out_char(&o, (char)c);
	} else {
		struct ui_screen one;

		ui_screen_init(&one, 1, 1, true);
		one.cells[0].character = c;
		ui_screen_text(&one, &o);
		o.len--; /* the line end */
		ui_screen_fini(&one);
	}
	if (len + o.len < size) {
		memcpy(s + len, o.buf, o.len);
		s[len + o.len] = 0;
	}
	out_fini(&o);
}

/* Keys while a question is open. */
static void answer_key(struct ui_app *app, const struct ui_event *e)
{
	struct ui_view *v = top_of(app);
	bool is_final = e->key == UI_KEY_ENTER || e->key == UI_KEY_ESCAPE;

	if (e->key == UI_KEY_BACKSPACE)
		drop_character(app->answer);
	else if (e->key == UI_KEY_ESCAPE || e->key == 21 /* ^U */)
		app->answer[0] = 0;
	else if (!is_final)
		add_character(app->answer, sizeof(app->answer), e->key);
	if (is_final)
		app->question = NULL;
	if (v->ops->answer)
		v->ops->answer(v, app, app->answer, is_final);
}

void ui_app_event(struct ui_app *app, const struct ui_event *e)
{
	struct ui_view *v;

	app->message[0] = 0;
	if (!app->stack.nr || e->key == UI_KEY_NONE)
		return;
	if (app->question) {
		answer_key(app, e);
		return;
	}
	v = top_of(app);
	if (v->ops->key(v, app, e))
		return;
	if (e->key == 'q' || e->key == UI_KEY_ESCAPE)
		ui_app_pop(app);
	else if (e->key == 'h' || e->key == '?')
		ui_app_push(app, ui_help_view(v));
	else if (e->key == 'n' && app->notes)
		ui_app_push(app, ui_text_view("Quality of the data", app->notes, strlen(app->notes), 0, NULL, NULL));
}

bool ui_app_refresh(struct ui_app *app)
{
	bool has_changed = false;

	for (uint32_t i = 0; i < app->stack.nr; i++)
		if (app->stack.v[i]->ops->refresh)
			has_changed |= app->stack.v[i]->ops->refresh(app->stack.v[i]);
	return has_changed;
}

enum ui_style ui_heat(double percent)
{
	return percent >= 5.0 ? UI_HOT : percent >= 0.5 ? UI_WARM : UI_PLAIN;
}
