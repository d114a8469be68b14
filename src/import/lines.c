/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reading in large pieces. A line that goes over the end of a piece is moved to the front, and the piece grows where one does not fit.
 */
#include "import/reading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/mem.h"
#include "symbols/unpack.h"

#define PIECE_BYTES ((size_t)1 << 20)
#define MAX_LINE ((size_t)64 << 20)
#define MAX_BYTES ((size_t)2 << 30) /* of what has to be in memory as a whole */

/* Reads on; false at the end. */
static bool read_more(struct import_lines *l)
{
	ssize_t got;

	if (l->fd < 0)
		return false;
	if (l->pos) {
		memmove(l->buf, l->buf + l->pos, l->len - l->pos);
		l->len -= l->pos;
		l->pos = 0;
	}
	if (l->cap - l->len < PIECE_BYTES / 2) {
		l->cap = l->cap ? l->cap * 2 : PIECE_BYTES;
		l->buf = mem_realloc(l->buf, l->cap, 1);
	}
	got = io_read(l->fd, l->buf + l->len, l->cap - l->len);
	if (got < 0)
		l->error = (int)got;
	if (got <= 0) {
		l->fd = -1;
		return false;
	}
	l->len += (size_t)got;
	l->bytes_read += (size_t)got;
	return true;
}

int import_lines_read_all(struct import_lines *l, const char **data, size_t *size)
{
	while (l->len - l->pos < MAX_BYTES && read_more(l))
		;
	*data = l->buf + l->pos;
	*size = l->len - l->pos;
	return l->error ? l->error : l->fd >= 0 ? -EFBIG : 0;
}

static const char *unpacker_of(const char *packed)
{
	return *packed == '\x1f' ? "gzip" : *packed == '\x28' ? "zstd" : "xz";
}

char *import_lines_remedy(const struct import_lines *l, const char *name)
{
	bool is_file = strcmp(name, "standard input");

	if (!l->unpacker)
		return mem_strdup("");
	return mem_printf("; it can come unpacked: %s -dc%s%s | assay import", l->unpacker, is_file ? " " : "", is_file ? name : "");
}

static int unpack(struct import_lines *l, const char *name, struct import_builder *b, struct errbuf *eb)
{
	const char *packed;
	size_t size, max, unpacked_size;
	void *unpacked;
	char *remedy;
	int err = import_lines_read_all(l, &packed, &size);

	if (err)
		return errbuf_set(eb, err, "cannot read %s: %s", name, strerror(-err));
	import_allow(b, l->bytes_read);
	max = budget_limit(&b->allowance.memory) / 2;
	if (max > MAX_BYTES)
		max = MAX_BYTES;
	l->unpacker = unpacker_of(packed);
	err = unpack_any(packed, size, max, &unpacked, &unpacked_size);
	if (err == -EFBIG) {
		remedy = import_lines_remedy(l, name);
		errbuf_set(eb, err, "%s unpacks to more than %zu MB, which is the limit for a file of its size%s", name, max >> 20, remedy);
		free(remedy);
		return err;
	}
	if (err)
		return errbuf_set(eb, err, "%s is damaged: it cannot be unpacked", name);
	free(l->buf);
	l->buf = unpacked;
	l->pos = 0;
	l->len = l->cap = unpacked_size;
	import_charge(b, unpacked_size);
	return 0;
}

static bool is_packed(const char *s, size_t len)
{
	return len > 6 && (!memcmp(s, "\x1f\x8b", 2) || !memcmp(s, "\x28\xb5\x2f\xfd", 4) || !memcmp(s, "\3757zXZ", 6));
}

/* The byte order mark that some editors put in front of UTF-8. */
static void skip_mark(struct import_lines *l)
{
	if (l->len >= 3 && !memcmp(l->buf, "\xef\xbb\xbf", 3))
		l->pos = 3;
}

/* Zeroes that a file does not have cost nothing to write. */
static int refuse_holes(int fd, const char *name, struct errbuf *eb)
{
	struct stat st;
	uint64_t present;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return 0;
	present = io_bytes_present(fd, 0, UINT64_MAX);
	if (present >= (uint64_t)st.st_size / 2)
		return 0;
	return errbuf_set(eb, -ENOEXEC, "%s is no profile: most of it are holes (%llu of its %llu bytes are there)", name,
			  (unsigned long long)present, (unsigned long long)st.st_size);
}

int import_lines_open(struct import_lines *l, int fd, const char *name, struct import_builder *b, struct errbuf *eb)
{
	int err;

	memset(l, 0, sizeof(*l));
	l->fd = fd;
	err = refuse_holes(fd, name, eb);
	if (err)
		return err;
	read_more(l);
	if (l->error)
		return errbuf_set(eb, l->error, "cannot read %s: %s", name, strerror(-l->error));
	l->is_packed = is_packed(l->buf, l->len);
	if (l->is_packed)
		err = unpack(l, name, b, eb);
	if (!err)
		skip_mark(l);
	return err;
}

void import_lines_init(struct import_lines *l, const void *data, size_t size)
{
	memset(l, 0, sizeof(*l));
	l->fd = -1;
	l->buf = mem_alloc(size + 1);
	if (size)
		memcpy(l->buf, data, size);
	l->len = l->cap = l->bytes_read = size;
	skip_mark(l);
}

void import_lines_fini(struct import_lines *l)
{
	free(l->buf);
	l->buf = NULL;
}

/* What is left of a line that is too long. */
static void skip_line(struct import_lines *l)
{
	for (;;) {
		const char *end = memchr(l->buf + l->pos, '\n', l->len - l->pos);

		if (end) {
			l->pos = (size_t)(end - l->buf) + 1;
			return;
		}
		l->pos = l->len;
		if (!read_more(l))
			return;
	}
}

bool import_lines_next(struct import_lines *l, const char **line, size_t *len)
{
	size_t looked_at = 0;
	const char *end;

	if (l->is_too_long)
		skip_line(l);
	l->is_too_long = false;
	while (!(end = l->len - l->pos > looked_at ? memchr(l->buf + l->pos + looked_at, '\n', l->len - l->pos - looked_at) : NULL)) {
		looked_at = l->len - l->pos;
		if (looked_at > MAX_LINE) {
			l->is_too_long = true;
			break;
		}
		if (!read_more(l))
			break;
	}
	if (!end && l->pos == l->len)
		return false;
	*line = l->buf + l->pos;
	*len = end ? (size_t)(end - *line) : l->len - l->pos;
	l->pos += *len + !!end;
	l->nr++;
	if (*len && (*line)[*len - 1] == '\r')
		(*len)--;
	return true;
}
