/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From functions with their rows, in any order and overlapping, to one sorted table, then to flat bytes. Of overlapping functions the one
 * that begins last wins, of equal ones the first in the section. Sections are layers: what an upper one leaves open is filled by the lower.
 */
#include "symbols/unwind_build.h"

#include <dwarf.h>
#include <string.h>

#include "base/vec.h"
#include "symbols/unwind_rule.h"

/* Rules are a few percent of their section in real files. */
#define RULE_BYTES_MIN (1U << 20)
#define RULE_BYTES_FACTOR 4

#define ROWS_PER_BLOCK 8

struct function {
	uint32_t start, end; /* from `base` */
	uint32_t row, nr_rows;
};

struct rows {
	struct unwind_row *v;
	uint32_t nr, cap;
};

/* The rows of one section. */
struct layer {
	VEC(struct function) functions;
	struct rows raw; /* as the functions come */
	struct rows out; /* sorted */
};

/* Interned rules and expressions: a file of 25,000 rows has some hundred different ones. */
struct rules {
	VEC(uint64_t) units; /* unit 0 is no rule */
	VEC(uint8_t) exprs;
	struct hindex rule_index, expr_index;
	size_t max_bytes; /* hostile input makes large rules of few bytes: of both together */
};

struct builder {
	const struct unwind_input *in;
	struct rules rules;
	uint64_t base;
	uint32_t nr_damaged;
	struct cfi_sink sink;
	struct layer layer; /* that is being read */
	uint64_t delta;	    /* of the function that is being read: file offset of vaddr, less base */
};

static void rules_init(struct rules *r, size_t max_bytes)
{
	*r = (struct rules){ .max_bytes = max_bytes };
	vec_push(&r->units, UINT64_C(0));
}

static void rules_fini(struct rules *r)
{
	vec_fini(&r->units);
	vec_fini(&r->exprs);
	hindex_fini(&r->rule_index);
	hindex_fini(&r->expr_index);
}

static bool has_room(const struct rules *r, size_t size)
{
	size_t used = (size_t)r->units.nr * 8 + r->exprs.nr;

	return used <= r->max_bytes && size <= r->max_bytes - used && r->exprs.nr <= INT32_MAX - size;
}

/* In the units of a rule; `units` has room for one with all registers. */
static uint32_t pack_rule(const struct cfi_state *s, uint8_t ra, bool is_signal, uint64_t *units)
{
	struct unwind_rule head = { .cfa_value = s->cfa_value, .cfa_reg = s->cfa_reg, .ra = ra };
	uint32_t nr = 0;

	if ((s->set >> ra & 1) && s->regs[ra].how == HOW_UNDEFINED) {
		head = (struct unwind_rule){ .flags = RULE_OUTERMOST };
		memcpy(units, &head, sizeof(head));
		return 1;
	}
	if (s->cfa == CFI_CFA_NONE)
		return 0;
	if (s->cfa == CFI_CFA_EXPR) {
		head.flags |= RULE_CFA_EXPR;
		head.cfa_reg = 0;
	}
	if (is_signal)
		head.flags |= RULE_SIGNAL;
	if (s->is_switch)
		head.flags |= RULE_SWITCH;
	for (uint64_t left = s->set; left; left &= left - 1) {
		uint8_t reg = (uint8_t)__builtin_ctzll(left);
		struct unwind_reg_rule rule = { .reg = reg, .how = s->regs[reg].how, .value = s->regs[reg].value };

		memcpy(&units[1 + nr++], &rule, sizeof(rule));
	}
	head.nr_regs = (uint8_t)nr;
	memcpy(units, &head, sizeof(head));
	return 1 + nr;
}

/* The rule's first unit; UNWIND_GAP where it cannot be followed (no CFA) or the limit is reached. */
static uint32_t rules_intern(struct rules *r, const struct cfi_state *state, uint8_t ra, bool is_signal)
{
	uint64_t units[1 + ARCH_MAX_REGS], hash;
	uint32_t nr = pack_rule(state, ra, is_signal, units), at;

	if (!nr)
		return UNWIND_GAP;
	hash = hash_bytes(units, (size_t)nr * 8, 0);
	/* The count of registers is in the first unit, so that a rule is never equal to the beginning of another. */
	at = HINDEX_FIND(&r->rule_index, hash, id, r->units.nr - id >= nr && memcmp(&r->units.v[id], units, (size_t)nr * 8) == 0);
	if (at != HINDEX_NONE)
		return at;
	if (!has_room(r, (size_t)nr * 8))
		return UNWIND_GAP;
	at = r->units.nr;
	for (uint32_t i = 0; i < nr; i++)
		vec_push(&r->units, units[i]);
	hindex_add(&r->rule_index, hash, at);
	return at;
}

/* The place of an expression, or -1 where the limit is reached. */
static int32_t rules_intern_expr(struct rules *r, const uint8_t *bytes, size_t size)
{
	uint64_t hash = hash_bytes(bytes, size, 0);
	const uint8_t *v = r->exprs.v;
	uint32_t at =
		HINDEX_FIND(&r->expr_index, hash, id, (size_t)(v[id] | v[id + 1] << 8) == size && memcmp(v + id + 2, bytes, size) == 0);

	if (at != HINDEX_NONE)
		return (int32_t)at;
	if (size > UINT16_MAX || !has_room(r, size + 2))
		return -1;
	at = r->exprs.nr;
	vec_reserve(&r->exprs, (uint64_t)at + 2 + size);
	r->exprs.v[at] = (uint8_t)size;
	r->exprs.v[at + 1] = (uint8_t)(size >> 8);
	memcpy(&r->exprs.v[at + 2], bytes, size);
	r->exprs.nr = at + 2 + (uint32_t)size;
	hindex_add(&r->expr_index, hash, at);
	return (int32_t)at;
}

/* A row that changes nothing is left out. */
static void add_row(struct rows *rows, uint32_t addr, uint32_t rule)
{
	if (rows->nr && rows->v[rows->nr - 1].addr == addr)
		rows->nr--;
	if (rows->nr ? rows->v[rows->nr - 1].rule == rule : rule == UNWIND_GAP)
		return;
	vec_push(rows, ((struct unwind_row){ addr, rule }));
}

uint64_t unwind_input_base(const struct unwind_input *in)
{
	uint64_t base = in->nr_segments ? UINT64_MAX : 0;

	for (uint32_t i = 0; i < in->nr_segments; i++)
		if (in->segments[i].file_off < base)
			base = in->segments[i].file_off;
	return base;
}

bool unwind_input_place(const struct unwind_input *in, uint64_t base, uint64_t start, uint64_t end, uint32_t *from, uint32_t *to,
			uint64_t *delta)
{
	for (uint32_t i = 0; i < in->nr_segments; i++) {
		const struct unwind_segment *s = &in->segments[i];
		uint64_t at, size = end - start;

		if (start < s->vaddr || start - s->vaddr >= s->size_bytes)
			continue;
		if (size > s->size_bytes - (start - s->vaddr))
			size = s->size_bytes - (start - s->vaddr);
		*delta = s->file_off - s->vaddr - base;
		at = start + *delta;
		/* Row addresses have 32 bits, and the last is the gap behind everything. */
		if (at >= UINT32_MAX || size >= UINT32_MAX - at)
			return false;
		*from = (uint32_t)at;
		*to = (uint32_t)(at + size);
		return true;
	}
	return false;
}

static bool on_begin(void *ctx, uint64_t start, uint64_t end)
{
	struct builder *b = ctx;
	struct function f = { .row = b->layer.raw.nr };

	if (!unwind_input_place(b->in, b->base, start, end, &f.start, &f.end, &b->delta))
		return false;
	vec_push(&b->layer.functions, f);
	return true;
}

static void on_row(void *ctx, uint64_t vaddr, const struct cfi_state *state, uint8_t ra, bool is_signal)
{
	struct builder *b = ctx;
	struct function *f = &b->layer.functions.v[b->layer.functions.nr - 1];
	struct rows *raw = &b->layer.raw;
	uint64_t addr = vaddr + b->delta;
	uint32_t rule;

	if (addr < f->start || addr >= f->end)
		return;
	rule = state ? rules_intern(&b->rules, state, ra, is_signal) : UNWIND_GAP;
	/* Damage behind an address that has a row already replaces the row. */
	if (f->nr_rows && raw->v[raw->nr - 1].addr == addr) {
		raw->v[raw->nr - 1].rule = rule;
	} else if (!f->nr_rows || raw->v[raw->nr - 1].rule != rule) {
		vec_push(raw, ((struct unwind_row){ (uint32_t)addr, rule }));
		f->nr_rows++;
	}
}

static int32_t on_expr(void *ctx, const uint8_t *bytes, size_t size)
{
	struct builder *b = ctx;

	return rules_intern_expr(&b->rules, bytes, size);
}

/* By start; of those that start together the shortest last, and of equal ones the first in the section last: the last wins. */
static int compare_functions(const void *pa, const void *pb)
{
	const struct function *a = pa, *b = pb;

	return COMPARE(a->start, b->start) ?: COMPARE(b->end, a->end) ?: COMPARE(b->row, a->row);
}

/* The part of a function's rows within [from, to). */
static void add_piece(struct layer *l, const struct function *f, uint32_t from, uint32_t to)
{
	const struct unwind_row *v = l->raw.v + f->row;
	uint32_t lo = vec_search(f->nr_rows, i, v[i].addr > from);

	add_row(&l->out, from, lo ? v[lo - 1].rule : UNWIND_GAP);
	for (; lo < f->nr_rows && v[lo].addr < to; lo++)
		add_row(&l->out, v[lo].addr, v[lo].rule);
}

/* Sweeps upwards with the functions that are open on a stack. */
static void sort_layer(struct layer *l)
{
	VEC(uint32_t) open = { 0 };
	uint32_t pos = 0;

	vec_sort(&l->functions, compare_functions);
	for (uint32_t i = 0; i <= l->functions.nr; i++) {
		uint32_t limit = i < l->functions.nr ? l->functions.v[i].start : UINT32_MAX;

		while (open.nr && pos < limit) {
			const struct function *f = &l->functions.v[open.v[open.nr - 1]];
			uint32_t to = f->end < limit ? f->end : limit;

			if (pos < to) {
				add_piece(l, f, pos, to);
				pos = to;
			}
			if (f->end <= pos)
				open.nr--;
		}
		if (!open.nr)
			add_row(&l->out, pos, UNWIND_GAP);
		pos = limit;
		vec_push(&open, i);
	}
	vec_fini(&open);
	vec_fini(&l->functions);
	vec_fini(&l->raw);
}

/* `upper` where it covers, else `lower`; into `upper`. */
static void lay_over(struct rows *upper, struct rows *lower)
{
	struct rows out = { 0 };
	uint32_t i = 0, k = 0, above = UNWIND_GAP, below = UNWIND_GAP;

	if (upper->nr && lower->nr) {
		while (i < upper->nr || k < lower->nr) {
			uint32_t a = i < upper->nr ? upper->v[i].addr : UINT32_MAX;
			uint32_t b = k < lower->nr ? lower->v[k].addr : UINT32_MAX;

			if (a <= b)
				above = upper->v[i++].rule;
			if (b <= a)
				below = lower->v[k++].rule;
			add_row(&out, a < b ? a : b, above != UNWIND_GAP ? above : below);
		}
		vec_fini(upper);
		*upper = out;
	} else if (lower->nr) {
		vec_fini(upper);
		*upper = *lower;
		*lower = (struct rows){ 0 };
	}
	vec_fini(lower);
}

/* The sorted rows of what the sink has got. */
static struct rows end_layer(struct builder *b)
{
	struct rows out;

	sort_layer(&b->layer);
	out = b->layer.out;
	b->layer = (struct layer){ 0 };
	return out;
}

static struct rows read_section(struct builder *b, const struct cfi_section *s)
{
	const struct unwind_picked *picked = b->in->picked;

	if (s->size && !picked)
		b->nr_damaged += cfi_parse(s, b->in->arch, &b->sink);
	for (uint32_t i = 0; s == &b->in->eh && i < b->in->nr_more_eh; i++)
		b->nr_damaged += cfi_parse(&b->in->more_eh[i], b->in->arch, &b->sink);
	for (uint32_t i = 0; s->size && picked && i < picked->nr; i++)
		if (picked->places[i].is_debug == (s == &b->in->debug))
			b->nr_damaged += cfi_reader_read(picked->places[i].is_debug ? picked->debug : picked->eh,
							 picked->places[i].entry_off, &b->sink);
	return end_layer(b);
}

static struct rows read_go(struct builder *b, void (*read)(const struct go_unwind *u, const struct cfi_sink *sink))
{
	if (b->in->go)
		read(b->in->go, &b->sink);
	return end_layer(b);
}

static struct rows read_plts(struct builder *b)
{
	for (uint32_t i = 0; i < b->in->nr_plts; i++)
		plt_unwind_rows(&b->in->plts[i], b->in->arch, &b->sink);
	return end_layer(b);
}

/* "The word that register `base` + `off` points to", or that place. */
static int32_t place_expr(struct builder *b, uint8_t base, uint32_t off, bool deref)
{
	/* off < 2^14 */
	uint8_t e[] = { (uint8_t)(DW_OP_breg0 + base), (uint8_t)(0x80 | (off & 0x7f)), (uint8_t)(0x80 | (off >> 7 & 0x7f)), 0,
			DW_OP_deref };

	return rules_intern_expr(&b->rules, e, deref ? 5 : 4);
}

/* The rule of a signal's frame, by the layout of the kernel's struct rt_sigframe. */
static uint32_t trampoline_rule(struct builder *b)
{
	const struct arch_ops *arch = b->in->arch;
	struct cfi_state s = { .cfa = CFI_CFA_EXPR };

	s.cfa_value = place_expr(b, arch->sp, arch->sigframe[arch->sp], true);
	for (uint8_t reg = 0; reg < ARCH_MAX_REGS; reg++) {
		if (!arch->sigframe[reg] || reg == arch->sp)
			continue;
		s.set |= UINT64_C(1) << reg;
		s.regs[reg] = (struct cfi_reg){ HOW_EXPR, place_expr(b, arch->sp, arch->sigframe[reg], false) };
		if (s.regs[reg].value < 0)
			return UNWIND_GAP;
	}
	return s.cfa_value < 0 ? UNWIND_GAP : rules_intern(&b->rules, &s, arch->sigframe_pc, true);
}

/* Rows of places, which are sorted. */
static void add_places(struct builder *b, struct rows *rows, const struct unwind_place *places, uint32_t nr, uint32_t rule)
{
	uint64_t last = 0;

	for (uint32_t i = 0; i < nr; i++) {
		uint64_t from = places[i].file_off - b->base, to = from + places[i].size_bytes;

		if (places[i].file_off < b->base || to >= UINT32_MAX)
			continue;
		from = from < last ? last : from;
		if (from >= to)
			continue;
		add_row(rows, (uint32_t)from, rule);
		add_row(rows, (uint32_t)to, UNWIND_GAP);
		last = to;
	}
}

static void read_trampolines(struct builder *b, struct rows *rows)
{
	const struct unwind_input *in = b->in;
	struct unwind_place places[sizeof(in->trampolines) / sizeof(in->trampolines[0])];

	for (uint32_t i = 0; i < in->nr_trampolines; i++) {
		places[i] = in->trampolines[i];
		/* With a byte before (callers are looked up at the return address less one) and, if free, one behind (the system call's
		 * return). */
		places[i].file_off--;
		places[i].size_bytes += 1 + !in->arch->sigframe_first;
	}
	if (in->nr_trampolines)
		add_places(b, rows, places, in->nr_trampolines, trampoline_rule(b));
}

static void read_starts(struct builder *b, struct rows *rows)
{
	const struct unwind_input *in = b->in;
	struct cfi_state s = { .set = UINT64_C(1) << in->arch->ra };

	s.regs[in->arch->ra].how = HOW_UNDEFINED;
	if (in->nr_starts)
		add_places(b, rows, in->starts, in->nr_starts, rules_intern(&b->rules, &s, in->arch->ra, false));
}

/* For each block of 2^shift addresses its first row; as many blocks as make ROWS_PER_BLOCK. */
static uint8_t block_shift(const struct rows *rows)
{
	uint32_t last = rows->v[rows->nr - 1].addr;
	uint8_t shift = 4;

	while (shift < 31 && (last >> shift) > rows->nr / ROWS_PER_BLOCK)
		shift++;
	return shift;
}

static struct unwind_table *flatten(struct builder *b, const struct rows *rows)
{
	struct unwind_table *t = mem_zalloc(sizeof(*t));
	struct unwind_head h = { .magic = UNWIND_TABLE_MAGIC,
				 .base = b->base,
				 .nr_rows = rows->nr,
				 .nr_damaged = b->nr_damaged,
				 .nr_rule_units = b->rules.units.nr,
				 .expr_bytes = b->rules.exprs.nr,
				 .machine = b->in->arch->elf_machine };
	uint32_t row = 0;

	if (rows->nr) {
		h.block_shift = block_shift(rows);
		h.nr_blocks = (rows->v[rows->nr - 1].addr >> h.block_shift) + 2;
	}
	t->part.memory_bytes = h.size_bytes = sizeof(h) + (uint64_t)h.nr_rows * sizeof(*rows->v) + (uint64_t)h.nr_rule_units * 8 +
					      (uint64_t)h.nr_blocks * 4 + h.expr_bytes;
	t->owned = mem_alloc(h.size_bytes);
	memcpy(t->owned, &h, sizeof(h));
	unwind_table_set_parts(t, t->owned, h.size_bytes);
	if (rows->nr)
		memcpy((void *)t->rows, rows->v, (size_t)h.nr_rows * sizeof(*rows->v));
	memcpy((void *)t->rules, b->rules.units.v, (size_t)h.nr_rule_units * 8);
	for (uint32_t i = 0; i < h.nr_blocks; i++)
		((uint32_t *)t->blocks)[i] = row = unwind_table_block_start(rows->v, rows->nr, h.block_shift, i, row);
	if (h.expr_bytes)
		memcpy((void *)t->exprs, b->rules.exprs.v, h.expr_bytes);
	return t;
}

struct unwind_table *unwind_build(const struct unwind_input *in)
{
	struct builder b = { .in = in, .base = unwind_input_base(in) };
	size_t bytes = in->eh.size + in->debug.size + (in->go ? in->go->table->size : 0);
	struct rows rows, lower, trampolines = { 0 }, starts = { 0 };
	struct unwind_table *t;

	b.sink = (struct cfi_sink){ .ctx = &b, .begin = on_begin, .row = on_row, .intern_expr = on_expr };
	for (uint32_t i = 0; i < in->nr_more_eh; i++)
		bytes += in->more_eh[i].size;
	rules_init(&b.rules, bytes < RULE_BYTES_MIN ? RULE_BYTES_MIN : bytes * RULE_BYTES_FACTOR);
	rows = read_section(&b, &in->eh);
	read_trampolines(&b, &trampolines);
	/* Where the kernel's own call frame information of a trampoline says too little, the instructions know better. */
	if (in->arch->sigframe_first) {
		lay_over(&trampolines, &rows);
		rows = trampolines;
	} else {
		lay_over(&rows, &trampolines);
	}
	/* Go's linker makes its .debug_frame of the same values, but gets the last byte of functions wrong. */
	lower = read_go(&b, go_unwind_rows);
	lay_over(&rows, &lower);
	lower = read_section(&b, &in->debug);
	lay_over(&rows, &lower);
	lower = rows;
	rows = read_go(&b, go_unwind_switches);
	lay_over(&rows, &lower);
	read_starts(&b, &starts);
	lay_over(&rows, &starts);
	lower = read_plts(&b);
	lay_over(&rows, &lower);
	t = flatten(&b, &rows);
	vec_fini(&rows);
	rules_fini(&b.rules);
	return t;
}
