/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lines of a table.
 */
#include "view/table.h"

#include <stdio.h>
#include <string.h>

void table_init(struct table *t, struct out *o, char separator)
{
	*t = (struct table){ .o = o, .separator = separator };
	out_init(&t->cell, -1);
}

void table_fini(struct table *t)
{
	vec_fini(&t->columns);
	out_fini(&t->cell);
}

struct table_column *table_add(struct table *t, const char *heading, int width)
{
	struct table_column *c = vec_add(&t->columns);
	int len;

	*c = (struct table_column){ 0 };
	len = snprintf(c->heading, sizeof(c->heading), "%s", heading);
	c->width = len > width ? len : width;
	return c;
}

static void put_dots(struct table *t)
{
	out_char(t->o, '#');
	for (uint32_t i = 0; i < t->columns.nr; i++) {
		size_t width = (size_t)t->columns.v[i].width;

		out_str(t->o, i ? "  " : " ");
		memset(out_room(t->o, width), '.', width);
		out_advance(t->o, width);
	}
	out_str(t->o, "\n#\n");
}

void table_headings(struct table *t)
{
	out_char(t->o, '#');
	for (uint32_t i = 0; i < t->columns.nr; i++) {
		const struct table_column *c = &t->columns.v[i];
		int len = (int)strnlen(c->heading, (size_t)c->width), pad = c->width - len;

		if (!t->separator || !i)
			out_str(t->o, i ? "  " : " ");
		else
			out_char(t->o, t->separator);
		out_spaces(t->o, c->is_figure ? pad : 0);
		out_mem(t->o, c->heading, (size_t)len);
		out_spaces(t->o, c->is_figure ? 0 : pad);
	}
	out_char(t->o, '\n');
	if (!t->separator)
		put_dots(t);
}

void table_begin_cell(struct table *t, uint32_t i)
{
	if (!t->separator)
		out_str(t->o, "  ");
	else if (i)
		out_char(t->o, t->separator);
	t->cell.len = 0;
}

void table_end_cell(struct table *t, uint32_t i)
{
	const struct table_column *c = &t->columns.v[i];
	int pad = c->width > (int)t->cell.len ? c->width - (int)t->cell.len : 0;
	bool is_right = c->is_figure && !t->separator;

	for (size_t k = 0; t->separator && c->has_text && k < t->cell.len; k++)
		if (t->cell.buf[k] == t->separator)
			t->cell.buf[k] = '.';
	out_spaces(t->o, is_right ? pad : 0);
	out_mem(t->o, t->cell.buf, t->cell.len);
	if (!is_right && !(c->is_open && i + 1 == t->columns.nr))
		out_spaces(t->o, pad);
}
