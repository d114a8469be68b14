/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Writes what a builder collected as a perf.data that every command reads, with its names (perfdata/imported.h). Times, tasks and
 * CPUs are those of the source; what the source does not have is left out, not invented. The parts of it are private to this module.
 */
#ifndef ASSAY_IMPORT_RECORDING_H
#define ASSAY_IMPORT_RECORDING_H

#include "base/errbuf.h"
#include "import/builder.h"
#include "perfdata/info.h"

/* Writes the builder to `fd`, which can seek and is emptied. The builder is of no use afterwards but to be freed. */
int import_write(struct import_builder *b, int fd, struct errbuf *eb);

/* ---- numbers of locations ---- */

struct import_range {
	uint32_t first, nr;
};

struct import_numbers {
	uint64_t *words;	     /* of call chains, by location of the builder */
	struct import_range *ranges; /* numbers of its locations, by module of the builder */
};

/* Fills the tables of the builder's section that locations are in. The caller frees both arrays. */
void import_number(struct import_builder *b, struct import_numbers *numbers);

/* ---- tracepoints ---- */

/* Fields of tracepoints that came as text: each event gets a format whose one field is that text, as the kernel would have written it, so
 * that every reader of the recording prints it. */
#define TEXT_FIELDS_MAX 8000u /* bytes of a text that are kept */
#define TEXT_FIELDS_ROOM (TEXT_FIELDS_MAX + 16u)

/* Adds the formats to the info, where any event has text. */
void text_fields_formats(const struct import_builder *b, struct perfdata_info *info);
/* Writes the raw bytes of a sample into `raw`, of TEXT_FIELDS_ROOM bytes; returns how many there are. */
uint32_t text_fields_raw(const struct import_builder *b, const struct import_event *e, const struct import_sample *s, uint8_t *raw);

#endif
