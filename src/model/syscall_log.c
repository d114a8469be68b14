/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Raw bytes of samples, taken apart; they may come from a file, so that every length is checked.
 */
#include "model/syscall_log.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "abi/syscall_sample.h"
#include "base/mem.h"

#define RAW_FIXED (sizeof(struct syscall_sample) - offsetof(struct syscall_sample, common_type))
#define RAW_AT(field) (offsetof(struct syscall_sample, field) - offsetof(struct syscall_sample, common_type))
#define ENTER_ID_AT 8 /* of raw_syscalls' fields, the same in all kernels: long id, then args or ret */
#define ENTER_ARGS_AT 16
#define MAX_FDS (1u << 20) /* of all processes: a file may claim any number */

static int find_event(const struct recording *r, const char *name)
{
	for (uint32_t i = 0; i < r->info->events.nr; i++)
		if (r->info->events.v[i].name && !strcmp(r->info->events.v[i].name, name))
			return (int)i;
	return -1;
}

void syscall_log_init(struct syscall_log *l, const struct recording *r)
{
	memset(l, 0, sizeof(*l));
	l->recording = r;
	l->call_event = l->enter_event = l->exit_event = -1;
	strtab_init(&l->paths);
}

void syscall_log_fini(struct syscall_log *l)
{
	for (uint32_t i = 0; i < l->tasks.nr; i++)
		free(l->tasks.v[i].memory);
	vec_fini(&l->tasks);
	hindex_fini(&l->task_index);
	for (uint32_t i = 0; i < l->processes.nr; i++)
		vec_fini(&l->processes.v[i].fds);
	vec_fini(&l->processes);
	hindex_fini(&l->process_index);
	strtab_fini(&l->paths);
}

/* Events of a pipe are known when the first sample is there. */
static void look_at_events(struct syscall_log *l)
{
	const char *arch = l->recording->info->arch;

	if (l->call_event >= 0 || l->enter_event >= 0 || l->exit_event >= 0)
		return;
	l->call_event = find_event(l->recording, "assay:sys_call");
	l->enter_event = find_event(l->recording, "raw_syscalls:sys_enter");
	l->exit_event = find_event(l->recording, "raw_syscalls:sys_exit");
	l->abi = syscall_native_abi();
	if (arch && !strcmp(arch, "x86_64"))
		l->abi = SYSCALL_X86_64;
	else if (arch && !strcmp(arch, "aarch64"))
		l->abi = SYSCALL_ARM64;
}

static struct syscall_open *task_of(struct syscall_log *l, int32_t tid)
{
	uint64_t h = hash_u64((uint32_t)tid);
	uint32_t i = HINDEX_FIND(&l->task_index, h, id, l->tasks.v[id].tid == tid);

	if (i == HINDEX_NONE) {
		i = l->tasks.nr;
		hindex_add(&l->task_index, h, i);
		vec_push(&l->tasks, ((struct syscall_open){ .tid = tid }));
	}
	return &l->tasks.v[i];
}

static void set_live(struct syscall_log *l, int32_t tid, bool is_live)
{
	struct syscall_open *t = task_of(l, tid);

	if (t->is_live != is_live)
		l->nr_live += is_live ? 1 : -1u;
	t->is_live = is_live;
}

/* ---- memory ---- */

static void add_pieces(struct syscall_call *c, const uint8_t *data, uint32_t size)
{
	struct syscall_piece p;

	for (uint32_t off = 0; size - off >= sizeof(p) && c->nr_memory < sizeof(c->memory) / sizeof(c->memory[0]);) {
		memcpy(&p, data + off, sizeof(p));
		off += (uint32_t)sizeof(p);
		if (p.size > size - off || p.arg >= SYSCALL_MAX_ARGS)
			return;
		c->memory[c->nr_memory++] = (struct syscall_memory){
			.data = data + off,
			.size = p.size,
			.arg = p.arg,
			.address = p.address,
			.nr_strings = p.nr_strings,
			.is_cut = p.flags & SYSCALL_PIECE_CUT,
			.is_at_exit = p.flags & SYSCALL_PIECE_AT_EXIT,
			.is_late = p.flags & SYSCALL_PIECE_LATE,
			.has_failed = p.flags & SYSCALL_PIECE_FAILED,
		};
		off += (p.size + 7u) & ~7u;
		if (off > size)
			return;
	}
}

/* Memory that waits for the end of a call is let go with the task. */
static void end_task(struct syscall_log *l, int32_t tid)
{
	struct syscall_open *t = task_of(l, tid);

	set_live(l, tid, false);
	free(t->memory);
	t->memory = NULL;
	t->memory_cap = t->memory_size = 0;
}

static void keep_memory(struct syscall_open *t, const uint8_t *data, uint32_t size)
{
	if (size > t->memory_cap) {
		t->memory = mem_realloc(t->memory, size, 1);
		t->memory_cap = size;
	}
	if (size)
		memcpy(t->memory, data, size);
	t->memory_size = size;
}

/* The bytes of memory behind the fixed part, as far as they are there. */
static const uint8_t *memory_of(const struct sample *s, uint32_t *size)
{
	uint32_t loc;

	memcpy(&loc, (const uint8_t *)s->raw + RAW_AT(memory), sizeof(loc));
	*size = loc >> 16;
	if ((loc & 0xffff) < RAW_FIXED || (loc & 0xffff) > s->raw_size || *size > s->raw_size - (loc & 0xffff))
		*size = 0;
	return (const uint8_t *)s->raw + (*size ? loc & 0xffff : 0);
}

/* ---- records ---- */

/* A record of BPF. */
static bool take_call(struct syscall_log *l, const struct session_record *sr, struct traced *t)
{
	const struct sample *s = &sr->rec.sample;
	const uint8_t *raw = (const uint8_t *)s->raw, *memory;
	struct syscall_open *task;
	uint32_t flags, size;
	int32_t entry_tid; /* a thread that executes a program has another one at the end */

	if (s->raw_size < RAW_FIXED)
		return false;
	memory = memory_of(s, &size);
	memcpy(&t->call.nr, raw + RAW_AT(nr), sizeof(t->call.nr));
	memcpy(t->call.args, raw + RAW_AT(args), sizeof(t->call.args));
	memcpy(&t->call.result, raw + RAW_AT(ret), sizeof(t->call.result));
	memcpy(&t->start_ns, raw + RAW_AT(start_ns), sizeof(t->start_ns));
	memcpy(&flags, raw + RAW_AT(flags), sizeof(flags));
	if (t->start_ns > t->end_ns)
		t->start_ns = t->end_ns;
	if (flags & SYSCALL_SAMPLE_SIGNAL) {
		t->kind = TRACED_SIGNAL;
		t->signal = (int)t->call.args[0];
		add_pieces(&t->call, memory, size);
		return true;
	}
	if (flags & SYSCALL_SAMPLE_EXIT) {
		t->kind = TRACED_EXIT;
		t->status = (int)t->call.args[0];
		return true;
	}
	memcpy(&entry_tid, raw + RAW_AT(common_pid), sizeof(entry_tid));
	task = task_of(l, entry_tid);
	if (flags & SYSCALL_SAMPLE_ENTRY) {
		task->start_ns = t->start_ns;
		keep_memory(task, memory, size);
		return false;
	}
	t->call.has_ended = !(flags & SYSCALL_SAMPLE_OPEN);
	if (task->memory_size && task->start_ns == t->start_ns)
		add_pieces(&t->call, task->memory, task->memory_size);
	add_pieces(&t->call, memory, size);
	task->memory_size = 0;
	return true;
}

static bool take_enter(struct syscall_log *l, const struct session_record *sr)
{
	const struct sample *s = &sr->rec.sample;
	struct syscall_open *task;
	int64_t nr;

	if (s->raw_size < ENTER_ARGS_AT + sizeof(task->args))
		return false;
	task = task_of(l, sr->task->tid);
	memcpy(&nr, (const uint8_t *)s->raw + ENTER_ID_AT, sizeof(nr));
	memcpy(task->args, (const uint8_t *)s->raw + ENTER_ARGS_AT, sizeof(task->args));
	task->nr = (uint32_t)nr;
	task->start_ns = sr->time_ns;
	task->is_in = true;
	return false;
}

static bool take_exit(struct syscall_log *l, const struct session_record *sr, struct traced *t)
{
	const struct sample *s = &sr->rec.sample;
	struct syscall_open *task;
	int64_t nr;

	if (s->raw_size < ENTER_ARGS_AT + sizeof(t->call.result))
		return false;
	task = task_of(l, sr->task->tid);
	memcpy(&nr, (const uint8_t *)s->raw + ENTER_ID_AT, sizeof(nr));
	memcpy(&t->call.result, (const uint8_t *)s->raw + ENTER_ARGS_AT, sizeof(t->call.result));
	t->call.nr = (uint32_t)nr;
	t->call.has_ended = true;
	if (task->is_in && task->nr == t->call.nr) {
		t->start_ns = task->start_ns;
		memcpy(t->call.args, task->args, sizeof(t->call.args));
	} else {
		l->nr_unpaired++;
	}
	task->is_in = false;
	return true;
}

static void forget_process(struct syscall_log *l, int32_t pid);
static void fork_process(struct syscall_log *l, int32_t parent, int32_t child);

/* Tasks that begin and end. */
static void take_other(struct syscall_log *l, const struct session_record *sr)
{
	const struct record *r = &sr->rec;

	if (sr->header->type == RECORD_FORK)
		set_live(l, (int32_t)r->task.tid, true);
	else if (sr->header->type == RECORD_EXIT)
		end_task(l, (int32_t)r->task.tid);
	if (sr->header->type == RECORD_FORK && r->task.pid != r->task.ppid)
		fork_process(l, (int32_t)r->task.ppid, (int32_t)r->task.pid);
	else if (sr->header->type == RECORD_EXIT && r->task.pid == r->task.tid)
		forget_process(l, (int32_t)r->task.pid);
}

bool syscall_log_take(struct syscall_log *l, const struct session_record *sr, struct traced *t)
{
	bool is_there;

	if (sr->header->type != RECORD_SAMPLE) {
		take_other(l, sr);
		return false;
	}
	look_at_events(l);
	if (sr->event < 0 || !sr->task || !sr->rec.sample.raw)
		return false;
	t->kind = TRACED_CALL;
	t->task = sr->task;
	t->start_ns = 0;
	t->end_ns = sr->time_ns;
	t->cpu = sr->rec.sample.cpu;
	t->call.nr_memory = 0;
	t->call.abi = l->abi;
	memset(t->call.args, 0, sizeof(t->call.args));
	if (sr->event == l->call_event)
		is_there = take_call(l, sr, t);
	else if (sr->event == l->enter_event)
		is_there = take_enter(l, sr);
	else
		is_there = sr->event == l->exit_event && take_exit(l, sr, t);
	if (is_there)
		set_live(l, t->task->tid, true);
	if (is_there && t->kind == TRACED_CALL)
		t->call.def = syscall_get(l->abi, t->call.nr);
	return is_there;
}

/* ---- descriptors ---- */

static struct syscall_files *files_of(struct syscall_log *l, int32_t pid)
{
	uint64_t h = hash_u64((uint32_t)pid);
	uint32_t i = HINDEX_FIND(&l->process_index, h, id, l->processes.v[id].pid == pid);

	if (i == HINDEX_NONE) {
		i = l->processes.nr;
		hindex_add(&l->process_index, h, i);
		vec_push(&l->processes, ((struct syscall_files){ .pid = pid }));
	}
	return &l->processes.v[i];
}

static struct syscall_fd *find_fd(struct syscall_files *f, int fd)
{
	for (uint32_t i = 0; i < f->fds.nr; i++)
		if (f->fds.v[i].fd == fd)
			return &f->fds.v[i];
	return NULL;
}

static void set_fd(struct syscall_log *l, int32_t pid, int fd, uint32_t path, bool is_cloexec)
{
	struct syscall_files *f = files_of(l, pid);
	struct syscall_fd *known = find_fd(f, fd);

	if (fd < 0)
		return;
	if (!known && l->nr_fds >= MAX_FDS)
		return;
	if (!known) {
		known = vec_add(&f->fds);
		l->nr_fds++;
	}
	*known = (struct syscall_fd){ fd, path, is_cloexec };
}

static void close_fd(struct syscall_log *l, int32_t pid, int fd)
{
	struct syscall_files *f = files_of(l, pid);
	struct syscall_fd *known = find_fd(f, fd);

	if (!known)
		return;
	*known = f->fds.v[--f->fds.nr];
	l->nr_fds--;
}

static void forget_process(struct syscall_log *l, int32_t pid)
{
	struct syscall_files *f = files_of(l, pid);

	l->nr_fds -= f->fds.nr;
	vec_fini(&f->fds);
	f->cwd = 0;
}

static void close_at_exec(struct syscall_log *l, int32_t pid)
{
	struct syscall_files *f = files_of(l, pid);
	uint32_t nr = 0;

	for (uint32_t i = 0; i < f->fds.nr; i++)
		if (!f->fds.v[i].is_cloexec)
			f->fds.v[nr++] = f->fds.v[i];
	l->nr_fds -= f->fds.nr - nr;
	f->fds.nr = nr;
}

static void fork_process(struct syscall_log *l, int32_t parent, int32_t child)
{
	forget_process(l, child);
	files_of(l, child)->cwd = files_of(l, parent)->cwd;
	for (uint32_t i = 0; i < files_of(l, parent)->fds.nr && l->nr_fds < MAX_FDS; i++) {
		const struct syscall_fd fd = files_of(l, parent)->fds.v[i];

		vec_push(&files_of(l, child)->fds, fd);
		l->nr_fds++;
	}
}

const char *syscall_log_path(struct syscall_log *l, const struct task *task, int fd)
{
	struct syscall_fd *known = l->is_partial ? NULL : find_fd(files_of(l, task->pid), fd);
	char path[PATH_MAX];

	if (!known && l->read_fd && fd >= 0) {
		bool is_there = l->read_fd(l->read_fd_ctx, task->pid, fd, path, sizeof(path));

		/* What cannot be read is not tried again: a call that opens it says what it is. */
		set_fd(l, task->pid, fd, is_there ? strtab_intern_len(&l->paths, path, strlen(path)) : 0, false);
		known = find_fd(files_of(l, task->pid), fd);
	}
	return known && known->path ? strtab_get(&l->paths, known->path) : NULL;
}

static uint32_t intern(struct syscall_log *l, const char *path)
{
	return strtab_intern_len(&l->paths, path, strlen(path));
}

static const char *cwd_of(struct syscall_log *l, int32_t pid)
{
	struct syscall_files *f = files_of(l, pid);
	char path[PATH_MAX];

	if (!f->cwd && l->cwd)
		f->cwd = intern(l, l->cwd);
	if (!f->cwd && l->read_fd && l->read_fd(l->read_fd_ctx, pid, SYSCALL_CWD, path, sizeof(path)))
		f->cwd = intern(l, path);
	return f->cwd ? strtab_get(&l->paths, f->cwd) : NULL;
}

/* A path that is relative to a directory, as far as that is known. */
static uint32_t join(struct syscall_log *l, const struct task *task, int dirfd, uint32_t path)
{
	const char *text = strtab_get(&l->paths, path), *dir;
	char *whole;
	uint32_t id;

	if (!path || *text == '/')
		return path;
	dir = dirfd == SYSCALL_CWD ? cwd_of(l, task->pid) : syscall_log_path(l, task, dirfd);
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

static uint32_t path_argument(struct syscall_log *l, const struct syscall_call *c)
{
	for (uint32_t i = 0; i < c->nr_memory; i++) {
		const struct syscall_memory *m = &c->memory[i];

		if (c->def->args[m->arg].kind == SYSCALL_ARG_PATH && m->size && !m->has_failed)
			return strtab_intern_len(&l->paths, (const char *)m->data, strnlen((const char *)m->data, m->size));
	}
	return 0;
}

enum effect {
	EFFECT_UNKNOWN,
	EFFECT_NONE,
	EFFECT_OPEN,
	EFFECT_OPENAT,
	EFFECT_CLOSE,
	EFFECT_COPY,
	EFFECT_FCNTL,
	EFFECT_EXEC,
	EFFECT_CHDIR,
	EFFECT_NEW
};

static enum effect effect_of(const struct syscall_def *def)
{
	static const struct {
		const char *name;
		enum effect effect;
	} effects[] = {
		{ "open", EFFECT_OPEN },   { "openat", EFFECT_OPENAT }, { "close", EFFECT_CLOSE }, { "dup", EFFECT_COPY },
		{ "dup2", EFFECT_COPY },   { "dup3", EFFECT_COPY },	{ "fcntl", EFFECT_FCNTL }, { "fcntl64", EFFECT_FCNTL },
		{ "execve", EFFECT_EXEC }, { "execveat", EFFECT_EXEC }, { "chdir", EFFECT_CHDIR }, { "fchdir", EFFECT_CHDIR },
	};

	for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++)
		if (!strcmp(def->name, effects[i].name))
			return effects[i].effect;
	return def->result == SYSCALL_ARG_FD ? EFFECT_NEW : EFFECT_NONE;
}

static void copy_fd(struct syscall_log *l, const struct traced *t, int from, int to)
{
	const char *path = syscall_log_path(l, t->task, from);

	set_fd(l, t->task->pid, to, path ? strtab_intern_len(&l->paths, path, strlen(path)) : 0, false);
}

static void opened(struct syscall_log *l, const struct traced *t, int dirfd, uint64_t flags)
{
	uint32_t path = join(l, t->task, dirfd, path_argument(l, &t->call));

	set_fd(l, t->task->pid, (int)t->call.result, path, flags & O_CLOEXEC);
}

/* What has no path of its own the kernel describes ("socket:[1234]"), while the process has it. */
static void made(struct syscall_log *l, const struct traced *t)
{
	char now[PATH_MAX];
	bool is_there = l->read_fd && l->read_fd(l->read_fd_ctx, t->task->pid, (int)t->call.result, now, sizeof(now));

	set_fd(l, t->task->pid, (int)t->call.result, is_there ? intern(l, now) : 0, false);
}

static void changed_dir(struct syscall_log *l, const struct traced *t)
{
	uint32_t path = path_argument(l, &t->call);
	const char *dir = path ? NULL : syscall_log_path(l, t->task, (int)t->call.args[0]);

	path = path ? join(l, t->task, SYSCALL_CWD, path) : dir ? intern(l, dir) : 0;
	files_of(l, t->task->pid)->cwd = path;
}

void syscall_log_apply(struct syscall_log *l, const struct traced *t)
{
	const struct syscall_call *c = &t->call;
	uint8_t *effect = &l->effects[c->nr % sizeof(l->effects)];

	if (t->kind == TRACED_EXIT)
		end_task(l, t->task->tid);
	if (t->kind != TRACED_CALL || !c->def || !c->has_ended || c->result < 0)
		return;
	if (*effect == EFFECT_UNKNOWN)
		*effect = (uint8_t)effect_of(c->def);
	switch (*effect) {
	case EFFECT_OPEN:
		opened(l, t, SYSCALL_CWD, c->args[1]);
		break;
	case EFFECT_OPENAT:
		opened(l, t, (int)c->args[0], c->args[2]);
		break;
	case EFFECT_CLOSE:
		close_fd(l, t->task->pid, (int)c->args[0]);
		break;
	case EFFECT_FCNTL:
		if (c->args[1] != F_DUPFD && c->args[1] != F_DUPFD_CLOEXEC)
			break;
		/* fall through */
	case EFFECT_COPY:
		copy_fd(l, t, (int)c->args[0], (int)c->result);
		break;
	case EFFECT_EXEC:
		close_at_exec(l, t->task->pid);
		break;
	case EFFECT_CHDIR:
		changed_dir(l, t);
		break;
	case EFFECT_NEW:
		made(l, t);
		break;
	default:
		break;
	}
}
