/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * capture/offcpu_waits.h and capture/offcpu_merge.h, on any events: a first byte that says whether user parts are dumps, then events, each behind
 * two bytes with its size. The samples that come out are merged, and must be whole records.
 */
#include <stdlib.h>
#include <string.h>

#include "abi/record.h"
#include "capture/offcpu_merge.h"
#include "capture/offcpu_waits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ROOM (1u << 20)

static size_t check_records(const uint8_t *records, size_t size)
{
	size_t at = 0;

	while (at < size) {
		struct record_header h;

		memcpy(&h, records + at, sizeof(h));
		if (h.type != RECORD_SAMPLE || h.size < 72 || h.size % 8 || h.size > size - at)
			abort();
		at += h.size;
	}
	return at;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct offcpu_waits w = { .event_id = 1, .schedule_start = 0x1000, .schedule_end = 0x2000, .has_dumps = size && data[0] & 1 };
	struct offcpu_merge m = { .event_id = 1, .thresh_ns = 1u << 30 };
	uint8_t *records = malloc(ROOM);
	size_t len = 0, n, left;

	for (size_t at = 1; at + 2 < size && len + 2 * OFFCPU_SAMPLE_MAX < ROOM;) {
		size_t wanted = data[at] | (size_t)data[at + 1] << 8, is = wanted < size - at - 2 ? wanted : size - at - 2;
		/* As events are aligned in the ring buffer; exactly as large, so that a sanitizer sees reads behind it. */
		uint8_t *event = malloc(is + !is);

		memcpy(event, data + at + 2, is);
		len += offcpu_waits_take(&w, event, is, records + len);
		free(event);
		at += 2 + is;
	}
	while (len + 2 * OFFCPU_SAMPLE_MAX < ROOM && (n = offcpu_waits_end(&w, 5000, records + len)))
		len += n;
	check_records(records, len);
	left = offcpu_merge(&m, records, len);
	if (left > len || (!w.has_dumps && check_records(records, left) != left))
		abort();
	offcpu_waits_fini(&w);
	offcpu_merge_fini(&m);
	free(records);
	return 0;
}
