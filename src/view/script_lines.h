/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lines of samples that show no places, made by threads: a thread takes some thousand of them, and writes their text when those before it are
 * written. Only where each event of a recording is a tracepoint whose text is a function of its bytes (script_lines_can()).
 */
#ifndef ASSAY_VIEW_SCRIPT_LINES_H
#define ASSAY_VIEW_SCRIPT_LINES_H

#include "view/script_text.h"

struct script_lines;

/* `shape` says what is printed, and has learned the events, which must all be known. */
bool script_lines_can(const struct script_text *shape);
/* Prints to shape->o, which others may use again after script_lines_flush(). */
struct script_lines *script_lines_new(const struct script_text *shape);
void script_lines_free(struct script_lines *l);
/* Copies what it needs of the sample. The first error of the output so far, or 0. */
int script_lines_add(struct script_lines *l, const struct script_line *line);
/* Waits until everything is printed. */
int script_lines_flush(struct script_lines *l);

#endif
