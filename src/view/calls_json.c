/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One object; times in ns.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "view/calls_text.h"

static void put_times(struct json *j, const struct call_parts *p)
{
	json_put_object(j, "times_ns");
	for (uint32_t i = 0; i < CALL_NR_PARTS; i++)
		json_put_u64(j, call_part_name(i), p->ns[i]);
	json_object_end(j);
}

static void put_frames(struct json *j, const char *key, const struct calls_view *v, const struct call *c, uint32_t stack)
{
	struct profile *p = v->calls->profile;
	struct call_frames frames = { 0 };

	call_frames_add(&frames, v->calls, c, stack);
	json_put_array(j, key);
	for (uint32_t i = 0; i < frames.v.nr; i++) {
		const struct profile_frame *f = profile_frame_at(p, frames.v.v[i]);
		char *name = profile_is_named(f) ? mem_strdup(profile_str(p, f->function)) : profile_unresolved_name(p, f->dso);

		json_str(j, name);
		free(name);
	}
	json_array_end(j);
	vec_fini(&frames.v);
}

static void put_others(struct json *j, const char *key, const struct calls_view *v, const struct call_other *others)
{
	json_put_array(j, key);
	for (int i = 0; i < CALL_MAX_OTHERS && others[i].thread != WALL_NONE; i++) {
		const struct task *task = wall_task(v->wall, others[i].thread);

		json_object(j);
		json_put_str(j, "comm", machine_comm(v->wall->timeline->machine, task));
		json_put_i64(j, "tid", task->tid);
		json_put_u64(j, "ns", others[i].ns);
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_call(struct json *j, const struct calls_view *v, const struct call *c)
{
	struct profile *profile = v->calls->profile;
	struct call_parts p;

	json_object(j);
	json_put_u64(j, "took_ns", call_took_ns(c));
	json_put_u64(j, "begin_ns", c->begin_ns);
	if (c->thread != TIMELINE_NONE) {
		json_put_str(j, "comm", machine_comm(v->wall->timeline->machine, wall_task(v->wall, c->thread)));
		json_put_i64(j, "tid", wall_task(v->wall, c->thread)->tid);
	}
	json_put_bool(j, "divided", call_parts_find(&p, c, v->wall, v->notes));
	json_put_str(j, "reason", call_part_name(call_parts_top(&p)));
	put_times(j, &p);
	json_put_u64(j, "preemptions", p.nr_preempted);
	json_put_u64(j, "waits", p.nr_waits);
	json_put_u64(j, "major_faults", p.nr_faults);
	if (p.fault_file != UINT32_MAX)
		json_put_str(j, "fault_file", profile_dso(profile, p.fault_file)->path);
	json_put_u64(j, "interrupts", p.nr_interrupts);
	if (p.interrupt != UINT32_MAX) {
		char *name = calls_interrupt_name(v, p.interrupt);

		json_put_str(j, "longest_interrupt", name);
		free(name);
	}
	json_put_u64(j, "samples", p.nr_samples);
	put_others(j, "preempted_by", v, p.takers);
	put_others(j, "woken_by", v, p.wakers);
	put_frames(j, "called_at", v, c, c->stack);
	put_frames(j, "waited_in", v, c,
		   p.longest_wait == WALL_NONE ? STACK_NONE : v->wall->sums.v[v->wall->waits.v[p.longest_wait].sum].stack);
	put_frames(j, "ran_in", v, c, p.top_stack);
	json_object_end(j);
}

static void put_figures(struct json *j, const struct calls_view *v)
{
	const struct calls *c = v->calls;

	json_put_str(j, "of", v->what);
	json_put_u64(j, "count", c->v.nr);
	json_put_u64(j, "begun", c->nr_begun);
	json_put_u64(j, "nested", c->nr_nested);
	json_put_u64(j, "left", c->nr_left);
	json_put_u64(j, "ended_inside", c->nr_ended);
	json_put_u64(j, "open", c->nr_open);
	json_put_u64(j, "ends_alone", c->nr_alone);
	json_put_u64(j, "lost", v->nr_lost);
	json_put_u64(j, "elapsed_ns", c->last_ns - c->first_ns);
	json_put_u64(j, "total_ns", v->hist.total_ns);
	json_put_u64(j, "min_ns", v->hist.nr ? v->hist.min_ns : 0);
	json_put_object(j, "percentiles_ns");
	for (int i = 0; i < CALLS_NR_RANKS; i++)
		json_put_u64(j, calls_rank_names[i], calls_permille(c, calls_ranks[i]));
	json_object_end(j);
	json_put_array(j, "buckets");
	for (uint32_t i = 0; i < LATENCY_BUCKETS; i++) {
		if (!v->hist.buckets[i])
			continue;
		json_object(j);
		json_put_u64(j, "from_ns", i ? (UINT64_C(1) << (i - 1)) * v->hist.unit_ns : 0);
		json_put_u64(j, "count", v->hist.buckets[i]);
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_group(struct json *j, const char *key, const struct call_parts *p, uint64_t nr, uint64_t ns)
{
	json_put_object(j, key);
	json_put_u64(j, "count", nr);
	json_put_u64(j, "divided_ns", ns);
	put_times(j, p);
	json_object_end(j);
}

void calls_json_print(struct out *o, const struct calls_view *v)
{
	uint32_t nr = v->is_slower_given && v->nr_slow < v->max_calls ? v->nr_slow : v->max_calls;
	struct json j;

	json_init(&j, o, true);
	json_object(&j);
	put_figures(&j, v);
	put_group(&j, "all", &v->all, v->calls->v.nr, v->all_ns);
	json_put_u64(&j, "slower_than_ns", v->slower_ns);
	put_group(&j, "slow", &v->slow, v->nr_slow, v->slow_ns);
	json_put_array(&j, "slowest");
	for (uint32_t i = 0; i < nr && i < v->calls->v.nr; i++)
		put_call(&j, v, &v->calls->v.v[i]);
	json_array_end(&j);
	json_object_end(&j);
	out_char(o, '\n');
}
