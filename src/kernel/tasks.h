/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which tasks a target means: the threads of processes (-p), single threads (-t), all of a user (-u).
 */
#ifndef ASSAY_KERNEL_TASKS_H
#define ASSAY_KERNEL_TASKS_H

#include <sys/types.h>

#include "base/errbuf.h"
#include "base/vec.h"

struct task_ids {
	VEC(pid_t) ids; /* ascending, each once */
};
void task_ids_fini(struct task_ids *t);
/* Sorts, each once: after ids were pushed. */
void task_ids_normalise(struct task_ids *t);

/* The process that a thread belongs to; 0 where it is gone. */
pid_t task_find_process(pid_t tid);
/* Parses "12,13"; -EINVAL with a sentence. Does not look whether they exist. `what` is the option ("-p"). */
int task_ids_parse(struct task_ids *t, const char *text, const char *what, struct errbuf *eb);
/* Adds the threads of process `pid`; -ESRCH with a sentence where it is not there, -EINVAL where `pid` is a thread that is not the process
 * (the sentence names the process). */
int task_ids_add_threads(struct task_ids *t, pid_t pid, struct errbuf *eb);
/* Checks that thread `tid` is there and adds it; -ESRCH with a sentence. */
int task_ids_add_thread(struct task_ids *t, pid_t tid, struct errbuf *eb);
/* What a process of a user runs as. */
struct user_credentials {
	uid_t uid;
	gid_t gid;
	gid_t *groups; /* malloc'd */
	int nr_groups;
};

/* Of a user with a name. -ENOENT with a sentence where there is none. */
int user_credentials_find(struct user_credentials *c, const char *user, struct errbuf *eb);
void user_credentials_fini(struct user_credentials *c);

/* Adds the processes of a user (its effective user, as ps shows it), by name or number: pids, not threads. -ENOENT with a sentence where
 * there is no such user, -ESRCH where it runs nothing. */
int task_ids_add_user(struct task_ids *t, const char *user, struct errbuf *eb);
/* Adds every thread of the system. */
int task_ids_add_all(struct task_ids *t, struct errbuf *eb);

#endif
