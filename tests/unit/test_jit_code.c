/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * session/jit_code.c: an address of generated code is what was there at the time; whose dumps are read.
 */
#include "session_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "jitdump_writer.h"

#define PID 4194000 /* above what any process has here */
#define CODE UINT64_C(0x7f0000001000)

struct scene {
	struct fixture f;
	char *dir, *path;
	struct task *task;
};

static void apply_mmap(struct scene *s, const char *path, uint64_t start, uint64_t len, uint64_t time_ns)
{
	struct record_header h = { .type = RECORD_MMAP2, .misc = MISC_USER };
	struct record rec = { .header = &h };

	rec.mmap =
		(struct record_mmap){ .pid = PID, .tid = PID, .start = start, .len = len, .prot = PROT_READ | PROT_EXEC, .filename = path };
	rec.id.time_ns = time_ns;
	s->task = machine_apply(&s->f.s.machine, &rec);
}

static void write_dump(struct scene *s, struct out *o)
{
	FILE *f = fopen(s->path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(o->buf, 1, o->len, f), o->len);
	fclose(f);
	out_fini(o);
}

static void scene_init(struct scene *s)
{
	char dir[] = "/tmp/test_jit_code.XXXXXX";

	fixture_init(&s->f);
	s->dir = mem_strdup(mkdtemp(dir));
	s->path = mem_printf("%s/jit-%d.dump", dir, PID);
	s->f.s.machine.is_monotonic = true;
}

static void scene_fini(struct scene *s)
{
	unlink(s->path);
	rmdir(s->dir);
	free(s->path);
	free(s->dir);
	fixture_fini(&s->f);
}

/* The name at an address, now. */
static const char *name_at(struct scene *s, uint64_t ip)
{
	struct machine *m = &s->f.s.machine;
	struct location l = machine_locate(m, s->task, ip, MISC_USER);
	const struct symbol *sym = l.dso == DSO_NONE ? NULL : symtab_find(dso_table_symbols(&m->dsos, l.dso), l.addr);

	return sym ? sym->name : "";
}

static void test_replaced_code_is_named_by_time(void **state)
{
	struct scene s;
	struct out o;
	uint64_t key;

	(void)state;
	scene_init(&s);
	dump_head(&o);
	dump_load(&o, 100, CODE, 64, 1, "first");
	dump_load(&o, 200, CODE + 16, 32, 2, "second"); /* into the middle */
	dump_load(&o, 150, CODE + 0x100, 64, 3, "other");
	dump_move(&o, 300, CODE + 0x100, CODE, 64, 3);
	write_dump(&s, &o);
	apply_mmap(&s, "//anon", CODE, 0x1000, 50);
	apply_mmap(&s, s.path, 0x1000, 0x1000, 60);
	/* What nothing was before is there at once. */
	assert_string_equal(name_at(&s, CODE + 20), "first");
	assert_string_equal(name_at(&s, CODE + 0x100), "other");
	key = machine_map_key(&s.f.s.machine, s.task);
	jit_codes_advance(&s.f.s.machine, 199);
	assert_string_equal(name_at(&s, CODE + 20), "first");
	jit_codes_advance(&s.f.s.machine, 200);
	assert_int_not_equal(machine_map_key(&s.f.s.machine, s.task), key);
	assert_string_equal(name_at(&s, CODE + 20), "second");
	assert_string_equal(name_at(&s, CODE + 4), "first");
	/* Memory that is mapped again, as by mprotect(), is what it was. */
	apply_mmap(&s, "//anon", CODE, 0x1000, 250);
	assert_string_equal(name_at(&s, CODE + 20), "second");
	jit_codes_advance(&s.f.s.machine, 1000);
	assert_string_equal(name_at(&s, CODE + 20), "other");
	assert_int_equal(s.f.s.machine.jits.due_ns, UINT64_MAX);
	/* A library at the same place is no generated code. */
	apply_mmap(&s, "/nonexistent/lib.so", CODE, 0x1000, 1100);
	assert_string_equal(name_at(&s, CODE + 20), "");
	scene_fini(&s);
}

static void test_foreign_dumps_are_not_read(void **state)
{
	struct scene s;
	struct out o;

	(void)state;
	scene_init(&s);
	dump_head(&o);
	dump_load(&o, 100, CODE, 64, 1, "lie");
	write_dump(&s, &o);
	assert_int_equal(chmod(s.path, 0666), 0);
	apply_mmap(&s, "//anon", CODE, 0x1000, 50);
	apply_mmap(&s, s.path, 0x1000, 0x1000, 60);
	assert_string_equal(name_at(&s, CODE), "");
	assert_int_equal(chmod(s.path, 0644), 0);
	if (geteuid() == 0) {
		assert_int_equal(chown(s.path, 12345, 12345), 0);
		apply_mmap(&s, s.path, 0x1000, 0x1000, 61);
		assert_string_equal(name_at(&s, CODE), "");
		assert_int_equal(chown(s.path, 0, 0), 0);
	}
	apply_mmap(&s, s.path, 0x1000, 0x1000, 62);
	assert_string_equal(name_at(&s, CODE), "lie");
	scene_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replaced_code_is_named_by_time),
		cmocka_unit_test(test_foreign_dumps_are_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
