/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Format texts and raw bytes of tracepoints, through session/tracepoints.h. The first two bytes (little
 * endian) are the length of the tracing data blob; the rest is a record.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata/tracing_data.h"
#include "session/tracepoints.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *no_symbol(void *ctx, uint64_t addr, uint64_t *start)
{
	(void)ctx, (void)addr;
	*start = 0;
	return NULL;
}

/* Each field, as columns of reports show it: as it is, as the text does, by its name. */
static void print_fields(struct tracepoints *t, uint64_t id, const void *raw, uint32_t size)
{
	uint32_t nr = 0, nr_made_of;
	const struct trace_field *f = tracepoints_fields(t, id, &nr);
	const struct trace_field *const *made_of;

	for (uint32_t i = 0; i < nr; i++) {
		struct tracepoints_value v;

		tracepoints_value(t, &f[i], raw, size, &v);
		tracepoints_field_text(t, id, &f[i], NULL, raw, size);
		for (int is_named = 0; is_named < 2; is_named++) {
			const struct trace_shown *shown = tracepoints_shown(t, id, &f[i], is_named, &made_of, &nr_made_of);

			if (shown)
				tracepoints_field_text(t, id, &f[i], shown, raw, size);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perfdata_info info = { 0 };
	struct tracing_data formats;
	struct tracepoints *t;
	size_t blob;

	if (size < 2)
		return 0;
	blob = (size_t)data[0] | (size_t)data[1] << 8;
	if (blob > size - 2)
		return 0;
	info.tracing_data = data + 2;
	info.tracing_data_size = blob;
	t = tracepoints_new(&info, no_symbol, NULL);
	tracing_data_init(&formats, data + 2, blob);
	for (uint32_t i = 0; t && i < formats.events.nr; i++) {
		size_t raw_size = size - 2 - blob;
		void *raw = malloc(raw_size ? raw_size : 1); /* exactly as long as it says: ASan sees the end */

		memcpy(raw, data + 2 + blob, raw_size);
		tracepoints_text(t, formats.events.v[i].id, raw, (uint32_t)raw_size);
		print_fields(t, formats.events.v[i].id, raw, (uint32_t)raw_size);
		free(raw);
	}
	tracing_data_fini(&formats);
	tracepoints_free(t);
	return 0;
}
