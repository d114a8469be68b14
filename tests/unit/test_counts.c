/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counts: sums by place, differences of intervals, scaling, means and spreads; the metrics of
 * events that no machine of ours counts; and the text that comes of it.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "abi/attr.h"
#include "model/counts.h"
#include "model/metrics.h"
#include "view/stat.h"

static uint32_t add_event(struct counts *c, const char *name, uint32_t type, uint64_t config)
{
	struct counts_event e = { .name = name, .scale = 1, .type = type, .config = config, .supported = true };

	return counts_add_event(c, &e);
}

/* Two sockets with two cores of two CPUs each, as Linux likes to number them. */
static void add_machine(struct counts *c)
{
	for (int32_t i = 0; i < 8; i++) {
		struct counts_cpu cpu = { i, i / 2 % 2, 0, i % 2, i % 2 };

		counts_add_cpu(c, &cpu);
	}
}

static void assert_near(double a, double b)
{
	assert_true(fabs(a - b) <= 1e-9 * (1 + fabs(b)));
}

static void put_all(struct counts *c, uint64_t times)
{
	counts_begin_reading(c);
	for (uint32_t cpu = 0; cpu < c->cpus.nr; cpu++)
		counts_put(c, 0, cpu, 0, (1ull << cpu) * times, 100 * times, 100 * times);
	counts_put_times(c, times * 1000, 0, 0);
}

static void check_places(enum counts_aggr aggr, uint32_t nr, const double *values)
{
	struct counts c;

	counts_init(&c, aggr);
	add_event(&c, "x", ATTR_TYPE_SOFTWARE, 3);
	add_machine(&c);
	counts_start(&c);
	counts_begin_run(&c);
	put_all(&c, 1);
	counts_end_run(&c);
	counts_compute(&c, COUNTS_TOTAL);
	assert_int_equal(c.places.nr, nr);
	for (uint32_t i = 0; i < nr; i++) {
		assert_near(counts_row_get(&c, 0, i)->value, values[i]);
		assert_int_equal(counts_row_get(&c, 0, i)->nr_cells, 8 / nr);
		assert_int_equal(c.places.v[i].nr_cpus, 8 / nr);
	}
	counts_fini(&c);
}

static void test_places(void **state)
{
	(void)state;
	check_places(COUNTS_GLOBAL, 1, (double[]){ 255 });
	/* socket 0: CPUs 0 2 4 6; its core 0: 0 4, its core 1: 2 6 */
	check_places(COUNTS_PER_SOCKET, 2, (double[]){ 1 + 4 + 16 + 64, 2 + 8 + 32 + 128 });
	check_places(COUNTS_PER_DIE, 2, (double[]){ 1 + 4 + 16 + 64, 2 + 8 + 32 + 128 });
	check_places(COUNTS_PER_NODE, 2, (double[]){ 1 + 4 + 16 + 64, 2 + 8 + 32 + 128 });
	check_places(COUNTS_PER_CORE, 4, (double[]){ 1 + 16, 4 + 64, 2 + 32, 8 + 128 });
	check_places(COUNTS_PER_CPU, 8, (double[]){ 1, 2, 4, 8, 16, 32, 64, 128 });
}

static void test_intervals(void **state)
{
	struct counts c;

	(void)state;
	counts_init(&c, COUNTS_GLOBAL);
	add_event(&c, "x", ATTR_TYPE_SOFTWARE, 3);
	add_machine(&c);
	counts_start(&c);
	counts_begin_run(&c);
	put_all(&c, 1);
	counts_compute(&c, COUNTS_INTERVAL);
	assert_near(counts_row_get(&c, 0, 0)->value, 255);
	put_all(&c, 5);
	counts_compute(&c, COUNTS_INTERVAL);
	assert_near(counts_row_get(&c, 0, 0)->value, 4 * 255);
	assert_near(counts_row_get(&c, 0, 0)->enabled, 4 * 800);
	assert_near(c.span_ns, 4000);
	/* nothing ran since */
	put_all(&c, 5);
	counts_compute(&c, COUNTS_INTERVAL);
	assert_int_equal(counts_row_get(&c, 0, 0)->state, COUNTS_NOT_COUNTED);
	/* the whole is not what intervals left over */
	counts_end_run(&c);
	counts_compute(&c, COUNTS_TOTAL);
	assert_near(counts_row_get(&c, 0, 0)->value, 5 * 255);
	counts_fini(&c);
}

/* Each CPU is scaled by its own share: an idle one keeps its own rate. */
static void test_scaling(void **state)
{
	struct counts c;

	(void)state;
	counts_init(&c, COUNTS_GLOBAL);
	add_event(&c, "x", ATTR_TYPE_HARDWARE, 0);
	for (int32_t i = 0; i < 3; i++)
		counts_add_cpu(&c, &(struct counts_cpu){ i, i, 0, 0, 0 });
	counts_start(&c);
	counts_begin_run(&c);
	counts_begin_reading(&c);
	counts_put(&c, 0, 0, 0, 900, 100, 90);
	counts_put(&c, 0, 1, 0, 10, 100, 10);
	counts_put(&c, 0, 2, 0, 0, 100, 0);
	counts_compute(&c, COUNTS_TOTAL);
	assert_near(counts_row_get(&c, 0, 0)->value, 1000 + 100);
	assert_true(counts_row_is_scaled(counts_row_get(&c, 0, 0)));
	assert_near(counts_row_running_pct(counts_row_get(&c, 0, 0)), 100.0 / 3);
	c.no_scale = true;
	counts_compute(&c, COUNTS_TOTAL);
	assert_near(counts_row_get(&c, 0, 0)->value, 910);
	counts_fini(&c);
}

/* Counters of several PMUs that are shown as one, and one that is on some CPUs only. */
static void test_merged_and_absent(void **state)
{
	struct counts c;

	(void)state;
	counts_init(&c, COUNTS_PER_CPU);
	add_event(&c, "x", 10, 0);
	add_event(&c, "y", 10, 1);
	for (int32_t i = 0; i < 2; i++)
		counts_add_cpu(&c, &(struct counts_cpu){ i, i, 0, 0, 0 });
	counts_start(&c);
	counts_begin_run(&c);
	counts_begin_reading(&c);
	counts_put(&c, 0, 0, 0, 5, 10, 10);
	counts_put(&c, 0, 0, 0, 6, 10, 10);
	counts_compute(&c, COUNTS_TOTAL);
	assert_near(counts_row_get(&c, 0, 0)->value, 11);
	assert_int_equal(counts_row_get(&c, 0, 1)->state, COUNTS_ABSENT);
	assert_int_equal(counts_row_get(&c, 1, 0)->state, COUNTS_NOT_COUNTED);
	c.events.v[1].supported = false;
	counts_compute(&c, COUNTS_TOTAL);
	assert_int_equal(counts_row_get(&c, 1, 0)->state, COUNTS_NOT_SUPPORTED);
	counts_fini(&c);
}

static void test_runs(void **state)
{
	static const uint64_t values[] = { 10, 12, 17, 9 };
	double mean = 12, squares = 4 + 0 + 25 + 9;
	struct counts c;

	(void)state;
	counts_init(&c, COUNTS_GLOBAL);
	add_event(&c, "x", ATTR_TYPE_SOFTWARE, 3);
	counts_start(&c);
	for (size_t i = 0; i < 4; i++) {
		counts_begin_run(&c);
		counts_put(&c, 0, 0, 0, values[i], 1, 1);
		counts_put_times(&c, values[i] * 1000, 0, 0);
		counts_end_run(&c);
	}
	/* a run in which it was not counted does not change the mean */
	counts_begin_run(&c);
	counts_put(&c, 0, 0, 0, 0, 1, 0);
	counts_put_times(&c, 12000, 0, 0);
	counts_end_run(&c);
	counts_compute(&c, COUNTS_TOTAL);
	assert_near(counts_row_get(&c, 0, 0)->value, mean);
	assert_near(counts_row_get(&c, 0, 0)->spread_pct, 100 * sqrt(squares / 3 / 4) / mean);
	assert_near(counts_series_stderr(&c.elapsed), 1000 * sqrt(squares / 4 / 5));
	assert_int_equal(c.runs.nr, 5);
	counts_fini(&c);
}

static void check_metric(const struct counts *c, uint32_t event, const char *label, double value, enum metric_grade grade)
{
	struct metric m[METRICS_MAX];

	assert_true(metrics_get(c, event, 0, m) >= 1);
	assert_string_equal(m[0].label, label);
	assert_false(m[0].empty);
	assert_near(m[0].value, value);
	assert_int_equal(m[0].grade, grade);
}

static struct {
	const char *name;
	uint32_t type;
	uint64_t config, value;
} machine_events[] = {
	{ "task-clock", ATTR_TYPE_SOFTWARE, 1, 2000000 }, /* 2 ms */
	{ "cycles", ATTR_TYPE_HARDWARE, 0, 6000000 },
	{ "instructions", ATTR_TYPE_HARDWARE, 1, 3000000 },
	{ "branches", ATTR_TYPE_HARDWARE, 4, 1000000 },
	{ "branch-misses", ATTR_TYPE_HARDWARE, 5, 70000 },
	{ "stalled-cycles-frontend", ATTR_TYPE_HARDWARE, 7, 4500000 },
	{ "stalled-cycles-backend", ATTR_TYPE_HARDWARE, 8, 600000 },
	{ "cache-references", ATTR_TYPE_HARDWARE, 2, 4000 },
	{ "cache-misses", ATTR_TYPE_HARDWARE, 3, 1000 },
	{ "L1-dcache-loads", ATTR_TYPE_HW_CACHE, 0, 500000 },
	{ "L1-dcache-load-misses", ATTR_TYPE_HW_CACHE, 0x10000, 150000 },
	{ "LLC-loads", ATTR_TYPE_HW_CACHE, 2, 1000 },
	{ "LLC-load-misses", ATTR_TYPE_HW_CACHE, 0x10002, 10 },
};
#define NR_EVENTS (sizeof(machine_events) / sizeof(machine_events[0]))

static void count_machine(struct counts *c)
{
	counts_init(c, COUNTS_GLOBAL);
	for (size_t i = 0; i < NR_EVENTS; i++)
		add_event(c, machine_events[i].name, machine_events[i].type, machine_events[i].config);
	c->events.v[0].unit = "msec";
	c->events.v[0].scale = 1e-6;
	counts_start(c);
	counts_begin_run(c);
	for (uint32_t i = 0; i < NR_EVENTS; i++)
		counts_put(c, i, 0, 0, machine_events[i].value, 1000, 1000);
	counts_put_times(c, 4000000, 1000000, 2000000);
}

static void test_metrics(void **state)
{
	struct metric m[METRICS_MAX];
	struct counts c;

	(void)state;
	count_machine(&c);
	counts_compute(&c, COUNTS_TOTAL);
	check_metric(&c, 0, "CPUs utilized", 0.5, METRIC_PLAIN);
	check_metric(&c, 1, "GHz", 3, METRIC_PLAIN);
	check_metric(&c, 2, "insn per cycle", 0.5, METRIC_PLAIN);
	assert_int_equal(metrics_get(&c, 2, 0, m), 2);
	assert_string_equal(m[1].label, "stalled cycles per insn");
	assert_near(m[1].value, 1.5);
	check_metric(&c, 3, "M/sec", 500, METRIC_PLAIN);
	check_metric(&c, 4, "of all branches", 7, METRIC_FAIR);
	check_metric(&c, 5, "frontend cycles idle", 75, METRIC_BAD);
	check_metric(&c, 6, "backend cycles idle", 10, METRIC_PLAIN);
	check_metric(&c, 8, "of all cache refs", 25, METRIC_PLAIN);
	check_metric(&c, 10, "of all L1-dcache accesses", 30, METRIC_BAD);
	check_metric(&c, 12, "of all LL-cache accesses", 1, METRIC_PLAIN);
	/* events of another exclusion or PMU are no partners */
	c.events.v[1].excluded = COUNTS_EXCLUDE_KERNEL;
	metrics_get(&c, 2, 0, m);
	assert_true(m[0].empty);
	assert_string_equal(m[0].label, "insn per cycle");
	c.events.v[2].excluded = COUNTS_EXCLUDE_KERNEL;
	check_metric(&c, 2, "insn per cycle", 0.5, METRIC_PLAIN);
	c.events.v[2].config |= 4ull << 32;
	metrics_get(&c, 2, 0, m);
	assert_true(m[0].empty);
	c.events.v[1].config |= 4ull << 32;
	check_metric(&c, 2, "insn per cycle", 0.5, METRIC_PLAIN);
	counts_fini(&c);
}

static char *text_of(const struct counts *c, const struct stat_style *s)
{
	struct out o;
	char *text;

	out_init(&o, -1);
	stat_text_format.total(&o, c, s);
	out_char(&o, '\0');
	text = strdup(o.buf);
	out_fini(&o);
	return text;
}

static void assert_has(const char *text, const char *line)
{
	if (!strstr(text, line)) {
		print_error("no line\n%s\nin\n%s", line, text);
		fail();
	}
}

/* Lines of a machine with a PMU, which the comparison with perf does not reach where there is none.
 */
static void test_text(void **state)
{
	struct stat_style s = { .target = "'app\033[31m'", .show_times = true };
	struct counts c;
	char *text;

	(void)state;
	count_machine(&c);
	c.now[4].running = 333;
	counts_end_run(&c);
	counts_compute(&c, COUNTS_TOTAL);
	text = text_of(&c, &s);
	assert_has(text, "\n              2.00 msec task-clock                       #"
			 "    0.500 CPUs utilized          \n");
	assert_has(text, "\n           6000000      cycles                           #"
			 "    3.000 GHz                    \n");
	assert_has(text, "\n           3000000      instructions                     #"
			 "    0.50  insn per cycle         \n"
			 "                                                         #"
			 "    1.50  stalled cycles per insn\n");
	assert_has(text, "\n            210210      branch-misses                    #"
			 "   21.02% of all branches          (33.30%)\n");
	assert_has(text, "\n              1000      cache-misses                     #"
			 "   25.000 % of all cache refs    \n");
	assert_has(text, "\n       0.004000000 seconds time elapsed\n\n"
			 "       0.001000000 seconds user\n       0.002000000 seconds sys\n\n\n");
	assert_null(strchr(text, '\033'));
	free(text);
	s.colour = true;
	text = text_of(&c, &s);
	assert_has(text, "# \033[31m  21.02%\033[m of all branches");
	free(text);
	counts_fini(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),	cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_scaling), cmocka_unit_test(test_merged_and_absent),
		cmocka_unit_test(test_runs),	cmocka_unit_test(test_metrics),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
