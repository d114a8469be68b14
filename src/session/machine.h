/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct machine: what is known at one moment of the stream: tasks, what each has mapped where, the files behind it, the kernel.
 *
 * Records change it one after the other (machine_apply), through a session. It knows nothing of where records come from or what is made
 * of samples.
 */
#ifndef ASSAY_SESSION_MACHINE_H
#define ASSAY_SESSION_MACHINE_H

#include <stdint.h>

#include "abi/record.h"
#include "base/budget.h"
#include "session/dso.h"
#include "session/maps.h"
#include "session/task.h"

/* Where an address lies. */
struct location {
	uint32_t dso; /* DSO_NONE: in no map */
	uint64_t addr; /* file offset, or the runtime address itself in kernel, JIT and unknown memory */
	uint64_t ip;
};

struct machine_known {
	const uint8_t *build_id;
	uint8_t build_id_size;
	const char *path; /* under which it is known: another than the asked one where the kernel is, or a module of it */
};

struct machine {
	struct task_table tasks;
	struct dso_table dsos;
	struct budget *memory; /* what all tables, and profiles, are taken from, borrowed; NULL: nothing limits them */
	struct map_pool kernel_map_pool;
	struct map_set kernel_maps;
	uint32_t kernel_dso; /* DSO_NONE until its MMAP record came */
	/* What is known of a file beforehand (from a recording's header): false where nothing is; may be NULL itself. */
	bool (*find_known)(void *ctx, enum module_kind kind, const char *path, struct machine_known *known);
	void *known_ctx;
	/* Adds what else is known of the file of a map record; may be NULL itself. Strings are copied, the rest outlives the machine. */
	void (*known_file)(void *ctx, const struct record *rec, struct dso_file *f);
	void *known_file_ctx;
	int64_t recorded_until_ns; /* wall clock: files that were changed later are not what was mapped; 0: unknown */
	/* Is called before the maps of a process change; may be NULL itself. */
	void (*before_change)(void *ctx, int32_t pid);
	void *before_change_ctx;
	bool user_only; /* symbols that the kernel reports are not wanted */
	const struct embedded_names *names; /* of modules that came with the recording; borrowed, may be NULL */
};

void machine_init(struct machine *m, const struct symbolizer_options *opts);
void machine_fini(struct machine *m);
/* What its tables are taken from (borrowed): they grow on where it is used up, and whoever feeds the machine stops. */
void machine_set_memory(struct machine *m, struct budget *memory);

/* Takes over what has become known of files since they were mapped: a pipe lists build-ids behind its records. */
void machine_learn(struct machine *m);

/* Applies a decoded kernel record (a sample: finds its task). Returns the task it speaks of, or NULL. */
struct task *machine_apply(struct machine *m, const struct record *rec);

/* Locates `ip`, sampled in `cpumode` (MISC_KERNEL, MISC_USER) of that task, now. */
struct location machine_locate(struct machine *m, const struct task *task, uint64_t ip, unsigned cpumode);
/* Equal keys: every address of that task (and of the kernel) locates as it did before. */
static inline uint64_t machine_map_key(const struct machine *m, const struct task *task)
{
	return (uint64_t)m->kernel_maps.generation << 32 | task_maps(task)->generation;
}

static inline const char *machine_comm(const struct machine *m, const struct task *task)
{
	return strtab_get(&m->tasks.strings, task->comm);
}

#endif
