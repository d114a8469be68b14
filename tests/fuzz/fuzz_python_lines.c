/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/python_lines: the first byte is the kind, with 128: cut; the second the first line; the rest a table of lines. Ranges come in order, and
 * each is found.
 */
#include <stdlib.h>
#include <string.h>

#include "symbols/python_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct python_line_list l = { 0 };
	uint8_t *table;

	if (size < 2)
		return 0;
	/* Exactly as large, so that a sanitizer sees reads behind it. */
	table = malloc(size - 2 + (size == 2));
	memcpy(table, data + 2, size - 2);
	python_lines_parse(&l, (enum python_lines_kind)(data[0] & 3), table, size - 2, data[1], data[0] & 128);
	for (uint32_t i = 0; i < l.ranges.nr; i++) {
		const struct python_line *r = &l.ranges.v[i];

		if ((i && r[-1].end >= r->end) || r->line > PYTHON_LINE_MAX)
			abort();
		if (python_lines_find(l.ranges.v, l.ranges.nr, r->end - 1) != r->line)
			abort();
	}
	free(table);
	vec_fini(&l.ranges);
	return 0;
}
