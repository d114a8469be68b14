/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * { "name", "dso", "path", "start", "size", "events": [{ "name", "period", "samples" }], "code_missing", "instructions": [{ "address", "bytes",
 * "text", "kind", "target", "jump", "file", "line", "functions": […], "events": [{ "period", "samples", "percent" }] }] }
 *
 * Without code "instructions" are the addresses of samples, which have no text.
 */
#include <stdio.h>
#include <string.h>

#include "view/annotate.h"

static const char *const kinds[] = { "other", "jump", "branch", "call", "return", "bad" };

struct json_view {
	struct json *j;
	const struct annotate_options *opts;
	const struct annotation_list *l;
	const struct annotation *a;
	const struct annotate_events *events;
};

static void put_sums(const struct json_view *v, const struct annotation_sum *sums)
{
	json_put_array(v->j, "events");
	for (uint32_t e = v->events->first; e < v->events->first + v->events->nr; e++) {
		const struct annotation_sum none = { 0 }, *s = sums ? &sums[e] : &none;

		json_object(v->j);
		json_put_double(v->j, "percent", annotate_share(v->opts, v->l, v->a, e, s), 4);
		json_put_u64(v->j, "period", s->period);
		json_put_u64(v->j, "samples", s->nr);
		json_object_end(v->j);
	}
	json_array_end(v->j);
}

static void put_places(const struct json_view *v, const struct annotation_insn *insn)
{
	const struct annotation_place *place = &v->a->places.v[insn->first_place];

	if (!insn->nr_places)
		return;
	if (place->file && place->line) {
		json_put_str(v->j, "file", place->file);
		json_put_u64(v->j, "line", place->line);
	}
	if (insn->nr_places < 2)
		return;
	json_put_array(v->j, "functions");
	for (uint32_t i = 0; i < insn->nr_places; i++)
		json_str(v->j, place[i].function);
	json_array_end(v->j);
}

static void put_bytes(const struct json_view *v, const struct annotation_insn *insn)
{
	char hex[2 * 16 + 1] = "";

	for (uint8_t i = 0; i < insn->size && i < 16; i++)
		snprintf(hex + 2 * i, 3, "%02x", v->a->bytes[insn->addr - v->a->start + i]);
	json_put_str(v->j, "bytes", hex);
}

static void put_insn(const struct json_view *v, uint32_t i)
{
	const struct annotation_insn *insn = &v->a->insns.v[i];

	json_object(v->j);
	json_put_hex(v->j, "address", insn->vaddr);
	if (v->opts->rows.with_bytes)
		put_bytes(v, insn);
	json_put_str(v->j, "text", &v->a->text.v[insn->text]);
	if (insn->kind != DISASM_OTHER)
		json_put_str(v->j, "kind", kinds[insn->kind]);
	if (insn->has_target)
		json_put_hex(v->j, "target", insn->target);
	if (insn->jump != ANNOTATION_NONE)
		json_put_u64(v->j, "jump", insn->jump);
	put_places(v, insn);
	if (insn->sums)
		put_sums(v, insn->sums);
	json_object_end(v->j);
}

static void put_events(const struct json_view *v)
{
	const struct perfdata_info *info = v->a->p->recording->info;

	json_put_array(v->j, "events");
	for (uint32_t e = v->events->first; e < v->events->first + v->events->nr; e++) {
		json_object(v->j);
		json_put_str(v->j, "name", info->events.v[e].name);
		json_put_u64(v->j, "period", v->a->sums[e].period);
		json_put_u64(v->j, "samples", v->a->sums[e].nr);
		json_put_u64(v->j, "total_period", v->l->totals[e].period);
		json_put_u64(v->j, "total_samples", v->l->totals[e].nr);
		json_object_end(v->j);
	}
	json_array_end(v->j);
}

void annotate_json(struct json *j, const struct annotate_options *opts, const struct annotation_list *l, const struct annotation *a,
		   const struct annotate_events *events)
{
	struct json_view v = { j, opts, l, a, events };

	json_object(j);
	json_put_str(j, "name", a->name);
	json_put_str(j, "dso", profile_dso(a->p, a->dso)->path);
	json_put_str_or_null(j, "code_from", a->path);
	json_put_hex(j, "start", a->vaddr);
	json_put_u64(j, "size", a->end - a->start);
	put_events(&v);
	json_put_str_or_null(j, "code_missing", a->why_no_code);
	json_put_array(j, "instructions");
	for (uint32_t i = 0; i < a->insns.nr; i++)
		put_insn(&v, i);
	for (uint32_t i = 0; !a->insns.nr && i < a->points.nr; i++) {
		json_object(j);
		json_put_hex(j, "address", a->points.v[i].addr);
		put_sums(&v, a->points.v[i].sums);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}
