/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Sizes the maps of probes.bpf.c, says what to fetch, names the tasks, and attaches it to each place. A place is a perf event of the kernel's
 * uprobe PMU, on all tasks: one that tasks inherit makes their forks fail, because the kernel reads the path of the file again, from the memory of the
 * task that forks (seen with Linux 6.18).
 */
#include "bpf/probes.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"
#include "bpf/event_ring.h"
#include "bpf/task_flags.h"

#ifdef HAVE_BPF
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <probes.skel.h> /* made at build time */

struct bpf_probes {
	struct probes_bpf *skel;
	struct bpf_program *program; /* the one that is loaded */
	struct event_ring ring;
	VEC(pid_t) added;
	VEC(struct bpf_link *) links;
	const struct bpf_probe *probes;
	uint32_t nr_probes;
};

static int too_old(int err, struct errbuf *eb)
{
	return errbuf_set(
		eb, err, "BPF programs on probes (--temp, latency -x) need Linux 5.15: 'assay probe' defines probes in the kernel instead");
}

static bool has_strings(const struct bpf_probes_options *o)
{
	for (uint32_t i = 0; i < o->nr_probes; i++)
		for (uint32_t k = 0; k < o->probes[i].program.nr_args; k++) {
			const struct probe_fetch *f = &o->probes[i].program.args[k];

			if (f->is_string || f->start == PROBE_FETCH_COMM)
				return true;
		}
	return false;
}

static void set_constants(struct probes_bpf *s, const struct bpf_probes_options *o)
{
	s->rodata->own_tgid = (unsigned)getpid();
	s->rodata->traces_all = o->all_tasks;
	s->rodata->traces_processes = o->has_processes;
	s->rodata->follows_forks = !o->no_children;
	s->rodata->has_cpus = !!o->cpus;
	for (uint32_t i = 0; o->cpus && i < BPF_PROBES_CPUS / 64; i++)
		s->rodata->cpus[i] = o->cpus[i];
	s->rodata->only_counts = o->only_counts;
	s->rodata->has_long_hits = o->has_chains || has_strings(o);
	s->rodata->chain_frames = o->has_chains ? PROBE_FRAMES_MAX : 0;
	s->rodata->nr_probes = o->nr_probes;
	s->rodata->wake_bytes = o->ring_bytes / 16;
	s->rodata->own_pid_ns = bpf_pid_namespace();
}

static int load(struct bpf_probes *b, const struct bpf_probes_options *o, bool can_sleep)
{
	struct probes_bpf *s = b->skel = probes_bpf__open();
	int err;

	if (!s)
		return -errno;
	set_constants(s, o);
	bpf_program__set_autoload(s->progs.on_fork, !o->no_children && !o->all_tasks);
	bpf_program__set_autoload(s->progs.on_exec, !o->all_tasks);
	bpf_program__set_autoload(s->progs.on_task_exit, !o->all_tasks);
	bpf_program__set_autoload(s->progs.on_probe, !can_sleep);
	bpf_program__set_autoload(s->progs.on_probe_sleepable, can_sleep);
	b->program = can_sleep ? s->progs.on_probe_sleepable : s->progs.on_probe;
	bpf_program__set_autoattach(b->program, false);
	err = bpf_map__set_max_entries(s->maps.tasks, o->all_tasks ? 1 : bpf_pid_limit());
	if (!err)
		err = bpf_map__set_max_entries(s->maps.ring, o->ring_bytes);
	if (!err)
		err = bpf_map__set_max_entries(s->maps.programs, o->nr_probes);
	if (!err)
		err = bpf_map__set_max_entries(s->maps.counts, o->nr_probes);
	if (!err)
		err = probes_bpf__load(s);
	for (uint32_t i = 0; i < o->nr_probes && !err; i++)
		if (bpf_map_update_elem(bpf_map__fd(s->maps.programs), &i, &o->probes[i].program, BPF_ANY))
			err = -errno;
	return err ? err : event_ring_open(&b->ring, bpf_map__fd(s->maps.ring), o->ring_bytes);
}

int bpf_probes_open(struct bpf_probes **out, const struct bpf_probes_options *o, struct errbuf *eb)
{
	struct bpf_probes *b;
	int err = bpf_check(eb);

	*out = NULL;
	if (err)
		return err;
	bpf_keep_messages();
	b = mem_zalloc(sizeof(*b));
	b->probes = o->probes;
	b->nr_probes = o->nr_probes;
	err = load(b, o, true);
	if (err) {
		probes_bpf__destroy(b->skel);
		b->skel = NULL;
		err = load(b, o, false);
	}
	if (err) {
		bpf_probes_close(b);
		/* Which probe it is at, a program knows by its cookie. */
		if (libbpf_probe_bpf_helper(BPF_PROG_TYPE_KPROBE, BPF_FUNC_get_attach_cookie, NULL) == 0)
			return too_old(err, eb);
		return bpf_failed(err, eb);
	}
	*out = b;
	return 0;
}

void bpf_probes_close(struct bpf_probes *b)
{
	if (!b)
		return;
	bpf_probes_detach(b);
	event_ring_close(&b->ring);
	probes_bpf__destroy(b->skel);
	vec_fini(&b->added);
	vec_fini(&b->links);
	free(b);
}

int bpf_probes_add_task(struct bpf_probes *b, pid_t tid, enum bpf_task_kind kind, struct errbuf *eb)
{
	uint32_t id = (uint32_t)tid, flags = TASK_TRACED;

	if (kind == BPF_TASK_WORKLOAD)
		flags |= TASK_AWAITS_EXEC;
	else if (kind == BPF_TASK_PROCESS)
		flags |= TASK_ALL_THREADS;
	if (bpf_map_update_elem(bpf_map__fd(b->skel->maps.tasks), &id, &flags, BPF_ANY))
		return errbuf_set(eb, -errno, "cannot trace task %d: %s", tid, strerror(errno));
	vec_push(&b->added, tid);
	return 0;
}

/* Tasks that ended before the programs were there to see it: their numbers may be another's soon. */
static void forget_ended(struct bpf_probes *b)
{
	for (uint32_t i = 0, none = 0; i < b->added.nr; i++) {
		uint32_t id = (uint32_t)b->added.v[i];

		if (kill(b->added.v[i], 0) && errno == ESRCH)
			bpf_map_update_elem(bpf_map__fd(b->skel->maps.tasks), &id, &none, BPF_ANY);
	}
}

static int attach_probe(struct bpf_probes *b, uint32_t i, struct errbuf *eb)
{
	const struct bpf_probe *p = &b->probes[i];
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .retprobe = p->program.is_return, .bpf_cookie = i, .ref_ctr_offset = p->ref_ctr);
	struct bpf_link *link = bpf_program__attach_uprobe_opts(b->program, -1, p->path, p->file_off, &opts);

	if (!link) {
		int err = -errno;

		if (err == -EOPNOTSUPP)
			return too_old(err, eb);
		return errbuf_set(eb, err, "cannot probe %s at 0x%llx: %s", p->path, (unsigned long long)p->file_off, strerror(-err));
	}
	vec_push(&b->links, link);
	return 0;
}

int bpf_probes_attach(struct bpf_probes *b, struct errbuf *eb)
{
	int err = probes_bpf__attach(b->skel);

	if (err)
		return bpf_failed(err, eb);
	forget_ended(b);
	for (uint32_t i = 0; i < b->nr_probes && !err; i++)
		err = attach_probe(b, i, eb);
	return err;
}

void bpf_probes_detach(struct bpf_probes *b)
{
	for (uint32_t i = 0; i < b->links.nr; i++)
		bpf_link__destroy(b->links.v[i]);
	b->links.nr = 0;
	if (b->skel)
		probes_bpf__detach(b->skel);
}

void bpf_probes_enable(struct bpf_probes *b, bool on)
{
	__atomic_store_n(&b->skel->bss->is_enabled, on, __ATOMIC_RELAXED);
}

int bpf_probes_fd(const struct bpf_probes *b)
{
	return b->ring.wake_fd;
}

int bpf_probes_consume(struct bpf_probes *b, int (*record)(void *ctx, void *data, size_t size), void *ctx)
{
	return event_ring_consume(&b->ring, record, ctx);
}

uint64_t bpf_probes_dropped(const struct bpf_probes *b)
{
	return __atomic_load_n(&b->skel->bss->nr_dropped, __ATOMIC_RELAXED);
}

uint64_t bpf_probes_count(const struct bpf_probes *b, uint32_t probe)
{
	int nr = libbpf_num_possible_cpus();
	uint64_t *values, sum = 0;

	if (nr <= 0)
		return 0;
	values = mem_zalloc((size_t)nr * sizeof(*values));
	if (!bpf_map_lookup_elem(bpf_map__fd(b->skel->maps.counts), &probe, values))
		for (int i = 0; i < nr; i++)
			sum += values[i];
	free(values);
	return sum;
}
#else
int bpf_probes_open(struct bpf_probes **b, const struct bpf_probes_options *o, struct errbuf *eb)
{
	(void)o;
	*b = NULL;
	return bpf_check(eb);
}

void bpf_probes_close(struct bpf_probes *b)
{
	(void)b;
}

int bpf_probes_add_task(struct bpf_probes *b, pid_t tid, enum bpf_task_kind kind, struct errbuf *eb)
{
	(void)b, (void)tid, (void)kind;
	return bpf_check(eb);
}

int bpf_probes_attach(struct bpf_probes *b, struct errbuf *eb)
{
	(void)b;
	return bpf_check(eb);
}

void bpf_probes_detach(struct bpf_probes *b)
{
	(void)b;
}

void bpf_probes_enable(struct bpf_probes *b, bool on)
{
	(void)b, (void)on;
}

int bpf_probes_fd(const struct bpf_probes *b)
{
	(void)b;
	return -1;
}

int bpf_probes_consume(struct bpf_probes *b, int (*record)(void *ctx, void *data, size_t size), void *ctx)
{
	(void)b, (void)record, (void)ctx;
	return 0;
}

uint64_t bpf_probes_dropped(const struct bpf_probes *b)
{
	(void)b;
	return 0;
}

uint64_t bpf_probes_count(const struct bpf_probes *b, uint32_t probe)
{
	(void)b, (void)probe;
	return 0;
}
#endif
