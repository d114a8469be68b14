/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbolizer_load_unwind(), symbolizer_load_functions() and symbolizer_read_code(): which files a module's call frame information and code
 * are read from. A file whose build-id is another than the recorded one is passed over: a stack that ends is better than a wrong one.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/log.h"
#include "symbols/debug_files.h"
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
	int err = build(&table, &d->runtime, &d->debug, variant & WHOLE_TABLE, path, eb);

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
