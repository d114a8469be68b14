/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads a file ahead of its reader, in a thread: copying out of the page cache takes as long as a good part of what is done with the
 * records. The reader lends blocks, and takes them back in the order of the file. What is lent is bounded, and so is the memory.
 */
#ifndef ASSAY_PERFDATA_READ_AHEAD_H
#define ASSAY_PERFDATA_READ_AHEAD_H

#include <stdint.h>
#include <sys/types.h>

#include "perfdata/record_source.h"

#define READ_AHEAD_BLOCKS 4u
/* Of each block: kept free for the begin of a record whose end is in it. The largest record fits, and what follows stays aligned. */
#define READ_AHEAD_FREE (64u << 10)

struct read_ahead;

/* Of bytes from `off` to `end`; the fd is borrowed. NULL where no thread can be started. */
struct read_ahead *read_ahead_start(int fd, uint64_t off, uint64_t end);
/* Ends the thread; blocks that are lent are the reader's again. */
void read_ahead_stop(struct read_ahead *a);
/* Lends a block, to be filled from READ_AHEAD_FREE on, and holds it. READ_AHEAD_BLOCKS may be lent at a time. */
void read_ahead_lend(struct read_ahead *a, struct record_block *b);
/* The block that was lent first, when it is filled, released; how many bytes it has (0: the end; negative errno) and where they are in the file.
 * NULL: none is lent. */
struct record_block *read_ahead_take(struct read_ahead *a, ssize_t *size, uint64_t *off);

#endif
