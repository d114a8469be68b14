/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The tasks of a recording as a tree of parents and children, with or without their maps: perf's
 * `report --tasks` and `--mmaps`.
 */
#ifndef ASSAY_VIEW_TASKS_TEXT_H
#define ASSAY_VIEW_TASKS_TEXT_H

#include <stdbool.h>

#include "base/out.h"
#include "session/machine.h"

/* The state at the end of the recording: names, maps and, of a tid that was used twice, the later
 * task. */
void tasks_text(struct out *o, const struct machine *machine, bool mmaps);

#endif
