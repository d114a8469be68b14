/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Threads that spend their time in known ways. Each says at its end "NAME TID CLASS WAITED-NS CPU-NS ELAPSED-NS": WAITED is by the clock
 * around the calls that wait, without the time that the thread ran inside, so that it includes what was waited for a CPU afterwards.
 * The argument is what to do; several may be given, one after the other.
 *
 *   sleep   40 times: runs 3 ms, sleeps 7 ms
 *   spin    runs for 300 ms
 *   lock    two threads: one holds a mutex for 6 ms and leaves it for 2 ms, the other takes it again and again
 *   pipe    two threads: a byte goes to and fro, the answer takes 2 ms of CPU time
 *   net     the same over a TCP connection
 *   disk    writes 256 kB and calls fsync, 60 times
 *   fault   touches pages of a file that are not in memory
 *   poll    waits in poll() for the answers of another thread
 *   chain   alpha waits for beta, beta for gamma, gamma runs: 60 ms, 40 ms and 20 ms; three times
 *   headless  as sleep, and the first thread ends before
 *   idle    a thread that waits in one place for something that comes every 50 ms, beside one that runs
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000ull

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

struct account {
	const char *name, *class;
	uint64_t begin_ns, waited_ns, since_ns, cpu_since_ns;
};

static struct account begin(const char *name, const char *class)
{
	prctl(PR_SET_NAME, name);
	return (struct account){ .name = name, .class = class, .begin_ns = now(CLOCK_MONOTONIC) };
}

static void before(struct account *a)
{
	a->cpu_since_ns = now(CLOCK_THREAD_CPUTIME_ID);
	a->since_ns = now(CLOCK_MONOTONIC);
}

static void after(struct account *a)
{
	uint64_t elapsed_ns = now(CLOCK_MONOTONIC) - a->since_ns, cpu_ns = now(CLOCK_THREAD_CPUTIME_ID) - a->cpu_since_ns;

	a->waited_ns += elapsed_ns > cpu_ns ? elapsed_ns - cpu_ns : 0;
}

static void end(const struct account *a)
{
	printf("%s %ld %s %llu %llu %llu\n", a->name, syscall(SYS_gettid), a->class, (unsigned long long)a->waited_ns,
	       (unsigned long long)now(CLOCK_THREAD_CPUTIME_ID), (unsigned long long)(now(CLOCK_MONOTONIC) - a->begin_ns));
	fflush(stdout);
}

__attribute__((noinline)) static void spin(uint64_t ns)
{
	uint64_t until = now(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (now(CLOCK_THREAD_CPUTIME_ID) < until)
		for (volatile int i = 0; i < 2000; i++)
			;
}

static void nap(uint64_t ns)
{
	const struct timespec t = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	nanosleep(&t, NULL);
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void run_beside(void *(*one)(void *), void *(*other)(void *))
{
	pthread_t a, b;

	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}

static void run_alone(void *(*one)(void *))
{
	pthread_t a;

	pthread_create(&a, NULL, one, NULL);
	pthread_join(a, NULL);
}

static void *sleeper(void *arg)
{
	struct account a = begin("sleeper", "sleep");

	for (int i = 0; i < 40; i++) {
		spin(3 * MS);
		before(&a);
		nap(7 * MS);
		after(&a);
	}
	end(&a);
	return arg;
}

static void *spinner(void *arg)
{
	struct account a = begin("spinner", "user");

	spin(300 * MS);
	end(&a);
	return arg;
}

/* ---- lock ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int is_over;

static void *holder(void *arg)
{
	struct account a = begin("holder", "sleep");

	for (int i = 0; i < 50; i++) {
		pthread_mutex_lock(&lock);
		before(&a);
		nap(6 * MS);
		after(&a);
		pthread_mutex_unlock(&lock);
		before(&a);
		nap(2 * MS);
		after(&a);
	}
	is_over = 1;
	end(&a);
	return arg;
}

static void *taker(void *arg)
{
	struct account a = begin("taker", "futex");

	while (!is_over) {
		before(&a);
		pthread_mutex_lock(&lock);
		after(&a);
		pthread_mutex_unlock(&lock);
		spin(MS / 2);
	}
	end(&a);
	return arg;
}

/* ---- pipe, net, poll ---- */

static int to[2], fro[2];
static const char *answer_class;

static void *asker(void *arg)
{
	struct account a = begin("asker", answer_class);
	struct pollfd p = { .fd = fro[0], .events = POLLIN };
	char c = 'x';

	for (int i = 0; i < 100; i++) {
		if (write(to[1], &c, 1) != 1)
			die("write");
		before(&a);
		if (!strcmp(answer_class, "poll"))
			poll(&p, 1, -1);
		else if (read(fro[0], &c, 1) != 1)
			die("read");
		after(&a);
		if (!strcmp(answer_class, "poll") && read(fro[0], &c, 1) != 1)
			die("read");
	}
	shutdown(to[1], SHUT_RDWR);
	close(to[1]);
	end(&a);
	return arg;
}

static void *answerer(void *arg)
{
	struct account a = begin("answerer", strcmp(answer_class, "poll") ? answer_class : "pipe");
	char c;

	for (;;) {
		ssize_t n;

		before(&a);
		n = read(to[0], &c, 1);
		after(&a);
		if (n != 1)
			break;
		spin(2 * MS);
		if (write(fro[1], &c, 1) != 1)
			die("write");
	}
	end(&a);
	return arg;
}

static void connect_pair(int fds[2])
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	fds[1] = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (void *)&at, sizeof(at)) || listen(listener, 1) || getsockname(listener, (void *)&at, &len) ||
	    connect(fds[1], (void *)&at, sizeof(at)) || (fds[0] = accept(listener, NULL, NULL)) < 0)
		die("socket");
	close(listener);
}

/* ---- disk, fault ---- */

static int open_file(void)
{
	int fd = open("walls.tmp", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		die("walls.tmp");
	unlink("walls.tmp");
	return fd;
}

static void *writer(void *arg)
{
	static char block[256 << 10];
	struct account a = begin("writer", "disk");
	int fd = open_file();

	for (int i = 0; i < 60; i++) {
		memset(block, i, sizeof(block));
		if (pwrite(fd, block, sizeof(block), 0) != (ssize_t)sizeof(block))
			die("pwrite");
		before(&a);
		if (fsync(fd))
			die("fsync");
		after(&a);
	}
	close(fd);
	end(&a);
	return arg;
}

#define FAULT_BYTES (64u << 20)

static void *toucher(void *arg)
{
	struct account a = begin("toucher", "page_fault");
	char *block = malloc(1 << 20), *map;
	int fd = open_file();
	unsigned sum = 0;

	memset(block, 7, 1 << 20);
	for (unsigned i = 0; i < FAULT_BYTES >> 20; i++)
		if (write(fd, block, 1 << 20) != 1 << 20)
			die("write");
	fsync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	map = mmap(NULL, FAULT_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		die("mmap");
	madvise(map, FAULT_BYTES, MADV_RANDOM);
	a.begin_ns = now(CLOCK_MONOTONIC);
	for (unsigned i = 0; i < FAULT_BYTES; i += 64 << 10) {
		before(&a);
		sum += (unsigned char)map[i];
		after(&a);
	}
	end(&a);
	if (!sum)
		die("sum");
	return arg;
}

/* ---- chain, idle ---- */

static sem_t for_alpha, for_beta;

static void *alpha(void *arg)
{
	struct account a = begin("alpha", "futex");

	for (int i = 0; i < 3; i++) {
		before(&a);
		sem_wait(&for_alpha);
		after(&a);
		spin(20 * MS);
	}
	end(&a);
	return arg;
}

static void *beta(void *arg)
{
	struct account a = begin("beta", "futex");

	for (int i = 0; i < 3; i++) {
		before(&a);
		sem_wait(&for_beta);
		after(&a);
		spin(40 * MS);
		sem_post(&for_alpha);
	}
	end(&a);
	return arg;
}

static void *gamma_thread(void *arg)
{
	struct account a = begin("gamma", "user");

	for (int i = 0; i < 3; i++) {
		spin(60 * MS);
		sem_post(&for_beta);
		nap(120 * MS);
	}
	end(&a);
	return arg;
}

static void *idler(void *arg)
{
	struct account a = begin("idler", "futex");

	for (int i = 0; i < 8; i++)
		sem_wait(&for_alpha);
	end(&a);
	return arg;
}

static void *feeder(void *arg)
{
	struct account a = begin("feeder", "user");

	for (int i = 0; i < 8; i++) {
		spin(50 * MS);
		sem_post(&for_alpha);
	}
	end(&a);
	return arg;
}

static void run_chain(void)
{
	pthread_t c;

	pthread_create(&c, NULL, gamma_thread, NULL);
	run_beside(alpha, beta);
	pthread_join(c, NULL);
}

static void run_headless(void)
{
	pthread_t a;

	pthread_create(&a, NULL, sleeper, NULL);
	pthread_exit(NULL);
}

static void run_pair(const char *class)
{
	answer_class = class;
	if (!strcmp(class, "network")) {
		connect_pair(to);
		connect_pair(fro);
	} else if (pipe(to) || pipe(fro)) {
		die("pipe");
	}
	run_beside(asker, answerer);
}

int main(int argc, char **argv)
{
	sem_init(&for_alpha, 0, 0);
	sem_init(&for_beta, 0, 0);
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "sleep"))
			run_alone(sleeper);
		else if (!strcmp(argv[i], "spin"))
			run_alone(spinner);
		else if (!strcmp(argv[i], "lock"))
			run_beside(holder, taker);
		else if (!strcmp(argv[i], "pipe") || !strcmp(argv[i], "poll"))
			run_pair(argv[i]);
		else if (!strcmp(argv[i], "net"))
			run_pair("network");
		else if (!strcmp(argv[i], "disk"))
			run_alone(writer);
		else if (!strcmp(argv[i], "fault"))
			run_alone(toucher);
		else if (!strcmp(argv[i], "chain"))
			run_chain();
		else if (!strcmp(argv[i], "headless"))
			run_headless();
		else if (!strcmp(argv[i], "idle"))
			run_beside(idler, feeder);
		else
			return 2;
	}
	return 0;
}
