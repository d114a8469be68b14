// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * System calls of the traced tasks: either whole records, written into a ring buffer as samples, or figures alone, which live in maps.
 *
 * A task has a slot, found by its tid in an array: a look-up in an array is a few instructions, one in a hash table would cost as much as
 * the call. What a call was made with waits in the slot until its end, when one record says all; memory that it points to is read when it
 * begins and goes out at once, as a record of its own, because no slot has room for it.
 *
 * The programs are here. What they share is in syscall_state.bpf.h, and what they do in syscall_records, _memory and _figures.bpf.h.
 */
#include "bpf/syscall_figures.bpf.h"
#include "bpf/syscall_memory.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define TS_COMPAT 2	    /* of thread_info.status: int $0x80, also of a 64-bit program */
#define SIGNAL_GROUP_EXIT 4 /* of signal_struct.flags: all threads are being ended */
#define FIRST_RESTART 512
#define LAST_RESTART 516

/* From 5.11 on; NULL before. */
static __always_inline struct task_struct *current_task(void)
{
	if (!bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_current_task_btf))
		return NULL;
	return (struct task_struct *)bpf_get_current_task_btf();
}

/* One helper, where a slot has to be looked for: a call of one is a tenth of what an empty program costs. */
static __always_inline unsigned long long pid_tgid_of(const struct task_struct *task)
{
	if (own_pid_ns || !task)
		return current_ids();
	return (unsigned long long)task->tgid << 32 | (unsigned int)task->pid;
}

/* Of the task that makes a call. */
static __always_inline struct syscall_slot *slot_of_caller(const struct pt_regs *regs)
{
	struct syscall_slot *s = known_slot(regs);
	unsigned long long pid_tgid;
	struct task_struct *task;

	if (s)
		return s;
	task = current_task();
	pid_tgid = pid_tgid_of(task);
	s = current_slot(pid_tgid);
	if (s) {
		s->pid = pid_tgid >> 32;
		s->task = 0;
		know_slot(s, regs);
		if (task && s->regs == (unsigned long)regs)
			s->task = (unsigned long)task;
	}
	return s;
}

#if defined(__TARGET_ARCH_x86)
extern void *bpf_rdonly_cast(const void *address, __u32 type) __ksym __weak;

/* Without the call of a helper where it can be: a type given to an address costs nothing (from Linux 6.4 on, which has this type). */
static __always_inline struct task_struct *task_of_slot(const struct syscall_slot *s)
{
	if (!bpf_core_type_exists(struct bpf_iter_num___of_6_4) || !s->task)
		return current_task();
	return bpf_rdonly_cast((void *)s->task, bpf_core_type_id_kernel(struct task_struct));
}
#endif

/* Whether it is a call by the 32-bit entry. Before 5.11 int $0x80 of a 64-bit program looks like its other calls. */
static __always_inline bool is_32(const struct pt_regs *regs, const struct syscall_slot *s)
{
#if defined(__TARGET_ARCH_x86)
	struct task_struct *task = task_of_slot(s);

	return (regs->cs & 0xffff) == USER32_CS || (task && task->thread_info.status & TS_COMPAT);
#endif
	return false;
}

static __always_inline void take_args(struct syscall_slot *s, struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	if (s->nr & SYSCALL_NR_32) {
		s->args[0] = (unsigned int)regs->bx;
		s->args[1] = (unsigned int)regs->cx;
		s->args[2] = (unsigned int)regs->dx;
		s->args[3] = (unsigned int)regs->si;
		s->args[4] = (unsigned int)regs->di;
		s->args[5] = (unsigned int)regs->bp;
		return;
	}
	s->args[0] = regs->di;
	s->args[1] = regs->si;
	s->args[2] = regs->dx;
	s->args[3] = regs->r10;
	s->args[4] = regs->r8;
	s->args[5] = regs->r9;
#elif defined(__TARGET_ARCH_arm64)
	s->args[0] = regs->orig_x0;
	for (int i = 1; i < SYSCALL_ARGS; i++)
		s->args[i] = regs->regs[i];
#endif
}

#define SOCKETCALL 102 /* of 32-bit programs */

#if defined(__TARGET_ARCH_x86)
/* What socketcall() stands for, by its first argument: the number of the call, and how many arguments it has in memory. */
static const struct {
	unsigned short nr;
	unsigned short nr_args;
} socketcalls[32] = {
	[1] = { 359, 3 },  /* socket */
	[2] = { 361, 3 },  /* bind */
	[3] = { 362, 3 },  /* connect */
	[4] = { 363, 2 },  /* listen */
	[5] = { 364, 3 },  /* accept: accept4 without flags */
	[6] = { 367, 3 },  /* getsockname */
	[7] = { 368, 3 },  /* getpeername */
	[8] = { 360, 4 },  /* socketpair */
	[9] = { 369, 4 },  /* send: sendto without an address */
	[10] = { 371, 4 }, /* recv: recvfrom without an address */
	[11] = { 369, 6 }, /* sendto */
	[12] = { 371, 6 }, /* recvfrom */
	[13] = { 373, 2 }, /* shutdown */
	[14] = { 366, 5 }, /* setsockopt */
	[15] = { 365, 5 }, /* getsockopt */
	[16] = { 370, 3 }, /* sendmsg */
	[17] = { 372, 3 }, /* recvmsg */
	[18] = { 364, 4 }, /* accept4 */
	[19] = { 337, 5 }, /* recvmmsg */
	[20] = { 345, 4 }, /* sendmmsg */
};
#endif

/* The number of a call by the 32-bit entry. */
static __always_inline unsigned int number_of_32(const struct pt_regs *regs, unsigned int nr)
{
#if defined(__TARGET_ARCH_x86)
	unsigned int direct = nr == SOCKETCALL && (unsigned int)regs->bx < 32 ? socketcalls[regs->bx & 31].nr : 0;

	return (direct ? direct : nr) | SYSCALL_NR_32;
#endif
	return nr;
}

static __always_inline void take_args_of_socketcall(struct syscall_slot *s, const struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	unsigned int nr = socketcalls[regs->bx & 31].nr_args;
	unsigned long long array = (unsigned int)regs->cx;

	for (unsigned int i = 0; i < SYSCALL_ARGS; i++) {
		unsigned int word = 0;

		if (i < nr)
			bpf_probe_read_user(&word, sizeof(word), (void *)(array + 4 * i));
		s->args[i] = word;
	}
#endif
}

/* Of the frame of a signal handler that ends: where the mask of signals is that rt_sigreturn() brings back. */
static __always_inline unsigned long long mask_address(struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return regs->sp + 296; /* ucontext: flags, link, stack, sigcontext */
#elif defined(__TARGET_ARCH_arm64)
	return regs->sp + 128 + 40; /* siginfo, ucontext: flags, link, stack */
#endif
}

/* Of a command that is looked for in the directories of PATH, only the memory of the last attempt is wanted. */
static __always_inline unsigned int entry_flags(const struct syscall_slot *s)
{
	return SYSCALL_SAMPLE_ENTRY | (s->awaits_exec ? SYSCALL_SAMPLE_OPEN : 0);
}

/* A thread of a PID namespace that executes a program has lost its number by the time that it is done. */
static __always_inline void note_executing(unsigned int tid)
{
	unsigned long long task = bpf_get_current_task();

	bpf_map_update_elem(&executing, &task, &tid, BPF_ANY);
}

static __always_inline unsigned int tid_before_exec(int old_tid)
{
	unsigned long long task = bpf_get_current_task();
	unsigned int *tid = own_pid_ns ? bpf_map_lookup_elem(&executing, &task) : NULL;

	return tid ? *tid : own_pid_ns ? 0 : (unsigned int)old_tid;
}

/* Figures of all calls need none: the look-up is a twentieth of what tracing a call costs then. */
static __always_inline bool needs_plan(const struct syscall_slot *s)
{
	return !keeps_figures || has_set || own_pid_ns || s->awaits_exec;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_enter, struct pt_regs *regs, long id)
{
	struct syscall_slot *s = is_in_cgroup() ? slot_of_caller(regs) : NULL;
	unsigned int nr = id & ~SYSCALL_NR_32, zero = 0;
	struct syscall_plan *plan;

	if (!s)
		return 0;
	s->in_call = SYSCALL_NOT_IN_CALL;
	if (is_32(regs, s))
		nr = number_of_32(regs, nr);
	plan = needs_plan(s) ? plan_of(nr) : NULL;
	s->entry_tid = s->tid;
	if (own_pid_ns && plan && plan->is_exec)
		note_executing(s->tid); /* whether it is traced or not */
	if (s->awaits_exec && !(plan && plan->is_exec))
		return 0;
	if (has_cpus) {
		unsigned int cpu = bpf_get_smp_processor_id();

		if (cpu >= 1024 || !(cpus[cpu / 64 & 15] >> (cpu & 63) & 1))
			return 0;
	}
	if (plan ? !plan->is_traced : !(nr & SYSCALL_NR_32 ? traces_others_32 : traces_others))
		return 0;
	s->nr = nr;
	s->in_call = SYSCALL_IN_CALL;
	s->off_ns = s->off_since_ns = 0;
	s->start_ns = bpf_ktime_get_ns();
	if (keeps_figures)
		return 0;
	if (s->nr & SYSCALL_NR_32 && id == SOCKETCALL && (nr & ~SYSCALL_NR_32) != SOCKETCALL)
		take_args_of_socketcall(s, regs);
	else
		take_args(s, regs);
	/* At their ends, these have no stack any more; before the command is executed, it is our own. */
	note_stack(plan && (plan->is_last || plan->is_exec) && !s->awaits_exec ? regs : NULL);
	if (has_entries && !(plan && (plan->has_entry_reads || plan->is_last)))
		put_plain(s, 0, s->start_ns, entry_flags(s), plan && plan->has_few_args);
	if (!plan)
		return 0;
	if (plan->is_sigreturn)
		s->args[0] = mask_address(regs);
	if (plan->has_entry_reads || plan->is_last) {
		struct scratch *c = bpf_map_lookup_elem(&scratches, &zero);
		unsigned int bytes = c ? read_memory(c, s, plan, 0, 0) : 0;

		if (c && (bytes || plan->is_last || has_entries))
			put_with_memory(c, s, 0, s->start_ns, plan->is_last ? SYSCALL_SAMPLE_OPEN : entry_flags(s), bytes);
		if (plan->is_last)
			s->in_call = SYSCALL_NOT_IN_CALL;
	}
	return 0;
}

/* The number of the call that ends. */
static __always_inline unsigned int number_at_end(const struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return (unsigned int)regs->orig_ax & ~SYSCALL_NR_32;
#elif defined(__TARGET_ARCH_arm64)
	return (unsigned int)regs->syscallno & ~SYSCALL_NR_32;
#endif
}

/* A call that began before tracing did: /proc may have shown the one before it. False: the one that ends is not traced. */
static __noinline bool take_again(struct syscall_slot *s, struct pt_regs *regs, unsigned long long now)
{
	unsigned int was_nr = s->nr, nr = number_at_end(regs), id = nr;
	unsigned long long was[SYSCALL_ARGS], changed = 0;
	struct syscall_plan *plan;

	if (is_32(regs, s))
		nr = number_of_32(regs, nr);
	plan = plan_of(nr);
	if (plan ? !plan->is_traced : !(nr & SYSCALL_NR_32 ? traces_others_32 : traces_others))
		return false;
	for (int i = 0; i < SYSCALL_ARGS; i++)
		was[i] = s->args[i];
	s->nr = nr;
	if (s->nr & SYSCALL_NR_32 && id == SOCKETCALL && (nr & ~SYSCALL_NR_32) != SOCKETCALL)
		take_args_of_socketcall(s, regs);
	else
		take_args(s, regs);
	for (int i = 0; i < SYSCALL_ARGS; i++)
		changed |= was[i] ^ s->args[i];
	/* Nothing that was read of the other one belongs to it, then. */
	if (changed || was_nr != nr)
		s->start_ns = now;
	return true;
}

/* The thread that executes a program, for which all others of the process end. */
static __always_inline struct task_struct *executing_thread(struct task_struct *task)
{
	struct signal_struct *s = BPF_CORE_READ(task, signal);
	struct signal_struct___before_5_16 *older = (void *)s;

	if (bpf_core_field_exists(s->group_exec_task))
		return BPF_CORE_READ(s, group_exec_task);
	return BPF_CORE_READ(s, flags) & SIGNAL_GROUP_EXIT ? NULL : BPF_CORE_READ(older, group_exit_task);
}

static __always_inline bool is_ending(void)
{
	struct task_struct *task = (void *)bpf_get_current_task(), *other = executing_thread(task);

	return BPF_CORE_READ(task, signal, flags) & SIGNAL_GROUP_EXIT || (other && other != task);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_exit, struct pt_regs *regs, long ret)
{
	struct syscall_slot *s = known_slot(regs);
	unsigned int zero = 0, bytes;
	struct syscall_plan *plan;
	unsigned long long now;
	bool failed = (unsigned long)ret >= (unsigned long)-4095l, is_left_out;
	unsigned int in_call, flags;
	struct scratch *c;

	if (!s)
		s = find_slot((unsigned int)pid_tgid_of(current_task()));
	if (!s || !s->in_call)
		return 0;
	in_call = s->in_call;
	s->in_call = SYSCALL_NOT_IN_CALL;
	/* The path is tried directory by directory. */
	if (s->awaits_exec)
		return 0;
	now = bpf_ktime_get_ns();
	if (keeps_figures) {
		add_figures(s, ret, now - s->start_ns - (counts_cpu ? s->off_ns : 0));
		return 0;
	}
	flags = in_call == SYSCALL_IN_CALL_BEFORE ? SYSCALL_SAMPLE_BEFORE : 0;
	if (flags && !take_again(s, regs, now))
		return 0;
	is_left_out = now - s->start_ns < min_duration_ns || (only_failed && !failed) || (only_succeeded && failed);
	if (is_left_out && !has_kept)
		return 0;
	plan = plan_of(s->nr);
	if (is_left_out && !(plan && plan->is_kept))
		return 0;
	note_stack(plan && plan->is_exec && !ret ? NULL : regs);
	/* A call that another thread's exit breaks off is not made again: the task ends in it. */
	if (ret <= -FIRST_RESTART && ret >= -LAST_RESTART && is_ending()) {
		put_plain(s, 0, now, SYSCALL_SAMPLE_OPEN | flags, plan && plan->has_few_args);
		return 0;
	}
	if (!plan || (!plan->has_exit_reads && !(plan->has_entry_reads && s->late))) {
		put_plain(s, ret, now, flags, plan && plan->has_few_args);
		return 0;
	}
	c = bpf_map_lookup_elem(&scratches, &zero);
	bytes = read_memory(c, s, plan, ret, 1);
	if (c && bytes)
		put_with_memory(c, s, ret, now, flags, bytes);
	else
		put_plain(s, ret, now, flags, plan->has_few_args);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	unsigned int tid = tid_of(child);

	if (follows_forks && tid && (find_slot(tid_of(parent)) || is_of_process(tgid_of(parent))))
		make_slot(tid, tgid_of(child));
	return 0;
}

/* A thread that executes a program takes the id of its process. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task, int old_tid, struct linux_binprm *bprm)
{
	unsigned int tid = tid_before_exec(old_tid), new_tid = tid_of(task);
	unsigned int *from = bpf_map_lookup_elem(&slot_of_tid, &tid), *to = bpf_map_lookup_elem(&slot_of_tid, &new_tid);
	struct syscall_slot *s = find_slot(tid);

	if (s)
		s->awaits_exec = 0;
	if (tid == new_tid || !from || !to || !*from)
		return 0;
	if (*to) {
		s = bpf_map_lookup_elem(&slots, to);
		if (s)
			s->regs = 0;
		bpf_map_push_elem(&free_slots, to, 0);
	}
	*to = *from;
	*from = 0;
	s = find_slot(new_tid);
	if (s)
		s->tid = new_tid;
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_task_exit, struct task_struct *task)
{
	unsigned int tid = tid_of(task);
	unsigned int *slot = bpf_map_lookup_elem(&slot_of_tid, &tid);
	struct syscall_slot *s = slot && *slot ? bpf_map_lookup_elem(&slots, slot) : NULL;
	struct task_struct *other;
	unsigned long long now;

	if (!s)
		return 0;
	if (!keeps_figures) {
		now = bpf_ktime_get_ns();
		note_stack(NULL);
		if (s->in_call)
			put_plain(s, 0, now, SYSCALL_SAMPLE_OPEN | (s->in_call == SYSCALL_IN_CALL_BEFORE ? SYSCALL_SAMPLE_BEFORE : 0),
				  false);
		s->pid = tgid_of(task);
		s->entry_tid = s->tid;
		s->start_ns = now;
		s->args[0] = task->exit_code;
		other = executing_thread(task);
		s->args[1] = other && task->pid == task->tgid ? tid_of_any(other) : 0;
		put_plain(s, 0, now, SYSCALL_SAMPLE_EXIT | (s->args[1] ? SYSCALL_SAMPLE_SUPERSEDED : 0), true);
	} else {
		put_figures(s);
	}
	s->regs = 0;
	bpf_map_push_elem(&free_slots, slot, 0);
	*slot = 0;
	return 0;
}

/* Only loaded where times on a CPU are wanted. */
SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct syscall_slot *s = find_slot(tid_of(prev));

	if (s && s->in_call)
		s->off_since_ns = bpf_ktime_get_ns();
	s = find_slot(tid_of(next));
	if (s && s->in_call && s->off_since_ns) {
		s->off_ns += bpf_ktime_get_ns() - s->off_since_ns;
		s->off_since_ns = 0;
	}
	return 0;
}

SEC("tp_btf/signal_deliver")
int BPF_PROG(on_signal, int sig, void *info)
{
	unsigned int zero = 0;
	unsigned long long ids = current_ids();
	struct syscall_slot *s = find_slot((unsigned int)ids);
	struct scratch *c = bpf_map_lookup_elem(&scratches, &zero);
	struct syscall_piece *piece;
	struct syscall_slot copy;

	if (!s || !c || s->awaits_exec)
		return 0;
	s->pid = ids >> 32;
	s->entry_tid = s->tid;
	copy = *s;
	copy.start_ns = bpf_ktime_get_ns();
	copy.nr = 0;
	copy.args[0] = sig;
	piece = (void *)c->memory;
	*piece = (struct syscall_piece){ .size = SYSCALL_SIGINFO_BYTES };
	__builtin_memset(c->memory + sizeof(*piece), 0, SYSCALL_SIGINFO_BYTES);
	/* SEND_SIG_NOINFO and SEND_SIG_PRIV are no addresses. */
	if ((unsigned long)info <= 1 || bpf_probe_read_kernel(c->memory + sizeof(*piece), SYSCALL_SIGINFO_BYTES, info))
		piece->size = 0;
	note_stack(NULL);
	put_with_memory(c, &copy, 0, copy.start_ns, SYSCALL_SAMPLE_SIGNAL, sizeof(*piece) + SYSCALL_SIGINFO_BYTES);
	return 0;
}

/* Numbers that are free at the start: first, how many, and of what. The loader runs it, because a system call a number would be a third of the
 * time that a trace takes to start. In two loops, which the verifier then sees added up, not multiplied. */
#define FREE_STEP 32

__noinline int free_some(unsigned int first, unsigned int nr, unsigned int is_figures)
{
	for (unsigned int i = 0; i < FREE_STEP && i < nr; i++) {
		unsigned int number = first + i;

		if (is_figures ? bpf_map_push_elem(&free_figures, &number, 0) : bpf_map_push_elem(&free_slots, &number, 0))
			return 1;
	}
	return 0;
}

SEC("raw_tp")
int on_fill(struct bpf_raw_tracepoint_args *ctx)
{
	unsigned int first = ctx->args[0], nr = ctx->args[1], is_figures = ctx->args[2];

	for (unsigned int i = 0; i < SYSCALL_FREE_MAX && i < nr; i += FREE_STEP)
		if (free_some(first + i, nr - i, is_figures))
			return 1;
	return 0;
}

/* What the traced tasks have open when tracing begins. It is run before any other program is attached, so that the scratch is its own. */
SEC("iter/task_file")
int on_file(struct bpf_iter__task_file *ctx)
{
	struct task_struct *task = ctx->task;
	struct file *file = ctx->file;
	struct syscall_slot *s = task && file ? find_slot(tid_of(task)) : NULL;
	struct scratch *c = get_scratch();
	struct syscall_slot copy;

	if (!s || !c)
		return 0;
	/* The same file comes again, once the loader has made room. */
	if (bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) > bpf_ringbuf_query(&ring, BPF_RB_RING_SIZE) / 2)
		return 1;
	copy = *s;
	copy.pid = tgid_of(task);
	copy.entry_tid = copy.tid;
	copy.start_ns = bpf_ktime_get_ns();
	copy.nr = SYSCALL_NR_NONE;
	c->off = 0;
	add_file(c, ctx->fd, file, BPF_CORE_READ(task, files, fdt));
	note_stack(NULL);
	put_with_memory(c, &copy, 0, copy.start_ns, SYSCALL_SAMPLE_FILE, c->off);
	return 0;
}
