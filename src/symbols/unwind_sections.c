/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * unwind_table_build(): finds in ELF files what a table is compiled from: executable segments, .eh_frame, .debug_frame (perhaps
 * compressed), the kernel's return from signal handlers, where programs and threads begin, and stubs of procedure linkage tables.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/go_module.h"
#include "symbols/symbol_readers.h"
#include "symbols/unpack.h"
#include "symbols/unwind_build.h"
#include "symbols/unwind_table.h"

/* A table for all of the largest programs' code has a tenth of this. */
#define MAX_UNPACKED_BYTES (256U << 20)
/* Files with a return from signals are C libraries, vdsos and static programs. The search costs 0.1 s/GB, once: the index has it. */
#define SEARCH_BYTES (1U << 20)
#define SEARCH_OVERLAP 16U /* no such code is longer */
#define MAX_SEARCH_BYTES (256U << 20)
#define LIBRARY_BYTES (8U << 20) /* of code: more than C libraries have */
#define MAX_DYNAMIC 65536
/* Of call frame information: less is compiled at once (35 ms a megabyte) and kept in the index, from where it costs nothing. */
#define LAZY_BYTES_MIN (1U << 20)

/* Not by the program headers: those of a separate debug file say nothing of offsets, and debug_files.c has put them right. */
static void find_segments(struct unwind_input *in, const struct elf_file *f)
{
	for (uint32_t i = 0; i < f->segments.nr && in->nr_segments < UNWIND_MAX_SEGMENTS; i++) {
		const struct elf_segment *s = &f->segments.v[i];

		if (s->is_executable && s->size_bytes)
			in->segments[in->nr_segments++] = (struct unwind_segment){ s->vaddr, s->size_bytes, s->file_off };
	}
}

static uint64_t section_vaddr(const struct elf_file *f, const char *name)
{
	uint32_t i = elf_file_find_section(f, name);

	return i ? f->sections.v[i].vaddr : 0;
}

static bool set_section(struct cfi_section *s, const struct elf_file *f, uint32_t i)
{
	const Elf_Data *d = elf_file_get_data(f, i);

	if (!d)
		return false;
	s->bytes = d->d_buf;
	s->size = d->d_size;
	s->vaddr = f->sections.v[i].vaddr;
	return true;
}

/* Without section headers: .eh_frame_hdr has a program header and says where .eh_frame is, which ends by an entry of length 0. */
static bool find_eh_by_header(struct cfi_section *s, const struct elf_file *f)
{
	const GElf_Phdr *ph = NULL;
	uint64_t off, to;
	uint8_t hdr[8];
	Elf_Data *d;
	int32_t rel;

	for (uint32_t i = 0; i < f->headers.nr && !ph; i++)
		ph = f->headers.v[i].p_type == PT_GNU_EH_FRAME ? &f->headers.v[i] : NULL;
	/* Version 1; every linker writes the place as a signed distance from itself. */
	if (!ph || ph->p_filesz < 8 || elf_file_read(f, ph->p_offset, hdr, 8) < 8 || hdr[0] != 1 || hdr[1] != 0x1b)
		return false;
	memcpy(&rel, hdr + 4, 4);
	s->vaddr = ph->p_vaddr + 4 + (uint64_t)(int64_t)rel;
	for (uint32_t i = 0; i < f->segments.nr; i++) {
		const struct elf_segment *seg = &f->segments.v[i];

		if (s->vaddr < seg->vaddr || s->vaddr - seg->vaddr >= seg->size_bytes)
			continue;
		off = s->vaddr - seg->vaddr + seg->file_off;
		to = seg->file_off + seg->size_bytes;
		d = off <= INT64_MAX && off < to && elf_file_take_memory(f, to - off)
			    ? elf_getdata_rawchunk(f->elf, (int64_t)off, to - off, ELF_T_BYTE)
			    : NULL;
		if (!d || !d->d_buf)
			return false;
		s->bytes = d->d_buf;
		s->size = d->d_size;
		s->ends_at_zero = true;
		return true;
	}
	return false;
}

static bool find_eh(struct cfi_section *s, const struct elf_file *f)
{
	if (!f || !f->elf || !f->is_little)
		return false;
	*s = (struct cfi_section){ .is_eh = true,
				   .address_size = f->word_bytes,
				   .text_vaddr = section_vaddr(f, ".text"),
				   .data_vaddr = section_vaddr(f, ".got") };
	if (set_section(s, f, elf_file_find_section(f, ".eh_frame")) || (f->sections.nr <= 1 && find_eh_by_header(s, f)))
		return true;
	s->size = 0;
	return false;
}

/* Compressed by ELF's way, by GNU's older one (.zdebug_frame), or not. What is unpacked is the caller's to free. */
static bool find_debug(struct cfi_section *s, const struct elf_file *f, void **unpacked)
{
	enum section_packing_head head;
	struct section_packing p;
	uint32_t i, gnu;

	if (!f || !f->elf || !f->is_little)
		return false;
	*s = (struct cfi_section){ .address_size = f->word_bytes };
	i = elf_file_find_section(f, ".debug_frame");
	gnu = i ? 0 : elf_file_find_section(f, ".zdebug_frame");
	if (!set_section(s, f, i ? i : gnu))
		return false;
	if (!gnu && !(f->sections.v[i].flags & SHF_COMPRESSED))
		return true;
	head = gnu ? PACKING_GNU : f->word_bytes == 4 ? PACKING_ELF32 : PACKING_ELF64;
	if (!section_packing_read(&p, s->bytes, s->size, head, false))
		return false;
	if (p.how == PACKED_NOT)
		return true;
	if (budget_take(&f->budgets->unpacked, p.unpacked_bytes))
		*unpacked = section_unpack(&p, s->bytes, s->size, MAX_UNPACKED_BYTES);
	s->bytes = *unpacked;
	s->size = (size_t)p.unpacked_bytes;
	return *unpacked != NULL;
}

static void search_text(struct unwind_input *in, const struct arch_code *code, const uint8_t *text, size_t size, uint64_t file_off)
{
	const uint8_t *at = text, *end = text + size;
	uint32_t max = sizeof(in->trampolines) / sizeof(in->trampolines[0]);

	if (!code->size_bytes)
		return;
	while (in->nr_trampolines < max && (at = memmem(at, (size_t)(end - at), code->bytes, code->size_bytes)) != NULL) {
		unwind_place_add(in->trampolines, &in->nr_trampolines, max, file_off + (uint64_t)(at - text), code->size_bytes);
		at += code->size_bytes;
	}
}

static void search_segment(struct unwind_input *in, const struct elf_file *f, const struct unwind_exits *exits,
			   const struct unwind_segment *s, uint8_t *buf)
{
	uint64_t size = s->size_bytes < MAX_SEARCH_BYTES ? s->size_bytes : MAX_SEARCH_BYTES;

	if (s->file_off > INT64_MAX)
		return;
	/* Segments of a hostile file are all the same bytes, or a hole. */
	size = elf_file_take_work(f, size);
	for (uint64_t off = 0; off < size; off += SEARCH_BYTES - SEARCH_OVERLAP) {
		size_t want = size - off < SEARCH_BYTES ? (size_t)(size - off) : SEARCH_BYTES;
		/* Piece by piece: libelf would keep all of it. */
		size_t got = elf_file_read(f, s->file_off + off, buf, want);

		for (uint32_t k = 0; k < 2; k++)
			search_text(in, &in->arch->sigreturn[k], buf, got, s->file_off + off);
		unwind_entries_search(in, exits, buf, got, s->file_off + off);
		if (got < SEARCH_BYTES)
			break;
	}
}

static void find_plts(struct unwind_input *in, const struct elf_file *f)
{
	for (uint32_t i = 0; i < ELF_NR_PLT_SECTIONS && in->nr_plts < UNWIND_MAX_PLTS; i++) {
		uint32_t section = elf_file_find_section(f, elf_plt_sections[i]);
		const Elf_Data *code = section && f->sections.v[section].type == SHT_PROGBITS ? elf_file_get_data(f, section) : NULL;

		if (code && code->d_buf)
			in->plts[in->nr_plts++] = (struct plt_section){ code->d_buf, code->d_size, f->sections.v[section].vaddr };
	}
}

static bool needs_libraries(const struct elf_file *f)
{
	for (uint32_t i = 1; i < f->sections.nr; i++) {
		const Elf_Data *d = f->sections.v[i].type == SHT_DYNAMIC ? elf_file_get_data(f, i) : NULL;
		GElf_Dyn dyn;

		for (int k = 0; d && k < MAX_DYNAMIC && gelf_getdyn((Elf_Data *)d, k, &dyn) && dyn.d_tag != DT_NULL; k++)
			if (dyn.d_tag == DT_NEEDED)
				return true;
	}
	return false;
}

/* May it have code of a C library's? Not a large file that needs another for that; but Go returns from signals by itself. */
static bool is_searched(const struct unwind_input *in, const struct elf_file *f)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < in->nr_segments; i++)
		bytes += in->segments[i].size_bytes < MAX_SEARCH_BYTES ? in->segments[i].size_bytes : MAX_SEARCH_BYTES;
	return !elf_file_is_hollow(f) && (bytes <= LIBRARY_BYTES || in->go || !needs_libraries(f));
}

/* What only the instructions show. */
static void search_code(struct unwind_input *in, const struct elf_file *f)
{
	uint8_t *buf = is_searched(in, f) ? mem_alloc(SEARCH_BYTES) : NULL;
	struct unwind_exits exits = { 0 };

	find_plts(in, f);
	unwind_entries_find_exits(&exits, f, buf != NULL);
	unwind_entries_add_entry(in, &exits, f);
	for (uint32_t i = 0; buf && i < in->nr_segments; i++)
		search_segment(in, f, &exits, &in->segments[i], buf);
	free(buf);
	qsort(in->trampolines, in->nr_trampolines, sizeof(in->trampolines[0]), compare_u64);
	qsort(in->starts, in->nr_starts, sizeof(in->starts[0]), compare_u64);
}

bool unwind_input_find(struct unwind_input *in, const struct elf_file *runtime, const struct elf_file *debug, void **unpacked)
{
	const struct elf_file *main = runtime && runtime->elf ? runtime : debug;

	*unpacked = NULL;
	in->arch = main && main->elf ? arch_find_machine(main->machine) : NULL;
	if (!in->arch) {
		in->arch = arch_native();
		return false;
	}
	find_segments(in, main);
	find_eh(&in->eh, main);
	if (!find_debug(&in->debug, debug, unpacked) && !find_debug(&in->debug, runtime, unpacked))
		in->debug.size = 0;
	return true;
}

static size_t read_code(const void *ctx, uint64_t vaddr, void *buf, size_t size)
{
	uint64_t off;

	return elf_file_offset(ctx, vaddr, &off) ? elf_file_read(ctx, off, buf, size) : 0;
}

int unwind_table_build(struct unwind_table **t, const struct elf_file *runtime, const struct elf_file *debug, bool is_lazy,
		       struct errbuf *eb)
{
	const struct elf_file *main = runtime && runtime->elf ? runtime : debug;
	struct unwind_input *in = mem_zalloc(sizeof(*in));
	struct go_unwind go = { .read = read_code, .ctx = main };
	struct go_module module;
	void *unpacked;
	int err = 0;

	*t = NULL;
	if (unwind_input_find(in, runtime, debug, &unpacked)) {
		go.arch = in->arch;
		go.table = &module.table;
		if (!go_module_open(&module, main, false))
			in->go = &go;
		search_code(in, main);
	}
	*t = is_lazy && in->eh.size + in->debug.size >= LAZY_BYTES_MIN ? unwind_lazy_build(in) : unwind_build(in);
	if (in->go)
		go_module_close(&module);
	free(unpacked);
	if (unwind_table_nr_damaged(*t) && !unwind_table_nr_rows(*t)) {
		err = errbuf_set(eb, -EBADMSG, "its call frame information is damaged: none of %u entries can be used",
				 unwind_table_nr_damaged(*t));
		unwind_table_free(*t);
		*t = NULL;
	}
	free(in);
	return err;
}
