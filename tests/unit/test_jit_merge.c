/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * inject/jit_merge.h and symbols/jit_image.h: images of generated code beside a dump, their maps by time; what stands in their way.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "inject/jit_merge.h"
#include "jitdump_writer.h"
#include "symbols/jit_image.h"
#include "symbols/symbol_readers.h"

static char dir[64], dump_path[96];

static int make_dir(void **state)
{
	int fd;

	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/test_jit_merge.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(dump_path, sizeof(dump_path), "%s/jit-42.dump", dir);
	fd = open(dump_path, O_CREAT | O_WRONLY, 0600);
	return fd < 0 ? -1 : close(fd);
}

static int remove_dir(void **state)
{
	static const char *const names[] = { "jit-42.dump", "jitted-42-0.so", "jitted-42-1.so", "victim" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *path = mem_printf("%s/%s", dir, names[i]);

		unlink(path);
		free(path);
	}
	return rmdir(dir);
}

static struct jitdump *parse(struct out *o)
{
	struct errbuf eb = { 0 };
	char *bytes = memcpy(mem_alloc(o->len + 1), o->buf, o->len);
	struct jitdump *d = jitdump_parse(bytes, o->len, "jit-42.dump", &eb);

	out_fini(o);
	assert_non_null(d);
	return d;
}

static struct jitdump *two_functions(void)
{
	struct out o;

	dump_head(&o);
	dump_load(&o, 10, 0x1000, 64, 7, "first");
	dump_load(&o, 30, 0x2000, 32, 7, "second");
	dump_move(&o, 20, 0x2000, 0x3000, 32, 7);
	return parse(&o);
}

static void test_images_have_code_and_symbol(void **state)
{
	struct jitdump *d = two_functions();
	struct jit_merge m = { 0 };
	struct errbuf eb = { 0 };
	struct build_id id;
	struct elf_file f;
	uint64_t vaddr = 0;
	uint8_t code[32];

	(void)state;
	assert_int_equal(jit_merge_add(&m, d, dump_path, 42, &eb), 0);
	assert_int_equal(m.images.nr, 2);
	assert_true(jit_merge_has(&m, 42));
	assert_false(jit_merge_has(&m, 43));
	assert_non_null(strstr(m.images.v[1].path, "/jitted-42-1.so"));
	assert_int_equal(elf_file_open(&f, m.images.v[1].path, &eb), 0);
	assert_true(elf_symbols_find(&f, "second", &vaddr));
	assert_int_equal(vaddr, JIT_IMAGE_TEXT_OFF);
	assert_int_equal(elf_file_read(&f, JIT_IMAGE_TEXT_OFF, code, sizeof(code)), sizeof(code));
	assert_int_equal(code[31], 0x90);
	id = build_id_of_file(&f);
	assert_true(build_id_equal(&id, &m.images.v[1].id));
	assert_false(build_id_equal(&id, &m.images.v[0].id));
	elf_file_close(&f);
	jit_merge_fini(&m);
	jitdump_free(d);
}

static void test_maps_come_by_time(void **state)
{
	struct jitdump *d = two_functions();
	struct jit_merge m = { 0 };
	struct errbuf eb = { 0 };
	const struct jit_merge_map *map;

	(void)state;
	assert_int_equal(jit_merge_add(&m, d, dump_path, 42, &eb), 0);
	assert_null(jit_merge_next(&m, 9));
	map = jit_merge_next(&m, 10);
	assert_int_equal(map->addr, 0x1000);
	assert_int_equal(map->image, 0);
	assert_null(jit_merge_next(&m, 19));
	map = jit_merge_next(&m, UINT64_MAX);
	assert_int_equal(map->addr, 0x3000);
	assert_int_equal(map->image, 1);
	assert_int_equal(map->size_bytes, 32);
	map = jit_merge_next(&m, UINT64_MAX);
	assert_int_equal(map->addr, 0x2000);
	assert_null(jit_merge_next(&m, UINT64_MAX));
	jit_merge_fini(&m);
	jitdump_free(d);
}

static void test_links_are_not_followed(void **state)
{
	struct jitdump *d = two_functions();
	struct jit_merge m = { 0 };
	struct errbuf eb = { 0 };
	char *victim = mem_printf("%s/victim", dir), *image = mem_printf("%s/jitted-42-1.so", dir);
	struct stat st;

	(void)state;
	unlink(image);
	assert_int_equal(symlink(victim, image), 0);
	assert_int_equal(jit_merge_add(&m, d, dump_path, 42, &eb), -EEXIST);
	assert_non_null(strstr(eb.text, "jitted-42-1.so"));
	assert_int_equal(stat(victim, &st), -1);
	assert_false(jit_merge_has(&m, 42));
	unlink(image);
	jit_merge_fini(&m);
	jitdump_free(d);
	free(victim);
	free(image);
}

static void test_images_are_beside_a_dump_alone(void **state)
{
	struct jitdump *d = two_functions();
	struct jit_merge m = { 0 };
	struct errbuf eb = { 0 };
	char *elsewhere = mem_printf("%s/jit-43.dump", dir);

	(void)state;
	assert_int_equal(jit_merge_add(&m, d, elsewhere, 43, &eb), -ENOENT);
	assert_int_equal(m.images.nr, 0);
	assert_int_equal(symlink(dump_path, elsewhere), 0);
	assert_int_equal(jit_merge_add(&m, d, elsewhere, 43, &eb), -EPERM);
	unlink(elsewhere);
	jit_merge_fini(&m);
	jitdump_free(d);
	free(elsewhere);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_images_have_code_and_symbol),
		cmocka_unit_test(test_maps_come_by_time),
		cmocka_unit_test(test_links_are_not_followed),
		cmocka_unit_test(test_images_are_beside_a_dump_alone),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
