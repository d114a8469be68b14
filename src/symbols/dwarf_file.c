/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Sections of debug information: found by name in an ELF file (or an image in memory), read piece by piece, unpacked where they are
 * compressed (ELF's zlib and zstd, GNU's older .zdebug). Fed by source_info.c, which chose the file; knows nothing of what the bytes mean.
 */
#include "symbols/dwarf_unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/pool.h"
#include "symbols/unpack.h"

#define PAGE_BYTES 65536U
/* A program with this much of one kind of debug information is none. */
#define MAX_UNPACKED_BYTES (UINT64_C(8) << 30)

static const char *const section_names[DWARF_NR_SECTIONS] = {
	[DWARF_INFO] = "info", [DWARF_ABBREV] = "abbrev",     [DWARF_LINE] = "line",
	[DWARF_STR] = "str",   [DWARF_LINE_STR] = "line_str", [DWARF_STR_OFFSETS] = "str_offsets",
	[DWARF_ADDR] = "addr", [DWARF_RANGES] = "ranges",     [DWARF_RNGLISTS] = "rnglists",
	[DWARF_LOC] = "loc",   [DWARF_LOCLISTS] = "loclists", [DWARF_CU_INDEX] = "cu_index",
};

#define WORK_FLOOR (16U << 20)
#define WORK_A_BYTE 16U
#define UNPACKED_A_BYTE 2U
#define MAX_WORK (UINT64_C(1) << 54)

/* A section as it lies in the file. */
struct packed {
	struct section_packing packing;
	uint64_t off, size_bytes; /* with the head before the packed bytes */
};

struct opening {
	struct dwarf_file *d;
	const uint8_t *image; /* NULL: d->fd */
	uint64_t image_size;
	struct packed packed[DWARF_NR_SECTIONS];
};

static bool read_raw(const struct opening *o, uint64_t off, void *to, size_t size)
{
	if (o->image) {
		if (off > o->image_size || size > o->image_size - off)
			return false;
		memcpy(to, o->image + off, size);
		return true;
	}
	return io_pread(o->d->fd, to, size, off) == (ssize_t)size;
}

/* Reads the head of a section that may be compressed; false: it cannot be read. */
static bool read_packing(const struct opening *o, const struct elf_file *f, struct packed *p, bool gnu)
{
	enum section_packing_head head = gnu ? PACKING_GNU : f->word_bytes == 4 ? PACKING_ELF32 : PACKING_ELF64;
	size_t size = p->size_bytes < PACKING_MAX_HEAD ? (size_t)p->size_bytes : PACKING_MAX_HEAD;
	uint8_t bytes[PACKING_MAX_HEAD];

	return read_raw(o, p->off, bytes, size) && section_packing_read(&p->packing, bytes, size, head, o->d->swap);
}

/* Job: brings one compressed section into memory. */
static void unpack(void *ctx, uint32_t i)
{
	struct opening *o = ctx;
	struct packed *p = &o->packed[i];
	struct dwarf_section *s = &o->d->sections[i];
	uint8_t *from;

	if (p->packing.how == PACKED_NOT)
		return;
	s->size_bytes = 0;
	from = malloc(p->size_bytes ? p->size_bytes : 1);
	if (from && read_raw(o, p->off, from, p->size_bytes))
		s->bytes = s->unpacked = section_unpack(&p->packing, from, p->size_bytes, MAX_UNPACKED_BYTES);
	if (s->unpacked)
		s->size_bytes = p->packing.unpacked_bytes;
	free(from);
}

/* Notes where a section is. Sizes are cut to the file. */
static void add_section(struct opening *o, const struct elf_file *f, enum dwarf_section_id id, const struct elf_section *s, bool gnu)
{
	struct packed *p = &o->packed[id];
	struct dwarf_section *to = &o->d->sections[id];

	if (to->size_bytes || s->type == SHT_NOBITS || s->file_off >= o->image_size)
		return;
	p->off = s->file_off;
	p->size_bytes = s->size_bytes < o->image_size - s->file_off ? s->size_bytes : o->image_size - s->file_off;
	if ((gnu || s->flags & SHF_COMPRESSED) && !read_packing(o, f, p, !(s->flags & SHF_COMPRESSED)))
		return;
	to->file_off = p->off;
	to->size_bytes = p->size_bytes;
	if (o->image)
		to->bytes = o->image + p->off;
}

void dwarf_file_allow_work(struct dwarf_file *d)
{
	struct budget b;

	/* Several times: several threads, names that many units share, tables that are read again. */
	budget_init(&b, 0, WORK_A_BYTE, d->bytes_present + d->unpacked_bytes / UNPACKED_A_BYTE);
	atomic_fetch_add(&d->work->left, (int64_t)(WORK_FLOOR + (budget_limit(&b) < MAX_WORK ? budget_limit(&b) : MAX_WORK)));
}

/* What comes out of all packed sections together is bounded before any is unpacked. */
static void refuse_large(struct opening *o, const struct elf_file *f)
{
	for (int id = 0; id < DWARF_NR_SECTIONS; id++) {
		struct packed *p = &o->packed[id];

		if (p->packing.how == PACKED_NOT)
			continue;
		if (elf_file_take_memory(f, p->size_bytes) && budget_take(&f->budgets->unpacked, p->packing.unpacked_bytes)) {
			o->d->unpacked_bytes += p->packing.unpacked_bytes;
			continue;
		}
		o->d->sections[id] = (struct dwarf_section){ 0 };
		*p = (struct packed){ 0 };
	}
}

int dwarf_file_open(struct dwarf_file *d, const struct elf_file *f, bool split, struct dwarf_work *work)
{
	struct opening o = { .d = d };
	uint32_t nr_packed = 0;
	struct stat st;

	*d = (struct dwarf_file){ .fd = f->fd, .swap = f->swap, .work = work, .bytes_present = f->budgets->bytes_present };
	if (f->fd >= 0) {
		if (fstat(f->fd, &st) != 0)
			return -errno;
		o.image_size = (uint64_t)st.st_size;
	} else {
		o.image = f->image;
		o.image_size = f->image_size;
	}
	for (int id = 0; id < DWARF_NR_SECTIONS; id++)
		for (int gnu = 0; gnu < 2; gnu++) {
			/* The index of a .dwp has no suffix. */
			const char *suffix = split && id != DWARF_CU_INDEX ? ".dwo" : "";
			char name[32];
			uint32_t i;

			if ((id == DWARF_LOC || id == DWARF_LOCLISTS) && !work->has_locations)
				continue;
			snprintf(name, sizeof(name), ".%sdebug_%s%s", gnu ? "z" : "", section_names[id], suffix);
			i = elf_file_find_section(f, name);
			if (i)
				add_section(&o, f, id, &f->sections.v[i], gnu);
		}
	refuse_large(&o, f);
	for (int id = 0; id < DWARF_NR_SECTIONS; id++)
		nr_packed += o.packed[id].packing.how != PACKED_NOT;
	if (nr_packed)
		pool_run(DWARF_NR_SECTIONS, 0, unpack, &o);
	if (!d->sections[DWARF_INFO].size_bytes || !d->sections[DWARF_ABBREV].size_bytes) {
		dwarf_file_close(d);
		return -ENODATA;
	}
	for (int id = 0; id < DWARF_NR_SECTIONS; id++) {
		struct dwarf_section *s = &d->sections[id];

		if (!s->bytes && s->size_bytes)
			s->pages = mem_zalloc((s->size_bytes / PAGE_BYTES + 1) * sizeof(*s->pages));
	}
	return 0;
}

void dwarf_file_close(struct dwarf_file *d)
{
	for (int id = 0; id < DWARF_NR_SECTIONS; id++) {
		struct dwarf_section *s = &d->sections[id];

		for (uint64_t i = 0; s->pages && i <= s->size_bytes / PAGE_BYTES; i++)
			free(atomic_load_explicit(&s->pages[i], memory_order_relaxed));
		free(s->pages);
		free(s->unpacked);
		*s = (struct dwarf_section){ 0 };
	}
}

uint64_t dwarf_file_memory(const struct dwarf_file *d)
{
	uint64_t bytes = 0;

	for (int id = 0; id < DWARF_NR_SECTIONS; id++) {
		const struct dwarf_section *s = &d->sections[id];

		bytes += s->unpacked ? s->size_bytes : 0;
		for (uint64_t i = 0; s->pages && i <= s->size_bytes / PAGE_BYTES; i++)
			bytes += atomic_load_explicit(&s->pages[i], memory_order_relaxed) ? PAGE_BYTES : 0;
	}
	return bytes;
}

int dwarf_slice_read(struct dwarf_slice *s, const struct dwarf_file *d, enum dwarf_section_id id, uint64_t off, uint64_t size)
{
	const struct dwarf_section *sec = &d->sections[id];

	*s = (struct dwarf_slice){ .off = off, .size_bytes = size };
	if (off > sec->size_bytes || size > sec->size_bytes - off || !dwarf_work_take(d->work, size + 64))
		return -EBADMSG;
	if (sec->bytes) {
		s->bytes = sec->bytes + off;
		return 0;
	}
	s->owned = malloc(size ? size : 1);
	s->bytes = s->owned;
	if (s->owned && io_pread(d->fd, s->owned, size, sec->file_off + off) == (ssize_t)size)
		return 0;
	dwarf_slice_fini(s);
	return -EBADMSG;
}

void dwarf_slice_fini(struct dwarf_slice *s)
{
	free(s->owned);
	*s = (struct dwarf_slice){ 0 };
}

/* The bytes of a page; read by the first thread that needs it. */
static const uint8_t *get_page(const struct dwarf_file *d, const struct dwarf_section *s, uint64_t page, size_t size)
{
	uint8_t *p = atomic_load_explicit(&s->pages[page], memory_order_acquire), *other = NULL;

	if (p)
		return p;
	/* It is kept: holes have pages without end. */
	if (!dwarf_work_take(d->work, size))
		return NULL;
	p = mem_alloc(size);
	if (io_pread(d->fd, p, size, s->file_off + page * PAGE_BYTES) != (ssize_t)size) {
		free(p);
		return NULL;
	}
	if (!atomic_compare_exchange_strong(&s->pages[page], &other, p)) {
		free(p);
		p = other;
	}
	return p;
}

const uint8_t *dwarf_file_peek(const struct dwarf_file *d, enum dwarf_section_id id, uint64_t off, size_t *size)
{
	const struct dwarf_section *s = &d->sections[id];
	uint64_t page = off / PAGE_BYTES, left, page_bytes;
	const uint8_t *p;

	if (off >= s->size_bytes)
		return NULL;
	if (s->bytes) {
		*size = s->size_bytes - off;
		return s->bytes + off;
	}
	left = s->size_bytes - page * PAGE_BYTES;
	page_bytes = left < PAGE_BYTES ? left : PAGE_BYTES;
	p = get_page(d, s, page, page_bytes);
	*size = page_bytes - off % PAGE_BYTES;
	return p ? p + off % PAGE_BYTES : NULL;
}

size_t dwarf_file_copy(const struct dwarf_file *d, enum dwarf_section_id id, uint64_t off, void *to, size_t max)
{
	size_t done = 0, size;
	const uint8_t *p;

	while (done < max && (p = dwarf_file_peek(d, id, off + done, &size))) {
		size = size < max - done ? size : max - done;
		memcpy((uint8_t *)to + done, p, size);
		done += size;
	}
	return done;
}

const char *dwarf_file_string(const struct dwarf_file *d, enum dwarf_section_id id, uint64_t off, char tmp[DWARF_STRING_MAX], size_t *len)
{
	size_t size;
	const uint8_t *p = dwarf_file_peek(d, id, off, &size), *nul;

	if (!p)
		return NULL;
	nul = memchr(p, 0, size < DWARF_STRING_MAX ? size : DWARF_STRING_MAX);
	*len = nul ? (size_t)(nul - p) : DWARF_STRING_MAX;
	if (nul || size >= DWARF_STRING_MAX)
		return dwarf_work_take(d->work, *len + 8) ? (const char *)p : NULL;
	size = dwarf_file_copy(d, id, off, tmp, DWARF_STRING_MAX);
	*len = strnlen(tmp, size);
	/* A string that the section cuts is none. */
	return (*len < size || size == DWARF_STRING_MAX) && dwarf_work_take(d->work, *len + 8) ? tmp : NULL;
}

bool dwarf_file_clip(const struct dwarf_file *d, uint64_t *start, uint64_t *end)
{
	if (*start >= *end)
		return false;
	for (uint32_t i = 0; i < d->nr_code; i++) {
		const struct elf_segment *s = &d->code[i];

		if (*start >= s->vaddr && *start - s->vaddr < s->size_bytes) {
			if (*end - s->vaddr > s->size_bytes)
				*end = s->vaddr + s->size_bytes;
			return true;
		}
	}
	return !d->code;
}
