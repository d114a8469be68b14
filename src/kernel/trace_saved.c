/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/trace_saved.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

#define MARK "assay-saved " /* before each line of the copy */
#define PIECE_MAX 800	    /* kernels take 1024 bytes at a time into a buffer, with all that is around */
#define SAVED_MAX (256u << 10)
#define FILES_MAX 128u

int tracefs_write(const char *dir, const char *file, const char *value, bool empties)
{
	size_t len = strlen(value);
	char path[PATH_MAX], *line;
	int fd, err = 0;

	if (snprintf(path, sizeof(path), "%s/%s", dir, file) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, O_WRONLY | O_CLOEXEC | (empties ? O_TRUNC : 0));
	if (fd < 0)
		return -errno;
	/* In one call, and with its line break: a word that may go on is looked at only when the file is closed, which reports no error. */
	line = mem_printf("%s\n", value);
	if (len)
		err = io_write(fd, line, len + 1, NULL);
	free(line);
	close(fd);
	return err;
}

int tracefs_read(const char *dir, const char *file, char *buf, size_t size)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", dir, file) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	return io_read_line(path, buf, size);
}

bool tracefs_has(const char *dir, const char *file)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/%s", dir, file) < (int)sizeof(path) && !access(path, F_OK);
}

void trace_saved_init(struct trace_saved *s, const char *root, const char *dir)
{
	*s = (struct trace_saved){ .root = root, .dir = mem_strdup(dir), .marker_fd = -1 };
}

static void file_fini(struct trace_saved_file *f)
{
	for (uint32_t i = 0; i < f->pieces.nr; i++)
		free(f->pieces.v[i]);
	vec_fini(&f->pieces);
}

void trace_saved_fini(struct trace_saved *s)
{
	if (!s->dir)
		return;
	for (uint32_t i = 0; i < s->files.nr; i++)
		file_fini(&s->files.v[i]);
	vec_fini(&s->files);
	if (s->marker_fd >= 0)
		close(s->marker_fd);
	s->marker_fd = -1;
	free(s->dir);
	s->dir = NULL;
}

static struct trace_saved_file *find(const struct trace_saved *s, const char *file)
{
	for (uint32_t i = 0; i < s->files.nr; i++)
		if (!strcmp(s->files.v[i].file, file))
			return &s->files.v[i];
	return NULL;
}

bool trace_saved_has(const struct trace_saved *s, const char *file)
{
	return find(s, file);
}

static struct trace_saved_file *add_file(struct trace_saved *s, const char *file, size_t len)
{
	struct trace_saved_file *f = vec_add(&s->files);

	*f = (struct trace_saved_file){ .is_list = !strncmp(file, "set_", 4) };
	snprintf(f->file, sizeof(f->file), "%.*s", (int)len, file);
	return f;
}

void trace_saved_forget(struct trace_saved *s, const char *file)
{
	struct trace_saved_file *f = find(s, file);

	if (!f)
		return;
	file_fini(f);
	memmove(f, f + 1, (size_t)(&s->files.v[s->files.nr] - f - 1) * sizeof(*f));
	s->files.nr--;
}

/* Words of a list, as they are written back: "name [module]" by its name. What begins with '#' or "no pid" says that there is none. Functions with
 * an action (a colon) stay where a list is emptied. */
static void split_list(struct trace_saved_file *f, const char *text)
{
	char piece[PIECE_MAX];
	size_t len = 0;

	for (const char *p = text; *p;) {
		size_t line = strcspn(p, "\n"), word = strcspn(p, " \t\n");
		bool counts = word && *p != '#' && strncmp(p, "no pid", 6) != 0 && !memchr(p, ':', word) && word < PIECE_MAX - 2;

		if (counts && len + word + 2 > sizeof(piece)) {
			vec_push(&f->pieces, mem_strndup(piece, len));
			len = 0;
		}
		if (counts) {
			if (len)
				piece[len++] = ' ';
			memcpy(piece + len, p, word);
			len += word;
		}
		p += line;
		p += *p == '\n';
	}
	if (len)
		vec_push(&f->pieces, mem_strndup(piece, len));
}

/* "7 (expanded: 1408)" is 1408 from the first use on. */
static void take_value(struct trace_saved_file *f, const char *text)
{
	const char *expanded = strstr(text, "(expanded: ");
	const char *value = expanded ? expanded + strlen("(expanded: ") : text;

	vec_push(&f->pieces, mem_strndup(value, strcspn(value, expanded ? ")" : "\n")));
}

/* The instance. The open file keeps others from removing it. */
static int open_copy(struct trace_saved *s, struct errbuf *eb)
{
	char path[PATH_MAX];

	if (s->marker_fd >= 0)
		return 0;
	if (mkdir(s->dir, 0700) && errno != EEXIST)
		return errbuf_set(eb, -errno, "cannot make the tracefs instance %s: %s", s->dir, strerror(errno));
	snprintf(path, sizeof(path), "%s/trace_marker", s->dir);
	s->marker_fd = open(path, O_WRONLY | O_CLOEXEC);
	if (s->marker_fd < 0)
		return errbuf_set(eb, -errno, "cannot open %s: %s", path, strerror(errno));
	return 0;
}

static int write_copy(struct trace_saved *s, const struct trace_saved_file *f, struct errbuf *eb)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < (f->pieces.nr ? f->pieces.nr : 1); i++) {
		char *line = mem_printf(MARK "%s %c%s\n", f->file, i ? '+' : '=', f->pieces.nr ? f->pieces.v[i] : "");
		ssize_t n = write(s->marker_fd, line, strlen(line));

		if (n != (ssize_t)strlen(line))
			err = errbuf_set(eb, n < 0 ? -errno : -EIO, "cannot keep a copy of tracefs' %s in %s: %s", f->file, s->dir,
					 n < 0 ? strerror(errno) : "it was cut");
		free(line);
	}
	return err;
}

int trace_saved_keep(struct trace_saved *s, const char *file, struct errbuf *eb)
{
	struct trace_saved_file *f;
	char path[PATH_MAX], *text;
	int err;

	if (find(s, file))
		return 0;
	snprintf(path, sizeof(path), "%s/%s", s->root, file);
	err = io_read_file(path, SAVED_MAX, &text, NULL);
	if (err == -EFBIG)
		return errbuf_set(eb, err,
				  "%s has more functions than can be kept and put back: it has to be changed, because this kernel has it "
				  "once for all. 'echo > %s' empties it",
				  path, path);
	if (err)
		return errbuf_set(eb, err, "cannot read %s: %s", path, strerror(-err));
	err = strcmp(text, "X\n") ? 0 : errbuf_set(eb, -EBUSY, "%s is another on each CPU and could not be put back", path);
	if (!err)
		err = open_copy(s, eb);
	if (!err) {
		f = add_file(s, file, strlen(file));
		if (f->is_list)
			split_list(f, text);
		else
			take_value(f, text);
		err = write_copy(s, f, eb);
	}
	free(text);
	return err;
}

static int restore_file(const struct trace_saved *s, const struct trace_saved_file *f)
{
	int err = f->is_list || !f->pieces.nr ? tracefs_write(s->root, f->file, "", true) : 0;

	for (uint32_t i = 0; !err && i < f->pieces.nr; i++)
		err = tracefs_write(s->root, f->file, f->pieces.v[i], false);
	return err;
}

static int restore_all(struct trace_saved *s, struct errbuf *eb)
{
	int err = 0;

	for (uint32_t i = s->files.nr; i-- > 0;) {
		const struct trace_saved_file *f = &s->files.v[i];
		int e = restore_file(s, f);

		if (e && !err)
			err = errbuf_set(eb, e, "cannot put %s/%s back to '%s': %s", s->root, f->file, f->pieces.nr ? f->pieces.v[0] : "",
					 strerror(-e));
	}
	return err;
}

int trace_saved_restore(struct trace_saved *s, struct errbuf *eb)
{
	int err = restore_all(s, eb);

	if (s->marker_fd < 0)
		return err;
	close(s->marker_fd);
	if (rmdir(s->dir) && !err)
		err = errbuf_set(eb, -errno, "cannot remove the tracefs instance %s: %s", s->dir, strerror(errno));
	s->marker_fd = -1;
	return err;
}

/* "FILE =VALUE" or "FILE +VALUE" */
static void parse_line(struct trace_saved *s, const char *p, size_t len)
{
	const char *space = memchr(p, ' ', len);
	char file[TRACE_FILE_MAX];
	struct trace_saved_file *f;
	size_t name = space ? (size_t)(space - p) : 0;

	/* A name of a file below the root, and nowhere else. */
	if (!name || name >= sizeof(file) || len < name + 2 || *p == '/' || memmem(p, name, "..", 2) || memchr(p, 0, len))
		return;
	snprintf(file, sizeof(file), "%.*s", (int)name, p);
	f = find(s, file);
	if (space[1] == '=' && !f && s->files.nr < FILES_MAX)
		f = add_file(s, file, name);
	else if (space[1] != '+' || !f)
		return;
	if (len > name + 2)
		vec_push(&f->pieces, mem_strndup(space + 2, len - name - 2));
}

void trace_saved_parse(struct trace_saved *s, const char *text, size_t size)
{
	const char *end = text + size;

	while (text < end) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));
		size_t len = (size_t)((eol ? eol : end) - text);
		const char *mark = memmem(text, len, MARK, strlen(MARK));

		if (mark && eol) /* a line that was cut is none */
			parse_line(s, mark + strlen(MARK), (size_t)(eol - mark) - strlen(MARK));
		text += len + 1;
	}
}

int trace_saved_repair(struct trace_saved *s, const char *root, const char *dir, struct errbuf *eb)
{
	char path[PATH_MAX], *text;
	size_t size;
	int err;

	trace_saved_init(s, root, dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	err = io_read_file(path, 4 * SAVED_MAX, &text, &size);
	if (err)
		return errbuf_set(eb, err, "cannot read %s: %s", path, strerror(-err));
	trace_saved_parse(s, text, size);
	free(text);
	/* Only one of those who want to repair it can remove it; and none while its owner has it open. */
	if (rmdir(dir))
		return errbuf_set(eb, -errno, "cannot remove the tracefs instance %s: %s", dir, strerror(errno));
	return restore_all(s, eb);
}
