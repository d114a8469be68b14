/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Writes what a builder collected as a perf.data that every command reads, with its names (perfdata/embedded_names.h). Times, tasks and
 * CPUs are those of the source; what the source does not have is left out, not invented. The parts of it are private to this module.
 */
#ifndef ASSAY_IMPORT_RECORDING_H
#define ASSAY_IMPORT_RECORDING_H

#include "base/errbuf.h"
#include "import/builder.h"
#include "perfdata/info.h"

/* Lays the builder out and writes it to `fd`, which can seek and is emptied. The builder is of no use afterwards but to be freed. */
int import_write(struct import_builder *b, int fd, struct errbuf *eb);

/* ---- layout ---- */

/* Gives every location an address in its module and in memory, such that looking the address up gives the name, offset and lines that the
 * location came with. Addresses of the source are kept wherever that is possible; where there is none, or two things claim the same one,
 * one is invented. Afterwards all locations have `addr` and `ip` but those of user space without a module and an ip (0). */
int import_layout(struct import_builder *b, struct errbuf *eb);

/* ---- maps ---- */

/* Which MMAP records have to precede which sample, so that each address of its stack is found in its module. A module without an address in
 * memory is mapped into a process when it first has samples in it. Where the source has addresses of memory, maps are made of these; they
 * hold until another location claims the same address (a process ran another program), which begins a new epoch. */
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

/* From that sample on the process has no maps: its leader's id was another process's in between. */
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

/* ---- tracepoints ---- */

/* Fields of tracepoints that came as text: each event gets a format whose one field is that text, as the kernel would have written it, so
 * that every reader of the recording prints it. */
#define TEXT_FIELDS_MAX 8000u /* bytes of a text that are kept */
#define TEXT_FIELDS_ROOM (TEXT_FIELDS_MAX + 16u)

/* Adds the formats to the info, where any event has text. */
void text_fields_formats(const struct import_builder *b, struct perfdata_info *info);
/* Writes the raw bytes of a sample into `raw`, of TEXT_FIELDS_ROOM bytes; returns how many there are. */
uint32_t text_fields_raw(const struct import_builder *b, const struct import_event *e, const struct import_sample *s, uint8_t *raw);

#endif
