/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The list of events as one JSON array, an object an event or metric, with the keys that perf uses
 * since 6.2; man/assay-list.1.scd names them.
 */
#ifndef ASSAY_VIEW_LIST_JSON_H
#define ASSAY_VIEW_LIST_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "view/list_item.h"

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
