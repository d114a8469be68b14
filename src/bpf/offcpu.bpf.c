// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Times that tasks spend off their CPU: a record with the stack when a task leaves it, and a small one when it comes back. The reader pairs
 * them (capture/offcpu_feed.c), so that nothing has to be kept of a stack in the kernel, and a wait that has not ended by the end of the
 * recording is known, too.
 *
 * The stack must be read when the task leaves: when it comes back, the tracepoint still runs with the memory of the task before it.
 */
#include "bpf/cpu_rings.bpf.h"
#include "bpf/frame_walk.bpf.h"
#include "bpf/offcpu_events.h"
#include "bpf/stacks.bpf.h"
#include "bpf/task_filter.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define TASK_DEAD 0x80
#define THREAD_SIZE 16384 /* of kernels before 5.15, which have no helper for a task's registers */
#define TAKERS_MAX 32	  /* of one preempted task */
#define WAKE_EVERY 64	  /* records: then the reader is woken if there is enough for it */

/* Set before it is loaded. */
const volatile unsigned char has_cpus = 0;
const volatile unsigned long long cpus[16] = { 0 }; /* by bit, where has_cpus */
const volatile unsigned char has_cgroup = 0;
const volatile unsigned char has_kernel_frames = 1;
const volatile unsigned char explains_waits = 0; /* what a task waits for, who wakes it, and where tasks begin and end */
const volatile unsigned int wake_bytes = 1 << 20;

unsigned int is_enabled = 0;	   /* by the reader */
unsigned long long nr_dropped = 0; /* records that the ring buffer had no room for */
unsigned int nr_records = 0;	   /* since the ring buffer was last looked at, about */

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned int);
	__type(value, unsigned int);
} cgroups SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

static __always_inline unsigned long long wake_flags(void)
{
	if (++nr_records < WAKE_EVERY)
		return BPF_RB_NO_WAKEUP;
	nr_records = 0;
	return bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) >= wake_bytes ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

static __always_inline void wake_reader(void)
{
	void *nothing = bpf_ringbuf_reserve(&ring, 8, 0);

	if (nothing)
		bpf_ringbuf_discard(nothing, BPF_RB_FORCE_WAKEUP);
}

static __always_inline void count_dropped(void)
{
	__sync_fetch_and_add(&nr_dropped, 1);
}

/* A record of known size, without a stack. */
static __always_inline void put_small(const void *record, unsigned int size)
{
	struct cpu_ring *r = cpu_ring_mask ? cpu_ring_lock() : NULL;
	bool wakes = false;
	void *to;

	if (!r) {
		if (bpf_ringbuf_output(&ring, (void *)record, size, wake_flags()))
			count_dropped();
		return;
	}
	to = cpu_ring_reserve(r);
	if (to) {
		__builtin_memcpy(to, record, size);
		wakes = cpu_ring_commit(r, to, size);
	}
	cpu_ring_unlock(r);
	if (wakes)
		wake_reader();
}

/* Where waits begin that are wanted. */
static __always_inline bool is_here(unsigned int cpu)
{
	if (has_cpus && (cpu >= 1024 || !(cpus[cpu / 64 & 15] >> (cpu & 63) & 1)))
		return false;
	return !has_cgroup || bpf_current_task_under_cgroup(&cgroups, 0) == 1;
}

static __always_inline unsigned int state_of(struct task_struct *task)
{
	if (bpf_core_field_exists(task->__state))
		return task->__state;
	return (unsigned int)BPF_CORE_READ((struct task_struct___before_5_14 *)task, state);
}

/* Of the task that runs: with which registers it entered the kernel. */
static __always_inline unsigned long user_regs(struct task_struct *task)
{
	if (!BPF_CORE_READ(task, mm))
		return 0; /* of the kernel */
	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs) &&
	    bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_current_task_btf))
		return (unsigned long)bpf_task_pt_regs((struct task_struct *)bpf_get_current_task_btf());
	return (unsigned long)BPF_CORE_READ(task, stack) + THREAD_SIZE - bpf_core_type_size(struct pt_regs);
}

static __always_inline unsigned int put_callers(void *ctx, struct stack_buffer *b, unsigned int off, unsigned long long flags)
{
	long n = bpf_get_stack(ctx, b->bytes + (off & 0xfff8), OFFCPU_FRAMES * 8, flags);

	return n > 0 ? (unsigned int)n : 0;
}

/* A number as a pointer of a kernel type, whose fields are then read without a helper. Since Linux 6.2; the kernel has this list of its functions. */
extern void *bpf_rdonly_cast(const void *address, __u32 type) __ksym __weak;

enum special_kfunc_type___cast { KF_bpf_rdonly_cast = 1 };

#define HAS_CASTS bpf_core_enum_value_exists(enum special_kfunc_type___cast, KF_bpf_rdonly_cast)
#define CAST(type, address) ((type *)bpf_rdonly_cast((const void *)(address), bpf_core_type_id_kernel(type)))

/* What sort of file a descriptor of the task that runs stands for. */
static __always_inline unsigned int file_mode(struct task_struct *task, unsigned long fd)
{
	struct files_struct *files = task->files;
	struct fdtable *table = files ? files->fdt : NULL;
	struct file *file = NULL;

	if (!table || fd >= table->max_fds)
		return 0;
	if (HAS_CASTS) {
		/* Any type does that begins with a pointer. */
		file = (struct file *)CAST(struct list_head, table->fd + fd)->next;
		return file ? CAST(struct file, file)->f_inode->i_mode : 0;
	}
	bpf_probe_read_kernel(&file, sizeof(file), table->fd + fd);
	return file ? BPF_CORE_READ(file, f_inode, i_mode) : 0;
}

/* The number of the system call by which the kernel was entered; negative: it was none. */
static __always_inline int call_of(const struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return (int)regs->orig_ax;
#else
	return regs->syscallno;
#endif
}

static __always_inline bool is_of_32_bits(const struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return (regs->cs & 0xffff) == USER32_CS;
#else
	return false;
#endif
}

/* False: kernels before 5.15. */
static __always_inline bool has_current_regs(void)
{
	return bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs) &&
	       bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_current_task_btf);
}

/* Of the task that runs, whose fields can be read without a helper; NULL: not known. */
static __always_inline const struct pt_regs *current_regs(void)
{
	if (!has_current_regs())
		return NULL;
	return (const struct pt_regs *)bpf_task_pt_regs((struct task_struct *)bpf_get_current_task_btf());
}

static __always_inline unsigned long first_argument(const struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return regs->di;
#else
	return regs->orig_x0;
#endif
}

/* Of the task that leaves, as the program is given it, so that its fields are read without a helper: what it is in the kernel for. Calls by the
 * 32-bit entry are not known, and none of kernels before 5.15 (`regs`: NULL). */
static __always_inline void explain(struct offcpu_event *e, struct task_struct *task, const struct pt_regs *regs)
{
	int call;

	if (BPF_CORE_READ_BITFIELD(task, in_iowait))
		e->flags |= OFFCPU_IN_IO;
	if (!regs || is_of_32_bits(regs))
		return;
	call = call_of(regs);
	if (call < 0) {
		e->flags |= OFFCPU_IN_FAULT;
		return;
	}
	e->call = call;
	e->file_mode = file_mode(task, first_argument(regs));
}

_Static_assert(8 + sizeof(struct offcpu_event) + 8 * OFFCPU_FRAMES <= CPU_RING_RECORD_MAX, "a record has room");

static __always_inline unsigned long program_counter_of(const struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return regs->ip;
#else
	return regs->pc;
#endif
}

static __always_inline unsigned long frame_pointer_of(const struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return regs->bp;
#else
	return regs->regs[29];
#endif
}

#define WALK_OFF (BUFFER_BYTES - 512) /* of a stack buffer: behind the largest record */
#define NEAR_CALLERS 6

_Static_assert(sizeof(struct walk) <= CPU_RING_SCRATCH && sizeof(struct walk) <= BUFFER_BYTES - WALK_OFF, "there is room");

/* As put_caller() in the record that is being made. Of its own, because the verifier takes long for many turns of a loop. */
__noinline int put_far_caller(unsigned int nr)
{
	struct stack_buffer *b = NULL;
	struct cpu_ring *r = NULL;
	unsigned char *event;
	struct walk *w;

	if (cpu_ring_mask) {
		r = cpu_ring_get();
		if (!r)
			return 0;
		event = cpu_ring_next(r);
		w = (struct walk *)r->scratch;
	} else {
		b = get_stack_buffer();
		if (!b)
			return 0;
		event = b->bytes;
		w = (struct walk *)(b->bytes + WALK_OFF);
	}
	asm volatile("" : "+r"(nr)); /* as above */
	return put_caller((unsigned long long *)(event + sizeof(struct offcpu_event)), nr & 127, w);
}

/* User callers by frame pointers, right behind the event, which costs less than bpf_get_stack(). Returns their bytes. */
static __always_inline unsigned int put_framed(struct offcpu_event *e, struct walk *w, const struct pt_regs *regs)
{
	unsigned long long *words = (unsigned long long *)(e + 1);
	unsigned int nr;

	words[0] = program_counter_of(regs);
	w->is_narrow = is_of_32_bits(regs);
	w->frame = frame_pointer_of(regs);
	w->from = 0;
	for (nr = 1; nr < NEAR_CALLERS; nr++)
		if (nr >= stack_frames || !put_caller(words, nr, w))
			return 8 * nr;
	for (; nr < OFFCPU_FRAMES; nr++)
		if (nr >= stack_frames || !put_far_caller(nr))
			break;
	return 8 * nr;
}

/* As put_left() where waits are explained by callers, not dumps. It is done at each switch: fields of tasks and registers are read without
 * helpers. Returns the size. */
static __always_inline unsigned long long fill_explained(struct offcpu_event *e, struct walk *w, struct task_struct *task, unsigned int tid,
							 unsigned int tgid, unsigned int state, unsigned int back_tid,
							 unsigned long long now)
{
	const struct pt_regs *regs = task->mm ? (const struct pt_regs *)bpf_task_pt_regs(task) : NULL;

	e->kind = OFFCPU_LEFT;
	e->pid = tgid;
	e->tid = tid;
	e->cpu = bpf_get_smp_processor_id();
	e->time_ns = now;
	e->state = state;
	e->kernel_size = e->user_size = 0;
	e->back_tid = back_tid;
	e->user_ip = regs ? program_counter_of(regs) : 0;
	e->call = OFFCPU_NO_CALL;
	e->file_mode = e->flags = e->reserved = 0;
	if (state && !(state & TASK_DEAD))
		explain(e, task, regs);
	if (stack_frames && regs && !(state & TASK_DEAD))
		e->user_size = put_framed(e, w, regs);
	return sizeof(*e) + e->user_size;
}

static __always_inline void put_explained(struct task_struct *task, unsigned int tid, unsigned int tgid, unsigned int state,
					  unsigned int back_tid, unsigned long long now)
{
	struct stack_buffer *b;
	struct offcpu_event *e;
	struct cpu_ring *r;
	unsigned long long size;
	bool wakes = false;

	if (cpu_ring_mask) {
		r = cpu_ring_lock();
		if (!r) {
			count_dropped();
			return;
		}
		e = cpu_ring_reserve(r);
		if (e) {
			size = fill_explained(e, (struct walk *)r->scratch, task, tid, tgid, state, back_tid, now);
			wakes = cpu_ring_commit(r, e, size);
		}
		cpu_ring_unlock(r);
		if (wakes)
			wake_reader();
		return;
	}
	b = get_stack_buffer();
	if (!b)
		return;
	size = fill_explained((struct offcpu_event *)b->bytes, (struct walk *)(b->bytes + WALK_OFF), task, tid, tgid, state, back_tid, now);
	/* For the verifier, which loses sight of bounds otherwise. */
	asm volatile("" : "+r"(size));
	if (size > RECORD_BYTES_MAX || bpf_ringbuf_output(&ring, b, size, wake_flags()))
		count_dropped();
}

/* One record for both where both are wanted: a record costs as much as a small stack. */
static __always_inline void put_left(void *ctx, struct task_struct *task, unsigned int tid, unsigned int tgid, unsigned int state,
				     unsigned int back_tid, unsigned long long now)
{
	struct stack_buffer *b = get_stack_buffer();
	unsigned int off = sizeof(struct offcpu_event);
	unsigned long regs;
	struct offcpu_event *e;
	unsigned long long size;

	if (!b)
		return;
	/* Out of memory it is a number for the verifier, as functions are given it. */
	*(volatile unsigned long long *)&b->frame = user_regs(task);
	regs = *(volatile unsigned long long *)&b->frame;
	e = (struct offcpu_event *)b->bytes;
	e->kind = OFFCPU_LEFT;
	e->pid = tgid;
	e->tid = tid;
	e->cpu = bpf_get_smp_processor_id();
	e->time_ns = now;
	e->state = state;
	e->back_tid = back_tid;
	e->call = OFFCPU_NO_CALL;
	e->file_mode = e->flags = e->reserved = 0;
	if (explains_waits && state && !(state & TASK_DEAD))
		explain(e, task, task->mm ? current_regs() : NULL);
	e->user_ip = regs ? program_counter((const struct pt_regs *)regs) : 0;
	e->kernel_size = has_kernel_frames ? put_callers(ctx, b, off, 0) : 0;
	off += e->kernel_size;
	e->user_size = 0;
	if (state & TASK_DEAD)
		e->user_size = stack_bytes ? put_dump(0, off) - off : 0;
	else if (stack_bytes)
		e->user_size = put_dump(regs, off) - off;
	else if (stack_frames && regs)
		e->user_size = put_callers(ctx, b, off, BPF_F_USER_STACK);
	size = off + e->user_size;
	/* For the verifier, which loses sight of bounds otherwise. */
	asm volatile("" : "+r"(size));
	if (size > RECORD_BYTES_MAX || bpf_ringbuf_output(&ring, b, size, wake_flags()))
		count_dropped();
}

static __always_inline void put_back(unsigned int tid, unsigned int tgid, unsigned long long now)
{
	struct offcpu_event e = { .kind = OFFCPU_BACK, .pid = tgid, .tid = tid, .cpu = bpf_get_smp_processor_id(), .time_ns = now };

	put_small(&e, sizeof(e));
}

/* The recorded task that was preempted on a CPU last, and has not run there since. */
struct preempted {
	unsigned int tid, tgid;
	unsigned int nr_takers; /* that were recorded; it may wait elsewhere meanwhile */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned int);
	__type(value, struct preempted);
} preempted SEC(".maps");

/* Who got the CPU of a preempted task, whether that is recorded or not. */
static __always_inline void put_taker(struct task_struct *next, unsigned int tid, unsigned int tgid, unsigned long long now)
{
	struct offcpu_taker e = { .kind = OFFCPU_TAKEN, .pid = tgid, .tid = tid, .cpu = bpf_get_smp_processor_id(), .time_ns = now };

	e.taker_pid = tgid_of(next);
	e.taker_tid = tid_of(next);
	bpf_probe_read_kernel(e.taker_comm, sizeof(e.taker_comm), next->comm);
	put_small(&e, sizeof(e));
}

/* One that is preempted is followed until it, or nothing, runs on its CPU. `is_named`: its record says who has it first. */
static __always_inline void follow_preempted(struct task_struct *next, bool is_preempted, bool is_named, unsigned int tid,
					     unsigned int tgid)
{
	unsigned int zero = 0, next_tid = tid_of(next);
	struct preempted *p = bpf_map_lookup_elem(&preempted, &zero);

	if (!p)
		return;
	if (is_preempted) {
		p->tid = tid;
		p->tgid = tgid;
		p->nr_takers = 0;
	}
	if (!p->tid)
		return;
	if (!next->pid || next_tid == p->tid || p->nr_takers++ == TAKERS_MAX) {
		p->tid = 0;
		return;
	}
	if (!is_preempted || !is_named)
		put_taker(next, p->tid, p->tgid, bpf_ktime_get_ns());
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	unsigned int tid = tid_of(prev), tgid = tgid_of(prev), back_tid = tid_of(next), back_tgid = tgid_of(next), state;
	unsigned long long now;
	bool leaves;

	if (!is_enabled)
		return 0;
	/* Of one that is preempted, the state is what it was about to become. */
	state = preempt ? 0 : state_of(prev);
	leaves = is_traced(tid, tgid) && (explains_waits || !(state & TASK_DEAD)) && is_here(bpf_get_smp_processor_id());
	if (!is_traced(back_tid, back_tgid))
		back_tid = 0;
	if (!leaves && !back_tid) {
		if (explains_waits)
			follow_preempted(next, false, false, tid, tgid);
		return 0;
	}
	now = bpf_ktime_get_ns();
	if (leaves && explains_waits && !stack_bytes && has_current_regs())
		put_explained(prev, tid, tgid, state, back_tid, now);
	else if (leaves)
		put_left(ctx, prev, tid, tgid, state, back_tid, now);
	else
		put_back(back_tid, back_tgid, now);
	if (explains_waits)
		follow_preempted(next, leaves && !state, back_tid, tid, tgid);
	if (leaves && state & TASK_DEAD)
		forget(tid);
	return 0;
}

/* Who wakes others, and whether it did so in a system call: what runs otherwise was interrupted. */
static __always_inline void name_waker(struct offcpu_wake *e)
{
	unsigned long long waker;
	struct task_struct *task;

	if (!has_current_regs()) {
		waker = current_ids();
		e->waker_pid = waker >> 32;
		e->waker_tid = (unsigned int)waker;
	} else {
		task = (struct task_struct *)bpf_get_current_task_btf();
		e->waker_pid = tgid_of(task);
		e->waker_tid = tid_of(task);
		/* A thread of the kernel is in no call. */
		if (e->waker_tid && call_of((const struct pt_regs *)bpf_task_pt_regs(task)) < 0)
			e->flags = OFFCPU_IN_IRQ;
	}
	/* The idle task wakes no task itself. */
	if (!e->waker_tid)
		e->flags = OFFCPU_IN_IRQ;
}

static __always_inline void put_wake(struct task_struct *task, unsigned int kind)
{
	unsigned int tid = tid_of(task), tgid = tgid_of(task);
	struct offcpu_wake e = { .kind = kind, .pid = tgid, .tid = tid };

	if (!is_enabled || !is_traced(tid, tgid))
		return;
	e.cpu = bpf_get_smp_processor_id();
	e.time_ns = bpf_ktime_get_ns();
	name_waker(&e);
	put_small(&e, sizeof(e));
}

/* These two only where waits are explained. */
SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *task)
{
	put_wake(task, OFFCPU_WOKEN);
	return 0;
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(on_wakeup_new, struct task_struct *task)
{
	put_wake(task, OFFCPU_BORN);
	return 0;
}

/* Of events on whole CPUs: whether a sample is kept. */
SEC("perf_event")
int on_sample(struct bpf_perf_event_data *ctx)
{
	unsigned long long ids = current_ids();

	(void)ctx;
	return is_traced((unsigned int)ids, ids >> 32);
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task, int old_tid, struct linux_binprm *bprm)
{
	unsigned int tid = tid_of(task), *entry = take_over(tid, old_tid);

	if (entry && *entry) {
		/* It runs, and that it does is known from here on. */
		if (explains_waits && is_enabled && *entry & TASK_AWAITS_EXEC)
			put_back(tid, tgid_of(task), bpf_ktime_get_ns());
		*entry &= ~TASK_AWAITS_EXEC;
	}
	return 0;
}

/* Where waits are explained, the last record of a task is that it leaves its CPU for good. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_task_exit, struct task_struct *task)
{
	if (!explains_waits)
		forget(tid_of(task));
	return 0;
}
