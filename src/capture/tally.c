/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One pass over the headers of a span. It runs for every byte that is recorded, so samples cost a counter each; only the first and the last
 * of a span have their time read.
 */
#include "capture/tally.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "abi/record.h"
#include "base/mem.h"

/* The set of live processes: one that has ended keeps its place for the next process of that number, so that the set has at most as many
 * places as the system has numbers. */
static struct live_process *intern(struct live_tasks *l, pid_t pid)
{
	uint32_t i =
		HINDEX_INTERN(&l->index, hash_u64((uint64_t)pid), &l->processes, p, p->pid == pid, ((struct live_process){ .pid = pid }));

	return &l->processes.v[i];
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
	struct live_process *p = intern(l, pid);

	if (p->nr_threads > 1 || (p->nr_threads && tid == pid))
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

void tally_init(struct tally *t, const struct attr *tracking, struct mapped_files *files)
{
	memset(t, 0, sizeof(*t));
	t->layout = sample_layout_of(tracking);
	/* All events of a recording agree on the fields up to the time. */
	t->time_word = sample_time_word(tracking->sample_type);
	t->files = files;
}

void tally_fini(struct tally *t)
{
	live_tasks_fini(&t->tasks);
	free(t->wrapped);
	t->wrapped = NULL;
}

void tally_watch_chains(struct tally *t, int off, uint32_t max)
{
	t->chain_off = (uint32_t)off;
	t->max_chain = max;
}

/* Few are as long as that: marks are distinguished from addresses in those only. */
static void tally_chain(struct tally *t, const struct ring_span *s, size_t off, size_t size)
{
	size_t at = off + sizeof(struct record_header) + t->chain_off, end = off + size;
	uint64_t nr, ip, nr_addresses = 0;

	if (end - off < sizeof(struct record_header) + t->chain_off + 8)
		return;
	ring_span_copy(s, at, &nr, sizeof(nr));
	if (nr <= t->max_chain || nr > (end - at) / 8 - 1)
		return;
	for (uint64_t i = 1; i <= nr; i++) {
		ring_span_copy(s, at + 8 * i, &ip, sizeof(ip));
		nr_addresses += ip < CHAIN_MARK_MIN;
	}
	t->nr_full_chains += nr_addresses >= t->max_chain;
}

static void tally_time(struct tally *t, const struct ring_span *s, size_t off)
{
	uint64_t time_ns;

	if (t->time_word < 0 || ring_span_record(s, off)->size < sizeof(struct record_header) + (size_t)t->time_word * 8 + 8)
		return;
	ring_span_copy(s, off + sizeof(struct record_header) + (size_t)t->time_word * 8, &time_ns, 8);
	if (!t->first_ns || time_ns < t->first_ns)
		t->first_ns = time_ns;
	if (time_ns > t->last_ns)
		t->last_ns = time_ns;
}

/* The rare records, decoded. */
static void tally_other(struct tally *t, const struct ring_span *s, size_t off, const struct record_header *h)
{
	bool is_cut = off < s->a_size && off + h->size > s->a_size;
	struct record rec;

	if (is_cut) {
		if (!t->wrapped)
			t->wrapped = mem_alloc(UINT16_MAX + 1);
		ring_span_copy(s, off, t->wrapped, h->size);
		h = (const void *)t->wrapped;
	}
	if (record_decode(h, &t->layout, &rec)) {
		t->nr_damaged++;
		return;
	}
	if (h->type == RECORD_LOST)
		t->nr_lost_records += rec.lost.lost;
	else if (h->type == RECORD_FORK)
		live_tasks_fork(&t->tasks, (pid_t)rec.task.pid);
	else if (h->type == RECORD_EXIT)
		live_tasks_exit(&t->tasks, (pid_t)rec.task.pid, (pid_t)rec.task.tid);
	else if (h->type == RECORD_COMM)
		live_tasks_see(&t->tasks, (pid_t)rec.comm.pid);
	else if (h->type == RECORD_MMAP || (rec.mmap.prot & PROT_EXEC)) { /* the rest is -d's data */
		mapped_files_see(t->files, &rec);
		jvm_maps_see(t->jvms, &rec);
	}
}

void tally_span(struct tally *t, const struct ring_span *s)
{
	const struct record_header *h;
	size_t first = SIZE_MAX, last = 0, off;

	for (off = 0; (h = ring_span_record(s, off)); off += h->size) {
		switch (h->type) {
		case RECORD_SAMPLE:
			t->nr_samples++;
			t->nr_kernel_samples += (h->misc & MISC_CPUMODE_MASK) == MISC_KERNEL;
			if (first == SIZE_MAX)
				first = off;
			last = off;
			if (t->max_chain)
				tally_chain(t, s, off, h->size);
			break;
		case RECORD_THROTTLE:
			t->nr_throttled++;
			break;
		case RECORD_MMAP:
		case RECORD_MMAP2:
			if (t->files)
				tally_other(t, s, off, h);
			break;
		case RECORD_FORK:
		case RECORD_EXIT:
		case RECORD_COMM:
			if (t->want_tasks)
				tally_other(t, s, off, h);
			break;
		case RECORD_LOST:
			tally_other(t, s, off, h);
			break;
		default:
			break;
		}
	}
	t->nr_damaged += ring_span_is_damaged(s, off);
	if (first != SIZE_MAX) {
		tally_time(t, s, first);
		tally_time(t, s, last);
	}
}
