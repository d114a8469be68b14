/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay flame: from a recording to a flame graph in one step.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cmd/cmd.h"
#include "cmd/flame_columns.h"
#include "cmd/flame_load.h"
#include "view/flame_diff.h"
#include "view/flame_svg.h"
#include "view/quality_text.h"
#include "view/svg_text.h"

#define DEFAULT_FILE "flame.svg"
#define MAX_NOTES 5

struct flame_command {
	struct input in;
	struct flame_load load;
	const char *output, *title, *subtitle;
	enum flame_palette palette;
	double min_width; /* px, or percent of the whole */
	bool min_is_percent;
	uint64_t width, max_depth;
	bool width_set, by_set, inverted;
	bool is_diff, absolute;
	struct sides sides; /* of a diff */
};

static int option_by(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	static const char *const words[FLAME_NR_GROUPS] = { "comm", "pid", "tid", "cpu", "event" };
	struct flame_command *c = ctx;
	struct flame_options *o = &c->load.options;

	(void)opt, (void)negated;
	if (!c->by_set)
		o->nr_by = 0;
	c->by_set = true;
	while (*arg) {
		size_t len = strcspn(arg, ",");
		uint32_t by = 0;
		bool is_new = true;

		while (by < FLAME_NR_GROUPS && !(strlen(words[by]) == len && !strncmp(words[by], arg, len)))
			by++;
		if (by == FLAME_NR_GROUPS && !(len == 4 && !strncmp(arg, "none", 4)))
			return errbuf_set(eb, -EINVAL, "--by: there is comm, pid, tid, cpu, event and none, but no '%.*s'", (int)len, arg);
		for (uint32_t i = 0; i < o->nr_by; i++)
			is_new &= o->by[i] != by;
		if (by < FLAME_NR_GROUPS && is_new)
			o->by[o->nr_by++] = (enum flame_group)by;
		arg += len + (arg[len] == ',');
	}
	return 0;
}

static int option_palette(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	int found = flame_palette_find(arg);

	(void)negated;
	if (found < 0)
		return errbuf_set(eb, -EINVAL, "--%s: there is hot, mem, io, java, js, module and kernel, but no '%s'", opt->long_name, arg);
	((struct flame_command *)ctx)->palette = (enum flame_palette)found;
	return 0;
}

static int option_weight(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct flame_options *o = &((struct flame_command *)ctx)->load.options;

	(void)opt, (void)negated;
	if (strcmp(arg, "samples") && strcmp(arg, "period"))
		return errbuf_set(eb, -EINVAL, "--weight: there is samples and period, but no '%s'", arg);
	o->weight = !strcmp(arg, "period") ? FLAME_PERIODS : FLAME_SAMPLES;
	return 0;
}

static int option_min_width(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct flame_command *c = ctx;
	char *end;

	(void)opt, (void)negated;
	c->min_width = strtod(arg, &end);
	c->min_is_percent = *end == '%';
	if (end == arg || (*end && strcmp(end, "%") && strcmp(end, "px")) || !(c->min_width >= 0 && c->min_width <= 10000))
		return errbuf_set(eb, -EINVAL, "--min-width: '%s' is no width in pixels such as 0.5, nor a share such as 0.1%%", arg);
	return 0;
}

static int option_normalize(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	(void)opt, (void)arg, (void)eb;
	((struct flame_command *)ctx)->absolute = negated;
	return 0;
}

/* Units of weight that are still drawn, by column; the caller frees. */
static uint64_t *least_of(const struct flame_command *c, const struct flame *f)
{
	double share = c->min_is_percent ? c->min_width / 100 : c->min_width / (double)(c->width > 120 ? c->width - 20 : 100);
	uint64_t *least = mem_zalloc(f->nr_columns * sizeof(*least));

	for (uint32_t i = 0; i < f->nr_columns; i++) {
		double units = ceil((double)f->sum[i] * (share < 1 ? share : 1));

		least[i] = units < 1 ? 1 : (uint64_t)units;
	}
	return least;
}

static void put_names(struct out *o, const char *what, const struct filter_names *names)
{
	for (uint32_t i = 0; i < names->nr; i++)
		out_printf(o, "%s%s", i ? "," : what, names->v[i]);
}

static void put_ids(struct out *o, const char *what, const int32_t *ids, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		out_printf(o, "%s%d", i ? "," : what, ids[i]);
}

/* What a picture leaves out has to be said in it. */
static char *filter_note(const struct filter *f)
{
	struct out o;

	out_init(&o, -1);
	put_names(&o, " --comms ", &f->comms);
	put_ids(&o, " --pid ", f->pids.v, f->pids.nr);
	put_ids(&o, " --tid ", f->tids.v, f->tids.nr);
	put_ids(&o, " --cpu ", (const int32_t *)f->cpus.v, f->cpus.nr);
	put_names(&o, " --symbols ", &f->symbols);
	if (f->time_arg)
		out_printf(&o, " --time %s", f->time_arg);
	if (!o.len) {
		out_fini(&o);
		return NULL;
	}
	out_char(&o, 0);

	char *text = mem_printf("Part of the recording:%s", o.buf);

	out_fini(&o);
	return text;
}

static char *hidden_note(const struct flame *f)
{
	struct out o;
	char *text;

	if (!f->nr_hidden)
		return NULL;
	out_init(&o, -1);
	svg_text_count(&o, f->nr_hidden);
	out_char(&o, 0);
	text = mem_printf("%s frames are too narrow to be drawn (--min-width)", o.buf);
	out_fini(&o);
	return text;
}

static char *quality_note(const struct flame_command *c)
{
	char line[QUALITY_LINE_SIZE];

	if (c->load.is_imported)
		return NULL;
	quality_line(&c->in.quality, line, sizeof(line));
	return mem_printf("Quality: %s", line);
}

static char *default_subtitle(const struct flame_command *c, const struct flame *f)
{
	struct out o;
	char *text;

	out_init(&o, -1);
	svg_text_count(&o, f->nr_samples[0]);
	/* The event of what does not say is called that. */
	if (!strcmp(c->load.event_names, "samples"))
		out_str(&o, " samples");
	else
		out_printf(&o, " samples of %s", c->load.event_names);
	if (c->load.command)
		out_printf(&o, " · %s", c->load.command);
	out_char(&o, 0);
	text = mem_strdup(o.buf);
	out_fini(&o);
	return text;
}

static const char *default_title(const struct flame_command *c)
{
	if (c->is_diff)
		return c->load.options.bottom_up ? "Differential flame graph, bottom-up" : "Differential flame graph";
	if (c->load.options.bottom_up)
		return c->inverted ? "Icicle graph, bottom-up" : "Flame graph, bottom-up";
	return c->inverted ? "Icicle graph" : "Flame graph";
}

static char *diff_note(const struct flame_diff *d)
{
	struct out o;

	out_init(&o, -1);
	flame_diff_basis(&o, d);
	out_char(&o, 0);
	return o.buf; /* changes hands */
}

static void draw(const struct flame_command *c, const struct flame *f, const struct flame_diff *d, struct out *o)
{
	char *made[MAX_NOTES] = { d ? diff_note(d) : NULL, quality_note(c), filter_note(&c->in.filter), hidden_note(f),
				  d ? flame_columns_title(f, &c->sides, &c->load) : default_subtitle(c, f) };
	const char *notes[MAX_NOTES];
	struct flame_svg_options opts = {
		.title = c->title ? c->title : default_title(c),
		.subtitle = c->subtitle ? c->subtitle : made[MAX_NOTES - 1],
		.unit = c->load.unit,
		.notes = notes,
		.width = (uint32_t)c->width,
		.fixed_width = c->width_set,
		.inverted = c->inverted,
		.palette = c->palette,
	};
	struct flame_layout l;

	for (int i = 0; i < MAX_NOTES - 1; i++)
		if (made[i])
			notes[opts.nr_notes++] = made[i];
	if (d)
		flame_diff_style(&opts, d);
	flame_layout_build(&l, f, d ? flame_diff_width : flame_width_first, d, 0);
	flame_svg(o, f, &l, &opts);
	flame_layout_fini(&l);
	for (int i = 0; i < MAX_NOTES; i++)
		free(made[i]);
}

/* Where the picture goes: a file, or a pipe. `path` is NULL for that. */
static int open_output(const struct flame_command *c, const char **path, struct errbuf *eb)
{
	int fd;

	*path = c->output ? c->output : isatty(STDOUT_FILENO) ? DEFAULT_FILE : NULL;
	if (!*path || !strcmp(*path, "-")) {
		*path = NULL;
		return STDOUT_FILENO;
	}
	fd = open(*path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	return fd < 0 ? errbuf_set(eb, -errno, "cannot write %s: %s", *path, strerror(errno)) : fd;
}

static int write_picture(const struct flame_command *c, const struct flame *f, const struct flame_diff *d, struct errbuf *eb)
{
	const char *path;
	struct out o;
	int fd = open_output(c, &path, eb), err;

	if (fd < 0)
		return fd;
	out_init(&o, fd);
	draw(c, f, d, &o);
	err = out_fini(&o);
	if (!path)
		return err;
	if (close(fd) && !err)
		err = -errno;
	if (err)
		return errbuf_set(eb, err, "cannot write %s: %s", path, strerror(-err));
	log_warn("wrote %s: %llu samples in %u frames; open it in a browser", path, (unsigned long long)f->nr_samples[0], f->nodes.nr);
	return 0;
}

static int finish(struct flame_command *c, struct flame *f, struct errbuf *eb)
{
	uint64_t *least = least_of(c, f);
	struct flame_diff d = { 0 };
	int err;

	if (!f->sum[0])
		log_warn("this picture is empty: no sample passes");
	flame_finish(f, least);
	if (c->is_diff) {
		flame_diff_init(&d, f, sides_count(&c->sides, 0), c->absolute);
		d.unit = c->load.unit;
	}
	err = write_picture(c, f, c->is_diff ? &d : NULL, eb);
	flame_diff_fini(&d);
	free(least);
	return err;
}

static int run(struct flame_command *c, struct errbuf *eb)
{
	struct errbuf late = { 0 };
	struct flame f;
	uint32_t nr_read = 0;
	int err, write_err;

	flame_init(&f, c->is_diff ? c->sides.names.nr : 1);
	if (c->is_diff)
		err = flame_columns_load(&c->load, &f, &c->sides, &c->in, &nr_read, eb);
	else
		err = flame_load(&c->load, &f, 0, &c->in, eb);
	/* A picture of what could be read of a damaged recording, with its sentence and exit status. */
	if (!err || (c->is_diff ? nr_read == c->sides.names.nr : f.sum[0] > 0)) {
		write_err = finish(c, &f, err ? &late : eb);
		err = err ? err : write_err;
	}
	flame_fini(&f);
	return err;
}

static int take_words(struct flame_command *c, int argc, char **argv, struct errbuf *eb)
{
	if (c->is_diff && (argc != 2 || c->in.path))
		return errbuf_set(eb, CMD_USAGE, "flame: --diff takes two words: BASE and NEW, each a file or several as in a1.data,a2.data,a3.data");
	if (!c->is_diff && c->absolute)
		return errbuf_set(eb, CMD_USAGE, "flame: --absolute is for --diff BASE NEW");
	for (int i = 0; c->is_diff && i < argc; i++)
		sides_add(&c->sides, argv[i]);
	if (c->is_diff)
		return 0;
	if (argc > 1 || (argc && c->in.path))
		return errbuf_set(eb, CMD_USAGE, "flame: '%s' is one word too many; a single word is the file to read", argv[argc - 1]);
	if (argc)
		c->in.path = argv[0];
	return 0;
}

int cmd_flame(int argc, char **argv, struct errbuf *eb)
{
	struct flame_command c = { .min_width = 0.1, .width = FLAME_SVG_WIDTH, .load = { .inlines = true } };
	int err;
	const struct option table[] = {
		OPT_GROUP("Input and output"),
		INPUT_OPTIONS(&c.in),
		OPT_STRING('o', "output", &c.output, "FILE", "write FILE (- is stdout; default stdout, or flame.svg where that is a terminal)",
			   .complete = "file"),
		OPT_GROUP("Which samples"),
		INPUT_FILTERS(&c.in),
		OPT_STRING('e', "event", &c.load.event, "NAME", "of this event; all: of all together (default the first that has samples)"),
		OPT_GROUP("What is drawn"),
		OPT_CALL(0, "by", option_by, &c, "KEY,…", "a tree for each comm, pid, tid, cpu or event, or several; none (default comm)",
			 .complete = "comm|pid|tid|cpu|event|none"),
		OPT_CALL(0, "weight", option_weight, &c, "WHAT", "widths are numbers of samples, or sums of their period (default samples)",
			 .complete = "samples|period"),
		OPT_BOOL(0, "bottom-up", &c.load.options.bottom_up, "merge from the sampled functions upwards to their callers"),
		OPT_BOOL(0, "reverse", &c.load.options.bottom_up, "the same as --bottom-up"),
		OPT_BOOL(0, "inline", &c.load.inlines, "functions that the compiler inlined are frames of their own (default)"),
		OPT_U64(0, "max-depth", &c.max_depth, 1, 65535, "N", "draw at most N frames of a stack"),
		OPT_CALL(0, "min-width", option_min_width, &c, "PX", "leave out frames narrower than that: pixels, or a share as in 0.1% (default 0.1)"),
		OPT_BOOL(0, "diff", &c.is_diff, "two words, BASE and NEW, each one recording or several (a1,a2,a3): red grew, blue shrank"),
		OPT_BOOL(0, "absolute", &c.absolute, "with --diff: compare as counted, instead of shares of each side"),
		OPT_CALL_NONE(0, "normalize", option_normalize, &c, "with --diff: compare shares of each side (default)"),
		OPT_GROUP("How it looks"),
		OPT_BOOL(0, "icicle", &c.inverted, "root on top"),
		OPT_BOOL(0, "inverted", &c.inverted, "the same as --icicle"),
		OPT_CALL(0, "palette", option_palette, &c, "NAME", "hot, mem, io, java, js, module or kernel (default hot)",
			 .complete = "hot|mem|io|java|js|module|kernel"),
		OPT_CALL(0, "colors", option_palette, &c, "NAME", "the same as --palette", .complete = "hot|mem|io|java|js|module|kernel"),
		OPT_STRING(0, "title", &c.title, "TEXT", "the heading"),
		OPT_STRING(0, "subtitle", &c.subtitle, "TEXT", "the line below it"),
		OPT_U64(0, "width", &c.width, 200, 100000, "PX", "fixed width (default: as wide as the window)", .is_set = &c.width_set),
		OPT_END,
	};
	const struct options opts = {
		.command = "flame",
		.usage = "assay flame [OPTIONS] [FILE]\nassay flame --diff [OPTIONS] BASE NEW",
		.summary = "Draws a flame graph of a recording, or of another tool's profile: one SVG file to zoom and search in a browser.",
		.examples = "  assay record -g -- ./app && assay flame -o app.svg\n"
			    "  assay flame --by comm,tid --palette kernel -o threads.svg\n"
			    "  assay flame --diff a1.data,a2.data,a3.data b1.data,b2.data,b3.data -o diff.svg\n"
			    "  some-tool --folded | assay flame --title 'Off CPU' --palette io > off.svg\n",
		.table = table,
	};

	input_init(&c.in);
	c.load.options.by[0] = FLAME_BY_COMM;
	c.load.options.nr_by = 1;
	err = options_parse(&opts, &argc, &argv, eb);
	if (err) {
		err = cmd_options_status(err);
		goto out;
	}
	c.load.options.max_depth = (uint32_t)c.max_depth;
	err = take_words(&c, argc, argv, eb);
	if (!err)
		err = run(&c, eb);
out:
	sides_fini(&c.sides);
	flame_load_fini(&c.load);
	input_fini(&c.in);
	return err;
}
