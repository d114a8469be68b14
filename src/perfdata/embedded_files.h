/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The feature section FEAT_MAPPED_FILES, written by the recorder: what mapped files were (device, inode, size, times, build-id), and the
 * symbols of those that are gone or replaced when the recording ends, as flat bytes. Files are found by identity: several may have one
 * path. Other readers do not see it (header.h).
 *
 * It knows nothing of how symbols and unwind tables lie in their parts: who uses a part checks it.
 */
#ifndef ASSAY_PERFDATA_EMBEDDED_FILES_H
#define ASSAY_PERFDATA_EMBEDDED_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/record.h"
#include "base/hash.h"
#include "base/out.h"
#include "base/vec.h"

#define FEAT_MAPPED_FILES 201u

struct embedded_part {
	const void *data; /* 8-byte aligned; NULL: none */
	size_t size_bytes;
};

enum embedded_file_state {
	EMBEDDED_FILE_LOST = 1,	  /* it was rewritten before it could be read: no file that exists is what was mapped */
	EMBEDDED_FILE_SUMMED = 2, /* content_sum is known */
};

/* What the recorder saw of it. */
struct embedded_identity {
	uint32_t major, minor; /* as in its MMAP2 records; inode 0: they had a build-id instead */
	uint64_t inode, generation;
	uint64_t stat_device, stat_inode, size_bytes; /* as fstat() says; stat_inode 0: it could not be opened */
	int64_t mtime_ns, ctime_ns;
	uint32_t state; /* enum embedded_file_state */
	uint32_t zero;
	uint64_t content_sum; /* file_identity_add_sum() */
	uint64_t since_ns;    /* time of the first map of this content: a file may be rewritten in place; 0: from the beginning */
};

struct embedded_file {
	const char *path;
	bool is_mangled; /* symbols may be compilers' names */
	uint8_t build_id[20];
	uint8_t build_id_size; /* 0: not known */
	struct embedded_identity identity;
	struct embedded_part symbols;	/* symbols/symtab.h */
	struct embedded_part unwind;	/* symbols/unwind_table.h */
	struct embedded_part functions; /* symbols/unwind_functions.h */
};

/* Files of one build-id, or of one inode: an index of equal keys would cost the square of their number. */
struct embedded_alike {
	uint32_t next_of_id, next_of_inode; /* UINT32_MAX: none */
	uint32_t last_of_id, last_of_inode; /* of the first one: the last one so far */
};

struct embedded_files {
	VEC(struct embedded_file) files;
	VEC(struct embedded_alike) alike; /* by file */
	struct hindex index;		  /* by build-id or inode: the first that has it; by path those that have neither */
};

/* Takes the section apart; `data` (8-byte aligned) must outlive it. -EBADMSG where it is damaged; embedded_files_fini() in any case. */
int embedded_files_init(struct embedded_files *n, const void *data, size_t size);
void embedded_files_fini(struct embedded_files *n);
/* The file of a map record: by its build-id, or else by device and inode, as it was at that time. NULL: not there. */
const struct embedded_file *embedded_files_find(const struct embedded_files *n, const struct record_mmap *m, uint64_t time_ns);

/* What the recording has of a file by its path, which no map record identifies: the map of generated code. NULL: not there. */
const struct embedded_file *embedded_files_find_path(const struct embedded_files *n, const char *path);

/* Appends the section to `o`, which is empty. */
void embedded_files_encode(const struct embedded_files *n, struct out *o);

#endif
