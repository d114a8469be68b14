/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each file of a recording: opened, begun, finished, and replaced by the next one (--switch-output). While the drain runs, this is done by
 * the drain thread; before and after, by the main thread.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "capture/header_info.h"
#include "capture/recorder.h"
#include "perfdata/reader.h"

#define WAIT_MS 100
#define PATIENCE_MS 1000 /* for a reader that takes nothing, after a stop was requested */

static int append_records(void *ctx, const void *data, size_t size)
{
	struct recorder *r = ctx;
	int err;

	tally_records(&r->tally, data, size);
	err = writer_append(r->writer, data, size, true);
	if (r->stage) {
		tally_records(&r->input_tally, data, size);
		unwind_stage_put_opening(r->stage, data, size);
	}
	/* A scan of many processes takes a while; the rings must not overflow meanwhile. */
	return err ? err : drain_relieve(&r->drain);
}

/* Between two steps of a longer work: the same. */
static int tick(void *ctx)
{
	struct recorder *r = ctx;

	return r->writer ? drain_relieve(&r->drain) : 0;
}

/* writer_options.wait: until the reader of a pipe takes something, in whichever thread writes. -ETIMEDOUT: we are to stop, and it does
 * not. */
static int await_reader(void *ctx, int fd)
{
	struct recorder *r = ctx;
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	bool is_main = pthread_equal(pthread_self(), r->main_thread);
	int idle_ms = 0;

	while (r->o->output_pipe ? !record_pipe_await_room(r->o->output_pipe, WAIT_MS) : poll(&p, 1, WAIT_MS) <= 0) {
		unsigned nr_stops;

		if (is_main)
			run_loop_take_signals(&r->loop);
		nr_stops = atomic_load(&r->loop.nr_stops);
		if (nr_stops)
			idle_ms += WAIT_MS;
		/* Our own reader goes on reading. */
		if (nr_stops > 1 || (idle_ms >= PATIENCE_MS && !r->o->output_pipe))
			return -ETIMEDOUT;
	}
	return 0; /* or an error, which the write will report */
}

int recording_file_open(struct recorder *r, struct errbuf *eb)
{
	struct writer_options wo = { .compress_level = r->o->compress_level };
	int err;

	/* This takes milliseconds: done first, so that a recorder killed meanwhile leaves no empty file. */
	perfdata_info_init(&r->info);
	header_info_set_host(&r->info);
	err = r->o->output_pipe ? output_use_pipe(&r->output) : output_open(&r->output, r->o->output, false, eb);
	r->has_info = !err;
	if (err) {
		perfdata_info_fini(&r->info);
		return err;
	}
	header_info_set_options(&r->info, r->o);
	header_info_set_events(&r->info, &r->fds);
	for (const struct record_feed *feed = r->drain.feed; feed; feed = feed->next)
		record_feed_describe(feed, &r->info);
	if (r->stage)
		recorder_set_unwound(r, &r->info);
	if (r->trace_formats.len) {
		r->info.tracing_data = r->trace_formats.buf;
		r->info.tracing_data_size = r->trace_formats.len;
		r->info.features |= 1ULL << FEAT_TRACING_DATA;
	}
	wo.pipe_mode = r->output.is_pipe;
	wo.pipe = r->o->output_pipe;
	if (r->output.may_block) {
		wo.wait = await_reader;
		wo.ctx = r;
	}
	err = writer_open(&r->writer, r->output.fd, &wo, &r->info, eb);
	r->drain.writer = r->writer;
	return err;
}

/* For a later file, behind a stage: it comes when the stage is there. */
static int keep_records(void *ctx, const void *data, size_t size)
{
	struct recorder *r = ctx;
	uint32_t at = r->opening.nr;

	vec_reserve(&r->opening, (uint64_t)at + size);
	memcpy(r->opening.v + at, data, size);
	r->opening.nr += (uint32_t)size;
	return drain_relieve(&r->drain);
}

static uint64_t tracking_flags(const struct recorder *r)
{
	const struct event_list *l = &r->o->events;

	return l->events.v[event_list_tracking(l)].attr.flags;
}

static int synthesise(struct recorder *r, int (*records)(void *ctx, const void *data, size_t size))
{
	struct synthesis s = {
		.target = &r->target,
		.fds = &r->fds,
		.layout = r->info.events.v[0].layout,
		.at_start = r->is_first_file,
		.data_maps = tracking_flags(r) & ATTR_MMAP_DATA,
		.namespaces = r->o->config.namespaces,
		.cgroups = r->o->config.cgroups,
		.files = &r->files,
		.build_ids = tracking_flags(r) & ATTR_BUILD_ID,
		.map_timeout_ns = r->o->map_timeout_ms * 1000000,
		.workload_pid = r->loop.workload.pid,
		.live = r->stage ? &r->input_tally.tasks : &r->tally.tasks,
		.sink = { records, r, tick },
	};
	int err = synthesis_run(&s);

	r->nr_denied += s.nr_denied;
	r->nr_timeouts += s.nr_timeouts;
	if (s.advice && r->is_first_file)
		log_warn("%s", s.advice);
	return err;
}

int recording_file_prepare(void *ctx)
{
	struct recorder *r = ctx;

	r->opening.nr = 0;
	return synthesise(r, keep_records);
}

int recording_file_begin(struct recorder *r)
{
	int err = 0;

	if (r->opening.nr) {
		tally_records(&r->tally, r->opening.v, r->opening.nr);
		err = writer_append(r->writer, r->opening.v, r->opening.nr, true);
		r->opening.nr = 0;
	} else {
		err = synthesise(r, append_records);
	}
	if (!err)
		err = writer_sync(r->writer);
	/* These a new file will have again. */
	r->drain.opening_bytes = writer_data_size(r->writer);
	r->is_first_file = false;
	return err;
}

/* Where losses go. Without a file (a rotation that failed) they are still to be counted. */
static int append_lost(void *ctx, const void *data, size_t size)
{
	struct recorder *r = ctx;

	return r->writer ? writer_append_last(r->writer, data, size) : 0;
}

static void set_times(struct recorder *r)
{
	if (!r->tally.first_ns)
		return;
	r->info.first_sample_ns = r->tally.first_ns;
	r->info.last_sample_ns = r->tally.last_ns;
	r->info.features |= 1ULL << FEAT_SAMPLE_TIME;
}

static void save_files(struct recorder *r)
{
	const struct mapped_save how = {
		.header = !r->o->no_build_ids,
		.section = !r->output.is_pipe,
		.unwind = !r->stage && recorder_has_stacks(r),
		.jvms = r->jvms,
		.tick = r->fail_err ? NULL : tick,
		.ctx = r,
	};

	mapped_files_save(&r->files, &r->info, &how);
	if (r->info.build_ids.nr)
		r->info.features |= 1ULL << FEAT_BUILD_ID;
}

/* Counts the samples in our file, as a reader finds them. */
static void count_file(struct recorder *r, struct tally *t)
{
	struct errbuf eb = { "" };
	struct source_record rec;
	struct record_source *source;

	tally_init(t, &r->info.events.v[event_list_tracking(&r->o->events)].attr, false);
	if (!r->output.is_own || reader_open(&source, r->output.path, READER_ANY_OWNER, &eb))
		return;
	while (record_source_next(source, &rec, &eb) == 1)
		tally_records(t, rec.header, rec.header->size);
	record_source_close(source);
}

/* After a failure: what was taken from the rings is not all in the file. The summary is about the file. What went into a pipe cannot be
 * read again: what the writer held back counts as dropped. */
static void recount(struct recorder *r)
{
	struct tally *t = &r->tally, kept;

	count_file(r, &kept);
	if (r->output.is_pipe)
		kept.nr_samples = r->drain.nr_written - r->nr_samples_before;
	r->nr_dropped += t->nr_samples - r->nr_samples_before - kept.nr_samples;
	t->nr_samples = r->nr_samples_before + kept.nr_samples;
	t->first_ns = kept.first_ns;
	t->last_ns = kept.last_ns;
	tally_fini(&kept);
}

/* Losses and features; `eb` has the first sentence. */
static int write_end(struct recorder *r, struct errbuf *eb)
{
	const struct synthesis_sink sink = { append_lost, r, NULL };
	int err, sync_err, finish_err;

	save_files(r);
	if (r->fail_err)
		drain_forget(&r->drain);
	event_fds_read(&r->fds, NULL);
	stack_growth_add_lost(&r->growth);
	err = synthesis_lost(&r->fds, &sink, &r->nr_lost, &r->nr_lost_tracking);
	sync_err = writer_sync(r->writer);
	if (r->fail_err || err || sync_err)
		recount(r);
	set_times(r);
	finish_err = writer_finish(r->writer, &r->info, eb);
	r->nr_samples_before = r->tally.nr_samples;
	return err ? err : sync_err ? sync_err : finish_err;
}

/* The file that failed is closed already: what came since then is in none. */
static void count_rest(struct recorder *r)
{
	const struct synthesis_sink sink = { append_lost, r, NULL };

	if (!r->fail_err)
		return;
	drain_forget(&r->drain);
	r->nr_dropped += r->tally.nr_samples - r->nr_samples_before;
	r->tally.nr_samples = r->nr_samples_before;
	event_fds_read(&r->fds, NULL);
	stack_growth_add_lost(&r->growth);
	synthesis_lost(&r->fds, &sink, &r->nr_lost, &r->nr_lost_tracking);
}

/* Keeps the newest files only. */
static void drop_oldest(struct recorder *r)
{
	if (!r->o->switch_max_files)
		return;
	while (r->stamped.nr > r->o->switch_max_files) {
		if (unlink(r->stamped.v[0]))
			log_warn("cannot remove %s: %s", r->stamped.v[0], strerror(errno));
		free(r->stamped.v[0]);
		r->stamped.nr--;
		memmove(r->stamped.v, r->stamped.v + 1, r->stamped.nr * sizeof(r->stamped.v[0]));
	}
}

static int stamp(struct recorder *r, struct errbuf *eb)
{
	char *name;
	int err = output_stamp(&r->output, &name, eb);

	if (err)
		return err;
	if (log_level > LOG_QUIET)
		fprintf(stderr, "[ assay record: Dump %s ]\n", name);
	/* A device or FIFO that was there is no file of ours, and has no other name. */
	if (switch_spec_is_on(&r->o->switching) && r->output.is_own) {
		vec_push(&r->stamped, mem_strdup(name));
		drop_oldest(r);
	}
	free(r->last_name);
	r->last_name = name;
	return 0;
}

/* A file into which nothing fitted is none. */
static void remove_empty(struct recorder *r)
{
	if (r->output.is_own && !writer_data_size(r->writer) && !unlink(r->output.path))
		r->is_removed = true;
}

int recording_file_finish(struct recorder *r, struct errbuf *eb)
{
	int err = 0, stamp_err;

	if (!r->writer) {
		count_rest(r);
		return 0;
	}
	if (!r->output.tmp_path) {
		err = write_end(r, eb);
		r->bytes += writer_data_size(r->writer);
		r->raw_bytes += writer_raw_size(r->writer);
		if (err || r->fail_err)
			remove_empty(r);
		if (!r->is_removed && (r->o->timestamp_filename || switch_spec_is_on(&r->o->switching))) {
			stamp_err = stamp(r, eb);
			err = err ? err : stamp_err;
		}
		free(r->kept_name);
		r->kept_name = r->output.own_path ? mem_strdup(r->output.own_path) : NULL;
	}
	writer_free(r->writer);
	r->writer = r->drain.writer = NULL;
	output_close(&r->output);
	perfdata_info_fini(&r->info);
	r->has_info = false;
	return err;
}

int recording_file_rotate(void *ctx)
{
	struct recorder *r = ctx;
	bool any;
	/* What belongs to the old file goes there; from here on the rings wait for the new one. Out of a stage it has come already. */
	int err = r->stage ? 0 : drain_round(&r->drain, &any);

	if (!err)
		err = recording_file_finish(r, &r->file_eb);
	if (!err) {
		r->tally.first_ns = r->tally.last_ns = 0;
		err = recording_file_open(r, &r->file_eb);
	}
	if (!err)
		output_commit(&r->output);
	if (!err)
		err = recording_file_begin(r);
	return err;
}
