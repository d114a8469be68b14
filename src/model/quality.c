/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counting in two steps: a sample adds one to its location and to its stack; then each distinct stack (quality_stack.c) and location is
 * judged once.
 */
#include "model/quality.h"

#include <stdlib.h>
#include <string.h>

#include "abi/offcpu.h"
#include "abi/walked.h"
#include "base/mem.h"

#define UNRESOLVED_LIMIT 20.0
#define INCOMPLETE_LIMIT 20.0
#define LOST_LIMIT 5.0
#define LARGEST_DUMP_BYTES 65528u /* what a sample has room for */

void quality_init(struct quality *q)
{
	memset(q, 0, sizeof(*q));
}

void quality_fini(struct quality *q)
{
	vec_fini(&q->modules);
	vec_fini(&q->of_location);
	vec_fini(&q->of_wait);
	vec_fini(&q->of_stack);
	for (int w = 0; w < QUALITY_NR_WALKS; w++)
		vec_fini(&q->of_walk[w]);
	vec_fini(&q->facts);
	vec_fini(&q->entry_of_location);
	vec_fini(&q->module_of_dso);
	vec_fini(&q->no_table_of_dso);
	vec_fini(&q->width_of_dso);
}

double quality_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

bool quality_is_unresolved(const struct quality *q)
{
	return q->nr_placed >= QUALITY_MIN_SAMPLES && quality_percent(q->nr_unresolved, q->nr_placed) >= UNRESOLVED_LIMIT;
}

bool quality_is_incomplete(const struct quality *q)
{
	return q->nr_stacks >= QUALITY_MIN_SAMPLES &&
	       quality_percent(q->nr_by_stack[QUALITY_TRUNCATED] + q->nr_by_stack[QUALITY_BROKEN], q->nr_stacks) >= INCOMPLETE_LIMIT;
}

bool quality_is_lossy(const struct quality *q)
{
	return q->nr_samples + q->nr_lost >= QUALITY_MIN_SAMPLES && quality_percent(q->nr_lost, q->nr_samples + q->nr_lost) >= LOST_LIMIT;
}

#define COUNT(counts, id, number)                                                                                                          \
	do {                                                                                                                               \
		while ((counts)->nr <= (id))                                                                                               \
			vec_push(counts, 0);                                                                                               \
		(counts)->v[id] += (number);                                                                                               \
	} while (0)

static void count(struct quality *q, uint64_t nr, uint32_t location, bool has_chain, uint32_t stack, struct unwind_result walk,
		  const struct perfdata_event *event)
{
	bool is_wait = event && offcpu_is_event(&event->attr, event->name);
	enum quality_cut cut;

	q->nr_samples += nr;
	if (location != QUALITY_NO_PLACE && is_wait) {
		q->nr_waits += nr;
		COUNT(&q->of_wait, location, nr);
	} else if (location != QUALITY_NO_PLACE) {
		q->nr_placed += nr;
		COUNT(&q->of_location, location, nr);
	}
	if (!has_chain)
		return;
	COUNT(&q->of_stack, stack, nr);
	/* Nothing is missing where nothing was. */
	if (walk.end == UNWIND_NO_STACK)
		return;
	q->nr_stacks += nr;
	if (quality_is_cut(walk.end, &cut)) {
		if (cut == QUALITY_CUT_DUMP && is_wait)
			cut = QUALITY_CUT_WAIT;
		q->nr_by_stack[QUALITY_TRUNCATED] += nr;
		q->nr_by_cut[cut] += nr;
		return;
	}
	switch (walk.end) {
	case UNWIND_NOT_DONE:
		COUNT(&q->of_walk[QUALITY_WALK_NONE], stack, nr);
		break;
	case UNWIND_COMPLETE:
		if (walk.guessed)
			COUNT(&q->of_walk[QUALITY_WALK_GUESSED], stack, nr);
		else
			q->nr_by_stack[QUALITY_COMPLETE] += nr;
		break;
	default:
		COUNT(&q->of_walk[walk.guessed ? QUALITY_WALK_LOST_GUESSED : QUALITY_WALK_LOST], stack, nr);
		break;
	}
}

void quality_add(struct quality *q, uint32_t location, bool has_chain, uint32_t stack, struct unwind_result walk)
{
	count(q, 1, location, has_chain, stack, walk, NULL);
}

/* Tracepoints that are not the kernel's have no address of code where they tell of something else, as those of `assay wall` of who woke whom. */
static uint32_t place_of(const struct profile *p, const struct attr *a, uint32_t location)
{
	if (!(a->sample_type & (SAMPLE_IP | SAMPLE_CALLCHAIN)) || (a->type == ATTR_TYPE_TRACEPOINT && !p->locations.v[location].at.ip))
		return QUALITY_NO_PLACE;
	return location;
}

void quality_add_record(struct quality *q, struct profile *p, const struct session_record *sr, uint32_t stack, struct unwind_result walk)
{
	uint32_t location = profile_intern_location(p, sr->task, sr->rec.sample.ip, sr->header->misc & MISC_CPUMODE_MASK);
	const struct perfdata_event *event = &p->recording->info->events.v[sr->event];

	count(q, 1, place_of(p, &event->attr, location), event->attr.sample_type & SAMPLE_CALLCHAIN, stack, walk, event);
}

void quality_add_sample(struct quality *q, const struct profile *p, uint32_t sample)
{
	const struct profile_samples *s = &p->samples;
	const struct perfdata_event *event = &p->recording->info->events.v[s->event[sample]];

	count(q, profile_samples_count(s, sample), place_of(p, &event->attr, s->location[sample]),
	      event->attr.sample_type & SAMPLE_CALLCHAIN, s->stack[sample], profile_walk(p, sample), event);
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
	return !profile_is_named(profile_frame_at(p, location));
}

static void count_unresolved_samples(struct quality *q, struct profile *p)
{
	for (uint32_t i = 0; i < q->of_location.nr; i++) {
		if (!q->of_location.v[i] || !is_unresolved(p, i))
			continue;
		q->nr_unresolved += q->of_location.v[i];
		module_of(q, p->locations.v[i].at.dso)->nr_samples += q->of_location.v[i];
	}
	for (uint32_t i = 0; i < q->of_wait.nr; i++) {
		if (!q->of_wait.v[i] || !is_unresolved(p, i))
			continue;
		q->nr_unresolved_waits += q->of_wait.v[i];
		module_of(q, p->locations.v[i].at.dso)->nr_waits += q->of_wait.v[i];
	}
}

static void count_unresolved_frames(struct quality *q, struct profile *p)
{
	uint64_t *nr_of = mem_zalloc((p->locations.nr + 1ul) * sizeof(*nr_of));

	for (uint32_t i = 0; i < q->of_stack.nr; i++) {
		q->nr_frames += (uint64_t)q->of_stack.v[i] * p->stacks.v[i].depth;
		for (uint32_t n = q->of_stack.v[i] ? profile_stack_node(p, i) : STACK_TREE_ROOT; n != STACK_TREE_ROOT;
		     n = stack_tree_parent(&p->tree, n))
			nr_of[stack_tree_frame(&p->tree, n)] += q->of_stack.v[i];
	}
	for (uint32_t i = 0; i < p->locations.nr; i++) {
		if (!nr_of[i] || !is_unresolved(p, i))
			continue;
		q->nr_unresolved_frames += nr_of[i];
		module_of(q, p->locations.v[i].at.dso)->nr_frames += nr_of[i];
	}
	free(nr_of);
}

/* How the stacks were recorded. */
static void learn(struct quality *q, const struct perfdata_info *info)
{
	for (uint32_t i = 0; i < info->events.nr; i++) {
		const struct attr *a = &info->events.v[i].attr;

		q->has_stacks |= (a->sample_type & SAMPLE_CALLCHAIN) != 0;
		q->is_dumped |= (a->sample_type & SAMPLE_STACK_USER) || attr_is_walked(a);
		q->has_largest_dumps |= a->sample_stack_user >= LARGEST_DUMP_BYTES;
		q->has_calls |= (a->sample_type & SAMPLE_BRANCH_STACK) && a->branch_sample_type & BRANCH_CALL_STACK;
	}
}

void quality_settle(struct quality *q, struct profile *p)
{
	learn(q, p->recording->info);
	machine_find_runtimes(p->machine);
	quality_judge_stacks(q, p);
	count_unresolved_samples(q, p);
	count_unresolved_frames(q, p);
	q->of_location.nr = q->of_wait.nr = q->of_stack.nr = 0;
	for (int w = 0; w < QUALITY_NR_WALKS; w++)
		q->of_walk[w].nr = 0;
}

static bool matters_by_samples(const struct quality *q, const struct quality_module *m)
{
	return quality_percent(m->nr_samples, q->nr_placed) >= QUALITY_WORTH_PERCENT;
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
	return (by_samples ? COMPARE(b->nr_samples, a->nr_samples) : 0) ?: COMPARE(b->nr_frames, a->nr_frames) ?: COMPARE(a->dso, b->dso);
}

static void rank_modules(struct quality *q, const struct profile *p)
{
	const struct dso_table *dsos = &p->machine->dsos;

	vec_sort_r(&q->modules, cmp_modules, q);
	q->module_of_dso.nr = 0;
	for (uint32_t i = 0; i < q->modules.nr; i++) {
		struct quality_module *m = &q->modules.v[i];

		m->path = dso_table_get(dsos, m->dso)->path;
		m->why = dso_table_get(dsos, m->dso)->why_empty;
		if (!matters_by_samples(q, m) && !matters_by_frames(q, m))
			continue;
		if (q->nr_worth++ < QUALITY_MAX_TOLD) {
			q->nr_reported++;
			dso_table_remedy(dsos, m->dso, REMEDY_SYMBOLS, m->remedy, sizeof(m->remedy));
		}
	}
}

static void find_no_table(struct quality *q, const struct profile *p)
{
	const struct dso_table *dsos = &p->machine->dsos;
	uint32_t worst = DSO_NONE;

	for (uint32_t i = 1; i < q->no_table_of_dso.nr; i++)
		if (worst == DSO_NONE || q->no_table_of_dso.v[i] > q->no_table_of_dso.v[worst])
			worst = i;
	if (worst == DSO_NONE || quality_percent(q->no_table_of_dso.v[worst], q->nr_stacks) < QUALITY_WORTH_PERCENT)
		return;
	q->no_table_path = dso_table_get(dsos, worst)->path;
	dso_table_remedy(dsos, worst, REMEDY_UNWIND, q->no_table_remedy, sizeof(q->no_table_remedy));
}

static void judge_waits(struct quality *q)
{
	q->nr_placed = q->nr_waits;
	q->nr_unresolved = q->nr_unresolved_waits;
	for (uint32_t i = 0; i < q->modules.nr; i++)
		q->modules.v[i].nr_samples = q->modules.v[i].nr_waits;
}

void quality_finish(struct quality *q, struct profile *p)
{
	const struct recording *r = p->recording;

	quality_settle(q, p);
	if (!q->nr_placed)
		judge_waits(q);
	q->nr_lost = recording_lost(r);
	q->nr_throttled = r->stats.nr_throttled;
	q->nr_invalid_chains = p->nr_invalid_chains;
	q->nr_unknown_arch = p->nr_unknown_arch;
	q->arch = r->info->arch;
	rank_modules(q, p);
	find_no_table(q, p);
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
	for (int i = 0; i < QUALITY_NR_CAUSES; i++) {
		q->nr_broken_by[i] += other->nr_broken_by[i];
		q->nr_guessed_by[i] += other->nr_guessed_by[i];
	}
	for (int i = 0; i < JIT_NR_RUNTIMES; i++)
		q->nr_broken_in[i] += other->nr_broken_in[i];
	q->nr_placed += other->nr_placed;
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
	quality_init(q);
	for (uint32_t i = 0; i < p->samples.nr; i++)
		quality_add_sample(q, p, i);
	quality_finish(q, p);
}
