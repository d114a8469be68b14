/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * record --python: the Python frames of sampled threads, as samples of the event "python-frames" (abi/python_sample.h) beside those of the
 * rings. The program runs on each sample of the events that are open (bpf/python.bpf.c).
 */
#ifndef ASSAY_CAPTURE_PYTHON_FEED_H
#define ASSAY_CAPTURE_PYTHON_FEED_H

#include "base/errbuf.h"
#include "base/hash.h"
#include "base/vec.h"
#include "bpf/python.h"
#include "capture/capture.h"
#include "capture/event_fds.h"
#include "capture/python_images.h"
#include "capture/record_feed.h"
#include "capture/stack_growth.h"
#include "symbols/python_lines.h"

/* A code object: an address is another's after it was freed, with another stamp. */
struct python_code_key {
	uint64_t code;
	uint32_t stamp, image;
};

/* Its lines: a part of the list of all. */
struct python_code_lines {
	uint32_t first, nr;
};

/* A zeroed struct is closed. */
struct python_feed {
	struct record_feed feed; /* the first */
	struct bpf_python *bpf;	 /* NULL: not open */
	struct python_images *images;
	VEC(struct python_code_key) codes;	  /* by number */
	VEC(struct python_code_lines) code_lines; /* same */
	struct python_line_list lines;
	struct hindex index;
	uint64_t nr_put;     /* samples of the event */
	uint64_t nr_dropped; /* that were reported by records */
	uint32_t nr_images;
	uint8_t *buf;
	size_t len;
};

/* Loads the program. */
int python_feed_open(struct python_feed *f, struct errbuf *eb);
/* Attaches it to the events that take samples. `enabled`: it records from now on. */
int python_feed_start(struct python_feed *f, struct event_fds *fds, struct stack_growth *growth, bool enabled, struct errbuf *eb);
void python_feed_enable(struct python_feed *f, bool on);
void python_feed_stop(struct python_feed *f);
void python_feed_close(struct python_feed *f);

#endif
