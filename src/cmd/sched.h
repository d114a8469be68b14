/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the views of `assay sched` have in common: one pass over the recording that feeds a time line.
 */
#ifndef ASSAY_CMD_SCHED_H
#define ASSAY_CMD_SCHED_H

#include "base/out.h"
#include "cmd/input.h"
#include "model/timeline.h"

struct sched_view {
	struct input in;
	struct timeline t;
	struct sched_events events;
	struct out o;
	/* Each event, once the time line has it; NULL: not needed. */
	void (*see)(void *ctx, const struct session_record *sr, const struct sched_event *e, const struct timeline_step *step);
	/* Samples of other events, and which of these are wanted; may both be NULL. */
	void (*see_other)(void *ctx, const struct session_record *sr);
	bool (*wants_other)(void *ctx, int32_t event);
	/* Records that were lost, and names that tasks take; may be NULL. */
	void (*see_lost)(void *ctx, const struct session_record *sr);
	void (*see_name)(void *ctx, const struct session_record *sr);
	/* Before the first record, and behind the last, where in.nr_passed is set; may be NULL. */
	int (*begin)(void *ctx, struct errbuf *eb);
	int (*end)(void *ctx, struct errbuf *eb);
	void *ctx;
	bool needs_runtimes; /* else events of run times are not read */
	bool needs_wakes;    /* it says so where the recording has none */
	bool prints_stacks;  /* begin() may set it */
	bool takes_any;	     /* a recording without switches is no error */
};

#define SCHED_INPUT_OPTIONS(v)                                                                                                             \
	OPT_STRING('i', "input", &(v)->in.path, "FILE", "Read a recording (- is stdin; default perf.data)", .complete = "file"),           \
		OPT_COUNT('v', "verbose", &(v)->in.verbose, "Say more"), OPT_BOOL('q', "quiet", &(v)->in.quiet, "No warnings"),            \
		OPT_BOOL('f', "force", &(v)->in.force, "Read a file that another user owns")

void sched_view_init(struct sched_view *v);
void sched_view_fini(struct sched_view *v);
/* Takes the word that may name the recording, and reads it whole. */
int sched_view_run(struct sched_view *v, const char *command, int argc, char **argv, struct errbuf *eb);

/* Warns where tasks have other numbers in the events than in all other records: of a recording, or of one that is to be made. */
void sched_say_renumbered(const struct sched_events *e);
void sched_say_namespace(void);
/* Warns where the kernel recorded only some of the switches. */
void sched_say_sampled(struct sched_events *e);
/* Warns where the recording is one of some CPUs alone. */
void sched_say_cpus(struct sched_events *e, const struct timeline *t);

int sched_timehist(int argc, char **argv, struct errbuf *eb);
int sched_replay(int argc, char **argv, struct errbuf *eb);
int sched_stats(int argc, char **argv, struct errbuf *eb);

#endif
