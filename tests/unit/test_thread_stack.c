/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * session/thread_stack.h on this very process: below a signal handler that returns by code of our own, in both forms that C libraries
 * use, all addresses are what registers and stack held, to the byte. session/core_stack.c on a made-up core file: the vdso of another
 * kernel is still "[vdso]", and has the names that the core file has of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/io.h"
#include "core_image.h"
#include "kernel/proc_scan.h"
#include "session/thread_stack.h"

#define VDSO_FILE "tests/fuzz/corpus/elf_symbols/shared.elf"
#define VDSO_START 0x7f0000000000u

#ifdef __x86_64__

/* As sa_restorer: without call frame information, known by their instructions. */
extern const char restore_rax[], restore_eax[];
__asm__(".pushsection .text\n"
	"nop\n"
	"restore_rax: mov $15, %rax\n"
	"syscall\n"
	"nop\n"
	"restore_eax: mov $15, %eax\n"
	"syscall\n"
	".popsection\n");

struct kernel_sigaction {
	void (*handler)(int, siginfo_t *, void *);
	unsigned long flags;
	const void *restorer;
	uint64_t mask;
};
#define KERNEL_SA_RESTORER 0x04000000ul

static struct {
	struct machine machine;
	struct stack_walker *walker;
	struct stack_place places[64];
	uint32_t nr;
	struct unwind_result walk;
	uint64_t interrupted;
} here;

static size_t read_own(void *ctx, uint64_t addr, void *buf, size_t size)
{
	struct iovec to = { buf, size }, from = { (void *)(uintptr_t)addr, size };
	ssize_t n = process_vm_readv(getpid(), &to, 1, &from, 1, 0);

	(void)ctx;
	return n > 0 ? (size_t)n : 0;
}

static void take_here(void)
{
	static const int order[] = { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
				     REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };
	const struct task *task = task_table_get(&here.machine.tasks, getpid(), getpid());
	struct stack_memory mem = { .read = read_own };
	const struct stack_place *places;
	struct unwind_regs r = { .valid = 0xffff };
	ucontext_t uc;

	getcontext(&uc);
	for (int i = 0; i < 16; i++)
		r.v[i] = (uint64_t)uc.uc_mcontext.gregs[order[i]];
	r.pc = (uint64_t)uc.uc_mcontext.gregs[REG_RIP];
	here.nr = stack_walker_walk(here.walker, task, &r, &mem, &places, &here.walk);
	memcpy(here.places, places, here.nr * sizeof(*places));
}

static void on_signal(int sig, siginfo_t *si, void *context)
{
	(void)sig, (void)si;
	here.interrupted = (uint64_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	take_here();
}

static int apply(void *ctx, const struct record *rec)
{
	machine_apply(ctx, rec);
	return 0;
}

static void check_restorer(const void *restorer)
{
	struct kernel_sigaction sa = { on_signal, SA_SIGINFO | KERNEL_SA_RESTORER, restorer, 0 };
	uint32_t at = 0;

	assert_int_equal(syscall(SYS_rt_sigaction, SIGUSR1, &sa, NULL, 8), 0);
	raise(SIGUSR1);
	while (at < here.nr && here.places[at].pc != (uint64_t)(uintptr_t)restorer)
		at++;
	assert_true(at > 0 && at + 2 < here.nr);
	assert_int_equal(here.walk.end, UNWIND_COMPLETE);
	/* The trampoline and what was interrupted: as they are. */
	assert_int_equal(here.places[at].at.ip, here.places[at].pc);
	assert_int_equal(here.places[at + 1].pc, here.interrupted);
	assert_int_equal(here.places[at + 1].at.ip, here.interrupted);
	/* All others but the first were called from. */
	assert_int_equal(here.places[0].pc, here.places[0].at.ip);
	for (uint32_t i = 1; i < here.nr; i++)
		if (i != at && i != at + 1)
			assert_int_equal(here.places[i].pc, here.places[i].at.ip + 1);
}

static void test_signal(void **state)
{
	struct symbolizer_options opts = { 0 };
	struct record_sink sink = { apply, &here.machine };
	struct proc_scan scan;

	(void)state;
	machine_init(&here.machine, &opts);
	proc_scan_init(&scan, &sink);
	assert_int_equal(proc_scan_pid(&scan, getpid()), 0);
	proc_scan_fini(&scan);
	here.walker = stack_walker_new(&here.machine, arch_native(), 64);
	check_restorer(restore_rax);
	check_restorer(restore_eax);
	stack_walker_free(here.walker);
	machine_fini(&here.machine);
}

#endif

static size_t take_nothing(void *ctx, uint64_t addr, void *buf, size_t size)
{
	(void)ctx, (void)addr, (void)buf, (void)size;
	return 0;
}

/* In no map, with no memory: the place itself, and that a map was wanted. */
static void test_nowhere(void **state)
{
	struct symbolizer_options opts = { 0 };
	struct machine m;
	struct stack_walker *w;
	struct stack_memory mem = { .read = take_nothing };
	struct unwind_regs r = { .pc = 0x1234, .valid = 1 << 7 };
	const struct stack_place *places;
	struct unwind_result walk;

	(void)state;
	machine_init(&m, &opts);
	w = stack_walker_new(&m, &arch_x86_64, 8);
	assert_int_equal(stack_walker_walk(w, task_table_get(&m.tasks, 1, 1), &r, &mem, &places, &walk), 1);
	assert_int_equal(places[0].pc, 0x1234);
	assert_int_equal(places[0].at.ip, 0x1234);
	assert_int_equal(places[0].at.dso, DSO_NONE);
	assert_true(stack_walker_wanted_map(w));
	stack_walker_free(w);
	machine_fini(&m);
}

struct seen {
	uint32_t nr, dso;
	uint64_t pc;
	int32_t tid;
	char state[64];
};

static void see(void *ctx, const struct thread_stack *t)
{
	struct seen *s = ctx;

	s->nr++;
	s->tid = t->tid;
	s->pc = t->nr ? t->places[0].pc : 0;
	s->dso = t->nr ? t->places[0].at.dso : DSO_NONE;
	snprintf(s->state, sizeof(s->state), "%s", t->state ? t->state : "");
}

/* A thread in a vdso that is not ours: another kernel's. */
static int make_core(const void *vdso, size_t size)
{
	uint64_t auxv[4] = { AT_SYSINFO_EHDR, VDSO_START, AT_NULL, 0 };
	const Elf64_Phdr segment = { .p_type = PT_LOAD,
				     .p_vaddr = VDSO_START,
				     .p_memsz = 0x1000,
				     .p_offset = CORE_MEMORY,
				     .p_filesz = 0x1000,
				     .p_flags = PF_R | PF_X };
	uint8_t memory[0x1000] = { 0 };
	struct out notes, o;
	int fd;

	assert_true(size <= sizeof(memory));
	memcpy(memory, vdso, size);
	out_init(&notes, -1);
	out_init(&o, -1);
	core_process(&notes, 77, "prog");
	core_status(&notes, 77, SIGSEGV, VDSO_START + 0x2a0, 0x9000);
	core_note(&notes, NT_AUXV, auxv, sizeof(auxv));
	core_image(&o, EM_X86_64, &notes, &segment, 1, memory, sizeof(memory));
	fd = core_image_fd(o.buf, o.len);
	out_fini(&notes);
	out_fini(&o);
	return fd;
}

static void test_core_vdso(void **state)
{
	struct symbolizer_options opts = { 0 };
	struct core_stack_options o = { .max_frames = 16 };
	struct errbuf notes = { 0 }, eb = { 0 };
	struct seen seen = { 0 };
	struct thread_stack_sink sink = { see, &seen };
	const struct symtab *symbols;
	const struct dso *dso;
	struct core_stack *cs;
	char path[32], *vdso;
	size_t size;
	int fd;

	(void)state;
	assert_int_equal(io_read_file(VDSO_FILE, 1 << 20, &vdso, &size), 0);
	fd = make_core(vdso, size);
	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	o.path = path;
	assert_int_equal(core_stack_open(&cs, &opts, &o, &notes, &eb), 0);
	assert_int_equal(core_stack_pid(cs), 77);
	assert_int_equal(core_stack_take(cs, 78, &sink), 0);
	assert_int_equal(core_stack_take(cs, 0, &sink), 1);
	assert_int_equal(seen.tid, 77);
	assert_int_equal(seen.pc, VDSO_START + 0x2a0);
	assert_string_equal(seen.state, "died of SIGSEGV");
	dso = dso_table_get(&core_stack_machine(cs)->dsos, seen.dso);
	assert_int_equal(dso->kind, MODULE_VDSO);
	assert_string_equal(dso->path, "[vdso]");
	assert_string_equal(dso->short_name, "[vdso]");
	symbols = dso_table_symbols(&core_stack_machine(cs)->dsos, seen.dso);
	assert_true(symbols->symbols.nr > 0);
	assert_string_equal(symbols->made_from, "[vdso]");
	core_stack_close(cs);
	close(fd);
	free(vdso);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef __x86_64__
		cmocka_unit_test(test_signal),
#endif
		cmocka_unit_test(test_nowhere),
		cmocka_unit_test(test_core_vdso),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
