/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The reader's side of cpu_ring_layout.h.
 */
#ifndef ASSAY_BPF_CPU_RINGS_H
#define ASSAY_BPF_CPU_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A zeroed struct is closed. */
struct cpu_rings {
	uint8_t *map;
	size_t map_size, stride, size; /* of one with its head; of the data */
	uint32_t nr, next;	       /* which one is read next */
};

/* The size of the value of the map, for data of `size` bytes, a power of two. */
size_t cpu_rings_value_size(size_t size);
/* `nr`: of the map's elements. */
int cpu_rings_open(struct cpu_rings *r, int map_fd, uint32_t nr, size_t size);
void cpu_rings_close(struct cpu_rings *r);
/* Hands out what is there by now, ring by ring, each in the order of time; a non-zero return ends the turn after that record, and the next one goes
 * on there. Returns how many there were. */
int cpu_rings_consume(struct cpu_rings *r, int (*record)(void *ctx, void *data, size_t size), void *ctx);
/* Records that there was no room for. */
uint64_t cpu_rings_dropped(const struct cpu_rings *r);

#endif
