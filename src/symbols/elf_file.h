/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct elf_file: an opened ELF file, or image in memory: sections by name, segments, debug link. The bytes are read, never mapped,
 * because files can shrink under a reader; they are untrusted.
 */
#ifndef ASSAY_SYMBOLS_ELF_FILE_H
#define ASSAY_SYMBOLS_ELF_FILE_H

#include <gelf.h>

#include "base/budget.h"
#include "base/errbuf.h"
#include "base/vec.h"

#define BUILD_ID_SIZE 20

struct elf_segment {
	uint64_t vaddr, size_bytes; /* in memory */
	uint64_t file_off;
	bool is_executable;
};

struct elf_section {
	uint64_t vaddr, file_off, size_bytes, entry_size;
	uint64_t flags;
	uint64_t align;
	uint32_t type;
	uint32_t link;
	const char *name; /* never NULL; lives as long as the file is open. What is longer than ELF_STRING_MAX has none */
	bool is_charged;  /* private: its bytes were taken from the budget */
};

/* What reading a file may cost, by the bytes it really has: headers claim anything, and holes cost their owner nothing. */
struct elf_budgets {
	uint64_t bytes_present;
	struct budget memory;	/* bytes of sections and what is made of them, kept */
	struct budget unpacked; /* bytes that come out of compressed sections */
	struct budget work;	/* bytes that are looked through and not kept */
};

struct elf_file {
	Elf *elf;
	int fd;		      /* -1: in memory */
	const uint8_t *image; /* NULL: in a file */
	size_t image_size;
	struct elf_budgets *budgets;
	bool is_little;	    /* the byte order */
	bool swap;	    /* it is not ours */
	uint8_t word_bytes; /* 4 or 8 */
	uint16_t machine;
	uint16_t type;			  /* ET_* */
	VEC(GElf_Phdr) headers;		  /* of the program */
	VEC(struct elf_segment) segments; /* PT_LOAD only */
	VEC(struct elf_section) sections; /* by section index */
};

/* Opens a regular file. A file that is no ELF file: -ENOEXEC; damaged: -EBADMSG. */
int elf_file_open(struct elf_file *f, const char *path, struct errbuf *eb);
/* The image stays the caller's and must outlive `f`. */
int elf_file_open_memory(struct elf_file *f, void *image, size_t size, struct errbuf *eb);
void elf_file_close(struct elf_file *f);

/* Index of the first section of that name, or 0. */
uint32_t elf_file_find_section(const struct elf_file *f, const char *name);
/* The bytes of a section in our byte order; NULL where it has none, the file ends before it does, or the budget. */
const Elf_Data *elf_file_get_data(const struct elf_file *f, uint32_t section);
/* Whether so many bytes more may be read and kept. */
bool elf_file_take_memory(const struct elf_file *f, uint64_t size);
/* How many of `size` bytes may still be looked through. */
uint64_t elf_file_take_work(const struct elf_file *f, uint64_t size);
/* Says, where a budget of the file ended, that reading `what` did. NULL and closed files are passed over. */
void elf_file_warn_if_cut(const struct elf_file *f, const char *path, const char *what);
/* The symbols of a section (.symtab, .dynsym), the first of which is none, and the table of their names. */
struct elf_syms {
	const Elf_Data *data, *strings; /* NULL: there are none */
	int next;
};
struct elf_syms elf_syms_begin(const struct elf_file *f, uint32_t section);
bool elf_syms_next(struct elf_syms *s, GElf_Sym *sym);
/* The string at `off` of a string table; NULL where it leaves the table. At most ELF_STRING_MAX bytes are looked at, so that many pointers
 * to one giant string do not cost its length each time: a `len` of that much says that it goes on. */
#define ELF_STRING_MAX 4096
const char *elf_string(const Elf_Data *strings, uint64_t off, size_t *len);
/* A separate debug file: it has the headers of the code, and none of the code. */
bool elf_file_is_hollow(const struct elf_file *f);
/* True where the file has symbols beyond those the dynamic linker needs. */
bool elf_file_has_symtab(const struct elf_file *f);
/* Bytes of the file, not kept by libelf; fewer than `size` where it ends. */
size_t elf_file_read(const struct elf_file *f, uint64_t off, void *buf, size_t size);
/* Address in memory → offset in the file. False where no segment holds it. */
bool elf_file_offset(const struct elf_file *f, uint64_t vaddr, uint64_t *file_off);

/* .gnu_debuglink: a file name without directory and the CRC of that file. -ENODATA where there is none. */
int elf_file_debuglink(const struct elf_file *f, const char **name, uint32_t *crc);

/* Build-ids, which identify the recorded file: of files, of the running kernel and of its modules. */
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
