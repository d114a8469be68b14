/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The parts of `assay wall`: its options (wall.c), and from records to what is shown (wall_read.c).
 */
#ifndef ASSAY_CMD_WALL_H
#define ASSAY_CMD_WALL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/capture.h"
#include "cmd/input.h"
#include "cmd/output_file.h"

struct wall_command {
	struct capture_options o;
	struct input in;
	uint64_t freq, max_stacks, max_frames;
	bool json, shows_idle, uses_bpf, wants_all, no_attach;
	const char *kept_path; /* where the recording stays; NULL: nowhere */
	const char *flame_path, *chart_path;
	bool has_path, is_longest; /* --critical-path */
	uint64_t from_ns, to_ns;   /* of it, since the begin of the recording */
	bool is_file;		   /* `in` is open; else it is live */
	pid_t recorder_pid;	   /* live: descendants of it are shown; 0: all tasks */
};

#define WALL_TARGET_OPTIONS(c)                                                                                                             \
	OPT_BOOL('a', "all-cpus", &(c)->o.all_cpus, "All threads of the machine"),                                                         \
		OPT_CALL_NO('p', "pid", cmd_option_tasks, &(c)->o.pids, "PID[,PID…]",                                                      \
			    "Running processes, all their threads; with -i: show these only", .complete = "pid"),                          \
		OPT_CALL_NO('t', "tid", cmd_option_tasks, &(c)->o.tids, "TID[,TID…]", "Running threads; with -i: show these only",         \
			    .complete = "pid")
#define WALL_ATTACH_OPTION(c) OPT_BOOL(0, "no-attach", &(c)->no_attach, "Do not ask Java virtual machines for the names of compiled code")
#define WALL_RECORD_OPTIONS(c)                                                                                                             \
	OPT_U64('F', "freq", &(c)->freq, 1, 100000, "HZ", "Samples a second of what runs, for user and kernel time (default: 997)"),       \
		OPT_CALL(0, "call-graph", cmd_option_callgraph, &(c)->o, "MODE", "How stacks are found: fp, dwarf or no",                  \
			 .complete = "fp|dwarf|no"),                                                                                       \
		OPT_BOOL(0, "bpf", &(c)->uses_bpf, "Record by a BPF program (the default); --no-bpf: by tracepoints of all CPUs")

void wall_command_init(struct wall_command *c, const char *group, int argc, char **argv);
void wall_command_fini(struct wall_command *c);
bool wall_has_target(const struct wall_command *c);
/* Adds what is recorded of threads to c->o: by the BPF program or, without, by tracepoints of all CPUs. */
int wall_add_events(struct wall_command *c, struct errbuf *eb);
/* -p and -t, of what is shown. */
int wall_set_filter(struct wall_command *c, struct errbuf *eb);
/* Whether a task is one of those that were asked for. */
bool wall_is_wanted(const struct wall_command *c, struct session *s, const struct task *task);
/* Reads all records, and prints. */
int wall_read(struct wall_command *c, struct session *s, struct profile *p, struct errbuf *eb);

#endif
