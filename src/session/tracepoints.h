/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The raw bytes of tracepoints, by the formats in the recording. A format is compiled when its event is first met. Formats and bytes are
 * hostile: depth, memory and text are bounded. The text is not escaped.
 */
#ifndef ASSAY_SESSION_TRACEPOINTS_H
#define ASSAY_SESSION_TRACEPOINTS_H

#include <stdint.h>

#include "perfdata/info.h"
#include "session/trace_format.h"

struct tracepoints;

/* Names a kernel address: the symbol's name, its start in *start; NULL where there is none. */
typedef const char *tracepoints_symbol_fn(void *ctx, uint64_t addr, uint64_t *start);

/* Formats are looked for when first asked for: of a pipe they come before its first sample. */
struct tracepoints *tracepoints_new(const struct perfdata_info *info, tracepoints_symbol_fn *symbol, void *ctx);
void tracepoints_free(struct tracepoints *t);

/* A record as its format prints it ("prev_comm=sleep prev_pid=1 …"), valid until the next call. Where format or record is malformed, its
 * fields ("[FAILED TO PARSE] name=value …", as in perf). NULL: no format of this id, or no fields. */
const char *tracepoints_text(struct tracepoints *t, uint64_t id, const void *raw, uint32_t size);

/* The fields of an event, valid as long as `t`. NULL: no format of this id. */
const struct trace_field *tracepoints_fields(struct tracepoints *t, uint64_t id, uint32_t *nr);

/* What a field holds: a number, or bytes inside the record (of texts those before the NUL). */
struct tracepoints_value {
	uint64_t number;   /* extended to 64 bits by its type */
	const void *bytes; /* NULL: it is a number */
	uint32_t size;
};
/* False where the record does not hold the field. */
bool tracepoints_value(const struct tracepoints *t, const struct trace_field *f, const void *raw, uint32_t size,
		       struct tracepoints_value *v);

#endif
