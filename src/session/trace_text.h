/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The text that a tracepoint's record becomes: a buffer that is used again for the next record.
 * It stops growing at a fixed size, so that no format can ask for more than a screenful of
 * thousands; what comes behind that is dropped.
 */
#ifndef ASSAY_SESSION_TRACE_TEXT_H
#define ASSAY_SESSION_TRACE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

#define TRACE_TEXT_MAX (256 << 10)

struct trace_text {
	VEC(char) s;
};

void trace_text_fini(struct trace_text *t);
void trace_text_clear(struct trace_text *t);
void trace_text_add(struct trace_text *t, const char *s, size_t len);
void trace_text_add_str(struct trace_text *t, const char *s);
void trace_text_add_hex(struct trace_text *t, uint64_t v); /* "0x1f" */
void trace_text_printf(struct trace_text *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* NUL-terminated; valid until the next call. */
const char *trace_text_get(struct trace_text *t);

#endif
