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

struct tracepoint {
	const char *system, *name; /* not terminated */
	size_t system_len, name_len;
};

struct tracepoints {
	VEC(struct tracepoint) v;
};

/* "sched:sched_switch:u" */
static bool tracepoint_parse(struct tracepoint *t, const char *text)
{
	const char *colon = strchr(text, ':');

	if (!colon)
		return false;
	t->system = text;
	t->system_len = (size_t)(colon - text);
	t->name = colon + 1;
	t->name_len = strcspn(colon + 1, ":");
	return t->system_len && t->name_len;
}

static int tracepoint_compare(const void *a, const void *b)
{
	const struct tracepoint *x = a, *y = b;
	size_t len = x->system_len < y->system_len ? x->system_len : y->system_len;
	int c = memcmp(x->system, y->system, len);

	if (!c && x->system_len != y->system_len)
		return x->system_len < y->system_len ? -1 : 1;
	if (c)
		return c;
	len = x->name_len < y->name_len ? x->name_len : y->name_len;
	c = memcmp(x->name, y->name, len);
	return c ? c : (x->name_len > y->name_len) - (x->name_len < y->name_len);
}

static bool same_system(const struct tracepoint *a, const struct tracepoint *b)
{
	return a->system_len == b->system_len && !memcmp(a->system, b->system, a->system_len);
}

static void tracepoints_collect(struct tracepoints *ts, const struct event_list *list)
{
	for (uint32_t i = 0; i < list->events.nr; i++) {
		struct tracepoint t;

		if (list->events.v[i].attr.type == ATTR_TYPE_TRACEPOINT && tracepoint_parse(&t, list->events.v[i].name))
			vec_push(&ts->v, t);
	}
	vec_sort_unique(&ts->v, tracepoint_compare);
}

static void put_u32(struct out *o, uint32_t v)
{
	out_mem(o, &v, sizeof(v));
}

static void put_u64(struct out *o, uint64_t v)
{
	out_mem(o, &v, sizeof(v));
}

/* Size (of `size_bytes` bytes) and contents of a file of tracefs. A missing optional one is empty. */
static int put_file(struct out *o, const char *path, unsigned size_bytes, bool optional, struct errbuf *eb)
{
	size_t size = 0;
	char *data = NULL;
	int err = io_read_file(path, TRACE_FILE_MAX, &data, &size);

	if (err && !optional)
		return errbuf_set(eb, err, "cannot read %s: %s", path, strerror(-err));
	if (err)
		size = 0;
	if (size_bytes == 4)
		put_u32(o, (uint32_t)size);
	else
		put_u64(o, size);
	if (size)
		out_mem(o, data, size);
	free(data);
	return 0;
}

static int put_named(struct out *o, const char *root, const char *file, unsigned size_bytes, bool optional, struct errbuf *eb)
{
	char *path = mem_printf("%s/%s", root, file);
	int err = put_file(o, path, size_bytes, optional, eb);

	free(path);
	return err;
}

static int put_formats(struct out *o, const char *root, const struct tracepoints *ts, struct errbuf *eb)
{
	uint32_t nr_systems = 0;
	int err = 0;

	for (uint32_t i = 0; i < ts->v.nr; i++)
		nr_systems += !i || !same_system(&ts->v.v[i], &ts->v.v[i - 1]);
	put_u32(o, nr_systems);
	for (uint32_t i = 0; i < ts->v.nr && !err; i++) {
		const struct tracepoint *t = &ts->v.v[i];
		char *path;

		if (!i || !same_system(t, &ts->v.v[i - 1])) {
			uint32_t nr = 1;

			while (i + nr < ts->v.nr && same_system(t, &ts->v.v[i + nr]))
				nr++;
			out_mem(o, t->system, t->system_len);
			out_char(o, '\0');
			put_u32(o, nr);
		}
		path = mem_printf("%s/events/%.*s/%.*s/format", root, (int)t->system_len, t->system, (int)t->name_len, t->name);
		err = put_file(o, path, 8, false, eb);
		free(path);
	}
	return err;
}

int trace_formats_collect(const struct event_list *list, struct out *o, struct errbuf *eb)
{
	static const char head[] = "\x17\x08\x44tracing0.6";
	const uint16_t order = 1;
	struct tracepoints ts = { 0 };
	const char *root;
	int err = 0;

	tracepoints_collect(&ts, list);
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
	err = put_named(o, root, "events/header_page", 8, false, eb);
	out_mem(o, "header_event", 13);
	if (!err)
		err = put_named(o, root, "events/header_event", 8, false, eb);
	put_u32(o, 0); /* formats of ftrace's own events: samples have none */
	if (!err)
		err = put_formats(o, root, &ts, eb);
	put_u32(o, 0); /* kallsyms: readers have better ways */
	if (!err)
		err = put_named(o, root, "printk_formats", 4, true, eb);
	if (!err)
		err = put_named(o, root, "saved_cmdlines", 8, true, eb);
out:
	vec_fini(&ts.v);
	return err;
}
