/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Strings and buffers in quotes. Every byte that does not print is escaped, in octal as strace writes it: as short as possible, with three
 * digits where another octal digit follows.
 */
#include "view/syscall_writer.h"

#include <string.h>

static bool is_plain(uint8_t c, uint32_t quoting)
{
	if (c < 0x20 || c >= 0x7f || c == '\\' || c == '"')
		return false;
	return !(quoting & SYSCALL_QUOTE_BARE) || (c != '<' && c != '>');
}

static void hex_put(struct out *o, uint8_t c)
{
	static const char digits[] = "0123456789abcdef";
	char *p = out_room(o, 4);

	p[0] = '\\';
	p[1] = 'x';
	p[2] = digits[c >> 4];
	p[3] = digits[c & 15];
	out_advance(o, 4);
}

static void octal_put(struct out *o, uint8_t c, bool is_digit_next)
{
	char *p = out_room(o, 4);
	size_t n = 0;

	p[n++] = '\\';
	if (is_digit_next || c >= 0100)
		p[n++] = (char)('0' + (c >> 6));
	if (is_digit_next || c >= 010)
		p[n++] = (char)('0' + (c >> 3 & 7));
	p[n++] = (char)('0' + (c & 7));
	out_advance(o, n);
}

static void escaped_put(struct out *o, const uint8_t *s, size_t i, size_t len, bool is_hex)
{
	static const char letters[256] = {
		['\n'] = 'n', ['\t'] = 't', ['\r'] = 'r', ['\f'] = 'f', ['\v'] = 'v', ['"'] = '"', ['\\'] = '\\'
	};

	if (letters[s[i]]) {
		out_char(o, '\\');
		out_char(o, letters[s[i]]);
	} else if (is_hex) {
		hex_put(o, s[i]);
	} else {
		octal_put(o, s[i], i + 1 < len && s[i + 1] >= '0' && s[i + 1] <= '7');
	}
}

/* strace -x: one byte that neither prints nor is white space makes a string a row of numbers. */
static bool wants_hex(const struct syscall_writer *w, const uint8_t *s, size_t len, uint32_t quoting)
{
	if (w->opts->all_hex || (quoting & SYSCALL_QUOTE_HEX))
		return true;
	for (size_t i = 0; w->opts->hex_strings && i < len; i++)
		if ((s[i] < 0x20 && !(s[i] >= '\t' && s[i] <= '\r')) || s[i] >= 0x7f)
			return true;
	return false;
}

void syscall_put_quoted(struct syscall_writer *w, const uint8_t *s, size_t len, uint32_t quoting)
{
	bool is_hex = wants_hex(w, s, len, quoting);
	size_t i = 0, run;

	if (!(quoting & SYSCALL_QUOTE_BARE))
		out_char(w->o, '"');
	while (i < len) {
		for (run = i; !is_hex && run < len && is_plain(s[run], quoting);)
			run++;
		out_mem(w->o, s + i, run - i);
		i = run;
		if (i < len && is_hex)
			hex_put(w->o, s[i++]);
		else if (i < len)
			escaped_put(w->o, s, i, len, w->opts->hex_escapes), i++;
	}
	if (!(quoting & SYSCALL_QUOTE_BARE))
		out_char(w->o, '"');
	if (quoting & SYSCALL_QUOTE_CUT)
		out_mem(w->o, "...", 3);
}

void syscall_put_buffer(struct syscall_writer *w, const struct syscall_bytes *b, uint64_t size, uint32_t quoting)
{
	size_t len = b->size < w->opts->max_string ? b->size : w->opts->max_string;

	if (size < len)
		len = (size_t)size;
	syscall_put_quoted(w, b->data, len, quoting | (len < size ? SYSCALL_QUOTE_CUT : 0));
}

void syscall_put_string(struct syscall_writer *w, const struct syscall_bytes *b, bool is_cut, uint32_t max)
{
	size_t here = b->size && b->data ? strnlen((const char *)b->data, b->size) : 0, len = here < max ? here : max;

	/* Bytes without a NUL at their end are the beginning of a string. */
	syscall_put_quoted(w, b->data, len, len < here || (here == b->size && is_cut) ? SYSCALL_QUOTE_CUT : 0);
}

/* ["ls", "-l"], or "0x7ffed8d4f3a0 / * 37 vars * /" for the environment where it is not asked for. */
void syscall_put_strings(struct syscall_writer *w, const struct syscall_memory *m, uint64_t address, bool is_environment)
{
	struct syscall_bytes b = { m->data, m->size };
	uint32_t i;

	if (is_environment && !w->opts->is_verbose) {
		syscall_put_pointer(w, address);
		out_mem(w->o, " /* ", 4);
		out_u64(w->o, m->nr_strings, 0);
		out_str(w->o, m->nr_strings == 1 ? " var */" : " vars */");
		return;
	}
	out_char(w->o, '[');
	for (i = 0; b.size; i++) {
		size_t len = strnlen((const char *)b.data, b.size), whole = len < b.size ? len + 1 : len;

		if (!syscall_next_element(w, i))
			break;
		syscall_put_string(w, &b, len == b.size, w->opts->max_string);
		b = syscall_bytes_part(&b, whole, b.size);
	}
	if (!b.size && i < m->nr_strings)
		out_str(w->o, i ? ", ..." : "...");
	out_char(w->o, ']');
}
