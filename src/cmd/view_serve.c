/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay view --serve: the page on this machine's loopback, for machines without a desktop. A few connections at a time, each of one request; a browser
 * opens some that it does not use. Where all are taken, one that has asked for nothing yet makes room: who does not know the address cannot keep
 * others out. Ends with Ctrl-C.
 */
#include "cmd/view.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/http_request.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/out.h"
#include "base/stop.h"

#define MAX_CONNECTIONS 16u
#define POLL_MS 1000
#define MAX_IDLE_NS UINT64_C(30000000000) /* of a connection that sends no whole request, or takes nothing of the answer */

struct connection {
	int fd;		   /* -1: none */
	uint64_t since_ns; /* accepted, or when something was sent last */
	char request[HTTP_REQUEST_MAX];
	size_t nr_read;
	struct out head;
	const char *body;
	size_t body_len, nr_sent; /* nr_sent: of head and body */
};

struct server {
	int fd;
	struct http_service service;
	char path[40];
	const char *page;
	size_t page_len;
	char refusal[256]; /* the answer to a request under another Host */
	struct connection connections[MAX_CONNECTIONS];
};

static void connection_close(struct connection *c)
{
	close(c->fd);
	c->fd = -1;
	out_fini(&c->head);
}

static const char *reason_of(int status)
{
	switch (status) {
	case 200:
		return "OK";
	case 403:
		return "Forbidden";
	case 404:
		return "Not Found";
	case 405:
		return "Method Not Allowed";
	}
	return "Bad Request";
}

static void answer(struct server *s, struct connection *c)
{
	bool is_head;
	int status = http_request_status(&s->service, c->request, c->nr_read, &is_head);

	c->body = status == 200 ? s->page : status == 403 ? s->refusal : reason_of(status);
	c->body_len = status == 200 ? s->page_len : strlen(c->body);
	out_printf(&c->head,
		   "HTTP/1.1 %d %s\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: %zu\r\nCache-Control: no-store\r\n"
		   "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"
		   "Content-Security-Policy: frame-ancestors 'none'\r\nConnection: close\r\n\r\n",
		   status, reason_of(status), status == 200 ? "text/html" : "text/plain", c->body_len);
	if (is_head)
		c->body_len = 0;
}

/* Reads on, and answers once the request is whole. False: the connection has ended. */
static bool connection_read(struct server *s, struct connection *c)
{
	ssize_t nr = recv(c->fd, c->request + c->nr_read, sizeof(c->request) - c->nr_read, 0);

	if (nr <= 0)
		return nr < 0 && (errno == EAGAIN || errno == EINTR);
	c->nr_read += (size_t)nr;
	if (http_request_is_whole(c->request, c->nr_read))
		answer(s, c);
	return c->body || c->nr_read < sizeof(c->request);
}

/* False: all was sent, or its reader has gone. */
static bool connection_write(struct connection *c)
{
	bool in_head = c->nr_sent < c->head.len;
	const char *from = in_head ? c->head.buf + c->nr_sent : c->body + (c->nr_sent - c->head.len);
	size_t left = in_head ? c->head.len - c->nr_sent : c->body_len - (c->nr_sent - c->head.len);
	ssize_t nr = left ? send(c->fd, from, left, MSG_NOSIGNAL) : 0;

	if (nr < 0)
		return errno == EAGAIN || errno == EINTR;
	c->nr_sent += (size_t)nr;
	c->since_ns = clock_now_ns();
	return c->nr_sent < c->head.len + c->body_len;
}

/* A free place, or that of the connection that has waited longest without a request; NULL: all are being answered. */
static struct connection *find_place(struct server *s)
{
	struct connection *oldest = NULL;

	for (uint32_t i = 0; i < MAX_CONNECTIONS; i++) {
		struct connection *c = &s->connections[i];

		if (c->fd < 0)
			return c;
		if (!c->body && (!oldest || c->since_ns < oldest->since_ns))
			oldest = c;
	}
	return oldest;
}

static void take_connection(struct server *s)
{
	struct connection *c = find_place(s);
	int fd = c ? accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK) : -1;

	if (fd < 0)
		return;
	if (c->fd >= 0)
		connection_close(c);
	c->fd = fd;
	c->since_ns = clock_now_ns();
	c->nr_read = c->nr_sent = 0;
	c->body = NULL;
	out_init(&c->head, -1);
}

/* What poll() found of one connection. */
static void serve_connection(struct server *s, struct connection *c, short events)
{
	bool lives = true;

	if (events)
		lives = c->body ? connection_write(c) : connection_read(s, c);
	if (!lives || clock_now_ns() - c->since_ns > MAX_IDLE_NS)
		connection_close(c);
}

static int serve_until_stopped(struct server *s, struct errbuf *eb)
{
	while (!stop_signal) {
		struct pollfd fds[MAX_CONNECTIONS + 1];

		for (uint32_t i = 0; i < MAX_CONNECTIONS; i++)
			fds[i] = (struct pollfd){ .fd = s->connections[i].fd, .events = s->connections[i].body ? POLLOUT : POLLIN };
		fds[MAX_CONNECTIONS] = (struct pollfd){ .fd = find_place(s) ? s->fd : -1, .events = POLLIN };
		if (poll(fds, MAX_CONNECTIONS + 1, POLL_MS) < 0) {
			if (errno == EINTR)
				continue;
			return errbuf_set(eb, -errno, "cannot wait for connections: %s", strerror(errno));
		}
		for (uint32_t i = 0; i < MAX_CONNECTIONS; i++)
			if (s->connections[i].fd >= 0)
				serve_connection(s, &s->connections[i], fds[i].revents);
		if (fds[MAX_CONNECTIONS].revents)
			take_connection(s);
	}
	return 0;
}

/* A path that other users of this machine cannot guess. */
static int make_path(struct server *s, struct errbuf *eb)
{
	uint64_t words[2];

	if (getrandom(words, sizeof(words), 0) != sizeof(words))
		return errbuf_set(eb, -EIO, "cannot get random numbers: %s", strerror(errno));
	snprintf(s->path, sizeof(s->path), "/%016llx%016llx/", (unsigned long long)words[0], (unsigned long long)words[1]);
	s->service.path = s->path;
	return 0;
}

static int listen_on(struct server *s, uint16_t port, struct errbuf *eb)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	int on = 1;

	s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->fd < 0)
		return errbuf_set(eb, -errno, "cannot open a socket: %s", strerror(errno));
	setsockopt(s->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(s->fd, (struct sockaddr *)&address, sizeof(address)) || listen(s->fd, MAX_CONNECTIONS) ||
	    getsockname(s->fd, (struct sockaddr *)&address, &size))
		return errbuf_set(eb, -errno, "cannot listen on port %u of 127.0.0.1: %s; choose another with --port, or none", port,
				  strerror(errno));
	s->service.port = ntohs(address.sin_port);
	snprintf(s->refusal, sizeof(s->refusal),
		 "Forbidden: this page is served as localhost:%u and 127.0.0.1:%u only; from another machine, forward the same port: "
		 "ssh -L %u:127.0.0.1:%u HOST\n",
		 s->service.port, s->service.port, s->service.port, s->service.port);
	return 0;
}

/* Where there is a desktop. A browser that cannot be started is no failure: the address is printed. */
static void open_browser(char *url)
{
	char *argv[] = { (char[]){ "xdg-open" }, url, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t defaults;
	pid_t pid;

	if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY"))
		return;
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	sigaddset(&defaults, SIGINT);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigdefault(&attr, &defaults);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawnp(&pid, argv[0], &actions, &attr, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
}

int view_serve(const char *page, size_t len, uint16_t port, struct errbuf *eb)
{
	struct server *s = mem_zalloc(sizeof(*s));
	char *url = NULL;
	int err;

	s->fd = -1;
	s->page = page;
	s->page_len = len;
	for (uint32_t i = 0; i < MAX_CONNECTIONS; i++)
		s->connections[i].fd = -1;
	err = make_path(s, eb);
	if (!err)
		err = listen_on(s, port, eb);
	if (err)
		goto out;
	stop_install();
	url = mem_printf("http://127.0.0.1:%u%s", s->service.port, s->path);
	printf("%s\n", url);
	fflush(stdout);
	log_warn("serving the page until Ctrl-C; from another machine: ssh -L %u:127.0.0.1:%u HOST", s->service.port, s->service.port);
	open_browser(url);
	err = serve_until_stopped(s, eb);
out:
	for (uint32_t i = 0; i < MAX_CONNECTIONS; i++)
		if (s->connections[i].fd >= 0)
			connection_close(&s->connections[i]);
	if (s->fd >= 0)
		close(s->fd);
	free(url);
	free(s);
	return err;
}
