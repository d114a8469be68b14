// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * System calls of the traced tasks: either whole records, written into a ring buffer as samples, or figures alone, which live in maps.
 *
 * A task has a slot, found by its tid in an array: a look-up in an array is a few instructions, one in a hash table would cost as much as
 * the call. What a call was made with waits in the slot until its end, when one record says all; memory that it points to is read when it
 * begins and goes out at once, as a record of its own, because no slot has room for it.
 */
#include "bpf/kernel_types.h"
#include "bpf/syscall_events.h"

char LICENSE[] SEC("license") = "GPL";

#define RECORD_SAMPLE 9
#define USER32_CS 0x23 /* of 32-bit programs, whose numbers and registers are others */
#define MISC_USER 2
#define WAKE_EVERY 64 /* records of a CPU: then the reader is woken if the ring buffer is a quarter full */

/* Set before it is loaded. */
const volatile unsigned long long event_id = 0;
const volatile unsigned int common_type = 0;
const volatile unsigned int max_data = 32; /* bytes of buffers */
const volatile unsigned int wake_bytes = 1 << 20;
const volatile unsigned int own_tgid = 0; /* never traced with all tasks */
const volatile unsigned char traces_all = 0;
const volatile unsigned char has_cpus = 0;
const volatile unsigned long long cpus[16] = { 0 }; /* by bit, where has_cpus */
const volatile unsigned char follows_forks = 1;
const volatile unsigned char keeps_figures = 0; /* no records */
const volatile unsigned char has_histogram = 0;
const volatile unsigned long long min_duration_ns = 0;
const volatile unsigned char only_failed = 0, only_succeeded = 0;

/* Counted for the reader. */
unsigned long long nr_dropped = 0;   /* records that the ring buffer had no room for */
unsigned long long nr_untraced = 0;  /* tasks that there was no slot for */
unsigned long long nr_foreign = 0;   /* calls of programs of another ABI */
unsigned long long nr_uncounted = 0; /* calls that there were no figures for */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned int);
	__type(value, unsigned int);
} slot_of_tid SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned int);
	__type(value, struct syscall_slot);
} slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 1);
	__type(value, unsigned int);
} free_slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SYSCALL_PLANS);
	__type(key, unsigned int);
	__type(value, struct syscall_plan);
} plans SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, unsigned int);
	__type(value, struct syscall_figures);
} figures SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 1);
	__type(value, unsigned int);
} free_figures SEC(".maps");

struct piece {
	const void *address;
	unsigned long long wanted;
	unsigned int arg, flags;
	unsigned int is_string, is_nested;
};

struct scratch {
	unsigned int nr_records; /* since the ring buffer was last looked at */
	/* Kept here, not in registers: the verifier then sees the same state in each turn of a loop. */
	unsigned int off; /* of the next piece of memory */
	unsigned int nr_strings, late;
	struct piece piece; /* that is being read */
	unsigned long long bytes_left;
	struct syscall_sample sample;
	unsigned char memory[SYSCALL_MEMORY_MAX + SYSCALL_READ_MAX + 16];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned int);
	__type(value, struct scratch);
} scratches SEC(".maps");

/* ---- tasks ---- */

static __always_inline struct syscall_slot *find_slot(unsigned int tid)
{
	unsigned int *slot = bpf_map_lookup_elem(&slot_of_tid, &tid);

	return slot && *slot ? bpf_map_lookup_elem(&slots, slot) : NULL;
}

static __noinline struct syscall_slot *make_slot(unsigned int tid, unsigned int pid)
{
	unsigned int *entry = bpf_map_lookup_elem(&slot_of_tid, &tid), slot;
	struct syscall_slot *s;

	if (!entry)
		return NULL;
	s = bpf_map_pop_elem(&free_slots, &slot) ? NULL : bpf_map_lookup_elem(&slots, &slot);
	if (!s) {
		__sync_fetch_and_add(&nr_untraced, 1);
		return NULL;
	}
	s->tid = tid;
	s->pid = pid;
	s->in_call = 0;
	s->awaits_exec = 0;
	s->first_figures = 0;
	for (int i = 0; i < SYSCALL_CACHE; i++)
		s->figures[i] = 0;
	*entry = slot;
	return s;
}

static __always_inline struct syscall_slot *current_slot(unsigned long long pid_tgid)
{
	struct syscall_slot *s = find_slot((unsigned int)pid_tgid);

	if (s || !traces_all || pid_tgid >> 32 == own_tgid)
		return s;
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

static __always_inline void fill_sample(struct syscall_sample *r, const struct syscall_slot *s, unsigned long long now, unsigned int flags)
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
	r->common_pid = s->entry_tid; /* whose memory was recorded: a thread that executes a program ends the call under another id */
	r->nr = s->nr;
	for (int i = 0; i < SYSCALL_ARGS; i++)
		r->args[i] = s->args[i];
	r->start_ns = s->start_ns;
	r->flags = flags;
	r->memory = 0;
}

static __always_inline void put_plain(const struct syscall_slot *s, long ret, unsigned long long now, unsigned int flags)
{
	unsigned int zero = 0;
	struct scratch *c = bpf_map_lookup_elem(&scratches, &zero);
	struct syscall_sample *r = bpf_ringbuf_reserve(&ring, sizeof(*r), 0);

	if (!r || !c) {
		__sync_fetch_and_add(&nr_dropped, 1);
		if (r)
			bpf_ringbuf_discard(r, BPF_RB_NO_WAKEUP);
		return;
	}
	fill_sample(r, s, now, flags);
	r->ret = ret;
	bpf_ringbuf_submit(r, wake_flags(c));
}

/* ---- memory ---- */

enum read_how { READ_STRING, READ_FIXED, READ_ARG, READ_POINTED, READ_RESULT };

static __always_inline unsigned long long wanted_bytes(const struct syscall_slot *s, const struct syscall_plan_read *p, long ret)
{
	unsigned int len_arg = p->len_arg;
	unsigned int pointed = 0;

	if (p->how == READ_FIXED)
		return p->size;
	if (p->how == READ_RESULT)
		return ret > 0 ? ret * (unsigned long long)p->size : 0;
	if (len_arg >= SYSCALL_ARGS)
		return 0;
	if (p->how == READ_ARG)
		return s->args[len_arg] * p->size;
	bpf_probe_read_user(&pointed, sizeof(pointed), (void *)s->args[len_arg]);
	return pointed;
}

/* Appends one piece. Returns its flags. */
static __noinline unsigned int put_piece(struct scratch *c)
{
	unsigned int off, limit = SYSCALL_READ_MAX;
	struct syscall_piece *piece;
	struct piece *p;
	long got;

	if (!c)
		return 0;
	p = &c->piece;
	off = c->off;
	if (off > SYSCALL_MEMORY_MAX)
		return 0;
	if (p->wanted < SYSCALL_READ_MAX)
		limit = p->wanted;
	piece = (void *)(c->memory + off);
	off += sizeof(*piece);
	if (p->is_string)
		got = bpf_probe_read_user_str(c->memory + off, limit, p->address);
	else
		got = bpf_probe_read_user(c->memory + off, limit, p->address) ? -1 : limit;
	if (got < 0) {
		p->flags |= SYSCALL_PIECE_FAILED;
		got = 0;
	} else if (p->is_string ? got == limit : p->wanted > limit) {
		p->flags |= SYSCALL_PIECE_CUT;
	}
	piece->arg = p->arg;
	piece->flags = p->flags;
	piece->size = got;
	piece->nr_strings = 0;
	piece->address = p->is_nested ? (unsigned long long)p->address : 0;
	c->off = off + (((unsigned int)got + 7) & ~7u);
	return p->flags;
}

/* One piece with the strings of an array, as far as there is room, and their number. */
static __noinline int put_strings(struct scratch *c, unsigned long long array, unsigned int arg)
{
	unsigned int start;
	struct syscall_piece *piece;

	if (!c)
		return 0;
	start = c->off;
	if (start > SYSCALL_MEMORY_MAX)
		return 0;
	c->off = start + sizeof(*piece);
	c->nr_strings = 0;
	for (unsigned int i = 0; i < SYSCALL_STRINGS_COUNTED; i++) {
		unsigned long long address = 0;
		unsigned int off = c->off;
		long got;

		if (bpf_probe_read_user(&address, sizeof(address), (void *)(array + 8ull * i)) || !address)
			break;
		c->nr_strings++;
		if (i >= SYSCALL_STRINGS_MAX || off > SYSCALL_MEMORY_MAX)
			continue;
		got = bpf_probe_read_user_str(c->memory + off, SYSCALL_STRING_MAX, (void *)address);
		if (got > 0)
			c->off = off + (unsigned int)got;
	}
	piece = (void *)(c->memory + start);
	piece->arg = arg;
	piece->flags = (c->nr_strings > SYSCALL_STRINGS_MAX ? SYSCALL_PIECE_CUT : 0);
	piece->size = c->off - start - sizeof(*piece);
	piece->nr_strings = c->nr_strings;
	piece->address = 0;
	c->off = (c->off + 7) & ~7u;
	return 0;
}

/* The buffers of an iovec, `bytes` in all. */
static __noinline int put_buffers(struct scratch *c, unsigned long long array, unsigned long long nr, unsigned long long bytes)
{
	if (!c)
		return 0;
	c->bytes_left = bytes;
	for (unsigned int i = 0; i < SYSCALL_BUFFERS_MAX; i++) {
		unsigned long long element[2] = { 0 };
		struct piece *p = &c->piece;

		if (i >= nr || bpf_probe_read_user(element, sizeof(element), (void *)(array + 16ull * i)))
			break;
		p->flags &= ~SYSCALL_PIECE_CUT;
		p->address = (void *)element[0];
		p->wanted = element[1] < c->bytes_left ? element[1] : c->bytes_left;
		c->bytes_left -= p->wanted;
		if (p->wanted > max_data) {
			p->wanted = max_data;
			p->flags |= SYSCALL_PIECE_CUT;
		}
		if (p->wanted)
			put_piece(c);
	}
	return 0;
}

static __noinline int put_part(struct scratch *c, unsigned long long address, unsigned long long wanted)
{
	if (!c || !address || !wanted)
		return 0;
	c->piece.flags &= ~SYSCALL_PIECE_CUT;
	c->piece.address = (void *)address;
	c->piece.wanted = wanted;
	put_piece(c);
	return 0;
}

/* What a struct msghdr points to. */
static __noinline int put_message(struct scratch *c, unsigned long long address, unsigned long long bytes)
{
	struct {
		unsigned long long name;
		unsigned int name_len, padding;
		unsigned long long iov, nr_iov, control, control_len;
	} message = { 0 };

	if (!c || bpf_probe_read_user(&message, sizeof(message), (void *)address))
		return 0;
	put_part(c, message.name, message.name_len < SYSCALL_SOCKADDR_MAX ? message.name_len : SYSCALL_SOCKADDR_MAX);
	if (message.nr_iov > SYSCALL_BUFFERS_MAX)
		message.nr_iov = SYSCALL_BUFFERS_MAX;
	put_part(c, message.iov, message.nr_iov * 16);
	put_part(c, message.control, message.control_len);
	put_buffers(c, message.iov, message.nr_iov, bytes);
	return 0;
}

/* What the memory of an argument points to. */
static __noinline int put_nested(struct scratch *c, struct syscall_slot *s, const struct syscall_plan *plan, long ret, unsigned int at_exit)
{
	unsigned int arg, len_arg;
	unsigned long long address, nr = 1;

	if (!c || !s || !plan)
		return 0;
	arg = plan->nested_arg;
	len_arg = plan->nested_len_arg;
	if (arg >= SYSCALL_ARGS || (at_exit && ret < 0))
		return 0;
	c->piece.arg = arg;
	c->piece.flags = at_exit ? SYSCALL_PIECE_AT_EXIT : 0;
	c->piece.is_string = 0;
	c->piece.is_nested = 1;
	address = s->args[arg];
	if (plan->nested != NESTED_MESSAGE && len_arg < SYSCALL_ARGS)
		nr = s->args[len_arg];
	if (plan->nested == NESTED_BUFFERS)
		return put_buffers(c, address, nr, at_exit ? ret : ~0ull);
	for (unsigned int i = 0; i < SYSCALL_MESSAGES_MAX && i < nr; i++) {
		unsigned int bytes = at_exit ? ret : ~0u;

		if (at_exit && plan->nested == NESTED_MESSAGES)
			bpf_probe_read_user(&bytes, sizeof(bytes), (void *)(address + 64ull * i + 56));
		put_message(c, address + 64ull * i, bytes);
	}
	return 0;
}

/* One read of a call. */
static __noinline int put_read(struct scratch *c, struct syscall_slot *s, const struct syscall_plan_read *r, long ret, unsigned int at_exit)
{
	struct piece *p;
	unsigned int arg;

	if (!c || !s || !r)
		return 0;
	p = &c->piece;
	arg = r->arg;
	if (arg >= SYSCALL_ARGS || (r->at_exit && ret < 0))
		return 0;
	p->arg = arg;
	p->flags = r->at_exit ? SYSCALL_PIECE_AT_EXIT : at_exit ? SYSCALL_PIECE_LATE : 0;
	p->is_string = r->how == READ_STRING;
	p->is_nested = 0;
	p->address = (void *)s->args[arg];
	if (!p->address)
		return 0;
	p->wanted = p->is_string ? SYSCALL_READ_MAX : wanted_bytes(s, r, ret);
	if (!p->wanted)
		return 0;
	if (r->is_data && p->wanted > max_data) {
		p->wanted = max_data;
		p->flags |= SYSCALL_PIECE_CUT;
	}
	return !!(put_piece(c) & SYSCALL_PIECE_FAILED);
}

/* The reads of a call, at its beginning or its end. Returns the bytes in c->memory. */
static __noinline unsigned int read_memory(struct scratch *c, struct syscall_slot *s, const struct syscall_plan *plan, long ret,
					   unsigned int at_exit)
{
	if (!c || !s || !plan)
		return 0;
	c->off = 0;
	c->late = 0;
	for (unsigned int i = 0; i < SYSCALL_READS; i++) {
		const struct syscall_plan_read *r = &plan->reads[i];

		if (i >= plan->nr_reads)
			break;
		if (r->at_exit == at_exit || (at_exit && s->late >> i & 1))
			c->late |= put_read(c, s, r, ret, at_exit) << i;
	}
	for (unsigned int i = 0; i < 2 && !at_exit; i++) {
		unsigned int arg = plan->strings[i] - 1u;

		if (arg < SYSCALL_ARGS && s->args[arg])
			put_strings(c, s->args[arg], arg);
	}
	if (plan->nested && plan->nested_at_exit == at_exit)
		put_nested(c, s, plan, ret, at_exit);
	s->late = at_exit ? 0 : c->late;
	return c->off;
}

static __always_inline void put_with_memory(struct scratch *c, const struct syscall_slot *s, long ret, unsigned long long now,
					    unsigned int flags, unsigned int bytes)
{
	unsigned int fixed = sizeof(c->sample) - __builtin_offsetof(struct syscall_sample, common_type);

	unsigned long long size = sizeof(c->sample) + bytes;

	fill_sample(&c->sample, s, now, flags);
	c->sample.ret = ret;
	c->sample.size = size;
	c->sample.raw_size = fixed + bytes;
	c->sample.memory = fixed | bytes << 16;
	/* For the verifier, which has lost sight of the bound. */
	asm volatile("" : "+r"(size));
	if (size > sizeof(c->sample) + sizeof(c->memory))
		return;
	if (bpf_ringbuf_output(&ring, &c->sample, size, wake_flags(c)))
		__sync_fetch_and_add(&nr_dropped, 1);
}

/* ---- figures ---- */

static __noinline struct syscall_figures *find_figures(struct syscall_slot *s)
{
	struct syscall_figures *f;
	unsigned int index;

	if (!s)
		return NULL;
	index = s->first_figures;
	for (int i = 0; i < SYSCALL_TASK_FIGURES && index; i++) {
		f = bpf_map_lookup_elem(&figures, &index);
		if (!f)
			return NULL;
		if (f->nr == s->nr) {
			s->figures[s->nr % SYSCALL_CACHE] = index;
			return f;
		}
		index = f->next;
	}
	f = bpf_map_pop_elem(&free_figures, &index) ? NULL : bpf_map_lookup_elem(&figures, &index);
	if (!f)
		return NULL;
	__builtin_memset(f, 0, sizeof(*f));
	f->nr = s->nr;
	f->tid = s->tid;
	f->pid = s->pid;
	f->next = s->first_figures;
	f->min_ns = ~0ull;
	s->first_figures = index;
	s->figures[s->nr % SYSCALL_CACHE] = index;
	return f;
}

/* The figures of a task that ends go to the reader, so that their room serves others. */
static __noinline int put_figures(struct syscall_slot *s)
{
	unsigned int index;

	if (!s)
		return 0;
	index = s->first_figures;
	for (int i = 0; i < SYSCALL_TASK_FIGURES && index; i++) {
		struct syscall_figures *f = bpf_map_lookup_elem(&figures, &index);
		unsigned int next;

		if (!f)
			break;
		bpf_get_current_comm(f->comm, sizeof(f->comm));
		if (bpf_ringbuf_output(&ring, f, sizeof(*f),
				       bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) >= wake_bytes ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP))
			__sync_fetch_and_add(&nr_dropped, 1);
		next = f->next;
		f->nr_calls = 0;
		bpf_map_push_elem(&free_figures, &index, 0);
		index = next;
	}
	s->first_figures = 0;
	return 0;
}

static __always_inline unsigned int log2_of(unsigned long long v)
{
	unsigned int r = 0;

	if (v >> 31)
		return 31;
	if (v >> 16)
		r = 16;
	if (v >> (r + 8))
		r += 8;
	if (v >> (r + 4))
		r += 4;
	if (v >> (r + 2))
		r += 2;
	return r + (v >> (r + 1) ? 1 : 0);
}

/* A task's figures are its own: nothing else changes them meanwhile. */
static __always_inline void add_figures(struct syscall_slot *s, long ret, unsigned long long took)
{
	struct syscall_figures *f = bpf_map_lookup_elem(&figures, &s->figures[s->nr % SYSCALL_CACHE]);

	if (!f || f->nr != s->nr || f->tid != s->tid)
		f = find_figures(s);
	if (!f) {
		__sync_fetch_and_add(&nr_uncounted, 1);
		return;
	}
	f->nr_calls++;
	f->total_ns += took;
	if (took < f->min_ns)
		f->min_ns = took;
	if (took > f->max_ns)
		f->max_ns = took;
	f->nr_errors += (unsigned long)ret >= (unsigned long)-4095l;
	if (took >> 32) {
		f->square_long += (took >> 16) * (took >> 16);
	} else {
		f->square += took * took;
		f->square_high += f->square < took * took;
	}
	if (has_histogram)
		f->log2[log2_of(took) & 31]++;
}

/* ---- programs ---- */

static __always_inline void take_args(struct syscall_slot *s, struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
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

/* Of the frame of a signal handler that ends: where the mask of signals is that rt_sigreturn() brings back. */
static __always_inline unsigned long long mask_address(struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return regs->sp + 296; /* ucontext: flags, link, stack, sigcontext */
#elif defined(__TARGET_ARCH_arm64)
	return regs->sp + 128 + 40; /* siginfo, ucontext: flags, link, stack */
#endif
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_enter, struct pt_regs *regs, long id)
{
	struct syscall_slot *s = current_slot(bpf_get_current_pid_tgid());
	unsigned int nr = id, zero = 0;
	struct syscall_plan *plan = s ? bpf_map_lookup_elem(&plans, &nr) : NULL;

	if (!s)
		return 0;
	s->in_call = 0;
#if defined(__TARGET_ARCH_x86)
	if ((regs->cs & 0xffff) == USER32_CS) {
		__sync_fetch_and_add(&nr_foreign, 1);
		return 0;
	}
#endif
	s->pid = bpf_get_current_pid_tgid() >> 32;
	s->entry_tid = s->tid;
	if (s->awaits_exec && !(plan && plan->is_exec))
		return 0;
	if (has_cpus) {
		unsigned int cpu = bpf_get_smp_processor_id();

		if (!(cpus[cpu / 64 & 15] >> (cpu & 63) & 1))
			return 0;
	}
	if (plan && !plan->is_traced)
		return 0;
	s->nr = nr;
	s->in_call = 1;
	s->start_ns = bpf_ktime_get_ns();
	if (keeps_figures)
		return 0;
	take_args(s, regs);
	if (!plan)
		return 0;
	if (plan->is_sigreturn)
		s->args[0] = mask_address(regs);
	if (plan->has_entry_reads || plan->is_last) {
		struct scratch *c = bpf_map_lookup_elem(&scratches, &zero);
		unsigned int bytes = c ? read_memory(c, s, plan, 0, 0) : 0;

		if (c && (bytes || plan->is_last))
			put_with_memory(c, s, 0, s->start_ns, plan->is_last ? SYSCALL_SAMPLE_OPEN : SYSCALL_SAMPLE_ENTRY, bytes);
		if (plan->is_last)
			s->in_call = 0;
	}
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_exit, struct pt_regs *regs, long ret)
{
	unsigned int tid = (unsigned int)bpf_get_current_pid_tgid(), zero = 0, bytes;
	unsigned int *slot = bpf_map_lookup_elem(&slot_of_tid, &tid);
	struct syscall_slot *s = slot && *slot ? bpf_map_lookup_elem(&slots, slot) : NULL;
	struct syscall_plan *plan;
	unsigned long long now;
	bool failed = (unsigned long)ret >= (unsigned long)-4095l;
	struct scratch *c;

	if (!s || !s->in_call)
		return 0;
	s->in_call = 0;
	/* The path is tried directory by directory. */
	if (s->awaits_exec)
		return 0;
	now = bpf_ktime_get_ns();
	if (keeps_figures) {
		add_figures(s, ret, now - s->start_ns);
		return 0;
	}
	if (now - s->start_ns < min_duration_ns || (only_failed && !failed) || (only_succeeded && failed))
		return 0;
	plan = bpf_map_lookup_elem(&plans, &s->nr);
	if (!plan || (!plan->has_exit_reads && !(plan->has_entry_reads && s->late))) {
		put_plain(s, ret, now, 0);
		return 0;
	}
	c = bpf_map_lookup_elem(&scratches, &zero);
	bytes = read_memory(c, s, plan, ret, 1);
	if (c && bytes)
		put_with_memory(c, s, ret, now, 0, bytes);
	else
		put_plain(s, ret, now, 0);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	if (follows_forks && find_slot(parent->pid))
		make_slot(child->pid, child->tgid);
	return 0;
}

/* A thread that executes a program takes the id of its process. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task, int old_tid, struct linux_binprm *bprm)
{
	unsigned int tid = old_tid, new_tid = task->pid;
	unsigned int *from = bpf_map_lookup_elem(&slot_of_tid, &tid), *to = bpf_map_lookup_elem(&slot_of_tid, &new_tid);
	struct syscall_slot *s = find_slot(tid);

	if (s)
		s->awaits_exec = 0;
	if (tid == new_tid || !from || !to || !*from)
		return 0;
	if (*to)
		bpf_map_push_elem(&free_slots, to, 0);
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
	unsigned int tid = task->pid;
	unsigned int *slot = bpf_map_lookup_elem(&slot_of_tid, &tid);
	struct syscall_slot *s = slot && *slot ? bpf_map_lookup_elem(&slots, slot) : NULL;
	unsigned long long now;

	if (!s)
		return 0;
	if (!keeps_figures) {
		now = bpf_ktime_get_ns();
		if (s->in_call)
			put_plain(s, 0, now, SYSCALL_SAMPLE_OPEN);
		s->pid = task->tgid;
		s->entry_tid = s->tid;
		s->start_ns = now;
		s->args[0] = task->exit_code;
		put_plain(s, 0, now, SYSCALL_SAMPLE_EXIT);
	} else {
		put_figures(s);
	}
	bpf_map_push_elem(&free_slots, slot, 0);
	*slot = 0;
	return 0;
}

SEC("tp_btf/signal_deliver")
int BPF_PROG(on_signal, int sig, void *info)
{
	unsigned int zero = 0;
	struct syscall_slot *s = find_slot((unsigned int)bpf_get_current_pid_tgid());
	struct scratch *c = bpf_map_lookup_elem(&scratches, &zero);
	struct syscall_piece *piece;
	struct syscall_slot copy;

	if (!s || !c || s->awaits_exec)
		return 0;
	s->pid = bpf_get_current_pid_tgid() >> 32;
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
	put_with_memory(c, &copy, 0, copy.start_ns, SYSCALL_SAMPLE_SIGNAL, sizeof(*piece) + SYSCALL_SIGINFO_BYTES);
	return 0;
}
