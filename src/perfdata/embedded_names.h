/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The feature sections that carry names inside of a recording: what is known of each module's addresses, as flat bytes, so that no file
 * has to be looked for. Read by the session. Other readers do not see them (header.h). There are two, of one format:
 *
 * - FEAT_EMBEDDED_NAMES, written by the importers: modules of an imported profile, found by the file name that their MMAP records have.
 * - FEAT_MAPPED_FILES, written by the recorder: what mapped files were (device, inode, size, times, build-id), and the symbols of those
 *   that are gone or replaced when the recording ends. Found by identity: several may have one name.
 *
 * It knows nothing of how symbols, lines and unwind tables lie in their parts: who uses a part checks it.
 */
#ifndef ASSAY_PERFDATA_EMBEDDED_NAMES_H
#define ASSAY_PERFDATA_EMBEDDED_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/record.h"
#include "base/hash.h"
#include "base/out.h"
#include "base/vec.h"

#define FEAT_EMBEDDED_NAMES 200u
#define FEAT_MAPPED_FILES 201u

/* ---- what values of imported samples are (embedded_values.c) ---- */

#define EMBEDDED_COUNT UINT32_MAX /* a type's event: none, it is the number of samples */

#define EMBEDDED_RANGE (UINT64_C(1) << 56)

struct embedded_type {
	const char *name, *unit;
	uint32_t event; /* index in the recording */
};

struct embedded_label {
	const char *key;
	const char *str;  /* NULL: it is the number */
	const char *unit; /* of the number */
	int64_t num;
};

struct embedded_set {
	uint32_t first, nr; /* in labels */
};

/* As the source numbers and describes it; flags are its own. */
struct embedded_mapping {
	uint64_t id, start, limit, offset;
	const char *file, *build_id;
	uint32_t flags;
};

/* Where a function begins in its file. */
struct embedded_function {
	const char *name, *file;
	uint32_t line;
};

struct embedded_values {
	VEC(struct embedded_type) types; /* in the order of the source */
	VEC(struct embedded_label) labels;
	VEC(struct embedded_set) sets; /* [0] is the empty one */
	VEC(struct embedded_mapping) mappings;
	VEC(struct embedded_function) functions; /* of which that is known */
	const char *default_type;		 /* "": the source does not say; never NULL once it was read */
	const char *period_type, *period_unit;
	const char *drop, *keep; /* which functions are left out when it is shown: expressions */
	int64_t period;
	VEC(uint64_t)
	made_from;	      /* by module of the names: addresses in it were made up from there on */
	uint64_t made_kernel; /* and those of the kernel in EMBEDDED_RANGE bytes here */
};

/* Takes the bytes apart, which must outlive it. -EBADMSG where they are damaged;
 * embedded_values_fini() in any case. */
int embedded_values_init(struct embedded_values *v, const void *data, size_t size);
void embedded_values_fini(struct embedded_values *v);
/* The labels of a sample; none where there is no such set. */
const struct embedded_label *embedded_values_labels(const struct embedded_values *v, uint64_t set, uint32_t *nr);
/* Whether that address in a module was invented, so that names can be found by it. */
static inline bool embedded_values_made(const struct embedded_values *v, uint32_t module, uint64_t addr)
{
	return (module < v->made_from.nr && addr >= v->made_from.v[module]) || addr - v->made_kernel < EMBEDDED_RANGE;
}
/* What the event's periods are counted in; NULL where that is not known, or said by its name
 * ("count"). */
const char *embedded_values_unit(const struct embedded_values *v, uint32_t event);

/* Appends the bytes to `o`, which is empty. Strings may be NULL, which is "". */
void embedded_values_encode(const struct embedded_values *v, struct out *o);

/* ---- modules ---- */

/* What the samples of the file are. */
enum embedded_flags {
	EMBEDDED_WHOLE_STACKS = 1, /* stacks are as long as they are: none was cut or broken */
	EMBEDDED_REPEATS = 2,	   /* a sample's weight says how many samples it stands for */
	EMBEDDED_SUMS = 4,	   /* periods are what counts: how many samples there are says nothing */
	EMBEDDED_VALUES = 8,	   /* what values are is said, too; set by who encodes */
	EMBEDDED_PAIR = 16,	   /* the first event is what was before, the second what came after */
	EMBEDDED_FILES = 32,	   /* modules are mapped files, each with its identity; set by who encodes */
	EMBEDDED_ALL = 63,
};

enum embedded_kind { EMBEDDED_USER, EMBEDDED_KERNEL, EMBEDDED_KMODULE, EMBEDDED_VDSO, EMBEDDED_JIT, EMBEDDED_MEMORY, EMBEDDED_NR_KINDS };

enum embedded_module_flags {
	EMBEDDED_MANGLED = 1, /* names may be compilers' names */
	EMBEDDED_BY_NAME = 2, /* where functions begin is not known: those of one name are one */
	EMBEDDED_PLACED = 4,  /* where it lies in memory was made up: addresses in it are all that is known */
	EMBEDDED_FILE = 8,    /* a mapped file: `file` and `unwind` are filled in, and it is found by them, not by its name */
	EMBEDDED_MODULE_ALL = 15,
};

struct embedded_part {
	const void *data; /* 8-byte aligned; NULL: none */
	size_t size_bytes;
};

enum embedded_file_state {
	EMBEDDED_FILE_LOST = 1,	  /* it was rewritten before it could be read: no file that exists is what was mapped */
	EMBEDDED_FILE_SUMMED = 2, /* content_sum is known */
};

/* What the recorder saw of a mapped file. */
struct embedded_file {
	uint32_t major, minor; /* as in its MMAP2 records; inode 0: they had a build-id instead */
	uint64_t inode, generation;
	uint64_t stat_device, stat_inode, size_bytes; /* as fstat() says; stat_inode 0: it could not be opened */
	int64_t mtime_ns, ctime_ns;
	uint32_t state; /* enum embedded_file_state */
	uint32_t zero;
	uint64_t content_sum; /* file_identity_add_sum() */
	uint64_t since_ns;    /* time of the first map of this content: a file may be rewritten in place; 0: from the beginning */
};

struct embedded_module {
	const char *mapped_as; /* file name in its MMAP records */
	const char *path;      /* what a person reads */
	enum embedded_kind kind;
	uint32_t flags;
	uint8_t build_id[20];
	uint8_t build_id_size;		     /* 0: not known */
	struct embedded_part symbols;	     /* symbols/symtab.h */
	const struct embedded_part *sources; /* symbols/source_unit.h */
	uint32_t nr_sources;
	struct embedded_file file;	/* EMBEDDED_FILE */
	struct embedded_part unwind;	/* EMBEDDED_FILE: symbols/unwind_table.h */
	struct embedded_part functions; /* EMBEDDED_FILE: symbols/unwind_functions.h */
};

/* Files of one build-id, or of one inode: an index of equal keys would cost the square of their number. */
struct embedded_alike {
	uint32_t next_of_id, next_of_inode; /* UINT32_MAX: none */
	uint32_t last_of_id, last_of_inode; /* of the first one: the last one so far */
};

struct embedded_names {
	uint32_t flags;
	VEC(struct embedded_module) modules;
	VEC(const char *) notes; /* what was said of the recording where it came from, "label: text" */
	VEC(struct embedded_part) sources;
	struct hindex index;		  /* modules by mapped_as; files by build-id or inode: the first that has it */
	VEC(struct embedded_alike) alike; /* by module, where there are files */
	struct embedded_values values;	  /* no types: not said */
};

/* Takes the section apart; `data` (8-byte aligned) must outlive it. -EBADMSG where it is damaged; embedded_names_fini() in any case. */
int embedded_names_init(struct embedded_names *n, const void *data, size_t size);
void embedded_names_fini(struct embedded_names *n);
/* NULL where there is none of that name. */
const struct embedded_module *embedded_names_find(const struct embedded_names *n, const char *mapped_as);
/* The mapped file of a record: by its build-id, or else by device and inode, as it was at that time. NULL: not there. */
const struct embedded_module *embedded_names_find_file(const struct embedded_names *n, const struct record_mmap *m, uint64_t time_ns);

/* Appends the section to `o`, which is empty. */
void embedded_names_encode(const struct embedded_names *n, struct out *o);

#endif
