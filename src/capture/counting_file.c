/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Ids of events are their index plus one: readers need them to be different, and nothing else. Times that we measure ourselves
 * (duration_time) are written as counts, as perf does.
 */
#include "capture/counting.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "capture/header_info.h"
#include "capture/output.h"
#include "perfdata/writer.h"

struct counting_file {
	struct output output;
	struct perfdata_info info;
	struct writer *writer;
	struct out records; /* of the reading at work */
};

/* Our end of a pipe may be non-blocking: wait for its reader, as long as there is one. */
static int wait_for_reader(void *ctx, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	(void)ctx;
	for (;;) {
		int n = poll(&p, 1, -1);

		if (n > 0)
			return p.revents & (POLLERR | POLLNVAL) ? -EPIPE : 0;
		if (n < 0 && errno != EINTR)
			return -errno;
	}
}

static const struct {
	enum stat_aggr file;
	enum counts_aggr model;
} modes[] = {
	{ STAT_AGGR_NONE, COUNTS_PER_CPU }, { STAT_AGGR_GLOBAL, COUNTS_GLOBAL }, { STAT_AGGR_SOCKET, COUNTS_PER_SOCKET },
	{ STAT_AGGR_DIE, COUNTS_PER_DIE },  { STAT_AGGR_CORE, COUNTS_PER_CORE }, { STAT_AGGR_THREAD, COUNTS_PER_THREAD },
	{ STAT_AGGR_UNSET, COUNTS_GLOBAL }, { STAT_AGGR_NODE, COUNTS_PER_NODE },
};
#define NR_MODES (sizeof(modes) / sizeof(modes[0]))

static enum stat_aggr aggr_to_file(enum counts_aggr aggr)
{
	for (size_t i = 0; i < NR_MODES; i++)
		if (modes[i].model == aggr)
			return modes[i].file;
	return STAT_AGGR_GLOBAL;
}

enum counts_aggr counting_aggr_from_file(enum stat_aggr aggr)
{
	for (size_t i = 0; i < NR_MODES; i++)
		if (modes[i].file == aggr)
			return modes[i].model;
	return COUNTS_GLOBAL;
}

/* The event of the list that a row of the counts began with. */
static const struct event_spec *spec_of(const struct counting *r, uint32_t event)
{
	for (uint32_t i = 0; i < r->events.events.nr; i++)
		if (r->event_map[i] == event)
			return &r->events.events.v[i];
	return &r->events.events.v[0];
}

static bool is_supported(const struct counts_event *e)
{
	return e->supported || e->tool;
}

static void set_events(struct perfdata_info *info, const struct counting *r)
{
	for (uint32_t i = 0; i < r->counts.events.nr; i++) {
		const struct counts_event *ce = &r->counts.events.v[i];
		struct perfdata_event e = { .attr = spec_of(r, i)->attr, .name = arena_str(&info->arena, ce->name, strlen(ce->name)) };

		/* Readers recognise counting events by it, as perf sets it. */
		e.attr.sample_type = SAMPLE_IDENTIFIER;
		e.layout = sample_layout_of(&e.attr);
		e.ids = arena_alloc(&info->arena, sizeof(e.ids[0]));
		e.ids[0] = i + 1;
		e.nr_ids = is_supported(ce);
		vec_push(&info->events, e);
	}
	info->features |= 1ULL << FEAT_EVENT_DESC;
}

static void set_groups(struct perfdata_info *info, const struct counts *c)
{
	for (uint32_t i = 0; i < c->events.nr;) {
		uint32_t nr = 1;

		while (i + nr < c->events.nr && c->events.v[i + nr].leader == i)
			nr++;
		if (nr > 1)
			vec_push(&info->groups, ((struct perfdata_group){ "", i, nr }));
		i += nr;
	}
	if (info->groups.nr)
		info->features |= 1ULL << FEAT_GROUP_DESC;
}

static void put_updates(struct counting_file *f, const struct counts *c)
{
	for (uint32_t i = 0; i < c->events.nr; i++) {
		const struct counts_event *e = &c->events.v[i];
		struct stat_update u = { .id = i + 1 };

		if (!is_supported(e))
			continue;
		if (e->unit && e->unit[0]) {
			u.kind = STAT_UPDATE_UNIT;
			u.text = e->unit;
			stat_update_encode(&f->records, &u);
		}
		if (e->scale != 1.0) {
			u.kind = STAT_UPDATE_SCALE;
			u.scale = e->scale;
			stat_update_encode(&f->records, &u);
		}
	}
}

static int put_threads(struct counting_file *f, const struct counts *c, struct errbuf *eb)
{
	struct stat_thread *threads = mem_zalloc(((size_t)c->threads.nr + 1) * sizeof(*threads));
	int err;

	for (uint32_t i = 0; i < c->threads.nr; i++) {
		threads[i].tid = c->threads.v[i].tid;
		if (c->threads.v[i].comm)
			snprintf(threads[i].comm, sizeof(threads[i].comm), "%s", c->threads.v[i].comm);
	}
	err = stat_threads_encode(&f->records, threads, c->threads.nr);
	free(threads);
	if (err)
		return errbuf_set(eb, err, "%u threads do not fit in a recording of counts: name fewer, or leave --per-thread out",
				  c->threads.nr);
	return 0;
}

static int put_cpus(struct counting_file *f, const struct counts *c, struct errbuf *eb)
{
	int32_t *cpus = mem_zalloc(((size_t)c->cpus.nr + 1) * sizeof(*cpus));
	int err;

	for (uint32_t i = 0; i < c->cpus.nr; i++)
		cpus[i] = c->cpus.v[i].cpu;
	err = stat_cpus_encode(&f->records, cpus, c->cpus.nr);
	free(cpus);
	if (err)
		return errbuf_set(eb, err, "%u CPUs do not fit in a recording of counts", c->cpus.nr);
	return 0;
}

static int put_start(struct counting_file *f, const struct counting *r, struct errbuf *eb)
{
	const struct counts *c = &r->counts;
	struct stat_config config = { aggr_to_file(c->aggr), r->o->interval_ms, !c->no_scale };
	int err;

	put_updates(f, c);
	err = put_threads(f, c, eb);
	if (!err)
		err = put_cpus(f, c, eb);
	if (!err)
		stat_config_encode(&f->records, &config);
	return err;
}

int counting_file_open(struct counting_file **out, const struct counting *r, struct errbuf *eb)
{
	struct writer_options wo = { .wait = wait_for_reader };
	struct counting_file *f = mem_zalloc(sizeof(*f));
	int err;

	*out = f;
	out_init(&f->records, -1);
	perfdata_info_init(&f->info);
	err = output_open(&f->output, r->o->record_path, false, eb);
	if (err)
		goto fail;
	header_info_set_host(&f->info);
	set_events(&f->info, r);
	set_groups(&f->info, &r->counts);
	header_info_set_options(&f->info, &r->o->target);
	f->info.features |= 1ULL << FEAT_STAT;
	wo.pipe_mode = f->output.is_pipe;
	err = put_start(f, r, eb);
	if (!err)
		err = writer_open(&f->writer, f->output.fd, &wo, &f->info, eb);
	if (err)
		goto fail;
	output_commit(&f->output);
	return 0;
fail:
	counting_file_close(f);
	*out = NULL;
	return err;
}

/* One count of a reading: a running total. */
static void put_count(struct counting_file *f, uint32_t event, int32_t cpu, uint32_t thread, const struct counts_cell *cell)
{
	if (cell->present)
		stat_count_encode(&f->records, &(struct stat_count){ .id = event + 1,
								     .cpu = cpu,
								     .thread = thread,
								     .value = cell->value,
								     .enabled = cell->enabled,
								     .running = cell->running });
}

static struct counts_cell tool_count(const struct counts *c, const struct counts_event *e)
{
	uint64_t ns = e->tool == COUNTS_DURATION_TIME ? c->elapsed_ns : e->tool == COUNTS_USER_TIME ? c->user_ns : c->system_ns;

	return (struct counts_cell){ ns, ns, ns, e->tool && !e->has_no_times };
}

static int write_failed(const struct counting_file *f, int err, struct errbuf *eb)
{
	if (err)
		errbuf_set(eb, err, "cannot write to %s: %s", f->output.path, strerror(-err));
	return err;
}

int counting_file_add(struct counting_file *f, const struct counts *c, uint64_t time_ns, bool is_final, struct errbuf *eb)
{
	int err;

	for (uint32_t e = 0; e < c->events.nr; e++) {
		struct counts_cell tool = tool_count(c, &c->events.v[e]);

		put_count(f, e, c->cpus.v[0].cpu, 0, &tool);
		for (uint32_t cpu = 0; cpu < c->cpus.nr; cpu++)
			for (uint32_t t = 0; t < c->threads.nr; t++)
				put_count(f, e, c->cpus.v[cpu].cpu, t, counts_cell_at(c, c->now, e, cpu, t));
	}
	stat_round_encode(&f->records, &(struct stat_round){ is_final, time_ns });
	err = writer_append(f->writer, f->records.buf, f->records.len, false);
	f->records.len = 0;
	if (!err)
		err = writer_sync(f->writer);
	return write_failed(f, err, eb);
}

int counting_file_finish(struct counting_file *f, struct errbuf *eb)
{
	int err = 0;

	if (f->records.len) /* no round was ever ended */
		err = writer_append(f->writer, f->records.buf, f->records.len, false);
	f->records.len = 0;
	if (!err)
		err = writer_finish(f->writer, &f->info, eb);
	return write_failed(f, err, eb);
}

void counting_file_close(struct counting_file *f)
{
	if (!f)
		return;
	writer_free(f->writer);
	output_close(&f->output);
	perfdata_info_fini(&f->info);
	out_fini(&f->records);
	free(f);
}
