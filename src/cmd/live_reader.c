/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The recorder and its reader. Signals are the recorder's.
 */
#include "cmd/live_reader.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "perfdata/reader.h"

#define PIPE_BLOCKS 64 /* of a megabyte each: what waits while the output is slow */

struct live_reader {
	const struct session_options *options;
	live_read_fn *read;
	void *ctx;
	struct record_pipe *pipe;
	int err;
	struct errbuf eb;
};

static void *read_all(void *arg)
{
	struct live_reader *r = arg;
	struct record_source *source;
	struct session *s;

	r->err = reader_open_pipe(&source, r->pipe, "the recorder", &r->eb);
	if (!r->err)
		r->err = session_open(&s, source, r->options, &r->eb);
	if (r->err)
		return NULL;
	r->err = r->read(r->ctx, s, &r->eb);
	if (!r->err && s->recording.damage->err)
		r->err = errbuf_set(&r->eb, s->recording.damage->err, "%s", s->recording.damage->text);
	session_close(s);
	return NULL;
}

int live_reader_run(struct capture_options *o, const struct session_options *options, live_read_fn *read, void *ctx, struct errbuf *eb)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
	struct live_reader r = { .options = options, .read = read, .ctx = ctx };
	pthread_t thread;
	sigset_t all, old;
	int ret, err;

	r.pipe = o->output_pipe = record_pipe_new(PIPE_BLOCKS);
	sigfillset(&all);
	/* A crash reaches its handler, which gives a screen back. */
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		sigdelset(&all, crashes[i]);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	err = pthread_create(&thread, NULL, read_all, &r);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (err) {
		record_pipe_free(r.pipe);
		return errbuf_set(eb, -err, "cannot start a thread: %s", strerror(err));
	}
	ret = capture_run(o, eb);
	record_pipe_end(r.pipe);
	pthread_join(thread, NULL);
	record_pipe_free(r.pipe);
	if (ret == -EPIPE || (ret >= 0 && r.err)) {
		ret = r.err;
		errbuf_set(eb, ret, "%s", r.eb.text);
	}
	return ret;
}
