/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A set of pids. One that has ended keeps its place for the next process of that number, so that
 * the set has at most as many places as the system has numbers. Fed by tally.c.
 */
#include "capture/live_tasks.h"

#include <string.h>

static struct live_process *find(struct live_tasks *l, pid_t pid)
{
	struct hindex_iter it = hindex_find(&l->index, hash_u64((uint64_t)pid));

	for (uint32_t i; (i = hindex_next(&it)) != HINDEX_NONE;)
		if (l->processes.v[i].pid == pid)
			return &l->processes.v[i];
	return NULL;
}

static struct live_process *intern(struct live_tasks *l, pid_t pid)
{
	struct live_process *p = find(l, pid);

	if (p)
		return p;
	hindex_add(&l->index, hash_u64((uint64_t)pid), l->processes.nr);
	p = vec_add(&l->processes);
	*p = (struct live_process){ .pid = pid };
	return p;
}

void live_tasks_fork(struct live_tasks *l, pid_t pid)
{
	intern(l, pid)->nr_threads++;
}

void live_tasks_see(struct live_tasks *l, pid_t pid)
{
	struct live_process *p = intern(l, pid);

	if (!p->nr_threads)
		p->nr_threads = 1;
}

void live_tasks_exit(struct live_tasks *l, pid_t pid, pid_t tid)
{
	struct live_process *p = find(l, pid);

	if (!p || !p->nr_threads)
		return;
	if (p->nr_threads > 1 || tid == pid)
		p->nr_threads--;
}

void live_tasks_list(const struct live_tasks *l, struct task_ids *pids)
{
	for (uint32_t i = 0; i < l->processes.nr; i++)
		if (l->processes.v[i].nr_threads)
			vec_push(&pids->ids, l->processes.v[i].pid);
}

void live_tasks_fini(struct live_tasks *l)
{
	vec_fini(&l->processes);
	hindex_fini(&l->index);
	memset(l, 0, sizeof(*l));
}
