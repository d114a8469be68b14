/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tasks come and go meanwhile: what is returned was there a moment ago, and opening an event on it may still fail with ESRCH.
 */
#include "kernel/tasks.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kernel/proc_scan.h"

void task_ids_fini(struct task_ids *t)
{
	vec_fini(&t->ids);
}

void task_ids_normalise(struct task_ids *t)
{
	vec_sort_unique(&t->ids, compare_u32); /* none is negative */
}

/* A whole decimal number in [1, INT32_MAX]; *end is behind it. 0: none. */
static pid_t parse_pid(const char *s, const char **end)
{
	int64_t v = 0;

	for (; isdigit((unsigned char)*s); s++) {
		v = v * 10 + (*s - '0');
		if (v > INT32_MAX)
			return 0;
	}
	*end = s;
	return (pid_t)v;
}

int task_ids_parse(struct task_ids *t, const char *text, const char *what, struct errbuf *eb)
{
	const char *p = text;

	for (;;) {
		const char *end = p;
		pid_t pid = parse_pid(p, &end);

		if (!pid || (*end && *end != ',')) {
			task_ids_fini(t);
			return errbuf_set(eb, -EINVAL, "%s takes numbers of %s separated by commas; '%s' has something else at column %zu",
					  what, strcmp(what, "-t") ? "processes" : "threads", text, (size_t)(p - text) + 1);
		}
		vec_push(&t->ids, pid);
		if (!*end)
			break;
		p = end + 1;
	}
	task_ids_normalise(t);
	return 0;
}

pid_t task_find_process(pid_t tid)
{
	char text[8192];
	const char *line, *end;

	if (proc_read(0, tid, "status", text, sizeof(text)) <= 0)
		return 0;
	line = strstr(text, "\nTgid:");
	return line ? parse_pid(line + 6 + strspn(line + 6, " \t"), &end) : 0;
}

/* The numbers in a directory of /proc whose entries belong to `uid` (-1: to anyone). */
static int add_listed(struct task_ids *t, const char *path, uid_t uid)
{
	DIR *dir = opendir(path);
	struct dirent *de;

	if (!dir)
		return -errno;
	while ((de = readdir(dir))) {
		const char *end = de->d_name;
		pid_t id = parse_pid(de->d_name, &end);
		struct stat st;

		if (!id || *end)
			continue;
		/* The owner of the directory is the effective user: what ps and perf call the user's. */
		if (uid == (uid_t)-1 || (!fstatat(dirfd(dir), de->d_name, &st, 0) && st.st_uid == uid))
			vec_push(&t->ids, id);
	}
	closedir(dir);
	return 0;
}

static int add_threads(struct task_ids *t, pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	return add_listed(t, path, (uid_t)-1);
}

int task_ids_add_threads(struct task_ids *t, pid_t pid, struct errbuf *eb)
{
	uint32_t before = t->ids.nr;
	int err = add_threads(t, pid);
	pid_t tgid;

	if (err == -ENOENT)
		return errbuf_set(eb, -ESRCH, "there is no process %d; 'ps -e' lists those that run", pid);
	if (err)
		return errbuf_set(eb, err, "cannot list the threads of process %d: %s (/proc/%d/task)", pid, strerror(-err), pid);
	if (t->ids.nr == before)
		return errbuf_set(eb, -ESRCH, "process %d ended while it was looked at", pid);
	/* A thread's task directory lists its siblings: -p of a thread would silently mean the process. */
	tgid = task_find_process(pid);
	if (tgid && tgid != pid) {
		t->ids.nr = before;
		return errbuf_set(eb, -EINVAL, "%d is a thread of process %d: use -t %d for the thread alone or -p %d for the process", pid,
				  tgid, pid, tgid);
	}
	task_ids_normalise(t);
	return 0;
}

int task_ids_add_thread(struct task_ids *t, pid_t tid, struct errbuf *eb)
{
	if (!task_find_process(tid))
		return errbuf_set(eb, -ESRCH, "there is no thread %d; 'ps -eL' lists those that run", tid);
	vec_push(&t->ids, tid);
	task_ids_normalise(t);
	return 0;
}

static int find_uid(const char *user, uid_t *uid, struct errbuf *eb)
{
	struct passwd pw, *found = NULL;
	char *buf = mem_alloc(1 << 16);
	char *end;
	unsigned long v;
	int err = 0;

	/* A name may consist of digits: names first, as elsewhere. */
	if (!getpwnam_r(user, &pw, buf, 1 << 16, &found) && found) {
		*uid = found->pw_uid;
	} else {
		errno = 0;
		v = strtoul(user, &end, 10);
		if (!isdigit((unsigned char)*user) || *end || errno || v >= UINT32_MAX)
			err = errbuf_set(eb, -ENOENT, "there is no user '%s'", user);
		else
			*uid = (uid_t)v;
	}
	free(buf);
	return err;
}

#define GROUPS_MAX 65536 /* NGROUPS_MAX of the kernel */

int user_credentials_find(struct user_credentials *c, const char *user, struct errbuf *eb)
{
	struct passwd pw, *found = NULL;
	char *buf = mem_alloc(1 << 16);
	int err = 0;

	memset(c, 0, sizeof(*c));
	if (getpwnam_r(user, &pw, buf, 1 << 16, &found) || !found) {
		err = errbuf_set(eb, -ENOENT, "there is no user '%s'", user);
	} else {
		c->uid = pw.pw_uid;
		c->gid = pw.pw_gid;
		c->nr_groups = GROUPS_MAX;
		c->groups = mem_alloc(GROUPS_MAX * sizeof(*c->groups));
		if (getgrouplist(user, pw.pw_gid, c->groups, &c->nr_groups) < 0)
			err = errbuf_set(eb, -E2BIG, "the groups of user '%s' cannot be read", user);
	}
	free(buf);
	return err;
}

void user_credentials_fini(struct user_credentials *c)
{
	free(c->groups);
	memset(c, 0, sizeof(*c));
}

int task_ids_add_user(struct task_ids *t, const char *user, struct errbuf *eb)
{
	uint32_t before = t->ids.nr;
	uid_t uid = 0;
	int err = find_uid(user, &uid, eb);

	if (err)
		return err;
	err = add_listed(t, "/proc", uid);
	if (err)
		return errbuf_set(eb, err, "cannot read /proc: %s", strerror(-err));
	if (t->ids.nr == before)
		return errbuf_set(eb, -ESRCH, "user '%s' runs no processes", user);
	task_ids_normalise(t);
	return 0;
}

int task_ids_add_all(struct task_ids *t, struct errbuf *eb)
{
	struct task_ids pids = { 0 };
	int err = add_listed(&pids, "/proc", (uid_t)-1);

	if (err)
		errbuf_set(eb, err, "cannot read /proc: %s", strerror(-err));
	for (uint32_t i = 0; i < pids.ids.nr; i++)
		add_threads(t, pids.ids.v[i]);
	task_ids_fini(&pids);
	task_ids_normalise(t);
	return err;
}
