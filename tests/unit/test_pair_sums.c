/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * model/pair_sums.h on futex calls: what is a wait, who ended it, which function waited; groups by caller, thread and lock; lost ends; short
 * records. On memory of the kernel: what was allocated and freed, and where. On page faults: rows of view/fault_text.h, also without a place.
 */
#include "model/pair_sums.h"

#include "session_fixture.h"
#include "trace_fixture.h"
#include "view/fault_text.h"

#define COMMON "\tfield:int common_pid;\toffset:0;\tsize:4;\tsigned:1;\n\n"
#define RAW_SIZE 40

static const char enter_format[] = "name: sys_enter_futex\nID: 11\nformat:\n" COMMON FIELD("u32 * uaddr", 8, 8, 0) FIELD("int op", 16, 8, 0)
	FIELD("u32 * uaddr2", 24, 8, 0) PRINT "\"%d\", REC->op\n";
static const char exit_format[] = "name: sys_exit_futex\nID: 12\nformat:\n" COMMON FIELD("long ret", 8, 8, 1) PRINT "\"%d\", REC->ret\n";

static const char waitv_format[] = "name: sys_enter_futex_waitv\nID: 13\nformat:\n" COMMON FIELD("struct futex_waitv * waiters", 8, 8, 0)
	PRINT "\"%p\", REC->waiters\n";
static const char exit_waitv_format[] = "name: sys_exit_futex_waitv\nID: 14\nformat:\n" COMMON FIELD("long ret", 8, 8, 1) PRINT
	"\"%d\", REC->ret\n";
static const char kmalloc_format[] = "name: kmalloc\nID: 21\nformat:\n" COMMON FIELD("unsigned long call_site", 8, 8, 0)
	FIELD("const void * ptr", 16, 8, 0) FIELD("size_t bytes_req", 24, 8, 0) FIELD("size_t bytes_alloc", 32, 8, 0) PRINT
	"\"%p\", REC->ptr\n";
static const char kfree_format[] = "name: kfree\nID: 22\nformat:\n" COMMON FIELD("unsigned long call_site", 8, 8, 0)
	FIELD("const void * ptr", 16, 8, 0) PRINT "\"%p\", REC->ptr\n";
static const char page_alloc_format[] = "name: mm_page_alloc\nID: 23\nformat:\n" COMMON FIELD("unsigned long pfn", 8, 8, 0)
	FIELD("unsigned int order", 16, 4, 0) FIELD("unsigned long gfp_flags", 24, 8, 0) FIELD("int migratetype", 32, 4, 1) PRINT
	"\"pfn=%lx gfp_flags=%lx\", REC->pfn, REC->gfp_flags\n";
static const char page_free_format[] = "name: mm_page_free\nID: 24\nformat:\n" COMMON FIELD("unsigned long pfn", 8, 8, 0)
	FIELD("unsigned int order", 16, 4, 0) PRINT "\"pfn=%lx\", REC->pfn\n";

/* Functions FUNCTION_SIZE apart, mapped at CODE. */
#define CODE UINT64_C(0x10000)
#define IN(function) (CODE + (function)*FUNCTION_SIZE + 8)
enum { FUTEX_WAIT_FN, MUTEX_LOCK_FN, FIRST_FN, SECOND_FN, MAIN_FN };
static const char *const function_names[] = { "__GI___futex_wait", "___pthread_mutex_lock", "first", "second", "main", NULL };

enum { OP_WAIT = 0x80, OP_WAKE = 0x81, OP_WAKE_OP = 0x85 };

struct under_test {
	struct fixture f;
	struct out formats;
	struct pair_sums s;
	struct task *a, *b, *other;
	uint32_t cpu;
	bool is_left_out;
	struct errbuf eb;
};

static struct task *make_task(struct under_test *t, int32_t pid, int32_t tid, const char *comm)
{
	struct task *task = fixture_task(&t->f, pid, tid, comm);

	fixture_map(&t->f, task, CODE, 0x1000, fixture_dso(&t->f, "/bin/app", function_names));
	return task;
}

static void start_with(struct under_test *t, const struct pair_sum_def *def, const char *system, const char *const *formats,
		       const char *const *names, uint32_t first_id)
{
	memset(t, 0, sizeof(*t));
	fixture_init(&t->f);
	out_init(&t->formats, -1);
	formats_put(&t->formats, system, formats);
	t->f.info.tracing_data = t->formats.buf;
	t->f.info.tracing_data_size = t->formats.len;
	for (uint32_t i = 0; names[i]; i++) {
		fixture_event(&t->f, names[i]);
		t->f.info.events.v[i + 1].attr.type = ATTR_TYPE_TRACEPOINT;
		t->f.info.events.v[i + 1].attr.config = first_id + i;
	}
	assert_int_equal(pair_sums_init(&t->s, def, &t->f.p, &t->f.s.recording, &t->eb), 0);
	t->a = make_task(t, 1, 10, "a");
	t->b = make_task(t, 1, 11, "b");
	t->other = make_task(t, 2, 20, "other");
}

static void start(struct under_test *t)
{
	start_with(t, &pair_sum_futexes, "syscalls",
		   (const char *const[]){ enter_format, exit_format, waitv_format, exit_waitv_format, NULL },
		   (const char *const[]){ "syscalls:sys_enter_futex", "syscalls:sys_exit_futex", "syscalls:sys_enter_futex_waitv",
					  "syscalls:sys_exit_futex_waitv", NULL },
		   11);
}

static void stop(struct under_test *t)
{
	pair_sums_fini(&t->s);
	fixture_fini(&t->f);
	out_fini(&t->formats);
}

static void add(struct under_test *t, int event, struct task *task, uint64_t time_ns, uint32_t function, uint32_t raw_size)
{
	struct record_header h = { .type = RECORD_SAMPLE, .misc = MISC_USER };
	struct session_record sr = { .header = &h, .event = event, .task = task, .time_ns = time_ns };
	uint64_t chain[] = { CHAIN_USER, IN(FUTEX_WAIT_FN), IN(MUTEX_LOCK_FN), IN(function), IN(MAIN_FN) };

	sr.rec.header = &h;
	sr.rec.sample = (struct sample){ .pid = (uint32_t)task->pid,
					 .tid = (uint32_t)task->tid,
					 .cpu = t->cpu,
					 .ips = chain,
					 .nr_ips = sizeof(chain) / sizeof(chain[0]),
					 .raw = rec,
					 .raw_size = raw_size };
	assert_int_equal(pair_sums_add(&t->s, &sr, !t->is_left_out, &t->eb), 0);
}

static void call(struct under_test *t, struct task *task, uint64_t time_ns, uint64_t op, uint64_t address, uint32_t function)
{
	rec_new(RAW_SIZE);
	rec_put(8, 8, address);
	rec_put(16, 8, op);
	rec_put(24, 8, address + 0x100);
	add(t, 1, task, time_ns, function, RAW_SIZE);
}

static void end(struct under_test *t, struct task *task, uint64_t time_ns, int64_t result)
{
	rec_new(RAW_SIZE);
	rec_put(8, 8, (uint64_t)result);
	add(t, 2, task, time_ns, MAIN_FN, RAW_SIZE);
}

static uint32_t groups(struct under_test *t, struct pair_groups *g, enum pair_groups_by by)
{
	*g = (struct pair_groups){ 0 };
	pair_groups_make(g, &t->s, by, 8);
	pair_groups_sort(g, PAIR_SORT_TOTAL);
	return g->v.nr;
}

static const char *caller_of(struct under_test *t, const struct pair_group *g)
{
	return profile_str(&t->f.p, profile_frame_at(&t->f.p, stack_tree_frame(&t->f.p.tree, g->caller_node))->function);
}

static void test_waits(void **state)
{
	struct under_test t;
	struct pair_groups g;

	(void)state;
	start(&t);
	call(&t, t.a, 100, OP_WAIT, 0x5000, FIRST_FN);
	call(&t, t.b, 150, OP_WAKE, 0x5000, SECOND_FN);
	end(&t, t.b, 160, 1);
	end(&t, t.a, 170, 0);
	call(&t, t.a, 200, OP_WAIT, 0x5000, SECOND_FN);
	end(&t, t.a, 201, -11); /* EAGAIN: it did not wait */
	call(&t, t.a, 300, OP_WAIT, 0x5000, SECOND_FN);
	end(&t, t.a, 330, -110); /* a timeout */
	call(&t, t.other, 400, OP_WAIT, 0x5000, FIRST_FN);
	end(&t, t.other, 410, 0); /* the last wake on that address was in another process */
	assert_int_equal(t.s.nr_not_waited, 1);

	assert_int_equal(groups(&t, &g, PAIR_GROUPS_BY_CALLER), 2);
	assert_string_equal(caller_of(&t, &g.v.v[0]), "first");
	assert_string_equal(g.v.v[0].kind, "mutex");
	assert_int_equal(g.v.v[0].figures.nr, 2);
	assert_int_equal(g.v.v[0].figures.total_ns, 80);
	assert_int_equal(g.v.v[0].figures.min_ns, 10);
	assert_int_equal(g.v.v[0].figures.max_ns, 70);
	assert_int_equal(g.v.v[0].figures.max_end_ns, 170);
	assert_int_equal(g.v.v[0].waker.nr, 1);
	assert_int_equal(t.f.p.tasks.v[g.v.v[0].waker.task].tid, 11);
	assert_string_equal(caller_of(&t, &g.v.v[1]), "second");
	assert_int_equal(g.v.v[1].figures.total_ns, 30);
	assert_int_equal(g.v.v[1].waker.nr, 0);
	pair_groups_fini(&g);

	assert_int_equal(groups(&t, &g, PAIR_GROUPS_BY_TASK), 2);
	assert_int_equal(g.v.v[0].figures.total_ns, 100);
	pair_groups_fini(&g);
	/* One address in two processes. */
	assert_int_equal(groups(&t, &g, PAIR_GROUPS_BY_OBJECT), 2);
	assert_int_equal(g.v.v[0].row->object, 0x5000);
	pair_groups_fini(&g);
	stop(&t);
}

/* A wake before the wait ended another's; one at the second address of WAKE_OP counts. */
static void test_wakers(void **state)
{
	struct under_test t;
	struct pair_groups g;

	(void)state;
	start(&t);
	call(&t, t.b, 50, OP_WAKE, 0x5000, FIRST_FN);
	end(&t, t.b, 60, 0);
	call(&t, t.a, 100, OP_WAIT, 0x5000, FIRST_FN);
	end(&t, t.a, 170, 0);
	call(&t, t.a, 200, OP_WAIT, 0x5100, FIRST_FN);
	call(&t, t.b, 250, OP_WAKE_OP, 0x5000, SECOND_FN);
	end(&t, t.a, 260, 0);
	assert_int_equal(groups(&t, &g, PAIR_GROUPS_BY_OBJECT), 2);
	assert_int_equal(g.v.v[0].row->object, 0x5000);
	assert_int_equal(g.v.v[0].waker.nr, 0);
	assert_int_equal(g.v.v[1].row->object, 0x5100);
	assert_int_equal(g.v.v[1].waker.nr, 1);
	pair_groups_fini(&g);
	stop(&t);
}

/* Records that do not hold their fields, ends without a begin, begins without an end. */
static void test_incomplete(void **state)
{
	struct under_test t;
	struct pair_groups g;

	(void)state;
	start(&t);
	end(&t, t.a, 10, 0);
	rec_new(RAW_SIZE);
	for (uint32_t size = 0; size < RAW_SIZE; size += 4) {
		add(&t, 1, t.a, 20 + size, FIRST_FN, size);
		add(&t, 2, t.b, 21 + size, FIRST_FN, size);
	}
	call(&t, t.b, 200, OP_WAIT, 0x5000, FIRST_FN);
	assert_int_equal(groups(&t, &g, PAIR_GROUPS_BY_CALLER), 0);
	pair_groups_fini(&g);
	assert_int_equal(pair_sums_nr_open(&t.s), 2);
	stop(&t);
}

/* The end of a wait was lost: that of the next call is not its. */
static void test_lost_ends(void **state)
{
	struct under_test t;
	struct pair_groups g;

	(void)state;
	start(&t);
	call(&t, t.a, 100, OP_WAIT, 0x5000, FIRST_FN);
	call(&t, t.a, 9000, OP_WAKE, 0x6000, FIRST_FN);
	end(&t, t.a, 9001, 0);
	call(&t, t.b, 9100, OP_WAIT, 0x5000, FIRST_FN);
	call(&t, t.b, 9200, OP_WAIT, 0x5000, FIRST_FN);
	end(&t, t.b, 9250, 0);
	/* Nor is that of one that is left out. */
	call(&t, t.a, 9300, OP_WAIT, 0x5000, FIRST_FN);
	t.is_left_out = true;
	call(&t, t.a, 9400, OP_WAIT, 0x5000, FIRST_FN);
	t.is_left_out = false;
	end(&t, t.a, 9500, 0);
	assert_int_equal(groups(&t, &g, PAIR_GROUPS_BY_CALLER), 1);
	assert_int_equal(g.v.v[0].figures.nr, 1);
	assert_int_equal(g.v.v[0].figures.total_ns, 50);
	pair_groups_fini(&g);
	assert_int_equal(t.s.latency.pairing.nr_replaced, 3);
	assert_int_equal(pair_sums_nr_open(&t.s), 0);
	call(&t, t.a, 9600, OP_WAIT, 0x5000, FIRST_FN);
	call(&t, t.b, 9600, OP_WAKE, 0x5000, FIRST_FN);
	assert_int_equal(t.s.latency.pairing.nr_open, 2);
	assert_int_equal(pair_sums_nr_open(&t.s), 1);
	stop(&t);
}

/* A wait on several futexes: it is known by its list, and its result is the number of the one that woke it. */
static void test_waitv(void **state)
{
	struct under_test t;
	struct pair_groups g;

	(void)state;
	start(&t);
	rec_new(RAW_SIZE);
	rec_put(8, 8, 0x7000);
	add(&t, 3, t.a, 100, FIRST_FN, RAW_SIZE);
	rec_new(RAW_SIZE);
	rec_put(8, 8, 1);
	add(&t, 4, t.a, 180, MAIN_FN, RAW_SIZE);
	assert_int_equal(groups(&t, &g, PAIR_GROUPS_BY_OBJECT), 1);
	assert_int_equal(g.v.v[0].row->object, 0x7000);
	assert_int_equal(g.v.v[0].figures.total_ns, 80);
	assert_int_equal(g.v.v[0].waker.nr, 0);
	pair_groups_fini(&g);
	stop(&t);
}

static void slab(struct under_test *t, int event, uint32_t cpu, uint64_t time_ns, uint64_t site, uint64_t ptr, uint64_t wanted,
		 uint64_t bytes)
{
	rec_new(RAW_SIZE);
	rec_put(8, 8, site);
	rec_put(16, 8, ptr);
	rec_put(24, 8, wanted);
	rec_put(32, 8, bytes);
	t->cpu = cpu;
	add(t, event, t->a, time_ns, FIRST_FN, RAW_SIZE);
}

static void test_slab(void **state)
{
	static const enum pair_sort by_waste[] = { PAIR_SORT_WASTE, PAIR_SORT_NR };
	struct under_test t;
	struct pair_groups g = { 0 };

	(void)state;
	start_with(&t, &pair_sum_slab_callers, "kmem", (const char *const[]){ kmalloc_format, kfree_format, NULL },
		   (const char *const[]){ "kmem:kmalloc", "kmem:kfree", NULL }, 21);
	slab(&t, 1, 0, 100, 0xf1, 0x1000, 60, 64);
	slab(&t, 2, 0, 110, 0xee, 0x1000, 0, 0);
	slab(&t, 2, 1, 120, 0xee, 0x1000, 0, 0); /* again: it is not there */
	slab(&t, 1, 0, 200, 0xf1, 0x2000, 100, 128);
	slab(&t, 2, 1, 250, 0xee, 0x2000, 0, 0); /* on another CPU */
	slab(&t, 1, 1, 300, 0xf2, 0x3000, 1, 8); /* stays */
	slab(&t, 2, 0, 400, 0xee, 0, 0, 0);	 /* kfree(NULL) */
	pair_groups_make(&g, &t.s, PAIR_GROUPS_BY_OBJECT, 1);
	pair_groups_sort_by(&g, by_waste, 2);
	assert_int_equal(g.v.nr, 2);
	assert_int_equal(g.v.v[0].row->object, 0xf2);
	assert_int_equal(g.v.v[0].amounts.bytes, 8);
	assert_int_equal(g.v.v[0].amounts.freed, 0);
	assert_int_equal(g.v.v[1].row->object, 0xf1);
	assert_int_equal(g.v.v[1].amounts.nr, 2);
	assert_int_equal(g.v.v[1].amounts.wanted, 160);
	assert_int_equal(g.v.v[1].amounts.bytes, 192);
	assert_int_equal(g.v.v[1].amounts.freed, 192);
	assert_int_equal(g.v.v[1].amounts.nr_moved, 1);
	assert_int_equal(g.v.v[1].figures.total_ns, 60);
	assert_int_equal(t.s.alone.nr, 2);
	pair_groups_fini(&g);
	stop(&t);
}

static void page(struct under_test *t, int event, uint64_t pfn, uint32_t order, uint32_t type, uint32_t size)
{
	rec_new(RAW_SIZE);
	rec_put(8, 8, pfn);
	rec_put(16, 4, order);
	rec_put(24, 8, 0xcc0);
	rec_put(32, 4, type);
	add(t, event, t->a, 100 + pfn, FIRST_FN, size);
}

static void test_pages(void **state)
{
	struct under_test t;
	struct pair_groups g;

	(void)state;
	start_with(&t, &pair_sum_page_callers, "kmem", (const char *const[]){ page_alloc_format, page_free_format, NULL },
		   (const char *const[]){ "kmem:mm_page_alloc", "kmem:mm_page_free", NULL }, 23);
	page(&t, 1, 7, 0, 1, RAW_SIZE);
	page(&t, 1, 8, 0, 1, RAW_SIZE);
	page(&t, 1, 16, 3, 1, RAW_SIZE); /* another order: another row */
	page(&t, 1, 9, 0, 0, RAW_SIZE);	 /* and another type */
	page(&t, 2, 7, 0, 0, RAW_SIZE);
	page(&t, 2, 99, 2, 0, RAW_SIZE);	 /* was there before */
	page(&t, 1, UINT64_MAX, 4, 0, RAW_SIZE); /* there was none */
	page(&t, 1, 1, 4000000000, 0, RAW_SIZE); /* nonsense has no size */
	for (uint32_t size = 0; size < RAW_SIZE; size++)
		page(&t, 1 + size % 2, 5, 1, 1, size);
	assert_int_equal(t.s.failed.nr, 1);
	assert_int_equal(t.s.failed.bytes, 16 * 4096);
	assert_true(t.s.alone.freed >= 4 * 4096);
	g = (struct pair_groups){ 0 };
	pair_groups_make(&g, &t.s, PAIR_GROUPS_BY_CALLER, 1);
	pair_groups_sort(&g, PAIR_SORT_ORDER);
	assert_int_equal(g.v.v[0].row->order, 3);
	assert_int_equal(g.v.v[0].amounts.bytes, 8 * 4096);
	assert_int_equal(g.v.v[0].row->flags, 0xcc0);
	assert_string_equal(profile_str(&t.f.p, g.v.v[0].row->flags_text), "cc0");
	pair_groups_fini(&g);
	stop(&t);
}

static void fault(struct under_test *t, uint64_t ip, uint64_t addr)
{
	struct record_header h = { .type = RECORD_SAMPLE, .misc = MISC_USER };
	struct session_record sr = { .header = &h, .event = 0, .task = t->a };

	sr.rec.header = &h;
	sr.rec.sample = (struct sample){ .pid = 1, .tid = 10, .ip = ip, .addr = addr };
	pair_sums_add_fault(&t->s, &sr, false);
}

static void test_faults(void **state)
{
	static const char *const none[] = { NULL };
	const struct fault_text text = { .shows_stacks = true };
	struct under_test t;
	struct out o;

	(void)state;
	start_with(&t, &pair_sum_faults, "none", none, none, 1);
	out_init(&o, -1);
	/* A mark of a chain, which is no address. */
	fault(&t, CHAIN_USER, 0x1234);
	fault_text_print(&text, &o, &t.s);
	fault_json_print(&text, &o, &t.s);
	out_char(&o, 0);
	assert_non_null(strstr(o.buf, "1          0   [unknown]\n"));
	assert_non_null(strstr(o.buf, "\"code\":[{\"faults\":1,\"major\":0}]"));

	o.len = 0;
	fault(&t, IN(FIRST_FN), 0x1234);
	fault_json_print(&text, &o, &t.s);
	out_char(&o, 0);
	assert_non_null(strstr(o.buf, "\"symbol\":\"first\""));
	out_fini(&o);
	stop(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waits),	  cmocka_unit_test(test_wakers), cmocka_unit_test(test_incomplete),
		cmocka_unit_test(test_lost_ends), cmocka_unit_test(test_waitv),	 cmocka_unit_test(test_slab),
		cmocka_unit_test(test_pages),	  cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
