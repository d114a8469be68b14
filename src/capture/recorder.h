/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct recorder: one recording, from the options to the summary. For recorder.c (the run), recorder_stacks.c, recording_file.c (each file
 * it writes) and recorder_text.c (its messages). Others use capture.h.
 */
#ifndef ASSAY_CAPTURE_RECORDER_H
#define ASSAY_CAPTURE_RECORDER_H

#include <pthread.h>

#include "base/out.h"
#include "capture/capture.h"
#include "capture/drain.h"
#include "capture/event_fds.h"
#include "capture/jvm_maps.h"
#include "capture/offcpu_feed.h"
#include "capture/output.h"
#include "capture/probe_feed.h"
#include "capture/python_feed.h"
#include "capture/run_loop.h"
#include "capture/stack_growth.h"
#include "capture/syscall_feed.h"
#include "capture/synthesis.h"
#include "capture/tally.h"
#include "capture/target.h"
#include "capture/unwind_stage.h"
#include "perfdata/info.h"
#include "perfdata/writer.h"

struct recorder {
	struct capture_options *o;
	struct errbuf *eb;

	struct run_loop loop;
	struct target target;
	struct target all_cpus; /* where events are open on whole CPUs while tasks are the target */
	struct event_fds fds;
	struct mapped_files files;
	struct jvm_maps *jvms; /* NULL: none are asked */
	struct tally tally;
	struct drain drain;
	struct syscall_feed syscalls;
	struct offcpu_feed offcpu;
	struct probe_feed probes;
	struct python_feed python;
	struct unwind_stage *stage; /* NULL: nothing to unwind */
	struct stack_growth growth;
	struct tally input_tally; /* with a stage: of what goes in, for the tasks that live now */
	VEC(uint8_t) opening;	  /* of the next file, while the stage is not there yet */
	char *spool_dir;
	bool own_ring_size;	  /* without -m */
	struct out trace_formats; /* in memory; of tracepoints */

	/* the file of the moment */
	struct output output;
	struct perfdata_info info;
	bool has_info;
	struct writer *writer;
	bool is_first_file;
	bool is_removed;		 /* nothing fitted into it */
	VEC(char *) stamped;		 /* finished files, oldest first: for --switch-max-files */
	char *last_name;		 /* of the last finished one */
	char *kept_name;		 /* where it could not have the name that was asked for */
	uint64_t bytes, raw_bytes;	 /* of records in all finished files */
	uint64_t nr_samples_before;	 /* in finished files */
	uint64_t nr_dropped;		 /* samples that we had and could not write */
	uint64_t nr_abandoned;		 /* of those, the ones that a second order to stop left behind */
	uint64_t nr_lost;		 /* samples, in all files */
	uint64_t nr_lost_tracking;	 /* records about maps and tasks */
	uint64_t nr_denied, nr_timeouts; /* processes whose maps could not be read, or not all */
	struct errbuf file_eb;		 /* of the drain thread, when it begins a new file */

	pthread_t main_thread;
	int fail_err; /* why recording stopped early: a negative errno */
};

/* recorder_stacks.c */
/* Sets the size of the rings where stacks go through them and -m was not given. */
void recorder_size_rings(struct recorder *r);
/* Chooses how much of each stack is dumped, before the events are opened. */
void recorder_plan_dumps(struct recorder *r);
/* Again, where the rings came out smaller than they should. True: events must be opened anew. */
bool recorder_replan_dumps(struct recorder *r);
/* What to do where they were too small. */
const char *recorder_loss_remedy(const struct recorder *r);
/* Whether parts of stacks are recorded, to be walked now or later. */
bool recorder_has_stacks(const struct recorder *r);
/* Makes and starts the stage where there is something to unwind; the events are open. */
int recorder_start_stage(struct recorder *r);
void recorder_fini_stage(struct recorder *r);
/* The events as the file has them: with the largest size of their dumps. */
void recorder_set_unwound(const struct recorder *r, struct perfdata_info *info);
/* Samples that the stage had and could not give back. Once it has ended. */
uint64_t recorder_count_unwritten(const struct recorder *r);
/* Has the tally look for chains that the kernel cut. */
void recorder_watch_chains(struct recorder *r);
void recorder_tell_stacks(const struct recorder *r);

/* recording_file.c */
/* Makes the file and writes its header; it has its name only after output_commit(). */
int recording_file_open(struct recorder *r, struct errbuf *eb);
/* Writes the opening records. */
int recording_file_begin(struct recorder *r);
/* Writes losses and the features that come last, and gives it its timestamp where that was asked for. As much of it as is possible is done
 * after a failure, too. A file that was not committed is removed. */
int recording_file_finish(struct recorder *r, struct errbuf *eb);
/* drain.prepare: reads what the next file begins with, now. */
int recording_file_prepare(void *ctx);
/* drain.rotate: finishes the file and begins the next. */
int recording_file_rotate(void *ctx);

/* recorder_text.c */
void recorder_tell_openings(const struct recorder *r);
void recorder_tell_failure(struct recorder *r);
void recorder_tell_summary(const struct recorder *r);
/* The sentence for a file that could not grow, into r->eb; returns r->fail_err. */
int recorder_fail_sentence(struct recorder *r);

#endif
