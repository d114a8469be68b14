/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Arguments of probes: from a variable with its steps to the text that the kernel takes. Private to probe_*.c.
 */
#ifndef ASSAY_SYMBOLS_PROBE_FETCH_H
#define ASSAY_SYMBOLS_PROBE_FETCH_H

#include "base/out.h"
#include "symbols/dwarf_location.h"
#include "symbols/dwarf_type.h"
#include "symbols/probe_find.h"

/* Where arguments are fetched. */
struct probe_site {
	struct probe_module *m;
	const struct probe_function *f; /* NULL: code without debug information */
	uint64_t vaddr;
	bool is_return;
	struct location_at at;
};
/* `s` stays where it is from then on. */
void probe_site_init(struct probe_site *s, struct probe_module *m, const struct probe_function *f, uint64_t vaddr, bool is_return);

/* The end of the prologue; the place itself where there is no function. */
uint64_t probe_site_body(const struct probe_site *s);

/* A variable that is visible at a place. */
struct probe_scope_var {
	struct dwarf_die die;
	const char *name;
	bool is_param;
	uint32_t depth; /* of its block: inner ones hide outer ones of the same name */
};
struct probe_scope {
	VEC(struct probe_scope_var) v;
};
/* Parameters and variables of the function at the place, outer ones first; those that are hidden by inner ones are left out. */
void probe_scope_list(const struct probe_site *s, struct probe_scope *scope);
/* The variable of that name: of the function, then of its file or namespace, then of other files. */
bool probe_scope_find(const struct probe_site *s, const char *name, struct dwarf_die *var);

/* Whether a variable is memory that the prologue fills in: the probe has to be behind that. */
bool probe_needs_prologue(const struct probe_site *s, const struct probe_spec *spec);

/* What became of an argument over all places of a probe. */
struct probe_arg_state {
	bool was_found;	   /* somewhere */
	struct errbuf why; /* where it was not: the first reason */
};
/* "n=-28(%bp):s32" for each argument; malloc'd. A variable that is not to be had here is left out and noted in `states`, one an argument. How
 * many were left out, or -errno. */
int probe_fetch_args(const struct probe_site *s, const struct probe_spec *spec, struct probe_arg_state *states, char **args,
		     struct errbuf *eb);
/* Whether a variable can be fetched as it is; otherwise `eb` says why not. */
bool probe_can_fetch(const struct probe_site *s, const struct dwarf_die *var, struct errbuf *eb);
/* "[work+0-12, work+20-40]": where a variable lives, for messages and --range; malloc'd, NULL: in all of its scope. */
char *probe_var_ranges(const struct probe_site *s, const struct dwarf_die *var);

/* The kernel's notation of a value; false: it has none, `eb` says why. `vaddr`: of the probe. */
bool probe_fetch_text(const struct probe_site *s, const struct fetch *f, struct out *o, struct errbuf *eb);

#endif
