/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One line (of NAMESPACES: several) for each kind of record: what `script --show-*-events` prints
 * behind its columns, and what -D prints behind the offset. A table by record type; fed by decoded
 * session records.
 */
#ifndef ASSAY_VIEW_RECORD_TEXT_H
#define ASSAY_VIEW_RECORD_TEXT_H

#include <stdbool.h>

#include "base/out.h"
#include "session/recording.h"

/* Appends the text from the type's name on ("PERF_RECORD_MMAP2 16346/16346: […]: r-xp /tmp/w\n"),
 * as script prints it, line end included. Types that have no text of their own (SAMPLE, READ,
 * perf's own records) give name and line end. */
void record_text(struct out *o, const struct session_record *sr);

#endif
