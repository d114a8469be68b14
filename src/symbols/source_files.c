/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which file has the debug information of a module: itself, its debug file (debug_files.c), or a vmlinux for the kernel. That of kernel
 * modules would have to be relocated, and is not read.
 */
#include "symbols/debug_files.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "symbols/go_module.h"
#include "symbols/symbol_readers.h"

/* Segments with code; those that lack the flag count where none has it. */
static void read_code(struct source_files *f, const struct elf_file *e)
{
	for (int any = 0; any < 2 && !f->code.nr; any++)
		for (uint32_t i = 0; i < e->segments.nr; i++) {
			const struct elf_segment *s = &e->segments.v[i];

			if ((!any && !s->is_executable) || !s->size_bytes || s->vaddr > UINT64_MAX - s->size_bytes)
				continue;
			vec_push(&f->code, *s);
		}
}

static bool has_lines(const struct elf_file *f)
{
	return elf_file_find_section(f, ".debug_info") || elf_file_find_section(f, ".zdebug_info");
}

/* Takes `path` (and frees it) as the kernel's, if it is the recorded one. */
static bool try_vmlinux(struct source_files *f, char *path, const struct build_id *id, struct errbuf *eb)
{
	struct elf_file *e = &f->found.debug;

	if (!path || build_id_open(e, path, id, "kernel", eb)) {
		free(path);
		return false;
	}
	if (has_lines(e)) {
		f->path = path;
		f->debug = e;
		f->found.id = build_id_of_file(e);
		return true;
	}
	errbuf_set(eb, -ENODATA, "%s has no debug information", path);
	elf_file_close(e);
	free(path);
	return false;
}

static void open_kernel(struct source_files *f, const struct symbolizer_options *opts, const struct module_ref *ref, struct errbuf *eb)
{
	struct build_id id = build_id_of(ref->build_id, ref->build_id_size), running = build_id_of_kernel();
	const char *symfs = f->symfs;
	struct utsname un;
	uint64_t addr;

	f->is_kernel = true;
	if (opts->vmlinux) {
		if (!try_vmlinux(f, mem_strdup(opts->vmlinux), &id, eb))
			return;
	} else {
		bool may_be_running = id.size ? !build_id_differ(&id, &running) : origin_may_be_kernel(ref->origin);
		const struct build_id *want = id.size ? &id : &running;
		bool ok = want->size && (id.size || may_be_running) &&
			  (try_vmlinux(f, debug_files_by_build_id(symfs, want), want, NULL) ||
			   try_vmlinux(f, debug_files_debuginfod(want, "debuginfo"), want, NULL));

		/* Without a build-id on either side only the name is left, which proves nothing about another machine's kernel. */
		if (!ok && uname(&un) == 0 && may_be_running)
			ok = try_vmlinux(f, mem_printf("%s/usr/lib/debug/boot/vmlinux-%s", symfs, un.release), want, NULL) ||
			     try_vmlinux(f, mem_printf("%s/usr/lib/debug/lib/modules/%s/vmlinux", symfs, un.release), want, NULL) ||
			     try_vmlinux(f, mem_printf("%s/boot/vmlinux-%s", symfs, un.release), want, NULL);
		if (!ok) {
			errbuf_set(eb, -ENOENT, "no debug information of the kernel was found: give it with -k VMLINUX");
			return;
		}
	}
	f->program = mem_strdup(f->path);
	read_code(f, f->debug);
	if (ref->kernel_start && ref->kernel_ref_name && elf_symbols_find(f->debug, ref->kernel_ref_name, &addr))
		f->shift = ref->kernel_start - addr;
}

static void open_elf(struct source_files *f, const struct symbolizer_options *opts, const struct module_ref *ref, struct errbuf *eb)
{
	const struct elf_file *e;

	if (debug_files_find(&f->found, opts->symfs, ref, DEBUG_LINES, eb))
		return;
	f->program = mem_printf("%s%s", f->symfs, ref->path);
	read_code(f, f->found.runtime.elf ? &f->found.runtime : &f->found.debug);
	e = f->found.debug.elf ? &f->found.debug : &f->found.runtime;
	f->is_go = !has_lines(e) && f->found.runtime.elf && go_module_is_go(&f->found.runtime);
	if (f->is_go) {
		e = &f->found.runtime;
	} else if (!has_lines(e)) {
		errbuf_set(eb, -ENODATA, "%s has no debug information, and no debug file for it was found: compile it with -g", ref->path);
		return;
	}
	f->debug = e;
	f->path = mem_strdup(f->found.made_from ? f->found.made_from : ref->path);
}

void source_files_open(struct source_files *f, const struct symbolizer_options *opts, const struct module_ref *ref, struct errbuf *eb)
{
	*f = (struct source_files){ .found.runtime.fd = -1, .found.debug.fd = -1, .found.mini.fd = -1 };
	f->symfs = mem_strdup(opts->symfs ? opts->symfs : "");
	switch (ref->kind) {
	case MODULE_ELF:
	case MODULE_VDSO:
		open_elf(f, opts, ref, eb);
		break;
	case MODULE_KERNEL:
		open_kernel(f, opts, ref, eb);
		break;
	case MODULE_KMODULE:
		errbuf_set(eb, -ENOTSUP, "lines and inlined functions of kernel modules are not read");
		break;
	case MODULE_JIT:
	case MODULE_NONE:
		errbuf_set(eb, -ENODATA, "%s has no debug information", ref->path);
		break;
	}
}

void source_files_close(struct source_files *f)
{
	debug_files_close(&f->found);
	free(f->path);
	free(f->program);
	free(f->symfs);
	f->path = f->program = f->symfs = NULL;
	f->debug = NULL;
	vec_fini(&f->code);
}

static struct elf_file *lines_of(struct source_files *f)
{
	return f->debug == &f->found.debug ? &f->found.debug : &f->found.runtime;
}

static struct file_stat stat_of_lines(const struct source_files *f)
{
	struct index_files files = debug_files_for_index(&f->found);

	return f->debug == &f->found.debug ? files.debug : files.runtime;
}

void source_files_rest(struct source_files *f)
{
	f->was = stat_of_lines(f);
	f->budgets = *f->debug->budgets;
	elf_file_close(&f->found.runtime);
	elf_file_close(&f->found.debug);
	elf_file_close(&f->found.mini);
}

bool source_files_wake(struct source_files *f)
{
	struct elf_file *e = lines_of(f);
	struct file_stat now;

	if (elf_file_open(e, f->path, NULL))
		return false;
	now = stat_of_lines(f);
	if (memcmp(&now, &f->was, sizeof(now)) != 0) {
		elf_file_close(e);
		return false;
	}
	*e->budgets = f->budgets;
	return true;
}

bool source_files_vaddr(const struct source_files *f, uint64_t addr, uint64_t *vaddr)
{
	if (f->is_kernel) {
		*vaddr = addr - f->shift;
		return true;
	}
	for (uint32_t i = 0; i < f->code.nr; i++) {
		const struct elf_segment *s = &f->code.v[i];

		if (addr >= s->file_off && addr - s->file_off < s->size_bytes) {
			*vaddr = addr - s->file_off + s->vaddr;
			return true;
		}
	}
	return false;
}
