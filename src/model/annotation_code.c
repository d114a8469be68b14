/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The code of one function: instructions with their sums, names of targets, lines and inlined functions.
 */
#include "model/annotation.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES (1u << 20) /* of one function; generated ones have some hundred kilobytes, and a byte of code costs up to 130 of memory */
#define MAX_NAME 512

static int compare_points(const void *x, const void *y)
{
	const struct annotation_point *a = x, *b = y;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static void take_points(struct annotation *a, const struct annotation_list *l, const struct annotated_symbol *s)
{
	for (uint32_t i = s->points; i; i = l->points.v[i - 1].next)
		vec_push(&a->points, l->points.v[i - 1]);
	if (a->points.nr)
		qsort(a->points.v, a->points.nr, sizeof(*a->points.v), compare_points);
}

static struct annotation_sum *new_sums(struct annotation *a)
{
	struct annotation_sum *sums = arena_alloc(&a->arena, (a->nr_events + (size_t)1) * sizeof(*sums));

	memset(sums, 0, (a->nr_events + (size_t)1) * sizeof(*sums));
	return sums;
}

/* Of all points inside the instruction; *next goes on from one to the next. */
static struct annotation_sum *sums_of(struct annotation *a, const struct annotation_insn *insn, uint32_t *next)
{
	struct annotation_sum *sums = insn->sums;

	if (sums)
		memset(sums, 0, a->nr_events * sizeof(*sums));

	while (*next < a->points.nr && a->points.v[*next].addr < insn->addr)
		++*next;
	for (; *next < a->points.nr && a->points.v[*next].addr - insn->addr < insn->size; ++*next) {
		if (!sums)
			sums = new_sums(a);
		for (uint32_t e = 0; e < a->nr_events; e++) {
			sums[e].period += a->points.v[*next].sums[e].period;
			sums[e].nr += a->points.v[*next].sums[e].nr;
		}
	}
	return sums;
}

static void add_text(struct annotation *a, const char *s, size_t len)
{
	vec_reserve(&a->text, a->text.nr + len + 1);
	memcpy(a->text.v + a->text.nr, s, len);
	a->text.nr += (uint32_t)len;
}

/* The name of a target: of a long one both ends, as it may stand behind each jump. */
static void add_name(struct annotation *a, const char *name)
{
	size_t len = strlen(name), head = MAX_NAME / 2, tail = len > MAX_NAME ? len - MAX_NAME / 2 : 0;

	if (len <= MAX_NAME) {
		add_text(a, name, len);
		return;
	}
	while (((uint8_t)name[head] & 0xc0) == 0x80)
		head--;
	while (((uint8_t)name[tail] & 0xc0) == 0x80)
		tail++;
	add_text(a, name, head);
	add_text(a, "\u2026", strlen("\u2026"));
	add_text(a, name + tail, len - tail);
}

/* " <main+0x10>": the symbol around a linked address. */
static void add_target_name(struct annotation *a, uint64_t vaddr)
{
	struct dso_table *t = &a->p->machine->dsos;
	const struct symtab *tab = dso_table_symbols(t, a->dso);
	const struct symbol *sym;
	char *readable, offset[24] = "";
	uint64_t addr;

	/* Inside it is this function, whatever else has been there. */
	if (vaddr >= a->vaddr && vaddr - a->vaddr < a->end - a->start)
		addr = a->start + (vaddr - a->vaddr);
	else if (!module_code_addr(a->code, vaddr, &addr))
		return;
	sym = addr >= a->start && addr < a->end ? NULL : symtab_find(tab, addr);
	if (!sym && !(addr >= a->start && addr < a->end))
		return;
	readable = sym && tab->mangled ? symbolizer_readable(&t->options, sym->name) : NULL;
	if (addr != (sym ? sym->start : a->function_start))
		snprintf(offset, sizeof(offset), "+0x%llx", (unsigned long long)(addr - (sym ? sym->start : a->function_start)));
	add_text(a, " <", 2);
	add_name(a, !sym ? a->name : readable ? readable : sym->name);
	add_text(a, offset, strlen(offset));
	add_text(a, ">", 1);
	free(readable);
}

static void add_insn(struct annotation *a, const struct disasm_insn *d, uint64_t addr, uint32_t *next_point)
{
	struct annotation_insn insn = { .addr = addr, .vaddr = d->addr, .target = d->target, .size = d->size, .kind = d->kind };

	insn.has_target = d->has_target;
	insn.jump = ANNOTATION_NONE;
	insn.text = a->text.nr;
	add_text(a, d->text, strlen(d->text));
	if (d->has_name)
		add_target_name(a, d->target);
	add_text(a, "", 1);
	insn.sums = sums_of(a, &insn, next_point);
	vec_push(&a->insns, insn);
}

/* Jumps to instructions of the same function. */
static void link_jumps(struct annotation *a)
{
	for (uint32_t i = 0; i < a->insns.nr; i++) {
		struct annotation_insn *insn = &a->insns.v[i];
		uint32_t to;

		if (!insn->has_target || insn->kind == DISASM_CALL)
			continue;
		to = vec_search(a->insns.nr, k, a->insns.v[k].vaddr >= insn->target);
		if (to < a->insns.nr && a->insns.v[to].vaddr == insn->target)
			insn->jump = to;
	}
}

static int disassemble(struct annotation *a, enum disasm_syntax syntax, struct errbuf *eb)
{
	size_t size = (size_t)(a->end - a->start), got;
	uint32_t next_point = 0;
	struct disasm *d;
	int err;

	if (!module_code_vaddr(a->code, a->start, &a->vaddr))
		return errbuf_set(eb, -ENODATA, "%s has no code at 0x%llx", module_code_path(a->code), (unsigned long long)a->start);
	err = disasm_open(&d, module_code_machine(a->code), syntax, eb);
	if (err)
		return err;
	a->bytes = mem_alloc(size + 1);
	got = module_code_read(a->code, a->start, a->bytes, size);
	if (!got)
		err = errbuf_set(eb, -ENODATA, "%s ends before 0x%llx", module_code_path(a->code), (unsigned long long)a->start);
	for (size_t at = 0; at < got;) {
		struct disasm_insn insn;

		disasm_next(d, a->bytes + at, got - at, a->vaddr + at, &insn);
		add_insn(a, &insn, a->start + at, &next_point);
		at += insn.size;
	}
	disasm_close(d);
	link_jumps(a);
	return err;
}

static const char *readable_name(struct annotation *a, const char *name)
{
	char *readable = symbolizer_readable_source(&a->p->machine->dsos.options, name);
	const char *kept = readable ? arena_str(&a->arena, readable, strlen(readable)) : name;

	free(readable);
	return kept;
}

/* A compiler that says lines in a dump says no inlined functions. */
static void find_dump_lines(struct annotation *a)
{
	struct source_frame f, last = { 0 };

	for (uint32_t i = 0; i < a->insns.nr; i++) {
		struct annotation_insn *insn = &a->insns.v[i];

		if (!dso_table_find_jit_line(&a->p->machine->dsos, a->dso, insn->addr, &f))
			continue;
		if (!a->places.nr || f.file != last.file || f.line != last.line)
			vec_push(&a->places, ((struct annotation_place){ a->name, f.file, f.line, false }));
		insn->first_place = a->places.nr - 1;
		insn->nr_places = 1;
		last = f;
	}
}

static void find_lines(struct annotation *a)
{
	struct source_info *si = dso_table_source(&a->p->machine->dsos, a->dso);
	struct source_frame both[2][SOURCE_MAX_DEPTH];
	uint32_t nr_last = 0;
	uint64_t *addrs;

	if (!si)
		find_dump_lines(a);
	if (!si || !source_info_exists(si) || !a->insns.nr)
		return;
	addrs = mem_alloc(a->insns.nr * sizeof(*addrs));
	for (uint32_t i = 0; i < a->insns.nr; i++)
		addrs[i] = a->insns.v[i].addr;
	source_info_prefetch(si, addrs, a->insns.nr);
	free(addrs);
	for (uint32_t i = 0; i < a->insns.nr; i++) {
		struct annotation_insn *insn = &a->insns.v[i];
		struct source_frame *frames = both[i % 2], *last = both[(i + 1) % 2];
		uint32_t nr = source_info_find_once(si, insn->addr, frames);

		/* Neighbours have the same ones more often than not. */
		if (i && nr == nr_last && (nr == 0 || !memcmp(frames, last, nr * sizeof(*frames)))) {
			insn->first_place = insn[-1].first_place;
			insn->nr_places = insn[-1].nr_places;
			continue;
		}
		insn->first_place = a->places.nr;
		insn->nr_places = (uint16_t)nr;
		for (uint32_t k = 0; k < nr; k++)
			vec_push(&a->places, ((struct annotation_place){ frames[k].function ? readable_name(a, frames[k].function) : "",
									 frames[k].file, frames[k].line, frames[k].is_inlined }));
		nr_last = nr;
	}
}

/* A part of a function that is too long: what is around its hottest address. It begins at an address with samples, where an instruction begins. */
static void cut_to_hottest(struct annotation *a)
{
	uint64_t most = 0, hottest = a->start, first = a->start;

	for (uint32_t i = 0; i < a->points.nr; i++) {
		uint64_t period = 0;

		for (uint32_t e = 0; e < a->nr_events; e++)
			period += a->points.v[i].sums[e].period;
		if (period > most) {
			most = period;
			hottest = a->points.v[i].addr;
		}
	}
	for (uint32_t i = 0; i < a->points.nr && hottest - a->start >= MAX_BYTES && first == a->start; i++)
		if (hottest - a->points.v[i].addr < MAX_BYTES / 2)
			first = a->points.v[i].addr;
	a->cut = mem_printf("only %u MB of its %llu bytes are shown, around the hottest instruction", MAX_BYTES >> 20,
			    (unsigned long long)(a->end - a->start));
	a->start = first;
	if (a->end - a->start > MAX_BYTES)
		a->end = a->start + MAX_BYTES;
}

void annotation_init(struct annotation *a, struct annotation_list *l, uint32_t symbol, const struct annotation_options *o)
{
	const struct annotated_symbol *s = &l->symbols.v[symbol];
	const struct profile_frame *f = &l->p->frames.v[s->frame];
	struct errbuf why = { 0 };

	*a = (struct annotation){ .p = l->p, .frame = s->frame, .dso = f->dso, .nr_events = l->nr_events, .sums = s->sums };
	a->name = profile_str(l->p, f->function);
	a->start = a->function_start = f->start;
	a->end = f->end;
	take_points(a, l, s);
	if (a->end <= a->start)
		a->end = a->start + 1;
	if (a->end - a->start > MAX_BYTES)
		cut_to_hottest(a);
	a->vaddr = a->start;
	if (dso_table_open_code(&l->p->machine->dsos, a->dso, &a->code, &why) || disassemble(a, o->syntax, &why)) {
		a->why_no_code = mem_strdup(why.text[0] ? why.text : "its code cannot be read");
		a->insns.nr = 0;
		return;
	}
	a->section = module_code_section(a->code, a->vaddr);
	a->path = module_code_path(a->code);
	if (o->with_lines)
		find_lines(a);
}

uint32_t annotation_callee(const struct annotation *a, const struct annotation_list *l, uint32_t insn)
{
	uint64_t addr;

	if (!a->insns.v[insn].has_target || !module_code_addr(a->code, a->insns.v[insn].target, &addr))
		return ANNOTATION_NONE;
	for (uint32_t i = 0; i < l->symbols.nr; i++) {
		const struct profile_frame *f = &l->p->frames.v[l->symbols.v[i].frame];

		if (f->dso == a->dso && addr >= f->start && addr < f->end)
			return i;
	}
	return ANNOTATION_NONE;
}

static void scale_sums(struct annotation_sum *sums, uint32_t nr, double kept)
{
	for (uint32_t e = 0; e < nr; e++) {
		sums[e].period = (uint64_t)((double)sums[e].period * kept);
		sums[e].nr = (uint64_t)((double)sums[e].nr * kept);
	}
}

static void add_sums(struct annotation_sum *to, const struct annotation_sum *from, uint32_t nr)
{
	for (uint32_t e = 0; e < nr; e++) {
		to[e].period += from[e].period;
		to[e].nr += from[e].nr;
	}
}

/* Points that are new have sums of their own: those of `from` go with it. */
static void add_points(struct annotation *a, const struct annotation_list *from, const struct annotated_symbol *s, uint32_t nr_events)
{
	uint32_t nr_sorted = a->points.nr;

	for (uint32_t i = s->points; i; i = from->points.v[i - 1].next) {
		const struct annotation_point *p = &from->points.v[i - 1];
		uint32_t at = vec_search(nr_sorted, k, a->points.v[k].addr >= p->addr);

		if (at == nr_sorted || a->points.v[at].addr != p->addr) {
			at = a->points.nr;
			vec_push(&a->points, ((struct annotation_point){ .addr = p->addr, .sums = new_sums(a) }));
		}
		add_sums(a->points.v[at].sums, p->sums, nr_events);
	}
	if (a->points.nr > nr_sorted)
		qsort(a->points.v, a->points.nr, sizeof(*a->points.v), compare_points);
}

void annotation_add(struct annotation *a, struct annotation_list *to, const struct annotation_list *from, double kept)
{
	uint32_t nr_events = a->nr_events < from->nr_events ? a->nr_events : from->nr_events, next_point = 0;

	scale_sums(to->totals, nr_events, kept);
	add_sums(to->totals, from->totals, nr_events);
	scale_sums(a->sums, nr_events, kept);
	for (uint32_t i = 0; i < a->points.nr; i++)
		scale_sums(a->points.v[i].sums, nr_events, kept);
	for (uint32_t i = 0; i < from->symbols.nr; i++) {
		const struct annotated_symbol *s = &from->symbols.v[i];
		const struct profile_frame *f = &from->p->frames.v[s->frame];

		if (f->dso != a->dso || f->start != a->function_start || strcmp(profile_str(from->p, f->function), a->name) != 0)
			continue;
		add_sums(a->sums, s->sums, nr_events);
		add_points(a, from, s, nr_events);
	}
	for (uint32_t i = 0; i < a->insns.nr; i++)
		a->insns.v[i].sums = sums_of(a, &a->insns.v[i], &next_point);
}

void annotation_fini(struct annotation *a)
{
	module_code_close(a->code);
	vec_fini(&a->points);
	vec_fini(&a->insns);
	vec_fini(&a->places);
	vec_fini(&a->text);
	free(a->bytes);
	free(a->why_no_code);
	free(a->cut);
	arena_fini(&a->arena);
}
