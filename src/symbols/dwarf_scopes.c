/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One walk over a unit's entries, with a stack of our own, so that depth costs nothing.
 */
#include "symbols/dwarf_scopes.h"

#include <dwarf.h>

#define MANY_ATTRS 64
#define MAX_NESTED 1024 /* scopes in each other; real programs have less than a hundred */

static bool is_scope(uint16_t tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
	       tag == DW_TAG_interface_type || tag == DW_TAG_enumeration_type || tag == DW_TAG_module || tag == DW_TAG_subprogram;
}

/* The scope that is open at a depth, and whether it began there. */
struct level {
	uint32_t scope;
	bool is_own;
};

struct walk {
	struct dwarf_scopes *to;
	const struct dwarf_unit *unit;
	const struct dwarf_abbrevs *abbrevs;
	const struct dwarf_slice *dies;
	struct bytes b;
	VEC(struct level) levels;
};

static uint64_t position(const struct walk *w)
{
	return w->dies->off + (uint64_t)(w->b.pos - w->dies->bytes);
}

static void open_level(struct walk *w, uint16_t tag, uint64_t start)
{
	struct level l = { .scope = w->levels.nr ? w->levels.v[w->levels.nr - 1].scope : SCOPE_NONE };

	if (is_scope(tag)) {
		vec_push(&w->to->v, ((struct dwarf_scope){ start, UINT64_MAX, l.scope, tag }));
		l = (struct level){ w->to->v.nr - 1, true };
	}
	vec_push(&w->levels, l);
}

static void walk_entries(struct walk *w)
{
	while (bytes_left(&w->b)) {
		uint64_t start = position(w), code = dwarf_uleb(&w->b);
		const struct dwarf_abbrev *a;

		if (w->b.failed)
			return;
		if (!code) {
			if (w->levels.nr <= 1)
				return;
			if (w->levels.v[w->levels.nr - 1].is_own)
				w->to->v.v[w->levels.v[w->levels.nr - 1].scope].end = position(w);
			w->levels.nr--;
			continue;
		}
		a = dwarf_abbrevs_find(w->abbrevs, code);
		if (!a || (a->nr_attrs > MANY_ATTRS && !dwarf_work_take(w->unit->file->work, a->nr_attrs * 4ULL)))
			return;
		if (!dwarf_abbrev_skip(w->abbrevs, a, &w->b))
			return;
		if (a->has_children)
			open_level(w, a->tag, start);
		else if (!w->levels.nr)
			return;
	}
}

void dwarf_scopes_build(struct dwarf_scopes *s, const struct dwarf_unit *u, const struct dwarf_abbrevs *abbrevs,
			const struct dwarf_slice *dies)
{
	struct walk w = { .to = s, .unit = u, .abbrevs = abbrevs, .dies = dies };

	s->v.nr = 0;
	s->is_built = true;
	w.b = bytes_of(dies->bytes, dies->size_bytes, u->file->swap);
	walk_entries(&w);
	vec_fini(&w.levels);
}

void dwarf_scopes_fini(struct dwarf_scopes *s)
{
	vec_fini(&s->v);
	s->is_built = false;
}

const struct dwarf_scope *dwarf_scopes_find(const struct dwarf_scopes *s, uint64_t off)
{
	uint32_t low = 0, high = s->v.nr, at;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (s->v.v[middle].start < off)
			low = middle + 1;
		else
			high = middle;
	}
	at = low ? low - 1 : SCOPE_NONE;
	for (int hops = 0; at != SCOPE_NONE && hops < MAX_NESTED; at = s->v.v[at].parent, hops++)
		if (off < s->v.v[at].end)
			return &s->v.v[at];
	return NULL;
}

bool dwarf_language_has_scopes(uint64_t language)
{
	switch (language) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x2a: /* C++17 */
	case 0x2b: /* C++20 */
	case DW_LANG_ObjC_plus_plus:
	case DW_LANG_D:
	case DW_LANG_Rust:
		return true;
	}
	return false;
}
