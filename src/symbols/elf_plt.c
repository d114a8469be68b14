/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names for the procedure linkage table: the stubs through which a file calls functions of other
 * files. They have no symbols; the relocations say which function each stub is for. .plt as perf
 * has it, and .plt.sec and .plt.got, where perf has nothing.
 */
#include <string.h>

#include "base/bytes.h"
#include "symbols/elf_symbols.h"

/* The relocations of a section with the dynamic symbols that they name. */
struct relocations {
	const struct elf_file *f;
	const Elf_Data *data, *symbols, *strings;
	bool addend;
	uint32_t nr;
};

static bool relocations_init(struct relocations *r, const struct elf_file *f, const char *rela,
			     const char *rel)
{
	uint32_t dynsym = elf_file_find_section(f, ".dynsym");
	uint32_t section = elf_file_find_section(f, rela);
	size_t nr;

	*r = (struct relocations){ .f = f, .addend = true };
	if (!section)
		section = elf_file_find_section(f, rel);
	if (!dynsym || f->sections.v[dynsym].type != SHT_DYNSYM || !section ||
	    f->sections.v[section].link != dynsym)
		return false;
	r->addend = f->sections.v[section].type == SHT_RELA;
	if (!r->addend && f->sections.v[section].type != SHT_REL)
		return false;
	r->data = elf_file_get_data(f, section);
	r->symbols = elf_file_get_data(f, dynsym);
	r->strings = elf_file_get_data(f, f->sections.v[dynsym].link);
	if (!r->data || !r->symbols || !r->strings)
		return false;
	nr = r->data->d_size /
	     gelf_fsize(f->elf, r->addend ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
	r->nr = nr > INT32_MAX ? INT32_MAX : (uint32_t)nr;
	return true;
}

/* The function that a relocation is for (an empty name where it is for none) and the slot that it
 * fills. */
static bool relocation_get(const struct relocations *r, uint32_t i, const char **name, size_t *len,
			   uint64_t *slot)
{
	GElf_Rela rela = { 0 };
	GElf_Rel rel;
	GElf_Sym sym;

	if (r->addend) {
		if (!gelf_getrela((Elf_Data *)r->data, (int)i, &rela))
			return false;
	} else {
		if (!gelf_getrel((Elf_Data *)r->data, (int)i, &rel))
			return false;
		rela.r_offset = rel.r_offset;
		rela.r_info = rel.r_info;
	}
	*slot = rela.r_offset;
	if (GELF_R_SYM(rela.r_info) > INT32_MAX ||
	    !gelf_getsym((Elf_Data *)r->symbols, (int)GELF_R_SYM(rela.r_info), &sym))
		return false;
	*name = elf_string(r->strings, sym.st_name, len);
	return *name != NULL;
}

/* Longer names are cut. Relocations can share a name, so its length counts once for each of them.
 */
#define MAX_NAME_BYTES 1024

static void add_stub(struct symtab *t, uint64_t start, uint64_t size, const char *name, size_t len)
{
	char whole[MAX_NAME_BYTES + 5];

	if (len > MAX_NAME_BYTES)
		len = MAX_NAME_BYTES;
	memcpy(whole, name, len);
	memcpy(whole + len, "@plt", 5);
	symtab_add(t, start, start + size, whole, len + 4, SYMBOL_GLOBAL, SYMBOL_PLT);
}

/* One stub a relocation, in their order. */
static void load_stubs(struct symtab *t, const struct relocations *r, const struct elf_section *s,
		       uint64_t header_size, uint64_t entry_size)
{
	uint64_t off = header_size;

	for (uint32_t i = 0; i < r->nr; i++, off += entry_size) {
		const char *name;
		uint64_t slot;
		size_t len;

		if (off > s->size_bytes || s->size_bytes - off < entry_size)
			break;
		if (relocation_get(r, i, &name, &len, &slot))
			add_stub(t, s->file_off + off, entry_size, name, len);
	}
}

/* The slot that a stub of .plt.got jumps through: "jmp *disp(%rip)", maybe after endbr64 and a bnd
 * prefix. 0: something else. */
static uint64_t stub_slot(const uint8_t *code, size_t size, uint64_t vaddr)
{
	struct bytes b = bytes_of(code, size, false);
	uint32_t disp;

	if (size >= 4 && memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0)
		bytes_take(&b, 4);
	if (bytes_left(&b) && *b.pos == 0xf2)
		bytes_take(&b, 1);
	if (bytes_u16(&b) != 0x25ff)
		return 0;
	disp = bytes_u32(&b);
	return b.failed ? 0 : vaddr + (uint64_t)(b.pos - code) + (uint64_t)(int64_t)(int32_t)disp;
}

struct slot_name {
	uint64_t slot;
	uint32_t relocation;
};

static int compare_slots(const void *a, const void *b)
{
	const struct slot_name *x = a, *y = b;

	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* Which relocation fills which slot, for the stubs that have no order of their own. */
static struct slot_name *slot_names_new(const struct relocations *r, uint32_t *nr)
{
	struct slot_name *slots = mem_realloc(NULL, r->nr + 1, sizeof(*slots));

	*nr = 0;
	for (uint32_t i = 0; i < r->nr; i++) {
		const char *name;
		size_t len;

		if (relocation_get(r, i, &name, &len, &slots[*nr].slot) && len)
			slots[(*nr)++].relocation = i;
	}
	qsort(slots, *nr, sizeof(*slots), compare_slots);
	return slots;
}

static void load_got_stubs(struct symtab *t, const struct elf_file *f)
{
	uint32_t section = elf_file_find_section(f, ".plt.got"), nr;
	const Elf_Data *code = elf_file_get_data(f, section);
	const struct elf_section *s = code ? &f->sections.v[section] : NULL;
	uint64_t entry_size = s && s->entry_size == 16 ? 16 : 8;
	struct slot_name *slots;
	struct relocations r;

	if (!code || f->machine != EM_X86_64 || !relocations_init(&r, f, ".rela.dyn", ".rel.dyn"))
		return;
	slots = slot_names_new(&r, &nr);
	for (uint64_t off = 0; off + entry_size <= code->d_size; off += entry_size) {
		struct slot_name key = { .slot = stub_slot((uint8_t *)code->d_buf + off, entry_size,
							   s->vaddr + off) };
		const struct slot_name *found =
			bsearch(&key, slots, nr, sizeof(*slots), compare_slots);
		const char *name;
		uint64_t slot;
		size_t len;

		if (found && relocation_get(&r, found->relocation, &name, &len, &slot))
			add_stub(t, s->file_off + off, entry_size, name, len);
	}
	free(slots);
}

void elf_plt_load(struct symtab *t, const struct elf_file *f)
{
	uint32_t plt = elf_file_find_section(f, ".plt"), sec = elf_file_find_section(f, ".plt.sec");
	struct relocations r;

	if (relocations_init(&r, f, ".rela.plt", ".rel.plt")) {
		uint64_t entry_size = 16, header_size = 16;

		if (f->machine == EM_AARCH64) {
			header_size = 32;
		} else if (f->machine == EM_ARM) {
			header_size = 20;
			entry_size = 12;
		} else if (plt && f->sections.v[plt].entry_size >= 4 &&
			   f->sections.v[plt].entry_size <= 256) {
			header_size = entry_size = f->sections.v[plt].entry_size;
		}
		if (plt && f->sections.v[plt].type != SHT_NOBITS)
			load_stubs(t, &r, &f->sections.v[plt], header_size, entry_size);
		if (sec && f->machine == EM_X86_64 && f->sections.v[sec].type != SHT_NOBITS)
			load_stubs(t, &r, &f->sections.v[sec], 0, 16);
	}
	load_got_stubs(t, f);
}
