/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names for the procedure linkage table: the stubs through which a file calls functions of other files. They have no symbols. Their order
 * says nothing (linkers move indirect functions to the end of the relocations, and not of the stubs), nor does the section they are in: each
 * stub is read for the slot that it jumps through, and the slot's relocation names the function. perf 6.1 goes by the order.
 */
#include <string.h>

#include "base/bytes.h"
#include "symbols/elf_plt_slots.h"
#include "symbols/elf_symbols.h"

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

static uint32_t number_at(const uint8_t *code)
{
	struct bytes b = bytes_of(code, 4, false);

	return bytes_u32(&b);
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
			uint32_t i = number_at(p + 1) / (is_64 ? 1 : sizeof(Elf32_Rel));

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
		return plt_slots_find(s->slots, vaddr + 7 + (uint64_t)(int64_t)(int32_t)number_at(p + 3));
	if (left < 6 || p[0] != 0xff)
		return NULL;
	if (is_64)
		return p[1] == 0x25 ? plt_slots_find(s->slots, vaddr + 6 + (uint64_t)(int64_t)(int32_t)number_at(p + 2)) : NULL;
	if (p[1] == 0x25)
		return plt_slots_find(s->slots, number_at(p + 2));
	return p[1] == 0xa3 ? plt_slots_find(s->slots, (uint32_t)(s->got + number_at(p + 2))) : NULL;
}

/* arm64: maybe "bti c", then "adrp x16, PAGE; ldr x17, [x16, #OFFSET]". */
static const struct plt_slot *decode_arm64(const struct stubs *s, size_t off)
{
	uint32_t adrp, ldr;
	size_t at = off;
	int64_t pages;

	if (s->size - at >= 4 && number_at(s->code + at) == 0xd503245f)
		at += 4;
	if (s->size - at < 8)
		return NULL;
	adrp = number_at(s->code + at);
	ldr = number_at(s->code + at + 4);
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
	const Elf_Data *data = elf_file_get_data(f, rel), *symbols = elf_file_get_data(f, dynsym), *strings;
	const struct elf_section *s = &f->sections.v[plt];

	strings = symbols ? elf_file_get_data(f, f->sections.v[dynsym].link) : NULL;
	if (!plt || !data || !strings || s->type == SHT_NOBITS)
		return;
	for (uint64_t i = 0, off = 20; i < data->d_size / sizeof(Elf32_Rel) && i < INT32_MAX; i++, off += 12) {
		const char *name;
		GElf_Rel r;
		GElf_Sym sym;
		size_t len;

		if (off > s->size_bytes || s->size_bytes - off < 12)
			break;
		if (gelf_getrel((Elf_Data *)data, (int)i, &r) && GELF_R_SYM(r.r_info) <= INT32_MAX &&
		    gelf_getsym((Elf_Data *)symbols, (int)GELF_R_SYM(r.r_info), &sym) && (name = elf_string(strings, sym.st_name, &len)) && len &&
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
