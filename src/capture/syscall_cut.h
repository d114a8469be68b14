/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * System calls that tracing cuts: those that tasks are in when it begins, and those that they are in when it ends. The program in the kernel sees
 * no begin of the former and no end of the latter, so samples of them are made here, of its slots. The memory that arguments point to is read
 * from the process, which goes on meanwhile: as with other calls, what cannot be read is left out.
 */
#ifndef ASSAY_CAPTURE_SYSCALL_CUT_H
#define ASSAY_CAPTURE_SYSCALL_CUT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/sample.h"
#include "base/vec.h"
#include "bpf/syscall_events.h"

#define SYSCALL_CUT_CHUNK (256u << 10)

/* Whole records. A zeroed struct has none. */
struct syscall_cut {
	VEC(uint8_t) records;
	size_t taken;
};

struct syscall_cut_options {
	const struct sample_layout *layout; /* of the samples */
	uint64_t event_id;
	uint32_t max_data; /* bytes of buffers */
};

void syscall_cut_fini(struct syscall_cut *c);
/* Records that are there already. */
void syscall_cut_add(struct syscall_cut *c, const void *records, size_t size);
/* The begin of a call that a task was in already, with its memory. */
void syscall_cut_add_begun(struct syscall_cut *c, const struct syscall_cut_options *o, const struct syscall_slot *slot);
/* A call that a task is in at that time, which is the last one of the trace. */
void syscall_cut_add_pending(struct syscall_cut *c, const struct syscall_cut_options *o, const struct syscall_slot *slot, uint64_t now_ns);
/* The next records, about SYSCALL_CUT_CHUNK bytes of them, valid until it is changed; their size, 0: there are none left. */
size_t syscall_cut_take(struct syscall_cut *c, const uint8_t **records);

#endif
