/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is missing in a recording, as keys of a JSON object. Fed by the session's counts; it must not know which document it is part of.
 */
#include "view/losses_json.h"

void losses_json(struct json *j, const struct recording *r)
{
	const struct source_damage *d = r->damage;

	json_put_u64(j, "lost", recording_lost(r));
	json_put_u64(j, "throttled", r->stats.nr_throttled);
	json_put_u64(j, "malformed", r->stats.nr_malformed);
	json_put_u64(j, "without_event", r->stats.nr_unknown_ids);
	json_put_u64(j, "late", r->stats.nr_late);
	json_key(j, "damage");
	if (d->err)
		json_str(j, d->text);
	else
		json_null(j);
}
