/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Readers that fill a struct symtab: the symbol sections of ELF files, with the symbols and names that perf chooses; the tables of Go
 * programs; the map files of just-in-time compilers.
 */
#ifndef ASSAY_SYMBOLS_SYMBOL_READERS_H
#define ASSAY_SYMBOLS_SYMBOL_READERS_H

#include "base/errbuf.h"
#include "symbols/elf_file.h"
#include "symbols/symtab.h"

enum elf_addresses {
	ELF_FILE_OFFSETS, /* the addresses of maps */
	ELF_VADDRS,	  /* as linked: for vmlinux */
	ELF_KMODULE,	  /* of the file of a kernel module: counted from the start of its code in memory */
};

/* Adds the symbols of `syms` (the file, or its debug file) and of the procedure linkage table of `runtime` (which was mapped, and has the
 * segments), and finishes the table. t->mangled must be set before. Number of symbols, or -errno. */
int elf_symbols_load(struct symtab *t, const struct elf_file *syms, const struct elf_file *runtime, enum elf_addresses addresses);

/* A kernel module is an object file, whose addresses are known only within each section. The kernel puts the executable sections, but for
 * those that it drops after initialisation, one after the other in the order of the file, each aligned as it asks. To be called for all
 * sections in this order; *end begins with 0. False: its code is not kept; else *addr is where it begins. */
bool elf_kmodule_place(const struct elf_section *s, uint64_t *end, uint64_t *addr);

/* The address, as linked, of a symbol in .symtab. */
bool elf_symbols_find(const struct elf_file *f, const char *name, uint64_t *vaddr);
/* The address of data that is called so, in .symtab or else .dynsym. False where there is none, or several of that name (of static variables). */
bool elf_symbols_find_data(const struct elf_file *f, const char *name, uint64_t *vaddr);

/* The functions of a stripped Go program (go_source.c), at file offsets; the table is not finished. Their number, or -ENODATA. */
int go_symbols_load(struct symtab *t, const struct elf_file *f);

/* Sections with stubs of the procedure linkage table. */
#define ELF_NR_PLT_SECTIONS 5
extern const char *const elf_plt_sections[ELF_NR_PLT_SECTIONS];

/* Part of elf_symbols_load(): "name@plt" symbols, not finished. */
void elf_plt_load(struct symtab *t, const struct elf_file *f);

/* /tmp/perf-PID.map: the functions of a just-in-time compiler, written by the process itself. */

/* An owner of the file that is trusted besides root and the user. */
struct perf_map_owner {
	uint32_t uid;
	bool known;
};

/* Reads a whole file of that kind (a map, a jitdump) into memory that the caller frees. -EPERM and a message for what is no regular file of
 * a trusted owner, -EFBIG for what is too large or mostly holes. */
int jit_file_read(const char *path, struct perf_map_owner owner, char **data, size_t *size, struct errbuf *eb);
/* The same of an open file, which is closed. */
int jit_file_read_fd(int fd, const char *path, struct perf_map_owner owner, char **data, size_t *size, struct errbuf *eb);

/* Adds the map's functions and finishes the table. -EPERM and a message for what is no regular file of a trusted owner. */
int perf_map_load(struct symtab *t, const char *path, struct perf_map_owner owner, struct errbuf *eb);
/* Same from text in memory, which may be changed. Lines of another form are skipped. */
void perf_map_parse(struct symtab *t, char *text, size_t size);

#endif
