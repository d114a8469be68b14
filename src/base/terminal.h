/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The size of the terminal that a person looks at.
 */
#ifndef ASSAY_BASE_TERMINAL_H
#define ASSAY_BASE_TERMINAL_H

struct terminal_size {
	int rows, columns;
};

/* Of a terminal; COLUMNS and LINES, else 24 rows of 80 columns, where it does not tell. */
struct terminal_size terminal_size_of(int fd);

#endif
