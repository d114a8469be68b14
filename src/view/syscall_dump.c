/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a call read or wrote, in lines of sixteen bytes (strace -e read=, -e write=).
 */
#include "view/syscall_writer.h"

#include <string.h>

#define PER_LINE 16

/* " | 00010  20 6c 6f 6e 67 65 72 20  74 68 61 6e 20 74 68 65   longer than the |" */
static void line_put(struct out *o, const uint8_t *data, size_t nr, size_t offset)
{
	static const char digits[] = "0123456789abcdef";
	enum { HEX_AT = 0, TEXT_AT = 50, WIDTH = TEXT_AT + PER_LINE };
	char line[WIDTH];

	memset(line, ' ', sizeof(line));
	for (size_t i = 0; i < nr; i++) {
		size_t at = HEX_AT + 3 * i + (i >= PER_LINE / 2);

		line[at] = digits[data[i] >> 4];
		line[at + 1] = digits[data[i] & 15];
		line[TEXT_AT + i] = data[i] >= 0x20 && data[i] < 0x7f ? (char)data[i] : '.';
	}
	out_printf(o, " | %05zx  ", offset);
	out_mem(o, line, sizeof(line));
	out_str(o, " |\n");
}

static void bytes_put(struct out *o, const struct syscall_bytes *b)
{
	for (size_t i = 0; i < b->size; i += PER_LINE)
		line_put(o, b->data + i, b->size - i < PER_LINE ? b->size - i : PER_LINE, i);
}

static void vector_put(struct syscall_writer *w, const struct syscall_bytes *b, uint64_t bytes)
{
	for (uint32_t i = 0; i < b->size / 16 && bytes; i++) {
		const struct syscall_memory *m = syscall_memory_at(w, syscall_bytes_u64(b, (size_t)i * 16));
		uint64_t len = syscall_bytes_u64(b, (size_t)i * 16 + 8), used = len < bytes ? len : bytes;
		struct syscall_bytes text = { m ? m->data : NULL, m ? m->size : 0 };

		if (!w->elements_left)
			return;
		w->elements_left--;
		text = syscall_bytes_part(&text, 0, used < text.size ? (size_t)used : text.size);
		out_str(w->o, " * ");
		out_u64(w->o, used, 0);
		out_str(w->o, " bytes in buffer ");
		out_u64(w->o, i, 0);
		out_char(w->o, '\n');
		bytes_put(w->o, &text);
		bytes -= used;
	}
}

void syscall_text_dump(struct out *o, const struct syscall_call *c, const struct syscall_text_options *opts)
{
	struct syscall_writer w = { .o = o, .c = c, .opts = opts, .elements_left = SYSCALL_MAX_ELEMENTS };
	uint64_t result = c->has_ended && c->result > 0 ? (uint64_t)c->result : 0;

	for (uint32_t i = 0; c->def && i < c->def->nr_args && i < SYSCALL_MAX_ARGS; i++) {
		const struct syscall_arg *a = &c->def->args[i];
		bool is_out = a->direction != SYSCALL_IN, is_vector = a->kind == SYSCALL_ARG_STRUCT && a->type == SYSCALL_TYPE_IOVEC;
		struct syscall_bytes b;

		if (is_vector && c->abi != SYSCALL_I386 && syscall_memory_find(&w, i, false, &b)) {
			vector_put(&w, &b, is_out ? result : UINT64_MAX);
		} else if (a->kind == SYSCALL_ARG_BYTES && syscall_memory_find(&w, i, is_out, &b)) {
			uint64_t len = is_out || a->len_arg >= SYSCALL_MAX_ARGS ? result : c->args[a->len_arg];

			b = syscall_bytes_part(&b, 0, len < b.size ? (size_t)len : b.size);
			bytes_put(o, &b);
		}
	}
}
