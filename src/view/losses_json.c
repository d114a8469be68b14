/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is missing in a recording, as keys of a JSON object. Fed by the session's counts; it must not know which document it is part of.
 */
#include "view/losses_json.h"

static void put_u64(struct json *j, const char *key, uint64_t value)
{
	json_key(j, key);
	json_u64(j, value);
}

void losses_json(struct json *j, const struct session *s)
{
	const struct source_damage *d = session_damage(s);

	put_u64(j, "lost", session_lost(s));
	put_u64(j, "throttled", s->stats.nr_throttled);
	put_u64(j, "malformed", s->stats.nr_malformed);
	put_u64(j, "without_event", s->stats.nr_unknown_ids);
	put_u64(j, "late", s->stats.nr_late);
	json_key(j, "damage");
	if (d->err)
		json_str(j, d->text);
	else
		json_null(j);
}
