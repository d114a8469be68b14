/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct machine: tasks, their maps, the files behind them and the kernel, at one moment of the stream. A session applies records to it
 * (machine_apply).
 */
#ifndef ASSAY_SESSION_MACHINE_H
#define ASSAY_SESSION_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/record.h"
#include "base/arena.h"
#include "base/budget.h"
#include "base/hash.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "session/dso.h"

/* maps.c: the address space of a process, or of the kernel.
 *
 * `generation` names the contents: equal generations mean equal maps, in one process or two. A fork shares the parent's set until one of
 * them changes (`frozen` sets never change; task_table_map() continues with a successor), so a chain that was resolved under a
 * generation need not be resolved again. A successor shares all unchanged nodes with the frozen set: it costs the logarithm of the
 * number of maps. */
struct map {
	uint64_t start, end; /* [start, end) */
	uint64_t pgoff;
	uint32_t dso;
	bool identity;	      /* addresses of this map are runtime addresses (kernel, JIT, anonymous memory) */
	bool is_memory;	      /* of a file without a path (memfd): some compilers put their code there */
	uint32_t prot, flags; /* PROT_*, MAP_*, as recorded */
	uint64_t ino;
};

struct map_node;

/* Where the nodes of sets live that may share some. A zeroed struct is an empty pool. */
struct map_pool {
	VEC(struct map_node *) chunks;
	struct map_node *spare; /* by their `left` */
	uint32_t nr_in_chunk;	/* of the last one that were ever used */
	uint32_t last_owner;
	uint32_t nr_made;
	struct budget *memory; /* what nodes are taken from, borrowed; NULL: nothing limits them */
};

struct map_set {
	struct map_pool *pool; /* set before the first map is added; outlives the set */
	struct map_node *root; /* sorted, not overlapping */
	uint32_t owner;	       /* of nodes that only this set has */
	uint32_t generation;
	bool frozen;
	bool is_used; /* task_table_forget()'s */
};

/* Adds a map; what it covers of others is cut away. */
void map_set_add(struct map_set *s, const struct map *m);
const struct map *map_set_find(const struct map_set *s, uint64_t ip);
/* The first map that ends above an address; NULL: there is none. */
const struct map *map_set_first(const struct map_set *s, uint64_t addr);
uint32_t map_set_nr(const struct map_set *s);
/* By place in the order of addresses, below map_set_nr(). */
const struct map *map_set_at(const struct map_set *s, uint32_t i);
/* The maps of a frozen set, to be changed from there on. */
struct map_set map_set_successor(const struct map_set *frozen);

/* Lets go of what belongs to none of these sets, which are all that are in use. */
void map_pool_keep(struct map_pool *p, struct map_set *const *sets, uint32_t nr);
void map_pool_fini(struct map_pool *p);

/* The address that names a place in the DSO: file offset, or runtime address for identity maps. */
static inline uint64_t map_addr(const struct map *m, uint64_t ip)
{
	return m->identity ? ip : ip - m->start + m->pgoff;
}

/* task.c: the task of a pid and tid at the current moment. One is never freed and never becomes another: a reused tid gives a new task.
 * Threads share the map set of their process leader. Only task_table_forget() drops those that exited, for recorders that run for days. */
struct task {
	uint32_t id;		/* index in the table */
	int32_t pid, tid, ppid; /* ppid: the thread that forked it, by tid, as in perf; -1: unknown */
	uint32_t comm;		/* string id; ":TID" until known */
	bool comm_known;
	bool superseded; /* its tid belongs to a newer task */
	bool exited;
	bool is_old, is_needed; /* task_table_forget()'s: had exited the last time; marked this time */
	struct task *leader;	/* itself for a process leader */
	struct map_set *maps;	/* of the leader only */
	struct jit_code *jit;	/* of the leader only: what a jitdump says of its generated code; NULL: nothing */
};

#define TASK_RECENT 256 /* a power of two */

struct task_table {
	struct arena arena;
	struct strtab strings; /* comms */
	VEC(struct task *) tasks;
	struct map_pool map_pool;
	VEC(struct map_set *) map_sets;
	struct hindex index;		  /* by tid */
	struct task *recent[TASK_RECENT]; /* by tid: found last time */
	uint32_t next_generation;
	struct task *spare;    /* forgotten ones, by their `leader` */
	uint32_t forget_at;    /* tasks */
	struct budget *memory; /* what tasks, names and maps are taken from, borrowed; NULL: nothing limits them */
};

void task_table_init(struct task_table *t);
void task_table_fini(struct task_table *t);

/* The current task of that tid, made if unknown. A pid of -1 is not known; nor are the others that abi/record.h says. */
struct task *task_table_get(struct task_table *t, int32_t pid, int32_t tid);
struct task *task_table_find(struct task_table *t, int32_t tid);
/* task_table_get(), for samples: most are of tasks that were met just before. */
static inline struct task *task_table_get_recent(struct task_table *t, int32_t pid, int32_t tid)
{
	struct task *task = t->recent[(uint32_t)tid % TASK_RECENT];

	if (task && tid >= 0 && task->tid == tid && task->pid == pid && !task->superseded && !task->leader->superseded &&
	    task->leader->pid == pid)
		return task;
	return task_table_get(t, pid, tid);
}
/* `clone_maps` false: the child begins with no maps (synthesised records list them). */
/* The number is that of another task from now on, of which no record tells anything. */
struct task *task_table_renew(struct task_table *t, int32_t tid);
struct task *task_table_fork(struct task_table *t, int32_t pid, int32_t tid, int32_t ppid, int32_t ptid, bool clone_maps);
void task_table_comm(struct task_table *t, struct task *task, const char *comm, bool exec);
void task_table_exit(struct task_table *t, struct task *task);
/* Frees processes that exited, with maps and names, when they are as many as the others: cheap to call. Recent ones stay: samples of
 * them may follow. No task may be held. */
void task_table_forget(struct task_table *t);
void task_table_map(struct task_table *t, struct task *task, const struct map *m);

/* What its maps mean has changed: gives them another generation. */
void task_table_touch(struct task_table *t, struct task *task);

static inline const struct map_set *task_maps(const struct task *task)
{
	return task->leader->maps;
}

/* jit_code.c: the code that a process generated, by its jitdump, at the current moment. Its places are maps of a DSO whose addresses are
 * offsets in the dump, laid over the anonymous memory that the code is in. */
struct jit_codes {
	VEC(struct jit_code *) v;
	uint64_t due_ns; /* of records: something of them changes then; UINT64_MAX: never */
};

struct machine;
/* A map record names a dump: it is read, once a process. */
void jit_codes_open(struct machine *m, struct task *task, const struct record *rec);
/* Up to the time of a record. */
void jit_codes_advance(struct machine *m, uint64_t time_ns);
void jit_codes_fini(struct machine *m);
const struct map *jit_code_find(const struct jit_code *j, uint64_t ip);
/* The dump of a task's process; NULL: it has none, or it could not be read. */
const struct jitdump *jit_code_dump(const struct machine *m, const struct task *task);

/* The map around an address of a task: of generated code, that of its function. */
static inline const struct map *task_find_map(const struct task *task, uint64_t ip)
{
	const struct map *map = map_set_find(task_maps(task), ip), *code;

	if (__builtin_expect(!task->leader->jit, 1) || (map && !map->identity && !map->is_memory))
		return map;
	code = jit_code_find(task->leader->jit, ip);
	return code ? code : map;
}

/* Where an address lies. */
struct location {
	uint32_t dso;	   /* DSO_NONE: in no map */
	uint32_t imported; /* one more than its number in the recording's `struct imported`; 0: it is none of these */
	uint64_t addr;	   /* file offset, or the runtime address itself in kernel, JIT and unknown memory */
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
	/* What the recording has of a file that was not mapped, by its path; NULL where nothing. May be NULL itself. */
	const struct embedded_file *(*known_path)(void *ctx, const char *path);
	int64_t recorded_until_ns; /* wall clock: files that were changed later are not what was mapped; 0: unknown */
	/* Is called before the maps of a process change; may be NULL itself. */
	void (*before_change)(void *ctx, int32_t pid);
	void *before_change_ctx;
	bool user_only; /* symbols that the kernel reports are not wanted */
	/* Of an imported recording: what its addresses are (borrowed), and the DSO of its first module. NULL: they are addresses. */
	const struct imported *imported;
	uint32_t first_imported;
	struct jit_codes jits;
	bool reads_no_dumps; /* jitdumps are left alone: they are being written */
	bool is_monotonic;   /* records have the clock that jitdumps have */
	uint32_t python_dso; /* of words of python_frames.h; DSO_NONE: there are none */
};

void machine_init(struct machine *m, const struct symbolizer_options *opts);
void machine_fini(struct machine *m);
/* What its tables are taken from (borrowed): where it is used up they still grow, and the session stops. */
void machine_set_memory(struct machine *m, struct budget *memory);

/* Takes over what has become known of files since they were mapped: a pipe lists build-ids behind its records. */
void machine_learn(struct machine *m);
/* Which runtime each process has that generated code, for advice (dso.runtime). */
void machine_find_runtimes(struct machine *m);

/* Whether a map is of memory that no file with code stands behind: code in it was written by a JIT, which may have left a map of it. */
bool machine_is_memory(const struct record_mmap *mm);
/* Applies a decoded kernel record (a sample: finds its task). Returns the task it speaks of, or NULL. */
struct task *machine_apply(struct machine *m, const struct record *rec);

/* Locates `ip`, sampled in `cpumode` (MISC_KERNEL, MISC_USER) of that task, now. */
struct location machine_locate(struct machine *m, const struct task *task, uint64_t ip, unsigned cpumode);
/* Locates a variable of a program: memory without a file directly behind a file's data is the rest of it (.bss). */
struct location machine_locate_variable(struct machine *m, const struct task *task, uint64_t addr);
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
