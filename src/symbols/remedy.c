/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The advice for each kind of module. For a file: its debug package, the debug server where one is configured, or how to build it; not for
 * files that are gone or changed, or debug information that is there.
 */
#include "symbols/remedy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "symbols/elf_file.h"
#include "symbols/debug_files.h"
#include "symbols/kernel_symbols.h"

#define MODULE_NAME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

/* How a file of one's own is built so that nothing is missing. */
static char *rebuild(const char *path, enum remedy_need need)
{
	switch (need) {
	case REMEDY_LINES:
		return mem_printf("rebuild %s with -g", path);
	case REMEDY_UNWIND:
		return mem_printf("rebuild %s with -fasynchronous-unwind-tables or -fno-omit-frame-pointer", path);
	case REMEDY_SYMBOLS:
		break;
	}
	return mem_printf("rebuild %s without stripping it (no -s, no strip)", path);
}

/* Fetching by build-id, where a server is configured; NULL otherwise. */
static char *fetch(const struct build_id *id)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	char hex[BUILD_ID_HEX_SIZE];

	if (!urls || !urls[strspn(urls, " \t")] || !id->size)
		return NULL;
	return mem_printf("debuginfod-find debuginfo %s", build_id_hex(id, hex));
}

/* The file as recorded, where it is still that one. */
enum file_state { FILE_SAME, FILE_REPLACED, FILE_GONE, FILE_UNREADABLE, FILE_NO_PROGRAM };

/* Why it cannot be read, where that says nothing of what it is. */
static bool is_refusal(int err)
{
	return err == -EMFILE || err == -ENFILE || err == -EACCES || err == -EPERM || err == -ENOMEM || err == -EIO;
}

static char *make_readable(const char *path, int err)
{
	if (err == -EMFILE || err == -ENFILE)
		return mem_printf("raise the limit on open files ('ulimit -n 4096'): %s could not be opened", path);
	return mem_printf("make %s readable: %s", path, strerror(-err));
}

static enum file_state state_of(const char *path, const struct module_ref *ref, struct build_id *id, int *err)
{
	struct build_id found = { 0 };
	struct file_identity is = { 0 };
	struct errbuf ignored = { 0 };
	struct stat st;
	int size;

	if (stat(path, &st) != 0 || (!id->size && origin_is_other_machine(ref->origin)))
		return FILE_GONE;
	file_identity_set_stat(&is, &st);
	if (!id->size && file_identity_check(&ref->identity, &is, path, &ignored))
		return FILE_REPLACED;
	size = symbolizer_build_id(path, found.bytes);
	found.size = size > 0 ? (uint8_t)size : 0;
	*err = size;
	if (is_refusal(size))
		return FILE_UNREADABLE;
	/* The image of a Lisp system, or an assembly of .NET: no package and no linker gives it symbols. */
	if (!id->size && size == -ENOEXEC)
		return FILE_NO_PROGRAM;
	if (!id->size)
		*id = found;
	return build_id_differ(&found, id) || (id->size && !found.size) ? FILE_REPLACED : FILE_SAME;
}

static char *join(char *first, char *second)
{
	char *both;

	if (!first || !second)
		return first ? first : second;
	both = mem_printf("%s, or %s", first, second);
	free(first);
	free(second);
	return both;
}

/* The debug information is there, without these addresses: assembly, or padding between functions. */
static bool is_at_hand(const struct module_ref *ref, enum remedy_need need)
{
	static const enum debug_need needs[] = {
		[REMEDY_SYMBOLS] = DEBUG_SYMBOLS, [REMEDY_LINES] = DEBUG_LINES, [REMEDY_UNWIND] = DEBUG_FRAMES
	};
	struct errbuf ignored = { 0 };
	struct debug_files d;
	bool found;

	if (debug_files_find(&d, NULL, ref, needs[need], &ignored))
		return false;
	found = d.debug.elf || (need == REMEDY_SYMBOLS && d.runtime.elf && elf_file_has_symtab(&d.runtime));
	debug_files_close(&d);
	return found;
}

static char *remedy_file(const struct module_ref *ref, enum remedy_need need)
{
	struct build_id id = build_id_of(ref->build_id, ref->build_id_size);
	char *path = mem_strndup(ref->path, deleted_mark_at(ref->path));
	int err = 0;
	enum file_state state = state_of(path, ref, &id, &err);
	char *package = state == FILE_GONE || state == FILE_NO_PROGRAM ? NULL : remedy_package_find("", path), *text;

	if (state == FILE_UNREADABLE)
		text = make_readable(path, err);
	else if (state != FILE_SAME && origin_is_other_machine(ref->origin))
		text = join(fetch(&id), mem_printf("give %s of the recorded machine with --symfs DIR", path));
	else if (state == FILE_REPLACED)
		text = join(fetch(&id), mem_printf("record again: %s was replaced since (or give the old one with --symfs DIR)", path));
	else if (state == FILE_GONE)
		text = join(fetch(&id), mem_printf("give the recorded %s with --symfs DIR: it is gone from its place", path));
	else if (state == FILE_NO_PROGRAM || is_at_hand(ref, need))
		text = NULL;
	else if (package)
		text = join(remedy_package_command("", package), fetch(&id));
	else if (remedy_package_is_rpm("") && strncmp(path, "/usr/", 5) == 0 && strncmp(path, "/usr/local/", 11) != 0)
		text = join(remedy_package_rpm_command(path), fetch(&id));
	else
		text = rebuild(path, need);
	free(package);
	free(path);
	return text;
}

static char *kernel_package(void)
{
	struct utsname u;
	char *image, *package, *command = NULL;

	if (uname(&u) != 0)
		return NULL;
	if (remedy_package_is_rpm(""))
		return mem_printf("dnf debuginfo-install kernel-core-%s", u.release);
	image = mem_printf("/boot/vmlinuz-%s", u.release);
	package = remedy_package_find("", image);
	if (package)
		command = remedy_package_command("", package);
	free(package);
	free(image);
	return command;
}

static char *remedy_kernel(const struct module_ref *ref, enum remedy_need need)
{
	struct build_id id = build_id_of(ref->build_id, ref->build_id_size), running = build_id_of_kernel();
	char hex[BUILD_ID_HEX_SIZE];

	if (need == REMEDY_UNWIND)
		return NULL;
	if (build_id_differ(&id, &running))
		return join(fetch(&id),
			    mem_printf("give the symbols of the recorded kernel (build-id %s) with -k VMLINUX", build_id_hex(&id, hex)));
	if (!id.size && !origin_is_here(ref->origin))
		return mem_strdup("give the symbols of the recorded kernel with -k VMLINUX or --kallsyms FILE");
	if (need == REMEDY_SYMBOLS && kallsyms_is_hidden("/proc/kallsyms"))
		return mem_strdup("sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1");
	return join(join(kernel_package(), fetch(&running)), mem_strdup("give a vmlinux with debug information with -k VMLINUX"));
}

static char *remedy_kmodule(const struct module_ref *ref, enum remedy_need need)
{
	const char *base = strrchr(ref->path, '/');
	size_t len;

	if (need == REMEDY_UNWIND)
		return NULL;
	if (need == REMEDY_LINES)
		return join(kernel_package(), mem_strdup("give the module's file with debug information below --symfs DIR"));
	base = base ? base + 1 : ref->path + (*ref->path == '[');
	len = strcspn(base, ".]");
	/* The name is a recording's, and the command one for root: only characters of module names are allowed. */
	if (!origin_may_be_kernel(ref->origin) || !len || base[0] == '-' || strspn(base, MODULE_NAME_CHARS) < len)
		return mem_strdup("give the module's file below --symfs DIR");
	return mem_printf("modprobe %.*s, or give its file below --symfs DIR", (int)len, base);
}

static char *remedy_jit(const struct module_ref *ref, enum remedy_need need)
{
	switch (need) {
	case REMEDY_SYMBOLS:
		if (!origin_is_here(ref->origin))
			return mem_printf("give %s of the recorded machine with --symfs DIR", ref->path);
		return mem_strdup(jit_runtime_names_advice(ref->runtime));
	case REMEDY_UNWIND:
		return mem_strdup(jit_runtime_stacks_advice(ref->runtime));
	case REMEDY_LINES:
		break;
	}
	return NULL;
}

int remedy_for(const struct module_ref *ref, enum remedy_need need, char *buf, size_t size)
{
	static char *(*const by_kind[])(const struct module_ref *ref, enum remedy_need need) = {
		[MODULE_ELF] = remedy_file,
		[MODULE_KERNEL] = remedy_kernel,
		[MODULE_KMODULE] = remedy_kmodule,
		[MODULE_JIT] = remedy_jit,
		[MODULE_VDSO] = NULL,
		[MODULE_NONE] = NULL,
	};
	char *text = by_kind[ref->kind] ? by_kind[ref->kind](ref, need) : NULL;

	snprintf(buf, size, "%s", text ? text : "");
	free(text);
	return buf[0] ? 0 : -ENOENT;
}

/* /var/lib/dpkg/info/PACKAGE.list (or PACKAGE:ARCH.list) has the files of a package, a line each. Likely lists are read first: some
 * milliseconds. Paths are compared without /usr, which packages from before its merge do not have. */

#define MAX_LIST_BYTES (16u << 20)
/* Letters that a file and its package have in common. */
#define LIKELY_PREFIX 5

static bool exists(const char *root, const char *path)
{
	char *full = mem_printf("%s%s", root, path);
	bool ok = access(full, F_OK) == 0;

	free(full);
	return ok;
}

static bool ends_with(const char *s, const char *end)
{
	size_t len = strlen(s), end_len = strlen(end);

	return len > end_len && strcmp(s + len - end_len, end) == 0;
}

/* Whether `line` (a path without /usr, with its line break) stands in the text as a line, with or without /usr before it. */
static bool has_line(const char *text, size_t size, const char *line, size_t len)
{
	const char *p = text, *end = text + size;

	while ((p = memmem(p, (size_t)(end - p), line, len))) {
		const char *start = p;

		if (start - text >= 4 && memcmp(start - 4, "/usr", 4) == 0)
			start -= 4;
		if (start == text || start[-1] == '\n')
			return true;
		p++;
	}
	return false;
}

/* Whether a list has the line. */
static bool is_listed(int dir, const char *name, const char *line)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char *text = NULL;
	size_t size;
	bool found = fd >= 0 && io_read_rest(fd, MAX_LIST_BYTES, &text, &size) == 0 && has_line(text, size, line, strlen(line));

	free(text);
	if (fd >= 0)
		close(fd);
	return found;
}

/* Packages of libraries are named after them: libgcc_s.so.1 is in libgcc-s1. */
static bool is_named_after(const char *list, const char *file)
{
	for (int i = 0; i < LIKELY_PREFIX; i++)
		if (!file[i] || (file[i] == '_' ? '-' : file[i]) != list[i])
			return false;
	return true;
}

/* Looks at the lists that are `likely` to have the file, or at all others. */
static char *find_in(DIR *d, bool likely, const char *line)
{
	const char *file = strrchr(line, '/') + 1;
	struct dirent *e;

	rewinddir(d);
	while ((e = readdir(d)))
		if (is_named_after(e->d_name, file) == likely && ends_with(e->d_name, ".list") && is_listed(dirfd(d), e->d_name, line))
			return mem_strndup(e->d_name, strcspn(e->d_name, ":"));
	return NULL;
}

char *remedy_package_find(const char *root, const char *path)
{
	char *dir = mem_printf("%s/var/lib/dpkg/info", root), *package = NULL, *line;
	DIR *d = path[0] == '/' ? opendir(dir) : NULL;

	line = mem_printf("%s\n", strncmp(path, "/usr/", 5) == 0 ? path + 4 : path);
	for (int likely = 1; d && !package && likely >= 0; likely--)
		package = find_in(d, likely, line);
	if (package && ends_with(package, ".list"))
		package[strlen(package) - strlen(".list")] = 0;
	if (d)
		closedir(d);
	free(line);
	free(dir);
	return package;
}

/* Packages of one version of CPython (python3.11-minimal, libpython3.11-stdlib) have one debug package. How long the name of the version is
 * ("python3.11"), or 0. */
static size_t python_version_len(const char *package)
{
	size_t len = strncmp(package, "python", 6) == 0 ? 6 : 0, nr;

	nr = len ? strspn(package + len, "0123456789") : 0;
	if (!nr || package[len + nr] != '.')
		return 0;
	len += nr + 1;
	nr = strspn(package + len, "0123456789");
	len += nr;
	return nr && (!package[len] || strcmp(package + len, "-minimal") == 0 || strcmp(package + len, "-stdlib") == 0) ? len : 0;
}

/* Automatic debug packages have this name; some kinds have older names. */
static char *debug_package(const char *package)
{
	const char *name = strncmp(package, "lib", 3) == 0 ? package + 3 : package;
	size_t len = python_version_len(name);

	if (len)
		return mem_printf("%.*s-dbg", (int)len, name);
	if (strcmp(package, "libc6") == 0 || strncmp(package, "linux-image-", 12) == 0)
		return mem_printf("%s-dbg", package);
	return mem_printf("%s-dbgsym", package);
}

/* Whether a directory has an entry of that pattern. */
static bool has_entry(const char *root, const char *path, const char *pattern)
{
	char *dir = mem_printf("%s%s", root, path);
	DIR *d = opendir(dir);
	bool found = false;
	struct dirent *e;

	while (d && !found && (e = readdir(d)))
		found = fnmatch(pattern, e->d_name, FNM_EXTMATCH) == 0;
	if (d)
		closedir(d);
	free(dir);
	return found;
}

/* A word of /etc/os-release: malloc'd, or NULL. */
static char *os_word(const char *root, const char *key)
{
	char *path = mem_printf("%s/etc/os-release", root), *text, *word = NULL;
	size_t size, len = strlen(key);

	if (io_read_file(path, 64 << 10, &text, &size) == 0) {
		for (char *line = text; line && !word; line = strchr(line, '\n')) {
			line += *line == '\n';
			if (strncmp(line, key, len) == 0 && line[len] == '=') {
				line += len + 1;
				line += *line == '"';
				word = mem_strndup(line, strcspn(line, "\"\n"));
			}
			if (!*line)
				break;
		}
		free(text);
	}
	free(path);
	return word;
}

static char *archive_hint(const char *root)
{
	char *id = os_word(root, "ID"), *codename = os_word(root, "VERSION_CODENAME"), *hint;

	if (id && strcmp(id, "ubuntu") == 0)
		hint = mem_strdup(" (needs the archive of debug symbols, ddebs, in apt's sources)");
	else if (codename)
		hint = mem_printf(" (needs the archive %s-debug in apt's sources)", codename);
	else
		hint = mem_strdup(" (needs the archive of debug packages in apt's sources)");
	free(id);
	free(codename);
	return hint;
}

char *remedy_package_command(const char *root, const char *package)
{
	char *debug = debug_package(package), *list = mem_printf("%s?(:*).list", debug), *command, *hint;

	if (has_entry(root, "/var/lib/dpkg/info", list)) {
		command = mem_printf("apt install %s %s (both of one version)", package, debug);
	} else {
		hint = ends_with(debug, "-dbg") || has_entry(root, "/var/lib/apt/lists", "*@(-debug_|ddebs)*") ? mem_strdup("")
													       : archive_hint(root);
		command = mem_printf("apt install %s%s", debug, hint);
		free(hint);
	}
	free(list);
	free(debug);
	return command;
}

/* One word for a shell; NULL where no terminal could show it as it is to be typed. */
static char *shell_word(const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:@%,";
	char *word, *to;

	if (text[strspn(text, plain)] == 0 && text[0])
		return mem_strdup(text);
	to = word = mem_alloc(4 * strlen(text) + 3);
	*to++ = '\'';
	for (; *text; text++) {
		if ((unsigned char)*text < ' ' || (unsigned char)*text >= 0x7f) {
			free(word);
			return NULL;
		}
		if (*text == '\'')
			to = stpcpy(to, "'\\'");
		*to++ = *text;
	}
	strcpy(to, "'");
	return word;
}

char *remedy_package_rpm_command(const char *path)
{
	char *word = shell_word(path), *command = word ? mem_printf("dnf debuginfo-install $(rpm -qf %s)", word) : NULL;

	free(word);
	return command ? command : mem_strdup("dnf debuginfo-install of the package that the file is from");
}

bool remedy_package_is_rpm(const char *root)
{
	return !exists(root, "/var/lib/dpkg/info") && (exists(root, "/var/lib/rpm") || exists(root, "/usr/lib/sysimage/rpm"));
}
