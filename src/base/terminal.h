/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The terminal that a person looks at: its size; and, for what is drawn again and again, all of its screen with single keys, given back as it was
 * however the program ends (but for SIGKILL).
 */
#ifndef ASSAY_BASE_TERMINAL_H
#define ASSAY_BASE_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/errbuf.h"

struct terminal_size {
	int rows, columns;
};

/* Of a terminal; COLUMNS and LINES, else 24 rows of 80 columns, where it does not tell. */
struct terminal_size terminal_size_of(int fd);

/* Whether there is a screen to draw on: standard input and output are a terminal that can move its cursor. */
bool terminal_has_screen(void);

/* Takes the screen: the alternate one, keys without Enter and echo. Messages on stderr wait until it is given back. `notice_fd`: an eventfd
 * (borrowed) that tells of a new size, or of SIGTSTP. One at a time. */
int terminal_open(int notice_fd, struct errbuf *eb);
/* Gives it back; also where it was not taken. */
void terminal_close(void);
/* After a notice: where SIGTSTP has come, gives the screen back, stops, and takes it again when the process goes on. True: draw all anew. */
bool terminal_take_notice(void);
/* What was typed, as far as it has come; 0: nothing. Never blocks. */
ssize_t terminal_read(char *keys, size_t size);

#endif
