/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * x86, each part but the last optional:
 *
 *	head:  push GOT+8; jmp *GOT+16			entered with the stub's number pushed
 *	stub:  endbr; mov $NUMBER,%r11d; jmp *SLOT; push $NUMBER; jmp head
 *
 * arm64:
 *
 *	head:  bti c; stp x16,x30,[sp,#-16]!; adrp x16; ldr x17; add x16; br x17
 *	stub:  bti c; adrp x16; ldr x17; add x16; autia1716; br x17
 */
#include "symbols/unwind_build.h"

#include <string.h>

#define X86_ALIGNMENT 8u
#define X86_HEAD_BYTES 16u
#define ARM64_MAX_BYTES 28u

struct stub {
	size_t size;	    /* 0: none that is understood */
	size_t push_end;    /* from here on one word more is pushed; 0: never */
	uint32_t nr_pushed; /* words before */
};

/* The size of an instruction: `first`, one of two second bytes, then 32 bits. A bnd prefix counts. */
static size_t long_op(const uint8_t *p, size_t left, uint8_t first, uint8_t second, uint8_t or_second)
{
	size_t prefix = left && *p == 0xf2;

	if (left < prefix + 6 || p[prefix] != first || (p[prefix + 1] != second && p[prefix + 1] != or_second))
		return 0;
	return prefix + 6;
}

static struct stub x86_stub(const struct plt_section *s, size_t off)
{
	const uint8_t *p = s->code + off, *end = s->code + s->size;
	struct stub stub = { 0 };
	size_t jump, push = long_op(p, (size_t)(end - p), 0xff, 0x35, 0xb3);

	if (off == 0 && push && long_op(p + push, (size_t)(end - p) - push, 0xff, 0x25, 0xa3) && s->size >= X86_HEAD_BYTES)
		return (struct stub){ .size = X86_HEAD_BYTES, .push_end = push, .nr_pushed = 1 };
	if (end - p >= 4 && !memcmp(p, "\xf3\x0f\x1e", 3) && (p[3] == 0xfa || p[3] == 0xfb))
		p += 4;
	if (end - p >= 6 && p[0] == 0x41 && p[1] == 0xbb)
		p += 6;
	jump = long_op(p, (size_t)(end - p), 0xff, 0x25, 0xa3);
	p += jump;
	if (end - p >= 10 && p[0] == 0x68 && (p[5] == 0xe9 || (p[5] == 0xf2 && p[6] == 0xe9))) {
		p += 5;
		stub.push_end = (size_t)(p - s->code) - off;
		p += 5;
	}
	if (jump || stub.push_end) {
		stub.size = ((size_t)(p - s->code) - off + X86_ALIGNMENT - 1) & ~(size_t)(X86_ALIGNMENT - 1);
		if (stub.size > s->size - off)
			stub.size = s->size - off;
	}
	return stub;
}

static struct stub arm64_stub(const struct plt_section *s, size_t off)
{
	size_t left = s->size - off, at = 0;
	struct stub stub = { 0 };

	if (left < 4)
		return stub;
	if (arch_code_u32(s->code + off) == 0xd503245f)
		at += 4;
	if (left - at >= 4 && arch_code_u32(s->code + off + at) == 0xa9bf7bf0) {
		at += 4;
		stub.push_end = at;
	}
	if (left - at < 8 || (arch_code_u32(s->code + off + at) & 0x9f00001f) != 0x90000010 ||
	    (arch_code_u32(s->code + off + at + 4) & 0xffc003ff) != 0xf9400211)
		return stub;
	for (at += 8; left - at >= 4 && at < ARM64_MAX_BYTES; at += 4) {
		if (arch_code_u32(s->code + off + at) == 0xd61f0220) {
			stub.size = at + 4;
			break;
		}
	}
	return stub;
}

static void add_row(const struct arch_ops *arch, const struct cfi_sink *sink, uint64_t vaddr, bool has_link, uint32_t nr_words)
{
	struct cfi_state state = { .cfa = CFI_CFA_REG, .cfa_reg = arch->sp, .cfa_value = (int32_t)(nr_words * arch->word_bytes) };

	if (!has_link) {
		state.set = UINT64_C(1) << arch->ra;
		state.regs[arch->ra] = (struct cfi_reg){ HOW_OFFSET, -(int32_t)arch->word_bytes };
	}
	sink->row(sink->ctx, vaddr, &state, arch->ra, false);
}

void plt_unwind_rows(const struct plt_section *s, const struct arch_ops *arch, const struct cfi_sink *sink)
{
	bool has_link = arch->lr != ARCH_NO_REG;
	size_t step = has_link ? 4 : X86_ALIGNMENT;
	struct stub stub;

	for (size_t off = 0; off < s->size; off += stub.size ? stub.size : step) {
		uint64_t start = s->vaddr + off;

		stub = has_link ? arm64_stub(s, off) : x86_stub(s, off);
		if (!stub.size || start > UINT64_MAX - stub.size || !sink->begin(sink->ctx, start, start + stub.size))
			continue;
		add_row(arch, sink, start, has_link, has_link ? 0 : 1 + stub.nr_pushed);
		if (stub.push_end && stub.push_end < stub.size)
			add_row(arch, sink, start + stub.push_end, false, 2 + stub.nr_pushed);
	}
}
