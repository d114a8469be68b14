/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A table by minor version, as the headers of 3.8.18, 3.9.18, 3.10.13, 3.11.2, 3.12.1 and 3.13.0 have it. From 3.13 on what the file says of
 * itself comes first. What is wrong here is found out by the program: no thread state says that it is the thread's, or no frame can be read.
 */
#include "capture/python_layout.h"

#include <errno.h>

#include "symbols/python_lines.h"

#define RUNTIME_313_HEAD 632 /* of interpreters.head, where the key of thread states was measured */

#define FRAME_BLOCK 2048 /* of the thread's stack of frames, in front of one */

/* Frames are read from `frame_base` on, code objects from `code_base` on; members are relative to these. */
#define OBJECT_FRAMES(INSTR, UNIT, LINES)                                                                                                  \
	.runtime_main = 40, .thread_interp = 16, .thread_id = 176, .thread_frame = 24, .entry = PYTHON_ENTRY_EACH, .frame_base = 24,       \
	.frame_bytes = (INSTR) + 8 - 24, .frame_code = 8, .frame_previous = 0, .frame_instr = (INSTR)-24, .instr_unit = (UNIT),            \
	.code_base = 40, .code_bytes = 88, .code_line = 0, .code_file = 64, .code_name = 72, .code_lines = 80, .lines_kind = (LINES),      \
	.text_ascii = 48, .text_wide = 72, .checks_name = 1

static const struct python_layout layouts[] = {
	[8] = { .runtime_current = 1368, .runtime_key = 1396, OBJECT_FRAMES(104, 1, PYTHON_LINES_STEPS) },
	[9] = { .runtime_current = 568, .runtime_key = 588, OBJECT_FRAMES(104, 1, PYTHON_LINES_STEPS) },
	[10] = { .runtime_current = 568, .runtime_key = 588, OBJECT_FRAMES(96, 2, PYTHON_LINES_RANGES) },
	[11] = { .runtime_current = 576,
		 .runtime_key = 596,
		 .runtime_main = 48,
		 .thread_interp = 16,
		 .thread_id = 152,
		 .thread_frame = 56,
		 .has_cframe = 1,
		 .cframe_frame = 8,
		 .entry = PYTHON_ENTRY_FLAGGED,
		 .frame_base = 32,
		 .frame_bytes = 40,
		 .frame_block = FRAME_BLOCK,
		 .frame_code = 0,
		 .frame_previous = 16,
		 .frame_instr = 24,
		 .frame_owner = 36,
		 .instr_is_pointer = 1,
		 .code_base = 72,
		 .code_bytes = 72,
		 .code_line = 0,
		 .code_file = 40,
		 .code_name = 56,
		 .code_lines = 64,
		 .lines_kind = PYTHON_LINES_ENTRIES,
		 .code_bytecode = 184,
		 .text_ascii = 48,
		 .text_wide = 72,
		 .checks_name = 1 },
	[12] = { .runtime_key = 1548,
		 .runtime_main = 48,
		 .thread_interp = 16,
		 .thread_id = 136,
		 .thread_frame = 56,
		 .has_cframe = 1,
		 .cframe_frame = 0,
		 .entry = PYTHON_ENTRY_SHIM,
		 .frame_base = 0,
		 .frame_bytes = 72,
		 .frame_block = FRAME_BLOCK,
		 .frame_code = 0,
		 .frame_previous = 8,
		 .frame_instr = 56,
		 .frame_owner = 70,
		 .instr_is_pointer = 1,
		 .code_base = 64,
		 .code_bytes = 80,
		 .code_line = 4,
		 .code_file = 48,
		 .code_name = 64,
		 .code_lines = 72,
		 .lines_kind = PYTHON_LINES_ENTRIES,
		 .code_bytecode = 192,
		 .text_ascii = 40,
		 .text_wide = 56 },
	[13] = { .runtime_key = 2164,
		 .runtime_main = 640,
		 .thread_interp = 16,
		 .thread_id = 152,
		 .thread_frame = 72,
		 .entry = PYTHON_ENTRY_SHIM,
		 .frame_base = 0,
		 .frame_bytes = 72,
		 .frame_block = FRAME_BLOCK,
		 .frame_code = 0,
		 .frame_previous = 8,
		 .frame_instr = 56,
		 .frame_owner = 70,
		 .instr_is_pointer = 1,
		 .code_base = 64,
		 .code_bytes = 80,
		 .code_line = 4,
		 .code_file = 48,
		 .code_name = 64,
		 .code_lines = 72,
		 .lines_kind = PYTHON_LINES_ENTRIES,
		 .code_bytecode = 200,
		 .text_ascii = 40,
		 .text_wide = 56 },
};

static bool take_part(uint64_t at, uint64_t size, unsigned base, unsigned bytes, unsigned short *member)
{
	if (at < base || at + size > base + bytes || at % size)
		return false;
	*member = (unsigned short)(at - base);
	return true;
}

/* What the file says of its own fields. */
static int take_offsets(const struct python_debug_offsets *o, struct python_layout *l)
{
	if (o->interpreters_head > 4096 || o->thread_id > 4096 || o->current_frame > 4096 || o->bytecode > 1024)
		return -ENOTSUP;
	l->runtime_key = (unsigned short)(l->runtime_key + o->interpreters_head - RUNTIME_313_HEAD);
	l->runtime_main = (unsigned short)(l->runtime_main + o->interpreters_head - RUNTIME_313_HEAD);
	l->thread_id = (unsigned short)o->thread_id;
	l->thread_frame = (unsigned short)o->current_frame;
	l->code_bytecode = (unsigned short)o->bytecode;
	if (!take_part(o->executable, 8, l->frame_base, l->frame_bytes, &l->frame_code) ||
	    !take_part(o->previous, 8, l->frame_base, l->frame_bytes, &l->frame_previous) ||
	    !take_part(o->instr_ptr, 8, l->frame_base, l->frame_bytes, &l->frame_instr) ||
	    !take_part(o->owner, 1, l->frame_base, l->frame_bytes, &l->frame_owner) ||
	    !take_part(o->firstlineno, 4, l->code_base, l->code_bytes, &l->code_line) ||
	    !take_part(o->filename, 8, l->code_base, l->code_bytes, &l->code_file) ||
	    !take_part(o->qualname, 8, l->code_base, l->code_bytes, &l->code_name) ||
	    !take_part(o->linetable, 8, l->code_base, l->code_bytes, &l->code_lines))
		return -ENOTSUP;
	return 0;
}

int python_layout_of(const struct python_file *f, struct python_layout *l)
{
	uint32_t minor = f->version >> 8 & 0xff;

	if (f->version >> 16 != 3 || minor < 8 || minor >= sizeof(layouts) / sizeof(*layouts))
		return -ENOTSUP;
	*l = layouts[minor];
	return f->has_offsets ? take_offsets(&f->offsets, l) : 0;
}
