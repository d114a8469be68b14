/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The reader's side of a BPF ring buffer. The writer looks at the reader's position for each record: it is moved once a batch, not once a
 * record, so that its cache line does not go to and fro. Wake-ups come only when the program asks for one: that there are records is no reason
 * to wake.
 */
#ifndef ASSAY_BPF_EVENT_RING_H
#define ASSAY_BPF_EVENT_RING_H

#include <stddef.h>
#include <stdint.h>

/* A zeroed struct is closed. */
struct event_ring {
	unsigned long *reader_pos;
	const unsigned long *writer_pos;
	const uint8_t *data; /* mapped twice, one after the other: no record is cut */
	size_t size, page_size;
	int wake_fd;
};

int event_ring_open(struct event_ring *r, int map_fd, size_t size);
void event_ring_close(struct event_ring *r);
/* Hands out what is there by now; a non-zero return ends the turn after that record. Returns how many there were. Forgets wake-ups before. */
int event_ring_consume(struct event_ring *r, int (*record)(void *ctx, void *data, size_t size), void *ctx);

#endif
