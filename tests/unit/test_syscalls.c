/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tables of system calls: numbers against the headers of the machine, what the definitions say against each other, and what is read of
 * memory for a call.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "abi/syscall_ids.h"
#include "abi/syscalls.h"

#define NAME_MAX_BYTES 64

static uint32_t find_number(enum syscall_abi abi, const char *name)
{
	for (uint32_t nr = 0; nr < syscall_limit(abi); nr++)
		if (syscall_get(abi, nr) && !strcmp(syscall_get(abi, nr)->name, name))
			return nr;
	return UINT32_MAX;
}

static const struct syscall_def *get(enum syscall_abi abi, const char *name)
{
	const struct syscall_def *def = syscall_get(abi, find_number(abi, name));

	assert_non_null(def);
	return def;
}

/* Every "#define __NR_name number" of a header is in our table, and every number of ours up to the newest of the header is in it. */
static void check_header(enum syscall_abi abi, const char *path)
{
	FILE *f = fopen(path, "re");
	char line[256], name[NAME_MAX_BYTES];
	bool seen[1024] = { false };
	uint32_t nr, newest = 0;

	if (!f)
		skip();
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "#define __NR_%63[a-z_0-9A-Z] %u", name, &nr) != 2)
			continue;
		assert_in_range(nr, 0, 1023);
		if (nr >= syscall_limit(abi)) /* of a kernel newer than this file */
			continue;
		if (!syscall_get(abi, nr) || strcmp(syscall_get(abi, nr)->name, name))
			fail_msg("%s: %u is %s, the table says %s", path, nr, name,
				 syscall_get(abi, nr) ? syscall_get(abi, nr)->name : "nothing");
		seen[nr] = true;
		newest = nr > newest ? nr : newest;
	}
	fclose(f);
	assert_true(newest >= 424);
	for (nr = 0; nr <= newest; nr++)
		if (syscall_get(abi, nr) && !seen[nr] &&
		    !(abi == SYSCALL_X86_64 && (nr == 335 || nr == 336))) /* uretprobe, uprobe: 6.11, 6.18 */
			fail_msg("%s: has no %u, the table says %s", path, nr, syscall_get(abi, nr)->name);
}

static void test_numbers_x86_64(void **state)
{
	(void)state;
	check_header(SYSCALL_X86_64, "/usr/include/x86_64-linux-gnu/asm/unistd_64.h");
}

static void test_numbers_i386(void **state)
{
	(void)state;
	check_header(SYSCALL_I386, "/usr/include/x86_64-linux-gnu/asm/unistd_32.h");
}

/* The generic list, which arm64 has: some of its numbers are for 32-bit programs, some have a name for each size of a word. */
static bool is_on_arm64(const char *name, uint32_t nr)
{
	return (nr < 403 || nr > 423) && strcmp(name, "arch_specific_syscall") && strcmp(name, "syscalls") &&
	       strcmp(name, "sync_file_range2");
}

static void test_numbers_arm64(void **state)
{
	FILE *f = fopen("/usr/include/asm-generic/unistd.h", "re");
	char line[256], name[NAME_MAX_BYTES];
	uint32_t nr, nr_checked = 0;

	(void)state;
	if (!f)
		skip();
	while (fgets(line, sizeof(line), f)) {
		const char *is_called = name;

		if (sscanf(line, "#define __NR_%63[a-z_0-9] %u", name, &nr) != 2 &&
		    sscanf(line, "#define __NR3264_%63[a-z_0-9] %u", name, &nr) != 2)
			continue;
		if (!is_on_arm64(name, nr) || nr >= syscall_limit(SYSCALL_ARM64))
			continue;
		if (!strcmp(name, "fstatat"))
			is_called = "newfstatat";
		if (!syscall_get(SYSCALL_ARM64, nr) || strcmp(syscall_get(SYSCALL_ARM64, nr)->name, is_called))
			fail_msg("%u is not %s", nr, is_called);
		nr_checked++;
	}
	fclose(f);
	assert_true(nr_checked > 290);
}

static void test_newest_numbers_are_the_same_everywhere(void **state)
{
	(void)state;
	for (uint32_t nr = 424; nr < syscall_limit(SYSCALL_X86_64); nr++)
		for (int abi = 0; abi < SYSCALL_NR_ABIS; abi++)
			assert_string_equal(syscall_get(abi, nr)->name, syscall_get(SYSCALL_X86_64, nr)->name);
	assert_int_equal(find_number(SYSCALL_ARM64, "file_setattr"), 469);
	assert_int_equal(find_number(SYSCALL_X86_64, "uprobe"), 336);
	assert_null(syscall_get(SYSCALL_X86_64, 400));
	assert_null(syscall_get(SYSCALL_X86_64, UINT32_MAX));
}

/* Each definition is used, its lengths are arguments, and its memory fits. */
static void test_definitions_are_whole(void **state)
{
	bool used[SYSCALL_NR_IDS] = { true };

	(void)state;
	for (int abi = 0; abi < SYSCALL_NR_ABIS; abi++)
		for (uint32_t nr = 0; nr < syscall_limit(abi); nr++) {
			const struct syscall_def *def = syscall_get(abi, nr);
			struct syscall_read reads[SYSCALL_MAX_READS];

			if (!def)
				continue;
			used[def - syscall_table] = true;
			assert_in_range(def->nr_args, 0, SYSCALL_MAX_ARGS);
			for (uint32_t i = 0; i < def->nr_args; i++) {
				const struct syscall_arg *a = &def->args[i];

				assert_non_null(a->name);
				assert_true(a->len_arg == SYSCALL_NO_ARG || a->len_arg < def->nr_args);
				assert_int_equal(!!a->flags, a->kind == SYSCALL_ARG_FLAGS || a->kind == SYSCALL_ARG_ENUM ||
								     a->kind == SYSCALL_ARG_FLAGS_MODE);
				if (a->kind == SYSCALL_ARG_STRUCT || a->kind == SYSCALL_ARG_BY_REQUEST)
					assert_int_not_equal(syscall_type_size(abi, a->type), 0);
				if (a->kind == SYSCALL_ARG_BYTES)
					assert_int_not_equal(a->len_arg, SYSCALL_NO_ARG);
			}
			assert_true(syscall_reads(abi, def, reads) <= SYSCALL_MAX_READS);
		}
	for (uint32_t id = 0; id < SYSCALL_NR_IDS; id++)
		if (!used[id])
			fail_msg("no architecture has %s", syscall_table[id].name);
}

static void check_read(const struct syscall_read *r, uint8_t arg, enum syscall_read_how how, bool at_exit, uint32_t size)
{
	assert_int_equal(r->arg, arg);
	assert_int_equal(r->how, how);
	assert_int_equal(r->at_exit, at_exit);
	if (how != SYSCALL_READ_STRING && how != SYSCALL_READ_STRINGS)
		assert_int_equal(r->size, size);
}

static void test_reads(void **state)
{
	struct syscall_read r[SYSCALL_MAX_READS];

	(void)state;
	assert_int_equal(syscall_reads(SYSCALL_X86_64, get(SYSCALL_X86_64, "openat"), r), 1);
	check_read(&r[0], 1, SYSCALL_READ_STRING, false, 0);
	assert_int_equal(syscall_reads(SYSCALL_X86_64, get(SYSCALL_X86_64, "read"), r), 1);
	check_read(&r[0], 1, SYSCALL_READ_RESULT, true, 1);
	assert_true(r[0].is_data);
	assert_int_equal(syscall_reads(SYSCALL_X86_64, get(SYSCALL_X86_64, "write"), r), 1);
	check_read(&r[0], 1, SYSCALL_READ_ARG, false, 1);
	assert_int_equal(r[0].len_arg, 2);
	assert_int_equal(syscall_reads(SYSCALL_X86_64, get(SYSCALL_X86_64, "execve"), r), 3);
	check_read(&r[1], 1, SYSCALL_READ_STRINGS, false, 0);
	assert_int_equal(syscall_reads(SYSCALL_X86_64, get(SYSCALL_X86_64, "fstat"), r), 1);
	check_read(&r[0], 1, SYSCALL_READ_FIXED, true, 144);
	assert_int_equal(syscall_reads(SYSCALL_ARM64, get(SYSCALL_ARM64, "fstat"), r), 1);
	check_read(&r[0], 1, SYSCALL_READ_FIXED, true, 128);
	assert_int_equal(syscall_reads(SYSCALL_X86_64, get(SYSCALL_X86_64, "accept"), r), 3);
	check_read(&r[0], 1, SYSCALL_READ_POINTED, true, 1);
	assert_int_equal(r[0].len_arg, 2);
	check_read(&r[1], 2, SYSCALL_READ_FIXED, false, 4);
	check_read(&r[2], 2, SYSCALL_READ_FIXED, true, 4);
	assert_int_equal(syscall_reads(SYSCALL_X86_64, get(SYSCALL_X86_64, "readv"), r), 1);
	check_read(&r[0], 1, SYSCALL_READ_ARG, false, 16);
	assert_int_equal(syscall_reads(SYSCALL_X86_64, get(SYSCALL_X86_64, "epoll_wait"), r), 1);
	check_read(&r[0], 1, SYSCALL_READ_RESULT, true, 12);
	assert_int_equal(syscall_reads(SYSCALL_ARM64, get(SYSCALL_ARM64, "epoll_pwait"), r), 2);
	check_read(&r[0], 1, SYSCALL_READ_RESULT, true, 16);
	check_read(&r[1], 4, SYSCALL_READ_ARG, false, 1);
	assert_int_equal(syscall_reads(SYSCALL_X86_64, get(SYSCALL_X86_64, "pselect6"), r), SYSCALL_MAX_READS);
	assert_int_equal(syscall_reads(SYSCALL_X86_64, get(SYSCALL_X86_64, "getpid"), r), 0);
}

static const char *name_of(const struct syscall_flags *flags, uint64_t bit)
{
	for (uint32_t i = 0; i < flags->nr; i++)
		if (flags->v[i].value == bit)
			return flags->v[i].name;
	return "";
}

static void test_bits_of_open_differ(void **state)
{
	(void)state;
	assert_string_equal(name_of(get(SYSCALL_X86_64, "openat")->args[2].flags, 0x10000), "O_DIRECTORY");
	assert_string_equal(name_of(get(SYSCALL_ARM64, "openat")->args[2].flags, 0x4000), "O_DIRECTORY");
	assert_ptr_equal(syscall_open_flags(SYSCALL_ARM64), get(SYSCALL_ARM64, "openat")->args[2].flags);
	assert_string_equal(get(SYSCALL_X86_64, "clone")->args[3].name, "child_tidptr");
	assert_string_equal(get(SYSCALL_ARM64, "clone")->args[3].name, "tls");
}

static void test_names_by_other_arguments(void **state)
{
	const struct syscall_def *s = get(SYSCALL_X86_64, "socket"), *o = get(SYSCALL_X86_64, "setsockopt");
	uint64_t inet[] = { 2, 1, 6, 0, 0, 0 }, netlink[] = { 16, 3, 0, 0, 0, 0 }, local[] = { 1, 1, 0, 0, 0, 0 },
		 tcp[] = { 3, 6, 1, 0, 4, 0 }, unknown[] = { 3, 999, 1, 0, 4, 0 };

	(void)state;
	assert_string_equal(name_of(syscall_arg_flags(s, inet, 2), 6), "IPPROTO_TCP");
	assert_string_equal(name_of(syscall_arg_flags(s, netlink, 2), 0), "NETLINK_ROUTE");
	assert_null(syscall_arg_flags(s, local, 2));
	assert_string_equal(name_of(syscall_arg_flags(o, tcp, 2), 1), "TCP_NODELAY");
	assert_null(syscall_arg_flags(o, unknown, 2));
}

/* Structs of 32-bit programs get the layout of 64-bit ones. */
static void test_widened(void **state)
{
	const int32_t times[4] = { -1, 5, 7, 9 };
	uint8_t wide[512], stat64[96] = { 0 };
	uint32_t u32 = 0100644;
	uint64_t u64 = 1ULL << 40;
	int64_t v[4];

	(void)state;
	assert_int_equal(syscall_widen(SYSCALL_TYPE_TIMESPEC, (const uint8_t *)times, sizeof(times), wide, sizeof(wide)), 32);
	memcpy(v, wide, sizeof(v));
	assert_true(v[0] == -1 && v[1] == 5 && v[2] == 7 && v[3] == 9);
	assert_int_equal(syscall_widen(SYSCALL_TYPE_RLIMIT, (const uint8_t *)times, 8, wide, sizeof(wide)), 16);
	memcpy(v, wide, sizeof(v));
	assert_true(v[0] == UINT32_MAX);
	memcpy(stat64 + 16, &u32, 4);
	memcpy(stat64 + 44, &u64, 8);
	assert_int_equal(syscall_widen(SYSCALL_TYPE_STAT64, stat64, sizeof(stat64), wide, sizeof(wide)), 144);
	assert_memory_equal(wide + 24, &u32, 4);
	assert_memory_equal(wide + 48, &u64, 8);
	/* What is not whole, or has no room, is left out. */
	assert_int_equal(syscall_widen(SYSCALL_TYPE_STAT64, stat64, 95, wide, sizeof(wide)), 0);
	assert_int_equal(syscall_widen(SYSCALL_TYPE_TIMESPEC, (const uint8_t *)times, sizeof(times), wide, 31), 16);
	assert_int_equal(syscall_widen(SYSCALL_TYPE_POLLFD, stat64, 8, wide, sizeof(wide)), 0);
	for (int type = 0; type < SYSCALL_NR_TYPES; type++)
		if (syscall_is_widened(type) && type != SYSCALL_TYPE_FLOCK)
			assert_int_equal(syscall_widen(type, stat64, 0, wide, sizeof(wide)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_x86_64),
		cmocka_unit_test(test_numbers_i386),
		cmocka_unit_test(test_numbers_arm64),
		cmocka_unit_test(test_newest_numbers_are_the_same_everywhere),
		cmocka_unit_test(test_definitions_are_whole),
		cmocka_unit_test(test_reads),
		cmocka_unit_test(test_widened),
		cmocka_unit_test(test_bits_of_open_differ),
		cmocka_unit_test(test_names_by_other_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
