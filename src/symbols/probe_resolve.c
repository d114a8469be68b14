/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From the words of a probe to its places: by debug information where there is some, otherwise by symbols.
 */
#include "symbols/probe_resolve.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "symbols/probe_place.h"

/* The address as linked of a symbol of data or code. */
static bool find_symbol(const struct elf_file *f, const char *name, size_t len, uint64_t *vaddr)
{
	for (int dynamic = 0; f && f->elf && dynamic < 2; dynamic++) {
		struct elf_syms s = elf_syms_begin(f, elf_file_find_section(f, dynamic ? ".dynsym" : ".symtab"));
		GElf_Sym sym;

		while (s.strings && elf_syms_next(&s, &sym))
			if (sym.st_shndx != SHN_UNDEF && sym.st_name < s.strings->d_size && s.strings->d_size - sym.st_name > len &&
			    !memcmp((const char *)s.strings->d_buf + sym.st_name, name, len) &&
			    !((const char *)s.strings->d_buf)[sym.st_name + len]) {
				*vaddr = sym.st_value;
				return true;
			}
	}
	return false;
}

bool probe_find_symbol(struct probe_module *m, const char *name, size_t len, uint64_t *vaddr)
{
	return find_symbol(m->files.debug, name, len, vaddr) || find_symbol(&m->files.found.runtime, name, len, vaddr);
}

uint64_t probe_data_off(const struct probe_module *m, uint64_t vaddr, uint64_t at)
{
	uint64_t file_off;

	/* The kernel counts from where the code of the probe would be mapped if the file were mapped whole. */
	return probe_module_file_off(m, at, &file_off) ? vaddr - (at - file_off) : vaddr;
}

char *probe_raw_text(struct probe_module *m, const struct probe_arg *a, uint64_t at_vaddr, struct errbuf *eb)
{
	const char *at = strchr(a->text, '@'), *end;
	uint64_t addr;

	if (!at || !(isalpha((unsigned char)at[1]) || at[1] == '_') || !m->path)
		return mem_strdup(a->text);
	for (end = at + 1; isalnum((unsigned char)*end) || *end == '_' || *end == '.'; end++)
		;
	if (!probe_find_symbol(m, at + 1, (size_t)(end - at) - 1, &addr)) {
		errbuf_set(eb, -ENOENT, "argument '%s': %s has no symbol of that name", a->text, m->path);
		return NULL;
	}
	/* The offset behind a symbol is added here: the kernel takes one number. */
	if (*end == '+' || *end == '-') {
		char *rest;

		addr += (uint64_t)strtoll(end, &rest, 0);
		end = rest;
	}
	return mem_printf("%.*s@+0x%llx%s", (int)(at - a->text), a->text, (unsigned long long)probe_data_off(m, addr, at_vaddr), end);
}

/* The arguments at an address. At the entry of a function, what is not to be had there may be behind the prologue. */
static int fetch_at(struct probe_module *m, const struct probe_spec *spec, const struct probe_spot *spot, struct probe_arg_state *states,
		    uint64_t *vaddr, char **args, struct errbuf *eb)
{
	const struct probe_function *f = spot->has_function ? &spot->f : NULL;
	struct probe_arg_state *others;
	struct errbuf ignored = { 0 };
	struct probe_site site;
	int missing, fewer;
	uint64_t body;
	char *better;

	probe_site_init(&site, m, f, spot->vaddr, spec->is_return);
	others = mem_zalloc((spec->args.nr + 1) * sizeof(*others));
	memcpy(others, states, spec->args.nr * sizeof(*others));
	missing = probe_fetch_args(&site, spec, states, args, eb);
	*vaddr = spot->vaddr;
	if (missing > 0 && spot->is_entry && (body = probe_site_body(&site)) > spot->vaddr) {
		probe_site_init(&site, m, f, body, false);
		fewer = probe_fetch_args(&site, spec, others, &better, &ignored);
		if (fewer >= 0 && fewer < missing) {
			free(*args);
			*args = better;
			*vaddr = site.vaddr;
			memcpy(states, others, spec->args.nr * sizeof(*others));
		} else if (fewer >= 0) {
			free(better);
		}
	}
	free(others);
	return missing < 0 ? missing : 0;
}

static int add_def(struct probe_module *m, const struct probe_spec *spec, const struct probe_spot *spot, struct probe_arg_state *states,
		   struct probe_defs *defs, struct errbuf *eb)
{
	const char *name = spot->has_function ? dwarf_die_name(&spot->f.die) : NULL;
	struct probe_def *d;
	uint64_t vaddr;
	char *args;
	int err = fetch_at(m, spec, spot, states, &vaddr, &args, eb);

	if (err)
		return err;
	if (spot->symbol && (!name || !spot->f.is_inlined))
		name = spot->symbol;
	d = probe_defs_add(defs, m, spec, name, vaddr);
	d->is_inlined = spot->has_function && spot->f.is_inlined;
	d->file = spot->path ? mem_strdup(spot->path) : NULL;
	d->line = spot->line;
	free(d->args);
	d->args = args;
	return 0;
}

/* An argument that is nowhere is an error; one that is optimised out, or another overload's, at some places is left out there. */
static int check_args(const struct probe_spec *spec, const struct probe_arg_state *states, struct errbuf *eb)
{
	for (uint32_t i = 0; i < spec->args.nr; i++) {
		if (!states[i].was_found)
			return errbuf_set(eb, -ENODATA, "%s", states[i].why.text);
		if (states[i].why.text[0])
			log_warn("argument '%s' is left out where it cannot be fetched: %s", spec->args.v[i].text, states[i].why.text);
	}
	return 0;
}

static bool has_spot(const struct probe_spots *spots, uint64_t vaddr)
{
	uint32_t i = vec_search(spots->v.nr, k, spots->v.v[k].vaddr >= vaddr);

	return i < spots->v.nr && spots->v.v[i].vaddr == vaddr;
}

/* The code at an indirect function's symbol runs once in a process and returns the address of what is called from then on. */
static bool has_indirect(const struct elf_file *f, const char *table, const struct probe_spots *spots)
{
	struct elf_syms s = elf_syms_begin(f, elf_file_find_section(f, table));
	GElf_Sym sym;

	while (s.strings && elf_syms_next(&s, &sym))
		if (GELF_ST_TYPE(sym.st_info) == STT_GNU_IFUNC && sym.st_shndx != SHN_UNDEF && has_spot(spots, sym.st_value))
			return true;
	return false;
}

static void warn_of_indirect(const struct probe_module *m, const struct probe_spec *spec, const struct probe_spots *spots)
{
	const struct elf_file *f = &m->files.found.runtime;

	if (spec->place == PROBE_FUNCTION && f->elf && (has_indirect(f, ".dynsym", spots) || has_indirect(f, ".symtab", spots)))
		log_warn("%s is an indirect function (IFUNC): the probe sees how its code is chosen, once in a process, and no calls; "
			 "probe that code ('-F *%s*' lists what has such a name), or '%s@plt' of a program that calls it",
			 spec->function, spec->function, spec->function);
}

int probe_resolve_places(struct probe_module *m, const struct probe_spec *spec, const struct probe_limits *limits, struct probe_defs *defs,
			 struct errbuf *eb)
{
	uint32_t max = probe_limits_max(limits);
	struct probe_arg_state *states;
	struct probe_spots spots;
	int err;

	*defs = (struct probe_defs){ 0 };
	err = probe_spots_find(m, spec, limits, &spots, eb);
	if (err)
		return err;
	if (spots.v.nr > max)
		err = errbuf_set(eb, -E2BIG, "'%s' has %u places, more than %u: allow more with --max-probes", spec->text, spots.v.nr, max);
	if (!m->path)
		probe_module_symbols(m, NULL);
	else
		warn_of_indirect(m, spec, &spots);
	states = mem_zalloc((spec->args.nr + 1) * sizeof(*states));
	for (uint32_t i = 0; !err && i < spots.v.nr; i++)
		err = add_def(m, spec, &spots.v.v[i], states, defs, eb);
	if (!err)
		err = check_args(spec, states, eb);
	free(states);
	probe_spots_fini(&spots);
	if (err)
		probe_defs_fini(defs);
	else
		probe_defs_name(defs);
	return err;
}

int probe_resolve(struct probe_module *m, const struct probe_spec *spec, const struct probe_limits *limits, struct probe_defs *defs,
		  struct errbuf *eb)
{
	*defs = (struct probe_defs){ 0 };
	if (spec->place == PROBE_SDT)
		return probe_resolve_sdt(m, spec, defs, eb);
	return probe_resolve_places(m, spec, limits, defs, eb);
}
