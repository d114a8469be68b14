/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct attr: the kernel's perf_event_attr, as of the newest version we know, in our own names and in the kernel's layout, so that it goes
 * to perf_event_open() and into perf.data as it is; older (shorter) ones are filled up with zeroes, newer (longer) ones are cut. The
 * kernel's bit-fields are one word of flags here: bit N is the N-th declared. The distribution's <linux/perf_event.h> is not used: it is
 * often older than the files we read.
 */
#ifndef ASSAY_ABI_ATTR_H
#define ASSAY_ABI_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

enum attr_type {
	ATTR_TYPE_HARDWARE = 0,
	ATTR_TYPE_SOFTWARE = 1,
	ATTR_TYPE_TRACEPOINT = 2,
	ATTR_TYPE_HW_CACHE = 3,
	ATTR_TYPE_RAW = 4,
	ATTR_TYPE_BREAKPOINT = 5,
};

/* attr.config of generic events that the code treats in a way of their own. */
#define CONFIG_CYCLES 0	   /* hardware */
#define CONFIG_CPU_CLOCK 0 /* software, as the next three */
#define CONFIG_TASK_CLOCK 1
#define CONFIG_DUMMY 9 /* counts nothing: what it loses is never a sample */
#define CONFIG_BPF_OUTPUT 10

#define ATTR_SIZE_VER0 64u
#define ATTR_SIZE_VER7 128u /* what perf 6.1 writes */

struct attr {
	uint32_t type;
	uint32_t size;
	uint64_t config;
	uint64_t sample_period; /* or frequency, with ATTR_FREQ */
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t flags;	 /* ATTR_* */
	uint32_t wakeup; /* events, or bytes with ATTR_WATERMARK */
	uint32_t bp_type;
	uint64_t config1; /* bp_addr, kprobe_func, uprobe_path */
	uint64_t config2; /* bp_len, kprobe_addr, probe_offset */
	uint64_t branch_sample_type;
	uint64_t sample_regs_user;
	uint32_t sample_stack_user;
	int32_t clockid;
	uint64_t sample_regs_intr;
	uint32_t aux_watermark;
	uint16_t sample_max_stack;
	uint16_t reserved_2;
	uint32_t aux_sample_size;
	uint32_t aux_action;
	uint64_t sig_data;
	uint64_t config3;
	uint64_t config4;
};
_Static_assert(sizeof(struct attr) == 144, "struct attr is the kernel's perf_event_attr, version 9");
_Static_assert(offsetof(struct attr, flags) == 40, "as the kernel lays it out");
_Static_assert(offsetof(struct attr, sample_regs_intr) == 96, "as the kernel lays it out");

#define ATTR_DISABLED (1ULL << 0)
#define ATTR_INHERIT (1ULL << 1)
#define ATTR_PINNED (1ULL << 2)
#define ATTR_EXCLUSIVE (1ULL << 3)
#define ATTR_EXCLUDE_USER (1ULL << 4)
#define ATTR_EXCLUDE_KERNEL (1ULL << 5)
#define ATTR_EXCLUDE_HV (1ULL << 6)
#define ATTR_EXCLUDE_IDLE (1ULL << 7)
#define ATTR_MMAP (1ULL << 8)
#define ATTR_COMM (1ULL << 9)
#define ATTR_FREQ (1ULL << 10)
#define ATTR_INHERIT_STAT (1ULL << 11)
#define ATTR_ENABLE_ON_EXEC (1ULL << 12)
#define ATTR_TASK (1ULL << 13)
#define ATTR_WATERMARK (1ULL << 14)
#define ATTR_PRECISE_IP_SHIFT 15
#define ATTR_PRECISE_IP (3ULL << 15)
#define ATTR_MMAP_DATA (1ULL << 17)
#define ATTR_SAMPLE_ID_ALL (1ULL << 18)
#define ATTR_EXCLUDE_HOST (1ULL << 19)
#define ATTR_EXCLUDE_GUEST (1ULL << 20)
#define ATTR_EXCLUDE_CHAIN_KERNEL (1ULL << 21)
#define ATTR_EXCLUDE_CHAIN_USER (1ULL << 22)
#define ATTR_MMAP2 (1ULL << 23)
#define ATTR_COMM_EXEC (1ULL << 24)
#define ATTR_USE_CLOCKID (1ULL << 25)
#define ATTR_CONTEXT_SWITCH (1ULL << 26)
#define ATTR_WRITE_BACKWARD (1ULL << 27)
#define ATTR_NAMESPACES (1ULL << 28)
#define ATTR_KSYMBOL (1ULL << 29)
#define ATTR_BPF_EVENT (1ULL << 30)
#define ATTR_AUX_OUTPUT (1ULL << 31)
#define ATTR_CGROUP (1ULL << 32)
#define ATTR_TEXT_POKE (1ULL << 33)
#define ATTR_BUILD_ID (1ULL << 34)
#define ATTR_INHERIT_THREAD (1ULL << 35)
#define ATTR_REMOVE_ON_EXEC (1ULL << 36)
#define ATTR_SIGTRAP (1ULL << 37)
#define ATTR_DEFER_CALLCHAIN (1ULL << 38)
#define ATTR_DEFER_OUTPUT (1ULL << 39)

/* attr.sample_type: what a sample carries, and in which order (see sample.c). */
#define SAMPLE_IP (1ULL << 0)
#define SAMPLE_TID (1ULL << 1)
#define SAMPLE_TIME (1ULL << 2)
#define SAMPLE_ADDR (1ULL << 3)
#define SAMPLE_READ (1ULL << 4)
#define SAMPLE_CALLCHAIN (1ULL << 5)
#define SAMPLE_ID (1ULL << 6)
#define SAMPLE_CPU (1ULL << 7)
#define SAMPLE_PERIOD (1ULL << 8)
#define SAMPLE_STREAM_ID (1ULL << 9)
#define SAMPLE_RAW (1ULL << 10)
#define SAMPLE_BRANCH_STACK (1ULL << 11)
#define SAMPLE_REGS_USER (1ULL << 12)
#define SAMPLE_STACK_USER (1ULL << 13)
#define SAMPLE_WEIGHT (1ULL << 14)
#define SAMPLE_DATA_SRC (1ULL << 15)
#define SAMPLE_IDENTIFIER (1ULL << 16)
#define SAMPLE_TRANSACTION (1ULL << 17)
#define SAMPLE_REGS_INTR (1ULL << 18)
#define SAMPLE_PHYS_ADDR (1ULL << 19)
#define SAMPLE_AUX (1ULL << 20)
#define SAMPLE_CGROUP (1ULL << 21)
#define SAMPLE_DATA_PAGE_SIZE (1ULL << 22)
#define SAMPLE_CODE_PAGE_SIZE (1ULL << 23)
#define SAMPLE_WEIGHT_STRUCT (1ULL << 24)
#define SAMPLE_ALL ((1ULL << 25) - 1)

/* attr.read_format */
#define READ_TOTAL_TIME_ENABLED (1ULL << 0)
#define READ_TOTAL_TIME_RUNNING (1ULL << 1)
#define READ_ID (1ULL << 2)
#define READ_GROUP (1ULL << 3)
#define READ_LOST (1ULL << 4)

/* attr.branch_sample_type, as far as the layout and the meaning of samples depend on it */
#define BRANCH_CALL_STACK (1ULL << 11) /* the branches are the calls that have not returned */
#define BRANCH_HW_INDEX (1ULL << 17)
#define BRANCH_COUNTERS (1ULL << 19)

/* Reads an attr of `size` bytes at the cursor (its own size field is inside); shorter ones are filled up, the surplus of longer ones is
 * skipped, and attr.size says what is left. -EBADMSG where it is cut or smaller than version 0. */
int attr_decode(struct bytes *b, struct attr *attr);
/* The same where the length of the slot is known from elsewhere (the file header). */
int attr_decode_slot(struct bytes *b, uint64_t slot_size, struct attr *attr);

static inline bool attr_is_dummy(const struct attr *a)
{
	return a->type == ATTR_TYPE_SOFTWARE && a->config == CONFIG_DUMMY;
}

static inline unsigned attr_precise_ip(const struct attr *a)
{
	return (unsigned)((a->flags & ATTR_PRECISE_IP) >> ATTR_PRECISE_IP_SHIFT);
}

#endif
