/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Bytes by address, with relative relocations applied. Everything is found by program headers, which stripping leaves in place. Relocations
 * without an addend of their own (REL, RELR) have it in the bytes already.
 */
#include "symbols/elf_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"

/* Real files have less than ten; all of them are searched, which must not be thousands that overlap. */
#define MAX_PARTS 64U
#define MAX_DYNAMIC_BYTES (64U << 10)
/* The largest programs have a tenth of this. */
#define MAX_RELOC_BYTES (256U << 20)
#define RELA_BYTES 24U

static uint32_t relative_type(uint16_t machine)
{
	switch (machine) {
	case EM_X86_64:
		return R_X86_64_RELATIVE;
	case EM_AARCH64:
		return R_AARCH64_RELATIVE;
	}
	return 0;
}

const struct elf_image_part *elf_image_find(const struct elf_image *im, uint64_t vaddr)
{
	for (uint32_t i = 0; i < im->parts.nr; i++)
		if (vaddr >= im->parts.v[i].vaddr && vaddr - im->parts.v[i].vaddr < im->parts.v[i].size_bytes)
			return &im->parts.v[i];
	return NULL;
}

static size_t read_raw(const struct elf_image *im, uint64_t vaddr, void *buf, size_t size)
{
	const struct elf_image_part *p = elf_image_find(im, vaddr);
	uint64_t off;

	if (!p)
		return 0;
	off = vaddr - p->vaddr;
	if (size > p->size_bytes - off)
		size = (size_t)(p->size_bytes - off);
	return elf_file_read(im->file, p->file_off + off, buf, size);
}

size_t elf_image_read(const struct elf_image *im, uint64_t vaddr, void *buf, size_t size)
{
	size_t got = read_raw(im, vaddr, buf, size);

	for (uint32_t i = vec_search(im->relocs.nr, k, im->relocs.v[k].vaddr >= vaddr); i < im->relocs.nr && got >= 8; i++) {
		uint64_t off = im->relocs.v[i].vaddr - vaddr, value = im->relocs.v[i].value;

		if (off > got - 8)
			break;
		if (im->swap)
			value = __builtin_bswap64(value);
		memcpy((char *)buf + off, &value, 8);
	}
	return got;
}

static void read_relocs(struct elf_image *im, uint64_t vaddr, uint64_t size)
{
	uint32_t relative = relative_type(im->file->machine);
	const struct elf_image_part *p = elf_image_find(im, vaddr);
	struct bytes b;
	void *buf;

	if (!relative || !p || size > p->size_bytes || size > MAX_RELOC_BYTES || !elf_file_take_memory(im->file, size))
		return;
	buf = mem_alloc(size ? size : 1);
	b = bytes_of(buf, read_raw(im, vaddr, buf, size), im->swap);
	while (bytes_left(&b) >= RELA_BYTES) {
		uint64_t where = bytes_u64(&b), info = bytes_u64(&b), addend = bytes_u64(&b);

		if ((uint32_t)info == relative)
			vec_push(&im->relocs, ((struct elf_image_reloc){ where, addend }));
	}
	free(buf);
	vec_sort(&im->relocs, compare_u64);
}

/* Files of 32 bits have their addends in place. */
static void read_dynamic(struct elf_image *im, const GElf_Phdr *ph)
{
	size_t size = ph->p_filesz < MAX_DYNAMIC_BYTES ? (size_t)ph->p_filesz : MAX_DYNAMIC_BYTES;
	uint64_t rela = 0, rela_bytes = 0;
	uint8_t *buf = mem_alloc(size + 1);
	struct bytes b = bytes_of(buf, elf_file_read(im->file, ph->p_offset, buf, size), im->swap);

	while (im->ptr_size == 8 && bytes_left(&b) >= 16) {
		uint64_t tag = bytes_u64(&b), value = bytes_u64(&b);

		if (tag == DT_NULL)
			break;
		if (tag == DT_RELA)
			rela = value;
		if (tag == DT_RELASZ)
			rela_bytes = value;
	}
	free(buf);
	if (rela_bytes)
		read_relocs(im, rela, rela_bytes);
}

static uint64_t file_size(const struct elf_file *f)
{
	struct stat st;

	if (f->fd >= 0)
		return fstat(f->fd, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
	return f->image_size;
}

/* No more of it than the file has: sizes are trusted from here on. */
static void add_part(struct elf_image *im, const GElf_Phdr *ph, uint64_t size)
{
	uint64_t left = ph->p_offset < size ? size - ph->p_offset : 0;
	uint64_t bytes = ph->p_filesz < left ? ph->p_filesz : left;

	if (bytes && ph->p_vaddr <= UINT64_MAX - bytes && im->parts.nr < MAX_PARTS)
		vec_push(&im->parts, ((struct elf_image_part){ ph->p_vaddr, bytes, ph->p_offset, ph->p_flags & PF_X, ph->p_flags & PF_W }));
}

void elf_image_open(struct elf_image *im, const struct elf_file *f)
{
	const GElf_Phdr *dynamic = NULL;
	uint64_t size = file_size(f);

	*im = (struct elf_image){ .file = f, .swap = f->swap, .ptr_size = gelf_getclass(f->elf) == ELFCLASS32 ? 4 : 8 };
	for (uint32_t i = 0; i < f->headers.nr; i++) {
		if (f->headers.v[i].p_type == PT_DYNAMIC)
			dynamic = &f->headers.v[i];
		if (f->headers.v[i].p_type == PT_LOAD)
			add_part(im, &f->headers.v[i], size);
	}
	if (dynamic)
		read_dynamic(im, dynamic);
}

void elf_image_close(struct elf_image *im)
{
	vec_fini(&im->parts);
	vec_fini(&im->relocs);
}
