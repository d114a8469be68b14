/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The fields of a sample for -D: behind "PERF_RECORD_SAMPLE" and on the lines below. For
 * dump_text.c alone.
 */
#ifndef ASSAY_VIEW_DUMP_SAMPLE_H
#define ASSAY_VIEW_DUMP_SAMPLE_H

#include "base/out.h"
#include "session/recording.h"

void dump_sample(struct out *o, const struct recording *r, const struct session_record *sr);

#endif
