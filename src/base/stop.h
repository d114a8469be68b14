/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The stop flag: set by SIGINT, SIGTERM, SIGHUP (stop_install), checked by long loops.
 */
#ifndef ASSAY_BASE_STOP_H
#define ASSAY_BASE_STOP_H

#include <signal.h>
#include <stdbool.h>

extern volatile sig_atomic_t stop_signal; /* 0, or the signal that asked to stop */

/* From here on the signals set the flag (the first one is kept) and interrupt blocking calls. SIGHUP stays ignored under nohup. */
void stop_install(void);

#endif
