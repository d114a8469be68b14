/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The reader on bad input: cut at every byte, every header field and every byte of a small file
 * changed. It never crashes (sanitizers look on), never hangs, yields only whole records, and
 * says what was wrong.
 */
#include "perfdata_sample.h"

#include "perfdata/header.h"

#define NR_RECORDS 12

struct image {
	uint8_t *data;
	size_t size;
};

static struct image image_of(const struct sample_write *how)
{
	struct perfdata_info info;
	struct image im;
	int fd = sample_file(how, &info);

	im.size = (size_t)lseek(fd, 0, SEEK_END);
	im.data = mem_alloc(im.size);
	assert_int_equal(pread(fd, im.data, im.size, 0), im.size);
	perfdata_info_fini(&info);
	close(fd);
	return im;
}

struct outcome {
	int open_err, damage;
	uint32_t nr_records, nr_like_written;
	uint64_t damage_off;
	char text[1024];
};

static struct outcome read_bytes(const void *data, size_t size)
{
	int fd = memfd_create("bad", MFD_CLOEXEC), ret;
	uint8_t *want = mem_alloc(65536);
	struct outcome o = { 0 };
	struct errbuf eb = { 0 };
	struct source_record rec = { 0 };
	struct record_source *r;

	assert_int_equal(write(fd, data, size), size);
	o.open_err = sample_open(&r, fd, &eb);
	if (o.open_err) {
		assert_string_not_equal(eb.text, "");
		assert_null(r);
		memcpy(o.text, eb.text, sizeof(o.text));
	}
	while (!o.open_err && (ret = record_source_next(r, &rec, &eb)) != 0) {
		assert_int_equal(ret, 1);
		assert_true(rec.header->size >= 8);
		assert_true((uint8_t *)rec.header >= rec.block->data);
		assert_true((uint8_t *)rec.header + rec.header->size <= rec.block->data + rec.block->size);
		o.nr_records++;
		if (rec.header->type == 48 && o.nr_like_written < NR_RECORDS &&
		    sample_record(o.nr_like_written, want) == rec.header->size && !memcmp(want, rec.header, rec.header->size))
			o.nr_like_written++;
	}
	if (!o.open_err) {
		o.damage = r->damage->err;
		o.damage_off = r->damage->file_off;
		snprintf(o.text, sizeof(o.text), "%s", r->damage->text);
		assert_int_equal(o.damage != 0, o.text[0] != 0);
		for (uint32_t i = 0; i < r->info->events.nr; i++)
			assert_non_null(r->info->events.v[i].name);
	}
	record_source_close(r);
	free(want);
	close(fd);
	return o;
}

static void test_cut_file(void **state)
{
	const struct sample_write how = { .nr_records = NR_RECORDS, .nr_events = 2 };
	struct image im = image_of(&how);
	uint64_t data_off, data_size;
	uint8_t buf[65536];

	(void)state;
	memcpy(&data_off, im.data + 40, 8);
	memcpy(&data_size, im.data + 48, 8);
	for (size_t size = 0; size <= im.size; size++) {
		struct outcome o = read_bytes(im.data, size);
		uint32_t nr_whole = 0;
		uint64_t end = data_off;

		if (size <= data_off) {
			assert_true(o.open_err == -ENODATA || (size < 8 && o.open_err == -EBADMSG));
			continue;
		}
		while (nr_whole < NR_RECORDS && end + sample_record(nr_whole, buf) <= size)
			end += sample_record(nr_whole++, buf);
		assert_int_equal(o.open_err, 0);
		assert_int_equal(o.nr_like_written, nr_whole);
		if (size < data_off + data_size) {
			assert_int_equal(o.damage, -ENODATA);
			assert_int_equal(o.damage_off, end);
		} else {
			/* Behind the data, features are cut. */
			assert_int_equal(o.damage, size < im.size ? -EBADMSG : 0);
		}
	}
	free(im.data);
}

static void test_cut_pipe(void **state)
{
	struct sample_write how = { .nr_records = NR_RECORDS, .nr_events = 2 };
	struct image im;

	(void)state;
	how.opts.pipe_mode = true;
	for (how.opts.compress_level = 0; how.opts.compress_level < 2; how.opts.compress_level++) {
		im = image_of(&how);
		for (size_t size = 16; size <= im.size; size++) {
			struct outcome o = read_bytes(im.data, size);

			assert_int_equal(o.open_err, 0);
			if (size == im.size)
				assert_int_equal(o.nr_like_written, NR_RECORDS);
		}
		free(im.data);
	}
}

/* The header's fields, the table of features, the events: each 64-bit word to values that hurt. */
static void test_fields(void **state)
{
	static const uint64_t values[] = { 0,	     1,		 7,	     8,		104,	    4095,	   0xffff,
					   1u << 31, UINT32_MAX, 1ull << 40, INT64_MAX, UINT64_MAX, UINT64_MAX - 7 };
	struct sample_write how = { .nr_records = NR_RECORDS, .nr_events = 2 };

	(void)state;
	for (how.opts.compress_level = 0; how.opts.compress_level < 2; how.opts.compress_level++) {
		struct image im = image_of(&how);

		for (size_t off = 0; off + 8 <= im.size; off += 8) {
			uint64_t was;

			memcpy(&was, im.data + off, 8);
			/* Past the header and the events, every third value will do. */
			for (size_t i = off / 8 % 3; i < sizeof(values) / sizeof(values[0]); i += off < 512 ? 1 : 3) {
				struct outcome o;

				memcpy(im.data + off, &values[i], 8);
				o = read_bytes(im.data, im.size);
				assert_true(o.nr_records <= im.size / 8);
			}
			memcpy(im.data + off, &was, 8);
		}
		free(im.data);
	}
}

static void test_bytes(void **state)
{
	struct sample_write how = { .nr_records = NR_RECORDS, .nr_events = 2 };
	uint64_t rng = 1;

	(void)state;
	for (int mode = 0; mode < 4; mode++) {
		struct image im;

		how.opts.compress_level = mode & 1;
		how.opts.pipe_mode = mode & 2;
		im = image_of(&how);
		for (size_t off = 0; off < im.size; off++) {
			uint8_t was = im.data[off];

			im.data[off] = (uint8_t)~was;
			if (sample_rng(&rng) % 4)
				im.data[off] = (uint8_t)sample_rng(&rng);
			read_bytes(im.data, im.size);
			im.data[off] = was;
		}
		free(im.data);
	}
}

static void expect_text(const void *data, size_t size, int err, const char *words)
{
	struct outcome o = read_bytes(data, size);

	assert_int_equal(o.open_err ? o.open_err : o.damage, err);
	if (!strstr(o.text, words))
		fail_msg("\"%s\" does not say \"%s\"", o.text, words);
}

static void test_sentences(void **state)
{
	const struct sample_write how = { .nr_records = NR_RECORDS, .nr_events = 2 };
	struct image im = image_of(&how);
	uint64_t data_off, data_size;
	struct errbuf eb = { 0 };
	struct record_source *r;

	(void)state;
	memcpy(&data_off, im.data + 40, 8);
	memcpy(&data_size, im.data + 48, 8);
	expect_text("", 0, -ENODATA, "is empty");
	expect_text("\177ELF\2\1\1\0\0\0\0\0\0\0\0\0", 16, -EBADMSG, "an ELF file");
	expect_text("# some text\nmore of it\n", 23, -EBADMSG, "looks like text");
	expect_text(im.data, 50, -ENODATA, "cut inside its header");
	expect_text(im.data, data_off - 1, -ENODATA, "cut before its first record");
	expect_text(im.data, data_off + data_size - 1, -ENODATA, "11 records up to offset");
	memset(im.data + data_off + 6, 0, 2); /* the first record's size */
	expect_text(im.data, im.size, -EBADMSG, "0 records before that were read");
	memset(im.data + 48, 0, 8);
	memset(im.data + 72, 0, 32); /* no data size, no features: as perf leaves it when killed */
	expect_text(im.data, im.size, -EBADMSG, "damaged at offset");
	free(im.data);
	assert_int_equal(reader_open(&r, "/nowhere/perf.data", READER_ANY_OWNER, &eb), -ENOENT);
	assert_non_null(strstr(eb.text, "/nowhere/perf.data"));
	errbuf_clear(&eb);
	assert_int_equal(reader_open(&r, "/proc", READER_ANY_OWNER, &eb), -ENOENT);
	assert_non_null(strstr(eb.text, "is a directory"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut_file), cmocka_unit_test(test_cut_pipe),  cmocka_unit_test(test_fields),
		cmocka_unit_test(test_bytes),	 cmocka_unit_test(test_sentences),
	};

	log_level = LOG_QUIET;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
