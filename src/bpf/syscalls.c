/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Sizes the maps, fills in what is read of each call, and attaches.
 */
#include "bpf/syscalls.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "bpf/event_ring.h"
#include "bpf/loader.h"
#include "kernel/proc_scan.h"
#include "kernel/stopped_task.h"

#ifdef HAVE_BPF
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <syscalls.skel.h> /* made at build time */

_Static_assert(SYSCALL_READS == SYSCALL_MAX_READS, "plans have room for all reads of a call");
_Static_assert(SYSCALL_ARGS == SYSCALL_MAX_ARGS, "and for all arguments");

#define NR_SLOTS 8192u	  /* tasks at one time */
#define NR_FIGURES 16384u /* numbers of all tasks that live */

struct bpf_syscalls {
	struct syscalls_bpf *skel;
	struct event_ring ring;
	const struct syscall_figures *figures; /* mapped */
	size_t figures_bytes;
	uint32_t nr_figures, nr_slots, nr_added;
	bool shows_begun; /* calls that tasks are in when they are added */
};

static int size_maps(struct bpf_syscalls *b, const struct bpf_syscalls_options *o)
{
	struct syscalls_bpf *s = b->skel;

	b->nr_slots = NR_SLOTS;
	b->nr_figures = o->keeps_figures ? NR_FIGURES : 1;
	return bpf_map__set_max_entries(s->maps.slot_of_tid, bpf_pid_limit()) || bpf_map__set_max_entries(s->maps.slots, b->nr_slots) ||
	       bpf_map__set_max_entries(s->maps.free_slots, b->nr_slots) || bpf_map__set_max_entries(s->maps.figures, b->nr_figures) ||
	       bpf_map__set_max_entries(s->maps.free_figures, b->nr_figures) || bpf_map__set_max_entries(s->maps.ring, o->ring_bytes) ||
	       bpf_map__set_max_entries(s->maps.stack_buffers,
					o->stack_frames || o->stack_bytes ? (uint32_t)libbpf_num_possible_cpus() : 1);
}

static void set_constants(struct syscalls_bpf *s, const struct bpf_syscalls_options *o)
{
	s->rodata->event_id = o->event_id;
	s->rodata->common_type = o->common_type;
	s->rodata->max_data = o->max_data < SYSCALL_READ_MAX ? o->max_data : SYSCALL_READ_MAX;
	s->rodata->wake_bytes = o->ring_bytes / 16;
	s->rodata->own_tgid = (unsigned)getpid();
	s->rodata->traces_all = o->all_tasks;
	s->rodata->traces_processes = o->has_processes;
	s->rodata->has_cpus = !!o->cpus;
	for (uint32_t i = 0; o->cpus && i < BPF_SYSCALLS_CPUS / 64; i++)
		s->rodata->cpus[i] = o->cpus[i];
	s->rodata->has_cgroup = !!o->cgroup;
	s->rodata->by_cgroup = o->by_cgroup;
	s->rodata->follows_forks = !o->no_children;
	s->rodata->keeps_figures = o->keeps_figures;
	s->rodata->has_histogram = o->has_histogram;
	s->rodata->counts_cpu = o->counts_cpu;
	s->rodata->min_duration_ns = o->min_duration_ns;
	s->rodata->only_failed = o->only_failed;
	s->rodata->only_succeeded = o->only_succeeded;
	s->rodata->has_kept = o->kept && (o->min_duration_ns || o->only_failed || o->only_succeeded);
	s->rodata->has_set = o->set != NULL;
	s->rodata->traces_others = !o->set || syscall_set_has(o->set, syscall_native_abi(), SYSCALL_PLANS);
	s->rodata->traces_others_32 = !o->set || syscall_set_has(o->set, SYSCALL_I386, SYSCALL_PLANS);
	s->rodata->has_entries = o->has_entries;
	s->rodata->own_pid_ns = bpf_pid_namespace();
	s->rodata->stack_frames = o->stack_frames < SYSCALL_STACK_FRAMES ? o->stack_frames : SYSCALL_STACK_FRAMES;
	s->rodata->stack_bytes = o->stack_bytes < SYSCALL_STACK_MAX ? o->stack_bytes : SYSCALL_STACK_MAX;
}

static void plan_nested(struct syscall_plan *plan, const struct syscall_def *def)
{
	for (uint32_t i = 0; i < def->nr_args && !plan->nested; i++) {
		const struct syscall_arg *a = &def->args[i];

		if (a->kind != SYSCALL_ARG_STRUCT)
			continue;
		plan->nested = a->type == SYSCALL_TYPE_IOVEC	 ? NESTED_BUFFERS
			       : a->type == SYSCALL_TYPE_MSGHDR	 ? NESTED_MESSAGE
			       : a->type == SYSCALL_TYPE_MMSGHDR ? NESTED_MESSAGES
								 : 0;
		/* sendmmsg() writes how much it sent into what it is given, but not the messages. */
		plan->nested_at_exit = a->direction != SYSCALL_IN && strcmp(def->name, "sendmmsg");
		plan->nested_arg = (uint8_t)i;
		plan->nested_len_arg = a->len_arg;
	}
	plan->has_exit_reads |= plan->nested && plan->nested_at_exit;
}

static void plan_files(struct syscall_plan *plan, const struct syscall_def *def)
{
	plan->describes = (def->result == SYSCALL_ARG_FD ? DESCRIBES_RESULT : 0) | (syscall_changes_socket(def) ? DESCRIBES_FIRST : 0);
	for (uint32_t i = 0; i < def->nr_args; i++) {
		const struct syscall_arg *a = &def->args[i];

		if (a->kind != SYSCALL_ARG_STRUCT || a->type != SYSCALL_TYPE_INT_PAIR)
			continue;
		plan->describes |= DESCRIBES_PAIR;
		plan->pair_arg = (uint8_t)i;
	}
	plan->has_exit_reads |= !!plan->describes;
}

static void fill_plan(struct syscall_plan *plan, enum syscall_abi abi, uint32_t nr, const struct bpf_syscalls_options *o)
{
	const struct syscall_def *def = syscall_get(abi, nr);
	struct syscall_read reads[SYSCALL_MAX_READS];
	uint32_t nr_wanted = def && !o->keeps_figures ? syscall_reads(abi, def, reads) : 0;

	plan->has_few_args = def && def->nr_args <= SYSCALL_FEW_ARGS;
	plan->is_traced = !o->set || syscall_set_has(o->set, abi, nr);
	plan->is_kept = o->kept && syscall_set_has(o->kept, abi, nr);
	plan->is_exec = def && !strncmp(def->name, "execve", 6);
	plan->is_last = def && def->classes & SYSCALL_NO_RETURN && !o->keeps_figures;
	/* Frames of 32-bit programs are others. */
	plan->is_sigreturn = def && !strcmp(def->name, "rt_sigreturn") && abi != SYSCALL_I386 && !o->keeps_figures;
	if (nr_wanted)
		plan_nested(plan, def);
	if (def && o->has_files)
		plan_files(plan, def);
	plan->nr_reads = plan->has_entry_reads = plan->is_sigreturn;
	if (plan->is_sigreturn)
		plan->reads[0] = (struct syscall_plan_read){ .how = SYSCALL_READ_FIXED, .len_arg = SYSCALL_ARGS, .size = sizeof(uint64_t) };
	for (uint32_t i = 0; i < nr_wanted; i++) {
		const struct syscall_read *r = &reads[i];
		struct syscall_plan_read *to = &plan->reads[plan->nr_reads];

		if (r->is_data && !o->max_data)
			continue;
		plan->has_exit_reads |= r->at_exit;
		plan->has_entry_reads |= !r->at_exit;
		if (r->how == SYSCALL_READ_STRINGS) {
			plan->strings[!!plan->strings[0]] = r->arg + 1;
			continue;
		}
		plan->nr_reads++;

		*to = (struct syscall_plan_read){
			.arg = r->arg, .how = r->how, .len_arg = r->len_arg, .at_exit = r->at_exit, .is_data = r->is_data, .size = r->size
		};
	}
}

static int fill_plans(struct bpf_syscalls *b, const struct bpf_syscalls_options *o)
{
	enum syscall_abi abi = syscall_native_abi();
	uint32_t nr = SYSCALL_PLANS * (1u + (abi == SYSCALL_X86_64));
	struct syscall_plan *plans = mem_zalloc(nr * sizeof(*plans));
	uint32_t *keys = mem_zalloc(nr * sizeof(*keys));
	int err;

	for (uint32_t i = 0; i < nr; i++) {
		keys[i] = i;
		fill_plan(&plans[i], i < SYSCALL_PLANS ? abi : SYSCALL_I386, i % SYSCALL_PLANS, o);
	}
	err = bpf_map_update_batch(bpf_map__fd(b->skel->maps.plans), keys, plans, &nr, NULL);
	free(keys);
	free(plans);
	return err;
}

/* From 5.10 on, the program can be run for it. */
static bool free_by_program(struct bpf_syscalls *b, uint32_t first, uint32_t nr, bool is_figures)
{
	uint64_t args[] = { first, nr, is_figures };
	LIBBPF_OPTS(bpf_test_run_opts, run, .ctx_in = args, .ctx_size_in = sizeof(args));

	return !bpf_prog_test_run_opts(bpf_program__fd(b->skel->progs.on_fill), &run) && !run.retval;
}

/* The numbers of a queue, from 1 on. */
static int fill_queue(struct bpf_syscalls *b, const struct bpf_map *queue, uint32_t nr, bool is_figures)
{
	uint32_t i = 1;
	int err = 0;

	for (uint32_t n; i < nr; i += n) {
		n = nr - i < SYSCALL_FREE_MAX ? nr - i : SYSCALL_FREE_MAX;
		if (!free_by_program(b, i, n, is_figures))
			break;
	}
	for (; i < nr && !err; i++)
		err = bpf_map_update_elem(bpf_map__fd(queue), NULL, &i, BPF_ANY);
	return err;
}

static int fill_maps(struct bpf_syscalls *b, const struct bpf_syscalls_options *o)
{
	int err = fill_plans(b, o);

	if (!err)
		err = fill_queue(b, b->skel->maps.free_slots, b->nr_slots, false);
	if (!err)
		err = fill_queue(b, b->skel->maps.free_figures, b->nr_figures, true);
	return err;
}

/* A signal costs a program on each delivery of any task: only where it is wanted. */
static void leave_out(struct syscalls_bpf *s, const struct bpf_syscalls_options *o)
{
	bpf_program__set_autoload(s->progs.on_signal, o->has_signals && !o->keeps_figures);
	bpf_program__set_autoload(s->progs.on_switch, o->counts_cpu && o->keeps_figures);
	bpf_program__set_autoload(s->progs.on_fork, !o->no_children && !o->all_tasks);
	bpf_program__set_autoload(s->progs.on_file, o->has_files);
	bpf_program__set_autoattach(s->progs.on_file, false);
	bpf_program__set_autoattach(s->progs.on_fill, false);
}

static int map_figures(struct bpf_syscalls *b)
{
	void *p;

	b->figures_bytes = (size_t)b->nr_figures * sizeof(*b->figures);
	p = mmap(NULL, b->figures_bytes, PROT_READ, MAP_SHARED, bpf_map__fd(b->skel->maps.figures), 0);
	if (p == MAP_FAILED)
		return -errno;
	b->figures = p;
	return 0;
}

static int load(struct bpf_syscalls *b, const struct bpf_syscalls_options *o)
{
	int err;

	b->skel = syscalls_bpf__open();
	if (!b->skel)
		return -errno;
	b->shows_begun = !o->keeps_figures && !o->cpus && !o->cgroup;
	set_constants(b->skel, o);
	leave_out(b->skel, o);
	err = size_maps(b, o);
	if (!err)
		err = syscalls_bpf__load(b->skel);
	if (!err)
		err = fill_maps(b, o);
	if (!err)
		err = map_figures(b);
	if (err)
		return err;
	return event_ring_open(&b->ring, bpf_map__fd(b->skel->maps.ring), o->ring_bytes);
}

static int set_cgroup(struct bpf_syscalls *b, int fd)
{
	uint32_t zero = 0, value = (uint32_t)fd;

	return fd < 0 ? 0 : bpf_map_update_elem(bpf_map__fd(b->skel->maps.cgroups), &zero, &value, BPF_ANY);
}

int bpf_syscalls_open(struct bpf_syscalls **out, const struct bpf_syscalls_options *o, struct errbuf *eb)
{
	struct bpf_syscalls *b;
	int err = bpf_check(eb), cgroup = -1;

	*out = NULL;
	if (!err && o->cgroup)
		cgroup = err = cgroup_open_unified(o->cgroup, eb);
	if (err < 0)
		return err;
	bpf_keep_messages();
	b = mem_zalloc(sizeof(*b));
	err = load(b, o);
	if (!err)
		err = set_cgroup(b, cgroup);
	if (cgroup >= 0)
		close(cgroup); /* the map holds it */
	if (err) {
		bpf_syscalls_close(b);
		return bpf_failed(err, eb);
	}
	*out = b;
	return 0;
}

void bpf_syscalls_close(struct bpf_syscalls *b)
{
	if (!b)
		return;
	event_ring_close(&b->ring);
	if (b->figures)
		munmap((void *)(uintptr_t)b->figures, b->figures_bytes);
	syscalls_bpf__destroy(b->skel);
	free(b);
}

static bool is_traced(struct bpf_syscalls *b, uint32_t nr)
{
	uint32_t key = (nr & ~SYSCALL_NR_32) + (nr & SYSCALL_NR_32 ? SYSCALL_PLANS : 0);
	struct syscall_plan plan;

	if ((nr & ~SYSCALL_NR_32) >= SYSCALL_PLANS)
		return nr & SYSCALL_NR_32 ? b->skel->rodata->traces_others_32 : b->skel->rodata->traces_others;
	/* A program that is being executed gives the task other memory. */
	return !bpf_map_lookup_elem(bpf_map__fd(b->skel->maps.plans), &key, &plan) && plan.is_traced && !plan.is_exec;
}

/* The call that a task sleeps in. Whether it came by the 32-bit entry is seen by where its code and its stack are: the program that sees its end
 * knows better. */
static void note_begun(struct bpf_syscalls *b, struct syscall_slot *slot, pid_t tid)
{
	struct task_state t;
	uint32_t nr;

	if (task_state_read(&t, 0, tid) || t.pid <= 0 || (t.state != 'S' && t.state != 'D'))
		return;
	task_state_read_wait(&t);
	if (!t.in_call || t.nr < 0)
		return;
	nr = (uint32_t)t.nr;
	if (syscall_native_abi() == SYSCALL_X86_64 && !(t.pc >> 32) && !(t.sp >> 32))
		nr |= SYSCALL_NR_32;
	if (!is_traced(b, nr))
		return;
	slot->pid = (uint32_t)t.pid;
	slot->entry_tid = slot->tid;
	slot->nr = nr;
	slot->late = UINT32_MAX; /* what cannot be read now may be there at the end */
	slot->start_ns = clock_now_ns();
	slot->in_call = SYSCALL_IN_CALL_BEFORE;
	for (int i = 0; i < SYSCALL_ARGS; i++)
		slot->args[i] = t.args[i];
}

int bpf_syscalls_add_task(struct bpf_syscalls *b, pid_t tid, enum bpf_task_kind kind, struct syscall_slot *begun, struct errbuf *eb)
{
	uint32_t id = (uint32_t)tid, number;
	struct syscall_slot slot = { .tid = id, .awaits_exec = kind == BPF_TASK_WORKLOAD, .has_all_threads = kind == BPF_TASK_PROCESS };

	memset(begun, 0, sizeof(*begun));
	if (!bpf_map_lookup_elem(bpf_map__fd(b->skel->maps.slot_of_tid), &id, &number) && number)
		return 0;
	if (bpf_map_lookup_and_delete_elem(bpf_map__fd(b->skel->maps.free_slots), NULL, &number))
		return errbuf_set(eb, -E2BIG, "at most %u tasks can be traced at a time", b->nr_slots - 1);
	slot.number = number;
	if (b->shows_begun && kind != BPF_TASK_WORKLOAD)
		note_begun(b, &slot, tid);
	if (bpf_map_update_elem(bpf_map__fd(b->skel->maps.slots), &number, &slot, BPF_ANY) ||
	    bpf_map_update_elem(bpf_map__fd(b->skel->maps.slot_of_tid), &id, &number, BPF_ANY))
		return errbuf_set(eb, -errno, "cannot trace task %d: %s", tid, strerror(errno));
	b->nr_added++;
	if (slot.in_call)
		*begun = slot;
	return 0;
}

/* Tasks that ended before the programs were there to see it: their numbers may be another's soon. */
static void forget_ended(struct bpf_syscalls *b)
{
	int slot_of_tid = bpf_map__fd(b->skel->maps.slot_of_tid), slots = bpf_map__fd(b->skel->maps.slots);

	/* Slots were given out one after the other. */
	for (uint32_t i = 1, none = 0; i <= b->nr_added; i++) {
		struct syscall_slot slot;

		if (bpf_map_lookup_elem(slots, &i, &slot) || !slot.tid || !kill((pid_t)slot.tid, 0) || errno != ESRCH)
			continue;
		bpf_map_update_elem(slot_of_tid, &slot.tid, &none, BPF_ANY);
	}
}

/* Goes through what all tasks have open once; the program picks those that are traced. */
static int describe_files(struct bpf_syscalls *b, bool (*make_room)(void *ctx), void *ctx)
{
	struct bpf_link *link = bpf_program__attach_iter(b->skel->progs.on_file, NULL);
	int fd, err = link ? 0 : -errno;
	char none[64];
	ssize_t n;

	if (err)
		return err;
	fd = bpf_iter_create(bpf_link__fd(link));
	err = fd < 0 ? -errno : 0;
	bpf_link__destroy(link);
	if (err)
		return err;
	/* EAGAIN: the ring buffer is half full, or a million files have been looked at. */
	do {
		n = read(fd, none, sizeof(none));
		err = n < 0 ? -errno : 0;
		if (err == -EAGAIN && !make_room(ctx))
			err = -ENOBUFS;
	} while (n > 0 || err == -EAGAIN || err == -EINTR);
	close(fd);
	return err;
}

int bpf_syscalls_attach(struct bpf_syscalls *b, bool (*make_room)(void *ctx), void *ctx, struct errbuf *eb)
{
	int err = bpf_program__autoload(b->skel->progs.on_file) ? describe_files(b, make_room, ctx) : 0;

	/* Calls can be traced all the same; descriptors that are open now are then looked up in /proc. */
	if (err)
		log_info("what is open at the start is not all known to the BPF program: %s", strerror(-err));
	err = syscalls_bpf__attach(b->skel);
	if (!err) {
		b->skel->bss->sees_exits = 1;
		forget_ended(b);
	}
	return err ? bpf_failed(err, eb) : 0;
}

void bpf_syscalls_detach(struct bpf_syscalls *b)
{
	syscalls_bpf__detach(b->skel);
}

int bpf_syscalls_fd(const struct bpf_syscalls *b)
{
	return b->ring.wake_fd;
}

int bpf_syscalls_consume(struct bpf_syscalls *b, int (*record)(void *ctx, void *data, size_t size), void *ctx)
{
	return event_ring_consume(&b->ring, record, ctx);
}

const struct syscall_figures *bpf_syscalls_figures(struct bpf_syscalls *b, uint32_t *i)
{
	while (*i < b->nr_figures) {
		const struct syscall_figures *f = &b->figures[(*i)++];

		if (f->nr_calls)
			return f;
	}
	return NULL;
}

/* The slot of a task that ended may still say that it is in a call. */
static bool is_of_task(struct bpf_syscalls *b, const struct syscall_slot *slot, uint32_t i)
{
	uint32_t number;

	return !bpf_map_lookup_elem(bpf_map__fd(b->skel->maps.slot_of_tid), &slot->tid, &number) && number == i;
}

uint32_t bpf_syscalls_pending(struct bpf_syscalls *b, struct syscall_slot **slots)
{
	struct syscall_slot *v = mem_zalloc(b->nr_slots * sizeof(*v));
	uint32_t *keys = mem_zalloc(b->nr_slots * sizeof(*keys)), count = b->nr_slots, batch, nr = 0;

	*slots = v;
	/* ENOENT: these were all. */
	if (bpf_map_lookup_batch(bpf_map__fd(b->skel->maps.slots), NULL, &batch, keys, v, &count, NULL) && errno != ENOENT)
		count = 0;
	for (uint32_t i = 0; i < count; i++)
		if (v[i].tid && v[i].in_call && !v[i].awaits_exec && is_of_task(b, &v[i], keys[i]))
			v[nr++] = v[i];
	free(keys);
	return nr;
}

struct bpf_syscalls_losses bpf_syscalls_losses(const struct bpf_syscalls *b)
{
	return (struct bpf_syscalls_losses){ b->skel->bss->nr_dropped, b->skel->bss->nr_untraced, b->skel->bss->nr_uncounted };
}
#else
int bpf_syscalls_open(struct bpf_syscalls **b, const struct bpf_syscalls_options *o, struct errbuf *eb)
{
	(void)o;
	*b = NULL;
	return bpf_check(eb);
}

void bpf_syscalls_close(struct bpf_syscalls *b)
{
	(void)b;
}

int bpf_syscalls_add_task(struct bpf_syscalls *b, pid_t tid, enum bpf_task_kind kind, struct syscall_slot *begun, struct errbuf *eb)
{
	(void)b, (void)tid, (void)kind;
	*begun = (struct syscall_slot){ 0 };
	return bpf_check(eb);
}

int bpf_syscalls_attach(struct bpf_syscalls *b, bool (*make_room)(void *ctx), void *ctx, struct errbuf *eb)
{
	(void)b, (void)make_room, (void)ctx;
	return bpf_check(eb);
}

void bpf_syscalls_detach(struct bpf_syscalls *b)
{
	(void)b;
}

int bpf_syscalls_fd(const struct bpf_syscalls *b)
{
	(void)b;
	return -1;
}

int bpf_syscalls_consume(struct bpf_syscalls *b, int (*record)(void *ctx, void *data, size_t size), void *ctx)
{
	(void)b, (void)record, (void)ctx;
	return 0;
}

const struct syscall_figures *bpf_syscalls_figures(struct bpf_syscalls *b, uint32_t *i)
{
	(void)b, (void)i;
	return NULL;
}

uint32_t bpf_syscalls_pending(struct bpf_syscalls *b, struct syscall_slot **slots)
{
	(void)b;
	*slots = NULL;
	return 0;
}

struct bpf_syscalls_losses bpf_syscalls_losses(const struct bpf_syscalls *b)
{
	(void)b;
	return (struct bpf_syscalls_losses){ 0 };
}
#endif
