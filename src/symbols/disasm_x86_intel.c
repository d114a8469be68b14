/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The Intel text of an x86 instruction as objdump has it, from capstone's: sizes in capitals, no blanks between operands, hexadecimal numbers.
 */
#include "symbols/disasm_x86.h"

#include <stdio.h>
#include <string.h>

static void put_hex(struct disasm_text *t, int64_t v, bool is_sum)
{
	if (v < 0 && is_sum)
		disasm_putf(t, "0x%llx", (unsigned long long)(0 - (uint64_t)v));
	else
		disasm_putf(t, "0x%llx", (unsigned long long)v);
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* What stands between brackets: base + index*scale + displacement, which is there where it has bytes. */
static void put_sum(struct disasm_text *t, const struct x86_code *c, struct x86_span s)
{
	bool has_disp = false;
	int64_t v;

	for (size_t i = 0; i < s.len;) {
		struct x86_span rest = { s.s + i, s.len - i };
		size_t len = s.s[i] >= '0' && s.s[i] <= '9' && (!i || s.s[i - 1] != '*') ? x86_number(rest, &v) : 0;

		if (len) {
			put_hex(t, v, true);
			has_disp = true;
			i += len;
			continue;
		}
		if (is_word(s.s[i])) {
			bool is_scaled = false, is_index = i > 1 && s.s[i - 2] == '+';

			for (; i < s.len && (is_word(s.s[i]) || s.s[i] == '*'); i++) {
				is_scaled |= s.s[i] == '*';
				disasm_put_len(t, s.s + i, 1);
			}
			if (is_index && !is_scaled)
				disasm_put(t, "*1");
			continue;
		}
		if (s.s[i] != ' ')
			disasm_put_len(t, s.s + i, 1);
		i++;
	}
	if (!has_disp && c->disp_size)
		disasm_put(t, "+0x0");
}

/* Bytes that an immediate is extended to: those of the other operand. */
static uint8_t operand_bytes(const struct x86_code *c, struct x86_span s)
{
	static const char *const bytes = " al ah bl bh cl ch dl dh sil dil bpl spl ", *const words = " ax bx cx dx si di bp sp ";
	char word[8];

	if (s.len > 4 && !memcmp(s.s, "byte", 4))
		return 1;
	if (s.len > 4 && !memcmp(s.s, "word", 4))
		return 2;
	if (s.len > 5 && !memcmp(s.s, "dword", 5))
		return 4;
	if (s.len < 2 || s.len > 4 || (c->encoding == X86_LEGACY && c->map != X86_ONE_BYTE && c->map != X86_0F))
		return 8;
	snprintf(word, sizeof(word), " %.*s ", (int)s.len, s.s);
	if (strstr(bytes, word) || (s.s[0] == 'r' && s.s[s.len - 1] == 'b'))
		return 1;
	if (strstr(words, word) || (s.s[0] == 'r' && s.s[s.len - 1] == 'w'))
		return 2;
	return s.s[0] == 'e' || (s.s[0] == 'r' && s.s[s.len - 1] == 'd' && s.len > 2 && s.s[1] <= '9') ? 4 : 8;
}

static void put_operand(struct disasm_text *t, const struct x86_code *c, const struct x86_words *w, struct x86_span s)
{
	const char *open = memchr(s.s, '[', s.len), *close = open ? memchr(open, ']', s.len - (size_t)(open - s.s)) : NULL;
	int64_t v;

	if (x86_number(s, &v) == s.len) {
		uint8_t bytes = w->nr > 1 ? operand_bytes(c, w->operands[0]) : v < 0 && c->opcode != 0x68 && c->opcode != 0x6a ? 1 : 8;

		put_hex(t, bytes < 8 ? v & (int64_t)((UINT64_C(1) << 8 * bytes) - 1) : v, false);
		return;
	}
	if (!open || !close) {
		for (size_t i = 0; i < s.len; i++)
			if (s.s[i] != ' ')
				disasm_put_len(t, s.s + i, 1);
		return;
	}
	if (s.len > 5 && !memcmp(s.s, "xword", 5)) {
		disasm_put(t, "TBYTE");
		s.s += 5;
		s.len -= 5;
	}
	for (const char *p = s.s; p < open; p++) {
		char upper = (char)(*p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p);
		bool is_segment = open - p <= 3 && open[-1] == ':';

		if (is_segment && c->is_64bit && open[-3] != 'f' && open[-3] != 'g')
			break;
		disasm_put_len(t, is_segment ? p : &upper, 1);
	}
	/* An absolute address has its segment, and no brackets. */
	if (x86_number((struct x86_span){ open + 1, (size_t)(close - open - 1) }, &v) == (size_t)(close - open - 1)) {
		if (open == s.s || open[-1] != ':')
			disasm_put(t, "ds:");
		disasm_putf(t, "0x%llx", (unsigned long long)(c->is_64bit ? (uint64_t)v : (uint32_t)v));
	} else {
		disasm_put(t, "[");
		if (c->is_64bit && modrm_mod(c) == 0 && modrm_rm(c) == 5 && c->disp < 0)
			disasm_putf(t, "rip+0x%llx", (unsigned long long)(int64_t)c->disp);
		else
			put_sum(t, c, (struct x86_span){ open + 1, (size_t)(close - open - 1) });
		disasm_put(t, "]");
	}
	for (const char *p = close + 1; p < s.s + s.len; p++)
		if (*p != ' ')
			disasm_put_len(t, p, 1);
}

/* Instructions of one byte whose text differs. */
static bool put_simple(struct disasm_text *t, const struct x86_code *c)
{
	static const char *const sizes[] = { "BYTE", "WORD", "DWORD", "QWORD" }, *const accumulators[] = { "al", "ax", "eax", "rax" };
	unsigned size = !(c->opcode & 1) ? 0 : c->rex & 8 ? 3 : c->has_mandatory_66 ? 1 : 2;
	const char *word = c->is_64bit ? (c->has_67 ? "e" : "r") : c->has_67 ? "" : "e", *bytes = sizes[size], *acc = accumulators[size];

	if (c->encoding != X86_LEGACY || c->map != X86_ONE_BYTE)
		return false;
	switch (c->opcode & 0xfe) {
	case 0xa4:
		disasm_putf(t, "movs   %s PTR es:[%sdi],%s PTR ds:[%ssi]", bytes, word, bytes, word);
		return true;
	case 0xa6:
		disasm_putf(t, "cmps   %s PTR ds:[%ssi],%s PTR es:[%sdi]", bytes, word, bytes, word);
		return true;
	case 0xaa:
		disasm_putf(t, "stos   %s PTR es:[%sdi],%s", bytes, word, acc);
		return true;
	case 0xac:
		disasm_putf(t, "lods   %s,%s PTR ds:[%ssi]", acc, bytes, word);
		return true;
	case 0xae:
		disasm_putf(t, "scas   %s,%s PTR es:[%sdi]", acc, bytes, word);
		return true;
	default:
		break;
	}
	if (c->opcode == 0x9b)
		disasm_put(t, "fwait");
	else if (c->opcode == 0x90 && !(c->rex & 1))
		disasm_put(t, c->has_f3 ? "pause" : c->has_mandatory_66 ? "xchg   ax,ax" : "nop");
	else
		return false;
	return true;
}

/* Both registers of the coprocessor are named, which capstone does not do throughout. */
static bool put_coprocessor(struct disasm_text *t, const struct x86_code *c)
{
	char text[64];
	struct disasm_text att = { text, 0, sizeof(text) };
	char *first, *second;

	if (c->encoding != X86_LEGACY || c->map != X86_ONE_BYTE || (c->opcode & 0xf8) != 0xd8 || modrm_mod(c) != 3 ||
	    !x87_put_att(&att, c, ""))
		return false;
	first = strchr(text, '%');
	if (!first) {
		disasm_put(t, text);
		return true;
	}
	second = strchr(first, ',');
	disasm_put_len(t, text, (size_t)(first - text));
	if (second)
		disasm_putf(t, "%s,", second + 2);
	disasm_put_len(t, first + 1, second ? (size_t)(second - first - 1) : strlen(first + 1));
	return true;
}

void x86_put_intel(struct disasm_text *t, const struct x86_code *c, const struct x86_words *w, struct disasm_insn *insn)
{
	bool is_flow = insn->kind == DISASM_JUMP || insn->kind == DISASM_CALL || insn->kind == DISASM_BRANCH;
	int64_t v;

	if (put_simple(t, c) || put_coprocessor(t, c))
		return;
	disasm_put_len(t, w->name.s, w->name.len);
	if (!w->nr)
		return;
	for (size_t i = w->name.len; i < 6; i++)
		disasm_put(t, " ");
	disasm_put(t, " ");
	if (is_flow && w->nr == 1 && x86_number(w->operands[0], &v) == w->operands[0].len) {
		insn->target = c->is_64bit ? (uint64_t)v : (uint32_t)v;
		insn->has_target = insn->has_name = true;
		disasm_putf(t, "%llx", (unsigned long long)insn->target);
		return;
	}
	for (uint32_t i = 0; i < w->nr; i++) {
		if (i)
			disasm_put(t, ",");
		if (i && c->encoding == X86_LEGACY && c->map == X86_ONE_BYTE && (c->opcode & 0xfe) == 0xd0)
			disasm_put(t, "1"); /* shifts by one have it in their opcode */
		else
			put_operand(t, c, w, w->operands[i]);
	}
}
