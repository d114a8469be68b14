/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Bytes of a perf.data that are not records: payloads behind AUXTRACE and TRACING_DATA, pieces
 * of the zstd stream (cut anywhere, as COMPRESSED and COMPRESSED2), and what inflates far
 * beyond its size. And files so large that they are read ahead.
 */
#include "perfdata_sample.h"

#include <zstd.h>

#include "base/out.h"
#include "perfdata/header.h"

static void put_start(struct out *o)
{
	uint64_t head[2] = { HEADER_MAGIC, HEADER_SIZE_PIPE };

	out_mem(o, head, sizeof(head));
}

static void put_record(struct out *o, uint32_t i)
{
	uint8_t buf[65536];
	uint32_t size = sample_record(i, buf);

	out_mem(o, buf, size);
}

static void put_zeroes(struct out *o, size_t size)
{
	memset(out_room(o, size), 0, size);
	out_advance(o, size);
}

static struct record_source *open_bytes(const struct out *o)
{
	int fd = memfd_create("payload", MFD_CLOEXEC);
	struct errbuf eb = { 0 };
	struct record_source *r;

	assert_int_equal(write(fd, o->buf, o->len), o->len);
	assert_int_equal(sample_open(&r, fd, &eb), 0);
	close(fd);
	return r;
}

/* Reads on; counts the sample records, which must be the first, the second … */
static uint32_t count_records(struct record_source *r)
{
	struct source_record rec;
	struct errbuf eb = { 0 };
	uint8_t want[65536];
	uint32_t nr = 0;
	int ret;

	while ((ret = record_source_next(r, &rec, &eb)) == 1)
		if (rec.header->type == 48) {
			assert_int_equal(rec.header->size, sample_record(nr++, want));
			assert_memory_equal(rec.header, want, rec.header->size);
		}
	assert_int_equal(ret, 0);
	return nr;
}

static void test_auxtrace(void **state)
{
	static const uint64_t sizes[] = { 0, 8, 4096, 1 << 20, 3 << 20 };
	struct record_auxtrace aux = { .header = { RECORD_AUXTRACE, 0, sizeof(aux) } };
	struct record_source *r;
	struct out o;

	(void)state;
	out_init(&o, -1);
	put_start(&o);
	for (uint32_t i = 0; i < 5; i++) {
		put_record(&o, i);
		aux.size = sizes[i];
		out_mem(&o, &aux, sizeof(aux));
		put_zeroes(&o, sizes[i]);
	}
	put_record(&o, 5);
	r = open_bytes(&o);
	assert_int_equal(count_records(r), 6);
	assert_int_equal(r->damage->err, 0);
	assert_int_equal(r->done_bytes, o.len);
	record_source_close(r);
	/* A payload that is not there. */
	aux.size = UINT64_MAX;
	out_mem(&o, &aux, sizeof(aux));
	r = open_bytes(&o);
	assert_int_equal(count_records(r), 6);
	assert_int_equal(r->damage->err, -ENODATA);
	record_source_close(r);
	out_fini(&o);
}

static void test_tracing_payload(void **state)
{
	const uint32_t size = 2500001;
	struct record_tracing_data td = { { RECORD_HEADER_TRACING_DATA, 0, 12 }, size };
	struct record_source *r;
	struct out o;

	(void)state;
	out_init(&o, -1);
	put_start(&o);
	put_record(&o, 0);
	out_mem(&o, &td, 12);
	put_zeroes(&o, (size + 7) & ~7u);
	o.buf[o.len - 8] = 'x'; /* the last byte of the payload, behind it 7 of padding */
	put_record(&o, 1);
	r = open_bytes(&o);
	assert_int_equal(count_records(r), 2);
	assert_int_equal(r->damage->err, 0);
	assert_int_equal(r->info->tracing_data_size, size);
	assert_int_equal(((const char *)r->info->tracing_data)[size - 1], 'x');
	record_source_close(r);
	o.len = 3000;
	r = open_bytes(&o);
	assert_int_equal(count_records(r), 1);
	assert_int_equal(r->damage->err, -ENODATA);
	record_source_close(r);
	out_fini(&o);
}

/* Cuts one zstd stream of `nr` records into pieces of `piece` bytes. */
static void put_compressed(struct out *o, uint32_t nr, uint32_t piece, bool second_kind)
{
	struct out raw;
	size_t size, cap;
	uint8_t *packed;

	out_init(&raw, -1);
	for (uint32_t i = 0; i < nr; i++)
		put_record(&raw, i);
	cap = ZSTD_compressBound(raw.len);
	packed = mem_alloc(cap);
	size = ZSTD_compress(packed, cap, raw.buf, raw.len, 1);
	assert_false(ZSTD_isError(size));
	for (size_t pos = 0; pos < size; pos += piece) {
		uint64_t n = size - pos < piece ? size - pos : piece;
		struct record_header h = { RECORD_COMPRESSED, 0, (uint16_t)(8 + n) };

		if (second_kind) {
			h.type = RECORD_COMPRESSED2;
			h.size = (uint16_t)((16 + n + 7) & ~7ull);
		}
		out_mem(o, &h, sizeof(h));
		if (second_kind)
			out_mem(o, &n, sizeof(n));
		out_mem(o, packed + pos, n);
		if (second_kind)
			put_zeroes(o, -n & 7);
	}
	free(packed);
	out_fini(&raw);
}

static void test_pieces(void **state)
{
	static const uint32_t pieces[] = { 1, 7, 100, 5000, 65000 };

	(void)state;
	for (int kind = 0; kind < 2; kind++)
		for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
			struct record_source *r;
			struct out o;

			out_init(&o, -1);
			put_start(&o);
			put_compressed(&o, 300, pieces[i], kind);
			r = open_bytes(&o);
			assert_int_equal(count_records(r), 300);
			assert_int_equal(r->damage->err, 0);
			assert_true(r->nr_compressed > 0);
			record_source_close(r);
			/* A piece whose size says more than its record has. */
			if (kind) {
				o.buf[16 + 8 + 3] = 1;
				r = open_bytes(&o);
				assert_int_equal(count_records(r), 0);
				assert_int_equal(r->damage->err, -EBADMSG);
				record_source_close(r);
			}
			out_fini(&o);
		}
}

/* Small records that all are alike: as many as `size_bytes` take. */
static struct record_source *open_inflated(struct out *o, size_t size_bytes)
{
	const struct record_header h = { 48, 0, 8 };
	struct record_header ch = { RECORD_COMPRESSED, 0, 0 };
	uint8_t piece[65000];
	struct out raw;
	size_t n;

	out_init(&raw, -1);
	out_init(o, -1);
	while (raw.len < size_bytes)
		out_mem(&raw, &h, sizeof(h));
	n = ZSTD_compress(piece, sizeof(piece), raw.buf, raw.len, 1);
	assert_false(ZSTD_isError(n));
	ch.size = (uint16_t)(8 + n);
	put_start(o);
	out_mem(o, &ch, sizeof(ch));
	out_mem(o, piece, n);
	out_fini(&raw);
	return open_bytes(o);
}

/* 8 MiB out of a few hundred bytes: read in blocks, not at once. Of a GiB there is an end, and it is said. */
static void test_inflation(void **state)
{
	struct source_record rec;
	struct errbuf eb = { 0 };
	struct record_source *r;
	uint32_t nr = 0;
	struct out o;

	(void)state;
	r = open_inflated(&o, 8u << 20);
	while (record_source_next(r, &rec, &eb) == 1)
		nr++;
	assert_int_equal(nr, (8u << 20) / 8);
	assert_int_equal(r->damage->err, 0);
	record_source_close(r);
	out_fini(&o);

	nr = 0;
	r = open_inflated(&o, 128u << 20);
	while (record_source_next(r, &rec, &eb) == 1)
		nr++;
	assert_in_range(nr, 1000000, 2000000);
	assert_int_equal(r->damage->err, -EFBIG);
	assert_non_null(strstr(r->damage->text, "unpack to more than 64 MB"));
	record_source_close(r);
	out_fini(&o);
}

#define HELD_EVERY 1000u

/* Records of a large file, each where it should be in it; some are held to the end, and stay as they are. Returns how many there are. */
static uint32_t check_large(struct record_source *r)
{
	VEC(struct source_record) held = { 0 };
	struct source_record rec;
	struct errbuf eb = { 0 };
	uint8_t want[65536];
	uint64_t at = 0;
	uint32_t nr = 0;
	int ret;

	while ((ret = record_source_next(r, &rec, &eb)) == 1) {
		if (at && rec.header->type == 48)
			assert_int_equal(rec.at, at);
		at = rec.header->type == 48 ? rec.at + rec.header->size : 0;
		if (rec.header->type != 48)
			continue;
		assert_int_equal(rec.header->size, sample_record(nr, want));
		assert_memory_equal(rec.header, want, rec.header->size);
		if (nr++ % HELD_EVERY == 0) {
			record_hold(rec.block);
			vec_push(&held, rec);
		}
	}
	assert_int_equal(ret, 0);
	for (uint32_t i = 0; i < held.nr; i++) {
		sample_record(i * HELD_EVERY, want);
		assert_memory_equal(held.v[i].header, want, held.v[i].header->size);
		record_release(held.v[i].block);
	}
	vec_fini(&held);
	return nr;
}

static void test_read_ahead(void **state)
{
	struct record_auxtrace aux = { .header = { RECORD_AUXTRACE, 0, sizeof(aux) }, .size = 5u << 20 };
	struct record_source *r;
	uint32_t nr = 0, nr_all;
	struct out o;

	(void)state;
	out_init(&o, -1);
	put_start(&o);
	while (o.len < 24u << 20)
		put_record(&o, nr++);
	r = open_bytes(&o);
	assert_int_equal(check_large(r), nr);
	assert_int_equal(r->damage->err, 0);
	assert_int_equal(r->done_bytes, o.len);
	record_source_close(r);
	/* Closed while bytes are read ahead. */
	r = open_bytes(&o);
	for (uint32_t i = 0; i < nr / 4; i++)
		assert_int_equal(record_source_next(r, &(struct source_record){ 0 }, &(struct errbuf){ 0 }), 1);
	record_source_close(r);
	/* Bytes that are skipped were read ahead already. */
	out_mem(&o, &aux, sizeof(aux));
	put_zeroes(&o, aux.size);
	for (nr_all = nr; o.len < 56u << 20;)
		put_record(&o, nr_all++);
	r = open_bytes(&o);
	assert_int_equal(check_large(r), nr_all);
	assert_int_equal(r->damage->err, 0);
	record_source_close(r);
	/* Cut inside the last record. */
	o.len -= 5;
	r = open_bytes(&o);
	assert_int_equal(check_large(r), nr_all - 1);
	assert_int_equal(r->damage->err, -ENODATA);
	record_source_close(r);
	out_fini(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_auxtrace),  cmocka_unit_test(test_tracing_payload), cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_inflation), cmocka_unit_test(test_read_ahead),
	};

	log_level = LOG_QUIET;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
