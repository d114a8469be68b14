/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The copy. A map of generated code is put before the first record that is as late: then it is as much in order as that record is, and
 * readers need not wait for the end.
 */
#include "inject/inject.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "abi/record.h"
#include "base/log.h"
#include "inject/hit_files.h"
#include "inject/jit_merge.h"
#include "session/session.h"
#include "symbols/jit_image.h"

#define RECORD_MAX 65536u

struct inject {
	const struct inject_options *opts;
	struct inject_result *result;
	struct session *session;
	int fd;
	struct writer *writer; /* NULL until the events are known */
	uint32_t nr_events;    /* then */
	struct perfdata_info info;
	struct jit_merge jit;
	struct hit_files files;
};

static int begin(struct inject *n, struct errbuf *eb)
{
	n->info = *n->session->recording.info;
	n->nr_events = n->info.events.nr;
	if (n->info.foreign_order)
		return errbuf_set(eb, -ENOTSUP, "%s is of a machine of the other byte order, and is not copied; inject it there",
				  n->session->source->name);
	if (n->info.features & UINT64_C(1) << FEAT_AUXTRACE)
		return errbuf_set(eb, -ENOTSUP, "%s has traces of the hardware, which are not copied", n->session->source->name);
	return writer_open(&n->writer, n->fd, &n->opts->writer, &n->info, eb);
}

/* What the writer says itself, from what the reader has understood. */
static bool is_description(const struct inject *n, uint32_t type)
{
	if (type == RECORD_HEADER_BUILD_ID)
		return true;
	return n->session->recording.info->pipe_mode && (type == RECORD_HEADER_ATTR || type == RECORD_HEADER_FEATURE ||
							 type == RECORD_EVENT_UPDATE || type == RECORD_HEADER_TRACING_DATA);
}

static int append(struct inject *n, const void *record, size_t size, struct errbuf *eb)
{
	int err = writer_append(n->writer, record, size, false);

	return err ? errbuf_set(eb, err, "cannot write the copy: %s", strerror(-err)) : 0;
}

static int put_map(struct inject *n, const struct jit_merge_map *map, struct errbuf *eb)
{
	const struct perfdata_event *e = &n->info.events.v[0];
	const struct jit_merge_image *image = &n->jit.images.v[map->image];
	const struct record_header h = { .type = RECORD_MMAP2, .misc = MISC_USER | MISC_MMAP_BUILD_ID };
	struct record rec = {
		.header = &h,
		.mmap = { .pid = map->pid,
			  .tid = map->pid,
			  .start = map->addr,
			  .len = map->size_bytes,
			  .pgoff = JIT_IMAGE_TEXT_OFF,
			  .build_id_size = image->id.size,
			  .prot = PROT_READ | PROT_EXEC,
			  .flags = MAP_PRIVATE,
			  .filename = image->path },
		.id = { .pid = map->pid, .tid = map->pid, .time_ns = map->time_ns, .id = e->nr_ids ? e->ids[0] : 0 },
	};
	uint64_t buf[RECORD_MAX / 8];
	int64_t size;

	memcpy(rec.mmap.build_id, image->id.bytes, sizeof(rec.mmap.build_id));
	size = record_encode(&rec, &e->layout, buf, sizeof(buf));
	return size < 0 ? errbuf_set(eb, (int)size, "cannot make a map record of %s", image->path) : append(n, buf, (size_t)size, eb);
}

static int put_due_maps(struct inject *n, uint64_t time_ns, struct errbuf *eb)
{
	const struct jit_merge_map *map;
	int err = 0;

	while (!err && (map = jit_merge_next(&n->jit, time_ns)))
		err = put_map(n, map, eb);
	return err;
}

/* Dumps have the monotonic clock. */
static int check_clock(const struct inject *n, struct errbuf *eb)
{
	const struct perfdata_info *info = &n->info;

	for (uint32_t i = 0; i < info->events.nr; i++) {
		const struct attr *a = &info->events.v[i].attr;

		if (!(a->flags & ATTR_USE_CLOCKID) || a->clockid != CLOCK_MONOTONIC)
			return errbuf_set(
				eb, -EINVAL,
				"%s was not recorded with the clock of jitdumps: record with -k mono (assay report names generated "
				"code of this one, too, without inject)",
				n->session->source->name);
		if (!(a->flags & ATTR_SAMPLE_ID_ALL) || !(a->sample_type & SAMPLE_TIME))
			return errbuf_set(eb, -EINVAL, "%s has no times of maps: record with -k mono and with times (-T)",
					  n->session->source->name);
	}
	return 0;
}

/* A name of memory without a file, which code is generated into. */
static bool is_anonymous(const char *path)
{
	return !strncmp(path, "//anon", 6) || !strncmp(path, "/memfd:", 7) || !strncmp(path, "[anon", 5);
}

/* 1: the record is replaced by maps of images. */
static int take_map(struct inject *n, const struct session_record *sr, struct errbuf *eb)
{
	const struct record_mmap *mm = &sr->rec.mmap;
	const struct jitdump *d;
	int err;

	if (!mm->filename || !sr->task)
		return 0;
	/* Later maps of the memory would hide the images. */
	if (is_anonymous(mm->filename))
		return jit_merge_has(&n->jit, mm->pid);
	if (!jitdump_is_path(mm->filename))
		return 0;
	err = check_clock(n, eb);
	if (err)
		return err;
	if (jit_merge_has(&n->jit, mm->pid))
		return 1;
	d = jit_code_dump(&n->session->machine, sr->task);
	if (!d) {
		n->result->nr_bad_dumps++;
		return 0;
	}
	if (d->has_cpu_time)
		return errbuf_set(eb, -EINVAL,
				  "%s has the times of a CPU counter (TSC): records of a perf.data have none to compare them with",
				  mm->filename);
	err = jit_merge_add(&n->jit, d, mm->filename, mm->pid, eb);
	n->result->nr_dumps += !err;
	return err ? err : 1;
}

static int take(struct inject *n, const struct session_record *sr, struct errbuf *eb)
{
	uint32_t type = sr->header->type;
	bool is_map = type == RECORD_MMAP || type == RECORD_MMAP2;
	int err = 0;

	if (is_description(n, type))
		return 0;
	if (type == RECORD_AUXTRACE)
		return errbuf_set(eb, -ENOTSUP, "%s has traces of the hardware, which are not copied", n->session->source->name);
	if (!n->writer)
		err = begin(n, eb);
	if (err)
		return err;
	if (n->session->recording.info->events.nr != n->nr_events)
		return errbuf_set(eb, -ENOTSUP, "%s describes events behind its first records, which is not copied",
				  n->session->source->name);
	if (type == RECORD_SAMPLE && n->opts->build_ids)
		hit_files_see_sample(&n->files, n->session, sr);
	if (is_map && n->opts->all_build_ids)
		hit_files_see_map(&n->files, n->session, sr);
	if (sr->time_ns)
		err = put_due_maps(n, sr->time_ns, eb);
	if (!err && is_map && n->opts->jit)
		err = take_map(n, sr, eb);
	if (err)
		return err < 0 ? err : 0;
	/* Records of several files follow one another in the copy: rounds of one of them say nothing of the others. */
	if (type == RECORD_FINISHED_ROUND && n->info.dir_mode)
		return 0;
	n->result->nr_records++;
	return append(n, sr->header, sr->header->size, eb);
}

static int finish(struct inject *n, struct errbuf *eb)
{
	const struct recording *r = &n->session->recording;
	struct perfdata_info last = *r->info;
	uint32_t nr_before = last.build_ids.nr;
	int err = n->writer ? 0 : begin(n, eb);

	if (!err)
		err = put_due_maps(n, UINT64_MAX, eb);
	if (err)
		return err;
	/* A copy: what is added belongs to us. */
	memset(&last.build_ids, 0, sizeof(last.build_ids));
	for (uint32_t i = 0; i < nr_before; i++)
		vec_push(&last.build_ids, r->info->build_ids.v[i]);
	hit_files_list(&n->files, n->session, &last);
	if (last.build_ids.nr)
		last.features |= UINT64_C(1) << FEAT_BUILD_ID;
	err = writer_finish(n->writer, &last, eb);
	n->result->nr_build_ids = last.build_ids.nr - nr_before;
	vec_fini(&last.build_ids);
	return err;
}

static void tell(struct inject *n)
{
	const struct recording_stats *stats = &n->session->recording.stats;

	n->result->nr_left_out = stats->nr_malformed + stats->nr_unknown_ids;
	n->result->nr_images = n->jit.images.nr;
	n->result->nr_unnamed = n->jit.nr_left_out;
	n->result->nr_unknown_files = n->files.nr_unknown;
	if (n->files.an_unknown)
		snprintf(n->result->unknown_file, sizeof(n->result->unknown_file), "%s", n->files.an_unknown);
}

int inject_run(struct record_source *source, int fd, const struct inject_options *opts, struct inject_result *result, struct errbuf *eb)
{
	const struct session_options how = { .file_order = true };
	struct inject n = { .opts = opts, .result = result, .fd = fd };
	struct session_record sr;
	int err, ret;

	*result = (struct inject_result){ 0 };
	err = session_open(&n.session, source, &how, eb);
	if (err)
		return err;
	n.session->machine.reads_no_dumps = !opts->jit;
	if (!n.session->recording.info->pipe_mode)
		err = begin(&n, eb);
	while (!err && (ret = session_next_recorded(n.session, &sr, eb)) != 0)
		err = ret < 0 ? ret : take(&n, &sr, eb);
	if (!err)
		err = finish(&n, eb);
	if (!err && n.session->recording.damage->err)
		err = errbuf_set(eb, n.session->recording.damage->err, "%s", n.session->recording.damage->text);
	tell(&n);
	writer_free(n.writer);
	jit_merge_fini(&n.jit);
	hit_files_fini(&n.files);
	session_close(n.session);
	return err;
}
