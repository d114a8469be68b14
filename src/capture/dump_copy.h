/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Records out of a ring, without the bytes that stack dumps did not fill. The kernel reserves room for the largest dump with each
 * sample and fills it up to the end of the stack; the rest is old bytes of the ring. Only what was filled is copied, so that a dump
 * costs what the stack has, whatever was asked for.
 *
 * Such a sample is one that the kernel might have written: a dump that ended before its room did still says so (dyn_size < size).
 */
#ifndef ASSAY_CAPTURE_DUMP_COPY_H
#define ASSAY_CAPTURE_DUMP_COPY_H

#include <stddef.h>
#include <stdint.h>

#include "capture/dump_policy.h"
#include "capture/ring_span.h"
#include "capture/unwind_stream.h"

/* Copies records from *off on to `to`, as many as fit into `cap` bytes (at least one does), and adds to `use`. Returns how many bytes
 * it wrote, with *off behind the last record. Of what is no record, the header is copied, and the rest of the span left out. */
size_t dump_copy(const struct unwind_stream *s, const struct ring_span *p, size_t *off, uint8_t *to, size_t cap, struct dump_use *use);

#endif
