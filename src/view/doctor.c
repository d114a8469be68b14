/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Layout of `assay doctor`: levels, titles and states in columns.
 */
#include "view/doctor.h"

#include <string.h>

#include "base/escape.h"
#include "base/json.h"

static const struct {
	const char *word, *colour;
} levels[DOCTOR_NR_LEVELS] = {
	[DOCTOR_OK] = { "ok", "\033[32m" },
	[DOCTOR_NOTE] = { "note", "\033[36m" },
	[DOCTOR_WARN] = { "warn", "\033[33m" },
	[DOCTOR_FAIL] = { "fail", "\033[1;31m" },
};

struct writer {
	struct out *o;
	bool colour;
	int title_width;
};

static void put_level(const struct writer *w, enum doctor_level level)
{
	const char *word = levels[level].word;

	if (w->colour)
		out_str(w->o, levels[level].colour);
	out_str(w->o, word);
	if (w->colour)
		out_str(w->o, "\033[0m");
	out_spaces(w->o, 6 - (int)strlen(word));
}

static void put_below(const struct writer *w, const char *label, const char *text)
{
	if (!*text)
		return;
	out_spaces(w->o, 6);
	if (w->colour)
		out_str(w->o, "\033[2m");
	out_str(w->o, label);
	if (w->colour)
		out_str(w->o, "\033[0m");
	escape_terminal_str(w->o, text);
	out_char(w->o, '\n');
}

static void put_item(const struct writer *w, const struct doctor_item *it)
{
	put_level(w, it->level);
	out_str(w->o, it->title);
	out_spaces(w->o, w->title_width - (int)strlen(it->title) + 2);
	escape_terminal_str(w->o, it->state);
	out_char(w->o, '\n');
	if (it->level != DOCTOR_OK) {
		put_below(w, "effect: ", it->effect);
		put_below(w, "fix:    ", it->fix);
	}
}

static void put_count(struct out *o, uint32_t nr, const char *one, const char *many)
{
	out_printf(o, "%u %s", nr, nr == 1 ? one : many);
}

static void put_judgement(const struct writer *w, const uint32_t *nr)
{
	struct out *o = w->o;

	if (nr[DOCTOR_FAIL])
		out_str(o, "Nothing can be recorded with these settings");
	else if (nr[DOCTOR_WARN])
		out_str(o, "Your programs can be recorded, with limitations: see the warnings");
	else
		out_str(o, "Your programs can be recorded");
	out_str(o, " (");
	put_count(o, nr[DOCTOR_FAIL], "failure", "failures");
	out_str(o, ", ");
	put_count(o, nr[DOCTOR_WARN], "warning", "warnings");
	out_str(o, ", ");
	put_count(o, nr[DOCTOR_NOTE], "note", "notes");
	out_str(o, ").\n");
}

void doctor_text(struct out *o, const struct doctor_item *items, uint32_t nr, bool colour, bool quiet)
{
	struct writer w = { .o = o, .colour = colour };
	uint32_t counts[DOCTOR_NR_LEVELS] = { 0 };

	for (uint32_t i = 0; i < nr; i++) {
		int len = (int)strlen(items[i].title);

		counts[items[i].level]++;
		w.title_width = len > w.title_width ? len : w.title_width;
	}
	put_judgement(&w, counts);
	if (!quiet || counts[DOCTOR_OK] < nr)
		out_char(o, '\n');
	for (uint32_t i = 0; i < nr; i++)
		if (!quiet || items[i].level != DOCTOR_OK)
			put_item(&w, &items[i]);
}

/* { "schema": "assay-doctor-1", "status", "uid", "checks": [{ "name", "title", "level", "state", "effect", "fix" }] }; "effect" and "fix" are null
 * where there is nothing to say. */
void doctor_json(struct out *o, const struct doctor_item *items, uint32_t nr, uint32_t uid)
{
	enum doctor_level worst = DOCTOR_OK;
	struct json j;

	for (uint32_t i = 0; i < nr; i++)
		worst = items[i].level > worst ? items[i].level : worst;
	json_init(&j, o, true);
	json_object(&j);
	json_put_str(&j, "schema", "assay-doctor-1");
	json_put_str(&j, "status", worst == DOCTOR_FAIL ? "broken" : worst == DOCTOR_WARN ? "degraded" : "ok");
	json_put_u64(&j, "uid", uid);
	json_put_array(&j, "checks");
	for (uint32_t i = 0; i < nr; i++) {
		json_object(&j);
		json_put_str_or_null(&j, "name", items[i].name);
		json_put_str_or_null(&j, "title", items[i].title);
		json_put_str(&j, "level", levels[items[i].level].word);
		json_put_str_or_null(&j, "state", items[i].state);
		json_put_str_or_null(&j, "effect", items[i].effect);
		json_put_str_or_null(&j, "fix", items[i].fix);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	out_char(o, '\n');
}
