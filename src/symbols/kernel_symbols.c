/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where the kernel's symbols come from: a file that the user named, the symbol index, /proc/kallsyms of the recorded kernel, perf's cache
 * or a debug package by build-id. Modules share one reading of kallsyms through struct symbolizer_cache.
 */
#include "symbols/kernel_symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/io.h"
#include "base/log.h"
#include "symbols/debug_files.h"
#include "symbols/symbol_readers.h"
#include "symbols/symbolizer_cache.h"
#include "symbols/unpack.h"

#define PROC_KALLSYMS "/proc/kallsyms"

/* Keeps the modules' symbols for the next modules. */
static void cache_put(struct symbolizer_cache *c, struct kallsyms *k, const char *path)
{
	if (c && pthread_mutex_lock(&c->lock) == 0) {
		if (!c->path) {
			c->path = mem_strdup(path);
			c->kallsyms = *k;
			*k = (struct kallsyms){ 0 };
		}
		pthread_mutex_unlock(&c->lock);
	}
	kallsyms_close(k);
}

/* What names the running kernel in the index: its build-id, or this boot. */
static struct build_id index_id_now(const struct build_id *running)
{
	return running->size ? *running : kernel_index_boot_id();
}

/* Without build-ids, the running kernel is the recorded one if nothing contradicts that and it is at the same address. */
static int check_running(const struct module_ref *ref, struct errbuf *eb)
{
	int mark = kallsyms_mark(ref->kernel_ref_name);
	uint64_t now;

	if (!origin_is_here(ref->origin))
		return errbuf_set(eb, -ESTALE,
				  "the recording does not say which kernel it is of, and %s: give that one's symbols with -k VMLINUX or "
				  "--kallsyms FILE",
				  ref->origin->why);
	if (!ref->kernel_start || mark < 0)
		return errbuf_set(
			eb, -ESTALE,
			"the recording does not say which kernel it is of (no build-id, no address): give that one's symbols with "
			"-k VMLINUX or --kallsyms FILE");
	now = kallsyms_peek_mark(PROC_KALLSYMS, (enum kallsyms_mark)mark);
	/* A hidden address is reported by the reader of the list. */
	if (now && now != ref->kernel_start)
		return errbuf_set(eb, -ESTALE,
				  "the running kernel is not known to be the recorded one (no build-id, and %s was at %#" PRIx64
				  ", now %#" PRIx64 "): give that one's symbols with -k VMLINUX or --kallsyms FILE",
				  ref->kernel_ref_name, ref->kernel_start, now);
	return 0;
}

static struct symtab *load_kallsyms(const struct symbolizer_options *opts, const struct module_ref *ref, const char *path,
				    struct errbuf *eb)
{
	struct symtab *t = NULL;
	struct kallsyms k;

	if (kallsyms_open(&k, path, ref->kernel_ref_name, eb))
		return NULL;
	if (!strcmp(path, PROC_KALLSYMS) && kernel_index_trusts_proc()) {
		struct build_id running = build_id_of_kernel(), id = index_id_now(&running);

		kernel_index_add(&id, &k);
	}
	t = kallsyms_take_kernel(&k, ref->kernel_start && k.ref_addr ? ref->kernel_start - k.ref_addr : 0);
	cache_put(opts->cache, &k, path);
	return t;
}

static struct symtab *load_vmlinux(const struct module_ref *ref, const char *path, struct errbuf *eb)
{
	struct build_id id = build_id_of(ref->build_id, ref->build_id_size);
	struct symtab *t = NULL;
	struct elf_file f;
	uint64_t addr;

	if (build_id_open(&f, path, &id, "kernel", eb))
		return NULL;
	if (!elf_file_has_symtab(&f)) {
		errbuf_set(eb, -ENODATA, "%s has no symbols (stripped)", path);
	} else {
		t = symtab_new();
		elf_symbols_load(t, &f, &f, ELF_VADDRS);
		t->made_from = mem_strdup(path);
		if (ref->kernel_start && ref->kernel_ref_name && elf_symbols_find(&f, ref->kernel_ref_name, &addr) &&
		    addr != ref->kernel_start)
			symtab_shift(t, ref->kernel_start - addr);
	}
	elf_file_close(&f);
	return t;
}

/* What was kept of a kernel that does not run now, or hides its symbols. */
static struct symtab *load_kept(const struct symbolizer_options *opts, const struct module_ref *ref, const struct build_id *id)
{
	char *kallsyms = debug_files_perf_cache(id, "kallsyms"), *vmlinux = debug_files_by_build_id("", id);
	struct symtab *t = NULL;

	if (kallsyms)
		t = load_kallsyms(opts, ref, kallsyms, NULL);
	if (!t && vmlinux)
		t = load_vmlinux(ref, vmlinux, NULL);
	free(kallsyms);
	free(vmlinux);
	return t;
}

/* From the index, where the recording says where the kernel was, or the running kernel says where it is. */
static struct symtab *load_indexed(const struct module_ref *ref, const struct build_id *id, bool is_running)
{
	const char *name = ref->kernel_ref_name;
	uint64_t addr = ref->kernel_start;

	if (!addr || !name) {
		name = "_text";
		addr = is_running ? kallsyms_peek_mark(PROC_KALLSYMS, KALLSYMS_TEXT) : 0;
	}
	return addr ? kernel_index_find(id, name, addr) : NULL;
}

struct symtab *kernel_symbols_load(const struct symbolizer_options *opts, const struct module_ref *ref, struct errbuf *eb)
{
	struct build_id id = build_id_of(ref->build_id, ref->build_id_size), running, indexed;
	char was[BUILD_ID_HEX_SIZE], now[BUILD_ID_HEX_SIZE];
	struct symtab *t;
	bool is_running;

	if (opts->vmlinux)
		return load_vmlinux(ref, opts->vmlinux, eb);
	if (opts->kallsyms)
		return load_kallsyms(opts, ref, opts->kallsyms, eb);
	running = build_id_of_kernel();
	if (!build_id_equal(&id, &running) && !build_id_differ(&id, &running) && check_running(ref, eb))
		return id.size ? load_kept(opts, ref, &id) : NULL;
	is_running = !build_id_differ(&id, &running);
	indexed = id.size ? id : index_id_now(&running);
	t = load_indexed(ref, &indexed, is_running);
	if (t)
		return t;
	if (!is_running)
		errbuf_set(eb, -ESTALE,
			   "the running kernel is not the recorded one (build-id %s, now %s): give that one's symbols with "
			   "-k VMLINUX or --kallsyms FILE",
			   build_id_hex(&id, was), build_id_hex(&running, now));
	else
		t = load_kallsyms(opts, ref, PROC_KALLSYMS, eb);
	if (!t && id.size)
		t = load_kept(opts, ref, &id);
	if (t)
		errbuf_clear(eb);
	return t;
}

void kernel_symbols_keep(void)
{
	struct build_id id = build_id_of_kernel();
	struct kallsyms k;

	/* Without a build-id they are of use in this boot only. */
	if (!id.size || kernel_index_has(&id) || !kernel_index_trusts_proc() || kallsyms_is_hidden(PROC_KALLSYMS) ||
	    kallsyms_open(&k, PROC_KALLSYMS, NULL, NULL))
		return;
	kernel_index_add(&id, &k);
	kallsyms_close(&k);
}

/* "[snd_pcm]", or "/lib/modules/…/snd-pcm.ko.xz": the name in kallsyms is "snd_pcm". */
static char *module_name(const char *path)
{
	const char *slash = strrchr(path, '/'), *start = slash ? slash + 1 : path, *end;
	char *name;

	if (*start == '[') {
		start++;
		end = strchrnul(start, ']');
	} else {
		end = strstr(start, ".ko");
		if (!end)
			end = start + strlen(start);
	}
	name = mem_strndup(start, (size_t)(end - start));
	for (char *p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	return name;
}

/* A module of kallsyms, relative to where it is now, or was recorded. What the kernel itself says is kept in the index. */
static struct symtab *copy_module(const struct kallsyms *k, const struct module_ref *ref, const struct kernel_index_module *m,
				  const char *path)
{
	bool is_live = !strcmp(path, PROC_KALLSYMS);
	uint64_t start = is_live ? kernel_module_start(m->name) : 0;
	struct symtab *t = kallsyms_copy_module(k, m->name, -(start ? start : ref->kernel_start));
	struct build_id now = build_id_of_kmodule(m->name);

	t->made_from = mem_strdup(path);
	/* Not if the module was reloaded since the list was read, or has an id that the kernel does not show. */
	if (start && t->symbols.nr && kernel_index_trusts_proc() && kernel_module_inode(m->name) == m->inode &&
	    (!m->id.size || build_id_equal(&now, &m->id)))
		kernel_index_add_module(m, t, 0);
	return t;
}

/* What kallsyms does not have may be in the module's file; the message of kallsyms stays where it is not. */
static struct symtab *load_kmodule_file(const struct symbolizer_options *opts, const struct module_ref *ref, const char *name,
					struct symtab *empty, struct errbuf *eb)
{
	struct symtab *t = kmodule_file_load(opts, ref, name, NULL);

	if (!t)
		return empty;
	symtab_free(empty);
	errbuf_clear(eb);
	return t;
}

/* Whether the module that is loaded now is the recorded one: by its build-id, else by that of the kernel, else by where it lies. */
static int check_running_module(const struct module_ref *ref, const char *name, struct errbuf *eb)
{
	struct build_id id = build_id_of(ref->build_id, ref->build_id_size), running = build_id_of_kmodule(name);
	char was[BUILD_ID_HEX_SIZE], now[BUILD_ID_HEX_SIZE];
	uint64_t start;

	if (build_id_equal(&id, &running))
		return 0;
	if (build_id_differ(&id, &running))
		return errbuf_set(eb, -ESTALE, "the kernel module %s was replaced since the recording (build-id %s, now %s)", name,
				  build_id_hex(&id, was), build_id_hex(&running, now));
	if (!origin_may_be_kernel(ref->origin))
		return errbuf_set(eb, -ESTALE, "the kernel module %s is not that of this machine: %s", name, ref->origin->why);
	start = ref->origin && ref->origin->is_same_kernel ? 0 : kernel_module_start(name);
	if (start && ref->kernel_start && start != ref->kernel_start)
		return errbuf_set(eb, -ESTALE,
				  "the kernel module %s is not known to be the recorded one (no build-id, and it was at %#" PRIx64
				  ", now %#" PRIx64 ")",
				  name, ref->kernel_start, start);
	return 0;
}

struct symtab *kmodule_symbols_load(const struct symbolizer_options *opts, const struct module_ref *ref, struct errbuf *eb)
{
	const char *path = opts->kallsyms ? opts->kallsyms : PROC_KALLSYMS;
	struct build_id id = build_id_of(ref->build_id, ref->build_id_size), running;
	struct symbolizer_cache *c = opts->cache;
	char *name = module_name(ref->path);
	struct kernel_index_module m;
	struct symtab *t = NULL;
	struct kallsyms k;
	int err;

	running = build_id_of_kmodule(name);
	m = (struct kernel_index_module){ name, id.size ? id : running, kernel_index_boot_id(), kernel_module_inode(name) };
	err = opts->kallsyms ? 0 : check_running_module(ref, name, eb);
	t = opts->kallsyms || (err && !id.size) ? NULL : kernel_index_find_module(&m, 0);
	if (t) {
		errbuf_clear(eb);
		free(name);
		return t;
	}
	if (err)
		goto out;
	/* Held while reading: other threads wait for it instead of reading it too. */
	if (c)
		pthread_mutex_lock(&c->lock);
	if (c && c->path) {
		t = copy_module(&c->kallsyms, ref, &m, c->path);
	} else if (kallsyms_open(&k, path, NULL, eb) == 0) {
		t = copy_module(&k, ref, &m, path);
		if (c) {
			/* The kernel's own symbols are shifted by a symbol of it, and not shared. */
			symtab_free(kallsyms_take_kernel(&k, 0));
			c->kallsyms = k;
			c->path = mem_strdup(path);
		} else {
			kallsyms_close(&k);
		}
	}
	if (c)
		pthread_mutex_unlock(&c->lock);
	if (t && !t->symbols.nr)
		errbuf_set(eb, -ENOENT, "%s has no kernel module %s: it is not loaded now", path, name);
out:
	if (!t || !t->symbols.nr)
		t = load_kmodule_file(opts, ref, name, t, eb);
	free(name);
	return t;
}

/* Finding and unpacking the file of a kernel module. Files with another build-id than the recorded one are skipped. */

#define MAX_FILE_BYTES (256u << 20)
#define MIN_FILE_BYTES (16u << 20)
#define MAX_RATIO 16u /* of a whole packed module: real ones have three to five */
#define MAX_LIST_BYTES (16u << 20)

/* "snd-pcm.ko.xz" is the file of snd_pcm. */
static bool is_file_of(const char *file, size_t len, const char *name)
{
	size_t name_len = strlen(name);

	if (len <= name_len || strncmp(file + name_len, ".ko", 3) != 0)
		return false;
	for (size_t i = 0; i < name_len; i++)
		if ((file[i] == '-' ? '_' : file[i]) != name[i])
			return false;
	return true;
}

/* By the list that depmod writes: "kernel/fs/ext4/ext4.ko.xz: others…" */
static char *find_listed(const char *symfs, const char *name)
{
	struct utsname u;
	char *dir, *list, *text, *found = NULL;
	size_t size;

	if (uname(&u) != 0)
		return NULL;
	dir = mem_printf("%s/lib/modules/%s", symfs, u.release);
	list = mem_printf("%s/modules.dep", dir);
	if (io_read_file(list, MAX_LIST_BYTES, &text, &size) == 0) {
		for (char *line = text; *line && !found; line += strcspn(line, "\n"), line += *line == '\n') {
			size_t len = strcspn(line, ":\n");
			const char *slash = memrchr(line, '/', len), *base = slash ? slash + 1 : line;

			if (is_file_of(base, len - (size_t)(base - line), name))
				found = mem_printf("%s/%.*s", dir, (int)len, line);
		}
		free(text);
	}
	free(list);
	free(dir);
	return found;
}

/* An opened module with the memory it may have been unpacked into. */
struct kmodule_file {
	struct elf_file elf;
	void *image;
};

static void kmodule_file_close(struct kmodule_file *k)
{
	elf_file_close(&k->elf);
	free(k->image);
	k->image = NULL;
}

static int open_packed(struct kmodule_file *k, const char *path, struct errbuf *eb)
{
	/* The path comes from a recording: a pipe or a device of that name must not be opened. */
	int fd = io_open_regular(path), err;
	struct budget memory;
	size_t size, unpacked;
	char *packed;

	if (fd == -ENOTSUP)
		return errbuf_set(eb, -ENOEXEC, "%s is not a regular file", path);
	if (fd < 0)
		return errbuf_set(eb, fd, "cannot read %s: %s", path, strerror(-fd));
	budget_init(&memory, MIN_FILE_BYTES, MAX_RATIO, io_bytes_present(fd, 0, UINT64_MAX));
	if (!budget_take(&memory, MAX_FILE_BYTES))
		budget_take(&memory, budget_left(&memory));
	err = io_read_rest(fd, (size_t)memory.taken, &packed, &size);
	close(fd);
	if (err)
		return errbuf_set(eb, err, "cannot read %s: %s", path, strerror(-err));
	err = unpack_any(packed, size, (size_t)memory.taken, &k->image, &unpacked);
	free(packed);
	if (err)
		return errbuf_set(eb, err, "%s is damaged, or unpacks to more than %llu MB", path, (unsigned long long)memory.taken >> 20);
	return elf_file_open_memory(&k->elf, k->image, unpacked, eb);
}

/* Takes and frees `path`. */
static bool try_file(struct kmodule_file *k, char *path, const struct build_id *id, char **made_from)
{
	char was[BUILD_ID_HEX_SIZE], now[BUILD_ID_HEX_SIZE];
	struct errbuf why = { 0 };
	struct build_id found;
	int err;

	if (!path)
		return false;
	err = elf_file_open(&k->elf, path, &why);
	if (err == -ENOEXEC) {
		errbuf_clear(&why);
		err = open_packed(k, path, &why);
	}
	if (!err) {
		found = build_id_of_file(&k->elf);
		if (build_id_differ(&found, id))
			err = errbuf_set(&why, -ESTALE, "%s is not the recorded module (build-id %s, the file's is %s)", path,
					 build_id_hex(id, was), build_id_hex(&found, now));
		else if (k->elf.type != ET_REL || !elf_file_has_symtab(&k->elf))
			err = errbuf_set(&why, -ENODATA, "%s has no symbols of a kernel module", path);
		if (err)
			kmodule_file_close(k);
	}
	if (err && err != -ENOENT)
		log_info("%s", why.text);
	if (err)
		free(path);
	else
		*made_from = path;
	return !err;
}

static bool find_file(struct kmodule_file *k, const char *symfs, const struct module_ref *ref, const char *name, char **made_from)
{
	struct build_id id = build_id_of(ref->build_id, ref->build_id_size);

	*k = (struct kmodule_file){ .elf.fd = -1 };
	/* The modules of this machine have the same names. */
	if (!id.size && !*symfs && !origin_may_be_kernel(ref->origin))
		return false;
	if (ref->path[0] == '/' && try_file(k, mem_printf("%s%s", symfs, ref->path), &id, made_from))
		return true;
	if (try_file(k, find_listed(symfs, name), &id, made_from))
		return true;
	return id.size && (try_file(k, debug_files_by_build_id(symfs, &id), &id, made_from) ||
			   try_file(k, debug_files_by_build_id("", &id), &id, made_from) ||
			   try_file(k, debug_files_debuginfod(&id, "debuginfo"), &id, made_from));
}

bool kmodule_file_open(struct elf_file *f, void **image, const struct symbolizer_options *opts, const struct module_ref *ref, char **path)
{
	char *name = module_name(ref->path);
	struct kmodule_file k;
	bool is_found = find_file(&k, opts->symfs ? opts->symfs : "", ref, name, path);

	if (is_found) {
		*f = k.elf;
		*image = k.image;
	}
	free(name);
	return is_found;
}

bool kmodule_is_running(const struct module_ref *ref)
{
	char *name = module_name(ref->path);
	struct build_id id = build_id_of(ref->build_id, ref->build_id_size), running = build_id_of_kmodule(name);
	bool is_same = !build_id_differ(&id, &running) && (build_id_equal(&id, &running) || origin_may_be_kernel(ref->origin)) &&
		       ref->kernel_start && kernel_module_start(name) == ref->kernel_start;

	free(name);
	return is_same;
}

struct symtab *kmodule_file_load(const struct symbolizer_options *opts, const struct module_ref *ref, const char *name, struct errbuf *eb)
{
	struct kmodule_file k;
	struct symtab *t;
	char *made_from;

	if (!find_file(&k, opts->symfs ? opts->symfs : "", ref, name, &made_from)) {
		errbuf_set(eb, -ENOENT, "the kernel module %s is not loaded now, and its file was not found", name);
		return NULL;
	}
	t = symtab_new();
	t->made_from = made_from;
	elf_symbols_load(t, &k.elf, &k.elf, ELF_KMODULE);
	kmodule_file_close(&k);
	return t;
}
