/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A session without a file, for the tests of the session, model and view modules: events, tasks, maps
 * and symbols by hand, samples straight into a profile.
 */
#ifndef ASSAY_TESTS_SESSION_FIXTURE_H
#define ASSAY_TESTS_SESSION_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "model/profile.h"
#include "session/session.h"

#define FUNCTION_SIZE 0x100

struct fixture {
	struct session s;
	struct perfdata_info info;
	struct profile p;
};

static inline void fixture_event(struct fixture *f, const char *name)
{
	struct perfdata_event e = { .name = name };

	e.attr.type = ATTR_TYPE_SOFTWARE;
	e.attr.sample_period = 1;
	e.attr.sample_type = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD | SAMPLE_CALLCHAIN;
	e.layout = sample_layout_of(&e.attr);
	vec_push(&f->info.events, e);
}

static inline const char *fixture_no_symbol(void *ctx, uint64_t addr, uint64_t *start)
{
	(void)ctx, (void)addr, (void)start;
	return NULL;
}

static inline void fixture_init(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	perfdata_info_init(&f->info);
	f->s.recording.info = &f->info;
	f->s.recording.tracepoints = tracepoints_new(&f->info, fixture_no_symbol, NULL);
	machine_init(&f->s.machine, &f->s.options.symbols);
	profile_init(&f->p, &f->s.machine, &f->s.recording);
	fixture_event(f, "cpu-clock");
}

static inline void fixture_fini(struct fixture *f)
{
	profile_fini(&f->p);
	tracepoints_free(f->s.recording.tracepoints);
	machine_fini(&f->s.machine);
	perfdata_info_fini(&f->info);
}

/* A file of functions FUNCTION_SIZE apart, the first at offset 0; `names` ends with NULL. */
static inline uint32_t fixture_dso(struct fixture *f, const char *path, const char *const *names)
{
	uint32_t id = dso_table_intern(&f->s.machine.dsos, MODULE_ELF, path, -1, NULL, 0);
	struct symtab *t;

	if (f->s.machine.dsos.dsos.v[id].symtab)
		return id;
	t = symtab_new();
	for (uint64_t i = 0; names[i]; i++)
		symtab_add(t, i * FUNCTION_SIZE, (i + 1) * FUNCTION_SIZE, names[i], strlen(names[i]), SYMBOL_GLOBAL, SYMBOL_FUNCTION);
	symtab_finish(t, false);
	f->s.machine.dsos.dsos.v[id].symtab = t;
	return id;
}

static inline struct task *fixture_task(struct fixture *f, int32_t pid, int32_t tid, const char *comm)
{
	struct task *task = task_table_get(&f->s.machine.tasks, pid, tid);

	task_table_comm(&f->s.machine.tasks, task, comm, false);
	return task;
}

static inline void fixture_map(struct fixture *f, struct task *task, uint64_t start, uint64_t size, uint32_t dso)
{
	struct map m = { .start = start, .end = start + size, .dso = dso };

	task_table_map(&f->s.machine.tasks, task, &m);
}

/* Adds a user-space sample; ips[0] is the sampled place and the rest its callers. nr 1: no chain.
 */
static inline void fixture_sample(struct fixture *f, struct task *task, uint64_t period, const uint64_t *ips, uint32_t nr)
{
	static uint64_t time_ns = 1000;
	struct record_header h = { .type = RECORD_SAMPLE, .misc = MISC_USER };
	struct session_record sr = { .header = &h, .event = 0, .task = task, .time_ns = time_ns++ };
	uint64_t chain[64] = { CHAIN_USER };

	assert_true(nr < 64);
	memcpy(chain + 1, ips, nr * sizeof(*ips));
	sr.rec.header = &h;
	sr.rec.sample = (struct sample){
		.ip = ips[0], .pid = (uint32_t)task->pid, .tid = (uint32_t)task->tid, .period = period, .time_ns = sr.time_ns
	};
	if (nr > 1) {
		sr.rec.sample.ips = chain;
		sr.rec.sample.nr_ips = nr + 1;
	}
	profile_add(&f->p, &sr);
}

static inline uint64_t fixture_rng(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

#endif
