/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The fields of an attr, in the order and with the names that perf prints; fields newer than perf 6.1 come last.
 */
#include "view/header_text.h"

#include <stddef.h>

const struct attr_style attr_style_list = { ": ", ", ", ": " };
const struct attr_style attr_style_header = { ", ", ", ", " = " };

struct bit_name {
	uint64_t bit;
	const char *name;
};

static const struct bit_name sample_bits[] = {
	{ SAMPLE_IP, "IP" },
	{ SAMPLE_TID, "TID" },
	{ SAMPLE_TIME, "TIME" },
	{ SAMPLE_ADDR, "ADDR" },
	{ SAMPLE_READ, "READ" },
	{ SAMPLE_CALLCHAIN, "CALLCHAIN" },
	{ SAMPLE_ID, "ID" },
	{ SAMPLE_CPU, "CPU" },
	{ SAMPLE_PERIOD, "PERIOD" },
	{ SAMPLE_STREAM_ID, "STREAM_ID" },
	{ SAMPLE_RAW, "RAW" },
	{ SAMPLE_BRANCH_STACK, "BRANCH_STACK" },
	{ SAMPLE_REGS_USER, "REGS_USER" },
	{ SAMPLE_STACK_USER, "STACK_USER" },
	{ SAMPLE_IDENTIFIER, "IDENTIFIER" },
	{ SAMPLE_REGS_INTR, "REGS_INTR" },
	{ SAMPLE_DATA_SRC, "DATA_SRC" },
	{ SAMPLE_WEIGHT, "WEIGHT" },
	{ SAMPLE_PHYS_ADDR, "PHYS_ADDR" },
	{ SAMPLE_AUX, "AUX" },
	{ SAMPLE_CGROUP, "CGROUP" },
	{ SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE" },
	{ SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE" },
	{ SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT" },
	{ SAMPLE_TRANSACTION, "TRANSACTION" },
	{ 0, NULL },
};

static const struct bit_name read_bits[] = {
	{ READ_TOTAL_TIME_ENABLED, "TOTAL_TIME_ENABLED" },
	{ READ_TOTAL_TIME_RUNNING, "TOTAL_TIME_RUNNING" },
	{ READ_ID, "ID" },
	{ READ_GROUP, "GROUP" },
	{ READ_LOST, "LOST" },
	{ 0, NULL },
};

static const struct bit_name branch_bits[] = {
	{ 1 << 0, "USER" },
	{ 1 << 1, "KERNEL" },
	{ 1 << 2, "HV" },
	{ 1 << 3, "ANY" },
	{ 1 << 4, "ANY_CALL" },
	{ 1 << 5, "ANY_RETURN" },
	{ 1 << 6, "IND_CALL" },
	{ 1 << 7, "ABORT_TX" },
	{ 1 << 8, "IN_TX" },
	{ 1 << 9, "NO_TX" },
	{ 1 << 10, "COND" },
	{ 1 << 11, "CALL_STACK" },
	{ 1 << 12, "IND_JUMP" },
	{ 1 << 13, "CALL" },
	{ 1 << 14, "NO_FLAGS" },
	{ 1 << 15, "NO_CYCLES" },
	{ 1 << 16, "TYPE_SAVE" },
	{ BRANCH_HW_INDEX, "HW_INDEX" },
	{ 1 << 18, "PRIV_SAVE" },
	{ BRANCH_COUNTERS, "COUNTERS" },
	{ 0, NULL },
};

static void bits_text(struct out *o, uint64_t value, const struct bit_name *names)
{
	const char *sep = "";

	for (; names->name; names++) {
		if (!(value & names->bit))
			continue;
		out_str(o, sep);
		out_str(o, names->name);
		sep = "|";
	}
}

enum format {
	AS_DECIMAL,
	AS_HEX,
	AS_SIGNED,
	AS_SAMPLE_TYPE,
	AS_READ_FORMAT,
	AS_BRANCH_TYPE,
};

struct field {
	const char *name;
	uint16_t offset, size;
	enum format format;
	uint64_t mask; /* of the flags word: the field's bits, 0 for whole words */
};

#define WORD(member, n, f)                                                                                                                 \
	{                                                                                                                                  \
		.name = (n), .offset = offsetof(struct attr, member), .size = sizeof(((struct attr *)0)->member), .format = (f)            \
	}
#define FLAG(n, bits)                                                                                                                      \
	{                                                                                                                                  \
		.name = (n), .offset = offsetof(struct attr, flags), .size = 8, .mask = (bits)                                             \
	}

static const struct field fields[] = {
	WORD(type, "type", AS_DECIMAL),
	WORD(size, "size", AS_DECIMAL),
	WORD(config, "config", AS_HEX),
	WORD(sample_period, "{ sample_period, sample_freq }", AS_DECIMAL),
	WORD(sample_type, "sample_type", AS_SAMPLE_TYPE),
	WORD(read_format, "read_format", AS_READ_FORMAT),
	FLAG("disabled", ATTR_DISABLED),
	FLAG("inherit", ATTR_INHERIT),
	FLAG("pinned", ATTR_PINNED),
	FLAG("exclusive", ATTR_EXCLUSIVE),
	FLAG("exclude_user", ATTR_EXCLUDE_USER),
	FLAG("exclude_kernel", ATTR_EXCLUDE_KERNEL),
	FLAG("exclude_hv", ATTR_EXCLUDE_HV),
	FLAG("exclude_idle", ATTR_EXCLUDE_IDLE),
	FLAG("mmap", ATTR_MMAP),
	FLAG("comm", ATTR_COMM),
	FLAG("freq", ATTR_FREQ),
	FLAG("inherit_stat", ATTR_INHERIT_STAT),
	FLAG("enable_on_exec", ATTR_ENABLE_ON_EXEC),
	FLAG("task", ATTR_TASK),
	FLAG("watermark", ATTR_WATERMARK),
	FLAG("precise_ip", ATTR_PRECISE_IP),
	FLAG("mmap_data", ATTR_MMAP_DATA),
	FLAG("sample_id_all", ATTR_SAMPLE_ID_ALL),
	FLAG("exclude_host", ATTR_EXCLUDE_HOST),
	FLAG("exclude_guest", ATTR_EXCLUDE_GUEST),
	FLAG("exclude_callchain_kernel", ATTR_EXCLUDE_CHAIN_KERNEL),
	FLAG("exclude_callchain_user", ATTR_EXCLUDE_CHAIN_USER),
	FLAG("mmap2", ATTR_MMAP2),
	FLAG("comm_exec", ATTR_COMM_EXEC),
	FLAG("use_clockid", ATTR_USE_CLOCKID),
	FLAG("context_switch", ATTR_CONTEXT_SWITCH),
	FLAG("write_backward", ATTR_WRITE_BACKWARD),
	FLAG("namespaces", ATTR_NAMESPACES),
	FLAG("ksymbol", ATTR_KSYMBOL),
	FLAG("bpf_event", ATTR_BPF_EVENT),
	FLAG("aux_output", ATTR_AUX_OUTPUT),
	FLAG("cgroup", ATTR_CGROUP),
	FLAG("text_poke", ATTR_TEXT_POKE),
	FLAG("build_id", ATTR_BUILD_ID),
	FLAG("inherit_thread", ATTR_INHERIT_THREAD),
	FLAG("remove_on_exec", ATTR_REMOVE_ON_EXEC),
	FLAG("sigtrap", ATTR_SIGTRAP),
	FLAG("defer_callchain", ATTR_DEFER_CALLCHAIN),
	FLAG("defer_output", ATTR_DEFER_OUTPUT),
	WORD(wakeup, "{ wakeup_events, wakeup_watermark }", AS_DECIMAL),
	WORD(bp_type, "bp_type", AS_DECIMAL),
	WORD(config1, "{ bp_addr, config1 }", AS_HEX),
	WORD(config2, "{ bp_len, config2 }", AS_HEX),
	WORD(branch_sample_type, "branch_sample_type", AS_BRANCH_TYPE),
	WORD(sample_regs_user, "sample_regs_user", AS_HEX),
	WORD(sample_stack_user, "sample_stack_user", AS_DECIMAL),
	WORD(clockid, "clockid", AS_SIGNED),
	WORD(sample_regs_intr, "sample_regs_intr", AS_HEX),
	WORD(aux_watermark, "aux_watermark", AS_DECIMAL),
	WORD(sample_max_stack, "sample_max_stack", AS_DECIMAL),
	WORD(aux_sample_size, "aux_sample_size", AS_DECIMAL),
	WORD(sig_data, "sig_data", AS_DECIMAL),
	WORD(aux_action, "aux_action", AS_HEX),
	WORD(config3, "config3", AS_HEX),
	WORD(config4, "config4", AS_HEX),
};

static uint64_t field_value(const struct attr *attr, const struct field *f)
{
	const char *at = (const char *)attr + f->offset;
	uint64_t v64;
	uint32_t v32;
	uint16_t v16;

	switch (f->size) {
	case 2:
		memcpy(&v16, at, sizeof(v16));
		return v16;
	case 4:
		memcpy(&v32, at, sizeof(v32));
		return v32;
	default:
		memcpy(&v64, at, sizeof(v64));
		return f->mask ? (v64 & f->mask) >> __builtin_ctzll(f->mask) : v64;
	}
}

static void value_text(struct out *o, uint64_t value, enum format format)
{
	switch (format) {
	case AS_DECIMAL:
		out_u64(o, value, 0);
		break;
	case AS_HEX:
		out_str(o, "0x");
		out_hex(o, value, 0);
		break;
	case AS_SIGNED: /* the one signed field has 32 bits */
		out_printf(o, "%d", (int32_t)value);
		break;
	case AS_SAMPLE_TYPE:
		bits_text(o, value, sample_bits);
		break;
	case AS_READ_FORMAT:
		bits_text(o, value, read_bits);
		break;
	case AS_BRANCH_TYPE:
		bits_text(o, value, branch_bits);
		break;
	}
}

void attr_text(struct out *o, const struct attr *attr, const struct attr_style *style)
{
	const char *sep = style->first;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		uint64_t value = field_value(attr, &fields[i]);

		if (!value)
			continue;
		out_str(o, sep);
		out_str(o, fields[i].name);
		out_str(o, style->assign);
		value_text(o, value, fields[i].format);
		sep = style->next;
	}
}
