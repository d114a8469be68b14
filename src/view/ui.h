/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The terminal UI without a terminal: a stack of views that draw on a struct ui_screen and take keys. src/tui reads keys and shows screens,
 * tests do the same with cells. A view changes its state by keys alone, and draws the same for the same model, state and size.
 *
 * Most views are rows: struct ui_rows_ops is a provider of them, and the model behind it may be alive (`refresh`).
 */
#ifndef ASSAY_VIEW_UI_H
#define ASSAY_VIEW_UI_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"
#include "base/vec.h"
#include "view/ui_screen.h"

/* Keys that are no characters, and what a mouse does. */
enum ui_key {
	UI_KEY_NONE,
	UI_KEY_TAB = '\t',
	UI_KEY_ENTER = '\n',
	UI_KEY_ESCAPE = 0x1b,
	UI_KEY_UP = 0x110000,
	UI_KEY_DOWN,
	UI_KEY_LEFT,
	UI_KEY_RIGHT,
	UI_KEY_PAGE_UP,
	UI_KEY_PAGE_DOWN,
	UI_KEY_HOME,
	UI_KEY_END,
	UI_KEY_BACKSPACE,
	UI_KEY_BACK_TAB,
	UI_MOUSE_CLICK, /* the rest have a row and a column */
	UI_MOUSE_DOUBLE,
	UI_MOUSE_WHEEL_UP,
	UI_MOUSE_WHEEL_DOWN,
};

struct ui_event {
	uint32_t key; /* a character, or enum ui_key */
	int row, column;
};

struct ui_app;
struct ui_view;

struct ui_view_ops {
	void (*draw)(struct ui_view *v, struct ui_app *app, struct ui_screen *s);
	/* True: it was a key of this view. */
	bool (*key)(struct ui_view *v, struct ui_app *app, const struct ui_event *e);
	/* Of a live model: takes what is new; true: the screen has changed. May be NULL. */
	bool (*refresh)(struct ui_view *v);
	/* The prompt at the bottom has changed, or was answered (is_final); may be NULL. */
	void (*answer)(struct ui_view *v, struct ui_app *app, const char *text, bool is_final);
	void (*free)(struct ui_view *v);
};

struct ui_view {
	const struct ui_view_ops *ops;
	const char *hint;	 /* keys in the last line; borrowed */
	const char *const *help; /* lines of the view's own keys, NULL at the end; borrowed */
};

#define UI_PROMPT_SIZE 256

struct ui_app {
	VEC(struct ui_view *) stack; /* the last one is shown */
	int rows, columns;
	const char *status; /* the line above the keys: the quality of the data; borrowed */
	bool is_status_loud;
	const char *notes;    /* all that is to be said of the data, for 'n'; NULL: nothing; borrowed */
	char message[512];    /* in place of the status until the next key */
	const char *question; /* what the prompt asks; NULL: nothing is asked */
	char answer[UI_PROMPT_SIZE];
	bool is_over;
};

void ui_app_init(struct ui_app *app);
void ui_app_fini(struct ui_app *app);
/* The view changes hands. */
void ui_app_push(struct ui_app *app, struct ui_view *v);
/* Back to the view before; from the first one, the app is over. */
void ui_app_pop(struct ui_app *app);
void ui_app_draw(struct ui_app *app, struct ui_screen *s);
void ui_app_event(struct ui_app *app, const struct ui_event *e);
/* The models of live views have changed. True: the screen has, too. */
bool ui_app_refresh(struct ui_app *app);
void ui_app_say(struct ui_app *app, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Asks for a line of text; `text` is what it begins with. The view on top is notified of each change. */
void ui_app_ask(struct ui_app *app, const char *question, const char *text);

/* Which line is what at a height; -1: there is none. */
struct ui_layout {
	int title, heading, body, nr_body, status, hint;
};
struct ui_layout ui_layout(int rows, bool has_heading);
/* The title bar: a long title loses its middle. */
void ui_title(struct ui_screen *s, const char *text, size_t len);
/* Appends a function's name, escaped, in at most `width` letters, but some. */
void ui_title_name(struct out *o, const char *name, int width);

/* Which part of a list is seen. */
struct ui_list {
	uint32_t top, selected;
	int left; /* columns that are scrolled out */
};

void ui_list_fit(struct ui_list *l, uint32_t nr, int nr_body);
/* Arrows, pages, the mouse; true: it was one of them. */
bool ui_list_key(struct ui_list *l, const struct ui_event *e, uint32_t nr, const struct ui_layout *at);

/* A provider of rows. `model` is the owner's. */
struct ui_rows_ops {
	void (*title)(void *model, struct out *o, int width);		      /* what is longer loses its middle */
	void (*heading)(void *model, struct ui_screen *s, int row, int left); /* NULL: there is none */
	uint32_t (*nr)(void *model);
	void (*draw)(void *model, struct ui_screen *s, int row, uint32_t i, int left);
	/* Keys of its own; NULL: none. `selected` is a row, unless there is none (nr is 0). */
	bool (*key)(void *model, struct ui_app *app, struct ui_list *list, const struct ui_event *e);
	/* Shows only rows with this word, "" shows all; NULL: cannot. The list is to point at what it pointed at before, if that is left. */
	void (*filter)(void *model, const char *word, struct ui_list *list);
	/* What was asked by ui_app_ask() has another answer, as in struct ui_view_ops; false: it was not asked by the model. May be NULL. */
	bool (*answer)(void *model, struct ui_app *app, const char *text, bool is_final);
	/* The model has changed: the list is to point at what it pointed at before. NULL: it is not alive. */
	bool (*refresh)(void *model, struct ui_list *list);
	void (*free)(void *model);
	const char *hint;
	const char *const *help;
};

/* A view of rows; the model changes hands. */
struct ui_view *ui_rows_view(const struct ui_rows_ops *ops, void *model);
/* The model of such a view; NULL where it is another one. */
void *ui_rows_model(struct ui_view *v, const struct ui_rows_ops *ops);
/* The list of such a view. */
struct ui_list *ui_rows_list(struct ui_view *v);

/* Lines of text, which can be filtered; `text` has a copy taken. `on_enter` is called with the chosen line, may be NULL. `nr_heading`: lines of it
 * that stay where they are. */
typedef void ui_text_fn(void *ctx, struct ui_app *app, const char *line);
struct ui_view *ui_text_view(const char *title, const char *text, size_t len, uint32_t nr_heading, ui_text_fn *on_enter, void *ctx);
/* P saves what is shown, by this. */
typedef void ui_save_fn(void *ctx, struct ui_app *app);
void ui_text_on_save(struct ui_view *v, ui_save_fn *save, void *ctx);
/* The keys of a view and those of all. */
struct ui_view *ui_help_view(const struct ui_view *of);

/* Whether `text` has `word` in it, letters large or small. */
bool ui_has_word(const char *text, size_t len, const char *word);
/* By share: hot, warm or plain. */
enum ui_style ui_heat(double percent);

#endif
