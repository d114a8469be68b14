/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A call and its result as one line has them. The table entry says what each argument is, calls that are not like their entry are in
 * syscall_special.c, and the two shapes differ in three ways: perf's names the arguments, leaves out those that are zero, and leaves out
 * prefixes of names.
 */
#include "view/syscall_text.h"

#include <string.h>

#include "view/syscall_structs.h"
#include "view/syscall_writer.h"

#define NAME_COLOUR "\033[36m"
#define ERROR_COLOUR "\033[31m"
#define PLAIN "\033[m"

static const struct syscall_special *special_of(const struct syscall_call *c, const struct syscall_text_options *opts)
{
	struct syscall_text_found *f;

	if (!c->def || !opts->found)
		return c->def ? syscall_special_find(c->def->name) : NULL;
	f = &opts->found[c->nr % SYSCALL_TEXT_FOUND];
	if (f->def != c->def)
		*f = (struct syscall_text_found){ c->def, syscall_special_find(c->def->name) };
	return f->special;
}

static struct syscall_writer writer_of(struct out *o, const struct syscall_call *c, const struct syscall_text_options *opts)
{
	return (struct syscall_writer){
		.o = o,
		.c = c,
		.opts = opts,
		.special = special_of(c, opts),
		.elements_left = SYSCALL_MAX_ELEMENTS,
	};
}

static uint32_t arg_count(const struct syscall_writer *w)
{
	uint32_t nr = w->c->def ? w->c->def->nr_args : SYSCALL_MAX_ARGS;

	if (w->special && w->special->nr_args && !w->opts->raw) {
		uint32_t wanted = w->special->nr_args(w);

		nr = wanted < nr ? wanted : nr;
	}
	return nr < SYSCALL_MAX_ARGS ? nr : SYSCALL_MAX_ARGS;
}

/* perf leaves zeros out. Descriptor 0 and values that have a name for zero say something. */
static bool arg_is_left_out(const struct syscall_writer *w, uint32_t i)
{
	const struct syscall_arg *a;

	if (w->opts->shape != SYSCALL_PERF || w->c->args[i] || !w->c->def)
		return false;
	a = &w->c->def->args[i];
	if (a->kind == SYSCALL_ARG_FD || a->kind == SYSCALL_ARG_DIRFD)
		return false;
	if (a->kind == SYSCALL_ARG_FLAGS || a->kind == SYSCALL_ARG_ENUM)
		return !syscall_flag_name(syscall_arg_flags(w->c->def, w->c->args, i), 0);
	return true;
}

static void value_put(struct syscall_writer *w, uint32_t i)
{
	w->drops_prefix = w->opts->shape == SYSCALL_PERF;
	if (!w->c->def || w->opts->raw)
		syscall_put_hex(w->o, w->c->args[i]);
	else if (!w->special || !w->special->arg || !w->special->arg(w, i))
		syscall_put_arg(w, i);
}

static void arg_put(struct syscall_writer *w, uint32_t i)
{
	if (w->opts->shape == SYSCALL_PERF && w->c->def) {
		out_str(w->o, w->c->def->args[i].name);
		out_mem(w->o, ": ", 2);
	}
	value_put(w, i);
}

/* Whether strace waits for the end of the call to write it. */
static bool arg_needs_end(const struct syscall_writer *w, uint32_t i)
{
	const struct syscall_arg *a = w->c->def ? &w->c->def->args[i] : NULL;

	if (a && w->special && w->special->shows_end == i + 1 && !w->opts->raw)
		return true;
	if (!a || a->direction == SYSCALL_IN || a->kind < SYSCALL_ARG_PATH || w->opts->raw || (w->special && w->special->is_known_at_entry))
		return false;
	return a->kind != SYSCALL_ARG_BY_REQUEST || (w->special && w->special->needs_end && w->special->needs_end(w));
}

static void name_put(struct syscall_writer *w)
{
	if (w->opts->is_coloured)
		out_str(w->o, NAME_COLOUR);
	if (w->c->def) {
		out_str(w->o, w->c->def->name);
	} else {
		out_str(w->o, "syscall_");
		syscall_put_hex(w->o, w->c->nr);
	}
	if (w->opts->is_coloured)
		out_str(w->o, PLAIN);
	out_char(w->o, '(');
}

static uint32_t begin_put(struct syscall_writer *w)
{
	uint32_t nr = arg_count(w), i;
	bool any = false;

	name_put(w);
	for (i = 0; i < nr; i++) {
		bool is_left_out = arg_is_left_out(w, i);

		if (any && !is_left_out)
			out_mem(w->o, ", ", 2);
		if (w->opts->shape == SYSCALL_STRACE && arg_needs_end(w, i))
			break;
		if (!is_left_out)
			arg_put(w, i);
		any |= !is_left_out;
	}
	return i;
}

/* rt_sigreturn() has no arguments. Of a live trace the mask is known that it brings back. */
static void restored_mask_put(struct syscall_writer *w)
{
	struct syscall_bytes mask;

	if (!syscall_memory_find(w, 0, false, &mask))
		return;
	out_str(w->o, "{mask=");
	syscall_put_sigset(w, &mask);
	out_char(w->o, '}');
}

static void rest_put(struct syscall_writer *w, uint32_t first_arg)
{
	uint32_t nr = arg_count(w);
	bool any = false;

	if (!nr && w->c->nr_memory)
		restored_mask_put(w);

	for (uint32_t i = first_arg; i < nr; i++) {
		if (arg_is_left_out(w, i))
			continue;
		if (any)
			out_mem(w->o, ", ", 2);
		arg_put(w, i);
		any = true;
	}
	out_char(w->o, ')');
}

uint32_t syscall_text_begin(struct out *o, const struct syscall_call *c, const struct syscall_text_options *opts)
{
	struct syscall_writer w = writer_of(o, c, opts);

	return begin_put(&w);
}

void syscall_text_rest(struct out *o, const struct syscall_call *c, uint32_t first_arg, const struct syscall_text_options *opts)
{
	struct syscall_writer w = writer_of(o, c, opts);

	rest_put(&w, first_arg);
}

void syscall_text_call(struct out *o, const struct syscall_call *c, const struct syscall_text_options *opts)
{
	struct syscall_writer w = writer_of(o, c, opts);

	rest_put(&w, begin_put(&w));
}

uint32_t syscall_text_nr_args(const struct syscall_call *c, const struct syscall_text_options *opts)
{
	struct syscall_writer w = writer_of(NULL, c, opts);

	return arg_count(&w);
}

void syscall_text_arg(struct out *o, const struct syscall_call *c, uint32_t arg, const struct syscall_text_options *opts)
{
	struct syscall_writer w = writer_of(o, c, opts);

	value_put(&w, arg);
}

/* ---- results ---- */

static void error_put(struct out *o, int error)
{
	const char *name = syscall_error_name(error);
	bool is_restart = -error >= SYSCALL_FIRST_RESTART;

	if (is_restart && name)
		out_mem(o, "? ", 2);
	else
		out_mem(o, "-1 ", 3);
	if (name) {
		out_str(o, name);
		out_mem(o, " (", 2);
		out_str(o, syscall_error_text(error));
		out_char(o, ')');
	} else {
		out_str(o, "(errno ");
		out_u64(o, (uint64_t)-error, 0);
		out_char(o, ')');
	}
}

/* strace names tasks that started or are asked for, not those that are waited for. */
static void result_pid_put(struct syscall_writer *w)
{
	const char *name = w->c->def->name;

	if (w->opts->shape == SYSCALL_STRACE && (!strncmp(name, "wait", 4) || !strcmp(name, "set_tid_address")))
		syscall_put_s64(w->o, (int)w->c->result);
	else
		syscall_put_pid(w, (int)w->c->result);
}

void syscall_text_result(struct out *o, const struct syscall_call *c, const struct syscall_text_options *opts)
{
	struct syscall_writer w = writer_of(o, c, opts);
	int error = syscall_error(c);

	if (!c->has_ended || (c->def && (c->def->classes & SYSCALL_NO_RETURN))) {
		out_char(o, '?');
		return;
	}
	if (error) {
		if (opts->is_coloured)
			out_str(o, ERROR_COLOUR);
		error_put(o, error);
		if (opts->is_coloured)
			out_str(o, PLAIN);
		return;
	}
	if (opts->raw) {
		syscall_put_hex(o, (uint64_t)c->result);
		return;
	}
	w.drops_prefix = opts->shape == SYSCALL_PERF;
	if (w.special && w.special->result && w.special->result(&w))
		return;
	switch (c->def ? c->def->result : SYSCALL_ARG_LONG) {
	case SYSCALL_ARG_FD:
		syscall_put_new_fd(&w, (int)c->result);
		break;
	case SYSCALL_ARG_POINTER:
	case SYSCALL_ARG_HEX:
		syscall_put_hex(o, (uint64_t)c->result);
		break;
	case SYSCALL_ARG_MODE:
		syscall_put_octal(o, (uint64_t)c->result, 3);
		break;
	case SYSCALL_ARG_PID:
		result_pid_put(&w);
		break;
	case SYSCALL_ARG_UID:
		syscall_put_uid(&w, (uint32_t)c->result);
		break;
	case SYSCALL_ARG_ULONG:
	case SYSCALL_ARG_SIZE:
		out_u64(o, (uint64_t)c->result, 0);
		break;
	default:
		syscall_put_s64(o, c->result);
	}
}

void syscall_text_signal(struct out *o, int sig, const struct syscall_memory *info, const struct syscall_text_options *opts)
{
	const struct syscall_call none = { .abi = syscall_native_abi() };
	struct syscall_writer w = writer_of(o, &none, opts);

	out_str(o, "--- ");
	syscall_put_signal(&w, sig);
	out_char(o, ' ');
	if (info && info->size) {
		const struct syscall_bytes b = { .data = info->data, .size = info->size };

		syscall_put_siginfo(&w, &b);
	} else {
		out_str(o, "{}");
	}
	out_str(o, " ---");
}
