/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Forms and abbreviations of DWARF 2 to 5, with GNU's additions for split and shared debug information. Every read is bounded by its
 * cursor; a form that is not known ends the reading of its unit, because nobody can say where the next value begins.
 */
#include "symbols/dwarf_unit.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#define FIRST_PIECE_BYTES 4096U
#define SIZE_VARIES UINT32_MAX

uint64_t dwarf_uint(struct bytes *b, unsigned int size)
{
	const uint8_t *p;

	switch (size) {
	case 1:
		return bytes_u8(b);
	case 2:
		return bytes_u16(b);
	case 3:
		p = bytes_take(b, 3);
		if (!p)
			return 0;
		/* Swapped is most significant first where we are not, and the other way round. */
		if (b->swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__))
			return (uint64_t)p[0] << 16 | (uint64_t)p[1] << 8 | p[2];
		return (uint64_t)p[2] << 16 | (uint64_t)p[1] << 8 | p[0];
	case 4:
		return bytes_u32(b);
	case 8:
		return bytes_u64(b);
	}
	b->failed = true;
	return 0;
}

bool dwarf_unit_length(struct bytes *b, uint64_t *length, uint8_t *offset_size)
{
	*length = bytes_u32(b);
	*offset_size = 4;
	if (*length == 0xffffffff) {
		*length = bytes_u64(b);
		*offset_size = 8;
	} else if (*length >= 0xfffffff0) {
		b->failed = true;
	}
	return !b->failed;
}

/* Bytes of a form whose size is known beforehand. */
static uint32_t form_size(uint16_t form, const struct dwarf_encoding *enc)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return 0;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return enc->addr_size;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return enc->offset_size;
	case DW_FORM_ref_addr:
		return enc->version <= 2 ? enc->addr_size : enc->offset_size;
	}
	return SIZE_VARIES;
}

static bool read_block(struct bytes *b, uint64_t size, struct dwarf_value *v)
{
	v->u = size;
	v->bytes = size <= SIZE_MAX ? bytes_take(b, size) : NULL;
	b->failed |= !v->bytes;
	return !b->failed;
}

bool dwarf_value_read(struct bytes *b, const struct dwarf_encoding *enc, const struct dwarf_attr *attr, struct dwarf_value *v)
{
	uint16_t form = attr->form;
	uint64_t other;
	uint32_t size;

	if (form == DW_FORM_indirect) {
		other = dwarf_uleb(b);
		form = other <= UINT16_MAX ? (uint16_t)other : 0;
		/* One that leads to another, or to a value that only the table could hold, is damage. */
		if (form == DW_FORM_indirect || form == DW_FORM_implicit_const)
			form = 0;
	}
	*v = (struct dwarf_value){ .form = form };
	size = form_size(form, enc);
	if (size != SIZE_VARIES) {
		if (size == 16) {
			v->bytes = bytes_take(b, 16);
			v->u = 16;
		} else if (size) {
			v->u = dwarf_uint(b, size);
		} else {
			v->u = form == DW_FORM_implicit_const ? (uint64_t)attr->implicit : 1;
		}
		return !b->failed;
	}
	switch (form) {
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		v->u = dwarf_uleb(b);
		return !b->failed;
	case DW_FORM_sdata:
		v->u = (uint64_t)dwarf_sleb(b);
		return !b->failed;
	case DW_FORM_string:
		other = strnlen((const char *)b->pos, bytes_left(b));
		v->bytes = b->pos;
		v->u = other;
		return bytes_take(b, other + 1) != NULL;
	case DW_FORM_block1:
		return read_block(b, bytes_u8(b), v);
	case DW_FORM_block2:
		return read_block(b, bytes_u16(b), v);
	case DW_FORM_block4:
		return read_block(b, bytes_u32(b), v);
	case DW_FORM_block:
	case DW_FORM_exprloc:
		return read_block(b, dwarf_uleb(b), v);
	}
	b->failed = true;
	return false;
}

bool dwarf_value_number(const struct dwarf_value *v, uint64_t *number)
{
	switch (v->form) {
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_implicit_const:
	case DW_FORM_sec_offset:
		*number = v->u;
		return true;
	}
	return false;
}

static bool read_decl(struct dwarf_abbrevs *t, struct bytes *b, uint64_t code)
{
	struct dwarf_abbrev a = { .code = code, .first_attr = t->attrs.nr };
	uint64_t tag = dwarf_uleb(b);

	a.tag = tag <= UINT16_MAX ? (uint16_t)tag : 0;
	a.has_children = bytes_u8(b) != 0;
	for (;;) {
		uint64_t name = dwarf_uleb(b), form = dwarf_uleb(b);
		struct dwarf_attr attr = { .name = name <= UINT16_MAX ? (uint16_t)name : 0,
					   .form = form <= UINT16_MAX ? (uint16_t)form : 0 };
		uint32_t size;

		if (attr.form == DW_FORM_implicit_const)
			attr.implicit = dwarf_sleb(b);
		if (b->failed)
			return false;
		if (!name && !form)
			break;
		vec_push(&t->attrs, attr);
		a.nr_attrs++;
		size = form_size(attr.form, &t->enc);
		a.fixed_bytes = size == SIZE_VARIES || a.fixed_bytes >= SIZE_VARIES - size ? SIZE_VARIES : a.fixed_bytes + size;
	}
	t->is_dense &= code == t->decls.nr + 1ULL;
	vec_push(&t->decls, a);
	return true;
}

static int compare_codes(const void *a, const void *b)
{
	const struct dwarf_abbrev *x = a, *y = b;

	return x->code < y->code ? -1 : x->code > y->code;
}

/* Reads declarations out of `size` bytes. 1: all there (or `code` found), 0: the bytes end too early. */
static int read_decls(struct dwarf_abbrevs *t, const struct dwarf_slice *s, bool swap, uint64_t code)
{
	struct bytes b = bytes_of(s->bytes, s->size_bytes, swap);

	t->decls.nr = t->attrs.nr = 0;
	t->is_dense = true;
	for (;;) {
		uint64_t next = dwarf_uleb(&b);

		if (b.failed)
			return 0;
		if (!next)
			return 1;
		if (!read_decl(t, &b, next))
			return 0;
		if (code && next == code)
			return 1;
	}
}

int dwarf_abbrevs_load_one(struct dwarf_abbrevs *t, const struct dwarf_file *d, uint64_t off, const struct dwarf_encoding *enc,
			   uint64_t code)
{
	uint64_t left = off < d->sections[DWARF_ABBREV].size_bytes ? d->sections[DWARF_ABBREV].size_bytes - off : 0;
	uint64_t size = code ? 256 : FIRST_PIECE_BYTES;
	int done = 0;

	*t = (struct dwarf_abbrevs){ .off = off, .enc = *enc };
	while (!done) {
		struct dwarf_slice s;

		size = size < left ? size : left;
		if (dwarf_slice_read(&s, d, DWARF_ABBREV, off, size))
			break;
		done = read_decls(t, &s, d->swap, code);
		dwarf_slice_fini(&s);
		/* A table that the section cuts still has what came before. */
		done |= size == left;
		size *= 4;
	}
	if (!t->decls.nr) {
		dwarf_abbrevs_fini(t);
		return -EBADMSG;
	}
	if (!t->is_dense)
		qsort(t->decls.v, t->decls.nr, sizeof(*t->decls.v), compare_codes);
	return 0;
}

int dwarf_abbrevs_load(struct dwarf_abbrevs *t, const struct dwarf_file *d, uint64_t off, const struct dwarf_encoding *enc)
{
	return dwarf_abbrevs_load_one(t, d, off, enc, 0);
}

void dwarf_abbrevs_fini(struct dwarf_abbrevs *t)
{
	vec_fini(&t->decls);
	vec_fini(&t->attrs);
}

const struct dwarf_abbrev *dwarf_abbrevs_search(const struct dwarf_abbrevs *t, uint64_t code)
{
	struct dwarf_abbrev key = { .code = code };

	if (!t->decls.nr)
		return NULL;
	return bsearch(&key, t->decls.v, t->decls.nr, sizeof(key), compare_codes);
}
