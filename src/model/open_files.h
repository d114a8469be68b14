/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What processes have open, as far as a trace shows it: descriptors with their paths, and working directories. A descriptor is found in
 * constant time, and what is kept is bounded by what is open at a time: a trace may go on for days. Fed by model/syscall_log.c, which knows
 * system calls; this knows none.
 */
#ifndef ASSAY_MODEL_OPEN_FILES_H
#define ASSAY_MODEL_OPEN_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/hash.h"
#include "base/strtab.h"
#include "base/vec.h"

struct open_file {
	uint32_t process;    /* in open_files.processes */
	uint32_t prev, next; /* of the same process; of a free one, the next free one */
	int32_t fd;
	uint32_t path; /* string id; 0: not known */
	uint32_t what; /* string id: bytes that describe it; 0: it was never described */
	bool is_cloexec;
	bool is_asked; /* for the path: it is not asked for again */
};

struct open_process {
	int32_t pid;
	uint32_t cwd;	/* string id; 0: not known */
	uint32_t first; /* of its files; of a free one, the next free one */
	bool is_used;
};

struct open_files {
	struct strtab paths;
	uint64_t nr_interned; /* since unused paths were dropped */
	VEC(struct open_file) files;
	struct hindex index; /* by process and fd */
	uint32_t first_free, nr_files;
	VEC(struct open_process) processes;
	struct hindex process_index; /* by pid */
	uint32_t first_free_process, nr_processes;
	uint32_t last_process; /* found: the next call is most likely of the same */
	/* Steps through all that a process has open, as forks and execs take them: a small file may have many of both. Where it is exhausted,
	 * nothing is known of any descriptor any more. */
	struct budget work;
};

void open_files_init(struct open_files *o);
void open_files_fini(struct open_files *o);
/* Bounds the work by the bytes that are read; without, there is no limit. */
void open_files_limit(struct open_files *o, uint64_t bytes_present);

/* The id of a path, or of a description, for what is below; 0: there is no room for more. Valid until open_files_trim(). */
uint32_t open_files_intern(struct open_files *o, const char *path, size_t len);
static inline const char *open_files_path(const struct open_files *o, uint32_t id)
{
	return strtab_get(&o->paths, id);
}
/* Drops the paths that nothing has open any more, where they have become many. To be called now and then; ids and strings change. */
void open_files_trim(struct open_files *o);

/* NULL: nothing is known of it. Valid until the next change, as all that is found. */
struct open_file *open_files_find(struct open_files *o, int32_t pid, int32_t fd);
/* The same, and adds it where nothing is known. NULL: there is no room. */
struct open_file *open_files_get(struct open_files *o, int32_t pid, int32_t fd);
/* A descriptor that is new, of which nothing else is known. `path` 0: not that either. */
void open_files_set(struct open_files *o, int32_t pid, int32_t fd, uint32_t path, bool is_cloexec);
void open_files_close(struct open_files *o, int32_t pid, int32_t fd);
/* Descriptors may have come that no call shows: what is not known of any number is asked for again. */
void open_files_doubt(struct open_files *o, int32_t pid);
/* Those of a process, one after the other: the first with NULL. */
struct open_file *open_files_next(struct open_files *o, int32_t pid, const struct open_file *f);
/* Closes those that an exec closes. */
void open_files_exec(struct open_files *o, int32_t pid);
/* The child gets what the parent has, and nothing else. */
void open_files_fork(struct open_files *o, int32_t parent, int32_t child);
void open_files_forget(struct open_files *o, int32_t pid);

uint32_t open_files_cwd(struct open_files *o, int32_t pid);
void open_files_set_cwd(struct open_files *o, int32_t pid, uint32_t path);

#endif
