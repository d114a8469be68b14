/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/remedy.h: what is said of a file that is as it was, that was changed or replaced, that is gone, that has all there is; and of what
 * is no file. (Which package: test_debug_files.c.)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "symbols/remedy.h"

static void expect(const struct module_ref *ref, enum remedy_need need, const char *want)
{
	char text[256];
	int err = remedy_for(ref, need, text, sizeof(text));

	assert_int_equal(err, *want ? 0 : -ENOENT);
	if (*want ? !strstr(text, want) : *text)
		fail_msg("'%s' instead of '%s'", text, want);
}

static void write_bytes(const char *path, const char *bytes, size_t size)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
	fclose(f);
}

static void write_stripped(const char *path)
{
	char *bytes;
	size_t size;

	assert_int_equal(io_read_file("tests/fuzz/corpus/elf_symbols/stripped.elf", 1 << 20, &bytes, &size), 0);
	write_bytes(path, bytes, size);
	free(bytes);
}

static void test_file(void **state)
{
	char path[] = "/tmp/assay-remedy-XXXXXX", deleted[64];
	struct module_ref ref = { .kind = MODULE_ELF, .path = path };
	struct stat st;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	unsetenv("DEBUGINFOD_URLS");
	write_stripped(path);
	assert_int_equal(stat(path, &st), 0);
	file_identity_set_stat(&ref.identity, &st);
	/* as it was recorded, without symbols */
	expect(&ref, REMEDY_SYMBOLS, "without stripping it");
	expect(&ref, REMEDY_LINES, "with -g");
	expect(&ref, REMEDY_UNWIND, "-fasynchronous-unwind-tables");
	/* changed since, and nothing but its inode tells */
	write_bytes(path, "not as it was", 13);
	for (int need = REMEDY_SYMBOLS; need <= REMEDY_UNWIND; need++)
		expect(&ref, (enum remedy_need)need, "record again: ");
	/* a build-id that it has not */
	ref.identity = (struct file_identity){ 0 };
	ref.build_id_size = 20;
	expect(&ref, REMEDY_SYMBOLS, "record again: ");
	/* gone, by its path and by the kernel's mark */
	unlink(path);
	expect(&ref, REMEDY_SYMBOLS, "it is gone from its place");
	snprintf(deleted, sizeof(deleted), "%s (deleted)", path);
	ref.path = deleted;
	expect(&ref, REMEDY_SYMBOLS, "it is gone from its place");
	expect(&ref, REMEDY_UNWIND, "it is gone from its place");
}

/* The image of a Lisp system: there is no package, no linker and no option that gives it symbols. */
static void test_no_program(void **state)
{
	char path[] = "/tmp/assay-remedy-XXXXXX";
	struct module_ref ref = { .kind = MODULE_ELF, .path = path };
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	write_bytes(path, "LCBS and more", 13);
	for (int need = REMEDY_SYMBOLS; need <= REMEDY_UNWIND; need++)
		expect(&ref, (enum remedy_need)need, "");
	/* that had a build-id: it is another file now */
	ref.build_id_size = 20;
	expect(&ref, REMEDY_SYMBOLS, "record again: ");
	unlink(path);
}

/* This program has its symbols: nothing is to be installed or rebuilt for what they do not name. */
static void test_at_hand(void **state)
{
	char path[512];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	struct module_ref ref = { .kind = MODULE_ELF, .path = path };

	(void)state;
	assert_true(len > 0);
	path[len] = 0;
	expect(&ref, REMEDY_SYMBOLS, "");
}

/* No descriptor is left to look at it with: that says nothing of the file. */
static void test_no_descriptors(void **state)
{
	struct module_ref ref = { .kind = MODULE_ELF, .path = "/proc/self/exe", .build_id_size = 20 };
	struct rlimit was, none;

	(void)state;
	unsetenv("DEBUGINFOD_URLS");
	expect(&ref, REMEDY_SYMBOLS, "was replaced since");
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	none = (struct rlimit){ .rlim_cur = 3, .rlim_max = was.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	expect(&ref, REMEDY_SYMBOLS, "raise the limit on open files");
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
}

/* Advice for generated code is that of the runtime which generates it. */
static void test_runtimes(void **state)
{
	static const struct {
		const char *path;
		enum jit_runtime runtime;
		const char *names;
	} cases[] = {
		{ "/usr/bin/node", JIT_NODE, "node --perf-basic-prof" },
		{ "/usr/lib/x86_64-linux-gnu/libnode.so.108", JIT_NODE, "node --perf-basic-prof" },
		{ "/usr/lib/jvm/java-17/lib/server/libjvm.so", JIT_JAVA, "java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit" },
		{ "/usr/bin/php8.2", JIT_PHP, "opcache.jit_debug" },
		{ "/usr/bin/mono-sgen", JIT_MONO, "--jitmap" },
		{ "/usr/lib/libruby-3.1.so.3.1.2", JIT_RUBY, "--yjit-perf" },
		{ "luajit", JIT_LUA, "-joff" },
		{ "/usr/lib/libpypy3.9-c.so", JIT_PYPY, "--jit off" },
		{ "/usr/bin/pypy3.9", JIT_PYPY, "--jit off" },
		{ "/usr/lib/erlang/erts-13.1.5/bin/beam.smp", JIT_ERLANG, "+JPperf true" },
		{ "/usr/lib/x86_64-linux-gnu/libjulia.so.1", JIT_JULIA, "ENABLE_JITPROFILING=1" },
		{ "/usr/bin/qemu-x86_64", JIT_QEMU, "-perfmap" },
		{ "/usr/lib/x86_64-linux-gnu/libguile-3.0.so.1.5.0", JIT_GUILE, "GUILE_JIT_THRESHOLD=-1" },
		{ "/usr/bin/python3.12", JIT_PYTHON, "-X perf" },
		{ "/usr/bin/phpstorm", JIT_UNKNOWN, "map file" },
		{ "/usr/bin/qemuctl", JIT_UNKNOWN, "map file" },
		{ "/usr/bin/node_exporter", JIT_UNKNOWN, "map file" },
		{ "", JIT_UNKNOWN, "map file" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct module_ref ref = { .kind = MODULE_JIT, .path = "/tmp/perf-1.map", .runtime = jit_runtime_of_path(cases[i].path) };

		assert_int_equal(ref.runtime, cases[i].runtime);
		expect(&ref, REMEDY_SYMBOLS, cases[i].names);
	}
	for (int i = 0; i < JIT_NR_RUNTIMES; i++)
		assert_true(*jit_runtime_names_advice((enum jit_runtime)i) && *jit_runtime_stacks_advice((enum jit_runtime)i));
}

static void test_no_file(void **state)
{
	(void)state;
	expect(&(struct module_ref){ .kind = MODULE_JIT, .path = "/tmp/perf-1.map" }, REMEDY_SYMBOLS, "--perf-basic-prof");
	expect(&(struct module_ref){ .kind = MODULE_JIT, .path = "/tmp/perf-1.map" }, REMEDY_UNWIND, "PreserveFramePointer");
	expect(&(struct module_ref){ .kind = MODULE_NONE, .path = "[heap]" }, REMEDY_SYMBOLS, "");
	expect(&(struct module_ref){ .kind = MODULE_VDSO, .path = "[vdso]" }, REMEDY_SYMBOLS, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file),	       cmocka_unit_test(test_no_program), cmocka_unit_test(test_at_hand),
		cmocka_unit_test(test_no_descriptors), cmocka_unit_test(test_no_file),	  cmocka_unit_test(test_runtimes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
