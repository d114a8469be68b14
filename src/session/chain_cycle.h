/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Frame-pointer chains that go in a circle: code that uses the register for something else may leave a pointer in it that leads back to
 * itself, and the kernel follows it up to its limit. Deep recursion looks the same in a chain of addresses, but not in the code: each of
 * its return addresses stands behind a call that leads to the function of the next inner address. Where that cannot be, it is a circle.
 * What cannot be looked up (no file, generated code, indirect calls) is taken for recursion.
 */
#ifndef ASSAY_SESSION_CHAIN_CYCLE_H
#define ASSAY_SESSION_CHAIN_CYCLE_H

#include "base/hash.h"
#include "base/vec.h"
#include "session/machine.h"

#define CYCLE_MAX_PERIOD 8
#define CYCLE_MIN_TURNS 3u
#define CYCLE_MIN_WORDS 8u
#define CYCLE_MAX_KNOWN 256 /* circles that are looked into; each opens files */

/* What is known of the circles met so far. */
struct chain_cycles {
	VEC(struct chain_cycle { uint64_t map_key; uint64_t ips[CYCLE_MAX_PERIOD]; uint32_t period; bool is_cycle; }) known;
};

void chain_cycles_fini(struct chain_cycles *c);

/* How many words of a chain are left with one turn of its circle; nr where it has none. `arch` is that of
 * the recording, NULL: this one. */
uint64_t chain_cycle_cut(struct chain_cycles *c, struct machine *m, const char *arch, const struct task *task, const uint64_t *ips, uint64_t nr);

/* The shortest period that the end of a chain repeats, 0: none; *start: where it begins. */
uint32_t chain_cycle_period(const uint64_t *ips, uint64_t nr, uint64_t *start);

#endif
