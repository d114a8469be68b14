// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Probes in programs that leave no trace in tracefs: one program, attached to each place with a number, fetches the arguments that the
 * probe of that number has and writes a record, or only counts. It looks at traced tasks alone: a place belongs to a file, and
 * other processes may run the same.
 *
 * Programs of uprobes can be preempted by others of the same kind: a record is built in the ring buffer, and nowhere per CPU.
 */
#include "bpf/kernel_types.h"
#include "bpf/probe_hits.h"
#include "bpf/task_filter.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define WAKE_EVERY 64
#define PAGE_SIZE 4096ul

/* Words of the kernel's struct pt_regs, which is part of its ABI. */
#if defined(__TARGET_ARCH_x86)
#define REGS_WORDS 21
#define REGS_IP 16
#else
#define REGS_WORDS 34
#define REGS_IP 32
#endif

/* Set before it is loaded. */
const volatile unsigned char has_cpus = 0;
const volatile unsigned long long cpus[16] = { 0 };
const volatile unsigned char only_counts = 0;
const volatile unsigned char has_long_hits = 0; /* some have strings, or callers are wanted */
const volatile unsigned int chain_frames = 0;
const volatile unsigned int nr_probes = 0;
const volatile unsigned int wake_bytes = 1 << 20;

unsigned int is_enabled = 0;
unsigned long long nr_dropped = 0;
unsigned int nr_records = 0;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned int);
	__type(value, struct probe_program);
} programs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned int);
	__type(value, unsigned long long);
} counts SEC(".maps");

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

static __always_inline bool is_here(void)
{
	unsigned int cpu = bpf_get_smp_processor_id();

	return !has_cpus || (cpu < 1024 && cpus[cpu / 64 & 15] >> (cpu & 63) & 1);
}

/* The registers, in the order of the kernel's struct: which of them an argument is in is known by number. */
struct words {
	unsigned long long v[PROBE_REGS_MAX];
};

static __always_inline unsigned long long start_of(const struct probe_fetch *f, const struct words *regs)
{
	unsigned int word = f->word;

	if (f->start == PROBE_FETCH_NUMBER)
		return f->number;
	return word < PROBE_REGS_MAX ? regs->v[word] : 0;
}

/* Has the pages of a string brought in: it is read once more then. */
static __always_inline void touch(const void *at)
{
	unsigned long next = ((unsigned long)at | (PAGE_SIZE - 1)) + 1;
	char byte;

	bpf_copy_from_user(&byte, 1, at);
	if (next - (unsigned long)at < PROBE_STRING_MAX)
		bpf_copy_from_user(&byte, 1, (const void *)next);
}

static __always_inline long fetch_string(struct probe_long_hit *h, unsigned int i, const void *at, bool can_wait)
{
	unsigned int off = h->hit.strings_size;
	long n;

	if (off > PROBE_STRINGS_MAX)
		return -1;
	n = bpf_probe_read_user_str(h->strings + (off & (PROBE_STRINGS_MAX - 1)), PROBE_STRING_MAX, at);
	if (n <= 0 && can_wait) {
		touch(at);
		n = bpf_probe_read_user_str(h->strings + (off & (PROBE_STRINGS_MAX - 1)), PROBE_STRING_MAX, at);
	}
	if (n <= 0)
		return -1;
	h->hit.values[i] = (unsigned long long)n << 32 | off;
	h->hit.strings_size = off + n;
	return 0;
}

static __always_inline long fetch_comm(struct probe_long_hit *h, unsigned int i)
{
	unsigned int off = h->hit.strings_size;

	if (off > PROBE_STRINGS_MAX)
		return -1;
	bpf_get_current_comm(h->strings + (off & (PROBE_STRINGS_MAX - 1)), 16);
	h->hit.values[i] = 16ull << 32 | off;
	h->hit.strings_size = off + 16;
	return 0;
}

static __always_inline long read_memory(unsigned long long *to, unsigned int size, const void *at, bool can_wait)
{
	long err = size == 1   ? bpf_probe_read_user(to, 1, at)
		   : size == 2 ? bpf_probe_read_user(to, 2, at)
		   : size == 4 ? bpf_probe_read_user(to, 4, at)
			       : bpf_probe_read_user(to, 8, at);

	if (!err || !can_wait)
		return err;
	return size == 1   ? bpf_copy_from_user(to, 1, at)
	       : size == 2 ? bpf_copy_from_user(to, 2, at)
	       : size == 4 ? bpf_copy_from_user(to, 4, at)
			   : bpf_copy_from_user(to, 8, at);
}

/* Follows the pointers of one argument. */
static __always_inline long fetch_value(const struct probe_fetch *f, const struct words *regs, unsigned long long *value, bool is_string,
					bool can_wait)
{
	unsigned long long v = start_of(f, regs);
	unsigned int nr = f->nr_steps;

	for (unsigned int s = 0; s < PROBE_STEPS_MAX; s++) {
		unsigned long long next = 0, at;
		unsigned int size = 8;

		if (s >= nr)
			break;
		at = v + f->steps[s];
		if (s + 1 == nr && is_string) {
			v = at;
			break;
		}
		if (s + 1 == nr)
			size = f->size;
		if (read_memory(&next, size, (void *)at, can_wait))
			return -1;
		v = next;
	}
	*value = v;
	return 0;
}

static __always_inline void fill_head(struct probe_hit *h, void *ctx, const struct words *regs, unsigned int probe, bool is_return,
				      unsigned long long ids)
{
	h->probe = probe;
	h->pid = ids >> 32;
	h->tid = (unsigned int)ids;
	h->cpu = bpf_get_smp_processor_id();
	h->time_ns = bpf_ktime_get_ns();
	h->ip = regs->v[REGS_IP];
	h->func = 0;
	if (is_return && bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_func_ip))
		h->func = bpf_get_func_ip(ctx);
	h->failed = h->strings_size = h->chain_size = h->reserved = 0;
}

static __always_inline void put_short(void *ctx, unsigned int probe, const struct probe_program *p, const struct words *regs,
				      unsigned long long ids, bool can_wait)
{
	struct probe_hit *h = bpf_ringbuf_reserve(&ring, sizeof(*h), 0);

	if (!h) {
		__sync_fetch_and_add(&nr_dropped, 1);
		return;
	}
	fill_head(h, ctx, regs, probe, p->is_return, ids);
	for (unsigned int i = 0; i < PROBE_ARGS_MAX; i++) {
		unsigned long long v = 0;

		if (i < p->nr_args && fetch_value(&p->args[i], regs, &v, false, can_wait))
			h->failed |= 1u << i;
		h->values[i] = v;
	}
	bpf_ringbuf_submit(h, wake_flags());
}

static __always_inline void put_long(void *ctx, unsigned int probe, const struct probe_program *p, const struct words *regs,
				     unsigned long long ids, bool can_wait)
{
	struct probe_long_hit *h = bpf_ringbuf_reserve(&ring, sizeof(*h), 0);
	long n;

	if (!h) {
		__sync_fetch_and_add(&nr_dropped, 1);
		return;
	}
	fill_head(&h->hit, ctx, regs, probe, p->is_return, ids);
	for (unsigned int i = 0; i < PROBE_ARGS_MAX; i++) {
		const struct probe_fetch *f = &p->args[i];
		unsigned long long v = 0;
		long err;

		h->hit.values[i] = 0;
		if (i >= p->nr_args)
			continue;
		if (f->start == PROBE_FETCH_COMM) {
			err = fetch_comm(h, i);
		} else {
			err = fetch_value(f, regs, &v, f->is_string, can_wait);
			if (!err && f->is_string)
				err = fetch_string(h, i, (void *)v, can_wait);
			else if (!err)
				h->hit.values[i] = v;
		}
		if (err)
			h->hit.failed |= 1u << i;
	}
	if (chain_frames) {
		n = bpf_get_stack(ctx, h->chain, sizeof(h->chain), BPF_F_USER_STACK);
		h->hit.chain_size = n > 0 ? n : 0;
	}
	bpf_ringbuf_submit(h, wake_flags());
}

static __always_inline int pass(void *ctx, bool can_wait)
{
	unsigned long long ids, *count;
	unsigned int probe = (unsigned int)bpf_get_attach_cookie(ctx);
	struct probe_program *p;
	struct words regs = { 0 };

	if (!is_enabled || probe >= nr_probes)
		return 0;
	ids = current_ids();
	if (!is_traced((unsigned int)ids, ids >> 32) || !is_here())
		return 0;
	count = bpf_map_lookup_elem(&counts, &probe);
	if (count)
		__sync_fetch_and_add(count, 1);
	if (only_counts)
		return 0;
	p = bpf_map_lookup_elem(&programs, &probe);
	if (!p)
		return 0;
	bpf_probe_read_kernel(&regs, REGS_WORDS * 8, ctx);
	if (has_long_hits)
		put_long(ctx, probe, p, &regs, ids, can_wait);
	else
		put_short(ctx, probe, p, &regs, ids, can_wait);
	return 0;
}

/* Two ways, of which one is loaded: only a program that may sleep can have pages of the task brought in (Linux 6.0). */
SEC("uprobe.s")
int on_probe_sleepable(void *ctx)
{
	return pass(ctx, true);
}

SEC("uprobe")
int on_probe(void *ctx)
{
	return pass(ctx, false);
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task, int old_tid, struct linux_binprm *bprm)
{
	unsigned int *entry = take_over(tid_of(task), old_tid);

	if (entry && *entry)
		*entry &= ~TASK_AWAITS_EXEC;
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_task_exit, struct task_struct *task)
{
	forget(tid_of(task));
	return 0;
}
