/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Closing counters: at once, or behind the back of whoever waits for us. The kernel takes tens of
 * milliseconds to let go of each tracepoint, and that is nobody's time but its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "kernel/counters.h"

#define MANY_TRACEPOINTS 8 /* more are closed behind */
#define FDS_BEYOND 32	   /* fds of our own may follow those of the counters */

bool counters_close_slowly(const struct counters *c)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; c->supported && i < c->list->events.nr; i++)
		nr += c->supported[i] && c->list->events.v[i].attr.type == ATTR_TYPE_TRACEPOINT;
	return nr > MANY_TRACEPOINTS;
}

/* In the child: lets go of all that others may wait for, our terminal, pipes, files; but not of the
 * counters, nor of `held`. Fds are reused, so the counters' are not all in one row. */
static void close_all_others(const struct counters *c, int held)
{
	int last = held;
	bool *keep;

	for (uint32_t i = 0; i < c->fds.nr; i++)
		last = c->fds.v[i].fd > last ? c->fds.v[i].fd : last;
	last += FDS_BEYOND;
	keep = mem_zalloc((size_t)last + 1);
	keep[held] = true;
	for (uint32_t i = 0; i < c->fds.nr; i++)
		if (c->fds.v[i].fd >= 0)
			keep[c->fds.v[i].fd] = true;
	for (int fd = 0; fd <= last; fd++)
		if (!keep[fd])
			close(fd);
	free(keep);
}

/* Leaves the fds to a child that does nothing but end, so that whoever waits for us need not wait
 * for the kernel. Who closes last pays, so it waits until we have closed ours: until the fd that is
 * returned is closed, too (-1: there is none). */
static int close_behind(const struct counters *c)
{
	int held[2];
	char none;
	pid_t pid;

	if (pipe2(held, O_CLOEXEC))
		return -1;
	pid = fork();
	if (pid != 0) {
		close(held[0]);
		return held[1];
	}
	close_all_others(c, held[0]);
	setsid();
	while (read(held[0], &none, 1) < 0 && errno == EINTR)
		;
	_exit(0);
}

void counters_close(struct counters *c, bool behind)
{
	int held = -1;

	if (behind && counters_close_slowly(c)) {
		counters_disable(c);
		held = close_behind(c);
	}
	for (uint32_t i = 0; i < c->fds.nr; i++)
		if (c->fds.v[i].fd >= 0)
			close(c->fds.v[i].fd);
	if (held >= 0)
		close(held);
	vec_fini(&c->fds);
	free(c->first);
	free(c->lead);
	free(c->supported);
	free(c->group_buf);
	free(c->order);
	c->order = NULL;
	c->nr_order = 0;
	c->first = c->lead = NULL;
	c->supported = NULL;
	c->group_buf = NULL;
	event_opener_fini(&c->opener);
}
