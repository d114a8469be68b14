/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The block of '#' lines that says where, when and how a file was recorded: `--header`,
 * `--header-only`. It is fed by a perfdata_info; it reads no file.
 *
 * A file: header_text() and header_text_end() print the whole block, "# ========" to "# ========\n#\n". report and
 * script put it first; nothing stands between it and what follows (report's own "# To display …"
 * lines, or the first sample).
 *
 * A pipe: header_text() prints the few lines known at the start; the features come as records while
 * the stream is read, and the caller passes each HEADER_FEATURE record that session_next() yields
 * to header_text_feature(). `report --header-only` too reads the stream to its end for them; `script
 * --header-only` ends after header_text().
 */
#ifndef ASSAY_VIEW_HEADER_TEXT_H
#define ASSAY_VIEW_HEADER_TEXT_H

#include <stdbool.h>

#include "base/out.h"
#include "session/recording.h"

/* `path`: the file as the person named it, asked for its time only where info does not know when it
 * was captured. `full` (-I): topologies, caches and memory too. */
void header_text(struct out *o, const struct perfdata_info *info, const char *path, bool full);
/* The last bar of the block: behind lines of one's own. */
void header_text_end(struct out *o);

/* The lines of one feature that came as a HEADER_FEATURE record (others are ignored); info has
 * taken it in already. */
void header_text_feature(struct out *o, const struct perfdata_info *info, const struct record_header *h, bool full);

#endif
