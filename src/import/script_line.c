/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Symbols may have blanks and parentheses, so a frame is read from both ends: the address in front, the module in the last parentheses.
 */
#include "import/script_line.h"

/* Where the parenthesis opens that the last character closes; SIZE_MAX: nowhere with a blank in front of it. */
static size_t open_paren(struct script_span t)
{
	uint32_t depth = 0;

	for (size_t i = t.len; i-- > 0;) {
		depth += t.s[i] == ')';
		depth -= t.s[i] == '(';
		if (!depth)
			return !i || t.s[i - 1] == ' ' ? i : SIZE_MAX;
	}
	/* A path with a lone parenthesis in it */
	for (size_t i = t.len; i-- > 1;)
		if (t.s[i] == '(' && t.s[i - 1] == ' ')
			return i;
	return SIZE_MAX;
}

/* "SYMBOL+0xOFF" */
static void parse_symbol(struct script_span t, struct script_frame *f)
{
	size_t plus = t.len;

	f->symbol = t;
	while (plus && script_hex_digit(t.s[plus - 1]) >= 0)
		plus--;
	if (plus > 3 && plus < t.len && !memcmp(t.s + plus - 3, "+0x", 3) &&
	    script_parse_hex((struct script_span){ t.s + plus, t.len - plus }, &f->off))
		f->symbol.len = plus - 3;
	if (script_equals(f->symbol, "[unknown]"))
		f->symbol.len = 0;
}

bool script_frame_parse(const char *s, size_t len, struct script_frame *f)
{
	struct script_span t = { s, len }, addr = script_take_word(&t);
	size_t paren;

	memset(f, 0, sizeof(*f));
	f->off = UINT64_MAX;
	if (!script_parse_hex(addr, &f->addr))
		return false;
	t = script_trim(t);
	if (t.len && t.s[t.len - 1] == ')' && (paren = open_paren(t)) != SIZE_MAX) {
		f->dso = (struct script_span){ t.s + paren + 1, t.len - paren - 2 };
		t.len = paren;
		t = script_trim(t);
		f->is_inlined = script_equals(f->dso, "inlined");
		f->has_dso = !f->is_inlined;
		if (f->is_inlined || script_equals(f->dso, "[unknown]"))
			f->dso.len = 0;
	}
	parse_symbol(t, f);
	return true;
}

/* Another form of it names an address in the file instead: "[vdso][af1]". */
static void parse_place(struct script_span t, uint64_t *addr)
{
	struct script_span hex = { t.s + t.len - 1, 0 };

	while (hex.s > t.s && hex.s[-1] != '[') {
		hex.s--;
		hex.len++;
	}
	if (hex.s == t.s || !script_parse_hex(hex, addr))
		*addr = UINT64_MAX;
}

bool script_source_parse(const char *s, size_t len, struct script_span *file, uint32_t *line, uint64_t *addr, bool *is_inlined)
{
	static const char inlined[] = " (inlined)";
	struct script_span t = { s, len }, number;
	uint64_t v;

	*is_inlined = len > sizeof(inlined) && !memcmp(s + len - (sizeof(inlined) - 1), inlined, sizeof(inlined) - 1);
	if (*is_inlined)
		t.len -= sizeof(inlined) - 1;
	t = script_trim(t);
	number = (struct script_span){ t.s + t.len, 0 };
	while (number.s > t.s && script_is_digit(number.s[-1])) {
		number.s--;
		number.len++;
	}
	*file = (struct script_span){ t.s, 0 };
	*line = 0;
	*addr = UINT64_MAX;
	if (t.len && t.s[t.len - 1] == ']') {
		parse_place(t, addr);
		return true;
	}
	if (number.s - t.s < 2 || number.s[-1] != ':' || !script_parse_u64(number, &v) || v > UINT32_MAX)
		return false;
	file->len = (size_t)(number.s - t.s) - 1;
	*line = (uint32_t)v;
	return true;
}
