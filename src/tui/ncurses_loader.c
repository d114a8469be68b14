/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The functions of ncursesw that the terminal UI calls, from the shared library, which is loaded when a UI may be shown: other commands do not
 * pay for it, and run where it is not installed. The statically linked program has the library's own functions instead of this file.
 */
#define NCURSES_NOMACROS 1
#include <curses.h>
#include <term.h>
#undef columns /* names of terminfo as macros */
#undef lines

#include "base/lazy_library.h"

#define LIBRARY "libncursesw.so.6"

#define FUNCTIONS(X)                                                                                                                       \
	X(setupterm)                                                                                                                       \
	X(tigetstr)                                                                                                                        \
	X(initscr)                                                                                                                         \
	X(endwin)                                                                                                                          \
	X(cbreak)                                                                                                                          \
	X(noecho)                                                                                                                          \
	X(nonl)                                                                                                                            \
	X(keypad)                                                                                                                          \
	X(nodelay)                                                                                                                         \
	X(set_escdelay)                                                                                                                    \
	X(mouseinterval)                                                                                                                   \
	X(mousemask)                                                                                                                       \
	X(getmouse)                                                                                                                        \
	X(has_colors)                                                                                                                      \
	X(start_color)                                                                                                                     \
	X(use_default_colors)                                                                                                              \
	X(init_pair)                                                                                                                       \
	X(resizeterm)                                                                                                                      \
	X(werase)                                                                                                                          \
	X(setcchar)                                                                                                                        \
	X(mvwadd_wch)                                                                                                                      \
	X(wmove)                                                                                                                           \
	X(curs_set)                                                                                                                        \
	X(wrefresh)                                                                                                                        \
	X(clearok)                                                                                                                         \
	X(wget_wch)                                                                                                                        \
	X(unget_wch)

LAZY_LIBRARY(FUNCTIONS)

#define NOT_LOADED (-2) /* beside the three that setupterm() has */

/* Called before any other function. */
int setupterm(const char *term, int fd, int *status)
{
	static int is_loaded = -1;

	if (is_loaded < 0)
		is_loaded = LAZY_LOAD(LIBRARY, "no terminal UI");
	if (!is_loaded) {
		*status = NOT_LOADED;
		return ERR;
	}
	return library.setupterm(term, fd, status);
}

char *tigetstr(const char *capability)
{
	return library.tigetstr(capability);
}

WINDOW *initscr(void)
{
	return library.initscr();
}

mmask_t mousemask(mmask_t wanted, mmask_t *old)
{
	return library.mousemask(wanted, old);
}

bool has_colors(void)
{
	return library.has_colors();
}

int setcchar(cchar_t *c, const wchar_t *text, const attr_t attributes, NCURSES_PAIRS_T pair, const void *unused)
{
	return library.setcchar(c, text, attributes, pair, unused);
}

#define PLAIN(name, parameters, arguments)                                                                                                 \
	int name parameters                                                                                                                \
	{                                                                                                                                  \
		return library.name arguments;                                                                                             \
	}

PLAIN(endwin, (void), ())
PLAIN(cbreak, (void), ())
PLAIN(noecho, (void), ())
PLAIN(nonl, (void), ())
PLAIN(keypad, (WINDOW * w, bool on), (w, on))
PLAIN(nodelay, (WINDOW * w, bool on), (w, on))
PLAIN(set_escdelay, (int ms), (ms))
PLAIN(mouseinterval, (int ms), (ms))
PLAIN(getmouse, (MEVENT * m), (m))
PLAIN(start_color, (void), ())
PLAIN(use_default_colors, (void), ())
PLAIN(init_pair, (NCURSES_PAIRS_T pair, NCURSES_COLOR_T text, NCURSES_COLOR_T ground), (pair, text, ground))
PLAIN(resizeterm, (int rows, int columns), (rows, columns))
PLAIN(werase, (WINDOW * w), (w))
PLAIN(mvwadd_wch, (WINDOW * w, int row, int column, const cchar_t *c), (w, row, column, c))
PLAIN(wmove, (WINDOW * w, int row, int column), (w, row, column))
PLAIN(curs_set, (int how), (how))
PLAIN(wrefresh, (WINDOW * w), (w))
PLAIN(clearok, (WINDOW * w, bool on), (w, on))
PLAIN(wget_wch, (WINDOW * w, wint_t *c), (w, c))
PLAIN(unget_wch, (const wchar_t c), (c))
