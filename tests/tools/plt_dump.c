/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Prints the stubs of a file's procedure linkage tables as our reader names them: address, size, name. For tests that compare them with
 * what others say.
 *
 * usage: plt_dump FILE
 */
#include <inttypes.h>
#include <stdio.h>

#include "symbols/symbol_readers.h"

int main(int argc, char **argv)
{
	struct errbuf eb = { 0 };
	struct elf_file f;
	struct symtab *t;

	if (argc != 2) {
		fputs("usage: plt_dump FILE\n", stderr);
		return 2;
	}
	if (elf_file_open(&f, argv[1], &eb)) {
		fprintf(stderr, "%s\n", eb.text);
		return 1;
	}
	t = symtab_new();
	elf_plt_load(t, &f);
	for (uint32_t i = 0; i < t->symbols.nr; i++) {
		const struct symbol *s = &t->symbols.v[i];
		uint64_t vaddr = s->start;

		for (uint32_t k = 0; k < f.sections.nr; k++) {
			const struct elf_section *at = &f.sections.v[k];

			if (at->type != SHT_NOBITS && s->start >= at->file_off && s->start - at->file_off < at->size_bytes)
				vaddr = s->start - at->file_off + at->vaddr;
		}
		printf("%" PRIx64 " %" PRIu64 " %s\n", vaddr, s->end - s->start, s->name);
	}
	symtab_free(t);
	elf_file_close(&f);
	return 0;
}
