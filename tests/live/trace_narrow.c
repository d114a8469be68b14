/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Calls of a 32-bit program whose structs are laid out in another way than those of 64-bit ones, or whose numbers have two registers. For
 * trace_narrow.sh, which compiles it with -m32.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

enum { SOCKETPAIR = 360, SENDMSG = 370, RECVMSG = 372, CLOCK_GETTIME64 = 403, CLOCK_GETRES64 = 406, CLOCK_NANOSLEEP64 = 407 };
#define NAME "narrow.file"

static void files(int fd)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 1, .l_len = 2 };
	struct flock64 lock64 = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 1LL << 33, .l_len = 2 };
	struct iovec out[2] = { { "hello ", 6 }, { "world\n", 6 } }, in[2];
	char buf[256], first[4], second[20];
	struct stat64 st;
	struct statfs64 fs;

	in[0] = (struct iovec){ first, sizeof(first) };
	in[1] = (struct iovec){ second, sizeof(second) };
	stat64("/etc/passwd", &st);
	stat64("/dev/null", &st);
	fstat64(fd, &st);
	syscall(SYS_stat, "/etc/passwd", buf);
	syscall(SYS_lstat, "/etc", buf);
	syscall(SYS_fstat, fd, buf);
	statfs64("/proc", &fs);
	syscall(SYS_statfs, "/proc", buf);
	writev(fd, out, 2);
	pwritev(fd, out, 2, 0);
	lseek64(fd, 0, SEEK_SET);
	readv(fd, in, 2);
	preadv64(fd, in, 2, 1LL << 32);
	pread64(fd, buf, 5, 0);
	pwrite64(fd, "xy", 2, 100);
	lseek64(fd, 1LL << 33, SEEK_SET);
	ftruncate64(fd, 1 << 20);
	truncate64(NAME, 100);
	posix_fadvise64(fd, 0, 0, POSIX_FADV_NORMAL);
	readahead(fd, 0, 100);
	fallocate64(fd, 0, 0, 4096);
	fcntl(fd, F_SETLK, &lock);
	fcntl(fd, F_GETLK, &lock);
	fcntl(fd, F_SETLK64, &lock64);
	fcntl(fd, F_GETLK64, &lock64);
	mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, 4096);
}

static void times_of_files(void)
{
	struct utimbuf old = { 1, 2 };
	struct timeval both[2] = { { 1, 2 }, { 3, 4 } };
	struct timespec precise[2] = { { 5, 6 }, { 7, 8 } };

	syscall(SYS_utime, NAME, &old);
	syscall(SYS_utimes, NAME, both);
	syscall(SYS_utimensat, AT_FDCWD, NAME, precise, 0);
	utime(NAME, &old);
}

static void messages(int fd)
{
	struct iovec out[2] = { { "hello ", 6 }, { "world\n", 6 } }, in[2];
	char first[4], second[20], control[64] = "";
	struct msghdr sent = { .msg_iov = out, .msg_iovlen = 2, .msg_control = control, .msg_controllen = CMSG_SPACE(4) };
	struct msghdr received = { .msg_iov = in, .msg_iovlen = 2, .msg_control = control, .msg_controllen = sizeof(control) };
	struct mmsghdr several = { .msg_hdr = { .msg_iov = out, .msg_iovlen = 1 } };
	struct cmsghdr *head = (struct cmsghdr *)control;
	off_t offset = 0;
	loff_t offset64 = 0;
	int pair[2];

	in[0] = (struct iovec){ first, sizeof(first) };
	in[1] = (struct iovec){ second, sizeof(second) };
	head->cmsg_len = CMSG_LEN(4);
	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	memcpy(CMSG_DATA(head), &fd, 4);
	syscall(SOCKETPAIR, AF_UNIX, SOCK_STREAM, 0, pair);
	syscall(SENDMSG, pair[0], &sent, 0);
	syscall(RECVMSG, pair[1], &received, 0);
	sendmmsg(pair[0], &several, 1, 0);
	/* These go through socketcall(), which has its arguments in memory. */
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	sendmsg(pair[0], &sent, 0);
	recvmsg(pair[1], &received, 0);
	sendto(pair[0], "text", 4, 0, NULL, 0);
	recvfrom(pair[1], second, sizeof(second), 0, NULL, NULL);
	syscall(SYS_sendfile, pair[0], fd, &offset, 3);
	syscall(SYS_sendfile64, pair[0], fd, &offset64, 3);
	shutdown(pair[1], SHUT_RDWR);
}

static void handler(int sig)
{
	(void)sig;
}

static void signals(void)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = SA_RESTART };
	stack_t stack = { .ss_sp = malloc(8192), .ss_size = 8192 };
	sigset_t set;

	sigemptyset(&act.sa_mask);
	sigaddset(&act.sa_mask, SIGHUP);
	sigaction(SIGUSR1, &act, NULL);
	sigaction(SIGUSR1, NULL, &act);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigaltstack(&stack, NULL);
	sigaltstack(NULL, &stack);
}

static void limits(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_NONE };
	struct itimerspec its = { { 1, 0 }, { 2, 0 } };
	struct itimerval timer = { { 0, 0 }, { 0, 0 } };
	struct timespec ts = { 0, 1000 };
	long long precise[2] = { 0, 1000 };
	struct timeval tv;
	struct rlimit limit;
	struct rusage usage;
	struct utsname name;
	struct tms tms;
	timer_t id;
	int fd;

	syscall(SYS_nanosleep, &ts, NULL);
	syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &ts, NULL);
	syscall(CLOCK_NANOSLEEP64, CLOCK_MONOTONIC, 0, precise, NULL);
	syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &ts);
	syscall(SYS_clock_getres, CLOCK_MONOTONIC, &ts);
	syscall(CLOCK_GETTIME64, CLOCK_MONOTONIC, precise);
	syscall(CLOCK_GETRES64, CLOCK_MONOTONIC, precise);
	syscall(SYS_gettimeofday, &tv, NULL);
	syscall(SYS_getrlimit, RLIMIT_NOFILE, &limit);
	syscall(SYS_ugetrlimit, RLIMIT_STACK, &limit);
	syscall(SYS_setrlimit, RLIMIT_STACK, &limit);
	getrusage(RUSAGE_SELF, &usage);
	times(&tms);
	uname(&name);
	setitimer(ITIMER_REAL, &timer, NULL);
	getitimer(ITIMER_REAL, &timer);
	fd = timerfd_create(CLOCK_MONOTONIC, 0);
	syscall(SYS_timerfd_settime, fd, 0, &its, NULL);
	syscall(SYS_timerfd_gettime, fd, &its);
	timer_create(CLOCK_MONOTONIC, &event, &id);
	timer_delete(id);
}

static void waiting(int fd)
{
	struct epoll_event event = { .events = EPOLLOUT, .data.fd = 7 };
	struct pollfd one = { fd, POLLIN | POLLOUT, 0 };
	struct timespec ts = { 0, 1 };
	struct timeval tv = { 0, 1 };
	fd_set fds;
	int epoll = epoll_create1(0);

	poll(&one, 1, 0);
	ppoll(&one, 1, &ts, NULL);
	FD_ZERO(&fds);
	FD_SET(fd, &fds);
	select(fd + 1, NULL, &fds, NULL, &tv);
	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
	epoll_wait(epoll, &event, 1, 0);
}

static void processes(void)
{
	char *const argv[] = { "/bin/true", "a", NULL };
	struct rusage usage;
	pid_t pid = fork();
	gid_t groups[64];
	int status;

	if (!pid) {
		execve(argv[0], argv, NULL);
		_exit(3);
	}
	wait4(pid, &status, 0, &usage);
	pid = fork();
	if (!pid)
		_exit(4);
	syscall(SYS_waitpid, pid, &status, 0);
	getuid();
	getgroups(64, groups);
	setresuid(-1, -1, -1);
}

int main(void)
{
	int fd = open(NAME, O_RDWR | O_CREAT | O_TRUNC, 0644), pipes[2];

	files(fd);
	times_of_files();
	messages(fd);
	signals();
	limits();
	if (!pipe(pipes))
		waiting(pipes[1]);
	processes();
	unlink(NAME);
	return 0;
}
