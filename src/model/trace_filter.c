/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lists of a filter, and what of a call they are compared with.
 */
#include "model/trace_filter.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/options.h"

static const struct {
	const char *name;
	uint32_t bits;
} status_names[] = {
	{ "successful", TRACE_SUCCESSFUL },
	{ "failed", TRACE_FAILED },
	{ "unfinished", TRACE_UNFINISHED },
	{ "unavailable", TRACE_UNAVAILABLE },
	{ "detached", TRACE_DETACHED },
	{ "all", TRACE_ANY_STATUS },
	{ "none", 0 },
};

void trace_filter_init(struct trace_filter *f)
{
	memset(f, 0, sizeof(*f));
	f->statuses = TRACE_ANY_STATUS;
}

void trace_filter_fini(struct trace_filter *f)
{
	for (uint32_t i = 0; i < f->exact_paths.nr; i++)
		free(f->exact_paths.v[i]);
	vec_fini(&f->exact_paths);
	vec_fini(&f->paths);
	vec_fini(&f->comms);
	vec_fini(&f->errors);
	vec_fini(&f->fds);
	vec_fini(&f->tids);
	vec_fini(&f->pids);
}

int trace_filter_add_ids(struct trace_ids *ids, const char *list, const char *what, struct errbuf *eb)
{
	char *copy = mem_strdup(list), *rest = copy, *word;
	uint64_t id;
	int err = 0;

	while (!err && (word = strsep(&rest, ", \t\n"))) {
		if (!*word && *list)
			continue;
		if (options_u64(word, 0, INT32_MAX, &id))
			err = errbuf_set(eb, -EINVAL, "'%s' is no %s", word, what);
		else
			vec_push(ids, (int32_t)id);
	}
	free(copy);
	return err;
}

int trace_filter_add_errors(struct trace_filter *f, const char *list, int (*error_of)(const char *name), struct errbuf *eb)
{
	char *copy = mem_strdup(list), *rest = copy, *word;
	int err = 0;

	while (!err && (word = strsep(&rest, ","))) {
		uint64_t number;
		int error = error_of(word);

		if (!error && !options_u64(word, 1, 4095, &number))
			error = (int)number;
		if (error)
			vec_push(&f->errors, error);
		else
			err = errbuf_set(eb, -EINVAL, "'%s' is no error: give a name (ENOENT) or a number", word);
	}
	free(copy);
	return err;
}

int trace_filter_set_statuses(struct trace_filter *f, const char *list, struct errbuf *eb)
{
	bool others = *list == '!';
	char *copy = mem_strdup(list + others), *rest = copy, *word;
	uint32_t bits = 0, i;
	int err = 0;

	while (!err && (word = strsep(&rest, ","))) {
		for (i = 0; i < sizeof(status_names) / sizeof(status_names[0]) && strcmp(word, status_names[i].name); i++)
			;
		if (i == sizeof(status_names) / sizeof(status_names[0]))
			err = errbuf_set(eb, -EINVAL,
					 "unknown status '%s' (successful, failed, unfinished, unavailable, detached, all, none)", word);
		else
			bits |= status_names[i].bits;
	}
	if (!err)
		f->statuses = others ? TRACE_ANY_STATUS & ~bits : bits;
	free(copy);
	return err;
}

bool trace_filter_is_needed(const struct trace_filter *f)
{
	return f->statuses != TRACE_ANY_STATUS || f->min_duration_ns || f->min_size || f->pids.nr || f->tids.nr || f->fds.nr ||
	       f->errors.nr || f->comms.nr || trace_filter_has_paths(f);
}

static bool has_id(const struct trace_ids *ids, int32_t id)
{
	for (uint32_t i = 0; i < ids->nr; i++)
		if (ids->v[i] == id)
			return true;
	return false;
}

static bool matches_path(const struct trace_filter *f, const char *path)
{
	for (uint32_t i = 0; i < f->paths.nr; i++)
		if (!fnmatch(f->paths.v[i], path, 0))
			return true;
	for (uint32_t i = 0; i < f->exact_paths.nr; i++)
		if (!strcmp(f->exact_paths.v[i], path))
			return true;
	return false;
}

static bool is_fd(const struct syscall_arg *a)
{
	return a->kind == SYSCALL_ARG_FD || a->kind == SYSCALL_ARG_DIRFD;
}

/* A path as it was given, and as it is from the root. */
static bool has_path_argument(const struct trace_filter *f, struct syscall_log *l, const struct traced *t, const struct syscall_memory *m)
{
	const struct syscall_def *def = t->call.def;
	size_t len = strnlen((const char *)m->data, m->size);
	bool has_dir = m->arg && def->args[m->arg - 1].kind == SYSCALL_ARG_DIRFD;
	char path[2 * PATH_MAX];

	if (!len || len >= sizeof(path))
		return false;
	memcpy(path, m->data, len);
	path[len] = 0;
	if (matches_path(f, path))
		return true;
	return syscall_log_full_path(l, t->task, has_dir ? (int)t->call.args[m->arg - 1] : SYSCALL_CWD, (const char *)m->data, len, path,
				     sizeof(path)) &&
	       matches_path(f, path);
}

static bool has_path(const struct trace_filter *f, struct syscall_log *l, const struct traced *t)
{
	const struct syscall_call *c = &t->call;

	for (uint32_t i = 0; c->def && i < c->nr_memory; i++)
		if (c->def->args[c->memory[i].arg].kind == SYSCALL_ARG_PATH && !c->memory[i].has_failed &&
		    has_path_argument(f, l, t, &c->memory[i]))
			return true;
	for (uint32_t i = 0; c->def && i < c->def->nr_args; i++) {
		const char *path = is_fd(&c->def->args[i]) && (int)c->args[i] >= 0 ? syscall_log_path(l, t->task, (int)c->args[i]) : NULL;

		if (path && matches_path(f, path))
			return true;
	}
	return false;
}

/* Descriptors that it is given; one that it returns is known at its end. */
static bool has_fd(const struct trace_filter *f, const struct syscall_call *c)
{
	for (uint32_t i = 0; c->def && i < c->def->nr_args; i++)
		if (is_fd(&c->def->args[i]) && has_id(&f->fds, (int32_t)c->args[i]))
			return true;
	return c->def && c->has_ended && c->def->result == SYSCALL_ARG_FD && c->result >= 0 && has_id(&f->fds, (int32_t)c->result);
}

static bool has_comm(const struct trace_filter *f, const char *comm)
{
	for (uint32_t i = 0; i < f->comms.nr; i++)
		if (!fnmatch(f->comms.v[i], comm, 0))
			return true;
	return !f->comms.nr;
}

bool trace_filter_begins(const struct trace_filter *f, struct syscall_log *l, const struct traced *t, const char *comm)
{
	if ((f->pids.nr || f->tids.nr) && !has_id(&f->pids, t->task->pid) && !has_id(&f->tids, t->task->tid))
		return false;
	if (!has_comm(f, comm))
		return false;
	if (t->kind != TRACED_CALL && t->kind != TRACED_ENTER)
		return true;
	if (f->set.is_chosen && !syscall_set_has(&f->set, t->call.abi, t->call.nr))
		return false;
	return (!f->fds.nr || has_fd(f, &t->call)) && (!trace_filter_has_paths(f) || has_path(f, l, t));
}

static uint32_t status_of(const struct traced *t)
{
	const struct syscall_call *c = &t->call;

	return t->is_pending ? TRACE_DETACHED : !c->has_ended ? TRACE_UNFINISHED : syscall_error(c) ? TRACE_FAILED : TRACE_SUCCESSFUL;
}

/* Bytes that it moved between memory and a descriptor. */
static uint64_t size_of(const struct syscall_call *c)
{
	bool moves = false;

	for (uint32_t i = 0; c->def && i < c->def->nr_args; i++) {
		const struct syscall_arg *a = &c->def->args[i];

		moves |= a->kind == SYSCALL_ARG_BYTES ||
			 (a->kind == SYSCALL_ARG_STRUCT && (a->type == SYSCALL_TYPE_IOVEC || a->type == SYSCALL_TYPE_MSGHDR));
	}
	moves |= c->def && (strstr(c->def->name, "sendfile") || !strcmp(c->def->name, "copy_file_range") || strstr(c->def->name, "splice"));
	return moves && c->has_ended && c->result > 0 ? (uint64_t)c->result : 0;
}

bool trace_filter_ends(const struct trace_filter *f, const struct traced *t)
{
	const struct syscall_call *c = &t->call;

	if (t->kind != TRACED_CALL)
		return true;
	if (!(f->statuses & status_of(t)))
		return false;
	if (f->min_duration_ns && (!t->start_ns || t->end_ns - t->start_ns < f->min_duration_ns))
		return false;
	if (f->errors.nr && !has_id(&f->errors, -syscall_error(c)))
		return false;
	return !f->min_size || size_of(c) >= f->min_size;
}
