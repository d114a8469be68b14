/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lines of the tracer function_graph → calls that ended, with how long they took.
 *
 *	 0)               |  do_sys_openat2() {
 *	 0) + 12.955 us   |    getname();
 *	 0) # 2868.062 us |  } / * do_sys_openat2 * /         (with funcgraph-tail)
 *	 ------------------------------------------
 *	 0)    cat-158     =>     tr-160
 *	 0)   ==========> |
 *
 * The text is hostile: names of tasks are in it, between two rules. Each line is read by itself: with funcgraph-tail the end of a call has its name.
 */
#ifndef ASSAY_MODEL_GRAPH_LINES_H
#define ASSAY_MODEL_GRAPH_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strtab.h"
#include "base/vec.h"
#include "model/trace_lines.h"

enum graph_kind {
	GRAPH_OTHER, /* headings, switches of tasks, comments, interrupts */
	GRAPH_BEGIN, /* a call that calls others */
	GRAPH_END,   /* of such a call, or a call that calls none */
	GRAPH_BAD,
};

struct graph_line {
	enum graph_kind kind;
	uint32_t cpu;
	const char *name; /* in the line: "getname", "ext4_iget [ext4]"; of an end without one: NULL */
	size_t name_len;
	bool is_return; /* of a call that was seen to begin, or called others */
	bool has_time;
	uint64_t took_ns; /* kernels cut digits of long times: 23503.91 us */
};

struct graph_line graph_line_parse(const char *line, size_t len);

/* ---- sums by function ---- */

#define FUNCTION_SUMS_MAX (1u << 20) /* functions; no kernel has so many */

struct function_sum {
	uint32_t name;
	uint64_t nr, total_ns, max_ns, min_ns;
};

struct function_sums {
	struct strtab names;
	VEC(struct function_sum) v; /* by name, until they are sorted */
	uint64_t nr_calls;
	uint64_t nr_begun;    /* calls that were seen to begin, and call others */
	uint64_t nr_returned; /* ends of such calls */
	uint64_t nr_nameless; /* ends without a name */
	uint64_t nr_untimed;  /* ends without a time */
	uint64_t nr_left_out; /* of functions beyond FUNCTION_SUMS_MAX */
	bool is_after_rule;   /* the next line names tasks */
	uint64_t nr_bad;
	char first_bad[80]; /* its beginning; not escaped */
};

void function_sums_init(struct function_sums *s);
void function_sums_fini(struct function_sums *s);
/* For struct trace_lines; `ctx` is the sums. */
int function_sums_add_line(void *ctx, const char *line, size_t len, bool is_loss);
/* Calls that began and were not seen to end. */
uint64_t function_sums_unfinished(const struct function_sums *s);

enum function_sort { FUNCTION_SORT_TOTAL, FUNCTION_SORT_AVG, FUNCTION_SORT_MAX, FUNCTION_SORT_COUNT, FUNCTION_SORT_NAME };
/* The largest first; equal ones, and those by name, in the order of their names. */
void function_sums_sort(struct function_sums *s, enum function_sort by);

#endif
