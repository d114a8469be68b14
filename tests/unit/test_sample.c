/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Samples: every sample_type bit alone, all together and at random, through encode, decode and
 * swap, each against the independent writer of abi_writer.h; cut and hostile bodies; the trailer.
 */
#include "abi/sample.h"

#include <errno.h>

#include "abi_writer.h"

static struct writer native, foreign;
static uint8_t encoded[65536] __attribute__((aligned(8)));

static void write_both(const struct sample_layout *l, const struct sample *s, const struct read_source *src)
{
	native.len = foreign.len = 0;
	native.big = false;
	foreign.big = true;
	write_sample(&native, l, s, src);
	write_sample(&foreign, l, s, src);
	assert_int_equal(native.len, foreign.len);
}

static void check_round_trip(uint64_t *rng, const struct sample_layout *l)
{
	struct sample_store st;
	struct sample want, got;
	size_t size;
	void *copy;

	sample_random(rng, l, &st, &want);
	write_both(l, &want, &st.read);
	size = native.len;

	assert_int_equal(sample_size(l, &want), size);
	memset(encoded, 0xee, sizeof(encoded));
	assert_int_equal(sample_encode(l, &want, encoded, size), size);
	assert_bytes_equal(encoded, native.buf, size);
	assert_int_equal(encoded[size], 0xee);
	if (size)
		assert_int_equal(sample_encode(l, &want, encoded, size - 1), -ENOSPC);

	copy = exact_copy(native.buf, size);
	assert_int_equal(sample_decode(l, copy, size, &got), 0);
	assert_sample_equal(l, &got, &want, &st.read);
	/* What was decoded can be encoded. */
	assert_int_equal(sample_encode(l, &got, encoded, sizeof(encoded)), size);
	assert_bytes_equal(encoded, native.buf, size);
	free(copy);

	copy = exact_copy(foreign.buf, size);
	assert_int_equal(sample_swap(l, copy, size), 0);
	assert_bytes_equal(copy, native.buf, size);
	assert_int_equal(sample_decode(l, copy, size, &got), 0);
	assert_sample_equal(l, &got, &want, &st.read);
	free(copy);
}

static void test_each_bit(void **state)
{
	uint64_t rng = 1;

	(void)state;
	for (unsigned bit = 0; bit < 64; bit++) {
		struct sample_store st;
		struct sample s;
		struct sample_layout l;

		if (!(SAMPLE_ALL >> bit & 1))
			continue;
		for (unsigned i = 0; i < 50; i++) {
			l = layout_random(&rng, 1ULL << bit);
			check_round_trip(&rng, &l);
		}
		/* A bit without a codec would pass for an empty sample. */
		sample_random(&rng, &l, &st, &s);
		assert_true(sample_size(&l, &s) >= 8);
		write_both(&l, &s, &st.read);
		assert_true(native.len >= 8);
	}
}

static void test_all_bits(void **state)
{
	uint64_t rng = 2;

	(void)state;
	for (unsigned i = 0; i < 500; i++) {
		struct sample_layout l = layout_random(&rng, SAMPLE_ALL);

		check_round_trip(&rng, &l);
	}
}

static void test_random_bits(void **state)
{
	uint64_t rng = 3;

	(void)state;
	for (unsigned i = 0; i < 5000; i++) {
		struct sample_layout l = layout_random(&rng, rng_next(&rng) & SAMPLE_ALL);

		check_round_trip(&rng, &l);
	}
}

static void test_read_formats(void **state)
{
	uint64_t rng = 4;

	(void)state;
	for (uint64_t format = 0; format < 32; format++) {
		for (unsigned i = 0; i < 20; i++) {
			struct sample_layout l = layout_random(&rng, SAMPLE_READ | SAMPLE_CALLCHAIN);

			l.read_format = format;
			check_round_trip(&rng, &l);
		}
	}
}

/* Of a body that is complete to the last byte, no shorter one can be decoded or swapped. */
static void test_cut_everywhere(void **state)
{
	uint64_t rng = 5;

	(void)state;
	for (unsigned i = 0; i < 30; i++) {
		struct sample_layout l = layout_random(&rng, SAMPLE_ALL);
		struct sample_store st;
		struct sample s, got;

		sample_random(&rng, &l, &st, &s);
		write_both(&l, &s, &st.read);
		for (size_t size = 0; size < native.len; size++) {
			void *copy = exact_copy(native.buf, size);

			assert_int_equal(sample_decode(&l, copy, size, &got), -EBADMSG);
			memcpy(copy, foreign.buf, size);
			assert_int_equal(sample_swap(&l, copy, size), -EBADMSG);
			free(copy);
		}
	}
}

/* The short way gives what the long one does, and refuses what that one refuses. */
static void test_places(void **state)
{
	const uint64_t needed = SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_RAW;
	const uint64_t others = SAMPLE_IP | SAMPLE_ADDR | SAMPLE_ID | SAMPLE_STREAM_ID | SAMPLE_PERIOD | SAMPLE_IDENTIFIER |
				SAMPLE_CALLCHAIN;
	uint64_t rng = 6;

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		struct sample_layout l = layout_random(&rng, needed | (rng_next(&rng) & others));
		struct sample_places p = sample_places_of(&l);
		struct sample whole, got = { 0 };
		struct sample_store st;
		size_t size;

		assert_true(p.is_known);
		sample_random(&rng, &l, &st, &whole);
		write_both(&l, &whole, &st.read);
		size = i % 2 ? rng_next(&rng) % (native.len + 1) / 8 * 8 : native.len;

		void *copy = exact_copy(native.buf, size);

		if (sample_decode(&l, copy, size, &whole)) {
			assert_false(sample_decode_places(&p, copy, size, &got));
		} else {
			assert_true(sample_decode_places(&p, copy, size, &got));
			assert_true(got.pid == whole.pid && got.tid == whole.tid && got.time_ns == whole.time_ns && got.cpu == whole.cpu);
			assert_true(got.nr_ips == whole.nr_ips && (!got.nr_ips || got.ips == whole.ips));
			assert_true(got.raw == whole.raw && got.raw_size == whole.raw_size);
		}
		free(copy);
		l.sample_type |= SAMPLE_READ;
		assert_false(sample_places_of(&l).is_known);
	}
}

/* One word that says more than is there, in each of the places where a word is a count or a size.
 */
static void test_hostile_counts(void **state)
{
	static const uint64_t counts[] = {
		5,	   1000, UINT32_MAX, 1ULL << 32, 1ULL << 60, 1ULL << 61, UINT64_MAX / 24 + 1, UINT64_MAX / 16 + 1, UINT64_MAX - 7,
		UINT64_MAX
	};
	static const uint64_t types[] = { SAMPLE_READ, SAMPLE_CALLCHAIN, SAMPLE_RAW, SAMPLE_BRANCH_STACK, SAMPLE_STACK_USER, SAMPLE_AUX };

	(void)state;
	for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
		for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
			struct sample_layout l = { .sample_type = types[t], .read_format = READ_GROUP | READ_ID };
			uint64_t body[4] = { counts[i] }, swapped = __builtin_bswap64(counts[i]);
			struct sample s;

			/* 5 bytes fit and are refused for their alignment only where that matters.
			 */
			if (counts[i] == 5 && types[t] == SAMPLE_AUX)
				continue;
			if (types[t] == SAMPLE_RAW) {
				uint32_t raw = (uint32_t)counts[i] ? (uint32_t)counts[i] : 1000;

				memcpy(body, &raw, 4);
				swapped = __builtin_bswap32(raw);
			}
			assert_int_equal(sample_decode(&l, body, sizeof(body), &s), -EBADMSG);
			body[0] = swapped;
			assert_int_equal(sample_swap(&l, body, sizeof(body)), -EBADMSG);
		}
	}
}

static void test_stack_says_more_than_copied(void **state)
{
	struct sample_layout l = { .sample_type = SAMPLE_STACK_USER };
	uint64_t body[] = { 8, 0, 9 };
	struct sample s = { .stack = body, .stack_size = 12 };

	(void)state;
	assert_int_equal(sample_encode(&l, &s, encoded, sizeof(encoded)), -EINVAL);
	assert_int_equal(sample_decode(&l, body, sizeof(body), &s), -EBADMSG);
	body[2] = 8;
	assert_int_equal(sample_decode(&l, body, sizeof(body), &s), 0);
	assert_int_equal(s.stack_dyn_size, 8);
}

static void test_raw_is_padded(void **state)
{
	struct sample_layout l = { .sample_type = SAMPLE_RAW | SAMPLE_CGROUP };
	struct sample s = { .raw = "abcdefg", .raw_size = 7, .cgroup = 77 }, got;

	(void)state;
	assert_int_equal(sample_encode(&l, &s, encoded, sizeof(encoded)), 24);
	assert_int_equal(sample_decode(&l, encoded, 24, &got), 0);
	assert_int_equal(got.raw_size, 12);
	assert_memory_equal(got.raw, "abcdefg\0\0\0\0\0", 12);
	assert_int_equal(got.cgroup, 77);
}

static void test_branch_count_alone(void **state)
{
	struct sample_layout l = { .sample_type = SAMPLE_IP | SAMPLE_BRANCH_STACK,
				   .branch_sample_type = BRANCH_HW_INDEX | BRANCH_COUNTERS };
	uint64_t body[] = { 0x1234, 0 };
	struct sample s;

	(void)state;
	assert_int_equal(sample_decode(&l, body, sizeof(body), &s), 0);
	assert_int_equal(s.nr_branches, 0);
	assert_int_equal(sample_swap(&l, body, sizeof(body)), 0);
}

static void test_newer_bits_and_absent_fields(void **state)
{
	struct sample_layout l = { .sample_type = SAMPLE_IP | 1ULL << 40 };
	uint64_t body[] = { 0x1234, 99 };
	struct sample s;

	(void)state;
	memset(&s, 0x5a, sizeof(s));
	assert_int_equal(sample_decode(&l, body, sizeof(body), &s), 0);
	assert_int_equal(s.ip, 0x1234);
	assert_int_equal(s.pid, UINT32_MAX);
	assert_int_equal(s.tid, UINT32_MAX);
	assert_int_equal(s.cpu, UINT32_MAX);
	assert_int_equal(s.time_ns, UINT64_MAX);
	assert_int_equal(s.id, UINT64_MAX);
	assert_int_equal(s.period, 0);
	assert_int_equal(s.nr_ips, 0);
	assert_null(s.ips);
	assert_null(s.raw);
}

static void test_trailer(void **state)
{
	uint64_t rng = 6;

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		struct sample_layout l = layout_random(&rng, rng_next(&rng) & SAMPLE_ALL);
		struct sample_id want, got;
		uint64_t buf[8];

		fill_random(&rng, &want, sizeof(want));
		native.len = 0;
		native.big = false;
		write_trailer(&native, &l, &want);
		assert_int_equal(sample_id_size(&l), native.len);
		assert_int_equal(sample_id_encode(&l, &want, buf), native.len);
		assert_bytes_equal(buf, native.buf, native.len);
		assert_int_equal(sample_id_decode(&l, native.buf + native.len, native.len, &got), 0);

		if (!l.id_all)
			l.sample_type = 0;
		assert_int_equal(got.pid, l.sample_type & SAMPLE_TID ? want.pid : UINT32_MAX);
		assert_int_equal(got.tid, l.sample_type & SAMPLE_TID ? want.tid : UINT32_MAX);
		assert_int_equal(got.time_ns, l.sample_type & SAMPLE_TIME ? want.time_ns : UINT64_MAX);
		assert_int_equal(got.id, l.sample_type & (SAMPLE_ID | SAMPLE_IDENTIFIER) ? want.id : UINT64_MAX);
		assert_int_equal(got.cpu, l.sample_type & SAMPLE_CPU ? want.cpu : UINT32_MAX);
		if (native.len)
			assert_int_equal(sample_id_decode(&l, native.buf + native.len, native.len - 1, &got), -EBADMSG);
	}
}

static void test_layout_of_attr(void **state)
{
	struct attr a = { .sample_type = 1,
			  .read_format = 2,
			  .branch_sample_type = 3,
			  .sample_regs_user = 4,
			  .sample_regs_intr = 5,
			  .flags = ATTR_SAMPLE_ID_ALL | ATTR_MMAP };
	struct sample_layout l = sample_layout_of(&a);

	(void)state;
	assert_int_equal(l.sample_type, 1);
	assert_int_equal(l.read_format, 2);
	assert_int_equal(l.branch_sample_type, 3);
	assert_int_equal(l.regs_user, 4);
	assert_int_equal(l.regs_intr, 5);
	assert_true(l.id_all);
	a.flags = ATTR_MMAP;
	assert_false(sample_layout_of(&a).id_all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_bit),
		cmocka_unit_test(test_all_bits),
		cmocka_unit_test(test_random_bits),
		cmocka_unit_test(test_read_formats),
		cmocka_unit_test(test_cut_everywhere),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_hostile_counts),
		cmocka_unit_test(test_stack_says_more_than_copied),
		cmocka_unit_test(test_raw_is_padded),
		cmocka_unit_test(test_branch_count_alone),
		cmocka_unit_test(test_newer_bits_and_absent_fields),
		cmocka_unit_test(test_trailer),
		cmocka_unit_test(test_layout_of_attr),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
