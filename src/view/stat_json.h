/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `stat -j`: one JSON object a line, with the keys, the order and even the blanks of perf 6.1; but
 * always valid JSON. The man page lists the keys.
 */
#ifndef ASSAY_VIEW_STAT_JSON_H
#define ASSAY_VIEW_STAT_JSON_H

#include "view/stat_rows.h"

extern const struct stat_format stat_json_format;

/* `{"interval" : 1.5, "cpu" : "0", `: a line up to its values. */
void stat_json_begin(struct out *o, const struct counts *c, const struct stat_style *s,
		     uint32_t place, uint32_t nr_cpus);
/* `"KEY" : "VALUE"`, both escaped. */
void stat_json_string(struct out *o, const char *key, const char *value);

#endif
