/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The text of system calls in both shapes: calls with their memory from tests/unit/syscalls.txt, whose expected text in strace's shape is
 * strace's own; and what no program can be made to do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "view/syscall_text.h"

#define CASES "tests/unit/syscalls.txt"
#define MAX_MEMORY (sizeof(((struct syscall_call *)NULL)->memory) / sizeof(struct syscall_memory))

struct test_case {
	struct syscall_call call;
	struct syscall_text_options opts;
	uint8_t *bytes[MAX_MEMORY];
	char *expected[2]; /* by shape */
	int line;
};

static const struct syscall_def *def_find(enum syscall_abi abi, const char *name, uint32_t *nr)
{
	for (*nr = 0; *nr < syscall_limit(abi); (*nr)++) {
		const struct syscall_def *def = syscall_get(abi, *nr);

		if (def && !strcmp(def->name, name))
			return def;
	}
	return NULL;
}

static char *text_of(const struct syscall_call *c, const struct syscall_text_options *opts)
{
	struct out o;
	char *text;

	out_init(&o, -1);
	syscall_text_call(&o, c, opts);
	out_str(&o, " = ");
	syscall_text_result(&o, c, opts);
	text = strndup(o.buf, o.len);
	out_fini(&o);
	return text;
}

static const char *path_of(void *ctx, int fd)
{
	(void)ctx;
	return fd == 3 ? "/tmp/a<b>\n" : fd == 4 ? "/tmp/gone (deleted)" : fd == -100 ? "/tmp" : NULL;
}

/* "call NAME RESULT ARGS…", the result "-" where the call has not ended. */
static void case_call(struct test_case *t, const char *line)
{
	char name[64], result[32];
	uint64_t *a = t->call.args;

	assert_int_equal(sscanf(line, "%63s %31s %lx %lx %lx %lx %lx %lx", name, result, &a[0], &a[1], &a[2], &a[3], &a[4], &a[5]), 8);
	t->call.def = def_find(t->call.abi, name, &t->call.nr);
	if (!t->call.def) {
		assert_int_equal(sscanf(name, "syscall_0x%x", &t->call.nr), 1);
		assert_null(syscall_get(t->call.abi, t->call.nr));
	}
	t->call.has_ended = strcmp(result, "-");
	t->call.result = t->call.has_ended ? strtoll(result, NULL, 10) : 0;
}

/* "memory ARG at_exit is_cut nr_strings ADDRESS BYTES", the bytes in hexadecimal, "-" for none. */
static void case_memory(struct test_case *t, const char *line)
{
	uint32_t i = t->call.nr_memory++, arg, at_exit, is_cut, nr_strings;
	struct syscall_memory *m = &t->call.memory[i];
	uint64_t address;
	int at;

	assert_true(i < MAX_MEMORY);
	assert_int_equal(sscanf(line, "%u %u %u %u %lx %n", &arg, &at_exit, &is_cut, &nr_strings, &address, &at), 5);
	line += at;
	t->bytes[i] = malloc(strlen(line) / 2 + 1);
	assert_non_null(t->bytes[i]);
	*m = (struct syscall_memory){ .data = t->bytes[i],
				      .arg = (uint8_t)arg,
				      .is_at_exit = at_exit,
				      .is_cut = is_cut,
				      .nr_strings = nr_strings,
				      .address = address };
	for (; hex_digit(line[0]) >= 0; line += 2)
		t->bytes[i][m->size++] = (uint8_t)(hex_digit(line[0]) << 4 | hex_digit(line[1]));
}

static void case_options(struct test_case *t, const char *line)
{
	t->opts.is_verbose = strstr(line, "verbose");
	t->opts.hex_strings = strstr(line, "hex");
	t->opts.all_hex = strstr(line, "all-hex");
	t->opts.show_fds = strstr(line, "fds") != NULL;
	t->opts.raw = strstr(line, "raw");
	t->opts.fd_path = path_of;
}

static void case_check(struct test_case *t)
{
	for (int shape = 0; shape < 2; shape++) {
		char *text;

		if (!t->expected[shape])
			continue;
		t->opts.shape = (enum syscall_shape)shape;
		text = text_of(&t->call, &t->opts);
		if (strcmp(text, t->expected[shape]))
			fail_msg("%s:%d:\n  have %s\n  want %s", CASES, t->line, text, t->expected[shape]);
		free(text);
		free(t->expected[shape]);
	}
	for (uint32_t i = 0; i < t->call.nr_memory; i++)
		free(t->bytes[i]);
}

static void recorded_calls(void **state)
{
	struct test_case none = { .opts = { .max_string = 32 } }, t = none;
	FILE *f = fopen(CASES, "r");
	char *line = NULL;
	size_t room = 0;
	int nr = 0, at = 0;

	(void)state;
	if (!f)
		skip(); /* a machine that has the program alone */
	while (getline(&line, &room, f) > 0) {
		at++;
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "call ", 5)) {
			t.line = at;
			case_call(&t, line + 5);
		} else if (!strncmp(line, "memory ", 7)) {
			case_memory(&t, line + 7);
		} else if (!strncmp(line, "options ", 8)) {
			case_options(&t, line + 8);
		} else if (!strncmp(line, "arm64", 5)) {
			t.call.abi = SYSCALL_ARM64;
		} else if (!strncmp(line, "strace ", 7)) {
			t.expected[SYSCALL_STRACE] = strdup(line + 7);
		} else if (!strncmp(line, "perf ", 5)) {
			t.expected[SYSCALL_PERF] = strdup(line + 5);
		} else if (!*line && t.line) {
			case_check(&t);
			t = none;
			nr++;
		}
	}
	free(line);
	fclose(f);
	assert_true(nr >= 150);
}

/* ---- made by hand ---- */

static struct syscall_call call_of(const char *name, int64_t result)
{
	struct syscall_call c = { .abi = SYSCALL_X86_64, .has_ended = true, .result = result };

	c.def = def_find(c.abi, name, &c.nr);
	assert_non_null(c.def);
	return c;
}

static void expect(const struct syscall_call *c, const struct syscall_text_options *opts, const char *want)
{
	char *text = text_of(c, opts);

	assert_string_equal(text, want);
	free(text);
}

static void in_two_parts(void **state)
{
	const struct syscall_text_options opts = { .max_string = 32, .shape = SYSCALL_STRACE };
	struct syscall_call c = call_of("read", 5);
	struct out o;

	(void)state;
	out_init(&o, -1);
	c.args[0] = 3;
	c.args[1] = 0x1000;
	c.args[2] = 10;
	c.has_ended = false;
	assert_int_equal(syscall_text_begin(&o, &c, &opts), 1);
	out_str(&o, " <unfinished ...> ");
	c.has_ended = true;
	c.memory[c.nr_memory++] = (struct syscall_memory){ .data = (const uint8_t *)"hello", .size = 5, .arg = 1, .is_at_exit = true };
	syscall_text_rest(&o, &c, 1, &opts);
	out_char(&o, '\0');
	assert_string_equal(o.buf, "read(3,  <unfinished ...> \"hello\", 10)");
	out_fini(&o);
}

static void late_and_missing(void **state)
{
	const struct syscall_text_options perf = { .max_string = 32, .shape = SYSCALL_PERF },
					  strace = { .max_string = 32, .shape = SYSCALL_STRACE };
	struct syscall_call c = call_of("unlink", -2);

	(void)state;
	c.args[0] = 0x7000;
	expect(&c, &strace, "unlink(0x7000) = -1 ENOENT (No such file or directory)");
	c.memory[0] = (struct syscall_memory){ .data = (const uint8_t *)"x", .size = 2, .is_at_exit = true, .is_late = true };
	c.nr_memory = 1;
	expect(&c, &strace, "unlink(\"x\") = -1 ENOENT (No such file or directory)");
	expect(&c, &perf, "unlink(pathname: \"x\" /* read at exit */) = -1 ENOENT (No such file or directory)");
	c.memory[0].has_failed = true;
	expect(&c, &strace, "unlink(0x7000) = -1 ENOENT (No such file or directory)");
	c.has_ended = false;
	expect(&c, &strace, "unlink(0x7000) = ?");
	c.has_ended = true;
	c.result = -512;
	expect(&c, &strace, "unlink(0x7000) = ? ERESTARTSYS (To be restarted if SA_RESTART is set)");
	c.result = -4000;
	expect(&c, &strace, "unlink(0x7000) = -1 (errno 4000)");
}

/* As `strace -y` writes them; the path is path_of()'s. */
static void paths_of_descriptors(void **state)
{
	struct syscall_text_options opts = { .max_string = 32, .shape = SYSCALL_STRACE, .show_fds = 1, .fd_path = path_of };
	struct syscall_call c = call_of("openat", 3), dup = call_of("dup2", 5);

	(void)state;
	c.args[0] = (uint32_t)-100;
	c.args[1] = 0x1000;
	c.memory[c.nr_memory++] = (struct syscall_memory){ .data = (const uint8_t *)"a<b>\n", .size = 6, .arg = 1 };
	expect(&c, &opts, "openat(AT_FDCWD</tmp>, \"a<b>\\n\", O_RDONLY) = 3</tmp/a\\74b\\76\\n>");
	dup.args[0] = 4;
	dup.args[1] = 5;
	expect(&dup, &opts, "dup2(4</tmp/gone>(deleted), 5) = 5");
	opts.shape = SYSCALL_PERF;
	expect(&c, &opts, "openat(dfd: CWD, filename: \"a<b>\\n\", flags: RDONLY) = 3");
}

/* Bits of open() and layouts of structs are another architecture's, whatever this one is. */
static void another_architecture(void **state)
{
	const struct syscall_text_options opts = { .max_string = 32, .shape = SYSCALL_STRACE };
	struct syscall_call c = { .abi = SYSCALL_ARM64, .has_ended = true };
	uint8_t stat[128] = { 0 }, event[16] = { [0] = 1, [8] = 7 };
	uint32_t mode = 0100755, size = 4711;

	(void)state;
	c.def = def_find(c.abi, "openat", &c.nr);
	assert_non_null(c.def);
	c.result = -20;
	c.args[0] = (uint32_t)-100;
	c.args[1] = 0x1000;
	c.args[2] = 040000 | 0100000 | 02000000; /* O_DIRECTORY, O_NOFOLLOW, O_CLOEXEC there */
	expect(&c, &opts, "openat(AT_FDCWD, 0x1000, O_RDONLY|O_NOFOLLOW|O_CLOEXEC|O_DIRECTORY) = -1 ENOTDIR (Not a directory)");
	memcpy(stat + 16, &mode, 4);
	memcpy(stat + 48, &size, 4);
	c.def = def_find(c.abi, "fstat", &c.nr);
	assert_non_null(c.def);
	c.result = 0;
	c.args[0] = 3;
	c.memory[0] = (struct syscall_memory){ .data = stat, .size = sizeof(stat), .arg = 1, .is_at_exit = true };
	c.nr_memory = 1;
	expect(&c, &opts, "fstat(3, {st_mode=S_IFREG|0755, st_size=4711, ...}) = 0");
	c.def = def_find(c.abi, "epoll_pwait", &c.nr);
	assert_non_null(c.def);
	c.result = 1;
	c.args[2] = 4;
	c.args[3] = (uint64_t)-1;
	c.args[5] = 8;
	c.memory[0] = (struct syscall_memory){ .data = event, .size = sizeof(event), .arg = 1, .is_at_exit = true };
	expect(&c, &opts, "epoll_pwait(3, [{events=EPOLLIN, data={u32=7, u64=7}}], 4, -1, NULL, 8) = 1");
}

/* Lengths that say more than there is, and counts that no memory has. */
static void less_memory_than_said(void **state)
{
	const struct syscall_text_options opts = { .max_string = 32, .shape = SYSCALL_STRACE };
	struct syscall_call c = call_of("writev", 5), poll = call_of("poll", -14);
	uint8_t vector[16] = { [8] = 5 };

	(void)state;
	c.args[1] = 0x1000;
	c.args[2] = UINT64_MAX;
	c.memory[0] = (struct syscall_memory){ .data = vector, .size = sizeof(vector), .arg = 1 };
	c.nr_memory = 1;
	expect(&c, &opts, "writev(0, [{iov_base=NULL, iov_len=5}, ...], 18446744073709551615) = 5");
	c.memory[0].size = 15;
	expect(&c, &opts, "writev(0, [...], 18446744073709551615) = 5");
	poll.args[0] = 0x1000;
	poll.args[1] = 3;
	poll.memory[0] = (struct syscall_memory){ .data = vector, .size = 7 };
	poll.nr_memory = 1;
	expect(&poll, &opts, "poll(0x1000, 3, 0) = -1 EFAULT (Bad address)");
}

static const char *comm_of(void *ctx, int tid)
{
	(void)ctx;
	return tid == 7 ? "a\nb" : NULL;
}

static void names_of_tasks(void **state)
{
	struct syscall_text_options opts = { .max_string = 32, .shape = SYSCALL_PERF, .task_comm = comm_of };
	struct syscall_call c = call_of("kill", 0);

	(void)state;
	c.args[0] = 7;
	c.args[1] = 9;
	expect(&c, &opts, "kill(pid: 7 (a\\nb), sig: KILL) = 0");
	opts.shape = SYSCALL_STRACE;
	expect(&c, &opts, "kill(7, SIGKILL) = 0");
	opts.raw = true;
	expect(&c, &opts, "kill(0x7, 0x9) = 0");
}

/* strace -x: all of a string that has a byte that is neither text nor white space; -xx: every string. */
static void strings_in_hex(void **state)
{
	struct syscall_text_options opts = { .max_string = 32, .shape = SYSCALL_STRACE, .hex_strings = true };
	struct syscall_call c = call_of("write", 7);

	(void)state;
	c.args[0] = 1;
	c.args[1] = 0x1000;
	c.args[2] = 7;
	c.memory[c.nr_memory++] = (struct syscall_memory){ .data = (const uint8_t *)"abc\1\n\303\277", .size = 7, .arg = 1 };
	expect(&c, &opts, "write(1, \"\\x61\\x62\\x63\\x01\\x0a\\xc3\\xbf\", 7) = 7");
	c.args[2] = 3;
	expect(&c, &opts, "write(1, \"abc\", 3) = 7");
	opts.all_hex = true;
	expect(&c, &opts, "write(1, \"\\x61\\x62\\x63\", 3) = 7");
}

static void dumps(void **state)
{
	const struct syscall_text_options opts = { .max_string = 32, .shape = SYSCALL_STRACE };
	struct syscall_call c = call_of("write", 20);
	struct out o;

	(void)state;
	out_init(&o, -1);
	c.args[1] = 0x1000;
	c.args[2] = 20;
	c.memory[c.nr_memory++] = (struct syscall_memory){ .data = (const uint8_t *)"a buffer that is \n\0\377", .size = 20, .arg = 1 };
	syscall_text_dump(&o, &c, &opts);
	out_char(&o, '\0');
	assert_string_equal(o.buf, " | 00000  61 20 62 75 66 66 65 72  20 74 68 61 74 20 69 73  a buffer that is |\n"
				   " | 00010  20 0a 00 ff                                        ...             |\n");
	out_fini(&o);
}

static void errors_have_names(void **state)
{
	(void)state;
	assert_string_equal(syscall_error_name(-2), "ENOENT");
	assert_string_equal(syscall_error_name(133), "EHWPOISON");
	assert_string_equal(syscall_error_name(-516), "ERESTART_RESTARTBLOCK");
	assert_null(syscall_error_name(0));
	assert_null(syscall_error_name(-134));
	assert_null(syscall_error_name(INT32_MIN));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded_calls),	cmocka_unit_test(in_two_parts),		cmocka_unit_test(late_and_missing),
		cmocka_unit_test(paths_of_descriptors), cmocka_unit_test(another_architecture), cmocka_unit_test(less_memory_than_said),
		cmocka_unit_test(names_of_tasks),	cmocka_unit_test(strings_in_hex),	cmocka_unit_test(dumps),
		cmocka_unit_test(errors_have_names),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
