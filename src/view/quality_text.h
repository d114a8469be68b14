/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The quality of a profile in words: one line for headers and pictures, and a sentence with its fix for each problem.
 */
#ifndef ASSAY_VIEW_QUALITY_TEXT_H
#define ASSAY_VIEW_QUALITY_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "base/out.h"
#include "model/quality.h"
#include "session/recording.h"

#define QUALITY_LINE_SIZE 256

/* "98.0% of stacks complete, 1.0% guessed, 0.5% truncated, 0.5% broken; 0.4% of samples unresolved; 0 lost, 0 throttled" */
void quality_line(const struct quality *q, char *buf, size_t size);

/* Tells each sentence (no full stop; names in it are escaped for a terminal). Loud ones first: past them a profile misleads. */
typedef void quality_note_fn(void *ctx, bool is_loud, const char *text);
void quality_notes(const struct quality *q, quality_note_fn *tell, void *ctx);

/* "# WARNING: …" for each loud sentence: the first lines a person sees. */
void quality_text_warnings(struct out *o, const struct quality *q, bool colour);
/* "# Quality: …": the line, then the other sentences. */
void quality_text(struct out *o, const struct quality *q);

/* The key "quality" with its object, into the object that is open (schema: assay-report(1)). */
void quality_json(struct json *j, const struct quality *q);

/* lost, throttled, malformed, without_event, late, damage: into the object that is open; when all records were read. */
void losses_json(struct json *j, const struct recording *r);

#endif
