/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One ring of the kernel, mapped: a control page and 2^n data pages into which the kernel writes
 * records. We are its only reader. Bytes are given out as they lie; records may wrap around the
 * end, so that the unread span comes in two parts. It must not know what the bytes mean.
 */
#ifndef ASSAY_KERNEL_RING_H
#define ASSAY_KERNEL_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/errbuf.h"

struct ring_page; /* abi/ring_page.h */

struct ring {
	struct ring_page *page; /* NULL: not open */
	uint8_t *data;
	uint64_t size; /* of the data pages, a power of two */
	uint64_t tail; /* what we have consumed; the kernel sees it in the control page */
	int fd;	       /* borrowed: the event fd that it is mapped on, for poll() */
	bool backward; /* written downwards and overwritten (ATTR_WRITE_BACKWARD); read-only mapping
			*/
};

/* Maps `nr_pages` data pages (a power of two) of event `fd`. Where the locked-memory limit forbids
 * it, halves the number until it works (down to one page); *nr_pages says what was had, so start
 * the next ring with it and tell the person once (ring_limit_sentence). Errors have a sentence.
 * `fd` stays the caller's and must outlive the ring. */
int ring_open(struct ring *r, int fd, uint32_t *nr_pages, bool backward, struct errbuf *eb);
/* Unmaps. Allowed on a zeroed or closed ring. */
void ring_close(struct ring *r);

/* Data pages a ring has when -m was not given: perf_event_mlock_kb less the control page, rounded
 * down to a power of two (128 pages of 4 KiB with the kernel's default). */
uint32_t ring_default_pages(void);
/* -m ARG: pages as a number, or a size with B, K, M, G; rounded up to a power of two of pages.
 * -EINVAL with a sentence. */
int ring_parse_pages(const char *arg, uint32_t *nr_pages, struct errbuf *eb);
/* Why rings came out smaller than wished and how to have them larger, into `text`. */
void ring_limit_sentence(uint32_t wished, uint32_t got, char *text, size_t size);

/* The unread bytes, oldest first: part a, then part b (b_size 0 unless it wraps). Returns a_size +
 * b_size. All that the kernel wrote before its head moved is visible (acquire). Holds whole records
 * only. For backward rings: see ring_peek_backward(). */
size_t ring_peek(const struct ring *r, const void **a, size_t *a_size, const void **b, size_t *b_size);
/* Gives the oldest `size` bytes back to the kernel; nothing of them may be touched any more
 * (release). */
void ring_consume(struct ring *r, size_t size);

/* Backward rings: the newest record is first. Pause the ring, then peek: the span from the head up
 * to the oldest whole record (headers are walked with checked sizes), newest record first. */
int ring_pause(const struct ring *r, bool pause);
size_t ring_peek_backward(const struct ring *r, const void **a, size_t *a_size, const void **b, size_t *b_size);

/* For converting TSC times (TIME_CONV): false where the kernel does not offer it. */
struct ring_time_conv {
	uint16_t shift;
	uint32_t mult;
	uint64_t zero;
	uint64_t cycles;
	uint64_t mask;
	bool cap_user_time_zero;
	bool cap_user_time_short;
};
bool ring_time_conv(const struct ring *r, struct ring_time_conv *tc);

#endif
