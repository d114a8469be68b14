/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Between the parts of the search for probe points: from words to places (probe_resolve.c), names and text (probe_def.c).
 */
#ifndef ASSAY_SYMBOLS_PROBE_RESOLVE_H
#define ASSAY_SYMBOLS_PROBE_RESOLVE_H

#include "symbols/probe_module.h"

/* Adds a place; `function` is the symbol or name around it, or NULL. */
struct probe_def *probe_defs_add(struct probe_defs *defs, struct probe_module *m, const struct probe_spec *spec, const char *function,
				 uint64_t vaddr);
bool probe_module_is_go(const struct probe_module *m);
/* Gives events of one name different ones. */
void probe_defs_name(struct probe_defs *defs);
/* The name of an event that was not named; malloc'd. */
char *probe_default_event(const struct probe_spec *spec, const char *function, uint64_t vaddr);
/* probe_resolve() of all but SDT probes. */
int probe_resolve_places(struct probe_module *m, const struct probe_spec *spec, const struct probe_limits *limits, struct probe_defs *defs,
			 struct errbuf *eb);
/* Places of SDT probes. */
int probe_resolve_sdt(struct probe_module *m, const struct probe_spec *spec, struct probe_defs *defs, struct errbuf *eb);
/* An argument in the kernel's notation with symbols looked up (uprobes take @+OFFSET), for a probe at `vaddr`; malloc'd, or NULL and a message. */
char *probe_raw_text(struct probe_module *m, const struct probe_arg *a, uint64_t vaddr, struct errbuf *eb);
/* The address as linked of the first symbol of a name. */
bool probe_find_symbol(struct probe_module *m, const char *name, size_t len, uint64_t *vaddr);
/* What @+OFFSET has to be for data at `vaddr`, in a probe at `at`. */
uint64_t probe_data_off(const struct probe_module *m, uint64_t vaddr, uint64_t at);

#endif
