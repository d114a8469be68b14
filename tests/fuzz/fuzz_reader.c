/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Whole perf.data files into the reader: header, events, features, records, compressed or not,
 * of either byte order. Holds and releases records the way a session does.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "perfdata/reader.h"

#define NR_HELD 16
#define NR_RECORDS_MAX 100000 /* a small input can unpack to a great many */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(struct record_source *r)
{
	struct record_block *held[NR_HELD] = { NULL };
	struct source_record rec;
	struct errbuf eb = { 0 };
	uint32_t nr = 0;

	while (nr < NR_RECORDS_MAX && record_source_next(r, &rec, &eb) == 1) {
		struct record_block **slot = &held[nr++ % NR_HELD];

		if (rec.header->size < 8 || (uint8_t *)rec.header + rec.header->size > rec.block->data + rec.block->size)
			abort();
		if (*slot)
			record_release(*slot);
		*slot = nr % 3 ? rec.block : NULL;
		if (*slot)
			record_hold(*slot);
	}
	for (uint32_t i = 0; i < r->info->events.nr; i++)
		if (!r->info->events.v[i].name)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct errbuf eb = { 0 };
	struct record_source *r;
	char path[64];

	log_level = LOG_QUIET;
	if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size))
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (reader_open(&r, path, READER_ANY_OWNER, &eb)) {
		if (!eb.text[0])
			abort(); /* every failure has a sentence */
	} else {
		read_all(r);
		record_source_close(r);
	}
	close(fd);
	return 0;
}
