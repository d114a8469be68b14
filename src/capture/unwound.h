/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How an event and its samples look once their stacks are unwound: as perf's frame-pointer
 * recordings look. Registers and stack are gone, the user part of the call chain has the callers.
 *
 * Two things tell such a file from one of frame pointers, by the rule of abi/walked.h: its attr
 * still names the size of the dump, and marks behind a chain tell how its walk ended.
 *
 * Pure: attr to attr, sample to bytes. Who unwinds, and when, is the stage's business
 * (unwind_stage.h).
 */
#ifndef ASSAY_CAPTURE_UNWOUND_H
#define ASSAY_CAPTURE_UNWOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/record.h"
#include "abi/walked.h"
#include "symbols/unwind.h"

/* Addresses of one chain at most: what fits into a record. */
#define UNWOUND_CHAIN_MAX (UINT16_MAX / 8)
#define UNWOUND_MARKS_MAX (WALKED_NR_ENDS - 1)
#define UNWOUND_RECORD_MAX (UINT16_MAX & ~7u)

/* Does a sample of this event carry all that unwinding needs? */
bool unwound_is_possible(const struct attr *a);
/* What a file says of such an event. */
void unwound_attr(struct attr *a);

/* Copies the part of a recorded chain that is before user space (or all of it) and the mark that
 * user space follows; returns how many words that is. `chain` has room for UNWOUND_CHAIN_MAX. */
uint32_t unwound_chain_begin(const struct sample *s, uint64_t *chain);

/* The record with `chain` in place of stack and registers; `out` is the layout of the event as the
 * file has it. Behind its `nr` words the chain has room for UNWOUND_MARKS_MAX, which tell how its
 * *walk ended; none where it was not done. A chain too long for a record is cut at its outer end, and
 * its end becomes UNWIND_RECORD_LIMIT. Returns the size, or a negative errno where the sample cannot be
 * (-EBADMSG, -ENOSPC). */
int64_t unwound_encode(const struct sample_layout *out, const struct record_header *h, const struct sample *s, uint64_t *chain, uint32_t nr,
		       struct unwind_result *walk, void *buf, size_t cap);

/* A record about an event that the file does not name (a twin, stack_growth.h), in the name of the one that it does: sets the id of a
 * LOST, LOST_SAMPLES, THROTTLE or UNTHROTTLE, and that of its trailer. */
void unwound_rename(const struct sample_layout *l, struct record_header *h, uint64_t id);

#endif
