/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * TRACING_DATA sections into their parser.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata/tracing_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tracing_data t;

	tracing_data_init(&t, data, size);
	for (uint32_t i = 0; i < t.events.nr; i++) {
		const struct tracing_event *e = &t.events.v[i];

		if (tracing_data_find(&t, e->id) != e || strlen(e->format) > e->format_size || !e->system || !e->name)
			abort();
	}
	tracing_data_fini(&t);
	return 0;
}
