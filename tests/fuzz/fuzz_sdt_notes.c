/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/sdt_notes: any bytes as an ELF file with SDT notes, and its operands as fetch arguments.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/sdt_notes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint16_t machines[] = { EM_X86_64, EM_386, EM_AARCH64, EM_S390 };
	char *image = malloc(size + 1), *text;
	struct sdt_notes n = { 0 };
	struct elf_file f;
	uint32_t left_out;

	memcpy(image, data, size);
	image[size] = 0;
	if (!elf_file_open_memory(&f, image, size, NULL)) {
		sdt_notes_read(&n, &f);
		for (uint32_t i = 0; i < n.v.nr; i++)
			free(sdt_args_fetch(&f, 0, n.v.v[i].args, &left_out));
		/* The operands are text; the file is needed for symbols alone. */
		text = strdup(image);
		for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
			f.machine = machines[i];
			free(sdt_args_fetch(&f, 0, text, &left_out));
		}
		free(text);
		elf_file_close(&f);
	} else {
		f = (struct elf_file){ 0 };
		for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
			f.machine = machines[i];
			free(sdt_args_fetch(&f, 0, image, &left_out));
		}
	}
	sdt_notes_fini(&n);
	free(image);
	return 0;
}
