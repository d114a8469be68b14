/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The slots of traced tasks, and records without memory, with or without a stack.
 */
#ifndef ASSAY_BPF_SYSCALL_RECORDS_BPF_H
#define ASSAY_BPF_SYSCALL_RECORDS_BPF_H

#include "bpf/stacks.bpf.h"
#include "bpf/syscall_state.bpf.h"
#include "bpf/task_ids.bpf.h"

#define RECORD_SAMPLE 9
#define MISC_USER 2
#define WAKE_EVERY 256 /* records of a CPU: then the reader is woken if there is enough for it */

/* ---- tasks ---- */

static __always_inline struct syscall_slot *find_slot(unsigned int tid)
{
	unsigned int *slot = bpf_map_lookup_elem(&slot_of_tid, &tid);

	return slot && *slot ? bpf_map_lookup_elem(&slots, slot) : NULL;
}

/* The verifier allows no shift of a pointer, but the difference of two. */
static __always_inline unsigned int *slot_of_registers(const struct pt_regs *regs)
{
	unsigned long distance = (unsigned long)regs - (unsigned long)&sees_exits;
	unsigned int stack = distance >> STACK_SHIFT & (STACKS - 1);

	return bpf_map_lookup_elem(&slot_of_stack, &stack);
}

/* The slot of the task that runs, by the registers of the call that it is in. NULL: it has none, or it has to be looked for. */
static __always_inline struct syscall_slot *known_slot(const struct pt_regs *regs)
{
	unsigned int *slot = slot_of_registers(regs);
	struct syscall_slot *s = slot ? bpf_map_lookup_elem(&slots, slot) : NULL;

	return s && s->regs == (unsigned long)regs ? s : NULL;
}

/* Where the end of a task is not seen, its stack may be another's and its slot still say otherwise. In a PID namespace, the slot of a thread that
 * executed a program may not be found when it ends. */
static __always_inline void know_slot(struct syscall_slot *s, const struct pt_regs *regs)
{
	unsigned int *slot = slot_of_registers(regs);

	if (!slot || !sees_exits || own_pid_ns)
		return;
	*slot = s->number;
	s->regs = (unsigned long)regs;
}

static __noinline struct syscall_slot *make_slot(unsigned int tid, unsigned int pid)
{
	unsigned int *entry = bpf_map_lookup_elem(&slot_of_tid, &tid), slot;
	struct syscall_slot *s;

	if (!entry)
		return NULL;
	/* Where the loader was faster, it has one. */
	slot = *entry;
	s = !slot && bpf_map_pop_elem(&free_slots, &slot) ? NULL : bpf_map_lookup_elem(&slots, &slot);
	if (!s) {
		__sync_fetch_and_add(&nr_untraced, 1);
		return NULL;
	}
	s->number = slot;
	s->tid = tid;
	s->pid = pid;
	s->regs = 0;
	s->in_call = 0;
	s->awaits_exec = 0;
	s->has_all_threads = 0;
	s->first_figures = 0;
	for (int i = 0; i < SYSCALL_CACHE; i++)
		s->figures[i] = 0;
	*entry = slot;
	return s;
}

/* Threads start while the loader reads /proc, and while it attaches. */
static __always_inline bool is_of_process(unsigned int pid)
{
	struct syscall_slot *s = traces_processes ? find_slot(pid) : NULL;

	return s && s->has_all_threads;
}

static __always_inline bool is_in_cgroup(void)
{
	return !has_cgroup || bpf_current_task_under_cgroup(&cgroups, 0) == 1;
}

static __always_inline struct syscall_slot *current_slot(unsigned long long pid_tgid)
{
	struct syscall_slot *s = find_slot((unsigned int)pid_tgid);

	if (s)
		return s;
	if (own_pid_ns && !pid_tgid)
		return NULL;
	if (traces_all ? pid_tgid >> 32 == own_tgid : !is_of_process(pid_tgid >> 32))
		return NULL;
	return make_slot((unsigned int)pid_tgid, pid_tgid >> 32);
}

/* ---- records ---- */

static __always_inline unsigned long long wake_flags(struct scratch *c)
{
	if (++c->nr_records < WAKE_EVERY)
		return BPF_RB_NO_WAKEUP;
	c->nr_records = 0;
	return bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) >= wake_bytes ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

static __always_inline void fill_event(struct syscall_event *e, const struct syscall_slot *s, long ret, unsigned long long now,
				       unsigned int flags, unsigned int nr_args)
{
	unsigned long long *args = (void *)(e + 1);

	e->start_ns = s->start_ns;
	e->end_ns = now;
	e->ret = ret;
	e->pid = s->pid;
	e->tid = s->tid;
	e->entry_tid = s->entry_tid; /* whose memory was recorded: a thread that executes a program ends the call under another id */
	e->nr = s->nr & ~SYSCALL_NR_32;
	e->cpu = bpf_get_smp_processor_id();
	e->flags = flags | (s->nr & SYSCALL_NR_32 ? SYSCALL_SAMPLE_32 : 0);
	e->memory_size = 0;
	e->nr_args = nr_args;
	for (int i = 0; i < nr_args; i++)
		args[i] = s->args[i];
}

/* With a stack, a record is a sample as it is; without, capture/syscall_feed.c makes one of the event. */
static __always_inline void fill_sample(struct syscall_sample *r, const struct syscall_slot *s, long ret, unsigned long long now,
					unsigned int flags)
{
	r->type = RECORD_SAMPLE;
	r->misc = MISC_USER;
	r->size = sizeof(*r);
	r->id = event_id;
	r->pid = s->pid;
	r->tid = s->tid;
	r->time_ns = now;
	r->cpu = bpf_get_smp_processor_id();
	r->reserved = 0;
	r->period = now - s->start_ns;
	r->raw_size = sizeof(*r) - __builtin_offsetof(struct syscall_sample, common_type);
	r->common_type = common_type;
	r->common_flags = 0;
	r->common_preempt_count = 0;
	r->common_pid = s->entry_tid;
	r->nr = s->nr & ~SYSCALL_NR_32;
	for (int i = 0; i < SYSCALL_ARGS; i++)
		r->args[i] = s->args[i];
	r->ret = ret;
	r->start_ns = s->start_ns;
	r->flags = flags | (s->nr & SYSCALL_NR_32 ? SYSCALL_SAMPLE_32 : 0);
	r->memory = 0;
}

/* ---- stacks ---- */

static __always_inline struct scratch *get_scratch(void)
{
	unsigned int zero = 0;

	return bpf_map_lookup_elem(&scratches, &zero);
}

static __always_inline bool has_stacks(void)
{
	return stack_frames || stack_bytes;
}

/* Whose stack the next record has. */
static __always_inline void note_stack(const struct pt_regs *regs)
{
	struct scratch *c = has_stacks() ? get_scratch() : NULL;

	if (c)
		c->regs = (unsigned long)regs;
}

/* The record in c->sample, `bytes` of memory behind it, with a stack. */
__noinline int put_stacked(unsigned int bytes)
{
	struct scratch *c = get_scratch();
	struct stack_buffer *b = get_stack_buffer();
	unsigned int off = sizeof(struct syscall_stack_head);
	unsigned long long raw = sizeof(c->sample) - __builtin_offsetof(struct syscall_sample, raw_size) + bytes, size;
	struct syscall_stack_head *h;

	if (!c || !b)
		goto drop;
	h = (struct syscall_stack_head *)b->bytes;
	h->type = c->sample.type;
	h->misc = c->sample.misc;
	h->id = c->sample.id;
	h->ip = c->regs ? program_counter((const struct pt_regs *)c->regs) : 0;
	h->pid = c->sample.pid;
	h->tid = c->sample.tid;
	h->time_ns = c->sample.time_ns;
	h->cpu = c->sample.cpu;
	h->reserved = 0;
	h->period = c->sample.period;
	off += put_chain(stack_frames ? c->regs : 0);
	/* For the verifier, which loses sight of bounds otherwise. */
	asm volatile("" : "+r"(raw));
	if (raw > sizeof(c->sample) + sizeof(c->memory) - __builtin_offsetof(struct syscall_sample, raw_size))
		goto drop;
	if (bpf_probe_read_kernel(b->bytes + (off & 0xfff8), raw, &c->sample.raw_size))
		goto drop;
	off += raw;
	if (stack_bytes)
		off = put_dump(c->regs, off);
	size = off;
	asm volatile("" : "+r"(size));
	if (size > RECORD_BYTES_MAX)
		goto drop;
	h->size = size;
	if (!bpf_ringbuf_output(&ring, b, size, wake_flags(c)))
		return 0;
drop:
	__sync_fetch_and_add(&nr_dropped, 1);
	return 0;
}

/* The size must be a constant. */
static __always_inline void put_args(const struct syscall_slot *s, long ret, unsigned long long now, unsigned int flags,
				     unsigned int nr_args)
{
	unsigned int zero = 0;
	struct scratch *c = bpf_map_lookup_elem(&scratches, &zero);
	/* Verifiers before 5.12 do not see that a second look at this pointer says the same as the first. */
	struct syscall_event *e = c ? bpf_ringbuf_reserve(&ring, sizeof(*e) + nr_args * 8, 0) : NULL;

	if (!e) {
		__sync_fetch_and_add(&nr_dropped, 1);
		return;
	}
	fill_event(e, s, ret, now, flags, nr_args);
	bpf_ringbuf_submit(e, wake_flags(c));
}

static __always_inline void put_plain(const struct syscall_slot *s, long ret, unsigned long long now, unsigned int flags, bool has_few_args)
{
	unsigned int zero = 0;
	struct scratch *c = has_stacks() ? bpf_map_lookup_elem(&scratches, &zero) : NULL;

	if (c) {
		fill_sample(&c->sample, s, ret, now, flags);
		put_stacked(0);
	} else if (has_few_args) {
		put_args(s, ret, now, flags, SYSCALL_FEW_ARGS);
	} else {
		put_args(s, ret, now, flags, SYSCALL_ARGS);
	}
}

#endif
