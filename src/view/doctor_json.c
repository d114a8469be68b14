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

void doctor_json(struct out *o, const struct doctor_item *items, uint32_t nr, uint32_t uid)
{
	enum doctor_level worst = DOCTOR_OK;
	struct json j;

	for (uint32_t i = 0; i < nr; i++)
		worst = items[i].level > worst ? items[i].level : worst;
	json_init(&j, o, true);
	json_object(&j);
	json_put_str_or_null(&j, "schema", "assay-doctor-1");
	json_put_str_or_null(&j, "status", worst == DOCTOR_FAIL ? "broken" : worst == DOCTOR_WARN ? "degraded" : "ok");
	json_put_u64(&j, "uid", uid);
	json_put_array(&j, "checks");
	for (uint32_t i = 0; i < nr; i++) {
		json_object(&j);
		json_put_str_or_null(&j, "name", items[i].name);
		json_put_str_or_null(&j, "title", items[i].title);
		json_put_str_or_null(&j, "level", level_words[items[i].level]);
		json_put_str_or_null(&j, "state", items[i].state);
		json_put_str_or_null(&j, "effect", items[i].effect);
		json_put_str_or_null(&j, "fix", items[i].fix);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	out_char(o, '\n');
}
