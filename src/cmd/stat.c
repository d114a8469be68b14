/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `assay stat`: counts events of a command, of running tasks or of CPUs, and prints them. The result
 * goes to stderr, as the command's own output is on stdout, unless -o or --log-fd say otherwise.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/stat.h"
#include "cmd/stat_record.h"
#include "cmd/stat_report.h"

static int open_output(const struct stat_args *a, int *fd, struct errbuf *eb)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (a->append ? O_APPEND : O_TRUNC);

	*fd = STDERR_FILENO;
	if (a->log_fd_given) {
		*fd = (int)a->log_fd;
		if (fcntl(*fd, F_GETFD) < 0)
			return errbuf_set(eb, -errno, "stat: --log-fd %d: %s", *fd, strerror(errno));
	} else if (a->output) {
		*fd = open(a->output, flags, 0666);
		if (*fd < 0)
			return errbuf_set(eb, -errno, "cannot write %s: %s", a->output,
					  strerror(errno));
	}
	return 0;
}

/* A file says when it was written; not one of JSON, which has no comments. */
static void print_started(struct out *o)
{
	time_t now = time(NULL);
	struct tm tm;
	char text[64];

	if (localtime_r(&now, &tm) && strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &tm))
		out_printf(o, "# started on %s\n\n", text);
}

static void set_style(struct stat_run *r, int fd)
{
	const struct stat_args *a = r->args;
	enum target_kind kind = target_kind_of(&a->target);

	r->target_text = stat_target_text(a);
	r->style = (struct stat_style){
		.target = r->target_text,
		.colour = out_is_colourful(fd),
		.big_num = !a->no_big_num,
		.null_run = a->null_run,
		.show_times = kind == TARGET_WORKLOAD,
		.table = a->table,
		.skip_zero = a->per_thread && kind == TARGET_CPUS,
		.clear = a->interval_clear && isatty(fd),
	};
}

static void run_fini(struct stat_run *r)
{
	/* Everything is written: whoever waits for us need not wait for the kernel's cleaning. */
	event_fds_close(&r->counters, !r->first_counters.fds.nr);
	event_fds_close(&r->first_counters, true);
	run_loop_fini(&r->loop);
	counts_fini(&r->counts);
	target_fini(&r->target);
	event_list_fini(&r->events);
	stat_metrics_fini(&r->metrics);
	stat_formats_fini_style(&r->style);
	free(r->event_map);
	free(r->target_text);
}

static int run(struct stat_args *a, struct errbuf *eb)
{
	struct stat_run r = { .args = a };
	int fd = -1, err;

	if (a->verbose)
		log_level = a->verbose > 1 ? LOG_DEBUG : LOG_VERBOSE;
	err = open_output(a, &fd, eb);
	if (err)
		return err;
	out_init(&r.out, fd);
	set_style(&r, fd);
	stat_formats_set_style(a, &r.style, fd);
	if (a->output && !a->log_fd_given && !a->quiet && !a->json)
		print_started(&r.out);
	err = run_loop_init(&r.loop, NULL, NULL, eb);
	if (!err)
		err = stat_run(&r, eb);
	if (out_fini(&r.out) && err >= 0)
		err = errbuf_set(eb, r.out.error, "cannot write the result: %s",
				 strerror(-r.out.error));
	if (a->output && !a->log_fd_given)
		close(fd);
	run_fini(&r);
	return err;
}

/* `stat record`: the same run, with somebody who writes down what was read. */
static int run_recorded(struct stat_args *a, int argc, char **argv, struct errbuf *eb)
{
	struct stat_recording *rec;
	int ret, err;

	if (!a->is_record)
		return run(a, eb);
	rec = stat_recording_new(a->record_path, argc, argv);
	a->observer = stat_recording_observer(rec);
	ret = run(a, eb);
	err = stat_recording_finish(rec, eb);
	stat_recording_free(rec);
	return ret < 0 ? ret : err ? err : ret;
}

int cmd_stat(int argc, char **argv, struct errbuf *eb)
{
	int whole_argc = argc;
	char **whole_argv = mem_alloc(((size_t)argc + 1) * sizeof(argv[0]));
	struct stat_args a;
	int ret;

	memcpy(whole_argv, argv, (size_t)argc * sizeof(argv[0])); /* parsing puts words in order */
	stat_args_init(&a);
	ret = stat_args_parse(&a, &argc, &argv, eb);
	if (ret) {
		ret = cmd_options_status(ret);
	} else if (!a.is_record && argc > 0 && !strcmp(argv[0], "report")) {
		ret = cmd_stat_report(&a, argc, argv, eb);
	} else {
		a.target.workload = argc > 0 ? argv : NULL;
		ret = run_recorded(&a, whole_argc, whole_argv, eb);
	}
	stat_args_fini(&a);
	free(whole_argv);
	return ret;
}
