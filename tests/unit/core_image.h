/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Builds small core files in memory, for tests.
 */
#ifndef ASSAY_TESTS_CORE_IMAGE_H
#define ASSAY_TESTS_CORE_IMAGE_H

#include <elf.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/out.h"

#define CORE_MEMORY 0x10000u /* where its one segment of memory lies in the file */

static inline void core_note(struct out *o, uint32_t type, const void *desc, uint32_t size)
{
	uint32_t head[3] = { 5, size, type };
	static const char pad[8] = "CORE";

	out_mem(o, head, sizeof(head));
	out_mem(o, pad, 8);
	out_mem(o, desc, size);
	out_mem(o, pad + 5, -size & 3);
}

static inline void core_status(struct out *o, int32_t tid, uint16_t sig, uint64_t pc, uint64_t sp)
{
	uint8_t desc[336] = { 0 };

	memcpy(desc + 12, &sig, 2);
	memcpy(desc + 32, &tid, 4);
	memcpy(desc + 112 + 16 * 8, &pc, 8);
	memcpy(desc + 112 + 19 * 8, &sp, 8);
	core_note(o, NT_PRSTATUS, desc, sizeof(desc));
}

static inline void core_process(struct out *o, int32_t pid, const char *comm)
{
	uint8_t desc[136] = { 0 };
	size_t len = strlen(comm);

	memcpy(desc + 24, &pid, 4);
	memcpy(desc + 40, comm, len < 16 ? len : 16);
	core_note(o, NT_PRPSINFO, desc, sizeof(desc));
}

/* Program headers: the notes, and `nr` segments of which the caller says all. */
static inline void core_image(struct out *o, uint16_t machine, const struct out *notes, const Elf64_Phdr *segments, uint16_t nr,
			      const void *memory, size_t memory_size)
{
	Elf64_Ehdr eh = { .e_type = ET_CORE,
			  .e_machine = machine,
			  .e_version = 1,
			  .e_phoff = sizeof(eh),
			  .e_ehsize = sizeof(eh),
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = (uint16_t)(nr + 1) };
	Elf64_Phdr ph = { .p_type = PT_NOTE, .p_offset = sizeof(eh) + (nr + 1u) * sizeof(ph), .p_filesz = notes->len };

	memcpy(eh.e_ident, ELFMAG, SELFMAG);
	eh.e_ident[EI_CLASS] = ELFCLASS64;
	eh.e_ident[EI_DATA] = ELFDATA2LSB;
	eh.e_ident[EI_VERSION] = EV_CURRENT;
	out_mem(o, &eh, sizeof(eh));
	out_mem(o, &ph, sizeof(ph));
	out_mem(o, segments, nr * sizeof(*segments));
	out_mem(o, notes->buf, notes->len);
	while (memory_size && o->len < CORE_MEMORY)
		out_char(o, 0);
	out_mem(o, memory, memory_size);
}

static inline int core_image_fd(const void *bytes, size_t size)
{
	int fd = memfd_create("core", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, bytes, size) != (ssize_t)size) {
		close(fd);
		fd = -1;
	}
	return fd;
}

#endif
