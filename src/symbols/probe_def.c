/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct probe_def: names of events, the line that uprobe_events and kprobe_events take, and the places that symbols alone give: functions,
 * offsets, returns and addresses of files without debug information.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/out.h"
#include "symbols/demangle.h"
#include "symbols/probe_module.h"
#include "symbols/probe_resolve.h"

#define MAX_EVENT_BYTES 63 /* the kernel's limit of names */

static void def_fini(struct probe_def *d)
{
	free(d->group);
	free(d->event);
	free(d->path);
	free(d->function);
	free(d->symbol);
	free(d->args);
	free(d->file);
}

void probe_defs_fini(struct probe_defs *defs)
{
	for (uint32_t i = 0; i < defs->v.nr; i++)
		def_fini(&defs->v.v[i]);
	vec_fini(&defs->v);
}

char *probe_def_text(const struct probe_def *d)
{
	struct out o;

	out_init(&o, -1);
	out_printf(&o, "%c:%s/%s ", d->is_return ? 'r' : 'p', d->group, d->event);
	if (d->path) {
		out_printf(&o, "%s:0x%llx", d->path, (unsigned long long)d->file_off);
		if (d->semaphore)
			out_printf(&o, "(0x%llx)", (unsigned long long)d->semaphore);
	} else if (d->symbol) {
		out_printf(&o, "%s+%llu", d->symbol, (unsigned long long)d->sym_off);
	} else {
		out_printf(&o, "0x%llx", (unsigned long long)d->vaddr);
	}
	if (*d->args)
		out_printf(&o, " %s", d->args);
	out_char(&o, 0);
	return o.buf;
}

/* The last part of a C++ or Rust name, without arguments: "ns::List<int>::push(int)" → "push"; operators: "operator". */
static const char *last_part(const char *name, size_t *len)
{
	const char *start = name, *p;
	int depth = 0;

	for (p = name; *p; p++) {
		if (!strncmp(p, "operator", 8) && (p == name || p[-1] == ':'))
			break;
		if (!depth && p[0] == ':' && p[1] == ':' && p[2]) {
			start = p + 2;
			p++;
		}
		depth += *p == '<' || *p == '(' || *p == '{';
		depth -= (*p == '>' || *p == ')' || *p == '}') && depth;
	}
	if (!strncmp(p, "operator", 8))
		start = p;
	while (*start == '~' || *start == '{' || *start == '<')
		start++;
	for (*len = 0; isalnum((unsigned char)start[*len]) || start[*len] == '_'; (*len)++)
		;
	return start;
}

/* Names of events: FUNC, FUNC_L9, FUNC__return, abs_1234. */
char *probe_default_event(const struct probe_spec *spec, const char *function, uint64_t vaddr)
{
	char *readable = function ? demangle_name(function, false) : NULL, *name;
	const char *from = readable ? readable : function;
	size_t len = 0;

	if (from)
		from = last_part(from, &len);
	if (len > MAX_EVENT_BYTES - 16)
		len = MAX_EVENT_BYTES - 16;
	if (spec->place == PROBE_ADDRESS || !len)
		name = mem_printf("abs_%llx", (unsigned long long)vaddr);
	else if (spec->is_return)
		name = mem_printf("%.*s__return", (int)len, from);
	else if (spec->place == PROBE_FUNCTION && spec->has_line)
		name = mem_printf("%.*s_L%u", (int)len, from, spec->line);
	else
		name = mem_printf("%s%.*s", isdigit((unsigned char)*from) ? "_" : "", (int)len, from);
	free(readable);
	return name;
}

static bool is_taken(const struct probe_defs *defs, uint32_t nr, const char *event)
{
	for (uint32_t i = 0; i < nr; i++)
		if (!strcmp(defs->v.v[i].event, event))
			return true;
	return false;
}

void probe_defs_name(struct probe_defs *defs)
{
	for (uint32_t i = 1; i < defs->v.nr; i++) {
		char *base = defs->v.v[i].event, *name = mem_strdup(base);

		for (uint32_t n = 1; is_taken(defs, i, name); n++) {
			free(name);
			name = mem_printf("%.*s_%u", MAX_EVENT_BYTES - 6, base, n);
		}
		free(base);
		defs->v.v[i].event = name;
	}
}

/* The kernel looks a function up by its name, and takes the first of several. A name that is there once is the better one: it is right for
 * kernels of other builds, and readable in the list of probes. */
static bool is_only_of_its_name(const struct symtab *t, const struct symbol *sym)
{
	for (uint32_t i = 0; i < t->symbols.nr; i++) {
		const struct symbol *other = symtab_at(t, i);

		if (other->start != sym->start && !strcmp(other->name, sym->name))
			return false;
	}
	return true;
}

static void set_kernel_place(struct probe_def *d, struct probe_module *m)
{
	const struct symbol *sym = probe_module_symbols(m, NULL) ? NULL : symtab_find(m->symbols, d->vaddr);
	uint64_t text = 0;

	if (sym && is_only_of_its_name(m->symbols, sym)) {
		d->symbol = mem_strdup(sym->name);
		d->sym_off = d->vaddr - sym->start;
	} else if (m->files.debug && probe_find_symbol(m, "_text", 5, &text) && text <= d->vaddr) {
		d->symbol = mem_strdup("_text");
		d->sym_off = d->vaddr - text;
	} else {
		d->symbol = sym ? mem_strdup(sym->name) : NULL;
		d->sym_off = sym ? d->vaddr - sym->start : 0;
	}
}

/* "main.(*T).work" → "work": names of Go have the package and the type in front. */
static const char *without_package(const struct probe_module *m, const char *function)
{
	const char *dot = function && probe_module_is_go(m) ? strrchr(function, '.') : NULL;

	return dot && (isalpha((unsigned char)dot[1]) || dot[1] == '_') ? dot + 1 : function;
}

struct probe_def *probe_defs_add(struct probe_defs *defs, struct probe_module *m, const struct probe_spec *spec, const char *function,
				 uint64_t vaddr)
{
	struct probe_def d = {
		.group = mem_strdup(spec->group ? spec->group : m->group),
		.event = spec->event ? mem_strdup(spec->event) : probe_default_event(spec, without_package(m, function), vaddr),
		.path = m->path ? mem_strdup(m->path) : NULL,
		.function = function ? mem_strdup(function) : NULL,
		.vaddr = vaddr,
		.is_return = spec->is_return,
		.args = mem_strdup(""),
	};

	probe_module_file_off(m, vaddr, &d.file_off);
	if (!m->path)
		set_kernel_place(&d, m);
	vec_push(&defs->v, d);
	return &defs->v.v[defs->v.nr - 1];
}
