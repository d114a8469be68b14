/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The outermost frame decides: a function without a caller completes the stack, however the walk ended; the limit of frames truncates it;
 * anything else is broken. Walks that know that they were cut, by the dump or by a limit, are truncated.
 */
#include "model/quality.h"

#define KERNEL_MAX_STACK 127u /* kernel.perf_event_max_stack, unless set: and then it is more, as a rule */
/* What the deepest stacks of a recorder that names no limit must look like to be cut ones. */
#define MIN_LIMIT 16u
#define MIN_KINDS 8u

struct verdict {
	enum quality_stack what;
	enum quality_cut cut;	  /* of a truncated one */
	enum quality_cause cause; /* of a broken or guessed one */
};

static bool is_kernel(const struct profile_location *l)
{
	return l->cpumode == MISC_KERNEL || l->cpumode == MISC_HYPERVISOR || l->cpumode == MISC_GUEST_KERNEL;
}

/* Code that no file has. Functions of Python are interpreted. */
static bool is_jit(const struct profile *p, const struct profile_location *l)
{
	enum module_kind kind = profile_dso(p, l->at.dso)->kind;

	return !is_kernel(l) && l->at.dso != DSO_NONE && l->at.dso != p->machine->python_dso && (kind == MODULE_JIT || kind == MODULE_NONE);
}

static bool is_without_table(struct profile *p, const struct profile_location *l)
{
	const struct unwind_table *t;

	t = dso_table_unwind(&p->machine->dsos, l->at.dso);
	return !t || unwind_table_cover(t, l->at.addr) == UNWIND_UNCOVERED;
}

static struct quality_facts facts_of(const struct profile *p, uint32_t stack)
{
	struct quality_facts f = { 0 };

	for (uint32_t n = profile_stack_node(p, stack); n != STACK_TREE_ROOT; n = stack_tree_parent(&p->tree, n)) {
		const struct profile_location *l;

		f.outermost = stack_tree_frame(&p->tree, n);
		l = &p->locations.v[f.outermost];
		f.has_jit |= is_jit(p, l);
		f.has_nowhere |= l->at.dso == DSO_NONE && !is_kernel(l);
	}
	return f;
}

static void find_facts(struct quality *q, struct profile *p)
{
	uint32_t nr = 0;

	q->facts.nr = 0;
	for (int w = 0; w < QUALITY_NR_WALKS; w++)
		nr |= q->of_walk[w].nr;
	for (uint32_t i = 0; nr && i < p->stacks.nr; i++)
		vec_push(&q->facts, facts_of(p, i));
}

/* Does it end where stacks begin? */
static bool is_whole(const struct quality *q, struct profile *p, uint32_t stack)
{
	uint32_t last = q->facts.v[stack].outermost;

	if (is_kernel(&p->locations.v[last]))
		return true;
	return last < q->entry_of_location.nr && q->entry_of_location.v[last] == 2;
}

static void ask_entry(struct quality *q, struct profile *p, uint32_t stack)
{
	uint32_t last = q->facts.v[stack].outermost;

	while (q->entry_of_location.nr <= last)
		vec_push(&q->entry_of_location, 0);
	if (stack != STACK_NONE && !q->entry_of_location.v[last])
		q->entry_of_location.v[last] = quality_is_entry(p, last, q->is_dumped) ? 2 : 1;
}

static void ask_entries(struct quality *q, struct profile *p)
{
	q->entry_of_location.nr = 0;
	for (int w = 0; w < QUALITY_NR_WALKS; w++)
		for (uint32_t i = 0; i < q->of_walk[w].nr; i++)
			if (q->of_walk[w].v[i])
				ask_entry(q, p, i);
}

/* Whether stacks were cut at the depth of the deepest: then many of different kinds have it. A walk that fails in one place gives many
 * samples, but few callers. */
static bool is_limit(const struct quality *q, struct profile *p, uint32_t depth)
{
	uint64_t nr = 0, nr_all = 0;
	uint32_t nr_kinds = 0, last = STACK_TREE_ROOT;

	if (depth < MIN_LIMIT)
		return false;
	for (uint32_t i = 1; i < q->of_walk[QUALITY_WALK_NONE].nr; i++) {
		uint32_t nr_here = q->of_walk[QUALITY_WALK_NONE].v[i], parent;

		nr_all += nr_here;
		if (!nr_here || p->stacks.v[i].depth != depth || is_whole(q, p, i))
			continue;
		parent = stack_tree_parent(&p->tree, profile_stack_node(p, i));
		nr += nr_here;
		nr_kinds += parent != last;
		last = parent;
	}
	return nr >= QUALITY_MIN_SAMPLES && nr_kinds >= MIN_KINDS && nr * 10 >= nr_all;
}

/* The limit of frames: the file says so where the recorder was asked; otherwise the kernel's, which many stacks have and none exceeds. */
static uint32_t find_limit(const struct quality *q, struct profile *p)
{
	uint32_t limit = UINT32_MAX, deepest = 0;

	for (uint32_t i = 0; i < p->recording->info->events.nr; i++) {
		uint32_t max = p->recording->info->events.v[i].attr.sample_max_stack;

		limit = max && max < limit ? max : limit;
	}
	for (uint32_t i = 0; i < q->of_walk[QUALITY_WALK_NONE].nr; i++)
		if (q->of_walk[QUALITY_WALK_NONE].v[i] && p->stacks.v[i].depth > deepest)
			deepest = p->stacks.v[i].depth;
	if (deepest < limit && !q->has_calls && (deepest >= KERNEL_MAX_STACK || (limit == UINT32_MAX && is_limit(q, p, deepest))))
		limit = deepest;
	return p->max_stack < limit ? p->max_stack : limit;
}

static uint32_t nr_user_frames(const struct profile *p, uint32_t stack)
{
	uint32_t nr = 0, kernel = 0;

	/* From the outside: the kernel's frames are the innermost. */
	for (uint32_t n = profile_stack_node(p, stack); n != STACK_TREE_ROOT; n = stack_tree_parent(&p->tree, n), nr++)
		if (is_kernel(&p->locations.v[stack_tree_frame(&p->tree, n)]))
			kernel = nr + 1;
	return nr - kernel;
}

/* A full list is the longest one there is, and a multiple of eight as all of them are; its calls have one place more. */
static uint32_t find_calls_limit(const struct quality *q, const struct profile *p)
{
	uint32_t longest = 0;

	for (uint32_t i = 0; i < q->of_walk[QUALITY_WALK_NONE].nr && q->has_calls; i++) {
		uint32_t nr = q->of_walk[QUALITY_WALK_NONE].v[i] ? nr_user_frames(p, i) : 0;

		longest = nr > longest ? nr : longest;
	}
	return longest > 8 && longest % 8 == 1 ? longest : 0;
}

/* Frame pointers that the kernel followed through generated code, or through what is no code at all, were not confirmed by anything. */
static struct verdict judge_chain(const struct quality *q, struct profile *p, uint32_t stack)
{
	struct verdict v = { QUALITY_COMPLETE, p->has_cut_chains ? QUALITY_CUT_READER : QUALITY_CUT_KERNEL, QUALITY_CAUSE_POINTERS };
	bool is_long = p->stacks.v[stack].depth >= q->limit;
	const struct quality_facts *f = &q->facts.v[stack];

	if (recording_has_whole_stacks(p->recording))
		return v;
	v.cause = q->has_calls ? QUALITY_CAUSE_CALLS : f->has_jit ? QUALITY_CAUSE_JIT : QUALITY_CAUSE_POINTERS;
	if (stack == STACK_NONE || profile_is_cyclic(p, stack)) {
		v.what = QUALITY_BROKEN;
	} else if (is_kernel(&p->locations.v[f->outermost])) {
		/* A thread of the kernel, or one whose user side was not to be looked at. */
		v.what = is_long ? QUALITY_TRUNCATED : QUALITY_COMPLETE;
	} else if (is_whole(q, p, stack)) {
		v.what = !q->has_calls && (f->has_jit || f->has_nowhere) ? QUALITY_GUESSED : QUALITY_COMPLETE;
	} else if (q->calls_limit && nr_user_frames(p, stack) == q->calls_limit) {
		v.what = QUALITY_TRUNCATED;
		v.cut = QUALITY_CUT_CALLS;
	} else {
		v.what = is_long ? QUALITY_TRUNCATED : QUALITY_BROKEN;
	}
	return v;
}

static bool is_32bit(struct quality *q, const struct profile *p, uint32_t dso)
{
	while (q->width_of_dso.nr <= dso)
		vec_push(&q->width_of_dso, 0);
	if (!q->width_of_dso.v[dso])
		q->width_of_dso.v[dso] = dso_table_is_32bit(&p->machine->dsos, dso) ? 2 : 1;
	return q->width_of_dso.v[dso] == 2;
}

static void count_no_table(struct quality *q, uint32_t dso, uint32_t nr)
{
	while (q->no_table_of_dso.nr <= dso)
		vec_push(&q->no_table_of_dso, 0);
	q->no_table_of_dso.v[dso] += nr;
}

/* A walk that was lost at the outermost place. */
static enum quality_cause cause_of_loss(const struct quality *q, struct profile *p, uint32_t stack)
{
	const struct profile_location *l = &p->locations.v[q->facts.v[stack].outermost];

	/* Only a table leads to an address in no map. */
	if (stack == STACK_NONE || l->at.dso == DSO_NONE || is_kernel(l))
		return QUALITY_CAUSE_TABLE;
	if (is_jit(p, l))
		return QUALITY_CAUSE_JIT;
	return is_without_table(p, l) ? QUALITY_CAUSE_NO_TABLE : QUALITY_CAUSE_TABLE;
}

static struct verdict judge_walk(const struct quality *q, struct profile *p, uint32_t stack, enum quality_walk walk)
{
	struct verdict v = { .what = QUALITY_COMPLETE };

	if (walk == QUALITY_WALK_NONE)
		return judge_chain(q, p, stack);
	if (walk != QUALITY_WALK_GUESSED && (stack == STACK_NONE || !is_whole(q, p, stack))) {
		v.what = QUALITY_BROKEN;
		v.cause = cause_of_loss(q, p, stack);
	} else if (walk != QUALITY_WALK_LOST) {
		v.what = QUALITY_GUESSED;
		v.cause = q->facts.v[stack].has_jit ? QUALITY_CAUSE_JIT : QUALITY_CAUSE_NO_TABLE;
	}
	return v;
}

static void count_broken(struct quality *q, const struct profile *p, uint32_t stack, enum quality_cause cause, uint32_t nr)
{
	uint32_t dso = cause == QUALITY_CAUSE_NO_TABLE ? p->locations.v[q->facts.v[stack].outermost].at.dso : DSO_NONE;

	if (dso != DSO_NONE && is_32bit(q, p, dso))
		cause = QUALITY_CAUSE_32BIT;
	else if (dso != DSO_NONE)
		count_no_table(q, dso, nr);
	if (cause == QUALITY_CAUSE_JIT && stack != STACK_NONE)
		q->nr_broken_in[profile_dso(p, p->locations.v[q->facts.v[stack].outermost].at.dso)->runtime] += nr;
	q->nr_broken_by[cause] += nr;
}

void quality_judge_stacks(struct quality *q, struct profile *p)
{
	find_facts(q, p);
	ask_entries(q, p);
	q->limit = find_limit(q, p);
	q->calls_limit = find_calls_limit(q, p);
	for (int w = 0; w < QUALITY_NR_WALKS; w++) {
		for (uint32_t i = 0; i < q->of_walk[w].nr; i++) {
			uint32_t nr = q->of_walk[w].v[i];
			struct verdict v;

			if (!nr)
				continue;
			v = judge_walk(q, p, i, (enum quality_walk)w);
			q->nr_by_stack[v.what] += nr;
			if (v.what == QUALITY_TRUNCATED)
				q->nr_by_cut[v.cut] += nr;
			else if (v.what == QUALITY_BROKEN)
				count_broken(q, p, i, v.cause, nr);
			else if (v.what == QUALITY_GUESSED)
				q->nr_guessed_by[v.cause] += nr;
		}
	}
}

bool quality_is_cut(enum unwind_end end, enum quality_cut *cut)
{
	switch (end) {
	case UNWIND_TRUNCATED:
		*cut = QUALITY_CUT_DUMP;
		return true;
	case UNWIND_SMALL_DUMP:
		*cut = QUALITY_CUT_BUDGET;
		return true;
	case UNWIND_LIMIT:
		*cut = QUALITY_CUT_READER;
		return true;
	case UNWIND_RECORD_LIMIT:
		*cut = QUALITY_CUT_RECORD;
		return true;
	case UNWIND_PYTHON_LIMIT:
		*cut = QUALITY_CUT_PYTHON;
		return true;
	default:
		return false;
	}
}

enum quality_stack quality_judge(const struct quality *q, struct profile *p, uint32_t stack, struct unwind_result walk)
{
	enum quality_cut cut;

	if (quality_is_cut(walk.end, &cut))
		return QUALITY_TRUNCATED;
	switch (walk.end) {
	case UNWIND_NOT_DONE:
		return judge_walk(q, p, stack, QUALITY_WALK_NONE).what;
	case UNWIND_COMPLETE:
		return walk.guessed ? QUALITY_GUESSED : QUALITY_COMPLETE;
	case UNWIND_NO_STACK:
		return QUALITY_COMPLETE;
	default:
		return judge_walk(q, p, stack, walk.guessed ? QUALITY_WALK_LOST_GUESSED : QUALITY_WALK_LOST).what;
	}
}
