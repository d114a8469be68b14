/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Writes what a builder collected as a perf.data that every command reads, names inside (perfdata/embedded_names.h). Times, tasks and CPUs
 * are those of the source; what the source did not tell is left out, not made up.
 */
#ifndef ASSAY_IMPORT_RECORDING_H
#define ASSAY_IMPORT_RECORDING_H

#include "base/errbuf.h"
#include "import/builder.h"

/* Lays the builder out and writes it to `fd`, which can seek and is emptied. The builder is of no use afterwards but to be freed. */
int import_write(struct import_builder *b, int fd, struct errbuf *eb);

#endif
