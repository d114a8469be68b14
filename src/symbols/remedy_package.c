/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The lists of dpkg: /var/lib/dpkg/info/PACKAGE.list (or PACKAGE:ARCH.list) has the files of a package, a line each. They are read until
 * one names the file, likely ones first: some milliseconds. Paths are compared with and without /usr, because distributions moved /lib and
 * /bin below it while packages still say the old name.
 */
#include "symbols/remedy.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"

#define MAX_LIST_BYTES (16u << 20)
/* Letters that a file and its package have in common. */
#define LIKELY_PREFIX 5

static bool exists(const char *root, const char *path)
{
	char *full = mem_printf("%s%s", root, path);
	struct stat st;
	bool ok = stat(full, &st) == 0;

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

/* Automatic debug packages have this name; two kinds have older names. */
static char *debug_package(const char *package)
{
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
