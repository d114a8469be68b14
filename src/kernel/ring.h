/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A ring of the kernel, mapped: a control page and 2^n data pages into which the kernel writes records. We are its only reader.
 */
#ifndef ASSAY_KERNEL_RING_H
#define ASSAY_KERNEL_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "abi/record.h"
#include "base/errbuf.h"

#define RING_CAP_USER_TIME_ZERO (1ULL << 4)  /* time_zero is valid */
#define RING_CAP_USER_TIME_SHORT (1ULL << 5) /* time_cycles, time_mask are valid */

/* The kernel's perf_event_mmap_page in our own names. The kernel writes it while we read: data_head is loaded with acquire and data_tail
 * stored with release order; the time fields are read between two loads of `lock`. */
struct ring_page {
	uint32_t version;
	uint32_t compat_version;
	uint32_t lock;	/* odd or changed: read again */
	uint32_t index; /* of the hardware counter, from 1; 0: none */
	int64_t offset; /* added to what the counter shows */
	uint64_t time_enabled;
	uint64_t time_running;
	uint64_t capabilities; /* RING_CAP_* */
	uint16_t pmc_width;
	uint16_t time_shift;
	uint32_t time_mult;
	uint64_t time_offset;
	uint64_t time_zero;
	uint32_t size;
	uint32_t reserved_1;
	uint64_t time_cycles;
	uint64_t time_mask;
	uint8_t reserved[116 * 8];

	uint64_t data_head;   /* bytes ever written; the kernel's */
	uint64_t data_tail;   /* bytes ever consumed; ours */
	uint64_t data_offset; /* from the start of this page */
	uint64_t data_size;   /* a power of two */
	uint64_t aux_head;
	uint64_t aux_tail;
	uint64_t aux_offset;
	uint64_t aux_size;
};
_Static_assert(offsetof(struct ring_page, offset) == 16, "as the kernel lays it out");
_Static_assert(offsetof(struct ring_page, capabilities) == 40, "as the kernel lays it out");
_Static_assert(offsetof(struct ring_page, time_mult) == 52, "as the kernel lays it out");
_Static_assert(offsetof(struct ring_page, size) == 72, "as the kernel lays it out");
_Static_assert(offsetof(struct ring_page, time_mask) == 88, "as the kernel lays it out");
_Static_assert(offsetof(struct ring_page, data_head) == 1024, "as the kernel lays it out");
_Static_assert(offsetof(struct ring_page, aux_head) == 1056, "as the kernel lays it out");
_Static_assert(sizeof(struct ring_page) == 1088, "as the kernel lays it out");

struct ring {
	struct ring_page *page; /* NULL: not open */
	uint8_t *data;
	uint64_t size; /* of the data pages, a power of two */
	uint64_t tail; /* what we have consumed; the kernel sees it in the control page */
	int fd;	       /* borrowed: the event fd that it is mapped on, for poll() */
};

/* Maps `nr_pages` data pages (a power of two) of event `fd`. Where the limit of locked memory forbids that, halves the number until it
 * works (down to one page); *nr_pages is the number that was mapped: start the next ring with it, and warn once (ring_limit_sentence). `fd`
 * stays the caller's and must outlive the ring. */
int ring_open(struct ring *r, int fd, uint32_t *nr_pages, struct errbuf *eb);
/* Unmaps. Allowed on a zeroed or closed ring. */
void ring_close(struct ring *r);

/* Data pages of a ring without -m: perf_event_mlock_kb less the control page, rounded down to a power of two (128 pages of 4 KiB by
 * default). */
uint32_t ring_default_pages(void);
/* -m ARG: pages as a number, or a size with B, K, M, G; rounded up to a power of two of pages. -EINVAL with a sentence. */
int ring_parse_pages(const char *arg, uint32_t *nr_pages, struct errbuf *eb);
/* Why rings are smaller than requested and how to have them larger, into `text`. */
void ring_limit_sentence(uint32_t wished, uint32_t got, char *text, size_t size);

/* Whole records in two parts: the end of the ring may be in the middle of one. */
struct ring_span {
	const uint8_t *a, *b;
	size_t a_size, size;
};

/* The unread records, oldest first. All that the kernel wrote before its head moved is visible (acquire). */
struct ring_span ring_peek(const struct ring *r);
/* Gives the oldest `size` bytes back to the kernel; they must not be used any more (release). */
void ring_consume(struct ring *r, size_t size);

/* Records that are in one piece. */
static inline struct ring_span ring_span_of(const void *data, size_t size)
{
	return (struct ring_span){ .a = data, .a_size = size, .size = size };
}

/* The header of the record at `off`; NULL at the end, or where there is no record (then 8 bytes and more are left). Headers are 8 bytes at
 * multiples of 8, as the sizes of both parts: they are never cut. */
static inline const struct record_header *ring_span_record(const struct ring_span *s, size_t off)
{
	const struct record_header *h;

	if (s->size - off < sizeof(*h))
		return NULL;
	h = (const void *)(off < s->a_size ? s->a + off : s->b + (off - s->a_size));
	return h->size >= sizeof(*h) && h->size % 8 == 0 && h->size <= s->size - off ? h : NULL;
}

static inline bool ring_span_is_damaged(const struct ring_span *s, size_t off)
{
	return s->size - off >= sizeof(struct record_header) && !ring_span_record(s, off);
}

static inline void ring_span_copy(const struct ring_span *s, size_t off, void *to, size_t size)
{
	size_t in_a = off < s->a_size ? s->a_size - off : 0;

	if (in_a > size)
		in_a = size;
	if (in_a)
		memcpy(to, s->a + off, in_a);
	if (size > in_a)
		memcpy((uint8_t *)to + in_a, s->b + (off + in_a - s->a_size), size - in_a);
}

/* For converting TSC times, as a TIME_CONV record has it behind its header: false where the kernel does not offer it. */
struct ring_time_conv {
	uint64_t shift, mult, zero, cycles, mask;
	uint8_t cap_user_time_zero, cap_user_time_short, pad[6];
};
bool ring_time_conv(const struct ring *r, struct ring_time_conv *tc);

#endif
