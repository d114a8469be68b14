/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From words to places and arguments, by the same way as `assay probe`.
 */
#include "cmd/temp_probes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "cmd/cmd.h"
#include "cmd/probe_edit.h"
#include "kernel/probe_events.h"
#include "kernel/tracefs.h"

int temp_option_take(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct temp_option *t = ctx;

	(void)opt, (void)eb;
	if (negated)
		t->words.nr = 0;
	else
		vec_push(&t->words, arg);
	return 0;
}

void temp_option_fini(struct temp_option *t)
{
	vec_fini(&t->words);
	temp_probes_fini(&t->probes);
}

void temp_option_add_word(struct temp_option *t, const char *word, size_t len)
{
	vec_push(&t->words, arena_str(&t->probes.arena, word, len));
}

static bool is_defined(const char *event)
{
	const char *root = tracefs_find(NULL), *colon = strchr(event, ':');
	char path[512];

	if (!root)
		return false;
	/* A pattern is about what is defined, where something is. */
	snprintf(path, sizeof(path), "%s/events/%.*s/%s", root, (int)(colon - event), event, strpbrk(colon, "*?") ? "" : colon + 1);
	return !access(path, F_OK);
}

bool temp_option_is_sdt(const char *word)
{
	return !strncmp(word, "sdt_", 4) && strchr(word, ':') && !strpbrk(word, ",{}/[ ") && strcspn(word, "*?") > strcspn(word, ":") &&
	       !is_defined(word);
}

void temp_option_take_sdt(struct temp_option *t, struct event_words *words)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < words->v.nr; i++) {
		const struct event_word *w = &words->v.v[i];

		if (w->kind == WORD_EVENT && temp_option_is_sdt(w->text))
			vec_push(&t->words, w->text);
		else
			words->v.v[nr++] = *w;
	}
	words->v.nr = nr;
}

static bool is_elf(const char *path)
{
	int fd = io_open_regular(path);
	char magic[4] = "";
	bool is_it = fd >= 0 && io_pread(fd, magic, sizeof(magic), 0) == sizeof(magic) && !memcmp(magic, "\177ELF", 4);

	if (fd >= 0)
		close(fd);
	return is_it;
}

/* "FILE:PROBE", where FILE has a slash and is a program or library; otherwise all of it is a probe of the command's program. */
static char *take_file(const char **word, char **workload)
{
	for (const char *colon = strchr(*word, ':'); colon; colon = strchr(colon + 1, ':')) {
		char *path = mem_strndup(*word, (size_t)(colon - *word));

		if (strchr(path, '/') && is_elf(path)) {
			*word = colon + 1;
			return path;
		}
		free(path);
	}
	return workload ? mem_strdup(workload[0]) : NULL;
}

static bool has_name(const struct temp_probes *t, const char *group, const char *name)
{
	size_t len = strlen(group);

	for (uint32_t i = 0; i < t->names.nr; i++)
		if (!strncmp(t->names.v[i], group, len) && t->names.v[i][len] == ':' && !strcmp(t->names.v[i] + len + 1, name))
			return true;
	return false;
}

static int add_def(struct temp_probes *t, const struct probe_def *d, struct errbuf *eb)
{
	const struct bpf_probe place = { .path = d->path, .file_off = d->file_off, .ref_ctr = d->semaphore };
	char *name = mem_strdup(d->event);
	int err;

	for (unsigned int i = 1; has_name(t, d->group, name); i++) {
		free(name);
		name = mem_printf("%s_%u", d->event, i);
	}
	err = temp_probes_add(t, d->group, name, &place, d->is_return, d->args ? d->args : "", eb);
	free(name);
	return err;
}

static int resolve_word(struct temp_probes *t, const char *word, char **workload, struct errbuf *eb)
{
	const struct probe_limits limits = { .max_points = 128 };
	char *path = take_file(&word, workload);
	const struct probe_target target = { .path = path };
	struct probe_module *m = NULL;
	struct probe_found found = { 0 };
	int err;

	if (!path)
		return errbuf_set(eb, CMD_USAGE, "--temp '%s': say which program or library it is in (a path before it: ./FILE:PROBE)",
				  word);
	err = probe_module_open(&m, &target, eb);
	if (!err && !probe_module_is_native(m))
		err = errbuf_set(eb, -ENOEXEC, "%s is code of another architecture: no process of this machine runs it", path);
	if (!err)
		err = probe_find(&found, m, NULL, word, &limits, eb);
	if (!err)
		err = probe_check_returns(m, &found, eb);
	for (uint32_t i = 0; i < found.defs.v.nr && !err; i++)
		err = add_def(t, &found.defs.v.v[i], eb);
	probe_found_fini(&found);
	probe_module_close(m);
	free(path);
	return err;
}

int temp_option_resolve(struct temp_option *t, struct capture_options *o, char **workload, struct errbuf *eb)
{
	int err = 0;

	for (uint32_t i = 0; i < t->words.nr && !err && !o->temp_probes; i++)
		err = resolve_word(&t->probes, t->words.v[i], workload, eb);
	o->temp_probes = t->probes.places.nr ? &t->probes : NULL;
	return err;
}
