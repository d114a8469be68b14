/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Records as a big-endian machine writes them → record_swap() → byte for byte what a little-endian
 * machine would have written. The kernel's types come from record_writer.h, perf's own from here.
 */
#include "abi/record.h"

#include <errno.h>

#include "record_writer.h"

#define NR_KERNEL_TYPES 22

static struct writer native, foreign;

/* Swaps a copy of the foreign record and compares; then every cut of it must be survived. */
static void check_swap(const struct sample_layout *l)
{
	struct record_header *h = exact_copy(foreign.buf, foreign.len);

	assert_int_equal(native.len, foreign.len);
	record_header_swap(h);
	assert_memory_equal(h, native.buf, sizeof(*h));
	assert_int_equal(record_swap(h, l), 0);
	assert_memory_equal(h, native.buf, native.len);
	free(h);

	for (uint16_t size = 0; size < foreign.len; size++) {
		int err;

		h = exact_copy(foreign.buf, size < 8 ? 8 : size);
		record_header_swap(h);
		h->size = size;
		err = record_swap(h, l);
		assert_true(size < 8 ? err == -EBADMSG : !err || err == -EBADMSG);
		free(h);
	}
}

static void test_kernel_records(void **state)
{
	uint64_t rng = 21;

	(void)state;
	for (uint32_t type = 1; type <= NR_KERNEL_TYPES; type++) {
		for (unsigned i = 0; i < 40; i++) {
			struct sample_layout l = layout_random(&rng, rng_next(&rng) & SAMPLE_ALL);
			struct record_store st;
			struct record r, got;

			record_random(&rng, type, &l, &st, &r);
			write_record(&native, false, &r, &l, &st.sample.read);
			write_record(&foreign, true, &r, &l, &st.sample.read);
			check_swap(&l);
			assert_int_equal(record_decode((void *)native.buf, &l, &got), 0);
		}
	}
}

/* The variants of a CPU map: a list, masks of 4 and of 8 bytes, a range, an unknown one. */
static void write_cpu_map(struct writer *w, unsigned variant)
{
	static const uint16_t kinds[] = { 0, 1, 1, 2, 7 };

	write_num(w, kinds[variant], 2);
	switch (variant) {
	case 0:
		write_num(w, 3, 2);
		for (unsigned i = 0; i < 3; i++)
			write_num(w, 0x102 + i, 2);
		break;
	case 1:
		write_num(w, 2, 2);
		write_num(w, 4, 2);
		write_num(w, 0x01020304, 4);
		write_num(w, 0x05060708, 4);
		break;
	case 2:
		write_num(w, 2, 2);
		write_num(w, 8, 2);
		write_data(w, "\0\0\0\0", 4);
		write_num(w, 0x0102030405060708, 8);
		write_num(w, 0x1112131415161718, 8);
		break;
	case 3:
		write_num(w, 1, 1);
		write_num(w, 0, 1);
		write_num(w, 0x102, 2);
		write_num(w, 0x304, 2);
		break;
	default:
		write_data(w, "anything", 8);
	}
	/* perf pads to eight, with whatever was there. */
	while (w->len % 8)
		w->buf[w->len++] = 0;
}

static void write_attr_record(struct writer *w, unsigned variant, uint64_t *rng)
{
	static const uint32_t sizes[] = { 64, 96, 128, 144 };
	struct attr a;
	size_t start = w->len;

	fill_random(rng, &a, sizeof(a));
	a.size = sizes[variant % 4];
	write_attr(w, &a);
	memset(w->buf + start + a.size, 0, sizeof(a) - a.size);
	w->len = start + a.size;
	for (unsigned i = 0; i < variant; i++)
		write_num(w, rng_next(rng), 8);
}

static void write_auxtrace_error(struct writer *w, unsigned fmt, uint64_t *rng)
{
	for (unsigned i = 0; i < 5; i++)
		write_num(w, (uint32_t)rng_next(rng), 4);
	write_num(w, fmt, 4);
	write_num(w, rng_next(rng), 8);
	if (fmt >= 1)
		write_num(w, rng_next(rng), 8);
	write_data(w, "a message of sixty-four bytes, as perf has it in its own struct.", 64);
	if (fmt >= 2) {
		write_num(w, 0x01020304, 4);
		write_num(w, 0x05060708, 4);
	}
}

static void write_event_update(struct writer *w, unsigned variant)
{
	write_num(w, variant < 3 ? variant : 3, 8);
	write_num(w, 0x1234, 8);
	if (variant == 1)
		write_num(w, 0x3ff0000000000001, 8);
	else if (variant < 3)
		write_str(w, "a unit or a name");
	else
		write_cpu_map(w, variant - 3);
}

static void write_numbers(struct writer *w, const char *widths, uint64_t *rng)
{
	for (; *widths; widths++)
		write_num(w, rng_next(rng), (unsigned)(*widths - '0'));
}

/* Entries of four words each, and in newer files two more for each behind them. */
static void write_id_index(struct writer *w, unsigned variant, uint64_t *rng)
{
	uint64_t nr = variant % 4;

	write_num(w, nr, 8);
	for (uint64_t i = 0; i < nr * (variant >= 4 ? 6 : 4); i++)
		write_num(w, rng_next(rng), 8);
}

static void write_thread_map(struct writer *w, unsigned nr, uint64_t *rng)
{
	write_num(w, nr, 8);
	for (unsigned i = 0; i < nr; i++) {
		write_num(w, rng_next(rng), 8);
		write_data(w, "the comm of task", 16);
	}
}

/* The body of one of perf's own records. */
static void write_user_body(struct writer *w, uint32_t type, unsigned variant, uint64_t *rng)
{
	switch (type) {
	case RECORD_HEADER_ATTR:
		return write_attr_record(w, variant, rng);
	case RECORD_HEADER_EVENT_TYPE:
		write_num(w, rng_next(rng), 8);
		return write_data(w, "the name, in sixty-four bytes.......", 36);
	case RECORD_HEADER_TRACING_DATA:
		return write_numbers(w, "4", rng);
	case RECORD_HEADER_BUILD_ID:
		write_num(w, 4711, 4);
		write_data(w, "0123456789abcdefghij\x14\0\0\0", 24);
		write_data(w, "/usr/bin/true", 14);
		return write_data(w, "\0\0\0\0\0\0", 6);
	case RECORD_FINISHED_ROUND:
	case RECORD_FINISHED_INIT:
		return;
	case RECORD_ID_INDEX:
		return write_id_index(w, variant, rng);
	case RECORD_AUXTRACE_INFO:
		return write_numbers(w, variant ? "448888" : "44", rng);
	case RECORD_AUXTRACE:
		return write_numbers(w, "8884444", rng);
	case RECORD_AUXTRACE_ERROR:
		return write_auxtrace_error(w, variant % 3, rng);
	case RECORD_THREAD_MAP:
		return write_thread_map(w, variant, rng);
	case RECORD_CPU_MAP:
		return write_cpu_map(w, variant % 5);
	case RECORD_STAT_CONFIG:
		write_num(w, variant, 8);
		for (unsigned i = 0; i < 2 * variant; i++)
			write_num(w, rng_next(rng), 8);
		return;
	case RECORD_STAT:
		return write_numbers(w, "844888", rng);
	case RECORD_STAT_ROUND:
		return write_numbers(w, "88", rng);
	case RECORD_EVENT_UPDATE:
		return write_event_update(w, variant);
	case RECORD_TIME_CONV:
		write_numbers(w, variant % 2 ? "888" : "88888", rng);
		return write_data(w, "\1\0\0\0\0\0\0\0", variant % 2 ? 0 : 8);
	case RECORD_HEADER_FEATURE:
		write_num(w, 17, 8);
		return write_data(w, "feature bytes as they are", 25);
	case RECORD_COMPRESSED:
		return write_data(w, "compressed", 10);
	case RECORD_COMPRESSED2:
		write_num(w, 10, 8);
		return write_data(w, "compressed\0\0\0\0\0\0", 16);
	default:
		fail_msg("no writer for record type %u", type);
	}
}

static void test_user_records(void **state)
{
	struct sample_layout l = { .sample_type = SAMPLE_ALL, .id_all = true };

	(void)state;
	for (uint32_t type = RECORD_USER_FIRST; type < RECORD_TYPE_MAX; type++) {
		for (unsigned variant = 0; variant < 8; variant++) {
			uint64_t rng = 100 + variant, again = rng;

			write_header(&native, false, type, 0x1234);
			write_user_body(&native, type, variant, &rng);
			write_end(&native);
			write_header(&foreign, true, type, 0x1234);
			write_user_body(&foreign, type, variant, &again);
			write_end(&foreign);
			check_swap(&l);
		}
	}
}

/* What is too short for its fixed part, or counts more than it holds, is refused. */
static void test_refused(void **state)
{
	static const struct {
		uint32_t type;
		uint16_t body_size;
		uint64_t words[3];
	} bad[] = {
		{ RECORD_HEADER_ATTR, 24, { 0 } },
		{ RECORD_HEADER_EVENT_TYPE, 7, { 0 } },
		{ RECORD_HEADER_TRACING_DATA, 3, { 0 } },
		{ RECORD_HEADER_BUILD_ID, 3, { 0 } },
		{ RECORD_ID_INDEX, 24, { 1 } },
		{ RECORD_ID_INDEX, 24, { 1ULL << 61 } },
		{ RECORD_AUXTRACE, 24, { 0 } },
		{ RECORD_AUXTRACE_ERROR, 24, { 0 } },
		{ RECORD_THREAD_MAP, 24, { 1 } },
		{ RECORD_THREAD_MAP, 24, { UINT64_MAX } },
		{ RECORD_STAT_CONFIG, 24, { 2 } },
		{ RECORD_STAT_CONFIG, 24, { 1ULL << 63 } },
		{ RECORD_STAT, 24, { 0 } },
		{ RECORD_STAT_ROUND, 8, { 0 } },
		{ RECORD_EVENT_UPDATE, 16, { 1 } },
		{ RECORD_EVENT_UPDATE, 16, { 3 } },
		{ RECORD_TIME_CONV, 16, { 0 } },
		{ RECORD_HEADER_FEATURE, 4, { 0 } },
		{ RECORD_COMPRESSED2, 4, { 0 } },
		{ RECORD_SWITCH_CPU_WIDE, 4, { 0 } },
		{ RECORD_NAMESPACES, 24, { 0, 1ULL << 60 } },
		{ RECORD_CALLCHAIN_DEFERRED, 24, { 0, 2 } },
		{ RECORD_READ, 8, { 0 } },
	};
	struct sample_layout l = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct record_header *h;

		write_header(&foreign, true, bad[i].type, 0);
		write_nums(&foreign, bad[i].words, 3);
		h = exact_copy(foreign.buf, 8u + bad[i].body_size);
		record_header_swap(h);
		h->size = (uint16_t)(8 + bad[i].body_size);
		assert_int_equal(record_swap(h, &l), -EBADMSG);
		free(h);
	}
}

static void test_cpu_map_refused(void **state)
{
	static const uint16_t bad[][4] = {
		{ 0, 3, 1, 1 }, /* three CPUs, two there */
		{ 1, 1, 4, 1 }, /* half a word of mask */
		{ 1, 1, 8, 0 }, /* no room for padding and word */
		{ 1, 1, 3, 0 }, /* words of three bytes */
	};
	struct sample_layout l = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		write_header(&foreign, true, RECORD_CPU_MAP, 0);
		for (unsigned j = 0; j < 4; j++)
			write_num(&foreign, bad[i][j], 2);
		write_end(&foreign);
		record_header_swap((void *)foreign.buf);
		assert_int_equal(record_swap((void *)foreign.buf, &l), -EBADMSG);
	}
}

static void test_unknown_types(void **state)
{
	static const uint32_t types[] = { 0, 23, 63, 84, UINT32_MAX };
	struct sample_layout l = { .sample_type = SAMPLE_ALL, .id_all = true };

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct {
			struct record_header header;
			uint64_t word;
		} rec = { { .type = types[i], .size = sizeof(rec) }, 0x0102030405060708 };

		assert_int_equal(record_swap(&rec.header, &l), 0);
		assert_int_equal(rec.word, 0x0102030405060708);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_records),	cmocka_unit_test(test_user_records),  cmocka_unit_test(test_refused),
		cmocka_unit_test(test_cpu_map_refused), cmocka_unit_test(test_unknown_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
