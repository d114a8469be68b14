/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reading source files.
 */
#include "symbols/source_text.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

#define MAX_BYTES (16u << 20) /* generated files are some megabytes */

char *source_text_path(const struct source_text_options *o, const char *file)
{
	const char *rest = file;

	if (*file != '/')
		return NULL;
	for (uint64_t i = 0; o->prefix && i < o->nr_stripped; i++) {
		const char *next = strchr(rest + 1, '/');

		if (!next)
			break;
		rest = next;
	}
	return mem_printf("%s%s", o->prefix ? o->prefix : "", rest);
}

static void find_lines(struct source_text *t)
{
	const char *newline;

	for (size_t at = 0; at < t->size; at = (size_t)(newline - t->data) + 1) {
		vec_push(&t->starts, (uint32_t)at);
		newline = memchr(t->data + at, '\n', t->size - at);
		if (!newline)
			break;
	}
}

static void read_text(struct source_text *t, const char *path, int64_t made_s)
{
	int fd = io_open_regular(path), err;
	struct stat st;

	if (fd == -ENOENT || fd == -ENOTDIR)
		return;
	if (fd < 0) {
		t->why = mem_printf("%s is not shown: %s", path, fd == -ENOTSUP ? "it is no regular file" : strerror(-fd));
		return;
	}
	if (fstat(fd, &st) == 0 && made_s && st.st_mtime > made_s)
		t->why = mem_printf("%s is not shown: it was changed after the program was made", path);
	err = t->why ? 0 : io_read_rest(fd, MAX_BYTES, &t->data, &t->size);
	if (err)
		t->why = mem_printf("%s is not shown: %s", path, err == -EFBIG ? "it has more than 16 MB" : strerror(-err));
	close(fd);
	find_lines(t);
}

struct source_text *source_text_open(const struct source_text_options *o, const char *file, int64_t made_s)
{
	struct source_text *t = mem_zalloc(sizeof(*t));
	char *path = source_text_path(o, file);

	if (path)
		read_text(t, path, made_s);
	free(path);
	return t;
}

void source_text_free(struct source_text *t)
{
	if (!t)
		return;
	free(t->data);
	free(t->why);
	vec_fini(&t->starts);
	free(t);
}

const char *source_text_line(const struct source_text *t, uint32_t nr, size_t *len)
{
	uint32_t end;

	if (!nr || nr > t->starts.nr)
		return NULL;
	end = nr < t->starts.nr ? t->starts.v[nr] : (uint32_t)t->size;
	*len = end - t->starts.v[nr - 1];
	while (*len && strchr("\r\n", t->data[t->starts.v[nr - 1] + *len - 1]) && t->data[t->starts.v[nr - 1] + *len - 1])
		--*len;
	return t->data + t->starts.v[nr - 1];
}
