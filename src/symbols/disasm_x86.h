/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to the disassembler: the bytes of an x86 instruction taken apart, as far as its text depends on how it is encoded, and the parts of
 * the printer.
 */
#ifndef ASSAY_SYMBOLS_DISASM_X86_H
#define ASSAY_SYMBOLS_DISASM_X86_H

#include "symbols/disasm_text.h"

#define X86_MAX_SIZE 15

enum x86_encoding { X86_LEGACY, X86_VEX, X86_EVEX };
enum x86_map { X86_ONE_BYTE, X86_0F, X86_0F38, X86_0F3A };

struct x86_code {
	const uint8_t *bytes;
	size_t size; /* of all that can be read */
	bool is_64bit;
	uint8_t nr_prefixes; /* of one byte each, in front of REX */
	uint8_t rex;	     /* 0: none */
	uint8_t encoding;    /* enum x86_encoding */
	uint8_t map;	     /* enum x86_map, or what a VEX or EVEX prefix has in its place */
	uint8_t opcode_at;
	uint8_t opcode;
	bool has_mandatory_66, has_f2, has_f3, has_67; /* among the prefixes */
	/* VEX and EVEX */
	bool w, r, x, b, r2, is_broadcast, is_zeroing; /* the register bits are those of the number, not inverted */
	uint8_t vvvv, pp, vector_length, mask;
	/* Only where x86_code_modrm() returned true. */
	uint8_t modrm, sib;
	bool has_sib;
	uint8_t disp_size;
	int32_t disp;
	uint8_t end; /* behind the displacement */
};

/* False: the bytes end before the opcode. */
bool x86_code_parse(struct x86_code *c, const uint8_t *bytes, size_t size, bool is_64bit);
/* Takes the bytes from ModRM to the displacement, for opcodes that have them. */
bool x86_code_modrm(struct x86_code *c);
static inline uint8_t modrm_mod(const struct x86_code *c)
{
	return c->modrm >> 6;
}
static inline uint8_t modrm_reg(const struct x86_code *c)
{
	return c->modrm >> 3 & 7;
}
static inline uint8_t modrm_rm(const struct x86_code *c)
{
	return c->modrm & 7;
}

/* An operand or a name as capstone has it, or a list of them: not NUL-terminated. */
struct x86_span {
	const char *s;
	size_t len;
};

/* What capstone said of an instruction. */
struct x86_words {
	struct x86_span name; /* without prefixes */
	const char *base;     /* the name without a suffix of size */
	struct x86_span operands[6];
	uint32_t nr;
	uint8_t size;
};

/* disasm_x86_att.c and disasm_x86_intel.c: the text behind the prefixes. */
void x86_put_att(struct disasm_text *t, const struct x86_code *c, const struct x86_words *w, struct disasm_insn *insn);
void x86_put_intel(struct disasm_text *t, const struct x86_code *c, const struct x86_words *w, struct disasm_insn *insn);
/* disasm_x87.c: the coprocessor's instructions; false: there is none of that encoding. `memory` is the text of its operand in memory. */
bool x87_put_att(struct disasm_text *t, const struct x86_code *c, const char *memory);
/* The name with which objdump joins an instruction and the wait (9B) in front of it; NULL: they stay two. */
const char *x87_waiting_name(const struct x86_code *c);
/* What is printed where; and how to read memory operands of instructions that capstone does not know. */
struct x86_printer {
	struct disasm_text *t;
	const struct x86_code *c;
	enum disasm_syntax syntax;
};
struct x86_memory {
	unsigned unit;	 /* what a displacement of one byte counts in an EVEX instruction, in bytes */
	unsigned times;	 /* of {1toN}; 0: not repeated */
	char index_kind; /* 'x', 'y' or 'v': the index is a vector; 0: a general register */
};
static inline unsigned x86_vector_bytes(const struct x86_code *c)
{
	return 16u << (c->vector_length & 3);
}
/* `kind`: 'v' a vector of the instruction's length, 'x', 'y', 'k', 'd' and 'q' general ones of 32 and 64 bits. */
void x86_put_register(const struct x86_printer *p, char kind, unsigned nr);
void x86_put_memory(const struct x86_printer *p, const struct x86_memory *m);
/* The mask of an EVEX instruction, behind what it writes to. */
void x86_put_mask_of(const struct x86_printer *p);
/* disasm_x86_evex.c: vectors of AVX-512, most of which capstone does not know, and prefetches. The size; 0: it is none of these. */
uint8_t x86_put_evex(struct disasm_text *t, const struct x86_code *c, enum disasm_syntax syntax);
/* disasm_x86_mask.c: instructions that capstone does not know: those on mask registers, comparisons into them, some later ones. The size;
 * 0: it is none of these. */
uint8_t x86_put_mask(struct disasm_text *t, const struct x86_code *c, enum disasm_syntax syntax);
/* The size of an instruction with a VEX or EVEX prefix that is not known otherwise; 0: it has none, or its end is missing. */
uint8_t x86_vector_size(const struct x86_code *c);

/* A number as capstone writes it: decimal or hexadecimal, with a sign. How many characters it has; 0: it is none. */
size_t x86_number(struct x86_span s, int64_t *value);
static inline bool x86_span_is(struct x86_span s, const char *word)
{
	return s.len == __builtin_strlen(word) && !__builtin_memcmp(s.s, word, s.len);
}

#endif
