/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Steps from a variable to a part of it, or to what it points to. Offsets are added up as long as the place is memory; the content of a pointer
 * becomes the address of the next place.
 */
#include "symbols/probe_value.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int not_here(const struct probe_site *s, const struct dwarf_die *var, const char *name, struct errbuf *eb)
{
	char *ranges = probe_var_ranges(s, var);
	uint64_t off = s->f ? s->vaddr - s->f->entry : 0;
	int err;

	if (ranges)
		err = errbuf_set(eb, -ENODATA, "'%s' is optimised out at %s+%llu; it can be fetched at %s", name,
				 probe_function_symbol(s->m, s->f), (unsigned long long)off, ranges);
	else
		err = errbuf_set(eb, -ENODATA, "'%s' was optimised out: the debug information has no place for it anywhere in %s", name,
				 s->f ? probe_function_symbol(s->m, s->f) : "this file");
	free(ranges);
	return err;
}

/* A parameter whose home is in the frame, at the entry of a function whose prologue is not marked: it is still where the caller put it. */
static bool is_unspilled(const struct probe_site *s, const struct dwarf_die *var)
{
	return s->f && !s->f->is_inlined && s->vaddr == s->f->entry && dwarf_die_tag(var) == DW_TAG_formal_parameter &&
	       dwarf_location_is_frame(var, &s->f->outer) && probe_site_body(s) == s->f->entry;
}

/* By the calling convention: integers and pointers in the order of parameters, as long as there is nothing else among those before. */
static int passed_in_register(const struct probe_site *s, const struct dwarf_die *var, const char *name, struct probe_value *v,
			      struct errbuf *eb)
{
	const struct arch_ops *arch = s->m->arch;
	struct type returned;
	struct dwarf_die child;
	uint32_t nr = 0;
	bool ok;

	dwarf_type_of(&s->f->die, &returned);
	for (ok = dwarf_die_child(&s->f->die, &child); ok; ok = dwarf_die_sibling(&child, &child)) {
		struct type t;

		if (dwarf_die_tag(&child) != DW_TAG_formal_parameter)
			continue;
		dwarf_type_of(&child, &t);
		if (t.kind == TYPE_FLOAT && t.size_bytes <= 8 && !dwarf_die_same(&child, var))
			continue;
		if ((t.kind != TYPE_SIGNED && t.kind != TYPE_UNSIGNED && t.kind != TYPE_POINTER && t.kind != TYPE_REFERENCE) ||
		    t.size_bytes > arch->word_bytes || nr == arch->nr_arg_regs || (returned.kind == TYPE_STRUCT && arch->sret_is_arg))
			break;
		if (dwarf_die_same(&child, var)) {
			v->loc = (struct location){ .nr = 1 };
			v->loc.pieces[0] = (struct location_piece){
				.f.base = FETCH_REG, .f.reg = arch->arg_regs[nr], .is_value = true, .size_bytes = UINT64_MAX
			};
			return 0;
		}
		nr++;
	}
	return errbuf_set(
		eb, -ENOTSUP,
		"'%s' is written to the stack frame by the prologue, whose end the compiler did not mark: probe a line of the function",
		name);
}

int probe_value_of(const struct probe_site *s, const struct dwarf_die *var, const char *name, struct probe_value *v, struct errbuf *eb)
{
	struct errbuf why = { 0 };
	int err;

	*v = (struct probe_value){ 0 };
	dwarf_type_of(var, &v->type);
	err = dwarf_location_find(var, &s->at, &v->loc, &why);
	if (err == -ENODATA || (!err && v->loc.nr == 1 && v->loc.pieces[0].is_lost))
		return not_here(s, var, name, eb);
	if (err)
		return errbuf_set(eb, err, "'%s' cannot be fetched: %s", name, why.text);
	/* The frame is not set up before the end of the prologue. */
	if (s->f && !s->f->is_inlined && s->vaddr >= s->f->entry && dwarf_location_is_frame(var, &s->f->outer) &&
	    s->vaddr < probe_site_body(s))
		return errbuf_set(
			eb, -ENODATA,
			"'%s' is in the stack frame, which is not set up before %s+%llu: probe there, or the function without an offset",
			name, probe_function_symbol(s->m, s->f), (unsigned long long)(probe_site_body(s) - s->f->entry));
	if (is_unspilled(s, var))
		return passed_in_register(s, var, name, v, eb);
	return 0;
}

int probe_value_returned(const struct probe_site *s, struct probe_value *v, struct errbuf *eb)
{
	if (!s->is_return)
		return errbuf_set(eb, -EINVAL, "$retval is known where a function returns: FUNC%%return");
	*v = (struct probe_value){ .loc.nr = 1 };
	v->loc.pieces[0] = (struct location_piece){ .f.base = FETCH_RETVAL, .is_value = true, .size_bytes = UINT64_MAX };
	if (s->f)
		dwarf_type_of(&s->f->die, &v->type);
	return 0;
}

const struct location_piece *probe_value_piece(const struct probe_value *v, uint64_t size, const char *text, struct errbuf *eb)
{
	for (uint32_t i = 0; i < v->loc.nr; i++) {
		const struct location_piece *p = &v->loc.pieces[i];

		if (v->off < p->start || v->off - p->start >= p->size_bytes)
			continue;
		if (p->is_lost) {
			errbuf_set(eb, -ENODATA, "'%s': this part of the variable is optimised out", text);
			return NULL;
		}
		if (size > p->size_bytes - (v->off - p->start)) {
			errbuf_set(eb, -ENOTSUP, "'%s' is split over several registers: fetch its members one by one", text);
			return NULL;
		}
		return p;
	}
	errbuf_set(eb, -ENODATA, "'%s': this part of the variable is optimised out", text);
	return NULL;
}

int probe_value_follow(struct probe_value *v, int64_t off, bool is_user, const char *text, struct errbuf *eb)
{
	const struct location_piece *p = probe_value_piece(v, v->type.size_bytes ? v->type.size_bytes : 1, text, eb);
	struct fetch f;

	if (!p)
		return -ENODATA;
	f = p->f;
	if (p->is_value && v->off != p->start)
		return errbuf_set(eb, -ENOTSUP, "'%s': the pointer is in a part of a register, which the kernel cannot follow", text);
	if (!p->is_value && !fetch_deref(&f, (int64_t)(v->off - p->start), v->is_user))
		return errbuf_set(eb, -ENOTSUP, "'%s' is behind too many pointers", text);
	if (f.is_narrow)
		return errbuf_set(eb, -ENOTSUP, "'%s': the pointer is computed in a way that the kernel cannot follow", text);
	f.add += off;
	v->loc = (struct location){ .nr = 1 };
	v->loc.pieces[0] = (struct location_piece){ .f = f, .size_bytes = UINT64_MAX };
	v->off = 0;
	v->is_user |= is_user;
	return 0;
}

int probe_value_settle(const struct probe_site *s, struct probe_value *v, const char *text, struct errbuf *eb)
{
	struct type to;
	int err;

	(void)s;
	if (v->type.kind != TYPE_REFERENCE)
		return 0;
	dwarf_type_of(&v->type.die, &to);
	err = probe_value_follow(v, 0, false, text, eb);
	v->type = to;
	return err;
}

/* Replaces a pointer by what it points to. */
static int follow_pointer(struct probe_value *v, const char *text, struct errbuf *eb)
{
	struct type to;
	int err;

	dwarf_type_of(&v->type.die, &to);
	err = probe_value_follow(v, 0, false, text, eb);
	v->type = to;
	return err;
}

static int step_member(struct probe_value *v, const struct probe_step *step, const char *text, struct errbuf *eb)
{
	struct type_member m;
	int err;

	/* Rust follows references by itself. */
	if (v->type.kind == TYPE_POINTER && v->type.die.tree->unit->language == DW_LANG_Rust) {
		err = follow_pointer(v, text, eb);
		if (err)
			return err;
	}
	if (v->type.kind == TYPE_POINTER)
		return errbuf_set(eb, -EINVAL, "'%s': write '->%s', it is a pointer", text, step->name);
	if (v->type.kind != TYPE_STRUCT)
		return errbuf_set(eb, -EINVAL, "'%s': %s has no members", text, dwarf_type_label(&v->type));
	err = dwarf_type_member(&v->type, step->name, &m);
	if (err == -ENOTSUP)
		return errbuf_set(eb, err, "'%s': '%s' may be in a virtual base class, whose place only the program knows", text,
				  step->name);
	if (err && v->type.is_declaration)
		return errbuf_set(eb, err, "'%s': what is in %s is not known in this file of the program: it is only declared there", text,
				  dwarf_type_label(&v->type));
	if (err)
		return errbuf_set(eb, err, "'%s': %s has no member '%s'", text, dwarf_type_label(&v->type), step->name);
	v->type = m.type;
	v->bits = m.bits;
	/* The bits of a field may begin before or behind the place that is said for it. */
	v->bit_off = m.bits ? m.bit_off % 8 : 0;
	v->off += m.bits ? m.bit_off / 8 : m.off_bytes;
	return 0;
}

static int step_index(struct probe_value *v, const struct probe_step *step, const char *text, struct errbuf *eb)
{
	struct type element;
	int64_t off;
	uint64_t nr;
	int err;

	if (v->type.kind == TYPE_POINTER) {
		dwarf_type_of(&v->type.die, &element);
		if (!element.size_bytes || __builtin_mul_overflow((int64_t)element.size_bytes, step->number, &off))
			return errbuf_set(eb, -EINVAL, "'%s': the size of what the pointer points to is not known", text);
		err = probe_value_follow(v, off, false, text, eb);
		v->type = element;
		return err;
	}
	if (!dwarf_type_element(&v->type, &element, &nr))
		return errbuf_set(eb, -EINVAL, "'%s': %s is no array and no pointer", text, dwarf_type_label(&v->type));
	if (!element.size_bytes || __builtin_mul_overflow((int64_t)element.size_bytes, step->number, &off))
		return errbuf_set(eb, -EINVAL, "'%s': the size of the elements is not known", text);
	if (step->number < 0 || (nr && (uint64_t)step->number >= nr))
		return errbuf_set(eb, -ERANGE, "'%s': index %lld is outside of the array, which has %llu elements", text,
				  (long long)step->number, (unsigned long long)nr);
	v->off += (uint64_t)off;
	v->type = element;
	return 0;
}

static int step_deref(struct probe_value *v, const struct probe_step *step, const char *text, struct errbuf *eb)
{
	struct type element;
	uint64_t nr;
	int err;

	if (v->type.kind == TYPE_ARRAY && !step->number && dwarf_type_element(&v->type, &element, &nr)) {
		v->type = element;
		return 0;
	}
	if (v->type.kind == TYPE_POINTER && !step->number && !step->is_user)
		return follow_pointer(v, text, eb);
	if (v->type.kind != TYPE_POINTER && v->type.size_bytes && v->type.size_bytes < 8)
		return errbuf_set(eb, -EINVAL, "'%s': %s is no pointer", text, dwarf_type_label(&v->type));
	err = probe_value_follow(v, step->number, step->is_user, text, eb);
	v->type = (struct type){ .kind = TYPE_VOID };
	return err;
}

int probe_value_step(const struct probe_site *s, struct probe_value *v, const struct probe_step *step, const char *text, struct errbuf *eb)
{
	struct type element;
	uint64_t nr;
	int err = probe_value_settle(s, v, text, eb);

	if (err)
		return err;
	if (v->bits)
		return errbuf_set(eb, -EINVAL, "'%s': a bit-field has no parts", text);
	switch (step->kind) {
	case PROBE_POINTED:
		if (v->type.kind == TYPE_POINTER)
			err = follow_pointer(v, text, eb);
		else if (dwarf_type_element(&v->type, &element, &nr))
			v->type = element;
		else
			return errbuf_set(eb, -EINVAL, "'%s': write '.%s', %s is no pointer", text, step->name, dwarf_type_label(&v->type));
		return err ? err : step_member(v, step, text, eb);
	case PROBE_MEMBER:
		return step_member(v, step, text, eb);
	case PROBE_INDEX:
		return step_index(v, step, text, eb);
	case PROBE_DEREF:
		return step_deref(v, step, text, eb);
	}
	return -EINVAL;
}
