/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where the kernel and its modules lie, as MMAP records of pid -1: "[kernel.kallsyms]_text" first
 * (or _stext: its suffix names the reference symbol, pgoff its address), then one for each module
 * with its file under /lib/modules.
 */
#ifndef ASSAY_KERNEL_KERNEL_MAPS_H
#define ASSAY_KERNEL_KERNEL_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/proc_scan.h"

struct kernel_maps {
	uint64_t text_start, text_end; /* 0: hidden (kptr_restrict) or no kallsyms */
	bool restricted;	       /* addresses are hidden from us: kernel symbols will be missing */
	uint32_t nr_modules;
};

/* Emits the records. Hidden addresses are no error: nothing is emitted and `km->restricted` is set;
 * the sentence for the person is kernel_maps_advice(). A negative errno comes from the sink only.
 */
int kernel_maps_scan(struct kernel_maps *km, const struct record_sink *sink);
/* What to do about hidden kernel addresses, or NULL where they are not. */
const char *kernel_maps_advice(const struct kernel_maps *km);

#endif
