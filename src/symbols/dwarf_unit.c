/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Headers and first entries of units, and the ways from a value to what it means. Fed by dwarf_file.c; every offset is the file's
 * word and checked where it is used. Knows nothing of functions.
 */
#include "symbols/dwarf_unit.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

/* Longer first entries are damage: a name and a directory, and a dozen numbers. */
#define FIRST_ROOT_BYTES 512U
#define MAX_ROOT_BYTES 65536U
#define MAX_HEADER_BYTES 40U

static bool has_sane_sizes(const struct dwarf_encoding *enc)
{
	return enc->version >= 2 && enc->version <= 5 &&
	       (enc->addr_size == 8 || enc->addr_size == 4 || enc->addr_size == 2 || enc->addr_size == 1);
}

int dwarf_header_read(struct dwarf_header *h, const struct dwarf_file *d, uint64_t off)
{
	uint64_t section_bytes = d->sections[DWARF_INFO].size_bytes, length;
	uint64_t left = off < section_bytes ? section_bytes - off : 0;
	struct dwarf_slice s;
	uint16_t version;
	struct bytes b;

	*h = (struct dwarf_header){ .off = off };
	if (dwarf_slice_read(&s, d, DWARF_INFO, off, left < MAX_HEADER_BYTES ? left : MAX_HEADER_BYTES))
		return -EBADMSG;
	b = bytes_of(s.bytes, s.size_bytes, d->swap);
	if (!dwarf_unit_length(&b, &length, &h->enc.offset_size) || length > left - (size_t)(b.pos - s.bytes))
		goto bad;
	h->end = off + (size_t)(b.pos - s.bytes) + length;
	version = bytes_u16(&b);
	h->enc.version = version <= 5 ? (uint8_t)version : 0;
	if (h->enc.version >= 5) {
		h->type = bytes_u8(&b);
		h->enc.addr_size = bytes_u8(&b);
		h->abbrev_off = dwarf_uint(&b, h->enc.offset_size);
		if (h->type == DW_UT_skeleton || h->type == DW_UT_split_compile)
			h->dwo_id = bytes_u64(&b);
	} else {
		h->abbrev_off = dwarf_uint(&b, h->enc.offset_size);
		h->enc.addr_size = bytes_u8(&b);
	}
	h->size_bytes = (uint32_t)(b.pos - s.bytes);
	if (b.failed || h->size_bytes >= h->end - off)
		goto bad;
	dwarf_slice_fini(&s);
	return 0;
bad:
	dwarf_slice_fini(&s);
	/* The caller may still go on behind a unit of a version to come. */
	return -EBADMSG;
}

void dwarf_units_init(struct dwarf_units *us, const struct dwarf_file *d)
{
	uint64_t off = 0;

	*us = (struct dwarf_units){ .file = d };
	while (off < d->sections[DWARF_INFO].size_bytes) {
		struct dwarf_header h;
		int err = dwarf_header_read(&h, d, off);

		if (h.end <= off)
			break;
		if (!err && has_sane_sizes(&h.enc))
			vec_push(&us->headers, h);
		off = h.end;
	}
}

void dwarf_units_fini(struct dwarf_units *us)
{
	vec_fini(&us->headers);
}

const struct dwarf_header *dwarf_units_find(const struct dwarf_units *us, uint64_t off)
{
	uint32_t low = 0, high = us->headers.nr;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		const struct dwarf_header *h = &us->headers.v[mid];

		if (off < h->off)
			high = mid;
		else if (off >= h->end)
			low = mid + 1;
		else
			return off >= h->off + h->size_bytes ? h : NULL;
	}
	return NULL;
}

static void take_attribute(struct dwarf_unit *u, uint16_t name, const struct dwarf_value *v)
{
	switch (name) {
	case DW_AT_low_pc:
		u->low = *v;
		break;
	case DW_AT_high_pc:
		u->high = *v;
		break;
	case DW_AT_ranges:
		u->range_list = *v;
		break;
	case DW_AT_comp_dir:
		u->comp_dir = *v;
		break;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		u->dwo_name = *v;
		break;
	case DW_AT_GNU_dwo_id:
		u->dwo_id = v->u;
		break;
	case DW_AT_stmt_list:
		dwarf_value_number(v, &u->stmt_list);
		break;
	case DW_AT_language:
		dwarf_value_number(v, &u->language);
		break;
	case DW_AT_str_offsets_base:
		u->str_offsets = v->u;
		break;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		u->addrs = v->u;
		break;
	case DW_AT_rnglists_base:
		u->rnglists = v->u;
		break;
	case DW_AT_GNU_ranges_base:
		u->ranges = v->u;
		break;
	}
}

static bool read_root(struct dwarf_unit *u)
{
	struct bytes b = bytes_of(u->root.bytes, u->root.size_bytes, u->file->swap);
	uint64_t code = dwarf_uleb(&b);
	const struct dwarf_abbrev *a;
	struct dwarf_abbrevs t;

	if (b.failed || !code || dwarf_abbrevs_load_one(&t, u->file, u->head.abbrev_off, &u->head.enc, code))
		return false;
	a = dwarf_abbrevs_find(&t, code);
	for (uint32_t i = 0; a && i < a->nr_attrs; i++) {
		const struct dwarf_attr *attr = &t.attrs.v[a->first_attr + i];
		struct dwarf_value v;

		if (!dwarf_value_read(&b, &u->head.enc, attr, &v))
			break;
		take_attribute(u, attr->name, &v);
	}
	if (a) {
		u->tag = a->tag;
		u->has_children = a->has_children;
	}
	dwarf_abbrevs_fini(&t);
	return a && !b.failed;
}

int dwarf_unit_init(struct dwarf_unit *u, const struct dwarf_file *d, const struct dwarf_header *h)
{
	uint64_t off = h->off + h->size_bytes, left = h->end - off;

	*u = (struct dwarf_unit){ .head = *h, .file = d, .program = d, .stmt_list = DWARF_NONE, .dwo_id = h->dwo_id };
	for (uint64_t size = FIRST_ROOT_BYTES;; size *= 8) {
		size = size < left ? size : left;
		if (dwarf_slice_read(&u->root, d, DWARF_INFO, off, size))
			return -EBADMSG;
		if (read_root(u))
			break;
		dwarf_slice_fini(&u->root);
		if (size == left || size >= MAX_ROOT_BYTES)
			return -EBADMSG;
	}
	if (!dwarf_unit_address(u, &u->low, &u->low_pc))
		u->low_pc = 0;
	return 0;
}

void dwarf_unit_fini(struct dwarf_unit *u)
{
	dwarf_slice_fini(&u->root);
}

/* The index-th item of a table of offsets or addresses. */
static bool read_item(const struct dwarf_file *d, enum dwarf_section_id id, uint64_t base, uint64_t index, unsigned int size,
		      uint64_t *item)
{
	uint64_t section_bytes = d->sections[id].size_bytes;
	uint8_t raw[8];
	struct bytes b;

	if (base > section_bytes || index >= (section_bytes - base) / size)
		return false;
	if (dwarf_file_copy(d, id, base + index * size, raw, size) != size)
		return false;
	b = bytes_of(raw, size, d->swap);
	*item = dwarf_uint(&b, size);
	return true;
}

const char *dwarf_unit_string(const struct dwarf_unit *u, const struct dwarf_value *v, char tmp[DWARF_STRING_MAX], size_t *len)
{
	uint64_t off;

	switch (v->form) {
	case DW_FORM_string:
		*len = v->u < DWARF_STRING_MAX ? v->u : DWARF_STRING_MAX;
		return dwarf_work_take(u->file->work, *len) ? (const char *)v->bytes : NULL;
	case DW_FORM_strp:
		return dwarf_file_string(u->file, DWARF_STR, v->u, tmp, len);
	case DW_FORM_line_strp:
		return dwarf_file_string(u->file, DWARF_LINE_STR, v->u, tmp, len);
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		return u->alt ? dwarf_file_string(u->alt->file, DWARF_STR, v->u, tmp, len) : NULL;
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		if (!read_item(u->file, DWARF_STR_OFFSETS, u->str_offsets, v->u, u->head.enc.offset_size, &off))
			return NULL;
		return dwarf_file_string(u->file, DWARF_STR, off, tmp, len);
	}
	return NULL;
}

bool dwarf_unit_address(const struct dwarf_unit *u, const struct dwarf_value *v, uint64_t *addr)
{
	switch (v->form) {
	case DW_FORM_addr:
		*addr = v->u;
		return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return read_item(u->program, DWARF_ADDR, u->addrs, v->u, u->head.enc.addr_size, addr);
	}
	return false;
}

bool dwarf_unit_ref(const struct dwarf_unit *u, const struct dwarf_value *v, uint64_t *off, bool *in_alt)
{
	*in_alt = false;
	switch (v->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		*off = u->head.off + v->u;
		return v->u < u->head.end - u->head.off;
	case DW_FORM_ref_addr:
		*off = v->u;
		return true;
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt:
		*off = v->u;
		*in_alt = true;
		return u->alt != NULL;
	}
	return false;
}
