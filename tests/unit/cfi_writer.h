/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Writes sections of call frame information for tests, entry by entry.
 */
#ifndef ASSAY_TESTS_CFI_WRITER_H
#define ASSAY_TESTS_CFI_WRITER_H

#include <dwarf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "symbols/unwind_build.h"

struct cfi_writer {
	uint8_t v[4096];
	size_t nr;
	size_t entry; /* where the open one's length stands */
	bool is_eh;
	bool is_64;
};

static inline void cfi_put(struct cfi_writer *w, const void *bytes, size_t size)
{
	if (w->nr + size <= sizeof(w->v)) {
		memcpy(w->v + w->nr, bytes, size);
		w->nr += size;
	}
}

static inline void cfi_u8(struct cfi_writer *w, uint8_t v)
{
	cfi_put(w, &v, 1);
}

static inline void cfi_u32(struct cfi_writer *w, uint32_t v)
{
	cfi_put(w, &v, 4);
}

static inline void cfi_u64(struct cfi_writer *w, uint64_t v)
{
	cfi_put(w, &v, 8);
}

static inline void cfi_begin(struct cfi_writer *w)
{
	w->entry = w->nr;
	cfi_u32(w, w->is_64 ? UINT32_MAX : 0);
	if (w->is_64)
		cfi_u64(w, 0);
}

static inline void cfi_end(struct cfi_writer *w)
{
	size_t head = w->is_64 ? 12 : 4;
	uint64_t size = w->nr - w->entry - head;

	if (w->is_64)
		memcpy(w->v + w->entry + 4, &size, 8);
	else
		memcpy(w->v + w->entry, &size, 4);
}

/* The id field: a CIE's, or an FDE's way to its CIE at `cie`. */
static inline void cfi_id(struct cfi_writer *w, bool is_cie, size_t cie)
{
	if (w->is_eh)
		cfi_u32(w, is_cie ? 0 : (uint32_t)(w->nr - cie));
	else if (w->is_64)
		cfi_u64(w, is_cie ? UINT64_MAX : cie);
	else
		cfi_u32(w, is_cie ? UINT32_MAX : (uint32_t)cie);
}

#define CFI_BYTES(...) ((const uint8_t[]){ __VA_ARGS__ }), sizeof((const uint8_t[]){ __VA_ARGS__ })

/* x86_64's usual CIE: code alignment 1, data alignment -8, column 16, CFA rsp + 8, return address at CFA - 8. `letters` "zR": addresses
 * of 4 bytes, relative. Returns its place. */
static inline size_t cfi_cie(struct cfi_writer *w, const char *letters)
{
	size_t at = w->nr;

	cfi_begin(w);
	cfi_id(w, true, 0);
	cfi_u8(w, 1);
	cfi_put(w, letters, strlen(letters) + 1);
	cfi_put(w, CFI_BYTES(1, 0x78, 16));
	if (letters[0] == 'z') {
		uint8_t nr = 0;

		for (const char *l = letters; *l; l++)
			nr = (uint8_t)(nr + (*l == 'R' || *l == 'L') + (*l == 'P' ? 5 : 0));
		cfi_u8(w, nr);
		for (const char *l = letters; *l; l++) {
			if (*l == 'R')
				cfi_u8(w, DW_EH_PE_pcrel | DW_EH_PE_sdata4);
			else if (*l == 'L')
				cfi_u8(w, DW_EH_PE_omit);
			else if (*l == 'P')
				cfi_put(w, CFI_BYTES(DW_EH_PE_udata4, 1, 2, 3, 4));
		}
	}
	cfi_put(w, CFI_BYTES(DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1));
	cfi_end(w);
	return at;
}

/* A function; with "zR" addresses are relative to their place (the section begins at vaddr 0). */
static inline void cfi_fde(struct cfi_writer *w, size_t cie, bool zr, uint64_t start, uint64_t size, const uint8_t *code, size_t code_size)
{
	cfi_begin(w);
	cfi_id(w, false, cie);
	if (zr) {
		cfi_u32(w, (uint32_t)(start - w->nr));
		cfi_u32(w, (uint32_t)size);
		cfi_u8(w, 0);
	} else {
		cfi_u64(w, start);
		cfi_u64(w, size);
	}
	cfi_put(w, code, code_size);
	cfi_end(w);
}

static inline struct cfi_section cfi_section_of(const struct cfi_writer *w)
{
	return (struct cfi_section){ .bytes = w->v, .size = w->nr, .address_size = 8, .is_eh = w->is_eh };
}

/* One executable segment: vaddr 0x1000–0x11000 at file offset 0x400. */
#define CFI_DELTA 0xc00
static inline struct unwind_input cfi_input(const struct arch_ops *arch, const struct cfi_writer *eh, const struct cfi_writer *debug)
{
	struct unwind_input in = { .arch = arch, .nr_segments = 1 };

	in.segments[0] = (struct unwind_segment){ 0x1000, 0x10000, 0x1000 - CFI_DELTA };
	if (eh)
		in.eh = cfi_section_of(eh);
	if (debug)
		in.debug = cfi_section_of(debug);
	return in;
}

#endif
