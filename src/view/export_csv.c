/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A line per sample: time,comm,pid,tid,cpu,event,period,ip,symbol,module,file,line,stack. Unknown values are empty. Each name is escaped
 * once.
 */
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "view/export.h"

#define NS_PER_S UINT64_C(1000000000)

struct csv {
	struct export *x;
	struct export_tree tree;
	struct out text;	     /* of frames, one behind the other */
	VEC(uint64_t) text_of_frame; /* offset; one more at the end */
	VEC(uint8_t) quotes_frame;
};

/* Inside of quotes, whether there are any or not: quotes twice, control bytes harmless, and no semicolon that is not between frames. */
static bool put_frame_text(struct out *o, const char *name)
{
	size_t start = o->len;
	bool quotes = false;

	for (; *name; name++) {
		size_t run = strcspn(name, "\",;");

		escape_terminal(o, name, run);
		name += run;
		if (!*name)
			break;
		quotes |= *name != ';';
		if (*name == '"')
			out_char(o, '"');
		out_char(o, *name == ';' ? ':' : *name);
	}
	return quotes || memchr(o->buf + start, '\\', o->len - start);
}

/* Texts of what has become known since the last time. */
static void catch_up(struct csv *c)
{
	while (c->quotes_frame.nr < c->tree.frames.nr) {
		uint32_t place = c->tree.frames.v[c->quotes_frame.nr].place;
		bool quotes = put_frame_text(&c->text, export_name(c->x, place));

		vec_push(&c->quotes_frame, quotes);
		vec_push(&c->text_of_frame, c->text.len);
	}
}

static bool begins_formula(const struct csv *c, uint32_t frame)
{
	uint64_t start = c->text_of_frame.v[frame];

	return escape_begins_formula(c->text.buf + start, c->text_of_frame.v[frame + 1] - start);
}

static void put_stack(struct csv *c, uint32_t sample)
{
	const struct export_path *path = &c->tree.path;
	struct out *o = c->x->o;
	bool quotes = false;

	export_tree_path(&c->tree, sample);
	catch_up(c);
	for (uint32_t i = 0; i < path->nr; i++)
		quotes |= c->quotes_frame.v[path->v[i]];
	if (quotes)
		out_char(o, '"');
	if (path->nr && begins_formula(c, path->v[path->nr - 1]))
		out_char(o, '\'');
	for (uint32_t i = path->nr; i-- > 0 && !o->error;) {
		uint32_t frame = path->v[i];

		out_mem(o, c->text.buf + c->text_of_frame.v[frame], c->text_of_frame.v[frame + 1] - c->text_of_frame.v[frame]);
		if (i)
			out_char(o, ';');
	}
	if (quotes)
		out_char(o, '"');
}

static void put_text(struct csv *c, const char *s)
{
	escape_csv(c->x->o, s, strlen(s), ',');
	out_char(c->x->o, ',');
}

static void put_number(struct csv *c, uint64_t v)
{
	out_u64(c->x->o, v, 0);
	out_char(c->x->o, ',');
}

static void put_id(struct csv *c, int32_t id)
{
	if (id < 0)
		out_char(c->x->o, '-');
	put_number(c, id < 0 ? -(uint64_t)id : (uint64_t)id);
}

static void put_time(struct csv *c, uint64_t time_ns)
{
	struct out *o = c->x->o;

	out_u64(o, time_ns / NS_PER_S, 0);
	out_char(o, '.');
	for (uint64_t unit = NS_PER_S / 10; unit; unit /= 10)
		out_char(o, (char)('0' + time_ns / unit % 10));
	out_char(o, ',');
}

/* The sampled place: the innermost function there, and its line. */
static void put_place(struct csv *c, uint32_t location)
{
	const struct profile *p = c->x->p;
	const struct profile_location *l = &p->locations.v[location];
	const struct profile_place *pl = &p->places.v[l->first_place];

	out_mem(c->x->o, "0x", 2);
	out_hex(c->x->o, l->at.ip, 0);
	out_char(c->x->o, ',');
	put_text(c, profile_str(p, p->frames.v[pl->frame].function));
	put_text(c, l->at.dso == DSO_NONE ? "" : profile_dso(p, l->at.dso)->path);
	put_text(c, profile_str(p, pl->file));
	if (pl->file)
		put_number(c, pl->line);
	else
		out_char(c->x->o, ',');
}

static void put_sample(struct csv *c, uint32_t sample)
{
	const struct profile_samples *s = &c->x->p->samples;
	const struct profile_task *t = &c->x->p->tasks.v[s->task[sample]];

	if (c->x->has_times)
		put_time(c, c->x->time_ns[sample]);
	else
		out_char(c->x->o, ',');
	put_text(c, profile_str(c->x->p, t->comm));
	put_id(c, t->pid);
	put_id(c, t->tid);
	if (export_has_cpu(c->x, s->event[sample]))
		put_number(c, s->cpu[sample]);
	else
		out_char(c->x->o, ',');
	put_text(c, export_event_name(c->x, s->event[sample]));
	put_number(c, s->period[sample]);
	put_place(c, s->location[sample]);
	put_stack(c, sample);
	out_char(c->x->o, '\n');
}

void export_csv(struct export *x)
{
	struct csv c = { .x = x };

	out_init(&c.text, -1);
	export_tree_init(&c.tree, x, EXPORT_BY_NAME);
	vec_push(&c.text_of_frame, 0);
	out_str(x->o, "time,comm,pid,tid,cpu,event,period,ip,symbol,module,file,line,stack\n");
	for (uint32_t i = 0; i < x->samples.nr && !x->o->error; i++)
		put_sample(&c, x->samples.v[i]);
	export_tree_fini(&c.tree);
	out_fini(&c.text);
	vec_fini(&c.text_of_frame);
	vec_fini(&c.quotes_frame);
}
