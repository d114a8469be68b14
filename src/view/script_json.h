/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Samples as JSON, one object a sample; the schema is in assay-script(1) and only ever grows.
 */
#ifndef ASSAY_VIEW_SCRIPT_JSON_H
#define ASSAY_VIEW_SCRIPT_JSON_H

#include "base/json.h"
#include "model/profile.h"
#include "model/quality.h"

struct script_json {
	struct json json;
	struct out *o;
	struct profile *profile;
	struct quality *quality; /* borrowed: what is said of it at the end */
};

void script_json_begin(struct script_json *v, struct out *o, struct profile *p, struct quality *q);
void script_json_sample(struct script_json *v, const struct session_record *sr);
void script_json_end(struct script_json *v);

#endif
