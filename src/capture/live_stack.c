/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The maps are read once and again only when a walk reaches an address that is in none; it is then walked again from the same copy, without
 * another stop.
 */
#include "capture/live_stack.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "kernel/stopped_task.h"
#include "kernel/tasks.h"
#include "symbols/unwind.h"

#define FIRST_COPY_BYTES (64u << 10)
#define MAX_COPY_BYTES (1u << 20)
#define COPIES_BYTES (4u << 20) /* together */
#define STOP_TIMEOUT_NS 3000000000ull

/* At one thread. */
struct look {
	pid_t tid;
	struct task_state state;
	bool asleep, ended;
	int err; /* it could not be stopped */
	struct unwind_regs regs;
	uint8_t *copy; /* of its stack, from the stack pointer on */
	uint64_t copy_size;
};

struct live_stack {
	struct live_stack_options options;
	pid_t pid;
	char root[32]; /* symfs of a process that sees other files than we do */
	struct machine machine;
	struct live_maps maps;
	struct task_stopper stopper;
	struct stack_walker *walker;
	const struct arch_ops *arch;
	/* of the threads at hand */
	uint8_t *copies;
	uint32_t copy_bytes, next_copy_bytes;
	struct look *stopping[TASK_STOPPER_MAX_BATCH];
	struct errbuf why; /* one may not be stopped */
};

static bool sees_other_files(pid_t pid)
{
	struct stat ours, theirs;
	char path[48];

	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", pid);
	return !stat("/proc/self/ns/mnt", &ours) && !stat(path, &theirs) && ours.st_ino != theirs.st_ino;
}

/* Tasks without a user stack are refused first. */
static int check_target(struct live_stack *ls, struct errbuf *eb)
{
	pid_t id = ls->options.pid ? ls->options.pid : ls->options.tid;
	const char *what = ls->options.pid ? "process" : "thread";
	struct task_ids ids = { 0 };
	struct task_state state;
	uint32_t nr_threads;
	int err = ls->options.pid ? task_ids_add_threads(&ids, id, eb) : task_ids_add_thread(&ids, id, eb);

	nr_threads = ids.ids.nr;
	task_ids_fini(&ids);
	if (err)
		return err;
	if (task_state_read(&state, 0, id))
		return errbuf_set(eb, -ESRCH, "%s %d has ended", what, id);
	ls->pid = state.pid ? state.pid : id;
	if (state.is_kernel && !ls->options.kernel)
		return errbuf_set(eb, -ENOTSUP,
				  "%s %d (%s) is a thread of the kernel and has no stack of a program; its stack in the "
				  "kernel: 'sudo assay stack --kernel -%c %d'",
				  what, id, state.comm, ls->options.pid ? 'p' : 't', id);
	if ((state.state == 'Z' || state.state == 'X') && nr_threads <= 1)
		return errbuf_set(eb, -ESRCH, "%s %d (%s) has ended and only waits for its parent %d to notice (a zombie): it has no stack",
				  what, id, state.comm, state.ppid);
	return 0;
}

int live_stack_open(struct live_stack **out, const struct symbolizer_options *symbols, const struct live_stack_options *o,
		    struct errbuf *eb)
{
	struct live_stack *ls = mem_zalloc(sizeof(*ls));
	struct symbolizer_options opts = *symbols;
	int err;

	*out = NULL;
	ls->options = *o;
	ls->arch = arch_native();
	err = check_target(ls, eb);
	if (err) {
		free(ls);
		return err;
	}
	snprintf(ls->root, sizeof(ls->root), "/proc/%d/root", ls->pid);
	if (!opts.symfs && sees_other_files(ls->pid))
		opts.symfs = ls->root;
	machine_init(&ls->machine, &opts);
	live_maps_init(&ls->maps, &ls->machine, ls->pid, o->pid ? 0 : o->tid, o->data_maps);
	ls->walker = stack_walker_new(&ls->machine, ls->arch, o->max_frames);
	task_stopper_init(&ls->stopper, ls->pid);
	ls->next_copy_bytes = FIRST_COPY_BYTES;
	ls->copies = mem_alloc(COPIES_BYTES);
	live_maps_read(&ls->maps);
	*out = ls;
	return 0;
}

void live_stack_close(struct live_stack *ls)
{
	if (!ls)
		return;
	task_stopper_fini(&ls->stopper);
	stack_walker_free(ls->walker);
	live_maps_fini(&ls->maps);
	machine_fini(&ls->machine);
	free(ls->copies);
	free(ls);
}

static size_t read_memory(void *ctx, uint64_t addr, void *buf, size_t size)
{
	return task_stopper_read(ctx, addr, buf, size);
}

static int decode(const struct live_stack *ls, const struct stopped_task *t, struct unwind_regs *regs, struct errbuf *eb)
{
	if (t->regs_size == ls->arch->nr_thread_regs * 8u && unwind_regs_decode(ls->arch, t->regs, t->regs_size, regs))
		return 0;
	return errbuf_set(eb, -ENOTSUP,
			  "process %d is a 32-bit program, whose stacks are not read here: 'gdb -p %d -batch -ex \"thread apply "
			  "all bt\"' does",
			  ls->pid, ls->pid);
}

static int stop(struct live_stack *ls, pid_t tid, struct stopped_task *t, struct unwind_regs *regs, struct errbuf *eb)
{
	int err = task_stopper_stop(&ls->stopper, tid, STOP_TIMEOUT_NS, t, eb);

	if (err)
		return err;
	err = decode(ls, t, regs, eb);
	if (err)
		task_stopper_resume(&ls->stopper, t);
	return err;
}

/* The short way: it stood for a copy. */
static void copy_stack(void *ctx, uint32_t i, const struct stopped_task *t)
{
	struct live_stack *ls = ctx;
	struct look *l = ls->stopping[i];

	l->err = decode(ls, t, &l->regs, &ls->why);
	if (!l->err)
		l->copy_size = task_stopper_read(&ls->stopper, l->regs.v[ls->arch->sp], l->copy, ls->copy_bytes);
}

static void walk_copy(struct live_stack *ls, const struct task *task, const struct look *l, struct thread_stack *ts)
{
	struct stack_memory mem = {
		.ctx = &ls->stopper,
		.read = read_memory,
		.only_copy = true,
		.copy = l->copy,
		.copy_start = l->regs.v[ls->arch->sp],
		.copy_size = l->copy_size,
	};
	struct unwind_regs regs = l->regs;

	ts->nr = stack_walker_walk(ls->walker, task, &regs, &mem, &ts->places, &ts->walk);
}

/* The long way: walked while it stands. */
static int walk_stopped(struct live_stack *ls, const struct task *task, struct thread_stack *ts, struct errbuf *eb)
{
	struct stack_memory mem = { .ctx = &ls->stopper, .read = read_memory };
	struct unwind_regs regs;
	struct stopped_task t;
	int err = stop(ls, ts->tid, &t, &regs, eb);

	if (err)
		return err;
	ts->nr = stack_walker_walk(ls->walker, task, &regs, &mem, &ts->places, &ts->walk);
	task_stopper_resume(&ls->stopper, &t);
	return 0;
}

static int walk(struct live_stack *ls, const struct task *task, const struct look *l, struct thread_stack *ts, struct errbuf *eb)
{
	walk_copy(ls, task, l, ts);
	if (live_maps_miss(&ls->maps, stack_walker_wanted_map(ls->walker))) {
		live_maps_read(&ls->maps);
		walk_copy(ls, task, l, ts);
	}
	if (ts->walk.end != UNWIND_TRUNCATED && !stack_walker_wanted_memory(ls->walker))
		return 0;
	if (ts->walk.end == UNWIND_TRUNCATED && ls->next_copy_bytes < MAX_COPY_BYTES)
		ls->next_copy_bytes = ls->copy_bytes * 2;
	return walk_stopped(ls, task, ts, eb);
}

/* A thread that cannot be stopped sleeps in a system call, and the kernel reports where: no other register is known, so that the walk
 * may end early. Its stack lies still. */
static void walk_asleep(struct live_stack *ls, const struct task *task, const struct task_state *state, struct thread_stack *ts)
{
	struct stack_memory mem = { .ctx = &ls->stopper, .read = read_memory };
	struct unwind_regs regs = { .pc = state->pc, .valid = UINT64_C(1) << ls->arch->sp };

	ts->why = "it waits in the kernel for something that no signal ends, and cannot be stopped: only the place it waits at "
		  "is known, and callers may be missing";
	if (!state->place_known)
		return;
	regs.v[ls->arch->sp] = state->sp;
	ts->nr = stack_walker_walk(ls->walker, task, &regs, &mem, &ts->places, &ts->walk);
	if (ts->walk.end == UNWIND_COMPLETE)
		ts->why = NULL;
}

/* True where it still sleeps like that after a moment: most such sleeps are over in one. */
static bool stays_asleep(struct task_state *state)
{
	const struct timespec nap = { .tv_nsec = 2000000 };

	for (int i = 0; i < 10 && state->state == 'D'; i++) {
		nanosleep(&nap, NULL);
		if (task_state_read(state, state->pid, state->tid))
			return false;
	}
	return state->state == 'D';
}

/* What is seen of a thread without stopping it; false: it is gone. */
static bool look_at(struct live_stack *ls, pid_t tid, struct look *l)
{
	*l = (struct look){ .tid = tid };
	if (task_state_read(&l->state, ls->pid, tid))
		return false;
	l->ended = l->state.state == 'Z' || l->state.state == 'X';
	if (l->ended && tid != ls->pid)
		return false;
	l->asleep = l->state.state == 'D' && stays_asleep(&l->state);
	if (l->asleep || ls->options.state)
		task_state_read_wait(&l->state);
	return true;
}

/* 1: passed on to the sink; 0: it is gone; negative: it may not be looked into. */
static int take_thread(struct live_stack *ls, struct look *l, const struct thread_stack_sink *sink, struct errbuf *eb)
{
	struct task *task = task_table_get(&ls->machine.tasks, ls->pid, l->tid);
	struct thread_stack ts = { .pid = ls->pid, .tid = l->tid };
	char *state_text = NULL, *kernel = NULL;
	int err = l->err;

	if (ls->options.kernel)
		ts.kernel = kernel = task_state_kernel_stack(&l->state);
	if (l->state.is_kernel)
		ts.why = kernel ? NULL : "only root may see the kernel's frames";
	else if (l->ended)
		ts.walk = (struct unwind_result){ UNWIND_NOT_DONE, false }; /* a main thread may end before the others */
	else if (!l->asleep && !err)
		err = walk(ls, task, l, &ts, eb);
	if ((l->asleep && !l->state.is_kernel) || err == -ETIMEDOUT) {
		task_state_read_wait(&l->state);
		walk_asleep(ls, task, &l->state, &ts);
		err = 0;
	}
	if (!err) {
		if (ls->options.state)
			ts.state = state_text = task_state_text(&l->state);
		ts.comm = l->state.comm;
		sink->add(sink->ctx, &ts);
	}
	free(state_text);
	free(kernel);
	if (err)
		return err == -ESRCH ? 0 : err;
	return 1;
}

/* As many as there are copies for: all are asked to stop at once, and walked in their order. */
static int take_batch(struct live_stack *ls, const pid_t *tids, uint32_t nr, const struct thread_stack_sink *sink, struct errbuf *eb)
{
	const struct stop_visitor visitor = { copy_stack, ls };
	struct look looks[TASK_STOPPER_MAX_BATCH];
	pid_t to_stop[TASK_STOPPER_MAX_BATCH];
	int results[TASK_STOPPER_MAX_BATCH], taken = 0;
	uint32_t nr_looks = 0, nr_stop = 0;

	for (uint32_t i = 0; i < nr; i++) {
		struct look *l = &looks[nr_looks];

		if (!look_at(ls, tids[i], l))
			continue;
		l->copy = ls->copies + (size_t)nr_looks++ * ls->copy_bytes;
		if (l->state.is_kernel || l->ended || l->asleep)
			continue;
		ls->stopping[nr_stop] = l;
		to_stop[nr_stop++] = l->tid;
	}
	errbuf_clear(&ls->why);
	task_stopper_visit(&ls->stopper, to_stop, results, nr_stop, STOP_TIMEOUT_NS, &visitor, &ls->why);
	for (uint32_t i = 0; i < nr_stop; i++)
		if (results[i])
			ls->stopping[i]->err = results[i];
	for (uint32_t i = 0; i < nr_looks; i++) {
		int got = take_thread(ls, &looks[i], sink, eb);

		if (got < 0)
			return ls->why.text[0] ? errbuf_set(eb, got, "%s", ls->why.text) : got;
		taken += got;
	}
	return taken;
}

/* Deeper stacks than before are copied whole the next time, of fewer threads at once. */
static uint32_t batch_size(struct live_stack *ls)
{
	ls->copy_bytes = ls->next_copy_bytes;
	return COPIES_BYTES / ls->copy_bytes < TASK_STOPPER_MAX_BATCH ? COPIES_BYTES / ls->copy_bytes : TASK_STOPPER_MAX_BATCH;
}

int live_stack_take(struct live_stack *ls, const struct thread_stack_sink *sink, struct errbuf *eb)
{
	struct task_ids ids = { 0 };
	int nr = 0, err = 0;

	task_stopper_reap(&ls->stopper);
	if (ls->options.pid)
		err = task_ids_add_threads(&ids, ls->pid, eb);
	else
		vec_push(&ids.ids, ls->options.tid);
	for (uint32_t i = 0, some; !err && i < ids.ids.nr; i += some) {
		int got;

		some = batch_size(ls);
		if (some > ids.ids.nr - i)
			some = ids.ids.nr - i;
		got = take_batch(ls, ids.ids.v + i, some, sink, eb);
		if (got < 0)
			err = got;
		else
			nr += got;
	}
	task_ids_fini(&ids);
	if (!err && !nr)
		err = errbuf_set(eb, -ESRCH, "%s %d has ended", ls->options.pid ? "process" : "thread",
				 ls->options.pid ? ls->pid : ls->options.tid);
	return err ? err : nr;
}

struct machine *live_stack_machine(struct live_stack *ls)
{
	return &ls->machine;
}

const struct task *live_stack_task(struct live_stack *ls)
{
	return task_table_get(&ls->machine.tasks, ls->pid, ls->pid);
}

pid_t live_stack_pid(const struct live_stack *ls)
{
	return ls->pid;
}

struct live_stack_cost live_stack_cost(const struct live_stack *ls)
{
	return (struct live_stack_cost){ ls->stopper.nr_stops, ls->stopper.pause_ns, ls->stopper.longest_pause_ns };
}
