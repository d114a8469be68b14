/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counters of /proc/schedstat: texts that are whole and malformed, masks as lists, records there and back, differences that wrap, means.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/schedstat_text.h"
#include "model/schedstat_sums.h"
#include "perfdata/schedstat_record.h"

/* A text of two CPUs with a domain each; counters are `scale` times their place. */
static void make_text(char *text, size_t size, unsigned version, uint64_t scale, const char *mask)
{
	size_t len = (size_t)snprintf(text, size, "version %u\ntimestamp %llu\n", version, (unsigned long long)(1000 * scale));

	for (unsigned cpu = 0; cpu < 2; cpu++) {
		len += (size_t)snprintf(text + len, size - len, "cpu%u", cpu);
		for (unsigned i = 1; i <= SCHEDSTAT_NR_CPU; i++)
			len += (size_t)snprintf(text + len, size - len, " %llu", (unsigned long long)(i * scale * (cpu + 1)));
		len += (size_t)snprintf(text + len, size - len, "\ndomain0 %s%s", version >= 17 ? "MC " : "", mask);
		for (unsigned i = 1; i <= schedstat_nr_values(version, true); i++)
			len += (size_t)snprintf(text + len, size - len, " %llu", (unsigned long long)(i * scale));
		len += (size_t)snprintf(text + len, size - len, "\n");
	}
}

static void test_texts(void **state)
{
	struct errbuf eb;
	char text[8192];

	(void)state;
	for (unsigned version = 15; version <= 17; version++) {
		struct schedstat s = { 0 };
		struct schedstat_sums sums;

		errbuf_clear(&eb);
		make_text(text, sizeof(text), version, 1, "00000001,0000000d");
		assert_int_equal(schedstat_parse(&s, text, &eb), 0);
		make_text(text, sizeof(text), version, 4, "00000001,0000000d");
		assert_int_equal(schedstat_parse(&s, text, &eb), 0);
		assert_int_equal(s.rows.nr, 8);
		assert_int_equal(s.domains.nr, 2);
		assert_string_equal(s.domains.v[1].cpus, "0,2-3,32");
		assert_string_equal(s.domains.v[1].name, version >= 17 ? "MC" : "");
		assert_int_equal(schedstat_sums_init(&sums, &s, "x", &eb), 0);
		assert_true(sums.jiffies == 3000);
		/* CPUs moved by 3 and 6 times the place: the mean is cut, as perf's. */
		assert_true(sums.rows.v[2].values[8] == 54 && sums.means.v[0].values[8] == 40 && sums.means.v[1].values[2] == 9);
		schedstat_sums_fini(&sums);
		schedstat_fini(&s);
	}
}

static void test_malformed(void **state)
{
	static const char *const texts[] = {
		"",
		"cpu0 1 2 3 4 5 6 7 8 9\n",
		"version 17\n",
		"version 17\ntimestamp x\ncpu0 1 2 3 4 5 6 7 8 9\n",
		"version 17\ntimestamp 1\ncpu0 1 2 3 4 5 6 7 8\n",
		"version 17\ntimestamp 1\ncpu0 1 2 3 4 5 6 7 8 99999999999999999999999\n",
		"version 17\ntimestamp 1\ndomain0 MC 3 1\n",
		"version 17\ntimestamp 1\ncpu0 1 2 3 4 5 6 7 8 9\ndomain0 MC xyz 1 2 3\n",
		"version 99\ntimestamp 1\ncpu0 1\n",
		"version 14\n",
	};
	struct errbuf eb;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct schedstat s = { 0 };

		errbuf_clear(&eb);
		assert_true(schedstat_parse(&s, texts[i], &eb) < 0);
		schedstat_fini(&s);
	}
}

static void test_wrap(void **state)
{
	struct schedstat s = { .version = 17 };
	struct schedstat_row a = { .timestamp = 1 }, b = { .timestamp = 2 };
	struct schedstat_sums sums;
	struct errbuf eb;

	(void)state;
	errbuf_clear(&eb);
	a.values[0] = UINT32_MAX;
	b.values[0] = 4;
	a.values[6] = UINT32_MAX;
	b.values[6] = UINT64_C(1) << 32;
	vec_push(&s.rows, a);
	vec_push(&s.rows, b);
	assert_int_equal(schedstat_sums_init(&sums, &s, "x", &eb), 0);
	assert_true(sums.rows.v[0].values[0] == 5 && sums.rows.v[0].values[6] == 1);
	schedstat_sums_fini(&sums);
	/* A CPU that came in between. */
	s.rows.v[1].cpu = 1;
	assert_int_equal(schedstat_sums_init(&sums, &s, "x", &eb), -EBADMSG);
	schedstat_sums_fini(&sums);
	schedstat_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
