/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/cpus.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/out.h"

#define ONLINE_PATH "/sys/devices/system/cpu/online"

void cpu_list_fini(struct cpu_list *l)
{
	vec_fini(&l->cpus);
}

static const char *skip_spaces(const char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return p;
}

static bool parse_cpu(const char **p, uint32_t *cpu)
{
	uint32_t v = 0;
	const char *s = skip_spaces(*p);

	if (!isdigit((unsigned char)*s))
		return false;
	for (; isdigit((unsigned char)*s); s++) {
		v = v * 10 + (uint32_t)(*s - '0');
		if (v >= CPUS_MAX)
			return false;
	}
	*cpu = v;
	*p = skip_spaces(s);
	return true;
}

int cpu_list_parse(struct cpu_list *l, const char *text, struct errbuf *eb)
{
	const char *p = skip_spaces(text);
	/* Overlapping ranges ("0-65535,0-65535,…") must not cost more than the machine can have. */
	uint64_t added = 0;

	while (*p) {
		uint32_t first, last;

		if (!parse_cpu(&p, &first))
			goto bad;
		last = first;
		if (*p == '-') {
			p++;
			if (!parse_cpu(&p, &last) || last < first)
				goto bad;
		}
		added += last - first + 1;
		if (added > 4 * CPUS_MAX)
			goto bad;
		for (uint32_t cpu = first; cpu <= last; cpu++)
			vec_push(&l->cpus, cpu);
		if (*p == ',') {
			p = skip_spaces(p + 1);
			if (!*p)
				goto bad;
		} else if (*p) {
			goto bad;
		}
	}
	vec_sort_unique(&l->cpus, compare_u32);
	return 0;
bad:
	cpu_list_fini(l);
	return errbuf_set(eb, -EINVAL, "'%s' is not a list of CPUs: at column %zu a number below %u was expected (write it like 0-3,7)",
			  text, (size_t)(p - text) + 1, CPUS_MAX);
}

void cpu_list_online(struct cpu_list *l)
{
	char *text = NULL;
	cpu_set_t set;

	if (!io_read_file(ONLINE_PATH, 1 << 20, &text, NULL)) {
		int err = cpu_list_parse(l, text, NULL);

		free(text);
		if (!err && l->cpus.nr)
			return;
	}
	/* No sysfs (a bare chroot): what we may run on is the best that is known. */
	CPU_ZERO(&set);
	if (!sched_getaffinity(0, sizeof(set), &set))
		for (uint32_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
			if (CPU_ISSET(cpu, &set))
				vec_push(&l->cpus, cpu);
	if (!l->cpus.nr)
		vec_push(&l->cpus, 0);
}

bool cpu_list_has(const struct cpu_list *l, uint32_t cpu)
{
	if (!l->cpus.nr)
		return false;
	return bsearch(&cpu, l->cpus.v, l->cpus.nr, sizeof(cpu), compare_u32);
}

int cpu_list_parse_online(struct cpu_list *l, const char *text, struct errbuf *eb)
{
	struct cpu_list online = { 0 };
	int err = cpu_list_parse(l, text, eb);

	if (err)
		return err;
	if (!l->cpus.nr)
		return errbuf_set(eb, -EINVAL, "the list of CPUs is empty (write it like 0-3,7)");
	cpu_list_online(&online);
	for (uint32_t i = 0; i < l->cpus.nr && !err; i++) {
		char *have;

		if (cpu_list_has(&online, l->cpus.v[i]))
			continue;
		have = cpu_list_format(&online);
		err = errbuf_set(eb, -ENODEV, "CPU %u is not online; online are %s", l->cpus.v[i], have);
		free(have);
	}
	cpu_list_fini(&online);
	if (err)
		cpu_list_fini(l);
	return err;
}

char *cpu_list_format(const struct cpu_list *l)
{
	struct out o;
	char *text;

	out_init(&o, -1);
	for (uint32_t i = 0; i < l->cpus.nr;) {
		uint32_t last = i;

		while (last + 1 < l->cpus.nr && l->cpus.v[last + 1] == l->cpus.v[last] + 1)
			last++;
		out_printf(&o, "%s%u", i ? "," : "", l->cpus.v[i]);
		if (last > i)
			out_printf(&o, "-%u", l->cpus.v[last]);
		i = last + 1;
	}
	text = mem_strndup(o.len ? o.buf : "", o.len);
	out_fini(&o);
	return text;
}
