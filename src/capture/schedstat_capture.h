/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Records /proc/schedstat before and after a command, or until a signal.
 */
#ifndef ASSAY_CAPTURE_SCHEDSTAT_CAPTURE_H
#define ASSAY_CAPTURE_SCHEDSTAT_CAPTURE_H

#include "abi/schedstat.h"
#include "base/errbuf.h"
#include "capture/capture.h"

/* Reads twice, with the run of `workload` (NULL: until Ctrl-C) in between. 0, the workload's status, or negative. */
int schedstat_measure(struct schedstat *s, char **workload, struct errbuf *eb);
/* Writes what was measured to o->output. */
int schedstat_write(const struct schedstat *s, const struct capture_options *o, struct errbuf *eb);

#endif
