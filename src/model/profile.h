/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct profile: the one table everybody reads. Column-oriented and interned: strings, locations, frames, stacks and
 * tasks are u32 ids; samples are columns of ids.
 *
 * Fed by a session, sample by sample (profile_add), or only asked to intern (script does that). What is seen often is looked up
 * whole: a raw call chain under the task's map key, an instruction pointer under the same.
 * Frames are named in bulk after the load (profile_symbolize), or one by one when asked for (profile_frame).
 */
#ifndef ASSAY_MODEL_PROFILE_H
#define ASSAY_MODEL_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "session/session.h"

#define FRAME_NONE UINT32_MAX /* location not yet symbolised */
#define STACK_NONE 0u	      /* the root of all stacks; a sample without a chain has it */

struct profile_location {
	struct location at; /* dso, addr, ip */
	uint32_t frame;
	uint8_t cpumode; /* MISC_KERNEL, MISC_USER … as the chain's marks said */
};

/* A function in a DSO. Without a symbol (function 0) it stands for one address. */
struct profile_frame {
	uint32_t function; /* string id; 0: unresolved */
	uint32_t dso;
	uint64_t start, end; /* of the symbol; the address twice where unresolved */
	bool is_object;	     /* the symbol table calls it data */
};

struct profile_stack {
	uint32_t parent; /* the caller's stack; STACK_NONE ends it */
	uint32_t location;
	uint32_t depth; /* frames, this one included */
};

struct profile_task { /* a task under one name */
	int32_t pid, tid;
	uint32_t comm; /* string id */
};

struct profile_samples {
	uint64_t *time_ns;
	uint64_t *period;
	uint32_t *task;
	uint32_t *cpu;
	uint32_t *stack;
	uint32_t *location; /* of the sampled ip */
	uint16_t *event;
	uint32_t nr, cap;
};

/* A chain as it was recorded → its stack. */
struct profile_chain {
	uint64_t map_key;
	const uint64_t *ips;
	uint32_t nr;
	uint32_t stack;
};

#define PROFILE_IP_CACHE 4096

struct profile {
	struct session *session; /* borrowed */
	struct strtab strings;
	struct arena chain_ips;
	VEC(struct profile_location) locations;
	VEC(struct profile_frame) frames;
	VEC(struct profile_stack) stacks;
	VEC(struct profile_task) tasks;
	VEC(struct profile_chain) chains;
	struct hindex location_index, frame_index, stack_index, task_index, chain_index;
	struct profile_samples samples;
	VEC(uint32_t) scratch; /* locations of the chain at hand */
	uint32_t max_stack; /* frames kept of a chain */
	bool keep_outermost; /* of a longer one: those next to main, not those next to the sampled place */
	uint64_t nr_invalid_chains; /* with a mark that means nothing: dropped */
	/* ip → location, direct-mapped */
	struct {
		uint64_t map_key, ip;
		uint32_t location;
		uint8_t cpumode;
	} ip_cache[PROFILE_IP_CACHE];
	/* the last task seen → its id */
	const struct task *last_task;
	uint32_t last_comm, last_task_id;
	int32_t last_pid;
};

void profile_init(struct profile *p, struct session *s);
void profile_fini(struct profile *p);

/* Adds a sample to the columns. */
void profile_add(struct profile *p, const struct session_record *sr);

/* The parts of profile_add(), for those who keep no samples. */
uint32_t profile_intern_location(struct profile *p, const struct task *task, uint64_t ip, unsigned cpumode);
uint32_t profile_intern_chain(struct profile *p, const struct task *task, const uint64_t *ips, uint64_t nr);
uint32_t profile_intern_task(struct profile *p, const struct task *task);

/* Bytes held for chains, stacks and locations. */
uint64_t profile_size_bytes(const struct profile *p);
/* Forgets all chains, stacks and locations: for those who keep no samples and so need no ids from before. Names stay. */
void profile_forget(struct profile *p);

/* Names all locations, DSOs loaded in parallel. */
void profile_symbolize(struct profile *p);
/* After that: takes out the samples of places without a name, and such places from all chains. No chain can be interned afterwards. */
void profile_drop_unnamed(struct profile *p);
/* The frame of one location, named now if need be. */
uint32_t profile_frame_of(struct profile *p, uint32_t location);
/* The same, as a pointer that is valid until the next frame is named. */
static inline const struct profile_frame *profile_frame_at(struct profile *p, uint32_t location)
{
	uint32_t frame = profile_frame_of(p, location);

	return &p->frames.v[frame];
}

static inline const char *profile_str(const struct profile *p, uint32_t id)
{
	return strtab_get(&p->strings, id);
}
static inline const struct dso *profile_dso(const struct profile *p, uint32_t dso)
{
	return dso_table_get(&p->session->machine.dsos, dso);
}

#endif
