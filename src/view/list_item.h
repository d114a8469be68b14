/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What `assay list` shows, for all its formats: an event or a metric, as texts. Filled by the
 * command from what the kernel room found and what the model can compute; strings are borrowed.
 */
#ifndef ASSAY_VIEW_LIST_ITEM_H
#define ASSAY_VIEW_LIST_ITEM_H

struct list_event {
	const char *type;	/* "Software event" */
	const char *name;	/* "cpu-clock" */
	const char *alias;	/* another spelling; or NULL */
	const char *plain_name; /* for names only, where it differs; or NULL */
	const char *pmu;	/* or NULL */
	const char *unit;	/* or NULL */
	double scale;
	const char *desc;     /* or NULL */
	const char *encoding; /* or NULL */
	const char *fields;   /* of a tracepoint, for details; or NULL */
};

struct list_metric {
	const char *name;  /* "ipc" */
	const char *group; /* "CPU" */
	const char *desc;
	const char *expr; /* of events; or NULL */
};

#endif
