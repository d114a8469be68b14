/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The keys that every JSON document of a recording has about what is missing in it: lost, throttled, malformed, without_event, late, damage.
 */
#ifndef ASSAY_VIEW_LOSSES_JSON_H
#define ASSAY_VIEW_LOSSES_JSON_H

#include "base/json.h"
#include "session/recording.h"

/* Into the object that is open; when all records were read. */
void losses_json(struct json *j, const struct recording *r);

#endif
