/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Buffered output to a file descriptor, or into memory (fd = -1). Appending never fails visibly; the first error is kept in `error` and
 * returned by out_flush(): also EPIPE (`assay script | head`) and OUT_LIMIT_REACHED. Loops that print much check `error`.
 */
#ifndef ASSAY_BASE_OUT_H
#define ASSAY_BASE_OUT_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct out_writer;

#define OUT_LIMIT_REACHED (-EOVERFLOW)

struct out {
	char *buf;
	size_t len;
	size_t cap;
	int fd; /* -1: grows in memory */
	int error;
	uint64_t limit, written; /* bytes to the fd; limit 0: none */
	bool is_at_limit;
	bool is_paged;		   /* a pager is to be started before the first byte */
	struct out_writer *writer; /* NULL: the thread that fills the buffer writes it, too */
};

void out_init(struct out *o, int fd);
/* No more than so many bytes go to the fd: then OUT_LIMIT_REACHED is its error. */
void out_limit(struct out *o, uint64_t bytes);
/* For a person to read: through a pager, where the fd is a terminal (base/pager.h). */
void out_page(struct out *o);
/* For large output: a thread, if one can be started, writes one buffer while the next is filled. Errors show up a buffer later. */
void out_write_behind(struct out *o);
/* Flushes and frees; returns the first error. Does not close the fd. */
int out_fini(struct out *o);
int out_flush(struct out *o);
/* Makes room for `size` more bytes and gives the place to write them; then out_advance(). */
char *out_room_slow(struct out *o, size_t size);
static inline char *out_room(struct out *o, size_t size)
{
	if (o->cap - o->len >= size)
		return o->buf + o->len;
	return out_room_slow(o, size);
}
static inline void out_advance(struct out *o, size_t size)
{
	o->len += size;
}
/* Whether to use colours: a terminal that can, and no NO_COLOR. */
bool out_is_colourful(int fd);
void out_mem_slow(struct out *o, const void *data, size_t size);
static inline void out_mem(struct out *o, const void *data, size_t size)
{
	if (!size)
		return;
	if (o->cap - o->len < size) {
		out_mem_slow(o, data, size);
		return;
	}
	memcpy(o->buf + o->len, data, size);
	o->len += size;
}
static inline void out_str(struct out *o, const char *s)
{
	out_mem(o, s, strlen(s));
}
static inline void out_char(struct out *o, char c)
{
	*out_room(o, 1) = c;
	o->len++;
}
void out_spaces(struct out *o, int nr);
/* Writes the last `nr` decimal digits of `v`, with leading zeros, to a place in a buffer. */
void out_last_digits(char *p, uint32_t v, int nr);
/* Decimal / lower-case hex, right-aligned in at least `width` columns padded with blanks (width 0: as is). */
void out_u64(struct out *o, uint64_t v, int width);
void out_hex(struct out *o, uint64_t v, int width);
void out_printf(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
