/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Options of record and stat that name whom to watch: -p, -t and -C. Their syntax is checked here; whether such tasks exist is seen when
 * they are opened. `ctx` is the `const char *` that takes the argument.
 */
#ifndef ASSAY_CMD_TARGET_OPTIONS_H
#define ASSAY_CMD_TARGET_OPTIONS_H

#include "base/options.h"

option_call_fn target_option_tasks, target_option_cpus;

#endif
