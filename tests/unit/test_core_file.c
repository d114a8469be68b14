/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Core files that are whole, cut off at every byte, and lying.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "core_image.h"
#include "symbols/core_file.h"
#include "symbols/unwind.h"

static const char own_path[] = "/proc/self/exe";

static void add_files(struct out *notes, uint64_t start, uint64_t page_off)
{
	uint64_t head[5] = { 1, 4096, start, start + 0x2000, page_off };
	uint8_t desc[128];

	memcpy(desc, head, sizeof(head));
	memcpy(desc + sizeof(head), own_path, sizeof(own_path));
	core_note(notes, NT_FILE, desc, sizeof(head) + sizeof(own_path));
}

/* An ELF header with a build-id of 0x11…, as the first page of a mapped file. */
static size_t make_page(uint8_t *page)
{
	Elf64_Ehdr eh = { .e_phoff = sizeof(eh), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2 };
	Elf64_Phdr ph[2] = { { .p_type = PT_LOAD, .p_vaddr = 0 }, { .p_type = PT_NOTE, .p_vaddr = 0x200, .p_filesz = 36 } };
	uint32_t note[3] = { 4, 20, NT_GNU_BUILD_ID };

	memset(page, 0, 0x1000);
	memcpy(eh.e_ident, ELFMAG, SELFMAG);
	eh.e_ident[EI_CLASS] = ELFCLASS64;
	memcpy(page, &eh, sizeof(eh));
	memcpy(page + sizeof(eh), ph, sizeof(ph));
	memcpy(page + 0x200, note, sizeof(note));
	memcpy(page + 0x20c, "GNU", 4);
	memset(page + 0x210, 0x11, 20);
	return 0x1000;
}

static void make_core(struct out *o)
{
	uint64_t auxv[6] = { AT_SYSINFO_EHDR, 0x7000, AT_ENTRY, 0x500000, AT_NULL, 0 };
	struct {
		int32_t sig, err, code, pad;
		uint64_t addr;
	} info = { SIGSEGV, 0, 1, 0, 0xdead };
	const Elf64_Phdr segments[3] = {
		{ .p_type = PT_LOAD, .p_vaddr = 0x9000, .p_memsz = 0x3000, .p_offset = CORE_MEMORY + 0x1000, .p_filesz = 0x1000 },
		{ .p_type = PT_LOAD, .p_vaddr = 0x500000, .p_memsz = 0x2000, .p_offset = CORE_MEMORY, .p_filesz = 0x1000, .p_flags = PF_X },
		{ .p_type = PT_LOAD, .p_vaddr = 0x7000, .p_memsz = 0 },
	};
	uint8_t memory[0x2000];
	struct out notes;

	out_init(&notes, -1);
	core_process(&notes, 77, "a name of 16 byt");
	core_status(&notes, 77, SIGSEGV, 0x500010, 0x9100);
	core_note(&notes, NT_SIGINFO, &info, sizeof(info));
	core_note(&notes, NT_AUXV, auxv, sizeof(auxv));
	add_files(&notes, 0x500000, 0);
	core_status(&notes, 78, SIGSEGV, 0x500020, 0x9200);
	make_page(memory);
	memset(memory + 0x1000, 's', 0x1000);
	core_image(o, EM_X86_64, &notes, segments, 3, memory, sizeof(memory));
	out_fini(&notes);
}

static int open_bytes(struct core_file *c, const void *bytes, size_t size, struct errbuf *eb)
{
	int fd = core_image_fd(bytes, size), err;

	assert_true(fd >= 0);
	err = core_file_init(c, fd, "core", eb);
	if (err)
		close(fd);
	return err;
}

static void test_whole(void **state)
{
	struct errbuf eb = { 0 };
	struct core_file c;
	struct unwind_regs regs;
	struct build_id id;
	char buf[0x4000], self[16], mapped[16];
	struct out o;
	int fd;

	(void)state;
	out_init(&o, -1);
	make_core(&o);
	assert_int_equal(open_bytes(&c, o.buf, o.len, &eb), 0);
	assert_int_equal(c.pid, 77);
	assert_string_equal(c.comm, "a name of 16 byt");
	assert_int_equal(c.threads.nr, 2);
	assert_int_equal(c.threads.v[1].tid, 78);
	assert_true(unwind_regs_decode(c.arch, c.threads.v[1].regs, c.threads.v[1].regs_size, &regs));
	assert_int_equal(regs.pc, 0x500020);
	assert_int_equal(regs.v[c.arch->sp], 0x9200);
	assert_int_equal(c.signal, SIGSEGV);
	assert_true(c.has_fault);
	assert_int_equal(c.fault_addr, 0xdead);
	assert_int_equal(c.vdso, 0x7000);
	assert_int_equal(c.entry, 0x500000);
	assert_int_equal(c.missing_bytes, 0);
	assert_int_equal(c.maps.nr, 1);
	assert_int_equal(c.segments.nr, 2);
	assert_string_equal(c.maps.v[0].path, own_path);

	/* in the core file, to the end of what is in it */
	assert_int_equal(core_file_read(&c, 0x9ff0, buf, sizeof(buf)), 0x10);
	assert_int_equal(buf[0], 's');
	assert_int_equal(core_file_read(&c, 0x8fff, buf, 1), 0);
	/* from the first page, in the core file, into the second, in the file */
	assert_int_equal(core_file_read(&c, 0x501000, mapped, sizeof(mapped)), sizeof(mapped));
	fd = open(own_path, O_RDONLY);
	assert_int_equal(pread(fd, self, sizeof(self), 0x1000), sizeof(self));
	close(fd);
	assert_memory_equal(mapped, self, sizeof(self));
	assert_int_equal(core_file_read(&c, 0x500ff0, buf, 0x20), 0x20);
	id = core_file_build_id(&c, 0x500000);
	assert_int_equal(id.size, 20);
	assert_int_equal(id.bytes[19], 0x11);
	assert_int_equal(core_file_build_id(&c, 0x9000).size, 0);
	core_file_close(&c);
	out_fini(&o);
}

static void test_cut_off(void **state)
{
	struct errbuf eb = { 0 };
	struct core_file c;
	struct out o;
	char buf[64];

	(void)state;
	out_init(&o, -1);
	make_core(&o);
	for (size_t size = 0; size < 0x800; size++) {
		errbuf_clear(&eb);
		if (open_bytes(&c, o.buf, size, &eb) == 0) {
			assert_true(c.missing_bytes > 0);
			core_file_read(&c, 0x500000, buf, sizeof(buf));
			core_file_close(&c);
		} else {
			assert_true(eb.text[0]);
		}
	}
	assert_int_equal(open_bytes(&c, o.buf, o.len - 0x800, &eb), 0);
	assert_int_equal(c.missing_bytes, 0x800);
	assert_int_equal(core_file_read(&c, 0x9000, buf, sizeof(buf)), sizeof(buf));
	assert_int_equal(core_file_read(&c, 0x9800, buf, sizeof(buf)), 0);
	core_file_close(&c);
	out_fini(&o);
}

static void expect_error(const void *bytes, size_t size, int err, const char *sentence)
{
	struct errbuf eb = { 0 };
	struct core_file c;

	assert_int_equal(open_bytes(&c, bytes, size, &eb), err);
	assert_non_null(strstr(eb.text, sentence));
}

static void test_refused(void **state)
{
	struct out o;
	Elf64_Ehdr *eh;

	(void)state;
	out_init(&o, -1);
	make_core(&o);
	eh = (Elf64_Ehdr *)o.buf;
	expect_error("text", 4, -ENOEXEC, "too short");
	eh->e_ident[EI_CLASS] = ELFCLASS32;
	expect_error(o.buf, o.len, -ENOTSUP, "32-bit");
	eh->e_ident[EI_CLASS] = ELFCLASS64;
	eh->e_ident[EI_DATA] = ELFDATA2MSB;
	expect_error(o.buf, o.len, -ENOTSUP, "byte order");
	eh->e_ident[EI_DATA] = ELFDATA2LSB;
	eh->e_type = ET_EXEC;
	expect_error(o.buf, o.len, -ENOEXEC, "another type");
	eh->e_type = ET_CORE;
	eh->e_machine = EM_S390;
	expect_error(o.buf, o.len, -ENOTSUP, "neither");
	eh->e_machine = EM_X86_64;
	eh->e_phnum = PN_XNUM;
	expect_error(o.buf, o.len, -EBADMSG, "table of segments");
	eh->e_phnum = 0;
	expect_error(o.buf, o.len, -EBADMSG, "no registers");
	eh->e_phnum = 4;
	eh->e_phoff = UINT64_MAX - 8;
	expect_error(o.buf, o.len, -EBADMSG, "table of segments");
	out_fini(&o);
}

/* Counts and sizes that do not fit what there is. */
static void test_lies(void **state)
{
	const Elf64_Phdr segments[2] = {
		{ .p_type = PT_LOAD, .p_vaddr = UINT64_MAX - 0xfff, .p_memsz = UINT64_MAX, .p_offset = 0, .p_filesz = UINT64_MAX },
		{ .p_type = PT_NOTE, .p_offset = 8, .p_filesz = UINT64_MAX },
	};
	uint64_t many[3] = { UINT64_MAX / 24 + 1, 4096, 1 };
	uint64_t nameless[5] = { 1, UINT64_MAX, 0x1000, 0x2000, UINT64_MAX };
	struct errbuf eb = { 0 };
	struct out notes, o;
	struct core_file c;
	char buf[8192];

	(void)state;
	out_init(&notes, -1);
	out_init(&o, -1);
	core_note(&notes, NT_FILE, many, sizeof(many));
	core_note(&notes, NT_FILE, nameless, sizeof(nameless));
	core_note(&notes, NT_AUXV, many, 3);
	core_note(&notes, NT_SIGINFO, many, 5);
	core_note(&notes, NT_PRPSINFO, many, 8);
	core_status(&notes, 5, 0, 1, 2);
	core_image(&o, EM_X86_64, &notes, segments, 2, NULL, 0);
	assert_int_equal(open_bytes(&c, o.buf, o.len, &eb), 0);
	assert_int_equal(c.maps.nr, 0);
	assert_int_equal(c.pid, 5);
	assert_true(core_file_read(&c, UINT64_MAX - 0x10, buf, sizeof(buf)) <= 0x11);
	core_file_read(&c, UINT64_MAX, buf, sizeof(buf));
	assert_int_equal(core_file_build_id(&c, UINT64_MAX - 0xfff).size, 0);
	core_file_close(&c);
	out_fini(&notes);
	out_fini(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_lies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
