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

/* Why it cannot be read, or NULL. `made_s`: a file that was changed since then is not read; 0: any is. */
static char *read_text(struct source_text *t, const char *path, int64_t made_s)
{
	int fd = io_open_regular(path), err;
	struct stat st;
	char *why = NULL;

	if (fd < 0)
		return mem_strdup(fd == -ENOTSUP ? "it is no regular file" : strerror(-fd));
	if (fstat(fd, &st) == 0)
		t->mtime_s = st.st_mtime;
	if (made_s && t->mtime_s > made_s)
		why = mem_strdup("it was changed after the program was made");
	err = why ? 0 : io_read_rest(fd, MAX_BYTES, &t->data, &t->size);
	if (err)
		why = mem_strdup(err == -EFBIG ? "it has more than 16 MB" : strerror(-err));
	close(fd);
	find_lines(t);
	return why;
}

struct source_text *source_text_open(const struct source_text_options *o, const char *file, int64_t made_s)
{
	struct source_text *t = mem_zalloc(sizeof(*t));
	char *path = source_text_path(o, file), *why;

	/* Most machines do not have the source of most programs. */
	if (path && access(path, F_OK) == 0) {
		why = read_text(t, path, made_s);
		t->why = why ? mem_printf("%s is not shown: %s", path, why) : NULL;
		free(why);
	}
	free(path);
	return t;
}

struct source_text *source_text_read(const char *path)
{
	struct source_text *t = mem_zalloc(sizeof(*t));

	t->why = read_text(t, path, 0);
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
