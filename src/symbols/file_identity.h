/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct file_identity: distinguishes a mapped file from others with the same path, where there is no build-id (symbols/elf_file.h).
 * Device, inode and generation come from map records, the rest from the file while it was mapped. Each part may be unknown.
 */
#ifndef ASSAY_SYMBOLS_FILE_IDENTITY_H
#define ASSAY_SYMBOLS_FILE_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/errbuf.h"

enum file_identity_part {
	IDENTITY_DEVICE = 1, /* as map records have it: not always the st_dev of the same file (overlayfs, btrfs) */
	IDENTITY_INODE = 2,
	IDENTITY_GENERATION = 4,
	IDENTITY_STAT = 8,	    /* stat: while it was mapped */
	IDENTITY_UNCHANGED_AT = 16, /* unchanged_at_ns: the file is the mapped one if it was not written to since that moment */
	IDENTITY_LAYERED = 64,	    /* overlayfs: it may number its layers in the upper half of stat.inode */
	IDENTITY_LOST = 32,	    /* it was rewritten while it was recorded: no file that exists is the mapped one */
	IDENTITY_SUM = 128,	    /* content_sum */
	IDENTITY_ALL = 255,
};

/* As fstat() says; inode 0: there is no file. Compared and stored as bytes. */
struct file_stat {
	uint64_t device, inode, size_bytes;
	int64_t mtime_ns, ctime_ns;
};
struct file_stat file_stat_of(const struct stat *st);

struct file_identity {
	uint32_t known; /* enum file_identity_part */
	uint32_t major, minor;
	uint64_t inode, generation;
	struct file_stat stat;
	uint64_t content_sum;	 /* of files without build-id: what they were if they have been linked, or had their mode changed, since */
	int64_t unchanged_at_ns; /* wall clock; for recordings that say nothing of sizes and times */
};

/* Of a map record; a number that is 0 is unknown. */
struct file_identity file_identity_of_map(uint32_t major, uint32_t minor, uint64_t inode, uint64_t generation);
/* Fills in what stat() says. */
void file_identity_set_stat(struct file_identity *id, const struct stat *st);
/* Of an open file: what stat() says, and the generation where the file system has one. */
int file_identity_of_fd(int fd, struct file_identity *id);

/* True where device, inode or generation are known of both and differ. */
bool file_identity_differ(const struct file_identity *a, const struct file_identity *b);
/* 0 where a file (its stat() is known) is the recorded one, unchanged, or nothing is known of that; else -ESTALE and a message. */
int file_identity_check(const struct file_identity *recorded, const struct file_identity *now, const char *path, struct errbuf *eb);
/* Whether all is as recorded but the ctime, so that a sum decides. */
bool file_identity_wants_sum(const struct file_identity *recorded, const struct file_identity *now);
/* Sums the contents of a small file whose stat is known. The sum has no secret: it only detects changes by the file's owner. */
#define FILE_IDENTITY_MAX_SUMMED (8u << 20)
void file_identity_add_sum(struct file_identity *id, int fd);

#endif
