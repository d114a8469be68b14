/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Builds the opening records of a perf.data and the closing ones about losses. Times and ids of synthesised records are zero, which readers
 * take as "before everything else".
 */
#include "capture/synthesis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/record.h"
#include "base/mem.h"
#include "capture/run_loop.h"
#include "kernel/proc_scan.h"
#include "perfdata/stat_record.h"

#define BUF_SIZE (256 * 1024)
#define RECORD_MAX (UINT16_MAX & ~7u)

static int flush(struct synthesis *s)
{
	int err = s->used ? s->sink.records(s->sink.ctx, s->buf, s->used) : 0;

	s->used = 0;
	return err;
}

/* Room for a record of any size; NULL and *err where the sink failed. */
static uint8_t *room(struct synthesis *s, int *err)
{
	*err = BUF_SIZE - s->used < RECORD_MAX ? flush(s) : 0;
	return *err ? NULL : s->buf + s->used;
}

static int put(struct synthesis *s, const void *record, size_t size)
{
	int err;
	uint8_t *p = room(s, &err);

	if (p) {
		memcpy(p, record, size);
		s->used += size;
	}
	return err;
}

/* Sink of the scans. */
static int put_record(void *ctx, const struct record *rec)
{
	struct synthesis *s = ctx;
	struct record_header header;
	struct record mapped;
	int64_t size;
	uint8_t *p;
	int err = s->sink.tick && rec->header->type == RECORD_COMM ? s->sink.tick(s->sink.ctx) : 0;

	if (err)
		return err;
	p = room(s, &err);
	if (!p)
		return err;
	if (s->files && rec->header->type == RECORD_MMAP2) {
		mapped = *rec;
		header = *rec->header;
		mapped.header = &header;
		mapped_files_identify(s->files, &mapped, &header, s->build_ids);
		rec = &mapped;
	}
	size = record_encode(rec, &s->layout, p, RECORD_MAX);
	/* A name too long for a record is left out, not the rest of the scan. */
	if (size > 0)
		s->used += (size_t)size;
	return 0;
}

static int put_time_conv(struct synthesis *s)
{
	struct {
		struct record_header header;
		struct ring_time_conv tc;
	} r = { .header = { RECORD_TIME_CONV, 0, sizeof(r) } };

	return ring_time_conv(&s->fds->rings[0], &r.tc) ? put(s, &r, sizeof(r)) : 0;
}

struct id_entry {
	uint64_t id, idx, cpu, tid;
};

struct id_index {
	struct record_header header;
	uint64_t nr;
	struct id_entry entries[(RECORD_MAX - 16) / sizeof(struct id_entry)];
};

#define ID_INDEX_MAX (sizeof(((struct id_index *)0)->entries) / sizeof(struct id_entry))

static int put_id_chunk(struct synthesis *s, struct id_index *r)
{
	r->header.size = (uint16_t)(16 + r->nr * sizeof(r->entries[0]));
	return put(s, r, r->header.size);
}

static int put_id_index(struct synthesis *s)
{
	const struct target *t = s->target;
	const struct event_fds *fds = s->fds;
	uint32_t nr = fds->first[fds->list->events.nr];
	struct id_index *r = mem_zalloc(sizeof(*r));
	int err = 0;

	/* As perf has it: the tracker, which it does not have, never samples. */
	r->header.type = RECORD_ID_INDEX;
	for (uint32_t i = 0; i < nr && !err; i++) {
		const struct event_fd *f = &fds->fds.v[i];

		if (f->fd < 0)
			continue;
		r->entries[r->nr++] = (struct id_entry){
			.id = f->id,
			.idx = f->cpu,
			.cpu = t->cpus.cpus.v[f->cpu],
			.tid = (uint64_t)(int64_t)t->tasks.ids.v[f->task],
		};
		if (r->nr == ID_INDEX_MAX) {
			err = put_id_chunk(s, r);
			r->nr = 0;
		}
	}
	if (!err && r->nr)
		err = put_id_chunk(s, r);
	free(r);
	return err;
}

static int put_out(struct synthesis *s, struct out *o, int err)
{
	if (!err)
		err = put(s, o->buf, o->len);
	o->len = 0;
	return err;
}

/* perf fills the names in for -p and -t; for tasks that it starts they are empty. */
static int put_thread_map(struct synthesis *s)
{
	const struct task_ids *tasks = &s->target->tasks;
	struct stat_thread *threads = mem_zalloc(STAT_THREADS_MAX * sizeof(*threads));
	struct out o;
	uint32_t nr = 0;
	int err = 0;

	out_init(&o, -1);
	for (uint32_t i = 0; i < tasks->ids.nr && !err; i++) {
		struct stat_thread *t = &threads[nr++];

		*t = (struct stat_thread){ .tid = tasks->ids.v[i] };
		if (s->target->kind == TARGET_TASKS && tasks->ids.v[i] > 0)
			proc_read_comm(tasks->ids.v[i], t->comm, sizeof(t->comm));
		if (nr == STAT_THREADS_MAX || i + 1 == tasks->ids.nr) {
			err = put_out(s, &o, stat_threads_encode(&o, threads, nr));
			nr = 0;
		}
	}
	out_fini(&o);
	free(threads);
	return err;
}

static int put_cpu_map(struct synthesis *s)
{
	const struct cpu_list *l = &s->target->cpus;
	uint32_t nr = l->cpus.nr < STAT_CPUS_MAX ? l->cpus.nr : STAT_CPUS_MAX, first = l->cpus.v[0], last = l->cpus.v[l->cpus.nr - 1];
	struct out o;
	int err = 0;

	out_init(&o, -1);
	if (last - first + 1 == l->cpus.nr)
		stat_cpu_range_encode(&o, first, last);
	else
		err = stat_cpus_encode(&o, (const int32_t *)l->cpus.v, nr);
	err = put_out(s, &o, err);
	out_fini(&o);
	return err;
}

static int put_kernel_maps(struct synthesis *s)
{
	const struct record_sink sink = { put_record, s };
	struct kernel_maps km = { 0 };
	bool wanted = false;
	int err;

	for (uint32_t i = 0; i < s->fds->list->events.nr; i++)
		wanted |= !(s->fds->list->events.v[i].attr.flags & ATTR_EXCLUDE_KERNEL);
	if (!wanted)
		return 0;
	err = kernel_maps_scan(&km, &sink);
	if (!err)
		s->advice = kernel_maps_advice(&km);
	return err;
}

static int put_cgroups(struct synthesis *s)
{
	const struct record_sink sink = { put_record, s };
	uint32_t nr;

	return s->cgroups ? cgroup_scan(&sink, &nr) : 0;
}

static int put_tasks(struct synthesis *s)
{
	const struct record_sink sink = { put_record, s };
	struct task_ids live = { 0 };
	struct proc_scan scan;
	int err;

	proc_scan_init(&scan, &sink);
	scan.data_maps = s->data_maps;
	scan.namespaces = s->namespaces;
	scan.timeout_ns = s->map_timeout_ns;
	if (!s->at_start && s->live)
		live_tasks_list(s->live, &live);
	err = target_scan(s->target, &scan, s->at_start, &live);
	s->nr_denied = scan.nr_denied;
	s->nr_timeouts = scan.nr_timeouts;
	task_ids_fini(&live);
	proc_scan_fini(&scan);
	return err;
}

/* The name of the workload between fork and exec; later names are in the kernel's records. */
static int put_workload_comm(struct synthesis *s)
{
	struct record_header h = { .type = RECORD_COMM };
	struct record rec = { .header = &h };

	if (!s->workload_pid || !s->at_start)
		return 0;
	rec.comm.pid = rec.comm.tid = (uint32_t)s->workload_pid;
	rec.comm.comm = WORKLOAD_COMM;
	return put_record(s, &rec);
}

/* The workload was forked with our namespaces; changes since then are in the kernel's records. */
static int put_workload_namespaces(struct synthesis *s)
{
	struct record_namespace items[PROC_NR_NAMESPACES];
	struct record_header h = { .type = RECORD_NAMESPACES };
	struct record rec = {
		.header = &h,
		.namespaces = { (uint32_t)s->workload_pid, (uint32_t)s->workload_pid, PROC_NR_NAMESPACES, items },
	};

	if (!s->workload_pid || !s->at_start || !s->namespaces)
		return 0;
	proc_read_namespaces(getpid(), items);
	return put_record(s, &rec);
}

int synthesis_run(struct synthesis *s)
{
	static int (*const steps[])(struct synthesis * s) = {
		put_time_conv, put_id_index, put_kernel_maps,	put_thread_map,		 put_cpu_map,
		put_cgroups,   put_tasks,    put_workload_comm, put_workload_namespaces,
	};
	const struct record_header finished = { RECORD_FINISHED_INIT, 0, sizeof(finished) };
	int err = 0;

	s->buf = mem_alloc(BUF_SIZE);
	s->used = 0;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !err; i++) {
		err = steps[i](s);
		if (!err && s->sink.tick)
			err = s->sink.tick(s->sink.ctx);
	}
	if (!err)
		err = put(s, &finished, sizeof(finished));
	if (!err)
		err = flush(s);
	free(s->buf);
	s->buf = NULL;
	return err;
}

int synthesis_lost(struct event_fds *fds, const struct synthesis_sink *sink, uint64_t *nr_lost, uint64_t *nr_lost_tracking)
{
	int err = 0;

	for (uint32_t i = 0; i < fds->fds.nr; i++) {
		struct event_fd *f = &fds->fds.v[i];
		struct sample_layout layout = sample_layout_of(&event_fds_spec(fds, f)->attr);
		struct record_header h = { .type = RECORD_LOST_SAMPLES };
		struct record rec = { .header = &h, .id = { .id = f->id } };
		uint8_t buf[256];
		int64_t size;

		if (f->count.lost <= f->lost_told)
			continue;
		rec.lost.lost = f->count.lost - f->lost_told;
		f->lost_told = f->count.lost;
		/* These are no samples: the LOST records in the rings report them. */
		if (event_fds_tracks_only(fds, f)) {
			*nr_lost_tracking += rec.lost.lost;
			continue;
		}
		*nr_lost += rec.lost.lost;
		size = record_encode(&rec, &layout, buf, sizeof(buf));
		if (size > 0 && !err)
			err = sink->records(sink->ctx, buf, (size_t)size);
	}
	return err;
}
