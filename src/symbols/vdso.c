/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Our own vdso is found by the address that the kernel passes to the process; its headers are the kernel's, and trusted.
 */

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "symbols/debug_files.h"

#define MAX_IMAGE_BYTES (1U << 20)

static size_t image_size(const ElfW(Ehdr) * eh)
{
	const ElfW(Phdr) *ph = (const ElfW(Phdr) *)((const char *)eh + eh->e_phoff);
	size_t size = eh->e_shoff + (size_t)eh->e_shnum * eh->e_shentsize;

	for (int i = 0; i < eh->e_phnum; i++)
		if (ph[i].p_type == PT_LOAD && ph[i].p_offset + ph[i].p_filesz > size)
			size = ph[i].p_offset + ph[i].p_filesz;
	return size;
}

int vdso_open(struct elf_file *f, void **image, struct errbuf *eb)
{
	const ElfW(Ehdr) *eh = (const ElfW(Ehdr) *)getauxval(AT_SYSINFO_EHDR);
	size_t size;
	int err;

	*image = NULL;
	if (!eh || memcmp(eh->e_ident, ELFMAG, SELFMAG) != 0)
		return errbuf_set(eb, -ENOENT, "this kernel provides no vdso to read symbols from");
	size = image_size(eh);
	if (size > MAX_IMAGE_BYTES)
		return errbuf_set(eb, -EBADMSG, "the vdso claims to have %zu bytes", size);
	*image = mem_alloc(size);
	memcpy(*image, eh, size);
	err = elf_file_open_memory(f, *image, size, eb);
	if (err) {
		free(*image);
		*image = NULL;
	}
	return err;
}

/* The vdso of 32-bit programs: the kernel maps it on request into a process that has none. A forked copy of this process unmaps its own,
 * requests the other, writes it to a memfd and exits, by system calls only: locks of other threads may be held in it. */

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
		if ((strstr(line, "[vdso]") || strstr(line, "[vvar")) && sscanf(line, "%lx-%lx", &ranges[nr].start, &ranges[nr].end) == 2)
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

static int vdso_open_narrow(struct elf_file *f, void **image, struct errbuf *eb)
{
	int fd = memfd_create("vdso32", MFD_CLOEXEC), err;
	uint8_t *bytes = NULL;
	size_t size = fd >= 0 && fetch(fd) ? find_image(fd, &bytes) : 0;

	*image = NULL;
	if (fd >= 0)
		close(fd);
	if (!size)
		return errbuf_set(eb, -ENOENT, "this kernel provides no vdso of 32-bit programs to read symbols from");
	err = elf_file_open_memory(f, bytes, size, eb);
	if (err)
		free(bytes);
	else
		*image = bytes;
	return err;
}

/* Recorded under another kernel: perf keeps such vdsos in its cache. */
static int open_cached(struct elf_file *f, const struct build_id *id, char **made_from, struct errbuf *eb)
{
	char *path = debug_files_perf_cache(id, "vdso");
	char hex[BUILD_ID_HEX_SIZE];

	if (path && elf_file_open(f, path, NULL) == 0) {
		struct build_id found = build_id_of_file(f);

		if (build_id_equal(&found, id)) {
			*made_from = path;
			return 0;
		}
		elf_file_close(f);
	}
	free(path);
	return errbuf_set(eb, -ENOENT, "the vdso of the recording (build-id %s) is not that of the running kernel", build_id_hex(id, hex));
}

static int open_own(struct elf_file *f, void **image, const char *path, struct errbuf *eb)
{
	return strcmp(path, VDSO_NARROW_PATH) == 0 ? vdso_open_narrow(f, image, eb) : vdso_open(f, image, eb);
}

int vdso_open_recorded(struct elf_file *f, void **image, const struct module_ref *ref, char **made_from, struct errbuf *eb)
{
	struct build_id id = build_id_of(ref->build_id, ref->build_id_size), found;
	int err;

	*image = NULL;
	*made_from = NULL;
	if (ref->image)
		err = elf_file_open(f, ref->image, eb);
	else if (!id.size && !origin_may_be_kernel(ref->origin))
		err = errbuf_set(eb, -ESTALE, "the vdso is not that of this machine: %s", ref->origin->why);
	else
		err = open_own(f, image, ref->path, eb);
	if (err)
		return err;
	found = build_id_of_file(f);
	if (!build_id_differ(&id, &found)) {
		*made_from = mem_strdup(ref->path);
		return 0;
	}
	elf_file_close(f);
	free(*image);
	*image = NULL;
	return open_cached(f, &id, made_from, eb);
}

struct build_id vdso_build_id(const char *path)
{
	struct build_id id = { 0 };
	struct elf_file f;
	void *image;

	if (open_own(&f, &image, path, NULL) == 0) {
		id = build_id_of_file(&f);
		elf_file_close(&f);
		free(image);
	}
	return id;
}
