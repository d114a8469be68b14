/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Loading the entries of units and moving between them. Every offset is the file's word: an entry is read through a cursor that ends with its
 * unit, and references may lead in circles, so that chains of them are bounded.
 */
#include "symbols/dwarf_tree.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define MAX_HOPS 16

void dwarf_trees_init(struct dwarf_trees *ts, struct dwarf_module *m)
{
	*ts = (struct dwarf_trees){ .module = m, .tmp = mem_alloc(DWARF_STRING_MAX) };
}

static void tree_free(struct dwarf_tree *t)
{
	dwarf_slice_fini(&t->dies);
	dwarf_abbrevs_fini(&t->abbrevs);
	if (t->is_split)
		dwarf_half_close(&t->half);
	dwarf_unit_fini(&t->own);
	free(t);
}

void dwarf_trees_fini(struct dwarf_trees *ts)
{
	for (uint32_t i = 0; i < ts->v.nr; i++)
		tree_free(ts->v.v[i]);
	vec_fini(&ts->v);
	hindex_fini(&ts->index);
	hindex_fini(&ts->types);
	arena_fini(&ts->arena);
	free(ts->tmp);
	ts->tmp = NULL;
}

static bool load(struct dwarf_tree *t, const struct dwarf_header *h, bool in_alt)
{
	struct dwarf_module *m = t->trees->module;
	const struct dwarf_unit *u = &t->own;
	uint64_t off;

	if (dwarf_unit_init(&t->own, in_alt ? &m->alt_file : &m->file, h))
		return false;
	t->own.units = in_alt ? &m->alt : &m->units;
	t->own.alt = m->alt_elf.elf ? &m->alt : NULL;
	if (u->dwo_name.form && !u->has_children) {
		if (!dwarf_split_open(&m->split, u, &t->half))
			return false;
		t->is_split = true;
		u = &t->half.unit;
	}
	t->unit = u;
	off = u->head.off + u->head.size_bytes;
	return dwarf_abbrevs_load(&t->abbrevs, u->file, u->head.abbrev_off, &u->head.enc, 0) == 0 &&
	       dwarf_slice_read(&t->dies, u->file, DWARF_INFO, off, u->head.end - off) == 0;
}

struct dwarf_tree *dwarf_trees_get(struct dwarf_trees *ts, const struct dwarf_header *h, bool in_alt)
{
	uint64_t key = h->off * 2 + in_alt;
	uint32_t found = HINDEX_FIND(&ts->index, hash_u64(key), id, ts->v.v[id]->key == key);
	struct dwarf_tree *t;

	if (found == HINDEX_NONE) {
		t = mem_zalloc(sizeof(*t));
		t->trees = ts;
		t->key = key;
		t->unit = &t->own;
		t->is_bad = !load(t, h, in_alt);
		hindex_add(&ts->index, hash_u64(key), ts->v.nr);
		vec_push(&ts->v, t);
	} else {
		t = ts->v.v[found];
	}
	return t->is_bad ? NULL : t;
}

/* Reads the entry at the cursor; false at the end of a list of children, or where it is damaged. */
static bool read_die(struct dwarf_tree *t, struct bytes b, struct dwarf_die *die)
{
	uint64_t off = t->dies.off + (uint64_t)(b.pos - t->dies.bytes), code = bytes_uleb(&b);
	const struct dwarf_abbrev *a = b.failed || !code ? NULL : dwarf_abbrevs_find(&t->abbrevs, code);

	if (!a || !dwarf_work_take(t->unit->file->work, 8 + a->nr_attrs / 8))
		return false;
	*die = (struct dwarf_die){ t, a, off, b };
	return true;
}

bool dwarf_die_at(struct dwarf_tree *t, uint64_t off, struct dwarf_die *die)
{
	uint64_t at = off - t->dies.off;

	if (off < t->dies.off || at >= t->dies.size_bytes)
		return false;
	return read_die(t, bytes_of(t->dies.bytes + at, t->dies.size_bytes - at, t->unit->file->swap), die);
}

bool dwarf_die_root(struct dwarf_tree *t, struct dwarf_die *die)
{
	return dwarf_die_at(t, t->dies.off, die);
}

bool dwarf_die_child(const struct dwarf_die *die, struct dwarf_die *child)
{
	struct bytes b = die->values;

	return die->abbrev->has_children && dwarf_abbrev_skip(&die->tree->abbrevs, die->abbrev, &b) && read_die(die->tree, b, child);
}

/* Passes over an entry with all that is below it. */
static bool skip_below(const struct dwarf_die *die, struct bytes *b)
{
	const struct dwarf_abbrevs *t = &die->tree->abbrevs;
	uint32_t depth = 0;

	if (!dwarf_abbrev_skip(t, die->abbrev, b))
		return false;
	if (!die->abbrev->has_children)
		return true;
	do {
		uint64_t code = bytes_uleb(b);
		const struct dwarf_abbrev *a;

		if (b->failed)
			return false;
		if (!code) {
			if (!depth--)
				return true;
			continue;
		}
		a = dwarf_abbrevs_find(t, code);
		if (!a || !dwarf_abbrev_skip(t, a, b) || !dwarf_work_take(die->tree->unit->file->work, 4))
			return false;
		depth += a->has_children;
	} while (depth != UINT32_MAX);
	return true;
}

bool dwarf_die_sibling(const struct dwarf_die *die, struct dwarf_die *next)
{
	struct dwarf_tree *t = die->tree;
	struct bytes b = die->values;
	struct dwarf_value v;
	uint64_t off;
	bool in_alt;

	if (die->abbrev->has_children && dwarf_die_value(die, DW_AT_sibling, &v) && dwarf_unit_ref(t->unit, &v, &off, &in_alt) && !in_alt &&
	    off > die->off && off - t->dies.off < t->dies.size_bytes) {
		b.pos = t->dies.bytes + (off - t->dies.off);
		return read_die(t, b, next);
	}
	return skip_below(die, &b) && read_die(t, b, next);
}

bool dwarf_die_value(const struct dwarf_die *die, uint16_t attr, struct dwarf_value *v)
{
	const struct dwarf_abbrevs *t = &die->tree->abbrevs;
	struct bytes b = die->values;

	for (uint32_t i = 0; i < die->abbrev->nr_attrs; i++) {
		const struct dwarf_attr *a = &t->attrs.v[die->abbrev->first_attr + i];

		if (!dwarf_value_read(&b, &t->enc, a, v))
			break;
		if (a->name == attr)
			return true;
	}
	*v = (struct dwarf_value){ 0 };
	return false;
}

/* A type that has a unit of its own (-fdebug-types-section). */
static bool follow_signature(struct dwarf_trees *ts, uint64_t signature, struct dwarf_die *to)
{
	const struct dwarf_units *us = &ts->module->units;
	const struct dwarf_header *h;
	struct dwarf_tree *t;
	uint32_t found;

	for (uint32_t i = 0; !ts->has_types && i < us->headers.nr; i++)
		if (us->headers.v[i].type == DW_UT_type)
			hindex_add(&ts->types, hash_u64(us->headers.v[i].signature), i);
	ts->has_types = true;
	found = HINDEX_FIND(&ts->types, hash_u64(signature), id, us->headers.v[id].signature == signature);
	if (found == HINDEX_NONE)
		return false;
	h = &us->headers.v[found];
	t = h->type_off < h->end - h->off ? dwarf_trees_get(ts, h, false) : NULL;
	return t && dwarf_die_at(t, h->off + h->type_off, to);
}

bool dwarf_die_follow(const struct dwarf_die *from, const struct dwarf_value *v, struct dwarf_die *to)
{
	struct dwarf_tree *t = from->tree;
	const struct dwarf_units *us;
	const struct dwarf_header *h;
	uint64_t off;
	bool in_alt;

	if (v->form == DW_FORM_ref_sig8)
		return follow_signature(t->trees, v->u, to);
	if (!dwarf_unit_ref(t->unit, v, &off, &in_alt))
		return false;
	if (!in_alt && off >= t->dies.off && off - t->dies.off < t->dies.size_bytes)
		return dwarf_die_at(t, off, to);
	us = in_alt ? t->unit->alt : t->unit->units;
	h = us ? dwarf_units_find(us, off) : NULL;
	t = h ? dwarf_trees_get(t->trees, h, us == &t->trees->module->alt) : NULL;
	return t && !t->is_split && dwarf_die_at(t, off, to);
}

bool dwarf_die_ref(const struct dwarf_die *die, uint16_t attr, struct dwarf_die *to)
{
	struct dwarf_value v;

	return dwarf_die_value(die, attr, &v) && dwarf_die_follow(die, &v, to);
}

bool dwarf_die_find(const struct dwarf_die *die, uint16_t attr, struct dwarf_value *v, struct dwarf_die *from)
{
	struct dwarf_die at = *die, next;

	for (int hops = 0; hops < MAX_HOPS; hops++, at = next) {
		*from = at;
		if (dwarf_die_value(&at, attr, v))
			return true;
		if (!dwarf_die_ref(&at, DW_AT_abstract_origin, &next) && !dwarf_die_ref(&at, DW_AT_specification, &next))
			return false;
	}
	return false;
}

bool dwarf_die_number(const struct dwarf_die *die, uint16_t attr, uint64_t *n)
{
	struct dwarf_value v;

	return dwarf_die_value(die, attr, &v) && dwarf_value_number(&v, n);
}

bool dwarf_die_signed(const struct dwarf_die *die, uint16_t attr, int64_t *n)
{
	static const struct {
		uint16_t form;
		uint8_t bytes;
	} sizes[] = { { DW_FORM_data1, 1 }, { DW_FORM_data2, 2 }, { DW_FORM_data4, 4 } };
	struct dwarf_value v;
	uint64_t u;

	if (!dwarf_die_value(die, attr, &v) || !dwarf_value_number(&v, &u))
		return false;
	*n = (int64_t)u;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (v.form == sizes[i].form)
			*n = (int64_t)(u << (64 - 8 * sizes[i].bytes)) >> (64 - 8 * sizes[i].bytes);
	return true;
}

bool dwarf_die_flag(const struct dwarf_die *die, uint16_t attr)
{
	struct dwarf_value v;

	return dwarf_die_value(die, attr, &v) && v.u;
}

const char *dwarf_die_string(const struct dwarf_die *die, uint16_t attr)
{
	struct dwarf_trees *ts = die->tree->trees;
	struct dwarf_value v;
	const char *s;
	size_t len;

	if (!dwarf_die_value(die, attr, &v))
		return NULL;
	s = dwarf_unit_string(die->tree->unit, &v, ts->tmp, &len);
	return s ? arena_str(&ts->arena, s, len) : NULL;
}

const char *dwarf_die_name(const struct dwarf_die *die)
{
	struct dwarf_die from;
	struct dwarf_value v;

	return dwarf_die_find(die, DW_AT_name, &v, &from) ? dwarf_die_string(&from, DW_AT_name) : NULL;
}

void dwarf_die_ranges(const struct dwarf_die *die, struct dwarf_ranges *ranges)
{
	struct dwarf_value low = { 0 }, high = { 0 }, list = { 0 };

	ranges->list.nr = 0;
	dwarf_die_value(die, DW_AT_ranges, &list);
	if (!list.form) {
		dwarf_die_value(die, DW_AT_low_pc, &low);
		dwarf_die_value(die, DW_AT_high_pc, &high);
		if (!low.form)
			return;
	}
	dwarf_unit_ranges(die->tree->unit, &low, &high, &list, ranges);
}

bool dwarf_die_covers(const struct dwarf_die *die, uint64_t vaddr)
{
	struct dwarf_ranges r = { 0 };
	bool covers = false;

	dwarf_die_ranges(die, &r);
	for (uint32_t i = 0; i < r.list.nr && !covers; i++)
		covers = vaddr >= r.list.v[i].start && vaddr < r.list.v[i].end;
	vec_fini(&r.list);
	return covers;
}

/* An inlined call of which no instruction is left still has a place, and variables there. */
static bool is_empty_call(const struct dwarf_die *die, uint64_t *vaddr)
{
	struct dwarf_value low, high;
	uint64_t start, end, size;

	if (dwarf_die_tag(die) != DW_TAG_inlined_subroutine || !dwarf_die_value(die, DW_AT_low_pc, &low) ||
	    !dwarf_die_value(die, DW_AT_high_pc, &high) || !dwarf_unit_address(die->tree->unit, &low, vaddr))
		return false;
	start = *vaddr;
	end = start + 1;
	return dwarf_value_number(&high, &size) && !size && dwarf_file_clip(die->tree->unit->program, &start, &end);
}

bool dwarf_die_entry(const struct dwarf_die *die, uint64_t *vaddr)
{
	struct dwarf_ranges r = { 0 };
	struct dwarf_value entry;
	bool ok;

	dwarf_die_ranges(die, &r);
	ok = r.list.nr;
	if (!ok && is_empty_call(die, vaddr))
		return true;
	*vaddr = UINT64_MAX;
	for (uint32_t i = 0; i < r.list.nr; i++)
		*vaddr = r.list.v[i].start < *vaddr ? r.list.v[i].start : *vaddr;
	/* Of inlined functions the first instruction need not be the lowest. A number is relative to the lowest address of the entry. */
	if (ok && dwarf_die_value(die, DW_AT_entry_pc, &entry)) {
		uint64_t at, number;

		if (dwarf_unit_address(die->tree->unit, &entry, &at))
			*vaddr = at;
		else if (dwarf_value_number(&entry, &number))
			*vaddr = r.list.v[0].start + number;
	} else if (ok && dwarf_die_tag(die) == DW_TAG_subprogram) {
		*vaddr = r.list.v[0].start; /* the cold part may lie below */
	}
	vec_fini(&r.list);
	return ok;
}
