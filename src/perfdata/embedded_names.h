/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The feature section that carries names inside of a recording: what an imported profile knows of each module's addresses, as flat bytes,
 * so that no file has to be looked for. Written by the importers, read by the session. perf skips a feature of this number.
 *
 * A module is found by the file name that its MMAP records have. It knows nothing of how symbols and lines lie in their parts: who uses a
 * part checks it.
 */
#ifndef ASSAY_PERFDATA_EMBEDDED_NAMES_H
#define ASSAY_PERFDATA_EMBEDDED_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/out.h"
#include "base/vec.h"
#include "perfdata/embedded_values.h"

#define FEAT_EMBEDDED_NAMES 200u

/* What the samples of the file are. */
enum embedded_flags {
	EMBEDDED_WHOLE_STACKS = 1, /* stacks are as long as they are: none was cut or broken */
	EMBEDDED_REPEATS = 2,	   /* a sample's weight says how many samples it stands for */
	EMBEDDED_SUMS = 4,	   /* periods are what counts: how many samples there are says nothing */
	EMBEDDED_VALUES = 8,	   /* what values are is said, too; set by who encodes */
	EMBEDDED_PAIR = 16,	   /* the first event is what was before, the second what came after */
	EMBEDDED_ALL = 31,
};

enum embedded_kind { EMBEDDED_USER, EMBEDDED_KERNEL, EMBEDDED_KMODULE, EMBEDDED_VDSO, EMBEDDED_JIT, EMBEDDED_MEMORY, EMBEDDED_NR_KINDS };

enum embedded_module_flags {
	EMBEDDED_MANGLED = 1, /* names may be compilers' names */
	EMBEDDED_BY_NAME = 2, /* where functions begin is not known: those of one name are one */
	EMBEDDED_PLACED = 4,  /* where it lies in memory was made up: addresses in it are all that is known */
	EMBEDDED_MODULE_ALL = 7,
};

struct embedded_part {
	const void *data; /* 8-byte aligned; NULL: none */
	size_t size_bytes;
};

struct embedded_module {
	const char *mapped_as; /* file name in its MMAP records */
	const char *path;      /* what a person reads */
	enum embedded_kind kind;
	uint32_t flags;
	uint8_t build_id[20];
	uint8_t build_id_size; /* 0: not known */
	struct embedded_part symbols; /* symbols/symtab_flat.h */
	const struct embedded_part *sources; /* symbols/source_unit.h */
	uint32_t nr_sources;
};

struct embedded_names {
	uint32_t flags;
	VEC(struct embedded_module) modules;
	VEC(const char *) notes; /* what was said of the recording where it came from, "label: text" */
	VEC(struct embedded_part) sources;
	struct hindex index; /* modules by mapped_as */
	struct embedded_values values; /* no types: not said */
};

/* Takes the section apart; `data` (8-byte aligned) must outlive it. -EBADMSG where it is damaged; embedded_names_fini() in any case. */
int embedded_names_init(struct embedded_names *n, const void *data, size_t size);
void embedded_names_fini(struct embedded_names *n);
/* NULL where there is none of that name. */
const struct embedded_module *embedded_names_find(const struct embedded_names *n, const char *mapped_as);

/* Appends the section to `o`, which is empty. */
void embedded_names_encode(const struct embedded_names *n, struct out *o);

#endif
