/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The build-ids that a recording lists, found by the names of files: there may be as many of them as there are files to ask for.
 */
#ifndef ASSAY_SESSION_KNOWN_BUILD_IDS_H
#define ASSAY_SESSION_KNOWN_BUILD_IDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"
#include "base/strtab.h"
#include "perfdata/info.h"
#include "symbols/symbolizer.h"

/* What a name stands for. */
struct known_build_id {
	uint32_t entry; /* in info->build_ids; UINT32_MAX: none */
	bool is_ambiguous; /* several files had that name: which one is meant is not known */
};

/* A zeroed struct is ready. */
struct known_build_ids {
	struct strtab keys; /* what kind of name, and the name */
	VEC(struct known_build_id) known; /* by key */
	struct out key;	    /* the one at hand */
	bool is_ready;
	uint32_t nr_seen;   /* of info->build_ids, which grows while a pipe is read */
	const char *last_seen; /* the file name of the last of them */
};

void known_build_ids_fini(struct known_build_ids *k);
/* The build-id of a file, or NULL. That of the kernel stands under "[kernel.kallsyms]" or the path of a vmlinux; that of a module under the
 * path of its file, wherever that was, or "[name]". */
const struct perfdata_build_id *known_build_ids_find(struct known_build_ids *k, const struct perfdata_info *info, enum module_kind kind,
						     const char *path);

#endif
