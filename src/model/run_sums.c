/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Runs, cut to a window, and their sums.
 */
#include "model/run_sums.h"

#include <math.h>

bool run_init(struct run *r, const struct timeline *t, const struct sched_event *e, const struct timeline_step *step, uint64_t from_ns,
	      uint64_t to_ns)
{
	const struct timeline_track *k = timeline_track(t, step->from);
	uint64_t begin_ns = step->run_begin_ns > from_ns ? step->run_begin_ns : from_ns;
	uint64_t end_ns = e->time_ns < to_ns ? e->time_ns : to_ns;

	if (e->time_ns < from_ns || (!step->is_first && begin_ns > to_ns) || (step->is_first && e->time_ns > to_ns))
		return false;
	*r = (struct run){
		.track = step->from,
		.end_ns = end_ns,
		.run_ns = step->is_run_known && end_ns > begin_ns ? end_ns - begin_ns : 0,
		.is_run_known = step->is_run_known || step->is_first,
		.wait_ns = k->wait_ns,
		.is_wait_known = k->is_wait_known,
		.delay_ns = k->delay_ns,
		.is_delay_known = k->is_delay_known,
		.migration_ns = k->migration_ns,
		.left = k->left,
	};
	return true;
}

void run_sums_fini(struct run_sums *s)
{
	vec_fini(&s->v);
}

static struct run_sum *sum_of(struct run_sums *s, uint32_t track)
{
	while (s->v.nr <= track)
		vec_push(&s->v, (struct run_sum){ 0 });
	return &s->v.v[track];
}

static void add_time(struct run_sum *sum, uint64_t run_ns)
{
	double distance = (double)run_ns - sum->mean;

	if (!sum->nr || run_ns < sum->min_ns)
		sum->min_ns = run_ns;
	if (run_ns > sum->max_ns)
		sum->max_ns = run_ns;
	sum->nr++;
	sum->total_ns += run_ns;
	sum->mean += distance / (double)sum->nr;
	sum->squares += distance * ((double)run_ns - sum->mean);
}

void run_sums_add(struct run_sums *s, uint32_t track, const struct run *r)
{
	struct run_sum *sum = sum_of(s, track);

	if (!r->is_run_known) {
		sum->nr_unknown++;
		return;
	}
	add_time(sum, r->run_ns);
	if (r->is_wait_known && r->left == TIMELINE_WAITS)
		sum->disk_ns += r->wait_ns;
	else if (r->is_wait_known && r->left == TIMELINE_PREEMPTED)
		sum->preempted_ns += r->wait_ns;
	else if (r->is_wait_known)
		sum->sleep_ns += r->wait_ns;
	if (r->is_delay_known && r->left != TIMELINE_PREEMPTED)
		sum->delay_ns += r->delay_ns;
}

void run_sums_add_migration(struct run_sums *s, uint32_t track)
{
	sum_of(s, track)->nr_migrations++;
}

double run_sum_spread(const struct run_sum *s)
{
	double nr = (double)s->nr;

	return s->nr > 1 && s->mean > 0 ? 100 * sqrt(s->squares / (nr - 1) / nr) / s->mean : 0;
}
