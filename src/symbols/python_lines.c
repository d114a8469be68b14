/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Three kinds of tables. Sizes and lines are sums of what the bytes say: a table of a few kilobytes cannot overflow 64 bits.
 */
#include "symbols/python_lines.h"

#define UNIT 2u	      /* bytes of an instruction */
#define CHUNK_BITS 6u /* of a number in a byte */
#define MAX_CHUNKS 6u /* of a number that fits 32 bits */
#define NO_LINE (-128)

struct table {
	const uint8_t *bytes;
	size_t size, at;
	struct python_line_list *list;
	uint32_t first; /* range of this table in the list */
	uint64_t end;
	int64_t line;
};

static void put(struct table *t, int64_t line)
{
	uint32_t end = t->end < UINT32_MAX ? (uint32_t)t->end : UINT32_MAX, nr = t->list->ranges.nr;
	struct python_line range = { end, line > 0 && line <= PYTHON_LINE_MAX ? (uint32_t)line : 0 };
	struct python_line *last = nr > t->first ? &t->list->ranges.v[nr - 1] : NULL;

	if (end <= (last ? last->end : 0))
		return;
	if (last && last->line == range.line)
		last->end = end;
	else
		vec_push(&t->list->ranges, range);
}

static void parse_steps(struct table *t, bool is_cut)
{
	for (; t->at + 2 <= t->size; t->at += 2) {
		t->end += t->bytes[t->at];
		put(t, t->line);
		t->line += (int8_t)t->bytes[t->at + 1];
	}
	t->end = UINT32_MAX;
	if (!is_cut)
		put(t, t->line);
}

static void parse_ranges(struct table *t)
{
	for (; t->at + 2 <= t->size; t->at += 2) {
		int8_t step = (int8_t)t->bytes[t->at + 1];

		t->end += t->bytes[t->at];
		if (step != NO_LINE)
			t->line += step;
		put(t, step == NO_LINE ? 0 : t->line);
	}
}

/* Chunks from the lowest on; all but the last are marked. */
static bool take_number(struct table *t, uint64_t *number)
{
	*number = 0;
	for (unsigned i = 0; i < MAX_CHUNKS && t->at < t->size; i++) {
		uint8_t byte = t->bytes[t->at++];

		*number |= (uint64_t)(byte & 63) << i * CHUNK_BITS;
		if (!(byte & 64))
			return true;
	}
	return false;
}

/* The lowest bit is the sign. */
static bool take_step(struct table *t)
{
	uint64_t number;

	if (!take_number(t, &number))
		return false;
	t->line += number & 1 ? -(int64_t)(number >> 1) : (int64_t)(number >> 1);
	return true;
}

enum { ENTRY_SAME_LAST = 9, ENTRY_NEAR = 10, ENTRY_NEAR_LAST = 12, ENTRY_NO_COLUMNS = 13, ENTRY_LONG = 14, ENTRY_NO_LINE = 15 };

static bool parse_entry(struct table *t)
{
	uint8_t head = t->bytes[t->at++];
	unsigned code = head >> 3 & 15;
	uint64_t unused;
	bool is_good = head & 128;

	if (code <= ENTRY_SAME_LAST) {
		t->at++;
	} else if (code <= ENTRY_NEAR_LAST) {
		t->line += code - ENTRY_NEAR;
		t->at += 2;
	} else if (code != ENTRY_NO_LINE) {
		is_good = is_good && take_step(t);
		for (unsigned i = 0; i < 3 && code == ENTRY_LONG; i++)
			is_good = is_good && take_number(t, &unused);
	}
	if (!is_good || t->at > t->size)
		return false;
	t->end += UNIT * ((head & 7u) + 1);
	put(t, code == ENTRY_NO_LINE ? 0 : t->line);
	return true;
}

void python_lines_parse(struct python_line_list *l, enum python_lines_kind kind, const uint8_t *table, size_t size, uint32_t first_line,
			bool is_cut)
{
	struct table t = { .bytes = table, .size = size, .list = l, .first = l->ranges.nr, .line = first_line };

	if (kind == PYTHON_LINES_STEPS)
		parse_steps(&t, is_cut);
	else if (kind == PYTHON_LINES_RANGES)
		parse_ranges(&t);
	else if (kind == PYTHON_LINES_ENTRIES)
		while (t.at < t.size && parse_entry(&t))
			;
}

uint32_t python_lines_find(const struct python_line *ranges, uint32_t nr, uint32_t instr)
{
	uint32_t low = 0, high = nr;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (ranges[middle].end > instr)
			high = middle;
		else
			low = middle + 1;
	}
	return low < nr ? ranges[low].line : 0;
}
