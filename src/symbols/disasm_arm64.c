/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * arm64: capstone's text with objdump's form of addresses, numbers and conditions, and the aliases that objdump prefers. Instructions have four
 * bytes, so nothing is lost where one is not known.
 */
#include "symbols/disasm_printers.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/disasm_text.h"

#ifdef HAVE_CAPSTONE

static uint32_t word_of(const uint8_t *code)
{
	return code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
}

static bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static void set_kind(uint32_t word, struct disasm_insn *insn)
{
	insn->has_target = true;
	if ((word & 0xfc000000) == 0x14000000)
		insn->kind = DISASM_JUMP;
	else if ((word & 0xfc000000) == 0x94000000)
		insn->kind = DISASM_CALL;
	else if ((word & 0xff000010) == 0x54000000 || (word & 0x7e000000) == 0x34000000 || (word & 0x7e000000) == 0x36000000)
		insn->kind = DISASM_BRANCH;
	else
		insn->has_target = false;
	/* To a register: br, blr, ret and those with authentication. */
	if ((word & 0xfe000000) == 0xd6000000)
		insn->kind = (word >> 21 & 3) == 0 ? DISASM_JUMP : (word >> 21 & 3) == 1 ? DISASM_CALL : DISASM_RETURN;
}

/* ADR, ADRP and loads relative to the instruction. */
static bool names_data(uint32_t word)
{
	return (word & 0x1f000000) == 0x10000000 || (word & 0x3b000000) == 0x18000000;
}

/* A number of shifts, widths and bits is decimal, and so are those of addresses. */
static bool is_decimal(const char *name)
{
	static const char *const begin[] = { "ld",    "st",    "prfm",	"tb",	 "lsl",	  "lsr",   "asr",    "ror",    "ubf",
					     "sbf",   "bf",    "extr",	"ext",	 "sshr",  "ushr",  "shl",    "sshl",   "ushl",
					     "ssra",  "usra",  "sli",	"sri",	 "shrn",  "rshrn", "sqshrn", "uqshrn", "sshll",
					     "ushll", "sqshl", "uqshl", "fcvtz", "scvtf", "ucvtf", "srshr",  "cmeq",   "cmge",
					     "cmgt",  "cmle",  "cmlt",	"urshr", "sqrshr" };

	for (size_t i = 0; i < sizeof(begin) / sizeof(*begin); i++)
		if (begins(name, begin[i]))
			return true;
	return false;
}

static void put_number(struct disasm_text *t, const char *s, bool is_plain, bool is_wide)
{
	bool is_negative = *s == '-';
	unsigned long long v = strtoull(s + is_negative, NULL, 0);

	if (is_plain && !is_negative && v >> 63)
		disasm_putf(t, "#-%llu", 0 - v);
	else if (is_plain)
		disasm_putf(t, is_negative ? "#-%llu" : "#%llu", v);
	else if (is_negative && is_wide)
		disasm_putf(t, "#0x%llx", 0 - v);
	else if (is_negative)
		disasm_putf(t, "#0x%x", (unsigned)(0 - v));
	else
		disasm_putf(t, "#0x%llx", v);
}

/* hs and lo have two names each. */
static const char *condition(const char *s)
{
	return !strcmp(s, "hs") ? "cs" : !strcmp(s, "lo") ? "cc" : NULL;
}

static void put_operands(struct disasm_text *t, const char *name, const char *s, uint32_t word, struct disasm_insn *insn)
{
	bool names_address = insn->has_target || names_data(word), is_wide = *s == 'x', is_last;
	int depth = 0;

	while (*s) {
		size_t len = *s == '#' ? 1 + strcspn(s + 1, ",] }") : strcspn(s, "#,[] {}");

		depth += *s == '[';
		depth -= *s == ']';
		is_last = !s[len];
		if (*s == '#' && names_address && is_last) {
			insn->target = strtoull(s + 1, NULL, 0);
			insn->has_name = true;
			disasm_putf(t, "%llx", (unsigned long long)insn->target);
		} else if (*s == '#' && memchr(s, '.', len)) {
			disasm_putf(t, begins(name, "fc") ? "#%.1f" : "#%.18e", strtod(s + 1, NULL));
		} else if (*s == '#') {
			bool is_shift = t->len > 4 && (!strcmp(t->s + t->len - 4, "lsl ") || !strcmp(t->s + t->len - 4, "lsr ") ||
						       !strcmp(t->s + t->len - 4, "asr ") || !strcmp(t->s + t->len - 4, "ror ") ||
						       !strcmp(t->s + t->len - 4, "msl ") || !memcmp(t->s + t->len - 3, "xt", 2) ||
						       !memcmp(t->s + t->len - 4, "xt", 2));

			put_number(t, s + 1, depth || is_shift || is_decimal(name), is_wide);
		} else if (len == 2 && condition((char[]){ s[0], s[1], 0 })) {
			disasm_put(t, condition((char[]){ s[0], s[1], 0 }));
		} else {
			disasm_put_len(t, s, len ? len : 1);
		}
		s += len ? len : 1;
	}
}

/* Moves of an immediate have one name, with the value that results. */
static bool put_move(struct disasm_text *t, uint32_t word)
{
	bool is_wide = word >> 31;
	unsigned reg = word & 31, shift = (word >> 21 & 3) * 16;
	uint64_t v = (uint64_t)(word >> 5 & 0xffff) << shift;

	if ((word & 0x1f800000) != 0x12800000 || (word >> 29 & 3) == 3 || (word >> 29 & 3) == 1 || reg == 31 || (!v && shift) ||
	    (!is_wide && shift > 16))
		return false;
	if ((word >> 29 & 3) == 0) {
		if (!is_wide && v == 0xffff)
			return false;
		v = is_wide ? ~v : ~v & UINT32_MAX;
	}
	disasm_putf(t, is_wide ? "mov    x%u, #0x%llx" : "mov    w%u, #0x%llx", reg, (unsigned long long)v);
	return true;
}

/* Hints, by their number, that capstone shows as such. */
static bool put_hint(struct disasm_text *t, uint32_t word)
{
	static const struct {
		uint8_t nr;
		const char *text;
	} hints[] = {
		{ 0x07, "xpaclri" },   { 0x08, "pacia1716" },	 { 0x0a, "pacib1716" },	   { 0x0c, "autia1716" }, { 0x0e, "autib1716" },
		{ 0x10, "esb" },       { 0x11, "psb    csync" }, { 0x12, "tsb    csync" }, { 0x14, "csdb" },	  { 0x18, "paciaz" },
		{ 0x19, "paciasp" },   { 0x1a, "pacibz" },	 { 0x1b, "pacibsp" },	   { 0x1c, "autiaz" },	  { 0x1d, "autiasp" },
		{ 0x1e, "autibz" },    { 0x1f, "autibsp" },	 { 0x20, "bti" },	   { 0x22, "bti    c" },  { 0x24, "bti    j" },
		{ 0x26, "bti    jc" },
	};

	for (size_t i = 0; (word & 0xfffff01f) == 0xd503201f && i < sizeof(hints) / sizeof(*hints); i++)
		if (hints[i].nr == (word >> 5 & 0x7f)) {
			disasm_put(t, hints[i].text);
			return true;
		}
	return false;
}

static void put_reg(struct disasm_text *t, uint32_t nr, bool is_wide, bool is_address)
{
	if (nr == 31)
		disasm_put(t, is_address ? "sp" : is_wide ? "xzr" : "wzr");
	else
		disasm_putf(t, is_wide ? "x%u" : "w%u", nr);
}

/* Atomic instructions of ARMv8.1, which capstone 4 lacks. */
static bool put_atomic(struct disasm_text *t, uint32_t word)
{
	static const char *const names[] = { "add", "clr", "eor", "set", "smax", "smin", "umax", "umin" };
	bool is_cas = (word & 0x3fa07c00) == 0x08a07c00, is_swap = (word & 0x3f20fc00) == 0x38208000,
	     is_op = (word & 0x3f208c00) == 0x38200000;
	bool is_acquire = is_cas ? word >> 22 & 1 : word >> 23 & 1, is_release = is_cas ? word >> 15 & 1 : word >> 22 & 1;
	bool is_store = is_op && (word & 31) == 31 && !is_acquire, is_wide = word >> 30 == 3;
	size_t start = t->len;

	if (!is_cas && !is_swap && !is_op)
		return false;
	disasm_put(t, is_cas ? "cas" : is_swap ? "swp" : is_store ? "st" : "ld");
	if (is_op)
		disasm_put(t, names[word >> 12 & 7]);
	disasm_put(t, is_acquire ? "a" : "");
	disasm_put(t, is_release ? "l" : "");
	disasm_put(t, word >> 30 == 0 ? "b" : word >> 30 == 1 ? "h" : "");
	while (t->len - start < 6)
		disasm_put(t, " ");
	disasm_put(t, " ");
	put_reg(t, word >> 16 & 31, is_wide, false);
	if (!is_store) {
		disasm_put(t, ", ");
		put_reg(t, word & 31, is_wide, false);
	}
	disasm_put(t, ", [");
	put_reg(t, word >> 5 & 31, true, true);
	disasm_put(t, "]");
	return true;
}

/* "orr x0, xzr, #…" is a move. */
static const char *operands_of_move(const cs_insn *insn, char *buf, size_t size)
{
	const char *zero = strstr(insn->op_str, ", xzr, #");

	if (!zero)
		zero = strstr(insn->op_str, ", wzr, #");
	if (strcmp(insn->mnemonic, "orr") || !zero || (size_t)(zero - insn->op_str) + strlen(zero + 5) >= size)
		return NULL;
	memcpy(buf, insn->op_str, (size_t)(zero - insn->op_str));
	strcpy(buf + (zero - insn->op_str), zero + 5);
	return buf;
}

void disasm_arm64(struct disasm_engine *e, const uint8_t *code, size_t size, struct disasm_insn *insn)
{
	struct disasm_text t = { insn->text, 0, sizeof(insn->text) };
	const uint8_t *at = code;
	size_t left = size < 4 ? size : 4;
	uint64_t addr = insn->addr;
	const char *name, *operands, *moved;
	char buf[sizeof(e->insn->op_str)];
	uint32_t word;

	insn->size = (uint8_t)left;
	if (left < 4) {
		insn->kind = DISASM_BAD;
		disasm_put(&t, "(bad)");
		return;
	}
	word = word_of(code);
	if (put_move(&t, word) || put_hint(&t, word) || put_atomic(&t, word))
		return;
	if (!cs_disasm_iter(e->handle, &at, &left, &addr, e->insn)) {
		insn->kind = DISASM_BAD;
		if (word < 0x10000)
			disasm_putf(&t, "udf    #%u", word);
		else
			disasm_putf(&t, ".inst  0x%08x ; undefined", word);
		return;
	}
	set_kind(word, insn);
	moved = operands_of_move(e->insn, buf, sizeof(buf));
	operands = moved ? moved : e->insn->op_str;
	name = moved ? "mov" : e->insn->mnemonic;
	if (begins(name, "b.") && condition(name + 2))
		name = !strcmp(name, "b.hs") ? "b.cs" : "b.cc";
	disasm_put(&t, name);
	if (!*operands)
		return;
	for (size_t i = t.len; i < 6; i++)
		disasm_put(&t, " ");
	disasm_put(&t, " ");
	put_operands(&t, name, operands, word, insn);
}

#endif
