/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Places of SDT probes, by the notes of the file: %sdt_PROVIDER:NAME, both may be patterns. The arguments are those of the notes; what the
 * user asks for instead is taken as for any address.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/suggest.h"
#include "symbols/probe_resolve.h"
#include "symbols/sdt_notes.h"

static bool fits(const struct probe_spec *spec, const struct sdt_note *n)
{
	return !fnmatch(spec->provider, n->provider, 0) && !fnmatch(spec->sdt, n->name, 0);
}

/* A name of the kernel's: what is no letter, digit or _ becomes _ (SystemTap's "a__b" stays). */
static char *clean_name(const char *prefix, const char *s)
{
	char *name = mem_printf("%s%.*s", prefix, 59, s);

	for (char *p = name; *p; p++)
		if (!(*p >= 'a' && *p <= 'z') && !(*p >= 'A' && *p <= 'Z') && !(*p >= '0' && *p <= '9') && *p != '_')
			*p = '_';
	return name;
}

/* The argument of a note that `a` names (arg2), out of "arg1=%ax:s32 arg2=…"; its fetch up to *len. NULL: it has none. */
static const char *find_arg(const char *args, const struct probe_arg *a, size_t *len, const char **type, size_t *type_len)
{
	size_t name_len = strlen(a->variable);

	for (const char *p = args; *p; p += *p == ' ') {
		size_t all = strcspn(p, " ");

		if (all > name_len && !memcmp(p, a->variable, name_len) && p[name_len] == '=') {
			p += name_len + 1;
			all -= name_len + 1;
			*len = strcspn(p, ": ");
			*type = *len < all ? p + *len + 1 : NULL;
			*type_len = *len < all ? all - *len - 1 : 0;
			return p;
		}
		p += all;
	}
	return NULL;
}

/* An argument of the user's that names one of the note's becomes that: "arg1:string" is the text that it points to. */
static struct probe_arg name_arg(const struct probe_arg *a, const char *args, struct arena *arena)
{
	struct probe_arg is = *a;
	size_t len, type_len;
	const char *fetch, *type;

	if (a->kind != PROBE_ARG_VARIABLE || a->nr_steps || !a->variable || strncmp(a->variable, "arg", 3) != 0)
		return is;
	fetch = find_arg(args, a, &len, &type, &type_len);
	if (!fetch)
		return is;
	is.kind = PROBE_ARG_RAW;
	is.name = a->name ? a->name : a->variable;
	is.text = arena_str(arena, fetch, len);
	if (!a->type)
		is.type = type ? arena_str(arena, type, type_len) : NULL;
	else if (strstr(a->type, "string")) {
		char *text = mem_printf("+0(%s)", is.text);

		is.text = arena_str(arena, text, strlen(text));
		free(text);
	}
	return is;
}

/* What the user asks for, as at any address. */
static int take_args(struct probe_module *m, const struct probe_spec *spec, const struct sdt_note *n, const struct elf_file *f,
		     struct probe_def *d, struct errbuf *eb)
{
	struct probe_spec there = *spec;
	struct arena arena = { 0 };
	struct probe_defs defs;
	uint32_t nr_left_out;
	char *args = sdt_args_fetch(f, n->vaddr - n->file_off, n->args, &nr_left_out);
	int err;

	there.place = PROBE_ADDRESS;
	there.offset = n->vaddr;
	memset(&there.args, 0, sizeof(there.args));
	for (uint32_t i = 0; i < spec->args.nr; i++)
		vec_push(&there.args, name_arg(&spec->args.v[i], args, &arena));
	err = probe_resolve_places(m, &there, NULL, &defs, eb);
	d->args = mem_strdup(!err && defs.v.nr ? defs.v.v[0].args : "");
	if (!err)
		probe_defs_fini(&defs);
	vec_fini(&there.args);
	arena_fini(&arena);
	free(args);
	return err;
}

static int add_note(struct probe_module *m, const struct elf_file *f, const struct probe_spec *spec, const struct sdt_note *n,
		    struct probe_defs *defs, struct errbuf *eb)
{
	struct probe_def *d = probe_defs_add(defs, m, spec, n->name, n->vaddr);
	uint32_t nr_left_out = 0;

	if (!spec->group) {
		free(d->group);
		d->group = clean_name("sdt_", n->provider);
	}
	if (!spec->event) {
		free(d->event);
		d->event = clean_name(n->name[0] >= '0' && n->name[0] <= '9' ? "_" : "", n->name);
	}
	free(d->function);
	d->function = NULL;
	d->file_off = n->file_off;
	d->semaphore = n->semaphore_off;
	free(d->args);
	d->args = NULL;
	if (spec->args.nr)
		return take_args(m, spec, n, f, d, eb);
	d->args = sdt_args_fetch(f, n->vaddr - n->file_off, n->args, &nr_left_out);
	if (nr_left_out)
		log_warn("%s:%s: %u of its arguments (%s) cannot be fetched by the kernel and are left out", d->group, d->event,
			 nr_left_out, n->args);
	return 0;
}

static int not_found(const struct probe_module *m, const struct probe_spec *spec, const struct sdt_notes *notes, struct errbuf *eb)
{
	struct suggest s;

	if (!notes->v.nr)
		return errbuf_set(eb, -ENOENT, "%s has no SDT probes (no section .note.stapsdt)", m->path);
	suggest_init(&s, spec->sdt);
	for (uint32_t i = 0; i < notes->v.nr; i++)
		suggest_offer(&s, notes->v.v[i].name);
	for (uint32_t i = 0; s.best && i < notes->v.nr; i++)
		if (!strcmp(notes->v.v[i].name, s.best))
			return errbuf_set(eb, -ENOENT, "%s has no SDT probe '%s:%s'; did you mean 'sdt_%s:%s'?", m->path, spec->provider,
					  spec->sdt, notes->v.v[i].provider, s.best);
	return errbuf_set(eb, -ENOENT, "%s has no SDT probe '%s:%s'; 'assay list sdt %s' lists what it has", m->path, spec->provider,
			  spec->sdt, m->path);
}

int probe_resolve_sdt(struct probe_module *m, const struct probe_spec *spec, struct probe_defs *defs, struct errbuf *eb)
{
	struct sdt_notes notes = { 0 };
	struct elf_file f;
	int err;

	if (!m->path)
		return errbuf_set(eb, -EINVAL, "SDT probes are in programs and libraries: name the file with -x");
	err = elf_file_open(&f, m->path, eb);
	if (err)
		return err;
	sdt_notes_read(&notes, &f);
	if (notes.nr_bad)
		log_warn("%s: %u of its SDT notes are damaged", m->path, notes.nr_bad);
	for (uint32_t i = 0; i < notes.v.nr && !err; i++)
		if (fits(spec, &notes.v.v[i]))
			err = add_note(m, &f, spec, &notes.v.v[i], defs, eb);
	if (!err && !defs->v.nr)
		err = not_found(m, spec, &notes, eb);
	sdt_notes_fini(&notes);
	elf_file_close(&f);
	if (err)
		probe_defs_fini(defs);
	else
		probe_defs_name(defs);
	return err;
}
