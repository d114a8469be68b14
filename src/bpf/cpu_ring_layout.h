/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rings of records that a BPF program writes and a process reads in mapped memory, one for each CPU: an element of an array map. Only the CPU writes to
 * its ring, so that a record costs neither a lock nor a copy, which are most of what the kernel's ring buffer costs. Included by BPF and by C.
 *
 * A record is its size in eight bytes and its bytes, a multiple of eight. One that begins in front of the end of the data goes on behind it, in
 * the room for one, and positions go round without it: no record is cut.
 */
#ifndef ASSAY_BPF_CPU_RING_LAYOUT_H
#define ASSAY_BPF_CPU_RING_LAYOUT_H

#define CPU_RING_SCRATCH 512u	  /* bytes that are the program's own */
#define CPU_RING_RECORD_MAX 2048u /* with its size */

struct cpu_ring {
	unsigned long long write_pos; /* positions grow for ever */
	unsigned long long woken_pos; /* where the reader was woken last */
	unsigned long long nr_dropped;
	unsigned long long is_busy; /* a program that was interrupted writes */
	unsigned long long reserved[4];
	/* In a cache line of its own: the reader's. */
	unsigned long long read_pos;
	unsigned long long reserved_too[7];
	unsigned char scratch[CPU_RING_SCRATCH];
	/* The data follow, and the room for one record. */
};

#endif
