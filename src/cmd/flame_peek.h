/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tells text from recordings by the first bytes, without taking them out of a pipe.
 */
#ifndef ASSAY_CMD_FLAME_PEEK_H
#define ASSAY_CMD_FLAME_PEEK_H

#include <stdbool.h>

/* False too where nothing can be told: then it is read as a recording, which says what is wrong with it. */
bool flame_peek_is_text(int fd);

#endif
