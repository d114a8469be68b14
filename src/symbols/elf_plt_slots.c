/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Relocations → slots. Most name a dynamic symbol. Those of indirect functions that were bound when linking name nothing but the address of
 * the function that chooses: the symbol of that address is the indirect function's own (memcpy in the C library itself).
 */
#include "symbols/elf_plt_slots.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Sections of a hostile file may all be the same bytes: so many relocations are read and so many slots kept of all together. The largest
 * programs have a million relocations and some ten thousand slots. */
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

	/* Where there is no addend, the address stands in the slot: not worth the reading. */
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

static int compare_slots(const void *a, const void *b)
{
	const struct plt_slot *x = a, *y = b;

	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* The indirect functions of a file, by their addresses. */
struct chosen {
	uint64_t resolver;
	char *name;
	unsigned int rank; /* of the name: the least is the best */
};
struct choice {
	VEC(struct chosen) v; /* sorted by address */
};

static int compare_chosen(const void *a, const void *b)
{
	const struct chosen *x = a, *y = b;

	return x->resolver < y->resolver ? -1 : x->resolver > y->resolver;
}

/* Indirect functions before those that choose, names for all before local ones, "memcpy" before "__memcpy_alias". */
static unsigned int rank_of(const GElf_Sym *sym, const char *name, size_t len)
{
	return (GELF_ST_TYPE(sym->st_info) == STT_GNU_IFUNC ? 0 : 1U << 20) + (GELF_ST_BIND(sym->st_info) == STB_LOCAL ? 1U << 19 : 0) +
	       (name[0] == '_' ? 1U << 18 : 0) + (unsigned int)len;
}

static void name_by_table(struct choice *c, const struct elf_file *f, const char *table)
{
	uint32_t section = elf_file_find_section(f, table);
	const Elf_Data *data = elf_file_get_data(f, section), *strings;
	size_t nr;

	strings = data ? elf_file_get_data(f, f->sections.v[section].link) : NULL;
	nr = strings ? data->d_size / gelf_fsize(f->elf, ELF_T_SYM, 1, EV_CURRENT) : 0;
	for (size_t i = 1; i < nr && i <= INT32_MAX; i++) {
		struct chosen key = { 0 }, *found;
		const char *name;
		GElf_Sym sym;
		size_t len;

		if (!gelf_getsym((Elf_Data *)data, (int)i, &sym) ||
		    (GELF_ST_TYPE(sym.st_info) != STT_GNU_IFUNC && GELF_ST_TYPE(sym.st_info) != STT_FUNC) || sym.st_shndx == SHN_UNDEF)
			continue;
		key.resolver = sym.st_value;
		found = bsearch(&key, c->v.v, c->v.nr, sizeof(key), compare_chosen);
		name = found ? elf_string(strings, sym.st_name, &len) : NULL;
		if (!name || !len || (found->name && rank_of(&sym, name, len) >= found->rank) || !elf_file_take_memory(f, len))
			continue;
		free(found->name);
		found->name = mem_strndup(name, len);
		found->rank = rank_of(&sym, name, len);
	}
}

/* A stub without a name gets objdump's form: the address. */
static void name_indirect(struct plt_slots *s)
{
	struct choice c = { 0 };
	uint32_t nr = 0;

	for (uint32_t i = 0; i < s->v.nr; i++)
		if (s->v.v[i].name == PLT_INDIRECT)
			vec_push(&c.v, ((struct chosen){ .resolver = s->v.v[i].resolver }));
	if (!c.v.nr)
		return;
	qsort(c.v.v, c.v.nr, sizeof(*c.v.v), compare_chosen);
	for (uint32_t i = 0; i < c.v.nr; i++)
		if (!nr || c.v.v[nr - 1].resolver != c.v.v[i].resolver)
			c.v.v[nr++] = c.v.v[i];
	c.v.nr = nr;
	name_by_table(&c, s->f, ".dynsym");
	name_by_table(&c, s->f, ".symtab");
	for (uint32_t i = 0; i < nr; i++)
		vec_push(&s->names, c.v.v[i].name ? c.v.v[i].name : mem_printf("*ABS*+0x%" PRIx64, c.v.v[i].resolver));
	for (uint32_t i = 0; i < s->v.nr; i++) {
		struct chosen key = { .resolver = s->v.v[i].resolver };

		if (s->v.v[i].name == PLT_INDIRECT)
			s->v.v[i].indirect =
				(uint32_t)((struct chosen *)bsearch(&key, c.v.v, nr, sizeof(key), compare_chosen) - c.v.v);
	}
	vec_fini(&c.v);
}

void plt_slots_init(struct plt_slots *s, const struct elf_file *f)
{
	const struct kinds *k = kinds_of(f->machine);
	uint32_t dynsym = elf_file_find_section(f, ".dynsym"), left = MAX_RELOCATIONS;
	const Elf_Data *symbols = dynsym && f->sections.v[dynsym].type == SHT_DYNSYM ? elf_file_get_data(f, dynsym) : NULL;

	*s = (struct plt_slots){ .f = f };
	s->strings = symbols ? elf_file_get_data(f, f->sections.v[dynsym].link) : NULL;
	for (uint32_t i = 1; k && i < f->sections.nr && has_room(s, left); i++) {
		const struct elf_section *sec = &f->sections.v[i];

		if ((sec->type == SHT_RELA || sec->type == SHT_REL) && sec->flags & SHF_ALLOC)
			read_section(s, k, i, sec->link == dynsym && s->strings ? symbols : NULL, &left);
	}
	if (s->v.nr)
		qsort(s->v.v, s->v.nr, sizeof(*s->v.v), compare_slots);
	name_indirect(s);
}

void plt_slots_fini(struct plt_slots *s)
{
	for (uint32_t i = 0; i < s->names.nr; i++)
		free(s->names.v[i]);
	vec_fini(&s->names);
	vec_fini(&s->lazy);
	vec_fini(&s->v);
}

const struct plt_slot *plt_slots_find(const struct plt_slots *s, uint64_t slot)
{
	struct plt_slot key = { .slot = slot };

	return s->v.nr ? bsearch(&key, s->v.v, s->v.nr, sizeof(key), compare_slots) : NULL;
}

const char *plt_slots_name(const struct plt_slots *s, const struct plt_slot *slot, size_t *len)
{
	const char *name;

	if (slot->name == PLT_INDIRECT) {
		/* Lazy stubs know their relocation; which function it is, the slot does. */
		slot = plt_slots_find(s, slot->slot);
		if (!slot || slot->name != PLT_INDIRECT)
			return NULL;
		*len = strlen(s->names.v[slot->indirect]);
		return s->names.v[slot->indirect];
	}
	name = slot->name ? elf_string(s->strings, slot->name, len) : NULL;
	return name && *len ? name : NULL;
}
