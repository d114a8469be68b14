/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reading types. Chains of types and members in members come from the file and may be circular: each walk has a bound.
 */
#include "symbols/dwarf_type.h"

#include <dwarf.h>
#include <errno.h>
#include <string.h>

#define MAX_CHAIN 64
#define MAX_NESTED 64U

static bool is_qualifier(uint16_t tag)
{
	return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type || tag == DW_TAG_restrict_type ||
	       tag == DW_TAG_atomic_type || tag == DW_TAG_immutable_type || tag == DW_TAG_packed_type || tag == DW_TAG_shared_type ||
	       tag == DW_TAG_template_alias;
}

static void read_base(struct type *t)
{
	uint64_t encoding = 0;

	dwarf_die_number(&t->die, DW_AT_encoding, &encoding);
	switch (encoding) {
	case DW_ATE_signed:
	case DW_ATE_signed_char:
	case DW_ATE_signed_fixed:
		t->kind = TYPE_SIGNED;
		break;
	case DW_ATE_float:
	case DW_ATE_complex_float:
	case DW_ATE_imaginary_float:
	case DW_ATE_decimal_float:
		t->kind = TYPE_FLOAT;
		break;
	default:
		t->kind = TYPE_UNSIGNED;
	}
	t->is_char = t->size_bytes == 1 && (encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char || encoding == DW_ATE_UTF);
}

/* What is below typedefs: of an enumeration the type of its values. */
static void classify(struct type *t)
{
	uint16_t tag = dwarf_die_tag(&t->die);
	struct dwarf_die below;

	dwarf_die_number(&t->die, DW_AT_byte_size, &t->size_bytes);
	switch (tag) {
	case DW_TAG_base_type:
		read_base(t);
		break;
	case DW_TAG_enumeration_type:
		t->kind = TYPE_UNSIGNED;
		if (dwarf_die_ref(&t->die, DW_AT_type, &below)) {
			struct type values;

			values = (struct type){ .die = below };
			for (int i = 0; i < MAX_CHAIN && is_qualifier(dwarf_die_tag(&values.die)); i++)
				if (!dwarf_die_ref(&values.die, DW_AT_type, &values.die))
					break;
			if (dwarf_die_tag(&values.die) == DW_TAG_base_type) {
				read_base(&values);
				/* gcc says that plain enumerations are unsigned, and clang too; in C++ the type is chosen. */
				t->kind = values.kind;
			}
		}
		break;
	case DW_TAG_pointer_type:
	case DW_TAG_ptr_to_member_type:
	case DW_TAG_unspecified_type:
		t->kind = tag == DW_TAG_unspecified_type ? TYPE_UNSIGNED : TYPE_POINTER;
		break;
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		t->kind = TYPE_REFERENCE;
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		t->kind = TYPE_STRUCT;
		t->is_declaration = dwarf_die_flag(&t->die, DW_AT_declaration);
		break;
	case DW_TAG_array_type:
		t->kind = TYPE_ARRAY;
		break;
	case DW_TAG_subroutine_type:
		t->kind = TYPE_FUNCTION;
		break;
	default:
		t->kind = TYPE_OTHER;
	}
	if (!t->size_bytes && (t->kind == TYPE_POINTER || t->kind == TYPE_REFERENCE))
		t->size_bytes = t->die.tree->unit->head.enc.addr_size;
}

void dwarf_type_strip(const struct dwarf_die *type, struct type *t)
{
	struct dwarf_die at = *type, next;

	for (int i = 0; i < MAX_CHAIN && is_qualifier(dwarf_die_tag(&at)); i++, at = next)
		if (!dwarf_die_ref(&at, DW_AT_type, &next)) {
			*t = (struct type){ .kind = TYPE_VOID };
			return;
		}
	/* What is in the type is in a unit of its own. */
	if (dwarf_die_ref(&at, DW_AT_signature, &next))
		at = next;
	*t = (struct type){ .die = at };
	classify(t);
}

void dwarf_type_of(const struct dwarf_die *die, struct type *t)
{
	struct dwarf_die from, type;
	struct dwarf_value v;

	if (dwarf_die_find(die, DW_AT_type, &v, &from) && dwarf_die_follow(&from, &v, &type))
		dwarf_type_strip(&type, t);
	else
		*t = (struct type){ .kind = TYPE_VOID };
}

/* How many elements a dimension has; 0: not known. */
static uint64_t count_of(const struct dwarf_die *subrange)
{
	uint64_t n = 0, low = 0;

	if (dwarf_die_number(subrange, DW_AT_count, &n))
		return n;
	dwarf_die_number(subrange, DW_AT_lower_bound, &low);
	return dwarf_die_number(subrange, DW_AT_upper_bound, &n) && n >= low && n - low < UINT32_MAX ? n - low + 1 : 0;
}

bool dwarf_type_element(const struct type *array, struct type *element, uint64_t *nr)
{
	struct dwarf_die child;
	uint32_t dimension = 0;
	uint64_t rest = 1;
	bool ok, has_size = true;

	*nr = 0;
	if (array->kind != TYPE_ARRAY)
		return false;
	for (ok = dwarf_die_child(&array->die, &child); ok; ok = dwarf_die_sibling(&child, &child)) {
		uint64_t count;

		if (dwarf_die_tag(&child) != DW_TAG_subrange_type && dwarf_die_tag(&child) != DW_TAG_generic_subrange)
			continue;
		count = count_of(&child);
		if (dimension == array->dimension)
			*nr = count;
		else if (dimension > array->dimension)
			has_size &= count && !__builtin_mul_overflow(rest, count, &rest);
		dimension++;
	}
	dwarf_type_of(&array->die, element);
	if (element->kind == TYPE_VOID)
		return false;
	if (element->kind == TYPE_ARRAY) {
		struct type inner;
		uint64_t inner_nr;

		/* clang has an array of arrays; its size is that of what it has. */
		if (!element->size_bytes && element->die.off != array->die.off) {
			struct type at = *element;
			uint64_t all = 1;

			for (int i = 0; i < MAX_CHAIN && at.kind == TYPE_ARRAY; i++) {
				struct dwarf_die sub;

				inner_nr = dwarf_die_child(&at.die, &sub) ? count_of(&sub) : 0;
				if (__builtin_mul_overflow(all, inner_nr, &all))
					all = 0;
				dwarf_type_of(&at.die, &inner);
				at = inner;
			}
			if (!__builtin_mul_overflow(all, at.size_bytes, &all))
				element->size_bytes = all;
		}
	}
	if (array->dimension + 1 < dimension) {
		uint64_t size = element->size_bytes;

		*element = *array;
		element->dimension++;
		element->size_bytes = has_size && !__builtin_mul_overflow(size, rest, &size) ? size : 0;
	}
	return true;
}

/* Where a member is: a number of bytes, or an expression that only adds one. */
static bool member_offset(const struct dwarf_die *member, uint64_t *off)
{
	struct dwarf_value v;
	struct bytes b;

	*off = 0;
	if (!dwarf_die_value(member, DW_AT_data_member_location, &v))
		return true;
	if (dwarf_value_number(&v, off))
		return true;
	if (!v.bytes || v.u < 2 || v.bytes[0] != DW_OP_plus_uconst)
		return false;
	b = bytes_of(v.bytes + 1, v.u - 1, false);
	*off = bytes_uleb(&b);
	return !b.failed && !bytes_left(&b);
}

static void read_bits(const struct dwarf_die *member, struct type_member *m, uint64_t base)
{
	uint64_t bits, off, storage = 0;

	if (!dwarf_die_number(member, DW_AT_bit_size, &bits) || !bits || bits > 64)
		return;
	m->bits = (uint32_t)bits;
	if (dwarf_die_number(member, DW_AT_data_bit_offset, &off)) {
		m->bit_off = base * 8 + off;
	} else if (dwarf_die_number(member, DW_AT_bit_offset, &off)) {
		/* DWARF 2 and 3 count from the highest bit of the storage. */
		if (!dwarf_die_number(member, DW_AT_byte_size, &storage))
			storage = m->type.size_bytes;
		m->bit_off = m->off_bytes * 8 + storage * 8 - off - bits;
	} else {
		m->bit_off = m->off_bytes * 8;
	}
}

/* Structs whose members count as those of the one around. */
struct nested {
	struct dwarf_die die;
	uint64_t off;
};

struct nested_list {
	struct nested v[MAX_NESTED];
	uint32_t nr;
	bool has_virtual;
};

static void add_nested(struct nested_list *l, const struct dwarf_die *entry, uint64_t base)
{
	struct type t;
	uint64_t off;

	dwarf_type_of(entry, &t);
	if (t.kind != TYPE_STRUCT || l->nr == MAX_NESTED)
		return;
	if (!member_offset(entry, &off)) {
		l->has_virtual = true;
		return;
	}
	l->v[l->nr++] = (struct nested){ t.die, base + off };
}

static bool look_in(struct nested_list *l, uint32_t at, const char *name, struct type_member *m)
{
	struct nested n = l->v[at];
	struct dwarf_die child;
	bool ok;

	for (ok = dwarf_die_child(&n.die, &child); ok; ok = dwarf_die_sibling(&child, &child)) {
		uint16_t tag = dwarf_die_tag(&child);
		const char *has;
		uint64_t off;

		if (tag == DW_TAG_inheritance) {
			add_nested(l, &child, n.off);
			continue;
		}
		/* Static members have no place here. */
		if (tag != DW_TAG_member || dwarf_die_flag(&child, DW_AT_external))
			continue;
		has = dwarf_die_string(&child, DW_AT_name);
		if (!has || !*has) {
			add_nested(l, &child, n.off);
			continue;
		}
		/* Rust calls the members of tuples __0, __1. */
		if ((strcmp(has, name) && (strncmp(has, "__", 2) || strcmp(has + 2, name))) || !member_offset(&child, &off))
			continue;
		*m = (struct type_member){ .off_bytes = n.off + off };
		dwarf_type_of(&child, &m->type);
		read_bits(&child, m, n.off);
		return true;
	}
	return false;
}

int dwarf_type_member(const struct type *t, const char *name, struct type_member *m)
{
	struct nested_list l = { .nr = 1 };

	if (t->kind != TYPE_STRUCT)
		return -ENOENT;
	l.v[0] = (struct nested){ t->die, 0 };
	for (uint32_t i = 0; i < l.nr; i++)
		if (look_in(&l, i, name, m))
			return 0;
	return l.has_virtual ? -ENOTSUP : -ENOENT;
}
