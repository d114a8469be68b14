/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * capture/probe_layout: any text as arguments of a probe, and the same bytes as a record of the ring buffer.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "capture/probe_layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct probe_program program;
	struct probe_layout layout;
	struct arena arena = { 0 };
	uint8_t raw[512];
	struct out o;

	for (int i = 0; i < 4; i++) {
		void *record;

		if (probe_fetch_compile(text, i & 1 ? PROBE_ARM64 : PROBE_X86_64, 0x1000, i & 2, &arena, &program, &layout, NULL))
			continue;
		out_init(&o, -1);
		probe_layout_format(&layout, "name", &o);
		out_fini(&o);
		record = malloc(size ? size : 1);
		memcpy(record, data, size);
		if (probe_layout_raw(&layout, record, size, raw, sizeof(raw)) > sizeof(raw))
			abort();
		free(record);
	}
	arena_fini(&arena);
	free(text);
	return 0;
}
