/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct elf_file over libelf. libelf checks that headers and sections lie inside the file; every index and offset taken from the contents
 * is checked here, and the size that a table claims is compared with the bytes of the file before libelf allocates it.
 */
#include "symbols/elf_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/io.h"
#include "base/log.h"

/* Real files have tens of sections and segments; object files with one section a function have some 100,000. */
#define MAX_HEADERS (1U << 20)
/* So much costs nothing even where it is a hole. */
#define MAX_SPARSE_BYTES (256U << 10)

/* A table of headers, as the first header of the file says. */
struct table {
	uint64_t off, nr, entry_size;
};

static uint64_t number(const struct elf_file *f, const uint8_t *raw, size_t off, unsigned int size)
{
	struct bytes b = bytes_of(raw + off, size, f->swap);

	return bytes_uint(&b, size);
}

/* A member of a header that files of 32 and of 64 bits have. */
#define NUMBER(f, raw, header, member)                                                                                                     \
	((f)->word_bytes == 4 ? number(f, raw, offsetof(Elf32_##header, member), sizeof(((Elf32_##header *)0)->member))                    \
			      : number(f, raw, offsetof(Elf64_##header, member), sizeof(((Elf64_##header *)0)->member)))

static bool is_present(const struct elf_file *f, const struct table *t)
{
	uint64_t size = t->nr * t->entry_size;

	if (t->nr > MAX_HEADERS)
		return false;
	if (f->image)
		return size <= MAX_SPARSE_BYTES || size <= f->image_size;
	return size <= MAX_SPARSE_BYTES || io_bytes_present(f->fd, t->off, size) >= size / 2;
}

/* -EBADMSG where the tables of sections or segments are larger than what the file has of them: libelf allocates as many as are claimed.
 * Sets the byte order and the size of words. 0 for what is no ELF file, which is left to libelf. */
static int elf_headers_check(struct elf_file *f)
{
	uint8_t raw[sizeof(Elf64_Ehdr)], first[sizeof(Elf64_Shdr)];
	size_t got = elf_file_read(f, 0, raw, sizeof(raw));
	struct table sections, segments;
	bool is_32;

	if (got < sizeof(Elf32_Ehdr) || memcmp(raw, ELFMAG, SELFMAG) != 0 || (raw[EI_CLASS] != ELFCLASS32 && got < sizeof(raw)))
		return 0;
	is_32 = raw[EI_CLASS] == ELFCLASS32;
	f->word_bytes = is_32 ? 4 : 8;
	f->is_little = raw[EI_DATA] != ELFDATA2MSB;
	f->swap = f->is_little == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	sections = (struct table){ NUMBER(f, raw, Ehdr, e_shoff), NUMBER(f, raw, Ehdr, e_shnum),
				   is_32 ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr) };
	segments = (struct table){ NUMBER(f, raw, Ehdr, e_phoff), NUMBER(f, raw, Ehdr, e_phnum),
				   is_32 ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr) };
	/* Counts that do not fit are in the header of the first section. */
	if (sections.off && elf_file_read(f, sections.off, first, sections.entry_size) == sections.entry_size) {
		if (!sections.nr)
			sections.nr = NUMBER(f, first, Shdr, sh_size);
		if (segments.nr == PN_XNUM)
			segments.nr = NUMBER(f, first, Shdr, sh_info);
	}
	return is_present(f, &sections) && is_present(f, &segments) ? 0 : -EBADMSG;
}

/* Segments are searched one after the other, for each symbol. */
#define MAX_SEGMENTS 1170U /* the kernel runs no file with more than 64 kB of program headers */
/* The largest tables of real programs have a few hundred MB. */
#define MAX_DATA_BYTES (1ULL << 30)
/* Sections are read once, by libelf perhaps in a second copy; the rest is for what is made of them. */
#define MEMORY_FLOOR (16U << 20)
#define MEMORY_FACTOR 4U
/* Compilers' sections shrink to a third, tables of equal entries to less; a whole file does not shrink so far. */
#define UNPACKED_FLOOR (64U << 20)
#define UNPACKED_FACTOR 20U
#define WORK_FLOOR (32U << 20)
#define WORK_FACTOR 8U

static void init_budgets(struct elf_file *f, uint64_t bytes_present)
{
	struct elf_budgets *b = mem_zalloc(sizeof(*b));

	b->bytes_present = bytes_present;
	budget_init(&b->memory, MEMORY_FLOOR, MEMORY_FACTOR, bytes_present);
	budget_init(&b->unpacked, UNPACKED_FLOOR, UNPACKED_FACTOR, bytes_present);
	budget_init(&b->work, WORK_FLOOR, WORK_FACTOR, bytes_present);
	f->budgets = b;
}

bool elf_file_take_memory(const struct elf_file *f, uint64_t size)
{
	return budget_take(&f->budgets->memory, size <= MAX_DATA_BYTES ? size : UINT64_MAX);
}

uint64_t elf_file_take_work(const struct elf_file *f, uint64_t size)
{
	uint64_t left = budget_left(&f->budgets->work), part = size < left ? size : left;

	if (part < size)
		f->budgets->work.is_exhausted = true;
	budget_take(&f->budgets->work, part);
	return part;
}

void elf_file_warn_if_cut(const struct elf_file *f, const char *path, const char *what)
{
	const struct elf_budgets *b = f ? f->budgets : NULL;

	if (b && (b->memory.is_exhausted || b->unpacked.is_exhausted || b->work.is_exhausted))
		log_warn("%s: reading its %s ended early: its headers claim far more than the %llu bytes it has", path, what,
			 (unsigned long long)b->bytes_present);
}

static int read_segments(struct elf_file *f)
{
	size_t nr;

	if (elf_getphdrnum(f->elf, &nr) != 0)
		return -EBADMSG;
	for (size_t i = 0; i < nr && i < MAX_SEGMENTS; i++) {
		GElf_Phdr ph;

		/* A cut table of segments leaves the sections to work with. */
		if (!gelf_getphdr(f->elf, (int)i, &ph))
			break;
		vec_push(&f->headers, ph);
		if (ph.p_type == PT_LOAD)
			vec_push(&f->segments, ((struct elf_segment){ ph.p_vaddr, ph.p_memsz, ph.p_offset, ph.p_flags & PF_X }));
	}
	return 0;
}

/* As far as they have names: the string table is charged as every section is. */
static const Elf_Data *section_names(const struct elf_file *f, size_t strings)
{
	Elf_Scn *scn = elf_getscn(f->elf, strings);
	GElf_Shdr sh;
	Elf_Data *d;

	if (!scn || !gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS || !elf_file_take_memory(f, sh.sh_size))
		return NULL;
	d = elf_rawdata(scn, NULL);
	return d && d->d_buf && d->d_size ? d : NULL;
}

static int read_sections(struct elf_file *f)
{
	const Elf_Data *names;
	size_t nr, strings, len;

	if (elf_getshdrnum(f->elf, &nr) != 0 || nr == 0 || elf_getshdrstrndx(f->elf, &strings) != 0)
		return 0;
	names = section_names(f, strings);
	vec_reserve(&f->sections, nr);
	for (size_t i = 0; i < nr; i++) {
		struct elf_section s = { .name = "" };
		Elf_Scn *scn = elf_getscn(f->elf, i);
		GElf_Shdr sh;

		if (scn && gelf_getshdr(scn, &sh)) {
			const char *name = i && names ? elf_string(names, sh.sh_name, &len) : NULL;

			s = (struct elf_section){
				.vaddr = sh.sh_addr,
				.file_off = sh.sh_offset,
				.size_bytes = sh.sh_size,
				.entry_size = sh.sh_entsize,
				.flags = sh.sh_flags,
				.align = sh.sh_addralign,
				.type = sh.sh_type,
				.link = sh.sh_link,
				.name = name && len < ELF_STRING_MAX ? name : "",
			};
		}
		vec_push(&f->sections, s);
	}
	return 0;
}

static int read_headers(struct elf_file *f, const char *path, struct errbuf *eb)
{
	GElf_Ehdr eh;

	if (!f->elf || elf_kind(f->elf) != ELF_K_ELF)
		return errbuf_set(eb, -ENOEXEC, "%s is not an ELF file", path);
	if (!gelf_getehdr(f->elf, &eh) || (eh.e_ident[EI_CLASS] != ELFCLASS64 && eh.e_ident[EI_CLASS] != ELFCLASS32))
		return errbuf_set(eb, -EBADMSG, "%s: damaged ELF header", path);
	f->machine = eh.e_machine;
	f->type = eh.e_type;
	if (read_segments(f) || read_sections(f))
		return errbuf_set(eb, -EBADMSG, "%s: damaged ELF section or program headers", path);
	return 0;
}

/* `f` has a file or an image. */
static int open_elf(struct elf_file *f, const char *name, uint64_t bytes_present, struct errbuf *eb)
{
	int err;

	/* libelf wants this once a program; again changes nothing. */
	elf_version(EV_CURRENT);
	init_budgets(f, bytes_present);
	err = elf_headers_check(f);
	if (err) {
		errbuf_set(eb, err, "%s: its ELF header claims more sections or segments than the file has", name);
	} else {
		f->elf = f->image ? elf_memory((char *)f->image, f->image_size) : elf_begin(f->fd, ELF_C_READ, NULL);
		err = read_headers(f, name, eb);
	}
	if (err)
		elf_file_close(f);
	return err;
}

int elf_file_open(struct elf_file *f, const char *path, struct errbuf *eb)
{
	int err;

	*f = (struct elf_file){ .fd = -1 };
	/* The path comes from a recording: a pipe or a device of that name must not be opened. */
	f->fd = err = io_open_regular(path);
	if (err == -ENOTSUP)
		return errbuf_set(eb, -ENOEXEC, "%s is not a regular file", path);
	if (err < 0)
		return errbuf_set(eb, err, "cannot open %s: %s", path, strerror(-err));
	return open_elf(f, path, io_bytes_present(f->fd, 0, UINT64_MAX), eb);
}

int elf_file_open_memory(struct elf_file *f, void *image, size_t size, struct errbuf *eb)
{
	*f = (struct elf_file){ .fd = -1, .image = image, .image_size = size };
	return open_elf(f, "the ELF image in memory", size, eb);
}

void elf_file_close(struct elf_file *f)
{
	if (f->elf)
		elf_end(f->elf);
	if (f->fd >= 0)
		close(f->fd);
	f->elf = NULL;
	f->fd = -1;
	free(f->budgets);
	f->budgets = NULL;
	vec_fini(&f->headers);
	vec_fini(&f->segments);
	vec_fini(&f->sections);
}

uint32_t elf_file_find_section(const struct elf_file *f, const char *name)
{
	for (uint32_t i = 1; i < f->sections.nr; i++)
		if (strcmp(f->sections.v[i].name, name) == 0)
			return i;
	return 0;
}

const Elf_Data *elf_file_get_data(const struct elf_file *f, uint32_t section)
{
	struct elf_section *s = section < f->sections.nr ? &f->sections.v[section] : NULL;
	Elf_Scn *scn;
	Elf_Data *d;

	if (!section || !s || s->type == SHT_NOBITS || (!s->is_charged && !elf_file_take_memory(f, s->size_bytes)))
		return NULL;
	s->is_charged = true;
	scn = elf_getscn(f->elf, section);
	d = scn ? elf_getdata(scn, NULL) : NULL;
	return d && d->d_buf && d->d_size ? d : NULL;
}

size_t elf_file_read(const struct elf_file *f, uint64_t off, void *buf, size_t size)
{
	ssize_t got;

	if (f->fd >= 0) {
		got = off <= INT64_MAX ? io_pread(f->fd, buf, size, off) : 0;
		return got > 0 ? (size_t)got : 0;
	}
	if (!f->image || off >= f->image_size)
		return 0;
	size = size < f->image_size - off ? size : (size_t)(f->image_size - off);
	memcpy(buf, f->image + off, size);
	return size;
}

struct elf_syms elf_syms_begin(const struct elf_file *f, uint32_t section)
{
	struct elf_syms s = { .data = elf_file_get_data(f, section), .next = 1 };

	s.strings = s.data ? elf_file_get_data(f, f->sections.v[section].link) : NULL;
	return s;
}

bool elf_syms_next(struct elf_syms *s, GElf_Sym *sym)
{
	return s->strings && s->next < INT32_MAX && gelf_getsym((Elf_Data *)s->data, s->next++, sym);
}

const char *elf_string(const Elf_Data *strings, uint64_t off, size_t *len)
{
	const char *s;

	if (off >= strings->d_size)
		return NULL;
	s = (const char *)strings->d_buf + off;
	*len = strnlen(s, strings->d_size - off < ELF_STRING_MAX ? strings->d_size - off : ELF_STRING_MAX);
	return *len < strings->d_size - off ? s : NULL;
}

bool elf_file_has_symtab(const struct elf_file *f)
{
	uint32_t i = elf_file_find_section(f, ".symtab");

	return i && f->sections.v[i].type == SHT_SYMTAB && f->sections.v[i].size_bytes > 0;
}

bool elf_file_is_hollow(const struct elf_file *f)
{
	for (uint32_t i = 1; i < f->sections.nr; i++)
		if ((f->sections.v[i].flags & SHF_EXECINSTR) && f->sections.v[i].type == SHT_NOBITS)
			return true;
	return false;
}

bool elf_file_offset(const struct elf_file *f, uint64_t vaddr, uint64_t *file_off)
{
	for (uint32_t i = 0; i < f->segments.nr; i++) {
		const struct elf_segment *s = &f->segments.v[i];

		if (vaddr >= s->vaddr && vaddr - s->vaddr < s->size_bytes) {
			*file_off = vaddr - s->vaddr + s->file_off;
			return true;
		}
	}
	return false;
}

int elf_file_debuglink(const struct elf_file *f, const char **name, uint32_t *crc)
{
	const Elf_Data *d = elf_file_get_data(f, elf_file_find_section(f, ".gnu_debuglink"));
	size_t len, crc_off;
	const char *s;

	if (!d)
		return -ENODATA;
	s = elf_string(d, 0, &len);
	crc_off = s ? (len + 4) & ~(size_t)3 : 0;
	/* Only a name: anything with a directory in it leads somewhere else than its author may send us. */
	if (!s || !len || len >= ELF_STRING_MAX || strchr(s, '/') || crc_off > d->d_size || d->d_size - crc_off < 4)
		return -ENODATA;
	memcpy(crc, (const char *)d->d_buf + crc_off, 4);
	*name = s;
	return 0;
}
