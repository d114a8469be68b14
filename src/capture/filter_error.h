/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The sentence about a filter of --filter that the kernel refused.
 */
#ifndef ASSAY_CAPTURE_FILTER_ERROR_H
#define ASSAY_CAPTURE_FILTER_ERROR_H

#include "base/errbuf.h"
#include "kernel/event_parse.h"

/* Where in the filter it is wrong, and which fields the event has; nothing where its format cannot be read. Returns `err`. */
int filter_error_explain(const struct event_spec *spec, int err, struct errbuf *eb);

#endif
