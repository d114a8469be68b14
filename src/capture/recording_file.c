/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each file of a recording: opened, begun, finished, and exchanged for the next one
 * (--switch-output). While the drain runs, all of this is the drain thread's; before and after, the
 * main thread's.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "capture/header_info.h"
#include "capture/recorder.h"

static int append_records(void *ctx, const void *data, size_t size)
{
	struct recorder *r = ctx;
	int err;

	tally_span(&r->tally, data, size, NULL, 0);
	err = writer_append(r->writer, data, size, true);
	/* A scan of many processes takes a while; the rings must not overflow meanwhile. */
	return err ? err : drain_relieve(&r->drain);
}

int recording_file_open(struct recorder *r, struct errbuf *eb)
{
	struct writer_options wo = { .compress_level = r->o->compress_level };
	int err = output_open(&r->output, r->o->output, eb);

	if (err)
		return err;
	perfdata_info_init(&r->info);
	r->has_info = true;
	header_info_set_options(&r->info, r->o);
	header_info_set_events(&r->info, &r->fds);
	header_info_set_host(&r->info, &r->host);
	if (r->trace_formats.len) {
		r->info.tracing_data = r->trace_formats.buf;
		r->info.tracing_data_size = r->trace_formats.len;
		r->info.features |= 1ULL << FEAT_TRACING_DATA;
	}
	wo.pipe_mode = r->output.is_pipe;
	err = writer_open(&r->writer, r->output.fd, &wo, &r->info, eb);
	r->drain.writer = r->writer;
	return err;
}

int recording_file_begin(struct recorder *r)
{
	struct synthesis s = {
		.target = &r->target,
		.fds = &r->fds,
		.layout = r->info.events.v[0].layout,
		.at_start = r->is_first_file,
		.data_maps = r->o->config.address,
		.namespaces = r->o->config.namespaces,
		.cgroups = r->o->config.cgroups,
		.workload_pid = r->workload.pid,
		.sink = { append_records, r },
	};
	int err = synthesis_run(&s);

	if (!err)
		err = writer_sync(r->writer);
	if (s.advice && r->is_first_file)
		log_warn("%s", s.advice);
	r->is_first_file = false;
	return err;
}

/* Where losses go: behind a failed write nothing more fits, but they are still to be counted. */
static int append_lost(void *ctx, const void *data, size_t size)
{
	struct recorder *r = ctx;

	return writer_append(r->writer, data, size, false);
}

static void set_final_info(struct recorder *r)
{
	struct perfdata_info *info = &r->info;

	if (r->tally.first_ns) {
		info->first_sample_ns = r->tally.first_ns;
		info->last_sample_ns = r->tally.last_ns;
		info->features |= 1ULL << FEAT_SAMPLE_TIME;
	}
	if (r->o->no_build_ids)
		return;
	dso_set_read_build_ids(&r->tally.dsos, info);
	if (info->build_ids.nr)
		info->features |= 1ULL << FEAT_BUILD_ID;
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
	if (switch_spec_is_on(&r->o->switching)) {
		vec_push(&r->stamped, mem_strdup(name));
		drop_oldest(r);
	}
	free(r->last_name);
	r->last_name = name;
	return 0;
}

int recording_file_finish(struct recorder *r, struct errbuf *eb)
{
	const struct synthesis_sink sink = { append_lost, r };
	int err = 0, finish_err;

	if (!r->writer)
		return 0;
	if (!r->output.tmp_path) {
		event_fds_read(&r->fds);
		err = synthesis_lost(&r->fds, &sink, &r->nr_lost);
		set_final_info(r);
		finish_err = writer_finish(r->writer, &r->info, eb);
		err = err ? err : finish_err;
		r->bytes += writer_data_size(r->writer);
		r->raw_bytes += writer_raw_size(r->writer);
		if (r->o->timestamp_filename || switch_spec_is_on(&r->o->switching)) {
			finish_err = stamp(r, eb);
			err = err ? err : finish_err;
		}
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
	/* What belongs to the old file goes there; from here on the rings wait for the new one. */
	int err = drain_round(&r->drain, &any);

	if (!err)
		err = recording_file_finish(r, &r->file_eb);
	if (!err) {
		r->tally.first_ns = r->tally.last_ns = 0;
		err = recording_file_open(r, &r->file_eb);
	}
	if (!err)
		err = output_commit(&r->output, &r->file_eb);
	if (!err)
		err = recording_file_begin(r);
	return err;
}
