/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Diff tables as JSON, for programs. The schema is in assay-diff(1) and only ever grows.
 */
#ifndef ASSAY_VIEW_DIFF_JSON_H
#define ASSAY_VIEW_DIFF_JSON_H

#include <stdint.h>

#include "base/json.h"
#include "model/diff_table.h"

/* { "schema", "computation", "sides": [{ "recordings": […] }], "match", "paired", "events": [ — then diff_json_table() for each event, then diff_json_end(). */
void diff_json_begin(struct json *j, struct out *o, const struct diff_table_options *opts, const struct match *m,
		     const uint32_t *side_of, const char *const *names, uint32_t nr_recordings);
void diff_json_table(struct json *j, const struct diff_table *t, const char *event_name);
void diff_json_end(struct json *j);

#endif
