/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct elf_file over libelf. libelf checks that headers and sections lie inside the file; every
 * index and offset taken from the contents is checked here. Fed by paths that debug_files.c chose;
 * knows nothing of symbols.
 */
#include "symbols/elf_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"

/* Real files have tens of sections and segments; object files with one section a function have some
 * 100,000. Segments are searched one after the other, for each symbol. */
#define MAX_SECTIONS (1U << 20)
#define MAX_SEGMENTS 1170U /* the kernel runs no file with more than 64 kB of program headers */
/* The largest tables of real programs have a few hundred MB; below the smaller size holes are not looked for. */
#define MAX_DATA_BYTES (1ULL << 30)
#define MAX_HOLE_BYTES (64ULL << 20)
#define MAX_NOTES_BYTES (1U << 20) /* of all that are looked through */

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
		if (ph.p_type == PT_LOAD)
			vec_push(&f->segments,
				 ((struct elf_segment){ ph.p_vaddr, ph.p_memsz, ph.p_offset,
							ph.p_flags & PF_X }));
	}
	return 0;
}

bool elf_file_is_dense(const struct elf_file *f, uint64_t off, uint64_t size)
{
	off_t hole;

	if (size <= MAX_HOLE_BYTES || f->fd < 0)
		return true;
	hole = size <= MAX_DATA_BYTES && off <= INT64_MAX - size ? lseek(f->fd, (off_t)off, SEEK_HOLE) : -1;
	return hole >= 0 && (uint64_t)hole >= off + size;
}

/* libelf reads the section whole for the first of them. */
static bool has_names(const struct elf_file *f, size_t strings)
{
	Elf_Scn *scn = elf_getscn(f->elf, strings);
	GElf_Shdr sh;

	return scn && gelf_getshdr(scn, &sh) && elf_file_is_dense(f, sh.sh_offset, sh.sh_size);
}

static int read_sections(struct elf_file *f)
{
	size_t nr, strings;
	bool named;

	if (elf_getshdrnum(f->elf, &nr) != 0 || nr == 0 || elf_getshdrstrndx(f->elf, &strings) != 0)
		return 0;
	if (nr > MAX_SECTIONS)
		return -EBADMSG;
	named = has_names(f, strings);
	vec_reserve(&f->sections, nr);
	for (size_t i = 0; i < nr; i++) {
		struct elf_section s = { .name = "" };
		Elf_Scn *scn = elf_getscn(f->elf, i);
		GElf_Shdr sh;

		if (scn && gelf_getshdr(scn, &sh)) {
			const char *name = i && named ? elf_strptr(f->elf, strings, sh.sh_name) : NULL;

			s = (struct elf_section){
				.vaddr = sh.sh_addr,
				.file_off = sh.sh_offset,
				.size_bytes = sh.sh_size,
				.entry_size = sh.sh_entsize,
				.flags = sh.sh_flags,
				.type = sh.sh_type,
				.link = sh.sh_link,
				.name = name ? name : "",
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
	if (!gelf_getehdr(f->elf, &eh) ||
	    (eh.e_ident[EI_CLASS] != ELFCLASS64 && eh.e_ident[EI_CLASS] != ELFCLASS32))
		return errbuf_set(eb, -EBADMSG, "%s: damaged ELF header", path);
	f->machine = eh.e_machine;
	f->type = eh.e_type;
	if (read_segments(f) || read_sections(f))
		return errbuf_set(eb, -EBADMSG, "%s: damaged ELF section or program headers", path);
	return 0;
}

int elf_file_open(struct elf_file *f, const char *path, struct errbuf *eb)
{
	int err;

	*f = (struct elf_file){ .fd = -1 };
	/* libelf wants to be told by each program; telling it again changes nothing. */
	elf_version(EV_CURRENT);
	/* The path comes from a recording: a pipe or a device of that name must not be opened. */
	f->fd = err = io_open_regular(path);
	if (err == -ENOTSUP)
		return errbuf_set(eb, -ENOEXEC, "%s is not a regular file", path);
	if (err < 0)
		return errbuf_set(eb, err, "cannot open %s: %s", path, strerror(-err));
	f->elf = elf_begin(f->fd, ELF_C_READ, NULL);
	err = read_headers(f, path, eb);
	if (err)
		elf_file_close(f);
	return err;
}

int elf_file_open_memory(struct elf_file *f, void *image, size_t size, struct errbuf *eb)
{
	int err;

	*f = (struct elf_file){ .fd = -1 };
	elf_version(EV_CURRENT);
	f->elf = elf_memory(image, size);
	err = read_headers(f, "the ELF image in memory", eb);
	if (err)
		elf_file_close(f);
	return err;
}

void elf_file_close(struct elf_file *f)
{
	if (f->elf)
		elf_end(f->elf);
	if (f->fd >= 0)
		close(f->fd);
	f->elf = NULL;
	f->fd = -1;
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
	Elf_Scn *scn;
	Elf_Data *d;

	if (!section || section >= f->sections.nr || f->sections.v[section].type == SHT_NOBITS ||
	    !elf_file_is_dense(f, f->sections.v[section].file_off, f->sections.v[section].size_bytes))
		return NULL;
	scn = elf_getscn(f->elf, section);
	d = scn ? elf_getdata(scn, NULL) : NULL;
	return d && d->d_buf && d->d_size ? d : NULL;
}

size_t elf_file_read(const struct elf_file *f, uint64_t off, void *buf, size_t size)
{
	const char *image;
	size_t image_size;
	ssize_t got;

	if (f->fd >= 0) {
		got = off <= INT64_MAX ? io_pread(f->fd, buf, size, off) : 0;
		return got > 0 ? (size_t)got : 0;
	}
	image = elf_rawfile(f->elf, &image_size);
	if (!image || off >= image_size)
		return 0;
	size = size < image_size - off ? size : (size_t)(image_size - off);
	memcpy(buf, image + off, size);
	return size;
}

const char *elf_string(const Elf_Data *strings, uint64_t off, size_t *len)
{
	const char *s;

	if (off >= strings->d_size)
		return NULL;
	s = (const char *)strings->d_buf + off;
	*len = strnlen(s, strings->d_size - off < ELF_STRING_MAX ? strings->d_size - off
								 : ELF_STRING_MAX);
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

/* Looks through notes for the one named GNU of the build-id type. */
static int find_build_id(Elf_Data *notes, uint8_t id[BUILD_ID_SIZE])
{
	size_t off = 0, next, name_off, desc_off;
	GElf_Nhdr nh;

	if (!notes || !notes->d_buf)
		return -ENODATA;
	while ((next = gelf_getnote(notes, off, &nh, &name_off, &desc_off)) > off) {
		if (nh.n_type == NT_GNU_BUILD_ID && nh.n_namesz == 4 && nh.n_descsz > 0 &&
		    memcmp((char *)notes->d_buf + name_off, "GNU", 4) == 0) {
			size_t size = nh.n_descsz < BUILD_ID_SIZE ? nh.n_descsz : BUILD_ID_SIZE;

			memcpy(id, (char *)notes->d_buf + desc_off, size);
			return (int)size;
		}
		off = next;
	}
	return -ENODATA;
}

int elf_file_build_id(const struct elf_file *f, uint8_t id[BUILD_ID_SIZE])
{
	uint64_t left = MAX_NOTES_BYTES;
	size_t nr = 0;
	int size = -ENODATA;

	/* Sections first: the segments of a separate debug file describe a file that is not there.
	 */
	for (uint32_t i = 1; i < f->sections.nr && size < 0; i++)
		if (f->sections.v[i].type == SHT_NOTE && f->sections.v[i].size_bytes <= left) {
			left -= f->sections.v[i].size_bytes;
			size = find_build_id((Elf_Data *)elf_file_get_data(f, i), id);
		}
	left = MAX_NOTES_BYTES;
	elf_getphdrnum(f->elf, &nr);
	for (size_t i = 0; i < nr && i < MAX_SEGMENTS && size < 0; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(f->elf, (int)i, &ph))
			break;
		if (ph.p_type == PT_NOTE && ph.p_filesz <= left && ph.p_offset <= INT64_MAX) {
			left -= ph.p_filesz;
			size = find_build_id(
				elf_getdata_rawchunk(f->elf, (int64_t)ph.p_offset, ph.p_filesz,
						     ph.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR),
				id);
		}
	}
	return size;
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
	/* Only a name: anything with a directory in it leads somewhere else than its author may
	 * send us. */
	if (!s || !len || len >= ELF_STRING_MAX || strchr(s, '/') || crc_off > d->d_size ||
	    d->d_size - crc_off < 4)
		return -ENODATA;
	memcpy(crc, (const char *)d->d_buf + crc_off, 4);
	*name = s;
	return 0;
}
