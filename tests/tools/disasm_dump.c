/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * disasm_dump FILE [att|intel]: the instructions of ranges "START END" (hexadecimal, addresses as linked) on stdin, as lines "ADDRESS:<tab>TEXT".
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "symbols/disasm.h"
#include "symbols/elf_file.h"

static void dump(struct disasm *d, const struct elf_file *f, uint64_t start, uint64_t end)
{
	uint64_t off;
	uint8_t *code;
	size_t size;

	if (end <= start || end - start > 1u << 28 || !elf_file_offset(f, start, &off))
		return;
	code = mem_alloc(end - start);
	size = elf_file_read(f, off, code, end - start);
	for (size_t at = 0; at < size;) {
		struct disasm_insn insn;

		disasm_next(d, code + at, size - at, start + at, &insn);
		printf("%" PRIx64 ":\t%s\n", insn.addr, insn.text);
		at += insn.size;
	}
	free(code);
}

int main(int argc, char **argv)
{
	struct errbuf eb = { 0 };
	struct elf_file f;
	struct disasm *d;
	uint64_t start, end;

	if (argc < 2 || elf_file_open(&f, argv[1], &eb) ||
	    disasm_open(&d, f.machine, argc > 2 && !strcmp(argv[2], "intel") ? DISASM_INTEL : DISASM_ATT, &eb)) {
		fprintf(stderr, "disasm_dump: %s\n", argc < 2 ? "no file" : eb.text);
		return 1;
	}
	while (scanf("%" SCNx64 " %" SCNx64, &start, &end) == 2)
		dump(d, &f, start, end);
	disasm_close(d);
	elf_file_close(&f);
	return 0;
}
