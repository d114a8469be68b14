/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbolizer_load_unwind(), symbolizer_load_functions() and symbolizer_read_code(): which files a module's call frame information and code
 * are read from. A file whose build-id is another than the recorded one is passed over: a stack that ends is better than a wrong one.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/log.h"
#include "symbols/debug_files.h"
#include "symbols/symbol_index.h"
#include "symbols/symbolizer.h"
#include "symbols/symbolizer_cache.h"
#include "symbols/unwind_build.h"
#include "symbols/unwind_functions.h"

enum unwind_variant { WHOLE_TABLE = 1 };

/* Says of an empty table what is missing. */
static int build(struct unwind_table **table, const struct elf_file *runtime, const struct elf_file *debug, bool is_whole, const char *path,
		 struct errbuf *eb)
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

/* Takes the table from the index, which it then holds on to. */
static void *take_table(uint32_t variant, struct symbol_index *x, const char *from)
{
	struct unwind_table *table = NULL;
	size_t size;
	const void *bytes = symbol_index_find(x, INDEX_UNWIND, 0, &size);

	(void)variant;
	if (!bytes || unwind_table_view(&table, bytes, size) != 0)
		return NULL;
	unwind_table_hold(table, x);
	log_debug("unwind table from the index, %s", from);
	return table;
}

static int make_table(uint32_t variant, struct debug_files *d, const char *path, void **made, struct errbuf *eb)
{
	struct unwind_table *table = NULL;
	int err = build(&table, &d->runtime, &d->debug, variant & WHOLE_TABLE, path, eb);

	*made = table;
	return err;
}

static void save_table(void *made, struct symbol_index *x)
{
	size_t size;
	const void *bytes = unwind_table_bytes(made, &size);

	if (bytes)
		symbol_index_add(x, INDEX_UNWIND, 0, bytes, size);
}

static void *borrow_table(const struct shared_part *p, const char *made_from)
{
	(void)made_from;
	return unwind_table_borrow(p->made);
}

static void free_table(void *made)
{
	unwind_table_free(made);
}

static uint64_t table_bytes(const void *made)
{
	return unwind_table_memory(made);
}

static const struct module_loader unwind_loader = {
	.need = DEBUG_FRAMES,
	.kind = SHARED_UNWIND,
	.take = take_table,
	.make = make_table,
	.save = save_table,
	.borrow = borrow_table,
	.free = free_table,
	.bytes = table_bytes,
};

static int load_vdso(const struct module_ref *ref, struct unwind_table **table, struct errbuf *eb)
{
	struct elf_file f;
	char *made_from;
	void *image;
	int err = vdso_open_recorded(&f, &image, ref, &made_from, eb);

	if (err)
		return err;
	err = build(table, &f, NULL, true, made_from, eb);
	elf_file_close(&f);
	free(image);
	free(made_from);
	return err;
}

size_t symbolizer_read_code(const struct symbolizer_options *opts, const struct module_ref *ref, uint64_t file_off, void *buf, size_t size)
{
	struct errbuf unsaid = { 0 };
	struct debug_files d;
	size_t got = 0;

	if (ref->kind != MODULE_ELF || debug_files_find(&d, opts->symfs, ref, DEBUG_FRAMES, &unsaid))
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
		load_vdso(ref, table, eb);
	}
	/* What failed has said why. */
	if (!*table)
		*table = unwind_build(&(struct unwind_input){ .arch = arch_native() });
	return 0;
}

static void *take_functions(uint32_t variant, struct symbol_index *x, const char *from)
{
	struct unwind_functions *functions = NULL;
	size_t size;
	const void *bytes = symbol_index_find(x, INDEX_FUNCTIONS, 0, &size);

	(void)variant;
	if (!bytes || unwind_functions_view(&functions, bytes, size) != 0)
		return NULL;
	unwind_functions_hold(functions, x);
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

static void save_functions(void *made, struct symbol_index *x)
{
	size_t size;
	const void *bytes = unwind_functions_bytes(made, &size);

	symbol_index_add(x, INDEX_FUNCTIONS, 0, bytes, size);
}

static void *borrow_functions(const struct shared_part *p, const char *made_from)
{
	(void)made_from;
	return unwind_functions_borrow(p->made);
}

static void free_functions(void *made)
{
	unwind_functions_free(made);
}

static uint64_t functions_bytes(const void *made)
{
	return unwind_functions_memory(made);
}

static const struct module_loader functions_loader = {
	.need = DEBUG_FRAMES,
	.kind = SHARED_FUNCTIONS,
	.take = take_functions,
	.make = make_functions,
	.save = save_functions,
	.borrow = borrow_functions,
	.free = free_functions,
	.bytes = functions_bytes,
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
