/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From a sample's registers and dumped stack to its callers: joins the machine's maps and files with the unwinder of `symbols`, for
 * samples of a file and of the recorder's rings.
 *
 * An unwinder is for one thread at a time; several may share a machine that does not change. Tables are loaded when a walk first meets
 * their file, or before (unwinder_prepare).
 */
#ifndef ASSAY_SESSION_UNWINDER_H
#define ASSAY_SESSION_UNWINDER_H

#include <stdint.h>

#include "abi/sample.h"
#include "base/hash.h"
#include "base/vec.h"
#include "session/machine.h"
#include "symbols/unwind.h"

#define UNWINDER_MAX_FRAMES 65535 /* user frames of one sample, at most: eight times what the largest dump can hold */

struct unwinder; /* its caches: ip → module */

struct unwinder *unwinder_new(struct machine *m, const struct arch_ops *arch);
/* For the stacks of a file: by the name that its header has for the architecture (NULL: this machine's). `foreign_order`: they are of the
 * other byte order; registers are not, the record was turned. NULL where the architecture is not known here. */
struct unwinder *unwinder_new_named(struct machine *m, const char *arch, bool foreign_order);
void unwinder_free(struct unwinder *u);

/* Loads the tables of all executable maps of the task, in parallel: for callers that must not wait in the middle of a walk. */
void unwinder_prepare(struct machine *m, const struct task *task);

/* User-space callers of a sample that carries registers and stack (`regs_user`: the mask of its event). Returns how many addresses
 * `ips` has (ips[0] is the user pc), 0 where the sample has no user registers (a kernel thread). */
uint32_t unwinder_walk(struct unwinder *u, const struct task *task, const struct sample *s, uint64_t regs_user, uint64_t *ips, uint32_t max,
		       struct unwind_result *result);

/* Bytes above the stack pointer that the last walk went over. */
uint64_t unwinder_reach(const struct unwinder *u);

/* chain_cycle.c: frame-pointer chains that go in a circle. Code that uses the register for something else may leave a pointer in it that
 * leads back to itself, and the kernel follows it up to its limit. Deep recursion looks the same in a chain of addresses, but not in the
 * code: each of its return addresses follows a call that leads to the function of the next inner address. Where that cannot be, it is a
 * circle. What cannot be looked up (no file, generated code, indirect calls) is taken for recursion. */
#define CYCLE_MAX_PERIOD 8
#define CYCLE_MIN_TURNS 3u
#define CYCLE_MIN_WORDS 8u
#define CYCLE_MAX_KNOWN 256 /* circles that are looked into; each opens files */

/* What is known of the circles met so far. */
struct chain_cycles {
	VEC(struct chain_cycle {
		uint64_t map_key;
		uint64_t ips[CYCLE_MAX_PERIOD];
		uint32_t period;
		bool is_cycle;
	})
	known;
};

void chain_cycles_fini(struct chain_cycles *c);

/* The number of words of a chain with one turn of its cycle; nr: no cycle. `arch`: of the recording; NULL: this one. */
uint64_t chain_cycle_cut(struct chain_cycles *c, struct machine *m, const char *arch, const struct task *task, const uint64_t *ips,
			 uint64_t nr);

/* The shortest period that the end of a chain repeats, 0: none; *start: where it begins. */
uint32_t chain_cycle_period(const uint64_t *ips, uint64_t nr, uint64_t *start);

#endif
