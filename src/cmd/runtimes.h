/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --runtimes: the environment in which known language runtimes describe the code that they generate.
 */
#ifndef ASSAY_CMD_RUNTIMES_H
#define ASSAY_CMD_RUNTIMES_H

#include <stdbool.h>

#include "base/errbuf.h"

/* Sets the variables for the command that will be started, and says so. -EINVAL and a message without a command. `reads_python`: functions of
 * Python are recorded otherwise (--python). */
int runtimes_prepare(char **workload, bool reads_python, struct errbuf *eb);

#endif
