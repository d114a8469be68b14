/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Types of variables: what they are below typedefs and qualifiers, their size, members and elements, and their text in the source.
 */
#ifndef ASSAY_SYMBOLS_DWARF_TYPE_H
#define ASSAY_SYMBOLS_DWARF_TYPE_H

#include "base/out.h"
#include "symbols/dwarf_tree.h"

enum type_kind {
	TYPE_VOID,
	TYPE_SIGNED,
	TYPE_UNSIGNED, /* also enumerations, booleans */
	TYPE_FLOAT,
	TYPE_POINTER,
	TYPE_REFERENCE, /* of C++ */
	TYPE_STRUCT,	/* class and union, too */
	TYPE_ARRAY,
	TYPE_FUNCTION,
	TYPE_OTHER,
};

/* A type without typedefs and qualifiers. */
struct type {
	enum type_kind kind;
	struct dwarf_die die; /* not of TYPE_VOID */
	uint64_t size_bytes;  /* 0: not known */
	bool is_char;	      /* one byte of text */
	bool is_declaration;  /* of a struct: what is in it is not said in this unit */
	uint32_t dimension;   /* of an array: how many indices were applied */
};

/* The type that an entry (variable, member, pointer, function) says it has; void where it says none. */
void dwarf_type_of(const struct dwarf_die *die, struct type *t);
/* The type of an entry that is one. */
void dwarf_type_strip(const struct dwarf_die *type, struct type *t);
/* What an array has: one element, or an array of one dimension less. *nr: how many, 0: not known. */
bool dwarf_type_element(const struct type *array, struct type *element, uint64_t *nr);

struct type_member {
	struct type type;
	uint64_t off_bytes;
	uint32_t bits;	  /* a bit-field: its width; 0: it is none */
	uint64_t bit_off; /* of a bit-field: of its lowest bit, from the start of the struct */
};

/* Looks in anonymous members and base classes, too. -ENOENT; -ENOTSUP: at a place that only the program knows (a virtual base). */
int dwarf_type_member(const struct type *t, const char *name, struct type_member *m);

/* The text of the type of an entry as in the source: "struct st*", "const char*", "int[10]". */
void dwarf_type_text(const struct dwarf_die *die, struct out *o);
/* A name for messages: "struct st". */
const char *dwarf_type_label(const struct type *t);

#endif
