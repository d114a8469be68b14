/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a person wants to know of a profile first: the functions that took the most time themselves, and the path that most of it took.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "view/heat_colour.h"
#include "view/page.h"
#include "view/report.h"

#define ANSWER_FUNCTIONS 10u
#define ANSWER_STEPS 12u /* of the path, as printed */
#define PATH_STEPS 512u
#define ANSWER_LEAST_SHARE 10 /* percent: where a path has less, it is no path any more */
#define RECURSIVE " (recursive)"

void report_answer_options(struct hist_options *o)
{
	*o = (struct hist_options){
		.keys = { HIST_DSO, HIST_SYM },
		.nr_keys = 2,
		.order_by = { HIST_SELF, HIST_DSO, HIST_SYM },
		.nr_order_by = 3,
		.order = HIST_CALLER,
	};
}

static const char *mark_of(const struct report_text_options *opts)
{
	return opts->answers_plainly ? "" : "# ";
}

static void put_empty_line(struct out *o, const struct report_text_options *opts)
{
	out_str(o, opts->answers_plainly ? "\n" : "#\n");
}

static double share(const struct hist *h, uint64_t period)
{
	return h->total_period ? 100.0 * (double)period / (double)h->total_period : 0;
}

/* A line of a share, a name and what is noted behind it, as wide as the terminal at most. */
static void put_line(struct out *o, const struct report_text_options *opts, double percent, int indent, const char *module,
		     const char *name, const char *note)
{
	const char *on = opts->colour ? heat_colour(percent) : NULL;
	struct out text;
	int left;

	out_init(&text, -1);
	escape_terminal_str(&text, name);
	out_str(o, mark_of(opts));
	out_str(o, on ? on : "");
	out_printf(o, "%7.2f%%", percent);
	out_str(o, on ? HEAT_OFF : "");
	out_spaces(o, 2 + indent);
	left = opts->line_width - 12 - indent - (int)strlen(note);
	if (module) {
		struct out file;

		out_init(&file, -1);
		escape_terminal_str(&file, module);
		label_shorten_text(o, file.buf, file.len, 20, opts->ascii);
		out_spaces(o, file.len < 20 ? 22 - (int)file.len : 2);
		out_fini(&file);
		left -= 22;
	}
	label_shorten_text(o, text.buf, text.len, left > 8 ? (size_t)left : 8, opts->ascii);
	out_str(o, note);
	out_char(o, '\n');
	out_fini(&text);
}

static void put_functions(struct out *o, const struct report_text_options *opts, struct hist *h)
{
	uint32_t nr = 0;

	out_printf(o, "%sHottest functions (own time):\n", mark_of(opts));
	for (uint32_t i = 0; i < h->entries.nr && nr < ANSWER_FUNCTIONS; i++, nr++) {
		const struct hist_entry *e = &h->entries.v[i];
		struct column_value file = column_value(&columns[HIST_DSO], h, e), symbol = column_value(&columns[HIST_SYM], h, e);
		char address[24];

		if (!e->period)
			break;
		snprintf(address, sizeof(address), "%#llx", (unsigned long long)symbol.number);
		put_line(o, opts, share(h, e->period), 0, file.text, symbol.is_known ? symbol.text : address, "");
	}
}

/* A group of samples on the path: how many of its frames the path has taken. */
struct follower {
	uint32_t group, at;
};

/* The frame of a follower that comes next; FRAME_NONE: its stack ends here. */
static uint32_t next_frame(const struct hist *h, const struct follower *f)
{
	uint32_t i = h->first_frame.v[f->group] + f->at;

	return i < h->first_frame.v[f->group + 1] ? h->frames.v[i] : FRAME_NONE;
}

/* The next frame that most of the samples on the path have, and how much that is; FRAME_NONE: more of them end here. */
static uint32_t heaviest_step(const struct hist *h, const struct follower *on_path, uint32_t nr, uint64_t *weights, uint64_t *weight)
{
	uint32_t best = FRAME_NONE;
	uint64_t ended = 0;

	*weight = 0;
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < nr; i++) {
			uint64_t period = h->groups.v.v[on_path[i].group].period;
			uint32_t frame = next_frame(h, &on_path[i]);

			if (frame == FRAME_NONE) {
				ended += pass ? 0 : period;
				continue;
			}
			weights[frame] = pass ? 0 : weights[frame] + period;
			if (!pass && weights[frame] > *weight) {
				*weight = weights[frame];
				best = frame;
			}
		}
	}
	return ended > *weight ? FRAME_NONE : best;
}

struct path_step {
	uint32_t frame;
	bool is_recursive;
	uint64_t weight;
};

struct path {
	struct path_step *v;
	uint32_t nr, cap;
};

/*
 * From the outermost frame on, always to where most of what is left goes, up to the function that most of it ends in. A function that calls itself is
 * one step: stacks of one recursion differ in depth, and step by step fewer of them would be left.
 */
static void find_path(struct path *path, const struct hist *h)
{
	uint64_t *weights = mem_zalloc((h->profile->frames.nr + 1) * sizeof(*weights)), weight;
	VEC(struct follower) on_path = { 0 };

	for (uint32_t i = 0; i < h->groups.v.nr; i++)
		vec_push(&on_path, ((struct follower){ i, 0 }));
	while (path->nr < PATH_STEPS) {
		uint32_t best = heaviest_step(h, on_path.v, on_path.nr, weights, &weight), kept = 0;
		bool is_recursive = false;

		if (best == FRAME_NONE || share(h, weight) < ANSWER_LEAST_SHARE)
			break;
		for (uint32_t i = 0; i < on_path.nr; i++) {
			struct follower f = on_path.v[i];

			if (next_frame(h, &f) != best)
				continue;
			while (next_frame(h, &(struct follower){ f.group, ++f.at }) == best)
				is_recursive = true;
			on_path.v[kept++] = f;
		}
		on_path.nr = kept;
		vec_push(path, ((struct path_step){ best, is_recursive, weight }));
	}
	vec_fini(&on_path);
	free(weights);
}

/* Its end says more than its begin: _start, main, an interpreter's loop. */
static void put_path(struct out *o, const struct report_text_options *opts, struct hist *h)
{
	struct path path = { 0 };
	uint32_t first;

	find_path(&path, h);
	if (!path.nr)
		return;
	first = path.nr > ANSWER_STEPS ? path.nr - ANSWER_STEPS : 0;
	out_printf(o, "%sHottest path%s:\n", mark_of(opts), first ? " (its innermost frames)" : "");
	for (uint32_t i = first; i < path.nr; i++) {
		const struct profile_frame *f = &h->profile->frames.v[path.v[i].frame];
		char address[24];

		snprintf(address, sizeof(address), "%#llx", (unsigned long long)f->start);
		put_line(o, opts, share(h, path.v[i].weight), (int)(i - first), NULL,
			 f->function ? profile_str(h->profile, f->function) : address, path.v[i].is_recursive ? RECURSIVE : "");
	}
	vec_fini(&path);
	put_empty_line(o, opts);
}

void report_answer(struct out *o, const struct report_text_options *opts, struct hist *h)
{
	put_functions(o, opts, h);
	put_empty_line(o, opts);
	if (h->frames.nr)
		put_path(o, opts, h);
}
