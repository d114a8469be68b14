/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the files of `assay trace` share: what was asked for, in perf's options (trace_options.c) or in strace's (trace_strace.c), and showing it
 * (trace_show.c).
 */
#ifndef ASSAY_CMD_TRACE_H
#define ASSAY_CMD_TRACE_H

#include "capture/capture.h"
#include "capture/syscall_feed.h"
#include "cmd/cmd.h"
#include "cmd/input.h"
#include "cmd/trace_events.h"
#include "model/pair_sums.h"
#include "model/syscall_sums.h"
#include "model/trace_filter.h"
#include "view/strace_summary.h"
#include "view/trace_stack.h"
#include "view/trace_strace.h"

#define TRACE_DATA_NOT_GIVEN UINT64_MAX

enum trace_shape { TRACE_SHAPE_PERF, TRACE_SHAPE_STRACE, TRACE_SHAPE_JSON };
enum trace_colour { TRACE_COLOUR_AUTO, TRACE_COLOUR_ALWAYS, TRACE_COLOUR_NEVER };

struct trace_command {
	struct capture_options o;
	struct syscall_tracing tracing;
	struct trace_filter filter;
	struct trace_events events;    /* beside system calls */
	struct syscall_set traced;     /* filter.set, and calls that paths are known by */
	struct syscall_set file_calls; /* the latter */
	bool follows_files;	       /* they are all traced, and paths of descriptors exact */
	bool is_recorded;	       /* into a file, which has the calls of filter.set and no others */
	const char *input, *output;
	enum trace_shape shape;
	enum trace_colour colour;
	bool is_json;
	bool no_inherit, failed_only;
	uint64_t min_duration_ns;
	uint64_t max_events;
	uint64_t data_bytes; /* --data */
	uint64_t nr_shown;   /* calls and events */
	struct input in;     /* of -i */
	bool show_cpu, absolute_times;
	uint64_t min_stack, max_stack; /* frames; 0: any */
	struct trace_stack stacks;
	bool summary_only, summary_too, histograms, errno_summary;
	const char *summary_mode;
	struct syscall_sums sums;
	uint64_t max_rows;	       /* of each table of page faults */
	struct profile *fault_profile; /* while reading, where page faults are summed up: what the next is of */
	struct pair_sums faults;
	int verbose;
	bool quiet;

	/* strace's */
	struct strace_options strace;
	struct strace_summary_options strace_summary;
	bool appends;	 /* -A */
	bool counts_cpu; /* -c without -w */
	bool separate;	 /* -ff -o: a file of each task */
};

/* `group`: as of capture_options_set_cmdline(). */
void trace_init(struct trace_command *c, const char *group, int argc, char **argv);
void trace_fini(struct trace_command *c);
/* -g and -k: stacks, unwound. */
option_call_fn trace_take_stacks;
/* Whether the result of a call decides if it is shown. */
bool trace_asks_results(const struct trace_command *c);
/* Traces or reads, and shows. argv: the command. */
int trace_execute(struct trace_command *c, int argc, char **argv, struct errbuf *eb);
/* Records into c->o.output. */
int trace_execute_record(struct trace_command *c, int argc, char **argv, struct errbuf *eb);

/* ---- trace_show.c ---- */

static inline bool trace_has_summary(const struct trace_command *c)
{
	return c->summary_only || c->summary_too || c->errno_summary;
}
void trace_sums_init(struct trace_command *c);
/* Sorts, prints and frees them. */
void trace_print_summary(struct trace_command *c, struct out *o);
/* Reports that the output cannot be written; returns err. */
int trace_cannot_write(const struct trace_command *c, int err, struct errbuf *eb);
/* All that a session has. */
int trace_show(struct trace_command *c, struct session *s, int out_fd, bool is_live, struct errbuf *eb);

/* ---- trace_faults.c: where -F is given with -s or -S ---- */

/* Before the first record. The faults have a profile of their own, because that of the lines forgets. */
int trace_faults_start(struct trace_command *c, struct session *s, struct errbuf *eb);
/* False: it is none that is summed up. */
bool trace_faults_add(struct trace_command *c, const struct session *s, const struct session_record *sr);
/* Prints the tables and frees the sums. */
void trace_faults_print(struct trace_command *c, struct out *o);

/* ---- trace_strace.c ---- */

/* `assay trace --strace`, or assay under the name of strace: argv[0] and strace's options. */
int strace_run(int argc, char **argv, struct errbuf *eb);

/* ---- trace_strace_words.c: what stands behind -e ---- */

/* "trace=%file", "signal=!SIGCHLD", "read=3,4", "status=failed" … */
int strace_take_expression(struct trace_command *c, const char *text, struct errbuf *eb);
/* Names and numbers of signals, "all", "none", "!" in front of the list; as bits of those that are named. */
int strace_parse_signals(const char *list, uint64_t *bits, struct errbuf *eb);
/* "[format:]unix,[precision:]ms" */
int strace_parse_clock(const char *text, struct strace_options *o, struct errbuf *eb);
/* s, ms, us or ns, as digits behind the point. `what`: the option. */
int strace_parse_precision(const char *text, const char *what, uint8_t *digits, struct errbuf *eb);
/* Columns of the sums. */
int strace_parse_columns(const char *list, struct strace_summary_options *o, struct errbuf *eb);
int strace_parse_fds(const char *list, struct strace_fds *fds, struct errbuf *eb);

#endif
