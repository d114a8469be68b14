/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The index is not fooled: a file that carries another one's build-id neither gets the other's parts nor gives it its own, whichever
 * comes first; a changed file is another one whatever its mtime says; copies and hard links share; what is gone is believed only
 * where it is known to be the recorded file, or where nothing speaks against it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
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
#include "symbols/symbol_index.h"
#include "symbols/symbol_index_file.h"

static char home[64];
static const struct build_id libc_id = { .bytes = "libc's own build-id", .size = 20 };
static const struct build_id no_id;

static int make_home(void **state)
{
	(void)state;
	strcpy(home, "/tmp/assay-test-origin-XXXXXX");
	if (!mkdtemp(home))
		return -1;
	setenv("XDG_CACHE_HOME", home, 1);
	unsetenv("ASSAY_CACHE");
	return chdir(home);
}

static int remove_home(void **state)
{
	char *command = mem_printf("rm -rf %s", home);
	int status = chdir("/") || system(command);

	(void)state;
	free(command);
	return status;
}

/* A time in whole seconds may be that of a file system that keeps no fractions. Where the kernel's clock advances by whole milliseconds
 * (arm64 guests) one tick in 250 is one. */
static bool has_whole_second(void)
{
	DIR *dir = opendir(".");
	bool has = false;
	struct stat st;

	assert_non_null(dir);
	for (struct dirent *e; (e = readdir(dir));)
		has |= fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !st.st_ctim.tv_nsec;
	closedir(dir);
	return has;
}

/* Files that were changed a moment ago are not kept: waits until these are older. */
static void let_settle(void)
{
	struct timespec left = { .tv_sec = has_whole_second() ? 2 : 0, .tv_nsec = 60000000 };

	while (nanosleep(&left, &left) != 0)
		;
}

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0755);

	assert_true(fd >= 0);
	assert_int_equal(io_write(fd, text, strlen(text), NULL), 0);
	close(fd);
}

static struct index_files source_of(const char *path)
{
	struct index_files s = { .runtime_fd = open(path, O_RDONLY | O_CLOEXEC), .debug_fd = -1 };
	struct stat st;

	assert_true(s.runtime_fd >= 0);
	assert_int_equal(fstat(s.runtime_fd, &st), 0);
	s.runtime = file_stat_of(&st);
	return s;
}

/* Works out the part of a file: what it is, stands in it. */
static void profile(const struct build_id *id, const char *path)
{
	struct index_files s = source_of(path);
	struct symbol_index *x = symbol_index_open(id, &s);
	char text[64] = "";

	assert_non_null(x);
	assert_true(io_pread(s.runtime_fd, text, sizeof(text) - 1, 0) > 0);
	symbol_index_add(x, INDEX_SYMBOLS, 0, text, strlen(text) + 1);
	symbol_index_close(x);
	close(s.runtime_fd);
}

/* What the index has for a file; "" for nothing. */
static const char *found_for(const struct build_id *id, const char *path)
{
	static char text[64];
	struct index_files s = source_of(path);
	struct symbol_index *x = symbol_index_open(id, &s);
	size_t size;
	const char *found = symbol_index_find(x, INDEX_SYMBOLS, 0, &size);

	snprintf(text, sizeof(text), "%s", found ? found : "");
	symbol_index_close(x);
	close(s.runtime_fd);
	return text;
}

static const char *found_gone(const struct build_id *id, const struct file_identity *recorded)
{
	static char text[64];
	struct symbol_index *x = symbol_index_open_gone(id, recorded);
	size_t size;
	const char *found = symbol_index_find(x, INDEX_SYMBOLS, 0, &size);

	snprintf(text, sizeof(text), "%s", found ? found : "");
	symbol_index_close(x);
	return text;
}

static struct file_identity identity_of(const char *path)
{
	struct file_identity id = { 0 };
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	file_identity_set_stat(&id, &st);
	return id;
}

static void test_forged_first(void **state)
{
	struct file_identity unknown = { 0 }, real, mapped;
	struct stat st;

	(void)state;
	write_text("forged", "forged");
	write_text("real", "genuin");
	let_settle();
	profile(&libc_id, "forged");
	/* The same build-id, the same size: and nothing of the other. */
	assert_string_equal(found_for(&libc_id, "real"), "");
	profile(&libc_id, "real");
	assert_string_equal(found_for(&libc_id, "real"), "genuin");
	assert_string_equal(found_for(&libc_id, "forged"), "forged");
	/* Gone: the recording knows which one it was, or neither is believed. */
	real = identity_of("real");
	assert_int_equal(stat("real", &st), 0);
	mapped = file_identity_of_map(major(st.st_dev), minor(st.st_dev), st.st_ino, 0);
	unlink("real");
	assert_string_equal(found_gone(&libc_id, &real), "genuin");
	assert_string_equal(found_gone(&libc_id, &mapped), "genuin");
	mapped.known |= IDENTITY_UNCHANGED_AT;
	mapped.unchanged_at_ns = real.stat.ctime_ns;
	assert_string_equal(found_gone(&libc_id, &mapped), "genuin");
	mapped.unchanged_at_ns--;
	assert_string_equal(found_gone(&libc_id, &mapped), "");
	mapped.known &= ~(uint32_t)IDENTITY_UNCHANGED_AT;
	mapped.minor++;
	assert_string_equal(found_gone(&libc_id, &mapped), "");
	assert_string_equal(found_gone(&libc_id, &unknown), "");
}

static void test_forged_only(void **state)
{
	struct file_identity real;

	(void)state;
	write_text("forged", "forged");
	write_text("real", "genuin");
	let_settle();
	profile(&libc_id, "forged");
	real = identity_of("real");
	unlink("real");
	assert_string_equal(found_gone(&libc_id, &real), "");
}

/* Written over in place, with its old size and mtime: ctime tells. */
static void test_touched_back(void **state)
{
	struct stat st;

	(void)state;
	write_text("prog", "first_");
	let_settle();
	profile(&libc_id, "prog");
	profile(&no_id, "prog");
	assert_int_equal(stat("prog", &st), 0);
	write_text("prog", "second");
	assert_int_equal(utimensat(AT_FDCWD, "prog", (struct timespec[]){ st.st_atim, st.st_mtim }, 0), 0);
	let_settle();
	assert_string_equal(found_for(&libc_id, "prog"), "");
	assert_string_equal(found_for(&no_id, "prog"), "");
	profile(&libc_id, "prog");
	assert_string_equal(found_for(&libc_id, "prog"), "second");
}

/* Copies and links have the same contents: they share, and the sums are made once. */
static void test_copies(void **state)
{
	struct file_identity unknown = { 0 };
	struct index_entry *entries;
	uint32_t nr;

	(void)state;
	write_text("prog", "the same");
	write_text("copy", "the same");
	let_settle();
	profile(&libc_id, "prog");
	assert_string_equal(found_for(&libc_id, "copy"), "the same");
	assert_int_equal(link("prog", "linked"), 0); /* changes the ctime of both */
	assert_string_equal(found_for(&libc_id, "linked"), "the same");
	assert_string_equal(found_for(&libc_id, "prog"), "the same");
	let_settle();
	assert_string_equal(found_for(&libc_id, "linked"), "the same");
	assert_int_equal(symbol_index_list(&entries, &nr, NULL), 0);
	assert_int_equal(nr, 1);
	/* prog (its earlier state is no more) and copy */
	assert_int_equal(entries[0].nr_parts[INDEX_ORIGINS], 2);
	assert_int_equal(entries[0].nr_parts[INDEX_SYMBOLS], 1);
	symbol_index_list_free(entries, nr);
	/* All agree, so they are believed without the file. */
	assert_string_equal(found_gone(&libc_id, &unknown), "the same");
}

/* Without a build-id a file is known by what stat() says of it. */
static void test_no_build_id(void **state)
{
	struct file_identity unknown = { 0 }, recorded;
	struct index_entry *entries;
	uint32_t nr;

	(void)state;
	write_text("a", "prog a");
	write_text("b", "prog b");
	let_settle();
	profile(&no_id, "a");
	assert_string_equal(found_for(&no_id, "a"), "prog a");
	assert_string_equal(found_for(&no_id, "b"), "");
	assert_int_equal(symbol_index_list(&entries, &nr, NULL), 0);
	assert_int_equal(nr, 1);
	assert_true(entries[0].id.is_file);
	assert_int_equal(symbol_index_verify(&entries[0], NULL), 0);
	symbol_index_list_free(entries, nr);
	recorded = identity_of("a");
	unlink("a");
	assert_string_equal(found_gone(&no_id, &recorded), "prog a");
	recorded.known |= IDENTITY_LOST;
	assert_string_equal(found_gone(&no_id, &recorded), "");
	assert_string_equal(found_gone(&no_id, &unknown), "");
}

/* A file that may still change within the grain of its times is not kept. */
static void test_fresh_file(void **state)
{
	struct timespec now;

	(void)state;
	write_text("prog", "fresh");
	profile(&libc_id, "prog");
	clock_gettime(CLOCK_REALTIME, &now);
	/* Where the machine was slow, it is old enough by now. */
	if (now.tv_nsec + now.tv_sec * 1000000000ll - identity_of("prog").stat.ctime_ns < 15000000)
		assert_string_equal(found_for(&libc_id, "prog"), "");
	let_settle();
	profile(&libc_id, "prog");
	assert_string_equal(found_for(&libc_id, "prog"), "fresh");
}

/* Changed while its parts were made: they are of neither state. */
static void test_changed_meanwhile(void **state)
{
	struct index_files s;
	struct symbol_index *x;

	(void)state;
	write_text("prog", "before");
	let_settle();
	s = source_of("prog");
	x = symbol_index_open(&libc_id, &s);
	symbol_index_add(x, INDEX_SYMBOLS, 0, "before", 7);
	write_text("prog", "behind");
	let_settle();
	symbol_index_close(x);
	close(s.runtime_fd);
	assert_string_equal(found_for(&libc_id, "prog"), "");
}

static struct index_origin origin(uint64_t inode, uint64_t debug, uint64_t sum, uint64_t stamp)
{
	return (struct index_origin){ .stamp = stamp,
				      .runtime = { .device = 1, .inode = inode, .size_bytes = inode ? 10 : 0 },
				      .debug = { .device = debug ? 1 : 0, .inode = debug, .size_bytes = debug ? 10 : 0 },
				      .sums = { sum, debug },
				      .has_sums = sum != 0 };
}

static uint32_t believed(const struct index_origin *v, uint32_t nr)
{
	struct file_identity unknown = { 0 };
	uint64_t stamps[INDEX_MAX_ORIGINS];
	struct index_origins all = { 0 };

	for (uint32_t i = 0; i < nr; i++)
		index_origins_add(&all, &v[i]);
	return index_origins_believed(&all, &unknown, stamps);
}

static void test_rules(void **state)
{
	const struct index_origin one_file[] = { origin(1, 0, 0, 10), origin(1, 5, 0, 11) };
	const struct index_origin one_content[] = { origin(1, 0, 7, 10), origin(2, 5, 7, 11) };
	const struct index_origin two[] = { origin(1, 0, 7, 10), origin(2, 0, 8, 11) };
	const struct index_origin unsummed[] = { origin(1, 0, 7, 10), origin(2, 0, 0, 11) };
	const struct index_origin only_debug[] = { origin(0, 5, 0, 10) };
	const struct index_origin and_debug[] = { origin(0, 5, 0, 10), origin(1, 5, 0, 11) };
	struct index_origins all;
	uint8_t bytes[3 * sizeof(struct index_origin)] = { 0 };

	(void)state;
	assert_int_equal(believed(one_file, 2), 2);
	assert_int_equal(believed(one_content, 2), 2);
	assert_int_equal(believed(two, 2), 0);
	assert_int_equal(believed(unsummed, 2), 0);
	assert_int_equal(believed(only_debug, 1), 1);
	assert_int_equal(believed(and_debug, 2), 1);
	assert_int_equal(believed(NULL, 0), 0);
	assert_true(index_origins_read(&all, bytes, sizeof(bytes)));
	assert_int_equal(all.nr, 3);
	assert_false(index_origins_read(&all, bytes, sizeof(bytes) - 1));
	assert_int_equal(all.nr, 0);
	assert_false(index_origins_read(&all, bytes, (INDEX_MAX_ORIGINS + 1) * sizeof(all.v[0])));
	assert_false(index_origins_read(&all, NULL, 0));
}

/* A memfd is never seen again: a run would leave an entry for each. */
static void test_may_keep(void **state)
{
	int memory = memfd_create("copy", MFD_CLOEXEC);
	struct index_files source = { .runtime_fd = memory, .debug_fd = -1 };
	struct stat st;

	(void)state;
	assert_true(index_may_keep(-1));
	assert_false(index_may_keep(1 << 20)); /* what cannot be asked is not kept */
	assert_true(memory >= 0);
	assert_int_equal(fstat(memory, &st), 0);
	source.runtime = file_stat_of(&st);
	assert_null(symbol_index_open(&libc_id, &source));
	close(memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_forged_first, make_home, remove_home),
		cmocka_unit_test_setup_teardown(test_forged_only, make_home, remove_home),
		cmocka_unit_test_setup_teardown(test_touched_back, make_home, remove_home),
		cmocka_unit_test_setup_teardown(test_copies, make_home, remove_home),
		cmocka_unit_test_setup_teardown(test_no_build_id, make_home, remove_home),
		cmocka_unit_test_setup_teardown(test_fresh_file, make_home, remove_home),
		cmocka_unit_test_setup_teardown(test_changed_meanwhile, make_home, remove_home),
		cmocka_unit_test(test_rules),
		cmocka_unit_test_setup_teardown(test_may_keep, make_home, remove_home),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
