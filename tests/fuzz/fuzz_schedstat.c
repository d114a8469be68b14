/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * kernel/schedstat_text and perfdata/schedstat_record: any text as /proc/schedstat ('t' first), any bytes as a recording of it; what can be
 * read is written, read again and printed.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/schedstat_text.h"
#include "perfdata/schedstat_record.h"
#include "view/schedstat_text.h"

static void print(const struct schedstat *s)
{
	struct schedstat_sums sums;
	struct errbuf eb;
	struct out o;
	struct schedstat_text t = { .o = &o, .names = s };

	errbuf_clear(&eb);
	out_init(&o, -1);
	if (!schedstat_sums_init(&sums, s, "fuzz", &eb)) {
		schedstat_text_report(&t, &sums);
		schedstat_text_diff(&t, &sums, &sums);
	}
	schedstat_sums_fini(&sums);
	o.len = 0;
	schedstat_encode(s, &o);
	schedstat_domains_encode(s, &o);
	out_fini(&o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct schedstat s = { 0 };
	struct errbuf eb;
	char *copy;

	if (!size)
		return 0;
	errbuf_clear(&eb);
	copy = malloc(size);
	memcpy(copy, data + 1, size - 1);
	copy[size - 1] = 0;
	if (data[0] == 't') {
		/* Twice, as a recording has it. */
		if (!schedstat_parse(&s, copy, &eb) && !schedstat_parse(&s, copy, &eb))
			print(&s);
	} else if (!schedstat_decode(&s, copy, size - 1, "fuzz", &eb)) {
		print(&s);
	}
	schedstat_fini(&s);
	free(copy);
	return 0;
}
