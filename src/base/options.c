/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Parsing by a command's option table: finding the option (exact, negated, by prefix), its argument, and storing the value.
 */
#include "base/options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/suggest.h"

/* An option as it was found on the command line. */
struct option_match {
	const struct option *opt;
	bool negated;
	bool is_help;
	const char *spelled; /* "--freq" or "-F": for messages */
};

struct parse {
	const struct options *opts;
	char **next; /* the argument after the current one; NULL-terminated */
	struct errbuf *eb;
};

/* Every sentence begins with the command, where there is one (`assay --frob` has none). */
static int __attribute__((format(printf, 3, 4))) fail(const struct parse *p, int err, const char *fmt, ...)
{
	const char *command = p->opts->command;
	char text[sizeof(p->eb->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return errbuf_set(p->eb, err, "%s%s%s", command, *command ? ": " : "", text);
}

int options_u64(const char *s, uint64_t min, uint64_t max, uint64_t *value)
{
	unsigned base = 10;
	uint64_t v = 0;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		base = 16;
		s += 2;
	}
	if (!*s)
		return -EINVAL;
	for (; *s; s++) {
		int digit = hex_digit(*s);

		if (digit < 0 || (unsigned)digit >= base)
			return -EINVAL;
		if (__builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, digit, &v))
			return -ERANGE;
	}
	if (v < min || v > max)
		return -ERANGE;
	*value = v;
	return 0;
}

static bool takes_value(const struct option *opt)
{
	return opt->kind == OPTION_U64 || opt->kind == OPTION_STRING || opt->kind == OPTION_CHOICE || opt->kind == OPTION_CALL;
}

static bool option_negatable(const struct option *opt)
{
	return opt->long_name && opt->kind != OPTION_GROUP && (!takes_value(opt) || opt->is_negatable);
}

/* The spellings of one option: its name; its negation, which is the name with "no-" put on or, where the name has it, taken off. */
static const char *option_positive_of(const struct option *opt)
{
	bool has_no = opt->long_name && !strncmp(opt->long_name, "no-", 3);

	return has_no && option_negatable(opt) ? opt->long_name + 3 : NULL;
}

static bool name_starts(const char *name, const char *typed, size_t len)
{
	return name && !strncmp(name, typed, len);
}

static bool name_is(const char *name, const char *typed, size_t len)
{
	return name_starts(name, typed, len) && !name[len];
}

static bool typed_is_no(const char *typed, size_t len)
{
	return len > 3 && !strncmp(typed, "no-", 3);
}

/* Whole names; an option's own name goes before any negation. */
static bool find_exact(const struct option *table, const char *typed, size_t len, struct option_match *m)
{
	const struct option *opt;

	for (opt = table; opt->kind != OPTION_END; opt++) {
		if (opt->kind != OPTION_GROUP && name_is(opt->long_name, typed, len)) {
			m->opt = opt;
			return true;
		}
	}
	if (name_is("help", typed, len)) {
		m->is_help = true;
		return true;
	}
	for (opt = table; opt->kind != OPTION_END; opt++) {
		bool negates = name_is(option_positive_of(opt), typed, len);

		if (option_negatable(opt) && typed_is_no(typed, len))
			negates |= name_is(opt->long_name, typed + 3, len - 3);
		if (negates) {
			m->opt = opt;
			m->negated = true;
			return true;
		}
	}
	return false;
}

/* Beginnings of names. Candidates are listed for the message where there are several. */
struct candidates {
	struct option_match *m;
	unsigned nr;
	char text[256];
};

static void candidate_add(struct candidates *c, const struct option *opt, const char *prefix, const char *name, bool negated)
{
	size_t used = strlen(c->text);
	size_t need = strlen(prefix) + strlen(name) + sizeof(", --");

	if (!c->nr) {
		c->m->opt = opt;
		c->m->is_help = !opt;
		c->m->negated = negated;
	}
	c->nr++;
	if (sizeof(c->text) - used > need + sizeof(", ...")) {
		snprintf(c->text + used, sizeof(c->text) - used, "%s--%s%s", used ? ", " : "", prefix, name);
	} else if (used < 3 || strcmp(c->text + used - 3, "...")) {
		memcpy(c->text + used, ", ...", 6);
	}
}

static void find_prefix(const struct option *table, const char *typed, size_t len, struct candidates *c)
{
	for (const struct option *opt = table; opt->kind != OPTION_END; opt++) {
		if (opt->kind == OPTION_GROUP)
			continue;
		if (name_starts(opt->long_name, typed, len))
			candidate_add(c, opt, "", opt->long_name, false);
		else if (name_starts(option_positive_of(opt), typed, len))
			candidate_add(c, opt, "", opt->long_name + 3, true);
		else if (option_negatable(opt) && typed_is_no(typed, len) && name_starts(opt->long_name, typed + 3, len - 3))
			candidate_add(c, opt, "no-", opt->long_name, true);
	}
	if (name_starts("help", typed, len))
		candidate_add(c, NULL, "", "help", false);
}

/* By its long name, whole or begun, negated or not; or by its letter. NULL: it is not one of them. */
static const struct option_absent *find_absent(const struct parse *p, const char *typed, size_t len, bool whole)
{
	const struct option_absent *found = NULL;

	for (const struct option_absent *a = p->opts->absent; a && a->long_name; a++) {
		const char *name = typed_is_no(typed, len) && strncmp(a->long_name, "no-", 3) ? typed + 3 : typed;
		size_t left = len - (size_t)(name - typed);

		if (name_is(a->long_name, name, left))
			return a;
		if (!found && !whole && name_starts(a->long_name, name, left))
			found = a;
	}
	return found;
}

static const struct option_absent *find_absent_letter(const struct parse *p, char letter)
{
	const struct option_absent *a = p->opts->absent;

	while (a && a->long_name && a->short_name != letter)
		a++;
	return a && a->long_name ? a : NULL;
}

static int fail_absent(const struct parse *p, const struct option_absent *a)
{
	const char letter[] = { '-', a->short_name, ',', ' ', 0 };

	if (a->instead)
		return fail(p, -EINVAL, "perf's option %s--%s is not in this version of assay: %s", a->short_name ? letter : "",
			    a->long_name, a->instead);
	return fail(p, -EINVAL, "perf's option %s--%s is not in this version of assay; 'assay %s --help' lists what is",
		    a->short_name ? letter : "", a->long_name, p->opts->command);
}

static int fail_unknown(const struct parse *p, const char *shown, size_t shown_len, const char *typed)
{
	const char *command = p->opts->command;
	const char *space = *command ? " " : "";
	bool no = typed_is_no(typed, strlen(typed));
	struct suggest whole, positive;
	const char *best, *prefix = "";

	suggest_init(&whole, typed);
	suggest_init(&positive, no ? typed + 3 : "");
	for (const struct option *opt = p->opts->table; opt->kind != OPTION_END; opt++) {
		if (opt->kind == OPTION_GROUP || !opt->long_name)
			continue;
		suggest_offer(&whole, opt->long_name);
		if (option_negatable(opt))
			suggest_offer(&positive, opt->long_name);
	}
	suggest_offer(&whole, "help");
	best = whole.best;
	if (positive.best && positive.best_distance < whole.best_distance) {
		best = positive.best;
		prefix = "no-";
	}
	if (best)
		return fail(p, -EINVAL, "unknown option %.*s; did you mean --%s%s? ('assay %s%s--help' lists them)", (int)shown_len, shown,
			    prefix, best, command, space);
	return fail(p, -EINVAL, "unknown option %.*s ('assay %s%s--help' lists them)", (int)shown_len, shown, command, space);
}

static int fail_number(const struct parse *p, const struct option_match *m, const char *arg, uint64_t max)
{
	unsigned long long lo = m->opt->min, hi = max;

	if (hi == UINT64_MAX && !lo)
		return fail(p, -EINVAL, "%s: '%s' is not a number", m->spelled, arg);
	if (hi == UINT64_MAX)
		return fail(p, -EINVAL, "%s: '%s' is not a number from %llu on", m->spelled, arg, lo);
	return fail(p, -EINVAL, "%s: '%s' is not a number from %llu to %llu", m->spelled, arg, lo, hi);
}

static int store_choice(const struct parse *p, const struct option_match *m, const char *arg)
{
	const char *word = m->opt->complete;

	for (unsigned i = 0;; i++) {
		size_t len = strcspn(word, "|");

		if (name_is(arg, word, len)) {
			*m->opt->as_choice = i;
			return 0;
		}
		if (!word[len])
			return fail(p, -EINVAL, "%s: unknown value '%s' (%s)", m->spelled, arg, m->opt->complete);
		word += len + 1;
	}
}

static int option_call(const struct parse *p, const struct option_match *m, const char *arg)
{
	int err = m->opt->call(m->opt, m->opt->ctx, arg, m->negated, p->eb);

	if (err >= 0)
		return 0;
	/* Where the callee said nothing, at least say which option it was. */
	if (arg)
		return fail(p, err, "%s: cannot use '%s'", m->spelled, arg);
	return fail(p, err, "%s cannot be used here", m->spelled);
}

static int option_store(const struct parse *p, const struct option_match *m, const char *arg)
{
	const struct option *opt = m->opt;
	uint64_t max = opt->max ? opt->max : UINT64_MAX;

	if (opt->is_set)
		*opt->is_set = true;
	switch (opt->kind) {
	case OPTION_BOOL:
		*opt->as_bool = !m->negated;
		return 0;
	case OPTION_COUNT:
		*opt->as_count = m->negated ? 0 : *opt->as_count + 1;
		return 0;
	case OPTION_U64:
		if (options_u64(arg, opt->min, max, opt->as_u64))
			return fail_number(p, m, arg, max);
		return 0;
	case OPTION_STRING:
		*opt->as_string = arg;
		return 0;
	case OPTION_CHOICE:
		return store_choice(p, m, arg);
	case OPTION_CALL:
	case OPTION_CALL_OPT:
	case OPTION_CALL_NONE:
		return option_call(p, m, arg);
	default: /* OPTION_ACCEPTED; the others are never found */
		return 0;
	}
}

/* `attached`: the text after '=' or directly after a short name; NULL where there is none. */
static int option_apply(struct parse *p, const struct option_match *m, const char *attached)
{
	switch (m->negated ? OPTION_BOOL : m->opt->kind) {
	case OPTION_U64:
	case OPTION_STRING:
	case OPTION_CHOICE:
	case OPTION_CALL:
		if (attached)
			break;
		if (!*p->next)
			return fail(p, -EINVAL, "%s needs an argument: %s %s", m->spelled, m->spelled,
				    m->opt->arg_name ? m->opt->arg_name : "ARG");
		attached = *p->next++;
		break;
	case OPTION_CALL_OPT:
		if (!attached && m->opt->takes_word && *p->next && (*p->next)[0] != '-')
			attached = *p->next++;
		break;
	case OPTION_ACCEPTED:
		break;
	default:
		if (attached && m->opt->kind != OPTION_ACCEPTED)
			return fail(p, -EINVAL, "%s takes no argument ('%s')", m->spelled, attached);
	}
	return option_store(p, m, attached);
}

/* Finds a long option by its name, whole or begun. */
static int find_long(const struct parse *p, const char *word, size_t len, struct option_match *m)
{
	const struct option *table = p->opts->table;
	struct candidates c = { .m = m };
	const struct option_absent *absent;
	const char *typed = word + 2;
	char name[64] = "";

	if (len && find_exact(table, typed, len, m))
		return 0;
	absent = len ? find_absent(p, typed, len, true) : NULL;
	if (absent)
		return fail_absent(p, absent);
	if (len)
		find_prefix(table, typed, len, &c);
	if (c.nr == 1)
		return 0;
	if (c.nr)
		return fail(p, -EINVAL, "option %.*s is ambiguous: %s", (int)len + 2, word, c.text);
	absent = len ? find_absent(p, typed, len, false) : NULL;
	if (absent)
		return fail_absent(p, absent);
	/* What is longer than any name of ours is near to none. */
	if (len < sizeof(name))
		memcpy(name, typed, len);
	return fail_unknown(p, word, len + 2 < 200 ? len + 2 : 200, name);
}

static int parse_long(struct parse *p, const char *word)
{
	size_t len = strcspn(word + 2, "=");
	const char *attached = word[len + 2] ? word + len + 3 : NULL;
	struct option_match m = { 0 };
	char spelled[64];
	int err;

	if (name_is("completion-helper", word + 2, len))
		return options_show(p->opts, options_print_completion, p->eb);
	err = find_long(p, word, len, &m);
	if (err)
		return err;
	if (m.is_help)
		return options_show(p->opts, options_print_help, p->eb);
	snprintf(spelled, sizeof(spelled), "%.*s", (int)len + 2, word);
	m.spelled = spelled;
	return option_apply(p, &m, attached);
}

static int fail_unknown_short(const struct parse *p, const char *word, const char *c)
{
	const struct option_absent *absent = find_absent_letter(p, *c);
	size_t len = strlen(word);

	if (absent)
		return fail_absent(p, absent);
	/* The whole word ("-freq" suggests "--freq"; characters may have several bytes); in the middle of a word the letter. */
	if (c == word + 1)
		return fail_unknown(p, word, len < 200 ? len : 200, len < 64 ? word + 1 : "");
	return fail(p, -EINVAL, "unknown option -%c in '%.200s' ('assay %s%s--help' lists them)", *c, word, p->opts->command,
		    *p->opts->command ? " " : "");
}

/* A word of short options: each is a switch but the last, which may take the rest or the next word. */
static int parse_short(struct parse *p, const char *word)
{
	for (const char *c = word + 1; *c; c++) {
		const char spelled[] = { '-', *c, '\0' };
		struct option_match m = { .opt = p->opts->table, .spelled = spelled };
		const char *attached = NULL;
		int err;

		while (m.opt->kind != OPTION_END && m.opt->short_name != *c)
			m.opt++;
		if (m.opt->kind == OPTION_END) {
			if (*c == 'h')
				return options_show(p->opts, options_print_help, p->eb);
			return fail_unknown_short(p, word, c);
		}
		if (c[1] && (takes_value(m.opt) || m.opt->kind == OPTION_CALL_OPT || (m.opt->kind == OPTION_ACCEPTED && m.opt->arg_name)))
			attached = c + 1;
		err = option_apply(p, &m, attached);
		if (err || attached)
			return err;
	}
	return 0;
}

int options_parse(const struct options *opts, int *argc, char ***argv, struct errbuf *eb)
{
	char **words = *argc > 0 ? *argv + 1 : *argv;
	struct parse p = { .opts = opts, .next = words, .eb = eb };
	int nr_words = 0;

	/* Words move to the front; a slot is only written after it was read. */
	while (*p.next) {
		char *word = *p.next;
		int err;

		if (word[0] != '-' || !word[1]) {
			if (opts->flags & OPTIONS_STOP_AT_WORD)
				break;
			words[nr_words++] = word;
			p.next++;
			continue;
		}
		p.next++;
		if (!strcmp(word, "--"))
			break;
		err = word[1] == '-' ? parse_long(&p, word) : parse_short(&p, word);
		if (err)
			return err;
	}
	while (*p.next)
		words[nr_words++] = *p.next++;
	words[nr_words] = NULL;
	*argv = words;
	*argc = nr_words;
	return 0;
}
