/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What `stat record` writes: a perf.data of counts instead of samples. Told of events, CPUs and
 * threads once, then of each reading; it neither opens nor reads counters, and sums up nothing.
 *
 * The file is whole after each round: who is killed leaves the intervals so far.
 */
#ifndef ASSAY_CAPTURE_STAT_FILE_H
#define ASSAY_CAPTURE_STAT_FILE_H

#include "abi/attr.h"
#include "base/errbuf.h"
#include "perfdata/stat_record.h"

struct stat_file;

struct stat_file_event {
	const struct attr *attr;
	const char *name, *unit; /* unit: "" or NULL: none */
	double scale;
	uint32_t leader; /* its own index where it is in no group */
	bool supported;	 /* nothing is ever told of one that is not */
};

/* Borrowed for stat_file_open(), but the command line until stat_file_close(). */
struct stat_file_setup {
	const char *path; /* "-": stdout */
	const char **cmdline;
	uint32_t nr_cmdline;
	const struct stat_file_event *events;
	uint32_t nr_events;
	const int32_t *cpus; /* -1 alone: any */
	uint32_t nr_cpus;
	const struct stat_thread *threads;
	uint32_t nr_threads;
	struct stat_config config;
};

/* Opens the file (an older one is kept as NAME.old) and writes what is known at the start. */
int stat_file_open(struct stat_file **f, const struct stat_file_setup *s, struct errbuf *eb);
/* One count of a reading: a running total. `cpu` is the CPU's number. */
void stat_file_add(struct stat_file *f, uint32_t event, int32_t cpu, uint32_t thread,
		   uint64_t value, uint64_t enabled, uint64_t running);
/* Ends a reading. */
int stat_file_end_round(struct stat_file *f, uint64_t time_ns, bool is_final, struct errbuf *eb);
/* Writes what comes last. */
int stat_file_finish(struct stat_file *f, struct errbuf *eb);
void stat_file_close(struct stat_file *f);

#endif
