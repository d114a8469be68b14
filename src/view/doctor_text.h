/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The checks of `assay doctor` for a person: a line of judgement, then a line each, and below those that are not well what degrades
 * and the command that mends it.
 */
#ifndef ASSAY_VIEW_DOCTOR_TEXT_H
#define ASSAY_VIEW_DOCTOR_TEXT_H

#include <stdbool.h>

#include "base/out.h"
#include "view/doctor_item.h"

/* `quiet`: only what is not well. */
void doctor_text(struct out *o, const struct doctor_item *items, uint32_t nr, bool colour, bool quiet);

#endif
