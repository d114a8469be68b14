/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How much of each stack the kernel dumps: 8192 bytes as perf, or more. Large dumps cost what the stacks really have, in copies by the
 * kernel and by the drain; so they are the rule, and a CPU goes back to small ones while
 *   - it dumps more than DUMP_CPU_BUDGET bytes a second, which would slow the program noticeably more than small dumps do,
 *   - all CPUs together dump more than DUMP_BUDGET, which is what the recorder can take (the CPU with the most goes first),
 *   - its ring loses samples, or would hold less than DUMP_RING_MIN_MS of large ones, or
 *   - large dumps bring DUMP_WASTE bytes a second that no walk had a use for (stacks inside of heaps).
 * It returns to large dumps once a stack was cut and the estimate fits into three quarters of these budgets.
 *
 * Pure: numbers in, decisions out. The drain and the unwinding stage count, stack_growth.h switches events.
 */
#ifndef ASSAY_CAPTURE_DUMP_POLICY_H
#define ASSAY_CAPTURE_DUMP_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#define DUMP_SMALL 8192
#define DUMP_LARGE 65528	       /* bytes: the most that the kernel dumps */
#define DUMP_CPU_BUDGET (256ull << 20) /* bytes a second */
#define DUMP_BUDGET (2048ull << 20)
#define DUMP_WASTE (16ull << 20)
#define DUMP_RING_MS 50	    /* that the ring should hold */
#define DUMP_RING_MIN_MS 15 /* that it must hold */

/* What samples with stacks brought. */
struct dump_use {
	uint64_t nr;
	uint64_t bytes;	     /* of their stacks */
	uint64_t nr_lost;    /* records that the ring had no room for */
	uint64_t nr_full;    /* dumps that were filled to their end: the stack may go on */
	uint64_t nr_deep;    /* with more than DUMP_SMALL bytes */
	uint64_t deep_bytes; /* of those, all bytes */
};

/* What their walks had use for. */
struct dump_need {
	uint64_t nr_walked;
	uint64_t nr_needy; /* that went beyond DUMP_SMALL bytes, or were cut */
	uint64_t nr_cut;   /* that were cut at DUMP_SMALL bytes */
};

struct dump_cpu {
	bool is_large;
	bool is_switched; /* by the last decision */
	/* since then; the owner adds to them */
	struct dump_use use;
	struct dump_need need;
	/* the policy's own */
	uint64_t rate;		  /* bytes a second */
	uint64_t sample_rate;	  /* samples a second */
	uint64_t saved;		  /* bytes a second beyond small dumps */
	uint64_t deep_size;	  /* what a deep stack had, on average; 0: unknown */
	uint64_t nr_unneeded;	  /* walks since the last that was needy */
	uint64_t needed_ns;	  /* when that was */
	uint64_t wanted_until_ns; /* stacks were cut not long ago */
	uint64_t hold_until_ns;	  /* no large dumps before */
	uint64_t backoff_ns;	  /* how long the next hold is */
	uint64_t patience_ns;	  /* how long waste is watched */
	bool was_wasteful;	  /* why it is small */
};

struct dump_policy {
	uint32_t large;
	uint64_t ring_bytes;
	struct dump_cpu *cpus;
	uint32_t nr_cpus;
	uint64_t since_ns;
	uint64_t nr_over_budget, nr_over_ring, nr_wasteful, nr_grown; /* decisions */
};

/* The large size for so many samples a second and CPU (0: unknown): as large as the ring bears. With small rings, as unprivileged users
 * have them, 32 kB where the budget is not at risk. 0: none. */
uint32_t dump_policy_choose_large(uint64_t sample_rate, uint64_t ring_bytes);

void dump_policy_init(struct dump_policy *p, uint32_t nr_cpus, uint32_t large, bool is_large, uint64_t ring_bytes, uint64_t now_ns);
void dump_policy_fini(struct dump_policy *p);
/* Decides for all CPUs from what was counted since the last time, and counts anew. False: nothing changed. */
bool dump_policy_decide(struct dump_policy *p, uint64_t now_ns);
/* Is a CPU small that may become large soon? */
bool dump_policy_is_watching(const struct dump_policy *p);

#endif
