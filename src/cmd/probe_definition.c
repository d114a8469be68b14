/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From the words of a definition to probes that the kernel can be given.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cmd/cmd.h"
#include "cmd/probe_edit.h"
#include "kernel/probe_events.h"

/* "sdt_PROVIDER:NAME" is what lists show; the grammar wants a % before it. */
static char *with_percent(const char *text)
{
	size_t len = strcspn(text, ": \t=");

	return mem_printf("%s%s", !strncmp(text, "sdt_", 4) && text[len] == ':' && !memchr(text, '=', strcspn(text, " \t")) ? "%" : "",
			  text);
}

/* The place and the arguments as they were written, without a name. */
static void split_text(struct probe_found *found, const struct probe_spec *spec, const char *text)
{
	const char *place = text + strspn(text, " \t"), *eq;
	size_t len;

	eq = spec->event ? strchr(place, '=') : NULL;
	if (eq)
		place = eq + 1 + strspn(eq + 1, " \t");
	len = strcspn(place, " \t");
	found->place = mem_strndup(place, len);
	found->args = mem_strdup(place + len + strspn(place + len, " \t"));
}

/* The kernel knows its functions better than what can be read of it here: its symbols may be hidden, and those of modules come and go. */
static int leave_to_kernel(struct probe_defs *defs, const struct probe_spec *spec, const char *module, struct errbuf *eb)
{
	struct probe_def d = { .sym_off = spec->offset, .is_return = spec->is_return };
	char *args = mem_strdup("");

	for (uint32_t i = 0; i < spec->args.nr; i++) {
		const struct probe_arg *a = &spec->args.v[i];
		char *longer;

		if (a->kind != PROBE_ARG_RAW) {
			free(args);
			return errbuf_set(eb, -ENODATA,
					  "the variable '%s' cannot be looked up without debug information of %s: name it with -k", a->text,
					  module ? module : "the kernel");
		}
		longer = mem_printf("%s%s%s%s%s%s%s", args, *args ? " " : "", a->name ? a->name : "", a->name ? "=" : "", a->text,
				    a->type ? ":" : "", a->type ? a->type : "");
		free(args);
		args = longer;
	}
	d.args = args;
	d.group = mem_strdup(spec->group ? spec->group : "probe");
	d.symbol = mem_strdup(spec->function);
	if (spec->event) {
		d.event = mem_strdup(spec->event);
	} else {
		char *name = probe_event_name(spec->function);

		d.event = mem_printf("%s%.48s%s", isdigit((unsigned char)*name) ? "_" : "", name, spec->is_return ? "__return" : "");
		free(name);
	}
	vec_push(&defs->v, d);
	return 0;
}

static bool is_plain_function(const struct probe_spec *s)
{
	return s->place == PROBE_FUNCTION && !s->has_line && !s->pattern && !s->file && !s->is_plt && !strpbrk(s->function, "*?[");
}

int probe_find(struct probe_found *found, struct probe_module *m, const char *module, const char *text, const struct probe_limits *limits,
	       struct errbuf *eb)
{
	char *definition = with_percent(text);
	struct errbuf why = { 0 };
	struct probe_spec spec;
	int err = probe_spec_parse(&spec, definition, eb);

	*found = (struct probe_found){ 0 };
	if (err) {
		free(definition);
		return CMD_USAGE;
	}
	split_text(found, &spec, definition);
	if (module && !is_plain_function(&spec))
		err = errbuf_set(eb, -ENOTSUP, "in modules (-m %s) functions are probed by name: FUNCTION[+OFFSET|%%return]", module);
	else if (module)
		err = leave_to_kernel(&found->defs, &spec, module, eb);
	else
		err = probe_resolve(m, &spec, limits, &found->defs, &why);
	if (err && !probe_module_path(m) && !module && is_plain_function(&spec) && err != -E2BIG && err != -ERANGE)
		err = leave_to_kernel(&found->defs, &spec, NULL, eb);
	else if (err)
		errbuf_set(eb, err, "%s", why.text);
	if (err)
		probe_found_fini(found);
	probe_spec_fini(&spec);
	free(definition);
	return err;
}

void probe_found_fini(struct probe_found *found)
{
	probe_defs_fini(&found->defs);
	free(found->place);
	free(found->args);
	*found = (struct probe_found){ 0 };
}

int probe_check_returns(const struct probe_module *m, const struct probe_found *found, struct errbuf *eb)
{
	enum probe_return_risk risk = probe_module_return_risk(m);

	if (risk == PROBE_RETURN_SAFE || !found->defs.v.nr || !found->defs.v.v[0].is_return)
		return 0;
	if (risk == PROBE_RETURN_GO)
		return errbuf_set(
			eb, -ENOTSUP,
			"'%s': a probe of returns ends Go programs: the kernel replaces return addresses, and Go looks at them when it "
			"moves a stack. Probe the lines where the function returns (FUNC:LINE)",
			found->place);
	log_warn("'%s': an exception (or panic) that passes through the function while it is probed ends the program, because the kernel "
		 "replaces return addresses. Probes of the lines where it returns (FUNC:LINE) do not",
		 found->place);
	return 0;
}

void probe_event_of(struct probe_event *e, struct arena *arena, const struct probe_def *d, const char *module)
{
	*e = (struct probe_event){
		.is_kernel = !d->path,
		.is_return = d->is_return,
		.group = d->group,
		.name = d->event,
		.file = d->path,
		.file_off = d->file_off,
		.ref_ctr = d->semaphore,
		.module = module,
		.symbol = d->symbol,
		.symbol_off = d->sym_off,
		.address = d->vaddr,
	};
	probe_event_add_args(e, arena, d->args ? d->args : "");
}
