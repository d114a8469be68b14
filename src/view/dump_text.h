/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * -D, --dump-raw-trace: each record as bytes and as decoded fields, for people who debug a recorder
 * or a reader. The text is perf's. It is fed by session records, in the order in which
 * session_next() delivers them.
 *
 * How script and report use it, for each record of session_next():
 *
 *	dump_record(o, path, recording, &sr, DUMP_SCRIPT or DUMP_REPORT);
 *	if (sr is a SAMPLE, and --time does not leave it out)
 *		dump_place(o, machine, &sr);
 *	script only: the usual text of the sample (or of a record asked for by --show-…-events)
 *
 * Each record's text begins with its own empty line, so nothing stands between. Some records' text
 * has no line end (as with perf): the next one's empty line is it. report prints its two lines "# To
 * display the perf.data header info, …" first, and after the last record the text of --stats
 * ("\nAggregated stats:\n…"); neither is printed here.
 */
#ifndef ASSAY_VIEW_DUMP_TEXT_H
#define ASSAY_VIEW_DUMP_TEXT_H

#include "base/out.h"
#include "session/machine.h"
#include "session/recording.h"

/* Whose -D: perf script handles a few kinds of records that perf report calls unhandled. */
enum dump_reader { DUMP_SCRIPT, DUMP_REPORT };

/* Appends offset, bytes and fields of one record. `path`: the file as the person named it. */
void dump_record(struct out *o, const char *path, const struct recording *r, const struct session_record *sr, enum dump_reader reader);

/* Appends the two lines on where a sample was taken: its task and its DSO. */
void dump_place(struct out *o, struct machine *m, const struct session_record *sr);

#endif
