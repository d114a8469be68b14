/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The runs: for each, the command is prepared, events are opened on the target, started, read at every interval and at the end, and added
 * to the counts.
 */
#include "capture/counting.h"

#include <ctype.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/out.h"

void counting_options_init(struct counting_options *o)
{
	memset(o, 0, sizeof(*o));
	capture_options_init(&o->target);
	o->repeat = 1;
}

void counting_options_fini(struct counting_options *o)
{
	vec_fini(&o->words.v);
	capture_options_fini(&o->target);
}

static uint64_t timeval_ns(const struct timeval *tv)
{
	return (uint64_t)tv->tv_sec * NS_PER_SEC + (uint64_t)tv->tv_usec * 1000;
}

static void read_children_times(uint64_t *user_ns, uint64_t *system_ns)
{
	struct rusage ru;

	getrusage(RUSAGE_CHILDREN, &ru);
	*user_ns = timeval_ns(&ru.ru_utime);
	*system_ns = timeval_ns(&ru.ru_stime);
}

/* CPU times of the command: exact once it ended; until then from /proc, in clock ticks. */
static void read_cpu_times(const struct counting *r, uint64_t *user_ns, uint64_t *system_ns)
{
	struct proc_stat stat;
	uint64_t tick_ns = NS_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK);
	char line[1024];
	ssize_t n;

	*user_ns = *system_ns = 0;
	if (!r->loop.workload.pid)
		return;
	if (r->loop.workload.ended) {
		read_children_times(user_ns, system_ns);
		*user_ns -= r->user_before_ns;
		*system_ns -= r->system_before_ns;
		return;
	}
	n = proc_read(0, r->loop.workload.pid, "stat", line, sizeof(line));
	if (n <= 0 || !proc_stat_parse(line, (size_t)n, &stat))
		return;
	*user_ns = stat.user_ticks * tick_ns;
	*system_ns = stat.system_ticks * tick_ns;
}

static bool wants_cpu_times(const struct counting *r)
{
	for (uint32_t i = 0; i < r->counts.events.nr; i++)
		if (r->counts.events.v[i].tool)
			return true;
	return r->loop.workload.ended;
}

static int read_all(struct counting *r, uint64_t now_ns, bool is_last, struct errbuf *eb)
{
	uint64_t user_ns = 0, system_ns = 0;
	int err;

	counts_begin_reading(&r->counts);
	err = event_fds_read(&r->fds, eb);
	for (uint32_t i = 0; i < r->fds.fds.nr; i++) {
		const struct event_fd *f = &r->fds.fds.v[i];

		if (f->has_count)
			counts_put(&r->counts, r->event_map[f->event], f->cpu, f->task, f->count.value, f->count.time_enabled,
				   f->count.time_running);
	}
	for (uint32_t i = 0; r->probes && i < r->o->target.temp_probes->names.nr; i++)
		counts_put(&r->counts, r->first_probe + i, 0, 0, bpf_probes_count(r->probes, i), now_ns - r->start_ns,
			   now_ns - r->start_ns);
	if (wants_cpu_times(r))
		read_cpu_times(r, &user_ns, &system_ns);
	counts_put_times(&r->counts, now_ns - r->start_ns, user_ns, system_ns);
	/* With -I the last part of an interval is one, too; perf has no final round there. */
	if (!err && r->file)
		err = counting_file_add(r->file, &r->counts, now_ns - r->start_ns, is_last && !r->o->interval_ms, eb);
	return err;
}

static int do_interval(struct counting *r, bool is_last, uint64_t now_ns, struct errbuf *eb)
{
	const struct counting_sink *sink = &r->o->sink;
	int err = read_all(r, now_ns, is_last, eb);

	if (err)
		return err;
	counts_compute(&r->counts, COUNTS_INTERVAL);
	return sink->interval ? sink->interval(sink->ctx, &r->counts, now_ns - r->start_ns) : 0;
}

/* Counts until the end. *cut: we ended it (--timeout, --interval-count). */
static int count_on(struct counting *r, bool *cut, struct errbuf *eb)
{
	const struct counting_options *o = r->o;
	uint64_t deadline = o->timeout_ms ? r->start_ns + o->timeout_ms * NS_PER_MS : 0;
	uint64_t nr_done = 0, nr_ticks = 0, nr_missed = 0;
	int err = 0;

	run_loop_set_ticks(&r->loop, r->start_ns, o->interval_ms * NS_PER_MS);
	while (!err) {
		enum run_event event = run_loop_next(&r->loop, deadline, &nr_ticks);

		if (event == RUN_ENDED)
			break;
		*cut = event == RUN_DEADLINE;
		if (*cut)
			break;
		/* Late, one row has what was counted in all of it; the next is on time again. */
		nr_missed += nr_ticks - 1;
		err = do_interval(r, false, clock_now_ns(), eb);
		*cut = o->interval_count && ++nr_done == o->interval_count;
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

static void enable_all(struct counting *r, bool on)
{
	event_fds_enable(&r->fds, on, true);
	if (r->probes)
		bpf_probes_enable(r->probes, on);
}

/* What follows the end of counting: the last reading, and the command's end. */
static int finish_counting(struct counting *r, bool cut, struct errbuf *eb)
{
	const struct counting_options *o = r->o;
	bool by_count = cut && o->interval_count && o->interval_ms;
	uint64_t now = clock_now_ns();
	int err;

	/* Counters of others still run; stopped, they belong to the same moment. */
	if (r->target.kind != TARGET_WORKLOAD || cut)
		enable_all(r, false);
	if (cut && r->loop.workload.pid && !by_count)
		workload_signal(&r->loop.workload, SIGTERM);
	if (cut && r->loop.workload.pid) {
		uint64_t nr_ticks;

		while (run_loop_next(&r->loop, 0, &nr_ticks) != RUN_ENDED)
			;
	}
	if (o->interval_ms && !by_count)
		err = do_interval(r, true, now, eb);
	else
		err = read_all(r, now, true, eb);
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
static int run_hook(const struct counting *r, const char *option, const char *text, struct errbuf *eb)
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
		err = errbuf_set(eb, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), "%s %s: ended with status %d",
				 option, text, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	posix_spawnattr_destroy(&attr);
	for (char **word = argv; *word; word++)
		free(*word);
	free(argv);
	return err;
}

static int open_events(struct counting *r, struct errbuf *eb)
{
	const struct counting_options *o = r->o;
	struct event_config config = o->target.config;
	int err;

	config.targets_workload = r->target.kind == TARGET_WORKLOAD;
	config.delayed = o->delay_ms;
	event_list_configure_counting(&r->events, &config);
	err = event_fds_open_counting(&r->fds, &r->events, &r->target, eb);
	if (err) {
		event_fds_close(&r->fds, true); /* hundreds may be open already */
		return err;
	}
	if (!r->counts.rows)
		counting_setup_counts(r);
	if (o->record_path && !r->file)
		err = counting_file_open(&r->file, r, eb);
	if (!err && o->target.temp_probes)
		err = temp_probes_open(&r->probes, o->target.temp_probes, &o->target, &r->target, r->loop.workload.pid, true, false, eb);
	return err ? err : r->probes ? bpf_probes_attach(r->probes, eb) : 0;
}

/* Once, and not before an error. */
static void announce(struct counting *r)
{
	const struct counting_options *o = r->o;
	const char *cpus = o->target.cpus;

	r->has_announced = true;
	if (r->fds.opener.notices)
		log_warn("%s", r->fds.opener.notices);
	if (!r->loop.workload.pid && r->target.kind == TARGET_CPUS && !o->timeout_ms && !o->is_unattended)
		log_warn("counting %s%s, until Ctrl-C", cpus ? "CPUs " : "all CPUs", cpus ? cpus : "");
}

/* Starts command and counters, in the order that counts neither too much nor too little. */
static int start_counting(struct counting *r, struct errbuf *eb)
{
	const struct counting_options *o = r->o;
	bool on_exec = r->target.kind == TARGET_WORKLOAD;
	uint64_t nr_ticks;
	int ret = 0;

	if (!on_exec && !o->delay_ms)
		enable_all(r, true);
	else if (r->probes && !o->delay_ms)
		bpf_probes_enable(r->probes, true);
	read_children_times(&r->user_before_ns, &r->system_before_ns);
	r->start_ns = clock_now_ns();
	if (r->loop.workload.pid)
		ret = workload_start(&r->loop.workload, eb);
	if (!ret && !r->has_announced)
		announce(r);
	if (!ret && o->delay_ms) {
		run_loop_next(&r->loop, r->start_ns + o->delay_ms * NS_PER_MS, &nr_ticks);
		enable_all(r, true);
		r->start_ns = clock_now_ns();
	}
	return ret;
}

static void print_raw(struct counting *r)
{
	for (uint32_t e = 0; e < r->counts.events.nr; e++) {
		uint64_t value = 0, enabled = 0, running = 0;

		for (uint32_t i = 0; i < r->counts.cpus.nr * r->counts.threads.nr; i++) {
			const struct counts_cell *cell = counts_cell_at(&r->counts, r->counts.now, e, 0, 0) + i;

			value += cell->value;
			enabled += cell->enabled;
			running += cell->running;
		}
		log_info("%s: %llu %llu %llu", r->counts.events.v[e].name, (unsigned long long)value, (unsigned long long)enabled,
			 (unsigned long long)running);
	}
}

/* --timeout sent the signal that the command died of: no failure of the command. */
static bool ended_by_us(const struct counting *r, bool cut)
{
	const struct workload *w = &r->loop.workload;

	return cut && r->o->timeout_ms && !r->loop.nr_stops && w->ended && WIFSIGNALED(w->wait_status) &&
	       WTERMSIG(w->wait_status) == SIGTERM;
}

/* One run. Returns the command's status, or a negative errno. */
static int run_once(struct counting *r, struct errbuf *eb)
{
	const struct counting_options *o = r->o;
	bool cut = false;
	int ret = 0;

	if (o->pre)
		ret = run_hook(r, "--pre", o->pre, eb);
	if (o->sync)
		sync();
	if (!ret && o->target.workload)
		ret = run_loop_prepare_workload(&r->loop, o->target.workload, false, eb);
	if (!ret)
		ret = counting_setup_target(r, eb);
	if (!ret)
		ret = open_events(r, eb);
	if (ret)
		return ret;
	counts_begin_run(&r->counts);
	if (!r->loop.workload.pid && r->target.kind == TARGET_TASKS)
		run_loop_watch(&r->loop, &r->target.tasks);
	ret = start_counting(r, eb);
	if (!ret)
		ret = count_on(r, &cut, eb);
	if (!ret)
		ret = finish_counting(r, cut, eb);
	run_loop_watch(&r->loop, NULL);
	if (ret)
		return ret;
	bpf_probes_close(r->probes);
	r->probes = NULL;
	counts_end_run(&r->counts);
	print_raw(r);
	if (o->post)
		ret = run_hook(r, "--post", o->post, eb);
	if (!ret && !ended_by_us(r, cut))
		ret = workload_status(&r->loop.workload);
	if (ret > 128 && r->loop.workload.ended && WIFSIGNALED(r->loop.workload.wait_status))
		log_warn("%s: %s", r->loop.workload.name, strsignal(ret - 128));
	return ret;
}

static int give_total(struct counting *r)
{
	const struct counting_sink *sink = &r->o->sink;

	counts_compute(&r->counts, COUNTS_TOTAL);
	return sink->total ? sink->total(sink->ctx, &r->counts) : 0;
}

/* -r 0: each run is shown by itself. */
static void forget_runs(struct counts *c)
{
	size_t nr_rows = (size_t)c->events.nr * c->places.nr;

	memset(c->series, 0, nr_rows * 3 * sizeof(c->series[0]));
	c->runs.nr = 0;
	c->elapsed = c->user = c->system = (struct counts_series){ 0 };
}

/* Between two runs. As long as a tracepoint is open elsewhere, closing it is quick. */
static void put_away_events(struct counting *r)
{
	if (!r->first_fds.fds.nr && event_fds_close_slowly(&r->fds)) {
		r->first_fds = r->fds;
		memset(&r->fds, 0, sizeof(r->fds));
	} else {
		event_fds_close(&r->fds, false);
	}
}

static int run_all(struct counting *r, struct errbuf *eb)
{
	const struct counting_options *o = r->o;
	bool forever = o->repeat == 0;
	int ret = counting_setup_events(r, eb), err = 0;

	for (uint64_t i = 0; ret >= 0 && (forever || i < o->repeat) && !r->loop.nr_stops; i++) {
		bool is_last = !forever && i + 1 == o->repeat;

		ret = run_once(r, eb);
		if (!r->counts.runs.nr)
			break;
		if (!is_last)
			put_away_events(r);
		if (forever && !o->interval_ms) {
			err = give_total(r);
			forget_runs(&r->counts);
		}
		if (eb->text[0] || err)
			break;
	}
	if (r->counts.runs.nr && (!o->interval_ms || o->summary) && !forever)
		err = give_total(r);
	if (ret == 0 && !r->loop.workload.pid)
		ret = run_loop_status(&r->loop);
	return err ? err : ret;
}

int counting_run(const struct counting_options *o, struct errbuf *eb)
{
	struct counting r = { .o = o };
	int ret = run_loop_init(&r.loop, NULL, NULL, eb), err = 0;

	if (!ret)
		ret = run_all(&r, eb);
	if (r.file)
		err = counting_file_finish(r.file, eb);
	counting_file_close(r.file);
	/* Everything is written: callers need not wait for the kernel's cleaning. */
	bpf_probes_close(r.probes);
	event_fds_close(&r.fds, !r.first_fds.fds.nr);
	event_fds_close(&r.first_fds, true);
	run_loop_fini(&r.loop);
	counts_fini(&r.counts);
	target_fini(&r.target);
	event_list_fini(&r.events);
	counting_metrics_fini(&r.metrics);
	free(r.event_map);
	return ret < 0 || !err ? ret : err;
}
