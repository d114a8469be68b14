/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What calls that made or changed descriptors say of them: inodes, devices, addresses of sockets. They are kept as bytes beside the path.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "model/syscall_files.h"

/* What has no path of its own, as the kernel's links have it. 0: it has a path, which is not in the description. */
static uint32_t own_name(struct syscall_log *l, const struct syscall_file *f)
{
	enum { SOCKETS = 0x534f434b, PIPES = 0x50495045, ANONYMOUS = 0x09041934 };
	char text[SYSCALL_FILE_NAME + 32];
	int len = (int)f->name_size;

	if (f->magic == SOCKETS)
		snprintf(text, sizeof(text), "socket:[%llu]", f->inode);
	else if (f->magic == PIPES)
		snprintf(text, sizeof(text), "pipe:[%llu]", f->inode);
	else if (syscall_file_is_pidfd(f))
		snprintf(text, sizeof(text), "anon_inode:[pidfd]");
	else if (f->magic == ANONYMOUS)
		snprintf(text, sizeof(text), "anon_inode:%.*s", len, f->name);
	else
		return 0;
	return open_files_intern(&l->files, text, strlen(text));
}

static bool is_memfd(const struct syscall_file *f)
{
	return f->name_size > 6 && !memcmp(f->name, "memfd:", 6);
}

bool syscall_files_has_name(struct syscall_log *l, const struct syscall_file *f)
{
	return own_name(l, f) || is_memfd(f);
}

/* Equal ones are kept once, without what is behind the name. */
static uint32_t keep_file(struct syscall_log *l, struct syscall_file f)
{
	f.fd = 0;
	f.is_cloexec = 0;
	return open_files_intern(&l->files, (const char *)&f, offsetof(struct syscall_file, name) + f.name_size);
}

static void get_file(const struct syscall_log *l, uint32_t id, struct syscall_file *f)
{
	memset(f, 0, sizeof(*f));
	memcpy(f, open_files_path(&l->files, id), strtab_len(&l->files.paths, id));
}

/* The other end of a UNIX socket that was accepted has a peer from now on; it is looked for in the same process alone. */
static void connect_peer(struct syscall_log *l, int32_t pid, const struct syscall_file *f)
{
	struct syscall_file other;

	for (struct open_file *i = NULL; (i = open_files_next(&l->files, pid, i));) {
		if (!i->what)
			continue;
		get_file(l, i->what, &other);
		if (other.family != f->family || other.inode != f->peer_inode || other.peer_inode)
			continue;
		other.peer_inode = f->inode;
		i->what = keep_file(l, other);
	}
}

/* Whether a UNIX socket has a peer that it did not have when it was last described. */
static bool has_new_peer(struct syscall_log *l, int32_t pid, const struct syscall_file *f)
{
	const struct open_file *known = open_files_find(&l->files, pid, f->fd);
	struct syscall_file before;

	if (f->family != AF_UNIX || !f->peer_inode)
		return false;
	if (!known || !known->what)
		return true;
	get_file(l, known->what, &before);
	return before.inode != f->inode || before.peer_inode != f->peer_inode;
}

static void describe_fd(struct syscall_log *l, int32_t pid, const struct syscall_file *f)
{
	struct open_file *known;
	char text[SYSCALL_FILE_NAME + 32];

	if (has_new_peer(l, pid, f))
		connect_peer(l, pid, f);
	known = open_files_get(&l->files, pid, f->fd);
	if (!known)
		return;
	known->what = keep_file(l, *f);
	known->is_cloexec = f->is_cloexec;
	if (known->path)
		return;
	known->path = own_name(l, f);
	if (!known->path && is_memfd(f)) {
		snprintf(text, sizeof(text), "/%.*s (deleted)", (int)f->name_size, f->name);
		known->path = open_files_intern(&l->files, text, strlen(text));
	}
	known->is_asked |= known->path != 0;
}

void syscall_files_describe(struct syscall_log *l, const struct traced *t)
{
	for (uint32_t i = 0; i < t->nr_files; i++) {
		struct syscall_file f = t->files[i];

		if (syscall_file_is_pidfd(&f))
			f.port_id = t->call.def && !strcmp(t->call.def->name, "pidfd_open") ? (uint32_t)t->call.args[0] : 0;
		describe_fd(l, t->task->pid, &f);
	}
}

bool syscall_log_file(struct syscall_log *l, const struct task *task, int fd, struct syscall_file *f)
{
	const struct open_file *known = open_files_find(&l->files, task->pid, fd);

	if (!known || !known->what)
		return false;
	get_file(l, known->what, f);
	return true;
}
