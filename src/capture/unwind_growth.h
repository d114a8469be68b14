/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The stream's part in larger dumps (stack_growth.h): whom to ask for, which samples they stand
 * for, and in whose name. Called in order of time, but for unwind_growth_expect(). Only where the
 * stream has `growth`.
 */
#ifndef ASSAY_CAPTURE_UNWIND_GROWTH_H
#define ASSAY_CAPTURE_UNWIND_GROWTH_H

#include "abi/record.h"
#include "capture/unwind_stream.h"

/* A sample of the event with that id, `event_nr` UINT32_MAX where it is not the file's: sets event
 * and id of what it stands for. Is it to be left out? */
bool unwind_growth_replaces(struct unwind_stream *s, struct unwind_item *item, uint64_t id);
/* The item's walk has come to the end of its dump. */
void unwind_growth_ask(struct unwind_stream *s, const struct unwind_item *item);
/* A FORK that has just come in, before its turn: its thread may live for moments only. */
void unwind_growth_expect(struct unwind_stream *s, const struct record_header *h);
void unwind_growth_forget(struct unwind_stream *s, uint32_t tid);
/* Records about an event that the file does not name speak of the one it stands for. */
void unwind_growth_rename(struct unwind_stream *s, struct record_header *h, uint64_t id);
void unwind_growth_rewrite(const struct sample_layout *l, struct record_header *h, uint64_t id);

#endif
