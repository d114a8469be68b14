/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The symbol index: a file per build-id (or per file without one) under the cache directory, with symbol table, unwind table and source
 * units as flat bytes. Sums detect damage, not malice: users check what they rely on. A build-id can be forged, so each part is bound to
 * the files it was made from (symbol_index_origin.c). Files are replaced by rename, in a directory that is ours alone (0700).
 */
#ifndef ASSAY_SYMBOLS_SYMBOL_INDEX_H
#define ASSAY_SYMBOLS_SYMBOL_INDEX_H

#include "base/errbuf.h"
#include "symbols/elf_file.h"
#include "symbols/file_identity.h"

enum index_part {
	INDEX_SYMBOLS = 1, /* key: 1 where aliases were settled by demangled names */
	INDEX_UNWIND = 2,
	INDEX_SOURCE_UNIT = 3,	 /* key: the unit's offset in .debug_info */
	INDEX_SOURCE_RANGES = 4, /* which unit covers which addresses, all units of the file */
	INDEX_KERNEL = 5,	 /* symbols of the kernel (key 0), of a module (key: hash of its name) */
	INDEX_FUNCTIONS = 6,	 /* which addresses are one function, by call frame information */
	INDEX_ORIGINS = 7,	 /* of the index itself: struct index_origin, one after the other */
	INDEX_NR_PARTS,		 /* other numbers can be stored as well, and are listed as "other" */
};

struct symbol_index;

/* Which index: a build-id, or a hash of what identifies a file without one. */
struct index_id {
	uint8_t bytes[BUILD_ID_SIZE];
	uint8_t size; /* 0: none */
	bool is_file;
};
#define INDEX_FILE_PREFIX "file-"
#define INDEX_ID_TEXT_SIZE (sizeof(INDEX_FILE_PREFIX) + 2 * BUILD_ID_SIZE)
/* "0123ab…", "file-0123ab…" */
const char *index_id_text(const struct index_id *id, char text[INDEX_ID_TEXT_SIZE]);

/* The first member of what loaders make of a file: symbol table, unwind table, functions. */
struct module_part {
	struct symbol_index *index; /* that has its bytes, closed with it; NULL */
	uint64_t memory_bytes;	    /* what it keeps in memory, without bytes of the index */
	bool is_borrowed;	    /* a copy of another, which outlives it: nothing that it points to is its own */
};

/* The files that parts are made from. They stay open until the index is closed, or nothing is added to it. */
struct index_files {
	struct file_stat runtime, debug; /* inode 0: there is none */
	int runtime_fd, debug_fd;	 /* -1: not open; then no other file shares the parts */
};

/* Opens the index of a file. One that does not exist yet (or is damaged: counted, and replaced when saved) is empty. Parts that were made
 * from other files are not found unless their contents are equal. NULL where there is no cache directory, it is switched off
 * (ASSAY_CACHE=off), nothing is known of the file, or nothing of it may be kept (index_may_keep()). */
struct symbol_index *symbol_index_open(const struct build_id *id, const struct index_files *files);
/* The index of a file that is gone: finds what was made from the recorded one (index_origins_believed()). Nothing can be added. */
struct symbol_index *symbol_index_open_gone(const struct build_id *id, const struct file_identity *recorded);
/* The index of what is no file, and is named by its id alone: the running kernel. */
struct symbol_index *symbol_index_open_id(const struct build_id *id);
/* Names the file that the index is about, for `assay cache`. */
void symbol_index_set_name(struct symbol_index *x, const char *name);
/* A part, checked against its sum, or NULL (also for a NULL index). 8-byte aligned; valid until close. Safe from several threads. */
const void *symbol_index_find(struct symbol_index *x, enum index_part part, uint64_t key, size_t *size);
/* Adds a part (copied); does nothing with a NULL index or one of a file that is gone. Found from then on. Safe from several threads. */
void symbol_index_add(struct symbol_index *x, enum index_part part, uint64_t key, const void *bytes, size_t size);
/* Writes what was added, if anything, together with what was there (and what others wrote in the meantime); then frees. Failures are silent
 * but for -v. Keeps the whole cache below its limit (1 GiB, or ASSAY_CACHE_SIZE, as 200M) by removing what was not used for longest. */
void symbol_index_close(struct symbol_index *x);

/* For `assay cache`. */
struct index_entry {
	struct index_id id;
	char *path; /* of the index file */
	char *name; /* of the file it is about, as far as known; may be NULL */
	uint64_t size_bytes;
	int64_t used_s;			   /* last use, seconds since the epoch */
	uint32_t nr_parts[INDEX_NR_PARTS]; /* by enum index_part; [0]: others, [INDEX_ORIGINS]: how many files it was made from */
	bool is_damaged;		   /* the head, as listed; more is seen by symbol_index_verify() */
};
/* The directory: $XDG_CACHE_HOME/assay, ~/.cache/assay; malloc'd, or NULL where neither is set or the cache is switched off. */
char *symbol_index_directory(void);
/* Whether what is added can be expected to be saved: work for the index alone is not done otherwise. */
bool symbol_index_is_writable(void);
/* -EPERM, with a message and what to do, where there is a directory but it is not trusted, see base/trusted_dir.h; else 0. */
int symbol_index_check(struct errbuf *eb);
/* How many bytes all indexes may have together. */
uint64_t symbol_index_limit(void);
/* The longest unused first; none where the directory does not exist. */
int symbol_index_list(struct index_entry **entries, uint32_t *nr, struct errbuf *eb);
void symbol_index_list_free(struct index_entry *entries, uint32_t nr);
/* Reads all parts and compares their sums. 0, or -EBADMSG with a message. */
int symbol_index_verify(struct index_entry *e, struct errbuf *eb);
/* Removes one. */
int symbol_index_remove(const struct index_entry *e, struct errbuf *eb);

#endif
