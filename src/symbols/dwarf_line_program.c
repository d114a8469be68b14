/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The programs of line tables: small machines whose rows go to struct source_builder or a sink. Each byte of a program makes at most one row,
 * so that its size bounds the work.
 */
#include "symbols/dwarf_module.h"

#include <dwarf.h>
#include <string.h>

#define ROW_COST 8 /* a byte becomes a row of many */

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
			dwarf_lines_add_file(l, &arg);
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

/* What a special opcode adds. */
struct step {
	uint32_t line, addr;
};

static void list_steps(const struct dwarf_lines *l, struct step steps[256])
{
	uint32_t ops = 0, line = 0;

	for (uint32_t op = l->opcode_base; op < 256; op++) {
		steps[op] = (struct step){ (uint32_t)l->line_base + line, l->min_insn_bytes * ops };
		if (++line == l->line_range) {
			line = 0;
			ops++;
		}
	}
}

/* Goes on as long as rows are not what the filter is for, in registers: most bytes of most tables are such opcodes. Stops in front of a row that
 * is wanted, and of all that is not listed here. */
static void pass_rows(struct dwarf_lines *l, const struct step steps[256], struct state *s)
{
	const struct dwarf_line_filter *f = l->filter;
	const uint32_t span = f->last - f->first, base = l->opcode_base;
	const uint32_t add_pc = l->min_insn_bytes * ((255U - base) / l->line_range);
	struct bytes b = l->program;
	const uint8_t *at = b.pos;
	struct state r = *s;
	bool is_wanted = r.is_stmt && r.file < f->nr_files && f->files[r.file];

	for (; b.pos < b.end; at = b.pos) {
		uint8_t op = *b.pos++;

		if (op >= base) {
			uint32_t line = r.line + steps[op].line;

			if (line - f->first <= span && is_wanted)
				break;
			r.line = line;
			r.addr += steps[op].addr;
			r.is_prologue_end = false;
			continue;
		}
		if (op == DW_LNS_set_column) {
			r.column = bytes_uleb(&b);
		} else if (op == DW_LNS_advance_line) {
			r.line += (uint32_t)bytes_sleb(&b);
		} else if (op == DW_LNS_negate_stmt) {
			r.is_stmt = !r.is_stmt;
			is_wanted = r.is_stmt && r.file < f->nr_files && f->files[r.file];
		} else if (op == DW_LNS_copy && !(r.line - f->first <= span && is_wanted)) {
			r.is_prologue_end = false;
		} else if (op == DW_LNS_set_file) {
			r.file = bytes_uleb(&b);
			if (r.file >= f->nr_files)
				break;
			is_wanted = r.is_stmt && f->files[r.file];
		} else if (op == DW_LNS_const_add_pc) {
			r.addr += add_pc;
		} else if (op == DW_LNS_advance_pc) {
			r.addr += l->min_insn_bytes * bytes_uleb(&b);
		} else {
			break;
		}
	}
	*s = r;
	l->program.pos = at;
}
/* Whether a program can have rows of a file that is wanted: most units that name a header have declarations of it alone. A byte that looks like
 * the opcode is taken for one. */
static bool may_have_rows(const struct dwarf_lines *l)
{
	const struct dwarf_line_filter *f = l->filter;
	const uint8_t *end = l->program.end;

	if (f->nr_files < 2 || f->files[1] || l->opcode_base <= DW_LNS_set_file)
		return true; /* file 1 needs no opcode */
	for (const uint8_t *p = l->program.pos; p < end && (p = memchr(p, DW_LNS_set_file, (size_t)(end - p))) != NULL;) {
		struct bytes b = bytes_of(p + 1, (size_t)(end - p) - 1, false);
		uint64_t file = bytes_uleb(&b);

		p++;
		/* Programs may add entries. */
		if (file >= f->nr_files || f->files[file])
			return true;
	}
	return false;
}

/* The program's bytes: those of the head's slice, or read now. */
static bool get_program(struct dwarf_lines *l)
{
	const struct dwarf_file *d = l->unit->program;
	uint64_t at = l->program_off - l->slice.off;
	const struct dwarf_slice *from = &l->slice;

	if (!dwarf_work_take(d->work, l->left * ROW_COST))
		return false;
	if (l->slice.size_bytes - at < l->left) {
		if (dwarf_slice_read(&l->rows, d, DWARF_LINE, l->program_off, l->left))
			return false;
		from = &l->rows;
		at = 0;
	}
	l->program = bytes_of(from->bytes + at, l->left, d->swap);
	return true;
}

void dwarf_lines_run(struct dwarf_lines *l)
{
	struct bytes *b = &l->program;
	bool passes = l->sink && l->filter && l->max_ops == 1;
	struct step steps[256];
	struct state s;

	if (!get_program(l) || (passes && !may_have_rows(l)))
		return;
	list_steps(l, steps);
	reset(l, &s);
	while (bytes_left(b) && !b->failed) {
		uint8_t op;

		if (passes) {
			pass_rows(l, steps, &s);
			if (!bytes_left(b))
				break;
		}
		op = bytes_u8(b);
		if (op < l->opcode_base) {
			run_standard(l, &s, op);
			continue;
		}
		advance(l, &s, (uint64_t)(op - l->opcode_base) / l->line_range);
		s.line += steps[op].line;
		add_row(l, &s);
	}
	source_builder_drop_rows(l->to);
}
