/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The text of --help and the listing for shell completion, both from a command's option table.
 */
#include "base/options.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define HELP_WIDTH_MIN 80
#define HELP_WIDTH_MAX 100
#define HELP_COLUMN_MAX 32 /* options longer than this have their text on the next line */

static const struct option help_option = {
	.kind = OPTION_CALL_NONE,
	.short_name = 'h',
	.long_name = "help",
	.help = "show this help",
};

/* Columns of a UTF-8 text without wide characters, of which our help has none. */
static int text_columns(const char *s, size_t len)
{
	int columns = 0;

	for (size_t i = 0; i < len; i++)
		columns += ((unsigned char)s[i] & 0xc0) != 0x80;
	return columns;
}

static int help_width(const struct out *o)
{
	struct winsize ws;

	if (o->fd < 0 || ioctl(o->fd, TIOCGWINSZ, &ws) < 0 || ws.ws_col < HELP_WIDTH_MIN)
		return HELP_WIDTH_MIN;
	return ws.ws_col < HELP_WIDTH_MAX ? ws.ws_col : HELP_WIDTH_MAX;
}

/* "  -F, --freq HZ" */
static void print_names(struct out *o, const struct option *opt)
{
	bool is_opt = opt->kind == OPTION_CALL_OPT || opt->kind == OPTION_ACCEPTED;

	out_str(o, "  ");
	if (opt->short_name) {
		out_char(o, '-');
		out_char(o, opt->short_name);
		out_str(o, opt->long_name ? ", " : "");
	} else {
		out_str(o, "    ");
	}
	if (opt->long_name) {
		out_str(o, "--");
		out_str(o, opt->long_name);
	}
	if (!opt->arg_name)
		return;
	if (is_opt)
		out_printf(o, opt->long_name ? "[=%s]" : "[%s]", opt->arg_name);
	else
		out_printf(o, " %s", opt->arg_name);
}

/* Prints words from column `column` on, broken before `width`, further lines indented to it. */
static void print_wrapped(struct out *o, const char *text, int column, int width)
{
	int at = column;
	bool first = true;

	while (*text) {
		size_t len = strcspn(text, " \n");
		int columns = text_columns(text, len);

		if (len && !first && at + 1 + columns > width) {
			out_char(o, '\n');
			out_spaces(o, column);
			at = column;
			first = true;
		}
		if (len) {
			if (!first)
				out_char(o, ' ');
			out_mem(o, text, len);
			at += columns + !first;
			first = false;
		}
		text += len;
		if (*text == '\n') {
			out_char(o, '\n');
			out_spaces(o, column);
			at = column;
			first = true;
		}
		if (*text)
			text++;
	}
}

static int names_columns(const struct option *opt)
{
	struct out o;
	int columns;

	out_init(&o, -1);
	print_names(&o, opt);
	columns = text_columns(o.buf, o.len);
	out_fini(&o);
	return columns;
}

static void print_option(struct out *o, const struct option *opt, int column, int width)
{
	/* What has no effect stands in brackets: the text is a reason, not a description. */
	bool bracketed = opt->kind == OPTION_ACCEPTED;
	int columns = names_columns(opt);

	print_names(o, opt);
	if (columns + 2 > column) {
		out_char(o, '\n');
		columns = 0;
	}
	out_spaces(o, column - columns);
	out_str(o, bracketed ? "(" : "");
	print_wrapped(o, opt->help ? opt->help : "", column + bracketed, width - bracketed);
	out_str(o, bracketed ? ")\n" : "\n");
}

static int help_column(const struct option *table)
{
	int widest = names_columns(&help_option);

	for (const struct option *opt = table; opt->kind != OPTION_END; opt++) {
		int columns;

		if (opt->kind == OPTION_GROUP || opt->hidden)
			continue;
		columns = names_columns(opt);
		if (columns > widest && columns + 2 <= HELP_COLUMN_MAX)
			widest = columns;
	}
	return widest + 2;
}

/* Lines of `text`, the first after `first`, the others after `rest`; a line that is indented already stays as it is. */
static void print_lines(struct out *o, const char *first, const char *rest, const char *text)
{
	const char *prefix = first;

	while (*text) {
		size_t len = strcspn(text, "\n");

		out_str(o, len && text[0] != ' ' ? prefix : "");
		out_mem(o, text, len);
		out_char(o, '\n');
		prefix = rest;
		text += len + (text[len] == '\n');
	}
}

void options_print_help(const struct options *opts, struct out *o)
{
	const struct option *opt = opts->table;
	int column = help_column(opts->table);
	int width = help_width(o);
	bool has_groups = false;

	if (opts->usage)
		print_lines(o, "Usage: ", "       ", opts->usage);
	if (opts->summary) {
		out_char(o, '\n');
		print_wrapped(o, opts->summary, 0, width);
		out_char(o, '\n');
	}
	if (opt->kind != OPTION_GROUP)
		out_str(o, "\nOptions:\n");
	for (; opt->kind != OPTION_END; opt++) {
		if (opt->kind == OPTION_GROUP) {
			has_groups = true;
			out_printf(o, "\n%s:\n", opt->help);
		} else if (!opt->hidden) {
			print_option(o, opt, column, width);
		}
	}
	/* Its own paragraph rather than a member of the last group. */
	if (has_groups)
		out_char(o, '\n');
	print_option(o, &help_option, column, width);
	if (opts->examples) {
		out_str(o, "\nExamples:\n");
		print_lines(o, "  ", "  ", opts->examples);
	}
}

/* "--no-inline", or "--inherit" of what is called no-inherit: of switches that --help shows. */
static void print_negation(const struct option *opt, struct out *o)
{
	bool is_switch = opt->kind == OPTION_BOOL || opt->kind == OPTION_CALL_NONE || opt->kind == OPTION_CALL_OPT;

	if (!is_switch || opt->hidden || !opt->long_name || opt == &help_option)
		return;
	if (!strncmp(opt->long_name, "no-", 3))
		out_printf(o, "--%s", opt->long_name + 3);
	else
		out_printf(o, "--no-%s", opt->long_name);
}

static void print_completion_line(const struct option *opt, struct out *o)
{
	bool is_opt = opt->kind == OPTION_CALL_OPT || opt->kind == OPTION_ACCEPTED;

	if (opt->short_name) {
		out_char(o, '-');
		out_char(o, opt->short_name);
	}
	/* In brackets: not the next word. */
	is_opt &= !opt->takes_word;
	out_printf(o, "\t%s%s\t", opt->long_name ? "--" : "", opt->long_name ? opt->long_name : "");
	if (opt->arg_name)
		out_printf(o, is_opt ? "[%s]" : "%s", opt->arg_name);
	out_printf(o, "\t%s\t", opt->complete ? opt->complete : "");
	/* One line per option, whatever the help text holds. */
	for (const char *c = opt->help ? opt->help : ""; *c; c++)
		out_char(o, *c == '\n' || *c == '\t' ? ' ' : *c);
	out_char(o, '\t');
	print_negation(opt, o);
	out_char(o, '\n');
}

void options_print_completion(const struct options *opts, struct out *o)
{
	for (const struct option *opt = opts->table; opt->kind != OPTION_END; opt++)
		if (opt->kind != OPTION_GROUP)
			print_completion_line(opt, o);
	print_completion_line(&help_option, o);
}

int options_show(const struct options *opts, void (*print)(const struct options *opts, struct out *o), struct errbuf *eb)
{
	struct out o;
	int err;

	out_init(&o, STDOUT_FILENO);
	print(opts, &o);
	err = out_fini(&o);
	if (err == -EPIPE) /* a reader that had enough; cmd/main.c knows */
		return err;
	if (err)
		return errbuf_set(eb, err, "%s: cannot write the help: %s", opts->command, strerror(-err));
	return OPTIONS_HELP_SHOWN;
}
