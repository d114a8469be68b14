/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Frames of call chains as JSON objects, the same in `script --json` and `trace --json`:
 *
 *	{ "ip", "inlined", "symbol", "offset", "dso", "address", "file", "line" }
 *
 * What is not known is left out. Values of addresses are strings of hexadecimal digits.
 */
#ifndef ASSAY_VIEW_CHAIN_JSON_H
#define ASSAY_VIEW_CHAIN_JSON_H

#include <stdint.h>

#include "base/json.h"
#include "model/profile.h"

/* The frames of one location, those that were inlined there first, at most `max`; returns how many. Into an open array. */
uint32_t chain_json_location(struct json *j, struct profile *p, uint32_t location, uint32_t max);
/* Those of a stack, the innermost first. */
void chain_json_stack(struct json *j, struct profile *p, uint32_t stack, uint32_t max);

#endif
