/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Forms and abbreviations of DWARF 2 to 5, with GNU's additions for split and shared debug information. Every read is bounded by its
 * cursor; an unknown form ends the reading of its unit, because its size is unknown too.
 */
#include "symbols/dwarf_unit.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#define FIRST_PIECE_BYTES 4096U
#define SIZE_VARIES UINT32_MAX

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

/* How a value lies in the bytes. */
enum shape { SHAPE_UNKNOWN, FIXED, ADDRESS, OFFSET, REF_ADDR, ULEB, SLEB, STRING, BLOCK };

struct form {
	uint8_t shape;
	uint8_t size;	 /* FIXED: of the value; BLOCK: of its length, 0: LEB128 */
	uint8_t meaning; /* enum dwarf_meaning */
};

/* GNU's own forms begin at 0x1f00. */
#define GNU_FORMS 0x1f00
#define NR_STANDARD 0x30
#define GNU(form) ((form)-GNU_FORMS + NR_STANDARD)

static const struct form forms[] = {
	[DW_FORM_addr] = { ADDRESS, 0, DWARF_ADDRESS },
	[DW_FORM_block1] = { BLOCK, 1, 0 },
	[DW_FORM_block2] = { BLOCK, 2, 0 },
	[DW_FORM_block4] = { BLOCK, 4, 0 },
	[DW_FORM_block] = { BLOCK, 0, 0 },
	[DW_FORM_exprloc] = { BLOCK, 0, 0 },
	[DW_FORM_flag] = { FIXED, 1, 0 },
	[DW_FORM_flag_present] = { FIXED, 0, 0 },
	[DW_FORM_data1] = { FIXED, 1, DWARF_NUMBER },
	[DW_FORM_data2] = { FIXED, 2, DWARF_NUMBER },
	[DW_FORM_data4] = { FIXED, 4, DWARF_NUMBER },
	[DW_FORM_data8] = { FIXED, 8, DWARF_NUMBER },
	[DW_FORM_data16] = { FIXED, 16, 0 },
	[DW_FORM_implicit_const] = { FIXED, 0, DWARF_NUMBER },
	[DW_FORM_udata] = { ULEB, 0, DWARF_NUMBER },
	[DW_FORM_sdata] = { SLEB, 0, DWARF_NUMBER },
	[DW_FORM_sec_offset] = { OFFSET, 0, DWARF_NUMBER },
	[DW_FORM_loclistx] = { ULEB, 0, 0 },
	[DW_FORM_rnglistx] = { ULEB, 0, 0 },
	[DW_FORM_string] = { STRING, 0, DWARF_STRING },
	[DW_FORM_strp] = { OFFSET, 0, DWARF_STRP },
	[DW_FORM_line_strp] = { OFFSET, 0, DWARF_LINE_STRP },
	[DW_FORM_strp_sup] = { OFFSET, 0, DWARF_ALT_STRP },
	[DW_FORM_strx] = { ULEB, 0, DWARF_STRX },
	[DW_FORM_strx1] = { FIXED, 1, DWARF_STRX },
	[DW_FORM_strx2] = { FIXED, 2, DWARF_STRX },
	[DW_FORM_strx3] = { FIXED, 3, DWARF_STRX },
	[DW_FORM_strx4] = { FIXED, 4, DWARF_STRX },
	[DW_FORM_addrx] = { ULEB, 0, DWARF_ADDRX },
	[DW_FORM_addrx1] = { FIXED, 1, DWARF_ADDRX },
	[DW_FORM_addrx2] = { FIXED, 2, DWARF_ADDRX },
	[DW_FORM_addrx3] = { FIXED, 3, DWARF_ADDRX },
	[DW_FORM_addrx4] = { FIXED, 4, DWARF_ADDRX },
	[DW_FORM_ref1] = { FIXED, 1, DWARF_REF },
	[DW_FORM_ref2] = { FIXED, 2, DWARF_REF },
	[DW_FORM_ref4] = { FIXED, 4, DWARF_REF },
	[DW_FORM_ref8] = { FIXED, 8, DWARF_REF },
	[DW_FORM_ref_udata] = { ULEB, 0, DWARF_REF },
	[DW_FORM_ref_addr] = { REF_ADDR, 0, DWARF_REF_ADDR },
	[DW_FORM_ref_sig8] = { FIXED, 8, 0 },
	[DW_FORM_ref_sup4] = { FIXED, 4, DWARF_ALT_REF },
	[DW_FORM_ref_sup8] = { FIXED, 8, DWARF_ALT_REF },
	[GNU(DW_FORM_GNU_addr_index)] = { ULEB, 0, DWARF_ADDRX },
	[GNU(DW_FORM_GNU_str_index)] = { ULEB, 0, DWARF_STRX },
	[GNU(DW_FORM_GNU_ref_alt)] = { OFFSET, 0, DWARF_ALT_REF },
	[GNU(DW_FORM_GNU_strp_alt)] = { OFFSET, 0, DWARF_ALT_STRP },
};

static const struct form *form_of(uint16_t form)
{
	uint32_t i = form < NR_STANDARD ? form : form >= GNU_FORMS ? GNU(form) : 0;

	return &forms[i < sizeof(forms) / sizeof(forms[0]) ? i : 0];
}

enum dwarf_meaning dwarf_form_meaning(uint16_t form)
{
	return form_of(form)->meaning;
}

/* Bytes of a form whose size is known beforehand. */
static uint32_t form_size(const struct form *f, const struct dwarf_encoding *enc)
{
	switch (f->shape) {
	case FIXED:
		return f->size;
	case ADDRESS:
		return enc->addr_size;
	case OFFSET:
		return enc->offset_size;
	case REF_ADDR:
		return enc->version <= 2 ? enc->addr_size : enc->offset_size;
	}
	return SIZE_VARIES;
}

uint32_t dwarf_form_size(uint16_t form, const struct dwarf_encoding *enc)
{
	return form_size(form_of(form), enc);
}

bool dwarf_value_read(struct bytes *b, const struct dwarf_encoding *enc, const struct dwarf_attr *attr, struct dwarf_value *v)
{
	uint16_t form = attr->form;
	const struct form *f;
	uint64_t other;
	uint32_t size;

	if (form == DW_FORM_indirect) {
		other = bytes_uleb(b);
		form = other <= UINT16_MAX ? (uint16_t)other : 0;
		/* One that leads to another, or to a value that only the table could hold, is damage. */
		if (form == DW_FORM_indirect || form == DW_FORM_implicit_const)
			form = 0;
	}
	*v = (struct dwarf_value){ .form = form };
	f = form_of(form);
	size = form_size(f, enc);
	if (size != SIZE_VARIES) {
		if (size == 16) {
			v->bytes = bytes_take(b, 16);
			v->u = 16;
		} else if (size) {
			v->u = bytes_uint(b, size);
		} else {
			v->u = form == DW_FORM_implicit_const ? (uint64_t)attr->implicit : 1;
		}
		return !b->failed;
	}
	switch (f->shape) {
	case ULEB:
		v->u = bytes_uleb(b);
		return !b->failed;
	case SLEB:
		v->u = (uint64_t)bytes_sleb(b);
		return !b->failed;
	case STRING:
		other = strnlen((const char *)b->pos, bytes_left(b));
		v->bytes = b->pos;
		v->u = other;
		return bytes_take(b, other + 1) != NULL;
	case BLOCK:
		v->u = f->size ? bytes_uint(b, f->size) : bytes_uleb(b);
		v->bytes = bytes_take(b, v->u);
		return v->bytes != NULL;
	}
	b->failed = true;
	return false;
}

bool dwarf_value_number(const struct dwarf_value *v, uint64_t *number)
{
	if (dwarf_form_meaning(v->form) != DWARF_NUMBER)
		return false;
	*number = v->u;
	return true;
}

static bool read_decl(struct dwarf_abbrevs *t, struct bytes *b, uint64_t code)
{
	struct dwarf_abbrev a = { .code = code, .first_attr = t->attrs.nr };
	uint64_t tag = bytes_uleb(b);

	a.tag = tag <= UINT16_MAX ? (uint16_t)tag : 0;
	a.has_children = bytes_u8(b) != 0;
	for (;;) {
		uint64_t name = bytes_uleb(b), form = bytes_uleb(b);
		struct dwarf_attr attr = { .name = name <= UINT16_MAX ? (uint16_t)name : 0,
					   .form = form <= UINT16_MAX ? (uint16_t)form : 0 };
		uint32_t size;

		if (attr.form == DW_FORM_implicit_const)
			attr.implicit = bytes_sleb(b);
		if (b->failed)
			return false;
		if (!name && !form)
			break;
		vec_push(&t->attrs, attr);
		a.nr_attrs++;
		size = form_size(form_of(attr.form), &t->enc);
		a.fixed_bytes = size == SIZE_VARIES || a.fixed_bytes >= SIZE_VARIES - size ? SIZE_VARIES : a.fixed_bytes + size;
	}
	t->is_dense &= code == t->decls.nr + 1ULL;
	vec_push(&t->decls, a);
	return true;
}

/* Reads declarations out of `size` bytes. 1: all there (or `code` found), 0: the bytes end too early. */
static int read_decls(struct dwarf_abbrevs *t, const struct dwarf_slice *s, bool swap, uint64_t code)
{
	struct bytes b = bytes_of(s->bytes, s->size_bytes, swap);

	t->decls.nr = t->attrs.nr = 0;
	t->is_dense = true;
	for (;;) {
		uint64_t next = bytes_uleb(&b);

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

int dwarf_abbrevs_load(struct dwarf_abbrevs *t, const struct dwarf_file *d, uint64_t off, const struct dwarf_encoding *enc, uint64_t code)
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
		vec_sort(&t->decls, compare_u64);
	return 0;
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
	return bsearch(&key, t->decls.v, t->decls.nr, sizeof(key), compare_u64);
}
