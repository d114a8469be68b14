/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The symbol index: one file per build-id under the cache directory with what was once worked out for that file: its symbol table,
 * its unwind table, its source units. Parts are flat bytes with a checksum each, which tells damage, not malice: who uses a part
 * checks what it relies on.
 *
 * Files are written anew beside the old and renamed, so that readers and writers of several runs at once never see half a file; a
 * reader maps the file privately and keeps it while it is open. The directory is ours alone (0700), files of other owners are not
 * believed. It knows nothing of what the parts mean.
 */
#ifndef ASSAY_SYMBOLS_SYMBOL_INDEX_H
#define ASSAY_SYMBOLS_SYMBOL_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "symbols/build_id.h"

enum index_part {
	INDEX_SYMBOLS = 1, /* key: 1 where aliases were settled by demangled names */
	INDEX_UNWIND = 2,
	INDEX_SOURCE_UNIT = 3, /* key: the unit's offset in .debug_info */
	INDEX_SOURCE_RANGES = 4, /* which unit covers which addresses, all units of the file */
	INDEX_KERNEL = 5, /* symbols of the kernel (key 0), of a module (key: hash of its name) */
	INDEX_FUNCTIONS = 6, /* which addresses are one function, by call frame information */
	INDEX_NR_PARTS,		 /* other numbers can be stored as well, and are listed as "other" */
};

struct symbol_index;

/* Opens the index of a build-id; one that does not exist yet (or is damaged: counted, and replaced when saved) is empty. NULL where
 * there is no cache directory, the id is unknown, or the cache is switched off (ASSAY_CACHE=off). `stamp` names what the parts were
 * made from (debug_files_stamp(), or a hash of whatever it is): parts of another stamp are not found, and go when one of their kind
 * is added. INDEX_ANY_STAMP finds them all: for when the file itself is gone, and the index all that is left of it. */
#define INDEX_ANY_STAMP 0
struct symbol_index *symbol_index_open(const struct build_id *id, uint64_t stamp);
/* Tells the file that the index is about, for `assay cache`. */
void symbol_index_set_name(struct symbol_index *x, const char *name);
/* A part, checked against its sum, or NULL (also for a NULL index). 8-byte aligned; valid until close. Safe from several threads. */
const void *symbol_index_find(struct symbol_index *x, enum index_part part, uint64_t key, size_t *size);
/* Adds a part (copied); does nothing with a NULL index or INDEX_ANY_STAMP. Found from then on. Safe from several threads. */
void symbol_index_add(struct symbol_index *x, enum index_part part, uint64_t key, const void *bytes, size_t size);
/* Writes what was added, if anything, together with what was there (and what others wrote in the meantime); then frees. Failures are
 * silent but for -v. Keeps the whole cache below its limit (1 GiB, or ASSAY_CACHE_SIZE, as 200M) by removing what was not used for
 * longest. */
void symbol_index_close(struct symbol_index *x);

/* For `assay cache`. */
struct index_entry {
	struct build_id id;
	char *path; /* of the index file */
	char *name; /* of the file it is about, as far as known; may be NULL */
	uint64_t size_bytes;
	int64_t used_s; /* last use, seconds since the epoch */
	uint32_t nr_parts[INDEX_NR_PARTS]; /* by enum index_part; [0]: others */
	bool is_damaged; /* the head, as listed; more is seen by symbol_index_verify() */
};
/* The directory: $XDG_CACHE_HOME/assay, ~/.cache/assay; malloc'd, or NULL where neither is set or the cache is switched off. */
char *symbol_index_directory(void);
/* How many bytes all indexes may have together. */
uint64_t symbol_index_limit(void);
/* The longest unused first; none where the directory does not exist. */
int symbol_index_list(struct index_entry **entries, uint32_t *nr, struct errbuf *eb);
void symbol_index_list_free(struct index_entry *entries, uint32_t nr);
/* Reads all parts and compares their sums. 0, or -EBADMSG with a sentence. */
int symbol_index_verify(struct index_entry *e, struct errbuf *eb);
/* Removes one. */
int symbol_index_remove(const struct index_entry *e, struct errbuf *eb);

#endif
