/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The files whose code was mapped while we recorded, each once, and their build-ids for the header
 * of perf.data.
 */
#ifndef ASSAY_CAPTURE_DSO_SET_H
#define ASSAY_CAPTURE_DSO_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/record.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"
#include "perfdata/info.h"

struct dso_seen {
	const char *path;
	uint64_t ino;	  /* 0: not told */
	uint32_t pid;	  /* one that mapped it */
	uint16_t cpumode; /* MISC_KERNEL or MISC_USER */
	bool is_read;	  /* its build-id has been looked for */
	uint8_t id_size;  /* 0: it has none */
	uint8_t id[BUILD_ID_MAX];
};

/* A zeroed struct is an empty set. */
struct dso_set {
	struct arena arena;
	VEC(struct dso_seen) dsos;
	struct hindex index;
};

/* Notes the file of a MMAP or MMAP2 record; names that are no files are passed over. */
void dso_set_add(struct dso_set *s, const struct record_mmap *m, uint16_t misc);
void dso_set_fini(struct dso_set *s);

/* Reads the build-ids of all, the kernel's among them, into info->build_ids; each file is read once,
 * however often this is called. Files that are gone or are no longer those that were mapped are left
 * out: no id is better than a wrong one. `tick` (NULL: none) is called between files. */
void dso_set_read_build_ids(struct dso_set *s, struct perfdata_info *info, int (*tick)(void *ctx),
			    void *ctx);

/* The GNU build-id in a blob of ELF notes (native order): its size, or -ENOENT. */
int notes_find_build_id(const void *notes, size_t size, uint8_t id[BUILD_ID_MAX]);

#endif
