/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The thread behind out_write_behind(): writes one buffer at a time, in order. Private to base/out.c.
 */
#ifndef ASSAY_BASE_OUT_WRITER_H
#define ASSAY_BASE_OUT_WRITER_H

#include <stddef.h>

struct out_writer;

/* NULL where no thread can be started. */
struct out_writer *out_writer_new(int fd, size_t cap);
/* Waits for the buffer handed over last, and frees. Returns the first error. */
int out_writer_free(struct out_writer *w);
/* Hands over a buffer of `cap` bytes (as given to out_writer_new) with `len` in use, and returns an empty one of that size. Waits while the last
 * one is still being written; *error is the first error so far. */
char *out_writer_swap(struct out_writer *w, char *buf, size_t len, int *error);

#endif
