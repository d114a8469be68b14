/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Instructions of the x87 coprocessor: D8 to DF are regular enough to be tables of names.
 */
#include "symbols/disasm_x86.h"

#include <string.h>

/* With an operand in memory, by opcode and the middle bits of ModRM; NULL: there is none. */
static const char *const of_memory[8][8] = {
	{ "fadds", "fmuls", "fcoms", "fcomps", "fsubs", "fsubrs", "fdivs", "fdivrs" },
	{ "flds", NULL, "fsts", "fstps", "fldenv", "fldcw", "fnstenv", "fnstcw" },
	{ "fiaddl", "fimull", "ficoml", "ficompl", "fisubl", "fisubrl", "fidivl", "fidivrl" },
	{ "fildl", "fisttpl", "fistl", "fistpl", NULL, "fldt", NULL, "fstpt" },
	{ "faddl", "fmull", "fcoml", "fcompl", "fsubl", "fsubrl", "fdivl", "fdivrl" },
	{ "fldl", "fisttpll", "fstl", "fstpl", "frstor", NULL, "fnsave", "fnstsw" },
	{ "fiadds", "fimuls", "ficoms", "ficomps", "fisubs", "fisubrs", "fidivs", "fidivrs" },
	{ "filds", "fisttps", "fists", "fistps", "fbld", "fildll", "fbstp", "fistpll" },
};

/* With registers: '<' is "%st(i),%st", '>' "%st,%st(i)", '1' "%st(i)". */
static const char *const of_registers[8][8] = {
	{ "<fadd", "<fmul", "1fcom", "1fcomp", "<fsub", "<fsubr", "<fdiv", "<fdivr" },
	{ "1fld", "1fxch", NULL, NULL, NULL, NULL, NULL, NULL },
	{ "<fcmovb", "<fcmove", "<fcmovbe", "<fcmovu", NULL, NULL, NULL, NULL },
	{ "<fcmovnb", "<fcmovne", "<fcmovnbe", "<fcmovnu", NULL, "<fucomi", "<fcomi", NULL },
	{ ">fadd", ">fmul", NULL, NULL, ">fsub", ">fsubr", ">fdiv", ">fdivr" },
	{ "1ffree", NULL, "1fst", "1fstp", "1fucom", "1fucomp", NULL, NULL },
	{ ">faddp", ">fmulp", NULL, NULL, ">fsubp", ">fsubrp", ">fdivp", ">fdivrp" },
	{ "1ffreep", NULL, NULL, NULL, NULL, "<fucomip", "<fcomip", NULL },
};

/* Those without operands, by opcode and ModRM. */
static const struct {
	uint8_t opcode, modrm;
	const char *name;
} alone[] = {
	{ 0xd9, 0xd0, "fnop" },	  { 0xd9, 0xe0, "fchs" },    { 0xd9, 0xe1, "fabs" },   { 0xd9, 0xe4, "ftst" },	  { 0xd9, 0xe5, "fxam" },
	{ 0xd9, 0xe8, "fld1" },	  { 0xd9, 0xe9, "fldl2t" },  { 0xd9, 0xea, "fldl2e" }, { 0xd9, 0xeb, "fldpi" },	  { 0xd9, 0xec, "fldlg2" },
	{ 0xd9, 0xed, "fldln2" }, { 0xd9, 0xee, "fldz" },    { 0xd9, 0xf0, "f2xm1" },  { 0xd9, 0xf1, "fyl2x" },	  { 0xd9, 0xf2, "fptan" },
	{ 0xd9, 0xf3, "fpatan" }, { 0xd9, 0xf4, "fxtract" }, { 0xd9, 0xf5, "fprem1" }, { 0xd9, 0xf6, "fdecstp" }, { 0xd9, 0xf7, "fincstp" },
	{ 0xd9, 0xf8, "fprem" },  { 0xd9, 0xf9, "fyl2xp1" }, { 0xd9, 0xfa, "fsqrt" },  { 0xd9, 0xfb, "fsincos" }, { 0xd9, 0xfc, "frndint" },
	{ 0xd9, 0xfd, "fscale" }, { 0xd9, 0xfe, "fsin" },    { 0xd9, 0xff, "fcos" },   { 0xda, 0xe9, "fucompp" }, { 0xdb, 0xe2, "fnclex" },
	{ 0xdb, 0xe3, "fninit" }, { 0xde, 0xd9, "fcompp" },
};

/* Behind a wait that is part of it. */
static const char *const waiting[][2] = {
	{ "fnstenv", "fstenv" }, { "fnstcw", "fstcw" }, { "fnsave", "fsave" },
	{ "fnstsw", "fstsw" },	 { "fnclex", "fclex" }, { "fninit", "finit" },
};

const char *x87_waiting_name(const struct x86_code *c)
{
	const char *name = NULL;

	if (c->encoding != X86_LEGACY || c->map != X86_ONE_BYTE || (c->opcode & 0xf8) != 0xd8 || c->nr_prefixes || c->rex)
		return NULL;
	if (modrm_mod(c) != 3)
		name = of_memory[c->opcode & 7][modrm_reg(c)];
	else if (c->opcode == 0xdb && (c->modrm == 0xe2 || c->modrm == 0xe3))
		name = c->modrm == 0xe2 ? "fnclex" : "fninit";
	else if (c->opcode == 0xdf && c->modrm == 0xe0)
		name = "fnstsw";
	for (size_t i = 0; name && i < sizeof(waiting) / sizeof(*waiting); i++)
		if (!strcmp(name, waiting[i][0]))
			return waiting[i][1];
	return NULL;
}

bool x87_put_att(struct disasm_text *t, const struct x86_code *c, const char *memory)
{
	const char *name;

	if (modrm_mod(c) != 3) {
		name = of_memory[c->opcode & 7][modrm_reg(c)];
		if (name)
			disasm_putf(t, "%-6s ", name);
		if (name)
			disasm_put(t, memory);
		return name;
	}
	for (size_t i = 0; i < sizeof(alone) / sizeof(*alone); i++)
		if (alone[i].opcode == c->opcode && alone[i].modrm == c->modrm) {
			disasm_put(t, alone[i].name);
			return true;
		}
	if (c->opcode == 0xdf && c->modrm == 0xe0) {
		disasm_put(t, "fnstsw %ax");
		return true;
	}
	name = of_registers[c->opcode & 7][modrm_reg(c)];
	if (!name)
		return false;
	disasm_putf(t, *name == '<' ? "%-6s %%st(%u),%%st" : *name == '>' ? "%-6s %%st,%%st(%u)" : "%-6s %%st(%u)", name + 1, modrm_rm(c));
	return true;
}
