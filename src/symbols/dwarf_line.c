/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Line tables. The head gives directories and files (a fixed form before version 5, self-describing since), the program is a small machine
 * whose rows go to struct source_builder. Each byte of a program makes at most one row, so that its size bounds the work.
 */
#include "symbols/dwarf_module.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#define ROW_COST 8
#define MAX_FORMATS 32U /* fields of an entry; compilers have up to five */

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

static bool read_old_file(struct dwarf_lines *l, struct bytes *b)
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
	while (read_old_file(l, b))
		;
	return !b->failed;
}

static bool read_head(struct dwarf_lines *l, struct bytes *b)
{
	uint64_t head_bytes;
	struct bytes names;

	l->enc.version = (uint8_t)bytes_u16(b);
	if (l->enc.version < 2 || l->enc.version > 5)
		return false;
	if (l->enc.version >= 5) {
		l->enc.addr_size = bytes_u8(b);
		bytes_u8(b); /* segment selectors are of machines long gone */
	}
	head_bytes = bytes_uint(b, l->enc.offset_size);
	if (b->failed || head_bytes > bytes_left(b))
		return false;
	names = *b;
	names.end = b->pos + head_bytes;
	l->program = *b;
	l->program.pos = names.end;
	l->min_insn_bytes = bytes_u8(&names);
	l->max_ops = l->enc.version >= 4 ? bytes_u8(&names) : 1;
	l->default_is_stmt = bytes_u8(&names) != 0;
	l->line_base = (int8_t)bytes_u8(&names);
	l->line_range = bytes_u8(&names);
	l->opcode_base = bytes_u8(&names);
	l->operands = l->opcode_base ? bytes_take(&names, l->opcode_base - 1U) : NULL;
	if (names.failed || !l->opcode_base || !l->line_range)
		return false;
	if (!l->max_ops)
		l->max_ops = 1;
	/* Names that are damaged leave the lines as they are. */
	if (l->enc.version < 5)
		read_old_names(l, &names);
	else if (read_new_list(l, &names, false))
		read_new_list(l, &names, true);
	return true;
}

int dwarf_lines_init(struct dwarf_lines *l, const struct dwarf_unit *u, struct source_builder *to)
{
	const struct dwarf_file *d = u->program;
	uint64_t section_bytes = d->sections[DWARF_LINE].size_bytes, left, length;
	uint8_t raw[12];
	struct bytes b;

	*l = (struct dwarf_lines){ .unit = u, .to = to, .enc = u->head.enc };
	if (u->stmt_list >= section_bytes)
		return -EBADMSG;
	left = section_bytes - u->stmt_list;
	b = bytes_of(raw, dwarf_file_copy(d, DWARF_LINE, u->stmt_list, raw, sizeof(raw)), d->swap);
	if (!dwarf_unit_length(&b, &length, &l->enc.offset_size))
		return -EBADMSG;
	left -= (size_t)(b.pos - raw);
	length = length < left ? length : left;
	/* A byte becomes a row of many; and a table that the section cuts still has rows. */
	if (!dwarf_work_take(d->work, length * ROW_COST) || dwarf_slice_read(&l->slice, d, DWARF_LINE, section_bytes - left, length))
		return -EBADMSG;
	b = bytes_of(l->slice.bytes, l->slice.size_bytes, d->swap);
	if (!read_head(l, &b)) {
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

/* The registers of the machine. */
struct state {
	uint64_t addr, file, column;
	uint32_t line, op_index;
	uint64_t start; /* of the sequence */
	bool is_open, is_dead;
	bool is_stmt, is_prologue_end;
};

static void reset(const struct dwarf_lines *l, struct state *s)
{
	*s = (struct state){ .file = 1, .line = 1, .is_stmt = l->default_is_stmt };
}

/* A row for the sink. */
static void give_row(struct dwarf_lines *l, struct state *s, bool is_end)
{
	struct dwarf_line_row row = {
		.addr = s->addr,
		.file = is_end ? 0 : dwarf_lines_path(l, s->file),
		.line = s->line,
		.column = s->column <= UINT32_MAX ? (uint32_t)s->column : 0,
		.is_stmt = s->is_stmt,
		.is_prologue_end = s->is_prologue_end,
		.is_end = is_end,
	};
	uint64_t start = s->addr, end = UINT64_MAX;

	if (is_end || dwarf_file_clip(l->unit->program, &start, &end))
		l->sink(l->sink_ctx, &row);
	s->is_prologue_end = false;
}

/* Advances by operations: one each on all machines but VLIW ones. */
static void advance(const struct dwarf_lines *l, struct state *s, uint64_t ops)
{
	if (l->max_ops == 1) {
		s->addr += l->min_insn_bytes * ops;
		return;
	}
	s->addr += l->min_insn_bytes * ((s->op_index + ops) / l->max_ops);
	s->op_index = (uint32_t)((s->op_index + ops) % l->max_ops);
}

static void end_sequence(struct dwarf_lines *l, struct state *s)
{
	uint64_t start = s->start, end = s->addr;

	if (l->sink)
		give_row(l, s, true);
	else if (s->is_open && dwarf_file_clip(l->unit->program, &start, &end))
		source_builder_end_rows(l->to, end);
	else
		source_builder_drop_rows(l->to);
}

static void add_row(struct dwarf_lines *l, struct state *s)
{
	struct source_builder_row row = {
		.addr = s->addr,
		.line = s->line,
		.column = s->column <= UINT16_MAX ? (uint16_t)s->column : 0,
	};

	if (l->sink) {
		give_row(l, s, false);
		return;
	}
	/* Addresses that go back begin a new sequence. */
	if (s->is_open && l->to->rows.nr > l->to->first_row && s->addr < l->to->rows.v[l->to->rows.nr - 1].addr) {
		struct state before = *s;

		before.addr = l->to->rows.v[l->to->rows.nr - 1].addr;
		end_sequence(l, &before);
		s->is_open = false;
	}
	if (!s->is_open) {
		uint64_t start = s->addr, end = UINT64_MAX;

		s->is_open = true;
		s->start = s->addr;
		/* Most sequences of a program that was linked with --gc-sections are of functions that are not there. */
		s->is_dead = !dwarf_file_clip(l->unit->program, &start, &end);
	}
	if (s->is_dead)
		return;
	row.file = dwarf_lines_path(l, s->file);
	source_builder_add_row(l->to, &row);
}

static void run_extended(struct dwarf_lines *l, struct state *s)
{
	struct bytes *b = &l->program, arg;
	uint64_t size = bytes_uleb(b);
	const uint8_t *p = size <= SIZE_MAX ? bytes_take(b, size) : NULL;

	if (!p || !size) {
		b->failed |= !p;
		return;
	}
	arg = bytes_of(p, size, b->swap);
	switch (bytes_u8(&arg)) {
	case DW_LNE_end_sequence:
		end_sequence(l, s);
		reset(l, s);
		break;
	case DW_LNE_set_address:
		s->addr = bytes_uint(&arg, (unsigned int)(size - 1 <= 8 ? size - 1 : 0));
		s->op_index = 0;
		break;
	case DW_LNE_define_file:
		if (l->enc.version < 5)
			read_old_file(l, &arg);
		break;
	}
}

static void run_standard(struct dwarf_lines *l, struct state *s, uint8_t op)
{
	struct bytes *b = &l->program;

	switch (op) {
	case 0:
		run_extended(l, s);
		break;
	case DW_LNS_copy:
		add_row(l, s);
		break;
	case DW_LNS_advance_pc:
		advance(l, s, bytes_uleb(b));
		break;
	case DW_LNS_advance_line:
		s->line += (uint32_t)bytes_sleb(b);
		break;
	case DW_LNS_set_file:
		s->file = bytes_uleb(b);
		break;
	case DW_LNS_set_column:
		s->column = bytes_uleb(b);
		break;
	case DW_LNS_const_add_pc:
		advance(l, s, (uint64_t)(255 - l->opcode_base) / l->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		s->addr += bytes_u16(b);
		s->op_index = 0;
		break;
	case DW_LNS_negate_stmt:
		s->is_stmt = !s->is_stmt;
		break;
	case DW_LNS_set_prologue_end:
		s->is_prologue_end = true;
		break;
	default:
		/* Opcodes to come, and those about blocks and epilogues. */
		for (uint8_t i = 0; i < l->operands[op - 1]; i++)
			bytes_uleb(b);
	}
}

void dwarf_lines_run(struct dwarf_lines *l)
{
	struct bytes *b = &l->program;
	struct state s;

	reset(l, &s);
	while (bytes_left(b) && !b->failed) {
		uint8_t op = bytes_u8(b);

		if (op < l->opcode_base) {
			run_standard(l, &s, op);
			continue;
		}
		op -= l->opcode_base;
		advance(l, &s, op / l->line_range);
		s.line += (uint32_t)(l->line_base + op % l->line_range);
		add_row(l, &s);
	}
	source_builder_drop_rows(l->to);
}
