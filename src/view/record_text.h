/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Records as text, in perf's words: one line each (`script --show-*-events`), or -D: bytes and decoded fields. Fed by session records in the
 * order of session_next(). For a sample, `script -D` and `report -D` call dump_record(), dump_place() where --time keeps it, then print it as usual.
 * The text of a record begins with an empty line; some end without a line end, as perf's do.
 */
#ifndef ASSAY_VIEW_RECORD_TEXT_H
#define ASSAY_VIEW_RECORD_TEXT_H

#include <stdbool.h>

#include "base/out.h"
#include "session/machine.h"
#include "session/recording.h"

/* Appends the text from the type's name on ("PERF_RECORD_MMAP2 16346/16346: […]: r-xp /tmp/w\n"), as script prints it. Types without
 * text of their own (SAMPLE, READ, perf's own records) give name and line end. */
void record_text(struct out *o, const struct session_record *sr);

/* Whose -D: perf script handles a few kinds of records that perf report calls unhandled. */
enum dump_reader { DUMP_SCRIPT, DUMP_REPORT };

/* Appends offset, bytes and fields of one record. `path`: the file as the person named it. */
void dump_record(struct out *o, const char *path, const struct recording *r, const struct session_record *sr, enum dump_reader reader);

/* Appends the two lines on where a sample was taken: its task and its DSO. */
void dump_place(struct out *o, struct machine *m, const struct session_record *sr);

void dump_sample(struct out *o, const struct recording *r, const struct session_record *sr);

#endif
