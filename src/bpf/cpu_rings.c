/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each turn reads a ring up to where it was written to when its turn came: however fast one is filled, the others are read, too.
 */
#include "bpf/cpu_rings.h"

#ifdef HAVE_BPF
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bpf/cpu_ring_layout.h"

#define BATCH_BYTES (64u << 10) /* that are free for the writer again at once */

size_t cpu_rings_value_size(size_t size)
{
	return sizeof(struct cpu_ring) + size + CPU_RING_RECORD_MAX;
}

int cpu_rings_open(struct cpu_rings *r, int map_fd, uint32_t nr, size_t size)
{
	size_t stride = (cpu_rings_value_size(size) + 7) & ~(size_t)7, page = (size_t)sysconf(_SC_PAGESIZE);
	size_t map_size = (nr * stride + page - 1) & ~(page - 1);
	void *p = mmap(NULL, map_size, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);

	*r = (struct cpu_rings){ .stride = stride, .size = size };
	if (p == MAP_FAILED)
		return -errno;
	r->map = p;
	r->map_size = map_size;
	r->nr = nr;
	return 0;
}

void cpu_rings_close(struct cpu_rings *r)
{
	if (r->map)
		munmap(r->map, r->map_size);
	memset(r, 0, sizeof(*r));
}

static struct cpu_ring *ring_at(const struct cpu_rings *r, uint32_t i)
{
	return (struct cpu_ring *)(void *)(r->map + i * r->stride);
}

/* False: it was ended by `record`. */
static bool consume_one(const struct cpu_rings *r, struct cpu_ring *ring, int (*record)(void *ctx, void *data, size_t size), void *ctx,
			int *nr)
{
	uint64_t end = __atomic_load_n(&ring->write_pos, __ATOMIC_ACQUIRE), pos = ring->read_pos, freed = pos;
	uint8_t *data = (uint8_t *)(ring + 1);
	bool is_ended = false;

	while (pos < end && !is_ended) {
		uint8_t *at = data + (pos & (r->size - 1));
		uint64_t size = *(uint64_t *)(void *)at;

		pos += 8 + size;
		is_ended = record(ctx, at + 8, size);
		++*nr;
		if (pos - freed >= BATCH_BYTES) {
			__atomic_store_n(&ring->read_pos, pos, __ATOMIC_RELEASE);
			freed = pos;
		}
	}
	if (pos != freed)
		__atomic_store_n(&ring->read_pos, pos, __ATOMIC_RELEASE);
	return !is_ended;
}

int cpu_rings_consume(struct cpu_rings *r, int (*record)(void *ctx, void *data, size_t size), void *ctx)
{
	int nr = 0;

	for (uint32_t i = 0; i < r->nr; i++) {
		if (!consume_one(r, ring_at(r, r->next), record, ctx, &nr))
			break;
		r->next = (r->next + 1) % r->nr;
	}
	return nr;
}

uint64_t cpu_rings_dropped(const struct cpu_rings *r)
{
	uint64_t nr = 0;

	for (uint32_t i = 0; i < r->nr; i++)
		nr += __atomic_load_n(&ring_at(r, i)->nr_dropped, __ATOMIC_RELAXED);
	return nr;
}
#endif
