/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay flame: from a recording to a flame graph in one step.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cmd/cmd.h"
#include "cmd/flame.h"
#include "cmd/output_file.h"

/* Refuse to overwrite an input. */
static int check_output(struct flame_command *c, struct errbuf *eb)
{
	const char *path = flame_draw_path(c), *files[] = { c->in.path, c->in.symbols.vmlinux, c->in.symbols.kallsyms };
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(files) / sizeof(*files); i++)
		err = output_file_check(path, files[i], eb);
	for (uint32_t i = 0; !err && i < c->sides.names.nr; i++)
		err = output_file_check(path, c->sides.names.v[i], eb);
	return err;
}

/* `is_chosen`: no input was named. */
static int load_one(struct flame_command *c, struct flame *f, bool is_chosen, struct errbuf *eb)
{
	struct errbuf why = { 0 };
	int err = flame_load(&c->load, f, 0, &c->in, &why);

	if (err == -ENODATA && is_chosen && !strcmp(c->in.path, "-") && !access("perf.data", F_OK))
		return errbuf_set(eb, err, "standard input is empty; to read perf.data: assay flame -i perf.data");
	if (err)
		*eb = why;
	if (c->load.is_pair) {
		log_warn("%s has two counts a stack: the picture compares them, the first is before (-e before or -e after draws one)",
			 input_name(&c->in));
		c->is_diff = true;
		sides_add(&c->sides, "before");
		sides_add(&c->sides, "after");
	}
	return err;
}

static bool is_by_state(const struct flame_command *c)
{
	const struct flame_options *o = &c->load.options;

	for (uint32_t i = 0; i < o->nr_by; i++)
		if (o->by[i] == FLAME_BY_STATE)
			return true;
	return false;
}

static int run(struct flame_command *c, struct errbuf *eb)
{
	struct errbuf late = { 0 };
	struct flame f;
	uint32_t nr_read = 0;
	bool is_chosen = !c->in.path;
	int err, write_err;

	if (is_by_state(c))
		c->in.recorder = "assay record --off-cpu --call-graph dwarf -- COMMAND";
	err = c->is_diff ? 0 : flame_load_choose(&c->in, eb);
	if (!err)
		err = check_output(c, eb);
	if (err)
		return err;
	c->load.match = c->is_diff ? &c->sides.match : NULL;
	flame_init(&f, c->is_diff ? c->sides.names.nr : 1);
	if (c->is_diff)
		err = flame_columns_load(&c->load, &f, &c->sides, &c->in, &nr_read, eb);
	else
		err = load_one(c, &f, is_chosen, eb);
	/* A picture of what could be read of a damaged recording, with its sentence and exit status. */
	if (!err || (nr_read ? nr_read == c->sides.names.nr : f.sum[0] > 0)) {
		write_err = flame_draw(c, &f, err ? &late : eb);
		err = err ? err : write_err;
	}
	flame_fini(&f);
	return err;
}

static int take_words(struct flame_command *c, int argc, char **argv, struct errbuf *eb)
{
	if (c->is_diff && (argc != 2 || c->in.path))
		return errbuf_set(eb, CMD_USAGE,
				  "flame: --diff takes two words: BASE and NEW, each a file or several as in a1.data,a2.data,a3.data");
	if (!c->is_diff)
		c->load.pair_only = c->sides.match_set ? "--match" : c->absolute ? "--absolute" : c->negated ? "--negate" : NULL;
	for (int i = 0; c->is_diff && i < argc; i++)
		sides_add(&c->sides, argv[i]);
	if (c->is_diff)
		return sides_check(&c->sides, c->in.quiet, eb);
	if (c->in.times && strchr(c->in.times, ':'))
		return errbuf_set(eb, CMD_USAGE, "flame: --time %s: times of several recordings are for --diff BASE NEW", c->in.times);
	return input_take_file(&c->in.path, "flame", argc, argv, eb);
}

int cmd_flame(int argc, char **argv, struct errbuf *eb)
{
	struct flame_command c;
	int err;
	const struct option table[] = {
		OPT_GROUP("Input and output"),
		INPUT_OPTIONS(&c.in),
		OPT_STRING('o', "output", &c.output, "FILE",
			   "write FILE (- is stdout; default stdout, or flame.svg where that is a terminal)", .complete = "file"),
		OPT_GROUP("Which samples"),
		INPUT_FILTERS(&c.in),
		OPT_CALL(0, "through", flame_option_through, &c, "NAME,…",
			 "only stacks with one of these functions in them; * and ? stand for any"),
		OPT_CALL('d', "dsos", input_option_filter, &c.in, "NAME,…", "only samples in these files"),
		OPT_STRING('e', "event", &c.load.event, "NAME", "of this event; all: of all together (default the first that has samples)",
			   .complete = "recorded"),
		OPT_GROUP("What is drawn"),
		OPT_CALL(0, "by", flame_option_by, &c, "KEY,…",
			 "a tree for each comm, pid, tid, cpu, event or state (on CPU, runnable, blocked), or several; none (default comm)",
			 .complete = "comm|pid|tid|cpu|event|state|none"),
		OPT_CHOICE(
			0, "weight", &c.load.options.weight, "samples|period|duration", "WHAT",
			"widths are numbers of samples, sums of their period, or of the time that system calls and the like took (default "
			"samples)"),
		OPT_BOOL(0, "bottom-up", &c.load.options.bottom_up, "merge from the sampled functions upwards to their callers"),
		OPT_BOOL(0, "reverse", &c.load.options.bottom_up, "the same as --bottom-up"),
		OPT_BOOL(0, "inline", &c.load.inlines, "functions that the compiler inlined are frames of their own (default)"),
		OPT_BOOL(0, "collapse-recursion", &c.load.options.collapses_recursion,
			 "draw recursive calls in the first frame of their function"),
		OPT_U64(0, "max-depth", &c.max_depth, 1, 65535, "N", "draw at most N frames of a stack"),
		OPT_CALL(0, "min-width", flame_option_min_width, &c, "PX",
			 "leave out frames narrower than that: pixels, or a share as in 0.1% (default 0.1)"),
		OPT_CALL(0, "minwidth", flame_option_min_width, &c, "PX", "the same as --min-width", .hidden = true),
		OPT_STRING(0, "countname", &c.load.count_name, "UNIT",
			   "what the counts are: us, bytes… (default samples, or what the input says)"),
		OPT_CALL(0, "factor", flame_option_factor, &c, "N", "multiply the counts by N"),
		OPT_U64(0, "total", &c.total, 1, INT64_MAX, "N", "the whole is N, of which the stacks are a part"),
		OPT_BOOL(0, "diff", &c.is_diff, "two words, BASE and NEW, each one recording or several (a1,a2,a3): red grew, blue shrank"),
		SIDES_OPTION_MATCH(&c.sides),
		OPT_BOOL(0, "absolute", &c.absolute, "with --diff: compare as counted, instead of shares of each side"),
		OPT_BOOL(0, "negate", &c.negated, "with --diff: blue grew, red shrank"),
		OPT_CALL_NONE(0, "normalize", flame_option_normalize, &c, "with --diff: compare shares of each side (default)"),
		OPT_GROUP("How it looks"),
		OPT_BOOL(0, "icicle", &c.inverted, "root on top"),
		OPT_BOOL(0, "inverted", &c.inverted, "the same as --icicle"),
		OPT_CHOICE(0, "palette", &c.palette, FLAME_PALETTES, "NAME", "hot, mem, io, java, js, module or kernel (default hot)"),
		OPT_CHOICE(0, "colors", &c.palette, FLAME_PALETTES, "NAME", "the same as --palette"),
		OPT_CHOICE(0, "colours", &c.palette, FLAME_PALETTES, "NAME", "the same as --palette", .hidden = true),
		OPT_STRING(0, "title", &c.title, "TEXT", "the heading"),
		OPT_STRING(0, "subtitle", &c.subtitle, "TEXT", "the line below it"),
		OPT_STRING(0, "notes", &c.note, "TEXT", "a line at the foot"),
		OPT_U64(0, "width", &c.width, 200, 100000, "PX", "fixed width (default: as wide as the window)", .is_set = &c.width_set),
		OPT_GROUP("Words of flamegraph.pl"),
		OPT_ACCEPTED(0, "hash", "colours are always those of the name"),
		OPT_ACCEPTED(0, "cp", "colours are the same in every picture"),
		OPT_CALL(0, "height", flame_option_looks, &c, "PX", "rows are 18 pixels high", .hidden = true),
		OPT_CALL(0, "fonttype", flame_option_looks, &c, "FONT", "text is in the browser's own monospaced font", .hidden = true),
		OPT_CALL(0, "fontsize", flame_option_looks, &c, "PX", "text is as high as rows allow; the browser's zoom enlarges all",
			 .hidden = true),
		OPT_CALL(0, "fontwidth", flame_option_looks, &c, "N", "names are cut by their real width", .hidden = true),
		OPT_CALL(0, "bgcolors", flame_option_looks, &c, "COLOUR", "the ground is light or dark as the browser is set",
			 .hidden = true),
		OPT_CALL(0, "nametype", flame_option_looks, &c, "TEXT", "details begin with the name itself", .hidden = true),
		OPT_CALL_NONE(0, "flamechart", flame_option_chart, &c, "refused: a flame graph has no time in it", .hidden = true),
		OPT_END,
	};
	const struct options opts = {
		.command = "flame",
		.usage = "assay flame [OPTIONS] [FILE]\nassay flame --diff [OPTIONS] BASE NEW",
		.summary =
			"Draws a flame graph of a recording, or of another tool's profile: one SVG file to zoom and search in a browser.",
		.examples = "  assay record --call-graph dwarf -- ./app && assay flame -o app.svg\n"
			    "  assay flame --by comm,tid --palette kernel -o threads.svg\n"
			    "  assay record --off-cpu --call-graph dwarf -- ./app && assay flame --by state -o time.svg\n"
			    "  assay flame --diff a1.data,a2.data,a3.data b1.data,b2.data,b3.data -o diff.svg\n"
			    "  some-tool --folded | assay flame --title 'Off CPU' --countname us --palette io > off.svg\n",
		.table = table,
	};

	flame_command_init(&c);
	err = cmd_parse(&opts, &argc, &argv, eb);
	if (err)
		goto out;
	c.load.options.max_depth = (uint32_t)c.max_depth;
	err = take_words(&c, argc, argv, eb);
	if (!err)
		err = run(&c, eb);
out:
	flame_command_fini(&c);
	return err;
}
