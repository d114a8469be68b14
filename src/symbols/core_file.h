/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct core_file: registers of the threads, maps and memory of a process that died. Untrusted. Notes are copied, memory is read on
 * demand; pages that the kernel left out because they are unchanged pages of a file are read from that file.
 */
#ifndef ASSAY_SYMBOLS_CORE_FILE_H
#define ASSAY_SYMBOLS_CORE_FILE_H

#include "arch/arch.h"
#include "base/budget.h"
#include "base/errbuf.h"
#include "base/vec.h"
#include "symbols/elf_file.h"

struct core_thread {
	int32_t tid;
	int32_t signal;	     /* that it was about to take; 0: none */
	const uint8_t *regs; /* for unwind_regs_decode() */
	uint32_t regs_size;
};

struct core_map { /* of a file */
	uint64_t start, end, file_off;
	const char *path;
	int fd; /* -1: not opened, -2: cannot be */
};

struct core_segment {
	uint64_t start, end; /* in memory */
	uint64_t file_off, file_size;
	bool is_executable;
};

struct core_file {
	const struct arch_ops *arch;
	VEC(struct core_thread) threads;   /* the one that died first, as the kernel writes them */
	VEC(struct core_map) maps;	   /* by address */
	VEC(struct core_segment) segments; /* by address */
	int32_t pid;
	char comm[17];
	uint64_t vdso;		     /* where the kernel's library was mapped; 0: unknown */
	uint64_t entry;		     /* of the program: inside the executable's map */
	int32_t signal, signal_code; /* what it died of; 0: unknown */
	bool has_fault;
	uint64_t fault_addr;
	uint64_t missing_bytes; /* the file ends before its segments do: so much is cut off */
	uint64_t bytes_present; /* of the file: holes are none */
	uint64_t refused_bytes; /* of notes: they overlap, or lie in holes */
	/* private */
	int fd;
	uint64_t size;
	struct budget note_bytes;
	VEC(void *) notes;
};

/* A file that is no core file: -ENOEXEC; of a machine or word size we cannot read: -ENOTSUP; damaged: -EBADMSG. */
int core_file_open(struct core_file *c, const char *path, struct errbuf *eb);
/* The same on an open file, which is the core file's on success. `path` is for messages. */
int core_file_init(struct core_file *c, int fd, const char *path, struct errbuf *eb);
void core_file_close(struct core_file *c);

/* How many bytes from `addr` on could be read. */
size_t core_file_read(struct core_file *c, uint64_t addr, void *buf, size_t size);
/* The segment around an address, or NULL. */
const struct core_segment *core_file_find(const struct core_file *c, uint64_t addr);
/* The build-id of the ELF file that was mapped from `start` on, as far as its first page is in the core file; size 0: unknown. */
struct build_id core_file_build_id(struct core_file *c, uint64_t start);

#endif
