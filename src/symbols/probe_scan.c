/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finding names in all units: one pass over the entries by several threads, that reads attributes of functions only and passes over what cannot
 * hold one. Large programs have ten million entries, of which a twentieth are functions.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "symbols/probe_find.h"

#define UNITS_A_JOB 8U

/* What to do at an entry, by its abbreviation. */
enum how { PASS, LOOK, OPEN, JUMP };

#define NOWHERE UINT32_MAX

struct plan {
	uint8_t how;
	/* Where the values begin behind the entry's code, if all before them have a fixed size; NOWHERE: read one by one, or not there. */
	uint32_t name_at, sibling_at;
};

struct level {
	uint64_t off;
	uint16_t tag;
};

struct walk {
	const struct probe_name *name;
	struct dwarf_tree *tree;
	struct bytes b;
	VEC(struct level) levels;
	VEC(struct plan) plans;
	bool has_prefix; /* names that match begin with the last part as it was written */
	bool deep, variables, is_mangled, has_foreign;
	uint16_t tag; /* that is looked for */
	char *tmp;
	VEC(uint64_t) found;
};

static const struct dwarf_attr *attr_of(const struct dwarf_abbrevs *t, const struct dwarf_abbrev *a, uint16_t name)
{
	for (uint32_t i = 0; i < a->nr_attrs; i++)
		if (t->attrs.v[a->first_attr + i].name == name)
			return &t->attrs.v[a->first_attr + i];
	return NULL;
}

static bool is_scope(uint16_t tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
	       tag == DW_TAG_interface_type || tag == DW_TAG_module || tag == DW_TAG_compile_unit || tag == DW_TAG_partial_unit ||
	       tag == DW_TAG_type_unit || tag == DW_TAG_skeleton_unit;
}

static bool is_foreign(const struct dwarf_attr *a)
{
	enum dwarf_meaning meaning = a ? dwarf_form_meaning(a->form) : DWARF_OTHER;

	return meaning == DWARF_REF_ADDR || meaning == DWARF_ALT_REF;
}

/* Entries of which all values have a fixed size, as most declarations have, are read at two places only. */
static struct plan plan_of(const struct walk *w, const struct dwarf_abbrev *a, enum how how)
{
	const struct dwarf_abbrevs *t = &w->tree->abbrevs;
	struct plan p = { (uint8_t)how, NOWHERE, NOWHERE };
	uint32_t at = 0;

	if (a->fixed_bytes == UINT32_MAX || t->enc.offset_size != 4 || w->is_mangled || w->tree->unit->file->swap)
		return p;
	for (uint32_t i = 0; i < a->nr_attrs; i++) {
		const struct dwarf_attr *attr = &t->attrs.v[a->first_attr + i];

		if (attr->name == DW_AT_name) {
			if (attr->form != DW_FORM_strp)
				return (struct plan){ (uint8_t)how, NOWHERE, NOWHERE };
			p.name_at = at;
		} else if (attr->name == DW_AT_sibling) {
			if (attr->form != DW_FORM_ref4)
				return (struct plan){ (uint8_t)how, NOWHERE, NOWHERE };
			p.sibling_at = at;
		}
		at += dwarf_form_size(attr->form, &t->enc);
	}
	return p;
}

static void prepare(struct walk *w)
{
	const struct dwarf_abbrevs *t = &w->tree->abbrevs;
	uint64_t l = w->tree->unit->language;
	bool is_c = l == DW_LANG_C || l == DW_LANG_C89 || l == DW_LANG_C99 || l == DW_LANG_C11 || l == 0x2c;

	w->plans.nr = 0;
	for (uint32_t i = 0; i < t->decls.nr; i++) {
		const struct dwarf_abbrev *a = &t->decls.v[i];
		bool can_jump = a->has_children && attr_of(t, a, DW_AT_sibling), scope = is_scope(a->tag);
		enum how how = PASS;

		if (scope && is_c && (a->tag == DW_TAG_structure_type || a->tag == DW_TAG_union_type))
			scope = false;
		if (a->tag == w->tag || (w->variables && a->tag == DW_TAG_member && attr_of(t, a, DW_AT_external)))
			how = LOOK;
		else if (scope || (w->deep && a->has_children))
			how = OPEN;
		else if (can_jump)
			how = JUMP;
		if (a->tag == DW_TAG_subprogram || a->tag == DW_TAG_inlined_subroutine)
			w->has_foreign |= is_foreign(attr_of(t, a, DW_AT_abstract_origin)) ||
					  is_foreign(attr_of(t, a, DW_AT_specification));
		vec_push(&w->plans, plan_of(w, a, how));
	}
}

/* Whether the scopes around match the parts in front of the last. */
static bool scopes_match(struct walk *w)
{
	uint32_t part = w->name->nr - 1;

	for (uint32_t i = 0; w->variables && i < w->levels.nr; i++)
		if (w->levels.v[i].tag == DW_TAG_subprogram)
			return false;
	for (uint32_t i = w->levels.nr; i-- > 1 && part;) {
		const struct level *l = &w->levels.v[i];
		const char *name;
		struct dwarf_die die;

		if (l->tag == DW_TAG_lexical_block || !dwarf_die_at(w->tree, l->off, &die))
			continue;
		name = dwarf_die_name(&die);
		/* Anonymous and inline namespaces need not be named. */
		if (!name && l->tag == DW_TAG_namespace) {
			if (!strncmp(w->name->parts[part - 1].s, "(anonymous", 10))
				part--;
			continue;
		}
		if (name && probe_name_matches(w->name, part - 1, name, strlen(name)))
			part--;
		else if (l->tag != DW_TAG_namespace || !dwarf_die_flag(&die, DW_AT_export_symbols))
			return false;
	}
	return !part;
}

static bool value_matches(struct walk *w, const struct dwarf_value *v, bool is_linkage)
{
	size_t len;
	const char *s;

	/* Nearly all names differ in their first bytes: their length is not looked for then. */
	if (w->has_prefix && !is_linkage && v->form == DW_FORM_strp) {
		const uint8_t *p = dwarf_file_peek(w->tree->unit->file, DWARF_STR, v->u, &len);
		size_t want = w->name->parts[w->name->nr - 1].len;

		if (p && len >= want && memcmp(p, w->name->parts[w->name->nr - 1].s, want) != 0)
			return false;
	}
	s = dwarf_unit_string(w->tree->unit, v, w->tmp, &len);

	if (!s)
		return false;
	if (is_linkage)
		return len == strlen(w->name->text) && !memcmp(s, w->name->text, len);
	return probe_name_matches(w->name, w->name->nr - 1, s, len) && scopes_match(w);
}

/* The same for an entry whose values lie where they always do. */
static bool look_at_places(struct walk *w, const struct dwarf_abbrev *a, const struct plan *p, uint64_t off, uint64_t *sibling)
{
	const uint8_t *values = bytes_take(&w->b, a->fixed_bytes);
	uint32_t u;

	if (!values)
		return false;
	if (p->sibling_at != NOWHERE) {
		memcpy(&u, values + p->sibling_at, 4);
		*sibling = w->tree->unit->head.off + u;
	}
	if (p->how == LOOK && p->name_at != NOWHERE) {
		memcpy(&u, values + p->name_at, 4);
		if (value_matches(w, &(struct dwarf_value){ .form = DW_FORM_strp, .u = u }, false))
			vec_push(&w->found, off);
	}
	return true;
}

/* Reads an entry of the tag; its values are passed over. *sibling: where to go on instead of below it, 0: nowhere. */
static bool look(struct walk *w, const struct dwarf_abbrev *a, uint64_t off, bool is_wanted, uint64_t *sibling)
{
	const struct dwarf_abbrevs *t = &w->tree->abbrevs;
	bool is_it = false;

	for (uint32_t i = 0; i < a->nr_attrs; i++) {
		const struct dwarf_attr *attr = &t->attrs.v[a->first_attr + i];
		struct dwarf_value v;
		bool in_alt;

		if (!dwarf_value_read(&w->b, &t->enc, attr, &v))
			return false;
		if (attr->name == DW_AT_sibling)
			dwarf_unit_ref(w->tree->unit, &v, sibling, &in_alt);
		else if (is_wanted && (attr->name == DW_AT_name || (w->is_mangled && attr->name == DW_AT_linkage_name)))
			is_it |= value_matches(w, &v, attr->name != DW_AT_name);
	}
	if (is_it)
		vec_push(&w->found, off);
	return true;
}

static bool go_to(struct walk *w, uint64_t off, uint64_t from)
{
	const struct dwarf_slice *d = &w->tree->dies;

	if (off <= from || off - d->off >= d->size_bytes)
		return false;
	w->b.pos = d->bytes + (off - d->off);
	return true;
}

static void walk_entries(struct walk *w)
{
	const struct dwarf_abbrevs *t = &w->tree->abbrevs;
	const struct dwarf_slice *d = &w->tree->dies;

	w->b = bytes_of(d->bytes, d->size_bytes, w->tree->unit->file->swap);
	w->levels.nr = 0;
	while (bytes_left(&w->b)) {
		uint64_t off = d->off + (uint64_t)(w->b.pos - d->bytes), code = bytes_uleb(&w->b), sibling = 0;
		const struct dwarf_abbrev *a;
		const struct plan *plan;
		enum how how;

		if (!code) {
			if (w->levels.nr <= 1 || w->b.failed)
				return;
			w->levels.nr--;
			continue;
		}
		a = dwarf_abbrevs_find(t, code);
		if (!a || (a->nr_attrs > 64 && !dwarf_work_take(w->tree->unit->file->work, a->nr_attrs * 4ULL)))
			return;
		plan = &w->plans.v[a - t->decls.v];
		how = plan->how;
		if (how == LOOK || how == JUMP) {
			if (plan->name_at != NOWHERE || plan->sibling_at != NOWHERE ? !look_at_places(w, a, plan, off, &sibling)
										    : !look(w, a, off, how == LOOK, &sibling))
				return;
			if (a->has_children && sibling && !(w->deep && how == LOOK) && go_to(w, sibling, off))
				continue;
		} else if (!dwarf_abbrev_skip(t, a, &w->b)) {
			return;
		}
		if (a->has_children)
			vec_push(&w->levels, ((struct level){ off, a->tag }));
		else if (!w->levels.nr)
			return;
	}
}

struct job {
	VEC(struct probe_found) found;
	VEC(uint32_t) foreign;
};

struct scanning {
	struct probe_module *m;
	const struct probe_name *name;
	const struct probe_scan_options *options;
	_Atomic bool is_done; /* one was found, and is enough */
	uint32_t nr_own;      /* units of the file itself; those of the shared one follow */
	uint32_t nr;
	struct job *jobs;
};

static void scan_unit(struct scanning *x, struct walk *w, uint32_t i, struct job *j)
{
	bool in_alt = i >= x->nr_own;
	const struct dwarf_units *us = in_alt ? &x->m->dwarf.alt : &x->m->dwarf.units;
	uint32_t unit = in_alt ? i - x->nr_own : i;
	struct dwarf_trees trees;

	dwarf_trees_init(&trees, &x->m->dwarf);
	w->tree = dwarf_trees_get(&trees, &us->headers.v[unit], in_alt);
	w->found.nr = 0;
	w->has_foreign = false;
	if (w->tree) {
		prepare(w);
		walk_entries(w);
	}
	for (uint32_t k = 0; k < w->found.nr; k++)
		vec_push(&j->found, ((struct probe_found){ unit, in_alt, w->found.v[k] }));
	if (w->found.nr && x->options->first_only)
		atomic_store(&x->is_done, true);
	if (w->has_foreign && !in_alt)
		vec_push(&j->foreign, unit);
	dwarf_trees_fini(&trees);
}

static void scan_some(void *ctx, uint32_t job)
{
	struct scanning *x = ctx;
	struct walk w = { .name = x->name, .deep = x->options->deep, .variables = x->options->variables };

	w.tag = w.variables ? DW_TAG_variable : DW_TAG_subprogram;
	w.is_mangled = !strncmp(x->name->text, "_Z", 2) || !strncmp(x->name->text, "_R", 2);
	w.has_prefix = !memchr(x->name->parts[x->name->nr - 1].s, '<', x->name->parts[x->name->nr - 1].len) &&
		       strncmp(x->name->parts[x->name->nr - 1].s, "operator", 8) != 0;
	w.tmp = mem_alloc(DWARF_STRING_MAX);
	for (uint32_t i = job * UNITS_A_JOB; i < x->nr && i < (job + 1) * UNITS_A_JOB && !atomic_load(&x->is_done); i++)
		scan_unit(x, &w, i, &x->jobs[job]);
	vec_fini(&w.levels);
	vec_fini(&w.plans);
	vec_fini(&w.found);
	free(w.tmp);
}

void probe_scan(struct probe_module *m, const struct probe_name *name, const struct probe_scan_options *options, struct probe_scan *scan)
{
	struct scanning x = { .m = m, .name = name, .options = options, .nr_own = m->dwarf.units.headers.nr };
	uint32_t nr_jobs;

	x.nr = x.nr_own + m->dwarf.alt.headers.nr;
	nr_jobs = x.nr / UNITS_A_JOB + 1;
	x.jobs = mem_zalloc(nr_jobs * sizeof(*x.jobs));
	*scan = (struct probe_scan){ 0 };
	pool_run(nr_jobs, 0, scan_some, &x);
	for (uint32_t i = 0; i < nr_jobs; i++) {
		for (uint32_t j = 0; j < x.jobs[i].found.nr; j++)
			vec_push(&scan->found, x.jobs[i].found.v[j]);
		for (uint32_t j = 0; j < x.jobs[i].foreign.nr; j++)
			vec_push(&scan->foreign, x.jobs[i].foreign.v[j]);
		vec_fini(&x.jobs[i].found);
		vec_fini(&x.jobs[i].foreign);
	}
	free(x.jobs);
}

void probe_scan_fini(struct probe_scan *scan)
{
	vec_fini(&scan->found);
	vec_fini(&scan->foreign);
}
