/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The protocol: the virtual machine listens at /tmp/.java_pidN once SIGQUIT finds a file /tmp/.attach_pidN of its own user or root. A
 * request is a version and four strings, each with a NUL; the reply is a line with the result, then text up to the end of the connection.
 */
#include "kernel/hotspot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/mem.h"

#define MAX_STATUS_BYTES (64u << 10)
#define FIRST_REPLY_BYTES (64u << 10)
#define LOOK_MS 5
#define NAME_SIZE 32

static int read_status(struct hotspot *h)
{
	char path[32], *text;
	size_t size;
	int err;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)h->pid);
	err = io_read_file(path, MAX_STATUS_BYTES, &text, &size);
	if (err)
		return err == -ENOENT ? -ESRCH : err;
	err = hotspot_parse_status(text, &h->status);
	free(text);
	return err;
}

/* A zombie has no root directory. */
static int open_tmp(struct hotspot *h)
{
	char path[32];
	int root, err = 0;

	snprintf(path, sizeof(path), "/proc/%d/root", (int)h->pid);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	h->tmp_fd = openat(root, "tmp", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (h->tmp_fd < 0)
		err = -errno;
	close(root);
	return err;
}

int hotspot_open(struct hotspot *h, pid_t pid, struct errbuf *eb)
{
	int err;

	*h = (struct hotspot){ .pid = pid, .pid_fd = -1, .tmp_fd = -1 };
	h->pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	err = h->pid_fd < 0 ? -errno : read_status(h);
	if (!err && geteuid() && geteuid() != h->status.uid)
		return errbuf_set(
			eb, -EPERM,
			"process %d (Java) belongs to user %u, and only that user and root may ask it for the names of its compiled code: "
			"record it with sudo",
			(int)pid, (unsigned int)h->status.uid);
	if (!err)
		err = open_tmp(h);
	if (err && err != -ESRCH)
		errbuf_set(eb, err, "process %d (Java) cannot be asked for the names of its compiled code: %s", (int)pid, strerror(-err));
	return err;
}

static void trigger_name(const struct hotspot *h, char name[NAME_SIZE])
{
	snprintf(name, NAME_SIZE, ".attach_pid%d", (int)h->status.ns_pid);
}

static bool is_alive(const struct hotspot *h)
{
	return !syscall(SYS_pidfd_send_signal, h->pid_fd, 0, NULL, 0) || errno == EPERM;
}

static void remove_trigger(struct hotspot *h)
{
	char name[NAME_SIZE];

	trigger_name(h, name);
	if (h->has_trigger)
		unlinkat(h->tmp_fd, name, 0);
	h->has_trigger = false;
}

/* The file stays where the signal may still be on its way: without it, the virtual machine prints stacks. */
void hotspot_close(struct hotspot *h)
{
	if (h->has_trigger && !is_alive(h))
		remove_trigger(h);
	if (h->tmp_fd >= 0)
		close(h->tmp_fd);
	if (h->pid_fd >= 0)
		close(h->pid_fd);
	h->tmp_fd = h->pid_fd = -1;
}

static int make_trigger(struct hotspot *h)
{
	char name[NAME_SIZE];
	struct stat st;
	int fd, err = 0;

	trigger_name(h, name);
	fd = openat(h->tmp_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 && errno != EEXIST)
		return -errno;
	if (fd < 0) /* somebody else asks, too */
		return !fstatat(h->tmp_fd, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) &&
				       (!st.st_uid || st.st_uid == h->status.uid)
			       ? 0
			       : -EEXIST;
	h->has_trigger = true;
	if (h->status.uid != geteuid() && fchown(fd, h->status.uid, h->status.gid))
		err = -errno;
	close(fd);
	return err;
}

/* The socket, not opened: a path that leads to it and to nothing else. -ENOENT: there is none. */
static int find_socket(const struct hotspot *h)
{
	char name[NAME_SIZE];
	struct stat st;
	int fd;

	snprintf(name, sizeof(name), ".java_pid%d", (int)h->status.ns_pid);
	fd = openat(h->tmp_fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISSOCK(st.st_mode) || st.st_uid != h->status.uid) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

/* A connection to the process itself: another's socket at that place would have us read of another's memory. */
static int connect_to(const struct hotspot *h, int socket_fd)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct ucred peer = { 0 };
	socklen_t size = sizeof(peer);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), err = 0;

	if (fd < 0)
		return -errno;
	snprintf(addr.sun_path, sizeof(addr.sun_path), "/proc/self/fd/%d", socket_fd);
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		err = -errno;
	else if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) || peer.pid != h->pid || peer.uid != h->status.uid)
		err = -EPERM;
	if (!err)
		return fd;
	close(fd);
	return err;
}

/* Of a process that has ended the socket stays behind, and the next one of its number removes it when it starts. */
static int try_connect(const struct hotspot *h)
{
	int socket_fd = find_socket(h), fd;

	if (socket_fd < 0)
		return socket_fd;
	fd = connect_to(h, socket_fd);
	close(socket_fd);
	return fd == -ECONNREFUSED ? -ENOENT : fd;
}

static void nap(uint64_t deadline_ns)
{
	uint64_t now = clock_now_ns();
	struct timespec ts = { .tv_nsec = LOOK_MS * (long)NS_PER_MS };

	if (now < deadline_ns)
		nanosleep(&ts, NULL);
}

static int start_listener(struct hotspot *h, struct errbuf *eb)
{
	int err = read_status(h);

	if (!err)
		err = hotspot_check_attach(h, eb);
	if (!err)
		err = make_trigger(h);
	if (!err && syscall(SYS_pidfd_send_signal, h->pid_fd, SIGQUIT, NULL, 0))
		err = -errno;
	if (err)
		remove_trigger(h);
	h->was_signalled = !err;
	return err;
}

/* A connection, or -errno. */
static int connect_until(struct hotspot *h, uint64_t deadline_ns, struct errbuf *eb)
{
	int fd, err;

	while ((fd = try_connect(h)) == -ENOENT || fd == -EAGAIN) {
		err = fd == -ENOENT && !h->was_signalled ? start_listener(h, eb) : 0;
		if (err)
			return err;
		if (clock_now_ns() >= deadline_ns)
			return -ETIMEDOUT;
		if (!is_alive(h))
			return -ESRCH;
		nap(deadline_ns);
	}
	if (fd >= 0)
		remove_trigger(h);
	return fd;
}

static int await(int fd, short events, uint64_t deadline_ns)
{
	struct pollfd p = { .fd = fd, .events = events };
	uint64_t now = clock_now_ns();
	int nr = now >= deadline_ns ? 0 : poll(&p, 1, (int)((deadline_ns - now + NS_PER_MS - 1) / NS_PER_MS));

	if (nr < 0 && errno == EINTR)
		return 0;
	return nr < 0 ? -errno : nr ? 0 : -ETIMEDOUT;
}

static int send_all(int fd, const char *data, size_t size, uint64_t deadline_ns)
{
	int err = 0;

	while (size && !err) {
		ssize_t n = send(fd, data, size, MSG_NOSIGNAL);

		if (n > 0) {
			data += n;
			size -= (size_t)n;
		} else {
			err = n < 0 && errno != EAGAIN && errno != EINTR ? -errno : await(fd, POLLOUT, deadline_ns);
		}
	}
	return err;
}

static int receive_all(int fd, uint64_t deadline_ns, char **reply, size_t *size)
{
	size_t room = FIRST_REPLY_BYTES, len = 0;
	char *text = mem_alloc(room + 1);
	int err = 0;

	while (!err) {
		ssize_t n = recv(fd, text + len, room - len, 0);

		if (!n)
			break;
		if (n < 0) {
			err = errno != EAGAIN && errno != EINTR ? -errno : await(fd, POLLIN, deadline_ns);
			continue;
		}
		len += (size_t)n;
		if (len < room)
			continue;
		room *= 2;
		if (room > HOTSPOT_MAX_REPLY)
			err = -EFBIG;
		else
			text = mem_realloc(text, room + 1, 1);
		/* One that never ends sends without a pause. */
		if (clock_now_ns() >= deadline_ns)
			err = -ETIMEDOUT;
	}
	text[len] = 0;
	*reply = text;
	*size = len;
	return err;
}

/* "0\n" and the text that follows. */
static int take_result(const struct hotspot *h, char *reply, size_t *size, struct errbuf *eb)
{
	char *eol = memchr(reply, '\n', *size);

	if (!eol)
		return -EBADMSG;
	if (eol != reply + 1 || *reply != '0') {
		if (strstr(reply, "Unknown diagnostic command"))
			return errbuf_set(
				eb, -ENOSYS,
				"the Java virtual machine of process %d is too old to tell the names of its compiled code: run the program "
				"with Java 17 or later",
				(int)h->pid);
		return -EBADMSG;
	}
	*size -= 2;
	memmove(reply, eol + 1, *size + 1);
	return 0;
}

static int explain(const struct hotspot *h, int err, struct errbuf *eb)
{
	if (err == -ESRCH)
		return err;
	if (err == -ETIMEDOUT)
		return errbuf_set(eb, err, "process %d (Java) was asked for the names of its compiled code and did not answer in time",
				  (int)h->pid);
	if (err == -EPERM)
		return errbuf_set(eb, err, "the attach socket of process %d (Java) is not its own: it is not used", (int)h->pid);
	return errbuf_set(eb, err, "process %d (Java) cannot be asked for the names of its compiled code: %s", (int)h->pid,
			  err == -EBADMSG ? "it answered something unexpected" : strerror(-err));
}

int hotspot_ask(struct hotspot *h, const char *command, uint64_t deadline_ns, char **reply, size_t *size, struct errbuf *eb)
{
	char request[128];
	int len = snprintf(request, sizeof(request), "1%cjcmd%c%s%c%c", 0, 0, command, 0, 0) + 1, fd, err;

	*reply = NULL;
	*size = 0;
	fd = connect_until(h, deadline_ns, eb);
	if (fd < 0)
		return explain(h, fd, eb);
	err = send_all(fd, request, (size_t)len, deadline_ns);
	if (!err)
		err = receive_all(fd, deadline_ns, reply, size);
	close(fd);
	if (!err)
		err = take_result(h, *reply, size, eb);
	if (!err)
		return 0;
	free(*reply);
	*reply = NULL;
	return explain(h, err, eb);
}

/* Where the virtual machine is about to write: it follows links. */
static int check_place(struct hotspot *h, const char *name, struct errbuf *eb)
{
	struct stat st;
	bool exists = !fstatat(h->tmp_fd, name, &st, AT_SYMLINK_NOFOLLOW);

	if (!h->is_known) {
		h->had_map = exists;
		h->has_agent = exists && hotspot_holds_open(h, &st);
	}
	h->is_known = true;
	if (!exists || (S_ISREG(st.st_mode) && st.st_nlink == 1 && st.st_uid == h->status.uid))
		return 0;
	return errbuf_set(
		eb, -EPERM,
		"/tmp/%s of process %d (Java) is %s: the process is not asked for the names of its compiled code, which it would write there",
		name, (int)h->pid,
		S_ISLNK(st.st_mode)    ? "a symbolic link"
		: !S_ISREG(st.st_mode) ? "no regular file"
		: st.st_nlink > 1      ? "a file with other names, too"
				       : "another user's");
}

static int read_file(const struct hotspot *h, const char *name, char **text, size_t *size, struct errbuf *eb)
{
	char path[32 + NAME_SIZE];
	struct stat st;
	int fd, err = 0;

	snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", h->tmp_fd, name);
	fd = io_open_regular_nofollow(path);
	if (fd < 0)
		return explain(h, fd == -ELOOP || fd == -ENOTSUP ? -EBADMSG : fd, eb);
	if (fstat(fd, &st))
		err = -errno;
	else if (st.st_uid != h->status.uid || st.st_mode & S_IWOTH)
		err = -EBADMSG;
	else if (st.st_size > (off_t)HOTSPOT_MAX_REPLY || (uint64_t)st.st_size > 2 * io_bytes_present(fd, 0, UINT64_MAX) + 4096)
		err = -EFBIG;
	if (!err)
		err = io_read_rest(fd, HOTSPOT_MAX_REPLY, text, size);
	close(fd);
	return err ? explain(h, err, eb) : 0;
}

void hotspot_remove_map(struct hotspot *h)
{
	char name[NAME_SIZE];

	snprintf(name, sizeof(name), "perf-%d.map", (int)h->status.ns_pid);
	if (h->tmp_fd >= 0 && h->is_known && !h->had_map && !h->has_agent)
		unlinkat(h->tmp_fd, name, 0);
}

int hotspot_read_map(struct hotspot *h, bool keep, uint64_t deadline_ns, char **text, size_t *size, struct errbuf *eb)
{
	char name[NAME_SIZE], *reply = NULL;
	int err;

	*text = NULL;
	*size = 0;
	snprintf(name, sizeof(name), "perf-%d.map", (int)h->status.ns_pid);
	err = check_place(h, name, eb);
	if (!err && !h->has_agent)
		err = hotspot_ask(h, "Compiler.perfmap", deadline_ns, &reply, size, eb);
	free(reply);
	if (!err)
		err = read_file(h, name, text, size, eb);
	if (!err && !keep)
		hotspot_remove_map(h);
	return err;
}
