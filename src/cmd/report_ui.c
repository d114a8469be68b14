/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the views of the report browser ask for. Zooms are filters of tasks and files on top of those of the command line.
 */
#include "cmd/report_ui.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/annotate_ui.h"
#include "cmd/ui_quality.h"
#include "tui/tui.h"
#include "view/header_text.h"
#include "view/quality_text.h"
#include "view/ui_report.h"

#define FLAME_LEAST_SHARE 2000 /* the least frame of a flame graph is a part of this many of all */

/* A histogram with all it points to. */
struct built {
	struct hist h;
	struct hist_options options;
	struct report_text_options text;
};

struct zoom {
	enum ui_request what; /* UI_ZOOM_MODULE or UI_ZOOM_THREAD */
	char *name;
	int32_t pid, tid; /* 0: by name */
};

struct browser {
	struct report_ui *u;
	struct ui_app app;
	struct ui_host host;
	struct built *built;
	uint32_t event;
	VEC(struct zoom) zooms;
	struct filter filter; /* of the input, with the zooms; borrows all */
	struct annotation_list functions;
	bool has_functions; /* of the filter as it is */
	struct ui_view *view;
	struct ui_quality quality;
};

static bool keep_task(void *ctx, const struct profile *p, uint32_t task)
{
	return filter_keeps_task(ctx, p, task);
}

static bool keep_parallelism(void *ctx, uint32_t parallelism)
{
	return filter_keeps_parallelism(ctx, parallelism);
}

static bool keep_place(void *ctx, const struct profile *p, uint32_t dso, uint32_t frame)
{
	return filter_keeps_place(ctx, p, dso, frame);
}

static void apply_zooms(struct browser *b)
{
	b->filter = b->u->in->filter;
	for (uint32_t i = 0; i < b->zooms.nr; i++) {
		struct zoom *z = &b->zooms.v[i];

		if (z->what == UI_ZOOM_MODULE) {
			b->filter.dsos = (struct filter_names){ &z->name, 1, 1 };
		} else if (z->tid) {
			b->filter.tids.v = &z->tid;
			b->filter.tids.nr = 1;
		} else if (z->pid) {
			b->filter.pids.v = &z->pid;
			b->filter.pids.nr = 1;
		} else {
			b->filter.comms = (struct filter_names){ &z->name, 1, 1 };
		}
	}
	if (b->has_functions)
		annotation_list_fini(&b->functions);
	b->has_functions = false;
}

static struct built *build(struct browser *b)
{
	struct built *n = mem_zalloc(sizeof(*n));

	report_options_of_event(b->u->options, b->event);
	n->options = b->u->options->hist;
	n->options.tree_work = NULL; /* its user decides how many trees are grown */
	n->text = b->u->options->text;
	hist_init(&n->h, b->u->in->profile, &n->options, b->event);
	hist_build(&n->h, &(struct hist_filter){ keep_task, keep_parallelism, keep_place, &b->filter });
	hist_sort(&n->h);
	b->u->in->nr_passed += n->h.entries.nr;
	return n;
}

static void free_built(struct built *n)
{
	hist_fini(&n->h);
	free(n);
}

static char *make_title(const struct browser *b)
{
	const struct recording *r = b->u->in->profile->recording;
	struct out o;

	out_init(&o, -1);
	out_printf(&o, "Samples: %llu of event '%s'", (unsigned long long)b->built->h.nr_samples, r->info->events.v[b->event].name);
	for (uint32_t i = 0; i < b->zooms.nr; i++) {
		const struct zoom *z = &b->zooms.v[i];

		if (z->tid || z->pid)
			out_printf(&o, ", %s: %d", z->tid ? "thread" : "process", z->tid ? z->tid : z->pid);
		else
			out_printf(&o, ", %s: %s", z->what == UI_ZOOM_MODULE ? "module" : "thread", z->name);
	}
	if (b->u->in->filter.time_arg)
		out_printf(&o, ", time: %s s", b->u->in->filter.time_arg);
	out_printf(&o, ", file: %s", input_name(b->u->in));
	out_char(&o, 0);
	return o.buf; /* changes hands */
}

/* Rows anew, after a zoom or for another event. */
static void show_again(struct browser *b)
{
	struct built *old = b->built;
	char *title;

	apply_zooms(b);
	b->built = build(b);
	title = make_title(b);
	ui_report_set(b->view, &b->built->h, &b->built->text, title);
	free(title);
	free_built(old);
}

static void drop_zoom(struct browser *b)
{
	free(b->zooms.v[--b->zooms.nr].name);
}

static bool rows_are_by(const struct browser *b, enum hist_column column)
{
	for (uint32_t i = 0; i < b->built->options.nr_keys; i++)
		if (b->built->options.keys[i] == column)
			return true;
	return false;
}

static bool zoom(struct browser *b, struct ui_app *app, enum ui_request what, const struct hist_entry *e)
{
	const struct profile *p = b->u->in->profile;
	struct zoom z = { .what = what };

	for (uint32_t i = b->zooms.nr; i-- > 0;) {
		if (b->zooms.v[i].what != what)
			continue;
		/* Once more: out again. */
		free(b->zooms.v[i].name);
		memmove(&b->zooms.v[i], &b->zooms.v[i + 1], (b->zooms.nr - i - 1) * sizeof(*b->zooms.v));
		b->zooms.nr--;
		show_again(b);
		return true;
	}
	if (!e)
		return true;
	if (what == UI_ZOOM_MODULE) {
		if (e->at.dso == DSO_NONE) {
			ui_app_say(app, "the module of this row is not known");
			return true;
		}
		z.name = mem_strdup(profile_dso(p, e->at.dso)->short_name);
	} else if (rows_are_by(b, HIST_TID) || rows_are_by(b, HIST_PID)) {
		z.tid = rows_are_by(b, HIST_TID) ? p->tasks.v[e->task].tid : 0;
		z.pid = p->tasks.v[e->task].pid;
	} else if (rows_are_by(b, HIST_COMM)) {
		z.name = mem_strdup(profile_str(p, e->comm));
	} else {
		ui_app_say(app, "rows are not of threads: 'assay report --sort comm,sym' or '--sort tid,sym' makes them so");
		return true;
	}
	vec_push(&b->zooms, z);
	show_again(b);
	return true;
}

static bool zoom_out(struct browser *b, struct ui_app *app)
{
	if (b->zooms.nr) {
		drop_zoom(b);
		show_again(b);
		return true;
	}
	if (!b->u->has_step_before)
		return false;
	b->u->goes_back = true;
	app->is_over = true;
	return true;
}

/* Code that was inlined is shown where it is: in the function that has its addresses. One that was compiled several times is one row: of
 * these it is the hottest, and *nr_others is how many more there are. */
static uint32_t find_function(const struct browser *b, uint32_t frame, uint32_t *nr_others)
{
	const struct profile *p = b->u->in->profile;
	const struct profile_frame *wanted = &p->frames.v[frame];
	uint32_t found = UINT32_MAX, nr = 0;
	uint64_t most = 0;

	for (uint32_t i = 0; i < b->functions.symbols.nr; i++) {
		uint32_t at = b->functions.symbols.v[i].frame;
		const struct profile_frame *f = &p->frames.v[at];
		uint64_t period = annotation_symbol_sum(&b->functions.symbols.v[i], b->event, 1).period;
		bool is_same = at == frame || (f->dso == wanted->dso && f->start == wanted->start) ||
			       (!wanted->is_inlined && f->row == wanted->row);

		if (!is_same)
			continue;
		nr += period > 0;
		if (found != UINT32_MAX && period <= most)
			continue;
		found = i;
		most = period;
	}
	*nr_others = nr ? nr - 1 : 0;
	return found;
}

static void annotate(struct browser *b, struct ui_app *app, uint32_t frame)
{
	struct profile *p = b->u->in->profile;
	uint32_t i, nr_others;

	if (frame == FRAME_NONE || !p->frames.v[frame].function) {
		ui_app_say(app, "this place is in no known function");
		return;
	}
	if (!b->has_functions)
		annotation_list_init(&b->functions, p, &b->filter);
	b->has_functions = true;
	i = find_function(b, frame, &nr_others);
	if (i == UINT32_MAX) {
		ui_app_say(app, "no sample is in this function itself: only what it called took time");
		return;
	}
	annotate_ui_push(
		app,
		&(struct annotate_ui){
			.list = &b->functions, .options.rows.with_source = true, .events = { b->event, 1, NULL }, .syntax = b->u->syntax },
		i);
	if (nr_others) {
		char *why = mem_strdup(app->message); /* there is no code */

		ui_app_say(app, "compiled %u times: this is the hottest, 'assay annotate' lists each%s%s", nr_others + 1, *why ? "; " : "",
			   why);
		free(why);
	}
}

static void show_flame(struct browser *b, struct ui_app *app)
{
	struct flame *f = mem_zalloc(sizeof(*f));
	uint64_t least;
	char *title;

	flame_init(f, 1);
	flame_add(f, 0, b->u->in->profile, &b->filter,
		  &(struct flame_options){ .weight = FLAME_PERIODS, .event = (int32_t)b->event, .quality = &b->u->in->quality });
	least = f->sum[0] / FLAME_LEAST_SHARE;
	flame_finish(f, &least);
	title = make_title(b);
	ui_app_push(app, ui_flame_view(f, title));
	free(title);
}

static void show_callers(struct browser *b, struct ui_app *app, uint32_t frame)
{
	struct callers *c;

	if (frame == FRAME_NONE) {
		ui_app_say(app, "this place is in no known function");
		return;
	}
	c = mem_zalloc(sizeof(*c));
	callers_init(c, &b->built->h, frame);
	if (!c->total) {
		ui_app_say(app, "no call chain goes through this function%s",
			   b->u->options->chains_known ? "" : ": record with --call-graph dwarf");
		callers_fini(c);
		free(c);
		return;
	}
	ui_app_push(app, ui_callers_view(c, &b->built->h, frame, &b->host));
}

static void save(struct browser *b, struct ui_app *app)
{
	struct out o;

	out_init(&o, -1);
	quality_text(&o, &b->u->in->quality);
	report_text(&o, &b->built->text, &b->built->h, b->u->in->profile->recording->info->events.v[b->event].name,
		    b->u->in->filter.time_arg);
	ui_save(app, "hist", &o);
	out_fini(&o);
}

static void show_header(struct browser *b, struct ui_app *app)
{
	struct out o;

	out_init(&o, -1);
	header_text(&o, b->u->in->profile->recording->info, b->u->in->path, true);
	ui_app_push(app, ui_text_view("How and where it was recorded", o.buf, o.len, 0, NULL, NULL));
	out_fini(&o);
}

/* What the next pass reads; this one is over. */
static void read_next(struct browser *b, struct ui_app *app, const char *path, char *time)
{
	free(b->u->next.path);
	free(b->u->next.time);
	b->u->next = (struct report_step){ path ? mem_strdup(path) : NULL, time };
	ui_app_say(app, "reading ...");
	tui_show(app);
	app->is_over = true;
}

static void choose_file(void *ctx, struct ui_app *app, const char *line)
{
	read_next(ctx, app, line, NULL);
}

static void show_files(struct browser *b, struct ui_app *app)
{
	struct out o;

	out_init(&o, -1);
	ui_list_recordings(&o);
	if (o.len)
		ui_app_push(app, ui_text_view("Recordings of this directory", o.buf, o.len, 0, choose_file, b));
	else
		ui_app_say(app, "there is no recording in this directory");
	out_fini(&o);
}

static void show_time(struct browser *b, struct ui_app *app)
{
	if (!b->u->strips->v.nr)
		ui_app_say(app, "the samples of this recording have no times");
	else
		ui_app_push(app, ui_time_view(b->u->strips, &b->host));
}

static bool has_rows(const struct browser *b, uint32_t event)
{
	const struct recording *r = b->u->in->profile->recording;
	const struct profile_samples *s = &b->u->in->profile->samples;

	if (attr_is_dummy(&r->info->events.v[event].attr))
		return false;
	for (uint32_t i = 0; i < s->nr; i++)
		if (s->event[i] == event)
			return true;
	return false;
}

/* From an event on, around; UINT32_MAX: no event has samples. */
static uint32_t next_event(const struct browser *b, uint32_t from)
{
	uint32_t nr = b->u->in->profile->recording->info->events.nr;

	for (uint32_t i = 0; i < nr; i++)
		if (has_rows(b, (from + i) % nr))
			return (from + i) % nr;
	return UINT32_MAX;
}

static void show_next_event(struct browser *b, struct ui_app *app)
{
	uint32_t next = next_event(b, b->event + 1);

	if (next == b->event || next == UINT32_MAX) {
		ui_app_say(app, "there is one event with samples");
		return;
	}
	b->event = next;
	show_again(b);
}

static bool request(void *ctx, struct ui_app *app, enum ui_request what, const struct hist_entry *e, uint32_t frame)
{
	struct browser *b = ctx;

	switch (what) {
	case UI_ZOOM_MODULE:
	case UI_ZOOM_THREAD:
		return zoom(b, app, what, e);
	case UI_ZOOM_OUT:
		return zoom_out(b, app);
	case UI_ANNOTATE:
		annotate(b, app, frame);
		break;
	case UI_FLAME:
		show_flame(b, app);
		break;
	case UI_CALLERS:
		show_callers(b, app, frame);
		break;
	case UI_SAVE:
		save(b, app);
		break;
	case UI_HEADER:
		show_header(b, app);
		break;
	case UI_OTHER_FILE:
		show_files(b, app);
		break;
	case UI_TIME:
		show_time(b, app);
		break;
	case UI_NEXT_EVENT:
		show_next_event(b, app);
		break;
	}
	return true;
}

static void take_time(void *ctx, struct ui_app *app, uint64_t from_ns, uint64_t to_ns)
{
	struct browser *b = ctx;

	if (!b->u->in->is_stored) {
		ui_app_say(app, "what came through a pipe cannot be read again");
		return;
	}
	read_next(b, app, NULL,
		  mem_printf("%llu.%09llu,%llu.%09llu", (unsigned long long)(from_ns / 1000000000),
			     (unsigned long long)(from_ns % 1000000000), (unsigned long long)(to_ns / 1000000000),
			     (unsigned long long)(to_ns % 1000000000)));
}

static void open_views(struct browser *b)
{
	char *title;

	ui_quality_init(&b->quality);
	ui_quality_add(&b->quality, b->u->in, false);
	ui_quality_show(&b->quality, &b->app);
	b->host = (struct ui_host){ b, request, take_time };
	b->event = next_event(b, 0) == UINT32_MAX ? 0 : next_event(b, 0);
	apply_zooms(b);
	b->built = build(b);
	title = make_title(b);
	b->view = ui_report_view(&b->built->h, &b->built->text, &b->host, title);
	ui_app_push(&b->app, b->view);
	free(title);
	if (b->u->message[0])
		ui_app_say(&b->app, "%s", b->u->message);
}

int report_ui_run(struct report_ui *u, struct errbuf *eb)
{
	struct browser b = { .u = u };
	int err;

	if (!u->in->profile->recording->info->events.nr)
		return errbuf_set(eb, -ENODATA, "%s has no events to show", input_name(u->in));
	ui_app_init(&b.app);
	open_views(&b);
	err = tui_open(eb);
	if (!err)
		err = tui_run(&b.app);
	ui_app_fini(&b.app);
	ui_quality_fini(&b.quality);
	free_built(b.built);
	while (b.zooms.nr)
		drop_zoom(&b);
	vec_fini(&b.zooms);
	if (b.has_functions)
		annotation_list_fini(&b.functions);
	return err;
}
