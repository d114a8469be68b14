/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct jit_merge: jitdumps as files that any reader of recordings knows: an ELF image of each function beside the dump
 * (jitted-PID-N.so), and when it is mapped where.
 *
 * Dumps are hostile, and so is the directory, which may be everybody's (/tmp): images are new files of ours, made without following links;
 * an older one is replaced only where it is our own.
 */
#ifndef ASSAY_INJECT_JIT_MERGE_H
#define ASSAY_INJECT_JIT_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/errbuf.h"
#include "base/vec.h"
#include "symbols/elf_file.h"
#include "symbols/jitdump.h"

/* More functions than any program compiles; each is a file. */
#define JIT_MERGE_MAX_IMAGES (1u << 18)

/* From a time on an image is mapped at an address. */
struct jit_merge_map {
	uint64_t time_ns, addr, size_bytes;
	uint32_t pid;
	uint32_t image;
};

struct jit_merge_image {
	const char *path;
	struct build_id id;
};

/* A zeroed struct is empty. */
struct jit_merge {
	struct arena arena;
	VEC(struct jit_merge_image) images;
	VEC(struct jit_merge_map) maps; /* from `next` on by time, equal times in the order of the dump */
	uint32_t next;
	VEC(uint32_t) pids;   /* whose dumps were added */
	uint64_t nr_left_out; /* functions that are no files: there were too many */
};

void jit_merge_fini(struct jit_merge *m);
/* Writes the images of a dump into the directory of `dump_path`. */
int jit_merge_add(struct jit_merge *m, const struct jitdump *d, const char *dump_path, uint32_t pid, struct errbuf *eb);
bool jit_merge_has(const struct jit_merge *m, uint32_t pid);
/* The next map whose time has come; NULL: none. */
const struct jit_merge_map *jit_merge_next(struct jit_merge *m, uint64_t time_ns);

#endif
