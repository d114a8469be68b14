/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where the code of a function returns, by decoding it: all of it has to be understood. Jumps that leave the function (calls in its place,
 * which compilers make of the last call) and jumps to where a register points could lead anywhere, and then nothing is known.
 */
#include <stdlib.h>
#include <string.h>

#include "symbols/disasm.h"
#include "symbols/probe_find.h"
#include "symbols/probe_resolve.h"

#define MAX_RANGES 4	       /* the function, and parts that are put elsewhere (FUNC.cold) */
#define MAX_BYTES (256u << 10) /* of a function */

struct range {
	uint64_t start, end; /* file offsets */
};

struct walk {
	const struct probe_module *m;
	struct disasm *disasm;
	const char *name; /* of the function */
	struct range ranges[MAX_RANGES];
	uint32_t nr;
	struct probe_exits *exits;
};

/* A part of the function that a jump leads to: of the same name, up to ".cold". */
static bool add_part(struct walk *w, uint64_t off)
{
	const struct symbol *s = symtab_find(w->m->symbols, off);
	size_t len = strlen(w->name);

	if (!s || w->nr == MAX_RANGES || s->end <= s->start || s->end - s->start > MAX_BYTES || strncmp(s->name, w->name, len) ||
	    strncmp(s->name + len, ".cold", 5))
		return false;
	w->ranges[w->nr++] = (struct range){ s->start, s->end };
	return true;
}

static bool is_inside(const struct walk *w, uint64_t off)
{
	for (uint32_t i = 0; i < w->nr; i++)
		if (off >= w->ranges[i].start && off < w->ranges[i].end)
			return true;
	return false;
}

static bool take(struct walk *w, const struct disasm_insn *insn)
{
	switch (insn->kind) {
	case DISASM_BAD:
		return false;
	case DISASM_RETURN:
		vec_push(&w->exits->v, insn->addr);
		return true;
	case DISASM_JUMP:
	case DISASM_BRANCH:
		return insn->has_target && (is_inside(w, insn->target) || add_part(w, insn->target));
	default:
		return true;
	}
}

static bool take_range(struct walk *w, const struct range *r)
{
	size_t size = (size_t)(r->end - r->start), at = 0;
	uint8_t *code = mem_alloc(size);
	bool is_known = elf_file_read(&w->m->files.found.runtime, r->start, code, size) == size;

	while (is_known && at < size) {
		struct disasm_insn insn;

		disasm_next(w->disasm, code + at, size - at, r->start + at, &insn);
		is_known = insn.size && take(w, &insn);
		at += insn.size;
	}
	free(code);
	return is_known;
}

bool probe_module_exits(struct probe_module *m, uint64_t file_off, struct probe_exits *exits)
{
	struct walk w = { .m = m, .exits = exits };
	const struct symbol *s;
	struct errbuf eb = { 0 };
	bool is_known = true;

	exits->v.nr = 0;
	if (!m->path || !m->files.found.runtime.elf || probe_module_symbols(m, &eb))
		return false;
	s = symtab_find(m->symbols, file_off);
	if (!s || s->start != file_off || s->end <= s->start || s->end - s->start > MAX_BYTES ||
	    disasm_open(&w.disasm, m->files.found.runtime.machine, DISASM_ATT, &eb))
		return false;
	w.name = s->name;
	w.ranges[w.nr++] = (struct range){ s->start, s->end };
	for (uint32_t i = 0; i < w.nr && is_known; i++) {
		struct range r = w.ranges[i];

		is_known = take_range(&w, &r);
	}
	disasm_close(w.disasm);
	return is_known && exits->v.nr;
}

void probe_exits_fini(struct probe_exits *exits)
{
	vec_fini(&exits->v);
}
