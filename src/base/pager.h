/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A pager behind standard output, where that is a terminal: ASSAY_PAGER, else PAGER, else less; none where it is empty or "cat". It is given
 * LESS=FRX unless LESS is set, so that what fits on the screen is just printed.
 */
#ifndef ASSAY_BASE_PAGER_H
#define ASSAY_BASE_PAGER_H

/* --no-pager. */
void pager_forbid(void);
/* Starts it, once a process. What is printed from then on, messages too, goes to it. */
void pager_start(void);
/* Ends its input and waits for it. Nothing can be printed after that. */
void pager_finish(void);

#endif
