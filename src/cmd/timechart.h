/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The parts of `assay timechart`: the chart of a recording, and its recorder.
 */
#ifndef ASSAY_CMD_TIMECHART_H
#define ASSAY_CMD_TIMECHART_H

#include "cmd/cmd.h"

cmd_fn timechart_record;

#endif
