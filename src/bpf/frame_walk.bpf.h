/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * User callers by frame pointers with few reads of the task's memory.
 */
#ifndef ASSAY_BPF_FRAME_WALK_BPF_H
#define ASSAY_BPF_FRAME_WALK_BPF_H

#include "bpf/kernel_types.h"
#include "bpf/stacks.bpf.h"

/* A copy of the stack that a frame begins: the frames of its callers are often in it, and to read a few bytes of a task takes as long as to
 * read all of these. */
#define WINDOW_BYTES 256

/* A chain of frames. In memory, not in registers: the verifier then sees the same state in each turn of the loop. */
struct walk {
	unsigned long long frame; /* the next one */
	unsigned long long from;  /* where the window was read; 0: nowhere */
	unsigned char window[WINDOW_BYTES];
	unsigned int is_narrow;
};

/* Reads the frame, and where it is in the window. Negative: it cannot be read. */
static __always_inline long find_in_window(struct walk *w, unsigned long long frame)
{
	unsigned long long off = frame - w->from;

	if (w->from && off <= WINDOW_BYTES - 16)
		return off;
	w->from = frame;
	if (!bpf_probe_read_user(w->window, WINDOW_BYTES, (void *)frame))
		return 0;
	/* Less than a window is left. */
	w->from = frame - (WINDOW_BYTES - 16);
	return bpf_probe_read_user(w->window + WINDOW_BYTES - 16, 16, (void *)frame) ? -1 : WINDOW_BYTES - 16;
}

/* One caller, as word `nr` of the chain. False: there is none, or no further one. */
static __always_inline bool put_caller(unsigned long long *words, unsigned int nr, struct walk *w)
{
	unsigned long long frame = *(volatile unsigned long long *)&w->frame, next, caller;
	long off;

	if (frame & 3 || frame < PAGE)
		return false;
	off = find_in_window(w, frame);
	/* For the verifier, which loses sight of bounds otherwise. */
	asm volatile("" : "+r"(off));
	if (off < 0 || off > WINDOW_BYTES - 16)
		return false;
	next = *(unsigned long long *)(w->window + off);
	if (*(volatile unsigned int *)&w->is_narrow) {
		caller = next >> 32;
		next &= 0xffffffff;
	} else {
		caller = *(unsigned long long *)(w->window + off + 8);
	}
	if (caller < PAGE)
		return false;
	words[nr] = caller;
	*(volatile unsigned long long *)&w->frame = next > frame ? next : 1; /* an odd one ends it */
	return true;
}

#endif
