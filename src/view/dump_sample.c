/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One printer per field of a sample, in one table in the order of perf's text.
 */
#include "view/record_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct sample_ref {
	const struct recording *recording;
	const struct session_record *sr;
	const struct sample *sample;
	const struct sample_layout *layout;
};

static bool is_call_stack(const struct sample_ref *r)
{
	return r->layout->branch_sample_type & BRANCH_CALL_STACK;
}

static void put_ip(struct out *o, uint64_t i, uint64_t ip)
{
	out_printf(o, "..... %2" PRIu64 ": %016" PRIx64 "\n", i, ip);
}

/* The kernel's part of the chain and then the branch stack, which holds the user's. */
static void put_lbr_chain(struct out *o, const struct sample *s)
{
	uint64_t nr = 0;

	while (nr < s->nr_ips && s->ips[nr] != CHAIN_USER)
		nr++;
	if (nr++ == s->nr_ips || !s->nr_branches)
		return;
	out_printf(o, "... LBR call chain: nr:%" PRIu64 "\n", nr + s->nr_branches + 1);
	for (uint64_t i = 0; i < nr; i++)
		put_ip(o, i, s->ips[i]);
	put_ip(o, nr, s->branches[0].to);
	for (uint64_t i = 0; i < s->nr_branches; i++)
		put_ip(o, nr + 1 + i, s->branches[i].from);
}

static void put_callchain(struct out *o, const struct sample_ref *r)
{
	const struct sample *s = r->sample;

	if (is_call_stack(r))
		put_lbr_chain(o, s);
	out_printf(o, "... FP chain: nr:%" PRIu64 "\n", s->nr_ips);
	for (uint64_t i = 0; i < s->nr_ips; i++)
		put_ip(o, i, s->ips[i]);
}

static const char *branch_type_name(uint64_t flags)
{
	static const char *const names[] = { "",       "COND",	    "UNCOND",	"IND",	"CALL", "IND_CALL", "RET",  "SYSCALL",
					     "SYSRET", "COND_CALL", "COND_RET", "ERET", "IRQ",	"SERROR",   "NO_TX" };
	static const char *const new_names[] = {
		"FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1", "ARCH_2", "ARCH_3", "ARCH_4", "ARCH_5"
	};
	unsigned type = flags >> 20 & 15, new_type = flags >> 26 & 15;

	if (type < sizeof(names) / sizeof(names[0]))
		return names[type];
	return new_type < sizeof(new_names) / sizeof(new_names[0]) ? new_names[new_type] : "(null)";
}

static void put_branch_stack(struct out *o, const struct sample_ref *r)
{
	const struct sample *s = r->sample;

	if (is_call_stack(r)) {
		out_printf(o, "... branch callstack: nr:%" PRIu64 "\n", s->nr_branches + 1);
		if (s->nr_branches)
			put_ip(o, 0, s->branches[0].to);
		for (uint64_t i = 0; i < s->nr_branches; i++)
			put_ip(o, i + 1, s->branches[i].from);
		return;
	}
	out_printf(o, "... branch stack: nr:%" PRIu64 "\n", s->nr_branches);
	for (uint64_t i = 0; i < s->nr_branches; i++) {
		const struct branch_entry *e = &s->branches[i];

		out_printf(o, "..... %2" PRIu64 ": %016" PRIx64 " -> %016" PRIx64 " %u cycles %c%c%c%c %x %s\n", i, e->from, e->to,
			   (unsigned)(e->flags >> 4 & 0xffff), e->flags & 1 ? 'M' : ' ', e->flags & 2 ? 'P' : ' ', e->flags & 8 ? 'A' : ' ',
			   e->flags & 4 ? 'T' : ' ', (unsigned)(e->flags >> 33), branch_type_name(e->flags));
	}
}

static void register_name(char *name, size_t size, const char *arch, unsigned reg)
{
	static const char *const x86[] = { "AX", "BX", "CX", "DX", "SI", "DI", "BP",  "SP",  "IP",  "FLAGS", "CS",  "SS",
					   "DS", "ES", "FS", "GS", "R8", "R9", "R10", "R11", "R12", "R13",   "R14", "R15" };
	static const char *const arm64[] = { "lr", "sp", "pc" };
	bool is_arm64 = !strcmp(arch, "arm64") || !strcmp(arch, "aarch64");

	if (is_arm64 && reg < 30)
		snprintf(name, size, "x%u", reg);
	else if (is_arm64)
		snprintf(name, size, "%s", reg < 33 ? arm64[reg - 30] : "unknown");
	else if (reg >= 32)
		snprintf(name, size, "XMM%u", (reg - 32) / 2);
	else
		snprintf(name, size, "%s", reg < 24 ? x86[reg] : "unknown");
}

static void put_registers(struct out *o, const struct sample_ref *r, const char *which, uint64_t abi, uint64_t mask, const uint64_t *values)
{
	static const char *const abis[] = { "none", "32-bit", "64-bit" };
	const char *arch = r->recording->info->arch ? r->recording->info->arch : "x86_64";
	unsigned nr = 0;

	if (!abi)
		return;
	out_printf(o, "... %s regs: mask 0x%" PRIx64 " ABI %s\n", which, mask, abi < 3 ? abis[abi] : "unknown");
	for (unsigned reg = 0; reg < 64; reg++) {
		char name[16];

		if (!(mask >> reg & 1))
			continue;
		register_name(name, sizeof(name), arch, reg);
		out_printf(o, ".... %-5s 0x%016" PRIx64 "\n", name, values[nr++]);
	}
}

static void put_regs_user(struct out *o, const struct sample_ref *r)
{
	put_registers(o, r, "user", r->sample->regs_user_abi, r->layout->regs_user, r->sample->regs_user);
}

static void put_regs_intr(struct out *o, const struct sample_ref *r)
{
	put_registers(o, r, "intr", r->sample->regs_intr_abi, r->layout->regs_intr, r->sample->regs_intr);
}

/* The offset is that of the stack's size, which stands before its bytes. */
static void put_stack(struct out *o, const struct sample_ref *r)
{
	const struct sample *s = r->sample;
	uint64_t offset = s->stack ? (uint64_t)((const char *)s->stack - (const char *)r->sr->header) - 8 : 0;

	out_printf(o, "... ustack: size %" PRIu64 ", offset 0x%" PRIx64 "\n", s->stack ? s->stack_dyn_size : 0, offset);
}

static void put_weight(struct out *o, const struct sample_ref *r)
{
	uint64_t w = r->sample->weight;

	if (r->layout->sample_type & SAMPLE_WEIGHT_STRUCT) /* the third part is not shown: it is POWER's alone */
		out_printf(o, "... weight: %u,0x%x,0x0\n", (uint32_t)w, (unsigned)(w >> 32 & 0xffff));
	else
		out_printf(o, "... weight: %" PRIu64 "\n", w);
}

static void put_data_src(struct out *o, const struct sample_ref *r)
{
	out_printf(o, " . data_src: 0x%" PRIx64 "\n", r->sample->data_src);
}

static void put_phys_addr(struct out *o, const struct sample_ref *r)
{
	out_printf(o, " .. phys_addr: 0x%" PRIx64 "\n", r->sample->phys_addr);
}

static void put_page_size(struct out *o, const char *which, uint64_t size)
{
	const char *unit = "BKMG";

	if (!size) {
		out_printf(o, " .. %s page size: N/A\n", which);
		return;
	}
	for (; unit[1] && size / 1024; unit++)
		size /= 1024;
	out_printf(o, " .. %s page size: %" PRIu64 "%c\n", which, size, *unit);
}

static void put_data_page_size(struct out *o, const struct sample_ref *r)
{
	put_page_size(o, "data", r->sample->data_page_size);
}

static void put_code_page_size(struct out *o, const struct sample_ref *r)
{
	put_page_size(o, "code", r->sample->code_page_size);
}

static void put_transaction(struct out *o, const struct sample_ref *r)
{
	out_printf(o, "... transaction: %" PRIx64 "\n", r->sample->transaction);
}

static void put_read(struct out *o, const struct sample_ref *r)
{
	const struct sample_read *read = &r->sample->read;
	uint64_t format = r->layout->read_format;

	out_str(o, "... sample_read:\n");
	if (format & READ_TOTAL_TIME_ENABLED)
		out_printf(o, "...... time enabled %016" PRIx64 "\n", read->time_enabled);
	if (format & READ_TOTAL_TIME_RUNNING)
		out_printf(o, "...... time running %016" PRIx64 "\n", read->time_running);
	if (format & READ_GROUP)
		out_printf(o, ".... group nr %" PRIu64 "\n", read->nr);
	for (uint64_t i = 0; i < read->nr; i++) {
		struct sample_read_value v = sample_read_get(r->layout, read, i);

		out_printf(o, "..... id %016" PRIx64 ", value %016" PRIx64, v.id, v.value);
		if (format & READ_LOST)
			out_printf(o, ", lost %" PRIu64, v.lost);
		out_char(o, '\n');
	}
}

void dump_sample(struct out *o, const struct recording *recording, const struct session_record *sr)
{
	static const struct {
		uint64_t type;
		void (*put)(struct out *o, const struct sample_ref *r);
	} fields[] = {
		{ SAMPLE_CALLCHAIN, put_callchain },
		{ SAMPLE_BRANCH_STACK, put_branch_stack },
		{ SAMPLE_REGS_USER, put_regs_user },
		{ SAMPLE_REGS_INTR, put_regs_intr },
		{ SAMPLE_STACK_USER, put_stack },
		{ SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT, put_weight },
		{ SAMPLE_DATA_SRC, put_data_src },
		{ SAMPLE_PHYS_ADDR, put_phys_addr },
		{ SAMPLE_DATA_PAGE_SIZE, put_data_page_size },
		{ SAMPLE_CODE_PAGE_SIZE, put_code_page_size },
		{ SAMPLE_TRANSACTION, put_transaction },
		{ SAMPLE_READ, put_read },
	};
	const struct sample_ref r = {
		.recording = recording,
		.sr = sr,
		.sample = &sr->rec.sample,
		.layout = &recording->info->events.v[sr->event].layout,
	};

	out_printf(o, "(IP, 0x%x): %d/%d: %#" PRIx64 " period: %" PRIu64 " addr: %#" PRIx64 "\n", sr->header->misc, (int32_t)r.sample->pid,
		   (int32_t)r.sample->tid, r.sample->ip, r.sample->period, r.sample->addr);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (r.layout->sample_type & fields[i].type)
			fields[i].put(o, &r);
}
