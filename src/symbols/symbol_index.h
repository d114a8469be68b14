/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The symbol index: one file per build-id under the cache directory with what was once worked out for that file: its symbol table,
 * its unwind table, its source units. Parts are flat bytes with a checksum each.
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
	INDEX_SYMBOLS = 1,
	INDEX_UNWIND = 2,
	INDEX_SOURCE_UNIT = 3, /* key: the unit's offset in .debug_info */
	INDEX_SOURCE_RANGES = 4, /* which unit covers which addresses, all units of the file */
};

struct symbol_index;

/* Opens the index of a build-id; one that does not exist yet (or is damaged: counted, and replaced when saved) is empty. NULL where
 * there is no cache directory, the id is unknown, or the cache is switched off (ASSAY_CACHE=off). `stamp` names what the parts were
 * made from (hash of the debug files' identity): an index of another stamp is empty. */
struct symbol_index *symbol_index_open(const struct build_id *id, uint64_t stamp);
/* A part, checked against its sum, or NULL. 8-byte aligned; valid until close, also after a save. */
const void *symbol_index_find(struct symbol_index *x, enum index_part part, uint64_t key, size_t *size);
/* Adds a part (copied). Safe from several threads. */
void symbol_index_add(struct symbol_index *x, enum index_part part, uint64_t key, const void *bytes, size_t size);
/* Writes what was added, if anything, together with what was there; then frees. Failures are silent but for -v. Keeps the whole cache
 * below its limit (1 GiB, or ASSAY_CACHE_SIZE) by removing what was not used for longest. */
void symbol_index_close(struct symbol_index *x);

/* For `assay cache`. */
struct index_entry {
	struct build_id id;
	char *path; /* of the index file */
	char *name; /* of the file it is about, as far as known; may be NULL */
	uint64_t size_bytes;
	int64_t used_s; /* last use, seconds since the epoch */
	bool is_damaged; /* set by symbol_index_verify() */
};
/* The directory: $XDG_CACHE_HOME/assay, ~/.cache/assay; malloc'd, or NULL. */
char *symbol_index_directory(void);
int symbol_index_list(struct index_entry **entries, uint32_t *nr, struct errbuf *eb);
void symbol_index_list_free(struct index_entry *entries, uint32_t nr);
/* Reads all parts and compares their sums. 0, or -EBADMSG with a sentence. */
int symbol_index_verify(struct index_entry *e, struct errbuf *eb);
/* Removes one. */
int symbol_index_remove(const struct index_entry *e, struct errbuf *eb);

#endif
