/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A pipe, a thread and zlib. After a failed write the thread goes on reading, so that the writer does not hang.
 */
#include "base/gzip.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/io.h"
#include "base/mem.h"

#define BUFFER_BYTES (64u << 10)
#define PUT_BYTES (1u << 30)  /* zlib counts in 32 bits */
#define GZIP_WINDOW (15 + 16) /* the largest, with a gzip header */
#define MEMORY_LEVEL 8

struct gzip_thread {
	pthread_t thread;
	z_stream z;
	int in_fd, out_fd;
	int error;
	uint8_t in[BUFFER_BYTES], out[BUFFER_BYTES];
};

/* Compresses what is in t->in; `flush` is Z_NO_FLUSH or Z_FINISH. */
static void gzip_add(struct gzip_thread *t, size_t size, int flush)
{
	t->z.next_in = t->in;
	t->z.avail_in = (uInt)size;
	do {
		t->z.next_out = t->out;
		t->z.avail_out = sizeof(t->out);
		deflate(&t->z, flush); /* cannot fail with a stream of ours and room for output */
		if (!t->error)
			t->error = io_write(t->out_fd, t->out, sizeof(t->out) - t->z.avail_out, NULL);
	} while (!t->z.avail_out);
}

static void *gzip_main(void *arg)
{
	struct gzip_thread *t = arg;
	ssize_t nr;

	while ((nr = io_read(t->in_fd, t->in, sizeof(t->in))) > 0)
		gzip_add(t, (size_t)nr, Z_NO_FLUSH);
	if (nr < 0 && !t->error)
		t->error = (int)nr;
	gzip_add(t, 0, Z_FINISH);
	return NULL;
}

int gzip_pipe_open(struct gzip_pipe *g, int out_fd, int level, struct errbuf *eb)
{
	struct gzip_thread *t = mem_zalloc(sizeof(*t));
	int fds[2] = { -1, -1 }, err;

	memset(g, 0, sizeof(*g));
	if (deflateInit2(&t->z, level, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		mem_die(sizeof(t->z));
	if (pipe2(fds, O_CLOEXEC)) {
		err = -errno;
		goto failed;
	}
	t->in_fd = fds[0];
	t->out_fd = out_fd;
	err = -pthread_create(&t->thread, NULL, gzip_main, t);
	if (err)
		goto failed;
	g->in_fd = fds[1];
	g->thread = t;
	return 0;
failed:
	if (fds[0] >= 0) {
		close(fds[0]);
		close(fds[1]);
	}
	deflateEnd(&t->z);
	free(t);
	return errbuf_set(eb, err, "cannot start to compress: %s", strerror(-err));
}

int gzip_pipe_close(struct gzip_pipe *g)
{
	struct gzip_thread *t = g->thread;
	int error;

	if (!t)
		return 0;
	close(g->in_fd);
	pthread_join(t->thread, NULL);
	close(t->in_fd);
	deflateEnd(&t->z);
	error = t->error;
	free(t);
	memset(g, 0, sizeof(*g));
	return error;
}

void gzip_put(struct out *o, const void *bytes, size_t size, int level)
{
	z_stream z = { 0 };
	int ret;

	if (deflateInit2(&z, level, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		mem_die(sizeof(z));
	z.next_in = (Bytef *)(uintptr_t)bytes;
	do {
		size_t chunk = size < PUT_BYTES ? size : PUT_BYTES;

		z.avail_in = (uInt)chunk;
		size -= chunk;
		do {
			z.next_out = (Bytef *)out_room(o, BUFFER_BYTES);
			z.avail_out = BUFFER_BYTES;
			ret = deflate(&z, size ? Z_NO_FLUSH : Z_FINISH);
			out_advance(o, BUFFER_BYTES - z.avail_out);
		} while (!z.avail_out);
	} while (ret != Z_STREAM_END);
	deflateEnd(&z);
}
