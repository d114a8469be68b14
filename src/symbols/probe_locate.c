/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The way back: which function, and where in it, a probe is that the kernel lists by its address.
 */
#include <stdlib.h>
#include <string.h>

#include "symbols/kernel_symbols.h"
#include "symbols/probe_find.h"
#include "symbols/probe_resolve.h"

#define SHORT_PATH 30

static bool has_symbol(const struct elf_file *f, const char *table, const char *const *names)
{
	struct elf_syms syms = elf_syms_begin(f, elf_file_find_section(f, table));
	GElf_Sym sym;
	size_t len;

	while (elf_syms_next(&syms, &sym)) {
		const char *name = elf_string(syms.strings, sym.st_name, &len);

		for (int i = 0; name && names[i]; i++)
			if (!strcmp(name, names[i]))
				return true;
	}
	return false;
}

bool probe_module_is_go(const struct probe_module *m)
{
	const struct elf_file *f = &m->files.found.runtime;

	return m->path && f->elf && (elf_file_find_section(f, ".gopclntab") || elf_file_find_section(f, ".go.buildinfo"));
}

enum probe_return_risk probe_module_return_risk(const struct probe_module *m)
{
	static const char *const throwers[] = { "__gxx_personality_v0", "__cxa_throw", "rust_eh_personality", NULL };
	const struct elf_file *f = &m->files.found.runtime;

	if (!m->path || !f->elf)
		return PROBE_RETURN_SAFE;
	if (probe_module_is_go(m))
		return PROBE_RETURN_GO;
	return has_symbol(f, ".dynsym", throwers) || has_symbol(f, ".symtab", throwers) ? PROBE_RETURN_EXCEPTIONS : PROBE_RETURN_SAFE;
}

bool probe_module_is_native(const struct probe_module *m)
{
	return m->arch == arch_native();
}

bool probe_module_is_running_kernel(const struct probe_module *m)
{
	struct build_id running = build_id_of_kernel(), named;

	if (m->path || !m->vmlinux || !m->files.debug)
		return !m->path;
	named = build_id_of_file(m->files.debug);
	return !build_id_differ(&running, &named);
}

static char *readable_name(const struct probe_module *m, const char *name)
{
	char *readable = symbolizer_readable(&m->opts, name);

	return readable ? readable : mem_strdup(name);
}

/* Of a long path, the last directories that fit, as perf shows it. */
static const char *short_path(const char *path)
{
	size_t len = strlen(path);
	const char *slash = len > SHORT_PATH ? strchr(path + (len - SHORT_PATH), '/') : NULL;

	return slash ? slash + 1 : path;
}

/* The line that begins at exactly this address; 0: none does. */
static uint32_t line_at(const struct probe_rows *rows, uint64_t vaddr)
{
	uint32_t i = rows ? vec_search(rows->v.nr, k, rows->v.v[k].addr >= vaddr) : 0;

	for (; rows && i < rows->v.nr && rows->v.v[i].addr == vaddr; i++)
		if (rows->v.v[i].line && !rows->v.v[i].is_end)
			return rows->v.v[i].line;
	return 0;
}

/* By debug information: FUNC@FILE at its entry, FUNC:LINE@FILE where a line begins, FUNC+OFFSET@FILE elsewhere. */
static char *by_source(struct probe_module *m, uint64_t vaddr, const char *suffix)
{
	struct probe_function around[16], *f;
	const char *path, *name;
	uint32_t nr = probe_module_dwarf(m, NULL) ? 0 : probe_functions_at(m, vaddr, around, 16), start, line;

	if (!nr)
		return NULL;
	f = &around[nr - 1];
	name = dwarf_die_name(&f->die);
	if (!name || !probe_declared(m, &f->die, &path, &start))
		return NULL;
	path = short_path(path);
	if (f->entry == vaddr)
		return mem_printf("%s%s@%s", name, suffix, path);
	line = line_at(probe_rows_get(m, f->die.tree), vaddr);
	if (line >= start)
		return mem_printf("%s:%u%s@%s", name, line - start, suffix, path);
	return mem_printf("%s+%llu%s@%s", name, (unsigned long long)(vaddr - f->entry), suffix, path);
}

char *probe_module_place(struct probe_module *m, uint64_t file_off, bool is_return)
{
	const char *suffix = is_return ? "%return" : "";
	const struct symbol *s = probe_module_symbols(m, NULL) ? NULL : symtab_find(m->symbols, file_off);
	uint64_t vaddr;
	char *text = probe_module_vaddr(m, file_off, &vaddr) ? by_source(m, vaddr, suffix) : NULL, *name;

	if (text || !s)
		return text ? text : mem_printf("0x%llx%s", (unsigned long long)file_off, suffix);
	name = readable_name(m, s->name);
	if (s->start == file_off)
		text = mem_printf("%s%s", name, suffix);
	else
		text = mem_printf("%s+%llu%s", name, (unsigned long long)(file_off - s->start), suffix);
	free(name);
	return text;
}

char *probe_module_kernel_place(struct probe_module *m, uint64_t text_off, bool is_return)
{
	uint64_t text;

	if (!m->files.debug || !probe_find_symbol(m, "_text", 5, &text))
		text = kallsyms_peek_mark("/proc/kallsyms", KALLSYMS_TEXT);
	return text ? probe_module_place(m, text + text_off, is_return) : NULL;
}
