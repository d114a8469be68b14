/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * An intake that works in a thread of its own: records are read and ordered on one CPU while another one works on those before. They come in
 * batches, in the order in which intake_next() gives them, so that threads meet once in some thousand records.
 *
 * While it works, the thread alone touches the source, the intake and the counts of holders of blocks: users of records may hold no block.
 * What records say of the recording itself changes only while the user waits for the next batch.
 */
#ifndef ASSAY_SESSION_INTAKE_AHEAD_H
#define ASSAY_SESSION_INTAKE_AHEAD_H

#include "session/intake.h"

#define INTAKE_AHEAD_MIN (16u << 20) /* bytes of a recording: a smaller one is not worth a thread */

struct intake_ahead;

/* Whether records of this intake can be taken ahead: those of a large file, on a machine with more than one CPU. */
bool intake_ahead_can(const struct intake *in);
/* NULL where no thread can be started. */
struct intake_ahead *intake_ahead_start(struct intake *in);
/* As intake_next(), with what waits at the end; the block of an entry is held until the next call. */
const struct order_entry *intake_ahead_next(struct intake_ahead *a, int *ret, struct errbuf *eb);
/* Ends the thread; the intake is the caller's again. Returns how many records were taken and not given. */
uint64_t intake_ahead_stop(struct intake_ahead *a);

#endif
