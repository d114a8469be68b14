/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A screen of character cells that views draw on and src/tui puts on a terminal. Nothing here knows a terminal: what is shown is a function of
 * model, state and size, and tests read the cells.
 *
 * Text passes through escape_terminal() on its way into cells, whatever it is: no control byte, no invisible character and no broken UTF-8
 * becomes a cell.
 */
#ifndef ASSAY_VIEW_UI_SCREEN_H
#define ASSAY_VIEW_UI_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/out.h"

enum ui_style {
	UI_PLAIN,
	UI_BAR,	     /* title and key lines */
	UI_HEADING,  /* of columns */
	UI_SELECTED, /* the row of the cursor */
	UI_HOT,	     /* 5% and more */
	UI_WARM,     /* 0.5% and more */
	UI_FAINT,
	UI_WARNING,
	UI_MATCH, /* of a search */
	/* frames of flame graphs */
	UI_FLAME_USER,
	UI_FLAME_USER_ODD,
	UI_FLAME_KERNEL,
	UI_FLAME_KERNEL_ODD,
	UI_FLAME_OTHER,
	UI_NR_STYLES,
};

struct ui_cell {
	uint32_t character; /* 0: the right half of a wide one */
	uint8_t style;	    /* enum ui_style */
};

struct ui_screen {
	int rows, columns;
	struct ui_cell *cells;	       /* row * columns + column */
	bool utf8;		       /* characters other than ASCII can be shown; else their bytes are, as \xNN */
	int cursor_row, cursor_column; /* -1: none */
	struct out scratch;
};

#define UI_MAX_SIZE 1000 /* rows and columns that are drawn of a larger terminal */

void ui_screen_init(struct ui_screen *s, int rows, int columns, bool utf8);
void ui_screen_fini(struct ui_screen *s);
void ui_screen_clear(struct ui_screen *s);

/* Puts text from `column` on, at most `width` columns of it; returns the column behind it. Rows and columns outside of the screen are left out. */
int ui_put(struct ui_screen *s, int row, int column, int width, enum ui_style style, const char *text, size_t len);
int ui_put_str(struct ui_screen *s, int row, int column, int width, enum ui_style style, const char *text);
int ui_printf(struct ui_screen *s, int row, int column, int width, enum ui_style style, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));
/* A text longer than `width` loses its middle, where an ellipsis stands. */
int ui_put_middle(struct ui_screen *s, int row, int column, int width, enum ui_style style, const char *text, size_t len);
/* A function's name, which label_shorten() makes fit; "[.] " in front and " (inlined)" behind it stay where there is room for both. */
int ui_put_name(struct ui_screen *s, int row, int column, int width, enum ui_style style, const char *text, size_t len);
/* Text whose first `skipped` characters are scrolled out. */
int ui_put_skipped(struct ui_screen *s, int row, int column, int skipped, enum ui_style style, const char *text, size_t len);
/* The columns that text takes once it is escaped. */
int ui_width(struct ui_screen *s, const char *text, size_t len);
/* Gives cells another style; the characters stay. */
void ui_restyle(struct ui_screen *s, int row, int column, int width, enum ui_style style);
/* Blanks of a style. */
void ui_fill(struct ui_screen *s, int row, int column, int width, enum ui_style style);

/* The screen as lines without blanks at their ends, for tests. */
void ui_screen_text(const struct ui_screen *s, struct out *o);

#endif
