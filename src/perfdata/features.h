/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The feature sections of a perf.data, one by one: bytes → struct perfdata_info and back. Files
 * and pipes carry the same bytes; where they stand is the reader's and the writer's business.
 */
#ifndef ASSAY_PERFDATA_FEATURES_H
#define ASSAY_PERFDATA_FEATURES_H

#include "base/bytes.h"
#include "base/out.h"
#include "perfdata/info.h"

/* Takes one section apart into `info` and sets its bit in info->features. A section we do not
 * know (or of a version we do not know) is kept in info->raw_features. -EBADMSG where it is
 * damaged: its bit stays unset. NRCPUS must come before CPU_TOPOLOGY, events before EVENT_DESC:
 * the order of their numbers. */
int feature_decode(struct perfdata_info *info, uint32_t feature, struct bytes b);

/* One entry of the BUILD_ID table, which is a HEADER_BUILD_ID record in a pipe: `b` stands
 * behind the record header (native order by now). */
int feature_decode_build_id(struct perfdata_info *info, uint16_t misc, struct bytes *b);

/* Appends the bytes of a feature. False where its bit is not set in info->features, or where it
 * is one that holds offsets into the file it came from (nothing is appended then). */
bool feature_encode(const struct perfdata_info *info, uint32_t feature, struct out *o);

/* The entry with its record header; type 0 in the table, RECORD_HEADER_BUILD_ID in a pipe. */
void feature_encode_build_id(const struct perfdata_build_id *e, uint32_t type, struct out *o);
#define FEATURE_BUILD_ID_SIZED (1u << 15) /* misc of an entry: its size byte counts */

/* Bytes of an attr in a file with these events: what perf 6.1 knows, more only where it is
 * needed. */
uint32_t feature_attr_size(const struct perfdata_info *info);

/* "HOSTNAME"; NULL where unknown. */
const char *feature_name(uint32_t feature);

#endif
