/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The descriptors of each process: their paths by the calls that open, copy and close them, else as the kernel has them now; and what was
 * described of them.
 */
#include "model/syscall_files.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define TMPFILE_BIT 020000000 /* of O_TMPFILE, in all architectures */
#define MSGHDR_CONTROL_LEN 40 /* where struct msghdr of 64-bit programs has it */
/* Of ioctl(2). */
#define IOCTL_CLOEXEC 0x5451
#define IOCTL_NO_CLOEXEC 0x5450
#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1u << 2)
#endif

static uint32_t intern(struct syscall_log *l, const char *path)
{
	return open_files_intern(&l->files, path, strlen(path));
}

/* A descriptor that is new. */
static void set_fd(struct syscall_log *l, int32_t pid, int fd, uint32_t path, bool is_cloexec)
{
	open_files_set(&l->files, pid, fd, path, is_cloexec);
}

/* Live, it is kept that it is closed: what /proc has for that number may be older or newer. */
static void close_fd(struct syscall_log *l, int32_t pid, int fd)
{
	if (l->read_fd)
		set_fd(l, pid, fd, 0, false);
	else
		open_files_close(&l->files, pid, fd);
}

static void closed_range(struct syscall_log *l, const struct traced *t)
{
	uint32_t first = (uint32_t)t->call.args[0], last = (uint32_t)t->call.args[1];
	struct open_file *next, *f = open_files_next(&l->files, t->task->pid, NULL);

	for (; f; f = next) {
		next = open_files_next(&l->files, t->task->pid, f);
		if ((uint32_t)f->fd < first || (uint32_t)f->fd > last)
			continue;
		if (t->call.args[2] & CLOSE_RANGE_CLOEXEC)
			f->is_cloexec = true;
		else
			close_fd(l, t->task->pid, f->fd);
	}
}

static const char *cwd_of(struct syscall_log *l, int32_t pid)
{
	uint32_t cwd = open_files_cwd(&l->files, pid);
	char path[PATH_MAX];

	if (!cwd && l->cwd)
		cwd = intern(l, l->cwd);
	else if (!cwd && l->read_fd && l->read_fd(l->read_fd_ctx, pid, SYSCALL_CWD, path, sizeof(path)))
		cwd = intern(l, path);
	if (cwd)
		open_files_set_cwd(&l->files, pid, cwd);
	return cwd ? open_files_path(&l->files, cwd) : NULL;
}

const char *syscall_log_path(struct syscall_log *l, const struct task *task, int fd)
{
	struct open_file *known;
	char path[PATH_MAX];

	if (fd == SYSCALL_CWD)
		return cwd_of(l, task->pid);
	known = open_files_find(&l->files, task->pid, fd);
	if ((!known || !known->is_asked || l->is_partial) && l->read_fd && fd >= 0) {
		bool is_there = l->read_fd(l->read_fd_ctx, task->pid, fd, path, sizeof(path));

		/* What cannot be read is not tried again: a call that opens it says what it is. */
		known = open_files_get(&l->files, task->pid, fd);
		if (known) {
			known->path = is_there ? intern(l, path) : 0;
			known->is_asked = true;
		}
	}
	return known && known->path ? open_files_path(&l->files, known->path) : NULL;
}

/* A path that is relative to a directory, as far as that is known. */
static uint32_t join(struct syscall_log *l, const struct task *task, int dirfd, uint32_t path)
{
	const char *text = open_files_path(&l->files, path), *dir;
	char *whole;
	uint32_t id;

	if (!path || *text == '/')
		return path;
	dir = syscall_log_path(l, task, dirfd);
	if (!dir)
		return path;
	while (!strncmp(text, "./", 2))
		text += 2;
	/* The kernel has no longer ones: such a path grows by ".." or by what a file claims. */
	if (strlen(dir) + strlen(text) + 2 > PATH_MAX)
		return 0;
	whole = mem_printf("%s%s%s", dir, dir[1] ? "/" : "", text);
	id = intern(l, whole);
	free(whole);
	return id;
}

bool syscall_log_full_path(struct syscall_log *l, const struct task *task, int dirfd, const char *path, size_t len, char *buf, size_t size)
{
	const char *dir = len && *path == '/' ? NULL : syscall_log_path(l, task, dirfd);

	for (; dir && len > 2 && !strncmp(path, "./", 2); len -= 2)
		path += 2;
	return (size_t)snprintf(buf, size, "%s%s%.*s", dir ? dir : "", dir && dir[1] ? "/" : "", (int)len, path) < size;
}

/* What is open is the file itself, not a link to it. */
static uint32_t resolve(struct syscall_log *l, uint32_t path)
{
	char *to = path && l->resolve ? l->resolve(open_files_path(&l->files, path)) : NULL;

	if (to)
		path = intern(l, to);
	free(to);
	return path;
}

static uint32_t path_argument(struct syscall_log *l, const struct syscall_call *c)
{
	for (uint32_t i = 0; i < c->nr_memory; i++) {
		const struct syscall_memory *m = &c->memory[i];

		if (c->def->args[m->arg].kind == SYSCALL_ARG_PATH && m->size && !m->has_failed)
			return open_files_intern(&l->files, (const char *)m->data, strnlen((const char *)m->data, m->size));
	}
	return 0;
}

enum effect {
	EFFECT_UNKNOWN,
	EFFECT_NONE,
	EFFECT_OPEN,
	EFFECT_OPENAT,
	EFFECT_CLOSE,
	EFFECT_CLOSE_RANGE,
	EFFECT_COPY,
	EFFECT_FCNTL,
	EFFECT_EXEC,
	EFFECT_CHDIR,
	EFFECT_NEW,
	EFFECT_PAIR,
	EFFECT_IOCTL,
	EFFECT_RECEIVE
};

static enum effect effect_of(const struct syscall_def *def)
{
	static const struct {
		const char *name;
		enum effect effect;
	} effects[] = {
		{ "open", EFFECT_OPEN },
		{ "openat", EFFECT_OPENAT },
		{ "close", EFFECT_CLOSE },
		{ "dup", EFFECT_COPY },
		{ "dup2", EFFECT_COPY },
		{ "dup3", EFFECT_COPY },
		{ "fcntl", EFFECT_FCNTL },
		{ "fcntl64", EFFECT_FCNTL },
		{ "execve", EFFECT_EXEC },
		{ "execveat", EFFECT_EXEC },
		{ "chdir", EFFECT_CHDIR },
		{ "fchdir", EFFECT_CHDIR },
		{ "pipe", EFFECT_PAIR },
		{ "pipe2", EFFECT_PAIR },
		{ "socketpair", EFFECT_PAIR },
		{ "ioctl", EFFECT_IOCTL },
		{ "close_range", EFFECT_CLOSE_RANGE },
		{ "recvmsg", EFFECT_RECEIVE },
		{ "recvmmsg", EFFECT_RECEIVE },
		{ "recvmmsg_time64", EFFECT_RECEIVE },
	};

	for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++)
		if (!strcmp(def->name, effects[i].name))
			return effects[i].effect;
	return def->result == SYSCALL_ARG_FD ? EFFECT_NEW : EFFECT_NONE;
}

void syscall_log_add_calls(struct syscall_set *set, enum syscall_abi abi)
{
	for (uint32_t nr = 0; nr < syscall_limit(abi); nr++) {
		const struct syscall_def *def = syscall_get(abi, nr);

		if (def && ((effect_of(def) != EFFECT_NONE && effect_of(def) != EFFECT_IOCTL) || syscall_changes_socket(def)))
			syscall_set_put(set, abi, nr);
	}
}

static void copy_fd(struct syscall_log *l, const struct traced *t, int from, int to)
{
	const char *path = syscall_log_path(l, t->task, from);
	const struct open_file *known = open_files_find(&l->files, t->task->pid, from);
	uint32_t what = known ? known->what : 0;
	struct open_file *copy;

	set_fd(l, t->task->pid, to, path ? intern(l, path) : 0, false);
	copy = open_files_find(&l->files, t->task->pid, to);
	if (copy)
		copy->what = what;
}

/* What has no path of its own the kernel describes ("socket:[1234]"), while the process has it. */
static void made(struct syscall_log *l, const struct traced *t)
{
	bool is_described = t->nr_files && t->files[0].fd == (int)t->call.result && syscall_files_has_name(l, &t->files[0]);
	char now[PATH_MAX];
	bool is_there = !is_described && l->read_fd && l->read_fd(l->read_fd_ctx, t->task->pid, (int)t->call.result, now, sizeof(now));

	set_fd(l, t->task->pid, (int)t->call.result, is_there ? intern(l, now) : 0, false);
}

/* Both of pipe() and socketpair(). */
static void made_pair(struct syscall_log *l, const struct traced *t)
{
	for (uint32_t i = 0; i < t->nr_files; i++)
		set_fd(l, t->task->pid, t->files[i].fd, 0, false);
}

/* Whether descriptors may have come with a message: the room for control messages that the kernel has used, of one or several. */
static bool has_control(const struct syscall_call *c)
{
	bool is_known = false;

	for (uint32_t i = 0; i < c->nr_memory; i++) {
		const struct syscall_memory *m = &c->memory[i];
		uint8_t type = c->def->args[m->arg].type;
		uint32_t size = type == SYSCALL_TYPE_MSGHDR ? 56 : 64;

		if (m->address || !m->is_at_exit || (type != SYSCALL_TYPE_MSGHDR && type != SYSCALL_TYPE_MMSGHDR))
			continue;
		is_known = true;
		for (uint32_t at = 0; at + size <= m->size; at += size) {
			uint64_t len;

			memcpy(&len, m->data + at + MSGHDR_CONTROL_LEN, sizeof(len));
			if (len)
				return true;
		}
	}
	return !is_known;
}

/* O_TMPFILE: a file without a name in that directory, as the kernel's links have it. */
static uint32_t inside(struct syscall_log *l, uint32_t dir, const struct traced *t)
{
	const struct syscall_file *f = t->nr_files ? &t->files[0] : NULL;
	char *path;
	uint32_t id;

	if (!f || !f->name_size)
		return 0;
	path = mem_printf("%s/%.*s (deleted)", open_files_path(&l->files, dir), (int)f->name_size, f->name);
	id = intern(l, path);
	free(path);
	return id;
}

static void opened(struct syscall_log *l, const struct traced *t, int dirfd, uint64_t flags)
{
	uint32_t path = resolve(l, join(l, t->task, dirfd, path_argument(l, &t->call)));

	if (path && (flags & TMPFILE_BIT))
		path = inside(l, path, t);

	/* A path that was not recorded (tracepoints have none) the kernel still knows. */
	if (!path && l->read_fd) {
		made(l, t);
		return;
	}
	set_fd(l, t->task->pid, (int)t->call.result, path, flags & O_CLOEXEC);
}

static void changed_dir(struct syscall_log *l, const struct traced *t)
{
	uint32_t path = path_argument(l, &t->call);
	const char *dir = path ? NULL : syscall_log_path(l, t->task, (int)t->call.args[0]);

	path = path ? join(l, t->task, SYSCALL_CWD, path) : dir ? intern(l, dir) : 0;
	open_files_set_cwd(&l->files, t->task->pid, path);
}

static enum effect known_effect(struct syscall_log *l, const struct syscall_call *c)
{
	size_t half = sizeof(l->effects) / 2;
	uint8_t *effect = &l->effects[c->nr % half + (c->abi == SYSCALL_I386 ? half : 0)];

	if (*effect == EFFECT_UNKNOWN)
		*effect = (uint8_t)effect_of(c->def);
	return (enum effect) * effect;
}

static bool is_fcntl_copy(const struct syscall_call *c)
{
	return c->args[1] == F_DUPFD || c->args[1] == F_DUPFD_CLOEXEC;
}

/* fcntl() of F_DUPFD returns one, though of other requests the result is none. */
bool syscall_log_makes_fd(struct syscall_log *l, const struct traced *t)
{
	if (t->kind != TRACED_CALL || !t->call.def)
		return false;
	return t->call.def->result == SYSCALL_ARG_FD || (known_effect(l, &t->call) == EFFECT_FCNTL && is_fcntl_copy(&t->call));
}

/* Of a descriptor that is known: whether it goes on when a program is executed. */
static void set_cloexec(struct syscall_log *l, const struct traced *t, int fd, bool is_cloexec)
{
	struct open_file *known = open_files_find(&l->files, t->task->pid, fd);

	if (known)
		known->is_cloexec = is_cloexec;
}

static void changed_by_fcntl(struct syscall_log *l, const struct traced *t)
{
	const struct syscall_call *c = &t->call;

	if (is_fcntl_copy(c)) {
		copy_fd(l, t, (int)c->args[0], (int)c->result);
		set_cloexec(l, t, (int)c->result, c->args[1] == F_DUPFD_CLOEXEC);
	} else if (c->args[1] == F_SETFD) {
		set_cloexec(l, t, (int)c->args[0], c->args[2] & FD_CLOEXEC);
	}
}

static void apply_effect(struct syscall_log *l, const struct traced *t)
{
	const struct syscall_call *c = &t->call;

	switch (known_effect(l, c)) {
	case EFFECT_OPEN:
		opened(l, t, SYSCALL_CWD, c->args[1]);
		break;
	case EFFECT_OPENAT:
		opened(l, t, (int)c->args[0], c->args[2]);
		break;
	case EFFECT_CLOSE:
		close_fd(l, t->task->pid, (int)c->args[0]);
		break;
	case EFFECT_CLOSE_RANGE:
		closed_range(l, t);
		break;
	case EFFECT_FCNTL:
		changed_by_fcntl(l, t);
		break;
	case EFFECT_IOCTL:
		if (c->args[1] == IOCTL_CLOEXEC || c->args[1] == IOCTL_NO_CLOEXEC)
			set_cloexec(l, t, (int)c->args[0], c->args[1] == IOCTL_CLOEXEC);
		break;
	case EFFECT_RECEIVE:
		if (l->read_fd && has_control(c))
			open_files_doubt(&l->files, t->task->pid);
		break;
	case EFFECT_COPY:
		copy_fd(l, t, (int)c->args[0], (int)c->result);
		if (c->def->nr_args > 2)
			set_cloexec(l, t, (int)c->result, c->args[2] & O_CLOEXEC);
		break;
	case EFFECT_EXEC:
		open_files_exec(&l->files, t->task->pid);
		break;
	case EFFECT_CHDIR:
		changed_dir(l, t);
		break;
	case EFFECT_NEW:
		made(l, t);
		break;
	case EFFECT_PAIR:
		made_pair(l, t);
		break;
	default:
		break;
	}
}

void syscall_log_apply(struct syscall_log *l, const struct traced *t)
{
	if (t->kind == TRACED_EXIT)
		syscall_log_end_task(l, t->task->tid);
	if (t->kind == TRACED_EXIT && t->task->tid == t->task->pid && !t->superseded_by)
		open_files_forget(&l->files, t->task->pid);
	if (t->kind != TRACED_CALL || !t->call.def || !t->call.has_ended)
		return;
	if (t->call.result >= 0)
		apply_effect(l, t);
	/* A connect() that goes on, too. */
	syscall_files_describe(l, t);
}
