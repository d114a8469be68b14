/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the parts of an index were made from. A build-id says what a file claims to be; any file can carry any. So each part belongs to
 * an origin: the very files, as fstat() had them (device, inode, size, times of change), and sums of what is in them. A file is served
 * with the parts of another one with its build-id only where their contents have the same sums, which are made under a secret key.
 *
 * The rules are here, without files or locks; symbol_index.c applies them.
 */
#ifndef ASSAY_SYMBOLS_SYMBOL_INDEX_ORIGIN_H
#define ASSAY_SYMBOLS_SYMBOL_INDEX_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/siphash.h"
#include "symbols/file_identity.h"

/* More files than that with one build-id are attempts to fill the index: the oldest go. */
#define INDEX_MAX_ORIGINS 16
/* Larger files are not summed, and share with none. */
#define INDEX_MAX_SUMMED (256ULL << 20)

/* A file; inode 0: there is none. */
struct index_file_stat {
	uint64_t device, inode, size_bytes;
	int64_t mtime_ns, ctime_ns;
};

/* As it is stored. */
struct index_origin {
	uint64_t stamp; /* of the parts */
	struct index_file_stat runtime, debug;
	uint64_t sums[2]; /* of runtime and debug */
	uint64_t has_sums;
};

/* Oldest first. */
struct index_origins {
	struct index_origin v[INDEX_MAX_ORIGINS];
	uint32_t nr;
};

struct index_file_stat index_file_stat_of(const struct stat *st);

/* False for a file whose inode and times are whatever a program of some user says: one on FUSE; and for a memfd, whose inode and times
 * no later file has: each run would leave an entry that none finds. True for fd -1. */
bool index_may_keep(int fd);

/* Takes what an index file has; false (and none) where that is damaged. */
bool index_origins_read(struct index_origins *all, const void *bytes, size_t size);
/* The one of the same unchanged files, or NULL. */
const struct index_origin *index_origins_find(const struct index_origins *all, const struct index_origin *o);
/* One whose files had the same contents, or NULL. */
const struct index_origin *index_origins_find_equal(const struct index_origins *all, const struct index_origin *o);
/* Whether there is one that could have the same contents, so that summing is worth its time. */
bool index_origins_may_equal(const struct index_origins *all, const struct index_origin *o);
/* Adds one; an earlier state of the same file goes, and the oldest where there are too many. */
void index_origins_add(struct index_origins *all, const struct index_origin *o);
bool index_origins_has_stamp(const struct index_origins *all, uint64_t stamp);

/* The stamps of those that may speak for a file that is gone, the newest first, and their number: those made from the recorded file
 * where the recording knows its inode and times, or those from the device and inode that its map records have; else all, if they were
 * all made from one file, or from files with one content. */
uint32_t index_origins_believed(const struct index_origins *all, const struct file_identity *recorded, uint64_t stamps[INDEX_MAX_ORIGINS]);

/* Sums what is in the files. fds: -1 where there is no file. has_sums stays 0 where one cannot be read or is too large. */
void index_origin_sum(struct index_origin *o, const int fds[2], const uint8_t key[SIPHASH_KEY_SIZE]);
/* Whether the files are still what the origin says, and were not changed so recently that one more change might not show. */
bool index_origin_is_settled(const struct index_origin *o, const int fds[2]);

#endif
