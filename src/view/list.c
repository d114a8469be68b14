/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The event list. Widths and wording are perf's, so that scripts that parse `perf list` work. All texts are escaped: names of probes come
 * from other people's binaries.
 */
#include "view/list.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"

#define NAME_WIDTH 50
#define EVENT_INDENT 8	/* of what stands below an event */
#define METRIC_INDENT 7 /* below a metric */

static void put_heading(struct list_text *t, const char *text)
{
	if (t->on_terminal)
		out_printf(t->o, "\033[1m%s\033[0m\n", text);
	else
		out_printf(t->o, "%s\n", text);
}

/* A text in brackets, its lines broken at blanks so that they end before the last column. */
static void put_wrapped(struct list_text *t, uint32_t indent, const char *s)
{
	uint32_t column = indent;

	out_spaces(t->o, (int)indent);
	out_char(t->o, '[');
	while (*s) {
		size_t len = strcspn(s, " ");

		if (column > indent && t->columns && column + len + 2 > t->columns) {
			out_char(t->o, '\n');
			out_spaces(t->o, (int)indent + 1);
			column = indent;
		} else if (column > indent) {
			out_char(t->o, ' ');
			column++;
		}
		escape_terminal(t->o, s, len);
		column += (uint32_t)len;
		s += len;
		s += strspn(s, " ");
	}
	out_str(t->o, "]\n");
}

static void put_below(struct list_text *t, const char *s)
{
	out_spaces(t->o, EVENT_INDENT);
	escape_terminal_str(t->o, s);
	out_char(t->o, '\n');
}

static void begin_kind(struct list_text *t, const char *type)
{
	if (t->last_type == type)
		return;
	if (t->on_terminal) {
		if (!t->last_type)
			put_heading(t, "List of pre-defined events (to be used in -e or -M):");
		out_char(t->o, '\n');
	}
	t->last_type = type;
}

void list_text_event(struct list_text *t, const struct list_event *e)
{
	size_t len = strlen(e->name) + (e->alias ? strlen(" OR ") + strlen(e->alias) : 0);

	if (t->names_only) {
		escape_terminal_str(t->o, e->plain_name ? e->plain_name : e->name);
		out_char(t->o, ' ');
		return;
	}
	begin_kind(t, e->type);
	out_str(t->o, "  ");
	escape_terminal_str(t->o, e->name);
	if (e->alias) {
		out_str(t->o, " OR ");
		escape_terminal_str(t->o, e->alias);
	}
	if (len < NAME_WIDTH)
		out_spaces(t->o, (int)(NAME_WIDTH - len));
	out_printf(t->o, " [%s]\n", e->type);
	if (e->desc && !t->no_desc)
		put_wrapped(t, EVENT_INDENT - 1, e->desc);
	if (t->details && e->encoding)
		put_below(t, e->encoding);
	if (t->details && e->fields)
		put_below(t, e->fields);
}

static void put_metric(struct list_text *t, const struct list_metric *m)
{
	if (t->names_only) {
		escape_terminal_str(t->o, m->name);
		out_char(t->o, ' ');
		return;
	}
	out_str(t->o, "  ");
	escape_terminal_str(t->o, m->name);
	out_char(t->o, '\n');
	if (m->desc && !t->no_desc)
		put_wrapped(t, METRIC_INDENT, m->desc);
	if (m->expr && t->details)
		put_wrapped(t, METRIC_INDENT, m->expr);
}

/* The next group after `last` in alphabetical order; NULL: none. */
static const char *next_group(const struct list_metric *m, uint32_t nr, const char *last)
{
	const char *best = NULL;

	for (uint32_t i = 0; i < nr; i++)
		if ((!last || strcmp(m[i].group, last) > 0) && (!best || strcmp(m[i].group, best) < 0))
			best = m[i].group;
	return best;
}

static void put_groups(struct list_text *t, const struct list_metric *m, uint32_t nr, bool metrics)
{
	for (const char *g = NULL; (g = next_group(m, nr, g));) {
		escape_terminal_str(t->o, g);
		out_str(t->o, t->names_only ? " " : metrics ? ":\n" : "\n");
		for (uint32_t i = 0; metrics && i < nr; i++)
			if (!strcmp(m[i].group, g))
				put_metric(t, &m[i]);
	}
}

void list_text_metrics(struct list_text *t, const struct list_metric *m, uint32_t nr, bool metrics, bool groups)
{
	if (!nr)
		return;
	if (!t->names_only) {
		out_char(t->o, '\n');
		put_heading(t, groups ? "Metric Groups:" : "Metrics:");
		out_char(t->o, '\n');
	}
	t->last_type = groups ? "group" : "metric";
	if (groups) {
		put_groups(t, m, nr, metrics);
		return;
	}
	for (uint32_t i = 0; i < nr; i++)
		put_metric(t, &m[i]);
}

void list_text_end(struct list_text *t)
{
	/* perf leaves the line open, which is no matter to a script and ugly on a terminal. */
	if (t->names_only && t->on_terminal)
		out_char(t->o, '\n');
}

/* JSON: keys without a value are left out, as perf does it, and all values are strings. */
static void put_key(struct list_json *l, const char *key, const char *value)
{
	if (!value || !*value)
		return;
	json_put_str(&l->json, key, value);
}

/* The shortest number that reads back as the same, and the unit: "2.3283064365386963e-10Joules". */
static void put_scale(struct list_json *l, double scale, const char *unit)
{
	char number[40], text[160];

	if (!unit)
		return;
	for (int digits = 6; digits <= 17; digits++) {
		double back;

		snprintf(number, sizeof(number), "%.*g", digits, scale);
		if (sscanf(number, "%lf", &back) == 1 && !(fabs(back - scale) > 0))
			break;
	}
	snprintf(text, sizeof(text), "%s%.100s", number, unit);
	put_key(l, "ScaleUnit", text);
}

void list_json_init(struct list_json *l, struct out *o)
{
	*l = (struct list_json){ 0 };
	json_init(&l->json, o, true);
	json_array(&l->json);
}

void list_json_event(struct list_json *l, const struct list_event *e)
{
	json_object(&l->json);
	put_key(l, "Unit", e->pmu);
	put_key(l, "EventName", e->name);
	put_key(l, "EventAlias", e->alias);
	put_scale(l, e->scale, e->unit);
	put_key(l, "EventType", e->type);
	if (!l->no_desc)
		put_key(l, "BriefDescription", e->desc);
	put_key(l, "Encoding", e->encoding);
	put_key(l, "Fields", e->fields);
	json_object_end(&l->json);
}

void list_json_metrics(struct list_json *l, const struct list_metric *m, uint32_t nr, bool metrics)
{
	for (uint32_t i = 0; i < nr; i++) {
		bool seen = false;

		for (uint32_t k = 0; !metrics && k < i; k++)
			seen |= !strcmp(m[k].group, m[i].group);
		if (seen)
			continue;
		json_object(&l->json);
		put_key(l, "MetricGroup", m[i].group);
		if (metrics) {
			put_key(l, "MetricName", m[i].name);
			put_key(l, "MetricExpr", m[i].expr);
			if (!l->no_desc)
				put_key(l, "BriefDescription", m[i].desc);
		}
		json_object_end(&l->json);
	}
}

void list_json_end(struct list_json *l)
{
	json_array_end(&l->json);
	out_char(l->json.o, '\n');
}
