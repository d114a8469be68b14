/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Terms between slashes: splitting them, and those that the grammar itself knows, for events of any kind. A PMU's own terms are in
 * event_pmu.c.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kernel/event_parser.h"

enum term_value { VALUE_NUMBER, VALUE_SWITCH /* 0 or 1, or nothing for 1 */, VALUE_TEXT };

struct known_term {
	const char *name;
	enum term_value value;
	uint64_t max;
	size_t off, size; /* where the value goes in struct event_spec; 0: by apply_text(), or it is a bit of the attr */
	uint32_t given;	  /* EVENT_TERM_* */
	bool is_negated;
	int (*apply_text)(const struct event_parser *p, const struct event_term *t, struct event_spec *spec);
};

static int apply_name(const struct event_parser *p, const struct event_term *t, struct event_spec *spec)
{
	(void)p;
	free(spec->name);
	spec->name = mem_strndup(t->value.s, t->value.len);
	return 0;
}

static int apply_callgraph(const struct event_parser *p, const struct event_term *t, struct event_spec *spec)
{
	static const char *const modes[] = {
		[CALLGRAPH_NONE] = "no", [CALLGRAPH_FP] = "fp", [CALLGRAPH_DWARF] = "dwarf", [CALLGRAPH_LBR] = "lbr"
	};

	for (int i = CALLGRAPH_NONE; i <= CALLGRAPH_LBR; i++) {
		if (!span_is(t->value, modes[i]))
			continue;
		spec->terms.callgraph = (enum event_callgraph)i;
		return 0;
	}
	return parser_fail(p, t->value.s, -EINVAL, "call-graph=" SPAN_FMT ": call chains are fp, dwarf, lbr or no", SPAN_ARG(t->value));
}

/* branch_type=a|b: the bits of attr.branch_sample_type */
static const struct {
	const char *name;
	uint64_t bits;
} branch_types[] = {
	{ "u", 1 << 0 },	{ "k", 1 << 1 },	 { "hv", 1 << 2 },	   { "any", 1 << 3 },
	{ "any_call", 1 << 4 }, { "any_ret", 1 << 5 },	 { "ind_call", 1 << 6 },   { "abort_tx", 1 << 7 },
	{ "in_tx", 1 << 8 },	{ "no_tx", 1 << 9 },	 { "cond", 1 << 10 },	   { "ind_jmp", 1 << 12 },
	{ "call", 1 << 13 },	{ "no_flags", 1 << 14 }, { "no_cycles", 1 << 15 }, { "save_type", 1 << 16 },
};

static int apply_branch_type(const struct event_parser *p, const struct event_term *t, struct event_spec *spec)
{
	const char *s = t->value.s, *end = t->value.s + t->value.len;

	while (s < end) {
		const char *bar = memchr(s, '|', (size_t)(end - s));
		struct span word = { s, (size_t)((bar ? bar : end) - s) };
		size_t i;

		for (i = 0; i < sizeof(branch_types) / sizeof(branch_types[0]); i++)
			if (span_is(word, branch_types[i].name))
				break;
		if (i == sizeof(branch_types) / sizeof(branch_types[0]))
			return parser_fail(p, s, -EINVAL,
					   "there is no kind of branch '" SPAN_FMT
					   "'; they are any, any_call, any_ret, ind_call, cond, call, u, k, …",
					   SPAN_ARG(word));
		spec->terms.branch_type |= branch_types[i].bits;
		s = bar ? bar + 1 : end;
	}
	return 0;
}

/* clang-format off */
#define FIELD(f) .off = offsetof(struct event_spec, f), .size = sizeof(((struct event_spec *)0)->f)
#define NUMBER(n, most, field, bit) { .name = n, .value = VALUE_NUMBER, .max = most, FIELD(field), .given = bit }
#define SWITCH(n, field, bit, ...) { .name = n, .value = VALUE_SWITCH, .max = 1, FIELD(field), .given = bit, __VA_ARGS__ }
#define TEXT(n, apply, bit) { .name = n, .value = VALUE_TEXT, .given = bit, .apply_text = apply }
/* clang-format on */

static const struct known_term known_terms[] = {
	NUMBER("config", UINT64_MAX, attr.config, 0),
	NUMBER("config1", UINT64_MAX, attr.config1, 0),
	NUMBER("config2", UINT64_MAX, attr.config2, 0),
	NUMBER("config3", UINT64_MAX, attr.config3, 0),
	TEXT("name", apply_name, 0),
	NUMBER("period", INT64_MAX, terms.period, EVENT_TERM_PERIOD),
	NUMBER("freq", 1000000000, terms.freq, EVENT_TERM_FREQ),
	SWITCH("time", terms.time, EVENT_TERM_TIME),
	TEXT("call-graph", apply_callgraph, EVENT_TERM_CALLGRAPH),
	NUMBER("stack-size", 65528, terms.stack_size, EVENT_TERM_STACK_SIZE),
	NUMBER("max-stack", UINT16_MAX, terms.max_stack, EVENT_TERM_MAX_STACK),
	SWITCH("inherit", terms.inherit, EVENT_TERM_INHERIT),
	SWITCH("no-inherit", terms.inherit, EVENT_TERM_INHERIT, .is_negated = true),
	SWITCH("overwrite", terms.overwrite, EVENT_TERM_OVERWRITE),
	SWITCH("no-overwrite", terms.overwrite, EVENT_TERM_OVERWRITE, .is_negated = true),
	SWITCH("percore", per_core, 0),
	TEXT("branch_type", apply_branch_type, EVENT_TERM_BRANCH_TYPE),
	{ .name = "aux-output", .value = VALUE_SWITCH, .max = 1 },
	NUMBER("aux-sample-size", UINT32_MAX, attr.aux_sample_size, 0),
	TEXT("metric-id", NULL, 0), /* perf's own bookkeeping */
};
#define NR_TERMS (sizeof(known_terms) / sizeof(known_terms[0]))

const char *term_name_get(uint32_t i)
{
	return i < NR_TERMS ? known_terms[i].name : NULL;
}

static bool is_term_char(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_-.*?!@+", c));
}

/* One term at *pos. False: there is no name. */
static bool take_term(const char **pos, struct event_term *t)
{
	const char *s = *pos + strspn(*pos, " \t\n");

	*t = (struct event_term){ .name = { s, 0 } };
	while (is_term_char(s[t->name.len]))
		t->name.len++;
	s += t->name.len;
	if (*s == '=') {
		t->has_value = true;
		t->value.s = ++s;
		if ((*s == '\'' || *s == '"') && strchr(s + 1, *s)) {
			t->value.s++;
			t->value.len = (size_t)(strchr(s + 1, *s) - t->value.s);
			s = t->value.s + t->value.len + 1;
		} else {
			t->value.len = strcspn(s, ",/ \t\n");
			s += t->value.len;
		}
	}
	*pos = s + strspn(s, " \t\n");
	return t->name.len;
}

int terms_parse(struct event_parser *p, struct event_term_list *terms)
{
	struct event_term t;

	while (!parser_take(p, '/')) {
		if (terms->terms.nr && !parser_take(p, ','))
			return parser_fail_expected(p, "a comma or the '/' that ends the terms");
		if (!take_term(&p->pos, &t)) {
			p->pos = t.name.s;
			return parser_fail_expected(p, "a term (name or name=value)");
		}
		vec_push(&terms->terms, t);
	}
	return 0;
}

bool terms_split(const char *text, struct event_term_list *terms)
{
	struct event_term t;

	for (;; text++) {
		if (!take_term(&text, &t))
			return false;
		vec_push(&terms->terms, t);
		if (!*text)
			return true;
		if (*text != ',')
			return false;
	}
}

static int term_number(const struct event_parser *p, const struct event_term *t, const struct known_term *known, uint64_t *value)
{
	bool is_switch = known->value == VALUE_SWITCH;

	*value = 1;
	if (!t->has_value && is_switch)
		return 0;
	if (!t->has_value)
		return parser_fail(p, t->name.s, -EINVAL, "term '%s' needs a value: %s=NUMBER", known->name, known->name);
	if (!span_number(t->value, false, value) && span_is_digits(t->value, false))
		return parser_fail(p, t->value.s, -EINVAL, SPAN_FMT " is too large: term '%s' takes at most %llu", SPAN_ARG(t->value),
				   known->name, (unsigned long long)known->max);
	if (!span_number(t->value, false, value))
		return parser_fail(p, t->value.s, -EINVAL,
				   "'" SPAN_FMT "' is no number: term '%s' takes one (decimal, or hexadecimal with 0x)", SPAN_ARG(t->value),
				   known->name);
	if (*value > known->max)
		return parser_fail(p, t->value.s, -EINVAL, "term '%s' takes at most %llu, not " SPAN_FMT, known->name,
				   (unsigned long long)known->max, SPAN_ARG(t->value));
	return 0;
}

static void apply_number(const struct known_term *known, uint64_t value, struct event_spec *spec)
{
	/* Of period and frequency the last holds. */
	if (known->given & (EVENT_TERM_PERIOD | EVENT_TERM_FREQ))
		spec->terms.given &= ~(EVENT_TERM_PERIOD | EVENT_TERM_FREQ);
	if (known->is_negated)
		value = !value;
	/* Little-endian, as is every machine that this is built for: the low bytes come first. */
	memcpy((char *)spec + known->off, &value, known->size);
	if (!known->size && value)
		spec->attr.flags |= ATTR_AUX_OUTPUT;
	if (known->off == offsetof(struct event_spec, attr.config3))
		spec->attr.size = offsetof(struct attr, config4);
}

int term_apply(const struct event_parser *p, const struct event_term *term, struct event_spec *spec)
{
	const struct known_term *known = known_terms, *end = known_terms + NR_TERMS;
	uint64_t value;
	int err;

	while (known < end && !span_is(term->name, known->name))
		known++;
	if (known == end)
		return 0;
	if (known->value == VALUE_TEXT) {
		if (!term->has_value || !term->value.len)
			return parser_fail(p, term->name.s, -EINVAL, "term '" SPAN_FMT "' needs a value", SPAN_ARG(term->name));
		err = known->apply_text ? known->apply_text(p, term, spec) : 0;
	} else {
		err = term_number(p, term, known, &value);
		if (!err && known->given == EVENT_TERM_STACK_SIZE && (value & 7 || !value))
			err = parser_fail(p, term->value.s, -EINVAL, "a stack's size is a multiple of 8, up to 65528 bytes");
		if (!err && known->given == EVENT_TERM_FREQ && !value)
			err = parser_fail(p, term->value.s, -EINVAL, "a frequency is at least 1");
		if (!err)
			apply_number(known, value, spec);
	}
	if (err)
		return err;
	spec->terms.given |= known->given;
	return 1;
}

int terms_parse_plain(struct event_parser *p)
{
	struct event_term_list l = { 0 };
	int err = 0;

	if (!parser_take(p, '/'))
		return 0;
	err = terms_parse(p, &l);
	p->needs_no_colon = true;
	for (uint32_t i = p->event_first; i < p->list->events.nr && !err; i++) {
		for (uint32_t k = 0; k < l.terms.nr && !err; k++) {
			err = term_apply(p, &l.terms.v[k], &p->list->events.v[i]);
			if (!err)
				err = event_unknown_term(p, NULL, l.terms.v[k].name);
			else if (err > 0)
				err = 0;
		}
	}
	vec_fini(&l.terms);
	return err;
}
