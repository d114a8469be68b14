/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the commands of `assay ftrace` share.
 */
#ifndef ASSAY_CMD_FTRACE_H
#define ASSAY_CMD_FTRACE_H

#include "capture/ftrace.h"
#include "cmd/cmd.h"
#include "model/trace_lines.h"

struct ftrace_command {
	struct ftrace_options o;
	const char *name; /* "ftrace trace" */
	bool is_listing;  /* -F */
	const char *pattern;
	bool quiet;
	int verbose;
};

void ftrace_command_init(struct ftrace_command *c, const char *name);
void ftrace_command_fini(struct ftrace_command *c);

/* -T, -N, -G, -g: `ctx` is the struct ftrace_words. */
option_call_fn ftrace_option_function;
/* -m: `ctx` is buffer_kb. --func-opts, --graph-opts: `ctx` is the struct ftrace_options. */
option_call_fn ftrace_option_buffer, ftrace_option_func_opts, ftrace_option_graph_opts;

/* Of all three commands. */
#define FTRACE_TARGET_OPTIONS(c)                                                                                                           \
	CMD_TARGET_OPTIONS(&(c)->o.target, 0), OPT_BOOL(0, "inherit", &(c)->o.inherit, "What the traced tasks start, too"),                \
		OPT_U64('D', "delay", &(c)->o.delay_ms, 0, 1000000000, "MS", "Begin to trace so many milliseconds after the start"),       \
		OPT_BOOL('q', "quiet", &(c)->quiet, "No messages but errors"), OPT_COUNT('v', "verbose", &(c)->verbose, "Say more")
#define FTRACE_BUFFER_OPTION(c)                                                                                                            \
	OPT_CALL('m', "buffer-size", ftrace_option_buffer, &(c)->o.buffer_kb, "SIZE",                                                      \
		 "Size of each CPU's buffer, with B, K, M or G (default: the kernel's)")
#define FTRACE_NOTRACE_OPTION(c)                                                                                                           \
	OPT_CALL('N', "notrace-funcs", ftrace_option_function, &(c)->o.notrace, "FUNC", "Not these functions (name or pattern; repeatable)")
#define FTRACE_GRAPH_OPTIONS(c)                                                                                                            \
	OPT_CALL('G', "graph-funcs", ftrace_option_function, &(c)->o.graph, "FUNC",                                                        \
		 "Only these functions and what they call, by function_graph (repeatable)"),                                               \
		OPT_CALL('g', "nograph-funcs", ftrace_option_function, &(c)->o.nograph, "FUNC",                                            \
			 "Not these functions and what they call, by function_graph (repeatable)")

/* Of the second level. */
cmd_fn ftrace_latency, ftrace_profile;

/* Says what was lost, with the option that helps. */
void ftrace_warn_lost(const struct trace_lines *l);

#endif
