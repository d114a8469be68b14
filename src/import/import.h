/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From a profile of another tool (folded stacks, pprof, the text of `perf script`; packed or not) to a perf.data
 * that every command reads, with the names inside.
 *
 * Its input is hostile: time is linear in it, memory bounded by it, and what makes no sense is left out and counted.
 */
#ifndef ASSAY_IMPORT_IMPORT_H
#define ASSAY_IMPORT_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/errbuf.h"

#define IMPORT_MAX_EVENTS 4096u /* of a profile: views have a table for each */

enum import_format { IMPORT_GUESS, IMPORT_FOLDED, IMPORT_PPROF, IMPORT_SCRIPT, IMPORT_NR_FORMATS };

struct import_options {
	enum import_format format;
	bool first_is_comm; /* folded: the outermost frame is the name of a task */
};

/* What came of it. */
struct import_result {
	enum import_format format;
	bool is_recording;		      /* it was a perf.data already: copied, not imported */
	bool is_packed;			      /* by gzip, xz or zstd */
	uint64_t nr_lines;		      /* of text */
	uint64_t bytes_read;		      /* of the input as it came, packed or not */
	uint64_t nr_samples;		      /* that were counted; with has_sums, stacks that have sums */
	uint64_t nr_skipped, first_skipped;   /* lines (of pprof: samples) that were left out; which was the first, from 1 */
	uint64_t nr_negative, first_negative; /* samples of pprof, left out as well: differences */
	uint64_t nr_other_fields;	      /* lines of perf script's text with fields that are not read */
	uint64_t nr_rounded;		      /* counts that were no whole numbers */
	uint64_t nr_cut;		      /* stacks that were too deep */
	uint64_t nr_excess_events;	      /* samples whose event is one too many, and was taken for another */
	bool has_sums;			      /* counts are too large to be of samples */
	bool is_comm_unused;		      /* first_is_comm was asked for, of a format that has names of tasks in a place of their own */
	bool is_pair; /* folded stacks with two counts each: the first event is what was before, the second what came after */
};

/* "folded", "pprof", "perf-script" */
const char *import_format_name(enum import_format format);
/* -ENOENT where there is none. */
int import_format_find(const char *name);

/* Whether the first bytes of a file could be of a profile that can be imported: text, or bytes that are packed or of pprof. Not what is a
 * perf.data already. */
bool import_could_be(const void *head, size_t size);

/* Whether they are of a recording, or of such a profile; the more there is of it, the surer. */
bool import_is_profile(const void *head, size_t size);

/* Reads `in_fd` to its end and writes the recording to `out_fd`, which can seek. `name` is what the input is called in sentences. -EBADMSG
 * where nothing of it is of use, or where it is none of the formats (-ENOEXEC). */
int import_file(int in_fd, int out_fd, const char *name, const struct import_options *options, struct import_result *result,
		struct errbuf *eb);

#endif
