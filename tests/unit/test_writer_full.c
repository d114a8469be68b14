/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The writer when there is no more room: on a file system that is full, and at the limit of
 * file sizes. Whatever the moment, the file holds a prefix of the records, whole, without a
 * word of damage, and as many features as fit.
 */
#include "perfdata_sample.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>

#define NR_RECORDS 4000

/* Appends until it fails; true where it did. */
static bool fill(int fd, int level, uint32_t sync_every, bool finish, int want_err)
{
	const struct writer_options opts = { .compress_level = level };
	uint8_t *buf = mem_alloc(65536);
	struct perfdata_info info, start;
	struct errbuf eb = { 0 };
	struct writer *w;
	int err = 0;

	sample_info(&info, 2);
	start = info;
	start.features &= ~(1ULL << FEAT_BUILD_ID);
	if (writer_open(&w, fd, &opts, &start, &eb)) {
		assert_string_not_equal(eb.text, "");
		perfdata_info_fini(&info);
		free(buf);
		return true;
	}
	for (uint32_t i = 0; i < NR_RECORDS && !err; i++) {
		uint32_t size = sample_record(i, buf);
		uint64_t rng = i;

		for (uint32_t k = 16; k < size; k++) /* nothing to gain by compression */
			buf[k] = (uint8_t)sample_rng(&rng);
		err = writer_append(w, buf, size, true);
		if (!err && i % sync_every == 0)
			err = writer_sync(w);
	}
	if (!err)
		err = writer_sync(w);
	if (err) {
		assert_int_equal(err, want_err);
		assert_int_equal(writer_append(w, buf, 8, false), want_err);
		assert_int_equal(writer_sync(w), want_err);
	}
	if (finish) {
		int ret = writer_finish(w, &info, &eb);

		assert_int_equal(ret != 0, eb.text[0] != 0);
		assert_true(!err || ret == err);
	}
	writer_free(w);
	perfdata_info_fini(&info);
	free(buf);
	return err != 0;
}

/* How many records are there, in order and whole. */
static uint32_t check_prefix(const char *path, bool *has_features)
{
	struct source_record rec;
	struct errbuf eb = { 0 };
	uint32_t nr = 0, i;
	struct record_source *r;
	int ret;

	assert_int_equal(reader_open(&r, path, READER_ANY_OWNER, &eb), 0);
	while ((ret = record_source_next(r, &rec, &eb)) == 1) {
		assert_int_equal(rec.header->misc, (uint16_t)nr);
		if (rec.header->size >= 16) {
			memcpy(&i, rec.header + 1, 4);
			assert_int_equal(i, nr);
		}
		nr++;
	}
	assert_int_equal(ret, 0);
	if (nr) {
		assert_string_equal(r->damage->text, "");
		assert_int_equal(r->damage->err, 0);
	}
	*has_features = r->info->hostname != NULL;
	record_source_close(r);
	return nr;
}

static void run(const char *dir, int want_err, bool *features)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/perf.data", dir);
	*features = true;
	for (int i = 0; i < 8; i++) {
		int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		bool has_features;
		uint32_t nr;

		assert_true(fd >= 0);
		assert_true(fill(fd, i & 1, i & 2 ? 1 : 61, i & 4, want_err));
		close(fd);
		nr = check_prefix(path, &has_features);
		assert_true(nr < NR_RECORDS);
		*features = *features && has_features;
		unlink(path);
	}
}

static void test_size_limit(void **state)
{
	static const uint64_t limits[] = { 20000, 65536, 100001, 1 << 20, 3000000 };
	char dir[] = "/tmp/assay-test-XXXXXX";
	struct rlimit rl, was;
	bool features;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		rl = was;
		rl.rlim_cur = limits[i];
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &rl), 0);
		run(dir, -EFBIG, &features);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
		assert_true(features || limits[i] < 65536);
	}
	rmdir(dir);
}

static void test_full_disk(void **state)
{
	char dir[] = "/tmp/assay-test-XXXXXX", options[32];
	bool features;

	(void)state;
	assert_non_null(mkdtemp(dir));
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) {
		print_message("SKIP: this test mounts a small tmpfs, which takes root\n");
		rmdir(dir);
		skip();
	}
	for (int kb = 16; kb < 3000; kb += kb / 2 + 4) {
		snprintf(options, sizeof(options), "size=%dk", kb);
		assert_int_equal(mount("none", dir, "tmpfs", 0, options), 0);
		run(dir, -ENOSPC, &features);
		assert_true(features || kb < 400);
		umount(dir);
	}
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_size_limit),
		cmocka_unit_test(test_full_disk),
	};

	signal(SIGXFSZ, SIG_IGN);
	log_level = LOG_QUIET;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
