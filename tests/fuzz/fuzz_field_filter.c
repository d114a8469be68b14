/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Filters by fields: a text up to the first NUL, then the raw bytes of a record of an event with numbers and texts of all kinds.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "own_event.h"
#include "session/field_filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char blob[OWN_EVENT_MAX];
	const uint8_t *end = size ? memchr(data, 0, size) : NULL;
	struct perfdata_event events[] = { { .name = "own:a", .attr = { .type = ATTR_TYPE_TRACEPOINT, .config = 1 } },
					   { .name = "cycles" } };
	struct perfdata_info info = { .tracing_data = blob, .tracing_data_size = own_event_put(blob), .events = { .v = events, .nr = 2 } };
	struct recording r = { .info = &info };
	struct record_header h = { .type = RECORD_SAMPLE };
	struct session_record sr = { .header = &h };
	struct errbuf eb = { 0 };
	struct field_filter *f;
	size_t raw_size;
	void *raw;

	if (!end || field_filter_parse(&f, (const char *)data, &eb))
		return 0;
	raw_size = size - (size_t)(end + 1 - data);
	raw = malloc(raw_size ? raw_size : 1); /* exactly as long as it says: ASan sees the end */
	memcpy(raw, end + 1, raw_size);
	r.tracepoints = tracepoints_new(&info, own_event_symbol, NULL);
	field_filter_attach(f, &r, NULL);
	field_filter_check(f, &eb);
	sr.rec.sample = (struct sample){ .raw = raw, .raw_size = (uint32_t)raw_size };
	for (sr.event = 0; sr.event < 2; sr.event++)
		field_filter_passes(f, &sr);
	field_filter_free(f);
	tracepoints_free(r.tracepoints);
	free(raw);
	return 0;
}
