/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The event grammar: what is understood, what it becomes, and what is said about the rest. Expected
 * bits are those that perf 6.1 writes for the same text.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kernel/event_parse.h"

#define G ATTR_EXCLUDE_GUEST
#define H ATTR_EXCLUDE_HOST
#define U ATTR_EXCLUDE_USER
#define K ATTR_EXCLUDE_KERNEL
#define V ATTR_EXCLUDE_HV
#define P(n) ((uint64_t)(n) << ATTR_PRECISE_IP_SHIFT)

static int fake_tracepoint(const char *system, const char *name, uint64_t *id, struct errbuf *eb)
{
	if (!strcmp(system, "sched") && !strcmp(name, "sched_switch")) {
		*id = 314;
		return 0;
	}
	return errbuf_set(eb, -ENOENT, "no tracepoint %s:%s", system, name);
}
static const struct event_sources fake_sources = { .tracepoint_id = fake_tracepoint };

static const struct {
	const char *text, *name;
	uint32_t type;
	uint64_t config, flags;
} good[] = {
	{ "cycles", "cycles", 0, 0, G },
	{ "cpu-cycles", "cpu-cycles", 0, 0, G },
	{ "instructions:u", "instructions:u", 0, 1, G | K | V },
	{ "cpu-clock", "cpu-clock", 1, 0, G },
	{ "cs", "cs", 1, 3, G },
	{ "faults", "faults", 1, 2, G },
	{ "cpu-clock:k", "cpu-clock:k", 1, 0, U | V },
	{ "cpu-clock:h", "cpu-clock:h", 1, 0, U | K },
	{ "cpu-clock:uk", "cpu-clock:uk", 1, 0, G | V },
	{ "cpu-clock:ukh", "cpu-clock:ukh", 1, 0, G },
	{ "cpu-clock:H", "cpu-clock:H", 1, 0, G },
	{ "cpu-clock:G", "cpu-clock:G", 1, 0, H },
	{ "cpu-clock:kGH", "cpu-clock:kGH", 1, 0, U | V },
	{ "cpu-clock:uG", "cpu-clock:uG", 1, 0, K | V | H },
	{ "cpu-clock:Gu", "cpu-clock:Gu", 1, 0, K | V | H },
	{ "cpu-clock:p", "cpu-clock:p", 1, 0, G | P(1) },
	{ "cpu-clock:ppp", "cpu-clock:ppp", 1, 0, G | P(3) },
	{ "cpu-clock:P", "cpu-clock:P", 1, 0, P(3) },
	{ "cpu-clock:uppp", "cpu-clock:uppp", 1, 0, G | K | V | P(3) },
	{ "cpu-clock:I", "cpu-clock:I", 1, 0, ATTR_EXCLUDE_IDLE },
	{ "cpu-clock:D", "cpu-clock:D", 1, 0, ATTR_PINNED },
	{ "cpu-clock:e", "cpu-clock:e", 1, 0, ATTR_EXCLUSIVE },
	{ "r1a8", "r1a8", 4, 0x1a8, G },
	{ "rFFc0:u", "rFFc0:u", 4, 0xffc0, G | K | V },
	{ "rffffffffffffffff", "rffffffffffffffff", 4, UINT64_MAX, G },
	{ "1:2", "1:2", 1, 2, G },
	{ "0x1:0x10:u", "0x1:0x10:u", 1, 16, G | K | V },
	{ "L1-dcache-load-misses", "L1-dcache-load-misses", 3, 0x10000, G },
	{ "LLC-loads:k", "LLC-loads:k", 3, 2, U | V },
	{ "sched:sched_switch", "sched:sched_switch", 2, 314, G },
	{ "sched:sched_switch:u", "sched:sched_switch", 2, 314, G | K | V },
	{ "  cpu-clock ", "cpu-clock", 1, 0, G },
};

static void test_good(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct event_list list = { 0 };
		struct errbuf eb = { 0 };
		int err = event_list_parse_from(&list, good[i].text, &fake_sources, &eb);
		const struct event_spec *s;

		if (err)
			fail_msg("%s: %s", good[i].text, eb.text);
		assert_int_equal(list.events.nr, 1);
		s = &list.events.v[0];
		assert_string_equal(s->name, good[i].name);
		assert_int_equal(s->attr.type, good[i].type);
		assert_int_equal(s->attr.config, good[i].config);
		if (s->attr.flags != good[i].flags)
			fail_msg("%s: flags %#llx, expected %#llx", good[i].text,
				 (unsigned long long)s->attr.flags,
				 (unsigned long long)good[i].flags);
		event_list_fini(&list);
	}
}

static const struct {
	const char *text;
	int column; /* 0: the sentence has none */
	const char *says;
} bad[] = {
	{ "", 1, "ends where the name of an event" },
	{ ",", 1, "','" },
	{ "cpu-clock,", 11, "ends" },
	{ "cpu-clock,,cs", 11, "','" },
	{ "cyclse", 1, "did you mean 'cycles'" },
	{ "cyclse:u", 1, "did you mean 'cycles'" },
	{ "cs,L1-dcache-load-mises", 4, "L1-dcache-load-misses" },
	{ "qqqqqqqqqqqqqqqq", 1, "there is no event" },
	{ "cpu-clock:", 11, "modifiers" },
	{ "cpu-clock:x", 11, "no modifier 'x'" },
	{ "cpu-clock:ux", 12, "no modifier 'x'" },
	{ "cpu-clock:uu", 12, "twice" },
	{ "cpu-clock:pppp", 14, "three p's" },
	{ "cpu-clock:u:k", 12, "':'" },
	{ "cpu-clock cs", 11, "'cs'" },
	{ "12", 3, "ends" },
	{ "1:", 3, "ends" },
	{ "1:zz", 3, "'zz'" },
	{ "4294967296:1", 1, "below 2^32" },
	{ "1:99999999999999999999", 3, "number" },
	{ "r11111111111111111", 1, "there is no event" },
	{ "cpu/event=1/", 4, "not understood by this version" },
	{ "{cs,faults}", 1, "not understood by this version" },
	{ "cs}", 3, "not understood by this version" },
	{ "sched:", 7, "ends" },
	{ "sched:sched_*", 13, "patterns" },
	{ "sched:nope_such", 0, "no tracepoint sched:nope_such" },
	{ "cs\x01", 3, "where" },
};

static void test_bad(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct event_list list = { 0 };
		struct errbuf eb = { 0 };
		char column[32];
		int err;

		event_list_add_default(&list);
		err = event_list_parse_from(&list, bad[i].text, &fake_sources, &eb);
		if (!err)
			fail_msg("'%s' is understood", bad[i].text);
		/* Nothing was added, and what was there stays. */
		assert_int_equal(list.events.nr, 1);
		snprintf(column, sizeof(column), "column %d:", bad[i].column);
		if (bad[i].column && !strstr(eb.text, column))
			fail_msg("'%s': expected %s in: %s", bad[i].text, column, eb.text);
		if (!strstr(eb.text, bad[i].says))
			fail_msg("'%s': expected '%s' in: %s", bad[i].text, bad[i].says, eb.text);
		event_list_fini(&list);
	}
}

static void test_lists(void **state)
{
	struct event_list list = { 0 };

	(void)state;
	assert_int_equal(
		event_list_parse_from(&list, "cpu-clock:S, faults:W ,cs", &fake_sources, NULL), 0);
	assert_int_equal(event_list_parse_from(&list, "r10", &fake_sources, NULL), 0);
	assert_int_equal(list.events.nr, 4);
	assert_true(list.events.v[0].sample_read);
	assert_false(list.events.v[1].sample_read);
	assert_true(list.events.v[1].weak_group);
	assert_string_equal(list.events.v[1].name, "faults:W");
	assert_int_equal(list.events.v[1].column, 14);
	assert_string_equal(list.events.v[3].name, "r10");
	event_list_fini(&list);
}

static void test_default(void **state)
{
	struct event_list list = { 0 };
	const struct event_spec *s;

	(void)state;
	event_list_add_default(&list);
	s = &list.events.v[0];
	assert_true(s->is_default && s->precise_max);
	assert_int_equal(s->attr.type, ATTR_TYPE_HARDWARE);
	assert_int_equal(attr_precise_ip(&s->attr), 3);
	assert_int_equal(strncmp(s->name, "cycles:P", 8), 0);
	event_list_fini(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_default),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
