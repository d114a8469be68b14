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

/* The size of a page where it was recorded; 0: not known. */
uint32_t tracepoints_page_bytes(struct tracepoints *t);

/* A record as its format prints it ("prev_comm=sleep prev_pid=1 …"), valid until the next call. Where format or record is malformed, its
 * fields ("[FAILED TO PARSE] name=value …", as in perf). NULL: no format of this id, or no fields. */
const char *tracepoints_text(struct tracepoints *t, uint64_t id, const void *raw, uint32_t size);

/* For threads that print at the same time. An event whose text is a function of the record alone, valid as long as `t`; NULL: it has names of
 * kernel addresses in it, or there are no formats. */
struct tracepoint;
const struct tracepoint *tracepoints_pure(struct tracepoints *t, uint64_t id);
/* Texts of one thread, as tracepoints_text() gives them. */
struct tracepoints_printer;
struct tracepoints_printer *tracepoints_printer_new(const struct tracepoints *t);
void tracepoints_printer_free(struct tracepoints_printer *p);
const char *tracepoints_printer_text(struct tracepoints_printer *p, const struct tracepoint *tp, const void *raw, uint32_t size);

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

/* Whether numbers in records have this machine's byte order. */
bool tracepoints_is_native(const struct tracepoints *t);

/* How a field is shown in columns: what stands behind its name in the text of its event ("prev_state=R+"), or the value as it is. */
struct trace_shown;
/* NULL: the text does not show it. Valid as long as `t`; *fields are all those that the text of the value is made of. `is_named`: the name
 * that the text has for the value (__print_symbolic, __print_flags), under whatever label: "vec=9 [action=RCU]" has one of vec. */
const struct trace_shown *tracepoints_shown(struct tracepoints *t, uint64_t id, const struct trace_field *f, bool is_named,
					    const struct trace_field *const **fields, uint32_t *nr_fields);
/* `shown` NULL: as it is. Valid until the next call, as tracepoints_text(); NULL: the record does not hold it. */
const char *tracepoints_field_text(struct tracepoints *t, uint64_t id, const struct trace_field *f, const struct trace_shown *shown,
				   const void *raw, uint32_t size);

#endif
