/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The registers of a stopped thread as the kernel hands them out (NT_PRSTATUS: of a live thread by
 * ptrace, or in a core file), put under their DWARF numbers.
 */
#ifndef ASSAY_SYMBOLS_THREAD_REGS_H
#define ASSAY_SYMBOLS_THREAD_REGS_H

#include "arch/arch.h"
#include "symbols/unwind.h"

/* False where there are fewer bytes than the architecture's set has. */
bool thread_regs_decode(const struct arch_ops *arch, const void *bytes, uint32_t size,
			struct unwind_regs *regs);
/* Bytes of that set; 0 for an architecture that is not known here. */
uint32_t thread_regs_size(const struct arch_ops *arch);

#endif
