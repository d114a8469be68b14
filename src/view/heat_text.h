/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A heat map's numbers: the percentiles as a table, the matrix as CSV and JSON (schemas: assay-heatmap(1)).
 */
#ifndef ASSAY_VIEW_HEAT_TEXT_H
#define ASSAY_VIEW_HEAT_TEXT_H

#include "base/json.h"
#include "base/out.h"
#include "model/heat.h"
#include "view/heat_svg.h"

/* The title, what was counted and the percentiles with every digit, then the notes. */
void heat_text(struct out *o, const struct heat *h, const struct heat_words *w, enum heat_unit unit);
/* A line for each cell that is not empty. */
void heat_csv(struct out *o, const struct heat *h);
/* Members for the object that is open. */
void heat_json(struct json *j, const struct heat *h, const struct heat_words *w);

#endif
