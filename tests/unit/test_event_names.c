/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names of generic events. What perf prints was taken from `perf evlist` (6.1) on made-up
 * files; tests/oracle/evlist_vs_perf.sh compares with the perf at hand.
 */
#include "abi/event_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#define KERNEL ATTR_EXCLUDE_KERNEL
#define USER ATTR_EXCLUDE_USER
#define HV ATTR_EXCLUDE_HV
#define HOST ATTR_EXCLUDE_HOST
#define GUEST ATTR_EXCLUDE_GUEST
#define P(n) ((uint64_t)(n) << ATTR_PRECISE_IP_SHIFT)

static void test_names(void **state)
{
	static const struct {
		uint32_t type;
		uint64_t config, flags;
		const char *name;
	} cases[] = {
		{ 0, 0, GUEST, "cycles" },
		{ 0, 0, 0, "cycles:HG" },
		{ 0, 9, GUEST, "ref-cycles" },
		{ 0, 10, GUEST, "unknown-hardware" },
		{ 0, 4ull << 32 | 1, GUEST, "cpu/instructions/" },
		{ 1, 0, KERNEL | HV | GUEST, "cpu-clock:uH" },
		{ 1, 0, KERNEL | HV, "cpu-clock:u" },
		{ 1, 0, USER | HV, "cpu-clock:k" },
		{ 1, 0, USER, "cpu-clock:kh" },
		{ 1, 0, HV, "cpu-clock:ku" },
		{ 1, 0, USER | KERNEL, "cpu-clock:h" },
		{ 1, 0, USER | KERNEL | HV, "cpu-clock" },
		{ 1, 0, P(3), "cpu-clock:ppp" },
		{ 1, 0, P(1) | GUEST, "cpu-clock:pH" },
		{ 1, 0, P(1) | HOST, "cpu-clock:pG" },
		{ 1, 0, P(2) | HOST | GUEST, "cpu-clock:pp" },
		{ 1, 0, HOST, "cpu-clock:G" },
		{ 1, 0, HOST | GUEST, "cpu-clock" },
		{ 1, 2, GUEST, "page-faults" },
		{ 1, 99, GUEST, "unknown-software" },
		{ 3, 0x10000, GUEST, "L1-dcache-load-misses" },
		{ 3, 0x10202, KERNEL | HV, "LLC-prefetch-misses:u" },
		{ 3, 0x5, GUEST, "branch-loads" },
		{ 3, 0x101, GUEST, "invalid-cache" },
		{ 3, 0x7, GUEST, "unknown-ext-hardware-cache-type" },
		{ 3, 0x300, GUEST, "unknown-ext-hardware-cache-op" },
		{ 3, 0x20000, GUEST, "unknown-ext-hardware-cache-result" },
		{ 4, 0x1a8, KERNEL | HV, "raw 0x1a8:u" },
		{ 4, UINT64_MAX, P(3), "raw 0xffffffffffffffff:ppp" },
		{ 2, 5, 0, "unknown tracepoint" },
		{ 7, 1, KERNEL, "unknown attr type: 7" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct attr a = { .type = cases[i].type, .config = cases[i].config };
		char buf[EVENT_NAME_MAX];

		a.flags = cases[i].flags;
		event_name_of(&a, buf, sizeof(buf));
		assert_string_equal(buf, cases[i].name);
	}
}

static void test_breakpoint(void **state)
{
	struct attr a = { .type = ATTR_TYPE_BREAKPOINT, .bp_type = 3, .config1 = 0x4000 };
	char buf[EVENT_NAME_MAX], small[8];

	(void)state;
	a.flags = GUEST;
	event_name_of(&a, buf, sizeof(buf));
	assert_string_equal(buf, "mem:0x4000:rw");
	event_name_of(&a, small, sizeof(small));
	assert_string_equal(small, "mem:0x4");
}

static void expect_found(const char *name, uint32_t type, uint64_t config)
{
	uint64_t c = ~0ull;
	uint32_t t = ~0u;

	assert_int_equal(event_names_find(name, strlen(name), &t, &c), 0);
	assert_int_equal(t, type);
	assert_true(c == config);
}

static void test_find(void **state)
{
	static const char *const unknown[] = {
		"", "cycle", "cyclesx", "L1", "L1-dcache-", "LLC-loads-x", "LLC-loads-loads", "iTLB-stores", "node-miss-misses"
	};
	uint64_t config;
	uint32_t type;

	(void)state;
	expect_found("cycles", 0, 0);
	expect_found("cpu-cycles", 0, 0);
	expect_found("branches", 0, 4);
	expect_found("branch-instructions", 0, 4);
	expect_found("branch-misses", 0, 5);
	expect_found("cs", 1, 3);
	expect_found("faults", 1, 2);
	expect_found("bpf-output", 1, 10);
	expect_found("L1-dcache-load-misses", 3, 0x10000);
	expect_found("l1d-write", 3, 0x100);
	expect_found("l1d-write-miss", 3, 0x10100);
	expect_found("LLC-misses", 3, 0x10002);
	expect_found("L2", 3, 0x2);
	expect_found("branch-load-misses", 3, 0x10005);
	expect_found("bpu-loads", 3, 0x5);
	expect_found("dTLB-speculative-read-misses", 3, 0x10203);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		assert_int_equal(event_names_find(unknown[i], strlen(unknown[i]), &type, &config), -ENOENT);
	assert_int_equal(event_names_find("cycles:u", 6, &type, &config), 0);
}

/* Every name in the tables leads back to its event. */
static void test_both_ways(void **state)
{
	const struct event_name *e;
	char buf[EVENT_NAME_MAX], printed[EVENT_NAME_MAX];
	uint64_t config;
	uint32_t nr = 0;

	(void)state;
	for (uint32_t i = 0; (e = event_names_get(i)); i++) {
		struct attr a = { .type = e->type, .config = e->config, .flags = GUEST };

		event_name_of(&a, buf, sizeof(buf));
		assert_string_equal(buf, e->name);
		expect_found(e->name, e->type, e->config);
		if (e->alias)
			expect_found(e->alias, e->type, e->config);
	}
	for (; event_names_get_cache(nr, &config, buf, sizeof(buf)); nr++) {
		struct attr a = { .type = ATTR_TYPE_HW_CACHE, .config = config, .flags = GUEST };

		event_name_of(&a, printed, sizeof(printed));
		assert_string_equal(buf, printed);
		expect_found(buf, ATTR_TYPE_HW_CACHE, config);
	}
	assert_int_equal(nr, 2 * (3 + 2 + 3 + 3 + 1 + 1 + 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_breakpoint),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_both_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
