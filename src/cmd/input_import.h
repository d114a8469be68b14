/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Profiles of other tools as input of every command: what is no perf.data but one of them is imported into memory on the way, and read
 * from there. So is a perf.data that comes through a pipe though it is none that can be read from one.
 */
#ifndef ASSAY_CMD_INPUT_IMPORT_H
#define ASSAY_CMD_INPUT_IMPORT_H

#include <stdbool.h>

#include "base/errbuf.h"
#include "import/import.h"

/* Looks at what `path` ("-": stdin) begins with, and leaves it where it is unless it can be imported. 1: it was; *fd is the file
 * to read instead, and the caller's, and *bytes_present what was read of the profile. 0: it is to be read as it is, and *bytes_present what it has
 * (0: it is a pipe). A packed recording of another user takes `force`. */
int input_import(const char *path, bool force, int *fd, uint64_t *bytes_present, struct errbuf *eb);

/* Whether what comes next of `fd` is a recording or a profile; nothing is taken out of it, and a file stays where it is. */
bool input_import_is_profile(int fd);

/* Says on stderr what of the input was left out. */
void input_import_warn(const char *name, const struct import_result *result);

#endif
