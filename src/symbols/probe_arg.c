/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One argument of a probe, [NAME=]EXPRESSION[:TYPE][@user]: a variable with members, indices and dereferences, or what the kernel
 * understands by itself (%REG, @ADDRESS, $retval, \NUMBER, +OFF(…) of these). And ranges of lines for -L.
 */
#include "symbols/probe_point.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STEPS 32U

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c & 0x80;
}

static size_t name_length(const char *s)
{
	size_t n = 0;

	if (isdigit((unsigned char)*s))
		return 0;
	while (is_name_char(s[n]))
		n++;
	return n;
}

static int refuse(const struct probe_arg *a, struct errbuf *eb, const char *why, const char *at)
{
	return errbuf_set(eb, -EINVAL, "argument '%.200s': %s%s%.60s%s", a->text, why, at ? " at '" : "", at ? at : "", at ? "'" : "");
}

static bool parse_offset(const char **pos, int64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)**pos) && !(strchr("+-", **pos) && **pos && isdigit((unsigned char)(*pos)[1])))
		return false;
	errno = 0;
	*value = strtoll(*pos, &end, 0);
	*pos = end;
	return !errno;
}

/* u8 … x64, s, u, x, string, ustring, symbol, symstr, char, %pd; b4@3/8; each with [N]. */
static bool is_type(const char *t)
{
	static const char *const words[] = { "u8",  "u16", "u32", "u64", "s8", "s16",	 "s32",	   "s64",    "x8",	"x16",
					     "x32", "x64", "u",	  "s",	 "x",  "string", "symbol", "symstr", "ustring", "char" };
	size_t len = strcspn(t, "[");

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (len == strlen(words[i]) && !memcmp(t, words[i], len))
			goto array;
	if (*t != 'b' || !isdigit((unsigned char)t[1]))
		return false;
	for (size_t i = 1, part = 0; i < len; i++) {
		if (isdigit((unsigned char)t[i]))
			continue;
		if (t[i] != "@/"[part] || part++ == 2 || !isdigit((unsigned char)t[i + 1]))
			return false;
	}
array:
	if (!t[len])
		return true;
	for (t += len + 1; isdigit((unsigned char)*t); t++)
		;
	return t[0] == ']' && !t[1] && isdigit((unsigned char)t[-1]);
}

/* Cuts ":TYPE" and "@user" off the end. */
static int cut_type(struct probe_spec *s, struct probe_arg *a, char *word, struct errbuf *eb)
{
	size_t len = strlen(word);
	char *colon;

	if (len > 5 && !strcmp(word + len - 5, "@user")) {
		a->is_user = true;
		word[len - 5] = 0;
	}
	colon = strrchr(word, ':');
	if (!colon || colon == word || colon[-1] == ':')
		return 0;
	if (!is_type(colon + 1))
		return errbuf_set(
			eb, -EINVAL,
			"argument '%.200s': there is no type '%.40s'; types are u8 to u64, s8 to s64, x8 to x64, u, s, x, string, "
			"ustring, symbol, char and bit-fields b<WIDTH>@<SHIFT>/<SIZE>, arrays of these as TYPE[N]",
			word, colon + 1);
	a->type = arena_str(&s->arena, colon + 1, strlen(colon + 1));
	*colon = 0;
	return 0;
}

struct expression {
	struct probe_spec *spec;
	struct probe_arg *arg;
	struct probe_step steps[MAX_STEPS];
	uint32_t nr;
	char open[MAX_STEPS]; /* '(' and '*' in front that are not applied yet */
	uint32_t nr_open;
};

static bool add_step(struct expression *x, struct probe_step step)
{
	if (x->nr == MAX_STEPS)
		return false;
	x->steps[x->nr++] = step;
	return true;
}

/* Stars since the last open bracket apply to what is behind them. */
static bool apply_stars(struct expression *x)
{
	while (x->nr_open && x->open[x->nr_open - 1] == '*') {
		x->nr_open--;
		if (!add_step(x, (struct probe_step){ .kind = PROBE_DEREF }))
			return false;
	}
	return true;
}

static int parse_index(struct expression *x, const char **pos, struct errbuf *eb)
{
	struct probe_step step = { .kind = PROBE_INDEX };
	const char *p = *pos + 1;

	if (!parse_offset(&p, &step.number) || *p != ']')
		return refuse(x->arg, eb,
			      name_length(p) ? "the kernel cannot compute with a variable index; give a number"
					     : "an index is a number in []",
			      *pos);
	*pos = p + 1;
	return add_step(x, step) ? 0 : refuse(x->arg, eb, "too many steps", NULL);
}

static int parse_member(struct expression *x, const char **pos, struct errbuf *eb)
{
	bool is_arrow = **pos == '-';
	const char *p = *pos + 1 + is_arrow;
	size_t len = name_length(p);

	/* Members of Rust's tuples are numbers. */
	if (!len)
		while (isdigit((unsigned char)p[len]))
			len++;
	if (!len)
		return refuse(x->arg, eb, "the name of a member is missing", *pos);
	*pos = p + len;
	return add_step(x,
			(struct probe_step){ .kind = is_arrow ? PROBE_POINTED : PROBE_MEMBER, .name = arena_str(&x->spec->arena, p, len) })
		       ? 0
		       : refuse(x->arg, eb, "too many steps", NULL);
}

static int parse_postfix(struct expression *x, const char **pos, struct errbuf *eb)
{
	int err = 0;

	while (!err && **pos) {
		const char *p = *pos;

		if (*p == '[') {
			err = parse_index(x, pos, eb);
		} else if (*p == '.' || (*p == '-' && p[1] == '>')) {
			err = parse_member(x, pos, eb);
		} else if (*p == ')') {
			if (!apply_stars(x))
				return refuse(x->arg, eb, "too many steps", NULL);
			if (!x->nr_open)
				return refuse(x->arg, eb, "a ')' without '('", p);
			x->nr_open--;
			(*pos)++;
		} else {
			return refuse(x->arg, eb, "not understood", p);
		}
	}
	return err;
}

/* ns::name, or name. */
static size_t variable_length(const char *p)
{
	size_t n = *p == '$' ? 1 : 0;

	for (;;) {
		size_t part = name_length(p + n);

		if (!part)
			return n > 2 && p[n - 1] == ':' ? n - 2 : n;
		n += part;
		if (p[n] != ':' || p[n + 1] != ':')
			return n;
		n += 2;
	}
}

/* A variable with stars, brackets and steps around it. `outer`: steps of +OFF(…) around all. */
static int parse_variable(struct expression *x, const char *p, const struct probe_step *outer, uint32_t nr_outer, struct errbuf *eb)
{
	struct probe_arg *a = x->arg;
	size_t len;
	int err;

	for (; *p == '*' || *p == '('; p++) {
		if (x->nr_open == MAX_STEPS)
			return refuse(a, eb, "too many steps", NULL);
		x->open[x->nr_open++] = *p;
	}
	if (*p == '&')
		return refuse(a, eb, "the kernel fetches values, it cannot compute the address of a variable", p);
	len = variable_length(p);
	if (!len)
		return refuse(a, eb, "a variable, a register (%di) or a number (\\1) is expected", p);
	a->variable = arena_str(&x->spec->arena, p, len);
	p += len;
	err = parse_postfix(x, &p, eb);
	if (err)
		return err;
	if (!apply_stars(x))
		return refuse(a, eb, "too many steps", NULL);
	if (x->nr_open)
		return refuse(a, eb, "a '(' is not closed", NULL);
	while (nr_outer)
		if (!add_step(x, outer[--nr_outer]))
			return refuse(a, eb, "too many steps", NULL);
	a->kind = PROBE_ARG_VARIABLE;
	a->steps = arena_copy(&x->spec->arena, x->steps, x->nr * sizeof(*x->steps));
	a->nr_steps = x->nr;
	return 0;
}

/* Whether what is inside of all +OFF(…) is the kernel's own notation. */
static bool is_raw(const char *p)
{
	if (*p == '$')
		return strcmp(p, "$vars") && strcmp(p, "$params") &&
		       !(strncmp(p, "$retval", 7) == 0 && (p[7] == '.' || p[7] == '-' || p[7] == '['));
	return *p == '%' || *p == '@' || *p == '\\';
}

static int parse_expression(struct expression *x, char *p, struct errbuf *eb)
{
	struct probe_arg *a = x->arg;
	struct probe_step outer[MAX_STEPS];
	uint32_t nr_outer = 0;

	while (*p == '+' || *p == '-') {
		const char *q = p + 1 + (p[1] == 'u');
		size_t len = strlen(p);
		struct probe_step step = { .kind = PROBE_DEREF, .is_user = p[1] == 'u' };

		if (!parse_offset(&q, &step.number) || *q != '(' || p[len - 1] != ')' || nr_outer == MAX_STEPS)
			return refuse(a, eb, "memory is written as +OFFSET(ADDRESS)", p);
		if (*p == '-')
			step.number = -step.number;
		outer[nr_outer++] = step;
		p[len - 1] = 0;
		p += q + 1 - p;
	}
	if (is_raw(p)) {
		/* All of it is the kernel's, also what was cut. */
		a->kind = PROBE_ARG_RAW;
		return 0;
	}
	if (!strcmp(p, "$vars") || !strcmp(p, "$params")) {
		a->kind = p[1] == 'v' ? PROBE_ARG_VARS : PROBE_ARG_PARAMS;
		return a->name || a->type || nr_outer ? refuse(a, eb, "it stands for several arguments, without name and type", NULL) : 0;
	}
	return parse_variable(x, p, outer, nr_outer, eb);
}

int probe_arg_parse(struct probe_spec *s, const char *word, struct probe_arg *a, struct errbuf *eb)
{
	struct expression x = { .spec = s, .arg = a };
	size_t name = name_length(word);
	char *copy;
	int err;

	*a = (struct probe_arg){ .text = word };
	if (name && word[name] == '=') {
		a->name = arena_str(&s->arena, word, name);
		word += name + 1;
	}
	if (!*word)
		return refuse(a, eb, "there is nothing to fetch", NULL);
	copy = arena_str(&s->arena, word, strlen(word));
	err = cut_type(s, a, copy, eb);
	if (err)
		return err;
	a->text = arena_str(&s->arena, copy, strlen(copy));
	return parse_expression(&x, copy, eb);
}
