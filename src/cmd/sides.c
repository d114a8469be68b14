/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Taking the words of diff and flame --diff apart.
 */
#include "cmd/diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "cmd/cmd.h"

void sides_init(struct sides *s)
{
	memset(s, 0, sizeof(*s));
	match_init(&s->match, MATCH_PROGRAM);
}

static void add_name(struct sides *s, const char *name, size_t len)
{
	vec_push(&s->names, mem_strndup(name, len));
	vec_push(&s->side_of, s->nr_sides);
}

void sides_add(struct sides *s, const char *word)
{
	uint32_t nr_before = s->names.nr;

	if (!access(word, F_OK)) {
		add_name(s, word, strlen(word));
		s->nr_sides++;
		return;
	}
	for (const char *rest = word; *rest;) {
		size_t len = strcspn(rest, ",");

		if (len)
			add_name(s, rest, len);
		rest += len + (rest[len] == ',');
	}
	if (s->names.nr == nr_before) /* "," or "": input_open() reports that there is no such file */
		add_name(s, word, strlen(word));
	s->nr_sides++;
}

void sides_fini(struct sides *s)
{
	for (uint32_t i = 0; i < s->names.nr; i++)
		free(s->names.v[i]);
	vec_fini(&s->names);
	vec_fini(&s->side_of);
	match_fini(&s->match);
}

uint32_t sides_count(const struct sides *s, uint32_t side)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < s->side_of.nr; i++)
		nr += s->side_of.v[i] == side;
	return nr;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	return !stat(a, &sa) && !stat(b, &sb) && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

int sides_check(const struct sides *s, bool quiet, struct errbuf *eb)
{
	for (uint32_t i = 0; i < s->names.nr; i++)
		for (uint32_t k = 0; k < i; k++) {
			if (!is_same_file(s->names.v[i], s->names.v[k]))
				continue;
			if (s->side_of.v[i] == s->side_of.v[k])
				return errbuf_set(
					eb, CMD_USAGE,
					"%s and %s are the same file on one side: the same recording twice says nothing of how runs differ; name each once",
					s->names.v[k], s->names.v[i]);
			if (!quiet)
				log_warn("%s and %s are the same file: it is compared with itself", s->names.v[k], s->names.v[i]);
		}
	return 0;
}

uint32_t sides_find_event(const struct perfdata_info *info, const char *name, uint32_t type, uint64_t config)
{
	for (uint32_t i = 0; i < info->events.nr; i++)
		if (!strcmp(info->events.v[i].name, name))
			return i;
	for (uint32_t i = 0; i < info->events.nr; i++)
		if (info->events.v[i].attr.type == type && info->events.v[i].attr.config == config)
			return i;
	return UINT32_MAX;
}

char *sides_match_note(const struct sides *s)
{
	char *pairs = match_text(&s->match), *note;

	if (!pairs)
		return NULL;
	note = mem_printf("Programs compared as one: %s (--match file compares files of one name only)", pairs);
	free(pairs);
	return note;
}

/* "a,b:c,d" is for two recordings; what has no ':' is for all. Of fewer parts than recordings the last counts on. */
char *sides_time_of(const char *times, uint32_t recording)
{
	const char *part = times;

	if (!part)
		return NULL;
	for (; recording && strchr(part, ':'); recording--)
		part = strchr(part, ':') + 1;
	return mem_strndup(part, strcspn(part, ":"));
}
