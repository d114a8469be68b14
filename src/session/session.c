/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The stream: source → event and time → order → effects on tasks and maps → the caller.
 */
#include "session/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "abi/record.h"
#include "base/log.h"

/* For each byte that a recording really has. Of plain records, those that are all different take 5 to 16 bytes for each of theirs. */
#define MEMORY_FLOOR (UINT64_C(160) << 20)
#define MEMORY_FACTOR 16u
/* Bytes of records that wait for their turn: more than plain records have, whatever their order. */
#define WAITING_FLOOR (UINT64_C(96) << 20)
#define WAITING_FACTOR 8u
/* Files whose symbols are looked for; a machine has some thousands. */
#define LOADS_FLOOR 10000u
#define LOADS_PER_BYTES 1024u
/* Bytes of symbols, unwind tables and debug information in memory, beside the symbol index: a whole distribution fits. One file is read
 * whatever its size. */
#define LOADED_FLOOR (UINT64_C(176) << 20)
#define LOADED_FACTOR 16u
/* Samples that one stands for. */
#define REPEATS_FLOOR (UINT64_C(1) << 21)
#define REPEATS_FACTOR 4u

static bool find_known(void *ctx, enum module_kind kind, const char *path, struct machine_known *known)
{
	struct session *s = ctx;
	const struct perfdata_build_id *b = known_build_ids_find(&s->build_ids, s->recording.info, kind, path);

	if (b)
		*known = (struct machine_known){ b->id, b->size, b->filename };
	return b;
}

static void find_origin(struct session *s)
{
	struct origin_host here;

	origin_host_init(&here);
	origin_find(&s->origin, s->recording.info, &here);
	s->machine.dsos.origin = &s->origin;
	s->is_origin_stale = false;
}

/* What the recorder saw of a mapped file. */
static void find_mapped(void *ctx, const struct record *rec, struct dso_file *f)
{
	const struct session *s = ctx;
	const struct embedded_file *m = embedded_files_find(&s->files, &rec->mmap, rec->id.time_ns);

	if (!m)
		return;
	f->stored = m;
	if (!f->build_id_size) {
		f->build_id = m->build_id;
		f->build_id_size = m->build_id_size;
	}
	if (m->identity.state & EMBEDDED_FILE_LOST)
		f->identity.known |= IDENTITY_LOST;
	if (!m->identity.stat_inode)
		return;
	f->identity.stat.device = m->identity.stat_device;
	f->identity.stat.inode = m->identity.stat_inode;
	f->identity.stat.size_bytes = m->identity.size_bytes;
	f->identity.stat.mtime_ns = m->identity.mtime_ns;
	f->identity.stat.ctime_ns = m->identity.ctime_ns;
	f->identity.known |= IDENTITY_STAT;
	if (m->identity.state & EMBEDDED_FILE_SUMMED) {
		f->identity.content_sum = m->identity.content_sum;
		f->identity.known |= IDENTITY_SUM;
	}
}

static const struct embedded_file *find_unmapped(void *ctx, const char *path)
{
	const struct session *s = ctx;

	return embedded_files_find_path(&s->files, path);
}

/* Without them files are distinguished by their map records alone. */
static void take_files(struct session *s)
{
	for (uint32_t i = 0; i < s->recording.info->raw_features.nr && !s->has_files; i++) {
		const struct perfdata_raw_feature *f = &s->recording.info->raw_features.v[i];

		if (f->feature != FEAT_MAPPED_FILES || s->recording.info->foreign_order)
			continue;
		s->has_files = true;
		if (embedded_files_init(&s->files, f->data, f->size)) {
			log_warn("%s: the section about mapped files is damaged: symbols of files that no longer exist are missing",
				 s->source->name);
			continue;
		}
		s->machine.known_file = find_mapped;
		s->machine.known_file_ctx = s;
		s->machine.known_path = find_unmapped;
	}
}

/* Without the section its addresses mean nothing, so that a damaged one ends the recording. */
static int take_imported(struct session *s, struct errbuf *eb)
{
	const char *path = s->source->name;
	int err;

	for (uint32_t i = 0; i < s->recording.info->raw_features.nr; i++) {
		const struct perfdata_raw_feature *f = &s->recording.info->raw_features.v[i];

		if (f->feature != FEAT_IMPORTED || s->recording.is_imported)
			continue;
		s->recording.is_imported = true;
		if (s->recording.info->foreign_order)
			return errbuf_set(eb, -EOPNOTSUPP, "%s was imported on a machine of the other byte order; import it here again",
					  path);
		err = imported_init(&s->recording.imported, f->data, f->size);
		if (err == -EPROTO)
			return errbuf_set(eb, -EOPNOTSUPP,
					  "%s was imported by another version of assay; import its source again: assay import -o %s SOURCE",
					  path, path);
		if (err)
			return errbuf_set(eb, -EBADMSG,
					  "%s is damaged: the names that were imported with it cannot be read; import it again", path);
		s->machine.imported = &s->recording.imported;
		s->machine.first_imported = dso_table_add_imported(&s->machine.dsos, s->machine.imported);
	}
	return 0;
}

/* Of a pipe or a directory it is known as far as it was read. */
static void see_present(void *ctx)
{
	struct session *s = ctx;
	uint64_t bytes = s->source->present_bytes;

	s->memory.bytes_present = s->repeats.bytes_present = bytes;
	s->machine.dsos.loads.bytes_present = bytes / LOADS_PER_BYTES;
	symbolizer_cache_see_present(s->machine.dsos.options.cache, bytes);
	s->intake.order.max_held_bytes = bytes > WAITING_FLOOR / WAITING_FACTOR ? bytes * WAITING_FACTOR : WAITING_FLOOR;
}

/* What a recording may cost, by its size. */
static void set_limits(struct session *s)
{
	machine_set_memory(&s->machine, &s->memory);
	budget_init(&s->memory, MEMORY_FLOOR, MEMORY_FACTOR, 0);
	budget_init(&s->repeats, REPEATS_FLOOR, REPEATS_FACTOR, 0);
	budget_init(&s->machine.dsos.loads, LOADS_FLOOR, 1, 0);
	symbolizer_cache_limit(s->machine.dsos.options.cache, LOADED_FLOOR, LOADED_FACTOR);
	see_present(s);
}

static const char *kernel_symbol(void *ctx, uint64_t addr, uint64_t *start)
{
	struct session *s = ctx;
	const struct symbol *sym = NULL;

	if (s->machine.kernel_dso != DSO_NONE)
		sym = symtab_find(dso_table_symbols(&s->machine.dsos, s->machine.kernel_dso), addr);
	*start = sym ? sym->start : 0;
	return sym ? sym->name : NULL;
}

int session_open(struct session **out, struct record_source *source, const struct session_options *opts, struct errbuf *eb)
{
	struct session *s = mem_zalloc(sizeof(*s));
	int err;

	s->source = source;
	s->recording.info = source->info;
	s->recording.damage = source->damage;
	s->recording.tracepoints = tracepoints_new(source->info, kernel_symbol, s);
	s->options = *opts;
	s->intake.source = source;
	s->intake.info = source->info;
	s->intake.stats = &s->recording.stats;
	s->intake.sees_bytes = see_present;
	s->intake.sees_bytes_ctx = s;
	machine_init(&s->machine, &opts->symbols);
	s->machine.user_only = opts->user_only;
	if (!source->is_live) {
		s->machine.find_known = find_known;
		s->machine.known_ctx = s;
		set_limits(s);
		find_origin(s);
	}
	s->machine.reads_no_dumps = source->is_live;
	s->machine.is_monotonic = source->info->features & (UINT64_C(1) << FEAT_CLOCKID) && source->info->clockid == CLOCK_MONOTONIC;
	s->machine.recorded_until_ns = s->recording.info->captured_ns;
	err = take_imported(s, eb);
	if (err) {
		session_close(s);
		return err;
	}
	take_files(s);
	*out = s;
	return 0;
}

/* The record that was delivered last is done with. */
static void release_current(struct session *s)
{
	if (s->current)
		record_release(s->current);
	s->current = NULL;
}

void session_close(struct session *s)
{
	if (!s)
		return;
	release_current(s);
	intake_ahead_stop(s->ahead);
	intake_fini(&s->intake);
	tracepoints_free(s->recording.tracepoints);
	group_read_fini(&s->group);
	vec_fini(&s->recording.lost_by_event);
	python_frames_fini(&s->recording.python);
	machine_fini(&s->machine);
	known_build_ids_fini(&s->build_ids);
	embedded_files_fini(&s->files);
	record_source_close(s->source);
	free(s);
}

static void apply_sample(struct session *s, struct session_record *sr)
{
	struct sample *sample = &sr->rec.sample;

	if (!(s->recording.info->events.v[sr->event].layout.sample_type & SAMPLE_PERIOD))
		sample->period = s->recording.info->events.v[sr->event].attr.sample_period;
	if (!s->recording.stats.first_sample_ns)
		s->recording.stats.first_sample_ns = sr->time_ns;
	s->recording.stats.last_sample_ns = sr->time_ns;
}

/* What a damaged file claims must not wrap, nor make a sum with the samples wrap. */
#define LOST_MAX (UINT64_C(1) << 60)
static void add_lost(uint64_t *sum, uint64_t nr)
{
	*sum = nr < LOST_MAX - *sum ? *sum + nr : LOST_MAX;
}

static void apply_lost(struct session *s, struct session_record *sr)
{
	if (sr->header->type == RECORD_LOST)
		add_lost(&s->recording.stats.nr_lost_events, sr->rec.lost.lost);
	else
		add_lost(&s->recording.stats.nr_lost_samples, sr->rec.lost.lost);
	if (sr->header->type == RECORD_LOST_SAMPLES && sr->event >= 0) {
		while (s->recording.lost_by_event.nr <= (uint32_t)sr->event)
			vec_push(&s->recording.lost_by_event, 0);
		add_lost(&s->recording.lost_by_event.v[sr->event], sr->rec.lost.lost);
	}
}

static void apply_throttle(struct session *s, struct session_record *sr)
{
	(void)sr;
	s->recording.stats.nr_throttled++;
}

/* A task that was gone already has the tid -1 there, so the value does not tell. */
static bool trailer_has_task(const struct session *s, const struct session_record *sr)
{
	const struct sample_layout *l = sr->event >= 0 ? &s->recording.info->events.v[sr->event].layout : NULL;

	return l && l->id_all && (l->sample_type & SAMPLE_TID);
}

/* Applies a decoded kernel record: to the machine (machine.h), and to what the session counts. Sets sr->task. */
static void apply(struct session *s, struct session_record *sr)
{
	static void (*const effects[])(struct session *, struct session_record *) = {
		[RECORD_LOST] = apply_lost,
		[RECORD_LOST_SAMPLES] = apply_lost,
		[RECORD_THROTTLE] = apply_throttle,
		[RECORD_SAMPLE] = apply_sample,
	};
	uint32_t type = sr->header->type;

	sr->task = machine_apply(&s->machine, &sr->rec);
	if (type < sizeof(effects) / sizeof(*effects) && effects[type])
		effects[type](s, sr);
	/* What names no task itself happened in the one that its trailer names. */
	if (!sr->task && type != RECORD_SAMPLE && trailer_has_task(s, sr))
		sr->task = task_table_get(&s->machine.tasks, (int32_t)sr->rec.id.pid, (int32_t)sr->rec.id.tid);
}

/* False: it is to be decoded whole. */
static inline bool deliver_plain(struct session *s, struct session_record *out)
{
	const struct sample_places *p = &intake_event(&s->intake, out->event)->places;
	struct sample *sample = &out->rec.sample;

	if (!p->is_known || !sample_decode_places(p, out->header + 1, out->header->size - sizeof(*out->header), sample))
		return false;
	out->rec.header = out->header;
	out->task = task_table_get_recent(&s->machine.tasks, (int32_t)sample->pid, (int32_t)sample->tid);
	if (!s->recording.stats.first_sample_ns)
		s->recording.stats.first_sample_ns = out->time_ns;
	s->recording.stats.last_sample_ns = out->time_ns;
	return true;
}

/* Decodes and applies. 1, or 0 where the record is to be skipped. */
static int deliver_whole(struct session *s, const struct order_entry *e, struct session_record *out)
{
	static const struct sample_layout no_layout;
	const struct record_header *h = e->header;
	int32_t event = order_entry_event(e);
	const struct sample_layout *l = event >= 0 ? &s->recording.info->events.v[event].layout : &no_layout;

	if (h->type >= RECORD_USER_FIRST) {
		/* A pipe says where it is from before its first sample; later, names may be looked for already. */
		s->is_origin_stale |= h->type == RECORD_HEADER_FEATURE && !s->recording.stats.last_sample_ns;
		s->has_new_build_ids |= h->type == RECORD_HEADER_BUILD_ID;
		out->rec.header = h;
		return 1;
	}
	if (h->type == RECORD_SAMPLE && event < 0) {
		if (!s->recording.stats.nr_unknown_ids++)
			s->recording.stats.first_unknown_id_at = order_entry_at(e);
		return 0;
	}
	if (record_decode(h, l, &out->rec) < 0) {
		if (!s->recording.stats.nr_malformed++)
			s->recording.stats.first_malformed_at = order_entry_at(e);
		return 0;
	}
	apply(s, out);
	if (h->type == RECORD_SAMPLE)
		out->python = python_frames_of(&s->recording.python, out->rec.sample.tid, out->time_ns);
	return 1;
}

/* Stacks of Python wait for the sample that they belong to. */
static int take_python(struct session *s, const struct order_entry *e, struct session_record *out)
{
	if (record_decode(e->header, &s->recording.info->events.v[order_entry_event(e)].layout, &out->rec) < 0) {
		s->recording.stats.nr_malformed++;
		return 0;
	}
	if (s->machine.python_dso == DSO_NONE)
		s->machine.python_dso = dso_table_intern(&s->machine.dsos, MODULE_NONE, "[python]", -1, NULL, 0);
	python_frames_take(&s->recording.python, &out->rec.sample, s->source->is_live ? NULL : &s->memory);
	return 0;
}

/* Fills `out`. 1, or 0 where the record is to be skipped. */
static inline int deliver(struct session *s, const struct order_entry *e, struct session_record *out)
{
	int32_t event = order_entry_event(e);

	out->header = e->header;
	out->event = event;
	out->task = NULL;
	out->time_ns = e->time_ns;
	out->block = e->block;
	out->at = order_entry_at(e);
	if (__builtin_expect(e->time_ns >= s->machine.jits.due_ns, 0))
		jit_codes_advance(&s->machine, e->time_ns);
	out->python = NULL;
	if (out->header->type == RECORD_SAMPLE) {
		if (__builtin_expect(s->is_origin_stale, 0))
			find_origin(s);
		if (event >= 0 && intake_event(&s->intake, event)->is_python && !s->options.file_order)
			return take_python(s, e, out);
		if (s->options.plain_samples && event >= 0 && deliver_plain(s, out))
			return 1;
	}
	return deliver_whole(s, e, out);
}

/* A sample that carries counts comes out once for each event of its group that counted. 1, or 0 where the group is done. */
static int next_of_group(struct session *s, struct session_record *out)
{
	uint64_t id, period;

	while (group_read_next(&s->group, &id, &period)) {
		int event = perfdata_info_find_event(s->recording.info, id);

		if (event < 0) {
			s->recording.stats.nr_unknown_ids++;
			continue;
		}
		*out = s->group_leader;
		out->event = event;
		out->rec.sample.id = id;
		out->rec.sample.period = period;
		return 1;
	}
	s->in_group = false;
	return 0;
}

static bool starts_group(struct session *s, const struct session_record *sr)
{
	const struct perfdata_event *e;
	const struct sample_layout *l;

	if (sr->header->type != RECORD_SAMPLE)
		return false;
	e = &s->recording.info->events.v[sr->event];
	l = &e->layout;
	if (!(l->sample_type & SAMPLE_READ) || !(l->read_format & READ_ID))
		return false;
	s->group_leader = *sr;
	group_read_begin(&s->group, l, &sr->rec.sample, e->attr.flags & ATTR_INHERIT);
	return s->in_group = true;
}

/* An imported sample that stands for several comes out as often, with its share of the period. */
static bool starts_repeats(struct session *s, struct session_record *sr)
{
	const struct sample *sample = &sr->rec.sample;

	if (!(s->recording.imported.flags & IMPORTED_REPEATS) || sr->header->type != RECORD_SAMPLE || sample->weight < 2)
		return false;
	if (!budget_take(&s->repeats, sample->weight)) {
		s->recording.stats.nr_unrepeated++;
		return false;
	}
	s->group_leader = *sr;
	s->nr_repeats = sample->weight;
	s->next_repeat = 0;
	return true;
}

static bool next_repeat(struct session *s, struct session_record *out)
{
	uint64_t period = s->group_leader.rec.sample.period, i = s->next_repeat++;

	if (i >= s->nr_repeats)
		return false;
	*out = s->group_leader;
	out->rec.sample.period = period / s->nr_repeats + (i < period % s->nr_repeats);
	return true;
}

int session_next(struct session *s, struct session_record *out, struct errbuf *eb)
{
	for (;;) {
		int ret;

		if (s->in_group && next_of_group(s, out))
			return 1;
		if (s->next_repeat < s->nr_repeats && next_repeat(s, out))
			return 1;
		ret = session_next_recorded(s, out, eb);
		if (ret > 0 && s->options.each_record)
			s->options.each_record(s->options.each_record_ctx, out);
		if (ret > 0 && starts_repeats(s, out))
			continue;
		if (ret <= 0 || !starts_group(s, out))
			return ret;
	}
}

/* What waits is left out, too: it would need memory like the rest. A file without rounds has all of its records waiting at its end. */
static void stop(struct session *s)
{
	uint64_t nr_left_out = intake_ahead_stop(s->ahead);

	s->ahead = NULL;
	s->is_stopped = true;
	nr_left_out += intake_drop(&s->intake);
	s->source->ops->stop(s->source, budget_limit(&s->memory), nr_left_out);
}

/* The stream is over: what waits comes out. */
static void end(struct session *s)
{
	s->ended = true;
	intake_ahead_stop(s->ahead);
	s->ahead = NULL;
	intake_finish(&s->intake);
	if (s->is_origin_stale)
		find_origin(s);
	if (s->has_new_build_ids)
		machine_learn(&s->machine);
	s->recording.stats.waited_bytes = s->intake.waited_bytes;
	s->recording.stats.nr_late = s->intake.order.nr_late;
	s->recording.stats.nr_compressed = s->source->nr_compressed;
}

/* Options may have been set since it was opened. Users of plain samples hold no blocks. */
static void begin(struct session *s)
{
	s->is_begun = true;
	s->intake.file_order = s->options.file_order;
	s->intake.wants_samples = s->options.wants_samples;
	s->intake.wants_samples_ctx = s->options.wants_samples_ctx;
	if (!s->options.plain_samples || !intake_ahead_can(&s->intake))
		return;
	s->intake.sees_bytes = NULL; /* of a file, all are known from the begin */
	s->ahead = intake_ahead_start(&s->intake);
}

/* Its block is held until the next call. */
static inline const struct order_entry *next_entry(struct session *s, struct order_entry *now, int *ret, struct errbuf *eb)
{
	const struct order_entry *e;

	if (s->ahead)
		return intake_ahead_next(s->ahead, ret, eb);
	release_current(s);
	e = intake_next(&s->intake, now, ret, eb);
	if (e)
		s->current = e->block;
	return e;
}

int session_next_recorded(struct session *s, struct session_record *out, struct errbuf *eb)
{
	if (__builtin_expect(!s->is_begun, 0))
		begin(s);
	for (;;) {
		struct order_entry now;
		const struct order_entry *e;
		int ret;

		if (__builtin_expect(s->memory.is_exhausted && !s->is_stopped, 0))
			stop(s);
		e = next_entry(s, &now, &ret, eb);
		if (e && deliver(s, e, out))
			return 1;
		if (e)
			continue;
		if (ret < 0 || s->ended)
			return ret;
		end(s);
	}
}
