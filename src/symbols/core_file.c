/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads the headers and notes of an ELF core file, and memory through its segments. Bounded by the size of the file and the limits below,
 * whatever the headers say.
 */
#include "symbols/core_file.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/io.h"

#define MIN_NOTE_BYTES (1u << 20)	    /* no file is too small for so much */
#define MAX_SPARSE_TABLE_BYTES (256u << 10) /* so many segments cost nothing even where they are a hole */
#define MAX_SEGMENTS (1u << 20)
#define PRSTATUS_SIGNAL 12 /* offsets in struct elf_prstatus and elf_prpsinfo of 64-bit kernels */
#define PRSTATUS_PID 32
#define PRSTATUS_REGS 112
#define PRPSINFO_PID 24
#define PRPSINFO_COMM 40

static int read_at(const struct core_file *c, uint64_t off, void *buf, size_t size)
{
	ssize_t n = io_pread(c->fd, buf, size, off);

	if (n < 0)
		return (int)n;
	return (size_t)n == size ? 0 : -EBADMSG;
}

static int check_header(struct core_file *c, const Elf64_Ehdr *eh, const char *path, struct errbuf *eb)
{
	if (memcmp(eh->e_ident, ELFMAG, SELFMAG))
		return errbuf_set(eb, -ENOEXEC, "%s is not a core file (not an ELF file)", path);
	if (eh->e_ident[EI_CLASS] == ELFCLASS32)
		return errbuf_set(eb, -ENOTSUP,
				  "%s is of a 32-bit process, whose stacks are not read here: "
				  "'gdb -c %s' does",
				  path, path);
	if (eh->e_ident[EI_CLASS] != ELFCLASS64 || eh->e_ident[EI_DATA] != ELFDATA2LSB)
		return errbuf_set(eb, -ENOTSUP, "%s is of a machine with another byte order", path);
	if (eh->e_type != ET_CORE)
		return errbuf_set(eb, -ENOEXEC, "%s is not a core file: it is an ELF file of another type", path);
	c->arch = arch_find_machine(eh->e_machine);
	if (!c->arch || !c->arch->nr_thread_regs)
		return errbuf_set(eb, -ENOTSUP,
				  "%s is of a machine (ELF number %u) that is neither x86_64 nor "
				  "arm64",
				  path, eh->e_machine);
	return 0;
}

/* More than 65,534 segments: the count stands in the first section. */
static int count_segments(const struct core_file *c, const Elf64_Ehdr *eh, uint32_t *nr)
{
	Elf64_Shdr sh;
	int err;

	*nr = eh->e_phnum;
	if (eh->e_phnum != PN_XNUM || !eh->e_shoff)
		return 0;
	err = read_at(c, eh->e_shoff, &sh, sizeof(sh));
	*nr = sh.sh_info;
	return err;
}

static void add_segment(struct core_file *c, const Elf64_Phdr *ph)
{
	struct core_segment s = {
		.start = ph->p_vaddr,
		.end = ph->p_memsz > UINT64_MAX - ph->p_vaddr ? UINT64_MAX : ph->p_vaddr + ph->p_memsz,
		.file_off = ph->p_offset,
		.file_size = ph->p_filesz < ph->p_memsz ? ph->p_filesz : ph->p_memsz,
		.is_executable = ph->p_flags & PF_X,
	};
	uint64_t there = s.file_off < c->size ? c->size - s.file_off : 0;

	if (s.file_size > s.end - s.start)
		s.file_size = s.end - s.start;
	if (there < s.file_size) {
		c->missing_bytes += s.file_size - there;
		s.file_size = there;
	}
	if (s.end > s.start)
		vec_push(&c->segments, s);
}

static void take_status(struct core_file *c, const uint8_t *desc, uint32_t size)
{
	uint32_t regs_size = c->arch->nr_thread_regs * 8u;
	struct core_thread t = { .regs_size = regs_size };
	uint16_t sig;

	if (size < PRSTATUS_REGS + regs_size)
		return;
	memcpy(&sig, desc + PRSTATUS_SIGNAL, sizeof(sig));
	memcpy(&t.tid, desc + PRSTATUS_PID, sizeof(t.tid));
	t.signal = sig;
	t.regs = desc + PRSTATUS_REGS;
	vec_push(&c->threads, t);
}

static void take_process(struct core_file *c, const uint8_t *desc, uint32_t size)
{
	if (size < PRPSINFO_COMM + 16)
		return;
	memcpy(&c->pid, desc + PRPSINFO_PID, sizeof(c->pid));
	memcpy(c->comm, desc + PRPSINFO_COMM, 16);
}

static void take_auxv(struct core_file *c, const uint8_t *desc, uint32_t size)
{
	struct bytes b = bytes_of(desc, size, false);

	while (bytes_left(&b) >= 16) {
		uint64_t key = bytes_u64(&b), value = bytes_u64(&b);

		if (key == AT_SYSINFO_EHDR)
			c->vdso = value;
		if (key == AT_ENTRY)
			c->entry = value;
	}
}

/* siginfo_t: number, errno, code, padding, and for faults the address. */
static void take_siginfo(struct core_file *c, const uint8_t *desc, uint32_t size)
{
	struct bytes b = bytes_of(desc, size, false);
	int32_t sig = (int32_t)bytes_u32(&b);

	bytes_u32(&b);
	if (c->signal)
		return;
	c->signal = sig;
	c->signal_code = (int32_t)bytes_u32(&b);
	bytes_u32(&b);
	c->fault_addr = bytes_u64(&b);
	c->has_fault = !b.failed && (sig == SIGSEGV || sig == SIGBUS || sig == SIGILL || sig == SIGFPE) && c->signal_code > 0 &&
		       c->signal_code < 0x80;
}

/* count, page size, then start, end and page offset of each, then the names. */
static void take_files(struct core_file *c, const uint8_t *desc, uint32_t size)
{
	struct bytes b = bytes_of(desc, size, false), names;
	uint64_t nr = bytes_u64(&b), page_size = bytes_u64(&b);

	if (b.failed || !bytes_has(&b, nr, 24) || c->maps.nr)
		return;
	names = bytes_of(b.pos + nr * 24, bytes_left(&b) - (size_t)nr * 24, false);
	for (uint64_t i = 0; i < nr; i++) {
		struct core_map m = { .fd = -1 };
		const uint8_t *nul = bytes_left(&names) ? memchr(names.pos, 0, bytes_left(&names)) : NULL;

		if (!nul)
			return;
		m.start = bytes_u64(&b);
		m.end = bytes_u64(&b);
		if (__builtin_mul_overflow(bytes_u64(&b), page_size, &m.file_off))
			m.file_off = 0;
		m.path = (const char *)names.pos;
		bytes_take(&names, (size_t)(nul - names.pos) + 1);
		if (m.start < m.end)
			vec_push(&c->maps, m);
	}
}

static void take_note(struct core_file *c, uint32_t type, const uint8_t *desc, uint32_t size)
{
	static const struct {
		uint32_t type;
		void (*take)(struct core_file *c, const uint8_t *desc, uint32_t size);
	} notes[] = {
		{ NT_PRSTATUS, take_status }, { NT_PRPSINFO, take_process }, { NT_AUXV, take_auxv },
		{ NT_SIGINFO, take_siginfo }, { NT_FILE, take_files },
	};

	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++)
		if (notes[i].type == type)
			notes[i].take(c, desc, size);
}

static int read_notes(struct core_file *c, const Elf64_Phdr *ph)
{
	uint64_t there = ph->p_offset < c->size ? c->size - ph->p_offset : 0;
	uint64_t size = ph->p_filesz < there ? ph->p_filesz : there;
	struct bytes b;
	uint8_t *data;
	ssize_t n;

	/* Notes of a whole file do not overlap: together they are no larger than it is. */
	if (!budget_take(&c->note_bytes, size)) {
		c->refused_bytes += size;
		return 0;
	}
	data = mem_alloc(size + 1);
	vec_push(&c->notes, data);
	n = io_pread(c->fd, data, size, ph->p_offset);
	if (n < 0)
		return (int)n;
	b = bytes_of(data, (size_t)n, false);
	while (bytes_left(&b) >= 12) {
		uint32_t name_size = bytes_u32(&b), desc_size = bytes_u32(&b), type = bytes_u32(&b);
		const char *name = bytes_take(&b, ((uint64_t)name_size + 3) & ~3ull);
		const uint8_t *desc = bytes_take(&b, desc_size);

		if (b.failed)
			break;
		if (name_size == 5 && !memcmp(name, "CORE", 5))
			take_note(c, type, desc, desc_size);
		bytes_take(&b, bytes_left(&b) < (-desc_size & 3) ? 0 : -desc_size & 3);
	}
	return 0;
}

/* A table in a hole is none. */
static bool is_table_present(const struct core_file *c, const Elf64_Ehdr *eh, uint32_t nr)
{
	uint64_t size = nr * sizeof(Elf64_Phdr);

	return nr <= MAX_SEGMENTS && eh->e_phoff <= c->size && size <= c->size - eh->e_phoff &&
	       (size <= MAX_SPARSE_TABLE_BYTES || io_bytes_present(c->fd, eh->e_phoff, size) >= size / 2);
}

static int read_headers(struct core_file *c, const char *path, struct errbuf *eb)
{
	Elf64_Ehdr eh;
	Elf64_Phdr *ph = NULL;
	uint32_t nr = 0;
	int err = read_at(c, 0, &eh, sizeof(eh));

	if (err)
		return errbuf_set(eb, err == -EBADMSG ? -ENOEXEC : err, "%s is not a core file (too short)", path);
	err = check_header(c, &eh, path, eb);
	if (err)
		return err;
	if (count_segments(c, &eh, &nr) || eh.e_phentsize != sizeof(*ph) || !is_table_present(c, &eh, nr))
		return errbuf_set(eb, -EBADMSG, "%s is damaged: its table of segments leaves the file", path);
	ph = mem_alloc(nr * sizeof(*ph) + 1);
	err = read_at(c, eh.e_phoff, ph, nr * sizeof(*ph));
	if (err)
		errbuf_set(eb, err, "%s is damaged: its table of segments cannot be read", path);
	for (uint32_t i = 0; !err && i < nr; i++) {
		if (ph[i].p_type == PT_LOAD)
			add_segment(c, &ph[i]);
		else if (ph[i].p_type == PT_NOTE)
			err = read_notes(c, &ph[i]);
	}
	free(ph);
	vec_sort(&c->segments, compare_u64);
	vec_sort(&c->maps, compare_u64);
	return err;
}

int core_file_init(struct core_file *c, int fd, const char *path, struct errbuf *eb)
{
	struct stat st;
	int err;

	memset(c, 0, sizeof(*c));
	c->fd = fd;
	if (fstat(fd, &st) < 0)
		return errbuf_set(eb, -errno, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return errbuf_set(eb, -ENOEXEC, "%s is not a core file (not a regular file)", path);
	c->size = (uint64_t)st.st_size;
	c->bytes_present = io_bytes_present(fd, 0, UINT64_MAX);
	budget_init(&c->note_bytes, MIN_NOTE_BYTES, 1, c->bytes_present);
	err = read_headers(c, path, eb);
	if (!err && !c->threads.nr)
		err = errbuf_set(eb, -EBADMSG, "%s has no registers of any thread (it is cut off or damaged)", path);
	if (err) {
		c->fd = -1;
		core_file_close(c);
		return err;
	}
	if (!c->pid)
		c->pid = c->threads.v[0].tid;
	if (!c->signal)
		c->signal = c->threads.v[0].signal;
	return 0;
}

int core_file_open(struct core_file *c, const char *path, struct errbuf *eb)
{
	int fd = io_open_regular(path), err;

	memset(c, 0, sizeof(*c));
	c->fd = -1;
	if (fd == -ENOTSUP)
		return errbuf_set(eb, -ENOEXEC, "%s is not a core file (not a regular file)", path);
	if (fd < 0)
		return errbuf_set(eb, fd, "cannot open %s: %s", path, strerror(-fd));
	err = core_file_init(c, fd, path, eb);
	if (err)
		close(fd);
	return err;
}

void core_file_close(struct core_file *c)
{
	for (uint32_t i = 0; i < c->maps.nr; i++)
		if (c->maps.v[i].fd >= 0)
			close(c->maps.v[i].fd);
	for (uint32_t i = 0; i < c->notes.nr; i++)
		free(c->notes.v[i]);
	vec_fini(&c->notes);
	vec_fini(&c->threads);
	vec_fini(&c->maps);
	vec_fini(&c->segments);
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

/* Memory is read from segments or, for unchanged pages of a file, from that file, if it is a regular one. */

#define MAX_HEADERS 64 /* program headers of a file of which the build-id is wanted */
#define MAX_NOTE_BYTES 4096

const struct core_segment *core_file_find(const struct core_file *c, uint64_t addr)
{
	return vec_find_span(&c->segments, addr);
}

static size_t read_mapped(struct core_file *c, uint64_t addr, void *buf, size_t size)
{
	struct core_map *m = vec_find_span(&c->maps, addr);
	ssize_t n;

	if (!m)
		return 0;
	if (m->fd == -1)
		m->fd = io_open_regular(m->path);
	if (m->fd < 0) {
		m->fd = -2;
		return 0;
	}
	if (size > m->end - addr)
		size = (size_t)(m->end - addr);
	n = io_pread(m->fd, buf, size, m->file_off + (addr - m->start));
	return n > 0 ? (size_t)n : 0;
}

/* Up to the end of one segment, or of what the file has of it. */
static size_t read_piece(struct core_file *c, uint64_t addr, void *buf, size_t size)
{
	const struct core_segment *s = core_file_find(c, addr);
	uint64_t in_segment, left;
	ssize_t n;

	if (!s)
		return read_mapped(c, addr, buf, size);
	in_segment = addr - s->start;
	if (in_segment < s->file_size) {
		left = s->file_size - in_segment;
		n = io_pread(c->fd, buf, size < left ? size : (size_t)left, s->file_off + in_segment);
		return n > 0 ? (size_t)n : 0;
	}
	left = s->end - addr;
	return read_mapped(c, addr, buf, size < left ? size : (size_t)left);
}

size_t core_file_read(struct core_file *c, uint64_t addr, void *buf, size_t size)
{
	size_t done = 0;

	while (done < size) {
		size_t n = read_piece(c, addr + done, (char *)buf + done, size - done);

		if (!n || addr + done + n < addr)
			break;
		done += n;
	}
	return done;
}

/* Only what the core file itself holds: what the file on disk has now is what is to be checked. */
static bool read_own(struct core_file *c, uint64_t addr, void *buf, size_t size)
{
	const struct core_segment *s = core_file_find(c, addr);

	return s && addr - s->start < s->file_size && size <= s->file_size - (addr - s->start) &&
	       io_pread(c->fd, buf, size, s->file_off + (addr - s->start)) == (ssize_t)size;
}

struct build_id core_file_build_id(struct core_file *c, uint64_t start)
{
	struct build_id none = { 0 }, id;
	uint8_t notes[MAX_NOTE_BYTES];
	Elf64_Phdr ph[MAX_HEADERS];
	Elf64_Ehdr eh;
	uint64_t bias = start;

	if (!read_own(c, start, &eh, sizeof(eh)) || memcmp(eh.e_ident, ELFMAG, SELFMAG) || eh.e_ident[EI_CLASS] != ELFCLASS64 ||
	    eh.e_phentsize != sizeof(ph[0]) || eh.e_phnum > MAX_HEADERS || !read_own(c, start + eh.e_phoff, ph, eh.e_phnum * sizeof(ph[0])))
		return none;
	for (uint32_t i = 0; i < eh.e_phnum; i++)
		if (ph[i].p_type == PT_LOAD && ph[i].p_offset == 0)
			bias = start - ph[i].p_vaddr;
	for (uint32_t i = 0; i < eh.e_phnum; i++) {
		if (ph[i].p_type != PT_NOTE || ph[i].p_filesz > sizeof(notes) || !read_own(c, bias + ph[i].p_vaddr, notes, ph[i].p_filesz))
			continue;
		id = build_id_in_notes(notes, ph[i].p_filesz);
		if (id.size)
			return id;
	}
	return none;
}
