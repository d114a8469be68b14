/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Opening what is probed: a program (by path or found in PATH), a library, the kernel by its vmlinux; its symbols, and the list of
 * functions of -F.
 */
#include "symbols/probe_module.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/kernel_symbols.h"
#include "symbols/probe_find.h"
#include "symbols/symbol_readers.h"

#define DEFAULT_FILTER "!_* & !*@plt"

char *probe_event_name(const char *from)
{
	char *name = mem_strdup(from);
	size_t n = 0;

	while (isalnum((unsigned char)name[n]) || name[n] == '_')
		n++;
	name[n] = 0;
	return name;
}

/* "probe_" and the name of the file up to the first byte that no name of a group may have. */
static char *group_of(const char *path)
{
	const char *base = strrchr(path, '/');
	char *name = probe_event_name(base ? base + 1 : path), *group = mem_printf("probe_%s", name);

	free(name);
	return group;
}

/* The file of that name in PATH; malloc'd, or NULL. */
static char *find_in_path(const char *name)
{
	const char *dirs = getenv("PATH");

	while (dirs && *dirs) {
		size_t len = strcspn(dirs, ":");
		char *path = mem_printf("%.*s/%s", (int)len, len ? dirs : ".", name);

		if (access(path, R_OK) == 0)
			return path;
		free(path);
		dirs += len + (dirs[len] == ':');
	}
	return NULL;
}

static int find_program(struct probe_module *m, const char *name, struct errbuf *eb)
{
	char *found = NULL;

	if (access(name, R_OK) && !strchr(name, '/'))
		found = find_in_path(name);
	m->path = realpath(found ? found : name, NULL);
	if (!m->path) {
		int err = -errno;

		free(found);
		return errbuf_set(eb, err, "%s: %s", name, strerror(-err));
	}
	free(found);
	return 0;
}

static int open_program(struct probe_module *m, const struct probe_target *t, struct errbuf *eb)
{
	struct elf_file f;
	int err = find_program(m, t->path, eb) ?: elf_file_open(&f, m->path, eb);

	if (err)
		return err;
	m->arch = arch_find_machine(f.machine);
	if (!m->arch)
		err = errbuf_set(eb, -ENOTSUP, "%s: code of this architecture (ELF machine %u) is not known", m->path, f.machine);
	else if (f.type != ET_EXEC && f.type != ET_DYN)
		err = errbuf_set(eb, -ENOEXEC, "%s is no program and no shared library: link it first", m->path);
	elf_file_close(&f);
	if (err)
		return err;
	m->group = group_of(m->path);
	m->ref = (struct module_ref){ .kind = MODULE_ELF, .path = m->path };
	return 0;
}

int probe_module_open(struct probe_module **module, const struct probe_target *t, struct errbuf *eb)
{
	struct probe_module *m = mem_zalloc(sizeof(*m));
	int err = 0, size;

	m->symfs = t->symfs ? mem_strdup(t->symfs) : NULL;
	m->vmlinux = t->kernel ? mem_strdup(t->kernel) : NULL;
	m->opts = (struct symbolizer_options){ .symfs = m->symfs, .vmlinux = m->vmlinux, .no_demangle = t->no_demangle };
	m->files.found.runtime.fd = m->files.found.debug.fd = m->files.found.mini.fd = -1;
	if (t->path) {
		err = open_program(m, t, eb);
	} else {
		m->group = mem_strdup("probe");
		m->arch = arch_native();
		m->ref = (struct module_ref){ .kind = MODULE_KERNEL, .path = "[kernel.kallsyms]" };
		/* Of a vmlinux that was named, its own. */
		size = t->kernel ? 0 : symbolizer_build_id(m->ref.path, m->ref.build_id);
		m->ref.build_id_size = size > 0 ? (uint8_t)size : 0;
	}
	if (!err)
		source_files_open(&m->files, &m->opts, &m->ref, &m->no_debug);
	if (!err && m->files.debug && m->files.is_kernel)
		m->arch = arch_find_machine(m->files.debug->machine) ?: m->arch;
	if (err) {
		probe_module_close(m);
		m = NULL;
	}
	*module = m;
	return err;
}

void probe_module_close(struct probe_module *m)
{
	if (!m)
		return;
	symtab_free(m->symbols);
	unwind_table_free(m->frames);
	for (uint32_t i = 0; i < m->rows.nr; i++)
		probe_rows_free(m->rows.v[i]);
	vec_fini(&m->rows);
	if (m->has_dwarf) {
		dwarf_trees_fini(&m->trees);
		dwarf_module_close(&m->dwarf);
	}
	free(m->map);
	source_files_close(&m->files);
	free(m->path);
	free(m->group);
	free(m->vmlinux);
	free(m->symfs);
	free(m);
}

const char *probe_module_path(const struct probe_module *m)
{
	return m->path;
}

const char *probe_module_group(const struct probe_module *m)
{
	return m->group;
}

static int load_running_kernel(struct symtab **t, struct errbuf *eb)
{
	struct kallsyms k = { 0 };
	int err = kallsyms_open(&k, "/proc/kallsyms", NULL, eb);

	*t = err ? NULL : kallsyms_take_kernel(&k, 0);
	kallsyms_close(&k);
	return err;
}

int probe_module_symbols(struct probe_module *m, struct errbuf *eb)
{
	struct symtab *t;
	int err;

	if (m->symbols)
		return m->symbols->symbols.nr ? 0 : -ENODATA;
	if (m->files.is_kernel && m->files.debug) {
		t = symtab_new();
		err = elf_symbols_load(t, m->files.debug, m->files.debug, ELF_VADDRS);
		err = err < 0 ? err : 0;
	} else if (!m->path && !m->vmlinux) {
		err = load_running_kernel(&t, eb);
	} else {
		err = symbolizer_load(&m->opts, &m->ref, &t, eb);
	}
	if (err)
		return err;
	symtab_fill(t);
	m->symbols = t;
	if (!t->symbols.nr)
		return errbuf_set(eb, -ENODATA, "%s has no symbols: nothing can be found in it by name", m->path ? m->path : "the kernel");
	return 0;
}

bool probe_module_file_off(const struct probe_module *m, uint64_t vaddr, uint64_t *file_off)
{
	const struct elf_file *f = m->files.found.runtime.elf ? &m->files.found.runtime : m->files.debug;

	if (!m->path) {
		*file_off = vaddr;
		return true;
	}
	return f && f->elf && elf_file_offset(f, vaddr, file_off);
}

bool probe_module_vaddr(const struct probe_module *m, uint64_t file_off, uint64_t *vaddr)
{
	if (!m->path) {
		*vaddr = file_off;
		return true;
	}
	return source_files_vaddr(&m->files, file_off, vaddr);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names of a linker's file have about as many bytes as it; readable ones some times as many. */
#define NAMES_FLOOR (UINT64_C(128) << 20)
#define NAMES_FACTOR 8u

static void limit_names(const struct probe_module *m, struct probe_names *names)
{
	const struct elf_file *runtime = &m->files.found.runtime, *debug = m->files.debug;
	uint64_t bytes = runtime->elf ? runtime->budgets->bytes_present : 0;

	if (debug && debug != runtime && debug->elf)
		bytes += debug->budgets->bytes_present;
	budget_init(&names->bytes, NAMES_FLOOR, NAMES_FACTOR, bytes);
}

static void add_name(struct probe_module *m, const struct symbol *s, const struct probe_filter *filter, struct probe_names *names)
{
	char *readable = m->symbols->mangled ? symbolizer_readable(&m->opts, s->name) : NULL;
	const char *name = readable ? readable : s->name;

	if (probe_filter_match(filter, name))
		vec_push(&names->v, readable ? arena_str(&names->arena, readable, strlen(readable)) : name);
	free(readable);
}

static bool may_look_at(struct probe_names *names, const struct symbol *s)
{
	return !names->bytes.is_exhausted && budget_take(&names->bytes, strnlen(s->name, budget_left(&names->bytes) + 1));
}

int probe_list_functions(struct probe_module *m, const struct probe_filter *filter, struct probe_names *names, struct errbuf *eb)
{
	struct probe_filter *standard = NULL;
	int err = probe_module_symbols(m, eb);

	*names = (struct probe_names){ 0 };
	limit_names(m, names);
	if (!err && !filter) {
		err = probe_filter_new(&standard, DEFAULT_FILTER, eb);
		filter = standard;
	}
	for (uint32_t i = 0; !err && i < m->symbols->symbols.nr; i++) {
		const struct symbol *s = symtab_at(m->symbols, i);

		if (!s || (s->kind != SYMBOL_FUNCTION && s->kind != SYMBOL_PLT))
			continue;
		if (may_look_at(names, s))
			add_name(m, s, filter, names);
		else
			names->nr_left_out++;
	}
	vec_sort_unique(&names->v, compare_names);
	probe_filter_free(standard);
	return err;
}

void probe_names_fini(struct probe_names *names)
{
	vec_fini(&names->v);
	arena_fini(&names->arena);
}
