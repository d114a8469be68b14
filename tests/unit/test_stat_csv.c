/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Separated values and JSON of made-up counts: every kind of row, names that need quoting, and
 * metrics that are no numbers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "view/stat.h"

static uint32_t add_event(struct counts *c, const char *name, uint32_t type, uint64_t config)
{
	struct counts_event e = { .name = name, .scale = 1, .type = type, .config = config };

	e.leader = c->events.nr;
	e.supported = true;
	return counts_add_event(c, &e);
}

/* Two CPUs of two cores; cycles, instructions, one multiplexed, one refused, one of a cgroup. */
static void make(struct counts *c, enum counts_aggr aggr, bool with_cgroup)
{
	struct counts_event refused = { .name = "no,such", .scale = 1, .type = 4, .leader = 3 };

	counts_init(c, aggr);
	add_event(c, "cycles", 0, 0);
	add_event(c, "instructions", 0, 1);
	add_event(c, "half", 4, 7);
	counts_add_event(c, &refused);
	if (with_cgroup)
		counts_add_event(
			c, &(struct counts_event){
				   .name = "cs", .scale = 1, .type = 1, .config = 3, .cgroup = "a/b", .leader = 4, .supported = true });
	counts_add_cpu(c, &(struct counts_cpu){ 0, 0, 0, 0, 0 });
	counts_add_cpu(c, &(struct counts_cpu){ 1, 1, 0, 0, 0 });
	counts_start(c);
	counts_begin_run(c);
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		counts_put(c, 0, cpu, 0, 1000, 500, 500);
		counts_put(c, 1, cpu, 0, 2000, 500, 500);
		counts_put(c, 2, cpu, 0, 10, 500, 250);
		if (with_cgroup)
			counts_put(c, 4, cpu, 0, 3, 500, 500);
	}
	counts_put_times(c, 1500000000, 0, 0);
}

static void print(struct out *o, struct counts *c, const struct stat_format *f, const struct stat_style *s, bool interval)
{
	out_init(o, -1);
	if (interval) {
		counts_compute(c, COUNTS_INTERVAL);
		f->interval(o, c, s, c->elapsed_ns, 0);
	} else {
		counts_end_run(c);
		counts_compute(c, COUNTS_TOTAL);
		f->total(o, c, s);
	}
	out_char(o, 0);
	counts_fini(c);
}

static void check_start(const char *text, const char *start)
{
	if (strncmp(text, start, strlen(start)))
		assert_string_equal(text, start); /* shows both */
}

static void test_csv_global(void **state)
{
	const struct stat_style s = { .separator = "," };
	struct counts c;
	struct out o;

	(void)state;
	make(&c, COUNTS_GLOBAL, false);
	print(&o, &c, &stat_csv_format, &s, false);
	assert_string_equal(o.buf, "2000,,cycles,1000,100.00,,\n"
				   "4000,,instructions,1000,100.00,2.00,insn per cycle\n"
				   "40,,half,500,50.00,,\n"
				   "<not supported>,,\"no,such\",0,100.00,,\n");
	out_fini(&o);
}

static void test_csv_places(void **state)
{
	const struct stat_style s = { .separator = ";", .intervals = true };
	struct counts c;
	struct out o;

	(void)state;
	make(&c, COUNTS_PER_CORE, true);
	print(&o, &c, &stat_csv_format, &s, true);
	check_start(o.buf, "     1.500000000;S0-D0-C0;1;1000;;cycles;;500;100.00;;\n"
			   "     1.500000000;S0-D0-C0;1;2000;;instructions;;500;100.00;2.00;insn per "
			   "cycle\n");
	assert_non_null(strstr(o.buf, ";S0-D0-C0;1;3;;cs;a/b;500;100.00;;\n"));
	out_fini(&o);
	make(&c, COUNTS_PER_CPU, false);
	print(&o, &c, &stat_csv_format, &(struct stat_style){ .separator = ";", .intervals = true }, false);
	check_start(o.buf, "         summary;CPU0;1000;;cycles;");
	assert_non_null(strstr(o.buf, "\n         summary;CPU1;1000;;cycles;"));
	out_fini(&o);
}

static void test_csv_spread(void **state)
{
	const struct stat_style s = { .separator = ",", .repeated = true };
	struct counts c;
	struct out o;

	(void)state;
	make(&c, COUNTS_GLOBAL, false);
	print(&o, &c, &stat_csv_format, &s, false);
	check_start(o.buf, "2000,,cycles,0.00%,1000,100.00,,\n");
	out_fini(&o);
}

static void test_json(void **state)
{
	const struct stat_style s = { .intervals = true };
	struct counts c;
	struct out o;

	(void)state;
	make(&c, COUNTS_PER_CPU, true);
	print(&o, &c, &stat_json_format, &s, true);
	check_start(o.buf, "{\"interval\" : 1.500000000, \"cpu\" : \"0\", \"counter-value\" : \"1000.000000\", "
			   "\"unit\" : \"\", \"event\" : \"cycles\", \"cgroup\" : \"\", \"event-runtime\" : 500, "
			   "\"pcnt-running\" : 100.00, \"metric-value\" : 0.000000, \"metric-unit\" : \"GHz\"}\n");
	out_fini(&o);
}

static void test_metric_only(void **state)
{
	struct metric_columns columns = { 0 };
	const struct stat_style s = { .separator = ",", .metric_only = &columns };
	struct counts c;
	struct out o;

	(void)state;
	make(&c, COUNTS_PER_CPU, false);
	print(&o, &c, &stat_csv_format, &s, false);
	assert_string_equal(o.buf, "cpu,GHz,insn per cycle,\nCPU0,,2.00,\nCPU1,,2.00,\n");
	out_fini(&o);
	/* The columns are settled: no second heading. */
	make(&c, COUNTS_PER_CPU, false);
	print(&o, &c, &stat_csv_format, &s, false);
	assert_string_equal(o.buf, "CPU0,,2.00,\nCPU1,,2.00,\n");
	out_fini(&o);
	make(&c, COUNTS_GLOBAL, false);
	print(&o, &c, &stat_json_format, &s, false);
	assert_string_equal(o.buf, "{\"GHz\" : \"\", \"insn per cycle\" : \"2.00\"}\n");
	out_fini(&o);
	metric_columns_fini(&columns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_csv_global), cmocka_unit_test(test_csv_places),  cmocka_unit_test(test_csv_spread),
		cmocka_unit_test(test_json),	   cmocka_unit_test(test_metric_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
