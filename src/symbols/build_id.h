/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Build-ids, which identify the recorded file: of files, of the running kernel and of its modules.
 */
#ifndef ASSAY_SYMBOLS_BUILD_ID_H
#define ASSAY_SYMBOLS_BUILD_ID_H

#include "symbols/elf_file.h"

#define BUILD_ID_HEX_SIZE (2 * BUILD_ID_SIZE + 1)

struct build_id {
	uint8_t bytes[BUILD_ID_SIZE];
	uint8_t size; /* 0: unknown */
};

struct build_id build_id_of(const uint8_t *bytes, size_t size);
bool build_id_equal(const struct build_id *a, const struct build_id *b);
/* True where both are known and differ. */
bool build_id_differ(const struct build_id *a, const struct build_id *b);
const char *build_id_hex(const struct build_id *id, char hex[BUILD_ID_HEX_SIZE]);

/* All give an id of size 0 where there is none. Longer ones are cut to BUILD_ID_SIZE, as perf does. */
struct build_id build_id_of_file(const struct elf_file *f);
struct build_id build_id_of_kernel(void);
struct build_id build_id_of_kmodule(const char *name);
/* Opens an ELF file whose build-id, where both are known, is `id`: else -ESTALE and a message that it is not the recorded `what`. */
int build_id_open(struct elf_file *f, const char *path, const struct build_id *id, const char *what, struct errbuf *eb);
/* Notes as the kernel shows them in /sys: in our byte order, aligned to four bytes. */
struct build_id build_id_in_notes(const void *notes, size_t size);

#endif
