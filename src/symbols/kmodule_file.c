/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finding and unpacking the file of a kernel module. Files with another build-id than the recorded one are skipped.
 */
#include "symbols/kernel_symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/io.h"
#include "base/log.h"
#include "symbols/debug_files.h"
#include "symbols/symbol_readers.h"
#include "symbols/unpack.h"

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
