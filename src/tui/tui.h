/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The terminal by ncursesw: shows screens of cells (view/ui_screen.h), reads keys and the mouse, and gives the terminal back as it was,
 * whatever ends the program: exit, SIGINT, SIGTERM, SIGHUP, SIGQUIT, a crash; and for as long as it is stopped (SIGTSTP).
 *
 * A process has one terminal. What is written to stderr meanwhile is kept, and comes when the terminal is given back.
 */
#ifndef ASSAY_TUI_TUI_H
#define ASSAY_TUI_TUI_H

#include <stdbool.h>

#include "base/errbuf.h"
#include "view/ui.h"

/* Whether a UI can be shown here; false with a sentence that says why not. */
bool tui_is_usable(struct errbuf *eb);
/* What its user wants to see: no --stdio, … (`is_text_wanted`), --tui (`is_forced`). 1: a UI, 0: text; negative errno with a sentence where
 * it is forced and cannot be. */
int tui_choose(const char *command, bool is_forced, bool is_text_wanted, struct errbuf *eb);

/* Colours, before tui_open(): those of a style instead of its own, 0 to 7 as terminals number them, -1: the terminal's; and whether there are any. */
void tui_set_colour(enum ui_style style, int text, int ground);
enum tui_colours { TUI_COLOURS_AUTO, TUI_COLOURS_NEVER, TUI_COLOURS_ALWAYS }; /* auto: unless NO_COLOR is set */
void tui_use_colours(enum tui_colours use);

/* Takes the terminal; one that is taken already stays so. */
int tui_open(struct errbuf *eb);
void tui_close(void);

/* Shows the app and feeds it keys until it is over. Returns 0, or a negative errno where the terminal is gone. */
int tui_run(struct ui_app *app);
/* Shows it once: before something that takes long, or where its owner waits for more than keys. */
void tui_show(struct ui_app *app);

/* For an owner that waits itself, for input on standard input and for `notice_fd`, an eventfd (borrowed): signals of the terminal are told by that,
 * whichever thread has them. Before tui_open(). */
void tui_set_notice(int notice_fd);
/* What has come by then: signals, keys. 1: the screen has to be shown anew, 0: it is as it was; a negative errno where the terminal is gone. */
int tui_take_input(struct ui_app *app);

#endif
