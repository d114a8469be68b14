/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From the stacks that were read to the file: how narrow is too narrow, headings, notes, the sentence at the end. Knows nothing of how they
 * were read.
 */
#ifndef ASSAY_CMD_FLAME_DRAW_H
#define ASSAY_CMD_FLAME_DRAW_H

#include "cmd/flame_options.h"

#define FLAME_DRAW_FILE "flame.svg" /* where nobody says, and standard output is a terminal */

/* The file that the picture goes to; NULL: standard output. */
const char *flame_draw_path(const struct flame_command *c);

/* Finishes the flame and writes the picture of it. Where filters let nothing pass, nothing is written: -ENODATA. */
int flame_draw(struct flame_command *c, struct flame *f, struct errbuf *eb);

#endif
