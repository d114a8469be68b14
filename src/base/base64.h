/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Bytes as text, for pages: base64 with padding, without line breaks (RFC 4648).
 */
#ifndef ASSAY_BASE_BASE64_H
#define ASSAY_BASE_BASE64_H

#include <stddef.h>

#include "base/out.h"

void base64_put(struct out *o, const void *bytes, size_t size);

#endif
