/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The stacks of traced calls and events: lines below theirs, in perf trace's shape or in strace's.
 */
#ifndef ASSAY_VIEW_TRACE_STACK_H
#define ASSAY_VIEW_TRACE_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"
#include "base/vec.h"
#include "model/profile.h"
#include "view/syscall_text.h"

struct trace_stack {
	struct profile profile; /* for its places and stacks alone */
	enum syscall_shape shape;
	uint32_t max_frames; /* shown of one; 0: all */
	/* Of calls that have none any more when they end (execve): as it was when they began. */
	VEC(struct trace_stack_entry {
		int32_t tid;
		uint32_t stack;
	})
	entries;
};

void trace_stack_init(struct trace_stack *s, struct machine *m, const struct recording *r, enum syscall_shape shape);
void trace_stack_fini(struct trace_stack *s);

/* Whether the sample was recorded with one. */
bool trace_stack_has(const struct session_record *sr);
/* Places of events without stacks are kept, too: forgets them all where they are many. */
void trace_stack_trim(struct trace_stack *s);
/* Keeps the stack of a call that begins. */
void trace_stack_keep(struct trace_stack *s, const struct session_record *sr);
/* That of the sample or, where it has none, the kept one of its task. Valid until the next call of any of these. STACK_NONE: none. */
uint32_t trace_stack_of(struct trace_stack *s, const struct session_record *sr);
uint32_t trace_stack_depth(const struct trace_stack *s, uint32_t stack);
void trace_stack_put(struct trace_stack *s, struct out *o, uint32_t stack);

#endif
