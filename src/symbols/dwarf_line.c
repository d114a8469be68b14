/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The heads of line tables: directories and files, in a fixed form before version 5, self-describing since.
 */
#include "symbols/dwarf_module.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_BYTES 4096U /* read at first: most heads are shorter, and so are many whole tables */
#define MAX_FORMATS 32U	 /* fields of an entry; compilers have up to five */

/* DW_LNCT_path, directory index and what else a compiler wants to say of a file. */
struct entry_format {
	uint8_t nr;
	struct {
		uint16_t content;
		struct dwarf_attr attr;
	} fields[MAX_FORMATS];
};

static bool read_format(struct bytes *b, struct entry_format *f)
{
	f->nr = bytes_u8(b);
	if (f->nr > MAX_FORMATS)
		return false;
	for (uint32_t i = 0; i < f->nr; i++) {
		uint64_t content = bytes_uleb(b), form = bytes_uleb(b);

		f->fields[i].content = content <= UINT16_MAX ? (uint16_t)content : 0;
		f->fields[i].attr = (struct dwarf_attr){ .form = form <= UINT16_MAX ? (uint16_t)form : 0 };
	}
	return !b->failed;
}

static bool read_entry(struct dwarf_lines *l, struct bytes *b, const struct entry_format *f, struct dwarf_line_file *file)
{
	*file = (struct dwarf_line_file){ .path = SOURCE_NONE };
	for (uint32_t i = 0; i < f->nr; i++) {
		struct dwarf_value v;

		if (!dwarf_value_read(b, &l->enc, &f->fields[i].attr, &v))
			return false;
		if (f->fields[i].content == DW_LNCT_path)
			file->name = v;
		else if (f->fields[i].content == DW_LNCT_directory_index)
			file->dir = v.u;
	}
	return true;
}

/* A list of directories or files as version 5 has it. */
static bool read_new_list(struct dwarf_lines *l, struct bytes *b, bool is_files)
{
	struct dwarf_line_file file;
	struct entry_format f;
	uint64_t nr;

	if (!read_format(b, &f))
		return false;
	nr = bytes_uleb(b);
	/* An entry without fields has no bytes; and nothing to say. */
	for (uint64_t i = 0; f.nr && i < nr; i++) {
		if (i > l->slice.size_bytes || !read_entry(l, b, &f, &file))
			return false;
		if (is_files)
			vec_push(&l->files, file);
		else
			vec_push(&l->dirs, file.name);
	}
	return !b->failed;
}

static struct dwarf_value read_string(struct bytes *b)
{
	static const struct dwarf_attr string = { .form = DW_FORM_string };
	static const struct dwarf_encoding any = { 4, 8, 4 };
	struct dwarf_value v = { 0 };

	dwarf_value_read(b, &any, &string, &v);
	return v;
}

bool dwarf_lines_add_file(struct dwarf_lines *l, struct bytes *b)
{
	struct dwarf_line_file file = { .path = SOURCE_NONE };

	file.name = read_string(b);
	if (b->failed || !file.name.u)
		return false;
	file.dir = bytes_uleb(b);
	bytes_uleb(b); /* time */
	bytes_uleb(b); /* size */
	if (!b->failed)
		vec_push(&l->files, file);
	return !b->failed;
}

/* The same before: numbers begin at one, directory 0 is that of the unit. */
static bool read_old_names(struct dwarf_lines *l, struct bytes *b)
{
	struct dwarf_value dir;

	vec_push(&l->dirs, l->unit->comp_dir);
	vec_push(&l->files, ((struct dwarf_line_file){ .path = SOURCE_NONE }));
	while (dir = read_string(b), !b->failed && dir.u)
		vec_push(&l->dirs, dir);
	while (dwarf_lines_add_file(l, b))
		;
	return !b->failed;
}

/* Reads the fields up to the length of the head; false where it makes no sense, or ends behind the table. */
static bool read_length(struct dwarf_lines *l, struct bytes *b)
{
	uint64_t length, head_bytes;
	const uint8_t *from;

	if (!dwarf_unit_length(b, &length, &l->enc.offset_size))
		return false;
	/* A table that the section cuts still has rows. */
	l->left = l->left - (uint64_t)(b->pos - l->slice.bytes);
	l->left = length < l->left ? length : l->left;
	from = b->pos;
	l->enc.version = (uint8_t)bytes_u16(b);
	if (l->enc.version < 2 || l->enc.version > 5)
		return false;
	if (l->enc.version >= 5) {
		l->enc.addr_size = bytes_u8(b);
		bytes_u8(b); /* segment selectors are of machines long gone */
	}
	head_bytes = bytes_uint(b, l->enc.offset_size);
	if (b->failed || (uint64_t)(b->pos - from) > l->left || head_bytes > l->left - (uint64_t)(b->pos - from))
		return false;
	l->left -= (uint64_t)(b->pos - from) + head_bytes;
	l->program_off = l->slice.off + (uint64_t)(b->pos - l->slice.bytes) + head_bytes;
	return true;
}

static bool read_head(struct dwarf_lines *l, struct bytes *b)
{
	l->min_insn_bytes = bytes_u8(b);
	l->max_ops = l->enc.version >= 4 ? bytes_u8(b) : 1;
	l->default_is_stmt = bytes_u8(b) != 0;
	l->line_base = (int8_t)bytes_u8(b);
	l->line_range = bytes_u8(b);
	l->opcode_base = bytes_u8(b);
	l->operands = l->opcode_base ? bytes_take(b, l->opcode_base - 1U) : NULL;
	if (b->failed || !l->opcode_base || !l->line_range)
		return false;
	if (!l->max_ops)
		l->max_ops = 1;
	/* Names that are damaged leave the lines as they are. */
	if (l->enc.version < 5)
		read_old_names(l, b);
	else if (read_new_list(l, b, false))
		read_new_list(l, b, true);
	return true;
}

/* The whole head in one piece, and as much of the program as comes with it. */
static bool read_table(struct dwarf_lines *l, const struct dwarf_file *d)
{
	uint64_t off = l->unit->stmt_list, size = l->left < HEAD_BYTES ? l->left : HEAD_BYTES;
	struct bytes b;
	size_t at;

	if (dwarf_slice_read(&l->slice, d, DWARF_LINE, off, size))
		return false;
	b = bytes_of(l->slice.bytes, l->slice.size_bytes, d->swap);
	if (!read_length(l, &b))
		return false;
	at = (size_t)(b.pos - l->slice.bytes);
	if (l->program_off - off > size) {
		dwarf_slice_fini(&l->slice);
		if (dwarf_slice_read(&l->slice, d, DWARF_LINE, off, l->program_off - off))
			return false;
	}
	b = bytes_of(l->slice.bytes, (size_t)(l->program_off - off), d->swap);
	b.pos += at;
	return read_head(l, &b);
}

int dwarf_lines_init(struct dwarf_lines *l, const struct dwarf_unit *u, struct source_builder *to)
{
	const struct dwarf_file *d = u->program;

	*l = (struct dwarf_lines){ .unit = u, .to = to, .enc = u->head.enc };
	if (u->stmt_list >= d->sections[DWARF_LINE].size_bytes)
		return -EBADMSG;
	l->left = d->sections[DWARF_LINE].size_bytes - u->stmt_list;
	if (!read_table(l, d)) {
		dwarf_lines_fini(l);
		return -EBADMSG;
	}
	l->tmp = mem_alloc(DWARF_STRING_MAX);
	l->path = mem_alloc(3 * DWARF_STRING_MAX + 3);
	return 0;
}

void dwarf_lines_fini(struct dwarf_lines *l)
{
	dwarf_slice_fini(&l->slice);
	dwarf_slice_fini(&l->rows);
	vec_fini(&l->dirs);
	vec_fini(&l->files);
	free(l->tmp);
	free(l->path);
	l->tmp = l->path = NULL;
}

/* Relative paths begin where the compiler ran, unless -ffile-prefix-map made that relative: then they have it already. */
static bool repeats(const char *path, size_t path_len, const char *s, size_t len)
{
	return path_len && path[0] == '.' && len >= path_len && !memcmp(path, s, path_len) && (len == path_len || s[path_len] == '/');
}

/* Appends a part of a path; one that is absolute, or begins with what is there, replaces it. */
static size_t append(struct dwarf_lines *l, const struct dwarf_value *v, size_t at)
{
	size_t len;
	const char *s = dwarf_unit_string(l->unit, v, l->tmp, &len);

	if (!s || !len)
		return at;
	if (s[0] == '/' || repeats(l->path, at, s, len))
		at = 0;
	else if (at && l->path[at - 1] != '/')
		l->path[at++] = '/';
	memcpy(l->path + at, s, len);
	return at + len;
}

static uint32_t join_path(struct dwarf_lines *l, const struct dwarf_line_file *f)
{
	size_t dir_len = append(l, &l->unit->comp_dir, 0), len;
	const char *name;

	/* Before version 5 directory 0 is the unit's own and not in the table. */
	if (f->dir < l->dirs.nr && (f->dir || l->enc.version >= 5))
		dir_len = append(l, &l->dirs.v[f->dir], dir_len);
	name = dwarf_unit_string(l->unit, &f->name, l->tmp, &len);
	if (!name || !len)
		return 0;
	if (name[0] == '/')
		return source_builder_string(l->to, name, len);
	len = append(l, &f->name, dir_len);
	return source_builder_string(l->to, l->path, len);
}

uint32_t dwarf_lines_path(struct dwarf_lines *l, uint64_t file)
{
	if (file >= l->files.nr)
		return 0;
	if (l->files.v[file].path == SOURCE_NONE)
		l->files.v[file].path = join_path(l, &l->files.v[file]);
	return l->files.v[file].path;
}

bool dwarf_lines_has_name(struct dwarf_lines *l, uint32_t file, const char *name, size_t len)
{
	size_t path_len;
	const char *s = dwarf_unit_string(l->unit, &l->files.v[file].name, l->tmp, &path_len);

	return s && path_len >= len && !memcmp(s + path_len - len, name, len) && (path_len == len || s[path_len - len - 1] == '/');
}
