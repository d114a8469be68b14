/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The files that a process had mapped, each from its first address to its last, with build-ids: what -l lists and -b refers to.
 */
#ifndef ASSAY_MODEL_SNAPSHOT_MODULES_H
#define ASSAY_MODEL_SNAPSHOT_MODULES_H

#include "session/machine.h"

struct snapshot_module {
	uint32_t dso;
	uint64_t start, end;
	bool has_code;
	char build_id[41];	/* hex; "" unknown */
	const char *debug_file; /* where its symbols came from, if not from itself; NULL */
};

struct snapshot_modules {
	VEC(struct snapshot_module) modules; /* by address */
};

/* Of all maps that are known of the task, not of code alone where others were asked for. `debug_files`: looks for these, too. */
void snapshot_modules_init(struct snapshot_modules *m, struct machine *machine, const struct task *task, bool debug_files);
void snapshot_modules_fini(struct snapshot_modules *m);
/* The module of a DSO, or NULL. */
const struct snapshot_module *snapshot_modules_find(const struct snapshot_modules *m, uint32_t dso);

#endif
