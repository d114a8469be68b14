/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Following processes from exec to exec.
 */
#include "model/match.h"

#include <string.h>
#include <sys/mman.h>

#include "abi/attr.h"

void programs_init(struct programs *p, struct machine *m, const struct recording *r)
{
	*p = (struct programs){ .machine = m, .recording = r };
}

void programs_fini(struct programs *p)
{
	vec_fini(&p->of_task);
	vec_fini(&p->nr_samples);
}

static uint32_t *program_of(struct programs *p, const struct task *task)
{
	while (p->of_task.nr <= task->leader->id)
		vec_push(&p->of_task, DSO_NONE);
	return &p->of_task.v[task->leader->id];
}

/* Counting begins with the exec of a command that `record` started, and nothing else is recorded: the first exec is that one. */
static bool begins_with_exec(const struct perfdata_info *info)
{
	for (uint32_t i = 0; i < info->events.nr; i++)
		if (info->events.v[i].attr.flags & ATTR_ENABLE_ON_EXEC)
			return true;
	return false;
}

static void see_exec(struct programs *p, const struct session_record *sr)
{
	*program_of(p, sr->task) = DSO_NONE;
	if (!p->has_started && begins_with_exec(p->recording->info)) {
		p->has_started = true;
		p->started = sr->task->leader;
	}
}

static bool is_executable(const struct session_record *sr)
{
	if (sr->header->type == RECORD_MMAP)
		return !(sr->header->misc & MISC_MMAP_DATA);
	return sr->rec.mmap.prot & PROT_EXEC;
}

static void see_map(struct programs *p, const struct session_record *sr)
{
	uint32_t *program = program_of(p, sr->task), dso;

	if (*program != DSO_NONE || !is_executable(sr) || (sr->header->misc & MISC_CPUMODE_MASK) == MISC_KERNEL)
		return;
	dso = machine_locate(p->machine, sr->task, sr->rec.mmap.start, MISC_USER).dso;
	if (dso == DSO_NONE || dso_table_get(&p->machine->dsos, dso)->kind != MODULE_ELF)
		return;
	*program = dso;
	/* One that becomes another program by exec (env, nice) is the last of them. */
	if (sr->task->leader == p->started)
		p->started_dso = dso;
}

static void see_sample(struct programs *p, const struct session_record *sr)
{
	uint32_t dso = *program_of(p, sr->task);

	while (p->nr_samples.nr <= dso)
		vec_push(&p->nr_samples, 0);
	p->nr_samples.v[dso]++;
}

void programs_see(struct programs *p, const struct session_record *sr)
{
	if (!sr->task)
		return;
	switch (sr->header->type) {
	case RECORD_COMM:
		if (sr->header->misc & MISC_COMM_EXEC)
			see_exec(p, sr);
		break;
	case RECORD_FORK:
		/* A process runs its parent's program until it executes another. */
		if (sr->task->leader == sr->task) {
			struct task *parent = task_table_find(&p->machine->tasks, (int32_t)sr->rec.task.ptid);
			uint32_t dso = parent ? *program_of(p, parent) : DSO_NONE;

			*program_of(p, sr->task) = dso;
		}
		break;
	case RECORD_MMAP:
	case RECORD_MMAP2:
		see_map(p, sr);
		break;
	case RECORD_SAMPLE:
		see_sample(p, sr);
		break;
	default:
		break;
	}
}

uint32_t programs_busiest(const struct programs *p)
{
	uint32_t best = DSO_NONE;

	for (uint32_t i = 1; i < p->nr_samples.nr; i++)
		if (p->nr_samples.v[i] && (best == DSO_NONE || p->nr_samples.v[i] > p->nr_samples.v[best]))
			best = i;
	return best;
}
