/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `assay probe` with words or -a, -d, -l. All definitions of a command are found before the first is added, and all are added or none.
 */
#include "cmd/probe_edit.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cmd/cmd.h"
#include "kernel/probe_events.h"
#include "kernel/tracefs.h"
#include "view/probe_text.h"

int probe_edit_option_add(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct probe_edit *e = ctx;

	(void)opt, (void)negated, (void)eb;
	vec_push(&e->adds, arg);
	return 0;
}

int probe_edit_option_delete(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct probe_edit *e = ctx;

	(void)opt, (void)negated, (void)eb;
	vec_push(&e->deletes, arg);
	return 0;
}

int probe_edit_option_list(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct probe_edit *e = ctx;

	(void)opt, (void)negated, (void)eb;
	e->lists = true;
	e->list_filter = arg;
	return 0;
}

bool probe_edit_is_used(const struct probe_edit *e)
{
	return e->lists || e->adds.nr || e->deletes.nr;
}

void probe_edit_fini(struct probe_edit *e)
{
	vec_fini(&e->adds);
	vec_fini(&e->deletes);
}

/* "GROUP:EVENT", or "EVENT" of any group; both may be patterns. */
static bool fits(const struct probe_event *e, const char *pattern, size_t len)
{
	const char *colon = memchr(pattern, ':', len);
	char *group = colon ? mem_strndup(pattern, (size_t)(colon - pattern)) : mem_strdup("*");
	char *name = colon ? mem_strndup(colon + 1, len - (size_t)(colon + 1 - pattern)) : mem_strndup(pattern, len);
	bool is_it = !fnmatch(group, e->group, 0) && !fnmatch(name, e->name, 0);

	free(group);
	free(name);
	return is_it;
}

/* Files that probes are in are opened once each. */
struct opened {
	const char *path;	     /* "": the kernel */
	struct probe_module *module; /* NULL: cannot be read */
};
struct opened_files {
	VEC(struct opened) v;
};

static struct probe_module *open_file(struct opened_files *files, const char *path)
{
	const struct probe_target target = { .path = *path ? path : NULL };
	struct opened o = { .path = path };

	for (uint32_t i = 0; i < files->v.nr; i++)
		if (!strcmp(files->v.v[i].path, path))
			return files->v.v[i].module;
	if (probe_module_open(&o.module, &target, NULL))
		o.module = NULL;
	vec_push(&files->v, o);
	return o.module;
}

static void close_files(struct opened_files *files)
{
	for (uint32_t i = 0; i < files->v.nr; i++)
		probe_module_close(files->v.v[i].module);
	vec_fini(&files->v);
}

static char *place_of(const struct probe_event *e, struct opened_files *files)
{
	const char *suffix = e->is_return ? "%return" : "";
	struct probe_module *m;
	char *place;

	if (!e->is_kernel) {
		m = open_file(files, e->file);
		return m ? probe_module_place(m, e->file_off, e->is_return)
			 : mem_printf("0x%llx%s", (unsigned long long)e->file_off, suffix);
	}
	if (!e->symbol)
		return mem_printf("0x%llx%s", (unsigned long long)e->address, suffix);
	m = strcmp(e->symbol, "_text") ? NULL : open_file(files, "");
	place = m ? probe_module_kernel_place(m, e->symbol_off, e->is_return) : NULL;
	if (place)
		return place;
	if (e->symbol_off)
		return mem_printf("%s+%llu%s", e->symbol, (unsigned long long)e->symbol_off, suffix);
	return mem_printf("%s%s", e->symbol, suffix);
}

static void show_event(struct out *o, const struct probe_event *e, struct opened_files *files)
{
	char *place = place_of(e, files);
	struct probe_text_event t = { .group = e->group, .name = e->name, .place = place, .file = e->is_kernel ? e->module : e->file };
	struct out args;

	out_init(&args, -1);
	for (uint32_t i = 0; i < e->args.nr; i++)
		out_printf(&args, "%s%s", i ? " " : "", e->args.v[i].name ? e->args.v[i].name : e->args.v[i].fetch);
	out_char(&args, 0);
	t.args = args.buf;
	probe_text_event(o, &t);
	out_fini(&args);
	free(place);
}

static int list(const struct probe_edit *e, struct errbuf *eb)
{
	const char *root = tracefs_find(eb);
	struct opened_files files = { 0 };
	struct probe_list l = { 0 };
	struct out o;
	int err, written;

	if (!root)
		return -ENOENT;
	err = probe_list_read(&l, root, eb);
	out_init(&o, STDOUT_FILENO);
	probe_list_sort(&l);
	for (uint32_t i = 0; i < l.events.nr && !err; i++)
		if (!e->list_filter || fits(&l.events.v[i], e->list_filter, strlen(e->list_filter)))
			show_event(&o, &l.events.v[i], &files);
	if (l.nr_unknown)
		log_warn("%u lines of the kernel's list of probes were not understood", l.nr_unknown);
	close_files(&files);
	probe_list_fini(&l);
	written = out_fini(&o);
	return err ? err : written;
}

/* All that fit one pattern; how many, or the first error. Others are tried all the same. */
static int delete_fitting(struct probe_writer *w, const struct probe_edit *e, const char *pattern, size_t len, struct out *o,
			  struct errbuf *eb)
{
	int err = 0, nr = 0;

	for (uint32_t i = 0; i < w->there.events.nr; i++) {
		const struct probe_event *event = &w->there.events.v[i];
		int ret;

		if (!fits(event, pattern, len))
			continue;
		/* Of lines with one name, deleting one deletes all. */
		if (probe_list_find(&w->there, event->group, event->name) != event)
			continue;
		nr++;
		ret = probe_writer_delete(w, event, err ? NULL : eb);
		if (!ret && !e->quiet)
			probe_text_removed(o, event->group, event->name, e->dry_run);
		err = err ? err : ret;
	}
	if (!nr)
		return errbuf_set(eb, -ENOENT, "no probe matches '%.*s'; 'assay probe -l' lists them", (int)len, pattern);
	return err;
}

static int delete_all(const struct probe_edit *e, struct errbuf *eb)
{
	struct probe_writer w;
	struct out o;
	int err = probe_writer_open(&w, NULL, e->dry_run, eb), written;

	if (err)
		return err;
	out_init(&o, STDOUT_FILENO);
	for (uint32_t i = 0; i < e->deletes.nr; i++)
		for (const char *s = e->deletes.v[i]; s;) {
			size_t len = strcspn(s, ",");
			int ret = delete_fitting(&w, e, s, len, &o, err ? NULL : eb);

			err = err ? err : ret;
			s = s[len] ? s + len + 1 : NULL;
		}
	probe_writer_close(&w);
	written = out_fini(&o);
	return err ? err : written;
}

/* The name that the i-th place of a definition gets. */
static int choose_name(struct probe_writer *w, const struct probe_edit *e, const struct probe_defs *defs, uint32_t i,
		       char name[PROBE_NAME_SIZE], struct errbuf *eb)
{
	const struct probe_def *d = &defs->v.v[i], *first = &defs->v.v[0];
	size_t len = strlen(first->event);
	/* Further places are NAME_1, NAME_2, … of the first; a pattern of SDT probes gives different names. */
	bool is_further = i && !strcmp(d->group, first->group) && !strncmp(d->event, first->event, len) &&
			  (d->event[len] == '_' || !d->event[len]);

	return probe_writer_choose_name(w, d->group, is_further ? first->event : d->event, e->force || is_further, name, eb);
}

struct added {
	char name[2 * PROBE_NAME_SIZE]; /* GROUP:EVENT of the last one */
	uint32_t nr;
};

static int add_found(struct probe_writer *w, const struct probe_edit *e, const struct probe_found *f, struct out *o, struct added *added,
		     struct errbuf *eb)
{
	struct arena arena = { 0 };
	int err = 0;

	for (uint32_t i = 0; i < f->defs.v.nr && !err; i++) {
		const struct probe_def *d = &f->defs.v.v[i];
		char name[PROBE_NAME_SIZE];
		struct probe_event event;

		err = choose_name(w, e, &f->defs, i, name, eb);
		if (err)
			break;
		probe_event_of(&event, &arena, d, e->module);
		event.name = name;
		err = probe_writer_add(w, &event, eb);
		vec_fini(&event.args);
		if (err)
			break;
		probe_text_event(o, &(struct probe_text_event){ .group = d->group,
								.name = name,
								.place = f->place,
								.file = d->path ? d->path : e->module,
								.args = f->args });
		snprintf(added->name, sizeof(added->name), "%s:%s", d->group, name);
		added->nr++;
	}
	arena_fini(&arena);
	return err;
}

static void show_added(const struct probe_edit *e, const struct added *added, const struct out *lines, struct out *o)
{
	out_printf(o, "%s new event%s:\n", e->dry_run ? "Would add" : "Added", added->nr > 1 ? "s" : "");
	out_mem(o, lines->buf, lines->len);
	if (!e->dry_run)
		out_printf(o, "\nUse it in record, stat, trace and script, as in:\n\n\tassay record -e %s -aR sleep 1\n\n", added->name);
}

static int write_all(const struct probe_edit *e, const struct probe_found *found, struct errbuf *eb)
{
	struct added added = { 0 };
	struct probe_writer w;
	struct out lines, o;
	int err = probe_writer_open(&w, NULL, e->dry_run, eb), written = 0;

	if (err)
		return err;
	out_init(&lines, -1);
	for (uint32_t i = 0; i < e->adds.nr && !err; i++)
		err = add_found(&w, e, &found[i], &lines, &added, eb);
	if (!err)
		err = probe_writer_commit(&w, eb);
	probe_writer_close(&w);
	if (!err && !e->quiet) {
		out_init(&o, STDOUT_FILENO);
		show_added(e, &added, &lines, &o);
		written = out_fini(&o);
	}
	out_fini(&lines);
	return err ? err : written;
}

/* The kernel takes probes of modules that are not loaded, and then they wait for it: most likely a misspelling. */
static int check_module(const char *name, struct errbuf *eb)
{
	char path[300];

	if (!*name || strlen(name) > 200 || name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")])
		return errbuf_set(eb, CMD_USAGE, "probe: -m takes the name of a module as lsmod has it, not '%s'", name);
	snprintf(path, sizeof(path), "/sys/module/%s", name);
	if (access(path, F_OK))
		return errbuf_set(eb, -ENOENT, "the module '%s' is not loaded: 'sudo modprobe %s' loads it", name, name);
	return 0;
}

static int add_all(const struct probe_edit *e, const struct probe_target *target, const struct probe_limits *limits, struct errbuf *eb)
{
	struct probe_found *found = mem_zalloc(e->adds.nr * sizeof(*found));
	struct probe_module *m = NULL;
	int err = e->module ? check_module(e->module, eb) : 0;

	if (!err)
		err = probe_module_open(&m, target, eb);
	if (!err && probe_module_path(m) && !probe_module_is_native(m))
		err = errbuf_set(eb, -ENOEXEC, "%s is code of another architecture: no process of this machine runs it",
				 probe_module_path(m));
	if (!err && !probe_module_path(m) && !e->dry_run && !probe_module_is_running_kernel(m))
		err = errbuf_set(
			eb, -ENOEXEC,
			"%s is not of the kernel that runs (their build-ids differ): its addresses and variables would be wrong here; "
			"-D prints the definition for a machine that runs it",
			target->kernel);
	for (uint32_t i = 0; i < e->adds.nr && !err; i++)
		err = probe_find(&found[i], m, e->module, e->adds.v[i], limits, eb);
	for (uint32_t i = 0; i < e->adds.nr && !err; i++)
		err = probe_check_returns(m, &found[i], eb);
	if (!err)
		err = write_all(e, found, eb);
	for (uint32_t i = 0; i < e->adds.nr; i++)
		probe_found_fini(&found[i]);
	free(found);
	probe_module_close(m);
	return err;
}

int probe_edit_run(const struct probe_edit *e, const struct probe_target *target, const struct probe_limits *limits, struct errbuf *eb)
{
	int err = 0;

	if (e->lists && (e->adds.nr || e->deletes.nr))
		return errbuf_set(eb, CMD_USAGE, "probe: -l lists what is there; leave out what is to be added or deleted");
	if (e->module && target->path)
		return errbuf_set(eb, CMD_USAGE, "probe: -m names a module of the kernel and -x a program; give one of them");
	if (e->lists)
		return list(e, eb);
	if (e->deletes.nr)
		err = delete_all(e, eb);
	return err || !e->adds.nr ? err : add_all(e, target, limits, eb);
}
