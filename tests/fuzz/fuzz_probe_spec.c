/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/probe_spec.c, probe_arg.c, probe_range.c: any text as a probe, as a range of lines and as a filter.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/probe_point.h"

static size_t sum;

static void see(const char *s)
{
	if (s)
		sum += strlen(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct probe_range_spec range;
	struct probe_filter *filter;
	struct probe_spec spec;
	struct errbuf eb = { 0 };

	memcpy(text, data, size);
	text[size] = 0;
	if (probe_spec_parse(&spec, text, &eb) == 0) {
		see(spec.function), see(spec.file), see(spec.event), see(spec.group), see(spec.pattern), see(spec.version);
		for (uint32_t i = 0; i < spec.args.nr; i++) {
			see(spec.args.v[i].variable), see(spec.args.v[i].name), see(spec.args.v[i].type);
			for (uint32_t j = 0; j < spec.args.v[i].nr_steps; j++)
				see(spec.args.v[i].steps[j].name);
		}
		probe_spec_fini(&spec);
	}
	if (probe_range_parse(&range, text, &eb) == 0) {
		see(range.function), see(range.file);
		if (range.last < range.first)
			abort();
		probe_range_fini(&range);
	}
	if (probe_filter_new(&filter, text, &eb) == 0) {
		sum += probe_filter_match(filter, "parse_header") + probe_filter_match(filter, text);
		probe_filter_free(filter);
	}
	free(text);
	return 0;
}
