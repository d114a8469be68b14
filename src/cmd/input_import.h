/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Profiles of other tools as input of every command: what is no perf.data but one of them is imported into memory on the way, and read
 * from there.
 */
#ifndef ASSAY_CMD_INPUT_IMPORT_H
#define ASSAY_CMD_INPUT_IMPORT_H

#include <stdbool.h>

#include "base/errbuf.h"
#include "import/import.h"

/* Looks at what `path` ("-": stdin) begins with, and leaves it where it is unless it can be imported. 1: it was; *fd is the file
 * to read instead, and the caller's. 0: it is to be read as it is. */
int input_import(const char *path, int *fd, struct errbuf *eb);

/* Says on stderr what of the input was left out. */
void input_import_warn(const char *name, const struct import_result *result);

#endif
