/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `stat -M`: from names of metrics to the events they need, as far as this machine has them.
 */
#ifndef ASSAY_CMD_STAT_METRICS_H
#define ASSAY_CMD_STAT_METRICS_H

#include "base/errbuf.h"
#include "base/vec.h"
#include "kernel/event_parse.h"
#include "model/metric_defs.h"

/* first_event counts in the list that the events were added to. A zeroed struct is empty. */
struct stat_metrics {
	VEC(struct metric_use) uses;
};

/* Adds the metrics of "ipc,TopdownL1", and their events to the list. An unknown name: -EINVAL and
 * the nearest; one that this machine cannot count: -ENOENT, and the sentence says what is missing.
 * `sysfs`: "/sys". */
int stat_metrics_add(struct stat_metrics *m, struct event_list *list, const char *text,
		     const char *sysfs, struct errbuf *eb);
void stat_metrics_fini(struct stat_metrics *m);

#endif
