/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * x86: prefixes that stand in front of a name, jumps and calls, and which printer makes the rest of the text. What differs from capstone's text
 * depends on how an instruction is encoded, so its bytes are taken apart here too, as far as that goes.
 */
#include "symbols/disasm_x86.h"

#include <stdio.h>
#include <string.h>

#include "symbols/disasm_printers.h"

static bool is_prefix(uint8_t b)
{
	return b == 0x66 || b == 0x67 || b == 0xf0 || b == 0xf2 || b == 0xf3 || b == 0x2e || b == 0x36 || b == 0x3e || b == 0x26 ||
	       b == 0x64 || b == 0x65;
}

static bool has_modrm(const struct x86_code *c)
{
	uint8_t op = c->opcode;

	if (c->encoding != X86_LEGACY)
		return c->map != X86_0F || op != 0x77;
	if (c->map == X86_0F)
		return !((op >= 0x05 && op <= 0x0b) || op == 0x0e || (op >= 0x30 && op <= 0x37) || op == 0x77 || (op & 0xf0) == 0x80 ||
			 (op >= 0xa0 && op <= 0xa2) || (op >= 0xa8 && op <= 0xaa) || (op >= 0xc8 && op <= 0xcf));
	if (c->map != X86_ONE_BYTE)
		return true;
	if (op < 0x40)
		return (op & 7) < 4;
	return op == 0x62 || op == 0x63 || op == 0x69 || op == 0x6b || (op & 0xf0) == 0x80 || op == 0xc0 || op == 0xc1 ||
	       (op >= 0xc4 && op <= 0xc7) || (op & 0xfc) == 0xd0 || (op & 0xf8) == 0xd8 || op == 0xf6 || op == 0xf7 || op >= 0xfe;
}

/* The bytes behind C5, C4 and 62; register bits are stored inverted. False: the code ends before the opcode. */
static bool parse_vector_prefix(struct x86_code *c, uint8_t first, size_t at)
{
	const uint8_t *p = c->bytes + at;
	size_t left = c->size - at, len = first == 0xc5 ? 1 : first == 0xc4 ? 2 : 3;

	if (left < len + 1)
		return false;
	c->encoding = first == 0x62 ? X86_EVEX : X86_VEX;
	c->r = !(p[0] & 0x80);
	c->map = X86_0F;
	if (first != 0xc5) {
		c->x = !(p[0] & 0x40);
		c->b = !(p[0] & 0x20);
		c->map = p[0] & (first == 0x62 ? 0x07 : 0x1f);
		c->w = p[1] & 0x80;
	}
	p += first != 0xc5;
	c->vvvv = ~p[0] >> 3 & 0xf;
	c->pp = p[0] & 3;
	c->vector_length = p[0] >> 2 & 1;
	if (first == 0x62) {
		c->r2 = !(c->bytes[at] & 0x10);
		c->vector_length = p[1] >> 5 & 3;
		c->is_zeroing = p[1] & 0x80;
		c->is_broadcast = p[1] & 0x10;
		c->vvvv |= p[1] & 8 ? 0 : 16;
		c->mask = p[1] & 7;
	}
	c->opcode_at = (uint8_t)(at + len);
	c->opcode = c->bytes[c->opcode_at];
	return true;
}

static bool parse_legacy_opcode(struct x86_code *c, size_t at)
{
	c->map = X86_ONE_BYTE;
	if (c->bytes[at] == 0x0f) {
		if (++at >= c->size)
			return false;
		c->map = c->bytes[at] == 0x38 ? X86_0F38 : c->bytes[at] == 0x3a ? X86_0F3A : X86_0F;
		at += c->map != X86_0F;
	}
	if (at >= c->size)
		return false;
	c->opcode_at = (uint8_t)at;
	c->opcode = c->bytes[at];
	return true;
}

bool x86_code_parse(struct x86_code *c, const uint8_t *bytes, size_t size, bool is_64bit)
{
	size_t at = 0;

	*c = (struct x86_code){ .bytes = bytes, .size = size > X86_MAX_SIZE ? X86_MAX_SIZE : size, .is_64bit = is_64bit };
	for (; at < c->size && is_prefix(bytes[at]); at++) {
		c->has_mandatory_66 |= bytes[at] == 0x66;
		c->has_67 |= bytes[at] == 0x67;
		c->has_f2 |= bytes[at] == 0xf2;
		c->has_f3 |= bytes[at] == 0xf3;
	}
	c->nr_prefixes = (uint8_t)at;
	if (is_64bit && at < c->size && (bytes[at] & 0xf0) == 0x40)
		c->rex = bytes[at++];
	if (at >= c->size)
		return false;
	if ((bytes[at] == 0xc4 || bytes[at] == 0xc5 || bytes[at] == 0x62) && at + 1 < c->size &&
	    (is_64bit || (bytes[at + 1] & 0xc0) == 0xc0))
		return parse_vector_prefix(c, bytes[at], at + 1);
	return parse_legacy_opcode(c, at);
}

bool x86_code_modrm(struct x86_code *c)
{
	size_t at = c->opcode_at + (size_t)1;
	uint8_t mod, rm;

	if (!has_modrm(c) || at >= c->size)
		return false;
	c->modrm = c->bytes[at++];
	mod = modrm_mod(c);
	rm = modrm_rm(c);
	c->has_sib = mod != 3 && rm == 4;
	if (c->has_sib) {
		if (at >= c->size)
			return false;
		c->sib = c->bytes[at++];
		rm = c->sib & 7;
	}
	c->disp_size = mod == 1 ? 1 : mod == 2 || (mod == 0 && rm == 5) ? 4 : 0;
	if (c->size - at < c->disp_size)
		return false;
	for (uint8_t i = 0; i < c->disp_size; i++)
		c->disp |= (int32_t)((uint32_t)c->bytes[at + i] << 8 * i);
	if (c->disp_size == 1 && c->disp > INT8_MAX)
		c->disp -= 256;
	c->end = (uint8_t)(at + c->disp_size);
	return true;
}

size_t x86_number(struct x86_span s, int64_t *value)
{
	size_t i = s.len && s.s[0] == '-', start;
	bool is_negative = i, is_hex = s.len - i > 2 && s.s[i] == '0' && s.s[i + 1] == 'x';
	uint64_t v = 0;

	start = i += is_hex ? 2 : 0;
	for (; i < s.len; i++) {
		char ch = s.s[i];
		unsigned digit = ch >= '0' && ch <= '9'		    ? (unsigned)(ch - '0')
				 : is_hex && ch >= 'a' && ch <= 'f' ? (unsigned)(ch - 'a' + 10)
								    : 99;

		if (digit == 99)
			break;
		v = v * (is_hex ? 16 : 10) + digit;
	}
	*value = (int64_t)(is_negative ? 0 - v : v);
	return i == start ? 0 : i;
}

#ifdef HAVE_CAPSTONE

static bool is_one_byte(const struct x86_code *c)
{
	return c->encoding == X86_LEGACY && c->map == X86_ONE_BYTE;
}

/* FF /2 and /4 */
static bool is_indirect(const struct x86_code *c)
{
	return is_one_byte(c) && c->opcode == 0xff && (modrm_reg(c) == 2 || modrm_reg(c) == 4);
}

static bool is_condition(const struct x86_code *c)
{
	return c->encoding == X86_LEGACY &&
	       ((c->map == X86_ONE_BYTE && (c->opcode & 0xf0) == 0x70) || (c->map == X86_0F && (c->opcode & 0xf0) == 0x80));
}

static bool is_flow(const struct x86_code *c)
{
	return is_condition(c) || is_indirect(c) ||
	       (is_one_byte(c) && (c->opcode == 0xe8 || c->opcode == 0xe9 || c->opcode == 0xeb || (c->opcode & 0xfe) == 0xc2));
}

static bool is_string(const struct x86_code *c)
{
	uint8_t op = c->opcode;

	return is_one_byte(c) && ((op >= 0xa4 && op <= 0xa7) || (op >= 0xaa && op <= 0xaf) || (op >= 0x6c && op <= 0x6f));
}

/* Whether the size of an operand changes with 66, so that the prefix is part of what the name and operands say. */
static bool uses_66(const struct x86_code *c)
{
	if (c->encoding != X86_LEGACY)
		return false;
	if (c->map != X86_ONE_BYTE)
		return !is_condition(c);
	if (is_flow(c) || (c->rex & 8))
		return !c->is_64bit && c->opcode != 0xeb && !is_condition(c) && (c->opcode & 0xfe) != 0xc2;
	return c->opcode == 0x63 || c->opcode == 0x90 || (c->opcode & 0xf8) == 0x98 || (c->opcode & 1) ||
	       (c->opcode >= 0x40 && c->opcode <= 0x6f) || (c->opcode & 0xf8) == 0x90 || (c->opcode & 0xf8) == 0xb8 || c->opcode == 0x8c ||
	       c->opcode == 0x8e;
}

static const char *segment_word(uint8_t b)
{
	switch (b) {
	case 0x2e:
		return "cs";
	case 0x36:
		return "ss";
	case 0x3e:
		return "ds";
	case 0x26:
		return "es";
	case 0x64:
		return "fs";
	default:
		return "gs";
	}
}

/* Whether an operand names the segment: then the prefix is no word. */
static bool has_segment(const struct x86_words *w, uint8_t b)
{
	const char *seg = segment_word(b);

	for (uint32_t i = 0; i < w->nr; i++)
		for (size_t k = 0; k + 3 <= w->operands[i].len; k++)
			if (!memcmp(w->operands[i].s + k, seg, 2) && w->operands[i].s[k + 2] == ':')
				return true;
	return false;
}

static const char *repeat_word(const struct x86_code *c, uint8_t b)
{
	if (is_string(c)) {
		bool compares = (c->opcode & 0xfe) == 0xa6 || (c->opcode & 0xfe) == 0xae;

		return b == 0xf2 ? "repnz" : compares ? "repz" : "rep";
	}
	if (is_flow(c))
		return b == 0xf2 ? "bnd" : "repz";
	if (is_one_byte(c) && c->opcode == 0x90 && b == 0xf3)
		return NULL;
	return is_one_byte(c) ? (b == 0xf2 ? "repnz" : "repz") : NULL;
}

/* Prefixes that the instruction does not use are words of their own, in the order of the bytes. */
static void put_prefixes(struct disasm_text *t, const struct x86_code *c, const struct x86_words *w)
{
	int last_66 = -1;

	for (int i = 0; i < c->nr_prefixes; i++)
		if (c->bytes[i] == 0x66)
			last_66 = i;
	for (int i = 0; i < c->nr_prefixes; i++) {
		uint8_t b = c->bytes[i];
		const char *word = NULL;

		if (b == 0x66)
			word = i == last_66 && uses_66(c) ? NULL : "data16";
		else if (b == 0x67)
			word = is_flow(c) ? (c->is_64bit ? "addr32" : "addr16") : NULL;
		else if (b == 0xf0)
			word = "lock";
		else if (b == 0xf2 || b == 0xf3)
			word = repeat_word(c, b);
		else if (b == 0x3e && is_indirect(c))
			word = "notrack";
		else if (is_condition(c) && (b == 0x2e || b == 0x3e))
			word = NULL;
		else if (c->is_64bit && b != 0x64 && b != 0x65)
			word = segment_word(b);
		else if (!has_segment(w, b) || (c->map == X86_0F && c->opcode == 0x1f))
			word = segment_word(b);
		if (word) {
			disasm_put(t, word);
			disasm_put(t, " ");
		}
	}
	if ((c->rex & 8) && is_flow(c))
		disasm_put(t, "rex.W ");
}

static void set_kind(const struct x86_code *c, struct disasm_insn *insn)
{
	uint8_t op = c->opcode;

	if (is_condition(c) || (is_one_byte(c) && op >= 0xe0 && op <= 0xe3))
		insn->kind = DISASM_BRANCH;
	else if (is_one_byte(c) && op == 0xc7 && c->modrm == 0xf8) /* xbegin: where it goes when the transaction fails */
		insn->kind = DISASM_BRANCH;
	else if (!is_one_byte(c))
		insn->kind = c->encoding == X86_LEGACY && c->map == X86_0F && (op == 0x07 || op == 0x35) ? DISASM_RETURN : DISASM_OTHER;
	else if (op == 0xe9 || op == 0xeb || op == 0xea || (op == 0xff && (modrm_reg(c) == 4 || modrm_reg(c) == 5)))
		insn->kind = DISASM_JUMP;
	else if (op == 0xe8 || op == 0x9a || (op == 0xff && (modrm_reg(c) == 2 || modrm_reg(c) == 3)))
		insn->kind = DISASM_CALL;
	else if ((op & 0xf6) == 0xc2 || op == 0xcf)
		insn->kind = DISASM_RETURN;
}

static struct x86_span skip_word(struct x86_span s, const char *word)
{
	size_t len = strlen(word);

	return s.len > len && !memcmp(s.s, word, len) ? (struct x86_span){ s.s + len, s.len - len } : s;
}

/* Cuts capstone's text into words. */
static void take_words(struct x86_words *w, struct disasm_engine *e)
{
	static const char *const prefixes[] = {
		"xacquire ", "xrelease ", "lock ", "rep ", "repe ", "repne ", "notrack ", "bnd ", "data16 "
	};
	const char *s = e->insn->op_str, *start = s;
	int depth = 0;

	*w = (struct x86_words){ { e->insn->mnemonic, strlen(e->insn->mnemonic) }, cs_insn_name(e->handle, e->insn->id), .nr = 0 };
	w->size = (uint8_t)e->insn->size;
	if (!w->base)
		w->base = "";
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		w->name = skip_word(w->name, prefixes[i]);
	for (; *s; s++) {
		depth += *s == '(' || *s == '[';
		depth -= *s == ')' || *s == ']';
		if (*s == ',' && !depth && w->nr < 5) {
			w->operands[w->nr++] = (struct x86_span){ start, (size_t)(s - start) };
			start = s + 1 + (s[1] == ' ');
		}
	}
	if (*start)
		w->operands[w->nr++] = (struct x86_span){ start, (size_t)(s - start) };
	if (w->nr && w->operands[w->nr - 1].s[w->operands[w->nr - 1].len - 1] == ' ')
		w->operands[w->nr - 1].len--;
}

/* Names of addresses: a direct target, or data relative to the instruction. */
static void put_target(struct disasm_text *t, const struct x86_code *c, bool has_parts, struct disasm_insn *insn)
{
	bool is_relative = c->is_64bit && has_parts && modrm_mod(c) == 0 && modrm_rm(c) == 5 && !c->has_67;

	if (insn->has_target || !is_relative)
		return;
	insn->target = insn->addr + insn->size + (uint64_t)(int64_t)c->disp;
	insn->has_name = true;
	disasm_putf(t, "        # %llx", (unsigned long long)insn->target);
}

/* The operands begin at one column, behind prefixes too: with these the name needs no blanks. `name` is where it begins. */
static void align_operands(struct disasm_text *t, size_t name)
{
	size_t end = name + strcspn(t->s + name, " "), blanks = strspn(t->s + end, " "), keep = end < 6 ? 7 - end : 1;

	if (!name || blanks <= keep)
		return;
	memmove(t->s + end + keep, t->s + end + blanks, t->len - end - blanks + 1);
	t->len -= blanks - keep;
}

static void put_bad(struct disasm_text *t, struct disasm_insn *insn)
{
	insn->kind = DISASM_BAD;
	insn->size = 1;
	t->len = 0;
	disasm_put(t, "(bad)");
}

static void put_plain(struct disasm_engine *e, const uint8_t *code, size_t size, struct disasm_insn *insn)
{
	struct disasm_text t = { insn->text, 0, sizeof(insn->text) };
	struct x86_code c;
	struct x86_words w;
	const uint8_t *at = code;
	size_t left = size > X86_MAX_SIZE ? X86_MAX_SIZE : size, name;
	uint64_t addr = insn->addr;
	bool has_parts;

	if (!x86_code_parse(&c, code, size, e->is_64bit)) {
		put_bad(&t, insn);
		return;
	}
	/* REX counts directly in front of an opcode alone. */
	if (c.rex && !c.nr_prefixes && (is_prefix(code[1]) || (code[1] & 0xf0) == 0x40)) {
		disasm_putf(&t, "rex%s%s%s%s%s", c.rex & 15 ? "." : "", c.rex & 8 ? "W" : "", c.rex & 4 ? "R" : "", c.rex & 2 ? "X" : "",
			    c.rex & 1 ? "B" : "");
		insn->size = 1;
		return;
	}
	has_parts = x86_code_modrm(&c);
	insn->size = has_parts ? x86_put_mask(&t, &c, e->syntax) : 0;
	/* Before capstone: it takes vectors for the index registers of some, and the other way round. */
	if (!insn->size && has_parts)
		insn->size = x86_put_evex(&t, &c, e->syntax);
	if (insn->size) {
		put_target(&t, &c, has_parts, insn);
		return;
	}
	if (!cs_disasm_iter(e->handle, &at, &left, &addr, e->insn)) {
		put_bad(&t, insn);
		/* What follows is code again only behind it. */
		if (has_parts && x86_vector_size(&c))
			insn->size = x86_vector_size(&c);
		return;
	}
	take_words(&w, e);
	insn->size = w.size;
	set_kind(&c, insn);
	put_prefixes(&t, &c, &w);
	name = t.len;
	if (e->syntax == DISASM_ATT)
		x86_put_att(&t, &c, &w, insn);
	else
		x86_put_intel(&t, &c, &w, insn);
	align_operands(&t, name);
	put_target(&t, &c, has_parts, insn);
}

void disasm_x86(struct disasm_engine *e, const uint8_t *code, size_t size, struct disasm_insn *insn)
{
	struct x86_code c;
	struct disasm_insn next = { .addr = insn->addr + 1 };
	const char *name = NULL, *operand;

	if (code[0] == 0x9b && size > 1 && x86_code_parse(&c, code + 1, size - 1, e->is_64bit) && x86_code_modrm(&c))
		name = x87_waiting_name(&c);
	if (!name) {
		put_plain(e, code, size, insn);
		return;
	}
	put_plain(e, code + 1, size - 1, &next);
	next.addr--;
	next.size++;
	operand = strchr(next.text, ' ');
	*insn = next;
	snprintf(insn->text, sizeof(insn->text), "%-6s %s", name, operand ? operand + strspn(operand, " ") : "");
	if (!operand)
		insn->text[strlen(name)] = 0;
}

#endif
