/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * /proc/TID/{stat,status,syscall,wchan,stack} put into words. The names of calls are those a thread
 * can be found asleep in; another one is shown by its number.
 */
#include "kernel/task_state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"

#define PF_KTHREAD 0x00200000u

enum first_arg { ARG_NONE, ARG_FD, ARG_ADDRESS, ARG_NUMBER };

static const struct call {
	int32_t nr;
	uint8_t first;
	const char *name;
} calls[] = {
	{ SYS_read, ARG_FD, "read" },
	{ SYS_write, ARG_FD, "write" },
	{ SYS_close, ARG_FD, "close" },
	{ SYS_ioctl, ARG_FD, "ioctl" },
	{ SYS_pread64, ARG_FD, "pread64" },
	{ SYS_pwrite64, ARG_FD, "pwrite64" },
	{ SYS_readv, ARG_FD, "readv" },
	{ SYS_writev, ARG_FD, "writev" },
	{ SYS_preadv, ARG_FD, "preadv" },
	{ SYS_pwritev, ARG_FD, "pwritev" },
	{ SYS_flock, ARG_FD, "flock" },
	{ SYS_fcntl, ARG_FD, "fcntl" },
	{ SYS_fsync, ARG_FD, "fsync" },
	{ SYS_fdatasync, ARG_FD, "fdatasync" },
	{ SYS_ftruncate, ARG_FD, "ftruncate" },
	{ SYS_fallocate, ARG_FD, "fallocate" },
	{ SYS_sync_file_range, ARG_FD, "sync_file_range" },
	{ SYS_syncfs, ARG_FD, "syncfs" },
	{ SYS_getdents64, ARG_FD, "getdents64" },
	{ SYS_fstat, ARG_FD, "fstat" },
	{ SYS_accept, ARG_FD, "accept" },
	{ SYS_accept4, ARG_FD, "accept4" },
	{ SYS_connect, ARG_FD, "connect" },
	{ SYS_recvfrom, ARG_FD, "recvfrom" },
	{ SYS_recvmsg, ARG_FD, "recvmsg" },
	{ SYS_recvmmsg, ARG_FD, "recvmmsg" },
	{ SYS_sendto, ARG_FD, "sendto" },
	{ SYS_sendmsg, ARG_FD, "sendmsg" },
	{ SYS_sendmmsg, ARG_FD, "sendmmsg" },
	{ SYS_sendfile, ARG_FD, "sendfile" },
	{ SYS_splice, ARG_FD, "splice" },
	{ SYS_tee, ARG_FD, "tee" },
	{ SYS_vmsplice, ARG_FD, "vmsplice" },
	{ SYS_copy_file_range, ARG_FD, "copy_file_range" },
	{ SYS_epoll_pwait, ARG_FD, "epoll_pwait" },
	{ SYS_epoll_pwait2, ARG_FD, "epoll_pwait2" },
	{ SYS_mq_timedreceive, ARG_FD, "mq_timedreceive" },
	{ SYS_mq_timedsend, ARG_FD, "mq_timedsend" },
	{ SYS_io_uring_enter, ARG_FD, "io_uring_enter" },
	{ SYS_futex, ARG_ADDRESS, "futex" },
	{ SYS_futex_waitv, ARG_ADDRESS, "futex_waitv" },
	{ SYS_mmap, ARG_ADDRESS, "mmap" },
	{ SYS_munmap, ARG_ADDRESS, "munmap" },
	{ SYS_mprotect, ARG_ADDRESS, "mprotect" },
	{ SYS_madvise, ARG_ADDRESS, "madvise" },
	{ SYS_msync, ARG_ADDRESS, "msync" },
	{ SYS_wait4, ARG_NUMBER, "wait4" },
	{ SYS_waitid, ARG_NONE, "waitid" },
	{ SYS_ppoll, ARG_NONE, "ppoll" },
	{ SYS_pselect6, ARG_NONE, "pselect6" },
	{ SYS_nanosleep, ARG_NONE, "nanosleep" },
	{ SYS_clock_nanosleep, ARG_NONE, "clock_nanosleep" },
	{ SYS_rt_sigsuspend, ARG_NONE, "rt_sigsuspend" },
	{ SYS_rt_sigtimedwait, ARG_NONE, "rt_sigtimedwait" },
	{ SYS_restart_syscall, ARG_NONE, "restart_syscall" },
	{ SYS_openat, ARG_NONE, "openat" },
	{ SYS_openat2, ARG_NONE, "openat2" },
	{ SYS_newfstatat, ARG_NONE, "newfstatat" },
	{ SYS_statx, ARG_NONE, "statx" },
	{ SYS_statfs, ARG_NONE, "statfs" },
	{ SYS_unlinkat, ARG_NONE, "unlinkat" },
	{ SYS_renameat2, ARG_NONE, "renameat2" },
	{ SYS_mkdirat, ARG_NONE, "mkdirat" },
	{ SYS_mount, ARG_NONE, "mount" },
	{ SYS_umount2, ARG_NONE, "umount2" },
	{ SYS_sync, ARG_NONE, "sync" },
	{ SYS_semop, ARG_NUMBER, "semop" },
	{ SYS_semtimedop, ARG_NUMBER, "semtimedop" },
	{ SYS_msgrcv, ARG_NUMBER, "msgrcv" },
	{ SYS_msgsnd, ARG_NUMBER, "msgsnd" },
	{ SYS_io_getevents, ARG_NONE, "io_getevents" },
	{ SYS_getrandom, ARG_NONE, "getrandom" },
	{ SYS_clone, ARG_NONE, "clone" },
	{ SYS_clone3, ARG_NONE, "clone3" },
	{ SYS_execve, ARG_NONE, "execve" },
	{ SYS_exit, ARG_NONE, "exit" },
	{ SYS_exit_group, ARG_NONE, "exit_group" },
	{ SYS_sched_yield, ARG_NONE, "sched_yield" },
	{ SYS_membarrier, ARG_NONE, "membarrier" },
	{ SYS_ptrace, ARG_NONE, "ptrace" },
	{ SYS_bpf, ARG_NONE, "bpf" },
#ifdef SYS_poll /* the older ones, which arm64 does not have */
	{ SYS_poll, ARG_NONE, "poll" },
	{ SYS_select, ARG_NONE, "select" },
	{ SYS_epoll_wait, ARG_FD, "epoll_wait" },
	{ SYS_pause, ARG_NONE, "pause" },
	{ SYS_open, ARG_NONE, "open" },
	{ SYS_stat, ARG_NONE, "stat" },
	{ SYS_lstat, ARG_NONE, "lstat" },
	{ SYS_access, ARG_NONE, "access" },
	{ SYS_unlink, ARG_NONE, "unlink" },
	{ SYS_rename, ARG_NONE, "rename" },
	{ SYS_mkdir, ARG_NONE, "mkdir" },
	{ SYS_vfork, ARG_NONE, "vfork" },
	{ SYS_fork, ARG_NONE, "fork" },
#endif
};

/* "12 (some) name)) S 1 …": the name may hold anything, so that its end is the last parenthesis. */
static bool parse_stat(const char *text, size_t len, struct task_state *t)
{
	const char *open = memchr(text, '(', len), *close = memrchr(text, ')', len);
	unsigned flags = 0;
	int ppid = 0;
	char state = 0;

	if (!open || !close || close < open)
		return false;
	if (sscanf(close + 1, " %c %d %*d %*d %*d %*d %u", &state, &ppid, &flags) != 3)
		return false;
	snprintf(t->comm, sizeof(t->comm), "%.*s", (int)(close - open - 1), open + 1);
	t->state = state;
	t->ppid = ppid;
	t->is_kernel = flags & PF_KTHREAD;
	return true;
}

static ssize_t read_small(const struct task_state *t, const char *file, char *buf, size_t size)
{
	char path[80];
	ssize_t n;
	int fd;

	if (t->pid)
		snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", t->pid, t->tid, file);
	else
		snprintf(path, sizeof(path), "/proc/%d/%s", t->tid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* One call gives all of such a file: with hundreds of threads a second one, for its end,
	 * counts. */
	do
		n = read(fd, buf, size - 1);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		n = -errno;
	else
		buf[n] = '\0';
	close(fd);
	return n;
}

static int number_after(const char *text, const char *key)
{
	const char *p = strstr(text, key);

	return p ? atoi(p + strlen(key)) : 0;
}

int task_state_read(struct task_state *t, pid_t pid, pid_t tid)
{
	char buf[8192];
	ssize_t n;

	memset(t, 0, sizeof(*t));
	t->tid = tid;
	t->pid = pid;
	n = read_small(t, "stat", buf, sizeof(buf));
	if (n < 0)
		return n == -ENOENT || n == -ESRCH ? -ESRCH : (int)n;
	if (!parse_stat(buf, (size_t)n, t))
		return -ESRCH;
	if (pid)
		return 0;
	/* The name stands in it too, escaped: no line of its own can be in it. */
	if (read_small(t, "status", buf, sizeof(buf)) > 0) {
		t->pid = number_after(buf, "\nTgid:");
		t->tracer = number_after(buf, "\nTracerPid:");
	}
	return 0;
}

static void parse_call(const char *text, struct task_state *t)
{
	unsigned long long a[6], sp, pc;
	int nr, got;

	got = sscanf(text, "%d %llx %llx %llx %llx %llx %llx %llx %llx", &nr, &a[0], &a[1], &a[2], &a[3], &a[4], &a[5], &sp, &pc);
	if (got == 9) {
		t->in_call = true;
		t->nr = nr;
		for (int i = 0; i < 6; i++)
			t->args[i] = a[i];
	} else if (got == 3 && nr == -1) {
		sp = a[0];
		pc = a[1];
	} else {
		return;
	}
	t->sp = sp;
	t->pc = pc;
	t->place_known = true;
}

void task_state_read_wait(struct task_state *t)
{
	char buf[512];

	if (t->state == 'R')
		return;
	if (!t->is_kernel && read_small(t, "syscall", buf, sizeof(buf)) > 0)
		parse_call(buf, t);
	if (read_small(t, "wchan", t->wchan, sizeof(t->wchan)) < 0 || !strcmp(t->wchan, "0"))
		t->wchan[0] = '\0';
}

static const struct call *find_call(int32_t nr)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i].nr == nr)
			return &calls[i];
	return NULL;
}

/* "read(3</run/fifo>)": what the descriptor stands for is what a person looks for next. */
static void describe_fd(const struct task_state *t, const char *name, char *text, size_t size)
{
	int fd = (int)t->args[0];
	char path[64], target[PATH_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", t->tid, fd);
	n = readlink(path, target, sizeof(target) - 1);
	if (n > 0)
		snprintf(text, size, "%s(%d<%.*s>)", name, fd, (int)n, target);
	else
		snprintf(text, size, "%s(%d)", name, fd);
}

static void describe_call(const struct task_state *t, char *text, size_t size)
{
	const struct call *c = find_call(t->nr);

	if (!c)
		snprintf(text, size, "system call %d", t->nr);
	else if (c->first == ARG_FD)
		describe_fd(t, c->name, text, size);
	else if (c->first == ARG_ADDRESS)
		snprintf(text, size, "%s(%#llx)", c->name, (unsigned long long)t->args[0]);
	else if (c->first == ARG_NUMBER)
		snprintf(text, size, "%s(%d)", c->name, (int)t->args[0]);
	else
		snprintf(text, size, "%s()", c->name);
}

static const char *state_word(char state)
{
	switch (state) {
	case 'R':
		return "running";
	case 'S':
		return "sleeping";
	case 'D':
		return "uninterruptible";
	case 'T':
		return "stopped";
	case 't':
		return "stopped by a tracer";
	case 'Z':
	case 'X':
		return "ended";
	case 'I':
		return "idle";
	default:
		return "in an unknown state";
	}
}

char *task_state_text(const struct task_state *t)
{
	const char *word = state_word(t->state);
	const char *at = t->wchan[0] ? " at " : "";
	char call[PATH_MAX + 64];

	if (t->in_call)
		describe_call(t, call, sizeof(call));
	/* The function of the kernel says more than the call only where it is not to be woken. */
	if (t->in_call && t->state != 'D')
		return mem_printf("%s in %s", word, call);
	if (t->in_call)
		return mem_printf("%s in %s%s%s", word, call, at, t->wchan);
	return mem_printf("%s%s%s", word, at, t->wchan);
}

char *task_state_kernel_stack(const struct task_state *t)
{
	static const char mark[] = "[<0>] ";
	char buf[16384];
	char *out, *to;

	if (read_small(t, "stack", buf, sizeof(buf)) <= 0)
		return NULL;
	out = to = mem_alloc(strlen(buf) + 1);
	for (char *line = buf, *end; *line; line = end) {
		end = line + strcspn(line, "\n");
		end += *end == '\n';
		if (!strncmp(line, mark, strlen(mark)))
			line += strlen(mark);
		memcpy(to, line, (size_t)(end - line));
		to += end - line;
	}
	*to = '\0';
	return out;
}
