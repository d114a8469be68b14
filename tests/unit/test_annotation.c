/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Sums by function and address, their order, rows with and without code, lanes of jumps, lines of source files, and the memory of a kernel.
 */
#include "session_fixture.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jitdump_writer.h"
#include "model/annotation.h"
#include "symbols/jitdump.h"

static const char *const names[] = { "cold", "hot", "never", NULL };

static void fill(struct fixture *f)
{
	struct task *task;
	uint32_t dso;

	fixture_init(f);
	f->p.only_places = true;
	dso = fixture_dso(f, "/no/such/program", names);
	task = fixture_task(f, 1, 1, "app");
	fixture_map(f, task, 0x1000, 3 * FUNCTION_SIZE, dso);
	fixture_sample(f, task, 5, (uint64_t[]){ 0x1010 }, 1);
	fixture_sample(f, task, 30, (uint64_t[]){ 0x1120 }, 1);
	fixture_sample(f, task, 20, (uint64_t[]){ 0x1104 }, 1);
	fixture_sample(f, task, 10, (uint64_t[]){ 0x1120 }, 1);
	fixture_sample(f, task, 7, (uint64_t[]){ 0x9000 }, 1); /* in no file */
	profile_symbolize(&f->p);
}

static void test_sums(void **state)
{
	struct annotation_list l;
	struct annotation a;
	struct fixture f;

	(void)state;
	fill(&f);
	annotation_list_init(&l, &f.p, NULL);
	annotation_list_sort(&l, 0, 1);
	assert_int_equal(l.symbols.nr, 2);
	assert_int_equal(l.totals[0].period, 72);
	assert_int_equal(l.totals[0].nr, 5);
	assert_int_equal(l.nr_unnamed, 1);
	assert_int_equal(l.symbols.v[0].sums[0].period, 60);
	assert_int_equal(l.symbols.v[1].sums[0].nr, 1);

	annotation_init(&a, &l, 0, &(struct annotation_options){ DISASM_ATT, true });
	assert_string_equal(a.name, "hot");
	assert_non_null(a.why_no_code);
	assert_int_equal(a.points.nr, 2);
	assert_int_equal(a.points.v[0].addr, 0x104);
	assert_int_equal(a.points.v[1].sums[0].period, 40);
	assert_int_equal(a.points.v[1].sums[0].nr, 2);
	annotation_fini(&a);
	annotation_list_fini(&l);
	fixture_fini(&f);
}

/* Without code the rows are the reason and the addresses; with a limit those around the hottest. */
static void test_rows(void **state)
{
	struct annotation_row_options o = { .with_source = true };
	struct annotation_rows rows;
	struct annotation_list l;
	struct annotation a;
	struct fixture f;

	(void)state;
	fill(&f);
	annotation_list_init(&l, &f.p, NULL);
	annotation_list_sort(&l, 0, 1);
	annotation_init(&a, &l, 0, &(struct annotation_options){ DISASM_ATT, true });
	annotation_rows_init(&rows, &a, &o);
	assert_int_equal(rows.v.nr, 4);
	assert_int_equal(rows.v.v[0].kind, ANNOTATION_NOTE);
	assert_int_equal(rows.v.v[3].kind, ANNOTATION_ADDRESS);
	assert_int_equal(rows.v.v[3].index, 1);
	annotation_rows_fini(&rows);

	o.max_rows = 1;
	annotation_rows_init(&rows, &a, &o);
	assert_int_equal(rows.v.nr, 1);
	assert_int_equal(rows.v.v[0].index, 1);
	annotation_rows_fini(&rows);
	annotation_fini(&a);
	annotation_list_fini(&l);
	fixture_fini(&f);
}

/* The file of this program: addresses there and back, and bytes. */
static void test_code(void **state)
{
	struct errbuf eb = { 0 };
	struct module_code *code;
	struct module_ref ref = { .kind = MODULE_ELF, .path = "/proc/self/exe" };
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	uint8_t bytes[64];
	uint64_t vaddr, addr;

	(void)state;
	assert_true(len > 0);
	path[len] = 0;
	ref.path = path;
	assert_int_equal(module_code_open(&code, &(struct symbolizer_options){ .cache = NULL }, &ref, &eb), 0);
	assert_true(module_code_mtime_s(code) > 0);
	assert_string_equal(module_code_path(code), path);
	assert_true(module_code_vaddr(code, 0x1000, &vaddr));
	assert_true(module_code_addr(code, vaddr, &addr));
	assert_int_equal(addr, 0x1000);
	assert_int_equal(module_code_read(code, 0x1000, bytes, sizeof(bytes)), sizeof(bytes));
	assert_int_equal(module_code_read(code, UINT64_MAX - 8, bytes, sizeof(bytes)), 0);
	assert_false(module_code_addr(code, UINT64_MAX, &addr));
	module_code_close(code);

	ref.kind = MODULE_JIT;
	assert_int_equal(module_code_open(&code, &(struct symbolizer_options){ .cache = NULL }, &ref, &eb), -ENODATA);
	assert_null(code);
}

/* The code of a dump: by its place in the dump, shown where it was loaded. Memory that was used again names no function. */
static void test_code_of_a_dump(void **state)
{
	struct errbuf eb = { 0 };
	struct module_code *code;
	struct jitdump *d;
	struct out o;
	uint8_t bytes[64];
	uint64_t first, second, again, vaddr, addr;

	(void)state;
	dump_head(&o);
	dump_load(&o, 10, 0x5000, 32, 1, "first");
	dump_load(&o, 20, 0x7000, 32, 2, "second");
	dump_load(&o, 30, 0x6ff0, 32, 3, "again");
	d = jitdump_parse(memcpy(mem_alloc(o.len), o.buf, o.len), o.len, "jit-1.dump", &eb);
	out_fini(&o);
	assert_non_null(d);
	first = d->functions.v[0].file_off;
	second = d->functions.v[1].file_off;
	again = d->functions.v[2].file_off;
	assert_int_equal(module_code_open_dump(&code, d, 0, "/nonexistent/jit-1.dump", &eb), 0);
	assert_int_equal(module_code_machine(code), 62);
	assert_int_equal(module_code_mtime_s(code), 0);
	assert_int_equal(module_code_read(code, first + 8, bytes, sizeof(bytes)), 24);
	assert_int_equal(bytes[0], 0x90);
	assert_int_equal(module_code_read(code, first + 32, bytes, sizeof(bytes)), 0);
	assert_true(module_code_vaddr(code, second + 1, &vaddr));
	assert_int_equal(vaddr, 0x7001);
	assert_true(module_code_vaddr(code, again, &vaddr));
	assert_int_equal(vaddr, 0x6ff0);
	assert_true(module_code_addr(code, 0x5004, &addr));
	assert_int_equal(addr, first + 4);
	assert_false(module_code_addr(code, 0x5020, &addr));
	assert_false(module_code_addr(code, 0x4fff, &addr));
	assert_false(module_code_addr(code, 0x7001, &addr));
	assert_false(module_code_addr(code, 0x6ff1, &addr));
	assert_null(module_code_section(code, 0x5004));
	module_code_close(code);

	d->machine = 0; /* as CPython writes it */
	assert_int_equal(module_code_open_dump(&code, d, 0, "jit-1.dump", &eb), -ENODATA);
	assert_null(code);
	assert_int_equal(module_code_open_dump(&code, d, 183, "jit-1.dump", &eb), 0);
	assert_int_equal(module_code_machine(code), 183);
	module_code_close(code);
	jitdump_free(d);
}

static void add_jump(struct annotation *a, uint32_t from, uint32_t to)
{
	a->insns.v[from].jump = to;
}

static void test_lanes(void **state)
{
	struct annotation a = { .nr_events = 1 };
	struct annotation_lanes l;
	uint8_t cells[ANNOTATION_MAX_LANES + 1];

	(void)state;
	for (uint32_t i = 0; i < 40; i++)
		vec_push(&a.insns, ((struct annotation_insn){ .vaddr = i, .jump = ANNOTATION_NONE }));
	add_jump(&a, 9, 1); /* around the next two, which can share a lane */
	add_jump(&a, 2, 4);
	add_jump(&a, 8, 6);
	annotation_lanes_init(&l, &a);
	assert_int_equal(l.nr_lanes, 2);
	assert_int_equal(l.v.nr, 3);
	annotation_lanes_cells(&l, 1, cells);
	assert_int_equal(cells[0], CELL_TOP);
	assert_int_equal(cells[1], CELL_ACROSS);
	assert_int_equal(cells[2], CELL_ARROW);
	annotation_lanes_cells(&l, 3, cells);
	assert_int_equal(cells[0], CELL_DOWN);
	assert_int_equal(cells[1], CELL_DOWN);
	assert_int_equal(cells[2], CELL_EMPTY);
	annotation_lanes_cells(&l, 8, cells);
	assert_int_equal(cells[1], CELL_BOTTOM);
	assert_int_equal(cells[2], CELL_ACROSS);
	annotation_lanes_cells(&l, 20, cells);
	assert_int_equal(cells[0], CELL_EMPTY);
	annotation_lanes_fini(&l);

	/* More that overlap than there are lanes. */
	for (uint32_t i = 0; i < 15; i++)
		add_jump(&a, i, 39 - i);
	annotation_lanes_init(&l, &a);
	assert_int_equal(l.nr_lanes, ANNOTATION_MAX_LANES);
	assert_int_equal(l.nr_left_out, 15 - ANNOTATION_MAX_LANES);
	annotation_lanes_fini(&l);
	vec_fini(&a.insns);
}

static void test_source_paths(void **state)
{
	struct source_text_options o = { .prefix = NULL };
	char *path = source_text_path(&o, "/a/b/c.c");

	(void)state;
	assert_string_equal(path, "/a/b/c.c");
	free(path);
	assert_null(source_text_path(&o, "c.c"));
	o = (struct source_text_options){ "/src", 1 };
	path = source_text_path(&o, "/a/b/c.c");
	assert_string_equal(path, "/src/b/c.c");
	free(path);
	o.nr_stripped = 9;
	path = source_text_path(&o, "/a/b/c.c");
	assert_string_equal(path, "/src/c.c");
	free(path);
}

static void write_file(const char *path, const void *data, size_t size)
{
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), (ssize_t)size);
	close(fd);
}

static void test_source_lines(void **state)
{
	char dir[] = "/tmp/annotation-XXXXXX", path[64];
	struct source_text_options o = { .prefix = NULL };
	struct source_text *t;
	struct stat st;
	size_t len;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/a.c", dir);
	write_file(path, "one\r\n\nthree", 11);
	assert_int_equal(stat(path, &st), 0);
	t = source_text_open(&o, path, st.st_mtime);
	assert_memory_equal(source_text_line(t, 1, &len), "one", 3);
	assert_int_equal(len, 3);
	assert_non_null(source_text_line(t, 2, &len));
	assert_int_equal(len, 0);
	assert_memory_equal(source_text_line(t, 3, &len), "three", 5);
	assert_int_equal(len, 5);
	assert_null(source_text_line(t, 4, &len));
	assert_null(source_text_line(t, 0, &len));
	source_text_free(t);
	t = source_text_open(&o, path, st.st_mtime - 1);
	assert_null(t->data);
	assert_non_null(t->why);
	source_text_free(t);
	t = source_text_open(&o, "/dev/zero", 0);
	assert_null(t->data);
	assert_non_null(t->why);
	source_text_free(t);
	t = source_text_open(&o, "/no/such/file.c", 0);
	assert_null(t->why);
	source_text_free(t);
	unlink(path);
	rmdir(dir);
}

static void test_kcore(void **state)
{
	struct {
		Elf64_Ehdr head;
		Elf64_Phdr list[2];
	} core = { .head = { .e_machine = EM_X86_64, .e_phoff = sizeof(Elf64_Ehdr), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2 } };
	char dir[] = "/tmp/annotation-XXXXXX", path[64];
	struct kcore_range *ranges;
	struct errbuf eb = { 0 };
	uint16_t machine;
	uint32_t nr;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/kcore", dir);
	memcpy(core.head.e_ident, ELFMAG, SELFMAG);
	core.head.e_ident[EI_CLASS] = ELFCLASS64;
	core.head.e_ident[EI_DATA] = ELFDATA2LSB;
	core.list[0] = (Elf64_Phdr){ .p_type = PT_NOTE };
	core.list[1] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_vaddr = 0xffffffff81000000, .p_offset = 0x3000, .p_filesz = 0x1000 };
	write_file(path, &core, sizeof(core));
	fd = kcore_open(path, &ranges, &nr, &machine, &eb);
	assert_true(fd >= 0);
	assert_int_equal(nr, 1);
	assert_int_equal(ranges[0].file_off, 0x3000);
	assert_int_equal(machine, EM_X86_64);
	free(ranges);
	close(fd);
	write_file(path, &core, sizeof(core) - 1);
	assert_int_equal(kcore_open(path, &ranges, &nr, &machine, &eb), -EBADMSG);
	core.head.e_phnum = 60000;
	write_file(path, &core, sizeof(core));
	assert_int_equal(kcore_open(path, &ranges, &nr, &machine, &eb), -ENOEXEC);
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),  cmocka_unit_test(test_rows),	     cmocka_unit_test(test_code),
		cmocka_unit_test(test_lanes), cmocka_unit_test(test_source_paths),   cmocka_unit_test(test_source_lines),
		cmocka_unit_test(test_kcore), cmocka_unit_test(test_code_of_a_dump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
