/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The writer of ELF images of generated code. Call frame information is where its addresses, which count from itself, mean the code: at the
 * next multiple of 8 behind it.
 */
#include "symbols/jit_image.h"

#include <elf.h>
#include <string.h>

#include "arch/arch.h"
#include "base/hash.h"

#define EH_ALIGN 8u
#define NAME_MAX_BYTES 4096u

enum section {
	SECTION_NONE,
	SECTION_TEXT,
	SECTION_EH,
	SECTION_EH_HDR,
	SECTION_NOTE,
	SECTION_SYMTAB,
	SECTION_STRTAB,
	SECTION_SHSTRTAB,
	NR_SECTIONS
};

static const char *const section_names[NR_SECTIONS] = { "",	   ".text",   ".eh_frame", ".eh_frame_hdr", ".note.gnu.build-id",
							".symtab", ".strtab", ".shstrtab" };

struct note {
	Elf64_Nhdr head;
	char owner[4];
	uint8_t id[BUILD_ID_SIZE];
};

struct image {
	struct out *o;
	Elf64_Shdr sections[NR_SECTIONS];
};

static void pad(struct out *o, size_t align)
{
	size_t nr = -o->len & (align - 1);

	memset(out_room(o, nr), 0, nr);
	out_advance(o, nr);
}

/* Appends what a section has. */
static void put(struct image *m, enum section nr, uint32_t type, uint64_t flags, size_t align, const void *data, size_t size)
{
	pad(m->o, align);
	m->sections[nr] =
		(Elf64_Shdr){ .sh_type = type, .sh_flags = flags, .sh_offset = m->o->len, .sh_size = size, .sh_addralign = align };
	if (flags & SHF_ALLOC)
		m->sections[nr].sh_addr = m->o->len;
	out_mem(m->o, data, size);
}

static struct build_id id_of(const struct jitdump *d, const struct jitdump_function *f, size_t name_len)
{
	struct build_id id = { .size = BUILD_ID_SIZE };
	uint64_t sums[3];

	for (uint64_t i = 0; i < 3; i++) {
		sums[i] = hash_bytes(f->name, name_len, i + 1);
		sums[i] = hash_bytes(d->bytes + f->file_off, f->size_bytes, sums[i]);
		sums[i] = hash_bytes(d->bytes + f->unwind_off, (size_t)f->unwind_bytes + f->unwind_head_bytes, sums[i]);
	}
	memcpy(id.bytes, sums, sizeof(id.bytes));
	return id;
}

static void put_code(struct image *m, const struct jitdump *d, const struct jitdump_function *f)
{
	put(m, SECTION_TEXT, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 16, d->bytes + f->file_off, f->size_bytes);
	if (!f->unwind_bytes && !f->unwind_head_bytes)
		return;
	put(m, SECTION_EH, SHT_PROGBITS, SHF_ALLOC, EH_ALIGN, d->bytes + f->unwind_off, f->unwind_bytes);
	put(m, SECTION_EH_HDR, SHT_PROGBITS, SHF_ALLOC, 1, d->bytes + f->unwind_off + f->unwind_bytes, f->unwind_head_bytes);
	/* Their sizes are multiples of 4; where a hostile dump says otherwise, addresses are still those of the bytes. */
	m->sections[SECTION_EH_HDR].sh_addralign = m->sections[SECTION_EH_HDR].sh_addr % 4 ? 1 : 4;
}

static void put_symbol(struct image *m, const struct jitdump_function *f, size_t name_len)
{
	Elf64_Sym symbols[2] = { { 0 } };

	symbols[1] = (Elf64_Sym){ .st_name = 1,
				  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
				  .st_shndx = SECTION_TEXT,
				  .st_value = JIT_IMAGE_TEXT_OFF,
				  .st_size = f->size_bytes };
	put(m, SECTION_SYMTAB, SHT_SYMTAB, 0, 8, symbols, sizeof(symbols));
	m->sections[SECTION_SYMTAB].sh_link = SECTION_STRTAB;
	m->sections[SECTION_SYMTAB].sh_info = 1; /* the first that is global */
	m->sections[SECTION_SYMTAB].sh_entsize = sizeof(symbols[0]);
	put(m, SECTION_STRTAB, SHT_STRTAB, 0, 1, "", 1);
	out_mem(m->o, f->name, name_len);
	out_char(m->o, 0);
	m->sections[SECTION_STRTAB].sh_size = name_len + 2;
}

static void put_section_names(struct image *m)
{
	size_t start = m->o->len;

	put(m, SECTION_SHSTRTAB, SHT_STRTAB, 0, 1, "", 0);
	for (uint32_t i = 0; i < NR_SECTIONS; i++) {
		/* A section that is not there is one without a type, which has no name. */
		if (m->sections[i].sh_type != SHT_NULL)
			m->sections[i].sh_name = (uint32_t)(m->o->len - start);
		out_mem(m->o, section_names[i], strlen(section_names[i]) + 1);
	}
	m->sections[SECTION_SHSTRTAB].sh_size = m->o->len - start;
}

static void set_head(struct image *m, uint64_t sections_off, const struct jitdump_function *f)
{
	uint64_t end = f->unwind_bytes || f->unwind_head_bytes ? m->sections[SECTION_EH_HDR].sh_offset + f->unwind_head_bytes
							       : JIT_IMAGE_TEXT_OFF + f->size_bytes;
	Elf64_Ehdr head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = arch_native()->elf_machine,
		.e_version = EV_CURRENT,
		.e_entry = JIT_IMAGE_TEXT_OFF,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_shoff = sections_off,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = NR_SECTIONS,
		.e_shstrndx = SECTION_SHSTRTAB,
	};
	Elf64_Phdr load = { .p_type = PT_LOAD,
			    .p_flags = PF_R | PF_X,
			    .p_offset = JIT_IMAGE_TEXT_OFF,
			    .p_vaddr = JIT_IMAGE_TEXT_OFF,
			    .p_paddr = JIT_IMAGE_TEXT_OFF,
			    .p_filesz = end - JIT_IMAGE_TEXT_OFF,
			    .p_memsz = end - JIT_IMAGE_TEXT_OFF,
			    .p_align = 8 };

	memcpy(m->o->buf, &head, sizeof(head));
	memcpy(m->o->buf + sizeof(head), &load, sizeof(load));
}

uint64_t jit_image_mapped_bytes(const struct jitdump_function *f)
{
	uint64_t aligned = (f->size_bytes + EH_ALIGN - 1) & ~(uint64_t)(EH_ALIGN - 1);

	return f->unwind_mapped_bytes ? aligned + f->unwind_mapped_bytes : f->size_bytes;
}

void jit_image_encode(const struct jitdump *d, const struct jitdump_function *f, struct out *o, struct build_id *id)
{
	struct image m = { .o = o };
	struct note note = { .head = { .n_namesz = 4, .n_descsz = BUILD_ID_SIZE, .n_type = NT_GNU_BUILD_ID }, .owner = "GNU" };
	size_t name_len = strnlen(f->name, NAME_MAX_BYTES);
	uint64_t sections_off;

	memset(out_room(o, JIT_IMAGE_TEXT_OFF), 0, JIT_IMAGE_TEXT_OFF);
	out_advance(o, JIT_IMAGE_TEXT_OFF);
	*id = id_of(d, f, name_len);
	memcpy(note.id, id->bytes, sizeof(note.id));
	put_code(&m, d, f);
	put(&m, SECTION_NOTE, SHT_NOTE, 0, 4, &note, sizeof(note));
	put_symbol(&m, f, name_len);
	put_section_names(&m);
	pad(o, 8);
	sections_off = o->len;
	out_mem(o, m.sections, sizeof(m.sections));
	set_head(&m, sections_off, f);
}
