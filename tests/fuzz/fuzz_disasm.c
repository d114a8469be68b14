/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Any bytes as code: the first byte of the input says of which machine and in which syntax. Each instruction goes forward, ends inside the bytes, and
 * has a text that ends.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/disasm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint16_t machines[] = { EM_X86_64, EM_386, EM_AARCH64 };
	static struct disasm *open[3][2];
	struct errbuf eb = { 0 };
	struct disasm **d;
	uint8_t *code;

	if (size < 2)
		return 0;
	d = &open[data[0] % 3][data[0] / 3 % 2];
	if (!*d && disasm_open(d, machines[data[0] % 3], data[0] / 3 % 2 ? DISASM_INTEL : DISASM_ATT, &eb))
		return 0;
	/* A copy of its own size, so that reads past its end are seen. */
	code = malloc(--size);
	memcpy(code, data + 1, size);
	for (size_t at = 0; at < size;) {
		struct disasm_insn insn;

		disasm_next(*d, code + at, size - at, 0x401000 + at, &insn);
		if (!insn.size || insn.size > size - at || !memchr(insn.text, 0, sizeof(insn.text)) || !insn.text[0])
			abort();
		at += insn.size;
	}
	free(code);
	return 0;
}
