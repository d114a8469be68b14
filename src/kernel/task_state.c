/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * /proc/TID/{stat,status,syscall,wchan,stack} as text. Names of system calls are those that a thread can be found asleep in; others are
 * shown by their number.
 */
#include "kernel/stopped_task.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "kernel/proc_scan.h"

enum first_arg { ARG_NONE, ARG_FD, ARG_ADDRESS, ARG_NUMBER };

/* clang-format off */
/* By what the first argument is. */
#define FD(name) { SYS_##name, ARG_FD, #name }
#define ADDRESS(name) { SYS_##name, ARG_ADDRESS, #name }
#define NUMBER(name) { SYS_##name, ARG_NUMBER, #name }
#define NONE(name) { SYS_##name, ARG_NONE, #name }

static const struct call {
	int32_t nr;
	uint8_t first;
	const char *name;
} calls[] = {
	FD(read), FD(write), FD(close), FD(ioctl), FD(pread64), FD(pwrite64), FD(readv), FD(writev), FD(preadv), FD(pwritev),
	FD(flock), FD(fcntl), FD(fsync), FD(fdatasync), FD(ftruncate), FD(fallocate), FD(sync_file_range), FD(syncfs), FD(getdents64),
	FD(fstat), FD(accept), FD(accept4), FD(connect), FD(recvfrom), FD(recvmsg), FD(recvmmsg), FD(sendto), FD(sendmsg),
	FD(sendmmsg), FD(sendfile), FD(splice), FD(tee), FD(vmsplice), FD(copy_file_range), FD(epoll_pwait), FD(epoll_pwait2),
	FD(mq_timedreceive), FD(mq_timedsend), FD(io_uring_enter),
	ADDRESS(futex), ADDRESS(futex_waitv), ADDRESS(mmap), ADDRESS(munmap), ADDRESS(mprotect), ADDRESS(madvise), ADDRESS(msync),
	NUMBER(wait4), NUMBER(semop), NUMBER(semtimedop), NUMBER(msgrcv), NUMBER(msgsnd),
	NONE(waitid), NONE(ppoll), NONE(pselect6), NONE(nanosleep), NONE(clock_nanosleep), NONE(rt_sigsuspend), NONE(rt_sigtimedwait),
	NONE(restart_syscall), NONE(openat), NONE(openat2), NONE(newfstatat), NONE(statx), NONE(statfs), NONE(unlinkat),
	NONE(renameat2), NONE(mkdirat), NONE(mount), NONE(umount2), NONE(sync), NONE(io_getevents), NONE(getrandom), NONE(clone),
	NONE(clone3), NONE(execve), NONE(exit), NONE(exit_group), NONE(sched_yield), NONE(membarrier), NONE(ptrace), NONE(bpf),
#ifdef SYS_poll /* the older ones, which arm64 does not have */
	FD(epoll_wait),
	NONE(poll), NONE(select), NONE(pause), NONE(open), NONE(stat), NONE(lstat), NONE(access), NONE(unlink), NONE(rename),
	NONE(mkdir), NONE(vfork), NONE(fork),
#endif
};
/* clang-format on */

static int number_after(const char *text, const char *key)
{
	const char *p = strstr(text, key);

	return p ? atoi(p + strlen(key)) : 0;
}

int task_state_read(struct task_state *t, pid_t pid, pid_t tid)
{
	struct proc_stat stat;
	char buf[8192];
	ssize_t n;

	memset(t, 0, sizeof(*t));
	t->tid = tid;
	t->pid = pid;
	n = proc_read(t->pid, t->tid, "stat", buf, sizeof(buf));
	if (n < 0)
		return n == -ENOENT || n == -ESRCH ? -ESRCH : (int)n;
	if (!proc_stat_parse(buf, (size_t)n, &stat))
		return -ESRCH;
	memcpy(t->comm, stat.comm, sizeof(t->comm));
	t->state = stat.state;
	t->ppid = stat.ppid;
	t->is_kernel = stat.is_kernel;
	if (pid)
		return 0;
	/* The name stands in it too, escaped: no line of its own can be in it. */
	if (proc_read(t->pid, t->tid, "status", buf, sizeof(buf)) > 0) {
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
	if (!t->is_kernel && proc_read(t->pid, t->tid, "syscall", buf, sizeof(buf)) > 0)
		parse_call(buf, t);
	if (proc_read(t->pid, t->tid, "wchan", t->wchan, sizeof(t->wchan)) < 0 || !strcmp(t->wchan, "0"))
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
	static const char *const words[] = {
		['R'] = "running",
		['S'] = "sleeping",
		['D'] = "uninterruptible",
		['T'] = "stopped",
		['t'] = "stopped by a tracer",
		['Z'] = "ended",
		['X'] = "ended",
		['I'] = "idle",
	};
	size_t i = (unsigned char)state;

	return i < sizeof(words) / sizeof(words[0]) && words[i] ? words[i] : "in an unknown state";
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

	if (proc_read(t->pid, t->tid, "stack", buf, sizeof(buf)) <= 0)
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
