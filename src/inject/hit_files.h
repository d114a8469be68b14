/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct hit_files: the files whose code samples were in, and their build-ids.
 */
#ifndef ASSAY_INJECT_HIT_FILES_H
#define ASSAY_INJECT_HIT_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "perfdata/info.h"
#include "session/session.h"

/* A zeroed struct is empty. */
struct hit_files {
	VEC(bool) is_hit;	/* by DSO */
	uint32_t nr_unknown;	/* of those that were hit: no build-id could be found */
	const char *an_unknown; /* one of them */
};

void hit_files_fini(struct hit_files *h);
/* The files of a sample: of its address and its call chain. */
void hit_files_see_sample(struct hit_files *h, struct session *s, const struct session_record *sr);
/* The file of a map record. */
void hit_files_see_map(struct hit_files *h, struct session *s, const struct session_record *sr);
/* Appends the build-ids of files that were hit and that `info` lists none of. Where a file has to be read, it is one of this machine, and
 * the one that was recorded as far as that is known. */
void hit_files_list(struct hit_files *h, struct session *s, struct perfdata_info *info);

#endif
