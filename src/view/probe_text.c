/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The lines of `assay probe -F`, `-L` and `-V`. Layout only: what is in them was found by symbols/probe_*.c.
 */
#include "view/probe_text.h"

#include "base/escape.h"

void probe_text_name(struct out *o, const char *name)
{
	escape_terminal_str(o, name);
	out_char(o, '\n');
}

void probe_text_lines_head(struct out *o, const char *function, const char *path, uint32_t first)
{
	out_char(o, '<');
	if (function) {
		escape_terminal_str(o, function);
		out_char(o, '@');
	}
	escape_terminal_str(o, path);
	out_printf(o, ":%u>\n", first);
}

/* Tabs of source code stay. */
static void put_source(struct out *o, const char *text, size_t len)
{
	while (len) {
		const char *tab = memchr(text, '\t', len);
		size_t part = tab ? (size_t)(tab - text) : len;

		escape_terminal(o, text, part);
		if (tab)
			out_char(o, '\t');
		text += part + (tab != NULL);
		len -= part + (tab != NULL);
	}
}

void probe_text_line(struct out *o, uint32_t number, bool is_probeable, const char *text, size_t len)
{
	if (is_probeable)
		out_printf(o, "%7u  ", number);
	else
		out_spaces(o, 9);
	put_source(o, text, len);
	out_char(o, '\n');
}

void probe_text_vars_head(struct out *o, const char *place)
{
	out_str(o, "Available variables at ");
	escape_terminal_str(o, place);
	out_char(o, '\n');
}

void probe_text_vars_at(struct out *o, const char *function, uint64_t offset)
{
	out_str(o, "\t@<");
	escape_terminal_str(o, function ? function : "?");
	out_printf(o, "+%llu>\n", (unsigned long long)offset);
}

void probe_text_var(struct out *o, const struct probe_text_var *v)
{
	out_str(o, "\t\t");
	if (v->with_ranges)
		out_str(o, v->why_not ? "[INV]\t" : v->is_extern ? "[EXT]\t" : "[VAL]\t");
	else if (v->is_extern)
		out_str(o, "(extern) ");
	escape_terminal_str(o, v->type);
	out_char(o, '\t');
	escape_terminal_str(o, v->name);
	if (v->ranges) {
		out_char(o, '\t');
		escape_terminal_str(o, v->ranges);
	}
	if (v->why_not) {
		out_str(o, "\t# ");
		escape_terminal_str(o, v->why_not);
	}
	out_char(o, '\n');
}

void probe_text_no_vars(struct out *o)
{
	out_str(o, "\t\t(No matched variables)\n");
}

#define EVENT_COLUMNS 20

void probe_text_event(struct out *o, const struct probe_text_event *e)
{
	size_t len = strlen(e->group) + 1 + strlen(e->name);

	out_str(o, "  ");
	escape_terminal_str(o, e->group);
	out_char(o, ':');
	escape_terminal_str(o, e->name);
	out_spaces(o, len < EVENT_COLUMNS ? (int)(EVENT_COLUMNS - len) : 0);
	out_str(o, " (on ");
	escape_terminal_str(o, e->place);
	if (e->file) {
		out_str(o, " in ");
		escape_terminal_str(o, e->file);
	}
	if (*e->args) {
		out_str(o, " with ");
		escape_terminal_str(o, e->args);
	}
	out_str(o, ")\n");
}

void probe_text_removed(struct out *o, const char *group, const char *name, bool is_dry)
{
	out_str(o, is_dry ? "Would remove event: " : "Removed event: ");
	escape_terminal_str(o, group);
	out_char(o, ':');
	escape_terminal_str(o, name);
	out_char(o, '\n');
}
