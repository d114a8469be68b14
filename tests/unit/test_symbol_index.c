/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/symbol_index.h on a directory of its own: what is put in comes out again, in another run too; damage, other owners and
 * other stamps do not; several threads and processes that write at once lose nothing; the whole stays below its limit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "symbols/symbol_index.h"
#include "symbols/symbol_index_file.h"
#include "symbols/symtab.h"

static char home[64];

static int make_home(void **state)
{
	(void)state;
	strcpy(home, "/tmp/assay-test-index-XXXXXX");
	if (!mkdtemp(home))
		return -1;
	setenv("XDG_CACHE_HOME", home, 1);
	unsetenv("ASSAY_CACHE");
	unsetenv("ASSAY_CACHE_SIZE");
	return 0;
}

static int remove_home(void **state)
{
	char *command = mem_printf("chmod -R u+rwx %s; rm -rf %s", home, home);
	int status = system(command);

	(void)state;
	free(command);
	return status;
}

static struct build_id id_of(uint8_t n)
{
	uint8_t bytes[20];

	memset(bytes, n, sizeof(bytes));
	return build_id_of(bytes, sizeof(bytes));
}

static char *path_of(const struct build_id *id)
{
	struct index_id own = index_id_of(id);
	char name[INDEX_NAME_SIZE];

	index_file_name(&own, name);
	return mem_printf("%s/assay/%s", home, name);
}

#define GONE 0

/* A file that nobody can read: told from others by its inode alone. GONE: there is none. */
static struct symbol_index *open_as(const struct build_id *id, uint64_t inode)
{
	struct index_files source = { .runtime = { .device = 1, .inode = inode, .size_bytes = 100 }, .runtime_fd = -1, .debug_fd = -1 };

	return inode == GONE ? symbol_index_open_gone(id, &(struct file_identity){ 0 }) : symbol_index_open(id, &source);
}

static void put(uint8_t n, uint64_t stamp, enum index_part part, uint64_t key, const void *bytes, size_t size)
{
	struct build_id id = id_of(n);
	struct symbol_index *x = open_as(&id, stamp);

	assert_non_null(x);
	symbol_index_set_name(x, "/usr/lib/some.so");
	symbol_index_add(x, part, key, bytes, size);
	symbol_index_close(x);
}

static bool has(uint8_t n, uint64_t stamp, enum index_part part, uint64_t key, const char *text)
{
	struct build_id id = id_of(n);
	struct symbol_index *x = open_as(&id, stamp);
	const char *found;
	size_t size = 0;
	bool ok;

	assert_non_null(x);
	found = symbol_index_find(x, part, key, &size);
	assert_int_equal((uintptr_t)found % 8, 0);
	ok = found && size == strlen(text) && memcmp(found, text, size) == 0;
	symbol_index_close(x);
	return ok;
}

static void test_round_trip(void **state)
{
	struct build_id id = id_of(1);
	struct symbol_index *x = open_as(&id, 7);
	struct index_entry *entries;
	uint32_t nr;
	size_t size;

	(void)state;
	assert_null(symbol_index_find(x, INDEX_SYMBOLS, 0, &size));
	symbol_index_add(x, INDEX_SYMBOLS, 0, "symbols", 7);
	symbol_index_add(x, INDEX_SOURCE_UNIT, 99, "unit", 4);
	symbol_index_add(x, INDEX_SOURCE_UNIT, 12, "", 0);
	/* Found at once; a second of the same key changes nothing. */
	symbol_index_add(x, INDEX_SYMBOLS, 0, "other", 5);
	assert_memory_equal(symbol_index_find(x, INDEX_SYMBOLS, 0, &size), "symbols", 7);
	symbol_index_set_name(x, "/bin/x");
	symbol_index_close(x);
	assert_true(has(1, 7, INDEX_SYMBOLS, 0, "symbols"));
	assert_true(has(1, 7, INDEX_SOURCE_UNIT, 99, "unit"));
	assert_true(has(1, 7, INDEX_SOURCE_UNIT, 12, ""));
	assert_false(has(1, 7, INDEX_SOURCE_UNIT, 13, ""));
	/* More is added to what is there; the name stays. */
	put(1, 7, INDEX_UNWIND, 0, "rows", 4);
	assert_true(has(1, 7, INDEX_UNWIND, 0, "rows"));
	assert_true(has(1, 7, INDEX_SYMBOLS, 0, "symbols"));
	assert_int_equal(symbol_index_list(&entries, &nr, NULL), 0);
	assert_int_equal(nr, 1);
	assert_string_equal(entries[0].name, "/usr/lib/some.so");
	assert_int_equal(entries[0].nr_parts[INDEX_SYMBOLS], 1);
	assert_int_equal(entries[0].nr_parts[INDEX_SOURCE_UNIT], 2);
	assert_int_equal(entries[0].nr_parts[INDEX_UNWIND], 1);
	assert_false(entries[0].is_damaged);
	assert_int_equal(symbol_index_verify(&entries[0], NULL), 0);
	assert_int_equal(symbol_index_remove(&entries[0], NULL), 0);
	symbol_index_list_free(entries, nr);
	assert_false(has(1, 7, INDEX_UNWIND, 0, "rows"));
}

static void test_stamps(void **state)
{
	(void)state;
	put(1, 7, INDEX_SYMBOLS, 0, "old", 3);
	put(1, 7, INDEX_SYMBOLS, 1, "old one", 7);
	assert_false(has(1, 8, INDEX_SYMBOLS, 0, "old"));
	/* What is known of one file speaks for it when it is gone; two files that nobody can compare do not. */
	assert_true(has(1, GONE, INDEX_SYMBOLS, 0, "old"));
	put(1, 8, INDEX_SYMBOLS, 0, "new", 3);
	assert_true(has(1, 7, INDEX_SYMBOLS, 0, "old"));
	assert_true(has(1, 7, INDEX_SYMBOLS, 1, "old one"));
	assert_true(has(1, 8, INDEX_SYMBOLS, 0, "new"));
	assert_false(has(1, 8, INDEX_SYMBOLS, 1, "old one"));
	assert_false(has(1, GONE, INDEX_SYMBOLS, 0, "old"));
	assert_false(has(1, GONE, INDEX_SYMBOLS, 0, "new"));
	/* Nothing is added for a file that is gone. */
	put(2, GONE, INDEX_SYMBOLS, 5, "x", 1);
	assert_false(has(2, GONE, INDEX_SYMBOLS, 5, "x"));
	/* Of too many, the oldest go. */
	for (uint64_t i = 1; i <= INDEX_MAX_ORIGINS + 3; i++)
		put(3, i, INDEX_UNWIND, 0, "rows", 4);
	assert_false(has(3, 3, INDEX_UNWIND, 0, "rows"));
	assert_true(has(3, 4, INDEX_UNWIND, 0, "rows"));
	assert_true(has(3, INDEX_MAX_ORIGINS + 3, INDEX_UNWIND, 0, "rows"));
}

static void test_ids(void **state)
{
	struct build_id none = { 0 }, small = build_id_of((const uint8_t *)"1234567", 7), padded = id_of(3), id = id_of(3);
	struct symbol_index *x;
	size_t size;

	(void)state;
	assert_null(open_as(&none, GONE));
	assert_null(open_as(&small, GONE));
	assert_null(symbol_index_open_id(&none));
	assert_null(symbol_index_open(&id, &(struct index_files){ .runtime_fd = -1, .debug_fd = -1 }));
	symbol_index_add(NULL, INDEX_SYMBOLS, 0, "x", 1);
	assert_null(symbol_index_find(NULL, INDEX_SYMBOLS, 0, &size));
	symbol_index_close(NULL);
	/* Old recordings pad ids with zeros. */
	memset(padded.bytes + 16, 0, 4);
	id = padded;
	id.size = 16;
	x = open_as(&id, 1);
	symbol_index_add(x, INDEX_SYMBOLS, 0, "x", 1);
	symbol_index_close(x);
	x = open_as(&padded, 1);
	assert_non_null(symbol_index_find(x, INDEX_SYMBOLS, 0, &size));
	symbol_index_close(x);
}

static void write_bytes(const char *path, const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(io_write(fd, bytes, size, NULL), 0);
	close(fd);
}

/* Each flipped bit and each cut is noticed: what is found is what was put in, or nothing; and it is mended by the next save. */
static void test_damage(void **state)
{
	struct build_id id = id_of(4);
	char *path = path_of(&id), *whole;
	struct errbuf eb = { 0 };
	struct index_entry e = { .id = index_id_of(&id), .path = path };
	uint32_t nr_lost = 0;
	size_t size;

	(void)state;
	put(4, 1, INDEX_SYMBOLS, 0, "abcdefgh", 8);
	put(4, 1, INDEX_UNWIND, 0, "ijkl", 4);
	assert_int_equal(io_read_file(path, 1 << 20, &whole, &size), 0);
	for (size_t bit = 0; bit < size * 8; bit++) {
		bool symbols, unwind;

		whole[bit / 8] ^= (char)(1 << bit % 8);
		write_bytes(path, whole, size);
		whole[bit / 8] ^= (char)(1 << bit % 8);
		symbols = has(4, 1, INDEX_SYMBOLS, 0, "abcdefgh");
		unwind = has(4, 1, INDEX_UNWIND, 0, "ijkl");
		errbuf_clear(&eb);
		if (!symbols || !unwind) {
			nr_lost++;
			assert_int_equal(symbol_index_verify(&e, &eb), -EBADMSG);
			assert_non_null(strstr(eb.text, path));
		}
	}
	/* All but the bits of the padding behind the parts and the name */
	assert_true(nr_lost > size * 8 - 2 * 7 * 8 - 64);
	for (size_t cut = 0; cut < size; cut++) {
		write_bytes(path, whole, cut);
		assert_false(has(4, 1, INDEX_SYMBOLS, 0, "abcdefgh"));
	}
	put(4, 1, INDEX_SYMBOLS, 0, "again", 5);
	assert_true(has(4, 1, INDEX_SYMBOLS, 0, "again"));
	free(whole);
	free(path);
}

/* One damaged part leaves the others, and is not carried on. */
static void test_damaged_part(void **state)
{
	struct build_id id = id_of(4);
	char *path = path_of(&id), *whole, *at;
	struct index_entry e = { .id = index_id_of(&id), .path = path };
	size_t size;

	(void)state;
	put(4, 1, INDEX_SYMBOLS, 0, "abcdefgh", 8);
	put(4, 1, INDEX_UNWIND, 0, "ijklmnop", 8);
	assert_int_equal(io_read_file(path, 1 << 20, &whole, &size), 0);
	at = memmem(whole, size, "ijklmnop", 8);
	assert_non_null(at);
	*at = 'X';
	write_bytes(path, whole, size);
	assert_true(has(4, 1, INDEX_SYMBOLS, 0, "abcdefgh"));
	assert_false(has(4, 1, INDEX_UNWIND, 0, "Xjklmnop"));
	put(4, 1, INDEX_SOURCE_UNIT, 0, "unit", 4);
	assert_int_equal(symbol_index_verify(&e, NULL), 0);
	assert_true(has(4, 1, INDEX_SYMBOLS, 0, "abcdefgh"));
	free(whole);
	free(path);
}

/* Files and directories that others can write to are not believed, nor other kinds of files followed. */
static void test_trust(void **state)
{
	struct build_id id = id_of(5);
	char *path = path_of(&id), *dir = mem_printf("%s/assay", home), *other = mem_printf("%s/other", home);
	struct stat st;

	(void)state;
	put(5, 1, INDEX_SYMBOLS, 0, "abc", 3);
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_true(has(5, 1, INDEX_SYMBOLS, 0, "abc"));
	chmod(path, 0620);
	assert_false(has(5, 1, INDEX_SYMBOLS, 0, "abc"));
	chmod(path, 0600);
	chmod(dir, 0770);
	assert_false(has(5, 1, INDEX_SYMBOLS, 0, "abc"));
	chmod(dir, 0700);
	if (geteuid() == 0) {
		assert_int_equal(chown(path, 1, 1), 0);
		assert_false(has(5, 1, INDEX_SYMBOLS, 0, "abc"));
		assert_int_equal(chown(path, 0, 0), 0);
		assert_int_equal(chown(dir, 1, 1), 0);
		assert_false(has(5, 1, INDEX_SYMBOLS, 0, "abc"));
		assert_int_equal(symbol_index_list(&(struct index_entry *){ NULL }, &(uint32_t){ 0 }, NULL), -EPERM);
		assert_int_equal(chown(dir, 0, 0), 0);
	}
	assert_true(has(5, 1, INDEX_SYMBOLS, 0, "abc"));
	assert_int_equal(rename(path, other), 0);
	assert_int_equal(symlink(other, path), 0);
	assert_false(has(5, 1, INDEX_SYMBOLS, 0, "abc"));
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_false(has(5, 1, INDEX_SYMBOLS, 0, "abc"));
	free(path);
	free(dir);
	free(other);
}

static void test_no_cache(void **state)
{
	struct build_id id = id_of(6);
	char *old_home = mem_strdup(getenv("HOME") ? getenv("HOME") : "/");
	struct symbol_index *x;
	char *dir;

	(void)state;
	setenv("ASSAY_CACHE", "off", 1);
	assert_null(open_as(&id, 1));
	unsetenv("ASSAY_CACHE");
	setenv("XDG_CACHE_HOME", "relative", 1);
	setenv("HOME", home, 1);
	dir = symbol_index_directory();
	assert_non_null(strstr(dir, "/.cache/assay"));
	free(dir);
	/* Made below a home; */
	put(6, 1, INDEX_SYMBOLS, 0, "abc", 3);
	assert_true(has(6, 1, INDEX_SYMBOLS, 0, "abc"));
	unsetenv("HOME");
	assert_null(open_as(&id, 1));
	/* nothing, silently, where none can be made. */
	setenv("HOME", "/proc/self", 1);
	x = open_as(&id, 1);
	symbol_index_add(x, INDEX_SYMBOLS, 0, "abc", 3);
	symbol_index_close(x);
	setenv("HOME", old_home, 1);
	setenv("XDG_CACHE_HOME", home, 1);
	free(old_home);
}

#define NR_KEYS 30

static void write_keys(uint8_t from)
{
	for (uint32_t i = 0; i < NR_KEYS; i++) {
		char text[32];

		snprintf(text, sizeof(text), "%u of %u", i, from);
		put(7, 1, INDEX_SOURCE_UNIT, from * 1000u + i, text, strlen(text));
	}
}

static void *write_keys_thread(void *arg)
{
	write_keys((uint8_t)(uintptr_t)arg);
	return NULL;
}

static void read_while_written(void)
{
	struct build_id id = id_of(7);

	for (uint32_t i = 0; i < 300; i++) {
		struct symbol_index *x = open_as(&id, 1);
		size_t size;
		const char *text = symbol_index_find(x, INDEX_SOURCE_UNIT, 1000, &size);

		if (text && (size != 6 || memcmp(text, "0 of 1", 6) != 0))
			_exit(1);
		symbol_index_close(x);
	}
}

/* Two processes with two threads each write one index while a third reads it: nothing is ever half there, nor lost. */
static void test_concurrency(void **state)
{
	struct index_entry *entries;
	uint32_t nr_lost = 0, nr;
	pid_t pids[3];
	int status;

	(void)state;
	for (uint32_t p = 0; p < 3; p++) {
		pids[p] = fork();
		if (pids[p] == 0) {
			pthread_t thread;

			if (p == 2) {
				read_while_written();
				_exit(0);
			}
			pthread_create(&thread, NULL, write_keys_thread, (void *)(uintptr_t)(p * 2 + 1));
			write_keys((uint8_t)(p * 2 + 2));
			pthread_join(thread, NULL);
			_exit(0);
		}
	}
	for (uint32_t p = 0; p < 3; p++) {
		assert_int_equal(waitpid(pids[p], &status, 0), pids[p]);
		assert_int_equal(status, 0);
	}
	for (uint32_t from = 1; from <= 4; from++) {
		for (uint32_t i = 0; i < NR_KEYS; i++) {
			char text[32];

			snprintf(text, sizeof(text), "%u of %u", i, from);
			nr_lost += !has(7, 1, INDEX_SOURCE_UNIT, from * 1000 + i, text);
		}
	}
	assert_int_equal(nr_lost, 0);
	assert_int_equal(symbol_index_list(&entries, &nr, NULL), 0);
	assert_int_equal(nr, 1);
	assert_int_equal(symbol_index_verify(&entries[0], NULL), 0);
	assert_int_equal(entries[0].nr_parts[INDEX_SOURCE_UNIT], 4 * NR_KEYS);
	symbol_index_list_free(entries, nr);
}

/* Who writes one index holds up nobody who writes another; and two of the same one another. */
static void test_locks(void **state)
{
	struct build_id ids[] = { id_of(1), id_of(2) };
	struct index_id one = index_id_of(&ids[0]), two = index_id_of(&ids[1]);
	struct timespec start, end;
	int dir, lock, other;

	(void)state;
	put(1, 1, INDEX_SYMBOLS, 0, "abc", 3);
	dir = index_dir_open(false, NULL);
	assert_true(dir >= 0);
	lock = index_dir_lock(dir, &one);
	assert_true(lock >= 0);
	other = index_dir_lock(dir, &two);
	assert_true(other >= 0);
	close(other);
	clock_gettime(CLOCK_MONOTONIC, &start);
	put(2, 1, INDEX_SYMBOLS, 0, "abc", 3);
	assert_true(has(2, 1, INDEX_SYMBOLS, 0, "abc"));
	/* What cannot be written without taking others' work is not written. */
	put(1, 1, INDEX_SYMBOLS, 1, "more", 4);
	clock_gettime(CLOCK_MONOTONIC, &end);
	assert_true(end.tv_sec - start.tv_sec >= 4);
	close(lock);
	assert_false(has(1, 1, INDEX_SYMBOLS, 1, "more"));
	put(1, 1, INDEX_SYMBOLS, 1, "more", 4);
	assert_true(has(1, 1, INDEX_SYMBOLS, 1, "more"));
	assert_true(has(1, 1, INDEX_SYMBOLS, 0, "abc"));
	close(dir);
}

/* Nothing is made in a home (or a cache) of somebody else; XDG_CACHE_HOME may be made below a directory of the system. */
static void test_foreign_home(void **state)
{
	char *old_home = mem_strdup(getenv("HOME") ? getenv("HOME") : "/"), *theirs = mem_printf("%s/theirs", home),
	     *cache = mem_printf("%s/.cache", theirs), *mine = mem_printf("%s/new", home);

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(mkdir(theirs, 0755), 0);
	assert_int_equal(chown(theirs, 1, 1), 0);
	setenv("HOME", theirs, 1);
	unsetenv("XDG_CACHE_HOME");
	put(1, 1, INDEX_SYMBOLS, 0, "abc", 3);
	assert_int_equal(access(cache, F_OK), -1);
	setenv("XDG_CACHE_HOME", cache, 1);
	put(1, 1, INDEX_SYMBOLS, 0, "abc", 3);
	assert_int_equal(access(cache, F_OK), -1);
	setenv("XDG_CACHE_HOME", theirs, 1);
	put(1, 1, INDEX_SYMBOLS, 0, "abc", 3);
	assert_int_equal(rmdir(theirs), 0);
	setenv("XDG_CACHE_HOME", mine, 1);
	put(1, 1, INDEX_SYMBOLS, 0, "abc", 3);
	assert_true(has(1, 1, INDEX_SYMBOLS, 0, "abc"));
	setenv("HOME", old_home, 1);
	setenv("XDG_CACHE_HOME", home, 1);
	free(old_home);
	free(theirs);
	free(cache);
	free(mine);
}

static void set_age(uint8_t n, time_t seconds)
{
	struct build_id id = id_of(n);
	char *path = path_of(&id);
	struct timespec times[2] = { { .tv_sec = time(NULL) - seconds }, { .tv_sec = time(NULL) - seconds } };

	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	free(path);
}

/* Ten of 10 kB do not fit 64 kB: those that were not used for longest go, and a use counts. */
static void test_limit(void **state)
{
	static char bytes[10000];
	struct index_entry *entries;
	uint64_t total = 0;
	char *leftover = mem_printf("%s/assay/.dead.tmp", home);
	struct timespec old[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
	size_t size;
	uint32_t nr;

	(void)state;
	setenv("ASSAY_CACHE_SIZE", "64k", 1);
	assert_int_equal(symbol_index_limit(), 64 << 10);
	for (uint8_t n = 1; n <= 6; n++) {
		put(n, 1, INDEX_SYMBOLS, 0, bytes, sizeof(bytes));
		set_age(n, 100000 - n * 1000);
	}
	struct build_id id = id_of(1);
	struct symbol_index *x = open_as(&id, 1);

	assert_non_null(symbol_index_find(x, INDEX_SYMBOLS, 0, &size));
	symbol_index_close(x);
	write_bytes(leftover, "", 0);
	assert_int_equal(utimensat(AT_FDCWD, leftover, old, 0), 0);
	put(7, 1, INDEX_SYMBOLS, 0, bytes, sizeof(bytes));
	assert_int_equal(access(leftover, F_OK), -1);
	assert_int_equal(symbol_index_list(&entries, &nr, NULL), 0);
	assert_in_range(nr, 3, 6);
	for (uint32_t i = 0; i < nr; i++)
		total += entries[i].size_bytes;
	assert_true(total <= 64 << 10);
	symbol_index_list_free(entries, nr);
	for (uint8_t n = 1; n <= 7; n++) {
		char *path;

		id = id_of(n);
		path = path_of(&id);
		/* 2 and 3 were the oldest; 1 was just used, 7 just written. */
		if (n == 2 || n == 3)
			assert_int_equal(access(path, F_OK), -1);
		if (n == 1 || n == 7)
			assert_int_equal(access(path, F_OK), 0);
		free(path);
	}
	/* One that is larger than half of all is not kept at all. */
	setenv("ASSAY_CACHE_SIZE", "15000", 1);
	put(8, 1, INDEX_SYMBOLS, 0, bytes, sizeof(bytes));
	assert_int_equal(symbol_index_list(&entries, &nr, NULL), 0);
	for (uint32_t i = 0; i < nr; i++)
		assert_int_not_equal(entries[i].id.bytes[0], 8);
	symbol_index_list_free(entries, nr);
	setenv("ASSAY_CACHE_SIZE", "much", 1);
	assert_int_equal(symbol_index_limit(), 1 << 30);
	unsetenv("ASSAY_CACHE_SIZE");
	free(leftover);
}

static void test_flat_symbols(void **state)
{
	struct symtab *t = symtab_new(), *v = symtab_new(), *bad;
	uint8_t *flat, *copy;
	size_t size;

	(void)state;
	symtab_add(t, 100, 200, "outer", 5, SYMBOL_GLOBAL, SYMBOL_FUNCTION);
	symtab_add(t, 120, 130, "_Z5innerv", 9, SYMBOL_LOCAL, SYMBOL_FUNCTION);
	symtab_add(t, 300, 300, "label", 5, SYMBOL_WEAK, SYMBOL_LABEL);
	symtab_finish(t, false);
	flat = symtab_flatten(t, &size);
	assert_non_null(flat);
	assert_int_equal(symtab_view(v, flat, size, 0), 0);
	assert_int_equal(v->symbols.nr, 3);
	for (uint64_t addr = 90; addr < 400; addr++) {
		const struct symbol *a = symtab_find(t, addr), *b = symtab_find(v, addr);

		assert_int_equal(!a, !b);
		if (a) {
			assert_string_equal(a->name, b->name);
			assert_int_equal(a->start, b->start);
			assert_int_equal(a->end, b->end);
			assert_int_equal(a->kind, b->kind);
			assert_int_equal(a->binding, b->binding);
		}
	}
	assert_string_equal(symtab_at(v, 0)->name, "outer");
	assert_string_equal(symtab_at(v, 2)->name, "label");
	symtab_fill(v);
	assert_int_equal(v->symbols.nr, 3);
	assert_string_equal(v->symbols.v[2].name, "label");
	assert_string_equal(symtab_find(v, 125)->name, "_Z5innerv");
	symtab_free(v);
	v = symtab_new();
	assert_int_equal(symtab_view(v, flat, size, 0ULL - 1000), 0);
	assert_string_equal(symtab_find(v, 125 - 1000ULL)->name, "_Z5innerv");
	symtab_free(v);
	/* Some would be at the end of the address space and some at its beginning. */
	v = symtab_new();
	assert_int_equal(symtab_view(v, flat, size, 0ULL - 200), -EBADMSG);
	assert_int_equal(v->symbols.nr, 0);
	symtab_free(v);
	/* Hostile bytes: taken with some change that does no harm, or refused. */
	copy = mem_alloc(size);
	for (size_t i = 0; i < size; i++) {
		for (unsigned int bit = 0; bit < 8; bit++) {
			memcpy(copy, flat, size);
			copy[i] ^= (uint8_t)(1 << bit);
			bad = symtab_new();
			if (symtab_view(bad, copy, size, 0) == 0)
				for (uint64_t addr = 90; addr < 400; addr++)
					symtab_find(bad, addr);
			else
				assert_int_equal(bad->symbols.nr, 0);
			symtab_free(bad);
		}
		bad = symtab_new();
		assert_int_equal(symtab_view(bad, flat, i, 0), -EBADMSG);
		symtab_free(bad);
	}
	free(copy);
	free(flat);
	/* What does not fit is not kept. */
	symtab_add(t, 1000, 1000 + (1ULL << 32), "huge", 4, SYMBOL_GLOBAL, SYMBOL_OBJECT);
	symtab_finish(t, false);
	assert_null(symtab_flatten(t, &size));
	symtab_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_round_trip, make_home, remove_home),
		cmocka_unit_test_setup_teardown(test_stamps, make_home, remove_home),
		cmocka_unit_test_setup_teardown(test_ids, make_home, remove_home),
		cmocka_unit_test_setup_teardown(test_damage, make_home, remove_home),
		cmocka_unit_test_setup_teardown(test_damaged_part, make_home, remove_home),
		cmocka_unit_test_setup_teardown(test_trust, make_home, remove_home),
		cmocka_unit_test_setup_teardown(test_no_cache, make_home, remove_home),
		cmocka_unit_test_setup_teardown(test_concurrency, make_home, remove_home),
		cmocka_unit_test_setup_teardown(test_locks, make_home, remove_home),
		cmocka_unit_test_setup_teardown(test_foreign_home, make_home, remove_home),
		cmocka_unit_test_setup_teardown(test_limit, make_home, remove_home),
		cmocka_unit_test(test_flat_symbols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
