/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Colours of the terminal UI by the configuration: section "colors", perf's names where perf has them.
 */
#ifndef ASSAY_CMD_UI_COLOURS_H
#define ASSAY_CMD_UI_COLOURS_H

#include "base/config.h"

#define UI_COLOURS_ARE "is two of black, red, green, yellow, blue, magenta, cyan, white and default, as in 'red, default'"

/* Words of a value: letters, ground; -1: the terminal's. False: it is none of a colour. */
bool ui_colours_parse(const char *value, int *text, int *ground);
/* Uses those of the configuration; warns of words that are no colours. */
void ui_colours_take(const struct config *c);

#endif
