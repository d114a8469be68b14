/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct dwarf_file: the debug sections of one ELF file, as bytes: pieces of them are read on demand, so that a large file costs only what
 * was used. Compressed sections are unpacked whole. Safe to read from several threads.
 *
 * Why DWARF is read here and not by libdw (0.188): libdw holds all sections and every unit it has seen in memory and allows one thread per
 * handle (1000 addresses in a program with 107 MB of debug information: 308 MB and 3.0 s of CPU; here 85 MB and 0.3 s); it finds no unit
 * without .debug_aranges, which clang leaves out; and a compressed section of 1 MB can make it fill gigabytes, where a profile may name any
 * file and has to end in bounded time and memory. libelf is used, for sections and segments.
 */
#ifndef ASSAY_SYMBOLS_DWARF_FILE_H
#define ASSAY_SYMBOLS_DWARF_FILE_H

#include <stdatomic.h>

#include "base/bytes.h"
#include "symbols/elf_file.h"

enum dwarf_section_id {
	DWARF_INFO,
	DWARF_ABBREV,
	DWARF_LINE,
	DWARF_STR,
	DWARF_LINE_STR,
	DWARF_STR_OFFSETS,
	DWARF_ADDR,
	DWARF_RANGES,
	DWARF_RNGLISTS,
	DWARF_CU_INDEX, /* of .dwp files */
	DWARF_NR_SECTIONS,
};

/* Where code is, as linked. What debug information says of other addresses is of functions that the linker has dropped. */
struct dwarf_code {
	uint64_t start, end;
};

struct dwarf_section {
	uint64_t file_off;
	uint64_t size_bytes;	   /* unpacked; 0: not there */
	const uint8_t *bytes;	   /* all of it; NULL: in the file */
	uint8_t *unpacked;	   /* owns `bytes` */
	_Atomic(uint8_t *) *pages; /* what was read of it by dwarf_file_peek() */
};

/* What reading may cost, in bytes that are looked at or kept. Files are read in time linear in their size; a damaged one, whose units all
 * point to one giant table, would need the square. Shared by all files of a module and by threads. */
struct dwarf_work {
	_Atomic int64_t left;
};

struct dwarf_file {
	int fd; /* borrowed from the ELF file; -1: in memory */
	bool swap;
	struct dwarf_section sections[DWARF_NR_SECTIONS];
	const struct dwarf_code *code; /* borrowed; may be NULL: all addresses are code */
	uint32_t nr_code;
	struct dwarf_work *work;
	uint64_t bytes_present; /* of the file: headers claim more, and holes are none */
	uint64_t unpacked_bytes;
};

/* `split`: the sections are those of .dwo and .dwp files. The ELF file, and its image, must outlive `d`. -ENODATA where there is no debug
 * information. */
int dwarf_file_open(struct dwarf_file *d, const struct elf_file *f, bool split, struct dwarf_work *work);
/* Gives `d->work` what the bytes of the file explain. Once a file. */
void dwarf_file_allow_work(struct dwarf_file *d);
void dwarf_file_close(struct dwarf_file *d);
/* Bytes of sections that it keeps in memory. */
uint64_t dwarf_file_memory(const struct dwarf_file *d);

/* False where more was read of the file than its size explains: the caller gives up. `bytes` is the cost of what comes. */
static inline bool dwarf_work_take(struct dwarf_work *w, uint64_t bytes)
{
	return bytes < INT64_MAX && atomic_fetch_sub_explicit(&w->left, (int64_t)bytes, memory_order_relaxed) > (int64_t)bytes;
}

/* Bytes of a section in one piece. */
struct dwarf_slice {
	const uint8_t *bytes;
	size_t size_bytes;
	uint64_t off;	/* in the section */
	uint8_t *owned; /* NULL: borrowed from the section */
};

/* -EBADMSG where it leaves the section. */
int dwarf_slice_read(struct dwarf_slice *s, const struct dwarf_file *d, enum dwarf_section_id id, uint64_t off, uint64_t size);
void dwarf_slice_fini(struct dwarf_slice *s);

/* A few bytes at an offset: a pointer to up to `max` of them that lives until the file is closed, or fewer where a page of the cache ends;
 * *size says how many. NULL past the end. */
const uint8_t *dwarf_file_peek(const struct dwarf_file *d, enum dwarf_section_id id, uint64_t off, size_t *size);
/* Copies up to `max` bytes at an offset; how many there were. */
size_t dwarf_file_copy(const struct dwarf_file *d, enum dwarf_section_id id, uint64_t off, void *to, size_t max);

/* A string at an offset, without its NUL: a pointer into the file's memory, or to `tmp` where a page ends inside it. NULL where there is
 * none. Longer ones are cut. */
#define DWARF_STRING_MAX 16384
const char *dwarf_file_string(const struct dwarf_file *d, enum dwarf_section_id id, uint64_t off, char tmp[DWARF_STRING_MAX], size_t *len);

/* True where [*start, *end) begins in code; the end is cut to it. */
bool dwarf_file_clip(const struct dwarf_file *d, uint64_t *start, uint64_t *end);

#endif
