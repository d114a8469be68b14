/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Writes the container that trace-cmd's files and perf's TRACING_DATA share: a head, the layout of ring pages, format files by system, and
 * tables that name addresses and tasks.
 */
#include "capture/header_info.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/vec.h"
#include "kernel/tracefs.h"

#define TRACE_FILE_MAX (16u << 20)

/* "sched:sched_switch", each once, by system. */
struct tracepoints {
	VEC(char *) v;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_same_system(const char *a, const char *b)
{
	size_t len = strcspn(a, ":");

	return !strncmp(a, b, len + 1);
}

/* What stands behind the name ("sched:sched_switch:u") is no part of it. */
static void tracepoints_collect(struct tracepoints *ts, const struct event_list *list, const struct own_format *own, uint32_t nr_own)
{
	for (uint32_t i = 0; i < nr_own; i++)
		vec_push(&ts->v, mem_strdup(own[i].name));
	for (uint32_t i = 0; i < list->events.nr; i++) {
		const char *text = list->events.v[i].name, *colon = strchr(text, ':');

		if (list->events.v[i].attr.type == ATTR_TYPE_TRACEPOINT && colon)
			vec_push(&ts->v, mem_strndup(text, (size_t)(colon - text) + 1 + strcspn(colon + 1, ":")));
	}
	vec_sort(&ts->v, compare_names);
}

static void put_u32(struct out *o, uint32_t v)
{
	out_mem(o, &v, sizeof(v));
}

/* Size (of `size_bytes` bytes) and contents of a file of tracefs. A missing optional one is empty. */
static int put_file(struct out *o, const char *root, const char *file, unsigned size_bytes, bool optional, struct errbuf *eb)
{
	char *data = NULL, *path = mem_printf("%s/%s", root, file);
	size_t size = 0;
	int err = io_read_file(path, TRACE_FILE_MAX, &data, &size);

	if (err) {
		err = optional ? 0 : errbuf_set(eb, err, "cannot read %s: %s", path, strerror(-err));
		size = 0;
	}
	out_mem(o, &size, size_bytes); /* little-endian */
	if (size)
		out_mem(o, data, size);
	free(data);
	free(path);
	return err;
}

/* How many of them follow `from` in the same system, itself included; of equal ones the first counts. */
static uint32_t count_system(const struct tracepoints *ts, uint32_t from)
{
	uint32_t nr = 1;

	for (uint32_t i = from + 1; i < ts->v.nr && is_same_system(ts->v.v[from], ts->v.v[i]); i++)
		nr += strcmp(ts->v.v[i], ts->v.v[i - 1]) != 0;
	return nr;
}

static const char *find_own(const struct own_format *own, uint32_t nr_own, const char *name)
{
	for (uint32_t i = 0; i < nr_own; i++)
		if (!strcmp(own[i].name, name))
			return own[i].text;
	return NULL;
}

static int put_formats(struct out *o, const char *root, const struct tracepoints *ts, const struct own_format *own, uint32_t nr_own,
		       struct errbuf *eb)
{
	uint32_t nr_systems = 0;
	int err = 0;

	for (uint32_t i = 0; i < ts->v.nr; i++)
		nr_systems += !i || !is_same_system(ts->v.v[i - 1], ts->v.v[i]);
	put_u32(o, nr_systems);
	for (uint32_t i = 0; i < ts->v.nr && !err; i++) {
		const char *name = ts->v.v[i], *text = find_own(own, nr_own, name);
		size_t len = strcspn(name, ":");
		char *path;

		if (i && !strcmp(name, ts->v.v[i - 1]))
			continue;
		if (!i || !is_same_system(ts->v.v[i - 1], name)) {
			out_mem(o, name, len);
			out_char(o, '\0');
			put_u32(o, count_system(ts, i));
		}
		if (text) {
			const uint64_t size = strlen(text);

			out_mem(o, &size, sizeof(size));
			out_str(o, text);
			continue;
		}
		path = mem_printf("events/%.*s/%s/format", (int)len, name, name + len + 1);
		err = put_file(o, root, path, 8, false, eb);
		free(path);
	}
	return err;
}

int trace_formats_collect(const struct event_list *list, const struct own_format *own, uint32_t nr_own, struct out *o, struct errbuf *eb)
{
	static const char head[] = "\x17\x08\x44tracing0.6";
	const uint16_t order = 1;
	struct tracepoints ts = { 0 };
	const char *root;
	int err = 0;

	tracepoints_collect(&ts, list, own, nr_own);
	if (!ts.v.nr)
		return 0;
	root = tracefs_find(eb);
	if (!root) {
		err = -ENOENT;
		goto out;
	}
	out_mem(o, head, sizeof(head)); /* with its NUL */
	out_char(o, *(const uint8_t *)&order ? 0 : 1);
	out_char(o, (char)sizeof(long));
	put_u32(o, (uint32_t)sysconf(_SC_PAGESIZE));
	out_mem(o, "header_page", 12);
	err = put_file(o, root, "events/header_page", 8, false, eb);
	out_mem(o, "header_event", 13);
	if (!err)
		err = put_file(o, root, "events/header_event", 8, false, eb);
	put_u32(o, 0); /* formats of ftrace's own events: samples have none */
	if (!err)
		err = put_formats(o, root, &ts, own, nr_own, eb);
	put_u32(o, 0); /* kallsyms: readers have better ways */
	if (!err)
		err = put_file(o, root, "printk_formats", 4, true, eb);
	if (!err)
		err = put_file(o, root, "saved_cmdlines", 8, true, eb);
out:
	for (uint32_t i = 0; i < ts.v.nr; i++)
		free(ts.v.v[i]);
	vec_fini(&ts.v);
	return err;
}
