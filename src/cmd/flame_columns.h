/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reading the recordings of flame --diff, each into a column of one flame tree.
 */
#ifndef ASSAY_CMD_FLAME_COLUMNS_H
#define ASSAY_CMD_FLAME_COLUMNS_H

#include "cmd/flame_load.h"
#include "cmd/sides.h"

/* Options, filters and symbols of all are those of `fl` and `in`, whose results are those of the first recording: its event is what the others are
 * read for. `f` has a column for each. A damaged recording has what could be read of it in its column; the first sentence is in `eb`, and
 * nr_read tells whether all were read. */
int flame_columns_load(struct flame_load *fl, struct flame *f, const struct sides *s, struct input *in, uint32_t *nr_read, struct errbuf *eb);

/* Says which recordings have no samples and are left out. Returns a column of a side that has none at all; f->nr_columns: both have some. */
uint32_t flame_columns_check(const struct flame *f, const struct sides *s, const struct flame_load *first, bool quiet);

/* "a.data (350 samples) → b.data and 2 more (1,020 samples) · cycles"; the caller frees. */
char *flame_columns_title(const struct flame *f, const struct sides *s, const struct flame_load *first);

#endif
