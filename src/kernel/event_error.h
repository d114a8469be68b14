/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Why an event could not be opened, and what to do about it, in a sentence. Of event_open.c only.
 */
#ifndef ASSAY_KERNEL_EVENT_ERROR_H
#define ASSAY_KERNEL_EVENT_ERROR_H

#include <sys/types.h>

#include "base/errbuf.h"
#include "kernel/event_parse.h"

/* Returns `err`. */
int event_open_error(const struct event_spec *spec, pid_t pid, int cpu, int err, struct errbuf *eb);

#endif
