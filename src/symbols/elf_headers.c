/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How many sections and segments a file claims to have, by its first header and, where a count does not fit there, by the header of
 * the first section. Fed by elf_file.c with a file that was opened and not read yet.
 */
#include "symbols/elf_headers.h"

#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "base/io.h"

/* Real files have tens of sections and segments; object files with one section a function have some 100,000. */
#define MAX_HEADERS (1U << 20)
/* So much costs nothing even where it is a hole. */
#define MAX_SPARSE_BYTES (256U << 10)

struct table {
	uint64_t off, nr, entry_size;
};

struct tables {
	bool is_32, swap;
	struct table sections, segments;
};

static uint64_t read_word(struct bytes *b, bool is_32)
{
	return is_32 ? bytes_u32(b) : bytes_u64(b);
}

static bool read_first_header(struct tables *t, const struct elf_file *f)
{
	uint8_t raw[sizeof(Elf64_Ehdr)];
	size_t got = elf_file_read(f, 0, raw, sizeof(raw));
	struct bytes b;

	if (got < sizeof(Elf32_Ehdr) || memcmp(raw, ELFMAG, SELFMAG) != 0)
		return false;
	t->is_32 = raw[EI_CLASS] == ELFCLASS32;
	t->swap = (raw[EI_DATA] == ELFDATA2MSB) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	b = bytes_of(raw, got, t->swap);
	bytes_take(&b, EI_NIDENT + 8);
	read_word(&b, t->is_32);
	t->segments.off = read_word(&b, t->is_32);
	t->sections.off = read_word(&b, t->is_32);
	bytes_take(&b, 6);
	t->segments.entry_size = t->is_32 ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr);
	bytes_u16(&b);
	t->segments.nr = bytes_u16(&b);
	bytes_u16(&b);
	t->sections.entry_size = t->is_32 ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr);
	t->sections.nr = bytes_u16(&b);
	return !b.failed;
}

static void read_long_counts(struct tables *t, const struct elf_file *f)
{
	uint8_t raw[sizeof(Elf64_Shdr)];
	size_t size = t->is_32 ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr);
	uint64_t nr_sections;
	uint32_t nr_segments;
	struct bytes b;

	if (!t->sections.off || elf_file_read(f, t->sections.off, raw, size) < size)
		return;
	b = bytes_of(raw, size, t->swap);
	bytes_take(&b, t->is_32 ? offsetof(Elf32_Shdr, sh_size) : offsetof(Elf64_Shdr, sh_size));
	nr_sections = read_word(&b, t->is_32);
	bytes_u32(&b);
	nr_segments = bytes_u32(&b);
	if (!t->sections.nr)
		t->sections.nr = nr_sections;
	if (t->segments.nr == PN_XNUM)
		t->segments.nr = nr_segments;
}

static bool is_present(const struct elf_file *f, const struct table *t)
{
	uint64_t size = t->nr * t->entry_size;

	if (t->nr > MAX_HEADERS)
		return false;
	if (f->image)
		return size <= MAX_SPARSE_BYTES || size <= f->image_size;
	return size <= MAX_SPARSE_BYTES || io_bytes_present(f->fd, t->off, size) >= size / 2;
}

int elf_headers_check(struct elf_file *f)
{
	struct tables t = { 0 };

	if (!read_first_header(&t, f))
		return 0;
	f->swap = t.swap;
	read_long_counts(&t, f);
	return is_present(f, &t.sections) && is_present(f, &t.segments) ? 0 : -EBADMSG;
}
