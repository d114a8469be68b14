/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct dwarf_tree: the entries of one unit, to be walked in any direction: for what source_unit.h does not keep (variables, types, scopes).
 * Units are loaded when a reference or a search leads to them. One thread at a time, but for trees that a thread loaded for itself.
 */
#ifndef ASSAY_SYMBOLS_DWARF_TREE_H
#define ASSAY_SYMBOLS_DWARF_TREE_H

#include "base/arena.h"
#include "symbols/dwarf_module.h"

struct dwarf_tree {
	uint64_t key; /* twice the offset of its unit; odd: of the shared file */
	struct dwarf_unit own;
	struct dwarf_half half;
	bool is_split;		       /* the entries are those of `half` */
	bool is_bad;		       /* damaged, or its other half is missing */
	const struct dwarf_unit *unit; /* whose entries they are */
	struct dwarf_abbrevs abbrevs;
	struct dwarf_slice dies; /* from the first entry to the end */
	struct dwarf_trees *trees;
};

/* Units that were loaded. */
struct dwarf_trees {
	struct dwarf_module *module;
	VEC(struct dwarf_tree *) v;
	struct hindex index;
	struct hindex types; /* headers of units of one type by signature, once one was asked for */
	bool has_types;
	struct arena arena; /* strings */
	char *tmp;
};

void dwarf_trees_init(struct dwarf_trees *ts, struct dwarf_module *m);
void dwarf_trees_fini(struct dwarf_trees *ts);
/* The unit of a header; NULL where it is damaged. It lives as long as `ts`. */
struct dwarf_tree *dwarf_trees_get(struct dwarf_trees *ts, const struct dwarf_header *h, bool in_alt);

/* An entry. */
struct dwarf_die {
	struct dwarf_tree *tree;
	const struct dwarf_abbrev *abbrev;
	uint64_t off;	     /* in .debug_info of its file */
	struct bytes values; /* the first of its values */
};

/* The entry at an offset of the tree's file, inside of its unit. */
bool dwarf_die_at(struct dwarf_tree *t, uint64_t off, struct dwarf_die *die);
bool dwarf_die_root(struct dwarf_tree *t, struct dwarf_die *die);
/* False where there is none. */
bool dwarf_die_child(const struct dwarf_die *die, struct dwarf_die *child);
bool dwarf_die_sibling(const struct dwarf_die *die, struct dwarf_die *next);
static inline uint16_t dwarf_die_tag(const struct dwarf_die *die)
{
	return die->abbrev->tag;
}
static inline bool dwarf_die_same(const struct dwarf_die *a, const struct dwarf_die *b)
{
	return a->tree == b->tree && a->off == b->off;
}
/* The identity of an entry among all units. Offsets of split units are those of files of their own. */
static inline uint64_t dwarf_tree_key(const struct dwarf_tree *t, uint64_t off, bool in_alt)
{
	if (t->is_split)
		return UINT64_C(1) << 63 | (t->own.head.off & INT32_MAX) << 32 | (uint32_t)off;
	return off * 2 + (in_alt || t->key & 1);
}
static inline uint64_t dwarf_die_key(const struct dwarf_die *die)
{
	return dwarf_tree_key(die->tree, die->off, false);
}

/* A value of the entry itself. */
bool dwarf_die_value(const struct dwarf_die *die, uint16_t attr, struct dwarf_value *v);
/* The same of the entry or those that it comes from (abstract origin, specification); *from is the one that has it. */
bool dwarf_die_find(const struct dwarf_die *die, uint16_t attr, struct dwarf_value *v, struct dwarf_die *from);
bool dwarf_die_number(const struct dwarf_die *die, uint16_t attr, uint64_t *n);
/* The same, with the sign of its form. */
bool dwarf_die_signed(const struct dwarf_die *die, uint16_t attr, int64_t *n);
bool dwarf_die_flag(const struct dwarf_die *die, uint16_t attr);
/* A string of the trees' arena; NULL: there is none. Origins are followed for names. */
const char *dwarf_die_string(const struct dwarf_die *die, uint16_t attr);
const char *dwarf_die_name(const struct dwarf_die *die);
/* The entry that a value of `from` refers to. */
bool dwarf_die_follow(const struct dwarf_die *from, const struct dwarf_value *v, struct dwarf_die *to);
bool dwarf_die_ref(const struct dwarf_die *die, uint16_t attr, struct dwarf_die *to);
/* Where its code is. */
void dwarf_die_ranges(const struct dwarf_die *die, struct dwarf_ranges *ranges);
bool dwarf_die_covers(const struct dwarf_die *die, uint64_t vaddr);
/* The lowest address; false: it has no code. */
bool dwarf_die_entry(const struct dwarf_die *die, uint64_t *vaddr);

#endif
