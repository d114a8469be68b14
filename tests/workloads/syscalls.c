/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Makes more than a hundred different system calls with telling arguments, one after the other, for the text of `assay trace` to be compared
 * with strace's. Everything it makes is in a temporary directory of its own, which it removes; sockets are local. What it does is the same in
 * every run but for addresses, process numbers, ports and times. Calls may fail: they are made to be looked at.
 *
 * usage: syscalls [GROUP…]   files, memory, pipes, sockets, signals, timers, processes, limits, events, terminals, bad; all without one
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/loop.h>
#include <linux/netlink.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static char dir[] = "/tmp/assay-syscalls-XXXXXX";

static void make_files(void)
{
	struct open_how how = { .flags = O_RDWR | O_CREAT | O_CLOEXEC, .mode = 0600, .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS };
	int fd = open("plain", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644), fd2;

	write(fd, "plain text, longer than the thirty-two bytes that are shown\n", 60);
	write(fd, "tab\tquote\"backslash\\newline\nbell\a\033[1m\1772\0003\377", 44);
	pwrite(fd, "behind a hole", 13, 65536);
	fsync(fd);
	fdatasync(fd);
	fd2 = open("plain", O_WRONLY | O_APPEND | O_NONBLOCK | O_NOFOLLOW);
	write(fd2, "", 0);
	close(fd2);
	fd2 = (int)syscall(SYS_openat2, AT_FDCWD, "how", &how, sizeof(how));
	close(fd2);
	fd2 = creat("created", 0400);
	close(fd2);
	open("missing", O_RDONLY | O_DIRECTORY);
	close(open(".", O_RDWR | O_TMPFILE | 0x40000000, 07777));
	mkdir("sub", 0750);
	mkdirat(AT_FDCWD, "sub/sub2", 01777);
	mknod("fifo", S_IFIFO | 0620, 0);
	mknod("device", S_IFCHR | 0600, 0x0103);
	symlink("plain", "link");
	symlinkat("../plain", AT_FDCWD, "sub/link");
	link("plain", "hard");
	linkat(AT_FDCWD, "link", AT_FDCWD, "hard2", AT_SYMLINK_FOLLOW);
	rename("hard2", "hard3");
	syscall(SYS_renameat2, AT_FDCWD, "hard", AT_FDCWD, "hard3", RENAME_EXCHANGE);
	syscall(SYS_renameat2, AT_FDCWD, "hard", AT_FDCWD, "hard3", RENAME_NOREPLACE);
	close(fd);
}

static void look_at_files(void)
{
	char buf[4096];
	struct stat st;
	struct statx stx;
	struct statfs sfs;
	int fd = open("plain", O_RDONLY);

	read(fd, buf, 10);
	read(fd, buf, sizeof(buf));
	pread(fd, buf, 16, 6);
	lseek(fd, -5, SEEK_END);
	lseek(fd, 0, SEEK_HOLE);
	lseek(fd, 4096, SEEK_DATA);
	lseek(fd, 1, SEEK_CUR);
	stat("plain", &st);
	stat("fifo", &st);
	stat("device", &st);
	lstat("link", &st);
	fstat(fd, &st);
	fstatat(AT_FDCWD, "sub", &st, AT_SYMLINK_NOFOLLOW);
	stat("missing", &st);
	statx(AT_FDCWD, "plain", AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &stx);
	statx(fd, "", AT_EMPTY_PATH | AT_STATX_SYNC_AS_STAT, STATX_ALL, &stx);
	statfs("/proc", &sfs);
	fstatfs(fd, &sfs);
	access("plain", R_OK | W_OK);
	access("missing", F_OK);
	faccessat(AT_FDCWD, "plain", X_OK, 0);
	syscall(SYS_faccessat2, AT_FDCWD, "plain", R_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW);
	readlink("link", buf, sizeof(buf));
	readlinkat(AT_FDCWD, "plain", buf, sizeof(buf));
	getcwd(buf, sizeof(buf));
	getcwd(buf, 3);
	posix_fadvise(fd, 0, 4096, POSIX_FADV_SEQUENTIAL);
	readahead(fd, 0, 4096);
	close(fd);
	fd = open(".", O_RDONLY | O_DIRECTORY);
	syscall(SYS_getdents64, fd, buf, sizeof(buf));
	syscall(SYS_getdents64, fd, buf, sizeof(buf));
	fchdir(fd);
	close(fd);
}

static void change_files(void)
{
	struct timespec times[2] = { { 1000000000, 500 }, { 0, UTIME_NOW } };
	struct timeval old[2] = { { 1234567890, 42 }, { 1234567891, 0 } };
	char value[64];
	int fd = open("plain", O_RDWR);

	chmod("plain", 0640);
	fchmod(fd, 04711);
	fchmodat(AT_FDCWD, "created", 0444, 0);
	chown("plain", 0, -1);
	lchown("link", (uid_t)-1, (gid_t)-1);
	fchown(fd, getuid(), getgid());
	fchownat(AT_FDCWD, "plain", -1, 0, AT_SYMLINK_NOFOLLOW);
	umask(027);
	umask(022);
	truncate("plain", 5000);
	ftruncate(fd, 4096);
	fallocate(fd, FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, 0, 4096);
	utimensat(AT_FDCWD, "plain", times, 0);
	futimens(fd, NULL);
	utimes("plain", old);
	setxattr("plain", "user.colour", "deep blue", 9, XATTR_CREATE);
	fsetxattr(fd, "user.colour", "red\0", 4, 0);
	getxattr("plain", "user.colour", value, sizeof(value));
	getxattr("plain", "user.none", value, sizeof(value));
	listxattr("plain", value, sizeof(value));
	fremovexattr(fd, "user.colour");
	flock(fd, LOCK_EX | LOCK_NB);
	flock(fd, LOCK_UN);
	sync_file_range(fd, 0, 4096, SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
	close(fd);
}

static void control_files(void)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 10, .l_len = 20 };
	int fd = open("plain", O_RDWR), fd2, flags = 0;

	fcntl(fd, F_GETFL);
	fcntl(fd, F_SETFL, O_RDWR | O_NONBLOCK | O_APPEND);
	fcntl(fd, F_GETFD);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	fd2 = fcntl(fd, F_DUPFD_CLOEXEC, 20);
	fcntl(fd, F_SETLK, &lock);
	lock.l_type = F_RDLCK;
	fcntl(fd, F_OFD_GETLK, &lock);
	fcntl(fd, F_GETLK, &lock);
	fcntl(fd, F_SETPIPE_SZ, 4096);
	fcntl(fd, 4711, 1);
	dup2(fd, 21);
	dup3(fd, 22, O_CLOEXEC);
	close(dup(fd));
	ioctl(fd, FIONREAD, &flags);
	ioctl(fd, FS_IOC_GETFLAGS, &flags);
	ioctl(fd, FIGETBSZ, &flags);
	ioctl(fd, BLKGETSIZE64, &flags);
	ioctl(fd, LOOP_CLR_FD);
	ioctl(fd, _IOC(_IOC_READ | _IOC_WRITE, 'Q', 17, 24), 0);
	sendfile(fd2, fd, NULL, 4);
	copy_file_range(fd, NULL, fd2, NULL, 4, 0);
	syscall(SYS_close_range, 21, 22, CLOSE_RANGE_CLOEXEC);
	syscall(SYS_close_range, 20, 22, 0);
	close(fd);
}

static void remove_files(void)
{
	static const char *const names[] = { "plain", "how", "created", "fifo", "device", "link", "sub/link", "hard", "hard3" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		unlink(names[i]);
	unlinkat(AT_FDCWD, "sub/sub2", AT_REMOVEDIR);
	rmdir("sub");
	rmdir("/");
}

static void files(void)
{
	make_files();
	look_at_files();
	change_files();
	control_files();
	remove_files();
}

static void memory(void)
{
	size_t page = 4096;
	unsigned char core[4];
	int fd = memfd_create("memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	char *p = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *q;

	memset(p, 1, 4 * page);
	mprotect(p, page, PROT_READ);
	mprotect(p + page, page, PROT_NONE);
	mprotect(p + 1, page, PROT_READ | PROT_EXEC);
	madvise(p + 2 * page, page, MADV_DONTNEED);
	madvise(p, page, MADV_HUGEPAGE);
	madvise(p, page, 12345);
	msync(p, page, MS_SYNC | MS_INVALIDATE);
	mlock(p, page);
	syscall(SYS_mlock2, p, page, MLOCK_ONFAULT);
	munlock(p, page);
	munlockall();
	p = mremap(p, 4 * page, 2 * page, MREMAP_MAYMOVE);
	munmap(p, 2 * page);
	ftruncate(fd, 8192);
	q = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 4096);
	munmap(q, 8192);
	q = mmap(NULL, 8192, PROT_READ, MAP_SHARED | MAP_POPULATE | MAP_NORESERVE, fd, 0);
	munmap(q, 8192);
	mmap(NULL, 0, PROT_READ, MAP_PRIVATE, fd, 0);
	fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
	fcntl(fd, F_GET_SEALS);
	close(fd);
	syscall(SYS_brk, 0);
	getrandom(core, sizeof(core), GRND_NONBLOCK);
	syscall(SYS_membarrier, 1 << 4, 0, 0); /* REGISTER_PRIVATE_EXPEDITED */
}

static void pipes(void)
{
	char a[8], b[16];
	struct iovec out[] = { { "first ", 6 }, { "second", 6 }, { "a buffer that is longer than the thirty-two bytes", 49 } };
	struct iovec in[] = { { a, sizeof(a) }, { b, sizeof(b) } };
	int p[2], q[2];

	pipe(p);
	pipe2(q, O_CLOEXEC | O_NONBLOCK);
	writev(p[1], out, 3);
	readv(p[0], in, 2);
	read(q[0], a, sizeof(a));
	fcntl(p[0], F_GETPIPE_SZ);
	tee(p[0], q[1], 4, SPLICE_F_NONBLOCK);
	splice(q[0], NULL, p[1], NULL, 4, SPLICE_F_MOVE | SPLICE_F_MORE);
	vmsplice(q[1], out, 1, 0);
	close(p[0]);
	write(p[1], "no reader at", 12);
	close(p[1]);
	close(q[0]);
	close(q[1]);
}

static void unix_sockets(void)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "socket" }, peer;
	struct sockaddr_un abstract = { .sun_family = AF_UNIX, .sun_path = "\0abstract-syscalls" };
	socklen_t len = sizeof(peer);
	struct ucred cred;
	char buf[64];
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), client, server, pair[2];

	bind(fd, (struct sockaddr *)&un, sizeof(un));
	listen(fd, 5);
	client = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	connect(client, (struct sockaddr *)&un, sizeof(un));
	server = accept4(fd, (struct sockaddr *)&peer, &len, SOCK_CLOEXEC);
	len = sizeof(peer);
	getsockname(server, (struct sockaddr *)&peer, &len);
	len = sizeof(peer);
	getpeername(client, (struct sockaddr *)&peer, &len);
	send(client, "hello", 5, MSG_NOSIGNAL | MSG_DONTWAIT);
	recv(server, buf, sizeof(buf), MSG_PEEK);
	recv(server, buf, sizeof(buf), 0);
	len = sizeof(cred);
	getsockopt(server, SOL_SOCKET, SO_PEERCRED, &cred, &len);
	shutdown(client, SHUT_WR);
	recv(server, buf, sizeof(buf), MSG_WAITALL);
	close(client);
	close(server);
	close(fd);
	fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	bind(fd, (struct sockaddr *)&abstract, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 18));
	close(fd);
	socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair);
	write(pair[0], "packet", 6);
	read(pair[1], buf, sizeof(buf));
	close(pair[0]);
	close(pair[1]);
	unlink("socket");
}

static void messages(void)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control = { .head = { .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS } };
	char text[] = "a message", buf[32];
	struct iovec out = { text, 9 }, in = { buf, sizeof(buf) };
	struct msghdr msg = { .msg_iov = &out, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control) };
	struct mmsghdr several[2] = { { .msg_hdr = { .msg_iov = &out, .msg_iovlen = 1 } },
				      { .msg_hdr = { .msg_iov = &out, .msg_iovlen = 1 } } };
	int pair[2], fd;

	socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair);
	memcpy(CMSG_DATA(&control.head), &pair[0], sizeof(int));
	sendmsg(pair[0], &msg, 0);
	msg.msg_iov = &in;
	msg.msg_controllen = sizeof(control);
	recvmsg(pair[1], &msg, MSG_CMSG_CLOEXEC);
	memcpy(&fd, CMSG_DATA(&control.head), sizeof(int));
	close(fd);
	sendmmsg(pair[0], several, 2, 0);
	several[0].msg_hdr.msg_iov = &in;
	recvmmsg(pair[1], several, 1, MSG_DONTWAIT, NULL);
	close(pair[0]);
	close(pair[1]);
}

static void inet_sockets(void)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in closed = { .sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(0), .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct sockaddr_nl nl = { .nl_family = AF_NETLINK, .nl_groups = 5 };
	struct linger linger = { 1, 0 };
	struct timeval timeout = { 1, 500000 };
	struct ifreq ifr = { .ifr_name = "lo" };
	socklen_t len = sizeof(in);
	int fd = socket(AF_INET, SOCK_STREAM, IPPROTO_TCP), client, server, one = 1;
	char buf[64];

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	bind(fd, (struct sockaddr *)&in, sizeof(in));
	getsockname(fd, (struct sockaddr *)&in, &len);
	listen(fd, 128);
	client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_IP);
	setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(client, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	connect(client, (struct sockaddr *)&in, sizeof(in));
	server = accept(fd, NULL, NULL);
	sendto(client, "GET / HTTP/1.0\r\n\r\n", 18, MSG_NOSIGNAL, NULL, 0);
	recvfrom(server, buf, sizeof(buf), 0, NULL, NULL);
	len = sizeof(one);
	getsockopt(client, SOL_SOCKET, SO_ERROR, &one, &len);
	shutdown(server, SHUT_RDWR);
	close(server);
	close(client);
	close(fd);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, IPPROTO_UDP);
	ioctl(fd, SIOCGIFINDEX, &ifr);
	sendto(fd, "datagram", 8, 0, (struct sockaddr *)&closed, sizeof(closed));
	recvfrom(fd, buf, sizeof(buf), MSG_DONTWAIT, (struct sockaddr *)&in, &len);
	close(fd);
	fd = socket(AF_INET6, SOCK_DGRAM, 0);
	bind(fd, (struct sockaddr *)&in6, sizeof(in6));
	close(fd);
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	bind(fd, (struct sockaddr *)&nl, sizeof(nl));
	close(fd);
	socket(AF_INET, 77, 4711);
}

static void sockets(void)
{
	unix_sockets();
	messages();
	inet_sockets();
}

static void on_signal(int sig)
{
	(void)sig;
}

static void signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART | SA_NODEFER }, old;
	struct timespec none = { 0, 0 };
	stack_t stack = { .ss_sp = malloc(SIGSTKSZ), .ss_size = 16384 }, old_stack;
	sigset_t set, pending;
	siginfo_t info;
	int fd;

	sigemptyset(&sa.sa_mask);
	sigaddset(&sa.sa_mask, SIGINT);
	sigaddset(&sa.sa_mask, SIGTERM);
	sigaction(SIGUSR1, &sa, &old);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGUSR2, SIG_DFL);
	sigaction(SIGRTMIN + 2, NULL, &old);
	sigaltstack(&stack, &old_stack);
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
	kill(getpid(), SIGUSR1);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR2);
	sigpending(&pending);
	sigtimedwait(&set, &info, &none);
	sigtimedwait(&set, &info, &none);
	fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	close(fd);
	sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = 42 });
	sigtimedwait(&set, &info, &none);
	sigfillset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
	sigemptyset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
	kill(getpid(), 0);
	kill(0x3ffffff, SIGKILL);
	alarm(100);
	alarm(0);
	free(stack.ss_sp);
}

static void timers(void)
{
	struct timespec short_time = { 0, 1000000 }, left, now_is;
	struct itimerval interval = { { 10, 0 }, { 100, 250000 } }, old;
	struct itimerspec spec = { { 0, 0 }, { 0, 1000000 } }, old_spec;
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct timeval tv;
	struct tms tms;
	uint64_t expired;
	timer_t timer;
	int fd;

	nanosleep(&short_time, &left);
	clock_nanosleep(CLOCK_MONOTONIC, 0, &short_time, NULL);
	syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &now_is);
	syscall(SYS_clock_getres, CLOCK_MONOTONIC, &now_is);
	syscall(SYS_gettimeofday, &tv, NULL);
	clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &(struct timespec){ 1, 0 }, NULL);
	setitimer(ITIMER_REAL, &interval, &old);
	getitimer(ITIMER_REAL, &old);
	memset(&interval, 0, sizeof(interval));
	setitimer(ITIMER_REAL, &interval, NULL);
	fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	timerfd_settime(fd, 0, &spec, &old_spec);
	read(fd, &expired, sizeof(expired));
	timerfd_gettime(fd, &old_spec);
	close(fd);
	timer_create(CLOCK_REALTIME, &event, &timer);
	timer_settime(timer, TIMER_ABSTIME, &spec, NULL);
	timer_delete(timer);
	times(&tms);
}

static void processes(void)
{
	struct rusage usage;
	siginfo_t info;
	int status, fd;
	pid_t pid = fork();

	if (!pid)
		_exit(3);
	waitpid(pid, &status, 0);
	if (!(pid = fork())) {
		kill(getpid(), SIGKILL);
		_exit(0);
	}
	wait4(pid, &status, WUNTRACED, &usage);
	if (!(pid = vfork())) {
		execl("/bin/true", "true", "one", "with \"quotes\"", NULL);
		_exit(127);
	}
	waitid(P_PID, (id_t)pid, &info, WEXITED);
	waitpid(-1, &status, WNOHANG);
	execl("/does/not/exist", "nothing", NULL);
	getpid();
	getppid();
	getpgid(0);
	getpgrp();
	getsid(0);
	setpgid(0, 0);
	getuid();
	geteuid();
	getgid();
	getegid();
	getgroups(0, NULL);
	setsid();
	fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0);
	close(fd);
	chdir("/nowhere");
}

static void limits(void)
{
	struct rlimit limit = { 1024, RLIM_INFINITY };
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2];
	struct sched_param param = { 0 };
	struct rusage usage;
	struct utsname name;
	struct sysinfo system;
	uid_t r, e, s;
	cpu_set_t cpus;
	unsigned int cpu, node;
	char comm[16];

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = 256;
	setrlimit(RLIMIT_NOFILE, &limit);
	prlimit(0, RLIMIT_STACK, NULL, &limit);
	getrusage(RUSAGE_SELF, &usage);
	uname(&name);
	sysinfo(&system);
	getresuid(&r, &e, &s);
	getresgid(&r, &e, &s);
	setresuid(-1, -1, -1);
	sched_getaffinity(0, sizeof(cpus), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	sched_yield();
	sched_getscheduler(0);
	sched_getparam(0, &param);
	sched_setscheduler(0, SCHED_BATCH, &param);
	sched_get_priority_max(SCHED_FIFO);
	getpriority(PRIO_PROCESS, 0);
	setpriority(PRIO_PROCESS, 0, 1);
	syscall(SYS_getcpu, &cpu, &node, NULL);
	prctl(PR_SET_NAME, "traced");
	prctl(PR_GET_NAME, comm);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	prctl(PR_GET_DUMPABLE);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_CAPBSET_READ, CAP_SYS_ADMIN);
	syscall(SYS_capget, &head, data);
	personality(0xffffffff);
	mount("none", "/nowhere", "tmpfs", MS_NOSUID | MS_NODEV, "size=1m");
	umount2("/nowhere", MNT_DETACH);
}

static void ipc(void)
{
	struct {
		long type;
		char text[16];
	} msg = { 7, "message" };
	struct sembuf op = { 0, 1, IPC_NOWAIT };
	int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
	void *p = shmat(id, NULL, SHM_RDONLY);

	shmdt(p);
	shmctl(id, IPC_RMID, NULL);
	id = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
	semop(id, &op, 1);
	semctl(id, 0, IPC_RMID);
	id = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
	msgsnd(id, &msg, 8, 0);
	msgrcv(id, &msg, sizeof(msg.text), 0, IPC_NOWAIT);
	msgctl(id, IPC_RMID, NULL);
}

static void wait_for_fds(void)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET, .data.u64 = 0x1234567800000003 }, got[4];
	struct timespec soon = { 0, 1000 };
	struct timeval tv = { 0, 1000 };
	uint64_t one = 1;
	struct pollfd fds[3];
	fd_set in, out;
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), ep = epoll_create1(EPOLL_CLOEXEC);

	epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event);
	epoll_wait(ep, got, 4, 0);
	write(fd, &one, sizeof(one));
	epoll_wait(ep, got, 4, 1000);
	epoll_pwait(ep, got, 4, 0, NULL);
	event.events = EPOLLOUT | EPOLLONESHOT;
	epoll_ctl(ep, EPOLL_CTL_MOD, fd, &event);
	epoll_ctl(ep, EPOLL_CTL_DEL, fd, NULL);
	fds[0] = (struct pollfd){ fd, POLLIN | POLLPRI, 0 };
	fds[1] = (struct pollfd){ ep, POLLIN, 0 };
	fds[2] = (struct pollfd){ 99, POLLOUT, 0 };
	poll(fds, 3, 1000);
	poll(fds + 1, 1, 1);
	poll(NULL, 0, 1);
	ppoll(fds, 1, &soon, NULL);
	FD_ZERO(&in);
	FD_SET(fd, &in);
	FD_SET(ep, &in);
	FD_ZERO(&out);
	FD_SET(fd, &out);
	select(fd + 2, &in, &out, NULL, &tv);
	FD_ZERO(&in);
	FD_SET(ep, &in);
	pselect(ep + 1, &in, NULL, NULL, &soon, NULL);
	read(fd, &one, sizeof(one));
	read(fd, &one, sizeof(one));
	close(ep);
	close(fd);
}

static void events(void)
{
	struct timespec soon = { 0, 1000 };
	char buf[512];
	int word = 0, fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC), wd;

	wd = inotify_add_watch(fd, ".", IN_CREATE | IN_DELETE | IN_CLOSE_WRITE);
	close(creat("watched", 0600));
	unlink("watched");
	read(fd, buf, sizeof(buf));
	inotify_rm_watch(fd, wd);
	close(fd);
	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
	syscall(SYS_futex, &word, FUTEX_WAIT, 0, &soon, NULL, 0);
	syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 0, &soon, NULL, FUTEX_BITSET_MATCH_ANY);
	wait_for_fds();
	ipc();
}

static void terminals(void)
{
	struct termios settings;
	struct winsize size = { 24, 80, 0, 0 };
	int fd = posix_openpt(O_RDWR | O_NOCTTY), number, unlock = 0;

	ioctl(fd, TIOCGPTN, &number);
	ioctl(fd, TIOCSPTLCK, &unlock);
	ioctl(fd, TIOCSWINSZ, &size);
	ioctl(fd, TIOCGWINSZ, &size);
	tcgetattr(fd, &settings);
	settings.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	tcsetattr(fd, TCSANOW, &settings);
	ioctl(fd, FIONBIO, &unlock);
	ioctl(fd, FIOCLEX);
	tcflush(fd, TCIOFLUSH);
	close(fd);
	fd = open("/dev/null", O_RDWR);
	tcgetattr(fd, &settings);
	write(fd, "to nowhere", 10);
	close(fd);
}

/* Addresses that are not there, descriptors that are not open, calls that do not exist. */
static void bad(void)
{
	void *nowhere = (void *)0x10;
	struct stat st;

	open(nowhere, O_RDONLY);
	open(NULL, O_RDONLY);
	read(-1, NULL, 10);
	read(99, nowhere, 10);
	write(1, nowhere, 10);
	fstat(-1, &st);
	stat("", nowhere);
	syscall(SYS_rt_sigaction, 99, nowhere, NULL, 8);
	nanosleep(nowhere, NULL);
	poll(nowhere, 1, 0);
	writev(1, nowhere, 2);
	connect(0, nowhere, 16);
	bind(99, (struct sockaddr *)"\1\0/x", 2);
	lseek(99, 1LL << 40, 77);
	close(-1);
	syscall(SYS_clone3, nowhere, 64);
	syscall(1023, 1, 2, 3, 4, 5, 6);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} groups[] = {
		{ "files", files },   { "memory", memory },	  { "pipes", pipes },	{ "sockets", sockets }, { "signals", signals },
		{ "timers", timers }, { "processes", processes }, { "limits", limits }, { "events", events },	{ "terminals", terminals },
		{ "bad", bad },
	};

	signal(SIGPIPE, SIG_IGN);
	if (!mkdtemp(dir) || chdir(dir)) {
		perror(dir);
		return 1;
	}
	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++) {
		bool wanted = argc < 2;

		for (int a = 1; a < argc; a++)
			wanted |= !strcmp(argv[a], groups[i].name);
		if (wanted)
			groups[i].run();
	}
	chdir("/");
	return rmdir(dir) ? 1 : 0;
}
