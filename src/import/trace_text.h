/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Fields of tracepoints that came as text: each event gets a format whose one field is that text, as the kernel would have written it, so
 * that every reader of the recording prints it.
 */
#ifndef ASSAY_IMPORT_TRACE_TEXT_H
#define ASSAY_IMPORT_TRACE_TEXT_H

#include "import/builder.h"
#include "perfdata/info.h"

#define TRACE_TEXT_MAX 8000u /* bytes of a text that are kept */
#define TRACE_TEXT_ROOM (TRACE_TEXT_MAX + 16u)

/* Adds the formats to the info, where any event has text. */
void trace_text_formats(const struct import_builder *b, struct perfdata_info *info);
/* Writes the raw bytes of a sample into `raw`, of TRACE_TEXT_ROOM bytes; returns how many there are. */
uint32_t trace_text_raw(const struct import_builder *b, const struct import_event *e, const struct import_sample *s, uint8_t *raw);

#endif
