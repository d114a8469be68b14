/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the files of `assay top` share.
 */
#ifndef ASSAY_CMD_TOP_H
#define ASSAY_CMD_TOP_H

#include "capture/capture.h"
#include "cmd/input.h"
#include "cmd/top_ui.h"
#include "model/hist.h"
#include "session/session.h"
#include "view/top.h"

struct top_command;

/* What is shown, and what it cost: kept when the recorder is started anew. A zeroed struct is not started. */
struct top_run {
	struct top_command *c;
	struct session *s;
	struct profile *p; /* samples since the last refresh */
	struct top_ui *ui; /* NULL: there is text */
	struct live_profile live;
	VEC(int32_t) live_event;  /* by event of the recording: its number in `live`, -1: it has no samples to show */
	struct top_counts counts; /* since the last refresh */
	struct top_stats stats;
	uint64_t nr_lost_before, nr_throttled_before; /* by recorders before this one */
	struct out o;
	uint64_t start_ns, last_ns, due_ns;
	uint64_t start_cpu_ns, last_cpu_ns;
	uint64_t refresh_cpu_ns; /* of this thread, by the last refresh */
	uint32_t stretch, thinned, nr_costly;
	uint64_t nr_seen;		      /* samples, for thinning */
	uint64_t nr_refreshes, first_refresh; /* first_refresh: of this recorder */
	uint64_t memory_limit;		      /* of this recorder */
	bool is_started;
	bool is_polled; /* the source does not wait */
};

struct top_command {
	struct capture_options o;
	struct event_words events;
	struct input in; /* filters, symbols, -q and -v */
	struct hist_options hist;
	struct top_style style;
	struct top_state state;
	uint64_t max_refreshes; /* 0: any number */
	uint64_t max_rows, count_limit;
	bool stdio, json;
	bool tui;		   /* must be there */
	bool is_screen;		   /* the terminal is drawn on */
	enum disasm_syntax syntax; /* of annotated functions */
	char *target;
	int pipe_fd, screen_fd; /* eventfds: records have come; the terminal has something to tell */
	bool has_quit;		/* by a key, or after max_refreshes */
	bool wants_restart;
	uint64_t max_memory_mb;
	bool max_memory_given;
	struct top_run *run;
};

/* For live_reader_run(), with the struct top_command: reads the session until it ends, until the person has seen enough, or until the
 * recorder has become too large (`wants_restart`). */
int top_read(void *ctx, struct session *s, struct errbuf *eb);
void top_run_fini(struct top_run *r);

#endif
