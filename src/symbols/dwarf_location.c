/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From the attributes of a variable to the expression that holds at an address: a single one, a list in .debug_loc (DWARF 2 to 4),
 * .debug_loclists (DWARF 5) or GNU's form of split files, or a constant.
 */
#include "symbols/dwarf_location.h"

#include <dwarf.h>
#include <errno.h>
#include <string.h>

#define FIRST_LIST_BYTES (4U << 10)
#define MAX_LIST_BYTES (4U << 20)

bool fetch_deref(struct fetch *f, int64_t off, bool is_user)
{
	if (f->nr == FETCH_MAX_DEREFS || f->is_narrow || __builtin_add_overflow(f->add, off, &f->add))
		return false;
	f->is_user[f->nr] = is_user;
	f->offs[f->nr++] = f->add;
	f->add = 0;
	return true;
}

/* One entry of a list. */
struct item {
	uint64_t start, end;
	const uint8_t *expr;
	size_t size;
	bool is_default;
};

struct list {
	const struct dwarf_unit *unit;
	struct bytes b;
	uint64_t base;
	bool is_old, is_gnu;
};

static uint64_t indexed(const struct list *l, uint64_t index, bool *ok)
{
	struct dwarf_value v = { .form = DW_FORM_addrx, .u = index };
	uint64_t addr = 0;

	*ok &= dwarf_unit_address(l->unit, &v, &addr);
	return addr;
}

static void take_expr(struct list *l, struct item *it, bool is_uleb)
{
	uint64_t size = is_uleb ? bytes_uleb(&l->b) : bytes_u16(&l->b);

	it->size = size <= SIZE_MAX ? (size_t)size : SIZE_MAX;
	it->expr = bytes_take(&l->b, it->size);
}

/* The entries of DWARF 2 to 4. 1: an entry, 0: the end. */
static int next_old(struct list *l, struct item *it)
{
	unsigned int size = l->unit->head.enc.addr_size;
	uint64_t select = size == 8 ? UINT64_MAX : (1ULL << (8 * size)) - 1;

	for (;;) {
		uint64_t start = bytes_uint(&l->b, size), end = bytes_uint(&l->b, size);

		if (l->b.failed || (!start && !end))
			return 0;
		if (start == select) {
			l->base = end;
			continue;
		}
		*it = (struct item){ .start = l->base + start, .end = l->base + end };
		take_expr(l, it, false);
		return !l->b.failed;
	}
}

static int next_gnu(struct list *l, struct item *it)
{
	bool ok = true;

	for (;;) {
		*it = (struct item){ 0 };
		switch (bytes_u8(&l->b)) {
		case DW_LLE_GNU_base_address_selection_entry:
			l->base = indexed(l, bytes_uleb(&l->b), &ok);
			continue;
		case DW_LLE_GNU_start_end_entry:
			it->start = indexed(l, bytes_uleb(&l->b), &ok);
			it->end = indexed(l, bytes_uleb(&l->b), &ok);
			break;
		case DW_LLE_GNU_start_length_entry:
			it->start = indexed(l, bytes_uleb(&l->b), &ok);
			it->end = it->start + bytes_u32(&l->b);
			break;
		default:
			return 0;
		}
		take_expr(l, it, false);
		return ok && !l->b.failed;
	}
}

static int next_new(struct list *l, struct item *it)
{
	unsigned int size = l->unit->head.enc.addr_size;
	bool ok = true;

	while (!l->b.failed && ok) {
		*it = (struct item){ 0 };
		switch (bytes_u8(&l->b)) {
		case DW_LLE_base_addressx:
			l->base = indexed(l, bytes_uleb(&l->b), &ok);
			continue;
		case DW_LLE_base_address:
			l->base = bytes_uint(&l->b, size);
			continue;
		case DW_LLE_GNU_view_pair:
			bytes_uleb(&l->b);
			bytes_uleb(&l->b);
			continue;
		case DW_LLE_startx_endx:
			it->start = indexed(l, bytes_uleb(&l->b), &ok);
			it->end = indexed(l, bytes_uleb(&l->b), &ok);
			break;
		case DW_LLE_startx_length:
			it->start = indexed(l, bytes_uleb(&l->b), &ok);
			it->end = it->start + bytes_uleb(&l->b);
			break;
		case DW_LLE_offset_pair:
			it->start = l->base + bytes_uleb(&l->b);
			it->end = l->base + bytes_uleb(&l->b);
			break;
		case DW_LLE_default_location:
			it->is_default = true;
			break;
		case DW_LLE_start_end:
			it->start = bytes_uint(&l->b, size);
			it->end = bytes_uint(&l->b, size);
			break;
		case DW_LLE_start_length:
			it->start = bytes_uint(&l->b, size);
			it->end = it->start + bytes_uleb(&l->b);
			break;
		default:
			return 0;
		}
		take_expr(l, it, true);
		return ok && !l->b.failed;
	}
	return 0;
}

static int next_item(struct list *l, struct item *it)
{
	if (!dwarf_work_take(l->unit->file->work, 16))
		return 0;
	return l->is_gnu ? next_gnu(l, it) : l->is_old ? next_old(l, it) : next_new(l, it);
}

/* Where the list of a value begins; false: it is none. */
static bool list_place(const struct dwarf_unit *u, const struct dwarf_value *v, struct list *l, enum dwarf_section_id *id, uint64_t *off)
{
	bool is_split = u->file != u->program;

	*l = (struct list){
		.unit = u, .base = u->low_pc, .is_old = u->head.enc.version < 5, .is_gnu = u->head.enc.version < 5 && is_split
	};
	*id = l->is_old ? DWARF_LOC : DWARF_LOCLISTS;
	*off = v->u;
	if (v->form == DW_FORM_loclistx) {
		if (!dwarf_item_read(u->file, DWARF_LOCLISTS, u->loclists, v->u, u->head.enc.offset_size, off))
			return false;
		*off += u->loclists;
		return true;
	}
	if (l->is_gnu)
		*off += u->locs;
	return dwarf_form_meaning(v->form) == DWARF_NUMBER && v->form != DW_FORM_implicit_const && v->form != DW_FORM_udata &&
	       v->form != DW_FORM_sdata;
}

typedef bool item_fn(void *ctx, const struct item *it);

/* Walks a list until the function says stop (true). False: the value is no list. */
static bool walk_list(const struct dwarf_unit *u, const struct dwarf_value *v, item_fn *fn, void *ctx)
{
	enum dwarf_section_id id;
	uint32_t nr_given = 0;
	struct list l;
	uint64_t off;

	if (!list_place(u, v, &l, &id, &off))
		return false;
	for (uint64_t size = FIRST_LIST_BYTES; size <= MAX_LIST_BYTES; size *= 16) {
		uint64_t section = u->file->sections[id].size_bytes, left = off < section ? section - off : 0;
		struct dwarf_slice s;
		struct item it;
		bool done = false;

		size = size < left ? size : left;
		if (!size || dwarf_slice_read(&s, u->file, id, off, size))
			return true;
		l.b = bytes_of(s.bytes, s.size_bytes, u->file->swap);
		l.base = u->low_pc;
		for (uint32_t nr = 0; !done && next_item(&l, &it); nr++)
			if (nr >= nr_given) {
				nr_given = nr + 1;
				done = fn(ctx, &it);
			}
		dwarf_slice_fini(&s);
		/* What was cut is read again, with more bytes. */
		if (done || !l.b.failed || size == left)
			break;
	}
	return true;
}

static bool is_block(uint16_t form)
{
	return form == DW_FORM_exprloc || form == DW_FORM_block1 || form == DW_FORM_block2 || form == DW_FORM_block4 ||
	       form == DW_FORM_block;
}

struct search {
	const struct dwarf_die *die;
	const struct location_at *at;
	struct location *loc;
	struct errbuf *eb;
	int err;
	bool found;
};

static bool try_item(void *ctx, const struct item *it)
{
	struct search *s = ctx;

	if (!it->is_default && (s->at->vaddr < it->start || s->at->vaddr >= it->end))
		return false;
	if (s->found && it->is_default)
		return false;
	s->err = dwarf_expr_run(s->die, it->expr, it->size, s->at, s->loc, s->eb);
	s->found = true;
	return !it->is_default;
}

/* DW_AT_const_value: a number, or the bytes of one. */
static int constant_location(const struct dwarf_die *die, const struct dwarf_value *v, struct location *loc, struct errbuf *eb)
{
	struct location_piece *p = &loc->pieces[0];
	struct bytes b;
	int64_t n;

	*loc = (struct location){ .nr = 1 };
	*p = (struct location_piece){ .f.base = FETCH_CONST, .is_value = true, .size_bytes = UINT64_MAX };
	if (dwarf_die_signed(die, DW_AT_const_value, &n)) {
		p->f.number = (uint64_t)n;
		return 0;
	}
	if (is_block(v->form) && v->u && v->u <= 8 && (v->u & (v->u - 1)) == 0) {
		b = bytes_of(v->bytes, v->u, die->tree->unit->file->swap);
		p->f.number = (uint64_t)bytes_int(&b, (unsigned int)v->u);
		return 0;
	}
	return errbuf_set(eb, -ENOTSUP, "it is a constant that is no number");
}

int dwarf_location_find(const struct dwarf_die *var, const struct location_at *at, struct location *loc, struct errbuf *eb)
{
	struct search s = { .at = at, .loc = loc, .eb = eb, .die = var };
	struct dwarf_die from;
	struct dwarf_value v;

	*loc = (struct location){ 0 };
	if (dwarf_die_value(var, DW_AT_const_value, &v))
		return constant_location(var, &v, loc, eb);
	if (!dwarf_die_find(var, DW_AT_location, &v, &from)) {
		if (dwarf_die_find(var, DW_AT_const_value, &v, &from))
			return constant_location(&from, &v, loc, eb);
		return -ENODATA;
	}
	s.die = &from;
	if (is_block(v.form)) {
		if (!v.u)
			return -ENODATA;
		return dwarf_expr_run(&from, v.bytes, v.u, at, loc, eb);
	}
	if (!walk_list(from.tree->unit, &v, try_item, &s))
		return errbuf_set(eb, -ENOTSUP, "its location has a form (0x%x) that is not known", v.form);
	if (s.found && !s.err && !loc->nr)
		return -ENODATA;
	return s.found ? s.err : -ENODATA;
}

struct range_taker {
	void (*take)(void *ctx, uint64_t start, uint64_t end);
	void *ctx;
};

static bool take_range(void *ctx, const struct item *it)
{
	struct range_taker *t = ctx;

	if (t->take && it->end > it->start && it->size)
		t->take(t->ctx, it->start, it->end);
	return false;
}

bool dwarf_location_ranges(const struct dwarf_die *var, void (*take)(void *ctx, uint64_t start, uint64_t end), void *ctx)
{
	struct range_taker t = { .take = take, .ctx = ctx };
	struct dwarf_die from;
	struct dwarf_value v;

	return dwarf_die_find(var, DW_AT_location, &v, &from) && !is_block(v.form) && walk_list(from.tree->unit, &v, take_range, &t);
}

/* gcc counts from where the caller's frame ends, which is known at each address; clang from a register that the prologue sets. */
static bool is_counted_from_cfa(const struct dwarf_die *function)
{
	struct dwarf_die from;
	struct dwarf_value v;

	return dwarf_die_find(function, DW_AT_frame_base, &v, &from) && v.bytes && v.u && v.bytes[0] == DW_OP_call_frame_cfa;
}

bool dwarf_location_is_frame(const struct dwarf_die *var, const struct dwarf_die *function)
{
	struct dwarf_die from;
	struct dwarf_value v;
	struct bytes b;
	int64_t off;

	if (!dwarf_die_find(var, DW_AT_location, &v, &from) || !is_block(v.form) || !v.u)
		return false;
	if (v.bytes[0] == DW_OP_fbreg) {
		b = bytes_of(v.bytes + 1, v.u - 1, false);
		off = bytes_sleb(&b);
		/* What is above the frame was put there by the caller. */
		return !b.failed && (off < 0 || !is_counted_from_cfa(function));
	}
	return v.bytes[0] >= DW_OP_breg0 && v.bytes[0] <= DW_OP_breg31;
}
