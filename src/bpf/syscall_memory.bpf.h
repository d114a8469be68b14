/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Memory that system calls point to: strings, structs, arrays of strings, buffers and messages, as pieces behind a record.
 *
 * Functions that are not static are verified once; static ones are verified anew by each call, which would take a tenth of a second. They are
 * given numbers alone: kernels before 5.13 allow no pointers there. What they work on is in the scratch.
 */
#ifndef ASSAY_BPF_SYSCALL_MEMORY_BPF_H
#define ASSAY_BPF_SYSCALL_MEMORY_BPF_H

#include "bpf/syscall_files.bpf.h"

static __always_inline struct syscall_plan *plan_of(unsigned int nr)
{
	unsigned int i = nr & ~SYSCALL_NR_32;

	if (i >= SYSCALL_PLANS)
		return NULL;
	i += nr & SYSCALL_NR_32 ? SYSCALL_PLANS : 0;
	return bpf_map_lookup_elem(&plans, &i);
}

/* Pointers of a 32-bit program have half the size. */
static __always_inline unsigned long long word_bytes(const struct scratch *c)
{
	return c->is_32 ? 4 : 8;
}

static __always_inline long read_word(const struct scratch *c, unsigned long long address, unsigned long long *word)
{
	*word = 0; /* little-endian */
	return bpf_probe_read_user(word, c->is_32 ? 4 : 8, (void *)address);
}

enum read_how { READ_STRING, READ_FIXED, READ_ARG, READ_POINTED, READ_RESULT };

static __always_inline unsigned long long wanted_bytes(const struct scratch *c, const struct syscall_plan_read *p, long ret)
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
		return c->args[len_arg] * p->size;
	bpf_probe_read_user(&pointed, sizeof(pointed), (void *)c->args[len_arg]);
	return pointed;
}

/* Appends one piece. Returns its flags. */
__noinline int put_piece(void)
{
	struct scratch *c = get_scratch();
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

#define LATE_STRINGS (1u << 31) /* in `late`: some of an array of strings are not there yet */

/* Element i of an array of strings: the first ones are read, all are counted. False: the array ends there. */
__noinline int put_string(unsigned long long array, unsigned int i)
{
	struct scratch *c = get_scratch();
	unsigned long long address = 0;
	unsigned int off;
	long got;

	if (!c)
		return 0;
	if (read_word(c, array + word_bytes(c) * i, &address))
		c->strings_failed = 1;
	if (!address)
		return 0;
	c->nr_strings++;
	off = c->off;
	if (i >= SYSCALL_STRINGS_MAX || off > SYSCALL_MEMORY_MAX)
		return 1;
	got = bpf_probe_read_user_str(c->memory + off, SYSCALL_STRING_MAX, (void *)address);
	if (got > 0)
		c->off = off + (unsigned int)got;
	else
		c->strings_failed = 1;
	return 1;
}

#define STRINGS_STEP 16

/* Elements from `first` on, in a function of its own: the verifier then sees the turns of two loops added up, not multiplied. False as above. */
__noinline int put_some_strings(unsigned long long array, unsigned int first)
{
	for (unsigned int i = 0; i < STRINGS_STEP; i++)
		if (!put_string(array, first + i))
			return 0;
	return 1;
}

/* One piece with the strings of an array, as far as there is room, and their number, which is all that is shown of an environment. */
__noinline int put_strings(unsigned long long array, unsigned int arg, unsigned int is_environment)
{
	struct scratch *c = get_scratch();
	unsigned int start;
	struct syscall_piece *piece;

	if (!c)
		return 0;
	start = c->off;
	if (start > SYSCALL_MEMORY_MAX)
		return 0;
	c->off = start + sizeof(*piece);
	c->nr_strings = 0;
	c->strings_failed = 0;
	for (unsigned int i = 0; i < SYSCALL_STRINGS_COUNTED; i += STRINGS_STEP)
		if (!put_some_strings(array, i))
			break;
	piece = (void *)(c->memory + start);
	piece->arg = arg;
	piece->flags = (c->nr_strings > SYSCALL_STRINGS_MAX ? SYSCALL_PIECE_CUT : 0) |
		       (c->strings_failed && !is_environment ? SYSCALL_PIECE_FAILED : 0);
	piece->size = c->off - start - sizeof(*piece);
	piece->nr_strings = c->nr_strings;
	piece->address = 0;
	c->off = (c->off + 7) & ~7u;
	return 0;
}

/* Strings that were not there when a program was to be executed: the kernel has copied them to the stack of the new one, one after the other. */
__noinline int put_new_strings(unsigned int arg)
{
	struct scratch *c = get_scratch();
	struct task_struct *task = (void *)bpf_get_current_task();
	unsigned long start = BPF_CORE_READ(task, mm, arg_start), end = BPF_CORE_READ(task, mm, arg_end);

	if (!c || start >= end)
		return 0;
	c->piece.arg = arg;
	c->piece.flags = SYSCALL_PIECE_LATE;
	c->piece.is_string = 0;
	c->piece.is_nested = 0;
	c->piece.address = (void *)start;
	c->piece.wanted = end - start;
	put_piece();
	return 0;
}

/* The path of the program that was executed, likewise: it is behind the environment. */
static __always_inline unsigned long long executed_path(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	return BPF_CORE_READ(task, mm, env_end);
}

/* The buffers of an iovec, `bytes` in all. */
__noinline int put_buffers(unsigned long long array, unsigned long long nr, unsigned long long bytes)
{
	struct scratch *c = get_scratch();

	if (!c)
		return 0;
	c->bytes_left = bytes;
	for (unsigned int i = 0; i < SYSCALL_BUFFERS_MAX; i++) {
		unsigned long long element[2] = { 0 };
		struct piece *p = &c->piece;

		if (i >= nr || read_word(c, array + 2 * word_bytes(c) * i, &element[0]) ||
		    read_word(c, array + 2 * word_bytes(c) * i + word_bytes(c), &element[1]))
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
			put_piece();
	}
	return 0;
}

__noinline int put_part(unsigned long long address, unsigned long long wanted)
{
	struct scratch *c = get_scratch();

	if (!c || !address || !wanted)
		return 0;
	c->piece.flags &= ~SYSCALL_PIECE_CUT;
	c->piece.address = (void *)address;
	c->piece.wanted = wanted;
	put_piece();
	return 0;
}

/* What a struct msghdr points to. */
__noinline int put_message(unsigned long long address, unsigned long long bytes)
{
	struct scratch *c = get_scratch();
	struct {
		unsigned long long name, name_len, iov, nr_iov, control, control_len;
	} message = { 0 };
	unsigned long long word;

	if (!c)
		return 0;
	word = word_bytes(c);
	if (read_word(c, address, &message.name) || read_word(c, address + word, &message.name_len) ||
	    read_word(c, address + 2 * word, &message.iov) || read_word(c, address + 3 * word, &message.nr_iov) ||
	    read_word(c, address + 4 * word, &message.control) || read_word(c, address + 5 * word, &message.control_len))
		return 0;
	message.name_len = (unsigned int)message.name_len; /* and padding */
	put_part(message.name, message.name_len < SYSCALL_SOCKADDR_MAX ? message.name_len : SYSCALL_SOCKADDR_MAX);
	if (message.nr_iov > SYSCALL_BUFFERS_MAX)
		message.nr_iov = SYSCALL_BUFFERS_MAX;
	put_part(message.iov, message.nr_iov * 2 * word);
	put_part(message.control, message.control_len);
	put_buffers(message.iov, message.nr_iov, bytes);
	return 0;
}

/* What the memory of an argument points to. */
__noinline int put_nested(unsigned int call_nr, long ret, unsigned int at_exit)
{
	const struct syscall_plan *plan = plan_of(call_nr);
	struct scratch *c = get_scratch();
	unsigned int arg, len_arg;
	unsigned long long address, nr = 1;

	if (!c || !plan)
		return 0;
	arg = plan->nested_arg;
	len_arg = plan->nested_len_arg;
	if (arg >= SYSCALL_ARGS || (at_exit && ret < 0))
		return 0;
	c->piece.arg = arg;
	c->piece.flags = at_exit ? SYSCALL_PIECE_AT_EXIT : 0;
	c->piece.is_string = 0;
	c->piece.is_nested = 1;
	address = c->args[arg];
	if (plan->nested != NESTED_MESSAGE && len_arg < SYSCALL_ARGS)
		nr = c->args[len_arg];
	if (plan->nested == NESTED_BUFFERS)
		return put_buffers(address, nr, at_exit ? ret : ~0ull);
	/* Of the messages that there is room for, as many have come as the call returns. */
	if (at_exit && plan->nested == NESTED_MESSAGES && nr > ret)
		nr = ret;
	for (unsigned int i = 0; i < SYSCALL_MESSAGES_MAX && i < nr; i++) {
		unsigned int bytes = at_exit ? ret : ~0u;

		if (at_exit && plan->nested == NESTED_MESSAGES)
			bpf_probe_read_user(&bytes, sizeof(bytes), (void *)(address + 8 * word_bytes(c) * i + 7 * word_bytes(c)));
		put_message(address + 8 * word_bytes(c) * i, bytes);
	}
	return 0;
}

/* One read of a call. True: the memory is not there. */
__noinline int put_read(unsigned int call_nr, unsigned long long i, long ret, unsigned int at_exit)
{
	const struct syscall_plan *plan = plan_of(call_nr);
	struct scratch *c = get_scratch();
	const struct syscall_plan_read *r;
	struct piece *p;
	unsigned int arg;

	if (!c || !plan || i >= SYSCALL_READS)
		return 0;
	r = &plan->reads[i];
	p = &c->piece;
	arg = r->arg;
	if (arg >= SYSCALL_ARGS || (r->at_exit && ret < 0))
		return 0;
	p->arg = arg;
	p->flags = r->at_exit ? SYSCALL_PIECE_AT_EXIT : at_exit ? SYSCALL_PIECE_LATE : 0;
	p->is_string = r->how == READ_STRING;
	p->is_nested = 0;
	p->address = (void *)(plan->is_exec && at_exit && !ret ? executed_path() : c->args[arg]);
	if (!p->address)
		return 0;
	p->wanted = p->is_string ? SYSCALL_READ_MAX : wanted_bytes(c, r, ret);
	if (!p->wanted)
		return 0;
	if (r->is_data && p->wanted > max_data) {
		p->wanted = max_data;
		p->flags |= SYSCALL_PIECE_CUT;
	}
	return !!(put_piece() & SYSCALL_PIECE_FAILED);
}

/* The reads of a call, at its beginning or its end. Returns the bytes in c->memory. */
static __noinline unsigned int read_memory(struct scratch *c, struct syscall_slot *s, const struct syscall_plan *plan, long ret,
					   unsigned int at_exit)
{
	if (!c || !s || !plan)
		return 0;
	c->off = 0;
	c->late = 0;
	c->is_32 = !!(s->nr & SYSCALL_NR_32);
	for (int i = 0; i < SYSCALL_ARGS; i++)
		c->args[i] = s->args[i];
	for (unsigned int i = 0; i < SYSCALL_READS; i++) {
		const struct syscall_plan_read *r = &plan->reads[i];

		if (i >= plan->nr_reads)
			break;
		if (r->at_exit == at_exit || (at_exit && s->late >> i & 1))
			c->late |= (unsigned int)put_read(s->nr, i, ret, at_exit) << i;
	}
	for (unsigned int i = 0; i < 2; i++) {
		unsigned int arg = plan->strings[i] - 1u;

		if (arg >= SYSCALL_ARGS || !s->args[arg] || (at_exit && (i || !(s->late & LATE_STRINGS))))
			continue;
		if (at_exit && !ret)
			put_new_strings(arg);
		else
			put_strings(s->args[arg], arg, i);
		if (!i && !at_exit && c->strings_failed)
			c->late |= LATE_STRINGS;
	}
	if (plan->nested && plan->nested_at_exit == at_exit)
		put_nested(s->nr, ret, at_exit);
	if (at_exit && plan->describes)
		put_files(c, plan, ret);
	s->late = at_exit ? 0 : c->late;
	return c->off;
}

static __always_inline void put_with_memory(struct scratch *c, const struct syscall_slot *s, long ret, unsigned long long now,
					    unsigned int flags, unsigned int bytes)
{
	unsigned long long size = __builtin_offsetof(struct scratch, memory) - __builtin_offsetof(struct scratch, event) + bytes;

	if (has_stacks()) {
		fill_sample(&c->sample, s, ret, now, flags);
		c->sample.size += bytes;
		c->sample.memory = c->sample.raw_size | bytes << 16;
		c->sample.raw_size += bytes;
		put_stacked(bytes);
		return;
	}
	fill_event(&c->event, s, ret, now, flags, SYSCALL_ARGS);
	c->event.memory_size = bytes;
	/* For the verifier, which has lost sight of the bound. */
	asm volatile("" : "+r"(size));
	if (size > sizeof(c->event) + sizeof(c->args) + sizeof(c->memory))
		return;
	if (bpf_ringbuf_output(&ring, &c->event, size, wake_flags(c)))
		__sync_fetch_and_add(&nr_dropped, 1);
}

#endif
