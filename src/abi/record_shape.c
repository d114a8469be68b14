/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What each record consists of, and what it is called: the tables, and nothing that acts on them.
 *
 * A new kernel record is added here, in record.h (its enum value and its struct) and in the tests.
 */
#include "abi/record_shape.h"

#include "abi/record.h"

#define F(kind, member)                                                                                                                    \
	{                                                                                                                                  \
		FIELD_##kind, (uint16_t)offsetof(struct record, member)                                                                    \
	}

/* clang-format off */
static const struct record_field shapes[][RECORD_FIELDS_MAX] = {
	[RECORD_MMAP] = {
		F(U32, mmap.pid), F(U32, mmap.tid), F(U64, mmap.start), F(U64, mmap.len),
		F(U64, mmap.pgoff), F(STRING, mmap.filename),
	},
	[RECORD_LOST] = { F(U64, lost.id), F(U64, lost.lost) },
	[RECORD_COMM] = { F(U32, comm.pid), F(U32, comm.tid), F(STRING, comm.comm) },
	[RECORD_EXIT] = {
		F(U32, task.pid), F(U32, task.ppid), F(U32, task.tid), F(U32, task.ptid),
		F(U64, task.time_ns),
	},
	[RECORD_THROTTLE] = {
		F(U64, throttle.time_ns), F(U64, throttle.id), F(U64, throttle.stream_id),
	},
	[RECORD_UNTHROTTLE] = {
		F(U64, throttle.time_ns), F(U64, throttle.id), F(U64, throttle.stream_id),
	},
	[RECORD_FORK] = {
		F(U32, task.pid), F(U32, task.ppid), F(U32, task.tid), F(U32, task.ptid),
		F(U64, task.time_ns),
	},
	[RECORD_READ] = { F(U32, read.pid), F(U32, read.tid), F(READ, read.read) },
	[RECORD_MMAP2] = {
		F(U32, mmap.pid), F(U32, mmap.tid), F(U64, mmap.start), F(U64, mmap.len),
		F(U64, mmap.pgoff), F(INODE, mmap.maj), F(U32, mmap.prot), F(U32, mmap.flags),
		F(STRING, mmap.filename),
	},
	[RECORD_AUX] = { F(U64, aux.offset), F(U64, aux.size), F(U64, aux.flags) },
	[RECORD_ITRACE_START] = { F(U32, pid_tid.pid), F(U32, pid_tid.tid) },
	[RECORD_LOST_SAMPLES] = { F(U64, lost.lost) },
	[RECORD_SWITCH] = { { FIELD_END, 0 } },
	[RECORD_SWITCH_CPU_WIDE] = { F(U32, pid_tid.pid), F(U32, pid_tid.tid) },
	[RECORD_NAMESPACES] = {
		F(U32, namespaces.pid), F(U32, namespaces.tid), F(ARRAY2, namespaces.nr),
	},
	[RECORD_KSYMBOL] = {
		F(U64, ksymbol.addr), F(U32, ksymbol.len), F(U16, ksymbol.ksym_type),
		F(U16, ksymbol.flags), F(STRING, ksymbol.name),
	},
	[RECORD_BPF_EVENT] = {
		F(U16, bpf_event.bpf_type), F(U16, bpf_event.flags), F(U32, bpf_event.id),
		F(TAG, bpf_event.tag),
	},
	[RECORD_CGROUP] = { F(U64, cgroup.id), F(STRING, cgroup.path) },
	[RECORD_TEXT_POKE] = {
		F(U64, text_poke.addr), F(U16, text_poke.old_len), F(U16, text_poke.new_len),
		F(CODE, text_poke.bytes),
	},
	[RECORD_AUX_OUTPUT_HW_ID] = { F(U64, hw_id.hw_id) },
	[RECORD_CALLCHAIN_DEFERRED] = { F(U64, deferred.cookie), F(ARRAY1, deferred.nr) },
};
/* clang-format on */

/* FIELD_ARRAY's pointer lies right behind its count. */
_Static_assert(offsetof(struct record_namespaces, items) == offsetof(struct record_namespaces, nr) + sizeof(uint64_t),
	       "count, then pointer");
_Static_assert(offsetof(struct record_callchain_deferred, ips) == offsetof(struct record_callchain_deferred, nr) + sizeof(uint64_t),
	       "count, then pointer");

const struct record_field *record_shape_find(uint32_t type)
{
	if (!type || type == RECORD_SAMPLE || type >= sizeof(shapes) / sizeof(shapes[0]))
		return NULL;
	return shapes[type];
}

/* As perf prints them, which for its own headers is not as it spells them. */
#define N(type) [RECORD_##type] = "PERF_RECORD_" #type
static const char *const names[RECORD_TYPE_MAX] = {
	N(MMAP),
	N(LOST),
	N(COMM),
	N(EXIT),
	N(THROTTLE),
	N(UNTHROTTLE),
	N(FORK),
	N(READ),
	N(SAMPLE),
	N(MMAP2),
	N(AUX),
	N(ITRACE_START),
	N(LOST_SAMPLES),
	N(SWITCH),
	N(SWITCH_CPU_WIDE),
	N(NAMESPACES),
	N(KSYMBOL),
	N(BPF_EVENT),
	N(CGROUP),
	N(TEXT_POKE),
	N(AUX_OUTPUT_HW_ID),
	N(CALLCHAIN_DEFERRED),
	[RECORD_HEADER_ATTR] = "PERF_RECORD_ATTR",
	[RECORD_HEADER_EVENT_TYPE] = "PERF_RECORD_EVENT_TYPE",
	[RECORD_HEADER_TRACING_DATA] = "PERF_RECORD_TRACING_DATA",
	[RECORD_HEADER_BUILD_ID] = "PERF_RECORD_BUILD_ID",
	N(FINISHED_ROUND),
	N(ID_INDEX),
	N(AUXTRACE_INFO),
	N(AUXTRACE),
	N(AUXTRACE_ERROR),
	N(THREAD_MAP),
	N(CPU_MAP),
	N(STAT_CONFIG),
	N(STAT),
	N(STAT_ROUND),
	N(EVENT_UPDATE),
	N(TIME_CONV),
	[RECORD_HEADER_FEATURE] = "PERF_RECORD_FEATURE",
	N(COMPRESSED),
	N(FINISHED_INIT),
	N(COMPRESSED2),
};

const char *record_type_name(uint32_t type)
{
	return type < RECORD_TYPE_MAX ? names[type] : NULL;
}
