/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Ranges of addresses of an entry: low and high, a list in .debug_ranges (DWARF 3 and 4), a list in .debug_rnglists (DWARF 5). Part of
 * struct dwarf_unit. Lists are read through a small window, because they lie scattered over their section.
 */
#include "symbols/dwarf_unit.h"

#include <dwarf.h>

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
