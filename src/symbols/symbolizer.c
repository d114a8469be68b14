/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * For each kind of module: which readers are tried in which order, and the message where none finds symbols. A file with another build-id
 * than the recorded one is skipped: a missing name is better than a wrong one.
 */
#include "symbols/symbolizer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/log.h"
#include "symbols/debug_files.h"
#include "symbols/go_module.h"
#include "symbols/kernel_symbols.h"
#include "symbols/symbol_readers.h"
#include "symbols/symbolizer_cache.h"
#include "symbols/symtab.h"
#include "symbols/unwind_build.h"
#include "symbols/unwind_functions.h"

/* The table of opened files. */
static int load_elf(struct symtab *t, const struct elf_file *syms, const struct elf_file *runtime, const char *path, struct errbuf *eb)
{
	int nr = elf_symbols_load(t, syms, runtime, ELF_FILE_OFFSETS);

	if (nr < 0)
		return errbuf_set(eb, nr, "%s has too many symbols", path);
	if (nr == 0)
		return errbuf_set(eb, -ENODATA, "%s has no symbols (stripped), and no debug file for it was found", path);
	return 0;
}

enum symbols_variant { BY_SHOWN_NAME = 1, BY_BINDING = 2 };

static struct symtab *new_table(uint32_t variant)
{
	struct symtab *t = symtab_new();

	t->mangled = variant & BY_SHOWN_NAME;
	t->by_binding = variant & BY_BINDING;
	return t;
}

static void *view_symbols(uint32_t variant, const void *bytes, size_t size, const char *from)
{
	struct symtab *t = new_table(variant);

	if (symtab_view(t, bytes, size, 0) != 0 || !t->symbols.nr) {
		symtab_free(t);
		return NULL;
	}
	t->made_from = mem_printf("index, %s", from);
	return t;
}

static const void *flatten_symbols(void *made, size_t *size, void **owned)
{
	return *owned = symtab_flatten(made, size);
}

/* Stripped files of some distributions have a small table packed inside, and Go programs one for their own stack traces. */
static int make_symbols(uint32_t variant, struct debug_files *d, const char *path, void **made, struct errbuf *eb)
{
	struct symtab *t = *made = new_table(variant);
	const struct elf_file *syms = d->debug.elf ? &d->debug : &d->runtime;
	bool is_stripped = !d->debug.elf && !elf_file_has_symtab(syms);
	bool has_mini = is_stripped && debug_files_open_mini(d), has_go;
	int err;

	if (has_mini && elf_symbols_load(t, &d->mini, &d->runtime, ELF_FILE_OFFSETS) < 0)
		return errbuf_set(eb, -EFBIG, "%s has too many symbols", path);
	has_go = is_stripped && !has_mini && go_symbols_load(t, &d->runtime) > 0;
	err = load_elf(t, syms, d->runtime.elf ? &d->runtime : syms, path, eb);
	elf_file_warn_if_cut(syms, d->made_from, "symbols");
	if (has_mini || has_go)
		t->made_from = mem_printf("%s (%s)", d->made_from, has_mini ? ".gnu_debugdata" : ".gopclntab");
	else
		t->made_from = mem_strdup(d->made_from);
	t->part.memory_bytes = symtab_bytes(t);
	return err;
}

static void rename_symbols(void *borrowed, const struct shared_part *p, const char *made_from)
{
	struct symtab *t = borrowed;

	t->made_from = shared_text(t->made_from, p->made_from, made_from);
}

static void free_symbols(void *made)
{
	symtab_free(made);
}

static const struct module_loader symbols_loader = {
	.need = DEBUG_SYMBOLS,
	.kind = SHARED_SYMBOLS,
	.index_part = INDEX_SYMBOLS,
	.index_key = BY_SHOWN_NAME,
	.struct_size = sizeof(struct symtab),
	.view = view_symbols,
	.make = make_symbols,
	.flatten = flatten_symbols,
	.free = free_symbols,
	.adapt = rename_symbols,
};

static int load_vdso(const struct module_ref *ref, struct symtab *t, struct errbuf *eb)
{
	struct elf_file f;
	void *image;
	int err = vdso_open_recorded(&f, &image, ref, &t->made_from, eb);

	if (err)
		return err;
	err = load_elf(t, &f, &f, t->made_from, eb);
	elf_file_close(&f);
	free(image);
	return err;
}

/* While the process lives, the kernel says whose it is. */
static struct perf_map_owner owner_of(const struct module_ref *ref)
{
	struct perf_map_owner owner = { .uid = ref->uid, .known = ref->uid_known };
	char path[32];
	struct stat st;

	if (!owner.known && ref->pid > 0) {
		snprintf(path, sizeof(path), "/proc/%d", (int)ref->pid);
		if (stat(path, &st) == 0)
			owner = (struct perf_map_owner){ .uid = st.st_uid, .known = true };
	}
	return owner;
}

static int load_jit(const struct symbolizer_options *opts, const struct module_ref *ref, struct symtab *t, struct errbuf *eb)
{
	char *path;

	/* Processes of other machines and other boots have the same numbers. */
	if (!opts->symfs && !origin_is_here(ref->origin))
		return errbuf_set(eb, -ESTALE, "%s of this machine is not used: %s; give the recorded one's files with --symfs DIR",
				  ref->path, ref->origin->why);
	path = mem_printf("%s%s", opts->symfs ? opts->symfs : "", ref->path);
	t->made_from = path;
	return perf_map_load(t, path, owner_of(ref), eb);
}

/* What is no ordinary file; NULL: nothing is known of it. */
static struct symtab *load_other(const struct symbolizer_options *opts, const struct module_ref *ref, uint32_t variant, struct errbuf *eb)
{
	struct symtab *t;

	switch (ref->kind) {
	case MODULE_KERNEL:
		return kernel_symbols_load(opts, ref, eb);
	case MODULE_KMODULE:
		return kmodule_symbols_load(opts, ref, eb);
	case MODULE_VDSO:
		t = new_table(variant);
		load_vdso(ref, t, eb);
		return t;
	case MODULE_JIT:
		t = symtab_new();
		load_jit(opts, ref, t, eb);
		return t;
	case MODULE_ELF:
	case MODULE_NONE:
		break;
	}
	return NULL;
}

int symbolizer_load(const struct symbolizer_options *opts, const struct module_ref *ref, struct symtab **tab, struct errbuf *eb)
{
	uint32_t variant = (opts->no_demangle ? 0 : BY_SHOWN_NAME) | (opts->elfutils_names ? BY_BINDING : 0);
	void *made = NULL;

	*tab = NULL;
	if (ref->kind == MODULE_ELF) {
		module_load(&symbols_loader, variant, opts, ref, &made, eb);
		*tab = made ? made : new_table(variant);
		return 0;
	}
	if (symbolizer_cache_has_room(opts->cache))
		*tab = load_other(opts, ref, variant, eb);
	else
		symbolizer_cache_set_short(opts->cache, ref->path, eb);
	if (!*tab)
		*tab = symtab_new();
	symbolizer_cache_take(opts->cache, symtab_bytes(*tab));
	return 0;
}

/* Unwind tables, functions and code. */

enum unwind_variant { WHOLE_TABLE = 1 };

/* Says of an empty table what is missing. */
static int build_table(struct unwind_table **table, const struct elf_file *runtime, const struct elf_file *debug, bool is_whole,
		       const char *path, struct errbuf *eb)
{
	struct errbuf why = { 0 };
	int err = unwind_table_build(table, runtime, debug, !is_whole, &why);

	elf_file_warn_if_cut(runtime, path, "call frame information");
	elf_file_warn_if_cut(debug, path, "call frame information");
	if (err)
		return errbuf_set(eb, err, "%s: %s", path, why.text);
	if (!unwind_table_nr_rows(*table))
		return errbuf_set(eb, -ENODATA,
				  "%s has no call frame information (.eh_frame, .debug_frame); its callers are found by frame "
				  "pointers only",
				  path);
	return 0;
}

static void *view_table(uint32_t variant, const void *bytes, size_t size, const char *from)
{
	struct unwind_table *table;

	(void)variant;
	if (unwind_table_view(&table, bytes, size) == 0)
		log_debug("unwind table from the index, %s", from);
	return table;
}

static int make_table(uint32_t variant, struct debug_files *d, const char *path, void **made, struct errbuf *eb)
{
	struct unwind_table *table = NULL;
	int err = build_table(&table, &d->runtime, &d->debug, variant & WHOLE_TABLE, path, eb);

	*made = table;
	return err;
}

static const void *flatten_table(void *made, size_t *size, void **owned)
{
	(void)owned;
	return unwind_table_bytes(made, size);
}

static void free_table(void *made)
{
	unwind_table_free(made);
}

static const struct module_loader unwind_loader = {
	.need = DEBUG_FRAMES,
	.kind = SHARED_UNWIND,
	.index_part = INDEX_UNWIND,
	.struct_size = sizeof(struct unwind_table),
	.view = view_table,
	.make = make_table,
	.flatten = flatten_table,
	.free = free_table,
};

static int load_vdso_table(const struct module_ref *ref, struct unwind_table **table, struct errbuf *eb)
{
	struct elf_file f;
	char *made_from;
	void *image;
	int err = vdso_open_recorded(&f, &image, ref, &made_from, eb);

	if (err)
		return err;
	err = build_table(table, &f, NULL, true, made_from, eb);
	elf_file_close(&f);
	free(image);
	free(made_from);
	return err;
}

size_t symbolizer_read_code(const struct symbolizer_options *opts, const struct module_ref *ref, uint64_t file_off, void *buf, size_t size)
{
	struct errbuf ignored = { 0 };
	struct debug_files d;
	size_t got = 0;

	if (ref->kind != MODULE_ELF || debug_files_find(&d, opts->symfs, ref, DEBUG_FRAMES, &ignored))
		return 0;
	if (d.runtime.elf && !elf_file_is_hollow(&d.runtime))
		got = elf_file_read(&d.runtime, file_off, buf, size);
	debug_files_close(&d);
	return got;
}

int symbolizer_load_unwind(const struct symbolizer_options *opts, const struct module_ref *ref, bool is_whole, struct unwind_table **table,
			   struct errbuf *eb)
{
	void *made;

	*table = NULL;
	if (ref->kind == MODULE_ELF) {
		module_load(&unwind_loader, is_whole ? WHOLE_TABLE : 0, opts, ref, &made, eb);
		*table = made;
	} else if (ref->kind == MODULE_VDSO) {
		load_vdso_table(ref, table, eb);
	}
	/* What failed has said why. */
	if (!*table)
		*table = unwind_build(&(struct unwind_input){ .arch = arch_native() });
	return 0;
}

void symbolizer_keep_unwind(const struct symbolizer_options *opts, const struct module_ref *ref)
{
	if (ref->kind == MODULE_ELF)
		module_keep(&unwind_loader, WHOLE_TABLE, opts, ref);
}

static void *view_functions(uint32_t variant, const void *bytes, size_t size, const char *from)
{
	struct unwind_functions *functions;

	(void)variant;
	if (unwind_functions_view(&functions, bytes, size) == 0)
		log_debug("functions of call frame information from the index, %s", from);
	return functions;
}

static int make_functions(uint32_t variant, struct debug_files *d, const char *path, void **made, struct errbuf *eb)
{
	struct unwind_functions *functions = unwind_functions_read(&d->runtime, &d->debug);

	(void)variant;
	*made = functions;
	if (!unwind_functions_nr(functions))
		return errbuf_set(eb, -ENODATA, "%s has no call frame information", path);
	return 0;
}

static const void *flatten_functions(void *made, size_t *size, void **owned)
{
	(void)owned;
	return unwind_functions_bytes(made, size);
}

static void free_functions(void *made)
{
	unwind_functions_free(made);
}

static const struct module_loader functions_loader = {
	.need = DEBUG_FRAMES,
	.kind = SHARED_FUNCTIONS,
	.index_part = INDEX_FUNCTIONS,
	.struct_size = sizeof(struct unwind_functions),
	.view = view_functions,
	.make = make_functions,
	.flatten = flatten_functions,
	.free = free_functions,
};

void symbolizer_load_functions(const struct symbolizer_options *opts, const struct module_ref *ref, struct unwind_functions **functions)
{
	struct errbuf why = { 0 };
	void *made = NULL;

	if (ref->kind == MODULE_ELF && module_load(&functions_loader, 0, opts, ref, &made, &why)) {
		unwind_functions_free(made);
		made = NULL;
	}
	*functions = made;
}
