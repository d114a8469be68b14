/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay timechart record: events of the scheduler and of CPUs' power, or system calls that do I/O.
 */
#include "cmd/timechart.h"

#include <stdlib.h>

#include "base/mem.h"
#include "capture/capture.h"
#include "cmd/input.h"
#include "cmd/perf_compat.h"
#include "cmd/sched.h"
#include "model/io_spans.h"

#define RING_PAGES 1024 /* 4 MB a CPU, as sched record */

struct record_command {
	struct capture_options o;
	struct input in; /* -q and -v */
	bool power_only, tasks_only, io_only;
};

/* Not every machine has it: kernels without the driver, calls that an architecture lacks. */
static void add_if_there(struct capture_options *o, const char *event)
{
	struct errbuf ignored;

	errbuf_clear(&ignored);
	event_list_parse(&o->events, event, &ignored);
}

static int add_calls(struct capture_options *o, struct errbuf *eb)
{
	for (const struct io_call *c = io_calls; c->name; c++) {
		char *enter = mem_printf("syscalls:sys_enter_%s", c->name), *leave = mem_printf("syscalls:sys_exit_%s", c->name);

		add_if_there(o, enter);
		add_if_there(o, leave);
		free(enter);
		free(leave);
	}
	/* Says why, if there is none at all. */
	return o->events.events.nr ? 0 : event_list_parse(&o->events, "syscalls:sys_enter_read", eb);
}

static int add_events(struct record_command *c, struct errbuf *eb)
{
	struct capture_options *o = &c->o;
	int err = 0;

	o->config.period = 1;
	o->config.sample_cpu = true;
	if (c->io_only)
		return add_calls(o, eb);
	if (!c->power_only) {
		struct errbuf ignored;

		err = event_list_parse(&o->events, "sched:sched_switch", eb);
		if (!err)
			err = event_list_parse(&o->events, "sched:sched_wakeup_new", eb);
		/* Kernels before 4.3 have no sched_waking. */
		errbuf_clear(&ignored);
		if (!err && event_list_parse(&o->events, "sched:sched_waking", &ignored))
			err = event_list_parse(&o->events, "sched:sched_wakeup", eb);
	}
	if (!err && c->power_only)
		err = event_list_parse(&o->events, "power:cpu_idle", eb);
	else if (!err && !c->tasks_only)
		add_if_there(o, "power:cpu_idle");
	if (!err && !c->tasks_only)
		add_if_there(o, "power:cpu_frequency");
	return err;
}

static int check(const struct record_command *c, struct errbuf *eb)
{
	if (c->power_only + c->tasks_only + c->io_only > 1)
		return errbuf_set(eb, CMD_USAGE, "timechart record: only one of -P, -T and -I can be given");
	if (c->o.pids && !c->io_only)
		return errbuf_set(
			eb, CMD_USAGE,
			"timechart record: -p needs -I: that a task comes to run or is woken is an event of another one; record all, "
			"and 'assay timechart -p PID' draws that process alone");
	return 0;
}

int timechart_record(int argc, char **argv, struct errbuf *eb)
{
	struct record_command c = { 0 };
	const struct option table[] = {
		OPT_GROUP("What to record"),
		OPT_BOOL('I', "io-only", &c.io_only, "Only system calls that read, write, sync, send, receive or poll"),
		OPT_BOOL('P', "power-only", &c.power_only, "Only C-states and frequencies of CPUs"),
		OPT_BOOL('T', "tasks-only", &c.tasks_only, "Only events of the scheduler"),
		OPT_CALL_NONE('g', "callchain", cmd_option_callgraph, &c.o, "Record call chains by frame pointers, too"),
		OPT_GROUP("Of what, and where to"),
		OPT_CALL('p', "pid", cmd_option_tasks, &c.o.pids, "PID[,PID…]", "With -I: only calls of these processes",
			 .complete = "pid"),
		CMD_ALL_CPUS_OPTIONS(&c.o, &c.in),
		OPT_END,
	};
	const struct options opts = {
		.command = "timechart record",
		.usage = "assay timechart record [OPTIONS] [--] [COMMAND [ARG…]]",
		.summary = "Record what tasks and CPUs do on the whole machine, while a command runs or until Ctrl-C",
		.table = table,
		.flags = OPTIONS_STOP_AT_WORD,
	};
	int ret;

	input_init(&c.in);
	capture_options_init(&c.o);
	capture_options_set_cmdline(&c.o, "timechart", argc, argv);
	c.o.ring_pages = RING_PAGES;
	ret = cmd_parse(&opts, &argc, &argv, eb);
	ret = ret ? ret : check(&c, eb);
	if (!ret) {
		cmd_set_log_level(c.in.quiet, c.in.verbose);
		c.o.workload = argc ? argv : NULL;
		c.o.all_cpus = !c.o.cpus && !c.o.pids;
		ret = add_events(&c, eb);
	}
	if (!ret && !c.io_only && !c.power_only)
		sched_say_namespace();
	ret = ret ? ret : capture_run(&c.o, eb);
	capture_options_fini(&c.o);
	input_fini(&c.in);
	return ret;
}
