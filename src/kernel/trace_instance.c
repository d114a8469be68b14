/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/trace_instance.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/log.h"
#include "kernel/cpus.h"
#include "kernel/proc_scan.h"
#include "kernel/trace_functions.h"
#include "kernel/tracefs.h"

#define COPY_SUFFIX "-saved"

/* ---- whose instance it is ---- */

static unsigned long long start_of(pid_t pid)
{
	struct proc_stat stat;
	char buf[4096];
	ssize_t n = proc_read(pid, pid, "stat", buf, sizeof(buf));

	return n > 0 && proc_stat_parse(buf, (size_t)n, &stat) ? stat.start_ticks : 0;
}

bool trace_instance_parse_name(const char *name, pid_t *pid, unsigned long long *start, bool *is_copy)
{
	char again[64];
	int n = 0;

	if (sscanf(name, "assay-%d-%llu%n", pid, start, &n) != 2 || !n || *pid <= 0)
		return false;
	*is_copy = !strcmp(name + n, COPY_SUFFIX);
	snprintf(again, sizeof(again), "assay-%d-%llu%s", *pid, *start, *is_copy ? COPY_SUFFIX : "");
	return !strcmp(name, again);
}

static void repair_copy(const char *root, const char *dir, pid_t pid)
{
	struct trace_saved s;
	struct errbuf eb;
	int err;

	errbuf_clear(&eb);
	err = trace_saved_repair(&s, root, dir, &eb);
	if (err && err != -EBUSY)
		log_warn("of an 'assay ftrace' that was killed (process %d): %s", pid, eb.text);
	else if (!err)
		log_warn("put back %u settings of %s that an 'assay ftrace' which was killed (process %d) had changed", s.files.nr, root,
			 pid);
	trace_saved_fini(&s);
}

/* The instances' tracers end first, then what they needed is put back. */
static void repair_pass(const char *root, bool copies)
{
	char path[PATH_MAX];
	struct dirent *de;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/instances", root);
	dir = opendir(path);
	while (dir && (de = readdir(dir))) {
		unsigned long long start;
		bool is_copy;
		pid_t pid;

		if (!trace_instance_parse_name(de->d_name, &pid, &start, &is_copy) || is_copy != copies || start_of(pid) == start)
			continue;
		snprintf(path, sizeof(path), "%s/instances/%s", root, de->d_name);
		if (is_copy)
			repair_copy(root, path, pid);
		else if (!rmdir(path)) /* EBUSY: its process lives in another PID namespace */
			log_warn("removed the tracefs instance of an 'assay ftrace' that was killed (process %d)", pid);
		else if (errno != EBUSY && errno != ENOENT)
			log_warn("cannot remove %s, which an 'assay ftrace' that was killed left: %s", path, strerror(errno));
	}
	if (dir)
		closedir(dir);
}

void trace_instances_repair(const char *root)
{
	repair_pass(root, false);
	repair_pass(root, true);
}

/* Settings that exist once can be changed for one process at a time. */
static int check_others(const struct trace_instance *t, struct errbuf *eb)
{
	char path[PATH_MAX];
	struct dirent *de;
	int err = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/instances", t->root);
	dir = opendir(path);
	while (!err && dir && (de = readdir(dir))) {
		unsigned long long start;
		bool is_copy;
		pid_t pid;

		if (trace_instance_parse_name(de->d_name, &pid, &start, &is_copy) && is_copy && pid != getpid())
			err = errbuf_set(
				eb, -EBUSY,
				"another 'assay ftrace' (process %d) has changed settings that this kernel has once for all who trace; "
				"try again when it has ended",
				pid);
	}
	if (dir)
		closedir(dir);
	return err;
}

/* ---- the instance ---- */

static int refuse_instance(const char *dir, int err, struct errbuf *eb)
{
	if ((err == -EPERM || err == -EACCES) && geteuid())
		return errbuf_set(eb, err, "the kernel's tracers are for root alone: run it with sudo");
	return errbuf_set(eb, err, "cannot make the tracefs instance %s: %s", dir, strerror(-err));
}

int trace_instance_open(struct trace_instance *t, struct errbuf *eb)
{
	char path[PATH_MAX];
	int err;

	*t = (struct trace_instance){ .hold_fd = -1 };
	t->root = tracefs_find(eb);
	if (!t->root)
		return -ENOENT;
	trace_instances_repair(t->root);
	snprintf(path, sizeof(path), "%s/instances/assay-%d-%llu", t->root, getpid(), start_of(getpid()));
	if (mkdir(path, 0700))
		return refuse_instance(path, -errno, eb);
	t->dir = mem_strdup(path);
	snprintf(path, sizeof(path), "%s" COPY_SUFFIX, t->dir);
	trace_saved_init(&t->saved, t->root, path);
	/* An open file of it keeps others from removing it; trace_pipe would keep the tracer from being changed. */
	snprintf(path, sizeof(path), "%s/tracing_on", t->dir);
	t->hold_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (t->hold_fd < 0)
		return errbuf_set(eb, -errno, "cannot open %s: %s", path, strerror(errno));
	err = tracefs_write(t->dir, "tracing_on", "0", true);
	return err ? errbuf_set(eb, err, "cannot write %s/tracing_on: %s", t->dir, strerror(-err)) : 0;
}

int trace_instance_close(struct trace_instance *t, struct errbuf *eb)
{
	int err = 0;

	if (!t->dir)
		return 0;
	if (t->hold_fd >= 0)
		close(t->hold_fd);
	t->hold_fd = -1;
	/* That ends its tracer, too. */
	if (rmdir(t->dir))
		err = errbuf_set(eb, -errno, "cannot remove the tracefs instance %s: %s", t->dir, strerror(errno));
	if (t->is_in_root && trace_saved_has(&t->saved, "current_tracer"))
		tracefs_write(t->root, "tracing_on", "0", false);
	if (trace_saved_restore(&t->saved, eb) && !err)
		err = -EIO;
	trace_saved_fini(&t->saved);
	free(t->dir);
	t->dir = NULL;
	return err;
}

const char *trace_instance_dir(const struct trace_instance *t)
{
	return t->is_in_root ? t->root : t->dir;
}

/* ---- where the tracer works ---- */

static bool lists_tracer(const char *dir, const char *tracer)
{
	char line[512], *rest = line;
	const char *word;

	if (tracefs_read(dir, "available_tracers", line, sizeof(line)))
		return false;
	while ((word = strsep(&rest, " ")))
		if (!strcmp(word, tracer))
			return true;
	return false;
}

static uint64_t entries_in_root(const char *root)
{
	struct cpu_list cpus = { 0 };
	uint64_t sum = 0;

	cpu_list_online(&cpus);
	for (uint32_t i = 0; i < cpus.cpus.nr; i++) {
		char file[64], line[64];
		unsigned long long n;

		snprintf(file, sizeof(file), "per_cpu/cpu%u/stats", cpus.cpus.v[i]);
		if (!tracefs_read(root, file, line, sizeof(line)) && sscanf(line, "entries: %llu", &n) == 1)
			sum += n;
	}
	cpu_list_fini(&cpus);
	return sum;
}

/* What another one has there would be mixed with ours, or lost. */
static int check_root_is_free(const char *root, const char *tracer, struct errbuf *eb)
{
	char line[512];
	uint64_t nr;

	if (!tracefs_read(root, "current_tracer", line, sizeof(line)) && strcmp(line, "nop") != 0)
		return errbuf_set(eb, -EBUSY,
				  "this kernel has the tracer '%s' once, in %s, where someone traces with '%s' already; "
				  "'echo nop > %s/current_tracer' ends that",
				  tracer, root, line, root);
	if (!tracefs_read(root, "set_event", line, sizeof(line)) && line[0])
		return errbuf_set(eb, -EBUSY,
				  "this kernel has the tracer '%s' once, in %s, where events are traced already (%s …); "
				  "'echo > %s/set_event' ends that",
				  tracer, root, line, root);
	nr = entries_in_root(root);
	if (nr)
		return errbuf_set(eb, -EBUSY,
				  "this kernel has the tracer '%s' once, in %s, whose buffer has %llu events that would be lost; save "
				  "'%s/trace' if you need it, then 'echo > %s/trace'",
				  tracer, root, (unsigned long long)nr, root, root);
	return 0;
}

int trace_instance_choose(struct trace_instance *t, const char *tracer, struct errbuf *eb)
{
	char line[512];
	int err;

	t->is_in_root = false;
	if (lists_tracer(t->dir, tracer))
		return 0;
	if (!lists_tracer(t->root, tracer)) {
		if (tracefs_read(t->root, "available_tracers", line, sizeof(line)))
			line[0] = 0;
		return errbuf_set(
			eb, -ENOTSUP,
			"this kernel has no tracer '%s' (it has: %s). What works without: 'assay record -e SYSTEM:EVENT' "
			"(tracepoints; 'assay list tracepoint'), 'assay trace' (system calls), 'assay ftrace latency -e EVENT,EVENT'%s",
			tracer, line, strstr(line, "function") ? ", 'assay ftrace trace -t function'" : "");
	}
	err = check_others(t, eb);
	if (!err)
		err = check_root_is_free(t->root, tracer, eb);
	if (err)
		return err;
	t->is_in_root = true;
	err = trace_saved_keep(&t->saved, "tracing_on", eb);
	return err ? err : trace_instance_switch(t, false, eb);
}

/* Flags of tracers look like an instance's own, but kernels before 6.17 keep them once. */
static bool is_tracer_flag(const char *file)
{
	return !strncmp(file, "options/func", 12)
		       ? strcmp(file, "options/function-fork") != 0 && strcmp(file, "options/function-trace") != 0
		       : !strcmp(file, "options/sleep-time") || !strcmp(file, "options/graph-time");
}

static int keep(struct trace_instance *t, const char *file, struct errbuf *eb)
{
	int err = trace_saved_has(&t->saved, file) ? 0 : check_others(t, eb);

	return err ? err : trace_saved_keep(&t->saved, file, eb);
}

static int set_error(const char *dir, const char *file, const char *value, int err, struct errbuf *eb)
{
	return errbuf_set(eb, err, "cannot write '%s' to %s/%s: %s", value, dir, file, strerror(-err));
}

int trace_instance_set(struct trace_instance *t, const char *file, const char *value, struct errbuf *eb)
{
	bool is_here = !t->is_in_root && tracefs_has(t->dir, file), is_flag = is_here && is_tracer_flag(file);
	const char *dir = is_here ? t->dir : t->root;
	char was[256], root_was[256], root_is[256];
	int err = tracefs_read(dir, file, was, sizeof(was));

	if (err == -ENOENT)
		return err;
	if (!err && !strcmp(was, value))
		return 0;
	if (is_flag && tracefs_read(t->root, file, root_was, sizeof(root_was)))
		is_flag = false;
	err = !is_here || is_flag ? keep(t, file, eb) : 0;
	if (err)
		return err;
	err = tracefs_write(dir, file, value, true);
	if (err)
		return set_error(dir, file, value, err, eb);
	if (is_flag && !tracefs_read(t->root, file, root_is, sizeof(root_is)) && !strcmp(root_was, root_is))
		trace_saved_forget(&t->saved, file);
	return 0;
}

int trace_instance_add(struct trace_instance *t, const char *file, const char *value, struct errbuf *eb)
{
	bool is_here = !t->is_in_root && tracefs_has(t->dir, file), is_first = !is_here && !trace_saved_has(&t->saved, file);
	int err;

	if (!is_here && !tracefs_has(t->root, file))
		return errbuf_set(eb, -ENOENT, "this kernel has no %s/%s, which this needs", t->root, file);
	err = is_first ? keep(t, file, eb) : 0;
	return err ? err : tracefs_write(is_here ? t->dir : t->root, file, value, is_first);
}

/* ---- tracing ---- */

/* Kernels before 6.7 take the first use of any instance for that of tracefs' own buffer, which then stays at its few kB for good. It is made as
 * large as it would have been. */
static void expand_root(const char *root, const char *was)
{
	const char *expanded = strstr(was, "(expanded: ");
	char is[64], size[32];

	if (!expanded || tracefs_read(root, "buffer_size_kb", is, sizeof(is)) || strstr(is, "(expanded") || atoi(is) != atoi(was))
		return;
	snprintf(size, sizeof(size), "%d", atoi(expanded + strlen("(expanded: ")));
	tracefs_write(root, "buffer_size_kb", size, false);
}

int trace_instance_set_tracer(struct trace_instance *t, const char *tracer, struct errbuf *eb)
{
	char size[64] = "", what[64];
	int err = t->is_in_root ? trace_saved_keep(&t->saved, "current_tracer", eb) : 0;

	if (err)
		return err;
	tracefs_read(t->root, "buffer_size_kb", size, sizeof(size));
	err = tracefs_write(trace_instance_dir(t), "current_tracer", tracer, false);
	if (!t->is_in_root)
		expand_root(t->root, size);
	if (err == -EPERM || err == -EACCES) {
		snprintf(what, sizeof(what), "the tracer '%s'", tracer);
		return trace_functions_refused(err, what, eb);
	}
	return err ? errbuf_set(eb, err, "cannot select the tracer '%s' in %s: %s", tracer, trace_instance_dir(t), strerror(-err)) : 0;
}

int trace_instance_switch(struct trace_instance *t, bool on, struct errbuf *eb)
{
	int err = tracefs_write(trace_instance_dir(t), "tracing_on", on ? "1" : "0", false);

	return err ? set_error(trace_instance_dir(t), "tracing_on", on ? "1" : "0", err, eb) : 0;
}

int trace_instance_open_pipe(struct trace_instance *t, struct errbuf *eb)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/trace_pipe", trace_instance_dir(t));
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return errbuf_set(eb, -errno, "cannot open %s: %s%s", path, strerror(errno),
				  errno == EBUSY ? ": another program reads it" : "");
	return fd;
}
