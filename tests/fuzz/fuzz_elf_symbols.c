/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/elf_*: any bytes as an ELF file, once from memory, once from a file as in real use, and once from a file that ends in a hole of
 * gigabytes; and once more as its own debug file's partner with the addresses of a kernel.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "symbols/elf_file.h"
#include "symbols/symbol_readers.h"

#define HOLE_BYTES (20LL << 30)

static void load(struct elf_file *f)
{
	for (int addresses = ELF_FILE_OFFSETS; addresses <= ELF_VADDRS; addresses++) {
		struct symtab *t = symtab_new();
		uint64_t addr;

		t->mangled = true;
		elf_symbols_load(t, f, f, addresses);
		for (uint32_t i = 1; i < t->symbols.nr; i++)
			if (t->symbols.v[i - 1].start >= t->symbols.v[i].start)
				abort();
		for (uint32_t i = 0; i < t->symbols.nr; i++)
			if (strlen(t->symbols.v[i].name) && !symtab_find(t, t->symbols.v[i].start))
				abort();
		symtab_find(t, 0);
		symtab_find(t, UINT64_MAX);
		elf_symbols_find(f, "_text", &addr);
		symtab_free(t);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + 1);
	char path[32];
	struct elf_file f;
	const char *link;
	uint32_t crc;
	int fd;

	memcpy(copy, data, size);
	if (size && elf_file_open_memory(&f, copy, size, NULL) == 0) {
		build_id_of_file(&f);
		elf_file_debuglink(&f, &link, &crc);
		load(&f);
		elf_file_close(&f);
	}
	free(copy);

	fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0)
		abort();
	io_write(fd, data, size, NULL);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (int pass = 0; pass < 2; pass++) {
		if (elf_file_open(&f, path, NULL) == 0) {
			build_id_of_file(&f);
			load(&f);
			elf_file_close(&f);
		}
		if (ftruncate(fd, HOLE_BYTES) != 0)
			abort();
	}
	close(fd);
	return 0;
}
