/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/elf_*, build_id, vdso and the door symbolizer.h on real files: this program itself, the
 * fixtures of the fuzz corpus, a copy with its symbols in a separate debug file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "symbols/elf_file.h"
#include "symbols/debug_files.h"
#include "symbols/symbol_readers.h"
#include "symbols/symbolizer.h"

#define CORPUS "tests/fuzz/corpus/elf_symbols/"

__attribute__((noinline)) int known_function(int a)
{
	__asm__ volatile("");
	return a + 1;
}

/* The offset in our own file of an address of ours, from the kernel's list of maps. */
static uint64_t file_offset_of(const void *p)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long start, end, off;
	char line[512];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &off) == 3 && (uintptr_t)p >= start && (uintptr_t)p < end) {
			fclose(f);
			return (uintptr_t)p - start + off;
		}
	}
	fclose(f);
	fail();
	return 0;
}

static struct symtab *load(const char *path, const struct build_id *id, struct errbuf *eb)
{
	static const struct symbolizer_options opts;
	struct module_ref ref = { .kind = MODULE_ELF, .path = path };
	struct symtab *t = NULL;

	if (id) {
		memcpy(ref.build_id, id->bytes, id->size);
		ref.build_id_size = id->size;
	}
	assert_int_equal(symbolizer_load(&opts, &ref, &t, eb), 0);
	assert_non_null(t);
	return t;
}

static const char *name_at(const struct symtab *t, uint64_t addr)
{
	const struct symbol *s = symtab_find(t, addr);

	return s ? s->name : "none";
}

static void test_self(void **state)
{
	struct errbuf eb = { 0 };
	struct symtab *t = load("/proc/self/exe", NULL, &eb);
	uint64_t off = file_offset_of((const void *)known_function);

	(void)state;
	assert_string_equal(name_at(t, off), "known_function");
	assert_string_equal(name_at(t, off + 1), "known_function");
	assert_string_equal(name_at(t, file_offset_of((const void *)test_self) + 4), "test_self");
	assert_int_equal(symtab_find(t, off)->start, off);
	assert_string_equal(eb.text, "");
	assert_true(t->mangled);
	symtab_free(t);
}

/* f calls ext through .plt; g jumps to ext2; o is data. */
static void test_fixture(void **state)
{
	struct elf_file f;
	struct symtab *t = symtab_new();
	const struct symbol *s;
	uint64_t vaddr;

	(void)state;
	assert_int_equal(elf_file_open(&f, CORPUS "shared.elf", NULL), 0);
	assert_true(elf_symbols_load(t, &f, &f, ELF_FILE_OFFSETS) > 0);
	for (const char *const *name = (const char *const[]){ "f", "g", "lab", "o", "ext@plt", NULL }; *name; name++) {
		uint32_t i = 0;

		while (i < t->symbols.nr && strcmp(t->symbols.v[i].name, *name) != 0)
			i++;
		if (i == t->symbols.nr)
			fail_msg("no symbol %s", *name);
	}
	assert_true(elf_symbols_find(&f, "f", &vaddr));
	assert_true(elf_file_offset(&f, vaddr, &vaddr));
	s = symtab_find(t, vaddr + 1);
	assert_non_null(s);
	assert_string_equal(s->name, "f");
	assert_int_equal(s->end - s->start, 5);
	assert_false(elf_symbols_find(&f, "no_such", &vaddr));
	symtab_free(t);
	elf_file_close(&f);
}

/* 32 bytes of header, 16 a stub; no $x. */
static void test_arm64_plt(void **state)
{
	struct elf_file f;
	struct symtab *t = symtab_new();
	uint64_t plt;

	(void)state;
	assert_int_equal(elf_file_open(&f, CORPUS "arm64.elf", NULL), 0);
	assert_true(elf_symbols_load(t, &f, &f, ELF_FILE_OFFSETS) > 0);
	plt = f.sections.v[elf_file_find_section(&f, ".plt")].file_off;
	assert_non_null(strstr(name_at(t, plt + 32), "@plt"));
	assert_non_null(strstr(name_at(t, plt + 48), "@plt"));
	assert_string_not_equal(name_at(t, plt + 32), name_at(t, plt + 48));
	for (uint32_t i = 0; i < t->symbols.nr; i++)
		assert_true(t->symbols.v[i].name[0] != '$');
	symtab_free(t);
	elf_file_close(&f);
}

static void copy_file(const char *from, const char *to)
{
	size_t size;
	char *data;
	int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0755);

	assert_true(fd >= 0);
	assert_int_equal(io_read_file(from, 64 << 20, &data, &size), 0);
	assert_int_equal(io_write(fd, data, size, NULL), 0);
	close(fd);
	free(data);
}

/* stripped.elf says that its symbols are in small.so, which shared.elf is a copy of. */
static void test_debuglink(void **state)
{
	char dir[] = "/tmp/assay-test-XXXXXX", file[64], debug_dir[64], debug[64];
	struct errbuf eb = { 0 };
	struct symtab *t;

	(void)state;
	/* The index has the same contents where an earlier run was slow enough to save them. */
	setenv("ASSAY_CACHE", "off", 1);
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/lib.so", dir);
	snprintf(debug_dir, sizeof(debug_dir), "%s/.debug", dir);
	snprintf(debug, sizeof(debug), "%s/.debug/small.so", dir);
	copy_file(CORPUS "stripped.elf", file);
	t = load(file, NULL, &eb);
	assert_string_equal(t->made_from, file);
	symtab_free(t);
	assert_int_equal(mkdir(debug_dir, 0755), 0);
	copy_file(CORPUS "shared.elf", debug);
	t = load(file, NULL, &eb);
	assert_string_equal(t->made_from, debug);
	symtab_free(t);
	/* Another file under that name has another build-id. */
	copy_file("/proc/self/exe", debug);
	t = load(file, NULL, &eb);
	assert_string_equal(t->made_from, file);
	symtab_free(t);
	unlink(debug);
	rmdir(debug_dir);
	unlink(file);
	rmdir(dir);
	unsetenv("ASSAY_CACHE");
}

static void test_replaced(void **state)
{
	struct build_id id = build_id_of((const uint8_t *)"\x12\x34\x56", 3);
	struct errbuf eb = { 0 };
	struct symtab *t = load(CORPUS "shared.elf", &id, &eb);

	(void)state;
	assert_int_equal(t->symbols.nr, 0);
	assert_non_null(strstr(eb.text, "was replaced since the recording (build-id 123456, now "));
	symtab_free(t);
}

static void test_not_there(void **state)
{
	struct errbuf eb = { 0 };
	struct symtab *t = load("/nonexistent/lib.so", NULL, &eb);

	(void)state;
	assert_int_equal(t->symbols.nr, 0);
	assert_non_null(strstr(eb.text, "/nonexistent/lib.so"));
	symtab_free(t);
	errbuf_clear(&eb);
	t = load("/proc/self/status", NULL, &eb);
	assert_int_equal(t->symbols.nr, 0);
	assert_non_null(strstr(eb.text, "not an ELF file"));
	symtab_free(t);
}

static void test_build_ids(void **state)
{
	static const uint8_t notes[] = "\x04\0\0\0\x02\0\0\0\x01\0\0\0XYZ\0ab\0\0"
				       "\x04\0\0\0\x03\0\0\0\x03\0\0\0GNU\0\x12\x34\x56\0";
	struct build_id id = build_id_in_notes(notes, sizeof(notes) - 1), padded;
	char hex[BUILD_ID_HEX_SIZE];
	uint8_t bytes[20] = { 0x12, 0x34, 0x56 };

	(void)state;
	assert_string_equal(build_id_hex(&id, hex), "123456");
	padded = build_id_of(bytes, 20);
	assert_true(build_id_equal(&id, &padded));
	padded.bytes[19] = 1;
	assert_true(build_id_differ(&id, &padded));
	id.size = 0;
	assert_false(build_id_differ(&id, &padded));
	assert_false(build_id_equal(&id, &padded));
	assert_int_equal(build_id_in_notes(notes, sizeof(notes) - 3).size, 0);
	assert_int_equal(symbolizer_build_id(CORPUS "stripped.elf", bytes), 20);
	assert_int_equal(symbolizer_build_id("/proc/self/status", bytes), -ENOEXEC);
	assert_int_equal(symbolizer_build_id("/nonexistent", bytes), -ENOENT);
	assert_int_equal(symbolizer_build_id("[../../etc]", bytes), -ENODATA);
}

static void test_vdso(void **state)
{
	static const struct symbolizer_options opts;
	struct module_ref ref = { .kind = MODULE_VDSO, .path = "[vdso]" };
	struct symtab *t;
	struct elf_file f;
	bool found = false;
	void *image;
	int size;

	(void)state;
	if (vdso_open(&f, &image, NULL))
		skip();
	elf_file_close(&f);
	free(image);
	assert_int_equal(symbolizer_load(&opts, &ref, &t, NULL), 0);
	for (uint32_t i = 0; i < t->symbols.nr; i++)
		found |= strstr(t->symbols.v[i].name, "clock_gettime") != NULL;
	assert_true(found);
	symtab_free(t);

	size = symbolizer_build_id("[vdso]", ref.build_id);
	if (size < 0)
		return;
	ref.build_id_size = (uint8_t)size;
	assert_int_equal(symbolizer_load(&opts, &ref, &t, NULL), 0);
	assert_true(t->symbols.nr > 0);
	symtab_free(t);
	ref.build_id[0] ^= 0xff;
	assert_int_equal(symbolizer_load(&opts, &ref, &t, NULL), 0);
	assert_int_equal(t->symbols.nr, 0);
	symtab_free(t);
}

/* A vmlinux is linked at other addresses than the recording had it at. */
static void test_vmlinux(void **state)
{
	struct symbolizer_options opts = { .vmlinux = CORPUS "shared.elf" };
	struct module_ref ref = {
		.kind = MODULE_KERNEL, .path = "[kernel.kallsyms]", .kernel_start = 0xffffffff81000000, .kernel_ref_name = "f"
	};
	struct errbuf eb = { 0 };
	struct symtab *t;

	(void)state;
	assert_int_equal(symbolizer_load(&opts, &ref, &t, &eb), 0);
	assert_string_equal(name_at(t, 0xffffffff81000000), "f");
	assert_string_equal(name_at(t, 0xffffffff81000005), "g");
	symtab_free(t);
	ref.build_id_size = 20;
	assert_int_equal(symbolizer_load(&opts, &ref, &t, &eb), 0);
	assert_int_equal(t->symbols.nr, 0);
	assert_non_null(strstr(eb.text, "not the recorded kernel"));
	symtab_free(t);
}

/* A section header of half a gigabyte, most of which the disk does not hold; then more sections than there is disk for. */
static void test_holes(void **state)
{
	char path[] = "/tmp/assay-test-holes-XXXXXX";
	int fd = mkstemp(path);
	struct errbuf eb = { 0 };
	Elf64_Ehdr eh = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			  .e_type = ET_EXEC,
			  .e_machine = EM_X86_64,
			  .e_version = EV_CURRENT,
			  .e_shoff = 4096,
			  .e_ehsize = sizeof(eh),
			  .e_shentsize = sizeof(Elf64_Shdr),
			  .e_shnum = 4 };
	Elf64_Shdr sh[4] = { { 0 },
			     { .sh_type = SHT_PROGBITS, .sh_offset = 8192, .sh_size = 8 << 20 },
			     { .sh_type = SHT_PROGBITS, .sh_offset = 8192, .sh_size = 512 << 20 },
			     { .sh_type = SHT_PROGBITS, .sh_offset = 8192, .sh_size = 10 << 20 } };
	struct elf_file f;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(io_pwrite(fd, &eh, sizeof(eh), 0, NULL), 0);
	assert_int_equal(io_pwrite(fd, sh, sizeof(sh), eh.e_shoff, NULL), 0);
	assert_int_equal(ftruncate(fd, 20LL << 30), 0);
	assert_int_equal(elf_file_open(&f, path, &eb), 0);
	assert_non_null(elf_file_get_data(&f, 1));
	assert_false(f.budgets->memory.is_exhausted);
	assert_null(elf_file_get_data(&f, 2));
	assert_true(f.budgets->memory.is_exhausted);
	assert_null(elf_file_get_data(&f, 3)); /* together they are too much */
	assert_non_null(elf_file_get_data(&f, 1));
	elf_file_close(&f);

	eh.e_shnum = 0;
	sh[0].sh_size = 300000000;
	assert_int_equal(io_pwrite(fd, &eh, sizeof(eh), 0, NULL), 0);
	assert_int_equal(io_pwrite(fd, sh, sizeof(sh), eh.e_shoff, NULL), 0);
	assert_int_equal(elf_file_open(&f, path, &eb), -EBADMSG);
	assert_non_null(strstr(eb.text, "more sections or segments"));
	sh[0].sh_size = 1 << 20;
	assert_int_equal(io_pwrite(fd, sh, sizeof(sh), eh.e_shoff, NULL), 0);
	assert_int_equal(elf_file_open(&f, path, &eb), -EBADMSG);
	eh.e_shnum = 4;
	eh.e_phoff = 64;
	eh.e_phentsize = sizeof(Elf64_Phdr);
	eh.e_phnum = PN_XNUM;
	sh[0].sh_size = 0;
	sh[0].sh_info = 300000000;
	assert_int_equal(io_pwrite(fd, &eh, sizeof(eh), 0, NULL), 0);
	assert_int_equal(io_pwrite(fd, sh, sizeof(sh), eh.e_shoff, NULL), 0);
	assert_int_equal(elf_file_open(&f, path, &eb), -EBADMSG);
	close(fd);
	assert_int_equal(unlink(path), 0);
}

/* Every cut of a file is survived, and what is left of it read. */
static void test_cut_files(void **state)
{
	size_t size;
	char *data;

	(void)state;
	assert_int_equal(io_read_file(CORPUS "shared.elf", 1 << 20, &data, &size), 0);
	for (size_t cut = 0; cut < size; cut += 3) {
		char *copy = mem_alloc(cut + 1);
		struct symtab *t = symtab_new();
		struct elf_file f;

		memcpy(copy, data, cut);
		if (cut && elf_file_open_memory(&f, copy, cut, NULL) == 0) {
			build_id_of_file(&f);
			elf_symbols_load(t, &f, &f, ELF_FILE_OFFSETS);
			elf_file_close(&f);
		}
		symtab_free(t);
		free(copy);
	}
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_self),	  cmocka_unit_test(test_fixture),   cmocka_unit_test(test_arm64_plt),
		cmocka_unit_test(test_debuglink), cmocka_unit_test(test_replaced),  cmocka_unit_test(test_not_there),
		cmocka_unit_test(test_build_ids), cmocka_unit_test(test_vdso),	    cmocka_unit_test(test_vmlinux),
		cmocka_unit_test(test_holes),	  cmocka_unit_test(test_cut_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
