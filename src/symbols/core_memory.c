/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The memory of a core file: from its segments, and where those leave out pages of a file that
 * nobody had changed, from that file. The paths come from the core file: only regular files are
 * read, and never waited for.
 */
#include "symbols/core_file.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"

#define MAX_HEADERS 64 /* program headers of a file of which the build-id is wanted */
#define MAX_NOTE_BYTES 4096

const struct core_segment *core_file_find(const struct core_file *c, uint64_t addr)
{
	return vec_find_span(&c->segments, addr);
}

static int open_mapped(const char *path)
{
	int fd = io_open_regular(path);

	return fd < 0 ? -2 : fd;
}

/* The map of a file around an address. */
static struct core_map *find_map(const struct core_file *c, uint64_t addr)
{
	return vec_find_span(&c->maps, addr);
}

static size_t read_mapped(struct core_file *c, uint64_t addr, void *buf, size_t size)
{
	struct core_map *m = find_map(c, addr);
	ssize_t n;

	if (!m)
		return 0;
	if (m->fd == -1)
		m->fd = open_mapped(m->path);
	if (m->fd < 0)
		return 0;
	if (size > m->end - addr)
		size = (size_t)(m->end - addr);
	n = io_pread(m->fd, buf, size, m->file_off + (addr - m->start));
	return n > 0 ? (size_t)n : 0;
}

/* Up to the end of one segment, or of what the file has of it. */
static size_t read_piece(struct core_file *c, uint64_t addr, void *buf, size_t size)
{
	const struct core_segment *s = core_file_find(c, addr);
	uint64_t in_segment, left;
	ssize_t n;

	if (!s)
		return read_mapped(c, addr, buf, size);
	in_segment = addr - s->start;
	if (in_segment < s->file_size) {
		left = s->file_size - in_segment;
		n = io_pread(c->fd, buf, size < left ? size : (size_t)left,
			     s->file_off + in_segment);
		return n > 0 ? (size_t)n : 0;
	}
	left = s->end - addr;
	return read_mapped(c, addr, buf, size < left ? size : (size_t)left);
}

size_t core_file_read(struct core_file *c, uint64_t addr, void *buf, size_t size)
{
	size_t done = 0;

	while (done < size) {
		size_t n = read_piece(c, addr + done, (char *)buf + done, size - done);

		if (!n || addr + done + n < addr)
			break;
		done += n;
	}
	return done;
}

/* Only what the core file itself holds: what the file on disk has now is what is to be checked. */
static bool read_own(struct core_file *c, uint64_t addr, void *buf, size_t size)
{
	const struct core_segment *s = core_file_find(c, addr);

	return s && addr - s->start < s->file_size && size <= s->file_size - (addr - s->start) &&
	       io_pread(c->fd, buf, size, s->file_off + (addr - s->start)) == (ssize_t)size;
}

struct build_id core_file_build_id(struct core_file *c, uint64_t start)
{
	struct build_id none = { 0 }, id;
	uint8_t notes[MAX_NOTE_BYTES];
	Elf64_Phdr ph[MAX_HEADERS];
	Elf64_Ehdr eh;
	uint64_t bias = start;

	if (!read_own(c, start, &eh, sizeof(eh)) || memcmp(eh.e_ident, ELFMAG, SELFMAG) ||
	    eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_phentsize != sizeof(ph[0]) ||
	    eh.e_phnum > MAX_HEADERS ||
	    !read_own(c, start + eh.e_phoff, ph, eh.e_phnum * sizeof(ph[0])))
		return none;
	for (uint32_t i = 0; i < eh.e_phnum; i++)
		if (ph[i].p_type == PT_LOAD && ph[i].p_offset == 0)
			bias = start - ph[i].p_vaddr;
	for (uint32_t i = 0; i < eh.e_phnum; i++) {
		if (ph[i].p_type != PT_NOTE || ph[i].p_filesz > sizeof(notes) ||
		    !read_own(c, bias + ph[i].p_vaddr, notes, ph[i].p_filesz))
			continue;
		id = build_id_in_notes(notes, ph[i].p_filesz);
		if (id.size)
			return id;
	}
	return none;
}
