/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Recordings of /proc/schedstat, as perf 7.2 writes them: no events, a record for each line of two readings, and a section with the names
 * of domains.
 */
#ifndef ASSAY_PERFDATA_SCHEDSTAT_RECORD_H
#define ASSAY_PERFDATA_SCHEDSTAT_RECORD_H

#include <stddef.h>

#include "abi/schedstat.h"
#include "base/errbuf.h"
#include "base/out.h"

#define RECORD_SCHEDSTAT_CPU 85
#define RECORD_SCHEDSTAT_DOMAIN 86
#define FEAT_CPU_DOMAIN_INFO 32

/* The records of all rows; the body of the section. */
void schedstat_encode(const struct schedstat *s, struct out *o);
void schedstat_domains_encode(const struct schedstat *s, struct out *o);

/* Takes the bytes of a whole file apart. `path` is for sentences. */
int schedstat_decode(struct schedstat *s, const void *data, size_t size, const char *path, struct errbuf *eb);

#endif
