/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where the code of a module is read from, and the ranges of it: addresses of the recording, addresses as linked, and places in the file.
 */
#include "symbols/module_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/io.h"
#include "symbols/debug_files.h"
#include "symbols/jitdump.h"
#include "symbols/kernel_symbols.h"
#include "symbols/symbol_readers.h"

#define KCORE "/proc/kcore"

struct code_range {
	uint64_t addr; /* of the recording */
	uint64_t vaddr, file_off, size_bytes;
	bool is_shared; /* of a dump: other code has been at these linked addresses, too */
};

struct module_code {
	struct debug_files found;
	struct elf_file own;	     /* of all but ordinary files */
	void *image;		     /* that `own` may be in */
	const struct elf_file *file; /* one of these; NULL: it is the kernel's memory */
	const struct jitdump *dump;  /* NULL: it is none */
	int kcore_fd;
	uint16_t machine;
	char *path;
	VEC(struct code_range) ranges;
};

static void add_range(struct module_code *c, uint64_t addr, uint64_t vaddr, uint64_t file_off, uint64_t size)
{
	if (size && addr <= UINT64_MAX - size && vaddr <= UINT64_MAX - size && file_off <= UINT64_MAX - size)
		vec_push(&c->ranges, ((struct code_range){ addr, vaddr, file_off, size, false }));
}

static void set_file(struct module_code *c, const struct elf_file *f, char *path)
{
	c->file = f;
	c->machine = f->machine;
	c->path = path;
}

/* Offsets in a file are what maps have. */
static void add_segments(struct module_code *c)
{
	for (uint32_t i = 0; i < c->file->segments.nr; i++) {
		const struct elf_segment *s = &c->file->segments.v[i];

		add_range(c, s->file_off, s->vaddr, s->file_off, s->size_bytes);
	}
}

static int open_elf(struct module_code *c, const struct symbolizer_options *opts, const struct module_ref *ref, struct errbuf *eb)
{
	int err = debug_files_find(&c->found, opts->symfs, ref, DEBUG_FRAMES, eb);

	if (err)
		return err;
	if (!c->found.runtime.elf || elf_file_is_hollow(&c->found.runtime))
		return errbuf_set(
			eb, -ENOENT,
			"%s itself is not there, only its debug information, which has no code: put the file where it was, or below "
			"a directory that --symfs names",
			ref->path);
	set_file(c, &c->found.runtime, mem_printf("%s%s", opts->symfs ? opts->symfs : "", ref->path));
	add_segments(c);
	return 0;
}

static int open_vdso(struct module_code *c, const struct module_ref *ref, struct errbuf *eb)
{
	char *made_from = NULL;
	int err = vdso_open_recorded(&c->own, &c->image, ref, &made_from, eb);

	free(made_from);
	if (err)
		return err;
	set_file(c, &c->own, mem_strdup(ref->path));
	add_segments(c);
	return 0;
}

/* Takes and frees `path`. */
static bool try_vmlinux(struct module_code *c, char *path, const struct build_id *id, const struct module_ref *ref, struct errbuf *eb)
{
	uint64_t addr, shift = 0;

	if (!path || build_id_open(&c->own, path, id, "kernel", eb)) {
		free(path);
		return false;
	}
	if (elf_file_is_hollow(&c->own)) {
		errbuf_set(eb, -ENODATA, "%s is a debug file without code", path);
		elf_file_close(&c->own);
		free(path);
		return false;
	}
	set_file(c, &c->own, path);
	if (ref->kernel_start && ref->kernel_ref_name && elf_symbols_find(&c->own, ref->kernel_ref_name, &addr))
		shift = ref->kernel_start - addr;
	for (uint32_t i = 0; i < c->own.segments.nr; i++) {
		const struct elf_segment *s = &c->own.segments.v[i];

		add_range(c, s->vaddr + shift, s->vaddr, s->file_off, s->size_bytes);
	}
	return true;
}

/* The memory of the running kernel, where it is the recorded one. Addresses of modules are counted from their start. */
static int open_kcore(struct module_code *c, const struct module_ref *ref, struct errbuf *eb)
{
	struct build_id id = build_id_of(ref->build_id, ref->build_id_size), running = build_id_of_kernel();
	bool is_module = ref->kind == MODULE_KMODULE;
	uint64_t now = is_module
			       ? ref->kernel_start
			       : kallsyms_peek_mark("/proc/kallsyms",
						    kallsyms_mark(ref->kernel_ref_name) == KALLSYMS_STEXT ? KALLSYMS_STEXT : KALLSYMS_TEXT);
	uint64_t shift = is_module ? ref->kernel_start : ref->kernel_start && now ? now - ref->kernel_start : 0;
	struct kcore_range *ranges;
	uint32_t nr;

	if ((!is_module && build_id_differ(&id, &running)) || (!build_id_equal(&id, &running) && !origin_may_be_kernel(ref->origin)))
		return errbuf_set(eb, -ESTALE, "it is not the kernel that runs now");
	c->kcore_fd = kcore_open(KCORE, &ranges, &nr, &c->machine, eb);
	if (c->kcore_fd < 0)
		return c->kcore_fd;
	c->path = mem_strdup(KCORE);
	for (uint32_t i = 0; i < nr; i++)
		if (ranges[i].vaddr >= shift)
			add_range(c, ranges[i].vaddr - shift, ranges[i].vaddr, ranges[i].file_off, ranges[i].size_bytes);
	free(ranges);
	return 0;
}

static int open_kernel(struct module_code *c, const struct symbolizer_options *opts, const struct module_ref *ref, struct errbuf *eb)
{
	struct build_id id = build_id_of(ref->build_id, ref->build_id_size), running = build_id_of_kernel();
	const struct build_id *want = id.size ? &id : &running;
	const char *symfs = opts->symfs ? opts->symfs : "";
	char hex[BUILD_ID_HEX_SIZE];
	struct errbuf why = { 0 };
	struct utsname un;
	bool ok = false;

	if (opts->vmlinux)
		return try_vmlinux(c, mem_strdup(opts->vmlinux), &id, ref, eb) ? 0 : -ENOENT;
	if (want->size)
		ok = try_vmlinux(c, debug_files_by_build_id(symfs, want), want, ref, NULL) ||
		     try_vmlinux(c, debug_files_perf_cache(want, "vmlinux"), want, ref, NULL) ||
		     try_vmlinux(c, debug_files_perf_cache(want, "elf"), want, ref, NULL) ||
		     try_vmlinux(c, debug_files_debuginfod(want, "executable"), want, ref, NULL);
	if (!ok && want->size && uname(&un) == 0)
		ok = try_vmlinux(c, mem_printf("%s/usr/lib/debug/boot/vmlinux-%s", symfs, un.release), want, ref, NULL) ||
		     try_vmlinux(c, mem_printf("%s/usr/lib/debug/lib/modules/%s/vmlinux", symfs, un.release), want, ref, NULL) ||
		     try_vmlinux(c, mem_printf("%s/boot/vmlinux-%s", symfs, un.release), want, ref, NULL);
	if (ok || open_kcore(c, ref, &why) == 0)
		return 0;
	return errbuf_set(eb, -ENOENT,
			  "no vmlinux%s%s of the kernel was found, and its memory is not to be had (%s): give the file with -k VMLINUX",
			  id.size ? " with the build-id " : "", id.size ? build_id_hex(&id, hex) : "", why.text);
}

/* The kernel puts executable sections of the file one after the other. */
static int open_kmodule(struct module_code *c, const struct symbolizer_options *opts, const struct module_ref *ref, struct errbuf *eb)
{
	struct errbuf why = { 0 };
	uint64_t addr, end = 0;

	if (ref->kernel_start && kmodule_is_running(ref) && open_kcore(c, ref, &why) == 0)
		return 0;
	if (!kmodule_file_open(&c->own, &c->image, opts, ref, &c->path))
		return errbuf_set(eb, -ENOENT, "the file of the kernel module %s was not found, and its memory is not to be had%s%s",
				  ref->path, why.text[0] ? ": " : "", why.text);
	c->file = &c->own;
	c->machine = c->own.machine;
	for (uint32_t i = 0; i < c->own.sections.nr; i++)
		if (elf_kmodule_place(&c->own.sections.v[i], &end, &addr))
			add_range(c, addr, ref->kernel_start + addr, c->own.sections.v[i].file_off, c->own.sections.v[i].size_bytes);
	return 0;
}

int module_code_open(struct module_code **code, const struct symbolizer_options *opts, const struct module_ref *ref, struct errbuf *eb)
{
	struct module_code *c = mem_zalloc(sizeof(*c));
	int err = 0;

	c->found.runtime.fd = c->found.debug.fd = c->found.mini.fd = c->own.fd = c->kcore_fd = -1;
	switch (ref->kind) {
	case MODULE_ELF:
		err = open_elf(c, opts, ref, eb);
		break;
	case MODULE_VDSO:
		err = open_vdso(c, ref, eb);
		break;
	case MODULE_KERNEL:
		err = open_kernel(c, opts, ref, eb);
		break;
	case MODULE_KMODULE:
		err = open_kmodule(c, opts, ref, eb);
		break;
	case MODULE_JIT:
		err = errbuf_set(eb, -ENODATA,
				 "code that a just-in-time compiler made is not part of a recording: only its addresses are known, but "
				 "where it writes a dump (node --perf-prof, python -X perf_jit, java -agentpath:libperf-jvmti.so)");
		break;
	case MODULE_NONE:
		err = errbuf_set(eb, -ENODATA, "%s is memory without a file, whose contents are not part of a recording", ref->path);
		break;
	}
	*code = c;
	if (err) {
		module_code_close(c);
		*code = NULL;
	}
	return err;
}

static int compare_vaddrs(const void *pa, const void *pb)
{
	const struct code_range *a = pa, *b = pb;

	return COMPARE(a->vaddr, b->vaddr) ?: COMPARE(a->addr, b->addr);
}

/* Memory is used again: an address that had two functions names none. */
static void mark_shared(struct module_code *c)
{
	uint32_t furthest = 0;

	for (uint32_t i = 1; i < c->ranges.nr; i++) {
		struct code_range *r = &c->ranges.v[i], *before = &c->ranges.v[furthest];

		if (r->vaddr < before->vaddr + before->size_bytes)
			r->is_shared = before->is_shared = true;
		if (r->vaddr + r->size_bytes > before->vaddr + before->size_bytes)
			furthest = i;
	}
}

int module_code_open_dump(struct module_code **code, const struct jitdump *d, uint16_t machine, const char *path, struct errbuf *eb)
{
	struct module_code *c;

	*code = NULL;
	if (!d->machine && !machine)
		return errbuf_set(eb, -ENODATA, "%s does not say for which machine its code is", path);
	c = mem_zalloc(sizeof(*c));
	c->found.runtime.fd = c->found.debug.fd = c->found.mini.fd = c->own.fd = c->kcore_fd = -1;
	c->dump = d;
	c->machine = d->machine ? d->machine : machine;
	c->path = mem_strdup(path);
	for (uint32_t i = 0; i < d->functions.nr; i++) {
		const struct jitdump_function *f = &d->functions.v[i];

		add_range(c, f->file_off, f->addr, f->file_off, f->size_bytes);
	}
	if (c->ranges.nr)
		qsort(c->ranges.v, c->ranges.nr, sizeof(*c->ranges.v), compare_vaddrs);
	mark_shared(c);
	*code = c;
	return 0;
}

void module_code_close(struct module_code *c)
{
	if (!c)
		return;
	debug_files_close(&c->found);
	elf_file_close(&c->own);
	if (c->kcore_fd >= 0)
		close(c->kcore_fd);
	free(c->image);
	free(c->path);
	vec_fini(&c->ranges);
	free(c);
}

uint16_t module_code_machine(const struct module_code *c)
{
	return c->machine;
}

const char *module_code_path(const struct module_code *c)
{
	return c->path;
}

int64_t module_code_mtime_s(const struct module_code *c)
{
	struct stat st;

	if (c->dump)
		return stat(c->path, &st) == 0 ? st.st_mtime : 0;
	return c->file && c->file->fd >= 0 && fstat(c->file->fd, &st) == 0 ? st.st_mtime : 0;
}

bool module_code_vaddr(const struct module_code *c, uint64_t addr, uint64_t *vaddr)
{
	for (uint32_t i = 0; i < c->ranges.nr; i++) {
		const struct code_range *r = &c->ranges.v[i];

		if (addr >= r->addr && addr - r->addr < r->size_bytes) {
			*vaddr = addr - r->addr + r->vaddr;
			return true;
		}
	}
	return false;
}

/* A dump has many functions, and code many targets. */
static bool dump_addr(const struct module_code *c, uint64_t vaddr, uint64_t *addr)
{
	uint32_t nr = vec_search(c->ranges.nr, i, c->ranges.v[i].vaddr > vaddr);
	const struct code_range *r = nr ? &c->ranges.v[nr - 1] : NULL;

	if (!r || r->is_shared || vaddr - r->vaddr >= r->size_bytes)
		return false;
	*addr = vaddr - r->vaddr + r->addr;
	return true;
}

bool module_code_addr(const struct module_code *c, uint64_t vaddr, uint64_t *addr)
{
	if (c->dump)
		return dump_addr(c, vaddr, addr);
	for (uint32_t i = 0; i < c->ranges.nr; i++) {
		const struct code_range *r = &c->ranges.v[i];

		if (vaddr >= r->vaddr && vaddr - r->vaddr < r->size_bytes) {
			*addr = vaddr - r->vaddr + r->addr;
			return true;
		}
	}
	return false;
}

const char *module_code_section(const struct module_code *c, uint64_t vaddr)
{
	for (uint32_t i = 0; c->file && c->file->type != ET_REL && i < c->file->sections.nr; i++) {
		const struct elf_section *s = &c->file->sections.v[i];

		if ((s->flags & SHF_ALLOC) && vaddr >= s->vaddr && vaddr - s->vaddr < s->size_bytes)
			return s->name;
	}
	return NULL;
}

size_t module_code_read(const struct module_code *c, uint64_t addr, void *buf, size_t size)
{
	for (uint32_t i = 0; i < c->ranges.nr; i++) {
		const struct code_range *r = &c->ranges.v[i];
		uint64_t at = addr - r->addr;
		ssize_t got;

		if (addr < r->addr || at >= r->size_bytes)
			continue;
		if (size > r->size_bytes - at)
			size = (size_t)(r->size_bytes - at);
		if (c->dump) { /* its functions are within its bytes */
			memcpy(buf, c->dump->bytes + r->file_off + at, size);
			return size;
		}
		if (c->file)
			return elf_file_read(c->file, r->file_off + at, buf, size);
		got = io_pread(c->kcore_fd, buf, size, r->file_off + at);
		return got < 0 ? 0 : (size_t)got;
	}
	return 0;
}
