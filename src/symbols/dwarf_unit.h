/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct dwarf_unit: one compilation unit: its header, the attributes of its first entry, and what its values point to in other
 * sections: strings, addresses, lists of ranges, other entries.
 */
#ifndef ASSAY_SYMBOLS_DWARF_UNIT_H
#define ASSAY_SYMBOLS_DWARF_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/dwarf_form.h"

#define DWARF_NONE UINT64_MAX

/* Where a unit is: enough to find the one that an entry belongs to. */
struct dwarf_header {
	uint64_t off, end;   /* in .debug_info */
	uint64_t abbrev_off; /* in .debug_abbrev */
	uint64_t dwo_id;     /* version 5: of skeletons and split units */
	uint32_t size_bytes; /* of the header: the first entry comes next */
	struct dwarf_encoding enc;
	uint8_t type; /* DW_UT_*; 0 before version 5 */
};

/* All units of a file. */
struct dwarf_units {
	const struct dwarf_file *file;
	VEC(struct dwarf_header) headers; /* by offset */
};

struct dwarf_unit {
	struct dwarf_header head;
	const struct dwarf_file *file;	  /* of the entries, strings and version 5's lists of ranges */
	const struct dwarf_file *program; /* of the addresses, lines and older lists of ranges: differs for split units */
	const struct dwarf_units *units;  /* those of `file`; NULL for split units */
	const struct dwarf_units *alt;	  /* of the file that is shared by several; NULL */
	uint16_t tag;
	bool has_children;
	/* Where the unit's parts of other sections begin. */
	uint64_t str_offsets, addrs, rnglists, ranges;
	/* Attributes of the first entry. */
	uint64_t low_pc;    /* 0 where there is none: what lists of ranges build on */
	uint64_t stmt_list; /* DWARF_NONE */
	uint64_t language;  /* DW_LANG_*; 0: unknown */
	struct dwarf_value low, high, range_list, comp_dir, dwo_name;
	uint64_t dwo_id; /* 0: unknown */
	/* The memory that values of strings inside the entry point to. */
	struct dwarf_slice root;
};

/* Lists the units' headers; stops at the first that makes no sense. */
void dwarf_units_init(struct dwarf_units *us, const struct dwarf_file *d);
void dwarf_units_fini(struct dwarf_units *us);
/* The unit that holds an offset of .debug_info, or NULL. */
const struct dwarf_header *dwarf_units_find(const struct dwarf_units *us, uint64_t off);

/* Reads the header at an offset; -EBADMSG. */
int dwarf_header_read(struct dwarf_header *h, const struct dwarf_file *d, uint64_t off);
/* Reads the first entry. `u->program` and bases that come from outside are set by the caller afterwards. */
int dwarf_unit_init(struct dwarf_unit *u, const struct dwarf_file *d, const struct dwarf_header *h);
void dwarf_unit_fini(struct dwarf_unit *u);

/* False where the first entry does not say where all code of the unit is: there were no lists of ranges before version 3, and
 * functions may lie in sections of their own. */
static inline bool dwarf_unit_knows_ranges(const struct dwarf_unit *u)
{
	return u->range_list.form || (u->high.form && u->head.enc.version > 2);
}

/* A string without its NUL; NULL where there is none. May lie in `tmp`. */
const char *dwarf_unit_string(const struct dwarf_unit *u, const struct dwarf_value *v, char tmp[DWARF_STRING_MAX], size_t *len);
bool dwarf_unit_address(const struct dwarf_unit *u, const struct dwarf_value *v, uint64_t *addr);
/* The entry that a reference leads to: its offset in .debug_info, and whether that of the shared file (u->alt). */
bool dwarf_unit_ref(const struct dwarf_unit *u, const struct dwarf_value *v, uint64_t *off, bool *in_alt);

struct dwarf_range {
	uint64_t start, end;
};
struct dwarf_ranges {
	VEC(struct dwarf_range) list;
};

/* Adds the ranges of an entry with these attributes, as far as they are in code. False where the list is damaged: what came before
 * was added. */
bool dwarf_unit_ranges(const struct dwarf_unit *u, const struct dwarf_value *low, const struct dwarf_value *high,
		       const struct dwarf_value *list, struct dwarf_ranges *out);

#endif
