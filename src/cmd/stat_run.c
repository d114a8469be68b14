/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The runs of stat: for each, the command is prepared, counters are opened on the target, started,
 * read at every interval and at the end, and handed to the counts; the printer is called where rows
 * are due. All knowledge about events, numbers and text is elsewhere.
 */
#include <ctype.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/stat.h"

#define NS_PER_SEC 1000000000ull
#define NS_PER_MS 1000000ull

/* Times of one run. */
struct run_times {
	uint64_t start_ns;
	struct rusage before; /* of our children */
};

static uint64_t timeval_ns(const struct timeval *tv)
{
	return (uint64_t)tv->tv_sec * NS_PER_SEC + (uint64_t)tv->tv_usec * 1000;
}

/* CPU times of the command: exact once it ended; until then what /proc tells, in clock ticks. */
static void read_cpu_times(const struct stat_run *r, const struct run_times *t, uint64_t *user_ns,
			   uint64_t *system_ns)
{
	unsigned long long utime, stime, cutime, cstime;
	uint64_t tick_ns = NS_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK);
	char path[64], line[1024];
	const char *p;
	struct rusage ru;

	*user_ns = *system_ns = 0;
	if (!r->loop.workload.pid)
		return;
	if (r->loop.workload.ended) {
		getrusage(RUSAGE_CHILDREN, &ru);
		*user_ns = timeval_ns(&ru.ru_utime) - timeval_ns(&t->before.ru_utime);
		*system_ns = timeval_ns(&ru.ru_stime) - timeval_ns(&t->before.ru_stime);
		return;
	}
	snprintf(path, sizeof(path), "/proc/%d/stat", r->loop.workload.pid);
	/* The name may hold anything, parentheses too: what follows its last one is fixed. */
	if (io_read_line(path, line, sizeof(line)) || !(p = strrchr(line, ')')))
		return;
	if (sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu",
		   &utime, &stime, &cutime, &cstime) != 4)
		return;
	*user_ns = (utime + cutime) * tick_ns;
	*system_ns = (stime + cstime) * tick_ns;
}

static bool wants_cpu_times(const struct stat_run *r)
{
	for (uint32_t i = 0; i < r->counts.events.nr; i++)
		if (r->counts.events.v[i].tool)
			return true;
	return r->loop.workload.ended;
}

static int read_all(struct stat_run *r, const struct run_times *t, uint64_t now_ns, bool is_last,
		    struct errbuf *eb)
{
	const struct stat_observer *ob = r->args->observer;
	uint64_t user_ns = 0, system_ns = 0;
	int err;

	counts_begin_reading(&r->counts);
	err = event_fds_read(&r->counters, eb);
	for (uint32_t i = 0; i < r->counters.fds.nr; i++) {
		const struct event_fd *f = &r->counters.fds.v[i];

		if (f->has_count)
			counts_put(&r->counts, r->event_map[f->event], f->cpu, f->task, f->count.value,
				   f->count.time_enabled, f->count.time_running);
	}
	if (wants_cpu_times(r))
		read_cpu_times(r, t, &user_ns, &system_ns);
	counts_put_times(&r->counts, now_ns - t->start_ns, user_ns, system_ns);
	if (!err && ob && ob->reading)
		err = ob->reading(ob->ctx, r, now_ns - t->start_ns, is_last, eb);
	return err;
}

static int print_interval(struct stat_run *r, const struct run_times *t, uint64_t now_ns)
{
	counts_compute(&r->counts, COUNTS_INTERVAL);
	if (r->args->quiet)
		return 0;
	r->args->format->interval(&r->out, &r->counts, &r->style, now_ns - t->start_ns,
				  r->nr_intervals++);
	return out_flush(&r->out);
}

static int do_interval(struct stat_run *r, const struct run_times *t, bool is_last, uint64_t now_ns,
		       struct errbuf *eb)
{
	int err = read_all(r, t, now_ns, is_last, eb);

	return err ? err : print_interval(r, t, now_ns);
}

/* Counts until the end. *cut: it was we who ended it (--timeout, --interval-count). */
static int count_on(struct stat_run *r, const struct run_times *t, bool *cut, struct errbuf *eb)
{
	const struct stat_args *a = r->args;
	uint64_t deadline = a->timeout_ms ? t->start_ns + a->timeout_ms * NS_PER_MS : 0;
	uint64_t nr_done = 0, nr_ticks = 0, nr_missed = 0;
	int err = 0;

	run_loop_set_ticks(&r->loop, t->start_ns, a->interval_ms * NS_PER_MS);
	while (!err) {
		enum run_event event = run_loop_next(&r->loop, deadline, &nr_ticks);

		if (event == RUN_ENDED)
			break;
		*cut = event == RUN_DEADLINE;
		if (*cut)
			break;
		/* Late, one row has what was counted in all of it; the next is on time again. */
		nr_missed += nr_ticks - 1;
		err = do_interval(r, t, false, clock_now_ns(), eb);
		*cut = a->interval_count && ++nr_done == a->interval_count;
		if (*cut)
			break;
	}
	run_loop_set_ticks(&r->loop, 0, 0);
	if (nr_missed)
		log_warn("stat: %llu times of -I passed unseen (a busy or stopped machine): the "
			 "row after them covers more than one interval",
			 (unsigned long long)nr_missed);
	return err;
}

/* What follows the end of counting: the last reading, and the command's end. */
static int finish_counting(struct stat_run *r, const struct run_times *t, bool cut,
			   struct errbuf *eb)
{
	const struct stat_args *a = r->args;
	bool by_count = cut && a->interval_count && a->interval_ms;
	uint64_t now = clock_now_ns();
	int err;

	/* Counters of others still run; stopped, they belong to the same moment. */
	if (r->target.kind != TARGET_WORKLOAD || cut)
		event_fds_enable(&r->counters, false, true);
	if (cut && r->loop.workload.pid && !by_count)
		workload_signal(&r->loop.workload, SIGTERM);
	if (cut && r->loop.workload.pid) {
		uint64_t nr_ticks;

		while (run_loop_next(&r->loop, 0, &nr_ticks) != RUN_ENDED)
			;
	}
	if (a->interval_ms && !by_count)
		err = do_interval(r, t, true, now, eb);
	else
		err = read_all(r, t, now, true, eb);
	return err;
}

/* Words of --pre and --post: separated by blanks, quoted as in a shell. No shell is started. */
static char **split_words(const char *text)
{
	VEC(char *) words = { 0 };
	const char *p = text;

	while (*p) {
		struct out o;
		char quote = 0;

		while (isspace((unsigned char)*p))
			p++;
		if (!*p)
			break;
		out_init(&o, -1);
		for (; *p && (quote || !isspace((unsigned char)*p)); p++) {
			if (quote ? *p == quote : *p == '\'' || *p == '"')
				quote = quote ? 0 : *p;
			else if (*p == '\\' && quote != '\'' && p[1])
				out_char(&o, *++p);
			else
				out_char(&o, *p);
		}
		vec_push(&words, mem_strndup(o.buf, o.len));
		out_fini(&o);
	}
	vec_push(&words, NULL);
	return words.v;
}

/* Runs a hook. 0, or its exit status, with the sentence. */
static int run_hook(const struct stat_run *r, const char *option, const char *text,
		    struct errbuf *eb)
{
	char **argv = split_words(text);
	posix_spawnattr_t attr;
	int status = 0, err;
	pid_t pid;

	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &r->loop.old_mask);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	err = argv[0] ? posix_spawnp(&pid, argv[0], NULL, &attr, argv, environ) : ENOENT;
	if (err)
		err = errbuf_set(eb, 127, "%s %s: %s", option, text, strerror(err));
	else
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	if (!err && status)
		err = errbuf_set(eb,
				 WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
				 "%s %s: ended with status %d", option, text,
				 WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	posix_spawnattr_destroy(&attr);
	for (char **word = argv; *word; word++)
		free(*word);
	free(argv);
	return err;
}

static int open_counters(struct stat_run *r, struct errbuf *eb)
{
	const struct stat_args *a = r->args;
	struct event_config config = a->target.config;
	int err;

	config.targets_workload = r->target.kind == TARGET_WORKLOAD;
	config.delayed = a->delay_ms;
	event_list_configure_counting(&r->events, &config);
	err = event_fds_open_counting(&r->counters, &r->events, &r->target, eb);
	if (err) {
		event_fds_close(&r->counters, true); /* hundreds may be open already */
		return err;
	}
	if (!r->counts.rows)
		stat_setup_counts(r);
	if (a->observer && a->observer->opened)
		err = a->observer->opened(a->observer->ctx, r, eb);
	return err;
}

/* Once, and not before an error. What programs read stays as it is. */
static void tell_beginning(struct stat_run *r)
{
	const struct stat_args *a = r->args;
	bool is_for_programs = (a->separator || a->json) && !a->output;

	r->has_told = true;
	if (r->counters.opener.notices)
		log_warn("%s", r->counters.opener.notices);
	if (!r->loop.workload.pid && r->target.kind == TARGET_CPUS && !a->timeout_ms && !is_for_programs)
		log_warn("counting %s%s, until Ctrl-C", a->target.cpus ? "CPUs " : "all CPUs", a->target.cpus ? a->target.cpus : "");
}

/* Starts command and counters, in the order that counts neither too much nor too little. */
static int start_counting(struct stat_run *r, struct run_times *t, struct errbuf *eb)
{
	const struct stat_args *a = r->args;
	bool on_exec = r->target.kind == TARGET_WORKLOAD;
	uint64_t nr_ticks;
	int ret = 0;

	if (!on_exec && !a->delay_ms)
		event_fds_enable(&r->counters, true, true);
	getrusage(RUSAGE_CHILDREN, &t->before);
	t->start_ns = clock_now_ns();
	if (r->loop.workload.pid)
		ret = workload_start(&r->loop.workload, eb);
	if (!ret && !r->has_told)
		tell_beginning(r);
	if (!ret && a->delay_ms) {
		run_loop_next(&r->loop, t->start_ns + a->delay_ms * NS_PER_MS, &nr_ticks);
		event_fds_enable(&r->counters, true, true);
		t->start_ns = clock_now_ns();
	}
	return ret;
}

static void print_raw(struct stat_run *r)
{
	for (uint32_t e = 0; e < r->counts.events.nr; e++) {
		uint64_t value = 0, enabled = 0, running = 0;

		for (uint32_t i = 0; i < r->counts.cpus.nr * r->counts.threads.nr; i++) {
			const struct counts_cell *cell =
				counts_cell_at(&r->counts, r->counts.now, e, 0, 0) + i;

			value += cell->value;
			enabled += cell->enabled;
			running += cell->running;
		}
		log_info("%s: %llu %llu %llu", r->counts.events.v[e].name,
			 (unsigned long long)value, (unsigned long long)enabled,
			 (unsigned long long)running);
	}
}

/* --timeout sent the signal that the command died of: no failure of the command. */
static bool ended_by_us(const struct stat_run *r, bool cut)
{
	const struct workload *w = &r->loop.workload;

	return cut && r->args->timeout_ms && !r->loop.nr_stops && w->ended &&
	       WIFSIGNALED(w->wait_status) && WTERMSIG(w->wait_status) == SIGTERM;
}

/* One run. Returns the command's status, or a negative errno. */
static int run_once(struct stat_run *r, struct errbuf *eb)
{
	const struct stat_args *a = r->args;
	struct run_times t = { 0 };
	bool cut = false;
	int ret = 0;

	if (a->pre)
		ret = run_hook(r, "--pre", a->pre, eb);
	if (a->sync)
		sync();
	if (!ret && a->target.workload)
		ret = run_loop_prepare_workload(&r->loop, a->target.workload, false, eb);
	if (!ret)
		ret = stat_setup_target(r, eb);
	if (!ret)
		ret = open_counters(r, eb);
	if (ret)
		return ret;
	counts_begin_run(&r->counts);
	if (!r->loop.workload.pid && r->target.kind == TARGET_TASKS)
		run_loop_watch(&r->loop, &r->target.tasks);
	ret = start_counting(r, &t, eb);
	if (!ret)
		ret = count_on(r, &t, &cut, eb);
	if (!ret)
		ret = finish_counting(r, &t, cut, eb);
	run_loop_watch(&r->loop, NULL);
	if (ret)
		return ret;
	counts_end_run(&r->counts);
	print_raw(r);
	if (a->post)
		ret = run_hook(r, "--post", a->post, eb);
	if (!ret && !ended_by_us(r, cut))
		ret = workload_status(&r->loop.workload);
	if (ret > 128 && r->loop.workload.ended && WIFSIGNALED(r->loop.workload.wait_status))
		log_warn("%s: %s", r->loop.workload.name, strsignal(ret - 128));
	return ret;
}

static int print_total(struct stat_run *r)
{
	counts_compute(&r->counts, COUNTS_TOTAL);
	r->style.repeated = r->counts.runs.nr > 1;
	if (r->args->quiet)
		return 0;
	r->args->format->total(&r->out, &r->counts, &r->style);
	return out_flush(&r->out);
}

/* -r 0: each run is shown by itself. */
static void forget_runs(struct counts *c)
{
	size_t nr_rows = (size_t)c->events.nr * c->places.nr;

	memset(c->series, 0, nr_rows * 3 * sizeof(c->series[0]));
	c->runs.nr = 0;
	c->elapsed = c->user = c->system = (struct counts_series){ 0 };
}

/* Between two runs. As long as somebody has a tracepoint open, closing it again is quick. */
static void put_away_counters(struct stat_run *r)
{
	if (!r->first_counters.fds.nr && event_fds_close_slowly(&r->counters)) {
		r->first_counters = r->counters;
		memset(&r->counters, 0, sizeof(r->counters));
	} else {
		event_fds_close(&r->counters, false);
	}
}

int stat_run(struct stat_run *r, struct errbuf *eb)
{
	const struct stat_args *a = r->args;
	bool forever = a->repeat == 0;
	int ret = stat_setup_events(r, eb), err = 0;

	for (uint64_t i = 0; ret >= 0 && (forever || i < a->repeat) && !r->loop.nr_stops; i++) {
		bool is_last = !forever && i + 1 == a->repeat;

		ret = run_once(r, eb);
		if (!r->counts.runs.nr)
			break;
		if (!is_last)
			put_away_counters(r);
		if (forever && !a->interval_ms) {
			err = print_total(r);
			forget_runs(&r->counts);
		}
		if (eb->text[0] || err)
			break;
	}
	if (r->counts.runs.nr && (!a->interval_ms || a->summary) && !forever)
		err = print_total(r);
	if (ret == 0 && !r->loop.workload.pid && r->loop.stop_signal)
		ret = 128 + r->loop.stop_signal;
	return err ? err : ret;
}
