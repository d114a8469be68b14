/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The frame of the event grammar: strings, groups, the names that events get, and the cursor over the text; and --filter and -G, which are
 * about events before them. What a single event can be is in event_source.c.
 */
#include "kernel/event_parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "kernel/event_parser.h"
#include "kernel/sysctl.h"
#include "kernel/tracefs.h"

const struct event_sources event_sources_live = {
	.sysfs = "/sys",
	.tracepoints = tracefs_find_events,
	.pfm_find = event_pfm_find,
};

#define TEXT_MAX 65536 /* bounds the work */

bool span_is(struct span x, const char *s)
{
	return strlen(s) == x.len && !memcmp(x.s, s, x.len);
}

bool span_number(struct span x, bool hex, uint64_t *value)
{
	const char *s = x.s, *end = x.s + x.len;
	uint64_t v = 0;

	if (!hex && x.len > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
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

bool span_is_digits(struct span x, bool hex)
{
	size_t i = 0;

	if (!hex && x.len > 2 && x.s[0] == '0' && (x.s[1] == 'x' || x.s[1] == 'X')) {
		hex = true;
		i = 2;
	}
	for (; i < x.len; i++)
		if (!(hex ? isxdigit((unsigned char)x.s[i]) : isdigit((unsigned char)x.s[i])))
			return false;
	return x.len > 0;
}

bool span_raw(struct span x, uint64_t *config)
{
	return x.len > 1 && *x.s == 'r' && span_number((struct span){ x.s + 1, x.len - 1 }, true, config);
}

void parser_skip_spaces(struct event_parser *p)
{
	p->pos += strspn(p->pos, " \t\n");
}

bool parser_at(struct event_parser *p, char c)
{
	parser_skip_spaces(p);
	return *p->pos == c;
}

bool parser_take(struct event_parser *p, char c)
{
	if (!parser_at(p, c))
		return false;
	p->pos++;
	return true;
}

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_-.*?![]", c));
}

struct span parser_take_word(struct event_parser *p)
{
	struct span word;

	parser_skip_spaces(p);
	word = (struct span){ p->pos, 0 };
	while (is_word_char(word.s[word.len]))
		word.len++;
	p->pos += word.len;
	return word;
}

int parser_fail(const struct event_parser *p, const char *where, int err, const char *fmt, ...)
{
	char reason[700];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	return errbuf_set(p->eb, err, "event '%.200s', column %zu: %s", p->text, (size_t)(where - p->text) + 1, reason);
}

int parser_fail_expected(struct event_parser *p, const char *what)
{
	size_t len = 0;

	parser_skip_spaces(p);
	if (!*p->pos)
		return parser_fail(p, p->pos, -EINVAL, "it ends where %s should be", what);
	while (is_word_char(p->pos[len]) && len < 60)
		len++;
	/* One character, but a whole one. */
	if (!len)
		for (len = 1; (p->pos[len] & 0xc0) == 0x80; len++)
			;
	return parser_fail(p, p->pos, -EINVAL, "'%.*s' where %s should be", (int)len, p->pos, what);
}

struct event_spec event_spec_of(uint32_t type, uint64_t config, char *name)
{
	return (struct event_spec){
		.attr = { .type = type, .size = ATTR_SIZE_VER7, .config = config, .flags = ATTR_EXCLUDE_GUEST },
		.name = name,
		.group_leader = -1,
		.scale = 1.0,
	};
}

void event_spec_fini(struct event_spec *spec)
{
	free(spec->name);
	free(spec->group_name);
	free(spec->pmu);
	free(spec->unit);
	free(spec->filter);
	free(spec->cgroup);
	cpu_list_fini(&spec->cpus);
}

int parser_add(struct event_parser *p, struct event_spec spec, const char *where)
{
	if (p->list->events.nr >= EVENTS_MAX) {
		event_spec_fini(&spec);
		return parser_fail(p, where, -E2BIG, "these are more than %u events", EVENTS_MAX);
	}
	spec.column = (uint32_t)(where - p->text) + 1;
	vec_push(&p->list->events, spec);
	vec_push(&p->modifiers, ((struct event_modifiers){ .flags = spec.attr.flags }));
	return 0;
}

struct pmu_set *parser_pmus(struct event_parser *p)
{
	if (!p->has_pmus)
		pmu_set_init(&p->pmus, p->sources->sysfs);
	p->has_pmus = true;
	return &p->pmus;
}

/* What perf would show: the text, unless the source has given a name already. */
static void name_events(struct event_parser *p, struct span text, struct span modifiers)
{
	for (uint32_t i = p->event_first; i < p->list->events.nr; i++) {
		struct event_spec *spec = &p->list->events.v[i];

		if (spec->name)
			continue;
		if (p->is_hybrid && p->has_pmu)
			spec->name = mem_printf("%s%.*s", spec->pmu, (int)(text.len - p->base.len), text.s + p->base.len);
		else if (p->is_hybrid)
			spec->name = mem_printf("%s/%.*s/%.*s", spec->pmu, (int)p->base.len, p->base.s, (int)modifiers.len, modifiers.s);
		else
			spec->name = mem_strndup(text.s, text.len);
	}
}

static int parse_event(struct event_parser *p)
{
	struct span text, modifiers = { "", 0 };
	bool has_modifiers;
	int err;

	parser_skip_spaces(p);
	text.s = p->pos;
	err = event_source_parse(p);
	if (err)
		return err;
	has_modifiers = !p->modifiers_read && parser_at(p, ':');
	if (has_modifiers)
		p->pos++;
	else if (p->needs_no_colon)
		has_modifiers = isalnum((unsigned char)*p->pos);
	if (has_modifiers) {
		parser_skip_spaces(p);
		modifiers.s = p->pos;
		err = modifiers_parse(p, p->event_first, false);
		modifiers.len = (size_t)(p->pos - modifiers.s);
	}
	text.len = (size_t)(p->pos - text.s);
	while (text.len && isspace((unsigned char)text.s[text.len - 1]))
		text.len--;
	name_events(p, text, modifiers);
	return err;
}

/* Members of a group count together, which events of different PMUs cannot: where events stand for one in each of several PMUs, there is a
 * group in each. What belongs to no PMU stays in the first. */
static void split_group(struct event_parser *p, uint32_t from, struct span name)
{
	struct event_spec *v = p->list->events.v;
	uint32_t nr = p->list->events.nr, at = from;

	while (at < nr) {
		const char *pmu = NULL;
		uint32_t leader = at, end = at;

		for (uint32_t i = at; i < nr && !pmu; i++)
			pmu = v[i].pmu;
		for (uint32_t i = at; i < nr; i++) {
			struct event_spec spec = v[i];

			if (spec.pmu && strcmp(spec.pmu, pmu) != 0)
				continue;
			memmove(&v[end + 1], &v[end], (i - end) * sizeof(v[0]));
			v[end++] = spec;
		}
		v[leader].attr.flags |= v[from].attr.flags & (ATTR_PINNED | ATTR_EXCLUSIVE);
		for (uint32_t i = leader; i < end; i++)
			v[i].group_leader = end - leader > 1 ? (int32_t)leader : -1;
		if (name.len && end - leader > 1)
			v[leader].group_name = mem_strndup(name.s, name.len);
		at = end;
	}
}

static bool stands_for_several(const struct event_list *l, uint32_t from)
{
	for (uint32_t i = from + 1; i < l->events.nr; i++)
		if (l->events.v[i].pmu && l->events.v[i - 1].pmu && l->events.v[i].column == l->events.v[i - 1].column)
			return true;
	return false;
}

static void form_group(struct event_parser *p, uint32_t from, struct span name)
{
	struct event_list *l = p->list;

	if (stands_for_several(l, from)) {
		split_group(p, from, name);
		return;
	}
	if (l->events.nr - from < 2)
		return;
	for (uint32_t i = from; i < l->events.nr; i++)
		l->events.v[i].group_leader = (int32_t)from;
	if (name.len)
		l->events.v[from].group_name = mem_strndup(name.s, name.len);
}

/* "{" is read already. */
static int parse_group(struct event_parser *p, struct span name)
{
	uint32_t from = p->list->events.nr;
	int err;

	do {
		if (parser_at(p, '{'))
			return parser_fail(p, p->pos, -EINVAL, "groups do not go into groups");
		err = parse_event(p);
		if (err)
			return err;
	} while (parser_take(p, ','));
	if (!parser_take(p, '}'))
		return parser_fail_expected(p, "a comma or the '}' that ends the group");
	if (parser_take(p, ':'))
		err = modifiers_parse(p, from, true);
	if (!err)
		form_group(p, from, name);
	return err;
}

static int parse_item(struct event_parser *p)
{
	const char *start;
	struct span name;

	parser_skip_spaces(p);
	start = p->pos;
	name = parser_take_word(p);
	if (parser_take(p, '{'))
		return parse_group(p, name);
	p->pos = start;
	return parse_event(p);
}

static void event_list_cut(struct event_list *list, uint32_t nr)
{
	while (list->events.nr > nr)
		event_spec_fini(&list->events.v[--list->events.nr]);
}

int event_list_parse_from(struct event_list *list, const char *text, const struct event_sources *sources, struct errbuf *eb)
{
	struct event_parser p = {
		.text = text,
		.pos = text,
		.sources = sources,
		.list = list,
		.first = list->events.nr,
		.eb = eb,
	};
	int err;

	if (strlen(text) > TEXT_MAX)
		return parser_fail(&p, text + TEXT_MAX, -EINVAL, "a list of events has at most %d characters", TEXT_MAX);
	do {
		err = parse_item(&p);
	} while (!err && parser_take(&p, ','));
	if (!err && *p.pos)
		err = parser_fail_expected(&p, "a comma or the end");
	if (err)
		event_list_cut(list, p.first);
	else
		list->last_first = p.first;
	vec_fini(&p.modifiers);
	if (p.has_pmus)
		pmu_set_fini(&p.pmus);
	return err;
}

int event_list_parse(struct event_list *list, const char *text, struct errbuf *eb)
{
	return event_list_parse_from(list, text, &event_sources_live, eb);
}

void event_list_add_default(struct event_list *list)
{
	const struct event_sources sources = { .sysfs = event_sources_live.sysfs };
	bool kernel = sysctl_paranoid() <= 1 || sysctl_is_perfmon_capable();
	uint32_t first = list->events.nr;

	/* By the grammar, because there is one for each kind of core. */
	event_list_parse_from(list, kernel ? "cycles:P" : "cycles:Pu", &sources, NULL);
	for (uint32_t i = first; i < list->events.nr; i++) {
		struct event_spec *spec = &list->events.v[i];

		spec->attr.flags = ATTR_PRECISE_IP | (kernel ? 0 : ATTR_EXCLUDE_KERNEL);
		spec->column = 0;
		spec->kernel_denied = !kernel;
	}
}

void event_list_fini(struct event_list *list)
{
	event_list_cut(list, 0);
	vec_fini(&list->events);
}

int event_list_add_filter(struct event_list *list, const char *filter, struct errbuf *eb)
{
	if (!list->events.nr)
		return errbuf_set(eb, -EINVAL, "--filter '%s' comes before any event: it applies to the tracepoints of the -e before it",
				  filter);
	for (uint32_t i = list->last_first; i < list->events.nr; i++)
		if (list->events.v[i].attr.type != ATTR_TYPE_TRACEPOINT)
			return errbuf_set(eb, -EINVAL,
					  "--filter '%s': '%s' is no tracepoint, and only those have fields to "
					  "filter by; give --filter after the -e it is for",
					  filter, list->events.v[i].name);
	for (uint32_t i = list->last_first; i < list->events.nr; i++) {
		struct event_spec *spec = &list->events.v[i];
		char *joined = spec->filter ? mem_printf("(%s) && (%s)", spec->filter, filter) : mem_strdup(filter);

		free(spec->filter);
		spec->filter = joined;
	}
	return 0;
}

int event_list_exclude_self(struct event_list *list, struct errbuf *eb)
{
	char comm[17] = "", filter[32], quote;

	if (prctl(PR_GET_NAME, comm))
		return errbuf_set(eb, -errno, "--exclude-perf: cannot learn the name of this process: %s", strerror(errno));
	quote = strchr(comm, '"') ? '\'' : '"';
	snprintf(filter, sizeof(filter), "comm != %c%s%c", quote, comm, quote);
	return event_list_add_filter(list, filter, eb);
}

static void set_cgroup(struct event_spec *spec, const char *name, size_t len)
{
	free(spec->cgroup);
	spec->cgroup = len ? mem_strndup(name, len) : NULL;
}

int event_list_add_cgroups(struct event_list *list, const char *text, struct errbuf *eb)
{
	const char *s = text;
	uint32_t before = list->nr_cgroups;

	if (!list->events.nr)
		return errbuf_set(eb, -EINVAL, "-G %s comes before any event: give the events (-e) first", text);
	if (!before && !strchr(text, ',')) {
		for (uint32_t i = 0; i < list->events.nr; i++)
			if (!list->events.v[i].cgroup)
				set_cgroup(&list->events.v[i], text, strlen(text));
		list->nr_cgroups = list->events.nr;
		return 0;
	}
	for (;; s++) {
		size_t len = strcspn(s, ",");

		if (list->nr_cgroups >= list->events.nr)
			return errbuf_set(eb, -EINVAL,
					  "-G %s: there are more cgroups than events before them (%u); the "
					  "n-th cgroup is for the n-th event",
					  text, list->events.nr);
		set_cgroup(&list->events.v[list->nr_cgroups++], s, len);
		s += len;
		if (!*s)
			return 0;
	}
}
