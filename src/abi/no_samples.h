/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Why an event may have left no samples, and what to try: by its attr alone, for the recorder and for those who read its files.
 */
#ifndef ASSAY_ABI_NO_SAMPLES_H
#define ASSAY_ABI_NO_SAMPLES_H

#include "abi/attr.h"

/* "the command ended, or slept, before …: record longer, …"; NULL: none were asked for. */
const char *no_samples_hint(const struct attr *a);

#endif
