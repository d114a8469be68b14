/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Times and names, as all views of `sched` print them.
 */
#include "view/sched_text.h"

#include <string.h>

#include "base/escape.h"

static void put_number(struct out *o, uint64_t whole, uint32_t part, int nr_digits, int width)
{
	char *p;

	out_u64(o, whole, width - nr_digits - 1);
	p = out_room(o, (size_t)nr_digits + 1);
	*p = '.';
	out_last_digits(p + 1, part, nr_digits);
	out_advance(o, (size_t)nr_digits + 1);
}

void sched_put_seconds(struct out *o, uint64_t ns, int width)
{
	put_number(o, ns / 1000000000, (uint32_t)(ns % 1000000000 / 1000), 6, width);
}

void sched_put_ms(struct out *o, uint64_t ns, int width)
{
	put_number(o, ns / 1000000, (uint32_t)(ns % 1000000 / 1000), 3, width);
}

void sched_put_comm(struct out *o, const struct timeline *t, const struct timeline_track *k)
{
	if (k->is_idle)
		out_str(o, "<idle>");
	else
		escape_terminal_str(o, machine_comm(t->machine, k->task));
}

int sched_put_task(struct out *o, const struct timeline *t, const struct timeline_track *k, int width)
{
	uint64_t before = o->written + o->len;
	int len;

	sched_put_comm(o, t, k);
	if (!k->is_idle) {
		out_char(o, '[');
		out_u64(o, (uint64_t)k->task->tid, 0);
		if (k->task->pid > 0 && k->task->pid != k->task->tid) {
			out_char(o, '/');
			out_u64(o, (uint64_t)k->task->pid, 0);
		}
		out_char(o, ']');
	}
	len = (int)(o->written + o->len - before);
	out_spaces(o, width - len);
	return len;
}

static void make_text(struct sched_task_text *text, const struct timeline *t, const struct timeline_track *k)
{
	struct out o;

	out_init(&o, -1);
	sched_put_task(&o, t, k, SCHED_NAME_WIDTH);
	text->comm = k->task->comm;
	text->pid = k->task->pid;
	text->len = o.len <= sizeof(text->text) ? (uint8_t)o.len : 0;
	memcpy(text->text, o.buf, text->len);
	out_fini(&o);
}

void sched_task_texts_put(struct sched_task_texts *s, struct out *o, const struct timeline *t, uint32_t track)
{
	const struct timeline_track *k = timeline_track(t, track);
	struct sched_task_text *text;

	while (s->v.nr <= track) {
		vec_push(&s->v, (struct sched_task_text){ 0 });
		if (t->machine->memory)
			budget_take(t->machine->memory, 2 * sizeof(struct sched_task_text));
	}
	text = &s->v.v[track];
	if (!text->len || text->comm != k->task->comm || text->pid != k->task->pid)
		make_text(text, t, k);
	if (text->len)
		out_mem(o, text->text, text->len);
	else
		sched_put_task(o, t, k, SCHED_NAME_WIDTH);
}
