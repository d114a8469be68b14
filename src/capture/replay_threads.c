/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Wakes are numbered, and a thread that waits looks for a number: one that was done before the sleep began is not lost, and one that the
 * sleeper does not need does no harm.
 */
#include "capture/replay_threads.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

#define STACK_BYTES (64u << 10)
#define SPIN_NS 10000u /* between two looks at the clock */
#define TEST_NS NS_PER_MS
#define NR_TESTS 21

struct thread {
	struct replay_threads *all;
	const struct sched_replay_task *task;
	pthread_t id;
	_Atomic uint32_t woken; /* the highest number of a wake so far */
	_Atomic uint32_t is_waiting;
} __attribute__((aligned(64)));

struct replay_threads {
	const struct sched_replay *r;
	struct sched_replay_costs costs;
	uint64_t spins_per_us;
	struct thread *threads;
	uint32_t nr; /* that were started */
	bool is_ending;
	_Atomic uint32_t round;	  /* they wait for the next one */
	_Atomic uint32_t nr_busy; /* in it */
};

static void futex_wait(_Atomic uint32_t *word, uint32_t value)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word, int nr)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, nr, NULL, NULL, 0);
}

/* ---- steps ---- */

static void spin(uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i++)
		__asm__ volatile("" ::: "memory");
}

static void run_until(const struct replay_threads *p, uint64_t target_ns)
{
	for (;;) {
		uint64_t now_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID), left_ns;

		if (now_ns + p->costs.clock_ns >= target_ns)
			return;
		left_ns = target_ns - now_ns - p->costs.clock_ns;
		spin((left_ns < SPIN_NS ? left_ns : SPIN_NS) * p->spins_per_us / 1000);
	}
}

/* A short one blocks, too. */
static void sleep_for(const struct replay_threads *p, uint64_t ns)
{
	struct timespec ts;

	ns = ns > p->costs.sleep_ns + 1 ? ns - p->costs.sleep_ns : 1;
	ts = (struct timespec){ .tv_sec = (time_t)(ns / NS_PER_SEC), .tv_nsec = (long)(ns % NS_PER_SEC) };
	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, &ts) == EINTR)
		;
}

static void wait_for(struct thread *t, uint32_t wake)
{
	uint32_t seen = atomic_load(&t->woken);

	if (seen >= wake)
		return;
	atomic_store(&t->is_waiting, 1);
	while ((seen = atomic_load(&t->woken)) < wake)
		futex_wait(&t->woken, seen);
	atomic_store(&t->is_waiting, 0);
}

static void wake(struct thread *t, uint32_t number)
{
	uint32_t seen = atomic_load(&t->woken);

	while (seen < number && !atomic_compare_exchange_weak(&t->woken, &seen, number))
		;
	if (atomic_load(&t->is_waiting))
		futex_wake(&t->woken, 1);
}

static void do_steps(struct thread *t)
{
	const struct replay_threads *p = t->all;
	uint64_t target_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);

	for (uint32_t i = 0; i < t->task->steps.nr; i++) {
		struct sched_replay_step s = t->task->steps.v[i];
		uint64_t value = sched_replay_value(s);

		switch (sched_replay_kind(s)) {
		case SCHED_REPLAY_RUN:
			target_ns += value;
			run_until(p, target_ns);
			break;
		case SCHED_REPLAY_SLEEP:
			sleep_for(p, value);
			break;
		case SCHED_REPLAY_WAIT:
			wait_for(t, (uint32_t)value);
			break;
		case SCHED_REPLAY_WAKE:
			wake(&p->threads[sched_replay_target(s)], (uint32_t)value);
			break;
		}
	}
}

/* ---- rounds ---- */

static void *work(void *arg)
{
	struct thread *t = arg;
	struct replay_threads *p = t->all;

	prctl(PR_SET_NAME, machine_comm(p->r->t->machine, timeline_track(p->r->t, t->task->track)->task));
	for (uint32_t round = 0;; round++) {
		while (atomic_load(&p->round) == round)
			futex_wait(&p->round, round);
		if (p->is_ending)
			return NULL;
		do_steps(t);
		if (atomic_fetch_sub(&p->nr_busy, 1) == 1)
			futex_wake(&p->nr_busy, 1);
	}
}

static void release(struct replay_threads *p)
{
	atomic_fetch_add(&p->round, 1);
	futex_wake(&p->round, INT_MAX);
}

void replay_threads_round(struct replay_threads *p, struct sched_replay_result *result)
{
	uint64_t begin_ns, cpu_ns;
	uint32_t nr_busy;

	for (uint32_t i = 0; i < p->nr; i++)
		atomic_store(&p->threads[i].woken, 0);
	atomic_store(&p->nr_busy, p->nr);
	begin_ns = clock_now_ns();
	cpu_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	release(p);
	while ((nr_busy = atomic_load(&p->nr_busy)))
		futex_wait(&p->nr_busy, nr_busy);
	*result = (struct sched_replay_result){ clock_now_ns() - begin_ns, clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns };
}

/* ---- what it costs ---- */

/* The mean of the middle third: neither lucky ones nor those in which something else ran. */
static uint64_t middle(uint64_t *v)
{
	uint64_t sum = 0;

	qsort(v, NR_TESTS, sizeof(*v), compare_u64);
	for (uint32_t i = NR_TESTS / 3; i < 2 * (NR_TESTS / 3); i++)
		sum += v[i];
	return sum / (NR_TESTS / 3);
}

static void measure_runs(struct replay_threads *p)
{
	uint64_t clocks[NR_TESTS], spins[NR_TESTS], spin_ns;
	const uint32_t nr_clocks = 200, nr_spins = 100000;

	for (uint32_t i = 0; i < NR_TESTS; i++) {
		uint64_t begin_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID), spun_ns;

		for (uint32_t n = 1; n < nr_clocks; n++)
			clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
		spun_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
		clocks[i] = (spun_ns - begin_ns) / nr_clocks;
		spin(nr_spins);
		spins[i] = clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - spun_ns;
	}
	p->costs.clock_ns = middle(clocks);
	spin_ns = middle(spins);
	p->spins_per_us = spin_ns ? (uint64_t)nr_spins * 1000 / spin_ns : 1;
}

static void measure_sleeps(struct replay_threads *p)
{
	uint64_t sleeps[NR_TESTS];

	p->costs.sleep_ns = 0;
	for (uint32_t i = 0; i < NR_TESTS; i++) {
		const uint64_t asked_ns = 100000;
		uint64_t begin_ns = clock_now_ns(), took_ns;

		sleep_for(p, asked_ns);
		took_ns = clock_now_ns() - begin_ns;
		sleeps[i] = took_ns > asked_ns ? took_ns - asked_ns : 0;
	}
	p->costs.sleep_ns = middle(sleeps);
}

static void measure(struct replay_threads *p)
{
	uint64_t begin_ns;

	measure_runs(p);
	measure_sleeps(p);
	begin_ns = clock_now_ns();
	run_until(p, clock_read_ns(CLOCK_THREAD_CPUTIME_ID) + TEST_NS);
	p->costs.run_test_ns = clock_now_ns() - begin_ns;
	begin_ns = clock_now_ns();
	sleep_for(p, TEST_NS);
	p->costs.sleep_test_ns = clock_now_ns() - begin_ns;
}

/* ---- begin and end ---- */

static int start(struct replay_threads *p, struct errbuf *eb)
{
	pthread_attr_t attr;
	int err = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	for (uint32_t i = 0; i < p->r->tasks.nr && !err; i++) {
		struct thread *t = &p->threads[i];

		t->all = p;
		t->task = &p->r->tasks.v[i];
		err = pthread_create(&t->id, &attr, work, t);
		p->nr += !err;
	}
	pthread_attr_destroy(&attr);
	if (!err)
		return 0;
	return errbuf_set(eb, -err, "cannot start thread %u of %u: %s; 'ulimit -u' and /proc/sys/kernel/threads-max limit their number",
			  p->nr + 1, p->r->tasks.nr, strerror(err));
}

int replay_threads_start(struct replay_threads **out, const struct sched_replay *r, struct sched_replay_costs *costs, struct errbuf *eb)
{
	struct replay_threads *p = mem_zalloc(sizeof(*p));
	int err;

	p->r = r;
	/* Timers are late by 50 µs else. */
	prctl(PR_SET_TIMERSLACK, 1);
	measure(p);
	*costs = p->costs;
	p->threads = aligned_alloc(_Alignof(struct thread), (r->tasks.nr + 1) * sizeof(*p->threads));
	if (!p->threads)
		mem_die((r->tasks.nr + 1) * sizeof(*p->threads));
	memset(p->threads, 0, (r->tasks.nr + 1) * sizeof(*p->threads));
	err = start(p, eb);
	if (err) {
		replay_threads_free(p);
		return err;
	}
	*out = p;
	return 0;
}

void replay_threads_free(struct replay_threads *p)
{
	if (!p)
		return;
	p->is_ending = true;
	release(p);
	for (uint32_t i = 0; i < p->nr; i++)
		pthread_join(p->threads[i].id, NULL);
	free(p->threads);
	free(p);
}
