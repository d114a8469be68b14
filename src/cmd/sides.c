/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Taking the words of diff and flame --diff apart.
 */
#include "cmd/sides.h"

#include <string.h>
#include <unistd.h>

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
	if (s->names.nr == nr_before) /* "," or "": who opens it says that there is no such file */
		add_name(s, word, strlen(word));
	s->nr_sides++;
}

void sides_fini(struct sides *s)
{
	for (uint32_t i = 0; i < s->names.nr; i++)
		free(s->names.v[i]);
	vec_fini(&s->names);
	vec_fini(&s->side_of);
}

uint32_t sides_count(const struct sides *s, uint32_t side)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < s->side_of.nr; i++)
		nr += s->side_of.v[i] == side;
	return nr;
}
