/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The unwinder on the test's own stack, dumped as the kernel would dump it, beside what the compiler's own unwinder (that of exceptions)
 * finds at the same place: two programs that share nothing.
 */
#include "session_fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unwind.h>
#include <unistd.h>

#include "session/unwinder.h"

#define STACK_BYTES 65528
#define MAX_FRAMES 128
#define DEPTH 12
#define KEPT __attribute__((noinline, no_sanitize("address", "undefined")))

struct dump {
	uint64_t by_bit[64]; /* registers, by their bit in sample_regs_user */
	uint64_t packed[64];
	uint64_t stack[STACK_BYTES / 8];
	uint64_t stack_bytes;
	void *callers[MAX_FRAMES]; /* of take() */
	int nr_callers;
	struct sample sample;
};

static struct dump dump;
static volatile int sink;

#if defined(__x86_64__)
static uint64_t registers(const ucontext_t *uc, uint64_t *by_bit)
{
	static const int gregs[] = { REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_RIP };
	static const int more[] = { REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };

	for (size_t i = 0; i < sizeof(gregs) / sizeof(*gregs); i++)
		by_bit[i] = (uint64_t)uc->uc_mcontext.gregs[gregs[i]];
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++)
		by_bit[16 + i] = (uint64_t)uc->uc_mcontext.gregs[more[i]];
	return by_bit[7];
}
#elif defined(__aarch64__)
static uint64_t registers(const ucontext_t *uc, uint64_t *by_bit)
{
	for (int i = 0; i < 31; i++)
		by_bit[i] = uc->uc_mcontext.regs[i];
	by_bit[31] = uc->uc_mcontext.sp;
	by_bit[32] = uc->uc_mcontext.pc ? uc->uc_mcontext.pc : uc->uc_mcontext.regs[30];
	return by_bit[31];
}
#endif

static uint64_t stack_end(void)
{
	pthread_attr_t attr;
	void *addr;
	size_t size;

	assert_int_equal(pthread_getattr_np(pthread_self(), &attr), 0);
	pthread_attr_getstack(&attr, &addr, &size);
	pthread_attr_destroy(&attr);
	return (uint64_t)(uintptr_t)addr + size;
}

/* Begins with the caller of take(). */
static _Unwind_Reason_Code note_caller(struct _Unwind_Context *context, void *first)
{
	void *ip = (void *)_Unwind_GetIP(context);

	if (ip && dump.nr_callers < MAX_FRAMES && (dump.nr_callers || ip == first))
		dump.callers[dump.nr_callers++] = ip;
	return _URC_NO_REASON;
}

KEPT static void take(void)
{
	uint64_t end = stack_end(), sp, mask = arch_native()->perf_regs;
	ucontext_t uc;
	uint32_t nr = 0;

	memset(&uc, 0, sizeof(uc));
	getcontext(&uc);
	sp = registers(&uc, dump.by_bit);
	dump.stack_bytes = end - sp < STACK_BYTES ? (end - sp) & ~UINT64_C(7) : STACK_BYTES;
	for (uint64_t i = 0; i < dump.stack_bytes / 8; i++)
		dump.stack[i] = *(const volatile uint64_t *)(uintptr_t)(sp + 8 * i);
	dump.nr_callers = 0;
	_Unwind_Backtrace(note_caller, (void *)__builtin_return_address(0));
	for (unsigned bit = 0; bit < 64; bit++)
		if (mask >> bit & 1)
			dump.packed[nr++] = dump.by_bit[bit];
	dump.sample = (struct sample){
		.regs_user_abi = 2,
		.regs_user = dump.packed,
		.stack_size = dump.stack_bytes,
		.stack = dump.stack,
		.stack_dyn_size = dump.stack_bytes,
	};
	sink++;
}

KEPT static int by_nothing(const void *a, const void *b)
{
	(void)a, (void)b;
	take();
	sink++;
	return 0;
}

KEPT static void deeper(int depth)
{
	volatile char room[40];

	room[depth % 40] = 1;
	if (depth)
		deeper(depth - 1);
	else /* through code of the C library */
		qsort((int[]){ 1, 2 }, 2, sizeof(int), by_nothing);
	sink += room[depth % 40];
}

/* Every executable map of this process, into the fixture's task. */
static void map_self(struct fixture *f, struct task *task)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		unsigned long start, end, off;
		char prot[5], path[3000] = "";

		if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %2999[^\n]", &start, &end, prot, &off, path) < 4 || prot[2] != 'x' ||
		    path[0] != '/')
			continue;
		struct map m = { .start = start,
				 .end = end,
				 .pgoff = off,
				 .prot = PROT_EXEC,
				 .dso = dso_table_intern(&f->s.machine.dsos, MODULE_ELF, path, -1, NULL, 0) };

		task_table_map(&f->s.machine.tasks, task, &m);
	}
	fclose(maps);
}

/* Static in the tests: larger than the part of the stack that is dumped. */
struct self {
	struct fixture f;
	struct task *task;
	struct unwinder *u;
};

static void self_init(struct self *s)
{
	fixture_init(&s->f);
	s->task = fixture_task(&s->f, 10, 10, "self");
	map_self(&s->f, s->task);
	s->u = unwinder_new(&s->f.s.machine, arch_native());
	deeper(DEPTH);
}

static void self_fini(struct self *s)
{
	unwinder_free(s->u);
	fixture_fini(&s->f);
}

static void expect_callers(const uint64_t *ips, uint32_t nr)
{
	assert_true(nr <= (uint32_t)dump.nr_callers + 1);
	for (uint32_t i = 1; i < nr; i++)
		assert_int_equal(ips[i], (uint64_t)(uintptr_t)dump.callers[i - 1] - 1);
}

static void test_same_as_exceptions(void **state)
{
	uint64_t ips[MAX_FRAMES], again[MAX_FRAMES];
	struct unwind_result walk;
	static struct self s;
	uint32_t nr;

	(void)state;
	self_init(&s);
	nr = unwinder_walk(s.u, s.task, &dump.sample, arch_native()->perf_regs, ips, MAX_FRAMES, &walk);
	assert_true(nr > DEPTH + 4);
	expect_callers(ips, nr);
	assert_int_equal(walk.end, UNWIND_COMPLETE);
	assert_int_equal(nr, dump.nr_callers + 1);
	/* Known places are remembered. */
	assert_int_equal(unwinder_walk(s.u, s.task, &dump.sample, arch_native()->perf_regs, again, MAX_FRAMES, &walk), nr);
	assert_memory_equal(ips, again, nr * sizeof(*ips));
	self_fini(&s);
}

static void test_prepared(void **state)
{
	uint64_t ips[MAX_FRAMES];
	struct unwind_result walk;
	static struct self s;
	uint32_t nr;

	(void)state;
	self_init(&s);
	unwinder_prepare(&s.f.s.machine, s.task);
	nr = unwinder_walk(s.u, s.task, &dump.sample, arch_native()->perf_regs, ips, MAX_FRAMES, &walk);
	expect_callers(ips, nr);
	assert_int_equal(walk.end, UNWIND_COMPLETE);
	self_fini(&s);
}

static void test_limit(void **state)
{
	uint64_t ips[MAX_FRAMES] = { 0 };
	struct unwind_result walk;
	static struct self s;

	(void)state;
	self_init(&s);
	assert_int_equal(unwinder_walk(s.u, s.task, &dump.sample, arch_native()->perf_regs, ips, 5, &walk), 5);
	assert_int_equal(walk.end, UNWIND_LIMIT);
	assert_int_equal(ips[5], 0);
	self_fini(&s);
}

/* Whatever part of the stack was dumped: a prefix of the whole, and said to be one. */
static void test_truncated(void **state)
{
	uint64_t ips[MAX_FRAMES];
	struct unwind_result walk;
	uint32_t nr, before = 0;
	static struct self s;

	(void)state;
	self_init(&s);
	for (uint64_t bytes = 8; bytes < dump.stack_bytes; bytes += 8) {
		struct sample cut = dump.sample;

		cut.stack_size = cut.stack_dyn_size = bytes;
		nr = unwinder_walk(s.u, s.task, &cut, arch_native()->perf_regs, ips, MAX_FRAMES, &walk);
		assert_true(nr >= before && nr >= 1);
		expect_callers(ips, nr);
		if (walk.end == UNWIND_COMPLETE)
			break;
		assert_int_equal(walk.end, UNWIND_TRUNCATED);
		before = nr;
	}
	assert_int_equal(walk.end, UNWIND_COMPLETE);

	/* Fewer bytes than were asked for: there was no more. */
	struct sample cut = dump.sample;

	cut.stack_dyn_size = 64;
	unwinder_walk(s.u, s.task, &cut, arch_native()->perf_regs, ips, MAX_FRAMES, &walk);
	assert_int_equal(walk.end, UNWIND_BAD_MEMORY);
	self_fini(&s);
}

static void test_foreign_order(void **state)
{
	uint64_t ips[MAX_FRAMES];
	struct unwind_result walk;
	static struct self s;
	struct unwinder *u;
	uint32_t nr;

	(void)state;
	self_init(&s);
	for (uint64_t i = 0; i < dump.stack_bytes / 8; i++)
		dump.stack[i] = __builtin_bswap64(dump.stack[i]);
	u = unwinder_new_named(&s.f.s.machine, arch_native()->name, true);
	nr = unwinder_walk(u, s.task, &dump.sample, arch_native()->perf_regs, ips, MAX_FRAMES, &walk);
	expect_callers(ips, nr);
	assert_int_equal(walk.end, UNWIND_COMPLETE);
	unwinder_free(u);
	assert_null(unwinder_new_named(&s.f.s.machine, "vax", false));
	self_fini(&s);
}

static void test_what_is_missing(void **state)
{
	const struct arch_ops *arch = arch_native();
	uint64_t ips[MAX_FRAMES], packed[64];
	uint32_t nr = 0;
	struct unwind_result walk;
	struct sample part;
	static struct self s;

	(void)state;
	self_init(&s);
	/* a kernel thread */
	part = dump.sample;
	part.regs_user_abi = 0;
	assert_int_equal(unwinder_walk(s.u, s.task, &part, arch->perf_regs, ips, MAX_FRAMES, &walk), 0);
	assert_int_equal(walk.end, UNWIND_NOT_DONE);
	/* a 32-bit program */
	part.regs_user_abi = 1;
	assert_int_equal(unwinder_walk(s.u, s.task, &part, arch->perf_regs, ips, MAX_FRAMES, &walk), 1);
	assert_int_equal(ips[0], dump.by_bit[arch->perf_pc]);
	assert_int_equal(walk.end, UNWIND_NO_RULE);
	/* in the middle of an exec: no stack */
	part = dump.sample;
	part.stack_dyn_size = 0;
	assert_int_equal(unwinder_walk(s.u, s.task, &part, arch->perf_regs, ips, MAX_FRAMES, &walk), 1);
	assert_int_equal(walk.end, UNWIND_NO_STACK);
	/* registers without a program counter */
	assert_int_equal(unwinder_walk(s.u, s.task, &dump.sample, 0x3, ips, MAX_FRAMES, &walk), 0);
	/* only the program counter */
	part = dump.sample;
	packed[nr++] = dump.by_bit[arch->perf_pc];
	part.regs_user = packed;
	assert_int_equal(unwinder_walk(s.u, s.task, &part, UINT64_C(1) << arch->perf_pc, ips, MAX_FRAMES, &walk), 1);
	self_fini(&s);
}

/* A task without maps: the program counter and nothing else; nothing at all without a stack, as in the middle of an exec. */
static void test_without_maps(void **state)
{
	uint64_t ips[MAX_FRAMES];
	struct unwind_result walk;
	struct task *task;
	static struct self s;

	(void)state;
	self_init(&s);
	task = fixture_task(&s.f, 20, 20, "bare");
	assert_int_equal(unwinder_walk(s.u, task, &dump.sample, arch_native()->perf_regs, ips, MAX_FRAMES, &walk), 1);
	dump.sample.stack_size = dump.sample.stack_dyn_size = 0;
	assert_int_equal(unwinder_walk(s.u, task, &dump.sample, arch_native()->perf_regs, ips, MAX_FRAMES, &walk), 0);
	assert_int_equal(unwinder_walk(s.u, s.task, &dump.sample, arch_native()->perf_regs, ips, MAX_FRAMES, &walk), 1);
	self_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_as_exceptions), cmocka_unit_test(test_prepared),	 cmocka_unit_test(test_limit),
		cmocka_unit_test(test_truncated),	   cmocka_unit_test(test_foreign_order), cmocka_unit_test(test_what_is_missing),
		cmocka_unit_test(test_without_maps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
