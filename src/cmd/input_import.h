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
#include "perfdata/record_source.h"

/* Opens what `path` ("-": stdin) is, and imports it before where it begins like a profile. 1: it was imported, *bytes_present is what was
 * read of it. 0: it was not, *bytes_present is what it has (0: it is a pipe). Recordings of other users, packed or not, take `force`. */
int input_open_source(struct record_source **s, const char *path, bool force, uint64_t *bytes_present, struct errbuf *eb);

/* Whether what comes next of `fd` is a recording or a profile; nothing is taken out of it, and a file stays where it is. */
bool input_import_is_profile(int fd);

/* Says on stderr what of the input was left out. */
void input_import_warn(const char *name, const struct import_result *result);

#endif
