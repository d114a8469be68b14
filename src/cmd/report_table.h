/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The option table of `assay report`, in groups as --help shows them. `c` is the command (struct report_command).
 */
#ifndef ASSAY_CMD_REPORT_TABLE_H
#define ASSAY_CMD_REPORT_TABLE_H

#include "cmd/annotate_ui.h"
#include "cmd/input.h"
#include "cmd/report_options.h"

#define REPORT_SAMPLE_OPTIONS(c)                                                                                                           \
	OPT_GROUP("Which samples"), INPUT_FILTERS(&(c)->in),                                                                               \
		OPT_CALL('d', "dsos", input_option_filter, &(c)->in, "NAME,…", "only samples in these files"),                             \
		OPT_BOOL('U', "hide-unresolved", &(c)->hide_unresolved, "only places that have a symbol"),                                 \
		OPT_BOOL(0, "bare-addresses", &(c)->bare_addresses,                                                                        \
			 "a row for each address without a symbol, as perf has it, not for its function"),                                 \
		OPT_CALL(0, "parallelism", input_option_filter, &(c)->in, "LIST",                                                          \
			 "only samples during which so many threads ran, as in 1,64-128 (recordings with --latency)")

#define REPORT_ROW_OPTIONS(c, sort_words, field_words)                                                                                             \
	OPT_GROUP("Rows and columns"),                                                                                                             \
		OPT_BOOL(0, "latency", &(c)->options.latency,                                                                                      \
			 "rows by their share of elapsed time, not of CPU time (recordings with --latency)"),                                      \
		OPT_CALL(                                                                                                                          \
			's', "sort", report_option_sort, &(c)->options, "KEY,…",                                                                   \
			"one row for each comm, pid, tid, dso, sym, cpu, srcline, srcfile, parallelism "                                           \
			"(default comm,dso,sym; of system calls comm,syscall; of tracepoints alone trace); of branches also dso_from, symbol_to, " \
			"cycles …; of tracepoints trace, trace_fields, syscall, [EVENT.]FIELD[/raw|/name]; +KEY adds to the default",              \
			.complete = (sort_words)),                                                                                                 \
		OPT_CALL(                                                                                                                          \
			'F', "fields", report_option_fields, &(c)->options, "FIELD,…",                                                             \
			"columns: overhead overhead_children latency latency_children overhead_sys overhead_us sample period and the keys "        \
			"of --sort; +FIELD adds",                                                                                                  \
			.complete = (field_words)),                                                                                                \
		OPT_BOOL(0, "raw-trace", &(c)->options.field_keys.all_raw,                                                                         \
			 "fields of tracepoints as they are, not as their events print them"),                                                     \
		OPT_BOOL(0, "children", &(c)->options.children,                                                                                    \
			 "count a function with all it called (default where there are call chains)",                                              \
			 .is_set = &(c)->options.children_set),                                                                                    \
		OPT_BOOL('n', "show-nr-samples", &(c)->options.show_samples, "a column with the number of samples"),                               \
		OPT_BOOL(0, "show-total-period", &(c)->options.show_period, "a column with the sum of periods"),                                   \
		OPT_BOOL(0, "show-cpu-utilization", &(c)->options.show_modes, "columns for kernel and user share"),                                \
		OPT_CALL(0, "percent-limit", report_option_percent_limit, &(c)->options, "PERCENT", "hide rows below this share"),                 \
		OPT_CALL('w', "column-widths", report_option_widths, &(c)->options, "WIDTH,…",                                                     \
			 "make columns that wide; 0 leaves one as it is"),                                                                         \
		OPT_CALL('t', "field-separator", report_option_separator, &(c)->options, "CHAR",                                                   \
			 "separate columns by CHAR instead of aligning them"),                                                                     \
		OPT_CALL('x', NULL, report_option_separator, &(c)->options, "CHAR", "the same as -t"),                                             \
		OPT_BOOL('b', "branch-stack", &(c)->options.branches,                                                                              \
			 "rows of branches instead of samples (default where they were recorded)", .is_set = &(c)->options.branches_set),          \
		OPT_BOOL(0, "full-source-path", &(c)->options.hist.full_paths, "whole paths of source files")

#define REPORT_CHAIN_OPTIONS(c)                                                                                                            \
	OPT_GROUP("Call chains"),                                                                                                          \
		OPT_BOOL(0, "inline", &(c)->inlines, "functions that the compiler inlined are frames of their own (default)"),             \
		OPT_CALL_OPT(                                                                                                              \
			'g', "call-graph", report_option_call_graph, &(c)->options, "STYLE,MIN,LIMIT,ORDER,KEY,VALUE",                     \
			"graph, fractal, flat, folded or none; least percent; caller or callee; function, address or srcline; percent, "   \
			"period or count (default graph,0.5,caller,function,percent)",                                                     \
			.takes_word = true),                                                                                               \
		OPT_CALL(0, "default-call-graph", report_option_default_call_graph, &(c)->options, "STYLE,…",                              \
			 "as -g, where there are call chains: what the configuration gives", .hidden = true),                              \
		OPT_BOOL('G', "inverted", &(c)->options.inverted, "callers on top, as -g caller")

#define REPORT_OUTPUT_OPTIONS(c)                                                                                                           \
	OPT_GROUP("Other output"), OPT_BOOL(0, "stdio", &(c)->stdio, "plain text, on a terminal too"),                                     \
		OPT_BOOL(0, "tui", &(c)->tui, "browse it in the terminal (default on a terminal; fails where there is none)"),             \
		OPT_CALL('M', "disassembler-style", annotate_option_syntax, &(c)->ui.syntax, "STYLE",                                      \
			 "syntax of x86 code in the terminal: att (the default) or intel", .complete = "att|intel"),                       \
		OPT_CHOICE(0, "color", &(c)->colour, "always|never|auto", "MODE",                                                          \
			   "colours of shares: always, never or auto (default: on a terminal, unless NO_COLOR is set)",                    \
			   .is_set = &(c)->color_set),                                                                                     \
		OPT_CHOICE(0, "default-color", &(c)->colour, "always|never|auto", "MODE",                                                  \
			   "as --color, without asking for text: what the configuration gives", .hidden = true),                           \
		OPT_CHOICE(0, "stdio-color", &(c)->colour, "always|never|auto", "MODE", "the same as --color, as perf calls it",           \
			   .is_set = &(c)->color_set, .hidden = true),                                                                     \
		OPT_CALL_NONE(0, "group", report_option_absent, NULL, "events of a group in one table: not in this version",               \
			      .hidden = true),                                                                                             \
		OPT_CALL_NONE(0, "hierarchy", report_option_absent, NULL, "rows below rows: not in this version", .hidden = true),         \
		INPUT_RAW_VIEWS(c), OPT_BOOL(0, "stats", &(c)->stats, "how many records of each type there are"),                          \
		OPT_BOOL(0, "tasks", &(c)->tasks, "the tasks that were seen, as a tree"),                                                  \
		OPT_BOOL(0, "mmaps", &(c)->mmaps, "the same with their maps"),                                                             \
		OPT_BOOL(0, "json", &(c)->json, "JSON instead of text (schema: assay-report(1))")

#endif
