/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The part of `assay probe` that talks to the kernel: probes that are added, listed and deleted.
 */
#ifndef ASSAY_CMD_PROBE_EDIT_H
#define ASSAY_CMD_PROBE_EDIT_H

#include "base/options.h"
#include "base/vec.h"
#include "symbols/probe_point.h"

struct probe_edit {
	VEC(const char *) adds;	   /* -a and words */
	VEC(const char *) deletes; /* -d: patterns */
	const char *list_filter;   /* -l PATTERN; NULL: all */
	const char *module;	   /* -m: of the kernel; NULL: the kernel itself */
	bool lists, force, dry_run, quiet;
};

option_call_fn probe_edit_option_add, probe_edit_option_delete, probe_edit_option_list;

#define PROBE_EDIT_OPTIONS(e)                                                                                                              \
	OPT_GROUP("Probes of the kernel"), OPT_CALL('a', "add", probe_edit_option_add, e, "PROBE", "define this probe, as words do"),      \
		OPT_CALL('d', "del", probe_edit_option_delete, e, "[GROUP:]EVENT", "delete these probes; patterns are allowed"),           \
		OPT_CALL_OPT('l', "list", probe_edit_option_list, e, "[GROUP:]EVENT", "list the probes that are defined",                  \
			     .takes_word = true),                                                                                          \
		OPT_STRING('m', "module", &(e)->module, "MODULE", "this module of the kernel, by name"),                                   \
		OPT_BOOL('f', "force", &(e)->force, "where a name is taken, use NAME_1, NAME_2…"),                                         \
		OPT_BOOL('n', "dry-run", &(e)->dry_run, "do all but the change itself")

/* Was any of it asked for? */
bool probe_edit_is_used(const struct probe_edit *e);
/* Deletes, then adds, or lists. */
int probe_edit_run(const struct probe_edit *e, const struct probe_target *target, const struct probe_limits *limits, struct errbuf *eb);
void probe_edit_fini(struct probe_edit *e);

/* probe_definition.c: the places of one definition, as probes for the kernel; strings live in `arena`. `sdt_PROVIDER:NAME` needs no %. */
struct probe_event;
struct probe_found {
	struct probe_defs defs;
	char *place, *args; /* as the user wrote them */
};
int probe_find(struct probe_found *found, struct probe_module *m, const char *module, const char *text, const struct probe_limits *limits,
	       struct errbuf *eb);
/* Warns of probes where functions return that can end the program; refuses those that will. */
int probe_check_returns(const struct probe_module *m, const struct probe_found *found, struct errbuf *eb);
void probe_found_fini(struct probe_found *found);
void probe_event_of(struct probe_event *e, struct arena *arena, const struct probe_def *d, const char *module);

#endif
