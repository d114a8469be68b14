/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Instructions that capstone 4 does not know: those of AVX-512 on mask registers and comparisons into them, which string functions of the C
 * library are full of, and single ones. Both syntaxes.
 */
#include "symbols/disasm_x86.h"

#include <string.h>

enum { PP_NONE, PP_66, PP_F3, PP_F2 };

/* Operands of a form, in Intel's order. */
enum mask_operands {
	KKK, /* k, k, k */
	KK,
	KK_IMM,
	K_KM,  /* k, k or memory */
	M_K,   /* memory, k */
	K_R,   /* k, general register */
	R_K,   /* general register, k */
	K_VV,  /* k, vector, vector or memory */
	V_VVI, /* vector, vector, vector or memory, immediate */
	K_VVI, /* k, vector, vector or memory, comparison */
	V_VV,  /* vector, vector, vector or memory */
	V_VI,  /* vector (by VEX.vvvv), vector or memory, immediate */
	V_M,   /* vector, one element of memory or of the lowest vector */
	V_R,   /* vector, general register */
};

struct mask_form {
	uint8_t encoding, map, pp, opcode;
	uint8_t w; /* 2: either */
	uint8_t operands;
	uint8_t element_bytes; /* of what {1toN} broadcasts; 0: nothing is */
	const char *name;
};

#define K_LOGIC(op, name)                                                                                                                  \
	{ X86_VEX, X86_0F, PP_NONE, op, 0, KKK, 0, name "w" }, { X86_VEX, X86_0F, PP_NONE, op, 1, KKK, 0, name "q" },                      \
		{ X86_VEX, X86_0F, PP_66, op, 0, KKK, 0, name "b" },                                                                       \
	{                                                                                                                                  \
		X86_VEX, X86_0F, PP_66, op, 1, KKK, 0, name "d"                                                                            \
	}
#define K_PAIR(op, kind, name)                                                                                                             \
	{ X86_VEX, X86_0F, PP_NONE, op, 0, kind, 0, name "w" }, { X86_VEX, X86_0F, PP_NONE, op, 1, kind, 0, name "q" },                    \
		{ X86_VEX, X86_0F, PP_66, op, 0, kind, 0, name "b" },                                                                      \
	{                                                                                                                                  \
		X86_VEX, X86_0F, PP_66, op, 1, kind, 0, name "d"                                                                           \
	}
#define K_GENERAL(op, kind)                                                                                                                \
	{ X86_VEX, X86_0F, PP_NONE, op, 0, kind, 0, "kmovw" }, { X86_VEX, X86_0F, PP_66, op, 0, kind, 0, "kmovb" },                        \
		{ X86_VEX, X86_0F, PP_F2, op, 0, kind, 0, "kmovd" },                                                                       \
	{                                                                                                                                  \
		X86_VEX, X86_0F, PP_F2, op, 1, kind, 0, "kmovq"                                                                            \
	}
#define K_SHIFT(op, name, narrow, wide)                                                                                                    \
	{ X86_VEX, X86_0F3A, PP_66, op, 0, KK_IMM, 0, name narrow },                                                                       \
	{                                                                                                                                  \
		X86_VEX, X86_0F3A, PP_66, op, 1, KK_IMM, 0, name wide                                                                      \
	}
#define TEST(pp, name)                                                                                                                     \
	{ X86_EVEX, X86_0F38, pp, 0x26, 0, K_VV, 0, name "b" }, { X86_EVEX, X86_0F38, pp, 0x26, 1, K_VV, 0, name "w" },                    \
		{ X86_EVEX, X86_0F38, pp, 0x27, 0, K_VV, 4, name "d" },                                                                    \
	{                                                                                                                                  \
		X86_EVEX, X86_0F38, pp, 0x27, 1, K_VV, 8, name "q"                                                                         \
	}

#define EITHER(map, op, w, element, name)                                                                                                  \
	{ X86_EVEX, map, PP_66, op, w, V_VV, element, name },                                                                              \
	{                                                                                                                                  \
		X86_VEX, map, PP_66, op, w, V_VV, element, name                                                                            \
	}

/* The name of a comparison is "vpcmp" with its letter of size behind the condition. Rotations have a second name for ModRM.reg 1. */
static const struct mask_form forms[] = {
	K_LOGIC(0x41, "kand"),
	K_LOGIC(0x42, "kandn"),
	K_LOGIC(0x45, "kor"),
	K_LOGIC(0x46, "kxnor"),
	K_LOGIC(0x47, "kxor"),
	K_LOGIC(0x4a, "kadd"),
	{ X86_VEX, X86_0F, PP_66, 0x4b, 0, KKK, 0, "kunpckbw" },
	{ X86_VEX, X86_0F, PP_NONE, 0x4b, 0, KKK, 0, "kunpckwd" },
	{ X86_VEX, X86_0F, PP_NONE, 0x4b, 1, KKK, 0, "kunpckdq" },
	K_PAIR(0x44, KK, "knot"),
	K_PAIR(0x90, K_KM, "kmov"),
	K_PAIR(0x91, M_K, "kmov"),
	K_PAIR(0x98, KK, "kortest"),
	K_PAIR(0x99, KK, "ktest"),
	K_GENERAL(0x92, K_R),
	K_GENERAL(0x93, R_K),
	K_SHIFT(0x30, "kshiftr", "b", "w"),
	K_SHIFT(0x31, "kshiftr", "d", "q"),
	K_SHIFT(0x32, "kshiftl", "b", "w"),
	K_SHIFT(0x33, "kshiftl", "d", "q"),
	{ X86_EVEX, X86_0F, PP_66, 0x74, 2, K_VV, 0, "vpcmpeqb" },
	{ X86_EVEX, X86_0F, PP_66, 0x75, 2, K_VV, 0, "vpcmpeqw" },
	{ X86_EVEX, X86_0F, PP_66, 0x76, 0, K_VV, 4, "vpcmpeqd" },
	{ X86_EVEX, X86_0F38, PP_66, 0x29, 1, K_VV, 8, "vpcmpeqq" },
	{ X86_EVEX, X86_0F, PP_66, 0x64, 2, K_VV, 0, "vpcmpgtb" },
	{ X86_EVEX, X86_0F, PP_66, 0x65, 2, K_VV, 0, "vpcmpgtw" },
	{ X86_EVEX, X86_0F, PP_66, 0x66, 0, K_VV, 4, "vpcmpgtd" },
	{ X86_EVEX, X86_0F38, PP_66, 0x37, 1, K_VV, 8, "vpcmpgtq" },
	TEST(PP_66, "vptestm"),
	TEST(PP_F3, "vptestnm"),
	{ X86_EVEX, X86_0F3A, PP_66, 0x3f, 0, K_VVI, 0, "b" },
	{ X86_EVEX, X86_0F3A, PP_66, 0x3f, 1, K_VVI, 0, "w" },
	{ X86_EVEX, X86_0F3A, PP_66, 0x3e, 0, K_VVI, 0, "ub" },
	{ X86_EVEX, X86_0F3A, PP_66, 0x3e, 1, K_VVI, 0, "uw" },
	{ X86_EVEX, X86_0F3A, PP_66, 0x1f, 0, K_VVI, 4, "d" },
	{ X86_EVEX, X86_0F3A, PP_66, 0x1f, 1, K_VVI, 8, "q" },
	{ X86_EVEX, X86_0F3A, PP_66, 0x1e, 0, K_VVI, 4, "ud" },
	{ X86_EVEX, X86_0F3A, PP_66, 0x1e, 1, K_VVI, 8, "uq" },
	{ X86_EVEX, X86_0F3A, PP_66, 0x25, 0, V_VVI, 4, "vpternlogd" },
	{ X86_EVEX, X86_0F3A, PP_66, 0x25, 1, V_VVI, 8, "vpternlogq" },
	EITHER(X86_0F38, 0x50, 0, 4, "vpdpbusd"),
	EITHER(X86_0F38, 0x51, 0, 4, "vpdpbusds"),
	EITHER(X86_0F38, 0x52, 0, 4, "vpdpwssd"),
	EITHER(X86_0F38, 0x53, 0, 4, "vpdpwssds"),
	EITHER(X86_0F38, 0xb4, 1, 8, "vpmadd52luq"),
	EITHER(X86_0F38, 0xb5, 1, 8, "vpmadd52huq"),
	{ X86_EVEX, X86_0F38, PP_66, 0xdc, 2, V_VV, 0, "vaesenc" },
	{ X86_EVEX, X86_0F38, PP_66, 0xdd, 2, V_VV, 0, "vaesenclast" },
	{ X86_EVEX, X86_0F38, PP_66, 0xde, 2, V_VV, 0, "vaesdec" },
	{ X86_EVEX, X86_0F38, PP_66, 0xdf, 2, V_VV, 0, "vaesdeclast" },
	EITHER(X86_0F38, 0xcf, 0, 0, "vgf2p8mulb"),
	{ X86_EVEX, X86_0F38, PP_66, 0x8d, 0, V_VV, 0, "vpermb" },
	{ X86_EVEX, X86_0F38, PP_66, 0x75, 0, V_VV, 0, "vpermi2b" },
	{ X86_EVEX, X86_0F38, PP_66, 0x7d, 0, V_VV, 0, "vpermt2b" },
	{ X86_EVEX, X86_0F, PP_66, 0x72, 0, V_VI, 4, "vprord\0vprold" },
	{ X86_EVEX, X86_0F, PP_66, 0x72, 1, V_VI, 8, "vprorq\0vprolq" },
	{ X86_EVEX, X86_0F38, PP_66, 0x78, 0, V_M, 1, "vpbroadcastb" },
	{ X86_EVEX, X86_0F38, PP_66, 0x79, 0, V_M, 2, "vpbroadcastw" },
	{ X86_VEX, X86_0F38, PP_66, 0x5a, 0, V_M, 16, "vbroadcasti128" },
	{ X86_EVEX, X86_0F38, PP_66, 0x7a, 0, V_R, 0, "vpbroadcastb" },
	{ X86_EVEX, X86_0F38, PP_66, 0x7b, 0, V_R, 0, "vpbroadcastw" },
};

/* 0F 01 with the register form of ModRM, and no operands. */
static const struct {
	uint8_t modrm;
	const char *name;
} systems[] = {
	{ 0xcf, "encls" }, { 0xd4, "vmfunc" },	  { 0xd5, "xend" },   { 0xd6, "xtest" },
	{ 0xd7, "enclu" }, { 0xe8, "serialize" }, { 0xee, "rdpkru" }, { 0xef, "wrpkru" },
};

void x86_put_register(const struct x86_printer *p, char kind, unsigned nr)
{
	static const char *const general[] = { "ax", "cx", "dx", "bx", "sp", "bp", "si", "di" };

	if (p->syntax == DISASM_ATT)
		disasm_put(p->t, "%");
	if (kind == 'k')
		disasm_putf(p->t, "k%u", nr & 7);
	else if (kind == 'v')
		disasm_putf(p->t, "%cmm%u", "xyz?"[p->c->vector_length & 3], nr);
	else if (kind == 'x' || kind == 'y')
		disasm_putf(p->t, "%cmm%u", kind, nr);
	else if (nr < 8)
		disasm_putf(p->t, "%c%s", kind == 'd' ? 'e' : 'r', general[nr]);
	else
		disasm_putf(p->t, kind == 'd' ? "r%ud" : "r%u", nr);
}

static void put_signed(struct disasm_text *t, int64_t v, bool with_plus)
{
	if (v < 0)
		disasm_putf(t, "-0x%llx", (unsigned long long)(0 - (uint64_t)v));
	else
		disasm_putf(t, with_plus ? "+0x%llx" : "0x%llx", (unsigned long long)v);
}

void x86_put_memory(const struct x86_printer *p, const struct x86_memory *m)
{
	const struct x86_code *c = p->c;
	bool is_att = p->syntax == DISASM_ATT, is_disp32 = modrm_mod(c) == 0 && modrm_rm(c) == 5, is_rip = is_disp32 && c->is_64bit;
	unsigned base = (c->has_sib ? c->sib & 7 : modrm_rm(c)) | (c->b ? 8u : 0), index = (c->sib >> 3 & 7) | (c->x ? 8u : 0);
	bool has_base = !(c->has_sib && (c->sib & 7) == 5 && modrm_mod(c) == 0) && !is_disp32;
	bool has_index = c->has_sib && (index != 4 || m->index_kind);
	/* A displacement of one byte counts elements, or vectors. */
	int64_t disp = (int64_t)c->disp * (c->encoding == X86_EVEX && c->disp_size == 1 ? m->unit : 1);
	bool has_disp = c->disp_size || !has_base, has_any = is_rip || has_base || has_index;
	char width = c->is_64bit && !c->has_67 ? 'q' : 'd';

	if (is_att && has_disp)
		put_signed(p->t, disp, false);
	if (has_any || !is_att)
		disasm_put(p->t, is_att ? "(" : has_any ? "[" : "ds:");
	if (is_rip)
		disasm_put(p->t, is_att ? "%rip" : "rip");
	else if (has_base)
		x86_put_register(p, width, base);
	if (has_index) {
		disasm_put(p->t, is_att ? "," : has_base ? "+" : "");
		if (m->index_kind)
			x86_put_register(p, m->index_kind, index | (c->vvvv & 16));
		else
			x86_put_register(p, width, index);
		disasm_putf(p->t, is_att ? ",%u" : "*%u", 1u << (c->sib >> 6));
	}
	if (!is_att && has_disp)
		put_signed(p->t, disp, has_any);
	if (has_any)
		disasm_put(p->t, is_att ? ")" : "]");
	if (m->times && is_att)
		disasm_putf(p->t, "{1to%u}", m->times);
}

static void put_pointer(const struct x86_printer *p, const struct mask_form *f)
{
	static const char *const sizes[] = { "XMMWORD", "YMMWORD", "ZMMWORD", "" };

	if (p->syntax == DISASM_ATT)
		return;
	if (f->operands == K_KM || f->operands == M_K)
		disasm_putf(p->t, "%s PTR ",
			    f->name[4] == 'b'	? "BYTE"
			    : f->name[4] == 'w' ? "WORD"
			    : f->name[4] == 'd' ? "DWORD"
						: "QWORD");
	else if (f->operands == V_M)
		disasm_putf(p->t, "%s PTR ", f->element_bytes == 1 ? "BYTE" : f->element_bytes == 2 ? "WORD" : "XMMWORD");
	else if (p->c->is_broadcast)
		disasm_putf(p->t, "%s BCST ", f->element_bytes == 4 ? "DWORD" : "QWORD");
	else
		disasm_putf(p->t, "%s PTR ", sizes[p->c->vector_length & 3]);
}

/* One operand: 'r' is ModRM.reg, 'v' VEX.vvvv, 'm' ModRM.rm; `kind` of a register as above. */
static void put_operand(const struct x86_printer *p, const struct mask_form *f, char from, char kind)
{
	const struct x86_code *c = p->c;
	unsigned nr;

	if (from == 'm' && modrm_mod(c) != 3) {
		bool is_repeated = c->is_broadcast && f->element_bytes;
		struct x86_memory m = { .unit = is_repeated || (f->operands == V_M && f->element_bytes) ? f->element_bytes
													: x86_vector_bytes(c),
					.times = is_repeated ? x86_vector_bytes(c) / f->element_bytes : 0 };

		put_pointer(p, f);
		x86_put_memory(p, &m);
		return;
	}
	if (from == 'v')
		nr = c->vvvv;
	else if (from == 'r')
		nr = modrm_reg(c) | (c->r ? 8u : 0) | (c->r2 ? 16u : 0);
	else
		nr = modrm_rm(c) | (c->b ? 8u : 0) | (c->x && c->encoding == X86_EVEX && (kind == 'v' || kind == 'x') ? 16u : 0);
	x86_put_register(p, kind, nr);
}

void x86_put_mask_of(const struct x86_printer *p)
{
	if (p->c->encoding != X86_EVEX || !p->c->mask)
		return;
	disasm_putf(p->t, p->syntax == DISASM_ATT ? "{%%k%u}" : "{k%u}", p->c->mask);
	if (p->c->is_zeroing)
		disasm_put(p->t, "{z}");
}

/* Where each operand is from and what kind of register it is, in Intel's order, two characters each; 'i' is an immediate. */
static const char *operands_of(const struct mask_form *f)
{
	switch ((enum mask_operands)f->operands) {
	case KKK:
		return "rkvkmk";
	case KK:
	case K_KM:
		return "rkmk";
	case KK_IMM:
		return "rkmki ";
	case M_K:
		return "mkrk";
	case K_R:
		return f->name[4] == 'q' ? "rkmq" : "rkmd";
	case R_K:
		return f->name[4] == 'q' ? "rqmk" : "rdmk";
	case K_VV:
	case K_VVI:
		return "rkvvmv";
	case V_VVI:
		return "rvvvmvi ";
	case V_VV:
		return "rvvvmv";
	case V_VI:
		return "vvmvi ";
	case V_M:
		return "rvmx";
	case V_R:
		return "rvmd";
	}
	return "";
}

static void put_operands(const struct x86_printer *p, const struct mask_form *f, const char *operands, uint8_t imm)
{
	size_t nr = strlen(operands) / 2;

	for (size_t i = 0; i < nr; i++) {
		size_t k = p->syntax == DISASM_ATT ? nr - 1 - i : i;
		const char *o = operands + 2 * k;

		if (i)
			disasm_put(p->t, ",");
		if (*o == 'i')
			disasm_putf(p->t, p->syntax == DISASM_ATT ? "$0x%x" : "0x%x", imm);
		else
			put_operand(p, f, o[0], o[1]);
		if (!k)
			x86_put_mask_of(p);
	}
}

static void put_form(const struct x86_printer *p, const struct mask_form *f, uint8_t imm)
{
	static const char *const conditions[] = { "eq", "lt", "le", NULL, "neq", "nlt", "nle", NULL };
	char name[24];
	struct disasm_text n = { name, 0, sizeof(name) };
	bool has_condition = f->operands == K_VVI && imm < 8 && conditions[imm];

	if (f->operands == K_VVI)
		disasm_put(&n, "vpcmp");
	if (has_condition)
		disasm_put(&n, conditions[imm]);
	disasm_put(&n, f->operands == V_VI && modrm_reg(p->c) ? f->name + strlen(f->name) + 1 : f->name);
	disasm_putf(p->t, "%-6s ", name);
	put_operands(p, f, f->operands != K_VVI || has_condition ? operands_of(f) : "rkvvmvi ", imm);
}

static bool has_immediate(const struct mask_form *f)
{
	return f->operands == KK_IMM || f->operands == V_VVI || f->operands == K_VVI || f->operands == V_VI;
}

static const struct mask_form *find_form(const struct x86_code *c)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		const struct mask_form *f = &forms[i];
		bool has_register = modrm_mod(c) == 3;

		if (f->encoding != c->encoding || f->map != c->map || f->pp != c->pp || f->opcode != c->opcode ||
		    (f->w != 2 && f->w != c->w))
			continue;
		if (f->operands == V_VI && modrm_reg(c) > 1)
			continue;
		if (f->operands == M_K ? has_register : f->operands == K_KM || f->operands >= K_VV ? false : !has_register)
			continue;
		return c->vector_length == 3 ? NULL : f;
	}
	return NULL;
}

uint8_t x86_put_mask(struct disasm_text *t, const struct x86_code *c, enum disasm_syntax syntax)
{
	const struct mask_form *f = c->encoding == X86_LEGACY ? NULL : find_form(c);
	struct x86_printer p = { t, c, syntax };

	if (c->encoding == X86_LEGACY && c->map == X86_0F && c->opcode == 0x01 && !c->nr_prefixes)
		for (size_t i = 0; i < sizeof(systems) / sizeof(*systems); i++)
			if (systems[i].modrm == c->modrm) {
				disasm_put(t, systems[i].name);
				return c->end;
			}
	if (!f || c->nr_prefixes || c->size - c->end < has_immediate(f))
		return 0;
	put_form(&p, f, has_immediate(f) ? c->bytes[c->end] : 0);
	return (uint8_t)(c->end + has_immediate(f));
}

uint8_t x86_vector_size(const struct x86_code *c)
{
	uint8_t op = c->opcode;
	bool has_imm = c->map == X86_0F3A || (c->map == X86_0F && ((op >= 0x70 && op <= 0x73) || op == 0xc2 || (op >= 0xc4 && op <= 0xc6)));
	bool is_known = c->encoding != X86_LEGACY && (c->map == X86_0F || c->map == X86_0F38 || c->map == X86_0F3A ||
						      (c->encoding == X86_EVEX && (c->map == 5 || c->map == 6)));

	return is_known && c->size - c->end >= has_imm ? (uint8_t)(c->end + has_imm) : 0;
}
