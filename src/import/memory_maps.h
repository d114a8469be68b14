/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct memory_maps: which MMAP records have to stand in front of which sample, so that each address of its stack is found in its
 * module. A module whose place in memory was not told is mapped into a process when it first has samples in it. Where the source told
 * addresses of memory, maps are made of these; they hold until another location claims the same address (a process ran another program),
 * which begins a new epoch.
 *
 * Fed with a builder that was laid out. It knows nothing of how records are written.
 */
#ifndef ASSAY_IMPORT_MEMORY_MAPS_H
#define ASSAY_IMPORT_MEMORY_MAPS_H

#include "import/builder.h"

struct memory_map {
	uint64_t start, end, pgoff;
	uint32_t dso;
	bool is_kernel;
};

/* A map that is needed by the sample `s`, in its process. */
typedef void memory_map_fn(void *ctx, const struct import_sample *s, const struct memory_map *m);

struct memory_claim { /* of an address, in an epoch of a process */
	uint64_t ip;
	uint32_t epoch, location;
};

struct memory_process {
	int32_t pid;
	uint32_t epoch;
	uint32_t life; /* differs from that of all others, and from its own before its maps were lost */
};

/* From that sample on the process has no maps: its leader's id was somebody else's in between. */
struct memory_reset {
	uint32_t sample;
	int32_t pid;
};

struct memory_owner {
	int32_t tid, pid;
};

struct memory_maps {
	const struct import_builder *b;
	memory_map_fn *put;
	void *ctx;
	struct hindex seen_stacks, seen_dsos; /* by process; ids are indices of `seen` */
	VEC(uint64_t) seen;
	VEC(struct memory_process) processes;
	struct hindex process_index;
	uint32_t nr_lives;
	VEC(struct memory_reset) resets;
	uint32_t next_reset;
	VEC(struct memory_claim) claims; /* by epoch and address, once planned */
	struct hindex claim_index;
	VEC(uint32_t) epoch_starts; /* sample that an epoch begins with */
	VEC(uint32_t) epoch_claims; /* its first claim */
	uint32_t next_epoch;
};

void memory_maps_init(struct memory_maps *m, const struct import_builder *b, memory_map_fn *put, void *ctx);
void memory_maps_fini(struct memory_maps *m);
/* Calls back for each map that must stand in front of that sample; samples come in order. */
void memory_maps_before(struct memory_maps *m, uint32_t sample);

#endif
