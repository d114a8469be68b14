/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tracking split off the first event and joined again: the event is what it was, the tracker has
 * the same trailers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "abi/sample.h"
#include "kernel/event_config.h"
#include "kernel/event_config.h"

static void configure(struct event_list *list, const char *events, bool system_wide)
{
	struct event_config c;
	struct errbuf eb = { "" };

	assert_int_equal(event_list_parse(list, events, &eb), 0);
	event_config_init(&c);
	c.system_wide = system_wide;
	c.callgraph = CALLGRAPH_FP;
	c.namespaces = true;
	event_list_configure(list, &c);
}

static void test_split_and_join(void **state)
{
	static const char *const lists[] = { "cpu-clock", "cpu-clock,page-faults", "page-faults:u" };

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct event_list list = { 0 };
		struct event_spec tracker = { 0 };
		struct sample_layout event, tracking;
		struct attr before;

		configure(&list, lists[i], false);
		before = list.events.v[0].attr;
		assert_true(tracking_split(&list, &tracker));
		assert_false(list.events.v[0].attr.flags & (ATTR_TASK | ATTR_MMAP | ATTR_COMM | ATTR_NAMESPACES));
		assert_true(attr_is_dummy(&tracker.attr));
		assert_true(tracker.attr.flags & ATTR_NAMESPACES);
		assert_true(tracker.attr.flags & ATTR_INHERIT);
		assert_false(tracker.attr.sample_type & SAMPLE_CALLCHAIN);
		event = sample_layout_of(&before);
		tracking = sample_layout_of(&tracker.attr);
		assert_int_equal(sample_id_size(&event), sample_id_size(&tracking));
		/* the event falls back to user code: so does the tracker */
		list.events.v[0].attr.flags |= ATTR_EXCLUDE_KERNEL;
		tracking_follow(&list, &tracker);
		assert_true(tracker.attr.flags & ATTR_EXCLUDE_KERNEL);
		list.events.v[0].attr.flags = before.flags & list.events.v[0].attr.flags;
		tracking_join(&list, &tracker);
		assert_memory_equal(&list.events.v[0].attr, &before, sizeof(before));
		free(tracker.name);
		event_list_fini(&list);
	}
}

static void test_dummies_stay(void **state)
{
	struct event_list list = { 0 };
	struct event_spec tracker = { 0 };

	(void)state;
	assert_false(tracking_split(&list, &tracker)); /* an empty list */
	configure(&list, "cpu-clock", true);	       /* perf's own dummy behind it */
	assert_false(tracking_split(&list, &tracker));
	event_list_fini(&list);
	configure(&list, "dummy", false);
	assert_false(tracking_split(&list, &tracker));
	assert_true(list.events.v[0].attr.flags & ATTR_TASK);
	event_list_fini(&list);
	assert_null(tracker.name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_split_and_join),
		cmocka_unit_test(test_dummies_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
