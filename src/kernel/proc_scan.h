/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What ran before the recording began, read from /proc, as the records that the kernel would have written: COMM, FORK, MMAP2, NAMESPACES;
 * cgroups; the kernel and its modules.
 *
 * Processes vanish while they are read, and their names are hostile. The order is perf's: of each process its threads (FORK, then
 * NAMESPACES, COMM of each), then the maps of the process behind its main thread.
 */
#ifndef ASSAY_KERNEL_PROC_SCAN_H
#define ASSAY_KERNEL_PROC_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "abi/record.h"
#include "base/errbuf.h"

/* Takes one record: a view, valid during the call, `id` all zeroes, header.size not set (record_encode computes it). Non-zero stops the
 * scan and is returned by it. */
struct record_sink {
	int (*record)(void *ctx, const struct record *rec);
	void *ctx;
};

struct proc_scan {
	const struct record_sink *sink;
	bool data_maps;	     /* -d: maps that are not executable too */
	bool namespaces;     /* --namespaces */
	uint64_t timeout_ns; /* per process, for its maps; 0: 500 ms. What is late is left out, and
			      * marked by MISC_PROC_MAP_TIMEOUT in the last record of that process */
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

/* One process: all its threads and maps. -ESRCH where it is not there (no sentence: the caller knows what was asked for). */
int proc_scan_pid(struct proc_scan *s, pid_t pid);
/* One thread (-t): its COMM and FORK, and the maps of its process. */
int proc_scan_tid(struct proc_scan *s, pid_t tid);
/* The maps alone, as a thread of the process shows them. */
int proc_scan_maps(struct proc_scan *s, pid_t pid, pid_t tid);
/* Every process there is. */
int proc_scan_all(struct proc_scan *s);

#define PROC_NR_NAMESPACES 7
/* Those that cannot be read are zero. */
void proc_read_namespaces(pid_t tid, struct record_namespace items[PROC_NR_NAMESPACES]);

/* Opens /proc/TID/FILE as thread `tid` of `pid` (0: not known) has it: an fd, or negative errno. */
int proc_open(pid_t pid, pid_t tid, const char *file);
/* What one read(2) of it gives, with a NUL behind it: how many bytes, or negative errno. */
ssize_t proc_read(pid_t pid, pid_t tid, const char *file, char *buf, size_t size);
/* The name of a task; "" where it is gone. */
void proc_read_comm(pid_t tid, char *buf, size_t size);

/* The one line of /proc/PID/stat. False: it is malformed. */
struct proc_stat {
	char comm[64]; /* cut where it is longer */
	char state;    /* as ps shows it */
	int ppid, nr_threads;
	bool is_kernel;				     /* a thread of the kernel */
	unsigned long long user_ticks, system_ticks; /* with those of children that were waited for */
	unsigned long long start_ticks;		     /* since the machine was started */
};
bool proc_stat_parse(const char *text, size_t len, struct proc_stat *s);

/* One line of a maps file, parsed. `name` points into the line, unescaped in place and NUL-terminated ("" for anonymous maps); \012 is a
 * line break there. False: not a maps line. `line` has a NUL at `len` in place of its line break. */
struct proc_map {
	uint64_t start, end, pgoff, ino;
	uint32_t maj, min;
	uint32_t prot, flags; /* PROT_*, MAP_SHARED or MAP_PRIVATE */
	const char *name;
};
bool proc_map_parse(char *line, size_t len, struct proc_map *map);

/* Cgroups as CGROUP records (id and path, the root first), of the hierarchy that cgroup ids of samples refer to (cgroup v2, or v1's
 * perf_event). Those that vanish meanwhile are left out. *nr: how many there were; 0 where no such hierarchy is mounted. A negative errno
 * comes from the sink. */
int cgroup_scan(const struct record_sink *sink, uint32_t *nr);

/* Opens a cgroup by its path in that hierarchy ("system.slice/app", "/" for the root): the fd that event_open() takes in place of a pid. A
 * negative errno has its sentence. */
int cgroup_open(const char *name, struct errbuf *eb);
/* The same in the hierarchy that BPF programs know, cgroup v2 wherever it is mounted. */
int cgroup_open_unified(const char *name, struct errbuf *eb);
/* The path of a cgroup there, by its id; the caller frees. NULL: it is gone, or cannot be looked for. */
char *cgroup_unified_path(uint64_t id);

/* Where the kernel and its modules are, as MMAP records of pid -1: "[kernel.kallsyms]_text" first (or _stext: the suffix names the
 * reference symbol, pgoff its address), then one for each module with its file under /lib/modules. */
struct kernel_maps {
	uint64_t text_start, text_end; /* 0: hidden (kptr_restrict) or no kallsyms */
	bool restricted;	       /* addresses are hidden from us: kernel symbols will be missing */
	uint32_t nr_modules;
};

/* Emits the records. Hidden addresses are no error: nothing is emitted and `km->restricted` is set; the message is kernel_maps_advice(). A
 * negative errno comes from the sink only. */
int kernel_maps_scan(struct kernel_maps *km, const struct record_sink *sink);
/* What to do about hidden kernel addresses, or NULL where they are not. */
const char *kernel_maps_advice(const struct kernel_maps *km);

#endif
