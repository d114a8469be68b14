/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * All arguments of a probe at one place: variables by name, $vars and $params, $retval with its type, the kernel's own notation; and names for
 * them, of which the kernel takes each once.
 */
#include <ctype.h>
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "symbols/probe_resolve.h"
#include "symbols/probe_value.h"

#define MAX_ARG_NAME 32

struct arguments {
	const struct probe_site *site;
	struct out o;
	VEC(char *) names; /* in use */
	struct errbuf *eb;
};

static bool is_used(const struct arguments *as, const char *name)
{
	for (uint32_t i = 0; i < as->names.nr; i++)
		if (!strcmp(as->names.v[i], name))
			return true;
	return false;
}

/* Writes "name=", made different from those before. `outer` is tried in front, where it is known: a.x and b.x. */
static void put_name(struct arguments *as, const char *name, const char *outer, bool is_given)
{
	char *use = mem_strndup(name, MAX_ARG_NAME - 1);

	for (char *p = use; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '_')
			*p = '_';
	if (isdigit((unsigned char)*use)) {
		char *with = mem_printf("_%s", use);

		free(use);
		use = with;
	}
	if (!is_given && is_used(as, use) && outer) {
		free(use);
		use = mem_printf("%.12s_%.18s", outer, name);
	}
	for (uint32_t n = 2; !is_given && is_used(as, use); n++) {
		free(use);
		use = mem_printf("%.24s_%u", name, n);
	}
	vec_push(&as->names, use);
	out_printf(&as->o, "%s=", use);
}

/* The name of an argument: the last member, or the variable; with the type that was asked for, as perf has it. */
static void name_argument(struct arguments *as, const struct probe_arg *a)
{
	const char *name = a->variable, *outer = NULL;
	char *full;

	if (a->name) {
		put_name(as, a->name, NULL, true);
		return;
	}
	if (name[0] == '$')
		name++;
	if (strrchr(name, ':'))
		name = strrchr(name, ':') + 1;
	for (uint32_t i = 0; i < a->nr_steps; i++)
		if (a->steps[i].name) {
			outer = name;
			name = a->steps[i].name;
		}
	full = a->type && !outer ? mem_printf("%s_%.*s", name, (int)strcspn(a->type, "[@"), a->type) : mem_strdup(name);
	put_name(as, full, outer, false);
	free(full);
}

static void put_blank(struct arguments *as)
{
	if (as->o.len)
		out_char(&as->o, ' ');
}

/* A member of the object that a method was called for. */
static bool find_in_this(const struct arguments *as, const char *name, struct probe_value *v)
{
	struct probe_step step = { .kind = PROBE_POINTED, .name = name };
	struct errbuf ignored = { 0 };
	struct dwarf_die this;

	return probe_scope_find(as->site, "this", &this) && !probe_value_of(as->site, &this, "this", v, &ignored) &&
	       !probe_value_step(as->site, v, &step, name, &ignored);
}

/* A parameter or local that the source has, and this copy of the function has not. */
static bool is_optimised_out(const struct probe_site *s, const char *name)
{
	struct dwarf_die origin, child;
	bool ok;

	if (!dwarf_die_ref(&s->f->die, DW_AT_abstract_origin, &origin))
		return false;
	for (ok = dwarf_die_child(&origin, &child); ok; ok = dwarf_die_sibling(&child, &child)) {
		const char *has = dwarf_die_name(&child);

		if ((dwarf_die_tag(&child) == DW_TAG_formal_parameter || dwarf_die_tag(&child) == DW_TAG_variable) && has &&
		    !strcmp(has, name))
			return true;
	}
	return false;
}

static int find_variable(struct arguments *as, const struct probe_arg *a, struct probe_value *v)
{
	const struct probe_site *s = as->site;
	struct dwarf_die var;

	if (!strcmp(a->variable, "$retval"))
		return probe_value_returned(s, v, as->eb);
	if (a->variable[0] == '$')
		return errbuf_set(as->eb, -EINVAL, "'%s': only $retval has members", a->text);
	if (!s->m->has_dwarf)
		return errbuf_set(as->eb, -ENODATA, "the variable '%s' cannot be looked up: %s", a->variable, s->m->no_debug.text);
	if (!s->f || !probe_scope_find(s, a->variable, &var)) {
		if (s->f && find_in_this(as, a->variable, v))
			return 0;
		if (s->f && is_optimised_out(s, a->variable))
			return errbuf_set(as->eb, -ENODATA, "'%s' is optimised out in this copy of %s", a->variable,
					  probe_function_symbol(s->m, s->f));
		if (s->f || !probe_scope_find(s, a->variable, &var))
			return errbuf_set(as->eb, -ENOENT, "there is no variable '%s' at this place; 'assay probe -V' lists those it has",
					  a->variable);
	}
	if (s->is_return) {
		struct dwarf_value location;

		/* Data outlives the function; its own variables do not. */
		if (!dwarf_die_value(&var, DW_AT_location, &location) || !location.bytes || !location.u ||
		    (location.bytes[0] != DW_OP_addr && location.bytes[0] != DW_OP_addrx))
			return errbuf_set(as->eb, -EINVAL,
					  "'%s' is gone when the function returns: probe a line of the function, or fetch $retval",
					  a->variable);
	}
	return probe_value_of(s, &var, a->variable, v, as->eb);
}

static int put_variable(struct arguments *as, const struct probe_arg *a)
{
	struct probe_value v;
	int err = find_variable(as, a, &v);

	for (uint32_t i = 0; !err && i < a->nr_steps; i++)
		err = probe_value_step(as->site, &v, &a->steps[i], a->text, as->eb);
	if (err)
		return err;
	put_blank(as);
	name_argument(as, a);
	return probe_fetch_value(as->site, a, &v, &as->o, as->eb);
}

/* $retval gets the type of the function: the upper half of a register means nothing where an int is returned. */
static int put_raw(struct arguments *as, const struct probe_arg *a)
{
	struct probe_value v;
	char *text;

	if (a->name) {
		put_blank(as);
		put_name(as, a->name, NULL, true);
	} else {
		put_blank(as);
	}
	if (!strcmp(a->text, "$retval") && as->site->f && as->site->is_return && (!a->type || !a->type[1] || strstr(a->type, "string"))) {
		int err = probe_value_returned(as->site, &v, as->eb);

		if (!err && v.type.kind == TYPE_VOID && !a->type)
			log_warn("the function returns nothing: $retval is what happens to be in the register");
		if (!err && v.type.kind != TYPE_STRUCT && v.type.kind != TYPE_FLOAT && v.type.kind != TYPE_REFERENCE)
			return probe_fetch_value(as->site, a, &v, &as->o, as->eb);
	}
	text = probe_raw_text(as->site->m, a, as->site->vaddr, as->eb);
	if (!text)
		return -ENOENT;
	out_printf(&as->o, "%s%s%s", text, a->type ? ":" : "", a->type ? a->type : "");
	free(text);
	return 0;
}

/* $vars and $params: what can be fetched; what cannot is reported. */
static int put_all(struct arguments *as, bool params_only)
{
	struct probe_scope scope;
	uint32_t nr = 0;

	if (!as->site->f || as->site->is_return)
		return errbuf_set(as->eb, -EINVAL, "$vars and $params are variables of a function, known inside of it");
	probe_scope_list(as->site, &scope);
	for (uint32_t i = 0; i < scope.v.nr; i++) {
		struct probe_scope_var *var = &scope.v.v[i];
		struct probe_arg a = { .text = var->name, .variable = var->name };
		struct errbuf why = { 0 };
		struct probe_value v;
		size_t len = as->o.len;

		if ((params_only && !var->is_param) || dwarf_die_flag(&var->die, DW_AT_declaration))
			continue;
		if (!probe_value_of(as->site, &var->die, var->name, &v, &why)) {
			uint32_t nr_names = as->names.nr;

			put_blank(as);
			name_argument(as, &a);
			if (!probe_fetch_value(as->site, &a, &v, &as->o, &why)) {
				nr++;
				continue;
			}
			/* Taken back. */
			as->o.len = len;
			while (as->names.nr > nr_names)
				free(as->names.v[--as->names.nr]);
		}
		log_info("%s: left out: %s", var->name, why.text);
	}
	vec_fini(&scope.v);
	return nr || params_only ? 0 : errbuf_set(as->eb, -ENODATA, "none of the variables at this place can be fetched");
}

static int put_one(struct arguments *as, const struct probe_arg *a)
{
	switch (a->kind) {
	case PROBE_ARG_VARIABLE:
		return put_variable(as, a);
	case PROBE_ARG_RAW:
		return put_raw(as, a);
	case PROBE_ARG_VARS:
	case PROBE_ARG_PARAMS:
		break;
	}
	return put_all(as, a->kind == PROBE_ARG_PARAMS);
}

int probe_fetch_args(const struct probe_site *s, const struct probe_spec *spec, struct probe_arg_state *states, char **args,
		     struct errbuf *eb)
{
	struct arguments as = { .site = s };
	int err = 0, nr_left_out = 0;

	out_init(&as.o, -1);
	for (uint32_t i = 0; !err && i < spec->args.nr; i++) {
		size_t len = as.o.len;
		uint32_t nr_names = as.names.nr;

		as.eb = &states[i].why;
		err = put_one(&as, &spec->args.v[i]);
		if (!err) {
			states[i].was_found = true;
			continue;
		}
		if (spec->args.v[i].kind != PROBE_ARG_VARIABLE || err == -EINVAL || err == -ERANGE) {
			errbuf_set(eb, err, "%s", states[i].why.text);
			break;
		}
		as.o.len = len;
		while (as.names.nr > nr_names)
			free(as.names.v[--as.names.nr]);
		err = 0;
		nr_left_out++;
	}
	for (uint32_t i = 0; i < as.names.nr; i++)
		free(as.names.v[i]);
	vec_fini(&as.names);
	out_char(&as.o, 0);
	*args = as.o.buf;
	if (err) {
		free(*args);
		*args = NULL;
	}
	return err ? err : nr_left_out;
}

bool probe_can_fetch(const struct probe_site *s, const struct dwarf_die *var, struct errbuf *eb)
{
	struct probe_arg a = { .text = "it" };
	struct probe_value v;
	struct out o;
	bool ok;

	if (probe_value_of(s, var, "it", &v, eb))
		return false;
	out_init(&o, -1);
	ok = !probe_fetch_value(s, &a, &v, &o, eb);
	out_fini(&o);
	return ok;
}

static bool needs_frame(const struct probe_site *s, const struct probe_scope *scope, const struct probe_arg *a, bool *is_known)
{
	for (uint32_t j = 0; j < scope->v.nr; j++) {
		const struct probe_scope_var *v = &scope->v.v[j];
		bool is_it = a->kind == PROBE_ARG_VARS || (a->kind == PROBE_ARG_PARAMS && v->is_param) ||
			     (a->kind == PROBE_ARG_VARIABLE && (!strcmp(a->variable, v->name) || !strcmp(v->name, "this")));

		*is_known |= is_it;
		if (is_it && dwarf_location_is_frame(&v->die, &s->f->outer))
			return true;
	}
	return false;
}

bool probe_needs_prologue(const struct probe_site *s, const struct probe_spec *spec)
{
	struct probe_site behind;
	struct probe_scope scope;
	bool needs = false, is_known = true;

	if (!s->f || s->f->is_inlined)
		return false;
	probe_scope_list(s, &scope);
	for (uint32_t i = 0; i < spec->args.nr && !needs; i++) {
		bool is_here = spec->args.v[i].kind != PROBE_ARG_VARIABLE;

		needs = needs_frame(s, &scope, &spec->args.v[i], &is_here);
		is_known &= is_here;
	}
	vec_fini(&scope.v);
	if (needs || is_known)
		return needs;
	/* A name that is not known here may be that of a variable in a block behind the prologue. */
	probe_site_init(&behind, s->m, s->f, probe_site_body(s), false);
	probe_scope_list(&behind, &scope);
	for (uint32_t i = 0; i < spec->args.nr && !needs; i++)
		needs = needs_frame(&behind, &scope, &spec->args.v[i], &is_known);
	vec_fini(&scope.v);
	return needs;
}
