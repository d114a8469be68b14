/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * For the tests of the perfdata module: an info that has every feature, records of many sizes,
 * and a file of both in memory.
 */
#ifndef ASSAY_TESTS_PERFDATA_SAMPLE_H
#define ASSAY_TESTS_PERFDATA_SAMPLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi/event_names.h"
#include "base/log.h"
#include "base/mem.h"
#include "perfdata/header.h"
#include "perfdata/reader.h"
#include "perfdata/writer.h"

#define SAMPLE_EVERY_FEATURE (((1ULL << FEAT_LAST) - 2) & ~(1ULL << FEAT_AUXTRACE | 1ULL << FEAT_DIR_FORMAT | 1ULL << FEAT_COMPRESSED))

static inline uint64_t sample_rng(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

static inline void sample_events(struct perfdata_info *info, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		struct perfdata_event e = { 0 };
		char name[64];

		e.attr.type = i % 2 ? ATTR_TYPE_RAW : ATTR_TYPE_SOFTWARE;
		e.attr.size = ATTR_SIZE_VER7;
		e.attr.config = i;
		e.attr.sample_type = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME;
		e.attr.flags = ATTR_SAMPLE_ID_ALL;
		e.layout = sample_layout_of(&e.attr);
		snprintf(name, sizeof(name), "event number %u", i);
		e.name = arena_str(&info->arena, name, strlen(name));
		e.nr_ids = 1 + i % 3;
		e.ids = arena_alloc(&info->arena, e.nr_ids * 8ul);
		for (uint32_t k = 0; k < e.nr_ids; k++)
			e.ids[k] = 1000 + i * 10 + k;
		vec_push(&info->events, e);
	}
}

/* Strings of the sizes where the padding to 64 changes. */
static inline const char *sample_string(struct perfdata_info *info, uint32_t len)
{
	char *s = arena_alloc(&info->arena, len + 1ul);

	for (uint32_t i = 0; i < len; i++)
		s[i] = (char)('a' + (i + len) % 26);
	s[len] = 0;
	return s;
}

static inline void sample_machine(struct perfdata_info *info)
{
	info->hostname = sample_string(info, 63);
	info->osrelease = sample_string(info, 64);
	info->version = sample_string(info, 0);
	info->arch = sample_string(info, 65);
	info->cpudesc = sample_string(info, 127);
	info->cpuid = sample_string(info, 1);
	info->nrcpus_online = 3;
	info->nrcpus_avail = 4;
	info->total_mem_kb = 123456789;
	for (uint32_t i = 0; i < 4; i++) {
		struct perfdata_cpu cpu = { (int32_t)i, i / 2, (int32_t)i / 2 };

		vec_push(&info->cpus, cpu);
		vec_push(&info->thread_siblings, sample_string(info, i + 1));
	}
	vec_push(&info->core_siblings, "0-3");
	vec_push(&info->die_siblings, "0-1");
	vec_push(&info->die_siblings, "2-3");
	vec_push(&info->numa_nodes, ((struct perfdata_numa_node){ 1, 2000, 1000, "0-3" }));
	vec_push(&info->numa_nodes, ((struct perfdata_numa_node){ 7, 4000, 3000, "4" }));
	vec_push(&info->caches, ((struct perfdata_cache){ 1, 64, 128, 8, "Data", "32K", "0" }));
	vec_push(&info->caches, ((struct perfdata_cache){ 3, 64, 1, 16, "Unified", "32M", "0-3" }));
	vec_push(&info->pmus, ((struct perfdata_pmu){ 1, "software" }));
	vec_push(&info->pmus, ((struct perfdata_pmu){ 99, "uncore" }));
	info->mem_block_size = 0x8000000;
	for (uint64_t i = 0; i < 2; i++) {
		struct perfdata_mem_node node = { .node = i, .nr_bits = 64 + 36 * i };

		node.bitmap = arena_alloc(&info->arena, 16);
		node.bitmap[0] = 0xff00ff;
		node.bitmap[1] = i ? 0xfffffffff : 0;
		vec_push(&info->mem_nodes, node);
	}
}

static inline void sample_info(struct perfdata_info *info, uint32_t nr_events)
{
	static const char *cmdline[] = { "assay", "record", "-e", "x y", "--", "true" };

	perfdata_info_init(info);
	sample_events(info, nr_events);
	sample_machine(info);
	info->features = SAMPLE_EVERY_FEATURE;
	info->cmdline = cmdline;
	info->nr_cmdline = 6;
	vec_push(&info->groups, ((struct perfdata_group){ "{a,b}", 0, 2 }));
	info->first_sample_ns = 12345678901;
	info->last_sample_ns = 22345678901;
	info->clockid_res_ns = 1;
	info->clockid = 4;
	info->clock_tod_ns = 1700000000123456789;
	info->clock_ref_ns = 99;
	for (uint32_t i = 0; i < 3; i++) {
		struct perfdata_build_id b = { .misc = MISC_USER, .pid = -1, .size = 20 };

		b.misc = i ? MISC_USER : MISC_KERNEL;
		b.size = i == 2 ? 16 : 20;
		memset(b.id, (int)i + 1, b.size);
		b.filename = sample_string(info, 60 + 3 * i);
		vec_push(&info->build_ids, b);
	}
	info->tracing_data = "not really formats";
	info->tracing_data_size = 16;
	for (uint32_t f = 1; f < FEAT_LAST; f++)
		if (f == FEAT_BPF_PROG_INFO || f == FEAT_BPF_BTF || f == FEAT_CPU_PMU_CAPS || f == FEAT_HYBRID_TOPOLOGY ||
		    f == FEAT_PMU_CAPS)
			vec_push(&info->raw_features, ((struct perfdata_raw_feature){ f, 8, "rawbytes" }));
}

/* The i-th record: of a type that nobody interprets, with a size from 8 to 65528. */
static inline uint32_t sample_record(uint32_t i, uint8_t *buf)
{
	struct record_header h = { .type = 48, .misc = (uint16_t)i };
	uint64_t rng = i;

	h.size = (uint16_t)(i % 50 == 49 ? 65528 - 8 * (i % 64) : 8 + 8 * (sample_rng(&rng) % 40));
	memset(buf, (int)(i * 7), h.size);
	memcpy(buf, &h, sizeof(h));
	if (h.size >= 16)
		memcpy(buf + 8, &i, sizeof(i));
	return h.size;
}

struct sample_write {
	struct writer_options opts;
	uint32_t nr_records, nr_events;
	bool two_parts, killed;
	uint32_t sync_every; /* 0: never */
};

/* A memory file with `how` in it; *info is the caller's to fini. */
static inline int sample_file(const struct sample_write *how, struct perfdata_info *info)
{
	int fd = memfd_create("perf.data", MFD_CLOEXEC);
	uint8_t *buf = mem_alloc(65536);
	struct perfdata_info start;
	struct errbuf eb = { 0 };
	struct writer *w;

	sample_info(info, how->nr_events);
	start = *info; /* some features are known at the end only */
	start.features &= ~(1ULL << FEAT_BUILD_ID | 1ULL << FEAT_SAMPLE_TIME);
	start.hostname = "changes";
	if (how->opts.pipe_mode)
		start = *info;
	assert_int_equal(writer_open(&w, fd, &how->opts, &start, &eb), 0);
	for (uint32_t i = 0; i < how->nr_records; i++) {
		uint32_t size = sample_record(i, buf), part = how->two_parts ? size / 16 * 8 : size;

		assert_int_equal(writer_append2(w, buf, part, buf + part, size - part, i % 7 != 0), 0);
		if (how->sync_every && i % how->sync_every == 0)
			assert_int_equal(writer_sync(w), 0);
	}
	assert_int_equal(how->killed ? writer_sync(w) : writer_finish(w, info, &eb), 0);
	assert_string_equal(eb.text, "");
	writer_free(w);
	free(buf);
	return fd;
}

static inline int sample_open(struct record_source **r, int fd, struct errbuf *eb)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return reader_open(r, path, READER_ANY_OWNER, eb);
}

#endif
