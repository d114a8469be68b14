/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Sums of system calls by task and number, where no records are wanted.
 */
#ifndef ASSAY_BPF_SYSCALL_FIGURES_BPF_H
#define ASSAY_BPF_SYSCALL_FIGURES_BPF_H

#include "bpf/syscall_records.bpf.h"

/* A list is gone through in two loops, the inner one in a global function: the verifier then sees their turns added up, not multiplied. */
#define FIGURES_STEP 16

/* From `index` on: minus those of that number and cgroup, or those that come next, or 0 at the end of the list. */
__noinline int next_figures(unsigned int index, unsigned int nr, unsigned long long cgroup)
{
	for (int i = 0; i < FIGURES_STEP && index; i++) {
		struct syscall_figures *f = bpf_map_lookup_elem(&figures, &index);

		if (!f)
			return 0;
		if (f->nr == nr && f->cgroup == cgroup)
			return -(int)index;
		index = f->next;
	}
	return index;
}

static __noinline struct syscall_figures *find_figures(struct syscall_slot *s, unsigned long long cgroup)
{
	struct syscall_figures *f;
	unsigned int index;
	int next;

	if (!s)
		return NULL;
	next = s->first_figures;
	for (int i = 0; i < SYSCALL_TASK_FIGURES / FIGURES_STEP && next > 0; i++)
		next = next_figures(next, s->nr, cgroup);
	/* The list is as long as put_figures() can go through: of a task that went through many cgroups. */
	if (next > 0)
		return NULL;
	if (next < 0) {
		index = -next;
		s->figures[s->nr % SYSCALL_CACHE] = index;
		return bpf_map_lookup_elem(&figures, &index);
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
	f->cgroup = cgroup;
	s->first_figures = index;
	s->figures[s->nr % SYSCALL_CACHE] = index;
	return f;
}

/* Figures of a task that ends go to the reader, so that their room serves others. Returns those that follow, or 0. */
__noinline int put_some_figures(unsigned int index)
{
	for (int i = 0; i < FIGURES_STEP && index; i++) {
		struct syscall_figures *f = bpf_map_lookup_elem(&figures, &index);
		unsigned int next;

		if (!f)
			return 0;
		bpf_get_current_comm(f->comm, sizeof(f->comm));
		if (bpf_ringbuf_output(&ring, f, sizeof(*f),
				       bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) >= wake_bytes ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP))
			__sync_fetch_and_add(&nr_dropped, 1);
		next = f->next;
		f->nr_calls = 0;
		bpf_map_push_elem(&free_figures, &index, 0);
		index = next;
	}
	return index;
}

static __always_inline void put_figures(struct syscall_slot *s)
{
	unsigned int index = s->first_figures;

	for (int i = 0; i < SYSCALL_TASK_FIGURES / FIGURES_STEP && index; i++)
		index = put_some_figures(index);
	s->first_figures = 0;
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
	/* A task may move to another one between two calls. */
	unsigned long long cgroup = by_cgroup ? bpf_get_current_cgroup_id() : 0;

	if (!f || f->nr != s->nr || f->tid != s->tid || f->cgroup != cgroup)
		f = find_figures(s, cgroup);
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

#endif
