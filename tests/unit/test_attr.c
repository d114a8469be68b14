/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct attr: every size that the kernel ever had and larger ones, both byte orders, the
 * bit-fields.
 */
#include "abi/attr.h"

#include <errno.h>

#include "abi_writer.h"

static struct attr attr_random(uint64_t *rng)
{
	struct attr a;

	fill_random(rng, &a, sizeof(a));
	return a;
}

static void test_sizes_and_orders(void **state)
{
	static const uint32_t sizes[] = { 64, 72, 80, 96, 104, 112, 120, 128, 136, 144, 152, 4096 };
	static struct writer w;
	uint64_t rng = 7;

	(void)state;
	for (unsigned big = 0; big < 2; big++) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			uint32_t size = sizes[i], kept = size < 144 ? size : 144;
			struct attr want = attr_random(&rng), got;
			struct bytes b;

			want.size = size;
			w.len = 0;
			w.big = big;
			write_attr(&w, &want);
			b = bytes_of(w.buf, size + 8, big);
			assert_int_equal(attr_decode(&b, &got), 0);
			assert_int_equal(bytes_left(&b), 8);
			assert_int_equal(got.size, kept);
			want.size = kept;
			assert_memory_equal(&got, &want, kept);
			for (size_t j = kept; j < sizeof(got); j++)
				assert_int_equal(((uint8_t *)&got)[j], 0);
		}
	}
}

static void test_each_flag_foreign(void **state)
{
	static struct writer w;

	(void)state;
	for (unsigned bit = 0; bit < 64; bit++) {
		struct attr want = { .size = 144, .flags = 1ULL << bit }, got;
		struct bytes b;

		w.len = 0;
		w.big = true;
		write_attr(&w, &want);
		b = bytes_of(w.buf, w.len, true);
		assert_int_equal(attr_decode(&b, &got), 0);
		assert_int_equal(got.flags, want.flags);
	}
}

/* The bytes of a real big-endian attr: disabled, inherit, precise_ip=2, sample_id_all. */
static void test_known_foreign_flags(void **state)
{
	uint8_t raw[64] = { [7] = 64, [40] = 0xc0, [41] = 0x01, [42] = 0x20 };
	struct bytes b = bytes_of(raw, sizeof(raw), true);
	struct attr a;

	(void)state;
	assert_int_equal(attr_decode(&b, &a), 0);
	assert_int_equal(a.flags, ATTR_DISABLED | ATTR_INHERIT | ATTR_SAMPLE_ID_ALL | 2ULL << ATTR_PRECISE_IP_SHIFT);
	assert_int_equal(attr_precise_ip(&a), 2);
}

static int decode_with(uint32_t size_field, size_t there, struct attr *a)
{
	uint8_t buf[256] = { 0 };
	struct bytes b;
	void *copy;
	int err;

	memcpy(buf + 4, &size_field, 4);
	copy = exact_copy(buf, there);
	b = bytes_of(copy, there, false);
	err = attr_decode(&b, a);
	assert_true(b.failed == (err != 0));
	free(copy);
	return err;
}

static void test_bad_sizes(void **state)
{
	struct attr a;

	(void)state;
	assert_int_equal(decode_with(0, 64, &a), 0); /* the first perf left it out */
	assert_int_equal(a.size, 64);
	assert_int_equal(decode_with(0, 63, &a), -EBADMSG);
	assert_int_equal(decode_with(56, 200, &a), -EBADMSG);
	assert_int_equal(decode_with(100, 200, &a), -EBADMSG);
	assert_int_equal(decode_with(128, 127, &a), -EBADMSG);
	assert_int_equal(decode_with(0xfffffff8, 200, &a), -EBADMSG);
	for (size_t there = 0; there < 64; there++)
		assert_int_equal(decode_with(64, there, &a), -EBADMSG);
}

static void test_slot(void **state)
{
	static struct writer w;
	uint64_t rng = 9;
	struct attr want = attr_random(&rng), got;
	struct bytes b;

	(void)state;
	want.size = 128;
	write_attr(&w, &want);

	/* An attr of 128 in a slot of 144: the surplus is not attr. */
	b = bytes_of(w.buf, 160, false);
	assert_int_equal(attr_decode_slot(&b, 144, &got), 0);
	assert_int_equal(bytes_left(&b), 16);
	assert_memory_equal(&got, &want, 128);
	assert_int_equal(got.config3, 0);

	b = bytes_of(w.buf, 160, false);
	assert_int_equal(attr_decode_slot(&b, 120, &got), -EBADMSG);
	b = bytes_of(w.buf, 130, false);
	assert_int_equal(attr_decode_slot(&b, 144, &got), -EBADMSG);
	b = bytes_of(w.buf, 160, false);
	assert_int_equal(attr_decode_slot(&b, UINT64_MAX, &got), -EBADMSG);
	b = bytes_of(w.buf, 160, false);
	assert_int_equal(attr_decode_slot(&b, 0, &got), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes_and_orders),
		cmocka_unit_test(test_each_flag_foreign),
		cmocka_unit_test(test_known_foreign_flags),
		cmocka_unit_test(test_bad_sizes),
		cmocka_unit_test(test_slot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
