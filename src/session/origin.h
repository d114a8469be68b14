/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a recording's header says of the machine and the files it is of: whether that machine is this one (by architecture, host name,
 * kernel release and the kernel's build-id, as far as the header has them), and the build-ids it lists, found by the names of files.
 */
#ifndef ASSAY_SESSION_ORIGIN_H
#define ASSAY_SESSION_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"
#include "base/strtab.h"
#include "perfdata/info.h"
#include "symbols/build_id.h"
#include "symbols/symbolizer.h"

/* What is known of the machine that reads. */
struct origin_host {
	char hostname[65], osrelease[65], arch[65]; /* "": unknown */
	struct build_id kernel;
};

void origin_host_init(struct origin_host *here);
/* What the header says of itself, compared with `here`. */
void origin_find(struct origin *o, const struct perfdata_info *info, const struct origin_host *here);

/* What a name stands for. */
struct known_build_id {
	uint32_t entry;	   /* in info->build_ids; UINT32_MAX: none */
	bool is_ambiguous; /* several files had that name: which one is meant is not known */
};

/* A zeroed struct is ready. */
struct known_build_ids {
	struct strtab keys;		  /* what kind of name, and the name */
	VEC(struct known_build_id) known; /* by key */
	struct out key;			  /* the one at hand */
	bool is_ready;
	uint32_t nr_seen;      /* of info->build_ids, which grows while a pipe is read */
	const char *last_seen; /* the file name of the last of them */
};

void known_build_ids_fini(struct known_build_ids *k);
/* The build-id of a file, or NULL. That of the kernel stands under "[kernel.kallsyms]" or the path of a vmlinux; that of a module under the
 * path of its file, wherever that was, or "[name]". */
const struct perfdata_build_id *known_build_ids_find(struct known_build_ids *k, const struct perfdata_info *info, enum module_kind kind,
						     const char *path);

#endif
