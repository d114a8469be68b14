/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The callers of a function above it, what it calls below it; Enter goes on to one of these.
 */
#include <stdlib.h>

#include "base/escape.h"
#include "view/ui_report.h"

struct callers_model {
	struct callers *c;
	struct hist *h;
	uint32_t frame;
	const struct ui_host *host;
	struct out name;
};

static const char *const help[] = {
	"Callers and callees",
	"  Enter                 the callers and callees of this one",
	"  a                     annotate",
	NULL,
};

static const char *name_of(struct callers_model *m, uint32_t frame)
{
	const struct profile_frame *f = &m->h->profile->frames.v[frame];

	m->name.len = 0;
	if (f->function)
		escape_terminal_str(&m->name, profile_str(m->h->profile, f->function));
	else
		out_printf(&m->name, "0x%llx", (unsigned long long)f->start);
	out_char(&m->name, 0);
	return m->name.buf;
}

static double percent_of(const struct callers_model *m, uint64_t period)
{
	return m->h->total_period ? 100.0 * (double)period / (double)m->h->total_period : 0;
}

static void callers_title(void *model, struct out *o, int width)
{
	struct callers_model *m = model;

	out_str(o, "Callers and callees of ");
	ui_title_name(o, name_of(m, m->frame), width - (int)o->len);
}

/* Rows: callers, the outermost ones, the function, itself, callees. */
static uint32_t callers_nr(void *model)
{
	const struct callers_model *m = model;

	return m->c->callers.nr + m->c->callees.nr + 3;
}

/* The frame of a row, or FRAME_NONE. */
static uint32_t frame_of(const struct callers_model *m, uint32_t i)
{
	const struct callers *c = m->c;

	if (i < c->callers.nr)
		return hist_node_frame(m->h, c->callers.v[c->callers.nr - 1 - i].node);
	i -= c->callers.nr;
	if (i < 3)
		return i == 1 ? m->frame : FRAME_NONE;
	return hist_node_frame(m->h, c->callees.v[i - 3].node);
}

static void callers_draw(void *model, struct ui_screen *s, int row, uint32_t i, int left)
{
	struct callers_model *m = model;
	const struct callers *c = m->c;
	uint32_t at = i < c->callers.nr ? 0 : i - c->callers.nr;
	uint64_t period = i < c->callers.nr ? c->callers.v[c->callers.nr - 1 - i].period
			  : at == 0	    ? c->outermost
			  : at == 1	    ? c->total
			  : at == 2	    ? c->self
					    : c->callees.v[at - 3].period;
	const char *what = i < c->callers.nr ? "caller" : at == 0 ? "" : at == 1 ? "==>" : at == 2 ? "" : "callee";
	const char *name = i >= c->callers.nr && at == 0   ? "(no caller is known)"
			   : i >= c->callers.nr && at == 2 ? "(itself)"
							   : name_of(m, frame_of(m, i));
	int column = ui_printf(s, row, 0, 9, ui_heat(percent_of(m, period)), " %6.2f%% ", percent_of(m, period));

	(void)left;
	column = ui_printf(s, row, column, 8, at == 1 && i >= c->callers.nr ? UI_MATCH : UI_FAINT, "%-7s ", what);
	ui_put_name(s, row, column, s->columns - column, UI_PLAIN, name, strlen(name));
}

static bool callers_key(void *model, struct ui_app *app, struct ui_list *list, const struct ui_event *e)
{
	struct callers_model *m = model;
	uint32_t frame = frame_of(m, list->selected);

	if ((e->key != UI_KEY_ENTER && e->key != 'a') || frame == FRAME_NONE)
		return false;
	if (e->key == UI_KEY_ENTER && frame == m->frame)
		return true;
	return m->host->request(m->host->ctx, app, e->key == 'a' ? UI_ANNOTATE : UI_CALLERS, NULL, frame);
}

static void callers_free(void *model)
{
	struct callers_model *m = model;

	callers_fini(m->c);
	free(m->c);
	out_fini(&m->name);
	free(m);
}

static const struct ui_rows_ops callers_ops = {
	.title = callers_title,
	.nr = callers_nr,
	.draw = callers_draw,
	.key = callers_key,
	.free = callers_free,
	.hint = "Enter:go there  a:annotate  h:help  q:back",
	.help = help,
};

struct ui_view *ui_callers_view(struct callers *c, struct hist *h, uint32_t frame, const struct ui_host *host)
{
	struct callers_model *m = mem_zalloc(sizeof(*m));
	struct ui_view *v;

	m->c = c;
	m->h = h;
	m->frame = frame;
	m->host = host;
	out_init(&m->name, -1);
	v = ui_rows_view(&callers_ops, m);
	ui_rows_list(v)->selected = c->callers.nr + 1;
	return v;
}
