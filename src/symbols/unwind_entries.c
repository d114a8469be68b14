/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The pattern of a start, whatever the compiler: an indirect call, its result passed on, a direct call of a function that never returns. No
 * other code hands what a function returned to exit().
 */
#include "symbols/unwind_build.h"

#include <string.h>

#define MAX_SYMBOLS (4 << 20)
/* The entry points of C libraries and dynamic linkers are shorter, and call in their first instructions. */
#define ENTRY_BYTES 64u
#define ENTRY_FIRST_BYTES 4u /* its first instructions */

static bool is_exit(const char *name)
{
	static const char *const names[] = { "exit", "_exit", "pthread_exit", "__pthread_exit", "thrd_exit" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static void add_exit(struct unwind_exits *exits, const struct elf_file *f, const GElf_Sym *sym)
{
	uint64_t off;

	if (exits->nr == sizeof(exits->file_off) / sizeof(exits->file_off[0]) || !elf_file_offset(f, sym->st_value, &off))
		return;
	for (uint32_t i = 0; i < exits->nr; i++)
		if (exits->file_off[i] == off)
			return;
	exits->file_off[exits->nr++] = off;
}

static bool is_program(const struct elf_file *f)
{
	for (uint32_t i = 0; i < f->headers.nr; i++)
		if (f->headers.v[i].p_type == PT_INTERP)
			return true;
	return f->type == ET_EXEC;
}

/* Linkers give libraries an entry point that is not meant: the first address of their code. */
static void find_entry(struct unwind_exits *exits, const struct elf_file *f)
{
	uint32_t text = elf_file_find_section(f, ".text");
	uint64_t off;
	GElf_Ehdr eh;

	if (!gelf_getehdr(f->elf, &eh) || !eh.e_entry || !elf_file_offset(f, eh.e_entry, &off))
		return;
	if (is_program(f) || (text && f->sections.v[text].vaddr != eh.e_entry))
		exits->entry = off;
}

static void bound_entry(struct unwind_exits *exits, const struct elf_file *f, const GElf_Sym *sym)
{
	uint64_t off;

	if (exits->entry && elf_file_offset(f, sym->st_value, &off) && off > exits->entry && (!exits->entry_end || off < exits->entry_end))
		exits->entry_end = off;
}

/* One table of each kind: a hostile file has thousands of headers for the same one. */
void unwind_entries_find_exits(struct unwind_exits *exits, const struct elf_file *f, bool all)
{
	bool seen[2] = { false };

	*exits = (struct unwind_exits){ 0 };
	find_entry(exits, f);
	for (uint32_t i = 1; i < f->sections.nr; i++) {
		const struct elf_section *s = &f->sections.v[i];
		bool *is_seen = &seen[s->type == SHT_DYNSYM];
		struct elf_syms syms;
		GElf_Sym sym;
		size_t len;

		if ((s->type != SHT_DYNSYM && (s->type != SHT_SYMTAB || !all)) || *is_seen)
			continue;
		syms = elf_syms_begin(f, i);
		*is_seen = syms.data != NULL;
		while (syms.next < MAX_SYMBOLS && elf_syms_next(&syms, &sym)) {
			const char *name;

			if (GELF_ST_TYPE(sym.st_info) != STT_FUNC || sym.st_shndx == SHN_UNDEF)
				continue;
			bound_entry(exits, f, &sym);
			name = elf_string(syms.strings, sym.st_name, &len);
			if (name && len < 16 && is_exit(name))
				add_exit(exits, f, &sym);
		}
	}
}

void unwind_place_add(struct unwind_place *places, uint32_t *nr, uint32_t max, uint64_t file_off, uint32_t size)
{
	for (uint32_t i = 0; i < *nr; i++)
		if (places[i].file_off == file_off)
			return;
	if (*nr < max)
		places[(*nr)++] = (struct unwind_place){ file_off, size };
}

static void add_start(struct unwind_input *in, uint64_t file_off, uint32_t size)
{
	unwind_place_add(in->starts, &in->nr_starts, sizeof(in->starts) / sizeof(in->starts[0]), file_off, size);
}

static bool is_one_of(const struct unwind_exits *exits, uint64_t file_off)
{
	for (uint32_t i = 0; i < exits->nr; i++)
		if (exits->file_off[i] == file_off)
			return true;
	return false;
}

/* The call of a start that hands its result on to the code at `end`, which is a call of exit(). */
static void look_before(struct unwind_input *in, const uint8_t *text, size_t end, uint64_t file_off)
{
	for (size_t passed = 0; passed <= 3 && passed <= end; passed++) {
		struct arch_call call;

		if (in->arch->result_passed(text + end - passed, passed) != passed || !in->arch->call_before(text, end - passed, &call) ||
		    call.is_direct)
			continue;
		/* From the call to the next one: its return address, and the address in it. */
		add_start(in, file_off + end - passed - call.size_bytes, (uint32_t)(passed + call.size_bytes + 1));
		return;
	}
}

void unwind_entries_search(struct unwind_input *in, const struct unwind_exits *exits, const uint8_t *text, size_t size, uint64_t file_off)
{
	const struct arch_ops *arch = in->arch;
	size_t step = arch->lr == ARCH_NO_REG ? 1 : 4;

	if (!exits->nr || !arch->call_before)
		return;
	for (size_t at = 4; at <= size; at += step) {
		struct arch_call call;

		if (arch->call_before(text, at, &call) && call.is_direct && is_one_of(exits, file_off + at + (uint64_t)call.distance))
			look_before(in, text, at - call.size_bytes, file_off);
	}
}

void unwind_entries_add_entry(struct unwind_input *in, const struct unwind_exits *exits, const struct elf_file *f)
{
	size_t step = in->arch->lr == ARCH_NO_REG ? 1 : 4, size = ENTRY_BYTES;
	uint8_t code[ENTRY_BYTES];
	struct arch_call call;

	if (!exits->entry)
		return;
	if (exits->entry_end && exits->entry_end - exits->entry < size)
		size = (size_t)(exits->entry_end - exits->entry);
	add_start(in, exits->entry, in->arch->call_before && size > ENTRY_FIRST_BYTES ? ENTRY_FIRST_BYTES : (uint32_t)size);
	if (!in->arch->call_before || elf_file_is_hollow(f))
		return;
	size = elf_file_read(f, exits->entry, code, size);
	for (size_t at = 4; at <= size; at += step)
		if (in->arch->call_before(code, at, &call) && call.size_bytes <= at)
			add_start(in, exits->entry + at - call.size_bytes, call.size_bytes + 1u);
}
