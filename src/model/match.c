/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Pairing programs by the names of their files.
 */
#include "model/match.h"

#include <stdio.h>
#include <string.h>

#include "base/out.h"

#define COMM_MAX 15	 /* what the kernel keeps of a program's name */
#define SHOWN_BUILD_ID 4 /* bytes of it */

static const char *const words[MATCH_NR] = {
	[MATCH_PROGRAM] = "program", [MATCH_FILE] = "file", [MATCH_PATH] = "path", [MATCH_NAME] = "name", [MATCH_BUILD] = "build",
};

const char *match_word(enum match_by by)
{
	return words[by];
}

void match_init(struct match *m, enum match_by by)
{
	memset(m, 0, sizeof(*m));
	m->by = by;
	strtab_init(&m->strings);
}

void match_fini(struct match *m)
{
	strtab_fini(&m->strings);
	vec_fini(&m->is_base_file);
	vec_fini(&m->pairs);
}

static uint32_t name_of(struct match *m, const struct machine *machine, uint32_t dso)
{
	return dso == DSO_NONE ? 0 : strtab_intern(&m->strings, dso_table_get(&machine->dsos, dso)->short_name);
}

static bool is_in_base(const struct match *m, uint32_t name)
{
	return name < m->is_base_file.nr && m->is_base_file.v[name];
}

static bool has_file(const struct machine *machine, const char *name)
{
	for (uint32_t i = 1; i < machine->dsos.dsos.nr; i++)
		if (!strcmp(machine->dsos.dsos.v[i].short_name, name))
			return true;
	return false;
}

/* A name that both recordings have means the same in both: nothing is to be guessed. */
static bool is_guess(const struct match *m, const struct machine *machine, uint32_t base, uint32_t now)
{
	return base && now && base != now && !is_in_base(m, now) && !has_file(machine, strtab_get(&m->strings, base));
}

static uint32_t comm_of(struct match *m, uint32_t name)
{
	size_t len = strtab_len(&m->strings, name);

	return strtab_intern_len(&m->strings, strtab_get(&m->strings, name), len < COMM_MAX ? len : COMM_MAX);
}

static void take_base(struct match *m, const uint32_t *programs, const struct machine *machine)
{
	m->has_base = true;
	memcpy(m->base_programs, programs, sizeof(m->base_programs));
	for (uint32_t i = 1; i < machine->dsos.dsos.nr; i++) {
		uint32_t name = name_of(m, machine, i);

		while (m->is_base_file.nr <= name)
			vec_push(&m->is_base_file, 0);
		m->is_base_file.v[name] = 1;
	}
}

void match_add(struct match *m, const struct programs *p)
{
	uint32_t programs[MATCH_PROGRAMS] = { name_of(m, p->machine, programs_busiest(p)), name_of(m, p->machine, p->started_dso) };
	uint32_t used = 0;

	if (!m->has_base) {
		take_base(m, programs, p->machine);
		return;
	}
	if (m->by != MATCH_PROGRAM)
		return;
	for (int i = 0; i < MATCH_PROGRAMS; i++) {
		uint32_t base = m->base_programs[i], now = programs[i];

		/* The one that was started may be the busiest, or a shell around it. */
		if (!is_guess(m, p->machine, base, now) || (used && (base == used || now == programs[0])))
			continue;
		used = base;
		if (match_file(m, strtab_get(&m->strings, now)) == strtab_get(&m->strings, now))
			vec_push(&m->pairs, ((struct match_pair){ base, now, comm_of(m, base), comm_of(m, now) }));
	}
}

const char *match_label(const struct match *m, const struct dso *d, char *buf, size_t size)
{
	if (!m || d->kind != MODULE_ELF || (m->by != MATCH_PATH && m->by != MATCH_BUILD))
		return d->short_name;
	if (m->by == MATCH_PATH || d->build_id_size < SHOWN_BUILD_ID)
		return d->path;
	snprintf(buf, size, "%s [%02x%02x%02x%02x]", d->short_name, d->build_id[0], d->build_id[1], d->build_id[2], d->build_id[3]);
	return buf;
}

const char *match_file(const struct match *m, const char *name)
{
	for (uint32_t i = 0; m && i < m->pairs.nr; i++)
		if (!strcmp(strtab_get(&m->strings, m->pairs.v[i].now), name))
			return strtab_get(&m->strings, m->pairs.v[i].base);
	return name;
}

const char *match_comm(const struct match *m, const char *comm)
{
	for (uint32_t i = 0; m && i < m->pairs.nr; i++)
		if (!strcmp(strtab_get(&m->strings, m->pairs.v[i].now_comm), comm))
			return strtab_get(&m->strings, m->pairs.v[i].base_comm);
	return comm;
}

char *match_text(const struct match *m)
{
	struct out o;

	if (!m->pairs.nr)
		return NULL;
	out_init(&o, -1);
	for (uint32_t i = 0; i < m->pairs.nr; i++)
		out_printf(&o, "%s%s with %s", i ? ", " : "", strtab_get(&m->strings, m->pairs.v[i].base),
			   strtab_get(&m->strings, m->pairs.v[i].now));
	out_char(&o, 0);
	return o.buf; /* changes hands */
}
