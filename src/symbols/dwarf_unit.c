/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Headers and first entries of units, and the ways from a value to what it means. Fed by dwarf_file.c; every offset is the file's word and
 * checked where it is used. Knows nothing of functions.
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
		h->abbrev_off = bytes_uint(&b, h->enc.offset_size);
		if (h->type == DW_UT_skeleton || h->type == DW_UT_split_compile)
			h->dwo_id = bytes_u64(&b);
		if (h->type == DW_UT_type || h->type == DW_UT_split_type) {
			h->signature = bytes_u64(&b);
			h->type_off = bytes_uint(&b, h->enc.offset_size);
		}
	} else {
		h->abbrev_off = bytes_uint(&b, h->enc.offset_size);
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
	uint32_t above = vec_search(us->headers.nr, i, us->headers.v[i].off > off);
	const struct dwarf_header *h = above ? &us->headers.v[above - 1] : NULL;

	return h && off < h->end && off >= h->off + h->size_bytes ? h : NULL;
}

#define MEMBER(name) offsetof(struct dwarf_unit, name)

static void take_attribute(struct dwarf_unit *u, uint16_t name, const struct dwarf_value *v)
{
	static const struct {
		uint16_t name;
		enum { WHOLE, RAW, NUMBER } how; /* the value, its number whatever the form, or that of constants */
		size_t member;
	} attrs[] = {
		{ DW_AT_low_pc, WHOLE, MEMBER(low) },		{ DW_AT_high_pc, WHOLE, MEMBER(high) },
		{ DW_AT_ranges, WHOLE, MEMBER(range_list) },	{ DW_AT_comp_dir, WHOLE, MEMBER(comp_dir) },
		{ DW_AT_dwo_name, WHOLE, MEMBER(dwo_name) },	{ DW_AT_GNU_dwo_name, WHOLE, MEMBER(dwo_name) },
		{ DW_AT_GNU_dwo_id, RAW, MEMBER(dwo_id) },	{ DW_AT_stmt_list, NUMBER, MEMBER(stmt_list) },
		{ DW_AT_language, NUMBER, MEMBER(language) },	{ DW_AT_str_offsets_base, RAW, MEMBER(str_offsets) },
		{ DW_AT_addr_base, RAW, MEMBER(addrs) },	{ DW_AT_GNU_addr_base, RAW, MEMBER(addrs) },
		{ DW_AT_rnglists_base, RAW, MEMBER(rnglists) }, { DW_AT_GNU_ranges_base, RAW, MEMBER(ranges) },
		{ DW_AT_loclists_base, RAW, MEMBER(loclists) },
	};

	for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++) {
		char *to = (char *)u + attrs[i].member;

		if (attrs[i].name != name)
			continue;
		if (attrs[i].how == WHOLE)
			*(struct dwarf_value *)to = *v;
		else if (attrs[i].how == RAW)
			*(uint64_t *)to = v->u;
		else
			dwarf_value_number(v, (uint64_t *)to);
	}
}

static bool read_root(struct dwarf_unit *u)
{
	struct bytes b = bytes_of(u->root.bytes, u->root.size_bytes, u->file->swap);
	uint64_t code = bytes_uleb(&b);
	const struct dwarf_abbrev *a;
	struct dwarf_abbrevs t;

	if (b.failed || !code || dwarf_abbrevs_load(&t, u->file, u->head.abbrev_off, &u->head.enc, code))
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

bool dwarf_item_read(const struct dwarf_file *d, enum dwarf_section_id id, uint64_t base, uint64_t index, unsigned int size, uint64_t *item)
{
	uint64_t section_bytes = d->sections[id].size_bytes;
	uint8_t raw[8];
	struct bytes b;

	if (base > section_bytes || index >= (section_bytes - base) / size)
		return false;
	if (dwarf_file_copy(d, id, base + index * size, raw, size) != size)
		return false;
	b = bytes_of(raw, size, d->swap);
	*item = bytes_uint(&b, size);
	return true;
}

const char *dwarf_unit_string(const struct dwarf_unit *u, const struct dwarf_value *v, char tmp[DWARF_STRING_MAX], size_t *len)
{
	uint64_t off;

	switch (dwarf_form_meaning(v->form)) {
	case DWARF_STRING:
		*len = v->u < DWARF_STRING_MAX ? v->u : DWARF_STRING_MAX;
		return dwarf_work_take(u->file->work, *len) ? (const char *)v->bytes : NULL;
	case DWARF_STRP:
		return dwarf_file_string(u->file, DWARF_STR, v->u, tmp, len);
	case DWARF_LINE_STRP:
		return dwarf_file_string(u->file, DWARF_LINE_STR, v->u, tmp, len);
	case DWARF_ALT_STRP:
		return u->alt ? dwarf_file_string(u->alt->file, DWARF_STR, v->u, tmp, len) : NULL;
	case DWARF_STRX:
		if (!dwarf_item_read(u->file, DWARF_STR_OFFSETS, u->str_offsets, v->u, u->head.enc.offset_size, &off))
			return NULL;
		return dwarf_file_string(u->file, DWARF_STR, off, tmp, len);
	default:
		return NULL;
	}
}

bool dwarf_unit_address(const struct dwarf_unit *u, const struct dwarf_value *v, uint64_t *addr)
{
	enum dwarf_meaning meaning = dwarf_form_meaning(v->form);

	*addr = v->u;
	return meaning == DWARF_ADDRESS ||
	       (meaning == DWARF_ADDRX && dwarf_item_read(u->program, DWARF_ADDR, u->addrs, v->u, u->head.enc.addr_size, addr));
}

bool dwarf_unit_ref(const struct dwarf_unit *u, const struct dwarf_value *v, uint64_t *off, bool *in_alt)
{
	enum dwarf_meaning meaning = dwarf_form_meaning(v->form);

	*in_alt = meaning == DWARF_ALT_REF;
	*off = meaning == DWARF_REF ? u->head.off + v->u : v->u;
	if (meaning == DWARF_REF)
		return v->u < u->head.end - u->head.off;
	return meaning == DWARF_REF_ADDR || (meaning == DWARF_ALT_REF && u->alt);
}

/* Ranges: low and high, .debug_ranges (DWARF 3 and 4) or .debug_rnglists (DWARF 5), read through a small window. */

#define WINDOW_BYTES 128U
/* Longest entry: a byte, two LEB128 of ten bytes each. */
#define MAX_ENTRY_BYTES 24U

/* Moves over a section in small steps. */
struct window {
	const struct dwarf_file *d;
	enum dwarf_section_id id;
	uint64_t off; /* of the cursor's end */
	struct bytes b;
	uint8_t buf[WINDOW_BYTES];
};

/* Makes sure that a whole entry is there, if the section has it. */
static bool window_fill(struct window *w)
{
	size_t left = bytes_left(&w->b), got;

	if (left >= MAX_ENTRY_BYTES)
		return true;
	memmove(w->buf, w->b.pos, left);
	got = dwarf_file_copy(w->d, w->id, w->off, w->buf + left, sizeof(w->buf) - left);
	w->off += got;
	w->b = bytes_of(w->buf, left + got, w->d->swap);
	return left + got > 0 && dwarf_work_take(w->d->work, MAX_ENTRY_BYTES);
}

static void window_init(struct window *w, const struct dwarf_file *d, enum dwarf_section_id id, uint64_t off)
{
	w->d = d;
	w->id = id;
	w->off = off;
	w->b = bytes_of(w->buf, 0, d->swap);
}

static void add_range(const struct dwarf_unit *u, uint64_t start, uint64_t end, struct dwarf_ranges *out)
{
	if (u->head.enc.addr_size < 8) {
		uint64_t max = (1ULL << (8 * u->head.enc.addr_size));

		start &= max - 1;
		end = end > max ? max : end;
	}
	if (dwarf_file_clip(u->program, &start, &end))
		vec_push(&out->list, ((struct dwarf_range){ start, end }));
}

static bool read_old_list(const struct dwarf_unit *u, uint64_t off, struct dwarf_ranges *out)
{
	unsigned int size = u->head.enc.addr_size;
	uint64_t base = u->low_pc, select = size == 8 ? UINT64_MAX : (1ULL << (8 * size)) - 1;
	struct window w;

	window_init(&w, u->program, DWARF_RANGES, off);
	while (window_fill(&w)) {
		uint64_t start = bytes_uint(&w.b, size), end = bytes_uint(&w.b, size);

		if (w.b.failed)
			return false;
		if (!start && !end)
			return true;
		if (start == select)
			base = end;
		else
			add_range(u, base + start, base + end, out);
		if (!dwarf_work_take(u->file->work, 64))
			return false;
	}
	return false;
}

static uint64_t indexed(const struct dwarf_unit *u, uint64_t index, bool *ok)
{
	struct dwarf_value v = { .form = DW_FORM_addrx, .u = index };
	uint64_t addr = 0;

	*ok &= dwarf_unit_address(u, &v, &addr);
	return addr;
}

/* One entry of a list of version 5. False at its end, or (and *ok) where it is damaged. */
static bool read_entry(const struct dwarf_unit *u, struct window *w, uint64_t *base, struct dwarf_ranges *out, bool *ok)
{
	unsigned int size = u->head.enc.addr_size;
	uint64_t start = 0, end = 0;

	switch (bytes_u8(&w->b)) {
	case DW_RLE_end_of_list:
		return false;
	case DW_RLE_base_addressx:
		*base = indexed(u, bytes_uleb(&w->b), ok);
		break;
	case DW_RLE_startx_endx:
		start = indexed(u, bytes_uleb(&w->b), ok);
		end = indexed(u, bytes_uleb(&w->b), ok);
		break;
	case DW_RLE_startx_length:
		start = indexed(u, bytes_uleb(&w->b), ok);
		end = start + bytes_uleb(&w->b);
		break;
	case DW_RLE_offset_pair:
		start = *base + bytes_uleb(&w->b);
		end = *base + bytes_uleb(&w->b);
		break;
	case DW_RLE_base_address:
		*base = bytes_uint(&w->b, size);
		break;
	case DW_RLE_start_end:
		start = bytes_uint(&w->b, size);
		end = bytes_uint(&w->b, size);
		break;
	case DW_RLE_start_length:
		start = bytes_uint(&w->b, size);
		end = start + bytes_uleb(&w->b);
		break;
	default:
		*ok = false;
	}
	if (*ok && !w->b.failed)
		add_range(u, start, end, out);
	return *ok && !w->b.failed;
}

static bool read_new_list(const struct dwarf_unit *u, uint64_t off, struct dwarf_ranges *out)
{
	uint64_t base = u->low_pc;
	struct window w;
	bool ok = true;

	window_init(&w, u->file, DWARF_RNGLISTS, off);
	while (window_fill(&w) && dwarf_work_take(u->file->work, 64))
		if (!read_entry(u, &w, &base, out, &ok))
			return ok && !w.b.failed;
	return false;
}

bool dwarf_unit_ranges(const struct dwarf_unit *u, const struct dwarf_value *low, const struct dwarf_value *high,
		       const struct dwarf_value *list, struct dwarf_ranges *out)
{
	uint64_t start, end, off;

	if (list->form) {
		if (u->head.enc.version >= 5) {
			if (list->form != DW_FORM_rnglistx)
				return read_new_list(u, list->u, out);
			/* The number of a list of the unit, not its place. */
			return dwarf_item_read(u->file, DWARF_RNGLISTS, u->rnglists, list->u, u->head.enc.offset_size, &off) &&
			       read_new_list(u, u->rnglists + off, out);
		}
		/* The first entry of a split unit's skeleton is not relative to the base it gives. */
		return read_old_list(u, u->file == u->program ? list->u : u->ranges + list->u, out);
	}
	if (!dwarf_unit_address(u, low, &start) || !high->form)
		return true;
	if (!dwarf_unit_address(u, high, &end)) {
		if (!dwarf_value_number(high, &end))
			return false;
		end += start;
	}
	add_range(u, start, end, out);
	return true;
}
