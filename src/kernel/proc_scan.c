/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Walks /proc. Of a process two files are read, stat and maps (kernel threads: stat alone), and its task directory where it has more than
 * one thread: with thousands of processes every system call counts.
 */
#include "kernel/proc_scan.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "kernel/tasks.h"

#define BUF_SIZE 65536
#define NAME_MAX_BYTES 4096 /* of a file name in a record, as the kernel's */
#define COMM_MAX_BYTES 15
#define DEFAULT_TIMEOUT 500000000ull

struct proc_task {
	pid_t pid, tid;
	struct proc_stat stat;
};

/* Has it ended? Of a process, other threads may go on. */
static bool is_zombie(const struct proc_task *t)
{
	return t->stat.state == 'Z' || t->stat.state == 'X';
}

void proc_scan_init(struct proc_scan *s, const struct record_sink *sink)
{
	*s = (struct proc_scan){ .sink = sink };
	s->buf_size = BUF_SIZE;
	s->buf = mem_alloc(s->buf_size);
}

void proc_scan_fini(struct proc_scan *s)
{
	free(s->buf);
	s->buf = NULL;
}

/* Reads /proc/PID/stat, or the one of a thread of it. -ESRCH where it is gone. */
static int read_task(struct proc_scan *s, pid_t pid, pid_t tid, struct proc_task *t)
{
	ssize_t n = proc_read(pid, tid, "stat", s->buf, s->buf_size);

	if (n < 0 && n != -ENOENT && n != -ESRCH)
		return (int)n;
	*t = (struct proc_task){ .pid = pid, .tid = tid };
	if (n <= 0 || !proc_stat_parse(s->buf, (size_t)n, &t->stat))
		return -ESRCH;
	t->stat.comm[COMM_MAX_BYTES] = '\0';
	return 0;
}

static int emit(struct proc_scan *s, struct record *rec, uint32_t type, uint16_t misc)
{
	struct record_header header = { .type = type, .misc = misc };

	rec->header = &header;
	return s->sink->record(s->sink->ctx, rec);
}

static int emit_comm(struct proc_scan *s, const struct proc_task *t)
{
	struct record rec = { .comm = { (uint32_t)t->pid, (uint32_t)t->tid, t->stat.comm } };

	s->nr_threads++;
	return emit(s, &rec, RECORD_COMM, 0);
}

static int emit_fork(struct proc_scan *s, const struct proc_task *t)
{
	uint32_t parent = (uint32_t)(t->pid == t->tid ? t->stat.ppid : t->pid);
	struct record rec = {
		.task = { .pid = (uint32_t)t->pid, .ppid = parent, .tid = (uint32_t)t->tid, .ptid = parent },
	};

	return emit(s, &rec, RECORD_FORK, MISC_FORK_EXEC);
}

void proc_read_namespaces(pid_t tid, struct record_namespace items[PROC_NR_NAMESPACES])
{
	/* In the kernel's order. */
	static const char *const names[PROC_NR_NAMESPACES] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };

	for (size_t i = 0; i < PROC_NR_NAMESPACES; i++) {
		char path[64];
		struct stat st;

		snprintf(path, sizeof(path), "/proc/%d/ns/%s", tid, names[i]);
		items[i] = stat(path, &st) ? (struct record_namespace){ 0 } : (struct record_namespace){ st.st_dev, st.st_ino };
	}
}

static int emit_namespaces(struct proc_scan *s, const struct proc_task *t)
{
	struct record_namespace items[PROC_NR_NAMESPACES];
	struct record rec = { .namespaces = { (uint32_t)t->pid, (uint32_t)t->tid, PROC_NR_NAMESPACES, items } };

	if (!s->namespaces)
		return 0;
	proc_read_namespaces(t->tid, items);
	return emit(s, &rec, RECORD_NAMESPACES, 0);
}

static int emit_map(struct proc_scan *s, pid_t pid, const struct proc_map *map, char *name_end, bool late)
{
	uint16_t misc = MISC_USER;
	const char *name = map->name;
	struct record rec;

	if (!(map->prot & PROT_EXEC)) {
		if (!s->data_maps || !(map->prot & PROT_READ))
			return 0;
		misc |= MISC_MMAP_DATA;
	}
	if (late)
		misc |= MISC_PROC_MAP_TIMEOUT;
	/* A name given by prctl() is a label: the kernel's own records call such memory anonymous too. */
	if (!*name || !strncmp(name, "[anon:", 6) || !strncmp(name, "[anon_shmem:", 12))
		name = "//anon";
	else if (name_end - map->name >= NAME_MAX_BYTES)
		((char *)map->name)[NAME_MAX_BYTES - 1] = '\0';
	rec = (struct record){
		.mmap = {
			.pid = (uint32_t)pid, .tid = (uint32_t)pid,
			.start = map->start, .len = map->end - map->start, .pgoff = map->pgoff,
			.maj = map->maj, .min = map->min, .ino = map->ino,
			.prot = map->prot, .flags = map->flags, .filename = name,
		},
	};
	s->nr_maps++;
	return emit(s, &rec, RECORD_MMAP2, misc);
}

/* Emits all whole lines in buf[0, len). Returns how many bytes they are, or what the sink returned (negative). With `late` the first map is
 * the last one. */
static ssize_t emit_lines(struct proc_scan *s, pid_t pid, size_t len, bool late)
{
	char *line = s->buf, *end = s->buf + len, *nl;

	while ((nl = memchr(line, '\n', (size_t)(end - line)))) {
		struct proc_map map;
		int err;

		*nl = '\0';
		if (proc_map_parse(line, (size_t)(nl - line), &map)) {
			uint32_t before = s->nr_maps;

			err = emit_map(s, pid, &map, nl, late);
			if (err)
				return err < 0 ? err : -ECANCELED;
			if (late && s->nr_maps != before)
				break;
		}
		line = nl + 1;
	}
	return line - s->buf;
}

static int scan_maps_fd(struct proc_scan *s, pid_t pid, int fd)
{
	uint64_t deadline = clock_now_ns() + (s->timeout_ns ? s->timeout_ns : DEFAULT_TIMEOUT);
	size_t len = 0;

	for (;;) {
		ssize_t n = read(fd, s->buf + len, s->buf_size - len);
		ssize_t used;
		bool late;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 0;
		len += (size_t)n;
		late = clock_now_ns() > deadline;
		used = emit_lines(s, pid, len, late);
		if (used < 0)
			return (int)used;
		if (late) {
			s->nr_timeouts++;
			return 0;
		}
		len -= (size_t)used;
		memmove(s->buf, s->buf + used, len);
		/* No kernel writes such a line: what follows cannot be trusted to be lines. */
		if (len == s->buf_size)
			return 0;
	}
}

static void note_denied(struct proc_scan *s, pid_t pid)
{
	char comm[64];

	if (s->last_denied == pid)
		return;
	s->last_denied = pid;
	s->nr_denied++;
	if (log_level < LOG_VERBOSE)
		return;
	proc_read_comm(pid, comm, sizeof(comm));
	log_info("the maps of process %d (%s) may not be read", pid, comm[0] ? comm : "?");
}

/* The maps of a process, as its thread `tid` shows them. */
int proc_scan_maps(struct proc_scan *s, pid_t pid, pid_t tid)
{
	int err, fd = proc_open(pid, tid, "maps");

	if (fd < 0) {
		if (fd == -EACCES || fd == -EPERM)
			note_denied(s, pid);
		else
			s->nr_vanished++;
		return 0;
	}
	err = scan_maps_fd(s, pid, fd);
	close(fd);
	return err;
}

/* One task; its maps follow where it is the process itself. `full`: with FORK, for -a, in perf's order. */
static int scan_task(struct proc_scan *s, const struct proc_task *t, bool full)
{
	int err = 0;

	if (full)
		err = emit_fork(s, t);
	if (!err && full)
		err = emit_namespaces(s, t);
	if (!err)
		err = emit_comm(s, t);
	if (!err && !full)
		err = emit_namespaces(s, t);
	if (!err && t->pid == t->tid && !t->stat.is_kernel)
		err = proc_scan_maps(s, t->pid, t->tid);
	return err;
}

/* `maps_missing`: the main thread has ended and shows none, but another does. */
static int scan_threads(struct proc_scan *s, pid_t pid, bool full, bool maps_missing)
{
	char path[64];
	struct dirent *de;
	DIR *dir;
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return 0;
	while (!err && (de = readdir(dir))) {
		pid_t tid = (pid_t)strtol(de->d_name, NULL, 10);
		struct proc_task t;

		if (tid <= 0 || tid == pid)
			continue;
		if (read_task(s, pid, tid, &t))
			s->nr_vanished++;
		else
			err = scan_task(s, &t, full);
		if (!err && maps_missing) {
			uint32_t before = s->nr_maps;

			err = proc_scan_maps(s, pid, tid);
			maps_missing = s->nr_maps == before;
		}
	}
	closedir(dir);
	return err;
}

static int scan_process(struct proc_scan *s, pid_t pid, bool full)
{
	struct proc_task t;
	uint32_t nr_maps = s->nr_maps;
	int err = read_task(s, pid, pid, &t);

	if (err)
		return err;
	s->nr_processes++;
	err = scan_task(s, &t, full);
	/* One that has ended does not count itself. */
	if (!err && (t.stat.nr_threads > 1 || is_zombie(&t)))
		err = scan_threads(s, pid, full, s->nr_maps == nr_maps && !t.stat.is_kernel);
	return err;
}

int proc_scan_pid(struct proc_scan *s, pid_t pid)
{
	return scan_process(s, pid, false);
}

int proc_scan_tid(struct proc_scan *s, pid_t tid)
{
	pid_t pid = task_find_process(tid);
	struct proc_task t;
	int err;

	if (pid <= 0 || read_task(s, pid, tid, &t))
		return -ESRCH;
	err = scan_task(s, &t, false);
	/* Maps belong to the process: its main thread is reported too. */
	if (!err && pid != tid && !read_task(s, pid, pid, &t)) {
		err = scan_task(s, &t, false);
		if (!err && is_zombie(&t))
			err = proc_scan_maps(s, pid, tid);
	}
	return err;
}

int proc_scan_all(struct proc_scan *s)
{
	DIR *proc = opendir("/proc");
	struct dirent *de;
	int err = 0;

	if (!proc)
		return -errno;
	while (!err && (de = readdir(proc))) {
		pid_t pid;

		if (de->d_name[0] < '1' || de->d_name[0] > '9')
			continue;
		pid = (pid_t)strtol(de->d_name, NULL, 10);
		err = scan_process(s, pid, true);
		if (err == -ESRCH || err == -EACCES) {
			s->nr_vanished++;
			err = 0;
		}
	}
	closedir(proc);
	return err;
}
