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
		free(raw);
	}
	tracing_data_fini(&formats);
	tracepoints_free(t);
	return 0;
}
