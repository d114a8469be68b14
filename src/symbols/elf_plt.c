/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names for the stubs of the procedure linkage table, which have no symbols. Linkers change their order, so each stub is decoded: the slot
 * that it jumps through has a relocation, which names the function. perf 6.1 goes by the order.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/mem.h"
#include "symbols/symbol_readers.h"

/* Which function each slot of the global offset table is for, by its relocation: of a dynamic symbol, or, for indirect functions bound when
 * linking, of a resolver, whose symbol is the indirect function's own (memcpy in the C library itself). */
struct plt_slot {
	uint64_t slot;
	uint64_t resolver; /* of an indirect function: the address of what chooses it; otherwise unused */
	uint32_t name;	   /* offset in the dynamic string table; PLT_INDIRECT */
};
#define PLT_INDIRECT UINT32_MAX

/* An indirect function, by the address of what chooses it. */
struct indirect {
	uint64_t resolver;
	char *name;
	unsigned int rank; /* of the name: the least is the best */
};

struct plt_slots {
	const struct elf_file *f;
	const Elf_Data *strings;
	VEC(struct plt_slot) v;	       /* sorted by slot */
	VEC(struct plt_slot) lazy;     /* by the number that lazy stubs push: those of .rela.plt in their order */
	VEC(struct indirect) indirect; /* sorted by address */
};

/* Of all sections together, which may be the same bytes. The largest programs have a million relocations and 10,000 slots. */
#define MAX_RELOCATIONS (8U << 20)
#define MAX_SLOTS (1U << 20)

/* What a machine calls the relocations that matter here. */
struct kinds {
	uint16_t machine;
	uint32_t jump_slot, glob_dat, irelative;
};

static const struct kinds *kinds_of(uint16_t machine)
{
	static const struct kinds all[] = {
		{ EM_X86_64, R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, R_X86_64_IRELATIVE },
		{ EM_386, R_386_JMP_SLOT, R_386_GLOB_DAT, R_386_IRELATIVE },
		{ EM_AARCH64, R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT, R_AARCH64_IRELATIVE },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i].machine == machine)
			return &all[i];
	return NULL;
}

static bool get_relocation(const Elf_Data *data, bool has_addend, uint32_t i, GElf_Rela *out)
{
	GElf_Rel rel;

	*out = (GElf_Rela){ 0 };
	if (has_addend)
		return gelf_getrela((Elf_Data *)data, (int)i, out);
	if (!gelf_getrel((Elf_Data *)data, (int)i, &rel))
		return false;
	out->r_offset = rel.r_offset;
	out->r_info = rel.r_info;
	return true;
}

static struct plt_slot slot_of(const GElf_Rela *r, const struct kinds *k, bool has_addend, const Elf_Data *symbols)
{
	uint32_t type = (uint32_t)GELF_R_TYPE(r->r_info);
	struct plt_slot slot = { .slot = r->r_offset };
	GElf_Sym sym;

	/* Where there is no addend, the address is in the slot, which is not read. */
	if (type == k->irelative && has_addend) {
		slot.name = PLT_INDIRECT;
		slot.resolver = (uint64_t)r->r_addend;
	} else if ((type == k->jump_slot || type == k->glob_dat) && symbols && GELF_R_SYM(r->r_info) <= INT32_MAX &&
		   gelf_getsym((Elf_Data *)symbols, (int)GELF_R_SYM(r->r_info), &sym) && sym.st_name != PLT_INDIRECT) {
		slot.name = sym.st_name;
	}
	return slot;
}

static bool has_room(const struct plt_slots *s, uint32_t left)
{
	return left && s->v.nr < MAX_SLOTS && s->lazy.nr < MAX_SLOTS;
}

/* Most relocations of a large file are of other kinds, and are passed over. */
static void read_section(struct plt_slots *s, const struct kinds *k, uint32_t section, const Elf_Data *symbols, uint32_t *left)
{
	const struct elf_section *sec = &s->f->sections.v[section];
	bool has_addend = sec->type == SHT_RELA, is_lazy = !strcmp(sec->name, ".rela.plt") || !strcmp(sec->name, ".rel.plt");
	const Elf_Data *data = elf_file_get_data(s->f, section);
	size_t nr = data ? data->d_size / gelf_fsize(s->f->elf, has_addend ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT) : 0;

	for (uint32_t i = 0; i < nr && has_room(s, *left); i++, --*left) {
		struct plt_slot slot;
		GElf_Rela r;

		if (!get_relocation(data, has_addend, i, &r))
			break;
		slot = slot_of(&r, k, has_addend, symbols);
		if (is_lazy)
			vec_push(&s->lazy, slot);
		if (slot.name)
			vec_push(&s->v, slot);
	}
}

/* Indirect functions before those that choose, names for all before local ones, "memcpy" before "__memcpy_alias". */
static unsigned int rank_of(const GElf_Sym *sym, const char *name, size_t len)
{
	return (GELF_ST_TYPE(sym->st_info) == STT_GNU_IFUNC ? 0 : 1U << 20) + (GELF_ST_BIND(sym->st_info) == STB_LOCAL ? 1U << 19 : 0) +
	       (name[0] == '_' ? 1U << 18 : 0) + (unsigned int)len;
}

static struct indirect *find_indirect(const struct plt_slots *s, uint64_t resolver)
{
	return s->indirect.nr ? bsearch(&resolver, s->indirect.v, s->indirect.nr, sizeof(*s->indirect.v), compare_u64) : NULL;
}

static void name_by_table(struct plt_slots *s, const char *table)
{
	struct elf_syms syms = elf_syms_begin(s->f, elf_file_find_section(s->f, table));
	GElf_Sym sym;
	size_t len;

	while (elf_syms_next(&syms, &sym)) {
		struct indirect *found;
		const char *name;

		if ((GELF_ST_TYPE(sym.st_info) != STT_GNU_IFUNC && GELF_ST_TYPE(sym.st_info) != STT_FUNC) || sym.st_shndx == SHN_UNDEF)
			continue;
		found = find_indirect(s, sym.st_value);
		name = found ? elf_string(syms.strings, sym.st_name, &len) : NULL;
		if (!name || !len || (found->name && rank_of(&sym, name, len) >= found->rank) || !elf_file_take_memory(s->f, len))
			continue;
		free(found->name);
		found->name = mem_strndup(name, len);
		found->rank = rank_of(&sym, name, len);
	}
}

/* A stub without a name gets objdump's form: the address. */
static void name_indirect(struct plt_slots *s)
{
	for (uint32_t i = 0; i < s->v.nr; i++)
		if (s->v.v[i].name == PLT_INDIRECT)
			vec_push(&s->indirect, ((struct indirect){ .resolver = s->v.v[i].resolver }));
	if (!s->indirect.nr)
		return;
	vec_sort_unique(&s->indirect, compare_u64);
	name_by_table(s, ".dynsym");
	name_by_table(s, ".symtab");
	for (uint32_t i = 0; i < s->indirect.nr; i++)
		if (!s->indirect.v[i].name)
			s->indirect.v[i].name = mem_printf("*ABS*+0x%" PRIx64, s->indirect.v[i].resolver);
}

/* Reads the relocations of an x86_64, i386 or arm64 file; empty for others. */
static void plt_slots_init(struct plt_slots *s, const struct elf_file *f)
{
	const struct kinds *k = kinds_of(f->machine);
	uint32_t dynsym = elf_file_find_section(f, ".dynsym"), left = MAX_RELOCATIONS;
	struct elf_syms syms = elf_syms_begin(f, f->sections.v[dynsym].type == SHT_DYNSYM ? dynsym : 0);

	*s = (struct plt_slots){ .f = f, .strings = syms.strings };
	for (uint32_t i = 1; k && i < f->sections.nr && has_room(s, left); i++) {
		const struct elf_section *sec = &f->sections.v[i];

		if ((sec->type == SHT_RELA || sec->type == SHT_REL) && sec->flags & SHF_ALLOC)
			read_section(s, k, i, sec->link == dynsym && s->strings ? syms.data : NULL, &left);
	}
	vec_sort(&s->v, compare_u64);
	name_indirect(s);
}

static void plt_slots_fini(struct plt_slots *s)
{
	for (uint32_t i = 0; i < s->indirect.nr; i++)
		free(s->indirect.v[i].name);
	vec_fini(&s->indirect);
	vec_fini(&s->lazy);
	vec_fini(&s->v);
}

/* NULL: the slot is of no function. */
static const struct plt_slot *plt_slots_find(const struct plt_slots *s, uint64_t slot)
{
	struct plt_slot key = { .slot = slot };

	return s->v.nr ? bsearch(&key, s->v.v, s->v.nr, sizeof(key), compare_u64) : NULL;
}

/* The name of the function, or NULL. Lives as long as `s` and the file. */
static const char *plt_slots_name(const struct plt_slots *s, const struct plt_slot *slot, size_t *len)
{
	const struct indirect *indirect = slot->name == PLT_INDIRECT ? find_indirect(s, slot->resolver) : NULL;
	const char *name;

	if (indirect)
		*len = strlen(indirect->name);
	name = indirect ? indirect->name : slot->name ? elf_string(s->strings, slot->name, len) : NULL;
	return name && *len ? name : NULL;
}

/* Longer names are cut. Relocations can share a name, so its length counts once for each of them. */
#define MAX_NAME_BYTES 1024
#define MAX_STUBS (1U << 18)
/* A stub without another behind it ends here at the latest. */
#define MAX_STUB_BYTES 64
#define USUAL_STUB_BYTES 16

const char *const elf_plt_sections[ELF_NR_PLT_SECTIONS] = { ".plt", ".plt.sec", ".plt.got", ".plt.bnd", ".iplt" };

/* The code of one section. */
struct stubs {
	const struct plt_slots *slots;
	const struct elf_section *section;
	const uint8_t *code;
	size_t size;
	uint64_t got; /* i386: what %ebx points to */
};

static bool starts_with(const uint8_t *code, size_t size, const char *bytes, size_t len)
{
	return size >= len && !memcmp(code, bytes, len);
}

/* x86: maybe endbr, maybe the stub's number in a register (mold), then "jmp *SLOT", with or without a bnd prefix, or "mov SLOT,%r11" (lld's
 * retpolines). Behind endbr alone, "push NUMBER" is a lazy stub whose other half has the jump. */
static const struct plt_slot *decode_x86(const struct stubs *s, size_t off)
{
	const uint8_t *p = s->code + off, *start = p;
	size_t left = s->size - off;
	bool is_64 = s->slots->f->machine == EM_X86_64;
	uint64_t vaddr;

	if (starts_with(p, left, is_64 ? "\xf3\x0f\x1e\xfa" : "\xf3\x0f\x1e\xfb", 4)) {
		p += 4;
		left -= 4;
		if (left >= 5 && p[0] == 0x68) {
			uint32_t i = arch_code_u32(p + 1) / (is_64 ? 1 : sizeof(Elf32_Rel));

			return i < s->slots->lazy.nr ? &s->slots->lazy.v[i] : NULL;
		}
	}
	if (is_64 && left >= 6 && starts_with(p, left, "\x41\xbb", 2)) {
		p += 6;
		left -= 6;
	}
	if (left && *p == 0xf2) {
		p++;
		left--;
	}
	vaddr = s->section->vaddr + off + (uint64_t)(p - start);
	if (is_64 && left >= 7 && starts_with(p, left, "\x4c\x8b\x1d", 3))
		return plt_slots_find(s->slots, vaddr + 7 + (uint64_t)(int64_t)(int32_t)arch_code_u32(p + 3));
	if (left < 6 || p[0] != 0xff)
		return NULL;
	if (is_64)
		return p[1] == 0x25 ? plt_slots_find(s->slots, vaddr + 6 + (uint64_t)(int64_t)(int32_t)arch_code_u32(p + 2)) : NULL;
	if (p[1] == 0x25)
		return plt_slots_find(s->slots, arch_code_u32(p + 2));
	return p[1] == 0xa3 ? plt_slots_find(s->slots, (uint32_t)(s->got + arch_code_u32(p + 2))) : NULL;
}

/* arm64: maybe "bti c", then "adrp x16, PAGE; ldr x17, [x16, #OFFSET]". */
static const struct plt_slot *decode_arm64(const struct stubs *s, size_t off)
{
	uint32_t adrp, ldr;
	size_t at = off;
	int64_t pages;

	if (s->size - at >= 4 && arch_code_u32(s->code + at) == 0xd503245f)
		at += 4;
	if (s->size - at < 8)
		return NULL;
	adrp = arch_code_u32(s->code + at);
	ldr = arch_code_u32(s->code + at + 4);
	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return NULL;
	/* 21 bits, the lower two of them apart */
	pages = (int32_t)((adrp >> 5 << 2 | (adrp >> 29 & 3)) << 11) >> 11;
	return plt_slots_find(s->slots, ((s->section->vaddr + at) & ~UINT64_C(0xfff)) + (uint64_t)pages * 4096 + (ldr >> 10 & 0xfff) * 8);
}

static void add_stub(struct symtab *t, uint64_t start, uint64_t size, const char *name, size_t len)
{
	char whole[MAX_NAME_BYTES + 5];

	if (len > MAX_NAME_BYTES)
		len = MAX_NAME_BYTES;
	memcpy(whole, name, len);
	memcpy(whole + len, "@plt", 5);
	symtab_add(t, start, start + size, whole, len + 4, SYMBOL_GLOBAL, SYMBOL_PLT);
}

/* A stub and where it begins. */
struct stub {
	size_t off;
	const struct plt_slot *slot; /* NULL: the end of the section */
};

static struct stub next_stub(const struct stubs *s, size_t off)
{
	bool is_arm64 = s->slots->f->machine == EM_AARCH64;

	for (; off < s->size; off += is_arm64 ? 4 : 8) {
		const struct plt_slot *slot = is_arm64 ? decode_arm64(s, off) : decode_x86(s, off);

		if (slot)
			return (struct stub){ off, slot };
	}
	return (struct stub){ s->size, NULL };
}

/* As many stubs as slots and no more: a hostile file could have one in all of them. */
static void load_stubs(struct symtab *t, const struct stubs *s)
{
	uint32_t left = s->slots->v.nr < MAX_STUBS ? s->slots->v.nr : MAX_STUBS;
	uint64_t usual = s->section->entry_size > 0 && s->section->entry_size <= MAX_STUB_BYTES ? s->section->entry_size : USUAL_STUB_BYTES;

	for (struct stub stub = next_stub(s, 0), next; stub.slot && left; stub = next, left--) {
		const char *name;
		uint64_t size;
		size_t len;

		/* Nothing of the first stub is another's: endbr and jump are found one after the other. */
		next = next_stub(s, stub.off + 8);
		size = next.slot && next.off - stub.off <= MAX_STUB_BYTES ? next.off - stub.off : usual;
		if (size > s->size - stub.off)
			size = s->size - stub.off;
		name = plt_slots_name(s->slots, stub.slot, &len);
		/* The same code in several sections, all with one long name: each is a copy of it. */
		if (name && !elf_file_take_memory(s->slots->f, sizeof(struct symbol) + (len < MAX_NAME_BYTES ? len : MAX_NAME_BYTES)))
			break;
		if (name)
			add_stub(t, s->section->file_off + stub.off, size, name, len);
	}
}

/* One stub a relocation, in their order: 32-bit ARM, as perf has it. */
static void load_arm_stubs(struct symtab *t, const struct elf_file *f)
{
	uint32_t plt = elf_file_find_section(f, ".plt"), rel = elf_file_find_section(f, ".rel.plt"),
		 dynsym = elf_file_find_section(f, ".dynsym");
	const Elf_Data *data = elf_file_get_data(f, rel);
	struct elf_syms syms = elf_syms_begin(f, dynsym);
	const struct elf_section *s = &f->sections.v[plt];

	if (!plt || !data || !syms.strings || s->type == SHT_NOBITS)
		return;
	for (uint64_t i = 0, off = 20; i < data->d_size / sizeof(Elf32_Rel) && i < INT32_MAX; i++, off += 12) {
		const char *name;
		GElf_Rel r;
		GElf_Sym sym;
		size_t len;

		if (off > s->size_bytes || s->size_bytes - off < 12)
			break;
		if (gelf_getrel((Elf_Data *)data, (int)i, &r) && GELF_R_SYM(r.r_info) <= INT32_MAX &&
		    gelf_getsym((Elf_Data *)syms.data, (int)GELF_R_SYM(r.r_info), &sym) &&
		    (name = elf_string(syms.strings, sym.st_name, &len)) && len &&
		    elf_file_take_memory(f, sizeof(struct symbol) + (len < MAX_NAME_BYTES ? len : MAX_NAME_BYTES)))
			add_stub(t, s->file_off + off, 12, name, len);
	}
}

void elf_plt_load(struct symtab *t, const struct elf_file *f)
{
	uint32_t got = elf_file_find_section(f, ".got.plt");
	struct plt_slots slots;
	bool has_slots = false;

	if (!f->sections.nr)
		return;
	if (f->machine == EM_ARM) {
		load_arm_stubs(t, f);
		return;
	}
	if (!got)
		got = elf_file_find_section(f, ".got");
	for (size_t i = 0; i < ELF_NR_PLT_SECTIONS; i++) {
		uint32_t section = elf_file_find_section(f, elf_plt_sections[i]);
		const Elf_Data *code = section && f->sections.v[section].type == SHT_PROGBITS ? elf_file_get_data(f, section) : NULL;
		struct stubs s = { .slots = &slots, .section = &f->sections.v[section], .got = f->sections.v[got].vaddr };

		if (!code || !code->d_buf)
			continue;
		if (!has_slots)
			plt_slots_init(&slots, f);
		has_slots = true;
		s.code = code->d_buf;
		s.size = code->d_size;
		load_stubs(t, &s);
	}
	if (has_slots)
		plt_slots_fini(&slots);
}
