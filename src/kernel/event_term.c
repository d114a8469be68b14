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

enum term_kind {
	TERM_CONFIG,
	TERM_CONFIG1,
	TERM_CONFIG2,
	TERM_CONFIG3,
	TERM_NAME,
	TERM_PERIOD,
	TERM_FREQ,
	TERM_TIME,
	TERM_CALLGRAPH,
	TERM_STACK_SIZE,
	TERM_MAX_STACK,
	TERM_INHERIT,
	TERM_NO_INHERIT,
	TERM_OVERWRITE,
	TERM_NO_OVERWRITE,
	TERM_PERCORE,
	TERM_BRANCH_TYPE,
	TERM_AUX_OUTPUT,
	TERM_AUX_SAMPLE_SIZE,
	TERM_METRIC_ID,
};

enum term_value { VALUE_NUMBER, VALUE_SWITCH /* 0 or 1, or nothing for 1 */, VALUE_TEXT };

static const struct {
	const char *name;
	enum term_kind kind;
	enum term_value value;
	uint64_t max;
} known_terms[] = {
	{ "config", TERM_CONFIG, VALUE_NUMBER, UINT64_MAX },
	{ "config1", TERM_CONFIG1, VALUE_NUMBER, UINT64_MAX },
	{ "config2", TERM_CONFIG2, VALUE_NUMBER, UINT64_MAX },
	{ "config3", TERM_CONFIG3, VALUE_NUMBER, UINT64_MAX },
	{ "name", TERM_NAME, VALUE_TEXT, 0 },
	{ "period", TERM_PERIOD, VALUE_NUMBER, INT64_MAX },
	{ "freq", TERM_FREQ, VALUE_NUMBER, 1000000000 },
	{ "time", TERM_TIME, VALUE_SWITCH, 1 },
	{ "call-graph", TERM_CALLGRAPH, VALUE_TEXT, 0 },
	{ "stack-size", TERM_STACK_SIZE, VALUE_NUMBER, 65528 },
	{ "max-stack", TERM_MAX_STACK, VALUE_NUMBER, UINT16_MAX },
	{ "inherit", TERM_INHERIT, VALUE_SWITCH, 1 },
	{ "no-inherit", TERM_NO_INHERIT, VALUE_SWITCH, 1 },
	{ "overwrite", TERM_OVERWRITE, VALUE_SWITCH, 1 },
	{ "no-overwrite", TERM_NO_OVERWRITE, VALUE_SWITCH, 1 },
	{ "percore", TERM_PERCORE, VALUE_SWITCH, 1 },
	{ "branch_type", TERM_BRANCH_TYPE, VALUE_TEXT, 0 },
	{ "aux-output", TERM_AUX_OUTPUT, VALUE_SWITCH, 1 },
	{ "aux-sample-size", TERM_AUX_SAMPLE_SIZE, VALUE_NUMBER, UINT32_MAX },
	{ "metric-id", TERM_METRIC_ID, VALUE_TEXT, 0 },
};
#define NR_TERMS (sizeof(known_terms) / sizeof(known_terms[0]))

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

static int term_number(const struct event_parser *p, const struct event_term *t, size_t known, uint64_t *value)
{
	bool is_switch = known_terms[known].value == VALUE_SWITCH;

	*value = 1;
	if (!t->has_value && is_switch)
		return 0;
	if (!t->has_value)
		return parser_fail(p, t->name.s, -EINVAL, "term '%s' needs a value: %s=NUMBER", known_terms[known].name,
				   known_terms[known].name);
	if (!span_number(t->value, false, value) && span_is_digits(t->value, false))
		return parser_fail(p, t->value.s, -EINVAL, SPAN_FMT " is too large: term '%s' takes at most %llu", SPAN_ARG(t->value),
				   known_terms[known].name, (unsigned long long)known_terms[known].max);
	if (!span_number(t->value, false, value))
		return parser_fail(p, t->value.s, -EINVAL,
				   "'" SPAN_FMT "' is no number: term '%s' takes one (decimal, or hexadecimal with 0x)", SPAN_ARG(t->value),
				   known_terms[known].name);
	if (*value > known_terms[known].max)
		return parser_fail(p, t->value.s, -EINVAL, "term '%s' takes at most %llu, not " SPAN_FMT, known_terms[known].name,
				   (unsigned long long)known_terms[known].max, SPAN_ARG(t->value));
	return 0;
}

static int apply_callgraph(const struct event_parser *p, const struct event_term *t, struct event_terms *terms)
{
	static const char *const modes[] = {
		[CALLGRAPH_NONE] = "no", [CALLGRAPH_FP] = "fp", [CALLGRAPH_DWARF] = "dwarf", [CALLGRAPH_LBR] = "lbr"
	};

	for (int i = CALLGRAPH_NONE; i <= CALLGRAPH_LBR; i++) {
		if (!span_is(t->value, modes[i]))
			continue;
		terms->given |= EVENT_TERM_CALLGRAPH;
		terms->callgraph = (enum event_callgraph)i;
		return 0;
	}
	return parser_fail(p, t->value.s, -EINVAL, "call-graph=" SPAN_FMT ": call chains are fp, dwarf, lbr or no", SPAN_ARG(t->value));
}

static int apply_branch_type(const struct event_parser *p, const struct event_term *t, struct event_terms *terms)
{
	const char *s = t->value.s, *end = t->value.s + t->value.len;

	terms->given |= EVENT_TERM_BRANCH_TYPE;
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
		terms->branch_type |= branch_types[i].bits;
		s = bar ? bar + 1 : end;
	}
	return 0;
}

static int apply_text(const struct event_parser *p, const struct event_term *t, enum term_kind kind, struct event_spec *spec)
{
	if (!t->has_value || !t->value.len)
		return parser_fail(p, t->name.s, -EINVAL, "term '" SPAN_FMT "' needs a value", SPAN_ARG(t->name));
	switch (kind) {
	case TERM_NAME:
		free(spec->name);
		spec->name = mem_strndup(t->value.s, t->value.len);
		return 0;
	case TERM_CALLGRAPH:
		return apply_callgraph(p, t, &spec->terms);
	case TERM_BRANCH_TYPE:
		return apply_branch_type(p, t, &spec->terms);
	default: /* metric-id is perf's own bookkeeping */
		return 0;
	}
}

static void apply_number(enum term_kind kind, uint64_t value, struct event_spec *spec)
{
	struct event_terms *terms = &spec->terms;

	switch (kind) {
	case TERM_CONFIG:
		spec->attr.config = value;
		break;
	case TERM_CONFIG1:
		spec->attr.config1 = value;
		break;
	case TERM_CONFIG2:
		spec->attr.config2 = value;
		break;
	case TERM_CONFIG3:
		spec->attr.config3 = value;
		spec->attr.size = offsetof(struct attr, config4);
		break;
	case TERM_PERIOD:
		terms->given = (terms->given & ~EVENT_TERM_FREQ) | EVENT_TERM_PERIOD;
		terms->period = value;
		break;
	case TERM_FREQ:
		terms->given = (terms->given & ~EVENT_TERM_PERIOD) | EVENT_TERM_FREQ;
		terms->freq = value;
		break;
	case TERM_TIME:
		terms->given |= EVENT_TERM_TIME;
		terms->time = value;
		break;
	case TERM_STACK_SIZE:
		terms->given |= EVENT_TERM_STACK_SIZE;
		terms->stack_size = (uint32_t)value;
		break;
	case TERM_MAX_STACK:
		terms->given |= EVENT_TERM_MAX_STACK;
		terms->max_stack = (uint16_t)value;
		break;
	case TERM_INHERIT:
	case TERM_NO_INHERIT:
		terms->given |= EVENT_TERM_INHERIT;
		terms->inherit = (kind == TERM_INHERIT) == value;
		break;
	case TERM_OVERWRITE:
	case TERM_NO_OVERWRITE:
		terms->given |= EVENT_TERM_OVERWRITE;
		terms->overwrite = (kind == TERM_OVERWRITE) == value;
		break;
	case TERM_PERCORE:
		spec->per_core = value;
		break;
	case TERM_AUX_OUTPUT:
		if (value)
			spec->attr.flags |= ATTR_AUX_OUTPUT;
		break;
	default:
		spec->attr.aux_sample_size = (uint32_t)value;
	}
}

int term_apply(const struct event_parser *p, const struct event_term *term, struct event_spec *spec)
{
	uint64_t value;
	size_t i;
	int err;

	for (i = 0; i < NR_TERMS; i++)
		if (span_is(term->name, known_terms[i].name))
			break;
	if (i == NR_TERMS)
		return 0;
	if (known_terms[i].value == VALUE_TEXT) {
		err = apply_text(p, term, known_terms[i].kind, spec);
		return err ? err : 1;
	}
	err = term_number(p, term, i, &value);
	if (err)
		return err;
	if (known_terms[i].kind == TERM_STACK_SIZE && (value & 7 || !value))
		return parser_fail(p, term->value.s, -EINVAL, "a stack's size is a multiple of 8, up to 65528 bytes");
	if (known_terms[i].kind == TERM_FREQ && !value)
		return parser_fail(p, term->value.s, -EINVAL, "a frequency is at least 1");
	apply_number(known_terms[i].kind, value, spec);
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
