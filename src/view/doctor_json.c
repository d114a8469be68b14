/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * { "schema": "assay-doctor-1", "status", "uid", "checks": [{ "name", "title", "level", "state", "effect", "fix" }] }
 *
 * "effect" and "fix" are null where there is nothing to say.
 */
#include "view/doctor_json.h"

#include "base/json.h"

static const char *const level_words[DOCTOR_NR_LEVELS] = {
	[DOCTOR_OK] = "ok", [DOCTOR_NOTE] = "note", [DOCTOR_WARN] = "warn", [DOCTOR_FAIL] = "fail"
};

static void put_str(struct json *j, const char *key, const char *value)
{
	json_key(j, key);
	if (*value)
		json_str(j, value);
	else
		json_null(j);
}

void doctor_json(struct out *o, const struct doctor_item *items, uint32_t nr, uint32_t uid)
{
	enum doctor_level worst = DOCTOR_OK;
	struct json j;

	for (uint32_t i = 0; i < nr; i++)
		worst = items[i].level > worst ? items[i].level : worst;
	json_init(&j, o, true);
	json_object(&j);
	put_str(&j, "schema", "assay-doctor-1");
	put_str(&j, "status", worst == DOCTOR_FAIL ? "broken" : worst == DOCTOR_WARN ? "degraded" : "ok");
	json_key(&j, "uid");
	json_u64(&j, uid);
	json_key(&j, "checks");
	json_array(&j);
	for (uint32_t i = 0; i < nr; i++) {
		json_object(&j);
		put_str(&j, "name", items[i].name);
		put_str(&j, "title", items[i].title);
		put_str(&j, "level", level_words[items[i].level]);
		put_str(&j, "state", items[i].state);
		put_str(&j, "effect", items[i].effect);
		put_str(&j, "fix", items[i].fix);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	out_char(o, '\n');
}
