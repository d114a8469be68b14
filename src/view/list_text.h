/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The list of events as text, in perf's layout: one line an event, descriptions indented below; or
 * names only, for completion.
 */
#ifndef ASSAY_VIEW_LIST_TEXT_H
#define ASSAY_VIEW_LIST_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"
#include "view/list_item.h"

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
/* Metrics, each once, by name; or their groups; or both: then the metrics stand below their groups.
 * `m` is sorted by name. */
void list_text_metrics(struct list_text *t, const struct list_metric *m, uint32_t nr, bool metrics,
		       bool groups);
void list_text_end(struct list_text *t);

#endif
