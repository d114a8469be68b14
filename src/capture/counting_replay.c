/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A recording of counts, ours or perf's. Records fill the same `struct counts` that live counters fill, and the same sink takes it.
 */
#include "capture/counting.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/out.h"
#include "perfdata/reader.h"

#define CELLS_MAX (64u << 20) /* a file's maps multiply; more would be a damaged one */

struct replay {
	struct record_source *source;
	struct counting_replay *o;
	struct stat_config config;
	bool has_config;
	struct counts counts;
	bool started;
	VEC(int32_t) cpus; /* of the CPU map */
	VEC(struct stat_thread) threads;
	VEC(double) scales;		   /* by event; 0: none */
	VEC(bool) seen;			   /* by event: it was counted */
	uint64_t nr_intervals, nr_strange; /* counts of events, CPUs or threads that are not there */
	bool is_final, has_readings;
};

static void add_events(struct replay *r, const struct perfdata_info *info)
{
	for (uint32_t i = 0; i < info->events.nr; i++) {
		const struct perfdata_event *e = &info->events.v[i];
		struct counts_event ce = {
			.name = e->name,
			.unit = e->unit,
			.scale = i < r->scales.nr && r->scales.v[i] != 0 ? r->scales.v[i] : 1,
			.type = e->attr.type,
			.config = e->attr.config,
			.excluded = counting_excluded(e->attr.flags),
			.leader = i,
			.supported = i < r->seen.nr && r->seen.v[i],
		};

		counts_add_event(&r->counts, &ce);
	}
}

/* Everything that says what was counted stands before the first round's end. */
static int replay_start(struct replay *r, struct errbuf *eb)
{
	const struct perfdata_info *info = r->source->info;
	enum counts_aggr aggr = r->o->has_aggr ? r->o->aggr : counting_aggr_from_file(r->config.aggr);
	uint64_t cells = (uint64_t)(r->cpus.nr ? r->cpus.nr : 1) * (r->threads.nr ? r->threads.nr : 1);

	if (!info->events.nr || cells > CELLS_MAX / info->events.nr)
		return errbuf_set(eb, -EBADMSG, "%s names %u events, %u CPUs and %u threads: that is no recording of counts", r->o->path,
				  info->events.nr, r->cpus.nr, r->threads.nr);
	if (r->o->has_aggr && r->cpus.nr && r->cpus.v[0] < 0) {
		log_warn("%s was recorded of tasks wherever they ran: there are no CPUs to tell apart", r->o->path);
		aggr = COUNTS_GLOBAL;
	}
	counts_init(&r->counts, aggr);
	r->counts.no_scale = !r->config.scale;
	add_events(r, info);
	for (uint32_t i = 0; i < r->cpus.nr; i++) {
		struct counts_cpu c = counting_place_cpu(info, r->cpus.v[i]);

		counts_add_cpu(&r->counts, &c);
	}
	for (uint32_t i = 0; i < r->threads.nr; i++)
		counts_add_thread(&r->counts, (pid_t)r->threads.v[i].tid, r->threads.v[i].comm);
	counts_start(&r->counts);
	counts_begin_run(&r->counts);
	r->started = true;
	return 0;
}

static void note_seen(struct replay *r, uint32_t event)
{
	while (r->seen.nr <= event)
		vec_push(&r->seen, false);
	r->seen.v[event] = true;
	if (r->started)
		r->counts.events.v[event].supported = true;
}

static int32_t find_cpu(const struct replay *r, int32_t cpu)
{
	for (uint32_t i = 0; i < r->cpus.nr; i++)
		if (r->cpus.v[i] == cpu)
			return (int32_t)i;
	return r->cpus.nr ? -1 : 0;
}

static int take_count(struct replay *r, const struct record_header *h, struct errbuf *eb)
{
	struct stat_count c;
	int32_t cpu;
	int event, err = stat_count_decode(h, &c);

	if (err)
		return err;
	event = perfdata_info_find_event(r->source->info, c.id);
	cpu = find_cpu(r, c.cpu);
	/* In a pipe an event may be named behind the first counts: too late, it has no room. */
	if (event < 0 || cpu < 0 || c.thread >= (r->threads.nr ? r->threads.nr : 1) ||
	    (r->started && (uint32_t)event >= r->counts.events.nr)) {
		r->nr_strange++;
		return 0;
	}
	note_seen(r, (uint32_t)event);
	if (!r->started) {
		err = replay_start(r, eb);
		if (err)
			return err;
	}
	if (!r->has_readings)
		counts_begin_reading(&r->counts);
	r->has_readings = true;
	counts_put(&r->counts, (uint32_t)event, (uint32_t)cpu, c.thread, c.value, c.enabled, c.running);
	return 0;
}

static int give_total(struct replay *r)
{
	counts_end_run(&r->counts);
	counts_compute(&r->counts, COUNTS_TOTAL);
	return r->o->sink.total(r->o->sink.ctx, &r->counts);
}

static int take_round(struct replay *r, const struct record_header *h, struct errbuf *eb)
{
	struct stat_round round;
	int err = stat_round_decode(h, &round);

	if (!err && !r->started)
		err = replay_start(r, eb);
	if (err)
		return err;
	counts_put_times(&r->counts, round.time_ns, 0, 0);
	if (!r->has_readings) /* all of its counters failed */
		counts_begin_reading(&r->counts);
	r->has_readings = false;
	if (round.is_final) {
		r->is_final = true;
		return give_total(r);
	}
	counts_compute(&r->counts, COUNTS_INTERVAL);
	r->nr_intervals++;
	return r->o->sink.interval(r->o->sink.ctx, &r->counts, round.time_ns);
}

static void add_cpu(void *ctx, int32_t cpu)
{
	struct replay *r = ctx;

	vec_push(&r->cpus, cpu);
}

static int take_threads(struct replay *r, const struct record_header *h)
{
	int64_t nr = stat_threads_count(h);

	for (int64_t i = 0; i < nr; i++)
		stat_thread_get(h, (uint32_t)i, vec_add(&r->threads));
	return nr < 0 ? (int)nr : 0;
}

static int take_update(struct replay *r, const struct record_header *h)
{
	struct stat_update u;
	int event, err = stat_update_decode(h, &u);

	if (err || u.kind != STAT_UPDATE_SCALE)
		return err; /* units and names are the reader's */
	event = perfdata_info_find_event(r->source->info, u.id);
	if (event < 0)
		return 0;
	while (r->scales.nr <= (uint32_t)event)
		vec_push(&r->scales, 0);
	r->scales.v[event] = u.scale;
	return 0;
}

static int take_record(struct replay *r, const struct record_header *h, struct errbuf *eb)
{
	int err;

	switch (h->type) {
	case RECORD_STAT_CONFIG:
		err = stat_config_decode(h, &r->config);
		r->has_config = !err;
		r->o->has_intervals = r->config.interval_ms != 0;
		return err;
	case RECORD_CPU_MAP:
		return r->cpus.nr || r->started ? 0 : stat_cpus_decode(h, add_cpu, r);
	case RECORD_THREAD_MAP:
		return r->threads.nr || r->started ? 0 : take_threads(r, h);
	case RECORD_EVENT_UPDATE:
		return take_update(r, h);
	case RECORD_STAT:
		return take_count(r, h, eb);
	case RECORD_STAT_ROUND:
		return take_round(r, h, eb);
	default:
		return 0;
	}
}

static char *heading_of(const struct perfdata_info *info)
{
	struct out o;
	char *text;

	out_init(&o, -1);
	out_char(&o, '\'');
	if (info->pipe_mode)
		out_str(&o, "pipe");
	for (uint32_t i = 0; !info->pipe_mode && i < info->nr_cmdline; i++)
		out_printf(&o, "%s%s", i ? " " : "", info->cmdline[i]);
	out_str(&o, "'");
	out_char(&o, 0);
	text = mem_strdup(o.buf);
	out_fini(&o);
	return text;
}

static int read_all(struct replay *r, struct errbuf *eb)
{
	struct source_record rec;
	int n, err;

	while ((n = record_source_next(r->source, &rec, eb)) > 0) {
		err = take_record(r, rec.header, eb);
		if (err == -EBADMSG)
			return errbuf_set(eb, err, "%s is damaged at offset %" PRIu64 ": this is no whole record", r->o->path, rec.at);
		if (err)
			return err;
	}
	return n;
}

/* What was said about the file once all that can be shown was shown. */
static int finish(struct replay *r, struct errbuf *eb)
{
	const struct source_damage *d = r->source->damage;

	if (r->nr_strange)
		log_warn("%" PRIu64 " counts of events, CPUs or threads that %s does not name were left out", r->nr_strange, r->o->path);
	if (d->err)
		return errbuf_set(eb, d->err, "%s", d->text);
	if (!r->has_config && !r->started)
		return errbuf_set(eb, -EINVAL,
				  "%s holds no counts: it was not written by `stat record`. `assay report -i %s` shows samples", r->o->path,
				  r->o->path);
	return 0;
}

int counting_replay_run(struct counting_replay *o, struct errbuf *eb)
{
	struct replay r = { .o = o, .config = { .aggr = STAT_AGGR_GLOBAL, .scale = true } };
	int err = reader_open(&r.source, o->path, o->force ? READER_ANY_OWNER : READER_OWN_FILES, eb), done;
	char *heading;

	if (err)
		return err;
	o->heading = heading = heading_of(r.source->info);
	err = read_all(&r, eb);
	/* Cut off before its end: what was counted until then is better than nothing. */
	if (r.started && !r.is_final && !r.nr_intervals && r.has_readings)
		give_total(&r);
	done = finish(&r, err ? NULL : eb);
	err = err ? err : done;
	if (r.started)
		counts_fini(&r.counts);
	vec_fini(&r.cpus);
	vec_fini(&r.threads);
	vec_fini(&r.scales);
	vec_fini(&r.seen);
	free(heading);
	o->heading = NULL;
	record_source_close(r.source);
	return err;
}
