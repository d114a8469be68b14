/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/unpack, section_unpack, kmodule_file, remedy and remedy_package, and what of debug_files needs no objcopy (tests/cli/debug_files.sh has
 * the rest), below a directory of their own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/io.h"
#include "base/mem.h"
#include "symbols/debug_files.h"
#include "symbols/kernel_symbols.h"
#include "symbols/remedy.h"
#include "symbols/unpack.h"

#define CORPUS "tests/fuzz/corpus/elf_symbols/"

static char root[64];

static int make_root(void **state)
{
	(void)state;
	strcpy(root, "/tmp/assay-test-debug-XXXXXX");
	setenv("ASSAY_CACHE", "off", 1);
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	char *command = mem_printf("rm -rf %s", root);
	int status = system(command);

	(void)state;
	free(command);
	return status;
}

/* Writes a file below the root, with its directories. */
static void put(const char *path, const void *bytes, size_t size)
{
	char *full = mem_printf("%s%s", root, path);
	int fd;

	for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = 0;
		mkdir(full, 0755);
		*p = '/';
	}
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(io_write(fd, bytes, size, NULL), 0);
	close(fd);
	free(full);
}

static void put_text(const char *path, const char *text)
{
	put(path, text, strlen(text));
}

static size_t pack_xz(const void *in, size_t size, uint8_t *out, size_t max)
{
	size_t pos = 0;

	assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, in, size, out, &pos, max), LZMA_OK);
	return pos;
}

static size_t pack_gzip(const void *in, size_t size, uint8_t *out, size_t max)
{
	z_stream s = { .next_in = (Bytef *)in, .avail_in = (uInt)size, .next_out = out, .avail_out = (uInt)max };

	assert_int_equal(deflateInit2(&s, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&s, Z_FINISH), Z_STREAM_END);
	deflateEnd(&s);
	return max - s.avail_out;
}

static size_t pack_zstd(const void *in, size_t size, uint8_t *out, size_t max)
{
	size_t n = ZSTD_compress(out, max, in, size, 3);

	assert_false(ZSTD_isError(n));
	return n;
}

typedef size_t pack_fn(const void *, size_t, uint8_t *, size_t);
static pack_fn *const packers[] = { pack_xz, pack_gzip, pack_zstd };

static void test_unpack(void **state)
{
	size_t size = 3 << 20, packed_size, out_size;
	uint8_t *in = mem_zalloc(size), *packed = mem_alloc(size + 4096);
	void *out;

	(void)state;
	for (size_t i = 0; i < 100000; i++)
		in[i] = (uint8_t)(i * i >> 7);
	for (size_t p = 0; p < 3; p++) {
		packed_size = packers[p](in, size, packed, size + 4096);
		assert_int_equal(unpack_any(packed, packed_size, size, &out, &out_size), 0);
		assert_int_equal(out_size, size);
		assert_memory_equal(out, in, size);
		free(out);
		/* One byte too many is too many. */
		assert_int_equal(unpack_any(packed, packed_size, size - 1, &out, &out_size), -EFBIG);
		assert_null(out);
		assert_int_equal(unpack_any(packed, packed_size, 1000, &out, &out_size), -EFBIG);
		for (size_t cut = 8; cut < packed_size; cut += packed_size / 50)
			assert_int_equal(unpack_any(packed, cut, size, &out, &out_size), -EBADMSG);
		for (size_t at = 6; at < packed_size; at += packed_size / 50) {
			packed[at] ^= 0x41;
			if (unpack_any(packed, packed_size, size, &out, &out_size) == 0)
				free(out);
			packed[at] ^= 0x41;
		}
	}
	assert_int_equal(unpack_any("\x7f"
				    "ELF....",
				    8, 100, &out, &out_size),
			 -ENOEXEC);
	assert_int_equal(unpack_any("", 0, 100, &out, &out_size), -ENOEXEC);
	free(in);
	free(packed);
}

/* Files one behind the other are all unpacked; zeroes may follow, anything else is damage. */
static void test_unpack_many(void **state)
{
	static const char *const parts[] = { "a;b 1\n", "", "a;c 2\n" };
	uint8_t packed[4096];
	size_t out_size;
	void *out;

	(void)state;
	for (size_t p = 0; p < 3; p++) {
		size_t size = 0;

		for (size_t i = 0; i < 3; i++)
			size += packers[p](parts[i], strlen(parts[i]), packed + size, 1024);
		/* A block of xz is filled up in steps of four. */
		memset(packed + size, 0, 512);
		for (size_t zeroes = 0; zeroes <= 512; zeroes += 256) {
			assert_int_equal(unpack_any(packed, size + zeroes, 12, &out, &out_size), 0);
			assert_int_equal(out_size, 12);
			assert_memory_equal(out, "a;b 1\na;c 2\n", 12);
			free(out);
		}
		assert_int_equal(unpack_any(packed, size, 11, &out, &out_size), -EFBIG);
		assert_int_equal(unpack_any(packed, size - 1, 12, &out, &out_size), -EBADMSG);
		packed[size + 256] = 'x';
		assert_int_equal(unpack_any(packed, size + 257, 12, &out, &out_size), -EBADMSG);
	}
}

static const char *name_at(const struct symtab *t, uint64_t addr)
{
	const struct symbol *s = symtab_find(t, addr);

	return s ? s->name : "none";
}

/* object.elf has f (5 bytes), g (6) and a label in .text. */
static void test_kmodule(void **state)
{
	struct module_ref ref = { .kind = MODULE_KMODULE, .path = "[no_such_mod]", .kernel_start = 0xffffffffc0100000 };
	static const struct origin elsewhere = { .place = ORIGIN_OTHER_MACHINE, .why = "it was recorded elsewhere" };
	struct symbolizer_options opts = { .symfs = root };
	char *object, *dir, *dep, *file;
	struct errbuf eb = { 0 };
	struct symtab *t;
	uint8_t packed[8192];
	struct utsname u;
	size_t size, packed_size;

	(void)state;
	assert_int_equal(uname(&u), 0);
	assert_int_equal(io_read_file(CORPUS "object.elf", 1 << 20, &object, &size), 0);
	dir = mem_printf("/lib/modules/%s", u.release);
	dep = mem_printf("%s/modules.dep", dir);
	file = mem_printf("%s/kernel/x/no-such-mod.ko", dir);

	/* Nothing is there: the words of kallsyms. */
	assert_int_equal(symbolizer_load(&opts, &ref, &t, &eb), 0);
	assert_int_equal(t->symbols.nr, 0);
	assert_true(eb.text[0]);
	symtab_free(t);

	put_text(dep, "kernel/x/other.ko:\nkernel/x/no-such-mod.ko: kernel/x/other.ko\n");
	put(file, object, size);
	errbuf_clear(&eb);
	assert_int_equal(symbolizer_load(&opts, &ref, &t, &eb), 0);
	assert_string_equal(eb.text, "");
	assert_string_equal(name_at(t, 0), "f");
	assert_string_equal(name_at(t, 5), "g");
	assert_non_null(strstr(t->made_from, "no-such-mod.ko"));
	symtab_free(t);

	/* Packed, and by its own path */
	for (size_t p = 0; p < 3; p++) {
		packed_size = packers[p](object, size, packed, sizeof(packed));
		put(file, packed, packed_size);
		ref.path = p == 1 ? file : "[no_such_mod]";
		assert_int_equal(symbolizer_load(&opts, &ref, &t, &eb), 0);
		assert_string_equal(name_at(t, 6), "g");
		symtab_free(t);
	}
	/* Damaged: nothing */
	put(file, packed, packed_size / 2);
	assert_null(kmodule_file_load(&opts, &ref, "no_such_mod", NULL));
	/* Of another machine, a file below --symfs is that machine's. */
	put(file, object, size);
	ref.origin = &elsewhere;
	t = kmodule_file_load(&opts, &ref, "no_such_mod", NULL);
	assert_string_equal(name_at(t, 0), "f");
	symtab_free(t);
	free(object);
	free(dir);
	free(dep);
	free(file);
}

static void test_debuginfod_path(void **state)
{
	struct build_id id = build_id_of((const uint8_t *)"\xab\xcd\xef", 3), none = { 0 };
	char *path;

	(void)state;
	setenv("DEBUGINFOD_CACHE_PATH", "/c", 1);
	path = debug_files_debuginfod(&id, "debuginfo");
	assert_string_equal(path, "/c/abcdef/debuginfo");
	free(path);
	unsetenv("DEBUGINFOD_CACHE_PATH");
	setenv("HOME", root, 1);
	setenv("XDG_CACHE_HOME", "/x", 1);
	path = debug_files_debuginfod(&id, "executable");
	assert_string_equal(path, "/x/debuginfod_client/abcdef/executable");
	free(path);
	assert_null(debug_files_debuginfod(&none, "debuginfo"));
}

static void expect_command(const char *package, const char *wanted)
{
	char *command = remedy_package_command(root, package);

	assert_string_equal(command, wanted);
	free(command);
}

static void test_packages(void **state)
{
	char *package;

	(void)state;
	assert_null(remedy_package_find(root, "/usr/lib/x/libfoo.so.1"));
	assert_false(remedy_package_is_rpm(root));
	put_text("/usr/lib/sysimage/rpm/x", "");
	assert_true(remedy_package_is_rpm(root));
	put_text("/var/lib/dpkg/info/libfoo1:amd64.list", "/.\n/lib/x\n/lib/x/libfoo.so.1\n");
	put_text("/var/lib/dpkg/info/bar.list", "/usr/bin/bar\n/usr/lib/x/libfoo.so.11\n/opt/usr/bin/baz\n");
	put_text("/var/lib/dpkg/info/bar.md5sums", "/usr/bin/no\n");
	assert_false(remedy_package_is_rpm(root));
	/* Under both of its names */
	package = remedy_package_find(root, "/usr/lib/x/libfoo.so.1");
	assert_string_equal(package, "libfoo1");
	free(package);
	package = remedy_package_find(root, "/lib/x/libfoo.so.1");
	assert_string_equal(package, "libfoo1");
	free(package);
	package = remedy_package_find(root, "/bin/bar");
	assert_string_equal(package, "bar");
	free(package);
	assert_null(remedy_package_find(root, "/usr/bin/baz"));
	assert_null(remedy_package_find(root, "/usr/bin/no"));
	assert_null(remedy_package_find(root, "relative"));

	expect_command("libfoo1", "apt install libfoo1-dbgsym (needs the archive of debug packages in apt's sources)");
	/* All of one version of Python are in a package of the archive itself. */
	expect_command("python3.11", "apt install python3.11-dbg");
	expect_command("python3.11-minimal", "apt install python3.11-dbg");
	expect_command("libpython3.12-stdlib", "apt install python3.12-dbg");
	expect_command("libpython3.11", "apt install python3.11-dbg");
	expect_command("python3-numpy", "apt install python3-numpy-dbgsym (needs the archive of debug packages in apt's sources)");
	expect_command("python3.", "apt install python3.-dbgsym (needs the archive of debug packages in apt's sources)");
	put_text("/etc/os-release", "NAME=x\nID=debian\nVERSION_CODENAME=trixie\n");
	expect_command("libfoo1", "apt install libfoo1-dbgsym (needs the archive trixie-debug in apt's sources)");
	expect_command("libc6", "apt install libc6-dbg");
	put_text("/var/lib/apt/lists/x_debian-debug_dists_trixie-debug_main_binary-amd64_Packages", "");
	expect_command("libfoo1", "apt install libfoo1-dbgsym");
	put_text("/var/lib/dpkg/info/libfoo1-dbgsym:amd64.list", "/x\n");
	expect_command("libfoo1", "apt install libfoo1 libfoo1-dbgsym (both of one version)");
}

static void expect_rpm(const char *path, const char *wanted)
{
	char *command = remedy_package_rpm_command(path);

	assert_string_equal(command, wanted);
	free(command);
}

static void test_shell_words(void **state)
{
	(void)state;
	expect_rpm("/usr/lib64/libc.so.6", "dnf debuginfo-install $(rpm -qf /usr/lib64/libc.so.6)");
	expect_rpm("/usr/lib/g++-12/x", "dnf debuginfo-install $(rpm -qf /usr/lib/g++-12/x)");
	expect_rpm("/usr/lib/x; reboot", "dnf debuginfo-install $(rpm -qf '/usr/lib/x; reboot')");
	expect_rpm("/usr/lib/$(reboot)", "dnf debuginfo-install $(rpm -qf '/usr/lib/$(reboot)')");
	expect_rpm("/usr/lib/a'b`c", "dnf debuginfo-install $(rpm -qf '/usr/lib/a'\\''b`c')");
	expect_rpm("/usr/lib/a\nreboot", "dnf debuginfo-install of the package that the file is from");
}

static bool is_hidden(const char *text)
{
	char *path = mem_printf("%s/kallsyms", root);
	bool hidden;

	put_text("/kallsyms", text);
	hidden = kallsyms_is_hidden(path);
	free(path);
	return hidden;
}

/* What the kernel shows decides, not how it is configured: with CAP_SYSLOG nothing is hidden by kptr_restrict=1. */
static void test_kernel_hidden(void **state)
{
	(void)state;
	assert_true(is_hidden("0000000000000000 T _text\n0000000000000000 T x\n"));
	assert_false(is_hidden("0000000000000000 A first\nffffffff81000000 T _text\n"));
	assert_false(is_hidden(""));
	assert_false(kallsyms_is_hidden("/nonexistent"));
}

static void test_deleted(void **state)
{
	(void)state;
	assert_int_equal(deleted_mark_at("/bin/x (deleted)"), 6);
	assert_int_equal(deleted_mark_at("/bin/x"), 6);
	assert_int_equal(deleted_mark_at(" (deleted)"), 10);
	assert_int_equal(deleted_mark_at("/x (deleted) "), 13);
	assert_int_equal(deleted_mark_at(""), 0);
}

static size_t pack_head(uint8_t *out, uint32_t type, uint64_t claimed)
{
	uint64_t align = 1;

	memset(out, 0, 24);
	memcpy(out, &type, 4);
	memcpy(out + 8, &claimed, 8);
	memcpy(out + 16, &align, 8);
	return 24;
}

/* Whole, cut, and claiming what it does not keep; what shrank as nothing honest does is refused before it is unpacked. */
static void test_sections(void **state)
{
	size_t size = 40 << 20, max = 1 << 20, packed_size;
	uint8_t *in = mem_zalloc(size), *packed = mem_alloc(max), *out;
	struct section_packing p;
	uLongf zlib_size;

	(void)state;
	for (uint32_t type = 1; type <= 2; type++) {
		for (size_t n = 10 << 20; n <= size; n += 30 << 20) {
			packed_size = pack_head(packed, type, n);
			zlib_size = max - 24;
			if (type == 1)
				assert_int_equal(compress2(packed + 24, &zlib_size, in, n, 1), Z_OK);
			packed_size += type == 1 ? zlib_size : pack_zstd(in, n, packed + 24, max - 24);
			assert_true(section_packing_read(&p, packed, packed_size, PACKING_ELF64, false));
			assert_int_equal(p.unpacked_bytes, n);
			out = section_unpack(&p, packed, packed_size, UINT64_MAX);
			assert_int_equal(out != NULL, n < size);
			free(out);
			assert_null(section_unpack(&p, packed, packed_size, n - 1));
			assert_null(section_unpack(&p, packed, packed_size / 2, UINT64_MAX));
			assert_null(section_unpack(&p, packed, 10, UINT64_MAX));
			pack_head(packed, type, n + 1);
			section_packing_read(&p, packed, packed_size, PACKING_ELF64, false);
			assert_null(section_unpack(&p, packed, packed_size, UINT64_MAX));
		}
	}
	pack_head(packed, 1, UINT64_MAX);
	assert_true(section_packing_read(&p, packed, max, PACKING_ELF64, false));
	assert_null(section_unpack(&p, packed, max, UINT64_MAX));
	pack_head(packed, 3, 100);
	assert_false(section_packing_read(&p, packed, 24, PACKING_ELF64, false));
	assert_false(section_packing_read(&p, packed, 23, PACKING_ELF64, false));
	assert_int_equal(p.how, PACKED_NOT);
	assert_true(section_packing_read(&p, "ZLIB\0\0\0\0\0\0\1\2rest", 16, PACKING_GNU, false));
	assert_int_equal(p.unpacked_bytes, 258);
	assert_int_equal(p.head_bytes, 12);
	assert_true(section_packing_read(&p, "plain bytes, not packed", 23, PACKING_GNU, false));
	assert_int_equal(p.how, PACKED_NOT);
	free(in);
	free(packed);
}

static void test_remedies(void **state)
{
	static const char *const hostile[] = {
		"[x;reboot]", "[$(reboot)]", "/a/`id`.ko", "[a b]", "[x\nreboot]", "[-r]", "[]", "/a/x'.ko"
	};
	char path[128], text[512], small[10];
	struct module_ref ref = { .kind = MODULE_ELF, .path = path };
	char *object;
	size_t size;

	(void)state;
	unsetenv("DEBUGINFOD_URLS");
	assert_int_equal(io_read_file(CORPUS "stripped.elf", 1 << 20, &object, &size), 0);
	put("/prog", object, size);
	snprintf(path, sizeof(path), "%s/prog", root);
	assert_int_equal(remedy_for(&ref, REMEDY_SYMBOLS, text, sizeof(text)), 0);
	assert_non_null(strstr(text, "rebuild "));
	assert_non_null(strstr(text, "strip"));
	assert_int_equal(remedy_for(&ref, REMEDY_LINES, text, sizeof(text)), 0);
	assert_non_null(strstr(text, "with -g"));
	assert_int_equal(remedy_for(&ref, REMEDY_UNWIND, text, sizeof(text)), 0);
	assert_non_null(strstr(text, "-fasynchronous-unwind-tables"));
	assert_int_equal(remedy_for(&ref, REMEDY_LINES, small, sizeof(small)), 0);
	assert_int_equal(strlen(small), sizeof(small) - 1);

	memset(ref.build_id, 0xab, 20);
	ref.build_id_size = 20;
	assert_int_equal(remedy_for(&ref, REMEDY_SYMBOLS, text, sizeof(text)), 0);
	assert_non_null(strstr(text, "was replaced since"));
	setenv("DEBUGINFOD_URLS", "https://debuginfod.example/", 1);
	unlink(path);
	assert_int_equal(remedy_for(&ref, REMEDY_SYMBOLS, text, sizeof(text)), 0);
	assert_non_null(strstr(text, "debuginfod-find debuginfo abababababababababababababababababababab, or give"));
	assert_non_null(strstr(text, "--symfs"));
	unsetenv("DEBUGINFOD_URLS");

	ref = (struct module_ref){ .kind = MODULE_JIT, .path = "/tmp/perf-1.map" };
	assert_int_equal(remedy_for(&ref, REMEDY_SYMBOLS, text, sizeof(text)), 0);
	assert_int_equal(remedy_for(&ref, REMEDY_LINES, text, sizeof(text)), -ENOENT);
	assert_string_equal(text, "");
	ref = (struct module_ref){ .kind = MODULE_KMODULE, .path = "/lib/modules/1/snd-pcm.ko.xz" };
	assert_int_equal(remedy_for(&ref, REMEDY_SYMBOLS, text, sizeof(text)), 0);
	assert_string_equal(text, "modprobe snd-pcm, or give its file below --symfs DIR");
	/* Names that would do something in a shell */
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		ref.path = hostile[i];
		assert_int_equal(remedy_for(&ref, REMEDY_SYMBOLS, text, sizeof(text)), 0);
		assert_null(strstr(text, "modprobe"));
		assert_null(strpbrk(text, ";$`\n"));
	}
	ref = (struct module_ref){ .kind = MODULE_KERNEL, .path = "[kernel.kallsyms]" };
	assert_int_equal(remedy_for(&ref, REMEDY_LINES, text, sizeof(text)), 0);
	assert_non_null(strstr(text, "-k VMLINUX"));
	ref = (struct module_ref){ .kind = MODULE_NONE, .path = "[heap]" };
	assert_int_equal(remedy_for(&ref, REMEDY_SYMBOLS, text, sizeof(text)), -ENOENT);
	free(object);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unpack),
		cmocka_unit_test(test_unpack_many),
		cmocka_unit_test_setup_teardown(test_kmodule, make_root, remove_root),
		cmocka_unit_test_setup_teardown(test_debuginfod_path, make_root, remove_root),
		cmocka_unit_test_setup_teardown(test_packages, make_root, remove_root),
		cmocka_unit_test_setup_teardown(test_remedies, make_root, remove_root),
		cmocka_unit_test_setup_teardown(test_kernel_hidden, make_root, remove_root),
		cmocka_unit_test(test_shell_words),
		cmocka_unit_test(test_deleted),
		cmocka_unit_test(test_sections),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
