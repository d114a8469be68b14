/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sched latency: rows of tasks, or of all tasks of a name together, in perf's layout.
 */
#include "view/sched_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME_WIDTH 24

static const char *const key_names[] = {
	[SCHED_BY_RUNTIME] = "runtime", [SCHED_BY_COUNT] = "switch", [SCHED_BY_AVERAGE] = "avg",
	[SCHED_BY_MAX] = "max",		[SCHED_BY_TID] = "pid",
};
#define NR_KEYS (sizeof(key_names) / sizeof(key_names[0]))

int sched_latency_set_keys(struct sched_latency *l, const char *arg, struct errbuf *eb)
{
	l->nr_keys = 0;
	for (const char *word = arg;; word++) {
		size_t len = strcspn(word, ","), key = 0;

		while (key < NR_KEYS && (strlen(key_names[key]) != len || memcmp(key_names[key], word, len)))
			key++;
		if (key == NR_KEYS)
			return errbuf_set(eb, -EINVAL, "-s: unknown key '%.*s' (runtime, switch, avg, max, pid)", (int)len, word);
		if (l->nr_keys == SCHED_MAX_KEYS)
			return errbuf_set(eb, -EINVAL, "-s: more than %d keys", SCHED_MAX_KEYS);
		l->keys[l->nr_keys++] = (enum sched_latency_key)key;
		word += len;
		if (!*word)
			return 0;
	}
}

struct row {
	const struct timeline_track *track; /* the first one */
	uint32_t nr_tasks;
	uint64_t runtime_ns;
	struct pair_figures delays;
	bool is_incomplete;
};

struct rows {
	const struct sched_latency *latency;
	VEC(struct row) v;
	struct hindex index; /* by name */
};

static void add_row(struct rows *rows, const struct timeline_track *k)
{
	uint32_t comm = k->task->comm, id;
	struct row *r;

	if (rows->latency->by_task) {
		id = rows->v.nr;
		vec_push(&rows->v, ((struct row){ .track = k }));
	} else {
		id = HINDEX_INTERN(&rows->index, hash_u64(comm), &rows->v, item, item->track->task->comm == comm,
				   ((struct row){ .track = k }));
	}
	r = &rows->v.v[id];
	r->nr_tasks++;
	r->runtime_ns += k->runtime_ns;
	r->is_incomplete |= k->nr_gaps != 0;
	pair_figures_add(&r->delays, &k->delays);
}

static int compare_by(enum sched_latency_key key, const struct row *a, const struct row *b)
{
	switch (key) {
	case SCHED_BY_RUNTIME:
		return COMPARE(b->runtime_ns, a->runtime_ns);
	case SCHED_BY_COUNT:
		return COMPARE(b->delays.nr, a->delays.nr);
	case SCHED_BY_AVERAGE:
		return COMPARE(pair_figures_mean(&b->delays), pair_figures_mean(&a->delays));
	case SCHED_BY_MAX:
		return COMPARE(b->delays.max_ns, a->delays.max_ns);
	case SCHED_BY_TID:
		break;
	}
	return COMPARE(b->track->task->tid, a->track->task->tid);
}

static int compare_rows(const void *pa, const void *pb, void *ctx)
{
	const struct sched_latency *l = ctx;
	const struct row *a = pa, *b = pb;

	for (uint32_t i = 0; i < l->nr_keys; i++) {
		int order = compare_by(l->keys[i], a, b);

		if (order)
			return order;
	}
	return COMPARE(b->track->task->tid, a->track->task->tid); /* as perf */
}

static void put_line(struct out *o, int nr)
{
	out_char(o, ' ');
	for (int i = 0; i < nr; i++)
		out_char(o, '-');
	out_char(o, '\n');
}

static double ms(uint64_t ns)
{
	return (double)ns / 1e6;
}

static void put_row(struct out *o, const struct timeline *t, const struct row *r)
{
	const struct pair_figures *d = &r->delays;
	struct out name;

	out_init(&name, -1);
	sched_put_comm(&name, t, r->track);
	out_printf(&name, r->nr_tasks > 1 ? ":(%u)" : ":%u", r->nr_tasks > 1 ? r->nr_tasks : (uint32_t)r->track->task->tid);
	out_str(o, "  ");
	out_mem(o, name.buf, name.len);
	out_spaces(o, NAME_WIDTH - 2 - (int)name.len);
	out_fini(&name);
	out_printf(o, "|%11.3f ms |%9llu | avg:%8.3f ms | max:%8.3f ms | max start: ", ms(r->runtime_ns), (unsigned long long)d->nr,
		   (double)d->total_ns / (double)d->nr / 1e6, ms(d->max_ns));
	sched_put_seconds(o, d->max_end_ns - d->max_ns, 12);
	out_str(o, " s | max end: ");
	sched_put_seconds(o, d->max_end_ns, 12);
	out_str(o, r->is_incomplete ? " s (incomplete)\n" : " s\n");
}

void sched_latency_print(const struct sched_latency *l, struct out *o, const struct timeline *t, uint64_t nr_lost)
{
	struct rows rows = { .latency = l };
	uint64_t runtime_ns = 0, nr = 0;

	for (uint32_t i = 0; i < t->tracks.nr; i++)
		if (!t->tracks.v[i].is_idle)
			add_row(&rows, &t->tracks.v[i]);
	if (rows.v.nr > 1)
		qsort_r(rows.v.v, rows.v.nr, sizeof(*rows.v.v), compare_rows, (void *)(uintptr_t)l);
	out_char(o, '\n');
	put_line(o, 139);
	out_str(o,
		"  Task                  |   Runtime ms  |  Count   | Avg delay ms    | Max delay ms    | Max delay start           | Max delay "
		"end          |\n");
	put_line(o, 139);
	for (uint32_t i = 0; i < rows.v.nr; i++) {
		const struct row *r = &rows.v.v[i];

		if (!r->delays.nr)
			continue;
		put_row(o, t, r);
		runtime_ns += r->runtime_ns;
		nr += r->delays.nr;
	}
	put_line(o, 113);
	out_printf(o, "  TOTAL:                |%11.3f ms |%9llu |\n", ms(runtime_ns), (unsigned long long)nr);
	put_line(o, 51);
	if (nr_lost)
		out_printf(o, "  INFO: %llu event%s lost\n", (unsigned long long)nr_lost, nr_lost == 1 ? " was" : "s were");
	if (t->nr_gaps)
		out_printf(o, "  INFO: %llu of %llu switches do not follow the one before on their CPU: one is missing\n",
			   (unsigned long long)t->nr_gaps, (unsigned long long)t->nr_switches);
	out_char(o, '\n');
	hindex_fini(&rows.index);
	vec_fini(&rows.v);
}
