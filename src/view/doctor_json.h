/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The checks of `assay doctor` for a program (schema: assay-doctor(1)).
 */
#ifndef ASSAY_VIEW_DOCTOR_JSON_H
#define ASSAY_VIEW_DOCTOR_JSON_H

#include "base/out.h"
#include "view/doctor_item.h"

void doctor_json(struct out *o, const struct doctor_item *items, uint32_t nr, uint32_t uid);

#endif
