/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The stop flag: set by SIGINT, SIGTERM, SIGHUP (stop_install), checked by long loops.
 */
#ifndef ASSAY_BASE_STOP_H
#define ASSAY_BASE_STOP_H

#include <signal.h>
#include <stdbool.h>

extern volatile sig_atomic_t stop_signal; /* 0, or the signal that asked to stop */

/* From here on the three signals set the flag instead of ending the process, and interrupt blocking calls (no SA_RESTART). SIGHUP stays
 * ignored where it was (nohup). The first signal is kept. */
void stop_install(void);

#endif
