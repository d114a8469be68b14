/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Walks /proc. Of a process two files are read, stat and maps (kernel threads: stat alone), and its
 * task directory where it has more than one thread: with thousands of processes every system call
 * counts.
 */
#include "kernel/proc_scan.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/log.h"
#include "base/mem.h"

#define BUF_SIZE 65536
#define NAME_MAX_BYTES 4096 /* of a file name in a record, as the kernel's */
#define COMM_MAX_BYTES 15
#define DEFAULT_TIMEOUT 500000000ull
#define PF_KTHREAD 0x00200000u

/* What stat says of a task. */
struct proc_task {
	pid_t pid, tid, ppid;
	uint32_t nr_threads;
	bool is_kernel;
	bool is_zombie; /* ended; of a process, other threads may go on */
	char comm[COMM_MAX_BYTES + 1];
};

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

/* "12 (some) name)) S 1 …": the name may hold anything, so that its end is the last parenthesis. */
static bool parse_stat(char *text, size_t len, struct proc_task *t)
{
	char *open = memchr(text, '(', len);
	char *close = memrchr(text, ')', len);
	size_t comm_len;
	unsigned flags = 0;
	int ppid = 0, nr_threads = 0;
	char status = 0;

	if (!open || !close || close < open)
		return false;
	comm_len = (size_t)(close - open - 1);
	if (comm_len > COMM_MAX_BYTES)
		comm_len = COMM_MAX_BYTES;
	memcpy(t->comm, open + 1, comm_len);
	t->comm[comm_len] = '\0';
	if (sscanf(close + 1, " %c %d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d", &status, &ppid, &flags,
		   &nr_threads) != 4)
		return false;
	t->ppid = ppid;
	t->is_kernel = flags & PF_KTHREAD;
	t->is_zombie = status == 'Z' || status == 'X';
	t->nr_threads = nr_threads > 0 ? (uint32_t)nr_threads : 1;
	return true;
}

/* Reads /proc/PID/stat, or the one of a thread of it. -ESRCH where it is gone. */
static int read_task(struct proc_scan *s, pid_t pid, pid_t tid, struct proc_task *t)
{
	char path[64];
	ssize_t n;
	int fd;

	if (pid == tid)
		snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	else
		snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT || errno == ESRCH ? -ESRCH : -errno;
	n = read(fd, s->buf, s->buf_size - 1);
	close(fd);
	if (n <= 0)
		return -ESRCH;
	s->buf[n] = '\0';
	memset(t, 0, sizeof(*t));
	t->pid = pid;
	t->tid = tid;
	return parse_stat(s->buf, (size_t)n, t) ? 0 : -ESRCH;
}

static int emit(struct proc_scan *s, struct record *rec, uint32_t type, uint16_t misc)
{
	struct record_header header = { .type = type, .misc = misc };

	rec->header = &header;
	return s->sink->record(s->sink->ctx, rec);
}

static int emit_comm(struct proc_scan *s, const struct proc_task *t)
{
	struct record rec = { .comm = { (uint32_t)t->pid, (uint32_t)t->tid, t->comm } };

	s->nr_threads++;
	return emit(s, &rec, RECORD_COMM, 0);
}

static int emit_fork(struct proc_scan *s, const struct proc_task *t)
{
	uint32_t parent = (uint32_t)(t->pid == t->tid ? t->ppid : t->pid);
	struct record rec = {
		.task = { .pid = (uint32_t)t->pid, .ppid = parent, .tid = (uint32_t)t->tid, .ptid = parent },
	};

	return emit(s, &rec, RECORD_FORK, MISC_FORK_EXEC);
}

static int emit_namespaces(struct proc_scan *s, const struct proc_task *t)
{
	/* In the kernel's order. */
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	struct record_namespace items[sizeof(names) / sizeof(names[0])] = { 0 };
	struct record rec = {
		.namespaces = { (uint32_t)t->pid, (uint32_t)t->tid, sizeof(names) / sizeof(names[0]), items },
	};

	if (!s->namespaces)
		return 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[64];
		struct stat st;

		snprintf(path, sizeof(path), "/proc/%d/ns/%s", t->tid, names[i]);
		if (!stat(path, &st))
			items[i] = (struct record_namespace){ st.st_dev, st.st_ino };
	}
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
	/* A name given by prctl() is a label: the kernel's own records call such memory anonymous
	 * too. */
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

/* Emits all whole lines in buf[0, len). Returns how many bytes they are, or what the sink returned
 * (negative). With `late` the first map is the last one. */
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
	char path[64], *comm = NULL;

	if (s->last_denied == pid)
		return;
	s->last_denied = pid;
	s->nr_denied++;
	if (log_level < LOG_VERBOSE)
		return;
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	if (!io_read_file(path, BUF_SIZE, &comm, NULL))
		comm[strcspn(comm, "\n")] = 0;
	log_info("the maps of process %d (%s) may not be read", pid, comm ? comm : "?");
	free(comm);
}

/* The maps of a process, as its thread `tid` shows them. */
static int scan_maps(struct proc_scan *s, pid_t pid, pid_t tid)
{
	char path[64];
	int fd, err;

	if (tid == pid)
		snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	else
		snprintf(path, sizeof(path), "/proc/%d/task/%d/maps", pid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		if (errno == EACCES || errno == EPERM)
			note_denied(s, pid);
		else
			s->nr_vanished++;
		return 0;
	}
	err = scan_maps_fd(s, pid, fd);
	close(fd);
	return err;
}

/* One task; its maps follow where it is the process itself. `full`: with FORK, for -a, in perf's
 * order. */
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
	if (!err && t->pid == t->tid && !t->is_kernel)
		err = scan_maps(s, t->pid, t->tid);
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

			err = scan_maps(s, pid, tid);
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
	if (!err && (t.nr_threads > 1 || t.is_zombie))
		err = scan_threads(s, pid, full, s->nr_maps == nr_maps && !t.is_kernel);
	return err;
}

int proc_scan_pid(struct proc_scan *s, pid_t pid)
{
	return scan_process(s, pid, false);
}

int proc_scan_tid(struct proc_scan *s, pid_t tid)
{
	char path[64];
	char *text, *line;
	struct proc_task t;
	pid_t pid = 0;
	int err;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	err = io_read_file(path, BUF_SIZE, &text, NULL);
	if (err)
		return -ESRCH;
	line = strstr(text, "\nTgid:");
	if (line)
		pid = (pid_t)strtol(line + 6, NULL, 10);
	free(text);
	if (pid <= 0 || read_task(s, pid, tid, &t))
		return -ESRCH;
	err = scan_task(s, &t, false);
	/* The maps hang on the process: its main thread is told too. */
	if (!err && pid != tid && !read_task(s, pid, pid, &t)) {
		err = scan_task(s, &t, false);
		if (!err && t.is_zombie)
			err = scan_maps(s, pid, tid);
	}
	return err;
}

int proc_scan_maps(struct proc_scan *s, pid_t pid, pid_t tid)
{
	return scan_maps(s, pid, tid);
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
