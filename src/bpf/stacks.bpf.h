/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Stacks of system calls: records with the user's callers, found by frame pointers, or with registers and a copy of the top of the stack for
 * the recorder to walk. They enlarge the records of syscall_records.bpf.h.
 *
 * Such a record is built in one piece, which is larger than a value of a per-CPU map may be: hence an array with an element for each CPU.
 * Programs on these tracepoints are not preempted. Functions that are not static are verified once, and are given numbers alone.
 */
#ifndef ASSAY_BPF_STACKS_BPF_H
#define ASSAY_BPF_STACKS_BPF_H

#include "bpf/kernel_types.h"
#include "bpf/syscall_events.h"

#define CONTEXT_USER ((unsigned long long)-512)
#define REGS_ABI_32 1
#define REGS_ABI_64 2
#define PAGE 4096u
#define BUFFER_BYTES (1u << 17) /* an offset of 16 bits, and as much behind it, lie inside */
#define RECORD_BYTES_MAX 65528u

const volatile unsigned int stack_frames = 0; /* callers by frame pointers; 0: none */
const volatile unsigned int stack_bytes = 0;  /* of the stack; 0: none */

struct stack_buffer {
	unsigned char bytes[BUFFER_BYTES];
	unsigned long long frame;  /* the next one of a chain */
	unsigned long long window; /* the frame from which on the stack was copied; 0: none (offcpu.bpf.c) */
	unsigned int is_narrow, is_whole;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned int);
	__type(value, struct stack_buffer);
} stack_buffers SEC(".maps");

static __always_inline struct stack_buffer *get_stack_buffer(void)
{
	unsigned int cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&stack_buffers, &cpu);
}

static __always_inline void put_word(struct stack_buffer *b, unsigned int off, unsigned long long word)
{
	*(unsigned long long *)(b->bytes + (off & 0xfff8)) = word;
}

static __always_inline unsigned long frame_pointer(const struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return BPF_CORE_READ(regs, bp);
#else
	return BPF_CORE_READ(regs, regs[29]);
#endif
}

static __always_inline unsigned long program_counter(const struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return BPF_CORE_READ(regs, ip);
#else
	return BPF_CORE_READ(regs, pc);
#endif
}

static __always_inline bool is_narrow(const struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return (BPF_CORE_READ(regs, cs) & 0xffff) == USER32_CS;
#else
	return false;
#endif
}

/* The frame that a frame pointer points to: that of its caller, and the return address. */
static __always_inline long read_frame(unsigned long long *words, unsigned long frame, bool narrow)
{
	unsigned int halves[2] = { 0 };
	long err;

	if (!narrow)
		return bpf_probe_read_user(words, 2 * sizeof(*words), (void *)frame);
	err = bpf_probe_read_user(halves, sizeof(halves), (void *)frame);
	words[0] = halves[0];
	words[1] = halves[1];
	return err;
}

/* One caller, as word `nr` of the chain. False: there is none, or no further one. */
__noinline int put_frame(unsigned int nr)
{
	struct stack_buffer *b = get_stack_buffer();
	unsigned long long words[2] = { 0 }, frame;

	if (!b)
		return 0;
	frame = b->frame;
	if (frame & 3 || read_frame(words, frame, b->is_narrow) || words[1] < PAGE)
		return 0;
	put_word(b, sizeof(struct syscall_stack_head) + 8 + 8 * nr, words[1]);
	b->frame = words[0] > frame ? words[0] : 1; /* an odd one ends it */
	return 1;
}

/* The chain of frame pointers behind the head, after its number of words. Returns the bytes of both. */
__noinline int put_chain(unsigned long address)
{
	struct stack_buffer *b = get_stack_buffer();
	const struct pt_regs *regs = (const struct pt_regs *)address;
	unsigned int off = sizeof(struct syscall_stack_head), nr = 0;

	if (!b)
		return 0;
	if (address) {
		put_word(b, off + 8, CONTEXT_USER);
		put_word(b, off + 16, program_counter(regs));
		b->is_narrow = is_narrow(regs);
		b->frame = frame_pointer(regs);
		for (nr = 2; nr < SYSCALL_STACK_FRAMES + 1; nr++)
			if (nr > stack_frames || !put_frame(nr))
				break;
	}
	put_word(b, off, nr);
	return 8 + 8 * nr;
}

/* Where the stack ends, as far as that is known: the first thread has the arguments of the process there, others of the C library their
 * thread's own data. 0: not known. */
static __always_inline unsigned long stack_end(unsigned long sp)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	unsigned long end = BPF_CORE_READ(task, mm, start_stack);

	if (sp <= end && end - sp < stack_bytes)
		return end + 256;
#if defined(__TARGET_ARCH_x86)
	end = BPF_CORE_READ(task, thread.fsbase);
	if (sp < end && end - sp < stack_bytes)
		return end;
#endif
	return 0;
}

/* Copies the stack, page by page: the one behind its end is not there. Returns the bytes; is_whole: there is no more. */
__noinline int copy_stack(unsigned int off, unsigned long sp)
{
	struct stack_buffer *b = get_stack_buffer();
	unsigned long end, at = sp;
	unsigned int copied = 0, left = stack_bytes;

	if (!b)
		return 0;
	b->is_whole = 0;
	end = stack_end(sp);
	if (end && end - sp < left) {
		left = (end - sp + 7) & ~7ul;
		b->is_whole = 1;
	}
	for (int i = 0; i < SYSCALL_STACK_MAX / PAGE + 1; i++) {
		unsigned long long chunk = PAGE - (at & (PAGE - 1));

		if (!left)
			break;
		if (chunk > left)
			chunk = left;
		/* For the verifier, which has lost sight of the bound. */
		asm volatile("" : "+r"(chunk));
		if (chunk > PAGE)
			break;
		if (bpf_probe_read_user(b->bytes + ((off + copied) & 0xffff), chunk, (void *)at)) {
			b->is_whole = 1;
			break;
		}
		copied += chunk;
		at += chunk;
		left -= chunk;
	}
	return copied;
}

/* Registers and stack, as samples have them, from `off` on. Returns where they end. */
__noinline int put_dump(unsigned long address, unsigned int off)
{
	struct stack_buffer *b = get_stack_buffer();
	const struct pt_regs *regs = (const struct pt_regs *)address;
	unsigned int size, dyn_size;
	unsigned long sp;

	if (!b)
		return 0;
	put_word(b, off, !address ? 0 : is_narrow(regs) ? REGS_ABI_32 : REGS_ABI_64);
	off += 8;
	if (!address) {
		put_word(b, off, 0); /* no stack */
		return off + 8;
	}
	sp = BPF_CORE_READ(regs, sp);
#if defined(__TARGET_ARCH_x86)
	put_word(b, off, BPF_CORE_READ(regs, bx));
	put_word(b, off + 8, BPF_CORE_READ(regs, si));
	put_word(b, off + 16, BPF_CORE_READ(regs, di));
	put_word(b, off + 24, BPF_CORE_READ(regs, bp));
	put_word(b, off + 32, sp);
	put_word(b, off + 40, BPF_CORE_READ(regs, ip));
	put_word(b, off + 48, BPF_CORE_READ(regs, r12));
	put_word(b, off + 56, BPF_CORE_READ(regs, r13));
	put_word(b, off + 64, BPF_CORE_READ(regs, r14));
	put_word(b, off + 72, BPF_CORE_READ(regs, r15));
	off += 80;
#else
	bpf_probe_read_kernel(b->bytes + (off & 0xfff8), 31 * 8, &regs->regs);
	put_word(b, off + 31 * 8, sp);
	put_word(b, off + 32 * 8, BPF_CORE_READ(regs, pc));
	off += 33 * 8;
#endif
	dyn_size = copy_stack(off + 8, sp);
	/* A dump that is shorter than its room says that this was all. */
	size = ((dyn_size + 7) & ~7u) + (b->is_whole ? 8 : 0);
	put_word(b, off, size);
	off += 8 + size;
	if (size) {
		put_word(b, off, dyn_size);
		off += 8;
	}
	return off;
}

#endif
