/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counting is two steps: a sample adds one to its location and one to its stack, which costs next to nothing; then each distinct stack
 * and location is looked at once. What a stack's outermost frame is decides: a function that nobody calls ends it, the limit of frames
 * cuts it, anything else is where a walk went astray.
 */
#include "model/quality.h"

#include <stdlib.h>
#include <string.h>

#include "abi/walked.h"

#define KERNEL_MAX_STACK 127u /* kernel.perf_event_max_stack, unless set: and then it is more, as a rule */
#define UNRESOLVED_LIMIT 20.0
#define INCOMPLETE_LIMIT 20.0
#define LOST_LIMIT 5.0
/* What the deepest stacks of a recorder that names no limit must look like to be cut ones. */
#define MIN_LIMIT 16u
#define MIN_KINDS 8u

void quality_init(struct quality *q)
{
	memset(q, 0, sizeof(*q));
}

void quality_fini(struct quality *q)
{
	vec_fini(&q->modules);
	vec_fini(&q->of_location);
	vec_fini(&q->of_stack);
	vec_fini(&q->undone_of_stack);
	vec_fini(&q->module_of_dso);
}

double quality_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

bool quality_is_unresolved(const struct quality *q)
{
	return q->nr_samples >= QUALITY_MIN_SAMPLES && quality_percent(q->nr_unresolved, q->nr_samples) >= UNRESOLVED_LIMIT;
}

bool quality_is_incomplete(const struct quality *q)
{
	return q->nr_stacks >= QUALITY_MIN_SAMPLES &&
	       quality_percent(q->nr_stacks - q->nr_by_stack[QUALITY_COMPLETE], q->nr_stacks) >= INCOMPLETE_LIMIT;
}

bool quality_is_lossy(const struct quality *q)
{
	return q->nr_samples + q->nr_lost >= QUALITY_MIN_SAMPLES && quality_percent(q->nr_lost, q->nr_samples + q->nr_lost) >= LOST_LIMIT;
}

#define COUNT(counts, id)                            \
	do {                                         \
		while ((counts)->nr <= (id))         \
			vec_push(counts, 0);         \
		(counts)->v[id]++;                   \
	} while (0)

void quality_add(struct quality *q, uint32_t location, bool has_chain, uint32_t stack, enum unwind_end end)
{
	q->nr_samples++;
	COUNT(&q->of_location, location);
	if (!has_chain)
		return;
	COUNT(&q->of_stack, stack);
	/* Nothing is missing where nothing was. */
	if (end == UNWIND_NO_STACK)
		return;
	q->nr_stacks++;
	switch (end) {
	case UNWIND_NOT_DONE:
		COUNT(&q->undone_of_stack, stack);
		break;
	case UNWIND_COMPLETE:
		q->nr_by_stack[QUALITY_COMPLETE]++;
		break;
	case UNWIND_TRUNCATED:
		q->nr_by_stack[QUALITY_TRUNCATED]++;
		q->nr_by_cut[QUALITY_CUT_DUMP]++;
		break;
	case UNWIND_LIMIT:
		q->nr_by_stack[QUALITY_TRUNCATED]++;
		q->nr_by_cut[QUALITY_CUT_READER]++;
		break;
	default:
		q->nr_by_stack[QUALITY_BROKEN]++;
		break;
	}
}

void quality_add_record(struct quality *q, struct profile *p, const struct session_record *sr, uint32_t stack, enum unwind_end end)
{
	uint32_t location = profile_intern_location(p, sr->task, sr->rec.sample.ip, sr->header->misc & MISC_CPUMODE_MASK);
	uint64_t sample_type = p->session->info->events.v[sr->event].attr.sample_type;

	quality_add(q, location, sample_type & SAMPLE_CALLCHAIN, stack, end);
}

/* Functions that nobody calls, or that only what starts programs and threads does: nothing of a program is missing above them. libc's
 * own have no frame pointer, and without their debug file they go by the name of what libc exports before them. */
static bool is_entry_name(const char *name)
{
	static const char *const entries[] = {
		"_start", "_start_c", "_dl_start_user", "_dl_start", "__libc_start_main", "__libc_start_main_impl", "__libc_start_call_main",
		"__libc_start_main@@GLIBC_2.34", "__libc_init_first", "main", "start_thread", "thread_start", "clone", "__clone", "clone3", "__clone3",
		"__GI___clone", "__GI___clone3", "__clone_internal", "runtime.goexit", "runtime.goexit.abi0", "runtime.mstart",
		"runtime.rt0_go", "runtime.rt0_go.abi0", "_rt0_amd64_linux", "_rt0_arm64_linux",
	};

	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		if (!strcmp(name, entries[i]))
			return true;
	return false;
}

/* What the call frame information says. It is worth reading for what has no name, or where it is what stacks were walked by. */
static enum unwind_cover cover_of(const struct quality *q, struct profile *p, uint32_t location)
{
	const struct profile_location *l = &p->locations.v[location];
	struct dso_table *dsos = &p->session->machine.dsos;
	const struct unwind_table *t = NULL;

	if (l->at.dso != DSO_NONE && (q->is_dumped || !profile_frame_at(p, location)->function))
		t = dso_table_unwind(dsos, l->at.dso);
	return t ? unwind_table_cover(t, l->at.addr) : UNWIND_UNCOVERED;
}

static bool has_entry_name(struct profile *p, uint32_t location)
{
	const struct profile_frame *f = profile_frame_at(p, location);

	return f->function && is_entry_name(profile_str(p, f->function));
}

static uint32_t outermost(const struct profile *p, uint32_t stack)
{
	while (p->stacks.v[stack].parent != STACK_NONE)
		stack = p->stacks.v[stack].parent;
	return p->stacks.v[stack].location;
}

static bool is_kernel(const struct profile_location *l)
{
	return l->cpumode == MISC_KERNEL || l->cpumode == MISC_HYPERVISOR || l->cpumode == MISC_GUEST_KERNEL;
}

/* Does it end where stacks begin? */
static bool is_whole(const struct quality *q, struct profile *p, uint32_t stack)
{
	uint32_t last = outermost(p, stack);

	return is_kernel(&p->locations.v[last]) || has_entry_name(p, last) || cover_of(q, p, last) == UNWIND_OUTERMOST;
}

/* Is the depth of the deepest stacks one that they were cut at? Then many have it, of all kinds, and did not end by themselves; a
 * walk that goes astray in one place gives many samples, but few callers. */
static bool is_limit(const struct quality *q, struct profile *p, uint32_t depth)
{
	uint64_t nr = 0, nr_all = 0;
	uint32_t nr_kinds = 0, last = STACK_NONE;

	if (depth < MIN_LIMIT)
		return false;
	for (uint32_t i = 1; i < q->undone_of_stack.nr; i++) {
		const struct profile_stack *s = &p->stacks.v[i];

		nr_all += q->undone_of_stack.v[i];
		if (!q->undone_of_stack.v[i] || s->depth != depth || is_whole(q, p, i))
			continue;
		nr += q->undone_of_stack.v[i];
		nr_kinds += s->parent != last;
		last = s->parent;
	}
	return nr >= QUALITY_MIN_SAMPLES && nr_kinds >= MIN_KINDS && nr * 10 >= nr_all;
}

/* How many frames a stack has that was cut. A file says so where the recorder was asked; otherwise it is the kernel's limit, which shows
 * in that many stacks have it and none has more. */
static uint32_t find_limit(const struct quality *q, struct profile *p)
{
	uint32_t limit = UINT32_MAX, deepest = 0;

	for (uint32_t i = 0; i < p->session->info->events.nr; i++) {
		uint32_t max = p->session->info->events.v[i].attr.sample_max_stack;

		limit = max && max < limit ? max : limit;
	}
	for (uint32_t i = 0; i < q->undone_of_stack.nr; i++)
		if (q->undone_of_stack.v[i] && p->stacks.v[i].depth > deepest)
			deepest = p->stacks.v[i].depth;
	if (deepest < limit && !q->has_calls && (deepest >= KERNEL_MAX_STACK || (limit == UINT32_MAX && is_limit(q, p, deepest))))
		limit = deepest;
	return p->max_stack < limit ? p->max_stack : limit;
}

static uint32_t nr_user_frames(const struct profile *p, uint32_t stack)
{
	uint32_t nr = 0, kernel = 0;

	/* From the outside: the kernel's frames are the innermost. */
	for (uint32_t s = stack; s != STACK_NONE; s = p->stacks.v[s].parent, nr++)
		if (is_kernel(&p->locations.v[p->stacks.v[s].location]))
			kernel = nr + 1;
	return nr - kernel;
}

/* A full list is the longest one there is, and a multiple of eight as all of them are; its calls have one place more. */
static uint32_t find_calls_limit(const struct quality *q, const struct profile *p)
{
	uint32_t longest = 0;

	for (uint32_t i = 0; i < q->undone_of_stack.nr && q->has_calls; i++) {
		uint32_t nr = q->undone_of_stack.v[i] ? nr_user_frames(p, i) : 0;

		longest = nr > longest ? nr : longest;
	}
	return longest > 8 && longest % 8 == 1 ? longest : 0;
}

/* `cut`: what a truncated one was cut by. */
static enum quality_stack judge(const struct quality *q, struct profile *p, uint32_t stack, enum quality_cut *cut)
{
	bool is_long = p->stacks.v[stack].depth >= q->limit;

	*cut = p->has_cut_chains ? QUALITY_CUT_READER : QUALITY_CUT_KERNEL;
	if (session_has_whole_stacks(p->session))
		return QUALITY_COMPLETE;
	if (stack == STACK_NONE)
		return QUALITY_BROKEN;
	/* A thread of the kernel, or one whose user side was not to be looked at. */
	if (is_kernel(&p->locations.v[outermost(p, stack)]))
		return is_long ? QUALITY_TRUNCATED : QUALITY_COMPLETE;
	if (is_whole(q, p, stack))
		return QUALITY_COMPLETE;
	if (q->calls_limit && nr_user_frames(p, stack) == q->calls_limit) {
		*cut = QUALITY_CUT_CALLS;
		return QUALITY_TRUNCATED;
	}
	return is_long ? QUALITY_TRUNCATED : QUALITY_BROKEN;
}

static void judge_stacks(struct quality *q, struct profile *p)
{
	q->limit = find_limit(q, p);
	q->calls_limit = find_calls_limit(q, p);
	for (uint32_t i = 0; i < q->undone_of_stack.nr; i++) {
		enum quality_stack what;
		enum quality_cut cut;

		if (!q->undone_of_stack.v[i])
			continue;
		what = judge(q, p, i, &cut);
		q->nr_by_stack[what] += q->undone_of_stack.v[i];
		if (what == QUALITY_TRUNCATED)
			q->nr_by_cut[cut] += q->undone_of_stack.v[i];
	}
}

enum quality_stack quality_judge(const struct quality *q, struct profile *p, uint32_t stack, enum unwind_end end)
{
	enum quality_cut cut;

	switch (end) {
	case UNWIND_NOT_DONE:
		return judge(q, p, stack, &cut);
	case UNWIND_COMPLETE:
	case UNWIND_NO_STACK:
		return QUALITY_COMPLETE;
	case UNWIND_TRUNCATED:
	case UNWIND_LIMIT:
		return QUALITY_TRUNCATED;
	default:
		return QUALITY_BROKEN;
	}
}

static struct quality_module *module_of(struct quality *q, uint32_t dso)
{
	while (q->module_of_dso.nr <= dso)
		vec_push(&q->module_of_dso, 0);
	if (!q->module_of_dso.v[dso]) {
		struct quality_module m = { .dso = dso };

		vec_push(&q->modules, m);
		q->module_of_dso.v[dso] = q->modules.nr;
	}
	return &q->modules.v[q->module_of_dso.v[dso] - 1];
}

static bool is_unresolved(struct profile *p, uint32_t location)
{
	return !profile_frame_at(p, location)->function;
}

static void count_unresolved(struct quality *q, struct profile *p)
{
	for (uint32_t i = 0; i < q->of_location.nr; i++) {
		if (!q->of_location.v[i] || !is_unresolved(p, i))
			continue;
		q->nr_unresolved += q->of_location.v[i];
		module_of(q, p->locations.v[i].at.dso)->nr_samples += q->of_location.v[i];
	}
	for (uint32_t i = 0; i < q->of_stack.nr; i++) {
		uint64_t nr = q->of_stack.v[i];

		for (uint32_t s = i; nr && s != STACK_NONE; s = p->stacks.v[s].parent) {
			uint32_t location = p->stacks.v[s].location;

			q->nr_frames += nr;
			if (!is_unresolved(p, location))
				continue;
			q->nr_unresolved_frames += nr;
			module_of(q, p->locations.v[location].at.dso)->nr_frames += nr;
		}
	}
}

/* How the stacks were recorded. */
static void learn(struct quality *q, const struct perfdata_info *info)
{
	for (uint32_t i = 0; i < info->events.nr; i++) {
		const struct attr *a = &info->events.v[i].attr;

		q->has_stacks |= (a->sample_type & SAMPLE_CALLCHAIN) != 0;
		q->is_dumped |= (a->sample_type & SAMPLE_STACK_USER) || attr_is_walked(a);
		q->has_calls |= (a->sample_type & SAMPLE_BRANCH_STACK) && a->branch_sample_type & BRANCH_CALL_STACK;
	}
}

void quality_settle(struct quality *q, struct profile *p)
{
	learn(q, p->session->info);
	judge_stacks(q, p);
	count_unresolved(q, p);
	q->of_location.nr = q->of_stack.nr = q->undone_of_stack.nr = 0;
}

static bool matters_by_samples(const struct quality *q, const struct quality_module *m)
{
	return quality_percent(m->nr_samples, q->nr_samples) >= QUALITY_WORTH_PERCENT;
}

static bool matters_by_frames(const struct quality *q, const struct quality_module *m)
{
	return quality_percent(m->nr_frames, q->nr_frames) >= QUALITY_WORTH_PERCENT;
}

/* Those with samples of their own first, then those that only call others. */
static int cmp_modules(const void *va, const void *vb, void *ctx)
{
	const struct quality_module *a = va, *b = vb;
	bool by_samples = matters_by_samples(ctx, a);

	if (by_samples != matters_by_samples(ctx, b))
		return by_samples ? -1 : 1;
	if (by_samples && a->nr_samples != b->nr_samples)
		return a->nr_samples < b->nr_samples ? 1 : -1;
	if (a->nr_frames != b->nr_frames)
		return a->nr_frames < b->nr_frames ? 1 : -1;
	return a->dso < b->dso ? -1 : a->dso > b->dso;
}

static void rank_modules(struct quality *q, const struct profile *p)
{
	const struct dso_table *dsos = &p->session->machine.dsos;

	if (q->modules.nr)
		qsort_r(q->modules.v, q->modules.nr, sizeof(*q->modules.v), cmp_modules, q);
	q->module_of_dso.nr = 0;
	for (uint32_t i = 0; i < q->modules.nr; i++) {
		struct quality_module *m = &q->modules.v[i];

		m->path = dso_table_get(dsos, m->dso)->path;
		m->why = dso_table_get(dsos, m->dso)->why_empty;
		if (!matters_by_samples(q, m) && !matters_by_frames(q, m))
			continue;
		if (q->nr_worth++ < QUALITY_MAX_TOLD) {
			q->nr_told++;
			dso_table_remedy(dsos, m->dso, m->remedy, sizeof(m->remedy));
		}
	}
}

void quality_finish(struct quality *q, struct profile *p)
{
	const struct session *s = p->session;

	quality_settle(q, p);
	q->nr_lost = session_lost(s);
	q->nr_throttled = s->stats.nr_throttled;
	q->nr_invalid_chains = p->nr_invalid_chains;
	q->nr_unknown_arch = p->nr_unknown_arch;
	q->arch = s->info->arch;
	rank_modules(q, p);
}

void quality_merge(struct quality *q, const struct quality *other)
{
	q->nr_samples += other->nr_samples;
	q->has_stacks |= other->has_stacks;
	q->nr_stacks += other->nr_stacks;
	for (int i = 0; i < QUALITY_NR_STACKS; i++)
		q->nr_by_stack[i] += other->nr_by_stack[i];
	for (int i = 0; i < QUALITY_NR_CUTS; i++)
		q->nr_by_cut[i] += other->nr_by_cut[i];
	q->nr_unresolved += other->nr_unresolved;
	q->nr_frames += other->nr_frames;
	q->nr_unresolved_frames += other->nr_unresolved_frames;
	q->nr_lost += other->nr_lost;
	q->nr_throttled += other->nr_throttled;
	q->nr_invalid_chains += other->nr_invalid_chains;
	q->nr_unknown_arch += other->nr_unknown_arch;
}

void quality_of_profile(struct quality *q, struct profile *p)
{
	const struct profile_samples *s = &p->samples;

	quality_init(q);
	for (uint32_t i = 0; i < s->nr; i++)
		quality_add(q, s->location[i], p->session->info->events.v[s->event[i]].attr.sample_type & SAMPLE_CALLCHAIN, s->stack[i],
			    (enum unwind_end)s->end[i]);
	quality_finish(q, p);
}
