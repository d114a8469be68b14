/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The event grammar: a tokenizer that knows positions, and a recursive descent parser over it.
 *
 *	events    := event { "," event }
 *	event     := source [ ":" modifiers ]
 *	source    := NAME | "r" HEX | NUMBER ":" NUMBER | SYSTEM ":" NAME
 *
 * New kinds of source get a parse_*() of their own and a line in parse_event(). The tokenizer
 *already knows the marks that PMU terms, groups and breakpoints use, so that they fail with a
 *reason today.
 */
#include "kernel/event_parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "abi/event_names.h"
#include "base/arena.h"
#include "base/suggest.h"
#include "kernel/sysctl.h"
#include "kernel/tracefs.h"

const struct event_sources event_sources_live = { .tracepoint_id = tracefs_event_id };

enum token_kind { TOKEN_END, TOKEN_WORD, TOKEN_MARK };

struct token {
	enum token_kind kind;
	const char *s;
	size_t len;
};

struct event_parser {
	const char *text;
	const char *pos;
	struct token tok; /* the one to be looked at next */
	const struct event_sources *sources;
	struct event_list *list;
	struct errbuf *eb;
};

#define TEXT_MAX 65536 /* longer is no command line of a person; bounds the work */

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_-.*?!", c));
}

static void next_token(struct event_parser *p)
{
	const char *s = p->pos;

	while (*s == ' ' || *s == '\t' || *s == '\n')
		s++;
	p->tok = (struct token){ .kind = TOKEN_END, .s = s };
	if (!*s)
		return;
	p->tok.kind = TOKEN_MARK;
	p->tok.len = 1;
	if (is_word_char(*s)) {
		p->tok.kind = TOKEN_WORD;
		while (is_word_char(s[p->tok.len]))
			p->tok.len++;
	}
	p->pos = s + p->tok.len;
}

static bool at_mark(const struct event_parser *p, char mark)
{
	return p->tok.kind == TOKEN_MARK && *p->tok.s == mark;
}

/* "…, at column N of 'text'", with what is wrong in front. */
__attribute__((format(printf, 3, 4))) static int fail_at(const struct event_parser *p,
							 const char *where, const char *fmt, ...)
{
	char reason[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	return errbuf_set(p->eb, -EINVAL, "event '%.200s', column %zu: %s", p->text,
			  (size_t)(where - p->text) + 1, reason);
}

static int fail_expected(const struct event_parser *p, const char *what)
{
	const struct token *t = &p->tok;

	if (t->kind == TOKEN_END)
		return fail_at(p, t->s, "it ends where %s was expected", what);
	if (t->kind == TOKEN_MARK && strchr("/{}", *t->s))
		return fail_at(
			p, t->s,
			"'%c': PMU terms (pmu/…/) and groups ({…}) are not understood by this version",
			*t->s);
	return fail_at(p, t->s, "'%.*s' where %s was expected", (int)(t->len < 60 ? t->len : 60),
		       t->s, what);
}

static int fail_unknown(const struct event_parser *p, const struct token *name)
{
	struct arena arena = { 0 };
	struct suggest hint;
	char typed[128], cache[EVENT_NAME_MAX];
	const struct event_name *known;
	uint64_t config;
	int err;

	snprintf(typed, sizeof(typed), "%.*s", (int)(name->len < 100 ? name->len : 100), name->s);
	suggest_init(&hint, typed);
	for (uint32_t i = 0; (known = event_names_get(i)); i++) {
		suggest_offer(&hint, known->name);
		if (known->alias)
			suggest_offer(&hint, known->alias);
	}
	for (uint32_t i = 0; event_names_get_cache(i, &config, cache, sizeof(cache)); i++)
		suggest_offer(&hint, arena_str(&arena, cache, strlen(cache)));
	if (hint.best)
		err = fail_at(
			p, name->s,
			"there is no event '%s'; did you mean '%s'? 'assay list' shows all events",
			typed, hint.best);
	else
		err = fail_at(p, name->s, "there is no event '%s'; 'assay list' shows all events",
			      typed);
	arena_fini(&arena);
	return err;
}

/* Modifiers. What they mean was settled by perf: naming one of u, k, h leaves out the others; G and
 * H likewise; u and the p's keep guests out unless G or H says otherwise. */
struct modifiers {
	bool some_mode, some_host;
	uint64_t flags;
	unsigned precise;
	bool precise_max, sample_read, weak_group, bpf_counter;
};

static void modifier_mode(struct modifiers *m, uint64_t included)
{
	if (!m->some_mode)
		m->flags |= ATTR_EXCLUDE_USER | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV;
	m->some_mode = true;
	m->flags &= ~included;
}

static void modifier_host(struct modifiers *m, uint64_t included)
{
	if (!m->some_host)
		m->flags |= ATTR_EXCLUDE_HOST | ATTR_EXCLUDE_GUEST;
	m->some_host = true;
	m->flags &= ~included;
}

static void modifier_no_guest(struct modifiers *m)
{
	if (!m->some_host)
		m->flags |= ATTR_EXCLUDE_GUEST;
}

static bool modifier_apply(struct modifiers *m, char c)
{
	switch (c) {
	case 'u':
		modifier_mode(m, ATTR_EXCLUDE_USER);
		modifier_no_guest(m);
		return true;
	case 'k':
		modifier_mode(m, ATTR_EXCLUDE_KERNEL);
		return true;
	case 'h':
		modifier_mode(m, ATTR_EXCLUDE_HV);
		return true;
	case 'G':
		modifier_host(m, ATTR_EXCLUDE_GUEST);
		return true;
	case 'H':
		modifier_host(m, ATTR_EXCLUDE_HOST);
		return true;
	case 'I':
		m->flags |= ATTR_EXCLUDE_IDLE;
		return true;
	case 'p':
		m->precise++;
		modifier_no_guest(m);
		return true;
	case 'P':
		m->precise_max = true;
		return true;
	case 'S':
		m->sample_read = true;
		return true;
	case 'D':
		m->flags |= ATTR_PINNED;
		return true;
	case 'e':
		m->flags |= ATTR_EXCLUSIVE;
		return true;
	case 'W':
		m->weak_group = true;
		return true;
	case 'b':
		m->bpf_counter = true;
		return true;
	}
	return false;
}

static bool is_modifiers(const struct token *t)
{
	for (size_t i = 0; i < t->len; i++)
		if (!strchr("ukhGHIpPSDeWb", t->s[i]))
			return false;
	return t->len && t->len <= 15;
}

static int parse_modifiers(struct event_parser *p, struct event_spec *spec)
{
	const struct token t = p->tok;
	struct modifiers m = { 0 };

	if (t.kind != TOKEN_WORD)
		return fail_expected(p, "modifiers (u, k, h, p, …)");
	for (size_t i = 0; i < t.len; i++) {
		if (t.s[i] != 'p' && memchr(t.s, t.s[i], i))
			return fail_at(p, t.s + i, "modifier '%c' is there twice", t.s[i]);
		if (!modifier_apply(&m, t.s[i]))
			return fail_at(
				p, t.s + i,
				"there is no modifier '%c'; they are u k h G H I p P S D e W b",
				t.s[i]);
		if (m.precise > 3)
			return fail_at(p, t.s + i, "three p's are the highest precision");
	}
	/* Modifiers replace the default (guests left out), as in perf. */
	spec->attr.flags = m.flags;
	if (m.precise_max)
		m.precise = 3;
	spec->attr.flags |= (uint64_t)m.precise << ATTR_PRECISE_IP_SHIFT;
	spec->precise_max = m.precise_max;
	spec->sample_read = m.sample_read;
	spec->weak_group = m.weak_group;
	spec->bpf_counter = m.bpf_counter;
	next_token(p);
	return 0;
}

/* The whole token as a number; hex with 0x, or always with `hex`. */
static bool token_number(const struct token *t, bool hex, uint64_t *value)
{
	const char *s = t->s, *end = t->s + t->len;
	uint64_t v = 0;

	if (!hex && t->len > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		hex = true;
		s += 2;
	}
	if (s == end)
		return false;
	for (; s < end; s++) {
		unsigned digit;

		if (isdigit((unsigned char)*s))
			digit = (unsigned)(*s - '0');
		else if (hex && isxdigit((unsigned char)*s))
			digit = (unsigned)(tolower((unsigned char)*s) - 'a') + 10;
		else
			return false;
		if (v > (UINT64_MAX - digit) / (hex ? 16 : 10))
			return false;
		v = v * (hex ? 16 : 10) + digit;
	}
	*value = v;
	return true;
}

/* TYPE:CONFIG; the type is read already. */
static int parse_numeric(struct event_parser *p, const struct token *type_tok, uint64_t type,
			 struct event_spec *spec)
{
	if (type > UINT32_MAX)
		return fail_at(p, type_tok->s, "a type of events is a number below 2^32");
	if (!at_mark(p, ':'))
		return fail_expected(p, "':' and the number of the event");
	next_token(p);
	if (p->tok.kind != TOKEN_WORD || !token_number(&p->tok, false, &spec->attr.config))
		return fail_expected(p,
				     "the number of the event (decimal, or hexadecimal with 0x)");
	spec->attr.type = (uint32_t)type;
	next_token(p);
	return 0;
}

/* SYSTEM:NAME; the system is read already and the token is the name. */
static int parse_tracepoint(struct event_parser *p, const struct token *system,
			    struct event_spec *spec)
{
	const struct token name = p->tok;
	struct token glob = name.kind == TOKEN_WORD ? name : *system;
	char *system_s, *name_s;
	int err;

	if (name.kind != TOKEN_WORD)
		return fail_expected(p, "the name of a tracepoint or modifiers");
	for (size_t i = 0; i < glob.len; i++)
		if (strchr("*?!", glob.s[i]))
			return fail_at(
				p, glob.s + i,
				"patterns of tracepoints are not understood by this version");
	system_s = mem_strndup(system->s, system->len);
	name_s = mem_strndup(name.s, name.len);
	err = p->sources->tracepoint_id(system_s, name_s, &spec->attr.config, p->eb);
	if (!err) {
		spec->attr.type = ATTR_TYPE_TRACEPOINT;
		spec->name = mem_printf("%s:%s", system_s, name_s);
		next_token(p);
	}
	free(system_s);
	free(name_s);
	return err;
}

static int parse_source(struct event_parser *p, struct event_spec *spec)
{
	const struct token first = p->tok;
	struct token code = { TOKEN_WORD, first.s + 1, first.len - 1 };
	uint64_t number;

	if (first.kind != TOKEN_WORD)
		return fail_expected(p, "the name of an event");
	next_token(p);
	if (!event_names_find(first.s, first.len, &spec->attr.type, &spec->attr.config))
		return 0;
	if (token_number(&first, false, &number))
		return parse_numeric(p, &first, number, spec);
	if (*first.s == 'r' && token_number(&code, true, &spec->attr.config)) {
		spec->attr.type = ATTR_TYPE_RAW;
		return 0;
	}
	if (at_mark(p, '/'))
		return fail_expected(p, "a comma or the end");
	if (!at_mark(p, ':'))
		return fail_unknown(p, &first);
	next_token(p);
	/* "cyclse:u" is a mistyped event with a modifier, not a tracepoint called "u". */
	if (p->tok.kind == TOKEN_WORD && is_modifiers(&p->tok))
		return fail_unknown(p, &first);
	return parse_tracepoint(p, &first, spec);
}

static int parse_event(struct event_parser *p)
{
	const char *start = p->tok.s, *end;
	struct event_spec spec = {
		.attr.size = ATTR_SIZE_VER7,
		.attr.flags = ATTR_EXCLUDE_GUEST,
		.column = (uint32_t)(start - p->text) + 1,
	};
	int err = parse_source(p, &spec);

	if (!err && at_mark(p, ':')) {
		next_token(p);
		err = parse_modifiers(p, &spec);
	}
	if (!err && p->tok.kind != TOKEN_END && !at_mark(p, ','))
		err = fail_expected(p, "a comma or the end");
	if (err) {
		free(spec.name);
		return err;
	}
	for (end = p->tok.s; end > start && isspace((unsigned char)end[-1]); end--)
		;
	if (!spec.name)
		spec.name = mem_strndup(start, (size_t)(end - start));
	vec_push(&p->list->events, spec);
	return 0;
}

static void event_list_cut(struct event_list *list, uint32_t nr)
{
	while (list->events.nr > nr)
		free(list->events.v[--list->events.nr].name);
}

int event_list_parse_from(struct event_list *list, const char *text,
			  const struct event_sources *sources, struct errbuf *eb)
{
	struct event_parser p = {
		.text = text,
		.pos = text,
		.sources = sources,
		.list = list,
		.eb = eb,
	};
	uint32_t before = list->events.nr;
	int err;

	if (strlen(text) > TEXT_MAX)
		return errbuf_set(eb, -EINVAL, "a list of events has at most %d characters",
				  TEXT_MAX);
	next_token(&p);
	for (;;) {
		err = parse_event(&p);
		if (err || p.tok.kind == TOKEN_END)
			break;
		next_token(&p); /* the comma */
	}
	if (err)
		event_list_cut(list, before);
	return err;
}

int event_list_parse(struct event_list *list, const char *text, struct errbuf *eb)
{
	return event_list_parse_from(list, text, &event_sources_live, eb);
}

void event_list_add_default(struct event_list *list)
{
	bool kernel = sysctl_paranoid() <= 1 || sysctl_is_perfmon_capable();
	struct event_spec spec = {
		.attr.type = ATTR_TYPE_HARDWARE,
		.attr.size = ATTR_SIZE_VER7,
		.attr.flags = ATTR_PRECISE_IP | (kernel ? 0 : ATTR_EXCLUDE_KERNEL),
		.name = mem_strdup(kernel ? "cycles:P" : "cycles:Pu"),
		.precise_max = true,
		.is_default = true,
		.kernel_denied = !kernel,
	};

	vec_push(&list->events, spec);
}

void event_list_fini(struct event_list *list)
{
	event_list_cut(list, 0);
	vec_fini(&list->events);
}
