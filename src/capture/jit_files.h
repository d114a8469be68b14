/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What processes write about their generated code: map files and jitdumps. A map file is named by a number that another process will have
 * one day, and what is written in a container goes with it: so the symbols of the first and the bytes of the second are kept with the
 * recording.
 */
#ifndef ASSAY_CAPTURE_JIT_FILES_H
#define ASSAY_CAPTURE_JIT_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "abi/record.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"
#include "perfdata/embedded_files.h"
#include "symbols/symbol_readers.h"

/* A process that has executable memory without a file. */
struct jit_process {
	pid_t pid, ns_pid;	     /* ns_pid: as it sees itself */
	struct perf_map_owner owner; /* known once it has been looked at alive */
	/* Where its root directory is not ours; a mount namespace goes with its last process, and what is open stays. -1: none */
	int tmp;	  /* O_PATH of its /tmp */
	int dump_fd;	  /* of its jitdump */
	const char *dump; /* path of its jitdump, as it sees it; NULL */
};

/* A zeroed struct is empty. */
struct jit_files {
	struct arena arena;
	VEC(struct jit_process *) processes;
	struct hindex index;
	uint32_t nr_fds; /* that are open */
};

/* A map record: the process that is to be looked at while it lives, or NULL where it says nothing new. */
struct jit_process *jit_files_note(struct jit_files *j, const struct record_mmap *mm);
/* Finds out what it is called in its own namespaces. For one thread at a time, beside jit_files_note() of others. */
void jit_files_look(struct jit_files *j, struct jit_process *p);
/* Adds a row with malloc'd parts for each file that is there, trusted and not empty, as long as they have `*left` bytes. */
void jit_files_save(struct jit_files *j, struct embedded_files *rows, uint64_t *left);
void jit_files_fini(struct jit_files *j);

/* Names of the rows: of a map file as the session asks for it, of a dump by the number of its process. */
#define JIT_MAP_NAME "/tmp/perf-%d.map"

#endif
