/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lines of /proc/PID/maps, friendly and hostile, and a scan of ourselves.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/header_info.h"
#include "kernel/proc_scan.h"

static bool parse(const char *text, char *buf, size_t size, struct proc_map *map)
{
	snprintf(buf, size, "%s", text);
	return proc_map_parse(buf, strlen(buf), map);
}

static void test_lines(void **state)
{
	struct proc_map m;
	char buf[512];

	(void)state;
	assert_true(parse("5593bc839000-5593bc8fa000 r-xp 0002f000 fe:00 247101                     /usr/bin/bash", buf, sizeof(buf), &m));
	assert_int_equal(m.start, 0x5593bc839000);
	assert_int_equal(m.end, 0x5593bc8fa000);
	assert_int_equal(m.pgoff, 0x2f000);
	assert_int_equal(m.maj, 0xfe);
	assert_int_equal(m.min, 0);
	assert_int_equal(m.ino, 247101);
	assert_int_equal(m.prot, PROT_READ | PROT_EXEC);
	assert_int_equal(m.flags, MAP_PRIVATE);
	assert_string_equal(m.name, "/usr/bin/bash");

	assert_true(parse("1000-2000 rw-s 00000000 00:01 18446744073709551615 /a b\\012c (deleted)", buf, sizeof(buf), &m));
	assert_string_equal(m.name, "/a b\nc (deleted)");
	assert_int_equal(m.flags, MAP_SHARED);
	assert_int_equal(m.ino, UINT64_MAX);
	assert_true(parse("1000-2000 ---p 00000000 00:00 0 ", buf, sizeof(buf), &m));
	assert_string_equal(m.name, "");
	assert_int_equal(m.prot, 0);
	assert_true(parse("1000-2000 r-xp 00000000 00:00 0", buf, sizeof(buf), &m));
	assert_string_equal(m.name, "");
	assert_true(parse("1000-2000 r-xp 00000000 00:00 0   /x\\01\\\\012\\", buf, sizeof(buf), &m));
	assert_string_equal(m.name, "/x\\01\\\n\\");
	assert_true(parse("ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]", buf, sizeof(buf), &m));
	assert_string_equal(m.name, "[vsyscall]");
}

static void test_bad_lines(void **state)
{
	static const char *const bad[] = {
		"",
		"x",
		"1000",
		"1000-",
		"1000-2000",
		"1000-2000 r-x",
		"1000-2000 r-xp",
		"1000-2000 r-xp 0 0",
		"1000-2000 r-xp 0 0:0",
		"1000-2000 r-xp 0 0:0 x",
		"2000-1000 r-xp 0 0:0 0",
		"1000-1000 r-xp 0 0:0 0",
		"11111111111111111-21111111111111111 r-xp 0 0:0 0",
		"1000-2000 r-xp 0 100000000:0 0",
		"1000-2000 r-xp 0 0:0 18446744073709551616",
		" 1000-2000 r-xp 0 0:0 0",
	};
	struct proc_map m;
	char buf[128];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (parse(bad[i], buf, sizeof(buf), &m))
			fail_msg("taken: %s", bad[i]);
}

struct seen {
	uint32_t nr_comm, nr_fork, nr_mmap, nr_data, nr_anon, nr_ns, nr_kernel;
	uint64_t code;
	bool has_code, has_hostile_comm, is_late;
};

static int see(void *ctx, const struct record *rec)
{
	struct seen *s = ctx;

	/* What was decoded can be encoded: nobody has to look at these again. */
	assert_int_equal(rec->id.time_ns, 0);
	switch (rec->header->type) {
	case RECORD_COMM:
		s->nr_comm++;
		s->has_hostile_comm |= !strcmp(rec->comm.comm, "a) S 1 (b\n");
		break;
	case RECORD_FORK:
		assert_int_equal(rec->header->misc, MISC_FORK_EXEC);
		s->nr_fork++;
		break;
	case RECORD_MMAP2:
		s->nr_mmap++;
		s->nr_data += !(rec->mmap.prot & PROT_EXEC);
		s->nr_anon += !strcmp(rec->mmap.filename, "//anon");
		if (s->code - rec->mmap.start < rec->mmap.len)
			s->has_code = strstr(rec->mmap.filename, "test_proc_scan") && rec->mmap.ino;
		s->is_late = rec->header->misc & MISC_PROC_MAP_TIMEOUT;
		assert_int_equal(rec->header->misc & ~(MISC_MMAP_DATA | MISC_PROC_MAP_TIMEOUT), MISC_USER);
		break;
	case RECORD_MMAP:
		assert_int_equal(rec->mmap.pid, UINT32_MAX);
		s->nr_kernel++;
		break;
	case RECORD_NAMESPACES:
		assert_int_equal(rec->namespaces.nr, 7);
		assert_true(rec->namespaces.items[5].ino);
		s->nr_ns++;
		break;
	default:
		fail_msg("type %u", rec->header->type);
	}
	return 0;
}

static void *wait_for_lock(void *lock)
{
	pthread_mutex_lock(lock);
	pthread_mutex_unlock(lock);
	return NULL;
}

static void test_self(void **state)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct seen seen = { .code = (uintptr_t)test_self };
	struct record_sink sink = { see, &seen };
	struct proc_scan s;
	pthread_t thread;
	void *anon = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	pthread_mutex_lock(&lock);
	assert_int_equal(pthread_create(&thread, NULL, wait_for_lock, &lock), 0);
	prctl(PR_SET_NAME, "a) S 1 (b\n");
	proc_scan_init(&s, &sink);
	s.namespaces = true;
	assert_int_equal(proc_scan_pid(&s, getpid()), 0);
	assert_int_equal(seen.nr_comm, 2);
	assert_int_equal(seen.nr_ns, 2);
	assert_int_equal(seen.nr_fork, 0);
	assert_true(seen.nr_mmap >= 3);
	assert_int_equal(seen.nr_data, 0);
	assert_true(anon == MAP_FAILED || seen.nr_anon >= 1);
	assert_true(seen.has_code);
	assert_true(seen.has_hostile_comm);
	assert_int_equal(s.nr_maps, seen.nr_mmap);

	s.data_maps = true;
	s.namespaces = false;
	assert_int_equal(proc_scan_tid(&s, getpid()), 0);
	assert_true(seen.nr_data > 3);
	assert_int_equal(seen.nr_comm, 3);
	assert_false(seen.is_late);
	/* What is late is left out, and this is told in the last map. */
	s.timeout_ns = 1;
	seen.nr_mmap = 0;
	assert_int_equal(proc_scan_pid(&s, getpid()), 0);
	assert_int_equal(seen.nr_mmap, 1);
	assert_true(seen.is_late);
	assert_int_equal(s.nr_timeouts, 1);
	assert_int_equal(proc_scan_pid(&s, 0x3fffffff), -ESRCH);
	assert_int_equal(proc_scan_tid(&s, 0x3fffffff), -ESRCH);
	proc_scan_fini(&s);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	if (anon != MAP_FAILED)
		munmap(anon, 4096);
}

/* Stops after the first record. */
static int see_one(void *ctx, const struct record *rec)
{
	(void)rec;
	(*(int *)ctx)++;
	return -EPIPE;
}

static void test_all(void **state)
{
	struct seen seen = { .code = (uintptr_t)test_all };
	struct record_sink sink = { see, &seen };
	struct proc_scan s;
	int nr = 0;
	pid_t zombie = fork();

	(void)state;
	if (!zombie)
		_exit(0);
	proc_scan_init(&s, &sink);
	assert_int_equal(proc_scan_all(&s), 0);
	assert_true(s.nr_processes > 0);
	assert_int_equal(seen.nr_fork, seen.nr_comm);
	assert_true(seen.has_code);
	waitpid(zombie, NULL, 0);
	s.sink = &(struct record_sink){ see_one, &nr };
	assert_int_equal(proc_scan_all(&s), -EPIPE);
	assert_int_equal(nr, 1);
	proc_scan_fini(&s);
}

static void test_kernel(void **state)
{
	struct seen seen = { 0 };
	struct record_sink sink = { see, &seen };
	struct kernel_maps km;

	(void)state;
	assert_int_equal(kernel_maps_scan(&km, &sink), 0);
	if (km.text_start) {
		assert_true(km.text_end > km.text_start);
		assert_int_equal(seen.nr_kernel, 1 + km.nr_modules);
		assert_null(kernel_maps_advice(&km));
	} else {
		assert_int_equal(seen.nr_kernel, 0);
		if (km.restricted)
			assert_non_null(kernel_maps_advice(&km));
	}
}

static void test_host(void **state)
{
	struct perfdata_info h;
	int32_t id;

	(void)state;
	perfdata_info_init(&h);
	header_info_set_host(&h);
	assert_non_null(h.hostname);
	assert_non_null(h.arch);
	assert_true(h.nrcpus_online >= 1 && h.nrcpus_online <= h.nrcpus_avail);
	assert_true(h.total_mem_kb > 0);
	for (uint32_t i = 0; i < h.caches.nr; i++)
		assert_true(i == 0 || h.caches.v[i - 1].level <= h.caches.v[i].level);
	perfdata_info_fini(&h);
	assert_int_equal(host_clock_find("CLOCK_MONOTONIC", &id), 0);
	assert_int_equal(id, 1);
	assert_int_equal(host_clock_find("mono_raw", &id), 0);
	assert_int_equal(id, 4);
	assert_int_equal(host_clock_find("7", &id), 0);
	assert_int_equal(host_clock_find("sundial", &id), -EINVAL);
	assert_int_equal(host_clock_find("", &id), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines), cmocka_unit_test(test_bad_lines), cmocka_unit_test(test_self),
		cmocka_unit_test(test_all),   cmocka_unit_test(test_kernel),	cmocka_unit_test(test_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
