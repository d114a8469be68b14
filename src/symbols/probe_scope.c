/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which variables a place sees: parameters and locals of its function from the outermost block to the innermost, variables of the file and of
 * others; and the call frame there.
 */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/probe_fetch.h"
#include "symbols/unwind_rule.h"

#define MAX_BLOCKS 128U

/* The CFA by the table that unwinding uses. */
static bool find_cfa(void *ctx, uint64_t vaddr, struct fetch *f)
{
	struct probe_module *m = ((struct probe_site *)ctx)->m;
	const struct unwind_table *t;
	const struct unwind_rule *r;
	uint64_t off;
	uint32_t rule;

	if (!m->frames) {
		bool has_runtime = m->files.found.runtime.elf != NULL;

		if (unwind_table_build(&m->frames, has_runtime ? &m->files.found.runtime : m->files.debug,
				       m->files.found.debug.elf ? &m->files.found.debug : NULL, true, NULL))
			return false;
	}
	t = m->frames;
	if (!m->path || !probe_module_file_off(m, vaddr, &off)) {
		const struct elf_file *e = m->files.debug;

		if (!e || !elf_file_offset(e, vaddr, &off))
			return false;
	}
	rule = unwind_table_resolve(&t, off);
	if (rule == UNWIND_GAP)
		return false;
	r = unwind_table_rule(t, rule);
	if (r->flags & (RULE_CFA_EXPR | RULE_OUTERMOST))
		return false;
	*f = (struct fetch){ .base = FETCH_REG, .reg = r->cfa_reg, .add = r->cfa_value };
	return true;
}

uint64_t probe_site_body(const struct probe_site *s)
{
	return s->f ? probe_after_prologue(s->m, s->f) : s->vaddr;
}

static uint64_t body_of(void *ctx)
{
	return probe_site_body(ctx);
}

void probe_site_init(struct probe_site *s, struct probe_module *m, const struct probe_function *f, uint64_t vaddr, bool is_return)
{
	*s = (struct probe_site){ .m = m, .f = f, .vaddr = vaddr, .is_return = is_return };
	s->at = (struct location_at){
		.vaddr = vaddr,
		.entry = f && !f->is_inlined ? f->entry : UINT64_MAX,
		.body = body_of,
		.function = f ? &f->outer : NULL,
		.cfa = find_cfa,
		.ctx = s,
		.word_bytes = m->arch->word_bytes,
	};
}

/* Blocks around the place, of the function itself and not of those inlined into it. */
struct blocks {
	struct dwarf_die v[MAX_BLOCKS];
	uint32_t nr;
};

static bool is_block(const struct probe_site *s, const struct dwarf_die *die)
{
	uint16_t tag = dwarf_die_tag(die);

	return (tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block) && dwarf_die_covers(die, s->vaddr);
}

static void find_blocks(const struct probe_site *s, struct blocks *b)
{
	b->nr = 0;
	b->v[b->nr++] = s->f->die;
	for (;;) {
		struct dwarf_die child, inner;
		bool ok, found = false;

		for (ok = dwarf_die_child(&b->v[b->nr - 1], &child); ok; ok = dwarf_die_sibling(&child, &child))
			if (is_block(s, &child)) {
				inner = child;
				found = true;
			}
		if (!found || b->nr == MAX_BLOCKS)
			return;
		b->v[b->nr++] = inner;
	}
}

static void list_block(const struct dwarf_die *block, uint32_t depth, struct probe_scope *scope)
{
	struct dwarf_die child;
	bool ok;

	for (ok = dwarf_die_child(block, &child); ok; ok = dwarf_die_sibling(&child, &child)) {
		uint16_t tag = dwarf_die_tag(&child);
		const char *name;

		if (tag != DW_TAG_formal_parameter && tag != DW_TAG_variable)
			continue;
		name = dwarf_die_name(&child);
		if (name && *name)
			vec_push(&scope->v, ((struct probe_scope_var){ child, name, tag == DW_TAG_formal_parameter, depth }));
	}
}

/* A variable that is only declared here ("extern int x;" in a function) hides nothing. */
static bool is_hidden(const struct probe_scope *scope, uint32_t i)
{
	for (uint32_t j = i + 1; j < scope->v.nr; j++)
		if (scope->v.v[j].depth > scope->v.v[i].depth && !strcmp(scope->v.v[j].name, scope->v.v[i].name) &&
		    !dwarf_die_flag(&scope->v.v[j].die, DW_AT_declaration))
			return true;
	return false;
}

void probe_scope_list(const struct probe_site *s, struct probe_scope *scope)
{
	struct blocks b;
	uint32_t nr = 0;

	*scope = (struct probe_scope){ 0 };
	if (!s->f)
		return;
	find_blocks(s, &b);
	for (uint32_t i = 0; i < b.nr; i++)
		list_block(&b.v[i], i, scope);
	for (uint32_t i = 0; i < scope->v.nr; i++)
		if (!is_hidden(scope, i))
			scope->v.v[nr++] = scope->v.v[i];
	scope->v.nr = nr;
}

/* The definition, anywhere in the unit, of a declaration: a static member, a variable of a namespace. */
static bool find_definition(struct dwarf_tree *t, uint64_t declaration, struct dwarf_die *var)
{
	const struct dwarf_slice *d = &t->dies;
	struct bytes b = bytes_of(d->bytes, d->size_bytes, t->unit->file->swap);

	while (bytes_left(&b)) {
		uint64_t off = d->off + (uint64_t)(b.pos - d->bytes), code = bytes_uleb(&b);
		const struct dwarf_abbrev *a;
		struct dwarf_die die, from;
		struct dwarf_value v;

		if (!code && !b.failed)
			continue;
		a = b.failed ? NULL : dwarf_abbrevs_find(&t->abbrevs, code);
		if (!a || !dwarf_work_take(t->unit->file->work, 2))
			return false;
		die = (struct dwarf_die){ t, a, off, b };
		if (!dwarf_abbrev_skip(&t->abbrevs, a, &b))
			return false;
		if (a->tag == DW_TAG_variable && dwarf_die_ref(&die, DW_AT_specification, &from) && from.tree == t &&
		    from.off == declaration && dwarf_die_value(&die, DW_AT_location, &v)) {
			*var = die;
			return true;
		}
	}
	return false;
}

/* A variable outside of functions: one with a place, of this unit if there is one. */
static bool find_global(const struct probe_site *s, const char *name, struct dwarf_die *var)
{
	struct probe_module *m = s->m;
	struct probe_name n;
	struct probe_scan scan;
	bool found = false, has_place = false, in_unit = false;

	if (!probe_name_split(&n, name))
		return false;
	probe_scan(m, &n, &(struct probe_scan_options){ .variables = true }, &scan);
	for (uint32_t i = 0; i < scan.found.nr && !in_unit; i++) {
		const struct probe_found *f = &scan.found.v[i];
		const struct dwarf_units *us = f->in_alt ? &m->dwarf.alt : &m->dwarf.units;
		struct dwarf_tree *t = dwarf_trees_get(&m->trees, &us->headers.v[f->unit], f->in_alt);
		bool here = s->f && t == s->f->die.tree;
		struct dwarf_die die, from;
		struct dwarf_value v;

		bool is_placed;

		if (!t || (has_place && !here) || !dwarf_die_at(t, f->off, &die))
			continue;
		is_placed = dwarf_die_find(&die, DW_AT_location, &v, &from) || dwarf_die_find(&die, DW_AT_const_value, &v, &from) ||
			    find_definition(t, f->off, &die);
		/* One without a place was optimised out, which is better to know than nothing. */
		if (!is_placed && found)
			continue;
		*var = die;
		found = true;
		has_place |= is_placed;
		in_unit = here && is_placed;
	}
	probe_scan_fini(&scan);
	return found;
}

bool probe_scope_find(const struct probe_site *s, const char *name, struct dwarf_die *var)
{
	struct probe_scope scope;
	bool found = false;

	if (!strncmp(name, "::", 2))
		return find_global(s, name + 2, var);
	probe_scope_list(s, &scope);
	for (uint32_t i = scope.v.nr; i-- > 0 && !found;)
		if (!strcmp(scope.v.v[i].name, name) && !dwarf_die_flag(&scope.v.v[i].die, DW_AT_declaration)) {
			*var = scope.v.v[i].die;
			found = true;
		}
	vec_fini(&scope.v);
	return found || find_global(s, name, var);
}

struct range_text {
	const struct probe_site *site;
	struct out o;
	uint64_t start, end; /* the one that may still grow */
	uint32_t nr;
};

static void put_range(struct range_text *t)
{
	uint64_t base = t->site->f ? t->site->f->outer.tree ? t->site->f->entry : 0 : 0;

	if (t->end <= t->start)
		return;
	if (t->nr++)
		out_char(&t->o, ',');
	out_printf(&t->o, "%lld-%lld", (long long)(t->start - base), (long long)(t->end - base));
}

static void take_range(void *ctx, uint64_t start, uint64_t end)
{
	struct range_text *t = ctx;

	if (t->end == start) {
		t->end = end;
		return;
	}
	put_range(t);
	t->start = start;
	t->end = end;
}

char *probe_var_ranges(const struct probe_site *s, const struct dwarf_die *var)
{
	struct range_text t = { .site = s };
	bool is_list;

	out_init(&t.o, -1);
	out_printf(&t.o, "@<%s+[", s->f ? probe_function_symbol(s->m, s->f) : "?");
	is_list = dwarf_location_ranges(var, take_range, &t);
	put_range(&t);
	out_str(&t.o, "]>");
	out_char(&t.o, 0);
	if (is_list && t.nr)
		return t.o.buf;
	free(t.o.buf);
	return NULL;
}
