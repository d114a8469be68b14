/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The attr of perf_event_open(), as far as its first version goes, which is what is read of it.
 */
#include "view/syscall_structs.h"

/* clang-format off */
#define V(name, value) { name, value, 0 }
#define FLAGS(table, prefix) { prefix, table, ELEMENTS_OF(table) }
/* clang-format on */

static const struct syscall_flag type_names[] = {
	V("PERF_TYPE_HARDWARE", 0), V("PERF_TYPE_SOFTWARE", 1), V("PERF_TYPE_TRACEPOINT", 2),
	V("PERF_TYPE_HW_CACHE", 3), V("PERF_TYPE_RAW", 4),	V("PERF_TYPE_BREAKPOINT", 5),
};
static const struct syscall_flags types = FLAGS(type_names, "PERF_TYPE_");

static const struct syscall_flag size_names[] = {
	V("PERF_ATTR_SIZE_VER0", 64),  V("PERF_ATTR_SIZE_VER1", 72),  V("PERF_ATTR_SIZE_VER2", 80),  V("PERF_ATTR_SIZE_VER3", 96),
	V("PERF_ATTR_SIZE_VER4", 104), V("PERF_ATTR_SIZE_VER5", 112), V("PERF_ATTR_SIZE_VER6", 120), V("PERF_ATTR_SIZE_VER7", 128),
};
static const struct syscall_flags sizes = FLAGS(size_names, "PERF_ATTR_SIZE_");

static const struct syscall_flag hardware_names[] = {
	V("PERF_COUNT_HW_CPU_CYCLES", 0),
	V("PERF_COUNT_HW_INSTRUCTIONS", 1),
	V("PERF_COUNT_HW_CACHE_REFERENCES", 2),
	V("PERF_COUNT_HW_CACHE_MISSES", 3),
	V("PERF_COUNT_HW_BRANCH_INSTRUCTIONS", 4),
	V("PERF_COUNT_HW_BRANCH_MISSES", 5),
	V("PERF_COUNT_HW_BUS_CYCLES", 6),
	V("PERF_COUNT_HW_STALLED_CYCLES_FRONTEND", 7),
	V("PERF_COUNT_HW_STALLED_CYCLES_BACKEND", 8),
	V("PERF_COUNT_HW_REF_CPU_CYCLES", 9),
};
static const struct syscall_flags hardware = FLAGS(hardware_names, "PERF_COUNT_HW_");

static const struct syscall_flag software_names[] = {
	V("PERF_COUNT_SW_CPU_CLOCK", 0),	V("PERF_COUNT_SW_TASK_CLOCK", 1),
	V("PERF_COUNT_SW_PAGE_FAULTS", 2),	V("PERF_COUNT_SW_CONTEXT_SWITCHES", 3),
	V("PERF_COUNT_SW_CPU_MIGRATIONS", 4),	V("PERF_COUNT_SW_PAGE_FAULTS_MIN", 5),
	V("PERF_COUNT_SW_PAGE_FAULTS_MAJ", 6),	V("PERF_COUNT_SW_ALIGNMENT_FAULTS", 7),
	V("PERF_COUNT_SW_EMULATION_FAULTS", 8), V("PERF_COUNT_SW_DUMMY", 9),
	V("PERF_COUNT_SW_BPF_OUTPUT", 10),	V("PERF_COUNT_SW_CGROUP_SWITCHES", 11),
};
static const struct syscall_flags software = FLAGS(software_names, "PERF_COUNT_SW_");

static const struct syscall_flag sample_names[] = {
	V("PERF_SAMPLE_IP", 0x1),
	V("PERF_SAMPLE_TID", 0x2),
	V("PERF_SAMPLE_TIME", 0x4),
	V("PERF_SAMPLE_ADDR", 0x8),
	V("PERF_SAMPLE_READ", 0x10),
	V("PERF_SAMPLE_CALLCHAIN", 0x20),
	V("PERF_SAMPLE_ID", 0x40),
	V("PERF_SAMPLE_CPU", 0x80),
	V("PERF_SAMPLE_PERIOD", 0x100),
	V("PERF_SAMPLE_STREAM_ID", 0x200),
	V("PERF_SAMPLE_RAW", 0x400),
	V("PERF_SAMPLE_BRANCH_STACK", 0x800),
	V("PERF_SAMPLE_REGS_USER", 0x1000),
	V("PERF_SAMPLE_STACK_USER", 0x2000),
	V("PERF_SAMPLE_WEIGHT", 0x4000),
	V("PERF_SAMPLE_DATA_SRC", 0x8000),
	V("PERF_SAMPLE_IDENTIFIER", 0x10000),
	V("PERF_SAMPLE_TRANSACTION", 0x20000),
	V("PERF_SAMPLE_REGS_INTR", 0x40000),
	V("PERF_SAMPLE_PHYS_ADDR", 0x80000),
	V("PERF_SAMPLE_AUX", 0x100000),
	V("PERF_SAMPLE_CGROUP", 0x200000),
	V("PERF_SAMPLE_DATA_PAGE_SIZE", 0x400000),
	V("PERF_SAMPLE_CODE_PAGE_SIZE", 0x800000),
	V("PERF_SAMPLE_WEIGHT_STRUCT", 0x1000000),
};
static const struct syscall_flags samples = FLAGS(sample_names, "PERF_SAMPLE_");

static const struct syscall_flag read_names[] = {
	V("PERF_FORMAT_TOTAL_TIME_ENABLED", 1),
	V("PERF_FORMAT_TOTAL_TIME_RUNNING", 2),
	V("PERF_FORMAT_ID", 4),
	V("PERF_FORMAT_GROUP", 8),
	V("PERF_FORMAT_LOST", 16),
};
static const struct syscall_flags reads = FLAGS(read_names, "PERF_FORMAT_");

/* By bit; those of precise_ip are a number. */
static const char *const bit_names[] = {
	"disabled",
	"inherit",
	"pinned",
	"exclusive",
	"exclude_user",
	"exclude_kernel",
	"exclude_hv",
	"exclude_idle",
	"mmap",
	"comm",
	"freq",
	"inherit_stat",
	"enable_on_exec",
	"task",
	"watermark",
	"precise_ip",
	NULL,
	"mmap_data",
	"sample_id_all",
	"exclude_host",
	"exclude_guest",
	"exclude_callchain_kernel",
	"exclude_callchain_user",
	"mmap2",
	"comm_exec",
	"use_clockid",
	"context_switch",
	"write_backward",
	"namespaces",
	"ksymbol",
	"bpf_event",
	"aux_output",
	"cgroup",
	"text_poke",
	"build_id",
	"inherit_thread",
	"remove_on_exec",
	"sigtrap",
};
#define FREQ_BIT 10
#define PRECISE_BIT 15

static void bits_put(struct syscall_writer *w, uint64_t bits)
{
	static const char *const skids[] = { "arbitrary skid", "constant skid", "requested to have 0 skid", "must have 0 skid" };
	uint32_t precise = bits >> PRECISE_BIT & 3;

	for (uint32_t i = 0; i < ELEMENTS_OF(bit_names); i++) {
		if (i == PRECISE_BIT) {
			out_str(w->o, ", precise_ip=");
			out_u64(w->o, precise, 0);
			out_mem(w->o, " /* ", 4);
			out_str(w->o, skids[precise]);
			out_mem(w->o, " */", 3);
		} else if (bit_names[i] && (bits >> i & 1)) {
			out_mem(w->o, ", ", 2);
			out_str(w->o, bit_names[i]);
			out_mem(w->o, "=1", 2);
		}
	}
}

bool syscall_put_perf_event_attr(struct syscall_writer *w, const struct syscall_bytes *b)
{
	uint32_t type = syscall_bytes_u32(b, 0);
	uint64_t config = syscall_bytes_u64(b, 8), bits = syscall_bytes_u64(b, 40);

	out_str(w->o, "{type=");
	syscall_put_enum(w, &types, type);
	out_str(w->o, ", size=");
	syscall_put_enum(w, &sizes, syscall_bytes_u32(b, 4));
	out_str(w->o, ", config=");
	if (type <= 1)
		syscall_put_enum(w, type ? &software : &hardware, config);
	else if (type == 2) /* the number of a tracepoint */
		out_u64(w->o, config, 0);
	else
		syscall_put_hex(w->o, config);
	out_str(w->o, bits >> FREQ_BIT & 1 ? ", sample_freq=" : ", sample_period=");
	out_u64(w->o, syscall_bytes_u64(b, 16), 0);
	out_str(w->o, ", sample_type=");
	syscall_put_flags(w, &samples, syscall_bytes_u64(b, 24));
	out_str(w->o, ", read_format=");
	syscall_put_flags(w, &reads, syscall_bytes_u64(b, 32));
	bits_put(w, bits);
	out_str(w->o, ", ...}");
	return true;
}
