/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the values of imported samples are, as the profile they came from had it: its types of
 * values with their units, which of them is shown first, what a period is, the labels of samples,
 * and where files were mapped. A part of embedded_names.h, so that an export says what the import
 * was told.
 *
 * A sample's STREAM_ID is the number of its set of labels. It knows no format of profiles.
 */
#ifndef ASSAY_PERFDATA_EMBEDDED_VALUES_H
#define ASSAY_PERFDATA_EMBEDDED_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/out.h"
#include "base/vec.h"

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
	const char *default_type; /* "": the source does not say; never NULL once it was read */
	const char *period_type, *period_unit;
	const char *drop, *keep; /* which functions are left out when it is shown: expressions */
	int64_t period;
	VEC(uint64_t)
	made_from; /* by module of the names: addresses in it were made up from there on */
	uint64_t made_kernel; /* and those of the kernel in EMBEDDED_RANGE bytes here */
};

/* Takes the bytes apart, which must outlive it. -EBADMSG where they are damaged;
 * embedded_values_fini() in any case. */
int embedded_values_init(struct embedded_values *v, const void *data, size_t size);
void embedded_values_fini(struct embedded_values *v);
/* The labels of a sample; none where there is no such set. */
const struct embedded_label *embedded_values_labels(const struct embedded_values *v, uint64_t set,
						    uint32_t *nr);
/* Whether nobody told that address in a module: it was made up, so that names can be found by it.
 */
static inline bool embedded_values_made(const struct embedded_values *v, uint32_t module,
					uint64_t addr)
{
	return (module < v->made_from.nr && addr >= v->made_from.v[module]) ||
	       addr - v->made_kernel < EMBEDDED_RANGE;
}
/* What the event's periods are counted in; NULL where that is not known, or said by its name
 * ("count"). */
const char *embedded_values_unit(const struct embedded_values *v, uint32_t event);

/* Appends the bytes to `o`, which is empty. Strings may be NULL, which is "". */
void embedded_values_encode(const struct embedded_values *v, struct out *o);

#endif
