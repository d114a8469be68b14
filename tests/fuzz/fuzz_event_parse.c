/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The event grammar on arbitrary text, on a machine made for the purpose: it ends, it leaks
 * nothing, a refusal has its column, and what is taken has names, whole groups, and means the same
 * when given again. The first byte chooses the machine.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/fake_sysfs.h"
#include "kernel/event_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *machines[2];

static void remove_machines(void)
{
	fake_sysfs_remove(machines[0]);
	fake_sysfs_remove(machines[1]);
}

static void make_machines(void)
{
	if (machines[0])
		return;
	machines[0] = fake_sysfs_make(fake_server);
	machines[1] = fake_sysfs_make(fake_hybrid);
	atexit(remove_machines);
}

static void check_event(const struct event_list *l, uint32_t i)
{
	const struct event_spec *s = &l->events.v[i];

	if (!s->name || !(s->scale > 0))
		abort();
	if (s->group_leader < 0)
		return;
	if ((uint32_t)s->group_leader > i || l->events.v[s->group_leader].group_leader != s->group_leader)
		abort();
	/* Members stand together. */
	if ((uint32_t)s->group_leader < i && l->events.v[i - 1].group_leader != s->group_leader)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_list list = { 0 }, again = { 0 };
	struct event_sources sources;
	struct errbuf eb = { 0 };
	char *text;
	int err;

	make_machines();
	if (!size || size > 4096)
		return 0;
	sources = fake_sources(machines[data[0] & 1]);
	text = mem_strndup((const char *)data + 1, size - 1);
	err = event_list_parse_from(&list, text, &sources, &eb);
	if (err && (list.events.nr || !strstr(eb.text, ", column ")))
		abort();
	for (uint32_t i = 0; i < list.events.nr; i++)
		check_event(&list, i);
	if (event_list_parse_from(&again, text, &sources, NULL) != err || again.events.nr != list.events.nr)
		abort();
	for (uint32_t i = 0; i < list.events.nr; i++)
		if (memcmp(&again.events.v[i].attr, &list.events.v[i].attr, sizeof(struct attr)) ||
		    strcmp(again.events.v[i].name, list.events.v[i].name) != 0)
			abort();
	event_list_fini(&again);
	event_list_fini(&list);
	free(text);
	return 0;
}
