/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * -V: the variables that each place of a probe sees, with their types and, where asked for, the code in which they can be fetched.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/probe_place.h"

static const char *keep(struct probe_vars *vars, struct out *o)
{
	const char *text = arena_str(&vars->arena, o->buf ? o->buf : "", o->len);

	out_fini(o);
	return text;
}

static void add_var(const struct probe_site *s, const struct dwarf_die *die, const char *name, bool is_extern, bool with_ranges,
		    struct probe_vars *vars, struct probe_vars_at *at)
{
	struct probe_var v = { .name = arena_str(&vars->arena, name, strlen(name)), .is_extern = is_extern };
	struct errbuf why = { 0 };
	bool can = probe_can_fetch(s, die, &why);
	char *ranges = NULL;
	struct out o;

	/* Without ranges only what can be fetched here, or would be but for the kernel. */
	if (with_ranges)
		ranges = probe_var_ranges(s, die);
	if (!can) {
		const char *reason = strstr(why.text, "cannot be fetched: ");

		if (!with_ranges && !reason)
			return;
		reason = reason ? reason + strlen("cannot be fetched: ") : "not here";
		v.why_not = arena_str(&vars->arena, reason, strlen(reason));
	}
	out_init(&o, -1);
	dwarf_type_text(die, &o);
	v.type = keep(vars, &o);
	v.ranges = ranges ? arena_str(&vars->arena, ranges, strlen(ranges)) : NULL;
	free(ranges);
	vec_push(&at->vars, v);
}

/* Variables of the unit outside of functions. */
static void add_externs(const struct probe_site *s, const struct probe_vars_options *options, struct probe_vars *vars,
			struct probe_vars_at *at)
{
	struct dwarf_die child;
	bool ok;

	for (ok = dwarf_die_root(s->f->die.tree, &child) && dwarf_die_child(&child, &child); ok; ok = dwarf_die_sibling(&child, &child)) {
		const char *name;

		if (dwarf_die_tag(&child) != DW_TAG_variable)
			continue;
		name = dwarf_die_name(&child);
		if (name && *name && (!options->filter || probe_filter_match(options->filter, name)))
			add_var(s, &child, name, true, options->ranges, vars, at);
	}
}

static int compare_vars(const void *a, const void *b)
{
	const struct probe_var *x = a, *y = b;

	return COMPARE(x->is_extern, y->is_extern) ?: strcmp(x->type, y->type) ?: strcmp(x->name, y->name);
}

static void list_at(struct probe_module *m, const struct probe_spec *spec, const struct probe_spot *spot,
		    const struct probe_vars_options *options, struct probe_vars *vars)
{
	const struct symbol *sym = probe_symbol_at(m, spot->vaddr);
	struct probe_vars_at at = { 0 };
	struct probe_scope scope;
	struct probe_site site;
	const char *name;
	uint64_t vaddr;

	probe_site_init(&site, m, spot->has_function ? &spot->f : NULL, spot->vaddr, false);
	/* The entry is where the probe would be put for any of them. */
	if (spot->has_function && spec->place == PROBE_FUNCTION && !spec->has_line && !spec->has_offset && !spec->pattern) {
		struct probe_spec all = { 0 };

		vec_push(&all.args, ((struct probe_arg){ .kind = PROBE_ARG_VARS }));
		if (probe_needs_prologue(&site, &all)) {
			uint64_t body = probe_site_body(&site);

			probe_site_init(&site, m, &spot->f, body, false);
		}
		vec_fini(&all.args);
	}
	name = sym ? probe_readable(m, sym->name) : spot->has_function ? dwarf_die_name(&spot->f.die) : NULL;
	at.function = arena_str(&vars->arena, name ? name : "?", strlen(name ? name : "?"));
	at.offset = sym && probe_module_vaddr(m, sym->start, &vaddr) ? site.vaddr - vaddr : 0;
	probe_scope_list(&site, &scope);
	for (uint32_t i = 0; i < scope.v.nr; i++)
		add_var(&site, &scope.v.v[i].die, scope.v.v[i].name, false, options->ranges, vars, &at);
	vec_fini(&scope.v);
	if (options->externs && spot->has_function)
		add_externs(&site, options, vars, &at);
	vec_sort(&at.vars, compare_vars);
	vec_push(&vars->v, at);
}

int probe_list_vars(struct probe_module *m, const struct probe_spec *spec, const struct probe_vars_options *options,
		    struct probe_vars *vars, struct errbuf *eb)
{
	struct probe_spots spots;
	int err = probe_module_dwarf(m, eb) ?: probe_spots_find(m, spec, &options->limits, &spots, eb);

	*vars = (struct probe_vars){ 0 };
	if (err)
		return err;
	for (uint32_t i = 0; i < spots.v.nr; i++)
		list_at(m, spec, &spots.v.v[i], options, vars);
	probe_spots_fini(&spots);
	return 0;
}

void probe_vars_fini(struct probe_vars *vars)
{
	for (uint32_t i = 0; i < vars->v.nr; i++)
		vec_fini(&vars->v.v[i].vars);
	vec_fini(&vars->v);
	arena_fini(&vars->arena);
}
