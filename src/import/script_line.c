/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Symbols may have blanks and parentheses, so a frame is read from both ends: the address in front, the module in the last parentheses.
 */
#include "import/script.h"

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

/* ---- behind the fields of the first line ---- */

#define COLUMN_WIDTH 16u
#define MAX_COLUMNS 8u
#define MAX_TRIES 8u		   /* parentheses behind the module: no line has so many */
#define SMALLEST_ADDRESS 0x100000u /* a number below it that has no name is a weight */

struct column {
	struct script_span word;
	size_t width;
	struct script_span text; /* up to the next one */
};

bool script_is_column(struct script_span word, size_t width)
{
	uint64_t v;

	return width >= COLUMN_WIDTH && script_parse_hex(word, &v);
}

/* "FROM/TO/P/-/-/3": places may be addresses or names */
static bool is_branch(struct script_span w)
{
	size_t slash[3], nr = 0;

	for (size_t i = 0; i < w.len && nr < 3; i++)
		if (w.s[i] == '/')
			slash[nr++] = i;
	return nr == 3 && slash[2] == slash[1] + 2 && strchr("PM-", w.s[slash[1] + 1]);
}

bool script_is_extra(struct script_span w)
{
	static const char *const labels[] = { "ilen:", "insn:", "IPC:", "cgroup:" };

	if (w.len > 4 && script_begins(w, "ABI:") && script_is_digit(w.s[4]))
		return true;
	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++)
		if (script_equals(w, labels[i]))
			return true;
	return is_branch(w);
}

/* Returns how many there are; *end is where they end, in front of what is not read. */
static uint32_t find_columns(struct script_span rest, bool is_bare, struct column *v, struct script_rest *r)
{
	struct script_span left = rest, w;
	size_t from = is_bare ? 0 : 1, end = rest.len; /* the blank that ended the field in front is not the column's */
	uint32_t nr = 0;

	while ((w = script_take_word(&left)).len) {
		size_t at = (size_t)(w.s - rest.s), word_end = at + w.len;

		if (script_is_extra(w)) {
			r->has_other = true;
			end = at;
			break;
		}
		if (word_end > from && script_is_column(w, word_end - from)) {
			if (nr == MAX_COLUMNS)
				nr--;
			v[nr++] = (struct column){ .word = w, .width = word_end - from };
		}
		from = word_end + 1;
	}
	for (uint32_t i = 0; i < nr; i++) {
		const char *start = v[i].word.s + v[i].word.len, *stop = i + 1 < nr ? v[i + 1].word.s : rest.s + end;

		v[i].text = script_trim((struct script_span){ start, (size_t)(stop - start) });
	}
	return nr;
}

/* "1e05080021 |OP LOAD|LVL …" */
static bool is_data_source(const struct column *c)
{
	return c->text.len && *c->text.s == '|';
}

/* Where "SYMBOL (/MODULE) more" ends that is of the frame; the whole length where nothing is behind it. */
static size_t end_of_module(struct script_span t)
{
	uint32_t nr_tries = 0;

	if (!t.len || t.s[t.len - 1] == ')')
		return t.len;
	for (size_t i = t.len - 1; i-- > 0 && nr_tries < MAX_TRIES;) {
		size_t open = i;

		if (t.s[i] != ')' || t.s[i + 1] != ' ')
			continue;
		nr_tries++;
		while (open && t.s[open] != '(')
			open--;
		if ((!open || t.s[open - 1] == ' ') && t.s[open] == '(' && (t.s[open + 1] == '/' || t.s[open + 1] == '['))
			return i + 1;
	}
	return t.len;
}

static struct script_span frame_of(const struct column *c, struct script_rest *r)
{
	size_t len = end_of_module(c->text);
	const char *end = len ? c->text.s + len : c->word.s + c->word.len;

	r->has_other |= len < c->text.len;
	return (struct script_span){ c->word.s, (size_t)(end - c->word.s) };
}

/* Which of them is the sampled address; `nr` where none is. */
static uint32_t find_sampled(const struct column *v, uint32_t nr)
{
	for (uint32_t i = nr; i-- > 0;)
		if (v[i].text.len && !is_data_source(&v[i]))
			return i;
	/* No names: the one that stands apart. */
	for (uint32_t i = nr; i-- > 0;)
		if (!is_data_source(&v[i]) && (v[i].width > COLUMN_WIDTH || i))
			return i;
	return nr;
}

static void take_data_address(const struct column *v, uint32_t nr, uint32_t sampled, struct script_rest *r)
{
	uint64_t addr;

	for (uint32_t i = 0; i < nr; i++) {
		if (i == sampled)
			continue;
		if (!i && !is_data_source(&v[0]) && script_parse_hex(v[0].word, &addr) && (v[0].text.len || addr >= SMALLEST_ADDRESS)) {
			r->has_addr = true;
			r->addr = addr;
		} else {
			r->has_other = true;
		}
	}
}

void script_rest_parse(struct script_span rest, bool is_bare, struct script_rest *r)
{
	struct column v[MAX_COLUMNS];
	struct script_span word = rest;
	uint32_t nr, sampled;
	uint64_t addr;

	memset(r, 0, sizeof(*r));
	nr = find_columns(rest, is_bare, v, r);
	if (nr) {
		sampled = find_sampled(v, nr);
		if (sampled < nr)
			r->frame = frame_of(&v[sampled], r);
		take_data_address(v, nr, sampled, r);
		return;
	}
	/* Somebody else's columns. */
	word = script_take_word(&word);
	if (script_parse_hex(word, &addr) && !r->has_other)
		r->frame = script_trim(rest);
}
