/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What `assay probe` prints: functions, numbered source lines, variables at a place; in perf's layout. Names come from files and are escaped.
 */
#ifndef ASSAY_VIEW_PROBE_TEXT_H
#define ASSAY_VIEW_PROBE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"

/* A line of text with control bytes escaped: a function's name, a definition. */
void probe_text_name(struct out *o, const char *name);

/* "<work@/src/a.c:0>", or "</src/a.c:10>" where there is no function. */
void probe_text_lines_head(struct out *o, const char *function, const char *path, uint32_t first);
/* A source line; its number where it can be probed. */
void probe_text_line(struct out *o, uint32_t number, bool is_probeable, const char *text, size_t len);

struct probe_text_var {
	const char *type, *name, *ranges, *why_not; /* the last two may be NULL */
	bool is_extern;
	bool with_ranges; /* say whether it can be fetched here, and where */
};
void probe_text_vars_head(struct out *o, const char *place);
void probe_text_vars_at(struct out *o, const char *function, uint64_t offset);
void probe_text_var(struct out *o, const struct probe_text_var *v);
void probe_text_no_vars(struct out *o);

/* "  probe_t:work         (on work:4@t.c in /tmp/t with n p)" */
struct probe_text_event {
	const char *group, *name, *place;
	const char *file; /* or a kernel's module; NULL: none */
	const char *args; /* empty: none */
};
void probe_text_event(struct out *o, const struct probe_text_event *e);
void probe_text_removed(struct out *o, const char *group, const char *name, bool is_dry);

#endif
