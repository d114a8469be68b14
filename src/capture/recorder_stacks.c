/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Stacks of a recording: how large the rings must be for them, the stage that unwinds them, the attrs that the file has for them, and what
 * the summary says about how complete they are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "capture/recorder.h"
#include "capture/unwind_stream.h"
#include "kernel/sysctl.h"

#define RING_MIN_BYTES (4ull << 20)
#define RING_MAX_BYTES (32ull << 20)
#define RING_BURST_BYTES (32ull << 20) /* where every occurrence counts: thousands at once */
#define RINGS_MAX_BYTES (1ull << 30)   /* of all CPUs together */
#define RING_HOLDS_MS 200ull	       /* of samples at full rate: busy moments are as long */

/* Of the first event that has some; 0: none has. */
static uint32_t dump_size(const struct recorder *r)
{
	const struct event_list *l = &r->o->events;

	for (uint32_t i = 0; i < l->events.nr; i++)
		if (l->events.v[i].attr.sample_type & SAMPLE_STACK_USER)
			return l->events.v[i].attr.sample_stack_user;
	for (const struct record_feed *feed = r->drain.feed; feed; feed = feed->next)
		if (feed->attr.sample_stack_user)
			return feed->attr.sample_stack_user;
	return 0;
}

bool recorder_has_stacks(const struct recorder *r)
{
	return dump_size(r) || ((r->o->syscalls || r->o->off_cpu) && r->o->config.callgraph == CALLGRAPH_DWARF);
}

static uint64_t dumped_at_most(const struct recorder *r, const struct event_spec *spec)
{
	return stack_growth_is_possible(spec) && !r->o->config.stack_user_size && !r->o->keep_stacks ? DUMP_LARGE
												     : spec->attr.sample_stack_user;
}

const char *recorder_loss_remedy(const struct recorder *r)
{
	const struct event_list *l = &r->o->events;
	bool by_rate = false, by_count = false;

	for (uint32_t i = 0; i < l->events.nr; i++) {
		const struct attr *a = &l->events.v[i].attr;

		if (attr_is_dummy(a))
			continue;
		by_rate |= !!(a->flags & ATTR_FREQ);
		by_count |= !(a->flags & ATTR_FREQ);
	}
	if (recorder_has_stacks(r))
		return by_count ? "enlarge them with -m, dump less of each stack with --call-graph "
				  "dwarf,SIZE, or sample every N-th occurrence only with -c N"
				: "enlarge them with -m, dump less of each stack with --call-graph dwarf,SIZE, or lower the rate with -F";
	return by_count && !by_rate ? "enlarge them with -m, or sample every N-th occurrence only with -c N"
				    : "enlarge them with -m, or lower the rate with -F";
}

void recorder_size_rings(struct recorder *r)
{
	const struct event_list *l = &r->o->events;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), bytes = 0, size = RING_MIN_BYTES;
	uint64_t max = RING_MAX_BYTES;

	if (r->o->ring_pages || !recorder_has_stacks(r))
		return;
	for (uint32_t i = 0; i < l->events.nr; i++) {
		const struct attr *a = &l->events.v[i].attr;

		if (!(a->sample_type & SAMPLE_STACK_USER) || attr_is_dummy(a))
			continue;
		/* How many of these come at once is not known. */
		if (!(a->flags & ATTR_FREQ)) {
			bytes = max = RING_BURST_BYTES;
			continue;
		}
		bytes += a->sample_period * (dumped_at_most(r, &l->events.v[i]) + 512ull) * RING_HOLDS_MS / 1000;
	}
	while (size < bytes && size < max)
		size *= 2;
	while (size > RING_MIN_BYTES / 8 && size * r->target.cpus.cpus.nr > RINGS_MAX_BYTES)
		size /= 2;
	r->own_ring_size = true;
	r->o->ring_pages = (uint32_t)(size / page);
}

static uint64_t plan_dumps(struct recorder *r, uint32_t ring_pages)
{
	stack_growth_plan(&r->growth, &r->o->events, &r->o->config, r->all_cpus.tasks.ids.nr ? &r->all_cpus : &r->target,
			  (uint64_t)ring_pages * (uint64_t)sysconf(_SC_PAGESIZE));
	return r->growth.large;
}

void recorder_plan_dumps(struct recorder *r)
{
	plan_dumps(r, r->o->ring_pages ? r->o->ring_pages : ring_default_pages());
}

bool recorder_replan_dumps(struct recorder *r)
{
	uint32_t large = r->growth.large;

	return r->fds.ring_pages < r->fds.ring_pages_wished && plan_dumps(r, r->fds.ring_pages) != large;
}

/* Beside the output; for a pipe, where large temporary files go. */
static char *spool_dir_of(const char *output)
{
	const char *slash = strrchr(output, '/');

	if (output_is_stdout(output))
		return mem_strdup("/var/tmp");
	if (!slash)
		return mem_strdup(".");
	return slash == output ? mem_strdup("/") : mem_strndup(output, (size_t)(slash - output));
}

/* What the file says of an event: the largest dumps that it may have had, wherever recording started. */
static void set_in_file(const struct recorder *r, uint32_t event, struct attr *a)
{
	if (event < r->o->events.events.nr && r->growth.large && stack_growth_is_possible(&r->o->events.events.v[event]))
		a->sample_stack_user = r->growth.large;
	unwound_attr(a);
}

static void introduce_events(struct recorder *r)
{
	struct unwind_stream *stream = &r->stage->stream;
	const struct event_list *l = &r->o->events;
	uint32_t nr = l->events.nr;

	for (uint32_t i = 0; i < l->events.nr; i++) {
		struct attr in_file = l->events.v[i].attr;

		set_in_file(r, i, &in_file);
		unwind_stream_add_event(stream, &l->events.v[i].attr, &in_file);
	}
	for (const struct record_feed *feed = r->drain.feed; feed; feed = feed->next)
		for (uint32_t i = 0; i <= feed->nr_more; i++) {
			const struct attr *attr = i ? &feed->more[i - 1].attr : &feed->attr;
			uint64_t id = i ? feed->more[i - 1].event_id : feed->event_id;
			struct attr in_file = *attr;

			unwound_attr(&in_file);
			unwind_stream_add_event(stream, attr, &in_file);
			unwind_stream_add_id(stream, id, id, nr++);
		}
	/* Records of the tracker have the id of the first event. */
	for (uint32_t i = 0; i < r->fds.fds.nr; i++) {
		const struct event_fd *f = &r->fds.fds.v[i];

		if (f->fd >= 0)
			unwind_stream_add_id(stream, f->id, f->id, f->event < l->events.nr ? f->event : 0);
	}
	for (uint32_t i = 0; i < r->growth.twins.nr; i++) {
		const struct event_twin *t = &r->growth.twins.v[i];

		unwind_stream_add_id(stream, t->id, t->original_id, t->event);
	}
}

int recorder_start_stage(struct recorder *r)
{
	struct unwind_stage_options o = { .wake_fd = r->drain.wake_fd };

	if (r->o->keep_stacks || !recorder_has_stacks(r))
		return 0;
	stack_growth_open(&r->growth, &r->fds, !r->o->delay.given);
	r->spool_dir = spool_dir_of(r->o->output);
	o.spool_dir = r->spool_dir;
	o.growth = r->growth.twins.nr ? &r->growth : NULL;
	r->stage = unwind_stage_new(&o);
	introduce_events(r);
	r->drain.stage = r->stage;
	r->drain.growth = &r->growth;
	r->stage->stream.session->machine.known_file = mapped_files_find;
	r->stage->stream.session->machine.known_file_ctx = &r->files;
	return unwind_stage_start(r->stage, r->eb);
}

void recorder_fini_stage(struct recorder *r)
{
	unwind_stage_free(r->stage);
	stack_growth_close(&r->growth);
	free(r->spool_dir);
	r->stage = NULL;
	r->spool_dir = NULL;
}

void recorder_set_unwound(const struct recorder *r, struct perfdata_info *info)
{
	for (uint32_t i = 0; i < info->events.nr; i++) {
		set_in_file(r, i, &info->events.v[i].attr);
		info->events.v[i].layout = sample_layout_of(&info->events.v[i].attr);
	}
}

uint64_t recorder_count_unwritten(const struct recorder *r)
{
	if (!r->stage)
		return 0;
	return r->stage->queue.nr_unreadable + unwind_stream_count_malformed(&r->stage->stream);
}

/* Chains by frame pointers: watched where their length stands in one place for all events. */
void recorder_watch_chains(struct recorder *r)
{
	const uint64_t before = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ADDR | SAMPLE_ID | SAMPLE_STREAM_ID |
				SAMPLE_CPU | SAMPLE_PERIOD;
	const struct event_list *l = &r->o->events;
	uint64_t type = l->events.v[0].attr.sample_type;

	if (r->o->syscalls || r->o->off_cpu)
		return;
	for (uint32_t i = 0; i < l->events.nr; i++) {
		const struct attr *a = &l->events.v[i].attr;

		if (attr_is_dummy(a))
			continue;
		/* With a depth of its own it was meant to be cut. */
		if (!(a->sample_type & SAMPLE_CALLCHAIN) || a->sample_max_stack || a->sample_type & (SAMPLE_READ | SAMPLE_STACK_USER) ||
		    (a->sample_type & before) != (type & before))
			return;
	}
	tally_watch_chains(&r->tally, 8 * __builtin_popcountll(type & before), sysctl_max_stack());
}

static void tell_full_chains(const struct recorder *r)
{
	const struct tally *t = &r->tally;

	if (!t->nr_full_chains)
		return;
	log_warn("%llu of %llu call chains are cut at the %u frames that kernel.perf_event_max_stack allows; before recording again: 'sudo "
		 "sysctl kernel.perf_event_max_stack=%u' (it cannot be changed while call chains are recorded)",
		 (unsigned long long)t->nr_full_chains, (unsigned long long)t->nr_samples, t->max_chain,
		 t->max_chain < 1024 ? 1024 : t->max_chain * 2);
}

/* The stacks that were cut: what would have helped. */
static void tell_growth(const struct recorder *r, uint64_t nr, uint64_t nr_small, uint64_t nr_large)
{
	const struct dump_policy *p = &r->growth.policy;
	bool is_given_up = p->nr_over_budget || p->nr_over_ring;

	if (r->growth.large && (p->nr_grown || is_given_up || p->nr_wasteful))
		log_info("dumps of %u bytes: given up %llu times for their bandwidth, %llu times for want of room in a ring, %llu "
			 "times for want of use; taken up %llu times",
			 r->growth.large, (unsigned long long)p->nr_over_budget, (unsigned long long)p->nr_over_ring,
			 (unsigned long long)p->nr_wasteful, (unsigned long long)p->nr_grown);
	if ((nr_small + nr_large) * 100 < nr)
		return;
	if (is_given_up && nr_small >= nr_large)
		log_warn("%.1f%% of the stacks are larger than the %u bytes that were dumped of them, and larger dumps at this rate "
			 "exceed %s: lower the rate with -F",
			 100.0 * (double)nr_small / (double)nr, DUMP_SMALL,
			 p->nr_over_budget ? "256 MB a second on a CPU" : "what the rings hold");
	else if (r->growth.large && r->growth.large < DUMP_LARGE)
		log_warn("%.1f%% of the stacks are larger than the %u bytes that the rings have room for at this rate: lower it with -F%s",
			 100.0 * (double)(nr_small + nr_large) / (double)nr, r->growth.large,
			 r->fds.ring_pages < r->fds.ring_pages_wished
				 ? ", or raise the limit of locked memory (kernel.perf_event_mlock_kb, 'ulimit -l')"
				 : "");
	else if (!r->growth.large && dump_size(r) < DUMP_LARGE)
		log_warn("%.1f%% of the stacks are larger than what was dumped of them: use --call-graph dwarf,%u",
			 100.0 * (double)(nr_small + nr_large) / (double)nr, DUMP_LARGE);
}

static void tell_spool(const struct recorder *r)
{
	const struct unwind_queue *q = &r->stage->queue;

	if (q->spooled_bytes)
		log_info("%llu MB of stacks were spooled to %s%s until they could be unwound", (unsigned long long)q->spooled_bytes >> 20,
			 q->spools[0].total ? r->spool_dir : "/var/tmp", q->spools[0].total && q->spools[1].total ? " and /var/tmp" : "");
	if (q->spool_err)
		log_warn("stacks that wait to be unwound could be spooled neither to %s nor to /var/tmp (%s; a tenth of the disk stays "
			 "free, and 64 MB): they waited in memory and in the rings; make room there, or record elsewhere with -o",
			 r->spool_dir, strerror(-q->spool_err));
	if (q->nr_unreadable)
		log_warn("%llu samples that were spooled to %s or /var/tmp could not be read back: %s",
			 (unsigned long long)q->nr_unreadable, r->spool_dir, strerror(-q->unreadable_err));
}

/* ", 12 truncated at 8192 bytes and 3 at 65528" */
static void format_truncated(const struct recorder *r, uint64_t nr_small, uint64_t nr_large, char *text, size_t size)
{
	uint32_t small = r->growth.large ? DUMP_SMALL : dump_size(r);
	uint32_t large = r->growth.large ? r->growth.large : dump_size(r);

	if (nr_small && nr_large)
		snprintf(text, size, ", %llu truncated at %u bytes and %llu at %u", (unsigned long long)nr_small, small,
			 (unsigned long long)nr_large, large);
	else if (nr_small || nr_large)
		snprintf(text, size, ", %llu truncated at %u bytes", (unsigned long long)(nr_small + nr_large), nr_large ? large : small);
}

/* Their dumps are smaller, and advice of their own says what to do. */
static void format_cut_by_bpf(const struct recorder *r, uint64_t nr, char *text, size_t size)
{
	if (nr)
		snprintf(text, size, ", %llu truncated %s", (unsigned long long)nr,
			 !r->o->syscalls  ? "where threads wait"
			 : !r->o->off_cpu ? "in system calls"
					  : "in system calls and where threads wait");
}

/* Of what is in the file. Said where less than all is well. */
static void tell_completeness(const struct recorder *r)
{
	const struct unwind_counts *st = &r->drain.counts;
	uint64_t nr_small = st->nr_ends[UNWIND_SMALL_DUMP], nr_large = st->nr_ends[UNWIND_TRUNCATED] - st->nr_cut_by_bpf, nr = 0;
	uint64_t nr_complete = st->nr_ends[UNWIND_COMPLETE] - st->nr_guessed;
	char truncated[120] = "", by_bpf[96] = "", guessed[32] = "";

	for (int i = 0; i < UNWIND_NR_ENDS; i++) {
		/* In the middle of an exec nothing is missing. */
		nr += i == UNWIND_NO_STACK ? 0 : st->nr_ends[i];
		if (st->nr_ends[i])
			log_info("stacks: %llu %s", (unsigned long long)st->nr_ends[i], unwind_end_name((enum unwind_end)i));
	}
	if (!nr || (!nr_small && !nr_large && !st->nr_cut_by_bpf && nr_complete * 100 >= nr * 99))
		return;
	format_truncated(r, nr_small, nr_large, truncated, sizeof(truncated));
	format_cut_by_bpf(r, st->nr_cut_by_bpf, by_bpf, sizeof(by_bpf));
	if (st->nr_guessed)
		snprintf(guessed, sizeof(guessed), ", %.1f%% guessed", 100.0 * (double)st->nr_guessed / (double)nr);
	fprintf(stderr, "[ assay record: %llu stacks, %.1f%% complete%s%s%s ]\n", (unsigned long long)nr,
		100.0 * (double)nr_complete / (double)nr, guessed, truncated, by_bpf);
	tell_growth(r, nr, nr_small, nr_large);
}

void recorder_tell_stacks(const struct recorder *r)
{
	tell_full_chains(r);
	if (!r->stage)
		return;
	tell_completeness(r);
	tell_spool(r);
	if (r->stage->stream.session->intake.order.nr_late)
		log_info("%llu records came too late for their place in time",
			 (unsigned long long)r->stage->stream.session->intake.order.nr_late);
	if (r->stage->stream.source.nr_damaged)
		log_warn("%llu times the rings held what is no record; what followed was left out",
			 (unsigned long long)r->stage->stream.source.nr_damaged);
}
