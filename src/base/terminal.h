/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The terminal that a person looks at: its size, and what it can show.
 */
#ifndef ASSAY_BASE_TERMINAL_H
#define ASSAY_BASE_TERMINAL_H

#include <stdbool.h>

struct terminal_size {
	int rows, columns;
};

/* Of a terminal; COLUMNS and LINES, else 24 rows of 80 columns, where it does not tell. */
struct terminal_size terminal_size_of(int fd);

/* Whether the locale has UTF-8, by the variables that choose it. */
bool terminal_is_utf8(void);

#endif
