/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct ring_page: the first page of a mapped event, the kernel's perf_event_mmap_page in our own
 * names.
 *
 * The kernel writes it while we read: data_head is loaded with acquire and data_tail stored with
 * release order; the counter fields are read between two looks at `lock`. Doing so is the kernel
 * room's business.
 */
#ifndef ASSAY_ABI_RING_PAGE_H
#define ASSAY_ABI_RING_PAGE_H

#include <stddef.h>
#include <stdint.h>

#define RING_CAP_BIT0_DEPRECATED (1ULL << 1)
#define RING_CAP_USER_RDPMC (1ULL << 2)
#define RING_CAP_USER_TIME (1ULL << 3)	     /* time_shift, time_mult, time_offset are valid */
#define RING_CAP_USER_TIME_ZERO (1ULL << 4)  /* time_zero is valid */
#define RING_CAP_USER_TIME_SHORT (1ULL << 5) /* time_cycles, time_mask are valid */

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

#endif
