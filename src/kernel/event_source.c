/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The kinds of source an event can come from: generic names, the tool's own, raw codes, numbers, tracepoints, breakpoints, and what PMUs
 * and libpfm4 know. Each appends the events it stands for; a new kind gets a function of its own here and a line in event_source_parse().
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "abi/event_names.h"
#include "base/log.h"
#include "kernel/event_parser.h"

const char *event_tool_name(uint32_t i)
{
	static const char *const names[] = { "duration_time", "user_time", "system_time" };

	return i < sizeof(names) / sizeof(names[0]) ? names[i] : NULL;
}

/* Hardware events exist once in each kind of core. */
static int add_generic(struct event_parser *p, uint32_t type, uint64_t config, const char *where)
{
	if (type != ATTR_TYPE_SOFTWARE) {
		int ret = event_pmu_hybrid(p, type, config, where);

		if (ret)
			return ret < 0 ? ret : 0;
	}
	return parser_add(p, event_spec_of(type, config, NULL), where);
}

static enum event_tool tool_find(struct span word)
{
	const char *name;

	for (uint32_t i = 0; (name = event_tool_name(i)); i++)
		if (span_is(word, name))
			return (enum event_tool)(EVENT_TOOL_DURATION + i);
	return EVENT_TOOL_NONE;
}

static bool span_has_digit(struct span x)
{
	for (size_t i = 0; i < x.len; i++)
		if (isdigit((unsigned char)x.s[i]))
			return true;
	return false;
}

/* A name that needs no looking up: 1 appended, 0 it is none. */
static int parse_plain_name(struct event_parser *p, struct span word)
{
	struct event_spec spec;
	uint32_t type;
	uint64_t config;
	int err;

	if (tool_find(word)) {
		spec = event_spec_of(ATTR_TYPE_SOFTWARE, CONFIG_DUMMY, NULL);
		spec.tool = tool_find(word);
		spec.unit = mem_strdup("ns");
		err = parser_add(p, spec, word.s);
		return err ? err : 1;
	}
	if (!event_names_find(word.s, word.len, &type, &config)) {
		err = add_generic(p, type, config, word.s);
	} else if (span_raw(word, &config)) {
		/* Some raw codes are words, and some events have them for names ("read"). */
		err = span_has_digit(word) ? 0 : event_pmu_alias(p, word);
		if (!err)
			err = add_generic(p, ATTR_TYPE_RAW, config, word.s);
		else if (err > 0)
			err = 0;
	} else {
		return 0;
	}
	return err ? err : 1;
}

/* TYPE:CONFIG; the type is read already. */
static int parse_numeric(struct event_parser *p, struct span type_word, uint64_t type)
{
	struct span word;
	uint64_t config;

	if (type > UINT32_MAX)
		return parser_fail(p, type_word.s, -EINVAL, "a type of events is a number below 2^32");
	if (!parser_take(p, ':'))
		return parser_fail_expected(p, "':' and the number of the event");
	word = parser_take_word(p);
	if (!span_number(word, false, &config)) {
		p->pos = word.s;
		return parser_fail_expected(p, "the number of the event (decimal, or hexadecimal with 0x)");
	}
	return parser_add(p, event_spec_of((uint32_t)type, config, NULL), type_word.s);
}

struct found_ctx {
	struct event_parser *p;
	const char *where;
	bool is_pattern;
	uint32_t nr_skipped;
	int err;
};

/* The function tracer's own: the kernel refuses to count it (event_error.c has the sentence). */
static bool is_function_tracer(const char *system, const char *name)
{
	return !strcmp(system, "ftrace") && !strcmp(name, "function");
}

static void found_tracepoint(void *ctx, const char *system, const char *name, uint64_t id)
{
	struct found_ctx *c = ctx;

	if (c->is_pattern && is_function_tracer(system, name)) {
		c->nr_skipped++;
		return;
	}
	if (!c->err)
		c->err = parser_add(c->p, event_spec_of(ATTR_TYPE_TRACEPOINT, id, mem_printf("%s:%s", system, name)), c->where);
}

/* `eb`: whereto the source's sentence goes, without the column. */
static int find_tracepoints(struct event_parser *p, struct span system, struct span name, struct errbuf *eb)
{
	struct found_ctx ctx = { .p = p, .where = system.s };
	uint32_t nr = p->list->events.nr;
	char *system_s, *name_s;
	int err;

	if (!p->sources->tracepoints)
		return errbuf_set(eb, -ENOENT, "there are no tracepoints here");
	system_s = mem_strndup(system.s, system.len);
	name_s = mem_strndup(name.s, name.len);
	ctx.is_pattern = strpbrk(system_s, "*?[") || strpbrk(name_s, "*?[");
	err = p->sources->tracepoints(system_s, name_s, found_tracepoint, &ctx, eb);
	if (!err && !ctx.err && ctx.nr_skipped && p->list->events.nr == nr)
		err = errbuf_set(eb, -ENOENT,
				 "of tracepoints '%s:%s' matches only ftrace:function, which "
				 "cannot be counted by perf_event_open; use the function tracer",
				 system_s, name_s);
	else if (ctx.nr_skipped && !p->function_told)
		log_warn("'%s:%s' is taken without ftrace:function, which cannot be counted by "
			 "perf_event_open; use the function tracer for it",
			 system_s, name_s);
	p->function_told |= ctx.nr_skipped > 0;
	free(system_s);
	free(name_s);
	return err ? err : ctx.err;
}

/* rwx at the position, each at most once; 0 where something else (a modifier) stands there. */
static uint32_t take_access(struct event_parser *p)
{
	static const char letters[] = "rwx";
	const char *s = p->pos;
	uint32_t access = 0;

	for (; isalnum((unsigned char)*s); s++) {
		const char *letter = strchr(letters, *s);

		if (!letter || access & 1u << (letter - letters))
			return 0;
		access |= 1u << (letter - letters);
	}
	p->pos = s;
	return access;
}

/* After "mem:ADDRESS:", what is no access must be modifiers, and says so where it is neither. */
static int check_access(const struct event_parser *p)
{
	struct span word = { p->pos, 0 };

	while (isalnum((unsigned char)word.s[word.len]))
		word.len++;
	if (!word.len || modifiers_are(word))
		return 0;
	return parser_fail(p, word.s, -EINVAL,
			   "'" SPAN_FMT "' is neither an access (r, w, x, each at most once) nor modifiers (u k h G H I p P S D e W b)",
			   SPAN_ARG(word));
}

#define BREAKPOINT_X 4

/* mem:ADDRESS[/LENGTH][:rwx]; "mem:" is read already. */
static int parse_breakpoint(struct event_parser *p, const char *start)
{
	struct event_spec spec = event_spec_of(ATTR_TYPE_BREAKPOINT, 0, NULL);
	struct span word = parser_take_word(p);
	uint32_t access = 0;

	if (!span_number(word, false, &spec.attr.config1)) {
		p->pos = word.s;
		return parser_fail_expected(p, "the address to watch (decimal, or hexadecimal with 0x)");
	}
	if (parser_take(p, '/')) {
		/* perf's name for it ends here. */
		spec.name = mem_strndup(start, (size_t)(p->pos - 1 - start));
		word = parser_take_word(p);
		if (!span_number(word, false, &spec.attr.config2) || !spec.attr.config2 || spec.attr.config2 > 8 ||
		    spec.attr.config2 & (spec.attr.config2 - 1)) {
			event_spec_fini(&spec);
			p->pos = word.s;
			return parser_fail_expected(p, "a length of 1, 2, 4 or 8 bytes");
		}
	}
	if (parser_at(p, ':')) {
		const char *colon = p->pos++;

		parser_skip_spaces(p);
		access = take_access(p);
		if (!access) {
			int err = check_access(p);

			if (err) {
				event_spec_fini(&spec);
				return err;
			}
			p->pos = colon; /* modifiers follow */
		}
	}
	spec.attr.bp_type = access ? access : 3;
	if (!spec.attr.config2)
		spec.attr.config2 = access & BREAKPOINT_X ? sizeof(long) : 4;
	return parser_add(p, spec, start);
}

/* libpfm4 has a grammar of its own, with colons; its names end where ours cannot go on. */
static int parse_pfm(struct event_parser *p, const char *start)
{
	struct event_spec spec = event_spec_of(0, 0, NULL);
	struct errbuf eb = { 0 };
	char *text;
	int err;

	if (!p->sources->pfm_find)
		return -ENOENT;
	text = mem_strndup(start, strcspn(start, ",{}/ \t\n"));
	err = p->sources->pfm_find(text, &spec.attr, &eb);
	if (!err) {
		p->pos = start + strlen(text);
		p->modifiers_read = true;
		err = parser_add(p, spec, start);
	} else if (eb.text[0]) {
		err = parser_fail(p, start, err, "%s", eb.text);
	}
	free(text);
	return err;
}

/* Neither generic nor a tracepoint: an alias, libpfm4's, or nothing. */
static int parse_other_name(struct event_parser *p, struct span word)
{
	int err = event_pmu_alias(p, word);

	if (err)
		return err < 0 ? err : terms_parse_plain(p);
	err = parse_pfm(p, word.s);
	return err == -ENOENT ? event_unknown(p, word) : err;
}

/* NAME ":" …: a tracepoint, an alias with modifiers, or a libpfm4 name. */
static int parse_colon_name(struct event_parser *p, struct span word)
{
	const char *colon = p->pos++;
	struct errbuf eb = { 0 };
	struct span second;
	int err, pfm_err;

	if (span_is(word, "mem"))
		return parse_breakpoint(p, word.s);
	second = parser_take_word(p);
	if (!second.len && !parser_at(p, ':'))
		return parser_fail_expected(p, "the name of a tracepoint or modifiers");
	if (!second.len) { /* "pmu::event" is libpfm4's */
		p->pos = colon;
		return parse_other_name(p, word);
	}
	/* "cyclse:u" is a mistyped event with a modifier, unless there is a tracepoint "u". */
	if (modifiers_are(second)) {
		if (!find_tracepoints(p, word, second, &eb))
			return terms_parse_plain(p);
		p->pos = colon;
		return parse_other_name(p, word);
	}
	err = find_tracepoints(p, word, second, &eb);
	if (!err)
		return terms_parse_plain(p);
	pfm_err = parse_pfm(p, word.s);
	if (pfm_err != -ENOENT)
		return pfm_err;
	return event_unknown_tracepoint(p, word, err, eb.text);
}

int event_source_parse(struct event_parser *p)
{
	struct span word = parser_take_word(p);
	uint64_t number;
	int err;

	p->event_first = p->list->events.nr;
	p->base = word;
	p->is_hybrid = p->has_pmu = p->needs_no_colon = p->modifiers_read = false;
	if (!word.len)
		return parser_fail_expected(p, "the name of an event");
	err = parse_plain_name(p, word);
	if (err)
		return err < 0 ? err : terms_parse_plain(p);
	if (span_number(word, false, &number)) {
		err = parse_numeric(p, word, number);
		return err ? err : terms_parse_plain(p);
	}
	if (parser_at(p, '/'))
		return event_pmu_parse(p, word);
	if (parser_at(p, ':'))
		return parse_colon_name(p, word);
	return parse_other_name(p, word);
}
