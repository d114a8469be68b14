/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct event_parser: one string of events while it is read, for the files of the grammar; others use event_parse.h. The position only
 * moves forward. A source appends the events it stands for to the list; the caller gives modifiers and names to all that were appended.
 */
#ifndef ASSAY_KERNEL_EVENT_PARSER_H
#define ASSAY_KERNEL_EVENT_PARSER_H

#include "kernel/event_parse.h"
#include "kernel/pmu.h"

#define EVENTS_MAX 100000u /* patterns times a long string must end somewhere */

/* A piece of the text. */
struct span {
	const char *s;
	size_t len;
};
#define SPAN_FMT "%.*s"
#define SPAN_ARG(x) (int)((x).len < 100 ? (x).len : 100), (x).s
bool span_is(struct span x, const char *s);
bool span_number(struct span x, bool hex, uint64_t *value); /* all of it; hex: also without 0x */
bool span_is_digits(struct span x, bool hex);		    /* what span_number() takes, but for its size */
bool span_raw(struct span x, uint64_t *config);		    /* r1a8 */

/* What modifiers did to an event so far: those of its group come on top of its own. */
struct event_modifiers {
	uint64_t flags;
	bool some_mode, some_host; /* one of u, k, h; of G, H was given */
	unsigned precise;
	bool precise_max, sample_read, weak_group, bpf_counter;
};

struct event_parser {
	const char *text;
	const char *pos;
	const struct event_sources *sources;
	struct event_list *list;
	uint32_t first;			       /* in the list, of this string's events */
	VEC(struct event_modifiers) modifiers; /* of events first, first + 1, … */
	struct pmu_set pmus;
	bool has_pmus;
	uint32_t event_first; /* in the list, of the event being read, which may stand for several */
	struct span base;     /* … its name without terms */
	bool is_hybrid;	      /* … stands for one event in each kind of core: its name says which */
	bool has_pmu;	      /* … began with a PMU */
	bool needs_no_colon;  /* … ended in "/": modifiers may follow at once */
	bool modifiers_read;  /* … was libpfm4's, whose names have their own */
	bool function_told;   /* the notice about ftrace:function is out: one is enough */
	struct errbuf *eb;
};

/* event_parse.c: moving through the text, and complaining about it. */
void parser_skip_spaces(struct event_parser *p);
bool parser_at(struct event_parser *p, char c); /* the next that is no space */
bool parser_take(struct event_parser *p, char c);
struct span parser_take_word(struct event_parser *p); /* may be empty */
int parser_fail(const struct event_parser *p, const char *where, int err, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
int parser_fail_expected(struct event_parser *p, const char *what);
/* Appends; takes over what the spec owns. */
int parser_add(struct event_parser *p, struct event_spec spec, const char *where);
struct pmu_set *parser_pmus(struct event_parser *p);

/* event_source.c: reads one source at the position. */
int event_source_parse(struct event_parser *p);

/* The i-th event that we count ourselves (duration_time, …); NULL past the last. */
const char *event_tool_name(uint32_t i);

/* event_modifier.c: reads modifiers and applies them to events [from, end of the list). */
bool modifiers_are(struct span x); /* nothing but letters of modifiers */
int modifiers_parse(struct event_parser *p, uint32_t from, bool of_group);

/* event_term.c */
struct event_term {
	struct span name, value;
	bool has_value;
};
struct event_term_list {
	VEC(struct event_term) terms;
};
/* Reads "term,term,…/" (the first slash is read already) and the slash that ends it. */
int terms_parse(struct event_parser *p, struct event_term_list *terms);
/* Splits a driver's text, which has no slashes; false where it is none. */
bool terms_split(const char *text, struct event_term_list *terms);
/* A term of the grammar's own (period=, name=, config=, …): 1 applied, 0 it is none. */
int term_apply(const struct event_parser *p, const struct event_term *term, struct event_spec *spec);
/* The i-th name of them; NULL past the last. */
const char *term_name_get(uint32_t i);
/* For events that are no PMU's: reads "/terms/" where it stands, for those of the event being read. */
int terms_parse_plain(struct event_parser *p);

/* event_pmu.c */
/* PMU "/" terms "/": the name is read already, the position is at the slash. */
int event_pmu_parse(struct event_parser *p, struct span pmu);
/* An alias of any PMU, by its bare name: 1 appended, 0 there is none. */
int event_pmu_alias(struct event_parser *p, struct span name);
/* On a machine with several kinds of cores, one event for each: 1 appended, 0 an ordinary machine. */
int event_pmu_hybrid(struct event_parser *p, uint32_t type, uint64_t config, const char *where);

/* event_unknown.c: the sentence for a name that nothing knows; a negative errno. Well-known ones are appended as absent, with a notice,
 * where the list allows it: 0 then. */
int event_unknown(struct event_parser *p, struct span name);
/* SYSTEM:NAME, of which tracefs said `reason`. */
int event_unknown_tracepoint(struct event_parser *p, struct span system, int err, const char *reason);
int event_unknown_pmu(struct event_parser *p, struct span name);
int event_unknown_term(struct event_parser *p, const struct pmu *pmu, struct span name);

/* event_pfm.c: what libpfm4 knows by this name. -ENOENT: nothing, or it is not there; -EINVAL: the event, but not its attributes;
 * -ENODEV: its PMU, which this machine lacks (both with the sentence). */
int event_pfm_find(const char *text, struct attr *attr, struct errbuf *eb);
bool event_pfm_is_usable(void);

#endif
