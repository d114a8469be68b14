/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/unwind: this very process, beside libgcc's unwinder (calls, a signal handler on either stack, a thread, qsort's
 * callback through libc), and made-up stacks of both machines for every way a walk can end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "cfi_writer.h"
#include "symbols/symbolizer.h"
#include "symbols/unwind.h"

#define MAX_FRAMES 128

/* ---- this process ---- */

struct own_map {
	uint64_t start, end, off;
	struct unwind_table *table;
};

static struct {
	struct own_map v[256];
	uint32_t nr;
	uint64_t stack_end;
	struct unwind_cache cache;
} own;

static void load_maps(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[1024], path[512], prot[8];
	unsigned long start, end, off;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f) && own.nr < 256) {
		path[0] = 0;
		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %511s", &start, &end, prot, &off, path) < 4)
			continue;
		if (strcmp(path, "[stack]") == 0)
			own.stack_end = end;
		if (prot[2] != 'x')
			continue;
		if (path[0] == '/' || strcmp(path, "[vdso]") == 0) {
			struct symbolizer_options opts = { 0 };
			struct module_ref ref = { .kind = path[0] == '/' ? MODULE_ELF : MODULE_VDSO, .path = path };
			struct own_map *m = &own.v[own.nr++];

			*m = (struct own_map){ start, end, off, NULL };
			symbolizer_load_unwind(&opts, &ref, false, &m->table, NULL);
		}
	}
	fclose(f);
}

static void free_maps(void)
{
	for (uint32_t i = 0; i < own.nr; i++)
		unwind_table_free(own.v[i].table);
}

static bool own_find(void *ctx, uint64_t ip, struct unwind_module *m)
{
	(void)ctx;
	for (uint32_t i = 0; i < own.nr; i++) {
		if (ip >= own.v[i].start && ip < own.v[i].end) {
			*m = (struct unwind_module){ own.v[i].table, own.v[i].start, own.v[i].end, own.v[i].off };
			return true;
		}
	}
	return false;
}

static bool own_read(void *ctx, uint64_t addr, uint64_t *value)
{
	struct iovec to = { value, 8 }, from = { (void *)(uintptr_t)addr, 8 };

	(void)ctx;
	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 8;
}

static struct unwind_access own_access(void)
{
	return (struct unwind_access){ .read = own_read, .find = own_find, .cache = &own.cache };
}

static void regs_of(const ucontext_t *uc, struct unwind_regs *r)
{
	*r = (struct unwind_regs){ 0 };
#ifdef __x86_64__
	static const int order[] = { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
				     REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };

	for (int i = 0; i < 16; i++)
		r->v[i] = (uint64_t)uc->uc_mcontext.gregs[order[i]];
	r->valid = 0xffff;
	r->pc = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
#else
	for (int i = 0; i < 31; i++)
		r->v[i] = uc->uc_mcontext.regs[i];
	r->v[31] = uc->uc_mcontext.sp;
	r->valid = 0xffffffff;
	r->pc = uc->uc_mcontext.pc;
#endif
}

struct stacks {
	uint64_t theirs[MAX_FRAMES];
	uint64_t ours[MAX_FRAMES];
	uint32_t nr_theirs;
	uint32_t nr;
	struct unwind_result walk;
};

static _Unwind_Reason_Code note_frame(struct _Unwind_Context *c, void *arg)
{
	struct stacks *s = arg;
	uint64_t ip = _Unwind_GetIP(c);

	if (ip && s->nr_theirs < MAX_FRAMES)
		s->theirs[s->nr_theirs++] = ip;
	return _URC_NO_REASON;
}

/* Both stacks of the place it is called at; the first frame is this function in both. */
__attribute__((noinline)) static void take(struct stacks *s)
{
	struct unwind_access access = own_access();
	struct unwind_regs regs;
	ucontext_t uc;

	getcontext(&uc);
	regs_of(&uc, &regs);
	s->nr = unwind_walk(arch_native(), &regs, &access, s->ours, MAX_FRAMES, &s->walk);
	s->nr_theirs = 0;
	_Unwind_Backtrace(note_frame, s);
}

static void check_same(const struct stacks *s)
{
	if (s->nr != s->nr_theirs)
		for (uint32_t i = 0; i < s->nr || i < s->nr_theirs; i++)
			print_message("%2u %llx %llx\n", i, i < s->nr ? (unsigned long long)s->ours[i] : 0,
				      i < s->nr_theirs ? (unsigned long long)s->theirs[i] : 0);
	assert_int_equal(s->nr, s->nr_theirs);
	for (uint32_t i = 1; i < s->nr; i++) {
		uint64_t theirs = s->theirs[i];

		/* less one, but for the frames at a signal */
		assert_true(s->ours[i] == theirs - 1 || s->ours[i] == theirs);
	}
	assert_int_equal(s->walk.end, UNWIND_COMPLETE);
}

static struct stacks at;

__attribute__((noinline)) static int recurse(int n)
{
	volatile char room[64];

	room[0] = (char)n;
	if (n == 0)
		take(&at);
	else
		recurse(n - 1);
	return room[0];
}

static void test_calls(void **state)
{
	(void)state;
	recurse(20);
	check_same(&at);
	assert_true(at.nr > 22);
}

static int compare(const void *a, const void *b)
{
	if (!at.nr)
		take(&at);
	return *(const int *)a - *(const int *)b;
}

static void test_through_libc(void **state)
{
	int v[] = { 3, 1, 2 };

	(void)state;
	at.nr = 0;
	qsort(v, 3, sizeof(v[0]), compare);
	check_same(&at);
}

static void *thread_main(void *arg)
{
	(void)arg;
	recurse(3);
	return NULL;
}

static void test_thread(void **state)
{
	pthread_t t;

	(void)state;
	assert_int_equal(pthread_create(&t, NULL, thread_main, NULL), 0);
	pthread_join(t, NULL);
	check_same(&at);
}

static void on_signal(int sig)
{
	(void)sig;
	take(&at);
}

static void check_signal(int flags)
{
	static char other[65536];
	stack_t ss = { .ss_sp = other, .ss_size = sizeof(other) }, off = { .ss_flags = SS_DISABLE };
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = flags };
	uint32_t exact = 0;

	assert_int_equal(sigaltstack(&ss, NULL), 0);
	assert_int_equal(sigaction(SIGUSR1, &sa, NULL), 0);
	raise(SIGUSR1);
	sigaltstack(&off, NULL);
	check_same(&at);
	for (uint32_t i = 1; i < at.nr; i++)
		exact += at.ours[i] == at.theirs[i];
	/* the trampoline, and what was interrupted */
	assert_int_equal(exact, 2);
}

static void test_signal(void **state)
{
	(void)state;
	check_signal(0);
}

static void test_signal_stack(void **state)
{
	(void)state;
	check_signal(SA_ONSTACK);
}

/* ---- made-up stacks: one function a rule, memory of 64 words from 0x7000 on ---- */

#define STACK 0x7000
#define NR_WORDS 64

struct world {
	const struct arch_ops *arch;
	struct unwind_table *table;
	uint64_t words[NR_WORDS];
	uint64_t dumped; /* bytes */
	bool whole;
	bool end_is_guess; /* the last frame's end is one, though no step was */
	bool is_certain;   /* steps through code without a table are no guesses */
};

/* The made-up file is mapped at 0x100000 from its first segment on; 0x900000 is code without a table. */
#define CODE(vaddr) ((vaddr)-0x1000 + 0x100000)
#define NO_TABLE 0x900000

static bool find(void *ctx, uint64_t ip, struct unwind_module *m)
{
	const struct world *w = ctx;

	if (ip >= 0x100000 && ip < 0x110000)
		*m = (struct unwind_module){ w->table, 0x100000, 0x110000, 0x1000 - CFI_DELTA };
	else if (ip >= NO_TABLE && ip < NO_TABLE + 0x10000)
		*m = (struct unwind_module){ NULL, NO_TABLE, NO_TABLE + 0x10000, NO_TABLE };
	else
		return false;
	return true;
}

static struct world world_of(const struct arch_ops *arch, const struct cfi_writer *w)
{
	struct world world = { .arch = arch, .dumped = NR_WORDS * 8 };
	struct unwind_input in = cfi_input(arch, w, NULL);

	world.table = unwind_build(&in);
	return world;
}

static bool is_covered(struct world *w, uint64_t ip)
{
	struct unwind_module m;

	return find(w, ip, &m) && m.table && unwind_table_cover(m.table, ip - m.start + m.addr_of_start) != UNWIND_UNCOVERED;
}

static bool is_trampoline(uint64_t ip)
{
	return ip >= CODE(0x8000) && ip <= CODE(0x8100);
}

/* Walks and compares: the end, the addresses, and whether a step was a guess. */
static void expect(struct world *w, struct unwind_regs regs, enum unwind_end end, uint32_t nr, const uint64_t *want)
{
	struct unwind_access a = { .ctx = w,
				   .find = find,
				   .stack = (const uint8_t *)w->words,
				   .stack_start = STACK,
				   .stack_size = w->dumped,
				   .stack_is_whole = w->whole };
	struct unwind_regs again = regs;
	uint64_t ips[64], same[64];
	bool exact[64];
	bool guessed = w->end_is_guess;
	struct unwind_result got, got_again;
	uint32_t got_nr = unwind_walk(w->arch, &regs, &a, ips, 64, &got);

	/* Exact are the first, a signal's trampoline (0x8000 on), what it interrupted, and a first byte that was not called. */
	a.exact = exact;
	assert_int_equal(unwind_walk(w->arch, &again, &a, same, 64, &got_again), got_nr);
	for (uint32_t i = 0; i < got_nr && w->arch == &arch_x86_64; i++) {
		bool is_exact = !i || is_trampoline(ips[i]) || is_trampoline(ips[i - 1]) || ips[i] == CODE(0x2000);

		assert_int_equal(exact[i], is_exact);
	}

	assert_string_equal(unwind_end_name(got.end), unwind_end_name(end));
	assert_int_equal(got_nr, nr);
	for (uint32_t i = 0; i < nr; i++)
		assert_int_equal(ips[i], want[i]);
	/* From where no rule is, every caller is a guess; the last address has none. */
	for (uint32_t i = 0; i + 1 < nr; i++)
		guessed = guessed || !(is_covered(w, ips[i]) || is_trampoline(ips[i]) || w->is_certain);
	assert_int_equal(got.guessed, guessed);
	assert_int_equal(got_again.guessed, guessed);
}
#define EXPECT(w, regs, end, ...) expect(w, regs, end, sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8, (const uint64_t[]){ __VA_ARGS__ })

static struct unwind_regs regs_at(const struct arch_ops *arch, uint64_t pc, uint64_t sp, uint64_t fp)
{
	struct unwind_regs r = { .pc = pc };

	r.v[arch->sp] = sp;
	r.v[arch->fp] = fp;
	r.valid = UINT64_C(1) << arch->sp | UINT64_C(1) << arch->fp;
	return r;
}

/* 0x2000: CFA rsp+8 (a function's beginning); 0x3000: rsp+32, rbp at CFA-16; 0x4000: outermost; 0x5000: CFA rbp+16;
 * 0x6000: CFA rsp+0, the return address in rbx; 0x7000: CFA rbx+8; 0x8000: a signal's frame, CFA rsp+64;
 * 0xa000: CFA is an expression, *(rbp - 8);
 * 0xb000: rbx at CFA-16 too; 0xc000: CFA rsp+8, rbp at CFA-16, as in an epilogue */
static struct world x86_world(void)
{
	struct cfi_writer w = { .is_eh = true };
	size_t cie = cfi_cie(&w, "zR"), scie = cfi_cie(&w, "zRS");

	cfi_fde(&w, cie, true, 0x2000, 0x100, CFI_BYTES(DW_CFA_nop));
	cfi_fde(&w, cie, true, 0x3000, 0x100, CFI_BYTES(DW_CFA_def_cfa_offset, 32, DW_CFA_offset | 6, 2));
	cfi_fde(&w, cie, true, 0x4000, 0x100, CFI_BYTES(DW_CFA_undefined, 16));
	cfi_fde(&w, cie, true, 0x5000, 0x100, CFI_BYTES(DW_CFA_def_cfa, 6, 16, DW_CFA_offset | 6, 2));
	cfi_fde(&w, cie, true, 0x6000, 0x100, CFI_BYTES(DW_CFA_def_cfa_offset, 0, DW_CFA_register, 16, 3, DW_CFA_same_value, 3));
	cfi_fde(&w, cie, true, 0x7000, 0x100, CFI_BYTES(DW_CFA_def_cfa, 3, 8));
	cfi_fde(&w, scie, true, 0x8000, 0x100, CFI_BYTES(DW_CFA_def_cfa_offset, 64, DW_CFA_expression, 7, 2, DW_OP_breg7, 8));
	cfi_fde(&w, cie, true, 0xa000, 0x100, CFI_BYTES(DW_CFA_def_cfa_expression, 3, DW_OP_breg6, 0x78, DW_OP_deref));
	cfi_fde(&w, cie, true, 0xb000, 0x100, CFI_BYTES(DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 3, 2));
	cfi_fde(&w, cie, true, 0xc000, 0x100, CFI_BYTES(DW_CFA_offset | 6, 2));
	return world_of(&arch_x86_64, &w);
}

static void test_x86_rules(void **state)
{
	struct world w = x86_world();
	const struct arch_ops *a = &arch_x86_64;

	(void)state;
	/* leaf → rsp+32 with rbp saved → by rbp → outermost */
	w.words[0] = CODE(0x3010);
	w.words[1 + 2] = STACK + 8 * 10; /* rbp, at CFA-16 */
	w.words[1 + 3] = CODE(0x5010);
	w.words[10] = 0;
	w.words[11] = CODE(0x4010);
	EXPECT(&w, regs_at(a, CODE(0x2000), STACK, 0), UNWIND_COMPLETE, CODE(0x2000), CODE(0x300f), CODE(0x500f), CODE(0x400f));
	/* a saved rbx leads the next; without it nothing does */
	w.words[0] = STACK + 8 * 20;
	w.words[1] = CODE(0x7010);
	w.words[20] = CODE(0x4010);
	EXPECT(&w, regs_at(a, CODE(0xb000), STACK, 0), UNWIND_COMPLETE, CODE(0xb000), CODE(0x700f), CODE(0x400f));
	EXPECT(&w, regs_at(a, CODE(0x7000), STACK, 0), UNWIND_NO_RULE, CODE(0x7000));
	/* a CFA by expression: the word at rbp-8 */
	w.words[4] = STACK + 8 * 21;
	EXPECT(&w, regs_at(a, CODE(0xa000), STACK, STACK + 8 * 5), UNWIND_COMPLETE, CODE(0xa000), CODE(0x400f));
	/* a return address of 0 is an end too */
	w.words[0] = 0;
	EXPECT(&w, regs_at(a, CODE(0x2000), STACK, 0), UNWIND_COMPLETE, CODE(0x2000));
	unwind_table_free(w.table);
}

/* The last instruction of a function is a call that does not return: the return address is another's, or nobody's. */
static void test_call_at_the_end(void **state)
{
	struct world w = x86_world();

	(void)state;
	w.words[0] = CODE(0x3100);
	w.words[1 + 3] = CODE(0x4100);
	EXPECT(&w, regs_at(&arch_x86_64, CODE(0x2000), STACK, 0), UNWIND_COMPLETE, CODE(0x2000), CODE(0x30ff), CODE(0x40ff));
	unwind_table_free(w.table);
}

/* rbp is popped: its slot is below the stack pointer, and not in the dump. */
static void test_x86_epilogue(void **state)
{
	struct world w = x86_world();

	(void)state;
	w.words[0] = CODE(0x5010);
	w.words[11] = CODE(0x4010);
	EXPECT(&w, regs_at(&arch_x86_64, CODE(0xc000), STACK, STACK + 8 * 10), UNWIND_COMPLETE, CODE(0xc000), CODE(0x500f), CODE(0x400f));
	/* not popped yet: the slot counts, not the register */
	w.words[0] = STACK + 8 * 10;
	w.words[1] = CODE(0x5010);
	EXPECT(&w, regs_at(&arch_x86_64, CODE(0xc000), STACK + 8, 77), UNWIND_COMPLETE, CODE(0xc000), CODE(0x500f), CODE(0x400f));
	/* nobody knows the register */
	struct unwind_regs r = regs_at(&arch_x86_64, CODE(0xc000), STACK, 0);

	r.valid = UINT64_C(1) << arch_x86_64.sp;
	w.words[0] = CODE(0x5010);
	EXPECT(&w, r, UNWIND_NO_RULE, CODE(0xc000), CODE(0x500f));
	unwind_table_free(w.table);
}

/* makecontext(): the return address is the first byte of a function, in front of which there is nothing. */
static void test_made_stack(void **state)
{
	struct world w = x86_world();

	(void)state;
	w.words[3] = CODE(0x2000);
	EXPECT(&w, regs_at(&arch_x86_64, CODE(0x3000), STACK, 0), UNWIND_COMPLETE, CODE(0x3000), CODE(0x2000));
	unwind_table_free(w.table);
}

/* The arguments of a process above a frame that no table covers. */
static void test_process_start(void **state)
{
	struct world w = x86_world();
	const struct arch_ops *a = &arch_x86_64;

	(void)state;
	w.words[0] = NO_TABLE + 0x10;
	w.words[1] = 5;
	w.words[2] = NO_TABLE + 0x100; /* the start-up code's own call, or a frame that is missing */
	w.words[3] = 2;
	w.words[4] = w.words[5] = STACK + 8 * 20;
	w.words[7] = STACK + 8 * 30;
	w.end_is_guess = true;
	EXPECT(&w, regs_at(a, CODE(0x2000), STACK, 77), UNWIND_COMPLETE, CODE(0x2000), NO_TABLE + 0xf);
	EXPECT(&w, regs_at(a, CODE(0x2000), STACK, 0), UNWIND_COMPLETE, CODE(0x2000), NO_TABLE + 0xf);
	w.end_is_guess = false;
	w.words[2] = 5;
	EXPECT(&w, regs_at(a, CODE(0x2000), STACK, 77), UNWIND_COMPLETE, CODE(0x2000), NO_TABLE + 0xf);
	/* at the entry itself; further in, something was called */
	EXPECT(&w, regs_at(a, NO_TABLE, STACK + 8 * 3, 0), UNWIND_COMPLETE, NO_TABLE);
	EXPECT(&w, regs_at(a, NO_TABLE, STACK + 8 * 2, 77), UNWIND_NO_RULE, NO_TABLE);
	/* a frame between */
	w.words[2] = CODE(0x3010);
	EXPECT(&w, regs_at(a, CODE(0x2000), STACK, 77), UNWIND_NO_RULE, CODE(0x2000), NO_TABLE + 0xf);
	w.words[2] = NO_TABLE + 0x100;
	/* no zero behind the arguments, an argument that is elsewhere, a dump that ends before */
	w.words[6] = 99;
	EXPECT(&w, regs_at(a, CODE(0x2000), STACK, 77), UNWIND_NO_RULE, CODE(0x2000), NO_TABLE + 0xf);
	w.words[6] = 0;
	w.words[5] = STACK;
	EXPECT(&w, regs_at(a, CODE(0x2000), STACK, 77), UNWIND_NO_RULE, CODE(0x2000), NO_TABLE + 0xf);
	w.words[5] = w.words[4];
	w.dumped = 7 * 8;
	EXPECT(&w, regs_at(a, CODE(0x2000), STACK, 77), UNWIND_NO_RULE, CODE(0x2000), NO_TABLE + 0xf);
	/* without arguments above, a frame pointer of zero is the ABI's word for it, and no more than likely */
	w.end_is_guess = true;
	EXPECT(&w, regs_at(a, CODE(0x2000), STACK, 0), UNWIND_COMPLETE, CODE(0x2000), NO_TABLE + 0xf);
	unwind_table_free(w.table);
}

static void test_x86_signal(void **state)
{
	struct world w = x86_world();

	(void)state;
	/* handler → trampoline (returned to at its first byte + 1) → the first byte of a function, on a stack below */
	w.words[20] = CODE(0x8001);
	w.words[21 + 1] = STACK + 8; /* the interrupted rsp */
	w.words[21 + 7] = CODE(0x2000);
	w.words[1] = CODE(0x4001);
	EXPECT(&w, regs_at(&arch_x86_64, CODE(0x2050), STACK + 8 * 20, 0), UNWIND_COMPLETE, CODE(0x2050), CODE(0x8001), CODE(0x2000),
	       CODE(0x4000));
	/* behind the system call of the trampoline, and called by its first byte */
	EXPECT(&w, regs_at(&arch_x86_64, CODE(0x8100), STACK + 8 * 21, 0), UNWIND_COMPLETE, CODE(0x8100), CODE(0x2000), CODE(0x4000));
	w.words[20] = CODE(0x8000);
	EXPECT(&w, regs_at(&arch_x86_64, CODE(0x2050), STACK + 8 * 20, 0), UNWIND_COMPLETE, CODE(0x2050), CODE(0x8000), CODE(0x2000),
	       CODE(0x4000));
	w.words[20] = CODE(0x8001);
	/* the interrupted stack goes on above the dump; it is another one, however near, which no dump of this one reaches; and back */
	w.words[21 + 7] = CODE(0x3000);
	w.words[21 + 1] = STACK + NR_WORDS * 8 + 4096;
	EXPECT(&w, regs_at(&arch_x86_64, CODE(0x2050), STACK + 8 * 20, 0), UNWIND_TRUNCATED, CODE(0x2050), CODE(0x8001), CODE(0x3000));
	w.words[21 + 1] = STACK + 0x100000;
	EXPECT(&w, regs_at(&arch_x86_64, CODE(0x2050), STACK + 8 * 20, 0), UNWIND_BAD_MEMORY, CODE(0x2050), CODE(0x8001), CODE(0x3000));
	w.words[21 + 1] = STACK + 8 * (NR_WORDS - 2);
	EXPECT(&w, regs_at(&arch_x86_64, CODE(0x2050), STACK + 8 * 20, 0), UNWIND_TRUNCATED, CODE(0x2050), CODE(0x8001), CODE(0x3000));
	/* a frame that leads to itself for ever */
	w.words[21 + 1] = STACK + 8 * 21;
	w.words[21 + 7] = CODE(0x8001);
	struct unwind_access a = { .ctx = &w, .find = find, .stack = (const uint8_t *)w.words, .stack_start = STACK, .stack_size = 512 };
	struct unwind_regs r = regs_at(&arch_x86_64, CODE(0x2050), STACK + 8 * 20, 0);
	uint64_t ips[1000];
	struct unwind_result walk;

	assert_true(unwind_walk(&arch_x86_64, &r, &a, ips, 1000, &walk) < 100);
	assert_int_equal(walk.end, UNWIND_NO_PROGRESS);
	unwind_table_free(w.table);
}

static void test_ends(void **state)
{
	struct world w = x86_world();
	const struct arch_ops *a = &arch_x86_64;
	struct unwind_access access = {
		.ctx = &w, .find = find, .stack = (const uint8_t *)w.words, .stack_start = STACK, .stack_size = sizeof(w.words)
	};
	struct unwind_regs r;
	uint64_t ips[8];
	struct unwind_result walk;

	(void)state;
	/* the return address lies just above the dump, in its last bytes, far away, below */
	w.dumped = 32;
	EXPECT(&w, regs_at(a, CODE(0x3000), STACK + 8, 0), UNWIND_TRUNCATED, CODE(0x3000));
	EXPECT(&w, regs_at(a, CODE(0x2000), STACK + 28, 0), UNWIND_TRUNCATED, CODE(0x2000));
	EXPECT(&w, regs_at(a, CODE(0x5000), STACK, STACK + 0x100000), UNWIND_TRUNCATED, CODE(0x5000));
	EXPECT(&w, regs_at(a, CODE(0x5000), STACK, STACK + 0x10000000), UNWIND_BAD_MEMORY, CODE(0x5000));
	EXPECT(&w, regs_at(a, CODE(0x5000), STACK, 0), UNWIND_BAD_MEMORY, CODE(0x5000));
	w.whole = true;
	EXPECT(&w, regs_at(a, CODE(0x3000), STACK + 8, 0), UNWIND_BAD_MEMORY, CODE(0x3000));
	w.whole = false;
	w.dumped = sizeof(w.words);
	/* a stack pointer that does not move, and one that goes down */
	w.words[0] = CODE(0x6010);
	r = regs_at(a, CODE(0x2000), STACK, 0);
	r.v[3] = CODE(0x6010);
	r.valid |= 1 << 3;
	EXPECT(&w, r, UNWIND_NO_PROGRESS, CODE(0x2000), CODE(0x600f));
	w.words[0] = CODE(0x5010);
	w.words[3] = CODE(0x5010);
	w.words[2] = STACK - 64;
	EXPECT(&w, regs_at(a, CODE(0x2000), STACK, STACK + 16), UNWIND_BAD_MEMORY, CODE(0x2000), CODE(0x500f), CODE(0x500f));
	w.words[2] = STACK + 16;
	EXPECT(&w, regs_at(a, CODE(0x2000), STACK, STACK + 16), UNWIND_NO_PROGRESS, CODE(0x2000), CODE(0x500f), CODE(0x500f));
	/* no code there: shown, and the end */
	w.words[0] = 0x123456;
	EXPECT(&w, regs_at(a, CODE(0x2000), STACK, 0), UNWIND_NO_MAP, CODE(0x2000), 0x123455);
	/* limits */
	w.words[0] = CODE(0x2010);
	w.words[1] = CODE(0x2010);
	w.words[2] = CODE(0x4010);
	r = regs_at(a, CODE(0x2000), STACK, 0);
	assert_int_equal(unwind_walk(a, &r, &access, ips, 2, &walk), 2);
	assert_int_equal(walk.end, UNWIND_LIMIT);
	r = regs_at(a, CODE(0x2000), STACK, 0);
	assert_int_equal(unwind_walk(a, &r, &access, ips, 4, &walk), 4);
	assert_int_equal(walk.end, UNWIND_COMPLETE);
	/* rows of the other machine are not believed */
	r = regs_at(&arch_arm64, CODE(0x2000), STACK, 0);
	assert_int_equal(unwind_walk(&arch_arm64, &r, &access, ips, 8, &walk), 1);
	assert_int_equal(walk.end, UNWIND_NO_RULE);
	for (int i = 0; i < UNWIND_NR_ENDS; i++)
		assert_non_null(unwind_end_name((enum unwind_end)i));
	assert_non_null(unwind_end_name((enum unwind_end)99));
	unwind_table_free(w.table);
}

static void test_x86_guess(void **state)
{
	struct world w = x86_world();
	const struct arch_ops *a = &arch_x86_64;

	(void)state;
	/* code without a table, by frame pointers, into code with one */
	w.words[2] = STACK + 8 * 6;
	w.words[3] = NO_TABLE + 0x100;
	w.words[6] = STACK + 8 * 20;
	w.words[7] = CODE(0x3010);
	w.words[8 + 3] = CODE(0x4010);
	w.is_certain = true;
	EXPECT(&w, regs_at(a, NO_TABLE, STACK, STACK + 16), UNWIND_COMPLETE, NO_TABLE, NO_TABLE + 0xff, CODE(0x300f), CODE(0x400f));
	w.is_certain = false;
	/* the chain's own end */
	w.words[6] = 0;
	w.words[7] = NO_TABLE + 0x200;
	EXPECT(&w, regs_at(a, NO_TABLE, STACK, STACK + 16), UNWIND_COMPLETE, NO_TABLE, NO_TABLE + 0xff, NO_TABLE + 0x1ff);
	w.words[7] = 0;
	EXPECT(&w, regs_at(a, NO_TABLE, STACK, STACK + 16), UNWIND_COMPLETE, NO_TABLE, NO_TABLE + 0xff);
	/* downwards, not aligned, to no code, above the dump */
	EXPECT(&w, regs_at(a, NO_TABLE, STACK + 32, STACK + 16), UNWIND_NO_RULE, NO_TABLE);
	EXPECT(&w, regs_at(a, NO_TABLE, STACK, STACK + 17), UNWIND_NO_RULE, NO_TABLE);
	w.end_is_guess = true;
	EXPECT(&w, regs_at(a, NO_TABLE, STACK, STACK + 8 * 30), UNWIND_COMPLETE, NO_TABLE);
	w.end_is_guess = false;
	w.words[31] = 77;
	EXPECT(&w, regs_at(a, NO_TABLE, STACK, STACK + 8 * 30), UNWIND_NO_RULE, NO_TABLE);
	EXPECT(&w, regs_at(a, NO_TABLE, STACK, STACK + sizeof(w.words)), UNWIND_TRUNCATED, NO_TABLE);
	EXPECT(&w, regs_at(a, NO_TABLE, STACK, UINT64_MAX & ~7), UNWIND_NO_RULE, NO_TABLE);
	/* called into nowhere: the caller is on top of the stack */
	w.words[0] = CODE(0x4010);
	EXPECT(&w, regs_at(a, 0, STACK, 0), UNWIND_COMPLETE, 0, CODE(0x400f));
	/* a gap of the table is no better than no table; a frame pointer that is a number leaves the top of the stack */
	EXPECT(&w, regs_at(a, CODE(0x9000), STACK, 12345), UNWIND_COMPLETE, CODE(0x9000), CODE(0x400f));
	/* a saved register that points to where a function begins is nobody's return address */
	w.words[0] = CODE(0x4000);
	EXPECT(&w, regs_at(a, CODE(0x9000), STACK, 12345), UNWIND_NO_RULE, CODE(0x9000));
	unwind_table_free(w.table);
}

/* CPython's trampoline: a word of padding, then the return address, where the call returns to a place that it has. */
#define ABOVE (STACK + 8 * 30) /* the frames of the test */

/* Steps by frame pointer are no guesses where nothing between the stack pointer and the frame is an address of code. */
static void test_x86_certain(void **state)
{
	static const struct {
		uint64_t word[4]; /* of the caller, between its stack pointer and its frame */
		bool is_certain;
	} cases[] = {
		{ { 0, 0, 0, 0 }, true },
		{ { 12345, STACK + 8, 0x7fff0000, UINT64_MAX }, true },
		{ { 0, 0, CODE(0x4010), 0 }, false }, /* a caller without a frame may have left it there */
		{ { 0, 0, NO_TABLE + 1, 0 }, false },
		{ { 0, NO_TABLE, 0, 0 }, true }, /* the first byte of a map: nothing was called in front of it */
		{ { NO_TABLE, NO_TABLE + 0x10, 0, 0 }, false },
		{ { NO_TABLE + 0x100, 0, 0, 0 }, true }, /* HotSpot's adapter: the return address once more */
		{ { 0, NO_TABLE + 0x100, 0, 0 }, false },
		{ { 0, 0, NO_TABLE + 0x300, ABOVE }, true }, /* HotSpot's stub for calls from C++ */
		{ { 0, 0, NO_TABLE + 0x300, STACK + 8 }, false },
		{ { 0, NO_TABLE + 0x300, ABOVE, 0 }, false },
	};
	struct world w = x86_world();
	const struct arch_ops *a = &arch_x86_64;

	(void)state;
	for (uint32_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		memset(w.words, 0, sizeof(w.words));
		w.words[1] = STACK + 8 * 7;
		w.words[2] = NO_TABLE + 0x100;
		memcpy(w.words + 3, cases[i].word, sizeof(cases[i].word));
		w.words[7] = 0;
		w.words[8] = CODE(0x4010);
		w.is_certain = cases[i].is_certain;
		EXPECT(&w, regs_at(a, NO_TABLE, STACK, STACK + 8), UNWIND_COMPLETE, NO_TABLE, NO_TABLE + 0xff, CODE(0x400f));
		/* The stub's caller has a table. */
		w.words[8] = NO_TABLE + 0x200;
		w.words[7] = STACK + 8 * 12;
		w.words[13] = CODE(0x4010);
		w.is_certain &= cases[i].word[3] != ABOVE;
		EXPECT(&w, regs_at(a, NO_TABLE, STACK, STACK + 8), UNWIND_COMPLETE, NO_TABLE, NO_TABLE + 0xff, NO_TABLE + 0x1ff,
		       CODE(0x400f));
	}
	/* Where the thread is, nothing is known of copies; where a call returns to the pc tells them. */
	memset(w.words, 0, sizeof(w.words));
	w.words[0] = NO_TABLE + 0x100;
	w.words[3] = CODE(0x4010);
	w.is_certain = false;
	EXPECT(&w, regs_at(a, NO_TABLE + 0x100, STACK, STACK + 16), UNWIND_COMPLETE, NO_TABLE + 0x100, CODE(0x400f));
	unwind_table_free(w.table);
}

static void test_cpython_trampoline(void **state)
{
	struct world w = x86_world();
	const struct arch_ops *a = &arch_x86_64;
	const uint64_t number = 12345; /* the frame pointer is a register like others */

	(void)state;
	w.words[1] = NO_TABLE + 0x106;
	w.words[3] = CODE(0x4010);
	w.is_certain = true;
	EXPECT(&w, regs_at(a, CODE(0x2000), STACK + 8, number), UNWIND_COMPLETE, CODE(0x2000), NO_TABLE + 0x105, CODE(0x400f));
	w.words[1] = NO_TABLE + 11 * 3 + 6; /* back to back, as in 3.12 */
	EXPECT(&w, regs_at(a, CODE(0x2000), STACK + 8, number), UNWIND_COMPLETE, CODE(0x2000), NO_TABLE + 38, CODE(0x400f));
	/* another place of the code, a caller without a table, a stack that is not aligned */
	w.words[1] = NO_TABLE + 0x107;
	EXPECT(&w, regs_at(a, CODE(0x2000), STACK + 8, number), UNWIND_NO_RULE, CODE(0x2000), NO_TABLE + 0x106);
	w.words[1] = NO_TABLE + 0x106;
	w.words[3] = NO_TABLE + 0x200;
	EXPECT(&w, regs_at(a, CODE(0x2000), STACK + 8, number), UNWIND_NO_RULE, CODE(0x2000), NO_TABLE + 0x105);
	w.words[0] = NO_TABLE + 0x106;
	w.words[2] = CODE(0x4010);
	EXPECT(&w, regs_at(a, CODE(0x2000), STACK, number), UNWIND_NO_RULE, CODE(0x2000), NO_TABLE + 0x105);
	unwind_table_free(w.table);
}

/* 32-bit programs: the same as x86_world(), in slots of four bytes. 0x2000: CFA esp+4; 0x3000: esp+16, ebp at CFA-8; 0x4000: outermost;
 * 0x5000: CFA ebp+8; 0xa000: CFA is *(ebp - 4) */
static struct world i386_world(void)
{
	struct cfi_writer w = { .is_eh = true };

	cfi_begin(&w);
	cfi_id(&w, true, 0);
	cfi_put(&w, CFI_BYTES(1, 'z', 'R', 0, 1, 0x7c, 8, 1, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_CFA_def_cfa, 4, 4, DW_CFA_offset | 8, 1));
	cfi_end(&w);
	cfi_fde(&w, 0, true, 0x2000, 0x100, CFI_BYTES(DW_CFA_nop));
	cfi_fde(&w, 0, true, 0x3000, 0x100, CFI_BYTES(DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 5, 2));
	cfi_fde(&w, 0, true, 0x4000, 0x100, CFI_BYTES(DW_CFA_undefined, 8));
	cfi_fde(&w, 0, true, 0x5000, 0x100, CFI_BYTES(DW_CFA_def_cfa, 5, 8, DW_CFA_offset | 5, 2));
	cfi_fde(&w, 0, true, 0xa000, 0x100, CFI_BYTES(DW_CFA_def_cfa_expression, 3, DW_OP_breg5, 0x7c, DW_OP_deref));
	return world_of(&arch_i386, &w);
}

static void test_i386(void **state)
{
	struct world w = i386_world();
	const struct arch_ops *a = &arch_i386;
	uint32_t *slots = (uint32_t *)w.words;

	(void)state;
	/* leaf → esp+16 with ebp saved → by ebp → outermost */
	slots[0] = CODE(0x3010);
	slots[1 + 2] = STACK + 4 * 10;
	slots[1 + 3] = CODE(0x5010);
	slots[10] = 0x7777;
	slots[11] = CODE(0x4010);
	EXPECT(&w, regs_at(a, CODE(0x2000), STACK, 0), UNWIND_COMPLETE, CODE(0x2000), CODE(0x300f), CODE(0x500f), CODE(0x400f));
	slots[4] = STACK + 4 * 12;
	EXPECT(&w, regs_at(a, CODE(0xa000), STACK, STACK + 4 * 5), UNWIND_COMPLETE, CODE(0xa000), CODE(0x400f));
	/* the last slot of the dump, and the one above it */
	w.dumped = 12 * 4;
	EXPECT(&w, regs_at(a, CODE(0x2000), STACK + 4 * 11, 0), UNWIND_COMPLETE, CODE(0x2000), CODE(0x400f));
	EXPECT(&w, regs_at(a, CODE(0x2000), STACK + 4 * 12, 0), UNWIND_TRUNCATED, CODE(0x2000));
	w.dumped = sizeof(w.words);
	/* by frame pointers, and from the top of the stack */
	slots[6] = STACK + 4 * 20;
	slots[7] = CODE(0x4010);
	EXPECT(&w, regs_at(a, NO_TABLE, STACK, STACK + 4 * 6), UNWIND_COMPLETE, NO_TABLE, CODE(0x400f));
	slots[0] = CODE(0x4010);
	EXPECT(&w, regs_at(a, CODE(0x9000), STACK, 12345), UNWIND_COMPLETE, CODE(0x9000), CODE(0x400f));
	/* the process's arguments */
	slots[0] = NO_TABLE + 0x10;
	slots[1] = 1;
	slots[2] = STACK + 4 * 20;
	slots[3] = 0;
	slots[4] = STACK + 4 * 30;
	EXPECT(&w, regs_at(a, CODE(0x2000), STACK, 77), UNWIND_COMPLETE, CODE(0x2000), NO_TABLE + 0xf);
	unwind_table_free(w.table);
}

/* 0x2000: a leaf, CFA sp+0, nothing saved; 0x3000: sp+32, x29 at CFA-32, x30 at CFA-24; 0x4000: outermost */
static struct world arm_world(void)
{
	struct cfi_writer w = { .is_eh = true };

	cfi_begin(&w);
	cfi_id(&w, true, 0);
	cfi_put(&w, CFI_BYTES(1, 'z', 'R', 0, 4, 0x78, 30, 1, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_CFA_def_cfa, 31, 0));
	cfi_end(&w);
	cfi_fde(&w, 0, true, 0x2000, 0x100, CFI_BYTES(DW_CFA_nop));
	cfi_fde(&w, 0, true, 0x3000, 0x100, CFI_BYTES(DW_CFA_def_cfa_offset, 32, DW_CFA_offset | 29, 4, DW_CFA_offset | 30, 3));
	cfi_fde(&w, 0, true, 0x4000, 0x100, CFI_BYTES(DW_CFA_undefined, 30));
	return world_of(&arch_arm64, &w);
}

static void test_arm64(void **state)
{
	struct world w = arm_world();
	const struct arch_ops *a = &arch_arm64;
	struct unwind_regs r = regs_at(a, CODE(0x2000), STACK, STACK);

	(void)state;
	r.v[30] = CODE(0x3010);
	r.valid |= UINT64_C(1) << 30;
	w.words[0] = STACK + 64;
	w.words[1] = CODE(0x4010) | UINT64_C(0x7f5a) << 48; /* signed */
	EXPECT(&w, r, UNWIND_COMPLETE, CODE(0x2000), CODE(0x300f), CODE(0x400f));
	w.words[1] = CODE(0x4010) | UINT64_C(0x1a5a5a) << 39; /* by a kernel with a small address space */
	EXPECT(&w, r, UNWIND_COMPLETE, CODE(0x2000), CODE(0x300f), CODE(0x400f));
	/* a caller that says it is a leaf cannot be one: no loop */
	w.words[1] = CODE(0x2010);
	EXPECT(&w, r, UNWIND_NO_RULE, CODE(0x2000), CODE(0x300f), CODE(0x200f));
	unwind_table_free(w.table);
}

static void test_arm64_guess(void **state)
{
	struct world w = arm_world();
	const struct arch_ops *a = &arch_arm64;
	struct unwind_regs r = regs_at(a, NO_TABLE, STACK, STACK + 16);

	(void)state;
	r.v[30] = CODE(0x3010);
	r.valid |= UINT64_C(1) << 30;
	/* a leaf without a table, called from a function with one, whose frame begins at x29 */
	w.words[2] = STACK + 80;
	w.words[3] = CODE(0x4010);
	r.v[31] = STACK + 16;
	EXPECT(&w, r, UNWIND_COMPLETE, NO_TABLE, CODE(0x300f), CODE(0x400f));
	/* a frame of its own, made already: the same address in both */
	r.v[30] = CODE(0x4010);
	EXPECT(&w, r, UNWIND_COMPLETE, NO_TABLE, CODE(0x400f));
	/* it has called another: the link register is an address of its own */
	r.v[30] = NO_TABLE + 64;
	EXPECT(&w, r, UNWIND_COMPLETE, NO_TABLE, CODE(0x400f));
	/* by x29 into a function with a table by sp: where the stack pointer is, x29 tells */
	w.words[3] = CODE(0x3010);
	w.words[10] = 0;
	w.words[11] = CODE(0x4010);
	EXPECT(&w, r, UNWIND_COMPLETE, NO_TABLE, CODE(0x300f), CODE(0x400f));
	/* called into nowhere */
	r.pc = 0;
	r.v[30] = CODE(0x4010);
	EXPECT(&w, r, UNWIND_COMPLETE, 0, CODE(0x400f));
	unwind_table_free(w.table);
}

/* The kernel's frame of a signal, found by its instructions. */
static void test_arm64_trampoline(void **state)
{
	struct unwind_input in;
	struct world w = { .arch = &arch_arm64, .dumped = sizeof(w.words) };
	struct unwind_regs r;

	(void)state;
	in = cfi_input(&arch_arm64, NULL, NULL);
	in.nr_trampolines = 1;
	in.trampolines[0] = (struct unwind_place){ 0x8000 - CFI_DELTA, 8 };
	w.table = unwind_build(&in);
	/* interrupted at NO_TABLE, a leaf: its caller in x30, which the frame has */
	r = regs_at(&arch_arm64, CODE(0x8000), STACK - 312, STACK);
	/* the words begin at the saved x0 */
	for (int i = 0; i < 31; i++)
		w.words[i] = (uint64_t)i;
	w.words[29] = 0;
	w.words[30] = NO_TABLE + 0x8001;
	w.words[31] = STACK + 8 * 40;
	w.words[32] = NO_TABLE;
	EXPECT(&w, r, UNWIND_COMPLETE, CODE(0x8000), NO_TABLE, NO_TABLE + 0x8000);
	unwind_table_free(w.table);
}

/* Not a test of speed on a busy machine, only that it is not minutes; the figure is printed. */
static void test_time(void **state)
{
	struct unwind_access access = own_access();
	struct timespec from, to;
	volatile uint64_t nr = 0; /* getcontext() returns twice, as far as compilers know */
	ucontext_t uc;

	(void)state;
	getcontext(&uc);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	for (int i = 0; i < 20000; i++) {
		struct unwind_regs regs;
		uint64_t ips[MAX_FRAMES];
		struct unwind_result walk;

		regs_of(&uc, &regs);
		access.stack = (const uint8_t *)(uintptr_t)regs.v[arch_native()->sp];
		access.stack_start = regs.v[arch_native()->sp];
		access.stack_size = own.stack_end - access.stack_start;
		nr += unwind_walk(arch_native(), &regs, &access, ips, MAX_FRAMES, &walk);
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	print_message("%.1f ns a frame\n", ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / (double)nr);
	assert_true(nr > 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_through_libc),
		cmocka_unit_test(test_thread),
		cmocka_unit_test(test_signal),
		cmocka_unit_test(test_signal_stack),
		cmocka_unit_test(test_x86_rules),
		cmocka_unit_test(test_call_at_the_end),
		cmocka_unit_test(test_x86_signal),
		cmocka_unit_test(test_x86_epilogue),
		cmocka_unit_test(test_made_stack),
		cmocka_unit_test(test_process_start),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_x86_guess),
		cmocka_unit_test(test_x86_certain),
		cmocka_unit_test(test_cpython_trampoline),
		cmocka_unit_test(test_arm64),
		cmocka_unit_test(test_arm64_guess),
		cmocka_unit_test(test_i386),
		cmocka_unit_test(test_arm64_trampoline),
		cmocka_unit_test(test_time),
	};
	int failed;

	load_maps();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	free_maps();
	return failed;
}
