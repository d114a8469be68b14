/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The head of a perf.data: what it is (file or pipe mode, which byte order), where its sections
 * are, and the events. Works on an open fd; knows nothing of records.
 */
#ifndef ASSAY_PERFDATA_HEADER_H
#define ASSAY_PERFDATA_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "perfdata/info.h"

#define HEADER_MAGIC 0x32454c4946524550ULL /* "PERFILE2" */
#define HEADER_SIZE_FILE 104u
#define HEADER_SIZE_PIPE 16u
#define HEADER_FEATURE_WORDS 4
#define HEADER_DATA_SIZE_OFF 48u /* of the data section's size field */

/* Features from this number on are assay's own. They have no bit in the header: perf inject writes every bit that it
 * found, and crashes at one that it does not know. The header's section of event types, which perf has not used since
 * Linux 3.2 and passes over, leads to a magic word and an entry for each of them. (Files of older versions of assay have
 * bits.) */
#define HEADER_FIRST_OWN 192u
#define HEADER_OWN_MAGIC 0x4345535941535341ULL /* "ASSAYSEC" */
#define HEADER_OWN_MAX (HEADER_FEATURE_WORDS * 64u - HEADER_FIRST_OWN)

struct source_damage;

struct header_section {
	uint64_t off, size;
};

struct header_own_section {
	uint64_t feature, off, size;
};

struct header {
	bool swap;
	bool pipe;
	uint64_t attr_size;
	struct header_section attrs, data, own;
	uint64_t features[HEADER_FEATURE_WORDS];
};

/* Takes the first 16 bytes (`size`: how many there are). `path` is for the sentence. */
int header_decode_start(struct header *h, const void *start, size_t size, const char *path, struct errbuf *eb);
/* Reads the rest of a file-mode header. */
int header_read(struct header *h, int fd, uint64_t file_size, const char *path, struct errbuf *eb);
/* Fills info->events (without names). */
int header_read_events(const struct header *h, int fd, uint64_t file_size, const char *path, struct perfdata_info *info, struct errbuf *eb);
/* Whether all entries of the table behind the data lie in the file (of no features: false). */
bool header_features_fit(const struct header *h, int fd, uint64_t file_size);
/* Reads all feature sections; the damaged ones are left out, and `damage` says so. */
int header_read_features(const struct header *h, int fd, uint64_t file_size, const char *path, struct perfdata_info *info,
			 struct source_damage *damage, struct errbuf *eb);

#endif
