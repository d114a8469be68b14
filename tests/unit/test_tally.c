/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The tally: spans as rings give them, cut at every place, count the same; damage ends a span;
 * mapped files are noted once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "abi/record.h"
#include "capture/tally.h"

static const struct attr tracking = {
	.size = ATTR_SIZE_VER7,
	.sample_type = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME,
	.flags = ATTR_SAMPLE_ID_ALL,
};

struct buffer {
	uint64_t words[512];
	size_t size;
};

static void add(struct buffer *b, const struct record *rec)
{
	struct sample_layout l = sample_layout_of(&tracking);
	int64_t n = record_encode(rec, &l, (uint8_t *)b->words + b->size, sizeof(b->words) - b->size);

	assert_true(n > 0 && n % 8 == 0);
	b->size += (size_t)n;
}

static void add_sample(struct buffer *b, uint64_t time_ns)
{
	struct record_header h = { .type = RECORD_SAMPLE, .misc = MISC_USER };
	struct record rec = { .header = &h };

	rec.sample.ip = 0x1000;
	rec.sample.time_ns = time_ns;
	add(b, &rec);
}

static void add_lost(struct buffer *b, uint64_t lost)
{
	struct record_header h = { .type = RECORD_LOST };
	struct record rec = { .header = &h };

	rec.lost.lost = lost;
	add(b, &rec);
}

static void add_mmap2(struct buffer *b, const char *name, uint64_t ino, uint32_t prot)
{
	struct record_header h = { .type = RECORD_MMAP2, .misc = MISC_USER };
	struct record rec = { .header = &h };

	rec.mmap.pid = rec.mmap.tid = 42;
	rec.mmap.ino = ino;
	rec.mmap.prot = prot;
	rec.mmap.filename = name;
	add(b, &rec);
}

static void fill(struct buffer *b)
{
	b->size = 0;
	add_mmap2(b, "/usr/bin/true", 7, PROT_READ | PROT_EXEC);
	add_sample(b, 300);
	add_lost(b, 5);
	add_sample(b, 200);
	add_mmap2(b, "/usr/bin/true", 7, PROT_READ | PROT_EXEC);
	add_mmap2(b, "/usr/lib/data", 8, PROT_READ);
	add_mmap2(b, "[vdso]", 0, PROT_EXEC);
	add_mmap2(b, "//anon", 0, PROT_EXEC);
	add_lost(b, 6);
	add_sample(b, 900);
}

static void test_kernel_samples(void **state)
{
	struct record_header *h;
	struct buffer b = { 0 };
	struct tally t;

	(void)state;
	add_sample(&b, 1);
	h = (void *)b.words;
	h->misc = MISC_KERNEL;
	add_sample(&b, 2);
	tally_init(&t, &tracking, NULL);
	tally_records(&t, b.words, b.size);
	assert_int_equal(t.nr_samples, 2);
	assert_int_equal(t.nr_kernel_samples, 1);
	tally_fini(&t);
}

static void test_every_cut(void **state)
{
	struct buffer b;

	(void)state;
	fill(&b);
	for (size_t cut = 0; cut <= b.size; cut += 8) {
		/* copies, so that a read across the cut would be seen by the sanitizer */
		void *first = malloc(cut ? cut : 1), *second = malloc(b.size - cut + 1);
		struct mapped_files files;
		struct tally t;

		mapped_files_init(&files);
		memcpy(first, b.words, cut);
		memcpy(second, (uint8_t *)b.words + cut, b.size - cut);
		tally_init(&t, &tracking, &files);
		tally_span(&t, &(struct ring_span){ first, second, cut, b.size });
		assert_int_equal(t.nr_samples, 3);
		assert_int_equal(t.nr_lost_records, 11);
		assert_int_equal(t.nr_damaged, 0);
		assert_int_equal(t.first_ns, 300); /* the first and the last of the span */
		assert_int_equal(t.last_ns, 900);
		assert_int_equal(mapped_files_nr(&files), 1);
		assert_string_equal(mapped_files_get(&files, 0)->path, "/usr/bin/true");
		mapped_files_fini(&files);
		tally_fini(&t);
		free(first);
		free(second);
	}
}

static void test_damage(void **state)
{
	static const uint16_t sizes[] = { 0, 4, 12, 65528 };
	struct buffer b;
	struct tally t;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct record_header *h;

		b.size = 0;
		add_sample(&b, 1);
		h = (struct record_header *)((uint8_t *)b.words + b.size);
		add_sample(&b, 2);
		h->size = sizes[i];
		tally_init(&t, &tracking, NULL);
		tally_records(&t, b.words, b.size);
		assert_int_equal(t.nr_samples, 1);
		assert_int_equal(t.nr_damaged, 1);
		tally_fini(&t);
	}
}

/* Chains of so many addresses, in samples without registers. */
static void test_chains(void **state)
{
	static const struct attr chains = {
		.size = ATTR_SIZE_VER7,
		.sample_type = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CALLCHAIN,
	};
	/* two marks and 4, one mark and 5, two marks and 5 addresses, nothing */
	static const uint64_t ips[][7] = {
		{ CHAIN_KERNEL, 1, 2, CHAIN_USER, 3, 4 }, { CHAIN_USER, 1, 2, 3, 4, 5 }, { CHAIN_KERNEL, 1, 2, CHAIN_USER, 3, 4, 5 }, { 0 }
	};
	static const uint64_t nr_ips[] = { 6, 6, 7, 0 };
	struct sample_layout l = sample_layout_of(&chains);
	uint64_t words[128];
	size_t size = 0;
	struct tally t;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct record_header h = { .type = RECORD_SAMPLE };
		struct record rec = { .header = &h };

		rec.sample.ips = ips[i];
		rec.sample.nr_ips = nr_ips[i];
		size += (size_t)record_encode(&rec, &l, (uint8_t *)words + size, sizeof(words) - size);
	}
	for (size_t cut = 0; cut <= size; cut += 8) {
		tally_init(&t, &chains, false);
		tally_watch_chains(&t, 24, 5);
		tally_span(&t, &(struct ring_span){ (uint8_t *)words, (uint8_t *)words + cut, cut, size });
		assert_int_equal(t.nr_samples, 4);
		assert_int_equal(t.nr_full_chains, 2);
		tally_fini(&t);
	}
	/* A length beyond the record is no chain. */
	words[4] = UINT64_MAX / 8;
	tally_init(&t, &chains, false);
	tally_watch_chains(&t, 24, 5);
	tally_records(&t, words, size);
	assert_int_equal(t.nr_full_chains, 2);
	tally_fini(&t);
}

static void test_nothing(void **state)
{
	struct tally t;

	(void)state;
	tally_init(&t, &tracking, NULL);
	tally_records(&t, NULL, 0);
	assert_int_equal(t.nr_samples + t.nr_damaged + t.first_ns, 0);
	tally_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_samples), cmocka_unit_test(test_every_cut), cmocka_unit_test(test_damage),
		cmocka_unit_test(test_chains),	       cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
