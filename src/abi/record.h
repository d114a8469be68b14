/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Every record of the kernel's rings and of perf.data: types, layout, decoding, encoding, swapping. A decoded record is a view into bytes
 * of native order.
 */
#ifndef ASSAY_ABI_RECORD_H
#define ASSAY_ABI_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/sample.h"

enum record_type {
	RECORD_MMAP = 1,
	RECORD_LOST = 2,
	RECORD_COMM = 3,
	RECORD_EXIT = 4,
	RECORD_THROTTLE = 5,
	RECORD_UNTHROTTLE = 6,
	RECORD_FORK = 7,
	RECORD_READ = 8,
	RECORD_SAMPLE = 9,
	RECORD_MMAP2 = 10,
	RECORD_AUX = 11,
	RECORD_ITRACE_START = 12,
	RECORD_LOST_SAMPLES = 13,
	RECORD_SWITCH = 14,
	RECORD_SWITCH_CPU_WIDE = 15,
	RECORD_NAMESPACES = 16,
	RECORD_KSYMBOL = 17,
	RECORD_BPF_EVENT = 18,
	RECORD_CGROUP = 19,
	RECORD_TEXT_POKE = 20,
	RECORD_AUX_OUTPUT_HW_ID = 21,
	RECORD_CALLCHAIN_DEFERRED = 22,

	/* Of perf.data only: written by the recorder, never by the kernel. */
	RECORD_USER_FIRST = 64,
	RECORD_HEADER_ATTR = 64,
	RECORD_HEADER_EVENT_TYPE = 65,
	RECORD_HEADER_TRACING_DATA = 66,
	RECORD_HEADER_BUILD_ID = 67,
	RECORD_FINISHED_ROUND = 68,
	RECORD_ID_INDEX = 69,
	RECORD_AUXTRACE_INFO = 70,
	RECORD_AUXTRACE = 71,
	RECORD_AUXTRACE_ERROR = 72,
	RECORD_THREAD_MAP = 73,
	RECORD_CPU_MAP = 74,
	RECORD_STAT_CONFIG = 75,
	RECORD_STAT = 76,
	RECORD_STAT_ROUND = 77,
	RECORD_EVENT_UPDATE = 78,
	RECORD_TIME_CONV = 79,
	RECORD_HEADER_FEATURE = 80,
	RECORD_COMPRESSED = 81,
	RECORD_FINISHED_INIT = 82,
	RECORD_COMPRESSED2 = 83,
	RECORD_TYPE_MAX = 84,
};

struct record_header {
	uint32_t type;
	uint16_t misc;
	uint16_t size;
};

/* record_header.misc */
#define MISC_CPUMODE_MASK 7u
#define MISC_CPUMODE_UNKNOWN 0u
#define MISC_KERNEL 1u
#define MISC_USER 2u
#define MISC_HYPERVISOR 3u
#define MISC_GUEST_KERNEL 4u
#define MISC_GUEST_USER 5u
#define MISC_PROC_MAP_TIMEOUT (1u << 12)
#define MISC_MMAP_DATA (1u << 13)	   /* MMAP */
#define MISC_COMM_EXEC (1u << 13)	   /* COMM */
#define MISC_FORK_EXEC (1u << 13)	   /* FORK, written by perf */
#define MISC_SWITCH_OUT (1u << 13)	   /* SWITCH */
#define MISC_EXACT_IP (1u << 14)	   /* SAMPLE */
#define MISC_SWITCH_OUT_PREEMPT (1u << 14) /* SWITCH */
#define MISC_MMAP_BUILD_ID (1u << 14)	   /* MMAP2 */

#define BUILD_ID_MAX 20

struct record_mmap { /* MMAP and MMAP2 (MMAP leaves the rest zero) */
	uint32_t pid, tid;
	uint64_t start, len, pgoff;
	uint32_t maj, min;
	uint64_t ino, ino_generation;
	uint8_t build_id_size; /* instead of maj … ino_generation, with MISC_MMAP_BUILD_ID */
	uint8_t build_id[BUILD_ID_MAX];
	uint32_t prot, flags;
	const char *filename;
};
struct record_comm {
	uint32_t pid, tid;
	const char *comm;
};
struct record_task { /* FORK and EXIT */
	uint32_t pid, ppid, tid, ptid;
	uint64_t time_ns;
};

/* The kernel gives the tid 0 to threads that are nearly gone and to those outside of the recorder's pid namespace, beside the pid of their
 * process: what happens in such a thread counts for the process, and never for the idle task, whose pid and tid are both 0. */
static inline bool task_is_nameless(int32_t pid, int32_t tid)
{
	return tid == 0 && pid > 0;
}

/* For the same reasons a pid can be 0 beside a tid: the process is not known, and it is not the idle task's. */
static inline bool task_has_no_process(int32_t pid, int32_t tid)
{
	return pid == 0 && tid > 0;
}

struct record_lost {
	uint64_t id, lost;
};
struct record_throttle {
	uint64_t time_ns, id, stream_id;
};
struct record_read {
	uint32_t pid, tid;
	struct sample_read read;
};
struct record_aux {
	uint64_t offset, size, flags;
};
struct record_pid_tid { /* ITRACE_START, SWITCH_CPU_WIDE (next or previous task) */
	uint32_t pid, tid;
};
struct record_namespace {
	uint64_t dev, ino;
};
struct record_namespaces {
	uint32_t pid, tid;
	uint64_t nr;
	const struct record_namespace *items;
};
struct record_ksymbol {
	uint64_t addr;
	uint32_t len;
	uint16_t ksym_type, flags;
	const char *name;
};
struct record_bpf_event {
	uint16_t bpf_type, flags;
	uint32_t id;
	const uint8_t *tag; /* 8 bytes */
};
struct record_cgroup {
	uint64_t id;
	const char *path;
};
struct record_text_poke {
	uint64_t addr;
	uint16_t old_len, new_len;
	const uint8_t *bytes; /* old, then new */
};
struct record_aux_output_hw_id {
	uint64_t hw_id;
};
struct record_callchain_deferred {
	uint64_t cookie;
	uint64_t nr;
	const uint64_t *ips;
};

struct record {
	const struct record_header *header;
	union {
		struct record_mmap mmap;
		struct record_comm comm;
		struct record_task task;
		struct record_lost lost; /* LOST; LOST_SAMPLES has only .lost */
		struct record_throttle throttle;
		struct record_read read;
		struct record_aux aux;
		struct record_pid_tid pid_tid;
		struct record_namespaces namespaces;
		struct record_ksymbol ksymbol;
		struct record_bpf_event bpf_event;
		struct record_cgroup cgroup;
		struct record_text_poke text_poke;
		struct record_aux_output_hw_id hw_id;
		struct record_callchain_deferred deferred;
		struct sample sample;
	};
	struct sample_id id; /* kernel records other than SAMPLE: there it is not written at all */
};

/* Decodes a kernel record (types 1–22) of native order; header.size bytes are known to be there and header.size >= 8. An unknown type
 * decodes to its header alone. -EBADMSG where a field does not fit. */
int record_decode(const struct record_header *h, const struct sample_layout *l, struct record *rec);

/* Writes a record with header and (where the layout has it) trailer. The header's type and misc are taken from `rec->header`, its size is
 * computed. Returns the size, or -ENOSPC / -EINVAL. */
int64_t record_encode(const struct record *rec, const struct sample_layout *l, void *buf, size_t cap);

/* Turns the header into native order. */
static inline void record_header_swap(struct record_header *h)
{
	h->type = __builtin_bswap32(h->type);
	h->misc = __builtin_bswap16(h->misc);
	h->size = __builtin_bswap16(h->size);
}
/* Turns the body of any record, kernel's or perf's (64–83), into native order in place; the header is native already. Bodies of
 * HEADER_FEATURE, HEADER_TRACING_DATA, AUXTRACE and COMPRESSED payloads stay as they are but for their leading fixed fields. -EBADMSG where
 * a field does not fit. */
int record_swap(struct record_header *h, const struct sample_layout *l);

/* "PERF_RECORD_MMAP2", or NULL where unknown; perf's spelling ("PERF_RECORD_ATTR"). */
const char *record_type_name(uint32_t type);

/* perf's own records: fixed leading parts, read with a `struct bytes` cursor by their users. */
struct record_auxtrace { /* followed by `size` bytes that are not part of header.size */
	struct record_header header;
	uint64_t size, offset, reference;
	uint32_t idx, tid, cpu, reserved;
};
struct record_tracing_data { /* followed by `size` bytes, padded to 8, outside header.size */
	struct record_header header;
	uint32_t size;
};

/* Where single words are, for code that needs only the time or the id of a record: in the body of a sample, and counted from the end of
 * other records. -1: the layout has none. */
static inline int record_words_nr(uint64_t sample_type, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	return !!(sample_type & a) + !!(sample_type & b) + !!(sample_type & c) + !!(sample_type & d);
}

static inline int sample_time_word(uint64_t sample_type)
{
	return sample_type & SAMPLE_TIME ? record_words_nr(sample_type, SAMPLE_IDENTIFIER, SAMPLE_IP, SAMPLE_TID, 0) : -1;
}

static inline int sample_id_word(uint64_t sample_type)
{
	if (sample_type & SAMPLE_IDENTIFIER)
		return 0;
	return sample_type & SAMPLE_ID ? record_words_nr(sample_type, SAMPLE_IP, SAMPLE_TID, SAMPLE_TIME, SAMPLE_ADDR) : -1;
}

static inline int trailer_time_word(uint64_t sample_type)
{
	if (!(sample_type & SAMPLE_TIME))
		return -1;
	return 1 + record_words_nr(sample_type, SAMPLE_ID, SAMPLE_STREAM_ID, SAMPLE_CPU, SAMPLE_IDENTIFIER);
}

static inline int trailer_id_word(uint64_t sample_type)
{
	if (sample_type & SAMPLE_IDENTIFIER)
		return 1;
	return sample_type & SAMPLE_ID ? 1 + record_words_nr(sample_type, SAMPLE_STREAM_ID, SAMPLE_CPU, 0, 0) : -1;
}

/* Bytes from the header to the end of the trailer: the size of the record, as a rule. Linux (6.18) adds the size of the trailer to the size of
 * KSYMBOL, BPF_EVENT and TEXT_POKE once more for each further event that gets the record: behind the trailer there is then whatever was in
 * the ring before. */
size_t record_end(const struct record_header *h, const struct sample_layout *l);
/* The word at that place; false where it is -1 or the record ends before it. */
bool record_word(const struct record_header *h, int word, uint64_t *value);
/* The time of a record that has one: of a sample, or of the trailer where the layout has that. */
bool record_find_time(const struct record_header *h, const struct sample_layout *l, uint64_t *time_ns);
/* The id of its event, likewise. */
bool record_find_id(const struct record_header *h, const struct sample_layout *l, uint64_t *id);

#endif
