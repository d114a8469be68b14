/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Any bytes as the span of a ring under any layout of samples with stacks: what comes out is not longer, is made of whole records
 * with as many samples, and is the same wherever the ring's end cuts the span and in however small parts it is copied.
 *
 * Input: sample_type u32, user registers u16, place of the cut u16; then the span.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "capture/unwind_stage.h"
#include "capture/unwind_stream.h"

#define PREFIX 8u
#define PART_MAX (UINT16_MAX + 1u)

static uint8_t *copy_all(const struct unwind_stream *s, const struct ring_span *p, size_t cap, size_t *size, struct dump_use *use)
{
	uint8_t *out = malloc(p->size + 8), *part = malloc(cap);
	size_t off = 0;

	if (!out || !part)
		abort();
	for (*size = 0; off < p->size;) {
		size_t n = dump_copy(s, p, &off, part, cap, use);

		if (n > cap || n > p->size - *size)
			abort();
		memcpy(out + *size, part, n);
		*size += n;
	}
	free(part);
	return out;
}

static uint64_t count_samples(const uint8_t *data, size_t size)
{
	uint64_t nr = 0;
	size_t off = 0;

	while (size - off >= sizeof(struct record_header)) {
		const struct record_header *h = (const void *)(data + off);

		if (h->size < sizeof(*h) || h->size % 8 || h->size > size - off)
			break;
		nr += h->type == RECORD_SAMPLE;
		off += h->size;
	}
	return nr;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes b = bytes_of(data, size, false);
	struct attr a = { .sample_type = bytes_u32(&b) | SAMPLE_CALLCHAIN | SAMPLE_REGS_USER | SAMPLE_STACK_USER,
			  .sample_regs_user = bytes_u16(&b) };
	size_t cut = bytes_u16(&b) * 8u, whole_size, cut_size, span_size = (size > PREFIX ? size - PREFIX : 0) & ~(size_t)7;
	struct dump_use use = { 0 }, cut_use = { 0 };
	struct unwind_stream s = { 0 };
	uint8_t *span, *whole, *parts;

	if (b.failed || !span_size || span_size > 1 << 20)
		return 0;
	vec_push(&s.info.events, ((struct perfdata_event){ .attr = a, .layout = sample_layout_of(&a) }));
	vec_push(&s.events, ((struct unwind_event){ .in = sample_layout_of(&a), .unwinds = true }));
	span = malloc(span_size);
	if (!span)
		abort();
	memcpy(span, data + PREFIX, span_size);
	cut = cut < span_size ? cut : span_size;
	const struct ring_span one = { span, NULL, span_size, span_size }, two = { span, span + cut, cut, span_size };

	whole = copy_all(&s, &one, span_size, &whole_size, &use);
	parts = copy_all(&s, &two, PART_MAX, &cut_size, &cut_use);
	if (whole_size != cut_size || memcmp(whole, parts, whole_size) || memcmp(&use, &cut_use, sizeof(use)))
		abort();
	if (count_samples(span, span_size) != count_samples(whole, whole_size) || use.nr > count_samples(span, span_size))
		abort();
	free(whole);
	free(parts);
	free(span);
	vec_fini(&s.events);
	perfdata_info_fini(&s.info);
	return 0;
}
