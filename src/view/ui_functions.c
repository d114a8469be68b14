/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Functions with samples of their own, the hottest first, to choose one that is annotated.
 */
#include <stdlib.h>
#include <string.h>

#include "view/ui_report.h"

struct functions_model {
	struct annotation_list *list;
	struct annotate_events events;
	double percent_limit;
	ui_function_fn *on_enter;
	void *ctx;
	VEC(uint32_t) shown; /* symbols */
	char word[UI_PROMPT_SIZE];
};

static const char *const help[] = {
	"Functions",
	"  Enter a               annotate: which instructions and lines took the time",
	NULL,
};

static const char *name_of(const struct functions_model *m, uint32_t symbol)
{
	return profile_str(m->list->p, m->list->p->frames.v[m->list->symbols.v[symbol].frame].function);
}

static double share_of(const struct functions_model *m, uint32_t symbol)
{
	const struct annotated_symbol all = { .sums = m->list->totals };
	uint64_t whole = annotation_symbol_sum(&all, m->events.first, m->events.nr).period;
	uint64_t part = annotation_symbol_sum(&m->list->symbols.v[symbol], m->events.first, m->events.nr).period;

	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void choose(struct functions_model *m)
{
	m->shown.nr = 0;
	for (uint32_t i = 0; i < m->list->symbols.nr; i++) {
		const char *name = name_of(m, i);

		if (annotation_symbol_sum(&m->list->symbols.v[i], m->events.first, m->events.nr).nr && share_of(m, i) >= m->percent_limit &&
		    ui_has_word(name, strlen(name), m->word))
			vec_push(&m->shown, i);
	}
}

static void functions_title(void *model, struct out *o, int width)
{
	const struct functions_model *m = model;

	(void)width;
	out_printf(o, "%u functions with samples of '%s'", m->shown.nr, m->list->p->recording->info->events.v[m->events.first].name);
}

static void functions_heading(void *model, struct ui_screen *s, int row, int left)
{
	(void)model, (void)left;
	ui_put_str(s, row, 0, s->columns, UI_HEADING, " Percent   Samples  Function");
}

static uint32_t functions_nr(void *model)
{
	return ((const struct functions_model *)model)->shown.nr;
}

static void functions_draw(void *model, struct ui_screen *s, int row, uint32_t i, int left)
{
	const struct functions_model *m = model;
	uint32_t symbol = m->shown.v[i];
	const struct profile_frame *f = &m->list->p->frames.v[m->list->symbols.v[symbol].frame];
	double share = share_of(m, symbol);
	unsigned long long nr = annotation_symbol_sum(&m->list->symbols.v[symbol], m->events.first, m->events.nr).nr;
	int at = ui_printf(s, row, 0, 20, ui_heat(share), " %6.2f%%  %8llu  ", share, nr);
	const char *name = name_of(m, symbol), *file = profile_dso(m->list->p, f->dso)->short_name;
	int width = s->columns - at - (int)strlen(file) - 3;

	if (left) {
		at = ui_put_skipped(s, row, at, left, UI_PLAIN, name, strlen(name));
	} else {
		width = width < s->columns / 3 ? s->columns / 3 : width;
		at = ui_put_name(s, row, at, width, UI_PLAIN, name, strlen(name));
	}
	ui_printf(s, row, at, s->columns - at, UI_PLAIN, " (%s)", file);
}

static bool functions_key(void *model, struct ui_app *app, struct ui_list *list, const struct ui_event *e)
{
	struct functions_model *m = model;

	if ((e->key != UI_KEY_ENTER && e->key != 'a') || !m->shown.nr)
		return false;
	m->on_enter(m->ctx, app, m->shown.v[list->selected]);
	return true;
}

static void functions_filter(void *model, const char *word, struct ui_list *list)
{
	struct functions_model *m = model;
	size_t len = strnlen(word, sizeof(m->word) - 1);

	memmove(m->word, word, len);
	m->word[len] = 0;
	choose(m);
	list->selected = 0;
}

static void functions_free(void *model)
{
	struct functions_model *m = model;

	vec_fini(&m->shown);
	free(m);
}

static const struct ui_rows_ops functions_ops = {
	.title = functions_title,
	.heading = functions_heading,
	.nr = functions_nr,
	.draw = functions_draw,
	.key = functions_key,
	.filter = functions_filter,
	.free = functions_free,
	.hint = "Enter:annotate  /:filter  h:help  q:quit",
	.help = help,
};

struct ui_view *ui_functions_view(struct annotation_list *l, const struct annotate_events *events, double percent_limit,
				  ui_function_fn *on_enter, void *ctx)
{
	struct functions_model *m = mem_zalloc(sizeof(*m));

	m->list = l;
	m->events = *events;
	m->percent_limit = percent_limit;
	m->on_enter = on_enter;
	m->ctx = ctx;
	choose(m);
	return ui_rows_view(&functions_ops, m);
}
