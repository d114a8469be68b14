/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Jobs are a ring: one is filled by the thread that reads, others are printed. They are taken and written in the order in which they were
 * filled. Threads are started when there is a second job: most recordings are small.
 */
#include "view/script_lines.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"

#define JOB_LINES 4096u
#define JOB_RAW_BYTES (1u << 20)  /* of raw data in a job; a sample has 64 kB at most */
#define JOB_TEXT_BYTES (2u << 20) /* that a job keeps until it may write */
#define MAX_THREADS 8u
#define NR_JOBS (2 * MAX_THREADS)

struct job {
	VEC(struct script_line) lines; /* their raw data is at an offset in `raw` until the job is printed */
	VEC(uint8_t) raw;
	struct out text;
};

struct printer {
	struct script_lines *lines;
	struct script_text text;
	pthread_t thread;
};

struct script_lines {
	const struct script_text *shape;
	struct printer printers[MAX_THREADS];
	uint32_t nr_printers; /* 0: no thread could be started, or none was needed so far */
	uint32_t nr_wanted;
	pthread_mutex_t lock;
	pthread_cond_t filled_more, written_more;
	uint64_t nr_filled, nr_taken, nr_written; /* jobs, in their order */
	bool quits;
	int error;
	struct job jobs[NR_JOBS];
};

bool script_lines_can(const struct script_text *shape)
{
	const uint32_t simple = 1u << SCRIPT_COMM | 1u << SCRIPT_PID | 1u << SCRIPT_TID | 1u << SCRIPT_CPU | 1u << SCRIPT_TIME |
				1u << SCRIPT_EVENT | 1u << SCRIPT_PERIOD | 1u << SCRIPT_TRACE;
	const struct recording *r = shape->profile->recording;
	const struct perfdata_info *info = r->info;

	if (info->pipe_mode || shape->event_needs.nr != info->events.nr)
		return false;
	for (uint32_t i = 0; i < info->events.nr; i++) {
		const struct attr *a = &info->events.v[i].attr;

		if (attr_is_dummy(a))
			continue;
		if (a->type != ATTR_TYPE_TRACEPOINT || shape->event_needs.v[i] || (shape->event_fields.v[i] & ~simple) ||
		    !tracepoints_pure(r->tracepoints, a->config))
			return false;
	}
	return true;
}

static void init_printer(struct printer *p, struct script_lines *l)
{
	const struct script_text *shape = l->shape;
	struct tracepoints *tracepoints = shape->profile->recording->tracepoints;
	const struct perfdata_info *info = shape->profile->recording->info;
	struct errbuf unsaid = { 0 };

	p->lines = l;
	script_text_init(&p->text, NULL, shape->profile);
	p->text.fields = shape->fields;
	p->text.nanoseconds = shape->nanoseconds;
	p->text.hide_chain = shape->hide_chain;
	p->text.printer = tracepoints_printer_new(tracepoints);
	script_text_learn(&p->text, &unsaid); /* the shape has learned the same */
	for (uint32_t i = 0; i < info->events.nr; i++) {
		const struct attr *a = &info->events.v[i].attr;

		vec_push(&p->text.events, ((struct script_event){
						  info->events.v[i].name,
						  a->type == ATTR_TYPE_TRACEPOINT ? tracepoints_pure(tracepoints, a->config) : NULL,
					  }));
	}
}

static void fini_printer(struct printer *p)
{
	if (!p->lines)
		return;
	tracepoints_printer_free(p->text.printer);
	script_text_fini(&p->text);
}

/* Prints from line *next on, until the job or what is kept of its text is at its end. */
static void print_lines(struct printer *p, struct job *job, uint32_t *next)
{
	p->text.o = &job->text;
	for (; *next < job->lines.nr && job->text.len < JOB_TEXT_BYTES; (*next)++) {
		struct script_line *line = &job->lines.v[*next];

		if (line->raw)
			line->raw = job->raw.v + (uintptr_t)line->raw - 1;
		script_text_line(&p->text, line);
		out_char(&job->text, '\n');
	}
}

/* The first error of the output so far. */
static int write_text(struct script_lines *l, struct job *job)
{
	out_mem(l->shape->o, job->text.buf, job->text.len);
	job->text.len = 0;
	return l->shape->o->error;
}

static void wait_for_turn(struct script_lines *l, uint64_t nr)
{
	pthread_mutex_lock(&l->lock);
	while (l->nr_written != nr)
		pthread_cond_wait(&l->written_more, &l->lock);
	pthread_mutex_unlock(&l->lock);
}

/* Job number `nr`. Hostile formats have long texts: these are written in parts. From its turn on no other thread writes. */
static int print_job(struct printer *p, uint64_t nr)
{
	struct script_lines *l = p->lines;
	struct job *job = &l->jobs[nr % NR_JOBS];
	uint32_t next = 0;
	int error;

	do {
		print_lines(p, job, &next);
		wait_for_turn(l, nr);
		error = write_text(l, job);
	} while (next < job->lines.nr && !error);
	job->lines.nr = job->raw.nr = 0;
	return error;
}

static void *printer_main(void *arg)
{
	struct printer *p = arg;
	struct script_lines *l = p->lines;

	pthread_mutex_lock(&l->lock);
	for (;;) {
		uint64_t nr;
		int error;

		while (l->nr_taken == l->nr_filled && !l->quits)
			pthread_cond_wait(&l->filled_more, &l->lock);
		if (l->nr_taken == l->nr_filled)
			break;
		nr = l->nr_taken++;
		pthread_mutex_unlock(&l->lock);
		error = print_job(p, nr);
		pthread_mutex_lock(&l->lock);
		l->error = error;
		l->nr_written++;
		pthread_cond_broadcast(&l->written_more);
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

struct script_lines *script_lines_new(const struct script_text *shape)
{
	struct script_lines *l = mem_zalloc(sizeof(*l));
	uint32_t nr_cpus = pool_nr_cpus();

	l->shape = shape;
	l->nr_wanted = nr_cpus < MAX_THREADS ? nr_cpus : MAX_THREADS;
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->filled_more, NULL);
	pthread_cond_init(&l->written_more, NULL);
	for (uint32_t i = 0; i < NR_JOBS; i++)
		out_init(&l->jobs[i].text, -1);
	for (uint32_t i = 0; i < l->nr_wanted; i++) /* now: records may add events */
		init_printer(&l->printers[i], l);
	return l;
}

static void start_threads(struct script_lines *l)
{
	while (l->nr_printers < l->nr_wanted) {
		struct printer *p = &l->printers[l->nr_printers];

		if (pthread_create(&p->thread, NULL, printer_main, p)) {
			l->nr_wanted = l->nr_printers;
			return;
		}
		l->nr_printers++;
	}
}

/* Hands over the job that was filled, and waits for room for the next. */
static int hand_over(struct script_lines *l)
{
	int error;

	start_threads(l);
	if (!l->nr_printers)
		return print_job(&l->printers[0], l->nr_written);
	pthread_mutex_lock(&l->lock);
	l->nr_filled++;
	pthread_cond_signal(&l->filled_more);
	while (l->nr_filled - l->nr_written >= NR_JOBS)
		pthread_cond_wait(&l->written_more, &l->lock);
	error = l->error;
	pthread_mutex_unlock(&l->lock);
	return error;
}

int script_lines_add(struct script_lines *l, const struct script_line *line)
{
	struct job *job = &l->jobs[l->nr_filled % NR_JOBS];
	struct script_line *copy = vec_add(&job->lines);

	*copy = *line;
	copy->header = NULL; /* not shown, and gone by then */
	if (line->raw) {
		copy->raw = (const void *)(uintptr_t)(job->raw.nr + 1u);
		vec_reserve(&job->raw, job->raw.nr + line->raw_size);
		memcpy(job->raw.v + job->raw.nr, line->raw, line->raw_size);
		job->raw.nr += line->raw_size;
	}
	return job->lines.nr == JOB_LINES || job->raw.nr >= JOB_RAW_BYTES ? hand_over(l) : 0;
}

int script_lines_flush(struct script_lines *l)
{
	struct job *job = &l->jobs[l->nr_filled % NR_JOBS];
	int error;

	if (!l->nr_filled) /* all that there is fits into one job: no thread is needed */
		l->nr_wanted = 0;
	if (job->lines.nr)
		hand_over(l);
	pthread_mutex_lock(&l->lock);
	while (l->nr_written != l->nr_filled)
		pthread_cond_wait(&l->written_more, &l->lock);
	error = l->error;
	pthread_mutex_unlock(&l->lock);
	return error ? error : l->shape->o->error;
}

void script_lines_free(struct script_lines *l)
{
	if (!l)
		return;
	pthread_mutex_lock(&l->lock);
	l->quits = true;
	pthread_cond_broadcast(&l->filled_more);
	pthread_mutex_unlock(&l->lock);
	for (uint32_t i = 0; i < l->nr_printers; i++)
		pthread_join(l->printers[i].thread, NULL);
	for (uint32_t i = 0; i < MAX_THREADS; i++)
		fini_printer(&l->printers[i]);
	for (uint32_t i = 0; i < NR_JOBS; i++) {
		vec_fini(&l->jobs[i].lines);
		vec_fini(&l->jobs[i].raw);
		out_fini(&l->jobs[i].text);
	}
	pthread_cond_destroy(&l->filled_more);
	pthread_cond_destroy(&l->written_more);
	pthread_mutex_destroy(&l->lock);
	free(l);
}
