/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct event_patterns: a choice of events by name, as options give it: "block:block_rq_issue", several with commas between, and * and ?
 * in each. Fed by option values, asked about the names of a recording. It knows no recordings.
 */
#ifndef ASSAY_MODEL_EVENT_PATTERNS_H
#define ASSAY_MODEL_EVENT_PATTERNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"
#include "base/vec.h"

struct event_pattern {
	char *text;
	bool is_met; /* some name matched; see event_patterns_match() */
};

struct event_patterns {
	VEC(struct event_pattern) v; /* all zero: none */
};

void event_patterns_fini(struct event_patterns *p);
/* Adds those of a list; false, and nothing added, where one is empty. A comma between two slashes is part of a name: cpu/event=1,umask=2/. */
bool event_patterns_add(struct event_patterns *p, const char *list);
/* Whether one of them is this name; all that match are marked as met. */
bool event_patterns_match(struct event_patterns *p, const char *name);
/* They with commas between. */
void event_patterns_put(const struct event_patterns *p, struct out *o);

#endif
