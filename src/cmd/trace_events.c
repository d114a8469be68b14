/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A word with a colon is an event: names of system calls have none.
 */
#include "cmd/trace_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/cmd.h"

void trace_events_fini(struct trace_events *e)
{
	free(e->names);
	temp_option_fini(&e->temp);
	event_patterns_fini(&e->patterns);
}

static void append(char **list, const char *word, size_t len)
{
	char *longer = *list ? mem_printf("%s,%.*s", *list, (int)len, word) : mem_strndup(word, len);

	free(*list);
	*list = longer;
}

void trace_events_take(struct trace_events *e, const char *list, char **calls)
{
	*calls = NULL;
	for (const char *word = list;;) {
		size_t len = strcspn(word, ",");

		char *name = mem_strndup(word, len);

		if (temp_option_is_sdt(name))
			temp_option_add_word(&e->temp, word, len);
		else
			append(memchr(word, ':', len) && !memchr(word, '=', len) ? &e->names : calls, word, len);
		free(name);
		if (!word[len])
			break;
		word += len + 1;
	}
	e->calls_given |= *calls != NULL;
}

int trace_events_option_faults(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct trace_events *e = ctx;

	(void)opt;
	e->faults = negated ? NULL : arg ? arg : "maj";
	if (e->faults && strcmp(e->faults, "all") && strcmp(e->faults, "maj") && strcmp(e->faults, "min"))
		return errbuf_set(eb, -EINVAL, "-F takes all, maj or min, not '%s'", arg);
	return 0;
}

int trace_events_check(struct trace_events *e, struct errbuf *eb)
{
	if (e->names && !event_patterns_add(&e->patterns, e->names))
		return errbuf_set(eb, CMD_USAGE, "trace: -e '%s' has an empty name", e->names);
	if (e->temp.words.nr && trace_events_has_calls(e))
		return errbuf_set(
			eb, CMD_USAGE,
			"trace: probes of --temp are not mixed with system calls: define the probe with 'assay probe', and name it with -e");
	if (e->shows_switches && !e->switch_on && !e->switch_off)
		return errbuf_set(eb, CMD_USAGE, "trace: --show-on-off-events needs --switch-on or --switch-off");
	if (e->syscalls_given && !e->syscalls && !e->names && !e->faults && !e->temp.words.nr)
		return errbuf_set(eb, CMD_USAGE, "trace: --no-syscalls needs other events: -e GROUP:NAME or -F");
	if (e->syscalls_given && !e->syscalls && e->calls_given)
		return errbuf_set(eb, CMD_USAGE, "trace: --no-syscalls and names of system calls (-e) exclude each other");
	if ((e->switch_on && strpbrk(e->switch_on, "*?[")) || (e->switch_off && strpbrk(e->switch_off, "*?[")))
		return errbuf_set(eb, CMD_USAGE, "trace: --switch-on and --switch-off take one event, not a pattern");
	e->is_off = e->switch_on;
	return 0;
}

bool trace_events_has_calls(const struct trace_events *e)
{
	return e->syscalls_given ? e->syscalls : e->calls_given || (!e->names && !e->faults && !e->temp.words.nr);
}

/* What happens so often that it can only be sampled is not shown one by one. */
static bool is_sampled(const struct attr *a)
{
	return a->type == ATTR_TYPE_HARDWARE || a->type == ATTR_TYPE_HW_CACHE || a->type == ATTR_TYPE_RAW ||
	       (a->type == ATTR_TYPE_SOFTWARE && a->config <= 1) || a->flags & ATTR_FREQ;
}

static int check_specs(const struct event_list *l, uint32_t from, struct errbuf *eb)
{
	for (uint32_t i = from; i < l->events.nr; i++)
		if (is_sampled(&l->events.v[i].attr))
			return errbuf_set(eb, -EINVAL, "'%s' cannot be traced one by one: 'assay record -e %s' samples it",
					  l->events.v[i].name, l->events.v[i].name);
	return 0;
}

static int add_switch(const char *name, struct event_list *l, struct errbuf *eb)
{
	for (uint32_t i = 0; i < l->events.nr; i++)
		if (!name || !strcmp(l->events.v[i].name, name))
			return 0;
	return event_list_parse(l, name, eb);
}

int trace_events_add(struct trace_events *e, struct capture_options *o, struct errbuf *eb)
{
	static const char *const faults[] = { "minor-faults,major-faults", "major-faults", "minor-faults" };
	uint32_t from = o->events.events.nr;
	int err = temp_option_resolve(&e->temp, o, o->workload, eb);

	for (uint32_t i = 0; o->temp_probes && e->names && i < o->temp_probes->names.nr; i++)
		event_patterns_add(&e->patterns, o->temp_probes->names.v[i]);
	if (!err)
		err = e->names ? event_list_parse(&o->events, e->names, eb) : 0;

	if (!err && e->faults)
		err = event_list_parse(&o->events, faults[*e->faults == 'a' ? 0 : e->faults[1] == 'a' ? 1 : 2], eb);
	if (e->faults)
		o->config.address = true;
	if (!err)
		err = add_switch(e->switch_on, &o->events, eb);
	if (!err)
		err = add_switch(e->switch_off, &o->events, eb);
	return err ? err : check_specs(&o->events, from, eb);
}

bool trace_events_is_fault(const struct trace_events *e, const struct attr *a, bool *is_major)
{
	enum { FAULTS = 2, MINOR = 5, MAJOR = 6 }; /* PERF_COUNT_SW_PAGE_FAULTS… */

	*is_major = a->config == MAJOR;
	return e->faults && a->type == ATTR_TYPE_SOFTWARE &&
	       ((a->config == MINOR && strcmp(e->faults, "maj")) || (a->config == MAJOR && strcmp(e->faults, "min")) ||
		(a->config == FAULTS && !strcmp(e->faults, "all")));
}

static bool is_chosen(struct trace_events *e, const struct perfdata_event *event, bool is_switch)
{
	bool is_major;

	if (attr_is_dummy(&event->attr) || is_sampled(&event->attr))
		return false;
	if (is_switch)
		return e->shows_switches || (e->names && event_patterns_match(&e->patterns, event->name));
	/* Of a recording, all that is in it, unless some were named. */
	return (!e->names && !e->calls_given && !e->faults) || (e->names && event_patterns_match(&e->patterns, event->name)) ||
	       trace_events_is_fault(e, &event->attr, &is_major);
}

enum trace_events_verdict trace_events_see(struct trace_events *e, const struct recording *r, const struct session_record *sr, bool is_call)
{
	const struct perfdata_event *event;
	bool was_off = e->is_off, is_on, is_off;

	if (sr->event < 0 || !sr->task)
		return TRACE_EVENT_HIDDEN;
	event = &r->info->events.v[sr->event];
	is_on = e->switch_on && !strcmp(event->name, e->switch_on);
	is_off = e->switch_off && !strcmp(event->name, e->switch_off);
	if (was_off ? is_on : is_off) {
		e->is_off = !was_off;
		return e->shows_switches ? TRACE_EVENT_SHOWN : TRACE_EVENT_HIDDEN;
	}
	if (was_off)
		return TRACE_EVENT_HIDDEN;
	if (is_call && trace_events_has_calls(e))
		return TRACE_EVENT_CALL;
	return is_chosen(e, event, is_on || is_off) ? TRACE_EVENT_SHOWN : TRACE_EVENT_HIDDEN;
}
