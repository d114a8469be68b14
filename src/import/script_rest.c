/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Of several columns the first is where the data was, and the last that a name stands behind is the sampled address. perf prints the data's
 * address and weights 16 wide, the sampled address behind one more blank.
 */
#include "import/script_rest.h"

#define COLUMN_WIDTH 16u
#define MAX_COLUMNS 8u
#define MAX_TRIES 8u /* parentheses behind the module: no line has so many */
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
