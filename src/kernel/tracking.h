/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Who tracks maps and tasks. perf lets its first event do it beside sampling, and files say so. The
 * kernel counts what each event lost without saying what it was: with one event doing both, lost
 * maps would pass for lost samples. So the tracking is split off into a dummy that no file names,
 * and joined again where the attr is told to others.
 */
#ifndef ASSAY_KERNEL_TRACKING_H
#define ASSAY_KERNEL_TRACKING_H

#include <stdbool.h>

#include "kernel/event_parse.h"

/* A software event that counts nothing: what it loses is never a sample. */
bool event_is_dummy(const struct attr *attr);

/* Takes the tracking bits from the list's first event and makes `tracker` (zeroed) of them, with
 * the event's layout of trailers. False, and nothing changed: nobody tracks, or a dummy does. */
bool tracking_split(struct event_list *list, struct event_spec *tracker);
/* The same event before the tracker is opened: what its opening had to leave out (the kernel's
 * side) holds for the tracker too. */
void tracking_follow(const struct event_list *list, struct event_spec *tracker);
/* Gives the event the bits back that the tracker has by now. */
void tracking_join(struct event_list *list, const struct event_spec *tracker);

#endif
