/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The parts of the Chrome export (export_chrome.c).
 */
#ifndef ASSAY_VIEW_EXPORT_CHROME_H
#define ASSAY_VIEW_EXPORT_CHROME_H

#include "base/json.h"
#include "view/export.h"

/* export_chrome_states.c: states of tasks, and what ran on CPUs, as slices of two processes of their own: "CPUs" and "task states". `first_id`: from it on
 * numbers of processes and threads are free. Into the array that is open. */
void export_chrome_states(struct json *j, const struct export *x, int64_t first_id);

#endif
