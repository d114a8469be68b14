/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Any bytes as a record of any type under any layout: decode, encode of what was decoded, swap,
 * decode of what was swapped; and as an attr of both byte orders. Besides the sanitizers, what must
 * hold is checked here: encoding loses nothing, and a sample that could be swapped can be decoded.
 *
 * Input: sample_type u32, read_format u8, bits u8 (id_all, hw index, counters), misc u16, type u32,
 * registers u16 user and u16 interrupt; then the body.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "abi/record.h"

#define PREFIX 16u

static struct sample_layout layout_take(struct bytes *b, struct record_header *h)
{
	struct sample_layout l = { .sample_type = bytes_u32(b), .read_format = bytes_u8(b) };
	uint8_t bits = bytes_u8(b);

	l.id_all = bits & 1;
	l.branch_sample_type = (bits & 2 ? BRANCH_HW_INDEX : 0) | (bits & 4 ? BRANCH_COUNTERS : 0);
	h->misc = bytes_u16(b);
	h->type = bytes_u32(b);
	l.regs_user = bytes_u16(b);
	l.regs_intr = bytes_u16(b);
	return l;
}

/* A record in memory of exactly its size. */
static struct record_header *record_new(const struct record_header *h, const void *body, size_t body_size)
{
	struct record_header *rec = malloc(sizeof(*h) + body_size);

	if (!rec)
		abort();
	*rec = *h;
	rec->size = (uint16_t)(sizeof(*h) + body_size);
	memcpy(rec + 1, body, body_size);
	return rec;
}

/* Encoding what was decoded, and doing it again with what that decodes to, must give the same
 * bytes. */
static void check_encode(const struct record *r, const struct sample_layout *l)
{
	static _Alignas(8) uint8_t first[65536], second[65536];
	int64_t size = record_encode(r, l, first, sizeof(first));
	struct record again;

	if (size < 0 && r->header->size > 65000)
		return; /* padding may have made it too large */
	if (size < 0 || record_decode((const void *)first, l, &again))
		abort();
	if (record_encode(&again, l, second, sizeof(second)) != size || memcmp(first, second, (size_t)size))
		abort();
}

static void check_native(const struct record_header *h, const struct sample_layout *l, const void *body, size_t size)
{
	struct record_header *rec = record_new(h, body, size);
	struct record r;

	if (!record_decode(rec, l, &r) && h->type && h->type <= RECORD_CALLCHAIN_DEFERRED)
		check_encode(&r, l);
	free(rec);
}

static void check_foreign(const struct record_header *h, const struct sample_layout *l, const void *body, size_t size)
{
	struct record_header *rec = record_new(h, body, size);
	struct record r;

	if (!record_swap(rec, l) && record_decode(rec, l, &r) && h->type == RECORD_SAMPLE)
		abort();
	free(rec);
}

static void check_attr(const void *body, size_t size)
{
	for (int swap = 0; swap < 2; swap++) {
		struct bytes b = bytes_of(body, size, swap);
		struct attr a;

		if (!attr_decode(&b, &a) && (a.size < ATTR_SIZE_VER0 || a.size > sizeof(a)))
			abort();
		b = bytes_of(body, size, swap);
		attr_decode_slot(&b, size, &a);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes b = bytes_of(data, size, false);
	struct record_header h = { 0 };
	struct sample_layout l = layout_take(&b, &h);

	if (b.failed || size - PREFIX > UINT16_MAX - sizeof(h))
		return 0;
	check_native(&h, &l, data + PREFIX, size - PREFIX);
	check_foreign(&h, &l, data + PREFIX, size - PREFIX);
	check_attr(data + PREFIX, size - PREFIX);
	return 0;
}
