/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reading /proc/modules: "name size uses users state address", a line a module. Names become parts of paths, so those that are no
 * names are left out.
 */
#include "symbols/kernel_modules.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"

#define MAX_BYTES (16u << 20)
#define NR_FIELDS 6

static bool is_name(const char *name, size_t len)
{
	return len && name[0] != '.' && !memchr(name, '/', len) && !memchr(name, 0, len);
}

/* Splits at spaces; the number of fields, up to NR_FIELDS. */
static int split(const char *line, const char *end, const char *fields[NR_FIELDS], size_t lens[NR_FIELDS])
{
	int nr = 0;

	while (line < end && nr < NR_FIELDS) {
		const char *space = memchr(line, ' ', (size_t)(end - line));

		fields[nr] = line;
		lens[nr++] = (size_t)((space ? space : end) - line);
		line = space ? space + 1 : end;
	}
	return nr;
}

/* "0xffffffffc0200000" → the number; 0 for anything else. */
static uint64_t parse_address(const char *text, size_t len)
{
	char copy[32], *end;
	uint64_t value;

	if (len < 3 || len >= sizeof(copy) || text[0] != '0' || text[1] != 'x')
		return 0;
	memcpy(copy, text, len);
	copy[len] = 0;
	value = strtoull(copy, &end, 16);
	return *end ? 0 : value;
}

void kernel_modules_parse(struct kernel_modules *m, const char *text, size_t size)
{
	const char *end = text + size;

	*m = (struct kernel_modules){ 0 };
	while (text < end) {
		const char *eol = memchr(text, '\n', (size_t)(end - text)), *fields[NR_FIELDS];
		size_t lens[NR_FIELDS];
		uint64_t start;

		if (!eol)
			break;
		if (split(text, eol, fields, lens) == NR_FIELDS && is_name(fields[0], lens[0])) {
			start = parse_address(fields[5], lens[5]);
			if (start)
				vec_push(&m->v, ((struct kernel_module_now){ arena_str(&m->arena, fields[0], lens[0]), start }));
		}
		text = eol + 1;
	}
}

void kernel_modules_read(struct kernel_modules *m)
{
	size_t size;
	char *text;

	*m = (struct kernel_modules){ 0 };
	if (io_read_file("/proc/modules", MAX_BYTES, &text, &size))
		return;
	kernel_modules_parse(m, text, size);
	free(text);
}

void kernel_modules_fini(struct kernel_modules *m)
{
	vec_fini(&m->v);
	arena_fini(&m->arena);
}

const struct kernel_module_now *kernel_modules_find(const struct kernel_modules *m, const char *name)
{
	for (uint32_t i = 0; i < m->v.nr; i++)
		if (strcmp(m->v.v[i].name, name) == 0)
			return &m->v.v[i];
	return NULL;
}

uint64_t kernel_module_inode(const char *name)
{
	uint64_t inode = 0;
	struct stat st;
	char *path;

	if (!is_name(name, strlen(name)))
		return 0;
	path = mem_printf("/sys/module/%s", name);
	if (stat(path, &st) == 0)
		inode = st.st_ino;
	free(path);
	return inode;
}
