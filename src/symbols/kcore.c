/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * /proc/kcore: which range of kernel memory is where in it. It claims to be terabytes long, so it is read here and not by elf_file.c.
 */
#include "symbols/module_code.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"

#define MAX_RANGES 4096

static int read_ranges(int fd, const char *path, struct kcore_range **ranges, uint32_t *nr, uint16_t *machine, struct errbuf *eb)
{
	Elf64_Ehdr head;
	Elf64_Phdr *list;
	size_t size;

	if (io_pread(fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB || head.e_phentsize != sizeof(*list) ||
	    !head.e_phnum || head.e_phnum > MAX_RANGES)
		return errbuf_set(eb, -ENOEXEC, "%s is no memory of a 64-bit kernel", path);
	size = head.e_phnum * sizeof(*list);
	list = mem_alloc(size);
	if (io_pread(fd, list, size, head.e_phoff) != (ssize_t)size) {
		free(list);
		return errbuf_set(eb, -EBADMSG, "%s ends before its program headers do", path);
	}
	*ranges = mem_alloc(head.e_phnum * sizeof(**ranges));
	for (uint32_t i = 0; i < head.e_phnum; i++)
		if (list[i].p_type == PT_LOAD && list[i].p_vaddr <= UINT64_MAX - list[i].p_filesz)
			(*ranges)[(*nr)++] = (struct kcore_range){ list[i].p_vaddr, list[i].p_offset, list[i].p_filesz };
	*machine = head.e_machine;
	free(list);
	return 0;
}

int kcore_open(const char *path, struct kcore_range **ranges, uint32_t *nr, uint16_t *machine, struct errbuf *eb)
{
	int fd = io_open_regular(path), err;

	*ranges = NULL;
	*nr = 0;
	if (fd < 0)
		return errbuf_set(eb, fd, "cannot read %s: %s", path, strerror(-fd));
	err = read_ranges(fd, path, ranges, nr, machine, eb);
	if (!err)
		return fd;
	close(fd);
	return err;
}
