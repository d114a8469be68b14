/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adding and deleting probes. Each line is one write(2), so that an error belongs to one probe. The kernel merges probes of one name at
 * different places into one event: a name is free only if no line has it, and when all are added, the list is looked at again: another tool
 * that took a name in between is noticed, and then our lines are taken back by name and place, which leaves the other's.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "kernel/probe_events.h"
#include "kernel/tracefs.h"

#define SUFFIX_MAX 1024
#define BUSY_PATIENCE_MS 1000 /* for all that are busy together */

static uint64_t hash_name(const char *group, const char *name)
{
	return hash_bytes(name, strlen(name), hash_bytes(group, strlen(group), 0));
}

static bool has_name(const struct probe_writer *w, const char *group, const char *name)
{
	return HINDEX_FIND(&w->names, hash_name(group, name), i,
			   !strcmp(w->there.events.v[i].name, name) && !strcmp(w->there.events.v[i].group, group)) != HINDEX_NONE;
}

static void note_name(struct probe_writer *w, uint32_t i)
{
	hindex_add(&w->names, hash_name(w->there.events.v[i].group, w->there.events.v[i].name), i);
}

static int open_file(const char *root, const char *name, struct errbuf *eb)
{
	char path[512];
	int fd, err;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	/* Never O_TRUNC: that deletes all probes. */
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	err = -errno;
	if (err == -ENOENT)
		return err;
	if (err == -EACCES || err == -EPERM)
		return errbuf_set(eb, err, "only root may define probes: '%s' cannot be written to; try 'sudo assay probe …'", path);
	return errbuf_set(eb, err, "cannot open %s: %s", path, strerror(-err));
}

int probe_writer_open(struct probe_writer *w, const char *root, bool is_dry, struct errbuf *eb)
{
	int err = 0;

	*w = (struct probe_writer){ .root = root ? root : tracefs_find(eb), .is_dry = is_dry, .user_fd = -1, .kernel_fd = -1 };
	if (!w->root)
		return -ENOENT;
	if (!is_dry) {
		w->user_fd = open_file(w->root, "uprobe_events", eb);
		w->kernel_fd = open_file(w->root, "kprobe_events", eb);
		if (w->user_fd < 0 && w->user_fd != -ENOENT)
			err = w->user_fd;
		else if (w->kernel_fd < 0 && w->kernel_fd != -ENOENT)
			err = w->kernel_fd;
		/* One lock is enough for both files; the kernel's own functions need none. */
		if (!err)
			flock(w->user_fd >= 0 ? w->user_fd : w->kernel_fd, LOCK_EX);
	}
	if (!err)
		err = probe_list_read(&w->there, w->root, eb);
	w->first_added = w->there.events.nr;
	for (uint32_t i = 0; i < w->there.events.nr; i++)
		note_name(w, i);
	if (err)
		probe_writer_close(w);
	return err;
}

static int write_line(struct probe_writer *w, const struct probe_event *e, const char *line)
{
	char *text = mem_printf("%s\n", line);
	int fd = e->is_kernel ? w->kernel_fd : w->user_fd, err = 0;

	if (!w->is_dry) {
		/* Not io_write(): half a line must not be continued. */
		ssize_t n = write(fd, text, strlen(text));

		err = n < 0 ? -errno : (size_t)n != strlen(text) ? -EIO : 0;
	}
	free(text);
	return err;
}

/* By its place, so that a probe of another tool that has the same name stays. Before Linux 5.4 a place is refused; then by name alone, where no
 * other has it. */
static void take_back(struct probe_writer *w, const struct probe_event *e)
{
	char *line = probe_event_line(e), *minus;
	struct probe_list now = { 0 };
	uint32_t nr_same = 0;
	int err;

	minus = mem_printf("-%s", strchr(line, ':'));
	err = write_line(w, e, minus);
	if (err && err != -EBUSY && !probe_list_read(&now, w->root, NULL)) {
		for (uint32_t i = 0; i < now.events.nr; i++)
			nr_same += !strcmp(now.events.v[i].group, e->group) && !strcmp(now.events.v[i].name, e->name);
		if (nr_same == 1) {
			free(minus);
			minus = mem_printf("-:%s/%s", e->group, e->name);
			write_line(w, e, minus);
		}
	}
	probe_list_fini(&now);
	free(minus);
	free(line);
}

static int compare_names(const void *a, const void *b)
{
	const struct probe_event *x = a, *y = b;
	int order = strcmp(x->group, y->group);

	return order ? order : strcmp(x->name, y->name);
}

int probe_writer_commit(struct probe_writer *w, struct errbuf *eb)
{
	struct probe_list now = { 0 };
	int err = 0;

	if (!w->is_dry && w->first_added < w->there.events.nr)
		err = probe_list_read(&now, w->root, eb);
	vec_sort(&now.events, compare_names);
	for (uint32_t i = 1; i < now.events.nr && !err; i++) {
		const struct probe_event *e = &now.events.v[i];

		if (compare_names(e - 1, e))
			continue;
		for (uint32_t k = w->first_added; k < w->there.events.nr && !err; k++)
			if (!compare_names(e, &w->there.events.v[k]))
				err = errbuf_set(eb, -EAGAIN, "another tool defined a probe '%s:%s' at the same moment: try again",
						 e->group, e->name);
	}
	probe_list_fini(&now);
	if (!err)
		w->first_added = w->there.events.nr;
	return err;
}

void probe_writer_close(struct probe_writer *w)
{
	for (uint32_t i = w->there.events.nr; !w->is_dry && i-- > w->first_added;)
		take_back(w, &w->there.events.v[i]);
	/* Closing unlocks. */
	if (w->user_fd >= 0)
		close(w->user_fd);
	if (w->kernel_fd >= 0)
		close(w->kernel_fd);
	w->user_fd = w->kernel_fd = -1;
	hindex_fini(&w->names);
	probe_list_fini(&w->there);
}

static int name_is_taken(const char *group, const char *name, struct errbuf *eb)
{
	return errbuf_set(
		eb, -EEXIST,
		"there is a probe '%s:%s' already: 'assay probe -d %s:%s' deletes it, -f adds this one as '%s_1', 'NAME=…' before the "
		"definition gives it another name",
		group, name, group, name, name);
}

int probe_writer_choose_name(struct probe_writer *w, const char *group, const char *name, bool may_suffix, char chosen[PROBE_NAME_SIZE],
			     struct errbuf *eb)
{
	char suffix[16] = "";

	for (unsigned int i = 0; i <= SUFFIX_MAX; i++) {
		if (i)
			snprintf(suffix, sizeof(suffix), "_%u", i);
		snprintf(chosen, PROBE_NAME_SIZE, "%.*s%s", (int)(PROBE_NAME_SIZE - 1 - strlen(suffix)), name, suffix);
		if (!has_name(w, group, chosen))
			return 0;
		if (!may_suffix)
			return name_is_taken(group, name, eb);
	}
	return errbuf_set(eb, -EEXIST, "there are %d probes of the name '%s:%s' already: 'assay probe -d \"%s:%s*\"' deletes them",
			  SUFFIX_MAX, group, name, group, name);
}

/* What splits a line for the kernel cannot be part of a path in it. */
int probe_check_file(const char *file, struct errbuf *eb)
{
	const char *bad = file;

	for (; *bad; bad++)
		if ((unsigned char)*bad <= ' ' || *bad == 0x7f || *bad == '#')
			break;
	if (!*bad)
		return 0;
	return errbuf_set(
		eb, -EINVAL,
		"the kernel's list of probes cannot name '%s': a path with blanks, control characters or # ends there. Make a link "
		"to it ('ln -s') and probe that, or use --temp, which takes any path",
		file);
}

static struct probe_event copy_event(struct arena *a, const struct probe_event *e)
{
	struct probe_event c = *e;
#define COPY(s) ((s) ? arena_str(a, s, strlen(s)) : NULL)

	c.group = COPY(e->group);
	c.name = COPY(e->name);
	c.file = COPY(e->file);
	c.module = COPY(e->module);
	c.symbol = COPY(e->symbol);
	memset(&c.args, 0, sizeof(c.args));
	for (uint32_t i = 0; i < e->args.nr; i++)
		vec_push(&c.args, ((struct probe_event_arg){ COPY(e->args.v[i].name), COPY(e->args.v[i].fetch) }));
	return c;
#undef COPY
}

int probe_writer_add(struct probe_writer *w, const struct probe_event *e, struct errbuf *eb)
{
	int fd = e->is_kernel ? w->kernel_fd : w->user_fd, err = 0;
	char *line;

	if (!w->is_dry && fd == -ENOENT)
		return e->is_kernel ? probe_no_kprobes(w->root, e->symbol, eb)
				    : errbuf_set(eb, -ENOTSUP, "this kernel has no uprobes (CONFIG_UPROBE_EVENTS is off)");
	if (!probe_name_is_valid(e->group) || !probe_name_is_valid(e->name))
		return errbuf_set(
			eb, -EINVAL,
			"'%s:%s' cannot name a probe: a group and a name have letters, digits and _, at most %d, and no digit first",
			e->group, e->name, PROBE_NAME_SIZE - 1);
	if (!e->is_kernel)
		err = probe_check_file(e->file, eb);
	if (err)
		return err;
	line = probe_event_line(e);
	err = write_line(w, e, line);
	if (err) {
		err = probe_add_error(w->root, e, line, err, eb);
	} else {
		vec_push(&w->there.events, copy_event(&w->there.arena, e));
		note_name(w, w->there.events.nr - 1);
	}
	free(line);
	return err;
}

/* The kernel takes a moment to let go of a probe that was in use, and stat leaves that behind itself. */
int probe_writer_delete(struct probe_writer *w, const struct probe_event *e, struct errbuf *eb)
{
	const struct timespec pause = { .tv_nsec = 20 * NS_PER_MS };
	char *line = mem_printf("-:%s/%s", e->group, e->name);
	uint64_t until = w->busy_until_ns ? w->busy_until_ns : clock_now_ns() + BUSY_PATIENCE_MS * NS_PER_MS;
	int err;

	while ((err = write_line(w, e, line)) == -EBUSY && clock_now_ns() < until) {
		w->busy_until_ns = until;
		nanosleep(&pause, NULL);
	}
	free(line);
	return err ? probe_delete_error(w->root, e, err, eb) : 0;
}
