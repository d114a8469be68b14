/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Unpacking of what others compressed whole: .gnu_debugdata (xz) and kernel modules (.ko.xz, .ko.gz, .ko.zst). The result is
 * bounded by the caller's `max`, whatever the packed bytes claim. Files that were put one behind the other (cat a.gz b.gz) unpack to all of
 * them; zeroes at the end fill up a block, anything else there is damage. Knows nothing of what it unpacks.
 */
#ifndef ASSAY_SYMBOLS_UNPACK_H
#define ASSAY_SYMBOLS_UNPACK_H

#include <stddef.h>

/* *out is malloc'd and the caller's. -EBADMSG: damaged or cut; -EFBIG: more than `max` bytes. */
int unpack_xz(const void *packed, size_t size, size_t max, void **out, size_t *out_size);
int unpack_gzip(const void *packed, size_t size, size_t max, void **out, size_t *out_size);
int unpack_zstd(const void *packed, size_t size, size_t max, void **out, size_t *out_size);
/* By the first bytes, which all three begin with; -ENOEXEC: none of them. */
int unpack_any(const void *packed, size_t size, size_t max, void **out, size_t *out_size);

#endif
