/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * capture/mapped_files and file_opener, on files of the test's own: what is noted, what is held, what is saved.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "capture/mapped_files.h"
#include "perfdata/embedded_files.h"

static char dir[64];

static int make_dir(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/assay-test-mapped-XXXXXX");
	setenv("ASSAY_CACHE", "off", 1);
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	char *command = mem_printf("rm -rf %s", dir);
	int status = system(command);

	(void)state;
	free(command);
	return status;
}

/* A small program with `more` bytes behind it, and another build-id then; written in place where it is there already. */
static const char *put(const char *name, size_t more)
{
	static char path[128];
	size_t size;
	char *bytes;
	char *note;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_int_equal(io_read_file("tests/fuzz/corpus/elf_symbols/shared.elf", 1 << 20, &bytes, &size), 0);
	note = memmem(bytes, size, "\3\0\0\0GNU", 8);
	if (note)
		note[8] ^= (char)more;
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
	for (size_t i = 0; i < more; i++)
		fputc('x', f);
	fclose(f);
	free(bytes);
	return path;
}

/* As the kernel would report it, of a process that has ended since. */
static struct record map_of(const char *path, uint64_t time_ns)
{
	static const struct record_header h = { .type = RECORD_MMAP2, .misc = MISC_USER };
	struct record rec = { .header = &h, .id.time_ns = time_ns };
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	rec.mmap = (struct record_mmap){ .pid = 0x7ffffffe,
					 .start = 0x1000,
					 .len = 0x1000,
					 .prot = PROT_EXEC,
					 .filename = path,
					 .maj = major(st.st_dev),
					 .min = minor(st.st_dev),
					 .ino = st.st_ino };
	return rec;
}

static void save(struct mapped_files *m, struct perfdata_info *info, struct embedded_files *n)
{
	const struct mapped_save how = { .header = true, .section = true };

	perfdata_info_init(info);
	mapped_files_save(m, info, &how);
	memset(n, 0, sizeof(*n));
	for (uint32_t i = 0; i < info->raw_features.nr; i++)
		assert_int_equal(embedded_files_init(n, info->raw_features.v[i].data, info->raw_features.v[i].size), 0);
}

/* It is where it was: its size and times are saved where maps do not have its build-id, its symbols are not. */
static void test_unchanged(void **state)
{
	const char *path = put("unchanged", 0);
	struct record rec = map_of(path, 5);
	const struct embedded_file *row;
	struct perfdata_info info;
	struct embedded_files n;
	struct mapped_files m;
	struct stat st;

	(void)state;
	mapped_files_init(&m);
	mapped_files_see(&m, &rec);
	mapped_files_see(&m, &rec);
	assert_int_equal(mapped_files_nr(&m), 1);
	assert_true(mapped_files_get(&m, 0)->opened.fd >= 0);
	save(&m, &info, &n);
	row = embedded_files_find(&n, &rec.mmap, 5);
	assert_non_null(row);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(row->identity.size_bytes, st.st_size);
	assert_int_equal(row->identity.stat_inode, st.st_ino);
	assert_null(row->symbols.data);
	assert_int_equal(m.nr_unsaved, 0);
	embedded_files_fini(&n);
	perfdata_info_fini(&info);
	mapped_files_fini(&m);
}

/* Removed: its symbols are saved, and found by what the map record says. */
static void test_removed(void **state)
{
	const char *path = put("removed", 0);
	struct record rec = map_of(path, 5);
	const struct embedded_file *row;
	struct perfdata_info info;
	struct embedded_files n;
	struct mapped_files m;
	struct dso_file f = { 0 };

	(void)state;
	mapped_files_init(&m);
	mapped_files_see(&m, &rec);
	mapped_files_find(&m, &rec, &f);
	assert_non_null(f.opened_as);
	assert_int_equal(unlink(path), 0);
	save(&m, &info, &n);
	row = embedded_files_find(&n, &rec.mmap, 5);
	assert_non_null(row);
	assert_non_null(row->symbols.data);
	embedded_files_fini(&n);
	perfdata_info_fini(&info);
	mapped_files_fini(&m);
}

/* Written again in the same inode: two files, told apart by the time of the map. */
static void test_rewritten(void **state)
{
	const char *path = put("rewritten", 0);
	struct record rec = map_of(path, 5), again, other;
	struct perfdata_info info;
	struct embedded_files n;
	struct mapped_files m;
	const struct embedded_file *first, *second;

	(void)state;
	mapped_files_init(&m);
	mapped_files_see(&m, &rec);
	mapped_files_settle(&m);
	put("rewritten", 100);
	/* The same map, seen once more: it says nothing of the new bytes. */
	mapped_files_see(&m, &rec);
	mapped_files_settle(&m);
	assert_int_equal(mapped_files_nr(&m), 1);
	again = map_of(path, 9);
	mapped_files_see(&m, &again);
	mapped_files_settle(&m);
	assert_int_equal(mapped_files_nr(&m), 2);
	save(&m, &info, &n);
	first = embedded_files_find(&n, &rec.mmap, 5);
	second = embedded_files_find(&n, &again.mmap, 9);
	assert_true(first && second && first != second);
	assert_int_equal(second->identity.size_bytes, first->identity.size_bytes + 100);
	/* It was copied: its time was not an hour ago. */
	assert_non_null(first->symbols.data);
	assert_null(second->symbols.data);
	embedded_files_fini(&n);
	perfdata_info_fini(&info);
	other = map_of("/", 1);
	other.mmap.filename = "[vdso]";
	mapped_files_see(&m, &other);
	assert_int_equal(mapped_files_nr(&m), 2);
	mapped_files_fini(&m);
}

/* One without a build-id. */
static const char *put_nameless(const char *name)
{
	const char *path = put(name, 0);
	size_t size;
	char *bytes;
	FILE *f;

	assert_int_equal(io_read_file(path, 1 << 20, &bytes, &size), 0);
	for (char *note; (note = memmem(bytes, size, "\3\0\0\0GNU", 8));)
		note[4] = 'X';
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
	fclose(f);
	free(bytes);
	return path;
}

static void change_ctime(const char *path)
{
	struct stat was, now;

	assert_int_equal(stat(path, &was), 0);
	do {
		assert_int_equal(chmod(path, 0640), 0);
		assert_int_equal(stat(path, &now), 0);
	} while (now.st_ctim.tv_nsec == was.st_ctim.tv_nsec);
}

/* Without a build-id a reader refuses a file whose status changed while it was recorded: what is known of it is saved. */
static void test_relinked(void **state)
{
	const char *path = put_nameless("relinked");
	struct record rec = map_of(path, 5);
	const struct embedded_file *row;
	struct perfdata_info info;
	struct embedded_files n;
	struct mapped_files m;

	(void)state;
	mapped_files_init(&m);
	mapped_files_see(&m, &rec);
	assert_int_equal(mapped_files_get(&m, 0)->build_id_size, 0);
	change_ctime(path);
	save(&m, &info, &n);
	row = embedded_files_find(&n, &rec.mmap, 5);
	assert_non_null(row);
	assert_non_null(row->symbols.data);
	embedded_files_fini(&n);
	perfdata_info_fini(&info);
	mapped_files_fini(&m);
}

/* Its status changes after the recording: the sum of its contents says whether it is the same. */
static void test_summed(void **state)
{
	const char *path = put_nameless("summed");
	struct record rec = map_of(path, 5);
	struct file_identity was = { 0 }, now;
	const struct embedded_file *row;
	struct perfdata_info info;
	struct embedded_files n;
	struct mapped_files m;
	int fd;

	(void)state;
	mapped_files_init(&m);
	mapped_files_see(&m, &rec);
	file_identity_set_stat(&was, &mapped_files_get(&m, 0)->opened.st);
	save(&m, &info, &n);
	row = embedded_files_find(&n, &rec.mmap, 5);
	assert_non_null(row);
	assert_null(row->symbols.data);
	assert_true(row->identity.state & EMBEDDED_FILE_SUMMED);
	was.content_sum = row->identity.content_sum;
	was.known |= IDENTITY_SUM;
	change_ctime(path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(file_identity_of_fd(fd, &now), 0);
	assert_true(file_identity_wants_sum(&was, &now));
	assert_true(file_identity_check(&was, &now, path, NULL) < 0);
	file_identity_add_sum(&now, fd);
	assert_int_equal(file_identity_check(&was, &now, path, NULL), 0);
	now.content_sum++;
	assert_true(file_identity_check(&was, &now, path, NULL) < 0);
	close(fd);
	embedded_files_fini(&n);
	perfdata_info_fini(&info);
	mapped_files_fini(&m);
}

/* By the time that somebody looks, the process has another file mapped there: it ran another program. */
static void test_other_map(void **state)
{
	int fd = open(put("other", 0), O_RDONLY | O_CLOEXEC);
	void *map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	struct record rec = map_of(put("other", 0), 5);
	struct mapped_files m;

	(void)state;
	assert_true(map != MAP_FAILED);
	close(fd);
	rec.mmap.pid = (uint32_t)getpid();
	rec.mmap.start = (uintptr_t)map;
	rec.mmap.len = 4096;
	rec.mmap.filename = "/nonexistent/first";
	for (int is_other = 0; is_other < 2; is_other++) {
		/* Users other than root may not look at maps. */
		bool is_found = !is_other && geteuid() == 0;

		mapped_files_init(&m);
		rec.mmap.ino += (uint64_t)is_other;
		mapped_files_see(&m, &rec);
		assert_int_equal(mapped_files_get(&m, 0)->opened.fd >= 0, is_found);
		mapped_files_fini(&m);
	}
	munmap(map, 4096);
}

/* Written and mapped again and again: it is followed for a while, then it is lost. */
static void test_rewritten_too_often(void **state)
{
	const char *path = put("often", 0);
	struct mapped_files m;
	struct record rec;

	(void)state;
	mapped_files_init(&m);
	for (uint64_t i = 0; i < 600; i++) {
		put("often", i);
		rec = map_of(path, 10 + i);
		mapped_files_see(&m, &rec);
		mapped_files_settle(&m);
	}
	assert_true(mapped_files_nr(&m) > 20 && mapped_files_nr(&m) < 300); /* by the limit of open files */
	assert_true(mapped_files_get(&m, mapped_files_nr(&m) - 1)->is_lost);
	mapped_files_fini(&m);
}

/* Another file has the path by the time that somebody looks. */
static void test_too_late(void **state)
{
	const char *path = put("late", 0);
	struct record rec = map_of(path, 5);
	struct perfdata_info info;
	struct embedded_files n;
	struct mapped_files m;

	(void)state;
	mapped_files_init(&m);
	rec.mmap.ino++;
	mapped_files_see(&m, &rec);
	assert_int_equal(mapped_files_get(&m, 0)->opened.fd, -1);
	save(&m, &info, &n);
	assert_int_equal(info.build_ids.nr, 0);
	assert_int_equal(m.nr_unsaved, 1);
	embedded_files_fini(&n);
	perfdata_info_fini(&info);
	mapped_files_fini(&m);
	/* The same inode, but written after it was mapped. */
	mapped_files_init(&m);
	rec = map_of(path, 5);
	m.watch.knows_wall = true;
	m.watch.wall_offset_ns = (int64_t)(time(NULL) - 1000) * 1000000000;
	mapped_files_see(&m, &rec);
	assert_int_equal(mapped_files_get(&m, 0)->opened.fd, -1);
	mapped_files_fini(&m);
}

/* Code that a program writes to memory with a name: Erlang maps it twice, once to be written. A library in such memory is a file. */
static void test_memory(void **state)
{
	struct record rec = map_of("/", 5);
	struct perfdata_info info;
	struct embedded_files n;
	struct mapped_files m;

	(void)state;
	mapped_files_init(&m);
	rec.mmap.filename = "/memfd:vmem (deleted)";
	rec.mmap.flags = MAP_SHARED;
	mapped_files_see(&m, &rec);
	save(&m, &info, &n);
	assert_int_equal(mapped_files_nr(&m), 0);
	assert_int_equal(m.nr_unsaved, 0);
	embedded_files_fini(&n);
	perfdata_info_fini(&info);
	rec.mmap.flags = MAP_PRIVATE;
	mapped_files_see(&m, &rec);
	save(&m, &info, &n);
	assert_int_equal(m.nr_unsaved, 1);
	embedded_files_fini(&n);
	perfdata_info_fini(&info);
	mapped_files_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_unchanged), cmocka_unit_test(test_removed),
					    cmocka_unit_test(test_rewritten), cmocka_unit_test(test_rewritten_too_often),
					    cmocka_unit_test(test_relinked),  cmocka_unit_test(test_summed),
					    cmocka_unit_test(test_other_map), cmocka_unit_test(test_too_late),
					    cmocka_unit_test(test_memory) };

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
