/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * model/trace_lines, model/graph_lines and model/latency_hist: lines of tracers as kernels write them, and as they must not be taken.
 */
#include "model/graph_lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/latency_hist.h"
#include "view/ftrace_text.h"

static struct graph_line parse(const char *text)
{
	return graph_line_parse(text, strlen(text));
}

static void check(const char *text, enum graph_kind kind, const char *name, long long took_ns)
{
	struct graph_line l = parse(text);

	if (l.kind != kind)
		fail_msg("'%s' is %d, not %d", text, l.kind, kind);
	if (name) {
		assert_non_null(l.name);
		assert_int_equal(l.name_len, strlen(name));
		assert_memory_equal(l.name, name, l.name_len);
	}
	if (took_ns >= 0) {
		assert_true(l.has_time);
		assert_int_equal(l.took_ns, took_ns);
	} else if (kind != GRAPH_BAD) {
		assert_false(l.has_time);
	}
}

static void test_lines(void **state)
{
	(void)state;
	check(" 0)               |  do_sys_openat2() {", GRAPH_BEGIN, "do_sys_openat2", -1);
	check(" 0)   3.006 us    |    irq_enter_rcu();", GRAPH_END, "irq_enter_rcu", 3006);
	check(" 0) + 12.955 us   |    getname();", GRAPH_END, "getname", 12955);
	check(" 1) ! 239.503 us  |  }", GRAPH_END, NULL, 239503);
	check(" 1) # 2868.062 us |    } /* irq_exit_rcu */", GRAPH_END, "irq_exit_rcu", 2868062);
	check(" 1) * 23503.91 us |  } /* rcu_gp_fqs_loop */", GRAPH_END, "rcu_gp_fqs_loop", 23503910);
	check(" 12) @ 123456.7 us |  } /* f */", GRAPH_END, "f", 123456700);
	check("  3) $ 1234567 us  |  } /* f */", GRAPH_END, "f", 1234567000);
	check("  3) $ 12345678 us |  f();", GRAPH_END, "f", 12345678000);
	check(" 0)   0.123 us    |  ext4_iget [ext4]();", GRAPH_END, "ext4_iget [ext4]", 123);
	check(" 0)   0.123 us    |  } /* ext4_iget [ext4] */", GRAPH_END, "ext4_iget [ext4]", 123);
	check(" 0)               |  f [m]() {", GRAPH_BEGIN, "f [m]", -1);
	/* with values, from Linux 6.5 on */
	check(" 0)   1.000 us    |  f(a=0x1, b=(x)); /* ret=0x0 */", GRAPH_END, "f", 1000);
	check(" 0)   1.000 us    |  } /* f ret=0xffffff */", GRAPH_END, "f", 1000);
	check(" 0)   1.000 us    |  } /* ret=0xffffff */", GRAPH_END, NULL, 1000);
	assert_true(parse(" 0) 1.0 us | } /* f */").is_return);
	assert_false(parse(" 0) 1.0 us | f();").is_return);
	assert_int_equal(parse(" 17) 1.0 us | f();").cpu, 17);
}

static void test_other_lines(void **state)
{
	(void)state;
	check("", GRAPH_OTHER, NULL, -1);
	check("# tracer: function_graph", GRAPH_OTHER, NULL, -1);
	check(" ------------------------------------------", GRAPH_OTHER, NULL, -1);
	check(" 0)    cat-158     =>     tr-160    ", GRAPH_OTHER, NULL, -1);
	check(" 0)    7zip-158     =>     <idle>-0", GRAPH_OTHER, NULL, -1);
	check(" 0)   ==========> |", GRAPH_OTHER, NULL, -1);
	check(" 0)   <========== |", GRAPH_OTHER, NULL, -1);
	check(" 0)               |  /* sched_switch: prev_comm=x() { */", GRAPH_OTHER, NULL, -1);
	check("CPU:1 [LOST 12 EVENTS]", GRAPH_OTHER, NULL, -1);
}

static void test_bad_lines(void **state)
{
	static const char *const bad[] = { "x",
					   "0",
					   "0)",
					   " 0) + | f();",
					   " 0) 12 | f();",
					   " 0) 1.0 ms | f();",
					   " 0) | f",
					   " 0) | f(",
					   " 0) | (); ",
					   " 0) | f()",
					   " 0) | f();-12",
					   " 0) 1.0 us | } x",
					   " 0) 1.0 us | } /*",
					   " 0) 1.0 us | } /* */",
					   " 0) 1.0 us | } /*  ret=1 */",
					   " 99999999999) | f();",
					   " 0) 999999999999999999999 us | f();" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check(bad[i], GRAPH_BAD, NULL, -1);
}

struct feeding {
	struct trace_lines lines;
	struct function_sums sums;
};

static void feed(struct feeding *f, const char *text, size_t piece)
{
	function_sums_init(&f->sums);
	trace_lines_init(&f->lines, function_sums_add_line, &f->sums);
	for (size_t i = 0, len = strlen(text); i < len; i += piece)
		assert_int_equal(trace_lines_feed(&f->lines, text + i, len - i < piece ? len - i : piece), 0);
	assert_int_equal(trace_lines_end(&f->lines), 0);
}

static const char sample[] = " 0)               |  outer() {\n"
			     " 0)   1.000 us    |    inner();\n"
			     " 0)   3.000 us    |    inner();\n"
			     "CPU:1 [LOST 12 EVENTS]\n"
			     " ------------------------------------------\n"
			     " 0) 1 us |x(); /*-1  =>  tr-160\n"
			     " ------------------------------------------\n"
			     "\n"
			     " 0) + 10.000 us   |  } /* outer */\n"
			     " 0)               |  outer() {\n"
			     "CPU:0 [LOST EVENTS]\n"
			     "nonsense\n"
			     " 1)   5.000 us    |  }\n"
			     " 1)   5.000 us    |  zebra();";

static const struct function_sum *row_of(const struct function_sums *s, const char *name)
{
	for (uint32_t i = 0; i < s->v.nr; i++)
		if (!strcmp(strtab_get(&s->names, s->v.v[i].name), name))
			return &s->v.v[i];
	return NULL;
}

static void test_sums(void **state)
{
	const size_t pieces[] = { 1, 7, 4096 };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct feeding f;

		feed(&f, sample, pieces[i]);
		assert_int_equal(f.sums.nr_calls, 4);
		assert_int_equal(f.sums.v.nr, 3);
		assert_null(row_of(&f.sums, "x")); /* the name of a task */
		assert_int_equal(row_of(&f.sums, "inner")->nr, 2);
		assert_int_equal(row_of(&f.sums, "inner")->total_ns, 4000);
		assert_int_equal(row_of(&f.sums, "inner")->max_ns, 3000);
		assert_int_equal(row_of(&f.sums, "inner")->min_ns, 1000);
		assert_int_equal(row_of(&f.sums, "outer")->total_ns, 10000);
		assert_int_equal(f.sums.nr_nameless, 1);
		assert_int_equal(f.sums.nr_bad, 1);
		assert_string_equal(f.sums.first_bad, "nonsense");
		assert_int_equal(f.lines.nr_lost, 12);
		assert_int_equal(f.lines.nr_losses, 2);
		function_sums_fini(&f.sums);
	}
}

static void check_order(enum function_sort by, const char *names[3])
{
	struct feeding f;

	feed(&f, " 0) 1.0 us | b();\n 0) 1.0 us | b();\n 0) 1.0 us | b();\n 0) 4.0 us | a();\n 0) 0.5 us | c();\n 0) 4.5 us | c();\n", 9);
	function_sums_sort(&f.sums, by);
	for (int i = 0; i < 3; i++)
		assert_string_equal(strtab_get(&f.sums.names, f.sums.v.v[i].name), names[i]);
	function_sums_fini(&f.sums);
}

static void test_order(void **state)
{
	(void)state;
	check_order(FUNCTION_SORT_TOTAL, (const char *[]){ "c", "a", "b" });
	check_order(FUNCTION_SORT_AVG, (const char *[]){ "a", "c", "b" });
	check_order(FUNCTION_SORT_MAX, (const char *[]){ "c", "a", "b" });
	check_order(FUNCTION_SORT_COUNT, (const char *[]){ "b", "c", "a" });
	check_order(FUNCTION_SORT_NAME, (const char *[]){ "a", "b", "c" });
}

static void test_profile_text(void **state)
{
	struct feeding f;
	struct out o;

	(void)state;
	feed(&f, " 0) 1.0 us | a\033b();\n 0) # 1234.567 us | long_one();\n", 100);
	function_sums_sort(&f.sums, FUNCTION_SORT_TOTAL);
	out_init(&o, -1);
	function_sums_text(&o, &f.sums);
	out_char(&o, 0);
	assert_string_equal(o.buf, "# Total (us)   Avg (us)   Max (us)      Count   Function\n"
				   "    1234.567   1234.567   1234.567          1   long_one\n"
				   "       1.000      1.000      1.000          1   a\\eb\n");
	out_fini(&o);
	function_sums_fini(&f.sums);
}

static void test_long_lines(void **state)
{
	struct feeding f;
	char *text = malloc(20002);

	(void)state;
	memset(text, 'x', 20000);
	memcpy(text + 20000, "\n", 2);
	feed(&f, text, 1000);
	assert_int_equal(f.lines.nr_cut, 1);
	assert_int_equal(f.lines.nr_lines, 1);
	assert_int_equal(f.sums.nr_bad, 1);
	function_sums_fini(&f.sums);
	free(text);
}

static void test_histogram(void **state)
{
	struct latency_hist h;
	struct latency_figures f = { .nr = 2, .total_ns = 3000, .max_ns = 2000, .min_ns = ~1000ull };
	struct out o;

	(void)state;
	latency_hist_init(&h, 1000);
	latency_hist_add(&h, 0);
	latency_hist_add(&h, 999);
	latency_hist_add(&h, 1000);
	latency_hist_add(&h, 1999);
	latency_hist_add(&h, 2000);
	latency_hist_add(&h, UINT64_C(1023) * 1000 * 1000);
	latency_hist_add(&h, UINT64_MAX);
	assert_int_equal(h.buckets[0], 2);
	assert_int_equal(h.buckets[1], 2);
	assert_int_equal(h.buckets[2], 1);
	assert_int_equal(h.buckets[20], 1); /* 512 - 1024 ms */
	assert_int_equal(h.buckets[LATENCY_BUCKETS - 1], 1);
	assert_int_equal(h.min_ns, 0);

	latency_hist_init(&h, 1000);
	latency_hist_add_figures(&h, &(struct latency_figures){ 0 }); /* of a CPU where nothing was */
	assert_int_equal(h.min_ns, UINT64_MAX);
	f.buckets[1] = f.buckets[2] = 1;
	latency_hist_add_figures(&h, &f);
	assert_int_equal(h.min_ns, 1000);
	assert_int_equal(h.max_ns, 2000);
	out_init(&o, -1);
	latency_hist_text(&o, &h);
	out_char(&o, 0);
	assert_non_null(strstr(o.buf, "#   DURATION     |      COUNT | GRAPH                                          |\n"
				      "     0 - 1    us |          0 |                                                |\n"
				      "     1 - 2    us |          1 | #######################                        |\n"));
	assert_non_null(strstr(o.buf, "   512 - 1024 us |          0 |"));
	assert_non_null(strstr(o.buf, "     1 - ...   s |          0 |"));
	assert_non_null(strstr(o.buf, "\n       count:                    2\n"));
	out_fini(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),	   cmocka_unit_test(test_other_lines), cmocka_unit_test(test_bad_lines),
		cmocka_unit_test(test_sums),	   cmocka_unit_test(test_order),       cmocka_unit_test(test_profile_text),
		cmocka_unit_test(test_long_lines), cmocka_unit_test(test_histogram),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
