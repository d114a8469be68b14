/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The options of a recording, and the parsers of their values: sizes (10M), times (5s), --switch-output and -D.
 */
#include "capture/capture.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

#define DELAY_MAX_MS (1000ull * 86400 * 365)

/* Digits at *s; moves *s behind them. */
static int take_number(const char **s, uint64_t *value)
{
	uint64_t v = 0;

	if (!isdigit((unsigned char)**s))
		return -EINVAL;
	for (; isdigit((unsigned char)**s); (*s)++) {
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, (uint64_t)(**s - '0'), &v))
			return -ERANGE;
	}
	*value = v;
	return 0;
}

/* A number and one letter out of `letters`, whose factors are given beside it. */
static int parse_scaled(const char *text, const char *letters, const uint64_t *factors, uint64_t *value)
{
	const char *letter;
	uint64_t v;
	int err = take_number(&text, &v);

	if (err)
		return err;
	letter = *text ? strchr(letters, tolower((unsigned char)*text)) : NULL;
	if (!letter || text[1])
		return -EINVAL;
	if (!v || __builtin_mul_overflow(v, factors[letter - letters], &v))
		return -ERANGE;
	*value = v;
	return 0;
}

int spec_parse_size(const char *text, uint64_t *bytes)
{
	static const uint64_t factors[] = { 1, 1ull << 10, 1ull << 20, 1ull << 30 };

	return parse_scaled(text, "bkmg", factors, bytes);
}

int spec_parse_seconds(const char *text, uint64_t *seconds)
{
	static const uint64_t factors[] = { 1, 60, 3600, 86400 };

	return parse_scaled(text, "smhd", factors, seconds);
}

int switch_spec_parse(struct switch_spec *s, const char *text, struct errbuf *eb)
{
	bool minutes = text && *text && text[strlen(text) - 1] == 'm';

	*s = (struct switch_spec){ 0 };
	if (!text || !strcmp(text, "signal")) {
		s->on_signal = true;
		return 0;
	}
	/* Minutes and megabytes share a letter: small for time, large for size, as perf has it. */
	if (!minutes && !spec_parse_size(text, &s->size_bytes))
		return 0;
	if (!spec_parse_seconds(text, &s->every_s))
		return 0;
	return errbuf_set(eb, -EINVAL, "--switch-output takes 'signal', a size (10M; B, K, M or G) or a time (30s; s, m, h or d), not '%s'",
			  text);
}

/* "A-B": events are on from A to B. */
static int delay_plan_add_range(struct delay_plan *p, const char **s)
{
	uint64_t last = p->steps.nr ? p->steps.v[p->steps.nr - 1].at_ms : 0;
	uint64_t from, to;

	if (take_number(s, &from) || *(*s)++ != '-' || take_number(s, &to))
		return -EINVAL;
	if (to <= from || (p->steps.nr && from <= last) || to > DELAY_MAX_MS)
		return -EINVAL;
	vec_push(&p->steps, ((struct delay_step){ from, true }));
	vec_push(&p->steps, ((struct delay_step){ to, false }));
	return 0;
}

static int delay_plan_fail(struct delay_plan *p, const char *text, struct errbuf *eb)
{
	delay_plan_fini(p);
	return errbuf_set(eb, -EINVAL, "-D takes milliseconds (500), -1, or ascending ranges of them (10-20,30-40), not '%s'", text);
}

int delay_plan_parse(struct delay_plan *p, const char *text, struct errbuf *eb)
{
	const char *s = text;
	uint64_t ms;

	delay_plan_fini(p);
	p->given = true;
	if (!strcmp(text, "-1"))
		return 0;
	if (!strchr(text, '-')) {
		if (take_number(&s, &ms) || *s || ms > DELAY_MAX_MS)
			return delay_plan_fail(p, text, eb);
		vec_push(&p->steps, ((struct delay_step){ ms, true }));
		p->given = ms > 0;
		return 0;
	}
	for (;; s++) {
		if (delay_plan_add_range(p, &s) || (*s && *s != ','))
			return delay_plan_fail(p, text, eb);
		if (!*s)
			return 0;
	}
}

void delay_plan_fini(struct delay_plan *p)
{
	vec_fini(&p->steps);
	p->given = false;
}

void capture_options_init(struct capture_options *o)
{
	memset(o, 0, sizeof(*o));
	event_config_init(&o->config);
	o->config.build_id_mmap = true;
	o->output = "perf.data";
}

void capture_options_set_cmdline(struct capture_options *o, const char *group, int argc, char **argv)
{
	char *exe = mem_zalloc(PATH_MAX);
	ssize_t n = readlink("/proc/self/exe", exe, PATH_MAX - 1);

	if (n <= 0)
		memcpy(exe, "assay", sizeof("assay"));
	o->cmdline = mem_alloc(((size_t)argc + 2) * sizeof(o->cmdline[0]));
	o->cmdline[o->nr_cmdline++] = exe;
	if (group)
		o->cmdline[o->nr_cmdline++] = group;
	for (int i = 0; i < argc; i++)
		o->cmdline[o->nr_cmdline++] = argv[i];
}

void capture_options_fini(struct capture_options *o)
{
	event_list_fini(&o->events);
	delay_plan_fini(&o->delay);
	if (o->cmdline)
		free((char *)o->cmdline[0]);
	free(o->cmdline);
}
