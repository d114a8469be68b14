/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The text of a type, in the order of the source: the name first, then stars, references and dimensions, as perf has it but with qualifiers
 * and bounds.
 */
#include <dwarf.h>
#include <string.h>

#include "symbols/dwarf_type.h"

#define MAX_PARTS 32U

static const char *keyword(uint16_t tag)
{
	switch (tag) {
	case DW_TAG_structure_type:
		return "struct ";
	case DW_TAG_union_type:
		return "union ";
	case DW_TAG_enumeration_type:
		return "enum ";
	case DW_TAG_class_type:
		return "class ";
	}
	return "";
}

static bool is_c(const struct dwarf_unit *u)
{
	uint64_t l = u->language;

	/* 0x1d: C11, 0x2c: C17 */
	return l == DW_LANG_C || l == DW_LANG_C89 || l == DW_LANG_C99 || l == DW_LANG_C11 || l == 0x2c || l == DW_LANG_Mips_Assembler;
}

static void put_name(const struct dwarf_die *die, struct out *o)
{
	const char *name = dwarf_die_name(die), *word = keyword(dwarf_die_tag(die));

	/* In C++ and Rust the name alone is the type. */
	if (*word && (is_c(die->tree->unit) || !name))
		out_str(o, word);
	out_str(o, name ? name : "(unnamed)");
}

/* [10], [2][3]; [] where the number is not known. */
static void put_dimensions(const struct dwarf_die *array, struct out *o)
{
	struct type t = { .kind = TYPE_ARRAY, .die = *array }, element;
	struct dwarf_die child;
	bool ok;

	for (ok = dwarf_die_child(array, &child); ok; ok = dwarf_die_sibling(&child, &child)) {
		uint64_t nr;

		if (dwarf_die_tag(&child) != DW_TAG_subrange_type)
			continue;
		dwarf_type_element(&t, &element, &nr);
		if (nr)
			out_printf(o, "[%llu]", (unsigned long long)nr);
		else
			out_str(o, "[]");
		t.dimension++;
	}
}

void dwarf_type_text(const struct dwarf_die *die, struct out *o)
{
	struct dwarf_die parts[MAX_PARTS], at = *die, from;
	struct dwarf_value v;
	uint32_t nr = 0, nr_const = 0;
	bool is_void = true;

	/* From the variable inwards: pointers and arrays up to the first thing with a name. */
	while (nr < MAX_PARTS && dwarf_die_find(&at, DW_AT_type, &v, &from) && dwarf_die_follow(&from, &v, &at)) {
		uint16_t tag = dwarf_die_tag(&at);

		/* Of a type in a unit of its own, the name is there. */
		parts[nr] = at;
		if (tag != DW_TAG_pointer_type && dwarf_die_ref(&at, DW_AT_signature, &from))
			parts[nr] = from;
		nr++;
		if (tag != DW_TAG_pointer_type && tag != DW_TAG_reference_type && tag != DW_TAG_rvalue_reference_type &&
		    tag != DW_TAG_array_type && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type && tag != DW_TAG_restrict_type &&
		    tag != DW_TAG_atomic_type) {
			is_void = false;
			break;
		}
		/* Rust gives names to its references. */
		if (tag == DW_TAG_pointer_type && dwarf_die_string(&at, DW_AT_name)) {
			is_void = false;
			break;
		}
	}
	for (uint32_t i = nr - !is_void; nr && i-- > 0 && dwarf_die_tag(&parts[i]) == DW_TAG_const_type; nr_const++)
		out_str(o, "const ");
	if (is_void)
		out_str(o, "void");
	else if (dwarf_die_tag(&parts[nr - 1]) == DW_TAG_subroutine_type)
		out_str(o, "(function)");
	else
		put_name(&parts[nr - 1], o);
	for (uint32_t i = nr - !is_void; nr && i-- > 0;) {
		switch (dwarf_die_tag(&parts[i])) {
		case DW_TAG_pointer_type:
			out_char(o, '*');
			break;
		case DW_TAG_reference_type:
			out_char(o, '&');
			break;
		case DW_TAG_rvalue_reference_type:
			out_str(o, "&&");
			break;
		case DW_TAG_array_type:
			put_dimensions(&parts[i], o);
			break;
		}
	}
}

const char *dwarf_type_label(const struct type *t)
{
	const char *name;
	struct out o;
	char *text;

	if (t->kind == TYPE_VOID)
		return "void";
	if (t->kind == TYPE_ARRAY)
		return "array";
	if (t->kind == TYPE_POINTER || t->kind == TYPE_REFERENCE)
		return t->kind == TYPE_POINTER ? "pointer" : "reference";
	out_init(&o, -1);
	put_name(&t->die, &o);
	text = arena_str(&t->die.tree->trees->arena, o.buf, o.len);
	out_fini(&o);
	name = text;
	return name;
}
