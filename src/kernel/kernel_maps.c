/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The kernel's own maps. Printing all of kallsyms costs the kernel 40 ms, which is more than a whole short recording: the first symbol is
 * near its beginning, and the end of the text is the size of "Kernel code" in /proc/iomem. Only where that is hidden is kallsyms read up to
 * _etext.
 */
#include "kernel/proc_scan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/vec.h"
#include "kernel/sysctl.h"

#define KALLSYMS "/proc/kallsyms"

struct kernel_module {
	uint64_t start; /* first, for compare_u64() */
	uint64_t size;
	char *name;
	char *path; /* NULL: not found */
};

struct module_list {
	VEC(struct kernel_module) modules;
	struct hindex by_name;
	struct arena arena;
};

struct symbol_search {
	const char *name;
	uint64_t addr;
	bool found;
};

/* Reads kallsyms until one of `want` is found, or to its end; others of them next to it (they are neighbours) are found as well. */
static int find_symbols(struct symbol_search *want, size_t nr_want)
{
	char buf[16384];
	size_t len = 0, nr_found = 0;
	int fd = open(KALLSYMS, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	while (!nr_found) {
		ssize_t n = read(fd, buf + len, sizeof(buf) - len);
		char *line = buf, *nl;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += (size_t)n;
		while ((nl = memchr(line, '\n', len - (size_t)(line - buf)))) {
			char *name;

			*nl = '\0';
			/* "ffffffff81000000 T _text", and "\t[module]" behind those of modules */
			name = strchr(line, ' ');
			name = name ? strchr(name + 1, ' ') : NULL;
			for (size_t i = 0; i < nr_want && name; i++)
				if (!want[i].found && !strcmp(name + 1, want[i].name)) {
					want[i].addr = strtoull(line, NULL, 16);
					want[i].found = true;
					nr_found++;
				}
			line = nl + 1;
		}
		len -= (size_t)(line - buf);
		memmove(buf, line, len);
		if (len == sizeof(buf))
			break;
	}
	close(fd);
	return 0;
}

/* The size of the kernel's text by /proc/iomem; 0 where it is hidden. */
static uint64_t iomem_text_size(void)
{
	char *text, *line;
	uint64_t start = 0, end = 0;

	if (io_read_file("/proc/iomem", 1 << 20, &text, NULL))
		return 0;
	line = strstr(text, " : Kernel code");
	if (line) {
		char *p = line;

		while (p > text && p[-1] != '\n')
			p--;
		start = strtoull(p, &p, 16);
		if (*p == '-')
			end = strtoull(p + 1, NULL, 16);
	}
	free(text);
	return end > start ? end - start + 1 : 0;
}

/* Returns the name of the map: its suffix is the symbol at its start. arm64 lists no _text. */
static const char *find_text(struct kernel_maps *km)
{
	struct symbol_search refs[] = { { .name = "_text" }, { .name = "_stext" } }, text;
	uint64_t size;

	if (find_symbols(refs, 2))
		return NULL;
	text = refs[0].found ? refs[0] : refs[1];
	if (!text.addr) {
		km->restricted = text.found;
		return NULL;
	}
	km->text_start = text.addr;
	size = iomem_text_size();
	if (!size) {
		struct symbol_search etext = { .name = "_etext" };

		if (!find_symbols(&etext, 1) && etext.addr > text.addr)
			size = etext.addr - text.addr;
	}
	km->text_end = size ? text.addr + size : UINT64_MAX;
	return refs[0].found ? "[kernel.kallsyms]_text" : "[kernel.kallsyms]_stext";
}

static int emit_map(const struct record_sink *sink, uint64_t start, uint64_t len, uint64_t pgoff, const char *name)
{
	struct record_header header = { .type = RECORD_MMAP, .misc = MISC_KERNEL };
	struct record rec = {
		.header = &header,
		.mmap = { .pid = UINT32_MAX, .start = start, .len = len, .pgoff = pgoff, .filename = name },
	};

	return sink->record(sink->ctx, &rec);
}

static void read_modules(struct module_list *l)
{
	char *text, *line, *save = NULL;

	if (io_read_file("/proc/modules", 16 << 20, &text, NULL))
		return;
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char name[128];
		unsigned long long size, addr;
		struct kernel_module m = { 0 };

		if (sscanf(line, "%127s %llu %*s %*s %*s %llx", name, &size, &addr) != 3 || !addr || !size)
			continue;
		m.start = addr;
		m.size = size;
		m.name = arena_str(&l->arena, name, strlen(name));
		vec_push(&l->modules, m);
	}
	free(text);
}

/* The module's name from its file's: no directory, no suffixes, and '_' for '-'. */
static size_t module_name(const char *path, size_t len, char *name, size_t size)
{
	const char *slash = memrchr(path, '/', len);
	const char *base = slash ? slash + 1 : path;
	size_t n = 0;

	for (; base < path + len && *base != '.' && n < size; base++)
		name[n++] = *base == '-' ? '_' : *base;
	return n;
}

/* modules.dep names every module file of this kernel, "path: dependencies", relative to its directory. */
static void find_module_files(struct module_list *l)
{
	struct utsname uts;
	char path[512], name[128];
	char *text, *line, *save = NULL;

	if (uname(&uts))
		return;
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", uts.release);
	if (io_read_file(path, 64 << 20, &text, NULL))
		return;
	for (uint32_t i = 0; i < l->modules.nr; i++) {
		const char *s = l->modules.v[i].name;

		hindex_add(&l->by_name, hash_bytes(s, strlen(s), 0), i);
	}
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		size_t len = strcspn(line, ":"), n = module_name(line, len, name, sizeof(name));
		uint32_t id = HINDEX_FIND_ITEM(&l->by_name, hash_bytes(name, n, 0), &l->modules, m,
					       strlen(m->name) == n && !memcmp(m->name, name, n) && !m->path);
		char *full;

		if (id == HINDEX_NONE)
			continue;
		full = mem_printf("/lib/modules/%s/%.*s", uts.release, (int)len, line);
		l->modules.v[id].path = arena_str(&l->arena, full, strlen(full));
		free(full);
	}
	free(text);
}

static int scan_modules(struct kernel_maps *km, const struct record_sink *sink)
{
	struct module_list l = { 0 };
	int err = 0;

	read_modules(&l);
	if (l.modules.nr) {
		vec_sort(&l.modules, compare_u64);
		find_module_files(&l);
	}
	for (uint32_t i = 0; i < l.modules.nr && !err; i++) {
		const struct kernel_module *m = &l.modules.v[i];
		char bracketed[160];

		snprintf(bracketed, sizeof(bracketed), "[%s]", m->name);
		err = emit_map(sink, m->start, m->size, 0, m->path ? m->path : bracketed);
		km->nr_modules++;
	}
	hindex_fini(&l.by_name);
	vec_fini(&l.modules);
	arena_fini(&l.arena);
	return err;
}

int kernel_maps_scan(struct kernel_maps *km, const struct record_sink *sink)
{
	const char *name;
	int err;

	memset(km, 0, sizeof(*km));
	name = find_text(km);
	if (!name)
		return 0;
	err = emit_map(sink, km->text_start, km->text_end - km->text_start, km->text_start, name);
	if (!err)
		err = scan_modules(km, sink);
	return err;
}

const char *kernel_maps_advice(const struct kernel_maps *km)
{
	if (!km->restricted)
		return NULL;
	if (sysctl_kptr_restrict() > 0)
		return "kernel symbols are hidden (kernel.kptr_restrict): 'sudo sysctl kernel.kptr_restrict=0', or record as root";
	return "kernel symbols are hidden from this user (kernel.perf_event_paranoid is above 1): 'sudo sysctl "
	       "kernel.perf_event_paranoid=1', or record as root";
}
