/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Choices of system calls, as options give them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "abi/syscall_set.h"

/* Numbers of x86_64 */
enum { NR_read = 0, NR_open = 2, NR_close = 3, NR_stat = 4, NR_mmap = 9, NR_kill = 62, NR_openat = 257, NR_openat2 = 437 };

static struct syscall_set set_of(const char *list)
{
	struct syscall_set set = { 0 };
	struct errbuf eb = { 0 };

	if (syscall_set_add(&set, SYSCALL_X86_64, list, &eb))
		fail_msg("%s: %s", list, eb.text);
	assert_true(set.is_chosen);
	return set;
}

static bool chooses(const char *list, uint32_t nr)
{
	struct syscall_set set = set_of(list);

	return syscall_set_has(&set, SYSCALL_X86_64, nr);
}

static void check_refused(enum syscall_abi abi, const char *list, const char *why)
{
	struct syscall_set set = { 0 }, none = { 0 };
	struct errbuf eb = { 0 };

	assert_true(syscall_set_add(&set, abi, list, &eb) < 0);
	if (!strstr(eb.text, why))
		fail_msg("%s: %s", list, eb.text);
	assert_memory_equal(&set, &none, sizeof(set));
}

static uint32_t count(const struct syscall_set *set, enum syscall_abi abi)
{
	uint32_t nr_in = 0;

	for (uint32_t nr = 0; nr < syscall_limit(abi); nr++)
		nr_in += syscall_get(abi, nr) && syscall_set_has(set, abi, nr);
	return nr_in;
}

static void test_names(void **state)
{
	struct syscall_set set = set_of("openat,read,3");

	(void)state;
	assert_int_equal(count(&set, SYSCALL_X86_64), 3);
	assert_true(syscall_set_has(&set, SYSCALL_X86_64, NR_openat));
	assert_true(syscall_set_has(&set, SYSCALL_X86_64, NR_read));
	assert_true(syscall_set_has(&set, SYSCALL_X86_64, NR_close));
	assert_true(syscall_set_has(&set, SYSCALL_I386, 295)); /* openat of 32-bit programs */
	assert_int_equal(count(&set, SYSCALL_I386), 2);	       /* numbers are those of one architecture */
	assert_true(chooses("trace=openat", NR_openat));
	assert_false(chooses("openat", NR_open));
	for (int abi = 0; abi < SYSCALL_NR_ABIS; abi++)
		assert_true(syscall_limit(abi) < SYSCALL_SET_NUMBERS);
}

static void test_patterns(void **state)
{
	(void)state;
	assert_true(chooses("open*", NR_openat2));
	assert_false(chooses("open*", NR_read));
	assert_true(chooses("/^open(at)?$", NR_openat));
	assert_false(chooses("/^open(at)?$", NR_openat2));
	assert_true(chooses("kil[kl]", NR_kill));
}

static void test_classes(void **state)
{
	static const char *const spelled[] = { "%file", "file", "trace=file", "trace=%file" };

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		assert_true(chooses(spelled[i], NR_openat));
		assert_false(chooses(spelled[i], NR_read));
	}
	assert_true(chooses("memory", NR_mmap));
	assert_true(chooses("%stat", NR_stat)); /* strace's group, not the call */
	assert_false(chooses("%stat", 6));
	assert_true(chooses("%%stat", 6));
	assert_true(chooses("signal,%net", NR_kill));
}

static void test_removal(void **state)
{
	struct syscall_set set = set_of("!close,read");
	struct errbuf eb = { 0 };

	(void)state;
	assert_false(syscall_set_has(&set, SYSCALL_X86_64, NR_close));
	assert_false(syscall_set_has(&set, SYSCALL_X86_64, NR_read));
	assert_true(syscall_set_has(&set, SYSCALL_X86_64, NR_openat));
	assert_true(syscall_set_has(&set, SYSCALL_X86_64, 400));		    /* not in the table */
	assert_true(syscall_set_has(&set, SYSCALL_X86_64, 1000000));		    /* of any kernel */
	assert_int_equal(syscall_set_add(&set, SYSCALL_X86_64, "!openat", &eb), 0); /* less again */
	assert_false(syscall_set_has(&set, SYSCALL_X86_64, NR_openat));
	assert_true(syscall_set_has(&set, SYSCALL_X86_64, NR_open));
	assert_int_equal(syscall_set_add(&set, SYSCALL_X86_64, "read", &eb), 0);
	assert_true(syscall_set_has(&set, SYSCALL_X86_64, NR_read));

	assert_true(chooses("%file,!openat", NR_open));
	assert_false(chooses("%file,!openat", NR_openat));
	assert_false(chooses("!read,!close", NR_close));
	assert_false(chooses("!all", NR_read));
	assert_true(chooses("all,!read", NR_close));
	assert_false(chooses("all,!read", NR_read));
	assert_false(chooses("none", NR_read));
	assert_false(chooses("none", 1000000));
	assert_false(chooses("%file", 1000000));
}

static void test_size_of_programs(void **state)
{
	struct syscall_set only_64 = set_of("read@64"), only_32 = set_of("read@32");

	(void)state;
	assert_int_equal(count(&only_64, SYSCALL_I386), 0);
	assert_int_equal(count(&only_64, SYSCALL_X86_64), 1);
	assert_int_equal(count(&only_32, SYSCALL_I386), 1);
	assert_int_equal(count(&only_32, SYSCALL_X86_64), 0);
	only_32 = set_of("mmap2"); /* no 64-bit program has it */
	assert_int_equal(count(&only_32, SYSCALL_I386), 1);
}

static void test_refused(void **state)
{
	(void)state;
	check_refused(SYSCALL_X86_64, "opnat", "x86_64 has no system call 'opnat'; did you mean 'openat'?");
	check_refused(SYSCALL_ARM64, "read,open", "arm64 has no system call 'open'; did you mean 'open");
	check_refused(SYSCALL_ARM64, "mmap2", "did you mean 'mmap'?");
	check_refused(SYSCALL_X86_64, "%fil", "did you mean 'file'?");
	check_refused(SYSCALL_X86_64, "xyz*", "no system call of x86_64 matches 'xyz*'");
	check_refused(SYSCALL_X86_64, "/(", "is no regular expression");
	check_refused(SYSCALL_X86_64, "read,,write", "missing between commas");
	check_refused(SYSCALL_X86_64, "", "missing");
	check_refused(SYSCALL_X86_64, "!", "missing");
	check_refused(SYSCALL_X86_64, "4294967296", "has no system call '4294967296'");
	check_refused(SYSCALL_X86_64, "400", "has no system call '400'");
	assert_true(chooses("?opnat,read", NR_read));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	cmocka_unit_test(test_patterns),	 cmocka_unit_test(test_classes),
		cmocka_unit_test(test_removal), cmocka_unit_test(test_size_of_programs), cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
