/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From a sample's registers and dumped stack to its callers: joins the machine's maps and files with the unwinder of the symbols
 * room. The same for samples of a file and for samples in the recorder's rings.
 *
 * An unwinder is for one thread at a time; several may work on one machine at once as long as nobody changes it and the tables that
 * they meet are loaded (unwinder_prepare).
 */
#ifndef ASSAY_SESSION_UNWINDER_H
#define ASSAY_SESSION_UNWINDER_H

#include <stdint.h>

#include "abi/sample.h"
#include "session/machine.h"
#include "symbols/unwind.h"

#define UNWINDER_MAX_FRAMES 1024 /* user frames of one sample, at most */

struct unwinder; /* its caches: ip → module */

struct unwinder *unwinder_new(struct machine *m, const struct arch_ops *arch);
void unwinder_free(struct unwinder *u);

/* User-space callers of a sample that carries registers and stack (`regs_user`: the mask of its event). Returns how many addresses
 * `ips` has (ips[0] is the user pc), 0 where the sample has no user registers (a kernel thread). */
uint32_t unwinder_walk(struct unwinder *u, const struct task *task, const struct sample *s, uint64_t regs_user, uint64_t *ips,
		       uint32_t max, enum unwind_end *end);

#endif
