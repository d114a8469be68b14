/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What ran before the recording began, read from /proc and told as the records that the kernel
 * would have written: COMM, FORK, MMAP2, NAMESPACES.
 *
 * Processes vanish while they are read, and their names are hostile: both are ordinary here. The
 * order is perf's: of each process its threads (FORK, then NAMESPACES, COMM of each), then the maps
 * of the process behind its main thread. It must not know where the records go.
 */
#ifndef ASSAY_KERNEL_PROC_SCAN_H
#define ASSAY_KERNEL_PROC_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "abi/record.h"
#include "base/errbuf.h"

/* Takes one record: a view, valid during the call, `id` all zeroes, header.size not set
 * (record_encode computes it). Non-zero stops the scan and is returned by it. */
struct record_sink {
	int (*record)(void *ctx, const struct record *rec);
	void *ctx;
};

struct proc_scan {
	const struct record_sink *sink;
	bool data_maps;	     /* -d: maps that are not executable too */
	bool namespaces;     /* --namespaces */
	uint64_t timeout_ns; /* per process, for its maps; 0: 500 ms. What is late is left out, and
			      * told by MISC_PROC_MAP_TIMEOUT in the last record of that process */
	/* counted */
	uint32_t nr_processes, nr_threads, nr_maps;
	uint32_t nr_vanished; /* went away while they were read */
	uint32_t nr_denied;   /* processes whose maps we may not read */
	pid_t last_denied;    /* the last of them: its threads are asked one by one */
	uint32_t nr_timeouts;
	/* working memory, kept between processes */
	char *buf;
	size_t buf_size;
};

void proc_scan_init(struct proc_scan *s, const struct record_sink *sink);
void proc_scan_fini(struct proc_scan *s);

/* One process: all its threads and maps. -ESRCH where it is not there (no sentence: the caller
 * knows what was asked for). */
int proc_scan_pid(struct proc_scan *s, pid_t pid);
/* One thread (-t): its COMM and FORK, and the maps of its process. */
int proc_scan_tid(struct proc_scan *s, pid_t tid);
/* The maps alone, as a thread of the process shows them. */
int proc_scan_maps(struct proc_scan *s, pid_t pid, pid_t tid);
/* Every process there is. */
int proc_scan_all(struct proc_scan *s);

/* One line of a maps file, parsed. `name` points into the line, unescaped in place and
 * NUL-terminated
 * ("" for anonymous maps); \012 is a line break there. False: not a maps line. `line` has a NUL at
 * `len` in place of its line break. */
struct proc_map {
	uint64_t start, end, pgoff, ino;
	uint32_t maj, min;
	uint32_t prot, flags; /* PROT_*, MAP_SHARED or MAP_PRIVATE */
	const char *name;
};
bool proc_map_parse(char *line, size_t len, struct proc_map *map);

#endif
