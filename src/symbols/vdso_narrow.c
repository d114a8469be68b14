/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The vdso of 32-bit programs, which no file has and no 64-bit process is given: the kernel maps it for the asking into a process that has
 * none. A copy of ours that gives its own up asks, copies what it gets to a file without a name, and exits.
 *
 * The copy runs between clone and exit with system calls only: other threads' locks may be held for ever in it.
 */
#include "symbols/vdso.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"

#define MAP_VDSO_32 0x2002 /* ARCH_MAP_VDSO_32 of arch_prctl() */
#define PAGE_BYTES 4096u
#define MAX_PAGES 64u /* the vdso and the pages of data in front of it */
#define MAX_RANGES 8

struct range {
	unsigned long start, end;
};

#ifdef __x86_64__
/* Our vdso and its data. */
static uint32_t find_ranges(struct range *ranges)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	uint32_t nr = 0;

	while (maps && nr < MAX_RANGES && fgets(line, sizeof(line), maps))
		if ((strstr(line, "[vdso]") || strstr(line, "[vvar")) &&
		    sscanf(line, "%lx-%lx", &ranges[nr].start, &ranges[nr].end) == 2)
			nr++;
	if (maps)
		fclose(maps);
	return nr;
}

static void copy_image(const struct range *ranges, uint32_t nr, void *room, int fd)
{
	for (uint32_t i = 0; i < nr; i++)
		syscall(SYS_munmap, ranges[i].start, ranges[i].end - ranges[i].start);
	syscall(SYS_munmap, room, MAX_PAGES * PAGE_BYTES);
	if (syscall(SYS_arch_prctl, MAP_VDSO_32, room) > 0)
		/* Of pages that are not there nothing is written. */
		for (uint32_t i = 0; i < MAX_PAGES; i++)
			syscall(SYS_pwrite64, fd, (char *)room + i * PAGE_BYTES, PAGE_BYTES, i * PAGE_BYTES);
	syscall(SYS_exit_group, 0);
}

static bool fetch(int fd)
{
	struct range ranges[MAX_RANGES];
	uint32_t nr = find_ranges(ranges);
	/* Below 4 GiB, and free in the copy. */
	void *room = mmap(NULL, MAX_PAGES * PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_32BIT, -1, 0);
	pid_t pid;

	if (room == MAP_FAILED)
		return false;
	/* A fork that sends no signal when it ends: children of the recorder are waited for elsewhere. */
	pid = (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, 0);
	if (pid == 0)
		copy_image(ranges, nr, room, fd);
	munmap(room, MAX_PAGES * PAGE_BYTES);
	if (pid < 0)
		return false;
	while (waitpid(pid, NULL, __WALL) < 0)
		if (errno != EINTR)
			return false;
	return true;
}
#else
static bool fetch(int fd)
{
	(void)fd;
	return false;
}
#endif

/* From the page on that begins with an ELF file of 32 bits; 0: there is none. */
static size_t find_image(int fd, uint8_t **image)
{
	uint8_t *all = mem_zalloc(MAX_PAGES * PAGE_BYTES);
	ssize_t got = io_pread(fd, all, MAX_PAGES * PAGE_BYTES, 0);

	for (size_t off = 0; got > 0 && off + PAGE_BYTES <= (size_t)got; off += PAGE_BYTES) {
		if (memcmp(all + off, ELFMAG, SELFMAG) != 0 || all[off + EI_CLASS] != ELFCLASS32)
			continue;
		memmove(all, all + off, (size_t)got - off);
		*image = all;
		return (size_t)got - off;
	}
	free(all);
	return 0;
}

int vdso_open_narrow(struct elf_file *f, void **image, struct errbuf *eb)
{
	int fd = memfd_create("vdso32", MFD_CLOEXEC), err;
	uint8_t *bytes = NULL;
	size_t size = fd >= 0 && fetch(fd) ? find_image(fd, &bytes) : 0;

	*image = NULL;
	if (fd >= 0)
		close(fd);
	if (!size)
		return errbuf_set(eb, -ENOENT, "this kernel gives us no vdso of 32-bit programs to read symbols from");
	err = elf_file_open_memory(f, bytes, size, eb);
	if (err)
		free(bytes);
	else
		*image = bytes;
	return err;
}
