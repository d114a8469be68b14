/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct module_code: the machine code of a module, from the file that was mapped and no other: an ELF file, the vdso, a vmlinux or /proc/kcore
 * for the kernel, /proc/kcore or its file for a kernel module, the dump of a just-in-time compiler.
 */
#ifndef ASSAY_SYMBOLS_MODULE_CODE_H
#define ASSAY_SYMBOLS_MODULE_CODE_H

#include "symbols/elf_file.h"
#include "symbols/symbolizer.h"

struct jitdump;
struct module_code;

/* Where the code cannot be had: negative errno, and a sentence that says why and what would help. */
int module_code_open(struct module_code **c, const struct symbolizer_options *opts, const struct module_ref *ref, struct errbuf *eb);
/* The code in a dump, which is borrowed. Where it was loaded is its linked address. `machine`: ELF's number where the dump does not say; 0:
 * not known. */
int module_code_open_dump(struct module_code **c, const struct jitdump *d, uint16_t machine, const char *path, struct errbuf *eb);
void module_code_close(struct module_code *c);

uint16_t module_code_machine(const struct module_code *c);
/* The file that it is read from. */
const char *module_code_path(const struct module_code *c);
/* When that file was changed last, in seconds since the epoch; 0: not known (the vdso, the running kernel). */
int64_t module_code_mtime_s(const struct module_code *c);
/* Between an address as recordings have it (a file offset, or the runtime address) and as it was linked, which disassemblers show. False where no
 * code or data of the file is there. */
bool module_code_vaddr(const struct module_code *c, uint64_t addr, uint64_t *vaddr);
bool module_code_addr(const struct module_code *c, uint64_t vaddr, uint64_t *addr); /* false, too, where a dump has two for it */
/* The section of such a (linked) address; NULL: not known. */
const char *module_code_section(const struct module_code *c, uint64_t vaddr);
/* Bytes at an address of a recording; how many there are. */
size_t module_code_read(const struct module_code *c, uint64_t addr, void *buf, size_t size);

/* A kernel's memory as an ELF core file, which /proc/kcore is: a list of ranges, in place of `path`. For tests, and module_code_open(). */
struct kcore_range {
	uint64_t vaddr, file_off, size_bytes;
};
/* fd, and *ranges (the caller frees); negative errno with a message. */
int kcore_open(const char *path, struct kcore_range **ranges, uint32_t *nr, uint16_t *machine, struct errbuf *eb);

#endif
