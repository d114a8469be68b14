/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Options of `record` that `top` has, too.
 */
#ifndef ASSAY_CMD_RECORD_OPTIONS_H
#define ASSAY_CMD_RECORD_OPTIONS_H

#include "base/options.h"
#include "capture/capture.h"

/* -F and -m; `ctx` is the struct capture_options. */
option_call_fn record_option_freq, record_option_pages;

/* -e, --filter and -G as they were typed, to the events that are sampled. */
int record_parse_events(struct event_list *l, const struct event_words *words, struct errbuf *eb);

#endif
