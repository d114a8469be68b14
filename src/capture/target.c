/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Named tasks override -u, those override -a; a list of CPUs restricts any of them.
 */
#include "capture/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/log.h"

enum target_kind target_kind_of(const struct capture_options *o)
{
	if (o->pids || o->tids || o->user)
		return TARGET_TASKS;
	if (o->all_cpus || o->cpus || !o->workload)
		return TARGET_CPUS;
	return TARGET_WORKLOAD;
}

static void warn_overridden(const struct capture_options *o)
{
	const char *winner = o->pids ? "-p" : o->tids ? "-t" : "-u";

	if (o->pids && o->tids)
		log_warn("-t is ignored: -p was given too");
	if ((o->pids || o->tids) && o->user)
		log_warn("-u is ignored: %s was given too", winner);
	if (o->all_cpus)
		log_warn("-a is ignored: %s was given too", winner);
}

/* Threads of each scanned process. One that is gone by now is left out where a user was named; a named process that is not there is an
 * error. */
static int add_threads(struct target *t, bool may_vanish, struct errbuf *eb)
{
	for (uint32_t i = 0; i < t->scanned.ids.nr; i++) {
		int err = task_ids_add_threads(&t->tasks, t->scanned.ids.v[i], eb);

		if (err == -ESRCH && may_vanish) {
			errbuf_clear(eb);
			continue;
		}
		if (err)
			return err;
	}
	return 0;
}

static int init_tasks(struct target *t, const struct capture_options *o, struct errbuf *eb)
{
	int err;

	warn_overridden(o);
	if (o->pids) {
		err = task_ids_parse(&t->scanned, o->pids, "-p", eb);
		if (!err)
			err = add_threads(t, false, eb);
		return err;
	}
	if (o->tids) {
		t->by_thread = true;
		err = task_ids_parse(&t->scanned, o->tids, "-t", eb);
		for (uint32_t i = 0; !err && i < t->scanned.ids.nr; i++)
			err = task_ids_add_thread(&t->tasks, t->scanned.ids.v[i], eb);
		return err;
	}
	err = task_ids_add_user(&t->scanned, o->user, eb);
	if (!err)
		err = add_threads(t, true, eb);
	if (!err && !t->tasks.ids.nr)
		err = errbuf_set(eb, -ESRCH, "user '%s' runs no processes any more", o->user);
	return err;
}

int target_init(struct target *t, const struct capture_options *o, pid_t workload_pid, struct errbuf *eb)
{
	int err = 0;

	memset(t, 0, sizeof(*t));
	t->kind = target_kind_of(o);
	if (o->cpus)
		err = cpu_list_parse_online(&t->cpus, o->cpus, eb);
	else
		cpu_list_online(&t->cpus);
	if (err)
		return err;
	if (!t->cpus.cpus.nr)
		return errbuf_set(eb, -EINVAL, "-C names no CPU");
	switch (t->kind) {
	case TARGET_WORKLOAD:
		vec_push(&t->tasks.ids, workload_pid);
		vec_push(&t->scanned.ids, workload_pid);
		return 0;
	case TARGET_CPUS:
		vec_push(&t->tasks.ids, -1);
		return 0;
	default:
		return init_tasks(t, o, eb);
	}
}

void target_init_cpus(struct target *t)
{
	*t = (struct target){ .kind = TARGET_CPUS };
	cpu_list_online(&t->cpus);
	vec_push(&t->tasks.ids, -1);
}

void target_fini(struct target *t)
{
	cpu_list_fini(&t->cpus);
	task_ids_fini(&t->tasks);
	task_ids_fini(&t->scanned);
}

/* Adds the children of all tasks in the list, and theirs: the list grows while it is walked. */
static void add_descendants(struct task_ids *pids)
{
	for (uint32_t i = 0; i < pids->ids.nr; i++) {
		char path[64];
		char *text, *p;

		/* Children of other threads than the main one are not listed there; they are rare. */
		snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pids->ids.v[i], pids->ids.v[i]);
		if (io_read_file(path, 1 << 20, &text, NULL))
			continue;
		for (p = text; *p;) {
			long child = strtol(p, &p, 10);

			if (child <= 0)
				break;
			vec_push(&pids->ids, (pid_t)child);
			while (*p == ' ')
				p++;
		}
		free(text);
	}
}

/* Each process once; those that have ended are passed over. */
static int scan_pids(struct task_ids *pids, struct proc_scan *scan)
{
	int err = 0;

	task_ids_normalise(pids);
	for (uint32_t i = 0; i < pids->ids.nr && !err; i++) {
		err = proc_scan_pid(scan, pids->ids.v[i]);
		if (err == -ESRCH)
			err = 0;
	}
	return err;
}

static void add_ids(struct task_ids *to, const struct task_ids *from)
{
	for (uint32_t i = 0; from && i < from->ids.nr; i++)
		vec_push(&to->ids, from->ids.v[i]);
}

int target_scan(const struct target *t, struct proc_scan *scan, bool at_start, const struct task_ids *live)
{
	struct task_ids pids = { 0 };
	int err = 0;

	if (t->kind == TARGET_CPUS)
		return proc_scan_all(scan);
	if (t->kind == TARGET_WORKLOAD && at_start)
		return 0;
	for (uint32_t i = 0; i < t->scanned.ids.nr && t->by_thread && !err; i++) {
		err = proc_scan_tid(scan, t->scanned.ids.v[i]);
		if (err == -ESRCH)
			err = 0;
	}
	if (!t->by_thread)
		add_ids(&pids, &t->scanned);
	if (!at_start && !t->by_thread)
		add_descendants(&pids);
	add_ids(&pids, live);
	if (!err)
		err = scan_pids(&pids, scan);
	task_ids_fini(&pids);
	return err;
}
