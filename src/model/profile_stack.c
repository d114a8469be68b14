/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From a sample to its whole stack: a chain that the kernel walked, registers and a copy of the stack (--call-graph dwarf), the CPU's list
 * of calls (--call-graph lbr), or the recorder's result (abi/walked.h). The kernel's part always comes from the chain.
 */
#include "abi/walked.h"
#include "model/profile.h"

/* The part of a chain that speaks of the kernel: all in front of the mark of user space. */
static uint64_t kernel_part(const uint64_t *ips, uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i++)
		if (ips[i] == CHAIN_USER || ips[i] == CHAIN_USER_DEFERRED)
			return i;
	return nr;
}

static void begin(struct profile *p, const struct sample *s, uint64_t nr)
{
	p->unwound.nr = 0;
	for (uint64_t i = 0; i < nr; i++)
		vec_push(&p->unwound, s->ips[i]);
	vec_push(&p->unwound, CHAIN_USER);
}

/* The name of the machine may come while records are read (pipe mode): it is looked at when it is needed. */
static struct unwinder *unwinder_of(struct profile *p)
{
	const struct perfdata_info *info = p->recording->info;

	if (!p->unwinder)
		p->unwinder = unwinder_new_named(p->machine, info->arch, info->foreign_order);
	return p->unwinder;
}

static bool has_python(const struct profile *p, const struct session_record *sr)
{
	return sr->python && profile_python_mode(p, sr) != PROFILE_PYTHON_OFF;
}

/* What was cut of a stack with frames of Python, unless more is missing of its native ones: then `walk` says so already. */
static void judge_merged(const struct profile *p, const struct session_record *sr, uint64_t nr_frames, struct unwind_result *walk)
{
	bool is_only = profile_python_mode(p, sr) == PROFILE_PYTHON_ONLY;

	if (!is_only && walk->end != UNWIND_NOT_DONE && walk->end != UNWIND_COMPLETE)
		return;
	if (sr->python->flags & PYTHON_STACK_CUT)
		*walk = (struct unwind_result){ UNWIND_PYTHON_LIMIT, false };
	else if (nr_frames > p->max_stack)
		*walk = (struct unwind_result){ UNWIND_LIMIT, false };
	else if (is_only)
		*walk = (struct unwind_result){ UNWIND_COMPLETE, false };
}

static uint32_t intern_merged(struct profile *p, const struct session_record *sr, const uint64_t *ips, uint64_t nr,
			      struct unwind_result *walk,
			      uint32_t (*intern)(struct profile *p, const struct task *task, const uint64_t *ips, uint64_t nr))
{
	uint64_t nr_merged = profile_merge_python(p, sr, ips, nr), nr_kernel = kernel_part(p->merged.v, nr_merged);
	uint64_t nr_user = nr_merged - nr_kernel - 1;

	/* Of both parts, but where they are limited separately. */
	judge_merged(p, sr, intern == profile_intern_unwound || !nr_kernel ? nr_user : nr_user + nr_kernel - 1, walk);
	return intern(p, sr->task, p->merged.v, nr_merged);
}

/* The chain as the kernel has it. */
static uint32_t intern_recorded(struct profile *p, const struct session_record *sr, struct unwind_result *walk)
{
	const struct sample *s = &sr->rec.sample;

	if (has_python(p, sr))
		return intern_merged(p, sr, s->ips, s->nr_ips, walk, profile_intern_merged);
	return s->nr_ips ? profile_intern_chain(p, sr->task, s->ips, s->nr_ips) : STACK_NONE;
}

static uint32_t unwind(struct profile *p, const struct session_record *sr, uint64_t regs_user, struct unwind_result *walk)
{
	const struct sample *s = &sr->rec.sample;
	struct unwinder *u = unwinder_of(p);
	uint32_t max = p->max_stack < UNWINDER_MAX_FRAMES ? p->max_stack : UNWINDER_MAX_FRAMES, nr;

	if (!u) {
		p->nr_unknown_arch++;
		return intern_recorded(p, sr, walk);
	}
	begin(p, s, kernel_part(s->ips, s->nr_ips));
	vec_reserve(&p->unwound, p->unwound.nr + max);
	nr = unwinder_walk(u, sr->task, s, regs_user, p->unwound.v + p->unwound.nr, max, walk);
	if (!nr)
		return intern_recorded(p, sr, walk);
	if (has_python(p, sr))
		return intern_merged(p, sr, p->unwound.v, p->unwound.nr + nr, walk, profile_intern_unwound);
	return profile_intern_unwound(p, sr->task, p->unwound.v, p->unwound.nr + nr);
}

/* The place the last call went to, then where each was made. Without a mark of user space in its chain, user space was not looked at. */
static uint32_t intern_calls(struct profile *p, const struct session_record *sr)
{
	const struct sample *s = &sr->rec.sample;
	uint64_t nr = kernel_part(s->ips, s->nr_ips);

	if (nr == s->nr_ips)
		return profile_intern_chain(p, sr->task, s->ips, s->nr_ips);
	begin(p, s, nr);
	vec_push(&p->unwound, s->branches[0].to);
	for (uint64_t i = 0; i < s->nr_branches; i++)
		vec_push(&p->unwound, s->branches[i].from);
	return profile_intern_unwound(p, sr->task, p->unwound.v, p->unwound.nr);
}

/* A chain without user part was not walked: the thread is the kernel's, or was leaving. One that is cut here ends here. */
static uint32_t intern_walked(struct profile *p, const struct session_record *sr, struct unwind_result *walk)
{
	static const struct unwind_result walks[WALKED_NR_ENDS] = {
		[WALKED_COMPLETE] = { UNWIND_COMPLETE, false },	    [WALKED_TRUNCATED] = { UNWIND_TRUNCATED, false },
		[WALKED_BROKEN] = { UNWIND_NO_RULE, false },	    [WALKED_LIMIT] = { UNWIND_RECORD_LIMIT, false },
		[WALKED_NO_STACK] = { UNWIND_NO_STACK, false },	    [WALKED_GUESSED] = { UNWIND_COMPLETE, true },
		[WALKED_GUESSED_BROKEN] = { UNWIND_NO_RULE, true }, [WALKED_SMALL_DUMP] = { UNWIND_SMALL_DUMP, false },
	};
	const struct sample *s = &sr->rec.sample;
	enum walked_end walked;
	uint64_t nr = walked_chain_end(s->ips, s->nr_ips, &walked), nr_kernel = kernel_part(s->ips, nr);
	uint64_t nr_frames = nr - (nr_kernel != 0) - 1; /* without the marks of both parts */

	if (nr_kernel < nr)
		*walk = nr_frames > p->max_stack ? (struct unwind_result){ UNWIND_LIMIT, false } : walks[walked];
	if (has_python(p, sr))
		return intern_merged(p, sr, s->ips, nr, walk, profile_intern_walked);
	return nr ? profile_intern_walked(p, sr->task, s->ips, nr) : STACK_NONE;
}

uint32_t profile_intern_sample(struct profile *p, const struct session_record *sr, struct unwind_result *walk)
{
	const struct perfdata_event *event = &p->recording->info->events.v[sr->event];
	const struct sample_layout *l = &event->layout;
	const struct sample *s = &sr->rec.sample;
	uint32_t stack = STACK_NONE;

	*walk = (struct unwind_result){ UNWIND_NOT_DONE, false };
	if (!(l->sample_type & (SAMPLE_CALLCHAIN | SAMPLE_BRANCH_STACK)))
		; /* it has none */
	else if ((l->sample_type & SAMPLE_STACK_USER) && (l->sample_type & SAMPLE_CALLCHAIN) && s->regs_user_abi)
		stack = unwind(p, sr, l->regs_user, walk);
	else if ((l->branch_sample_type & BRANCH_CALL_STACK) && s->nr_branches)
		stack = intern_calls(p, sr);
	else if (attr_is_walked(&event->attr))
		stack = intern_walked(p, sr, walk);
	else
		stack = intern_recorded(p, sr, walk);
	/* Callers in user space were not asked for (record --python=only, on what is no Python). */
	if (stack == STACK_NONE && event->attr.flags & ATTR_EXCLUDE_CHAIN_USER)
		walk->end = UNWIND_NO_STACK;
	p->nr_by_end[walk->end]++;
	return stack;
}

/* The kernel faults on user addresses, and user code may name the kernel's. */
uint32_t profile_intern_data(struct profile *p, const struct session_record *sr)
{
	unsigned mode = sr->header->misc & MISC_CPUMODE_MASK;
	uint64_t addr = sr->rec.sample.addr;
	uint32_t location;

	/* Of imports the words of chains are located, not addresses; that of the sample itself is known. */
	if (p->machine->imported) {
		location = profile_intern_location(p, sr->task, sr->rec.sample.ip, mode);
		if (p->locations.v[location].at.ip == addr)
			return location;
	}
	location = profile_intern_location(p, sr->task, addr, mode);
	if (p->locations.v[location].at.dso == DSO_NONE)
		location = profile_intern_location(p, sr->task, addr, mode == MISC_USER ? MISC_KERNEL : MISC_USER);
	return location;
}
