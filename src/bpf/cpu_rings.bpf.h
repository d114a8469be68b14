/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The program's side of cpu_ring_layout.h. The loader sets the constants and the sizes of the map.
 *
 * On x86_64 alone: there, stores become visible in the order in which they are made. Elsewhere it takes an instruction that programs for older kernels do not have.
 */
#ifndef ASSAY_BPF_CPU_RINGS_BPF_H
#define ASSAY_BPF_CPU_RINGS_BPF_H

#include "bpf/cpu_ring_layout.h"
#include "bpf/kernel_types.h"

const volatile unsigned long long cpu_ring_mask = 0; /* size of the data - 1; 0: there are no such rings */
const volatile unsigned long long cpu_ring_wake = 0; /* bytes, after which the reader is woken */

/* No type of the value: its size is known when it is loaded. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(unsigned int));
	__uint(value_size, 4096);
} cpu_rings SEC(".maps");

#define CPU_RING_BARRIER() asm volatile("" ::: "memory")

static __always_inline struct cpu_ring *cpu_ring_get(void)
{
	unsigned int cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&cpu_rings, &cpu);
}

/* Where the bytes of the next record go. */
static __always_inline void *cpu_ring_next(struct cpu_ring *r)
{
	return (unsigned char *)(r + 1) + (r->write_pos & cpu_ring_mask) + 8;
}

/* NULL: it cannot be written to now, as an interrupted program does so. */
static __always_inline struct cpu_ring *cpu_ring_lock(void)
{
	struct cpu_ring *r = cpu_ring_get();

	if (!r || r->is_busy)
		return NULL;
	r->is_busy = 1;
	CPU_RING_BARRIER();
	return r;
}

static __always_inline void cpu_ring_unlock(struct cpu_ring *r)
{
	CPU_RING_BARRIER();
	r->is_busy = 0;
}

/* NULL: there is no room for another record, which is counted. */
static __always_inline void *cpu_ring_reserve(struct cpu_ring *r)
{
	if (r->write_pos + CPU_RING_RECORD_MAX - *(volatile unsigned long long *)&r->read_pos > cpu_ring_mask) {
		r->nr_dropped++;
		return NULL;
	}
	return cpu_ring_next(r);
}

/* The record is complete. True: the reader is to be woken. */
static __always_inline bool cpu_ring_commit(struct cpu_ring *r, void *record, unsigned long long size)
{
	unsigned long long pos = r->write_pos + 8 + size;

	((unsigned long long *)record)[-1] = size;
	CPU_RING_BARRIER();
	*(volatile unsigned long long *)&r->write_pos = pos;
	if (pos - r->woken_pos < cpu_ring_wake)
		return false;
	r->woken_pos = pos;
	return true;
}

#endif
