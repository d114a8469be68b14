/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Shared by the parts of the pprof writer: samples and header (export_pprof.c), tables (export_pprof_tables.c), mappings and addresses of
 * imported profiles (export_pprof_imported.c).
 */
#ifndef ASSAY_VIEW_EXPORT_PPROF_H
#define ASSAY_VIEW_EXPORT_PPROF_H

#include "base/protobuf.h"
#include "view/export.h"

/* Numbers of fields: of a mapping, and of the profile */
enum {
	MAPPING_ID = 1,
	MAPPING_START = 2,
	MAPPING_LIMIT = 3,
	MAPPING_OFFSET = 4,
	MAPPING_FILENAME = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7, /* and three more in a row */
	MAPPING_HAS_FILENAMES = 8,
	MAPPING_HAS_LINES = 9,
	MAPPING_HAS_INLINES = 10,
};

enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_DROP_FRAMES = 7,
	PROFILE_KEEP_FRAMES = 8,
	PROFILE_TIME_NS = 9,
	PROFILE_DURATION_NS = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14,
};

struct pprof_mapping {	      /* of a DSO */
	uint64_t bias;	      /* runtime address minus address in the file, of the first place met */
	uint64_t first, last; /* addresses in the file */
	bool is_used, has_functions, has_files, has_inlines;
};

struct pprof_place { /* key, and the id is its index + 1 */
	uint64_t addr;
	uint32_t dso, frame;
	bool is_caller;
};

struct pprof_function {
	uint32_t frame_name, dso, file;
};

struct pprof_type {
	const char *type, *unit;
	uint32_t event; /* IMPORTED_COUNT: the number of samples */
};

struct pprof {
	struct export *x;
	const struct imported *values; /* of the profile that it was imported from; NULL: it was not, or from one that has none */
	VEC(struct pprof_type) types;
	struct strtab strings;
	struct pprof_mapping *mappings; /* by DSO */
	uint32_t *mapping_ids;		/* by DSO; 0: not met yet */
	uint32_t nr_mappings;
	uint32_t *id_of_location; /* 0: not written yet */
	VEC(struct pprof_place) locations;
	VEC(struct pprof_function) functions;
	struct hindex location_index, function_index;
	bool *is_mapped;		       /* by mapping of `values` */
	uint32_t *next_mapping, *last_mapping; /* of the same file; of the first one's: the last */
	struct hindex file_index;	       /* first ones, by file */
	struct hindex start_index;	       /* functions of `values` */
	struct out message, inner;	       /* scratch */
	struct out utf8;
};

/* Ids of strings (as UTF-8) and of locations. Locations are written when first asked for: not while a message is open. */
uint32_t pprof_string(struct pprof *w, const char *s);
uint32_t pprof_location(struct pprof *w, uint32_t location);

void pprof_tables_init(struct pprof *w, struct export *x);
void pprof_tables_fini(struct pprof *w);
/* Mappings, whose bounds are known when all samples were written; and in the end the strings. */
void pprof_put_mappings(struct pprof *w);
void pprof_put_strings(struct pprof *w);

/* With `values`: the address of a location, 0 where the source had none; the id of its mapping, or 0. */
void pprof_imported_init(struct pprof *w);
void pprof_imported_fini(struct pprof *w);
uint64_t pprof_imported_address(const struct pprof *w, const struct profile_location *l);
uint64_t pprof_imported_mapping(struct pprof *w, const struct profile_location *l);
void pprof_put_imported_mappings(struct pprof *w);
/* The line where a function begins; 0: not known. */
uint32_t pprof_imported_start(const struct pprof *w, const char *name, const char *file);

#endif
