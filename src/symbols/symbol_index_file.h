/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The file of the symbol index: a head, rows that say where each part lies, the name of the file it is about, the parts. Numbers are
 * little-endian and of fixed size; parts begin at multiples of eight. The head (with rows and name) and each part have a hash_sum().
 */
#ifndef ASSAY_SYMBOLS_SYMBOL_INDEX_FILE_H
#define ASSAY_SYMBOLS_SYMBOL_INDEX_FILE_H

#include "base/errbuf.h"
#include "base/hash.h"
#include "symbols/file_identity.h"
#include "symbols/symbol_index.h"

/* What the parts of an index were made from. A build-id says what a file claims to be; any file can have any. So each part belongs to an
 * origin: the very files, as fstat() described them, and keyed sums of their contents. A file is served with the parts of another one with
 * its build-id only where the sums are equal. symbol_index_origin.c has the rules, without files or locks. */

/* More files than that with one build-id are attempts to fill the index: the oldest go. */
#define INDEX_MAX_ORIGINS 16
/* Larger files are not summed, and share with none. */
#define INDEX_MAX_SUMMED (256ULL << 20)

/* As it is stored. */
struct index_origin {
	uint64_t stamp; /* of the parts */
	struct file_stat runtime, debug;
	uint64_t sums[2]; /* of runtime and debug */
	uint64_t has_sums;
};

/* Oldest first. */
struct index_origins {
	struct index_origin v[INDEX_MAX_ORIGINS];
	uint32_t nr;
};

/* False for files on FUSE, where a user's program invents inode and times, and for memfds, which no later run finds again. */
bool index_may_keep(int fd);

/* Takes what an index file has; false (and none) where that is damaged. */
bool index_origins_read(struct index_origins *all, const void *bytes, size_t size);
/* The one of the same unchanged files, or NULL. */
const struct index_origin *index_origins_find(const struct index_origins *all, const struct index_origin *o);
/* One whose files had the same contents, or NULL. */
const struct index_origin *index_origins_find_equal(const struct index_origins *all, const struct index_origin *o);
/* Whether there is one that could have the same contents, so that sums have to be made. */
bool index_origins_may_equal(const struct index_origins *all, const struct index_origin *o);
/* Adds one; an earlier state of the same file goes, and the oldest where there are too many. */
void index_origins_add(struct index_origins *all, const struct index_origin *o);
bool index_origins_has_stamp(const struct index_origins *all, uint64_t stamp);

/* The stamps that may be used for a file that is gone, the newest first: of the recorded file, where its inode and times are known, or of
 * the device and inode in map records; else all, if they are of one file or one content. */
uint32_t index_origins_believed(const struct index_origins *all, const struct file_identity *recorded, uint64_t stamps[INDEX_MAX_ORIGINS]);

/* Sums what is in the files. fds: -1 where there is no file. has_sums stays 0 where one cannot be read or is too large. */
void index_origin_sum(struct index_origin *o, const int fds[2], const uint8_t key[SIPHASH_KEY_SIZE]);
/* Whether the files are still what the origin says, and were not changed so recently that one more change might not show. */
bool index_origin_is_settled(const struct index_origin *o, const int fds[2]);

#define INDEX_MAGIC "assayidx"
/* Also counts changes of what is in the parts and of hash_sum(). */
#define INDEX_VERSION 6u
#define INDEX_BYTE_ORDER 0x04030201u
#define INDEX_SUFFIX ".idx"
/* Shorter ids are set by hand (--build-id=0x…), and need not be unique. */
#define INDEX_MIN_ID_BYTES 8

struct index_head {
	char magic[8];
	uint32_t version;
	uint32_t byte_order;
	uint64_t size_bytes; /* of the whole file */
	uint64_t sum;	     /* of head (with zero here), rows and name */
	uint8_t id[BUILD_ID_SIZE];
	uint8_t id_size;
	uint8_t is_file;
	uint8_t zero[2];
	uint32_t nr_rows;
	uint32_t name_size;	       /* with its NUL; 0: none */
	uint8_t key[SIPHASH_KEY_SIZE]; /* of the sums of origins: random and secret */
};

struct index_row {
	uint32_t part;
	uint32_t zero;
	uint64_t key;
	uint64_t stamp;
	uint64_t off, size_bytes; /* off: a multiple of 8 */
	uint64_t sum;
};

/* A view of such bytes; zeroed: of nothing. */
struct index_file {
	const uint8_t *bytes;
	size_t size_bytes;
	const struct index_row *rows; /* ascending by part, key, stamp */
	uint32_t nr_rows;
	const char *name;   /* NULL: none */
	const uint8_t *key; /* of SIPHASH_KEY_SIZE bytes */
	bool is_mapped;
	uint64_t inode; /* where mapped: no other file gets this number before it is closed */
};

/* Checks the head, the rows and that all parts lie inside. `id` may be NULL. `bytes` (8-byte aligned) must outlive the view. */
int index_file_view(struct index_file *f, const void *bytes, size_t size, const struct index_id *id, struct errbuf *eb);
/* Maps and views a file of our directory; -EPERM where others may write to it. `touch`: notes the use, at most once an hour. */
int index_file_open(struct index_file *f, int dir, const char *name, const struct index_id *id, bool touch, struct errbuf *eb);
void index_file_close(struct index_file *f);
/* By part, key and stamp; also for what begins with a row. */
int index_row_compare(const void *a, const void *b);
/* The row of a part, or NULL. */
const struct index_row *index_file_find(const struct index_file *f, uint32_t part, uint64_t key, uint64_t stamp);
/* The bytes of a row where they have its sum, or NULL. */
const void *index_file_part(const struct index_file *f, const struct index_row *row);

/* The sum of a part; that of a head with what follows it up to the parts. */
uint64_t index_file_sum(const void *bytes, size_t size);
uint64_t index_head_sum(const struct index_head *h, const void *rest, size_t rest_size);

/* What is to be written: rows (off and sum are filled in here) with their bytes, ascending by part, key and stamp. */
struct index_piece {
	struct index_row row;
	const void *bytes;
	bool has_sum; /* row.sum is right */
};
uint64_t index_file_size(const struct index_piece *pieces, uint32_t nr, const char *name);
int index_file_write(int fd, const struct index_id *id, const uint8_t key[SIPHASH_KEY_SIZE], const char *name, struct index_piece *pieces,
		     uint32_t nr);

/* symbol_index_dir.c */

/* The id without the zeros that old recordings pad it with; size 0 where it is too short. */
struct index_id index_id_of(const struct build_id *id);
/* Of a file without a build-id: made of its inode, size and times. */
struct index_id index_id_of_file(const struct file_stat *st);
/* "0123ab….idx", "file-0123ab….idx" */
#define INDEX_NAME_SIZE (INDEX_ID_TEXT_SIZE + sizeof(INDEX_SUFFIX))
void index_file_name(const struct index_id *id, char name[INDEX_NAME_SIZE]);
/* Opens the directory, made where it is missing and `create`; -errno where there is none that is ours alone. */
int index_dir_open(bool create, struct errbuf *eb);
/* Waits for other writers of the same index: an fd, to be closed, or -EBUSY after some seconds. */
int index_dir_lock(int dir, const struct index_id *id);
/* Removes what was unused for longest until all fits the limit, but not `keep`; and what killed writers left behind. */
void index_dir_sweep(int dir, const char *keep);

#endif
