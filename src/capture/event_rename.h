/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Records about an event that the file does not name (a twin, stack_growth.h) in the name of the one that it does.
 */
#ifndef ASSAY_CAPTURE_EVENT_RENAME_H
#define ASSAY_CAPTURE_EVENT_RENAME_H

#include "abi/record.h"

/* Sets the id of a LOST, LOST_SAMPLES, THROTTLE or UNTHROTTLE, and that of its trailer. */
void event_rename(const struct sample_layout *l, struct record_header *h, uint64_t id);

#endif
