/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A perf.data of the other byte order, made by hand: header, flags of the events, features,
 * records of two events whose layouts differ, plain and in pipe mode. With an argument it
 * writes the file there, to be shown to real perf.
 */
#include "perfdata_sample.h"

#include <stdlib.h>

#include "base/out.h"

static void p8(struct out *o, uint8_t v)
{
	out_mem(o, &v, 1);
}

static void p16(struct out *o, uint16_t v)
{
	v = __builtin_bswap16(v);
	out_mem(o, &v, 2);
}

static void p32(struct out *o, uint32_t v)
{
	v = __builtin_bswap32(v);
	out_mem(o, &v, 4);
}

static void p64(struct out *o, uint64_t v)
{
	v = __builtin_bswap64(v);
	out_mem(o, &v, 8);
}

static void ptext(struct out *o, const char *s, size_t size)
{
	size_t len = strlen(s);

	out_mem(o, s, len);
	for (; len < size; len++)
		p8(o, 0);
}

/* Where the first declared bit-field is the highest bit of the first byte. */
static void pflags(struct out *o, uint64_t flags)
{
	for (int byte = 0; byte < 8; byte++) {
		uint8_t v = 0;

		for (int bit = 0; bit < 8; bit++)
			if (flags >> (byte * 8 + bit) & 1)
				v |= (uint8_t)(0x80 >> bit);
		p8(o, v);
	}
}

#define COMMON (SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME)
#define FLAGS0 (ATTR_SAMPLE_ID_ALL | ATTR_MMAP | ATTR_COMM | ATTR_FREQ | ATTR_EXCLUDE_GUEST)
#define FLAGS1 (ATTR_SAMPLE_ID_ALL | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV)

static void pattr(struct out *o, int event)
{
	size_t start = o->len;

	p32(o, ATTR_TYPE_SOFTWARE);
	p32(o, ATTR_SIZE_VER7);
	p64(o, (uint64_t)event);
	p64(o, 4000);
	p64(o, event ? COMMON | SAMPLE_CALLCHAIN : COMMON);
	p64(o, 0);
	pflags(o, event ? FLAGS1 : FLAGS0);
	while (o->len < start + ATTR_SIZE_VER7)
		p8(o, 0);
}

static void pheader(struct out *o, uint32_t type, uint16_t misc, uint16_t size)
{
	p32(o, type);
	p16(o, misc);
	p16(o, size);
}

static void ptrailer(struct out *o, uint64_t time, uint64_t id)
{
	p32(o, 77);
	p32(o, 78);
	p64(o, time);
	p64(o, id);
}

static void precords(struct out *o)
{
	pheader(o, RECORD_COMM, 0, 8 + 8 + 16 + 24);
	p32(o, 77);
	p32(o, 78);
	ptext(o, "foreigner", 16);
	ptrailer(o, 1000, 500);
	pheader(o, RECORD_SAMPLE, MISC_USER, 8 + 32);
	p64(o, 500);
	p64(o, 0x400123);
	p32(o, 77);
	p32(o, 78);
	p64(o, 2000);
	pheader(o, RECORD_SAMPLE, MISC_USER, 8 + 32 + 32);
	p64(o, 501);
	p64(o, 0x400456);
	p32(o, 77);
	p32(o, 78);
	p64(o, 3000);
	p64(o, 3);
	p64(o, CHAIN_USER);
	p64(o, 0x400456);
	p64(o, 0x400789);
}

static void make_file(struct out *o)
{
	uint64_t attrs = 104 + 16, data = attrs + 2 * 144;
	struct out records;

	out_init(&records, -1);
	precords(&records);
	p64(o, 0x32454c4946524550ULL);
	p64(o, 104);
	p64(o, 144);
	p64(o, attrs);
	p64(o, 2 * 144);
	p64(o, data);
	p64(o, records.len);
	p64(o, 0);
	p64(o, 0);
	p64(o, 1ull << FEAT_HOSTNAME | 1ull << FEAT_NRCPUS | 1ull << FEAT_EVENT_DESC);
	p64(o, 0);
	p64(o, 0);
	p64(o, 0);
	p64(o, 500);
	p64(o, 501);
	for (int i = 0; i < 2; i++) {
		pattr(o, i);
		p64(o, 104 + 8ull * (unsigned)i);
		p64(o, 8);
	}
	out_mem(o, records.buf, records.len);
	data += records.len + 3 * 16;
	p64(o, data);
	p64(o, 68);
	p64(o, data + 68);
	p64(o, 8);
	p64(o, data + 76);
	p64(o, 8 + 2 * (128 + 4 + 4 + 64 + 8));
	p32(o, 64);
	ptext(o, "big-end", 64);
	p32(o, 8);
	p32(o, 6);
	p32(o, 2);
	p32(o, 128);
	for (unsigned i = 0; i < 2; i++) {
		pattr(o, (int)i);
		p32(o, 1);
		p32(o, 64);
		ptext(o, i ? "second" : "first", 64);
		p64(o, 500 + i);
	}
	out_fini(&records);
}

static void make_pipe(struct out *o)
{
	p64(o, 0x32454c4946524550ULL);
	p64(o, 16);
	for (unsigned i = 0; i < 2; i++) {
		pheader(o, RECORD_HEADER_ATTR, 0, 8 + 128 + 8);
		pattr(o, (int)i);
		p64(o, 500 + i);
	}
	pheader(o, RECORD_HEADER_FEATURE, 0, 16 + 68);
	p64(o, FEAT_HOSTNAME);
	p32(o, 64);
	ptext(o, "big-end", 64);
	pheader(o, RECORD_HEADER_FEATURE, 0, 16 + 8);
	p64(o, FEAT_NRCPUS);
	p32(o, 8);
	p32(o, 6);
	pheader(o, RECORD_EVENT_UPDATE, 0, 24 + 8);
	p64(o, 2);
	p64(o, 501);
	ptext(o, "second", 8);
	precords(o);
}

static int next_kernel_record(struct record_source *r, struct source_record *rec)
{
	struct errbuf eb = { 0 };
	int ret;

	do
		ret = record_source_next(r, rec, &eb);
	while (ret == 1 && rec->header->type >= RECORD_USER_FIRST);
	return ret;
}

static void check(const struct out *o, bool pipe)
{
	int fd = memfd_create("foreign", MFD_CLOEXEC);
	const struct perfdata_info *info;
	struct source_record rr;
	struct errbuf eb = { 0 };
	struct record_source *r;
	struct record rec;

	assert_int_equal(write(fd, o->buf, o->len), o->len);
	assert_int_equal(sample_open(&r, fd, &eb), 0);
	assert_int_equal(next_kernel_record(r, &rr), 1);
	info = r->info;
	assert_true(info->foreign_order);
	assert_int_equal(info->events.nr, 2);
	assert_true(info->events.v[0].attr.flags == FLAGS0);
	assert_true(info->events.v[1].attr.flags == FLAGS1);
	assert_string_equal(info->events.v[0].name, pipe ? "cpu-clock" : "first");
	assert_string_equal(info->events.v[1].name, "second");
	assert_string_equal(info->hostname, "big-end");
	assert_int_equal(info->nrcpus_avail, 8);
	assert_int_equal(info->nrcpus_online, 6);

	assert_int_equal(record_decode(rr.header, &info->events.v[0].layout, &rec), 0);
	assert_string_equal(rec.comm.comm, "foreigner");
	assert_int_equal(rec.comm.tid, 78);
	assert_true(rec.id.time_ns == 1000 && rec.id.id == 500);

	assert_int_equal(next_kernel_record(r, &rr), 1);
	assert_int_equal(record_decode(rr.header, &info->events.v[0].layout, &rec), 0);
	assert_true(rec.sample.ip == 0x400123 && rec.sample.time_ns == 2000);
	assert_int_equal(rec.sample.pid, 77);

	assert_int_equal(next_kernel_record(r, &rr), 1);
	assert_int_equal(perfdata_info_find_event(r->info, 501), 1);
	assert_int_equal(record_decode(rr.header, &info->events.v[1].layout, &rec), 0);
	assert_true(rec.sample.ip == 0x400456 && rec.sample.nr_ips == 3);
	assert_true(rec.sample.ips[0] == CHAIN_USER && rec.sample.ips[2] == 0x400789);
	assert_int_equal(next_kernel_record(r, &rr), 0);
	assert_int_equal(r->damage->err, 0);
	record_source_close(r);
	close(fd);
}

static void test_file(void **state)
{
	struct out o;

	(void)state;
	out_init(&o, -1);
	make_file(&o);
	check(&o, false);
	out_fini(&o);
}

static void test_pipe(void **state)
{
	struct out o;

	(void)state;
	out_init(&o, -1);
	make_pipe(&o);
	check(&o, true);
	out_fini(&o);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_pipe),
	};

	if (argc > 1) {
		FILE *f = fopen(argv[1], "wb");
		struct out o;

		out_init(&o, -1);
		make_file(&o);
		return !f || fwrite(o.buf, o.len, 1, f) != 1 || fclose(f);
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
