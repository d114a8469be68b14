/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Frames by name, the innermost first. A trace may go on for days: what the profile knows of stacks is dropped when it grows.
 */
#include "view/trace_stack.h"

#include <string.h>

#include "abi/walked.h"
#include "base/escape.h"

#define KEPT_BYTES (64u << 20)
#define MAX_ENTRIES 1024
#define PERF_INDENT 39

void trace_stack_init(struct trace_stack *s, struct machine *m, const struct recording *r, enum syscall_shape shape)
{
	memset(s, 0, sizeof(*s));
	profile_init(&s->profile, m, r);
	s->profile.only_symbols = true;
	s->profile.source = PROFILE_INLINES;
	s->shape = shape;
}

void trace_stack_fini(struct trace_stack *s)
{
	profile_fini(&s->profile);
	vec_fini(&s->entries);
}

bool trace_stack_has(const struct session_record *sr)
{
	return sr->rec.sample.nr_ips || sr->rec.sample.regs_user_abi;
}

void trace_stack_trim(struct trace_stack *s)
{
	if (profile_size_bytes(&s->profile) <= KEPT_BYTES)
		return;
	profile_forget(&s->profile);
	s->entries.nr = 0;
}

static uint32_t intern(struct trace_stack *s, const struct session_record *sr)
{
	struct unwind_result walk;

	trace_stack_trim(s);
	return profile_intern_sample(&s->profile, sr, &walk);
}

static struct trace_stack_entry *find_entry(struct trace_stack *s, int32_t tid)
{
	for (uint32_t i = 0; i < s->entries.nr; i++)
		if (s->entries.v[i].tid == tid)
			return &s->entries.v[i];
	return NULL;
}

void trace_stack_keep(struct trace_stack *s, const struct session_record *sr)
{
	uint32_t stack = intern(s, sr);
	struct trace_stack_entry *e = find_entry(s, sr->task->tid);

	/* Calls that never end leave theirs. */
	if (!e && s->entries.nr == MAX_ENTRIES)
		s->entries.nr = 0;
	if (!e)
		e = vec_add(&s->entries);
	*e = (struct trace_stack_entry){ sr->task->tid, stack };
}

uint32_t trace_stack_of(struct trace_stack *s, const struct session_record *sr)
{
	struct trace_stack_entry *e = s->entries.nr ? find_entry(s, sr->task->tid) : NULL;
	uint32_t stack = e ? e->stack : STACK_NONE;

	if (e)
		*e = s->entries.v[--s->entries.nr];
	return trace_stack_has(sr) ? intern(s, sr) : stack;
}

uint32_t trace_stack_depth(const struct trace_stack *s, uint32_t stack)
{
	return s->profile.stacks.v[stack].depth;
}

static void put_perf(struct trace_stack *s, struct out *o, const struct profile_place *place, const struct location *at)
{
	struct profile *p = &s->profile;
	const struct profile_frame *f = &p->frames.v[place->frame];

	out_spaces(o, PERF_INDENT);
	if (f->function) {
		escape_terminal_str(o, profile_str(p, f->function));
	} else {
		out_str(o, "[0x");
		out_hex(o, at->addr, 0);
		out_char(o, ']');
	}
	out_str(o, " (");
	escape_terminal_str(o, f->is_inlined ? "inlined" : at->dso == DSO_NONE ? "[unknown]" : profile_dso(p, at->dso)->path);
	out_str(o, ")\n");
}

/* " > /usr/lib/libc.so.6(read+0xd) [0xf82ad]". strace has return addresses; a walk has the calls in front of them. */
static void put_strace(struct trace_stack *s, struct out *o, const struct profile_place *place, const struct location *at, bool is_call)
{
	struct profile *p = &s->profile;
	const struct profile_frame *f = &p->frames.v[place->frame];
	uint64_t addr = at->addr + is_call;

	out_str(o, " > ");
	escape_terminal_str(o, f->is_inlined ? "inlined" : at->dso == DSO_NONE ? "[unknown]" : profile_dso(p, at->dso)->path);
	out_char(o, '(');
	if (f->function) {
		escape_terminal_str(o, profile_str(p, f->function));
		out_str(o, "+0x");
		out_hex(o, addr - f->start, 0);
	}
	out_str(o, ") [0x");
	out_hex(o, addr, 0);
	out_str(o, "]\n");
}

void trace_stack_put(struct trace_stack *s, struct out *o, uint32_t stack)
{
	struct profile *p = &s->profile;
	uint32_t nr_shown = 0, nr;

	for (uint32_t n = profile_stack_node(p, stack); n != STACK_TREE_ROOT; n = stack_tree_parent(&p->tree, n)) {
		uint32_t location = stack_tree_frame(&p->tree, n);
		const struct profile_place *places = profile_places_of(p, location, &nr);
		const struct profile_location *l = &p->locations.v[location];

		for (uint32_t i = 0; i < nr; i++) {
			if (s->max_frames && nr_shown == s->max_frames)
				return;
			if (s->shape == SYSCALL_STRACE)
				put_strace(s, o, &places[i], &l->at, nr_shown && !l->is_caller);
			else
				put_perf(s, o, &places[i], &l->at);
			nr_shown++;
		}
	}
}
