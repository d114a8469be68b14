/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_GETREGSET, PTRACE_DETACH; and why the first of them fails. SIGCHLD is blocked before the first
 * seizing, because it wakes us when a thread has stopped.
 */
#include "kernel/stopped_task.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "kernel/proc_scan.h"
#include "kernel/sysctl.h"

/* How long to sleep until we look again: a wake-up can be missed where SIGCHLD of another thread was merged with ours. */
#define LOOK_AGAIN_NS 2000000
#define ASLEEP_NS 50000000
#define PIECE_BYTES 4096u
#define MAX_PIECES 64

void task_stopper_init(struct task_stopper *s, pid_t pid)
{
	sigset_t chld;

	*s = (struct task_stopper){ .reader = pid, .mem_fd = -1 };
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &chld, &s->saved_mask);
}

/* 1: it has stopped, *status says how; 0: not yet; -ESRCH: it has ended. */
static int has_stopped(pid_t tid, int *status)
{
	pid_t got = waitpid(tid, status, __WALL | WNOHANG);

	if (got == 0)
		return 0;
	if (got < 0)
		return errno == EINTR ? 0 : -ESRCH;
	return WIFSTOPPED(*status) ? 1 : -ESRCH;
}

static void detach(pid_t tid, int sig)
{
	ptrace(PTRACE_DETACH, tid, NULL, (void *)(intptr_t)sig);
}

/* The signal that a stop held back; a stop of our own making, or of job control, has none. */
static int signal_of_stop(int status)
{
	return status >> 16 ? 0 : WSTOPSIG(status);
}

void task_stopper_reap(struct task_stopper *s)
{
	for (uint32_t i = 0; i < s->pending.nr;) {
		int status, found = has_stopped(s->pending.v[i], &status);

		if (found == 0) {
			i++;
			continue;
		}
		if (found == 1)
			detach(s->pending.v[i], signal_of_stop(status));
		s->pending.v[i] = s->pending.v[--s->pending.nr];
	}
}

void task_stopper_fini(struct task_stopper *s)
{
	struct timespec none = { 0 };
	sigset_t chld;

	task_stopper_reap(s);
	vec_fini(&s->pending);
	if (s->mem_fd >= 0)
		close(s->mem_fd);
	/* A pending one is ours: it must not be delivered once it is unblocked. */
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	while (sigtimedwait(&chld, NULL, &none) > 0)
		;
	pthread_sigmask(SIG_SETMASK, &s->saved_mask, NULL);
}

static int explain_scope(pid_t tid, int64_t scope, struct errbuf *eb)
{
	if (scope == 3)
		return errbuf_set(eb, -EPERM,
				  "thread %d may not be looked into: kernel.yama.ptrace_scope is 3, "
				  "which forbids it to everyone until the machine is started anew",
				  tid);
	if (scope == 2)
		return errbuf_set(eb, -EPERM,
				  "thread %d may not be looked into: kernel.yama.ptrace_scope is 2, which leaves that to the "
				  "administrator: run this with sudo, or 'sudo sysctl kernel.yama.ptrace_scope=0'",
				  tid);
	return errbuf_set(eb, -EPERM,
			  "thread %d may not be looked into: kernel.yama.ptrace_scope is %d, which allows it for one's own children only: "
			  "'sudo sysctl kernel.yama.ptrace_scope=0', or run this with sudo",
			  tid, (int)scope);
}

/* What forbids it, most particular reason first. */
static int explain(pid_t tid, struct errbuf *eb)
{
	bool capable = sysctl_has_cap(SYSCTL_CAP_SYS_PTRACE);
	struct task_state state;
	struct stat st;
	char path[64], name[64];
	int64_t scope = 0;

	if (task_state_read(&state, 0, tid))
		return errbuf_set(eb, -ESRCH, "thread %d has ended", tid);
	if (state.pid == getpid())
		return errbuf_set(eb, -EPERM, "%d is assay itself, which cannot stop itself", tid);
	if (state.tracer) {
		proc_read_comm(state.tracer, name, sizeof(name));
		return errbuf_set(eb, -EPERM, "thread %d is being traced by process %d (%s): only one at a time can; end that one first",
				  tid, state.tracer, name[0] ? name : "?");
	}
	snprintf(path, sizeof(path), "/proc/%d", tid);
	if (!capable && !stat(path, &st) && st.st_uid != geteuid())
		return errbuf_set(eb, -EPERM, "thread %d belongs to user %u (or is not to be looked into): run this with sudo", tid,
				  st.st_uid);
	if (!io_read_i64("/proc/sys/kernel/yama/ptrace_scope", &scope) && (scope == 3 || (scope > 0 && !capable)))
		return explain_scope(tid, scope, eb);
	return errbuf_set(eb, -EPERM,
			  capable ? "the kernel does not let thread %d be looked into: it belongs "
				    "to another user namespace, or a security module forbids it"
				  : "the kernel does not let thread %d be looked into (it changed "
				    "its user or has more rights than we have): run this with sudo",
			  tid);
}

/* A thread that was asked to stop. */
struct stop_wait {
	pid_t tid;
	bool is_over;
	uint64_t since; /* when it was asked to, or last checked */
	uint64_t start, asleep_since;
};

/* One that waits for a CPU is waited for; one that waits in the kernel for something else and is not to be disturbed, only for a moment. */
static bool is_hopeless(struct stop_wait *w, uint64_t now, uint64_t timeout_ns)
{
	struct task_state state;

	if (now - w->start >= timeout_ns)
		return true;
	if (task_state_read(&state, w->tid, w->tid) || state.state != 'D')
		w->asleep_since = 0;
	else if (!w->asleep_since)
		w->asleep_since = now;
	else if (now - w->asleep_since >= ASLEEP_NS)
		return true;
	return false;
}

/* Until a thread may have stopped; false: none has for a while. */
static bool nap(void)
{
	struct timespec ts = { .tv_nsec = LOOK_AGAIN_NS };
	sigset_t chld;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	return sigtimedwait(&chld, NULL, &ts) > 0;
}

static int read_regs(struct stopped_task *t)
{
	struct iovec iov = { t->regs, sizeof(t->regs) };

	if (ptrace(PTRACE_GETREGSET, t->tid, (void *)(intptr_t)NT_PRSTATUS, &iov) < 0)
		return errno == ESRCH ? -ESRCH : -errno;
	t->regs_size = (uint32_t)iov.iov_len;
	return 0;
}

/* Only what is stopped can be let go: it is, when it does. */
static int give_up(struct task_stopper *s, struct stop_wait *w, int err)
{
	w->is_over = true;
	vec_push(&s->pending, w->tid);
	task_stopper_reap(s);
	return err;
}

static int begin(struct task_stopper *s, struct stop_wait *w, pid_t tid, struct errbuf *eb)
{
	*w = (struct stop_wait){ .tid = tid };
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) < 0) {
		w->is_over = true;
		return errno == ESRCH ? -ESRCH : explain(tid, eb);
	}
	w->since = w->start = clock_now_ns();
	return ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) < 0 ? give_up(s, w, -ESRCH) : 0;
}

/* 1: it stands, and *t is filled in; 0: not yet; negative: it is gone. */
static int look(struct task_stopper *s, struct stop_wait *w, struct stopped_task *t)
{
	int status = 0, found = has_stopped(w->tid, &status), err;

	if (found < 0)
		return give_up(s, w, found);
	if (!found) {
		w->since = clock_now_ns();
		return 0;
	}
	w->is_over = true;
	*t = (struct stopped_task){ .tid = w->tid, .stopped_ns = w->since };
	s->reader = w->tid;
	t->signal = signal_of_stop(status);
	t->by_job_control = status >> 16 == PTRACE_EVENT_STOP && WSTOPSIG(status) != SIGTRAP;
	err = read_regs(t);
	if (err)
		task_stopper_resume(s, t);
	return err ? err : 1;
}

int task_stopper_stop(struct task_stopper *s, pid_t tid, uint64_t timeout_ns, struct stopped_task *t, struct errbuf *eb)
{
	struct stop_wait w;
	int err = begin(s, &w, tid, eb);

	while (!err && !(err = look(s, &w, t))) {
		bool woken = nap();

		w.since = clock_now_ns();
		if (!woken && is_hopeless(&w, w.since, timeout_ns))
			err = give_up(s, &w, -ETIMEDOUT);
	}
	return err == 1 ? 0 : err;
}

/* One round through those that have not stopped yet. Returns how many are left. */
static uint32_t visit_stopped(struct task_stopper *s, struct stop_wait *waits, int *results, uint32_t nr, const struct stop_visitor *v)
{
	struct stopped_task t;
	uint32_t left = 0;

	for (uint32_t i = 0; i < nr; i++) {
		int err = waits[i].is_over ? 0 : look(s, &waits[i], &t);

		if (err < 0)
			results[i] = err;
		if (err == 1) {
			v->visit(v->ctx, i, &t);
			task_stopper_resume(s, &t);
		}
		left += !waits[i].is_over;
	}
	return left;
}

void task_stopper_visit(struct task_stopper *s, const pid_t *tids, int *results, uint32_t nr, uint64_t timeout_ns,
			const struct stop_visitor *v, struct errbuf *eb)
{
	struct stop_wait waits[TASK_STOPPER_MAX_BATCH];

	/* Those that have stopped already need not wait until the last was asked. */
	for (uint32_t i = 0; i < nr; i++) {
		results[i] = begin(s, &waits[i], tids[i], eb);
		visit_stopped(s, waits, results, i + 1, v);
	}
	while (visit_stopped(s, waits, results, nr, v)) {
		bool woken = nap();
		uint64_t now = clock_now_ns();

		for (uint32_t i = 0; i < nr; i++) {
			waits[i].since = now;
			if (!woken && !waits[i].is_over && is_hopeless(&waits[i], now, timeout_ns))
				results[i] = give_up(s, &waits[i], -ETIMEDOUT);
		}
	}
}

void task_stopper_resume(struct task_stopper *s, const struct stopped_task *t)
{
	uint64_t pause;

	detach(t->tid, t->signal);
	pause = clock_now_ns() - t->stopped_ns;
	s->nr_stops++;
	s->pause_ns += pause;
	if (pause > s->longest_pause_ns)
		s->longest_pause_ns = pause;
}

/* A call that meets a hole gives what lies before it. */
static size_t read_mem(struct task_stopper *s, uint64_t addr, void *buf, size_t size)
{
	char path[32];
	ssize_t n;

	if (s->mem_fd < 0) {
		snprintf(path, sizeof(path), "/proc/%d/mem", s->reader);
		s->mem_fd = open(path, O_RDONLY | O_CLOEXEC);
		if (s->mem_fd < 0)
			return 0;
	}
	n = pread(s->mem_fd, buf, size, (off_t)addr);
	return n > 0 ? (size_t)n : 0;
}

/* A piece for each page: the kernel gives no part of a piece. */
static size_t read_pages(struct task_stopper *s, uint64_t addr, void *buf, size_t size, bool *hole)
{
	struct iovec local = { buf, 0 }, remote[MAX_PIECES];
	unsigned nr = 0;
	ssize_t n;

	for (; nr < MAX_PIECES && local.iov_len < size; nr++) {
		uint64_t at = addr + local.iov_len;
		size_t part = PIECE_BYTES - (size_t)(at % PIECE_BYTES);

		if (part > size - local.iov_len)
			part = size - local.iov_len;
		remote[nr] = (struct iovec){ (void *)(uintptr_t)at, part };
		local.iov_len += part;
	}
	n = process_vm_readv(s->reader, &local, 1, remote, nr, 0);
	if (n < 0 && (errno == ENOSYS || errno == EPERM))
		s->use_mem = true;
	*hole = n < (ssize_t)local.iov_len;
	return n > 0 ? (size_t)n : 0;
}

size_t task_stopper_read(struct task_stopper *s, uint64_t addr, void *buf, size_t size)
{
	bool hole = false;
	size_t done = 0;

	while (!s->use_mem && !hole && done < size)
		done += read_pages(s, addr + done, (char *)buf + done, size - done, &hole);
	return s->use_mem ? read_mem(s, addr, buf, size) : done;
}
