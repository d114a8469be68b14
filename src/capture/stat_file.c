/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Puts a stat recording together: header, maps, configuration, rounds. Ids of events are their
 * index plus one: readers need them to be different, and nothing else.
 */
#include "capture/stat_file.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "capture/header_info.h"
#include "capture/output.h"
#include "kernel/host.h"
#include "perfdata/writer.h"

struct stat_file {
	struct output output;
	struct host host;
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

static void set_events(struct perfdata_info *info, const struct stat_file_setup *s)
{
	for (uint32_t i = 0; i < s->nr_events; i++) {
		const char *name = s->events[i].name;
		struct perfdata_event e = { .attr = *s->events[i].attr,
					    .name = arena_str(&info->arena, name, strlen(name)) };

		/* Readers tell counting events by what perf sets for them. */
		e.attr.sample_type = SAMPLE_IDENTIFIER;
		e.layout = sample_layout_of(&e.attr);
		e.ids = arena_alloc(&info->arena, sizeof(e.ids[0]));
		e.ids[0] = i + 1;
		e.nr_ids = s->events[i].supported;
		vec_push(&info->events, e);
	}
	info->features |= 1ULL << FEAT_EVENT_DESC;
}

static void set_groups(struct perfdata_info *info, const struct stat_file_setup *s)
{
	for (uint32_t i = 0; i < s->nr_events;) {
		uint32_t nr = 1;

		while (i + nr < s->nr_events && s->events[i + nr].leader == i)
			nr++;
		if (nr > 1)
			vec_push(&info->groups, ((struct perfdata_group){ "", i, nr }));
		i += nr;
	}
	if (info->groups.nr)
		info->features |= 1ULL << FEAT_GROUP_DESC;
}

static void put_updates(struct stat_file *f, const struct stat_file_setup *s)
{
	for (uint32_t i = 0; i < s->nr_events; i++) {
		const struct stat_file_event *e = &s->events[i];
		struct stat_update u = { .id = i + 1 };

		if (!e->supported)
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

static int put_start(struct stat_file *f, const struct stat_file_setup *s, struct errbuf *eb)
{
	int err;

	put_updates(f, s);
	err = stat_threads_encode(&f->records, s->threads, s->nr_threads);
	if (err)
		return errbuf_set(
			eb, err,
			"%u threads do not fit in a recording of counts: name fewer, or leave "
			"--per-thread out",
			s->nr_threads);
	err = stat_cpus_encode(&f->records, s->cpus, s->nr_cpus);
	if (err)
		return errbuf_set(eb, err, "%u CPUs do not fit in a recording of counts",
				  s->nr_cpus);
	stat_config_encode(&f->records, &s->config);
	return 0;
}

int stat_file_open(struct stat_file **out, const struct stat_file_setup *s, struct errbuf *eb)
{
	struct writer_options wo = { .wait = wait_for_reader };
	struct stat_file *f = mem_zalloc(sizeof(*f));
	int err;

	*out = f;
	out_init(&f->records, -1);
	perfdata_info_init(&f->info);
	host_init(&f->host);
	err = output_open(&f->output, s->path, eb);
	if (err)
		goto fail;
	header_info_set_host(&f->info, &f->host);
	set_events(&f->info, s);
	set_groups(&f->info, s);
	f->info.version = ASSAY_VERSION;
	f->info.cmdline = s->cmdline;
	f->info.nr_cmdline = s->nr_cmdline;
	f->info.features |= 1ULL << FEAT_VERSION | 1ULL << FEAT_CMDLINE | 1ULL << FEAT_STAT;
	wo.pipe_mode = f->output.is_pipe;
	err = put_start(f, s, eb);
	if (!err)
		err = writer_open(&f->writer, f->output.fd, &wo, &f->info, eb);
	if (err)
		goto fail;
	output_commit(&f->output);
	return 0;
fail:
	stat_file_close(f);
	*out = NULL;
	return err;
}

void stat_file_add(struct stat_file *f, uint32_t event, int32_t cpu, uint32_t thread,
		   uint64_t value, uint64_t enabled, uint64_t running)
{
	stat_count_encode(&f->records, &(struct stat_count){ .id = event + 1,
							     .cpu = cpu,
							     .thread = thread,
							     .value = value,
							     .enabled = enabled,
							     .running = running });
}

static int write_failed(const struct stat_file *f, int err, struct errbuf *eb)
{
	if (err)
		errbuf_set(eb, err, "cannot write to %s: %s", f->output.path, strerror(-err));
	return err;
}

int stat_file_end_round(struct stat_file *f, uint64_t time_ns, bool is_final, struct errbuf *eb)
{
	int err;

	stat_round_encode(&f->records, &(struct stat_round){ is_final, time_ns });
	err = writer_append(f->writer, f->records.buf, f->records.len, false);
	f->records.len = 0;
	if (!err)
		err = writer_sync(f->writer);
	return write_failed(f, err, eb);
}

int stat_file_finish(struct stat_file *f, struct errbuf *eb)
{
	int err = 0;

	if (f->records.len) /* no round was ever ended */
		err = writer_append(f->writer, f->records.buf, f->records.len, false);
	f->records.len = 0;
	if (!err)
		err = writer_finish(f->writer, &f->info, eb);
	return write_failed(f, err, eb);
}

void stat_file_close(struct stat_file *f)
{
	if (!f)
		return;
	writer_free(f->writer);
	output_close(&f->output);
	perfdata_info_fini(&f->info);
	host_fini(&f->host);
	out_fini(&f->records);
	free(f);
}
