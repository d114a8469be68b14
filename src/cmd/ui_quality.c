/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/ui_quality.h"

#include <stdio.h>

#include "base/escape.h"
#include "view/quality_text.h"

void ui_quality_init(struct ui_quality *q)
{
	*q = (struct ui_quality){ 0 };
	out_init(&q->damage, -1);
	out_init(&q->line, -1);
	out_init(&q->notes, -1);
}

void ui_quality_fini(struct ui_quality *q)
{
	out_fini(&q->damage);
	out_fini(&q->line);
	out_fini(&q->notes);
}

struct noted {
	struct out *notes;
	bool is_loud;
};

static void add_note(void *ctx, bool is_loud, const char *text)
{
	struct noted *n = ctx;

	out_printf(n->notes, "%s%s\n", is_loud ? "WARNING: " : "", text);
	n->is_loud |= is_loud;
}

static void put_name(struct out *o, const struct input *in)
{
	escape_terminal_str(o, input_name(in));
}

/* The line is that of the first recording, or of the first that misleads. */
static void take_line(struct ui_quality *q, const struct input *in, const char *line, bool is_loud, bool is_named)
{
	if (q->nr && (q->line_is_loud || !is_loud))
		return;
	q->line.len = 0;
	q->line_is_loud = is_loud;
	out_str(&q->line, "Quality");
	if (is_named) {
		out_str(&q->line, " of ");
		put_name(&q->line, in);
	}
	out_printf(&q->line, ": %s", line);
}

void ui_quality_add(struct ui_quality *q, struct input *in, bool is_named)
{
	struct noted n = { .notes = &q->notes };
	char line[QUALITY_LINE_SIZE];
	struct errbuf damage = { 0 };

	input_count_losses(in);
	if (in->quality_known)
		quality_line(&in->quality, line, sizeof(line));
	else
		snprintf(line, sizeof(line), "%llu samples, %llu lost, %llu throttled", (unsigned long long)in->quality.nr_samples,
			 (unsigned long long)in->quality.nr_lost, (unsigned long long)in->quality.nr_throttled);
	if (is_named) {
		put_name(&q->notes, in);
		out_str(&q->notes, ":\n");
	}
	out_printf(&q->notes, "Quality: %s\n", line);
	if (input_damage(in, &damage) < 0) {
		if (is_named)
			put_name(&q->damage, in);
		out_printf(&q->damage, "%s is damaged (n: how). ", is_named ? "" : "The file");
		out_printf(&q->notes, "WARNING: %s\n", damage.text);
		q->is_loud = true;
	}
	quality_notes(&in->quality, add_note, &n);
	take_line(q, in, line, n.is_loud, is_named);
	q->is_loud |= n.is_loud;
	q->nr++;
}

void ui_quality_note(struct ui_quality *q, const char *text)
{
	out_printf(&q->notes, "%s\n", text);
}

void ui_quality_show(struct ui_quality *q, struct ui_app *app)
{
	out_mem(&q->damage, q->line.buf, q->line.len);
	out_char(&q->damage, 0);
	q->line.len = 0;
	out_char(&q->notes, 0);
	app->status = q->damage.buf;
	app->is_status_loud = q->is_loud;
	app->notes = q->notes.buf;
}
