/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What `assay list` shows: the command fills events and metrics (strings are borrowed); as text in perf's layout, and as one JSON array
 * with the keys of perf 6.2.
 */
#ifndef ASSAY_VIEW_LIST_H
#define ASSAY_VIEW_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "base/out.h"

struct list_event {
	const char *type;	/* "Software event" */
	const char *name;	/* "cpu-clock" */
	const char *alias;	/* another spelling; or NULL */
	const char *plain_name; /* for names only, where it differs; or NULL */
	const char *pmu;	/* or NULL */
	const char *unit;	/* or NULL */
	double scale;
	const char *desc;     /* or NULL */
	const char *encoding; /* or NULL */
	const char *fields;   /* of a tracepoint, for details; or NULL */
};

struct list_metric {
	const char *name;  /* "ipc" */
	const char *group; /* "CPU" */
	const char *desc;
	const char *expr; /* of events; or NULL */
};

/* One line an event, descriptions indented below; or names only, for completion. */
struct list_text {
	struct out *o;
	bool names_only;
	bool no_desc;
	bool details;	  /* encodings, fields, the formulas of metrics */
	bool on_terminal; /* a bold heading, and a blank line between kinds */
	uint32_t columns; /* descriptions are wrapped here; 0: never */
	/* private */
	const char *last_type;
};

void list_text_event(struct list_text *t, const struct list_event *e);
/* Metrics by name, or their groups, or both (metrics below their groups). `m` is sorted by name. */
void list_text_metrics(struct list_text *t, const struct list_metric *m, uint32_t nr, bool metrics, bool groups);
void list_text_end(struct list_text *t);

/* An object an event or metric. */
struct list_json {
	struct json json;
	bool no_desc;
};

void list_json_init(struct list_json *l, struct out *o);
void list_json_event(struct list_json *l, const struct list_event *e);
/* Both of them: an object a metric; groups alone: an object a group. */
void list_json_metrics(struct list_json *l, const struct list_metric *m, uint32_t nr, bool metrics);
void list_json_end(struct list_json *l);

#endif
