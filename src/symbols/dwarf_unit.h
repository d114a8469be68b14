/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reading DWARF, safe from several threads. struct dwarf_file: the debug sections of one ELF file, read piece by piece on demand. Values of
 * attributes, by their forms and .debug_abbrev. struct dwarf_unit: a compilation unit: its header, the attributes of its first entry, and
 * what values point to. libdw (0.188) is not used: it keeps all in memory and allows one thread per handle (1000 addresses in 107 MB of
 * debug information: 308 MB and 3.0 s of CPU; here 85 MB and 0.3 s), finds no unit without .debug_aranges, and fills gigabytes from a
 * compressed section of 1 MB.
 */
#ifndef ASSAY_SYMBOLS_DWARF_UNIT_H
#define ASSAY_SYMBOLS_DWARF_UNIT_H

#include <stdatomic.h>

#include "base/bytes.h"
#include "base/vec.h"
#include "symbols/elf_file.h"

enum dwarf_section_id {
	DWARF_INFO,
	DWARF_ABBREV,
	DWARF_LINE,
	DWARF_STR,
	DWARF_LINE_STR,
	DWARF_STR_OFFSETS,
	DWARF_ADDR,
	DWARF_RANGES,
	DWARF_RNGLISTS,
	DWARF_LOC, /* the last two before the index are read for variables only */
	DWARF_LOCLISTS,
	DWARF_CU_INDEX, /* of .dwp files */
	DWARF_NR_SECTIONS,
};

struct dwarf_section {
	uint64_t file_off;
	uint64_t size_bytes;	   /* unpacked; 0: not there */
	const uint8_t *bytes;	   /* all of it; NULL: in the file */
	uint8_t *unpacked;	   /* owns `bytes` */
	_Atomic(uint8_t *) *pages; /* what was read of it by dwarf_file_peek() */
};

/* What reading may cost, in bytes that are looked at or kept. Files are read in time linear in their size; a damaged one, whose units all
 * point to one giant table, would need the square. Shared by all files of a module and by threads. */
struct dwarf_work {
	_Atomic int64_t left;
	bool has_locations; /* lists of locations are read, too */
};

struct dwarf_file {
	int fd; /* borrowed from the ELF file; -1: in memory */
	bool swap;
	struct dwarf_section sections[DWARF_NR_SECTIONS];
	/* Where code is: what debug information says of other addresses is of functions that the linker has dropped. NULL: everywhere */
	const struct elf_segment *code; /* borrowed */
	uint32_t nr_code;
	struct dwarf_work *work;
	uint64_t bytes_present; /* of the file: headers claim more, and holes are none */
	uint64_t unpacked_bytes;
};

/* `split`: of .dwo and .dwp files. The ELF file and its image must outlive `d`. -ENODATA: there is no debug information. */
int dwarf_file_open(struct dwarf_file *d, const struct elf_file *f, bool split, struct dwarf_work *work);
/* Gives `d->work` what the bytes of the file explain. Once a file. */
void dwarf_file_allow_work(struct dwarf_file *d);
void dwarf_file_close(struct dwarf_file *d);
/* Bytes of sections that it keeps in memory. */
uint64_t dwarf_file_memory(const struct dwarf_file *d);

/* False where more was read of the file than its size explains: the caller gives up. `bytes` is the cost of what comes. */
static inline bool dwarf_work_take(struct dwarf_work *w, uint64_t bytes)
{
	return bytes < INT64_MAX && atomic_fetch_sub_explicit(&w->left, (int64_t)bytes, memory_order_relaxed) > (int64_t)bytes;
}

/* Whether something was given up for that. */
static inline bool dwarf_work_is_done(const struct dwarf_work *w)
{
	return atomic_load_explicit(&w->left, memory_order_relaxed) <= 0;
}

/* Bytes of a section in one piece. */
struct dwarf_slice {
	const uint8_t *bytes;
	size_t size_bytes;
	uint64_t off;	/* in the section */
	uint8_t *owned; /* NULL: borrowed from the section */
};

/* -EBADMSG where it leaves the section. */
int dwarf_slice_read(struct dwarf_slice *s, const struct dwarf_file *d, enum dwarf_section_id id, uint64_t off, uint64_t size);
void dwarf_slice_fini(struct dwarf_slice *s);

/* The bytes at an offset, *size of them: up to the end of a page of the cache. They live until the file is closed. NULL past the end. */
const uint8_t *dwarf_file_peek(const struct dwarf_file *d, enum dwarf_section_id id, uint64_t off, size_t *size);
/* Copies up to `max` bytes at an offset; how many there were. */
size_t dwarf_file_copy(const struct dwarf_file *d, enum dwarf_section_id id, uint64_t off, void *to, size_t max);

/* A string without its NUL, in the file's memory or, where a page ends inside it, in `tmp`; cut where it is longer. NULL: none. */
#define DWARF_STRING_MAX 16384
const char *dwarf_file_string(const struct dwarf_file *d, enum dwarf_section_id id, uint64_t off, char tmp[DWARF_STRING_MAX], size_t *len);

/* True where [*start, *end) begins in code; the end is cut to it. */
bool dwarf_file_clip(const struct dwarf_file *d, uint64_t *start, uint64_t *end);

struct dwarf_encoding {
	uint8_t version;
	uint8_t addr_size;   /* 1, 2, 4 or 8 */
	uint8_t offset_size; /* 4, or 8 in the 64-bit format */
};

/* A value before what it points to was looked up. */
struct dwarf_value {
	uint16_t form;	      /* 0: the attribute is not there */
	uint64_t u;	      /* constant, offset, index, reference; length of a block or string */
	const uint8_t *bytes; /* block and string: where it begins */
};

struct dwarf_attr {
	uint16_t name, form;
	int64_t implicit; /* the value itself, for DW_FORM_implicit_const */
};

struct dwarf_abbrev {
	uint64_t code;
	uint32_t first_attr, nr_attrs;
	uint32_t fixed_bytes; /* of all values together; UINT32_MAX: it depends */
	uint16_t tag;
	bool has_children;
};

/* The table of one unit. */
struct dwarf_abbrevs {
	uint64_t off;
	struct dwarf_encoding enc;
	bool is_dense; /* codes are 1, 2, 3…, as all compilers have them */
	VEC(struct dwarf_abbrev) decls;
	VEC(struct dwarf_attr) attrs;
};

/* The length at the head of a unit or table, and what it says of the format; false where it is cut. */
bool dwarf_unit_length(struct bytes *b, uint64_t *length, uint8_t *offset_size);

/* Reads one value; false (and b->failed) where it is cut or the form unknown. */
bool dwarf_value_read(struct bytes *b, const struct dwarf_encoding *enc, const struct dwarf_attr *attr, struct dwarf_value *v);
/* What a value of a form means. */
enum dwarf_meaning {
	DWARF_OTHER,
	DWARF_NUMBER,
	DWARF_ADDRESS,
	DWARF_ADDRX,  /* the number of an address in .debug_addr */
	DWARF_STRING, /* in the entry itself */
	DWARF_STRP,   /* an offset in .debug_str */
	DWARF_LINE_STRP,
	DWARF_STRX,	/* the number of a string in .debug_str_offsets */
	DWARF_REF,	/* an entry of the unit */
	DWARF_REF_ADDR, /* of the file */
	DWARF_ALT_REF,
	DWARF_ALT_STRP, /* of the file that several share */
};
enum dwarf_meaning dwarf_form_meaning(uint16_t form);
/* Bytes of a value of that form; UINT32_MAX: it depends on the value. */
uint32_t dwarf_form_size(uint16_t form, const struct dwarf_encoding *enc);
/* Constants of all kinds, as unsigned. */
bool dwarf_value_number(const struct dwarf_value *v, uint64_t *number);

/* Reads the table at an offset of .debug_abbrev, up to the declaration of `code` where that is not 0 (for the first entry). */
int dwarf_abbrevs_load(struct dwarf_abbrevs *t, const struct dwarf_file *d, uint64_t off, const struct dwarf_encoding *enc, uint64_t code);
void dwarf_abbrevs_fini(struct dwarf_abbrevs *t);
const struct dwarf_abbrev *dwarf_abbrevs_search(const struct dwarf_abbrevs *t, uint64_t code);

static inline const struct dwarf_abbrev *dwarf_abbrevs_find(const struct dwarf_abbrevs *t, uint64_t code)
{
	if (t->is_dense)
		return code - 1 < t->decls.nr ? &t->decls.v[code - 1] : NULL;
	return dwarf_abbrevs_search(t, code);
}

/* Passes over the values of an entry; false where they are cut. */
static inline bool dwarf_abbrev_skip(const struct dwarf_abbrevs *t, const struct dwarf_abbrev *a, struct bytes *b)
{
	struct dwarf_value v;

	if (a->fixed_bytes != UINT32_MAX)
		return bytes_take(b, a->fixed_bytes) != NULL;
	for (uint32_t i = 0; i < a->nr_attrs; i++)
		if (!dwarf_value_read(b, &t->enc, &t->attrs.v[a->first_attr + i], &v))
			return false;
	return true;
}

#define DWARF_NONE UINT64_MAX

/* Where a unit is: enough to find the one that an entry belongs to. */
struct dwarf_header {
	uint64_t off, end;   /* in .debug_info */
	uint64_t abbrev_off; /* in .debug_abbrev */
	uint64_t dwo_id;     /* version 5: of skeletons and split units */
	uint64_t signature;  /* version 5: of units of one type, */
	uint64_t type_off;   /* and where in the unit its entry is */
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
	uint64_t str_offsets, addrs, rnglists, loclists, locs, ranges;
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

/* Whether the first entry says where all code is: not before version 3, which has no lists, where there are several sections. */
static inline bool dwarf_unit_knows_ranges(const struct dwarf_unit *u)
{
	return u->range_list.form || (u->high.form && u->head.enc.version > 2);
}

/* The index-th item of `size` bytes in a table that begins at `base` of a section. */
bool dwarf_item_read(const struct dwarf_file *d, enum dwarf_section_id id, uint64_t base, uint64_t index, unsigned int size,
		     uint64_t *item);
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

/* Adds the ranges of an entry with these attributes that are in code. False where the list is damaged from some point on. */
bool dwarf_unit_ranges(const struct dwarf_unit *u, const struct dwarf_value *low, const struct dwarf_value *high,
		       const struct dwarf_value *list, struct dwarf_ranges *out);

#endif
