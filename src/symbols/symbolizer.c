/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The chain of sources: for each kind of module, which readers are asked in which order, and what
 * is said when none answers. A source whose build-id is another than the recorded one is passed
 * over: a missing name is better than a wrong one.
 */
#include "symbols/symbolizer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "symbols/debug_files.h"
#include "symbols/elf_symbols.h"
#include "symbols/kernel_symbols.h"
#include "symbols/perf_map.h"
#include "symbols/vdso.h"

/* The table of opened files. */
static int load_elf(struct symtab *t, const struct elf_file *syms, const struct elf_file *runtime,
		    const char *path, struct errbuf *eb)
{
	int nr = elf_symbols_load(t, syms, runtime, ELF_FILE_OFFSETS);

	if (nr < 0)
		return errbuf_set(eb, nr, "%s has too many symbols", path);
	if (nr == 0)
		return errbuf_set(
			eb, -ENODATA,
			"%s has no symbols (stripped), and no debug file for it was found", path);
	return 0;
}

static int load_file(const struct symbolizer_options *opts, const struct module_ref *ref,
		     struct symtab *t, struct errbuf *eb)
{
	struct build_id id = build_id_of(ref->build_id, ref->build_id_size);
	struct debug_files d;
	int err = debug_files_open(&d, opts->symfs, ref->path, &id, eb);

	if (!err) {
		const struct elf_file *syms = d.debug.elf ? &d.debug : &d.runtime;

		err = load_elf(t, syms, d.runtime.elf ? &d.runtime : syms, ref->path, eb);
		t->source = d.source;
		d.source = NULL;
	}
	debug_files_close(&d);
	return err;
}

/* Recorded under another kernel: perf keeps such vdsos in its cache. */
static int load_cached_vdso(const struct build_id *id, struct symtab *t, struct errbuf *eb)
{
	char *path = debug_files_perf_cache(id, "vdso");
	char hex[BUILD_ID_HEX_SIZE];
	struct build_id found = { 0 };
	struct elf_file f;
	int err = -ENOENT;

	if (path && elf_file_open(&f, path, NULL) == 0) {
		found = build_id_of_file(&f);
		if (build_id_equal(&found, id))
			err = load_elf(t, &f, &f, path, eb);
		elf_file_close(&f);
	}
	if (!err)
		t->source = mem_strdup(path);
	else
		errbuf_set(
			eb, err,
			"the vdso of the recording (build-id %s) is not that of the running kernel",
			build_id_hex(id, hex));
	free(path);
	return err;
}

static int load_vdso(const struct module_ref *ref, struct symtab *t, struct errbuf *eb)
{
	struct build_id id = build_id_of(ref->build_id, ref->build_id_size), found;
	struct elf_file f;
	void *image;
	int err = vdso_open(&f, &image, eb);

	if (err)
		return err;
	found = build_id_of_file(&f);
	if (build_id_differ(&id, &found))
		err = load_cached_vdso(&id, t, eb);
	else
		err = load_elf(t, &f, &f, ref->path, eb);
	if (!t->source)
		t->source = mem_strdup("[vdso]");
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

static int load_jit(const struct symbolizer_options *opts, const struct module_ref *ref,
		    struct symtab *t, struct errbuf *eb)
{
	char *path = mem_printf("%s%s", opts->symfs ? opts->symfs : "", ref->path);
	int err = perf_map_load(t, path, owner_of(ref), eb);

	t->source = path;
	return err;
}

int symbolizer_load(const struct symbolizer_options *opts, const struct module_ref *ref,
		    struct symtab **tab, struct errbuf *eb)
{
	struct symtab *t = NULL;

	switch (ref->kind) {
	case MODULE_KERNEL:
		t = kernel_symbols_load(opts, ref, eb);
		break;
	case MODULE_KMODULE:
		t = kmodule_symbols_load(opts, ref, eb);
		break;
	case MODULE_ELF:
	case MODULE_VDSO:
		t = symtab_new();
		t->mangled = !opts->no_demangle;
		if (ref->kind == MODULE_VDSO)
			load_vdso(ref, t, eb);
		else
			load_file(opts, ref, t, eb);
		break;
	case MODULE_JIT:
		t = symtab_new();
		load_jit(opts, ref, t, eb);
		break;
	case MODULE_NONE:
		break;
	}
	*tab = t ? t : symtab_new();
	return 0;
}
