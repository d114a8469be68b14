/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * JSON of the event list. Keys without a value are left out, as perf does it, and all values are
 * strings.
 */
#include "view/list_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
