/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct file_opener: gets hold of mapped files through the processes that map them, and keeps them open within bounds. Knows nothing
 * of records or of who asks.
 */
#ifndef ASSAY_CAPTURE_FILE_OPENER_H
#define ASSAY_CAPTURE_FILE_OPENER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/vec.h"
#include "symbols/build_id.h"
#include "symbols/file_identity.h"

/* Where a file is mapped. */
struct map_place {
	pid_t pid;
	uint64_t start, end;
	int64_t wall_ns; /* when; 0: unknown. A file that was written to later is not what was mapped */
};

/* A file that was found. */
struct opened_file {
	int fd;	     /* -1: not found, or not kept open */
	int copy_fd; /* of a file that changed lately, and may be rewritten in place: its bytes in memory; -1: none */
	bool has_stat;
	struct stat st;
};
#define OPENED_FILE_NONE ((struct opened_file){ .fd = -1, .copy_fd = -1 })

/* The root directory of processes that have another than ours: files that they map are found there when they have ended. */
struct file_root {
	int fd;
	dev_t dev;
	ino_t ino, mount_ns;
};

struct file_opener {
	uint32_t nr_fds, max_fds;
	uint64_t copied_bytes;
	VEC(struct file_root) roots;
};

void file_opener_init(struct file_opener *o);
void file_opener_fini(struct file_opener *o);

/* Opens the file that has this path where it is mapped. *id is what is known of its build-id; where it is not, it is filled in. Without
 * one the file is checked by `identity`. -ENOENT where no such file can be reached any more, -ENOEXEC where it is no ELF file. */
int file_opener_open(struct file_opener *o, const char *path, const struct map_place *place, struct build_id *id,
		     const struct file_identity *identity, struct opened_file *f);
/* The same file again, which has been rewritten since. */
int file_opener_reopen(struct file_opener *o, const struct opened_file *before, struct build_id *id, struct opened_file *f);
void file_opener_close(struct file_opener *o, struct opened_file *f);

/* Whether what is open still has the bytes that it had when it was opened. */
bool opened_file_is_intact(const struct opened_file *f);
/* "/proc/self/fd/N" of the bytes; false: there are none. */
#define OPENED_FILE_PATH_SIZE 32
bool opened_file_path(const struct opened_file *f, char path[OPENED_FILE_PATH_SIZE]);

#endif
