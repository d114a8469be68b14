// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long it takes from a begin to its end: of a call of a function, or of two tracepoints with equal keys. Durations are counted here, so that nothing
 * is copied per event. Each pair of programs is another way to see both; one pair is loaded.
 */
#include "abi/latency_figures.h"
#include "bpf/latency_parts.h"
#include "bpf/task_ids.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* Set before it is loaded. */
const volatile unsigned int own_tgid = 0; /* never measured with all tasks */
const volatile unsigned char traces_all = 0;
const volatile unsigned char has_cpus = 0;
const volatile unsigned long long cpus[16] = { 0 }; /* by bit, where has_cpus */
const volatile unsigned long long unit_ns = 1000;
const volatile struct latency_key_part parts[2][LATENCY_KEY_PARTS] = { 0 };

unsigned int is_enabled = 0; /* by the reader */

struct key {
	unsigned long long v[LATENCY_KEY_PARTS];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, struct key);
	__type(value, unsigned long long);
} begins SEC(".maps"); /* when */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned int);
	__type(value, struct latency_figures);
} figures SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, unsigned int);
	__type(value, unsigned int);
} tasks SEC(".maps"); /* enum latency_task, by number */

static __always_inline bool is_traced(void)
{
	unsigned long long ids = current_ids();
	unsigned int tid = (unsigned int)ids, *state;

	if (traces_all)
		return ids >> 32 != own_tgid;
	state = bpf_map_lookup_elem(&tasks, &tid);
	return state && *state == LATENCY_TASK_MEASURED;
}

static __always_inline bool is_here(void)
{
	unsigned int cpu = bpf_get_smp_processor_id();

	return !has_cpus || (cpu < 1024 && cpus[cpu / 64 & 15] >> (cpu & 63) & 1);
}

static __always_inline struct latency_figures *get_figures(void)
{
	unsigned int zero = 0;

	return bpf_map_lookup_elem(&figures, &zero);
}

static __always_inline unsigned int bucket_of(unsigned long long units)
{
	unsigned int r = 0;

	if (!units)
		return 0;
	if (units >> 32)
		r = 32;
	if (units >> (r + 16))
		r += 16;
	if (units >> (r + 8))
		r += 8;
	if (units >> (r + 4))
		r += 4;
	if (units >> (r + 2))
		r += 2;
	r += units >> (r + 1) ? 2 : 1;
	return r < LATENCY_BUCKETS ? r : LATENCY_BUCKETS - 1;
}

static __always_inline int begin(const struct key *key)
{
	struct latency_figures *f = get_figures();
	unsigned long long now, *was;

	if (!is_enabled || !f || !is_traced() || !is_here())
		return 0;
	__sync_fetch_and_add(&f->nr_begun, 1);
	was = bpf_map_lookup_elem(&begins, key);
	now = bpf_ktime_get_ns();
	if (was) {
		__sync_fetch_and_add(&f->nr_replaced, 1);
		*was = now;
	} else if (bpf_map_update_elem(&begins, key, &now, BPF_ANY)) {
		__sync_fetch_and_add(&f->nr_dropped, 1);
	}
	return 0;
}

static __always_inline int end(const struct key *key)
{
	unsigned long long took = bpf_ktime_get_ns(), *began = bpf_map_lookup_elem(&begins, key);
	struct latency_figures *f = get_figures();
	unsigned int bucket;

	if (!f || !is_enabled)
		return 0;
	if (!began) {
		if (is_traced())
			__sync_fetch_and_add(&f->nr_ends_alone, 1);
		return 0;
	}
	/* Clocks of CPUs may differ by a little. */
	took = took > *began ? took - *began : 0;
	/* An end of another task with the same key may be counting this begin on another CPU: one of the two removes it. */
	if (bpf_map_delete_elem(&begins, key))
		return 0;
	bucket = bucket_of(took / unit_ns);
	if (bucket < LATENCY_BUCKETS)
		__sync_fetch_and_add(&f->buckets[bucket], 1);
	__sync_fetch_and_add(&f->nr, 1);
	__sync_fetch_and_add(&f->total_ns, took);
	if (took > f->max_ns)
		f->max_ns = took;
	if (~took > f->min_ns)
		f->min_ns = ~took;
	return 0;
}

/* ---- functions: by their entry and return. Both programs of one call have the same context, at a place on the stack that no other call has
 * meanwhile, so that a function may call itself ---- */

SEC("fentry")
int on_entry(void *ctx)
{
	struct key key = { { (unsigned long)ctx } };

	return begin(&key);
}

SEC("fexit")
int on_return(void *ctx)
{
	struct key key = { { (unsigned long)ctx } };

	return end(&key);
}

/* Where the kernel cannot do that: by thread; of calls inside of others, the innermost count. */

SEC("kprobe")
int on_probe(void *ctx)
{
	struct key key = { { bpf_get_current_pid_tgid() } };

	return begin(&key);
}

SEC("kretprobe")
int on_probe_return(void *ctx)
{
	struct key key = { { bpf_get_current_pid_tgid() } };

	return end(&key);
}

/* ---- pairs of tracepoints ---- */

static __always_inline unsigned long long part_of(const volatile struct latency_key_part *part, void *ctx)
{
	unsigned long long v = 0;

	switch (part->kind) {
	case LATENCY_KEY_TID:
		return (unsigned int)bpf_get_current_pid_tgid();
	case LATENCY_KEY_PID:
		return bpf_get_current_pid_tgid() >> 32;
	case LATENCY_KEY_CPU:
		return bpf_get_smp_processor_id();
	case LATENCY_KEY_FIELD:
		/* Little-endian: fewer bytes are the lower ones. */
		if (part->size == 8)
			bpf_probe_read_kernel(&v, 8, ctx + part->offset);
		else if (part->size == 4)
			bpf_probe_read_kernel(&v, 4, ctx + part->offset);
		else if (part->size == 2)
			bpf_probe_read_kernel(&v, 2, ctx + part->offset);
		else
			bpf_probe_read_kernel(&v, 1, ctx + part->offset);
		return v;
	}
	return 0;
}

static __always_inline struct key key_of(int side, void *ctx)
{
	struct key key = { 0 };

#pragma unroll
	for (int i = 0; i < LATENCY_KEY_PARTS; i++)
		if (parts[side][i].kind)
			key.v[i] = part_of(&parts[side][i], ctx);
	return key;
}

/* By their types: the cheapest; these have no fields. */
SEC("tp_btf")
int on_from(void *ctx)
{
	struct key key = key_of(0, ctx);

	return begin(&key);
}

SEC("tp_btf")
int on_to(void *ctx)
{
	struct key key = key_of(1, ctx);

	return end(&key);
}

/* With the fields of the event. These return 1: after 0, the kernel withholds the event from all others that count or record this tracepoint. */
SEC("tracepoint")
int on_from_event(void *ctx)
{
	struct key key = key_of(0, ctx);

	begin(&key);
	return 1;
}

SEC("tracepoint")
int on_to_event(void *ctx)
{
	struct key key = key_of(1, ctx);

	end(&key);
	return 1;
}

/* ---- tasks ---- */

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	unsigned int parent_tid = tid_of(parent), tid = tid_of(child), state = LATENCY_TASK_MEASURED;

	if (tid && bpf_map_lookup_elem(&tasks, &parent_tid))
		bpf_map_update_elem(&tasks, &tid, &state, BPF_ANY);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task, int old_tid, struct linux_binprm *bprm)
{
	unsigned int tid = tid_of(task), *state = bpf_map_lookup_elem(&tasks, &tid);

	if (state)
		*state = LATENCY_TASK_MEASURED;
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_task_exit, struct task_struct *task)
{
	unsigned int tid = tid_of(task);

	bpf_map_delete_elem(&tasks, &tid);
	return 0;
}
