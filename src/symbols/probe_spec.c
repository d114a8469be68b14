/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * perf's grammar of probe points:
 *
 *	[[GROUP:]EVENT=]FUNC[@SRC][:LINE|+OFF|%return|;PATTERN] [ARG…]
 *	[[GROUP:]EVENT=]SRC:LINE [ARG…], SRC;PATTERN [ARG…], 0xADDR [ARG…], %sdt_PROVIDER:NAME [ARG…]
 *
 * A function is named as in C, C++ (ns::Class::method, operators, template arguments) or Rust. A backslash makes the next byte part of a
 * name. The words come from the command line; nothing is looked up here.
 */
#include "symbols/probe_point.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define MAX_NAME_BYTES 63U /* of an event, in the kernel */
#define MAX_TEXT_BYTES 4096
#define MAX_ARGS 128 /* the kernel's own limit */

static bool is_name_start(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static size_t name_length(const char *s)
{
	size_t n = 0;

	if (!is_name_start(*s))
		return 0;
	while (is_name_char(s[n]))
		n++;
	return n;
}

static bool is_word_of(const char *s, size_t len, const char *const *words)
{
	for (; *words; words++)
		if (strlen(*words) == len && !memcmp(*words, s, len))
			return true;
	return false;
}

/* " bool", " unsigned long", " ns::type*": what an operator converts to. Further words belong to it only where C has such a type. */
static size_t conversion_length(const char *s)
{
	static const char *const first[] = { "unsigned", "signed", "long", "short", "const", NULL };
	static const char *const next[] = { "int", "char", "long", "short", "double", NULL };
	size_t n = 0;
	bool is_more;

	do {
		size_t len = name_length(s + n + 1), word;

		if (s[n] != ' ' || !len || (n && !is_word_of(s + n + 1, len, next)))
			break;
		is_more = is_word_of(s + n + 1, len, first);
		n += 1 + len;
		while (s[n] == ':' && s[n + 1] == ':' && (word = name_length(s + n + 2)))
			n += 2 + word;
	} while (is_more);
	return n ? n + strspn(s + n, "*&") : 0;
}

/* The bytes of an operator's name behind "operator": symbols, (), [], or a blank and a word (new, delete, a type). */
static size_t operator_length(const char *s)
{
	size_t n = 0;

	if (!strncmp(s, "()", 2) || !strncmp(s, "[]", 2))
		return 2;
	if (!strncmp(s, " new", 4) || !strncmp(s, " delete", 7)) {
		n = s[1] == 'n' ? 4 : 7;
		return n + (strncmp(s + n, "[]", 2) ? 0 : 2);
	}
	if (*s == ' ')
		return conversion_length(s);
	/* One of +=, <<=, ->*, <=>, !=: a '+' that digits follow is an offset, and a '<' behind another one begins arguments of a template. */
	while (n < 3 && s[n] && strchr("+-*/%^&|~!=<>,", s[n]) && !(n && (s[n] == '+' || s[n] == '%' || s[n] == '<') && s[n] != s[n - 1]))
		n++;
	/* "operator<< <int>", as demanglers write it */
	return n + (n && s[n] == ' ' && s[n + 1] == '<');
}

/* How many bytes belong to the name that begins here: up to a blank or one of `ends` outside of brackets. */
static size_t place_length(const char *s, const char *ends)
{
	size_t n = 0;
	int depth = 0;

	while (s[n]) {
		size_t op = !strncmp(s + n, "operator", 8) && (!n || !is_name_char(s[n - 1])) && !is_name_char(s[n + 8]) ? 8 : 0;

		if (op) {
			n += 8 + operator_length(s + n + 8);
			continue;
		}
		if (s[n] == '\\' && s[n + 1]) {
			n += 2;
			continue;
		}
		if (s[n] == ':' && s[n + 1] == ':') {
			n += 2;
			continue;
		}
		if (!depth && (isspace((unsigned char)s[n]) || strchr(ends, s[n])))
			break;
		depth += s[n] == '<' || s[n] == '(' || s[n] == '{';
		if (depth && (s[n] == ')' || s[n] == '}' || (s[n] == '>' && n && s[n - 1] != '-')))
			depth--;
		n++;
	}
	return n;
}

/* A copy without backslashes. */
static const char *plain(struct probe_spec *s, const char *text, size_t len)
{
	char *copy = arena_str(&s->arena, text, len);
	size_t to = 0;

	for (size_t i = 0; i < len; i++) {
		if (copy[i] == '\\' && i + 1 < len)
			i++;
		copy[to++] = copy[i];
	}
	copy[to] = 0;
	return copy;
}

static int refuse(const struct probe_spec *s, struct errbuf *eb, const char *why, const char *at)
{
	return errbuf_set(eb, -EINVAL, "probe '%.200s': %s%s%.60s%s", s->text, why, at ? " at '" : "", at ? at : "", at ? "'" : "");
}

/* "GROUP:EVENT=" in front. */
static int parse_event(struct probe_spec *s, const char **pos, struct errbuf *eb)
{
	const char *p = *pos;
	size_t first = name_length(p), second = first && p[first] == ':' && p[first + 1] != ':' ? name_length(p + first + 1) : 0;
	const char *eq = p + first + (second ? second + 1 : 0);

	if (!first || *eq != '=' || (first == 8 && !strncmp(p, "operator", 8))) {
		if (*p == '=')
			return refuse(s, eb, "the name of the event is empty", NULL);
		return 0;
	}
	if (first > MAX_NAME_BYTES || second > MAX_NAME_BYTES)
		return refuse(s, eb, "names of events and groups have 63 bytes at most", NULL);
	s->event = arena_str(&s->arena, second ? p + first + 1 : p, second ? second : first);
	if (second)
		s->group = arena_str(&s->arena, p, first);
	*pos = eq + 1;
	return 0;
}

static bool parse_number(const char *p, size_t len, uint64_t *value)
{
	bool is_hex = len > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
	size_t i = is_hex ? 2 : 0;

	*value = 0;
	if (i == len || len - i > (is_hex ? 16 : 19))
		return false;
	for (; i < len; i++) {
		int digit = isdigit((unsigned char)p[i]) ? p[i] - '0' : isxdigit((unsigned char)p[i]) ? (p[i] | 32) - 'a' + 10 : 99;

		if (digit >= (is_hex ? 16 : 10))
			return false;
		*value = *value * (is_hex ? 16 : 10) + (unsigned int)digit;
	}
	return true;
}

/* Endings of source files: nothing has to follow for these not to be taken for functions. */
static bool has_source_ending(const char *p, size_t len)
{
	static const char *const endings[] = { "c", "h", "cc", "cpp", "cxx", "C", "hh", "hpp", "hxx", "inc", "S", "s", "rs", "go", NULL };
	const char *dot = memrchr(p, '.', len);

	return dot && dot > p && is_word_of(dot + 1, len - (size_t)(dot + 1 - p), endings);
}

/* Whether a place is a source file: it has a directory, or an ending that is not a compiler's (foo.isra.0). */
static bool is_source_name(const char *p, size_t len)
{
	static const char *const clones[] = { "constprop", "isra", "part", "cold", "lto_priv", "llvm", "clone" };
	const char *dot = memrchr(p, '.', len);

	if (memchr(p, '/', len))
		return true;
	if (!dot || dot == p || (size_t)(dot - p) + 1 == len || isdigit((unsigned char)dot[1]))
		return false;
	for (size_t i = 0; i < sizeof(clones) / sizeof(clones[0]); i++)
		if (len - (size_t)(dot - p) - 1 == strlen(clones[i]) && !memcmp(dot + 1, clones[i], strlen(clones[i])))
			return false;
	return !memchr(dot, '(', len - (size_t)(dot - p)) && !memchr(dot, '>', len - (size_t)(dot - p));
}

/* What follows '@': a symbol version, "plt", or a source file. */
static int parse_at(struct probe_spec *s, const char **pos, struct errbuf *eb)
{
	const char *p = *pos + 1;
	bool is_version = *p == '@';
	size_t len, i;

	p += is_version;
	len = place_length(p, is_version ? ":+%;@" : ":%;@");
	if (!len)
		return refuse(s, eb, "no file behind '@'", NULL);
	for (i = 0; i < len && (isupper((unsigned char)p[i]) || isdigit((unsigned char)p[i]) || strchr("._", p[i])); i++)
		;
	is_version |= i == len && isupper((unsigned char)p[0]) && memchr(p, '_', len);
	*pos = p + len;
	if (len == 3 && !memcmp(p, "plt", 3))
		s->is_plt = true;
	else if (is_version)
		s->version = plain(s, p, len);
	else
		s->file = plain(s, p, len);
	return 0;
}

static int parse_line(struct probe_spec *s, const char **pos, struct errbuf *eb)
{
	const char *p = *pos + 1;
	size_t len = place_length(p, "+%;@:");
	uint64_t line;

	if (!parse_number(p, len, &line) || line > INT32_MAX)
		return refuse(s, eb, "a line is a number", *pos);
	s->line = (uint32_t)line;
	s->has_line = true;
	*pos = p + len;
	return 0;
}

/* A glob of a source line: to the end of the word, or within quotes. */
static int parse_pattern(struct probe_spec *s, const char **pos, struct errbuf *eb)
{
	const char *p = *pos + 1, *end;

	if (*p == '"' || *p == '\'') {
		end = strchr(p + 1, *p);
		if (!end)
			return refuse(s, eb, "the quote is not closed", p);
		s->pattern = arena_str(&s->arena, p + 1, (size_t)(end - p) - 1);
		*pos = end + 1;
	} else {
		size_t len = strcspn(p, " \t");

		s->pattern = plain(s, p, len);
		*pos = p + len;
	}
	return *s->pattern ? 0 : refuse(s, eb, "the pattern behind ';' is empty", NULL);
}

static int parse_suffix(struct probe_spec *s, const char **pos, struct errbuf *eb)
{
	const char *p = *pos;
	size_t len;

	switch (*p) {
	case '@':
		return s->file || s->version || s->is_plt ? refuse(s, eb, "a second '@'", p) : parse_at(s, pos, eb);
	case ':':
		return s->has_line ? refuse(s, eb, "a second line", p) : parse_line(s, pos, eb);
	case ';':
		return parse_pattern(s, pos, eb);
	case '+':
		len = place_length(p + 1, "@:%;");
		if (s->has_offset || !parse_number(p + 1, len, &s->offset))
			return refuse(s, eb, "an offset is a number", p);
		s->has_offset = true;
		*pos = p + 1 + len;
		return 0;
	case '%':
		if (strncmp(p, "%return", 7) || is_name_char(p[7]))
			return refuse(s, eb, "only '%return' can stand here", p);
		s->is_return = true;
		*pos = p + 7;
		return 0;
	}
	return refuse(s, eb, "not understood", p);
}

static int parse_sdt(struct probe_spec *s, const char **pos, struct errbuf *eb)
{
	const char *p = *pos + 1;
	size_t first = strcspn(p, ": \t"), second;

	if (p[first] != ':')
		return refuse(s, eb, "a marker of the program is %PROVIDER:NAME", p);
	second = strcspn(p + first + 1, " \t");
	if (!strncmp(p, "sdt_", 4) && first > 4) {
		p += 4;
		first -= 4;
	}
	if (!first || !second)
		return refuse(s, eb, "a marker of the program is %PROVIDER:NAME", p);
	s->place = PROBE_SDT;
	s->provider = arena_str(&s->arena, p, first);
	s->sdt = arena_str(&s->arena, p + first + 1, second);
	*pos = p + first + 1 + second;
	return 0;
}

/* What cannot be asked for together. */
static int check_place(const struct probe_spec *s, struct errbuf *eb)
{
	if (s->place == PROBE_SOURCE && !s->has_line && !s->pattern)
		return refuse(s, eb, "a source file needs a line (FILE:LINE) or a pattern (FILE;PATTERN)", NULL);
	if (s->place == PROBE_SOURCE && (s->has_offset || s->is_return || s->version))
		return refuse(s, eb, "an offset or %return needs a function", NULL);
	if (s->place == PROBE_SOURCE && s->has_line && !s->line)
		return refuse(s, eb, "lines of files begin at 1", NULL);
	if (s->has_line + s->has_offset + s->is_return + (s->pattern != NULL) > 1)
		return refuse(s, eb, "give one of line, offset, pattern and %return", NULL);
	return 0;
}

static int parse_place(struct probe_spec *s, const char **pos, struct errbuf *eb)
{
	const char *p = *pos;
	size_t len = place_length(p, "@:+%;");
	int err = 0;

	if (*p == '%')
		return parse_sdt(s, pos, eb);
	if (!len)
		return refuse(s, eb, *p && !isspace((unsigned char)*p) ? "a function or a file comes first" : "the place is empty", NULL);
	*pos = p + len;
	if (p[0] == '0' && (p[1] | 32) == 'x') {
		s->place = PROBE_ADDRESS;
		if (!parse_number(p, len, &s->offset))
			return refuse(s, eb, "not a number", p);
		if (**pos == '%' && !strncmp(*pos, "%return", 7)) {
			s->is_return = true;
			*pos += 7;
		}
		return !**pos || isspace((unsigned char)**pos) ? 0 : refuse(s, eb, "nothing can follow an address", *pos);
	}
	/* "main.work" alone is a function of Go. */
	s->place = is_source_name(p, len) && **pos != '@' && (**pos == ':' || **pos == ';' || has_source_ending(p, len)) ? PROBE_SOURCE
															 : PROBE_FUNCTION;
	if (s->place == PROBE_SOURCE)
		s->file = plain(s, p, len);
	else
		s->function = plain(s, p, len);
	while (!err && **pos && !isspace((unsigned char)**pos))
		err = parse_suffix(s, pos, eb);
	return err ? err : check_place(s, eb);
}

static int parse_args(struct probe_spec *s, const char *p, struct errbuf *eb)
{
	for (;;) {
		struct probe_arg a = { 0 };
		size_t len;
		int err;

		p += strspn(p, " \t\n");
		if (!*p)
			return 0;
		len = strcspn(p, " \t\n");
		if (s->args.nr == MAX_ARGS)
			return refuse(s, eb, "more arguments than the kernel takes (128)", NULL);
		err = probe_arg_parse(s, arena_str(&s->arena, p, len), &a, eb);
		if (err)
			return err;
		vec_push(&s->args, a);
		p += len;
	}
}

int probe_spec_parse(struct probe_spec *s, const char *text, struct errbuf *eb)
{
	size_t len = strnlen(text, MAX_TEXT_BYTES + 1);
	const char *p;
	int err;

	*s = (struct probe_spec){ 0 };
	if (len > MAX_TEXT_BYTES)
		return errbuf_set(eb, -EINVAL, "a probe has more than %d bytes", MAX_TEXT_BYTES);
	text += strspn(text, " \t\n");
	s->text = p = arena_str(&s->arena, text, strlen(text));
	err = parse_event(s, &p, eb) ?: parse_place(s, &p, eb) ?: parse_args(s, p, eb);
	if (err)
		probe_spec_fini(s);
	return err;
}

void probe_spec_fini(struct probe_spec *s)
{
	vec_fini(&s->args);
	arena_fini(&s->arena);
}
