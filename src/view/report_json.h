/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Histograms as JSON: the rows of a report and their call trees, for programs. The schema is in
 * assay-report(1) and only ever grows.
 */
#ifndef ASSAY_VIEW_REPORT_JSON_H
#define ASSAY_VIEW_REPORT_JSON_H

#include <stdint.h>

#include "base/out.h"
#include "model/hist.h"
#include "model/quality.h"
#include "session/recording.h"

/* `hists`: built and sorted, one for each event shown. Rows below `percent_limit` are counted, not
 * listed. */
void report_json(struct out *o, const struct recording *r, struct hist *const *hists,
		 uint32_t nr_hists, double percent_limit, const struct quality *q);

#endif
