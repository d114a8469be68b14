/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Typed option tables: one table per command drives parsing, --help, shell completion and the check of the man page. Parsing is that of
 * perf and git: options first, up to `--` or, with OPTIONS_STOP_AT_WORD, a word; --name=value or --name value; unambiguous prefixes;
 * --no-name; short switches combine (-ag). Numbers parse whole, in a range.
 */
#ifndef ASSAY_BASE_OPTIONS_H
#define ASSAY_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "base/out.h"

enum option_kind {
	OPTION_END = 0,
	OPTION_GROUP,	  /* a heading in --help; `help` is its text */
	OPTION_BOOL,	  /* bool */
	OPTION_COUNT,	  /* int, ++ each time (-v -v) */
	OPTION_U64,	  /* uint64_t in [min, max] */
	OPTION_STRING,	  /* const char *, borrowed from argv */
	OPTION_CHOICE,	  /* an enum: which word of `complete` ("a|b|c") it is */
	OPTION_CALL,	  /* int (*call)(...), with an argument; may be repeated */
	OPTION_CALL_OPT,  /* the same with an optional argument: -xARG or --name=ARG */
	OPTION_CALL_NONE, /* the same without an argument (NULL) */
	OPTION_ACCEPTED,  /* perf's, without effect here; `help` says why. An argument (=ARG) is dropped. */
};

struct option;
/* Returns 0 or a negative errno with the sentence in `eb`; `negated` for --no-name. */
typedef int option_call_fn(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb);

struct option {
	enum option_kind kind;
	char short_name;       /* 0: none */
	const char *long_name; /* NULL: none */
	const char *arg_name;  /* for --help, e.g. "FILE"; NULL for switches */
	const char *help;      /* one sentence, no full stop */
	union {		       /* where the value goes */
		bool *as_bool;
		int *as_count;
		uint64_t *as_u64;
		const char **as_string;
		unsigned *as_choice;
		option_call_fn *call;
	};
	void *ctx;	   /* for call */
	uint64_t min, max; /* max 0: no limit */
	bool *is_set;	   /* optional: was it given at all */
	bool hidden;	   /* in the man page but not in --help */
	bool is_negatable; /* OPTION_CALL: --no-name calls it, too, without an argument */
	bool takes_word;   /* OPTION_CALL_OPT: a next word that is no option is its argument, too */
	/* For completion: "file", "files" (a list), "command", "event", "recorded" (events), "metric", "pid", "user", or "a|b|c" */
	const char *complete;
};

/* Short spellings for table rows. Extra fields follow as designated initialisers in the row itself:
 *
 * 	const struct option table[] = {
 * 		OPT_GROUP("What to record"),
 * 		OPT_BOOL('a', "all-cpus", &o.all, "record all CPUs"),
 * 		OPT_U64('F', "freq", &o.freq, 1, 1000000, "HZ", "samples per second",
 * 			.is_set = &o.freq_set),
 * 		OPT_END,
 * 	}; */
/* clang-format off */
#define OPT_ROW(k, s, l, a, h, ...) { .kind = (k), .short_name = (s), .long_name = (l), .arg_name = (a), .help = (h), __VA_ARGS__ }
#define OPT_END { .kind = OPTION_END }
#define OPT_GROUP(text) { .kind = OPTION_GROUP, .help = (text) }
/* clang-format on */
#define OPT_BOOL(s, l, ptr, h, ...) OPT_ROW(OPTION_BOOL, s, l, NULL, h, .as_bool = (ptr), __VA_ARGS__)
#define OPT_COUNT(s, l, ptr, h, ...) OPT_ROW(OPTION_COUNT, s, l, NULL, h, .as_count = (ptr), __VA_ARGS__)
#define OPT_U64(s, l, ptr, lo, hi, a, h, ...) OPT_ROW(OPTION_U64, s, l, a, h, .as_u64 = (ptr), .min = (lo), .max = (hi), __VA_ARGS__)
#define OPT_STRING(s, l, ptr, a, h, ...) OPT_ROW(OPTION_STRING, s, l, a, h, .as_string = (ptr), __VA_ARGS__)
#define OPT_CHOICE(s, l, ptr, words, a, h, ...)                                                                                            \
	OPT_ROW(OPTION_CHOICE, s, l, a, h, .as_choice = (unsigned *)(ptr), .complete = (words), __VA_ARGS__)
#define OPT_CALL(s, l, fn, c, a, h, ...) OPT_ROW(OPTION_CALL, s, l, a, h, .call = (fn), .ctx = (c), __VA_ARGS__)
#define OPT_CALL_NO(s, l, fn, c, a, h, ...) OPT_CALL(s, l, fn, c, a, h, .is_negatable = true, __VA_ARGS__)
#define OPT_CALL_OPT(s, l, fn, c, a, h, ...) OPT_ROW(OPTION_CALL_OPT, s, l, a, h, .call = (fn), .ctx = (c), __VA_ARGS__)
#define OPT_CALL_NONE(s, l, fn, c, h, ...) OPT_ROW(OPTION_CALL_NONE, s, l, NULL, h, .call = (fn), .ctx = (c), __VA_ARGS__)
#define OPT_ACCEPTED(s, l, h, ...) OPT_ROW(OPTION_ACCEPTED, s, l, NULL, h, __VA_ARGS__)

enum options_flags {
	OPTIONS_STOP_AT_WORD = 1, /* what follows the first word is a workload */
};

/* An option of perf that is not there: the message says so, and suggests no other. A table ends in a row without a long name. */
struct option_absent {
	char short_name;
	const char *long_name;
	const char *instead; /* what serves instead, the end of a sentence; NULL: nothing does */
};

struct options {
	const char *command;  /* "record" */
	const char *usage;    /* "assay record [OPTIONS] [--] COMMAND [ARG…]"; or several lines */
	const char *summary;  /* one sentence */
	const char *examples; /* lines for the end of --help; may be NULL */
	const struct option *table;
	const struct option_absent *absent; /* may be NULL */
	unsigned flags;
};

/* Parses argv[1..), NULL-terminated. 0: argv and argc are the words left, in a reordered array that ends in NULL. -EINVAL and a message:
 * usage error (exit 2). OPTIONS_HELP_SHOWN: --help or -h was printed. */
#define OPTIONS_HELP_SHOWN 1
int options_parse(const struct options *opts, int *argc, char ***argv, struct errbuf *eb);
void options_print_help(const struct options *opts, struct out *o);

/* Whole-string numbers, for options with a syntax of their own. */
int options_u64(const char *s, uint64_t min, uint64_t max, uint64_t *value);

/* options_help.c, for options.c. One line per option, hidden ones too: -x <tab> --long <tab> ARG <tab> hint <tab> help; fields are empty
 * where missing, an optional argument is "[ARG]". Completion and the man page check read it. */
void options_print_completion(const struct options *opts, struct out *o);

/* Prints to stdout; OPTIONS_HELP_SHOWN, or a negative errno. */
int options_show(const struct options *opts, void (*print)(const struct options *opts, struct out *o), struct errbuf *eb);

#endif
