/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * /proc/schedstat: read and taken apart.
 */
#ifndef ASSAY_KERNEL_SCHEDSTAT_TEXT_H
#define ASSAY_KERNEL_SCHEDSTAT_TEXT_H

#include "abi/schedstat.h"
#include "base/errbuf.h"

/* Appends the rows of a text that ends with a NUL; its domains replace those that were known. -EBADMSG, -EOPNOTSUPP with a sentence. */
int schedstat_parse(struct schedstat *s, const char *text, struct errbuf *eb);
/* The same of this machine. -ENOENT with a sentence where its kernel has no such file. */
int schedstat_read(struct schedstat *s, struct errbuf *eb);

#endif
