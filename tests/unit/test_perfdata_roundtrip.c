/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the writer writes, the reader reads: every feature, records of all sizes over the
 * borders of blocks, in file and pipe mode, compressed and not, finished and killed, held and
 * let go.
 */
#include "perfdata/header.h"
#include "perfdata_sample.h"

static void check_names(const struct perfdata_info *a, const struct perfdata_info *b)
{
	assert_int_equal(a->events.nr, b->events.nr);
	for (uint32_t i = 0; i < a->events.nr; i++) {
		const struct perfdata_event *x = &a->events.v[i], *y = &b->events.v[i];

		assert_string_equal(x->name, y->name);
		assert_int_equal(x->nr_ids, y->nr_ids);
		assert_memory_equal(x->ids, y->ids, x->nr_ids * 8ul);
		assert_memory_equal(&x->attr, &y->attr, sizeof(x->attr));
	}
}

static void check_machine(const struct perfdata_info *a, const struct perfdata_info *b)
{
	assert_string_equal(a->osrelease, b->osrelease);
	assert_string_equal(a->version, b->version);
	assert_string_equal(a->arch, b->arch);
	assert_string_equal(a->cpudesc, b->cpudesc);
	assert_string_equal(a->cpuid, b->cpuid);
	assert_int_equal(a->nrcpus_online, b->nrcpus_online);
	assert_int_equal(a->nrcpus_avail, b->nrcpus_avail);
	assert_true(a->total_mem_kb == b->total_mem_kb);
	assert_int_equal(a->nr_cmdline, b->nr_cmdline);
	for (uint32_t i = 0; i < a->nr_cmdline; i++)
		assert_string_equal(a->cmdline[i], b->cmdline[i]);
	assert_int_equal(a->cpus.nr, b->cpus.nr);
	assert_memory_equal(a->cpus.v, b->cpus.v, a->cpus.nr * sizeof(a->cpus.v[0]));
	assert_int_equal(a->core_siblings.nr, b->core_siblings.nr);
	assert_string_equal(a->core_siblings.v[0], b->core_siblings.v[0]);
	assert_int_equal(a->thread_siblings.nr, b->thread_siblings.nr);
	assert_string_equal(a->thread_siblings.v[3], b->thread_siblings.v[3]);
	assert_int_equal(a->die_siblings.nr, b->die_siblings.nr);
	assert_string_equal(a->die_siblings.v[1], b->die_siblings.v[1]);
	assert_int_equal(a->numa_nodes.nr, b->numa_nodes.nr);
	assert_int_equal(a->numa_nodes.v[1].node, b->numa_nodes.v[1].node);
	assert_true(a->numa_nodes.v[1].mem_free_kb == b->numa_nodes.v[1].mem_free_kb);
	assert_string_equal(a->numa_nodes.v[1].cpus, b->numa_nodes.v[1].cpus);
	assert_int_equal(a->pmus.nr, b->pmus.nr);
	assert_int_equal(a->pmus.v[1].type, b->pmus.v[1].type);
	assert_string_equal(a->pmus.v[1].name, b->pmus.v[1].name);
	assert_true(a->mem_block_size == b->mem_block_size);
	assert_int_equal(a->mem_nodes.nr, b->mem_nodes.nr);
	assert_true(a->mem_nodes.v[1].nr_bits == b->mem_nodes.v[1].nr_bits);
	assert_memory_equal(a->mem_nodes.v[1].bitmap, b->mem_nodes.v[1].bitmap, 16);
	assert_string_equal(a->groups.v[0].name, b->groups.v[0].name);
	assert_int_equal(a->groups.v[0].nr_members, b->groups.v[0].nr_members);
	assert_true(a->clockid_res_ns == b->clockid_res_ns);
	assert_int_equal(a->clockid, b->clockid);
	assert_true(a->clock_tod_ns == b->clock_tod_ns && a->clock_ref_ns == b->clock_ref_ns);
	assert_true(a->tracing_data_size == b->tracing_data_size);
	assert_memory_equal(a->tracing_data, b->tracing_data, a->tracing_data_size);
}

/* What a pipe does not carry, or a killed recorder did not come to write. */
static void check_rest(const struct perfdata_info *a, const struct perfdata_info *b, bool pipe)
{
	assert_string_equal(a->hostname, b->hostname);
	assert_true(a->first_sample_ns == b->first_sample_ns);
	assert_true(a->last_sample_ns == b->last_sample_ns);
	assert_int_equal(a->build_ids.nr, b->build_ids.nr);
	for (uint32_t i = 0; i < a->build_ids.nr; i++) {
		const struct perfdata_build_id *x = &a->build_ids.v[i], *y = &b->build_ids.v[i];

		assert_string_equal(x->filename, y->filename);
		assert_memory_equal(x->id, y->id, x->size);
		assert_int_equal(x->size, y->size);
		assert_int_equal(x->misc, y->misc);
		assert_int_equal(x->pid, y->pid);
	}
	if (pipe)
		return;
	assert_int_equal(a->caches.nr, b->caches.nr);
	assert_int_equal(a->caches.v[1].ways, b->caches.v[1].ways);
	assert_string_equal(a->caches.v[1].type, b->caches.v[1].type);
	assert_string_equal(a->caches.v[1].size, b->caches.v[1].size);
	assert_string_equal(a->caches.v[1].cpus, b->caches.v[1].cpus);
	assert_int_equal(a->raw_features.nr, b->raw_features.nr);
	for (uint32_t i = 0; i < a->raw_features.nr; i++) {
		assert_int_equal(a->raw_features.v[i].feature, b->raw_features.v[i].feature);
		assert_memory_equal(a->raw_features.v[i].data, b->raw_features.v[i].data, 8);
	}
}

/* Reads all, holding the last `nr_held` records, and compares each when it is let go. */
static void check_records(struct record_source *r, uint32_t nr, uint32_t nr_held)
{
	struct source_record *held = mem_zalloc((nr_held + 1) * sizeof(*held));
	uint8_t *want = mem_alloc(65536);
	struct source_record rec;
	struct errbuf eb = { 0 };
	uint32_t seen = 0, checked = 0;
	int ret;

	do {
		ret = record_source_next(r, &rec, &eb);
		if (ret == 1 && rec.header->type != 48)
			continue;
		if (ret == 1) {
			assert_int_equal((uintptr_t)rec.header & 7, 0);
			record_hold(rec.block);
			held[seen++ % (nr_held + 1)] = rec;
		}
		while (checked < seen && (ret == 0 || seen - checked > nr_held)) {
			struct source_record *h = &held[checked % (nr_held + 1)];
			uint32_t size = sample_record(checked++, want);

			assert_int_equal(h->header->size, size);
			assert_memory_equal(h->header, want, size);
			record_release(h->block);
		}
	} while (ret == 1);
	assert_int_equal(ret, 0);
	assert_string_equal(eb.text, "");
	assert_int_equal(seen, nr);
	assert_int_equal(record_source_next(r, &rec, &eb), 0);
	free(held);
	free(want);
}

static void check(const struct sample_write *how, uint32_t nr_held)
{
	struct perfdata_info info;
	struct errbuf eb = { 0 };
	int fd = sample_file(how, &info);
	struct record_source *r;
	const struct perfdata_info *got;
	bool pipe = how->opts.pipe_mode;

	assert_int_equal(sample_open(&r, fd, &eb), 0);
	got = r->info;
	if (!pipe)
		check_names(&info, got);
	check_records(r, how->nr_records, nr_held);
	assert_string_equal(r->damage->text, "");
	assert_int_equal(r->damage->err, 0);
	assert_int_equal(got->pipe_mode, pipe);
	check_names(&info, got);
	check_machine(&info, got);
	if (!how->killed)
		check_rest(&info, got, pipe);
	assert_int_equal(got->comp_level, how->opts.compress_level);
	assert_int_equal(got->comp_version, 0);
	if (how->opts.compress_level && how->nr_records > 1)
		assert_true(r->nr_compressed > 0);
	for (uint32_t i = 0; i < info.events.nr; i++)
		assert_int_equal(perfdata_info_find_event(r->info, info.events.v[i].ids[0]), (int)i);
	if (info.events.nr > 1)
		assert_int_equal(perfdata_info_find_event(r->info, 5), -ENOENT);
	record_source_close(r);
	perfdata_info_fini(&info);
	close(fd);
}

static void test_file(void **state)
{
	(void)state;
	check(&(struct sample_write){ .nr_records = 3, .nr_events = 1 }, 0);
	check(&(struct sample_write){ .nr_records = 5000, .nr_events = 2, .sync_every = 1 }, 0);
	check(&(struct sample_write){ .nr_records = 5000, .nr_events = 2, .sync_every = 97 }, 100);
	check(&(struct sample_write){ .nr_records = 5000, .nr_events = 3, .two_parts = true }, 5000);
}

static void test_many_events(void **state)
{
	(void)state;
	check(&(struct sample_write){ .nr_records = 10, .nr_events = 3000 }, 0);
	check(&(struct sample_write){ .nr_records = 10, .nr_events = 3000, .killed = true }, 0);
}

static void test_killed(void **state)
{
	struct sample_write how = { .nr_events = 2, .killed = true };

	(void)state;
	for (how.nr_records = 1; how.nr_records < 60; how.nr_records++) {
		how.sync_every = how.nr_records % 5;
		check(&how, 0);
	}
	how.opts.compress_level = 1;
	for (how.nr_records = 1; how.nr_records < 60; how.nr_records += 7) {
		how.sync_every = how.nr_records % 5;
		check(&how, 0);
	}
}

static void test_pipe(void **state)
{
	struct sample_write how = { .nr_events = 3, .nr_records = 5000, .opts.pipe_mode = true };

	(void)state;
	check(&how, 0);
	check(&how, 5000);
	how.opts.compress_level = 3;
	how.sync_every = 100;
	check(&how, 50);
}

static void test_compressed(void **state)
{
	struct sample_write how = { .nr_events = 2, .nr_records = 5000, .opts.compress_level = 1 };

	(void)state;
	check(&how, 0);
	how.sync_every = 10;
	how.two_parts = true;
	check(&how, 300);
	how.opts.compress_level = 19;
	how.nr_records = 500;
	check(&how, 500);
}

static void check_own(int fd, const char *want)
{
	struct errbuf eb = { 0 };
	struct header h = { 0 };
	struct record_source *r;
	uint32_t nr = 0;

	assert_int_equal(sample_open(&r, fd, &eb), 0);
	for (uint32_t i = 0; i < r->info->raw_features.nr; i++) {
		const struct perfdata_raw_feature *raw = &r->info->raw_features.v[i];

		if (raw->feature != 201)
			continue;
		assert_int_equal(raw->size, strlen(want));
		assert_memory_equal(raw->data, want, raw->size);
		nr++;
	}
	assert_int_equal(nr, want ? 1 : 0);
	record_source_close(r);
	assert_int_equal(header_read(&h, fd, (uint64_t)lseek(fd, 0, SEEK_END), "perf.data", &eb), 0);
	assert_true(h.features[3] == 0); /* perf inject crashes at a bit that it does not know */
}

/* Sections of assay's own, there from the start or from the end on, in whole files and killed ones. */
static void test_own_sections(void **state)
{
	const struct writer_options opts = { 0 };
	uint8_t *buf = mem_alloc(65536);

	(void)state;
	for (int mode = 0; mode < 4; mode++) {
		bool at_start = mode & 1, is_killed = mode & 2;
		int fd = memfd_create("perf.data", MFD_CLOEXEC);
		struct perfdata_info info;
		struct errbuf eb = { 0 };
		struct writer *w;

		sample_info(&info, 2);
		if (at_start)
			vec_push(&info.raw_features, ((struct perfdata_raw_feature){ 201, 5, "start" }));
		assert_int_equal(writer_open(&w, fd, &opts, &info, &eb), 0);
		for (uint32_t i = 0; i < 60; i++) {
			assert_int_equal(writer_append(w, buf, sample_record(i, buf), false), 0);
			assert_int_equal(writer_sync(w), 0);
			check_own(fd, at_start ? "start" : NULL);
		}
		if (!at_start)
			vec_push(&info.raw_features, ((struct perfdata_raw_feature){ 201, 8, "from end" }));
		if (!is_killed)
			assert_int_equal(writer_finish(w, &info, &eb), 0);
		check_own(fd, at_start ? "start" : is_killed ? NULL : "from end");
		writer_free(w);
		perfdata_info_fini(&info);
		close(fd);
	}
	free(buf);
}

/* Three records, all of which may be packed, as a stream; its bytes are the caller's to free. */
static uint8_t *write_stream(uint64_t features, int compress_level, size_t *size)
{
	const struct writer_options opts = { .pipe_mode = true, .compress_level = compress_level };
	int fd = memfd_create("perf.data", MFD_CLOEXEC);
	uint8_t *buf = mem_alloc(3 * 65536);
	struct perfdata_info info;
	struct errbuf eb = { 0 };
	struct writer *w;
	ssize_t n;

	sample_info(&info, 1);
	info.features &= features;
	*size = 0;
	for (uint32_t i = 0; i < 3; i++)
		*size += sample_record(i, buf + *size);
	assert_int_equal(writer_open(&w, fd, &opts, &info, &eb), 0);
	assert_int_equal(writer_append(w, buf, *size, true), 0);
	assert_int_equal(writer_finish(w, &info, &eb), 0);
	writer_free(w);
	n = pread(fd, buf, 3 * 65536, 0);
	assert_true(n > 16);
	*size = (size_t)n;
	perfdata_info_fini(&info);
	close(fd);
	return buf;
}

/* What perf 7 asks of a stream: sizes are multiples of 8 behind the features, and their end mark is empty. */
static void check_stream(uint64_t features, int compress_level)
{
	uint32_t nr_marks = 0, nr_build_ids = 0, nr_plain = 0, nr_packed = 0;
	uint8_t *buf;
	size_t size;

	buf = write_stream(features, compress_level, &size);
	for (size_t pos = 16; pos < size;) {
		struct record_header h;
		uint64_t word;

		memcpy(&h, buf + pos, sizeof(h));
		memcpy(&word, buf + pos + 8, sizeof(word));
		assert_true(h.size >= sizeof(h) && h.size <= size - pos);
		if (h.type == RECORD_HEADER_FEATURE && word == FEAT_LAST) {
			assert_int_equal(h.size, 16);
			assert_int_equal((pos + h.size) % 8, 0);
			nr_marks++;
		} else if (h.type == RECORD_COMPRESSED) {
			assert_int_equal(nr_plain, 1);
			nr_packed++;
		} else if (h.type != RECORD_HEADER_FEATURE) {
			assert_int_equal(h.size % 8, 0);
			nr_build_ids += h.type == RECORD_HEADER_BUILD_ID;
			nr_plain += h.type == 48;
		}
		pos += h.size + (h.type == RECORD_HEADER_TRACING_DATA ? (uint32_t)word : 0);
	}
	assert_int_equal(nr_marks, 1);
	assert_int_equal(nr_build_ids, 3);
	assert_int_equal(nr_plain, compress_level ? 1 : 3);
	assert_int_equal(nr_packed, compress_level ? 1 : 0);
	free(buf);
}

static void test_stream(void **state)
{
	(void)state;
	for (int level = 0; level < 2; level++) {
		check_stream(UINT64_MAX, level);
		check_stream(~(1ULL << FEAT_HOSTNAME), level);
		check_stream(~(1ULL << FEAT_HOSTNAME | 1ULL << FEAT_ARCH), level);
	}
}

/* Killed before the first sync: no records, but events and features. */
static void test_before_sync(void **state)
{
	int fd = memfd_create("perf.data", MFD_CLOEXEC);
	const struct writer_options opts = { 0 };
	struct perfdata_info info;
	struct errbuf eb = { 0 };
	struct source_record rec;
	struct record_source *r;
	struct writer *w;

	(void)state;
	sample_info(&info, 2);
	assert_int_equal(writer_open(&w, fd, &opts, &info, &eb), 0);
	writer_free(w);
	assert_int_equal(sample_open(&r, fd, &eb), 0);
	assert_int_equal(record_source_next(r, &rec, &eb), 0);
	assert_int_equal(r->damage->err, -ENODATA);
	check_names(&info, r->info);
	check_machine(&info, r->info);
	record_source_close(r);
	perfdata_info_fini(&info);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file),   cmocka_unit_test(test_many_events),  cmocka_unit_test(test_killed),
		cmocka_unit_test(test_pipe),   cmocka_unit_test(test_compressed),   cmocka_unit_test(test_before_sync),
		cmocka_unit_test(test_stream), cmocka_unit_test(test_own_sections),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
