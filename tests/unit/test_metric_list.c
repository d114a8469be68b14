/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The list of named metrics: each once, only those that can be counted, formulas in words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/metrics.h"

static bool has_none(void *ctx, const char *needs)
{
	(void)ctx, (void)needs;
	return false;
}

static bool has_named(void *ctx, const char *needs)
{
	return strstr(needs, ctx);
}

static const struct metric_def *find(const struct metric_list *l, const char *name)
{
	for (uint32_t i = 0; i < l->defs.nr; i++)
		if (!strcmp(l->defs.v[i]->name, name))
			return l->defs.v[i];
	return NULL;
}

static void test_list(void **state)
{
	struct metric_list l;

	(void)state;
	metric_list_init(&l, has_none, NULL);
	assert_non_null(find(&l, "ipc"));
	assert_null(find(&l, "tma_retiring"));
	metric_list_fini(&l);

	/* each name once, by name, and of several definitions the one that can be counted */
	metric_list_init(&l, has_named, "stall_slot");
	for (uint32_t i = 1; i < l.defs.nr; i++)
		assert_true(strcmp(l.defs.v[i - 1]->name, l.defs.v[i]->name) < 0);
	assert_non_null(strstr(find(&l, "tma_retiring")->events, "stall_slot"));
	metric_list_fini(&l);
}

static void test_expression(void **state)
{
	static const struct metric_def d = { .events = "{x,y-z},w", .formula = "100 * a / (b + S * c)" };
	struct arena arena = { 0 };

	(void)state;
	assert_string_equal(metric_expression(&d, &arena), "100 * x / (y-z + slots-per-cycle * w)");
	/* no letter of the table is without an event */
	for (const struct metric_def *m = metric_defs(); m->name; m++)
		assert_null(strstr(metric_expression(m, &arena), "  "));
	arena_fini(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_expression),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
