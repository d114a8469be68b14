/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the two halves of the pprof writer share: samples and what is said of them as a whole (export_pprof.c), and what samples refer to
 * (export_pprof_tables.c). Private to these two.
 */
#ifndef ASSAY_VIEW_EXPORT_PPROF_H
#define ASSAY_VIEW_EXPORT_PPROF_H

#include "base/protobuf.h"
#include "view/export.h"

/* Numbers of a profile's fields */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME_NS = 9,
	PROFILE_DURATION_NS = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14,
};

struct pprof_mapping { /* of a DSO */
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

struct pprof {
	struct export *x;
	struct strtab strings;
	struct pprof_mapping *mappings;   /* by DSO */
	uint32_t *mapping_ids;	    /* by DSO; 0: not met yet */
	uint32_t nr_mappings;
	uint32_t *id_of_location;   /* 0: not written yet */
	VEC(struct pprof_place) locations;
	VEC(struct pprof_function) functions;
	struct hindex location_index, function_index;
	struct out message, inner;  /* scratch */
	struct out utf8;
};

/* Ids of strings, as UTF-8 whatever a function is called, and of locations, which are written when they are first asked for: not while a
 * message is begun. */
uint32_t pprof_string(struct pprof *w, const char *s);
uint32_t pprof_location(struct pprof *w, uint32_t location);

void pprof_tables_init(struct pprof *w, struct export *x);
void pprof_tables_fini(struct pprof *w);
/* Mappings, whose bounds are known when all samples were written; and in the end the strings. */
void pprof_put_mappings(struct pprof *w);
void pprof_put_strings(struct pprof *w);

#endif
