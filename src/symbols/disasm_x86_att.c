/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The AT&T text of an x86 instruction as objdump has it, from capstone's: a suffix of size only where no register says it, hexadecimal numbers
 * throughout, displacements as they are encoded (0x0 is written where it has bytes), the implicit operands of string instructions.
 */
#include "symbols/disasm_x86.h"

#include <string.h>

static bool is_legacy(const struct x86_code *c, enum x86_map map)
{
	return c->encoding == X86_LEGACY && c->map == map;
}

static void put_name(struct disasm_text *t, const char *name, size_t len, bool has_operands)
{
	disasm_put_len(t, name, len);
	if (!has_operands)
		return;
	for (size_t i = len; i < 6; i++)
		disasm_put(t, " ");
	disasm_put(t, " ");
}

/* Bytes of the general register that a text names; 0: it is none. */
static uint8_t register_bytes(struct x86_span s)
{
	static const char *const bytes[] = { "al", "ah", "bl", "bh", "cl", "ch", "dl", "dh", "sil", "dil", "bpl", "spl" };
	static const char *const words[] = { "ax", "bx", "cx", "dx", "si", "di", "bp", "sp" };

	if (s.len < 3 || s.s[0] != '%')
		return 0;
	s.s++;
	s.len--;
	for (size_t i = 0; i < sizeof(bytes) / sizeof(*bytes); i++)
		if (x86_span_is(s, bytes[i]))
			return 1;
	for (size_t i = 0; i < 8; i++) {
		if (x86_span_is(s, words[i]))
			return 2;
		if (s.len == 3 && !memcmp(s.s + 1, words[i], 2) && (s.s[0] == 'e' || s.s[0] == 'r'))
			return s.s[0] == 'e' ? 4 : 8;
	}
	if (s.s[0] != 'r' || s.s[1] < '0' || s.s[1] > '9')
		return 0;
	switch (s.s[s.len - 1]) {
	case 'b':
		return 1;
	case 'w':
		return 2;
	case 'd':
		return 4;
	default:
		return 8;
	}
}

static bool is_segment_register(struct x86_span s)
{
	return s.len == 3 && s.s[0] == '%' && s.s[2] == 's' && strchr("cdefgs", s.s[1]);
}

/* The letter that capstone put behind the name for the size; 0: none. */
static char suffix_of(const struct x86_words *w)
{
	size_t len = strlen(w->base);

	return w->name.len == len + 1 && !memcmp(w->name.s, w->base, len) && strchr("bwlq", w->name.s[len]) ? w->name.s[len] : 0;
}

static uint8_t suffix_bytes(char suffix)
{
	return suffix == 'b' ? 1 : suffix == 'w' ? 2 : suffix == 'l' ? 4 : 8;
}

static bool is_in(const char *name, const char *const *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(name, list[i]))
			return true;
	return false;
}
#define IS_IN(name, list) is_in(name, list, sizeof(list) / sizeof(*(list)))

/* Whether the size is said by the name. */
static bool keeps_suffix(const struct x86_code *c, const struct x86_words *w)
{
	static const char *const never[] = { "push", "pop",  "call", "jmp",   "ret",  "leave",	"enter", "lgdt",
					     "lidt", "sgdt", "sidt", "pushf", "popf", "pushfq", "popfq" };
	static const char *const always[] = { "crc32", "iret", "sysret", "sysexit" };
	static const char *const shifts[] = { "shl", "shr", "sar", "rol", "ror", "rcl", "rcr", "sal" };
	bool has_memory = c->has_sib || c->disp_size || (c->end && modrm_mod(c) != 3);

	if (IS_IN(w->base, never))
		return c->has_mandatory_66 && c->is_64bit && (w->base[0] == 'p');
	if (IS_IN(w->base, always) || (IS_IN(w->base, shifts) && has_memory))
		return true;
	for (uint32_t i = 0; i < w->nr; i++)
		if (register_bytes(w->operands[i]) || is_segment_register(w->operands[i]))
			return false;
	return true;
}

/* How many bytes an immediate is extended to; 0: it is what it is. */
static uint8_t immediate_bytes(const struct x86_code *c, const struct x86_words *w)
{
	char suffix = suffix_of(w);

	if (!strcmp(w->base, "push"))
		return c->is_64bit ? 8 : 4;
	if (is_legacy(c, X86_ONE_BYTE) && ((c->opcode & 0xf6) == 0xc2 || c->opcode == 0xc8))
		return 2; /* ret, lret, enter */
	if (suffix)
		return suffix_bytes(suffix);
	for (uint32_t i = w->nr; i--;)
		if (register_bytes(w->operands[i]))
			return register_bytes(w->operands[i]);
	return 1;
}

static uint64_t cut_to(uint64_t v, uint8_t bytes)
{
	return bytes >= 8 ? v : v & ((UINT64_C(1) << 8 * bytes) - 1);
}

/* Text of capstone's without its blanks. */
static void put_squeezed(struct disasm_text *t, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] != ' ')
			disasm_put_len(t, s + i, 1);
}

/* Base and index. capstone takes some indexes for vectors that are none. */
static void put_registers(struct disasm_text *t, const struct x86_code *c, const char *s, size_t len)
{
	static const char *const general[] = { "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi" };
	bool has_vectors = c->map == X86_0F38 && ((c->opcode & 0xfc) == 0x90 || (c->opcode & 0xfc) == 0xa0 || (c->opcode & 0xfe) == 0xc6);
	const char *wrong = c->encoding == X86_EVEX && !has_vectors ? memmem(s, len, ",", 1) : NULL;
	unsigned nr = (c->sib >> 3 & 7) | (c->x ? 8u : 0);

	while (wrong && (*wrong == ',' || *wrong == ' '))
		wrong++;
	if (!wrong || (size_t)(s + len - wrong) < 4 || memcmp(wrong + 2, "mm", 2)) {
		put_squeezed(t, s, len);
		return;
	}
	put_squeezed(t, s, (size_t)(wrong - s));
	if (nr < 8)
		disasm_putf(t, "%%%s", general[nr]);
	else
		disasm_putf(t, "%%r%u", nr);
	while (wrong < s + len && *wrong != ',')
		wrong++;
	put_squeezed(t, wrong, (size_t)(s + len - wrong));
}

/* Displacement and registers of an operand in memory. */
static void put_memory(struct disasm_text *t, const struct x86_code *c, struct x86_span s)
{
	struct x86_span head = s;
	const char *open = memchr(s.s, '(', s.len), *close = open ? memchr(open, ')', s.len - (size_t)(open - s.s)) : NULL;
	int64_t disp = 0;
	bool has_number;

	head.len = open ? (size_t)(open - s.s) : s.len;
	if (head.len >= 4 && head.s[0] == '%' && head.s[3] == ':') {
		bool is_shown = (!c->is_64bit || head.s[1] == 'f' || head.s[1] == 'g') && !(is_legacy(c, X86_0F) && c->opcode == 0x1f);

		if (is_shown)
			disasm_put_len(t, head.s, 4);
		head.s += 4;
		head.len -= 4;
	}
	has_number = x86_number(head, &disp) > 0;
	if (!open) {
		disasm_putf(t, "0x%llx", (unsigned long long)cut_to((uint64_t)disp, c->is_64bit && !c->has_67 ? 8 : 4));
		return;
	}
	if (disp < 0)
		disasm_putf(t, "-0x%llx", (unsigned long long)(0 - (uint64_t)disp));
	else if (has_number || c->disp_size)
		disasm_putf(t, "0x%llx", (unsigned long long)disp);
	if (!close)
		close = s.s + s.len;
	put_registers(t, c, open, (size_t)(close - open));
	/* A scale of one is not left out, and no index is an index, too, where the base would not need it. */
	if (memchr(open, ',', (size_t)(close - open))) {
		const char *last = close;

		while (last > open && last[-1] != ',')
			last--;
		while (*last == ' ')
			last++;
		if (*last == '%')
			disasm_put(t, ",1");
	} else if (c->has_sib && (c->sib & 0x38) == 0x20 && (c->sib & 7) != 4 && !(c->rex & 2) && c->encoding == X86_LEGACY) {
		disasm_put(t, c->is_64bit && !c->has_67 ? ",%riz," : ",%eiz,");
		disasm_putf(t, "%u", 1u << (c->sib >> 6));
	}
	/* With {1to8} or a mask behind it. */
	put_squeezed(t, close, s.len - (size_t)(close - s.s));
}

static void put_operand(struct disasm_text *t, const struct x86_code *c, const struct x86_words *w, struct x86_span s)
{
	int64_t v;

	if (s.len && s.s[0] == '*') {
		disasm_put(t, "*");
		s.s++;
		s.len--;
	}
	if (s.len && s.s[0] == '$' && x86_number((struct x86_span){ s.s + 1, s.len - 1 }, &v)) {
		disasm_putf(t, "$0x%llx", (unsigned long long)cut_to((uint64_t)v, v < 0 || w->base[0] != 'm' ? immediate_bytes(c, w) : 8));
		return;
	}
	if (s.len && (s.s[0] == '{' || (s.s[0] == '%' && !memchr(s.s, ':', s.len) && !memchr(s.s, '(', s.len))))
		put_squeezed(t, s.s, s.len);
	else
		put_memory(t, c, s);
}

/* The implicit operands: %rsi and %rdi by the size of addresses, the accumulator by that of operands. */
static bool put_string(struct disasm_text *t, const struct x86_code *c)
{
	static const char *const accumulators[] = { "%al", "%ax", "%eax", "%rax" };
	unsigned size = !(c->opcode & 1) ? 0 : c->rex & 8 ? 3 : c->has_mandatory_66 ? 1 : 2;
	const char *word = c->is_64bit ? (c->has_67 ? "e" : "r") : c->has_67 ? "" : "e", *acc = accumulators[size];
	const char *seg = "ds";

	for (uint8_t i = 0; i < c->nr_prefixes; i++)
		if (c->bytes[i] == 0x64 || c->bytes[i] == 0x65)
			seg = c->bytes[i] == 0x64 ? "fs" : "gs";
	switch (c->opcode & 0xfe) {
	case 0xa4:
		disasm_putf(t, "movs%c  %%%s:(%%%ssi),%%es:(%%%sdi)", "bwlq"[size], seg, word, word);
		return true;
	case 0xa6:
		disasm_putf(t, "cmps%c  %%es:(%%%sdi),%%%s:(%%%ssi)", "bwlq"[size], word, seg, word);
		return true;
	case 0xaa:
		disasm_putf(t, "stos   %s,%%es:(%%%sdi)", acc, word);
		return true;
	case 0xac:
		disasm_putf(t, "lods   %%%s:(%%%ssi),%s", seg, word, acc);
		return true;
	case 0xae:
		disasm_putf(t, "scas   %%es:(%%%sdi),%s", word, acc);
		return true;
	case 0x6c:
		disasm_putf(t, "ins%c   (%%dx),%%es:(%%%sdi)", "bwll"[size], word);
		return true;
	case 0x6e:
		disasm_putf(t, "outs%c  %%%s:(%%%ssi),(%%dx)", "bwll"[size], seg, word);
		return true;
	default:
		return false;
	}
}

/* One byte, often with prefixes. */
static bool put_simple(struct disasm_text *t, const struct x86_code *c)
{
	if ((c->opcode & 0xfc) == 0xec) { /* ports by number in %dx */
		const char *reg = !(c->opcode & 1) ? "%al" : c->has_mandatory_66 ? "%ax" : "%eax";

		disasm_putf(t, c->opcode & 2 ? "out    %s,(%%dx)" : "in     (%%dx),%s", reg);
		return true;
	}
	if (c->opcode == 0xd7) {
		disasm_put(t, c->is_64bit ? "xlat   %ds:(%rbx)" : "xlat   %ds:(%ebx)");
		return true;
	}
	if (c->opcode == 0xcf) {
		disasm_put(t, c->rex & 8 ? "iretq" : c->has_mandatory_66 ? "iretw" : "iret");
		return true;
	}
	if (c->opcode != 0x90 || (c->rex & 1))
		return false;
	disasm_put(t, c->has_f3 ? "pause" : c->has_mandatory_66 ? "xchg   %ax,%ax" : "nop");
	return true;
}

static bool put_target(struct disasm_text *t, const struct x86_code *c, const struct x86_words *w, struct disasm_insn *insn)
{
	size_t len = w->name.len;
	int64_t v;

	if (insn->kind != DISASM_JUMP && insn->kind != DISASM_CALL && insn->kind != DISASM_BRANCH)
		return false;
	if (w->nr != 1 || !x86_number(w->operands[0], &v) || memchr(w->operands[0].s, '(', w->operands[0].len))
		return false;
	if (suffix_of(w) && insn->kind != DISASM_BRANCH)
		len--;
	put_name(t, w->name.s, len, true);
	for (uint8_t i = 0; i < c->nr_prefixes && insn->kind == DISASM_BRANCH; i++)
		if (c->bytes[i] == 0x2e || c->bytes[i] == 0x3e) {
			while (t->len && t->s[t->len - 1] == ' ')
				t->len--;
			disasm_put(t, c->bytes[i] == 0x2e ? ",pn " : ",pt ");
		}
	insn->target = c->is_64bit ? (uint64_t)v : (uint32_t)v;
	insn->has_target = insn->has_name = true;
	disasm_putf(t, "%llx", (unsigned long long)insn->target);
	return true;
}

/* Names that differ altogether. */
static const char *other_name(const struct x86_code *c, const struct x86_words *w)
{
	static const char *const names[][2] = {
		{ "pushfq", "pushf" }, { "popfq", "popf" }, { "pushfl", "pushf" },    { "popfl", "popf" }, { "retl", "ret" },
		{ "retq", "ret" },     { "wait", "fwait" }, { "movabsq", "movabs" },  { "ud2b", "ud1" },   { "lretl", "lret" },
		{ "pushal", "pusha" }, { "popal", "popa" }, { "sysretl", "sysretl" },
	};

	/* Between general and vector registers, of 64 bits. */
	if (c->map == X86_0F && (c->opcode & 0xef) == 0x6e && (c->encoding == X86_LEGACY ? c->rex & 8 : c->w && c->pp == 1))
		return c->encoding == X86_LEGACY ? "movq" : "vmovq";
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (x86_span_is(w->name, names[i][0]))
			return names[i][1];
	if (w->name.len == 4 && !memcmp(w->name.s, "sal", 3) && modrm_mod(c) != 3)
		return w->name.s[3] == 'b' ? "shlb" : w->name.s[3] == 'w' ? "shlw" : w->name.s[3] == 'l' ? "shll" : "shlq";
	return NULL;
}

void x86_put_att(struct disasm_text *t, const struct x86_code *c, const struct x86_words *w, struct disasm_insn *insn)
{
	const char *name = other_name(c, w);
	size_t len = name ? strlen(name) : w->name.len;

	if (is_legacy(c, X86_ONE_BYTE) && (put_string(t, c) || put_simple(t, c)))
		return;
	if (is_legacy(c, X86_ONE_BYTE) && (c->opcode & 0xf8) == 0xd8) {
		char memory[96] = "";
		struct disasm_text m = { memory, 0, sizeof(memory) };

		if (w->nr && modrm_mod(c) != 3)
			put_operand(&m, c, w, w->operands[0]);
		if (x87_put_att(t, c, memory))
			return;
	}
	if (put_target(t, c, w, insn))
		return;
	if (!name && suffix_of(w) && !keeps_suffix(c, w))
		len--;
	put_name(t, name ? name : w->name.s, len, w->nr);
	if (!strcmp(w->base, "sha256rnds2"))
		disasm_put(t, "%xmm0,");
	for (uint32_t i = 0; i < w->nr; i++) {
		bool is_swapped = is_legacy(c, X86_ONE_BYTE) && c->opcode > 0x90 && c->opcode < 0x98 && w->nr == 2;

		/* Shifts by one have it in their opcode. */
		if (!i && w->nr == 2 && is_legacy(c, X86_ONE_BYTE) && (c->opcode & 0xfe) == 0xd0)
			continue;
		if (i && t->s[t->len - 1] != ' ')
			disasm_put(t, ",");
		put_operand(t, c, w, w->operands[is_swapped ? 1 - i : i]);
	}
}
