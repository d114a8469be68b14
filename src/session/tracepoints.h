/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a tracepoint's raw bytes say, by the formats that the recording brought along (libtraceevent). A format is parsed when its event
 * is first met. It knows nothing of samples but their raw bytes.
 */
#ifndef ASSAY_SESSION_TRACEPOINTS_H
#define ASSAY_SESSION_TRACEPOINTS_H

#include <stdint.h>

#include "perfdata/info.h"

struct tracepoints;

/* Names a kernel address: the symbol's name, its start in *start; NULL where there is none. */
typedef const char *tracepoints_symbol_fn(void *ctx, uint64_t addr, uint64_t *start);

/* NULL where the recording has no formats. `info` is only read here. */
struct tracepoints *tracepoints_new(const struct perfdata_info *info, tracepoints_symbol_fn *symbol, void *ctx);
void tracepoints_free(struct tracepoints *t);

/* The fields of a record as its format prints them ("prev_comm=sleep prev_pid=1 …"); valid until the next call. NULL where the id is
 * unknown or the bytes are too few. */
const char *tracepoints_text(struct tracepoints *t, uint64_t id, uint32_t cpu, const void *raw, uint32_t size);

#endif
