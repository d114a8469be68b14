/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Buffered output. To an fd, the buffer is flushed when full; without one it grows. After the first error everything is dropped, and the
 * buffer is scratch memory, so that callers need not check each append.
 */
#include "base/out.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/digits.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/pager.h"

#define OUT_BUFFER_SIZE (256u << 10)
/* Handing a buffer to the writer wakes a thread: larger ones for less of that. */
#define OUT_BEHIND_SIZE (1u << 20)

/* Behind out_write_behind(): two buffers and one thread, exchanged under a lock, once for each buffer. */
struct out_writer {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int fd;
	char *buf; /* being written while `busy`, else spare */
	size_t len;
	bool busy;
	bool is_awaited; /* by the filler */
	bool quit;
	int error;
};

static void *writer_main(void *arg)
{
	struct out_writer *w = arg;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		int err = 0;

		while (!w->busy && !w->quit)
			pthread_cond_wait(&w->changed, &w->lock);
		if (!w->busy)
			break;
		pthread_mutex_unlock(&w->lock);
		if (!w->error)
			err = io_write(w->fd, w->buf, w->len, NULL);
		pthread_mutex_lock(&w->lock);
		if (!w->error)
			w->error = err;
		w->busy = false;
		/* Wake only a filler that waits, and only when it can go on at once. */
		if (w->is_awaited) {
			pthread_mutex_unlock(&w->lock);
			pthread_cond_signal(&w->changed);
			pthread_mutex_lock(&w->lock);
		}
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* NULL where no thread can be started. */
static struct out_writer *writer_new(int fd, size_t cap)
{
	struct out_writer *w = mem_zalloc(sizeof(*w));

	w->fd = fd;
	w->buf = mem_alloc(cap);
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
	if (!pthread_create(&w->thread, NULL, writer_main, w))
		return w;
	free(w->buf);
	free(w);
	return NULL;
}

/* Exchanges a full buffer for an empty one, once the last one is written; *error is the first error so far. */
static char *writer_swap(struct out_writer *w, char *buf, size_t len, int *error)
{
	char *spare;

	pthread_mutex_lock(&w->lock);
	w->is_awaited = w->busy;
	while (w->busy)
		pthread_cond_wait(&w->changed, &w->lock);
	w->is_awaited = false;
	spare = w->buf;
	w->buf = buf;
	w->len = len;
	w->busy = !w->error;
	*error = w->error;
	pthread_mutex_unlock(&w->lock);
	pthread_cond_signal(&w->changed);
	return spare;
}

/* Waits for the buffer handed over last. Returns the first error. */
static int writer_free(struct out_writer *w)
{
	int error;

	if (!w)
		return 0;
	pthread_mutex_lock(&w->lock);
	w->quit = true;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	error = w->error;
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
	free(w->buf);
	free(w);
	return error;
}

void out_init(struct out *o, int fd)
{
	*o = (struct out){ .fd = fd };
	if (fd >= 0) {
		o->cap = OUT_BUFFER_SIZE;
		o->buf = mem_alloc(o->cap);
	}
}

bool out_is_colourful(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && !getenv("NO_COLOR") && term && strcmp(term, "dumb") != 0;
}

void out_page(struct out *o)
{
	o->is_paged = o->fd == STDOUT_FILENO;
}

/* Late, so that messages of what fails before and progress bars are the terminal's own. */
static void out_begin(struct out *o)
{
	if (o->is_paged)
		pager_start();
	o->is_paged = false;
}

static void out_grow(struct out *o, size_t need)
{
	size_t cap = o->cap < 512 ? 512 : o->cap;

	while (cap < need) {
		if (cap > SIZE_MAX / 2)
			mem_die(need);
		cap *= 2;
	}
	o->buf = mem_realloc(o->buf, cap, 1);
	o->cap = cap;
}

void out_write_behind(struct out *o)
{
	if (o->fd < 0 || o->writer || o->cap != OUT_BUFFER_SIZE)
		return;
	o->writer = writer_new(o->fd, OUT_BEHIND_SIZE);
	if (o->writer)
		out_grow(o, OUT_BEHIND_SIZE);
}

static void out_stop_writer(struct out *o)
{
	int err = writer_free(o->writer);

	o->writer = NULL;
	if (!o->error)
		o->error = err;
}

int out_fini(struct out *o)
{
	int err;

	out_flush(o);
	out_stop_writer(o);
	err = o->error;
	free(o->buf);
	o->buf = NULL;
	o->len = o->cap = 0;
	return err;
}

void out_limit(struct out *o, uint64_t bytes)
{
	o->limit = bytes;
}

/* How many of `size` bytes may still be written. */
static size_t out_take(struct out *o, size_t size)
{
	if (o->fd < 0 || !o->limit)
		return size;
	if (size > o->limit - o->written) {
		size = (size_t)(o->limit - o->written);
		o->is_at_limit = true;
	}
	o->written += size;
	return size;
}

int out_flush(struct out *o)
{
	if (!o->error)
		o->len = out_take(o, o->len);
	if (o->len && !o->error)
		out_begin(o);
	if (o->error) {
		o->len = 0;
	} else if (o->writer && o->len) {
		o->buf = writer_swap(o->writer, o->buf, o->len, &o->error);
		o->len = 0;
	} else if (o->fd >= 0 && o->len) {
		o->error = io_write(o->fd, o->buf, o->len, NULL);
		o->len = 0;
	}
	if (o->is_at_limit && !o->error)
		o->error = OUT_LIMIT_REACHED;
	return o->error;
}

char *out_room_slow(struct out *o, size_t size)
{
	if (o->fd >= 0 || o->error)
		out_flush(o);
	if (o->cap - o->len < size) {
		if (o->writer)
			out_stop_writer(o); /* its buffers are all of one size: too small for this */
		if (size > SIZE_MAX - o->len)
			mem_die(size);
		out_grow(o, o->len + size);
	}
	return o->buf + o->len;
}

void out_mem_slow(struct out *o, const void *data, size_t size)
{
	if (o->error)
		return;
	if (o->fd >= 0 && !o->writer && size >= o->cap) {
		/* Larger than the buffer: not worth a copy. */
		if (!out_flush(o)) {
			out_begin(o);
			o->error = io_write(o->fd, data, out_take(o, size), NULL);
		}
		if (o->is_at_limit && !o->error)
			o->error = OUT_LIMIT_REACHED;
		return;
	}
	while (o->writer && size > o->cap) {
		const size_t part = o->cap;

		memcpy(out_room(o, part), data, part);
		o->len += part;
		data = (const char *)data + part;
		size -= part;
	}
	memcpy(out_room(o, size), data, size);
	o->len += size;
}

void out_spaces(struct out *o, int nr)
{
	if (nr <= 0 || o->error)
		return;
	memset(out_room(o, (size_t)nr), ' ', (size_t)nr);
	o->len += (size_t)nr;
}

const char digit_pairs[200 + 1] = "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
				  "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

void out_last_digits(char *p, uint32_t v, int nr)
{
	for (; nr >= 2; nr -= 2) {
		memcpy(p + nr - 2, digit_pairs + v % 100 * 2, 2);
		v /= 100;
	}
	if (nr)
		p[0] = (char)('0' + v % 10);
}

/* Makes room for blanks that right-align `len` digits in `width`, and for the digits; returns where these go. */
static inline char *out_blanks(struct out *o, size_t len, int width)
{
	size_t pad = width > 0 && (size_t)width > len ? (size_t)width - len : 0;
	char *p = out_room(o, pad + DIGITS_PAD);

	if (pad <= DIGITS_PAD)
		memset(p, ' ', DIGITS_PAD);
	else
		memset(p, ' ', pad);
	o->len += pad + len;
	return p + pad;
}

void out_u64(struct out *o, uint64_t v, int width)
{
	size_t len = digits_decimal_len(v);

	digits_decimal(out_blanks(o, len, width), v, len);
}

void out_hex(struct out *o, uint64_t v, int width)
{
	digits_hex(out_blanks(o, digits_hex_len(v), width), v);
}

void out_printf(struct out *o, const char *fmt, ...)
{
	va_list ap, again;
	size_t room;
	char *p;
	int len;

	if (o->error)
		return;
	p = out_room(o, 128);
	room = o->cap - o->len;
	va_start(ap, fmt);
	va_copy(again, ap);
	len = vsnprintf(p, room, fmt, ap);
	va_end(ap);
	if (len > 0 && (size_t)len >= room) {
		p = out_room(o, (size_t)len + 1);
		vsnprintf(p, (size_t)len + 1, fmt, again);
	}
	va_end(again);
	/* out_room() may have met an error while flushing; then this is dropped like the rest. */
	if (len > 0 && !o->error)
		o->len += (size_t)len;
}
