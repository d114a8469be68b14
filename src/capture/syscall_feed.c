/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Makes samples of what is in the ring buffer, in large pieces, so that room in it is free again before they are written.
 */
#include "capture/syscall_feed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"

#define BATCH_BYTES (256u << 10) /* that stay in the cache until they are copied on */
#define RECORD_MAX 65536u
#define FIRST_BYTES_MAX (256u << 20) /* half a million descriptors that are open at the start */
#define EVENT_ID (UINT64_MAX / 3)    /* above what the kernel gives out */

#define FIELD(type, name, at, size, is_signed) "\tfield:" type " " name ";\toffset:" #at ";\tsize:" #size ";\tsigned:" #is_signed ";\n"

/* The raw bytes of struct syscall_sample. The kernel gives out ids from 1 on, so that this one is no other's. What is no plain call is marked
 * in the text (the numbers are those of enum syscall_sample_flags). */
/* clang-format off */
const struct own_format syscall_feed_format = {
	SYSCALL_EVENT,
	"name: sys_call\nID: 65520\nformat:\n" /* SYSCALL_SAMPLE_ID */
	FIELD("unsigned short", "common_type", 0, 2, 0)
	FIELD("unsigned char", "common_flags", 2, 1, 0)
	FIELD("unsigned char", "common_preempt_count", 3, 1, 0)
	FIELD("int", "common_pid", 4, 4, 1)
	"\n"
	FIELD("unsigned int", "nr", 8, 4, 0)
	FIELD("unsigned long", "args[6]", 12, 48, 0)
	FIELD("long", "ret", 60, 8, 1)
	FIELD("u64", "start_ns", 68, 8, 0)
	FIELD("unsigned int", "flags", 76, 4, 0)
	FIELD("__data_loc u8[]", "memory", 80, 4, 0)
	"\n"
	"print fmt: \"%sNR %u (%lx, %lx, %lx, %lx, %lx, %lx) = %ld\", "
	"__print_flags(REC->flags, \"\", { 1, \"entry \" }, { 2, \"signal \" }, { 4, \"exit \" }, { 8, \"no-result \" }, { 16, \"32-bit \" }, "
	"{ 32, \"open-file \" }, { 64, \"began-before \" }, { 128, \"pending \" }, { 256, \"superseded \" }), REC->nr, REC->args[0], REC->args[1], REC->args[2], REC->args[3], REC->args[4], REC->args[5], REC->ret\n",
};
/* clang-format on */

_Static_assert(SYSCALL_SAMPLE_ID == 65520 && SYSCALL_SAMPLE_ENTRY == 1 && SYSCALL_SAMPLE_SIGNAL == 2 && SYSCALL_SAMPLE_EXIT == 4 &&
		       SYSCALL_SAMPLE_OPEN == 8 && SYSCALL_SAMPLE_32 == 16 && SYSCALL_SAMPLE_FILE == 32 && SYSCALL_SAMPLE_BEFORE == 64 &&
		       SYSCALL_SAMPLE_PENDING == 128 && SYSCALL_SAMPLE_SUPERSEDED == 256,
	       "as the format says");
_Static_assert(offsetof(struct syscall_sample, memory) - offsetof(struct syscall_sample, common_type) == 80, "as the format says");

static uint32_t stack_bytes(const struct capture_options *o)
{
	uint32_t wanted = o->config.stack_user_size ? o->config.stack_user_size : SYSCALL_FEED_STACK_BYTES;

	return o->config.callgraph != CALLGRAPH_DWARF ? 0 : wanted < SYSCALL_STACK_MAX ? wanted : SYSCALL_STACK_MAX;
}

static uint32_t stack_frames(const struct capture_options *o)
{
	uint32_t wanted = o->config.max_stack ? o->config.max_stack : SYSCALL_STACK_FRAMES;

	return o->config.callgraph != CALLGRAPH_FP ? 0 : wanted < SYSCALL_STACK_FRAMES ? wanted : SYSCALL_STACK_FRAMES;
}

/* As event_list_configure() makes those of events. */
static void add_stacks(struct attr *a, const struct capture_options *o)
{
	if (o->config.callgraph == CALLGRAPH_NONE)
		return;
	a->sample_type |= SAMPLE_IP | SAMPLE_CALLCHAIN;
	a->flags |= ATTR_EXCLUDE_CHAIN_KERNEL;
	a->sample_max_stack = o->config.max_stack;
	if (o->config.callgraph != CALLGRAPH_DWARF)
		return;
	a->sample_type |= SAMPLE_REGS_USER | SAMPLE_STACK_USER;
	a->sample_regs_user = SYSCALL_STACK_REGS;
	a->sample_stack_user = stack_bytes(o);
	a->flags |= ATTR_EXCLUDE_CHAIN_USER;
}

static void make_attr(struct attr *a, const struct capture_options *o)
{
	*a = (struct attr){
		.type = ATTR_TYPE_TRACEPOINT,
		.size = ATTR_SIZE_VER7,
		.config = SYSCALL_SAMPLE_ID,
		.sample_period = 1,
		.sample_type = SAMPLE_IDENTIFIER | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD | SAMPLE_RAW,
		.flags = ATTR_SAMPLE_ID_ALL | ATTR_USE_CLOCKID | ATTR_INHERIT,
		.clockid = 1, /* CLOCK_MONOTONIC: what BPF programs can read */
	};
	add_stacks(a, o);
}

bool syscall_feed_has_processes(const struct syscall_tracing *t, const struct target *target)
{
	return target->kind == TARGET_TASKS && !target->by_thread && !t->no_children;
}

static enum bpf_task_kind kind_of(const struct syscall_tracing *t, const struct target *target, pid_t tid, pid_t workload)
{
	if (tid == workload)
		return BPF_TASK_WORKLOAD;
	for (uint32_t i = 0; i < target->scanned.ids.nr && syscall_feed_has_processes(t, target); i++)
		if (target->scanned.ids.v[i] == tid)
			return BPF_TASK_PROCESS;
	return BPF_TASK_THREAD;
}

static struct syscall_cut_options cut_options(const struct syscall_feed *f)
{
	return (struct syscall_cut_options){ .layout = &f->feed.layout, .event_id = EVENT_ID, .max_data = f->tracing->max_data };
}

static void add_begun(struct syscall_feed *f, const struct syscall_slot *slot)
{
	struct syscall_cut_options o = cut_options(f);

	if (slot->in_call)
		syscall_cut_add_begun(&f->first, &o, slot);
}

int syscall_feed_add_tasks(struct bpf_syscalls *b, const struct syscall_tracing *t, const struct target *target, pid_t workload,
			   struct syscall_feed *f, struct errbuf *eb)
{
	struct syscall_slot begun;
	int err = 0;

	for (uint32_t i = 0; i < target->tasks.ids.nr && !err; i++) {
		pid_t tid = target->tasks.ids.v[i];

		if (tid <= 0)
			continue;
		err = bpf_syscalls_add_task(b, tid, kind_of(t, target, tid, workload), &begun, eb);
		if (!err && f)
			add_begun(f, &begun);
	}
	return err;
}

const uint64_t *syscall_feed_cpus(const struct capture_options *o, const struct target *target, uint64_t *bits)
{
	if (!o->cpus)
		return NULL;
	memset(bits, 0, BPF_SYSCALLS_CPUS / 8);
	for (uint32_t i = 0; i < target->cpus.cpus.nr; i++)
		if ((uint32_t)target->cpus.cpus.v[i] < BPF_SYSCALLS_CPUS)
			bits[target->cpus.cpus.v[i] / 64] |= 1ULL << target->cpus.cpus.v[i] % 64;
	return bits;
}

#define RAW_FIXED (sizeof(struct syscall_sample) - offsetof(struct syscall_sample, common_type))

static void put_sample(struct syscall_feed *f, const struct syscall_event *e)
{
	struct syscall_sample *s = (void *)(f->buf + f->len);
	const uint64_t *args = (const void *)(e + 1);

	*s = (struct syscall_sample){
		.type = RECORD_SAMPLE,
		.misc = MISC_USER,
		.size = (unsigned short)(sizeof(*s) + e->memory_size),
		.id = EVENT_ID,
		.pid = e->pid,
		.tid = e->tid,
		.time_ns = e->end_ns,
		.cpu = e->cpu,
		.period = e->end_ns - e->start_ns,
		.raw_size = (unsigned)(RAW_FIXED + e->memory_size),
		.common_type = SYSCALL_SAMPLE_ID,
		.common_pid = (int)e->entry_tid,
		.nr = e->nr,
		.ret = e->ret,
		.start_ns = e->start_ns,
		.flags = e->flags,
		.memory = e->memory_size ? (unsigned)(RAW_FIXED | (unsigned)e->memory_size << 16) : 0,
	};
	for (uint32_t i = 0; i < e->nr_args; i++)
		s->args[i] = args[i];
	memcpy(s + 1, args + e->nr_args, e->memory_size);
	f->len += sizeof(*s) + e->memory_size;
}

static int take_sample(void *ctx, void *data, size_t size)
{
	struct syscall_feed *f = ctx;

	if (size <= RECORD_MAX) {
		memcpy(f->buf + f->len, data, size);
		f->len += size;
	}
	return f->len < BATCH_BYTES ? 0 : -EAGAIN;
}

static int take_event(void *ctx, void *data, size_t size)
{
	const struct syscall_event *e = data;
	struct syscall_feed *f = ctx;

	if (size >= sizeof(*e) && e->nr_args <= SYSCALL_ARGS && e->memory_size % 8 == 0 &&
	    e->memory_size + sizeof(struct syscall_sample) <= RECORD_MAX - 8 && size - sizeof(*e) >= e->nr_args * 8u + e->memory_size)
		put_sample(f, e);
	return f->len < BATCH_BYTES ? 0 : -EAGAIN;
}

/* What was dropped meanwhile, as the kernel's rings say it. */
static void put_losses(struct syscall_feed *f)
{
	uint64_t nr = bpf_syscalls_losses(f->bpf).nr_dropped;
	struct record_header h = { .type = RECORD_LOST };
	struct record rec = { .header = &h, .id = { .id = f->feed.event_id } };
	int64_t size;

	if (nr == f->nr_dropped)
		return;
	rec.lost = (struct record_lost){ .id = f->feed.event_id, .lost = nr - f->nr_dropped };
	size = record_encode(&rec, &f->feed.layout, f->buf + f->len, RECORD_MAX);
	if (size > 0)
		f->len += (size_t)size;
	f->nr_dropped = nr;
}

/* One batch of the ring buffer. */
static void fill(struct syscall_feed *f)
{
	f->len = 0;
	bpf_syscalls_consume(f->bpf, f->has_stacks ? take_sample : take_event, f);
	put_losses(f);
}

static size_t take(struct record_feed *feed, const uint8_t **records)
{
	struct syscall_feed *f = (struct syscall_feed *)feed;
	bool is_last_complete = atomic_load(&f->is_last_complete);
	size_t size = syscall_cut_take(&f->first, records);

	if (size)
		return size;
	fill(f);
	*records = f->buf;
	/* Nothing more comes into the ring buffer then. */
	return f->len || !is_last_complete ? f->len : syscall_cut_take(&f->last, records);
}

/* Before the drain runs. */
static bool keep_in_front(void *ctx)
{
	struct syscall_feed *f = ctx;

	for (fill(f); f->len; fill(f))
		syscall_cut_add(&f->first, f->buf, f->len);
	return f->first.records.nr < FIRST_BYTES_MAX;
}

int syscall_feed_open(struct syscall_feed *f, const struct capture_options *co, const struct target *target, pid_t workload,
		      struct errbuf *eb)
{
	const struct syscall_tracing *t = co->syscalls;
	uint64_t cpus[BPF_SYSCALLS_CPUS / 64];
	struct bpf_syscalls_options o = {
		.set = t->set,
		.event_id = EVENT_ID,
		.common_type = SYSCALL_SAMPLE_ID,
		.all_tasks = target->kind == TARGET_CPUS,
		.cpus = syscall_feed_cpus(co, target, cpus),
		.has_processes = syscall_feed_has_processes(t, target),
		.no_children = t->no_children,
		.cgroup = t->cgroup,
		.has_signals = t->has_signals,
		.has_entries = t->has_entries,
		.has_files = t->has_files,
		.only_failed = t->only_failed,
		.only_succeeded = t->only_succeeded,
		.min_duration_ns = t->min_duration_ns,
		.kept = t->kept,
		.max_data = t->max_data,
		.stack_frames = stack_frames(co),
		.stack_bytes = stack_bytes(co),
		.ring_bytes = co->config.callgraph == CALLGRAPH_DWARF ? SYSCALL_FEED_STACK_RING_BYTES : SYSCALL_FEED_RING_BYTES,
	};
	int err = bpf_syscalls_open(&f->bpf, &o, eb);

	if (err)
		return err;
	f->tracing = t;
	make_attr(&f->feed.attr, co);
	f->has_stacks = o.stack_frames || o.stack_bytes;
	f->feed.layout = sample_layout_of(&f->feed.attr);
	f->feed.event_id = EVENT_ID;
	f->feed.ring_bytes = o.ring_bytes;
	f->feed.wake_fd = bpf_syscalls_fd(f->bpf);
	f->feed.name = SYSCALL_EVENT;
	f->feed.take = take;
	f->buf = mem_alloc(BATCH_BYTES + 2 * RECORD_MAX);
	return syscall_feed_add_tasks(f->bpf, t, target, workload, f, eb);
}

int syscall_feed_start(struct syscall_feed *f, struct errbuf *eb)
{
	return bpf_syscalls_attach(f->bpf, keep_in_front, f, eb);
}

/* Calls that have not ended neither failed nor succeeded. */
static void add_pending(struct syscall_feed *f)
{
	struct syscall_cut_options o = cut_options(f);
	uint64_t now_ns = clock_now_ns();
	struct syscall_slot *slots = NULL;
	uint32_t nr = f->tracing->only_failed || f->tracing->only_succeeded ? 0 : bpf_syscalls_pending(f->bpf, &slots);

	for (uint32_t i = 0; i < nr; i++)
		if (now_ns >= slots[i].start_ns && now_ns - slots[i].start_ns >= f->tracing->min_duration_ns)
			syscall_cut_add_pending(&f->last, &o, &slots[i], now_ns);
	free(slots);
	atomic_store(&f->is_last_complete, true);
}

void syscall_feed_stop(struct syscall_feed *f)
{
	struct bpf_syscalls_losses l;

	if (!f->bpf)
		return;
	bpf_syscalls_detach(f->bpf);
	add_pending(f);
	l = bpf_syscalls_losses(f->bpf);
	if (l.nr_untraced)
		log_warn("some tasks are not traced: there is no room for more at a time");
}

void syscall_feed_close(struct syscall_feed *f)
{
	bpf_syscalls_close(f->bpf);
	free(f->buf);
	syscall_cut_fini(&f->first);
	syscall_cut_fini(&f->last);
	memset(f, 0, sizeof(*f));
}
