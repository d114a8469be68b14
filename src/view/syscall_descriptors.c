/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Descriptors: their numbers and, between < and >, what they stand for: a path (strace -y), and with -yy devices by their numbers and sockets by
 * their protocol and addresses.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "abi/syscall_flags.h"
#include "view/syscall_writer.h"

/* ---- sockets ---- */

static void address_put(struct syscall_writer *w, const struct syscall_file *f, const uint8_t *address, uint16_t port)
{
	char text[INET6_ADDRSTRLEN] = "";

	inet_ntop(f->family, address, text, sizeof(text));
	out_printf(w->o, f->family == AF_INET6 ? "[%s]:%u" : "%s:%u", text, port);
}

static bool is_inet(const struct syscall_file *f)
{
	return f->family == AF_INET || f->family == AF_INET6;
}

/* One that is not bound has none, and the port of a raw socket is its protocol. */
static bool has_addresses(const struct syscall_file *f)
{
	return is_inet(f) && f->socket_type != SOCK_RAW && f->local_port;
}

/* strace knows these. */
static bool has_protocol(const struct syscall_file *f)
{
	return (is_inet(f) || f->family == AF_UNIX || f->family == AF_NETLINK) && f->protocol_name[0];
}

static void inet_put(struct syscall_writer *w, const struct syscall_file *f)
{
	address_put(w, f, f->local, f->local_port);
	if (!f->remote_port)
		return;
	out_mem(w->o, "->", 2);
	address_put(w, f, f->remote, f->remote_port);
}

static void unix_put(struct syscall_writer *w, const struct syscall_file *f)
{
	const uint8_t *name = (const uint8_t *)f->name;

	out_u64(w->o, f->inode, 0);
	if (f->peer_inode) {
		out_mem(w->o, "->", 2);
		out_u64(w->o, f->peer_inode, 0);
	}
	if (!f->name_size || f->name_size > sizeof(f->name))
		return;
	if (*name) {
		out_char(w->o, ',');
		syscall_put_quoted(w, name, strnlen(f->name, f->name_size), 0);
	} else {
		out_mem(w->o, ",@", 2);
		syscall_put_quoted(w, name + 1, f->name_size - 1, 0);
	}
}

static void netlink_put(struct syscall_writer *w, const struct syscall_file *f)
{
	static const char prefix[] = "NETLINK_";
	const char *name = syscall_flag_name(&syscall_flags_netlink_protocol, f->protocol);

	if (name && !strncmp(name, prefix, sizeof(prefix) - 1))
		out_str(w->o, name + sizeof(prefix) - 1);
	else
		out_u64(w->o, f->protocol, 0);
	out_char(w->o, ':');
	out_u64(w->o, f->port_id, 0);
}

static void protocol_put(struct syscall_writer *w, const struct syscall_file *f)
{
	syscall_put_quoted(w, (const uint8_t *)f->protocol_name, strnlen(f->protocol_name, sizeof(f->protocol_name)), SYSCALL_QUOTE_BARE);
}

static void socket_put(struct syscall_writer *w, const struct syscall_file *f)
{
	protocol_put(w, f);
	out_mem(w->o, ":[", 2);
	if (has_addresses(f))
		inet_put(w, f);
	else if (f->family == AF_UNIX)
		unix_put(w, f);
	else if (f->family == AF_NETLINK && f->port_id)
		netlink_put(w, f);
	else
		out_u64(w->o, f->inode, 0);
	out_char(w->o, ']');
}

/* ---- descriptors ---- */

/* `device`: its numbers are behind the path; or NULL. */
static void path_put(struct syscall_writer *w, const char *path, const struct syscall_file *device)
{
	static const char deleted[] = " (deleted)";
	size_t len = strnlen(path, SYSCALL_MAX_PATH), tail = sizeof(deleted) - 1;
	bool is_deleted = len > tail && !memcmp(path + len - tail, deleted, tail);

	out_char(w->o, '<');
	syscall_put_quoted(w, (const uint8_t *)path, is_deleted ? len - tail : len, SYSCALL_QUOTE_BARE);
	if (device)
		out_printf(w->o, "<%s %u:%u>", S_ISBLK(device->mode) ? "block" : "char", device->device >> 20, device->device & 0xfffff);
	out_char(w->o, '>');
	if (is_deleted)
		out_str(w->o, deleted + 1);
}

/* More than a path, as far as it is asked for and known. */
static uint32_t details_find(const struct syscall_writer *w, int fd, struct syscall_file *f)
{
	const struct syscall_text_options *opts = w->opts;
	uint32_t wanted = opts->show_fds & ~(uint32_t)SYSCALL_FD_PATH;

	if (!wanted || fd < 0 || !opts->fd_file || !opts->fd_file(opts->ctx, fd, f))
		return 0;
	if (f->family)
		return has_protocol(f) ? wanted & SYSCALL_FD_SOCKET : 0;
	if (syscall_file_is_pidfd(f))
		return f->port_id ? wanted & SYSCALL_FD_PIDFD : 0;
	return S_ISBLK(f->mode) || S_ISCHR(f->mode) ? wanted & SYSCALL_FD_DEVICE : 0;
}

static void fd_path_put(struct syscall_writer *w, int fd)
{
	const struct syscall_text_options *opts = w->opts;
	struct syscall_file f;
	uint32_t details = details_find(w, fd, &f);
	bool has_path = details ? details == SYSCALL_FD_DEVICE : opts->show_fds & SYSCALL_FD_PATH;
	const char *path = has_path && opts->fd_path ? opts->fd_path(opts->ctx, fd) : NULL;

	if (details == SYSCALL_FD_SOCKET) {
		out_char(w->o, '<');
		socket_put(w, &f);
		out_char(w->o, '>');
	} else if (details == SYSCALL_FD_PIDFD) {
		out_printf(w->o, "<pid:%u>", f.port_id);
	} else if (path) {
		path_put(w, path, details ? &f : NULL);
	}
}

void syscall_put_fd(struct syscall_writer *w, int fd)
{
	syscall_put_s64(w->o, fd);
	if (fd >= 0)
		fd_path_put(w, fd);
}

void syscall_put_new_fd(struct syscall_writer *w, int fd)
{
	if (w->opts->shape == SYSCALL_PERF)
		syscall_put_s64(w->o, fd);
	else
		syscall_put_fd(w, fd);
}

void syscall_put_dirfd(struct syscall_writer *w, int fd)
{
	if (fd != AT_FDCWD) {
		syscall_put_fd(w, fd);
		return;
	}
	out_str(w->o, w->drops_prefix ? "CWD" : "AT_FDCWD");
	if (!w->drops_prefix)
		fd_path_put(w, fd);
}
