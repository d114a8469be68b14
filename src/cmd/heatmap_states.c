/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * heatmap --state, --run-queue, --off-cpu: how long tasks ran, were runnable before they ran, or were blocked, from the time line of a recording of the
 * scheduler, or from the samples of off-CPU time that 'record --off-cpu' makes. A span is at the time when it ended. Those whose begin or end is not known, because records or switches are missing or the recording
 * ends, are not drawn.
 */
#include "cmd/heatmap.h"

#include <errno.h>
#include <string.h>

#include "abi/offcpu.h"
#include "cmd/sched.h"
#include "model/sched_events.h"
#include "model/timeline_records.h"
#include "model/wall_events.h"

static const struct heatmap_state {
	const char *name;   /* of --state */
	const char *option; /* that says the same; NULL: none */
	const char *thing, *of;
	const char *none;     /* what is said where nothing is drawn */
	const char *no_wakes; /* what the recording cannot say without wakes; NULL: nothing */
	bool has[TIMELINE_NR_STATES];
	bool has_off_cpu[OFFCPU_NR_STATES]; /* none: such samples do not tell */
} states[] = {
	{ "running",
	  NULL,
	  "run",
	  "of tasks on CPUs",
	  "no task ran from one switch to another",
	  NULL,
	  { [TIMELINE_RUNNING] = true },
	  { 0 } },
	{ "runnable",
	  "run-queue",
	  "wait",
	  "of tasks for a CPU",
	  "no task waited for a CPU",
	  "waits after a preemption only",
	  { [TIMELINE_WOKEN] = true, [TIMELINE_PREEMPTED] = true },
	  { [OFFCPU_RUNNABLE] = true } },
	{ "blocked",
	  "off-cpu",
	  "wait",
	  "of blocked tasks",
	  "no task was blocked and woken",
	  "waits last until the task ran again",
	  { [TIMELINE_SLEEPS] = true,
	    [TIMELINE_WAITS] = true,
	    [TIMELINE_IDLES] = true,
	    [TIMELINE_STOPPED] = true,
	    [TIMELINE_PARKED] = true },
	  { [OFFCPU_INTERRUPTIBLE] = true, [OFFCPU_UNINTERRUPTIBLE] = true, [OFFCPU_STOPPED] = true, [OFFCPU_UNKNOWN] = true } },
};

int heatmap_option_state(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct heatmap_load *l = ctx;

	(void)negated;
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		if (arg ? strcmp(arg, states[i].name) != 0 : !states[i].option || strcmp(opt->long_name, states[i].option) != 0)
			continue;
		if (l->state && l->state != &states[i])
			return errbuf_set(eb, -EINVAL, "heatmap: %s and %s tasks are different pictures: choose one", l->state->name,
					  states[i].name);
		l->state = &states[i];
		return 0;
	}
	return errbuf_set(eb, -EINVAL, "--state: '%s' is none of running, runnable and blocked", arg);
}

struct states_reader {
	struct heatmap_load *l;
	struct input *in;
	struct sched_events events;
	struct timeline t;
	const struct session_record *sr; /* the one at hand: it ends spans */
	uint64_t nr_left_out;		 /* by the filters */
	uint64_t nr_off_cpu;		 /* samples of off-CPU time, in any state */
	bool knows_states;		 /* these have the state */
	bool is_full;
};

/* Of the task itself; CPU and time are those of the event. */
static bool keeps(struct states_reader *r, const struct task *task)
{
	const struct filter *f = &r->in->filter;
	struct profile *p = r->in->profile;

	return !filter_is_set(f) || (filter_keeps_sample(f, r->sr) && filter_keeps_task(f, p, profile_intern_task(p, task)));
}

static void take_span(void *ctx, uint32_t track, enum timeline_state state, uint64_t begin_ns, uint64_t end_ns)
{
	struct states_reader *r = ctx;
	const struct timeline_track *k = timeline_track(&r->t, track);

	if (!r->l->state->has[state] || k->is_idle || begin_ns == end_ns)
		return;
	if (!keeps(r, k->task))
		r->nr_left_out++;
	else if (!heat_add(r->l->heat, end_ns, end_ns - begin_ns))
		r->is_full = true;
}

static bool is_off_cpu(const struct states_reader *r, const struct session_record *sr)
{
	const struct perfdata_event *e = &r->l->recording->info->events.v[sr->event];

	return offcpu_is_event(&e->attr, e->name) && !r->events.has_kind[SCHED_SWITCH];
}

/* The period is the time, which ended when the sample was taken. */
static int add_off_cpu(struct states_reader *r, const struct session_record *sr, struct errbuf *eb)
{
	bool knows_state = r->l->recording->info->events.v[sr->event].attr.sample_type & SAMPLE_ADDR;
	const struct sample *s = &sr->rec.sample;

	r->nr_off_cpu++;
	r->knows_states |= knows_state;
	r->sr = sr;
	if (!r->l->state->has_off_cpu[knows_state ? offcpu_state_of(s->addr) : OFFCPU_UNKNOWN] || !s->period || !sr->task)
		return 0;
	if (!keeps(r, sr->task))
		r->nr_left_out++;
	else if (!heat_add(r->l->heat, sr->time_ns, s->period))
		return heatmap_too_many(eb);
	return 0;
}

/* A sample of wall's program. */
static int add_own(struct states_reader *r, const struct session_record *sr, struct errbuf *eb)
{
	struct timeline_step step;
	struct sched_event e;
	enum wall_class class;
	uint32_t waiting;

	r->sr = sr;
	if (timeline_read_own(&r->t, &r->events, sr, &e, &class, &waiting))
		timeline_add(&r->t, &e, &step);
	return r->is_full ? heatmap_too_many(eb) : 0;
}

static int add_sample(struct states_reader *r, const struct session_record *sr, struct errbuf *eb)
{
	struct timeline_step step;
	struct sched_event e;
	int ret;

	if (wall_events_is(r->l->recording, sr->event))
		return add_own(r, sr, eb);
	ret = timeline_read(&r->t, &r->events, sr, &e, eb);
	if (!ret && is_off_cpu(r, sr))
		return add_off_cpu(r, sr, eb);
	if (ret <= 0)
		return ret;
	if (e.kind == SCHED_SWITCH && !(r->l->recording->info->events.v[sr->event].attr.sample_type & SAMPLE_CPU))
		return errbuf_set(eb, -ENODATA, "%s does not say on which CPU a switch was; 'assay sched record' records that",
				  input_name(r->in));
	r->sr = sr;
	timeline_add(&r->t, &e, &step);
	return r->is_full ? heatmap_too_many(eb) : 0;
}

static int add_all(struct states_reader *r, struct errbuf *eb)
{
	struct session_record sr;
	int ret, err = 0;

	while (!err && (ret = input_next_recorded(r->in, &sr, eb)) > 0) {
		if (sr.header->type == RECORD_SAMPLE && sr.event >= 0)
			err = add_sample(r, &sr, eb);
		else
			timeline_take_record(&r->t, r->l->recording, &sr);
	}
	return err ? err : ret;
}

/* How many are in the state when the recording ends. */
static uint64_t count_open(const struct states_reader *r)
{
	uint64_t nr = 0;

	for (uint32_t i = 0; i < r->t.tracks.nr; i++)
		nr += r->t.tracks.v[i].is_seen && !r->t.tracks.v[i].is_idle && r->l->state->has[r->t.tracks.v[i].state];
	return nr;
}

/* Whether the recorder was asked to add up none. */
static bool has_each_wait(const struct perfdata_info *info)
{
	static const char option[] = "--off-cpu-thresh";

	for (uint32_t i = 0; i < info->nr_cmdline; i++) {
		const char *word = info->cmdline[i];

		if (strncmp(word, option, strlen(option)))
			continue;
		word += strlen(option);
		if (!*word && i + 1 < info->nr_cmdline)
			return !strcmp(info->cmdline[i + 1], "0");
		return !strcmp(word, "=0");
	}
	return false;
}

static void describe(struct states_reader *r)
{
	struct heatmap_load *l = r->l;
	bool has_wakes = r->t.has_waking || sched_events_has(&r->events, SCHED_WAKING) || sched_events_has(&r->events, SCHED_WAKEUP);
	struct out o;

	out_init(&o, -1);
	heatmap_put_number(&o, l->heat->points.nr, l->state->thing);
	out_printf(&o, " %s", l->state->of);
	heatmap_subtitle(l, &o);
	heatmap_note_states(l, l->state->thing, r->t.nr_gaps, count_open(r), has_wakes ? NULL : l->state->no_wakes);
	if (r->nr_off_cpu && !has_each_wait(l->recording->info))
		heatmap_note_sums(l);
	heatmap_note_filters(l, &r->in->filter, r->nr_left_out);
	l->advice = r->nr_left_out ? "nothing is left: --comms, --pid, --tid, --cpu, --time or --filter leave out all" : l->state->none;
}

const char *heatmap_state_thing(const struct heatmap_state *s)
{
	return s->thing;
}

const char *heatmap_state_things(const struct heatmap_state *s)
{
	return s->has[TIMELINE_RUNNING] ? "runs" : "waits";
}

/* There are no switches: do samples of off-CPU time serve instead? */
static int check_off_cpu(const struct states_reader *r, struct errbuf *eb)
{
	const bool *has = r->l->state->has_off_cpu;
	int err = r->nr_off_cpu ? 0 : input_damage(r->in, eb);

	if (err)
		return err;
	if (!r->nr_off_cpu)
		return errbuf_set(eb, -ENODATA, "%s has no events sched:sched_switch; 'assay sched record' records them",
				  input_name(r->in));
	if (has[OFFCPU_RUNNABLE] ? !r->knows_states : !has[OFFCPU_UNKNOWN])
		return errbuf_set(eb, -ENODATA,
				  "%s has samples of off-CPU time, which do not say when tasks were %s; 'assay sched record' records that",
				  input_name(r->in), r->l->state->name);
	return 0;
}

int heatmap_load_states(struct heatmap_load *l, struct input *in, struct errbuf *eb)
{
	struct states_reader r = { .l = l, .in = in, .events.recording = l->recording };
	int err;

	timeline_init(&r.t, &in->session->machine);
	r.t.see_span = take_span;
	r.t.see_span_ctx = &r;
	progress_init(&in->progress, "reading", in->session->source->total_bytes);
	err = add_all(&r, eb);
	progress_fini(&in->progress);
	if (!err && !r.t.nr_switches)
		err = check_off_cpu(&r, eb);
	if (!err) {
		sched_say_sampled(&r.events);
		sched_say_cpus(&r.events, &r.t);
		describe(&r);
	}
	sched_events_fini(&r.events);
	timeline_fini(&r.t);
	return err;
}
