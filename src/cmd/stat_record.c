/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Connects the run's counts with the file of a recording: what the columns are, then each cell of
 * each reading. Times that we measure ourselves (duration_time) are written as counts, as perf has
 * them.
 */
#include "cmd/stat_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "capture/stat_file.h"
#include "cmd/stat_report.h"

struct stat_recording {
	struct stat_observer observer;
	struct stat_file *file;
	const char *path;
	const char **cmdline;
	uint32_t nr_cmdline;
	char exe[512];
};

/* What the columns are, in the file's terms. */
struct description {
	struct stat_file_event *events;
	int32_t *cpus;
	struct stat_thread *threads;
};

/* The event of the list that a row of the counts began with. */
static const struct event_spec *spec_of(const struct stat_run *r, uint32_t event)
{
	for (uint32_t i = 0; i < r->events.events.nr; i++)
		if (r->event_map[i] == event)
			return &r->events.events.v[i];
	return &r->events.events.v[0];
}

static void describe(struct description *d, const struct stat_run *r)
{
	const struct counts *c = &r->counts;

	d->events = mem_zalloc(((size_t)c->events.nr + 1) * sizeof(d->events[0]));
	d->cpus = mem_zalloc(((size_t)c->cpus.nr + 1) * sizeof(d->cpus[0]));
	d->threads = mem_zalloc(((size_t)c->threads.nr + 1) * sizeof(d->threads[0]));
	for (uint32_t i = 0; i < c->events.nr; i++) {
		const struct counts_event *e = &c->events.v[i];

		d->events[i] = (struct stat_file_event){ .attr = &spec_of(r, i)->attr,
							 .name = e->name,
							 .unit = e->unit,
							 .scale = e->scale,
							 .leader = e->leader,
							 .supported = e->supported || e->tool };
	}
	for (uint32_t i = 0; i < c->cpus.nr; i++)
		d->cpus[i] = c->cpus.v[i].cpu;
	for (uint32_t i = 0; i < c->threads.nr; i++) {
		d->threads[i].tid = c->threads.v[i].tid;
		if (c->threads.v[i].comm)
			snprintf(d->threads[i].comm, sizeof(d->threads[i].comm), "%s",
				 c->threads.v[i].comm);
	}
}

static int opened(void *ctx, struct stat_run *r, struct errbuf *eb)
{
	struct stat_recording *rec = ctx;
	const struct counts *c = &r->counts;
	struct stat_file_setup setup;
	struct description d;
	int err;

	if (rec->file)
		return 0;
	describe(&d, r);
	setup = (struct stat_file_setup){
		.path = rec->path,
		.cmdline = rec->cmdline,
		.nr_cmdline = rec->nr_cmdline,
		.events = d.events,
		.nr_events = c->events.nr,
		.cpus = d.cpus,
		.nr_cpus = c->cpus.nr,
		.threads = d.threads,
		.nr_threads = c->threads.nr,
		.config = { .aggr = stat_aggr_to_file(c->aggr),
			    .interval_ms = r->args->interval_ms,
			    .scale = !c->no_scale },
	};
	err = stat_file_open(&rec->file, &setup, eb);
	free(d.events);
	free(d.cpus);
	free(d.threads);
	return err;
}

static void add_tool_count(struct stat_recording *rec, const struct counts *c, uint32_t event)
{
	const struct counts_event *e = &c->events.v[event];
	uint64_t ns = e->tool == COUNTS_DURATION_TIME ? c->elapsed_ns
		      : e->tool == COUNTS_USER_TIME   ? c->user_ns
						      : c->system_ns;

	if (!e->has_no_times)
		stat_file_add(rec->file, event, c->cpus.v[0].cpu, 0, ns, ns, ns);
}

static int reading(void *ctx, struct stat_run *r, uint64_t time_ns, bool is_last, struct errbuf *eb)
{
	struct stat_recording *rec = ctx;
	struct counts *c = &r->counts;

	for (uint32_t e = 0; e < c->events.nr; e++) {
		if (c->events.v[e].tool)
			add_tool_count(rec, c, e);
		for (uint32_t cpu = 0; cpu < c->cpus.nr; cpu++) {
			for (uint32_t t = 0; t < c->threads.nr; t++) {
				const struct counts_cell *cell =
					counts_cell_at(c, c->now, e, cpu, t);

				if (cell->present)
					stat_file_add(rec->file, e, c->cpus.v[cpu].cpu, t,
						      cell->value, cell->enabled, cell->running);
			}
		}
	}
	/* With -I the last part of an interval is one, too; perf has no final round there. */
	return stat_file_end_round(rec->file, time_ns, is_last && !r->args->interval_ms, eb);
}

struct stat_recording *stat_recording_new(const char *path, int argc, char **argv)
{
	struct stat_recording *rec = mem_zalloc(sizeof(*rec));
	ssize_t len = readlink("/proc/self/exe", rec->exe, sizeof(rec->exe) - 1);

	rec->exe[len > 0 ? len : 0] = 0;
	rec->path = path;
	rec->cmdline = mem_alloc(((size_t)argc + 2) * sizeof(rec->cmdline[0]));
	rec->cmdline[rec->nr_cmdline++] = len > 0 ? rec->exe : "assay";
	for (int i = 0; i < argc; i++)
		rec->cmdline[rec->nr_cmdline++] = argv[i];
	rec->observer = (struct stat_observer){ .opened = opened, .reading = reading, .ctx = rec };
	return rec;
}

const struct stat_observer *stat_recording_observer(const struct stat_recording *rec)
{
	return &rec->observer;
}

int stat_recording_finish(struct stat_recording *rec, struct errbuf *eb)
{
	return rec->file ? stat_file_finish(rec->file, eb) : 0;
}

void stat_recording_free(struct stat_recording *rec)
{
	if (!rec)
		return;
	stat_file_close(rec->file);
	free(rec->cmdline);
	free(rec);
}
