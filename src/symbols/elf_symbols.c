/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which entries of .symtab and .dynsym become symbols, and at which file offset: functions and data objects, and labels in sections of code
 * or data (hand-written assembly). Every value is hostile until checked against the sections.
 */
#include "symbols/symbol_readers.h"

#include <errno.h>
#include <string.h>

/* Longer names are cut: real ones end before, and each place that shows one copies it. */
#define MAX_NAME_BYTES (64 << 10)

/* How one section's symbols are treated. */
struct section_rule {
	uint64_t vaddr, file_off; /* file_off: of kernel modules, from the start of the code */
	bool loaded;		  /* part of the program in memory */
	bool labels;
};

struct symbol_reader {
	const struct elf_file *syms, *runtime;
	enum elf_addresses addresses;
	struct section_rule *rules; /* by section index of `syms` */
	uint32_t segment;	    /* of `runtime`; the last one that answered */
	const char *strings;	    /* of the table being read, in the symtab's arena */
	size_t strings_size;
};

bool elf_kmodule_place(const struct elf_section *s, uint64_t *end, uint64_t *addr)
{
	const uint64_t code = SHF_ALLOC | SHF_EXECINSTR;

	if ((s->flags & code) != code || strncmp(s->name, ".init", 5) == 0)
		return false;
	if (s->align && !(s->align & (s->align - 1)))
		*end = (*end + s->align - 1) & ~(s->align - 1);
	*addr = *end;
	*end += s->size_bytes;
	return true;
}

static void place_kmodule(struct section_rule *rules, const struct elf_file *f)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < f->sections.nr; i++) {
		rules[i] = (struct section_rule){ .labels = true };
		rules[i].loaded = elf_kmodule_place(&f->sections.v[i], &end, &rules[i].file_off);
	}
}

static struct section_rule *section_rules_new(const struct elf_file *syms, const struct elf_file *runtime, enum elf_addresses addresses)
{
	struct section_rule *rules = mem_realloc(NULL, syms->sections.nr + 1, sizeof(*rules));

	if (addresses == ELF_KMODULE) {
		place_kmodule(rules, syms);
		return rules;
	}
	for (uint32_t i = 0; i < syms->sections.nr; i++) {
		const struct elf_section *s = &syms->sections.v[i];

		rules[i].loaded = s->flags & SHF_ALLOC;
		/* A debug file keeps the headers of sections but not their places in the file. */
		if (s->type == SHT_NOBITS && i < runtime->sections.nr)
			s = &runtime->sections.v[i];
		rules[i].vaddr = s->vaddr;
		rules[i].file_off = s->file_off;
		rules[i].labels = strstr(s->name, "text") || strstr(s->name, "data");
	}
	return rules;
}

/* $a, $d, $t, $x (and $x.name) mark where code and data begin on ARM; they name nothing. */
static bool is_mapping_symbol(uint16_t machine, const char *name)
{
	return (machine == EM_ARM || machine == EM_AARCH64) && name[0] == '$' && name[1] && strchr("adtx", name[1]) &&
	       (!name[2] || name[2] == '.');
}

static bool symbol_kind_of(const GElf_Sym *sym, const struct section_rule *rule, enum symbol_kind *kind)
{
	unsigned int visibility = GELF_ST_VISIBILITY(sym->st_other);

	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		*kind = SYMBOL_FUNCTION;
		return true;
	case STT_OBJECT:
		*kind = SYMBOL_OBJECT;
		return true;
	case STT_NOTYPE:
		*kind = SYMBOL_LABEL;
		return rule->labels && visibility != STV_HIDDEN && visibility != STV_INTERNAL;
	}
	return false;
}

static enum symbol_binding binding_of(const GElf_Sym *sym)
{
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_GLOBAL:
		return SYMBOL_GLOBAL;
	case STB_WEAK:
		return SYMBOL_WEAK;
	}
	return SYMBOL_LOCAL;
}

/* Neighbouring symbols mostly lie in one segment. */
static uint64_t start_of(struct symbol_reader *r, uint64_t vaddr, const struct section_rule *rule)
{
	const struct elf_file *f = r->runtime;

	if (r->addresses == ELF_VADDRS)
		return vaddr;
	for (uint32_t i = 0; i < f->segments.nr; i++, r->segment = (r->segment + 1) % f->segments.nr) {
		const struct elf_segment *s = &f->segments.v[r->segment];

		if (vaddr >= s->vaddr && vaddr - s->vaddr < s->size_bytes)
			return vaddr - s->vaddr + s->file_off;
	}
	return vaddr - rule->vaddr + rule->file_off;
}

/* All names at once. Entries may point at any byte of them, and many at the same one: nothing is copied or measured per entry. */
static void read_strings(struct symtab *t, struct symbol_reader *r, const Elf_Data *data)
{
	char *copy, *p, *end;

	copy = arena_alloc(&t->arena, data->d_size + 1);
	memcpy(copy, data->d_buf, data->d_size);
	end = copy + data->d_size;
	*end = 0;
	for (p = copy; p < end; p++) {
		char *nul = memchr(p, 0, (size_t)(end - p) + 1);

		if (nul - p > MAX_NAME_BYTES) {
			nul = p + MAX_NAME_BYTES;
			*nul = 0;
		}
		p = nul;
	}
	r->strings = copy;
	r->strings_size = data->d_size;
}

static void load_symbol(struct symtab *t, struct symbol_reader *r, const GElf_Sym *sym)
{
	const struct section_rule *rule;
	enum symbol_kind kind;
	uint64_t vaddr = sym->st_value, start;
	const char *name;

	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= r->syms->sections.nr || !sym->st_name || sym->st_name >= r->strings_size)
		return;
	rule = &r->rules[sym->st_shndx];
	if (!rule->loaded || !symbol_kind_of(sym, rule, &kind))
		return;
	name = r->strings + sym->st_name;
	if (!*name || is_mapping_symbol(r->syms->machine, name))
		return;
	/* The lowest bit says Thumb, it is not part of the address. */
	if (r->syms->machine == EM_ARM && kind == SYMBOL_FUNCTION)
		vaddr &= ~1ULL;
	start = start_of(r, vaddr, rule);
	symtab_add_borrowed(t, start, sym->st_size > UINT64_MAX - start ? start : start + sym->st_size, name, binding_of(sym), kind);
}

static void load_table(struct symtab *t, struct symbol_reader *r, uint32_t section)
{
	struct elf_syms s = elf_syms_begin(r->syms, section);
	GElf_Sym sym;

	if (s.strings)
		read_strings(t, r, s.strings);
	while (elf_syms_next(&s, &sym))
		load_symbol(t, r, &sym);
}

static uint32_t find_table(const struct elf_file *f, const char *name, uint32_t type)
{
	uint32_t i = elf_file_find_section(f, name);

	return i && f->sections.v[i].type == type ? i : 0;
}

int elf_symbols_load(struct symtab *t, const struct elf_file *syms, const struct elf_file *runtime, enum elf_addresses addresses)
{
	struct symbol_reader r = { .syms = syms, .runtime = runtime, .addresses = addresses };
	uint32_t symtab = find_table(syms, ".symtab", SHT_SYMTAB), dynsym = find_table(syms, ".dynsym", SHT_DYNSYM);
	uint32_t nr_added;

	r.rules = section_rules_new(syms, runtime, addresses);
	/* First, so that a symbol without size before them (mostly _init) ends where they begin. */
	if (addresses == ELF_FILE_OFFSETS)
		elf_plt_load(t, runtime);
	/* Settled before the dynamic symbols come in: that decides between aliases without size, as in perf. */
	load_table(t, &r, symtab);
	symtab_finish(t, false);
	nr_added = t->symbols.nr;
	load_table(t, &r, dynsym);
	if (t->symbols.nr > nr_added)
		symtab_finish(t, false);
	free(r.rules);
	return t->symbols.nr > INT32_MAX ? -EFBIG : (int)t->symbols.nr;
}

bool elf_symbols_find(const struct elf_file *f, const char *name, uint64_t *vaddr)
{
	struct elf_syms s = elf_syms_begin(f, find_table(f, ".symtab", SHT_SYMTAB));
	size_t size = strlen(name) + 1;
	GElf_Sym sym;

	while (elf_syms_next(&s, &sym)) {
		if (sym.st_name < s.strings->d_size && s.strings->d_size - sym.st_name >= size &&
		    memcmp((const char *)s.strings->d_buf + sym.st_name, name, size) == 0) {
			*vaddr = sym.st_value;
			return true;
		}
	}
	return false;
}

/* Looks for a name in one table. *nr: how many addresses it has there, 2 for more. */
static void find_object(const struct elf_file *f, const char *section, uint32_t type, const char *name, uint64_t *vaddr, uint32_t *nr)
{
	struct elf_syms s = elf_syms_begin(f, find_table(f, section, type));
	size_t size = strlen(name) + 1;
	GElf_Sym sym;

	while (*nr < 2 && elf_syms_next(&s, &sym)) {
		if (sym.st_shndx == SHN_UNDEF || GELF_ST_TYPE(sym.st_info) == STT_TLS || sym.st_name >= s.strings->d_size ||
		    s.strings->d_size - sym.st_name < size || memcmp((const char *)s.strings->d_buf + sym.st_name, name, size) != 0)
			continue;
		*nr += !*nr || *vaddr != sym.st_value;
		*vaddr = sym.st_value;
	}
}

bool elf_symbols_find_data(const struct elf_file *f, const char *name, uint64_t *vaddr)
{
	uint32_t nr = 0;

	find_object(f, ".symtab", SHT_SYMTAB, name, vaddr, &nr);
	if (!nr)
		find_object(f, ".dynsym", SHT_DYNSYM, name, vaddr, &nr);
	return nr == 1;
}
