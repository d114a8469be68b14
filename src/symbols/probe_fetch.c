/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The kernel's notation of arguments: NAME=FETCH:TYPE. FETCH is a register, a constant (\N), memory at an address of the file (@+OFFSET) or
 * at an offset from another FETCH; TYPE a number of 1 to 8 bytes, a string, a bit-field or an array.
 */
#include "symbols/probe_fetch.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "symbols/probe_resolve.h"
#include "symbols/probe_value.h"

#define MAX_ELEMENTS 64U /* of an array, in the kernel */

static bool put_register(const struct probe_site *s, uint16_t reg, struct out *o, struct errbuf *eb)
{
	const struct arch_ops *a = s->m->arch;

	if (reg >= a->nr_regs || !a->probe_regs || !a->probe_regs[reg]) {
		errbuf_set(eb, -ENOTSUP, "it is in a vector or floating-point register (DWARF register %u), which the kernel cannot fetch",
			   reg);
		return false;
	}
	out_printf(o, "%%%s", a->probe_regs[reg]);
	return true;
}

/* Data of the kernel has to be named, because kernels are moved at boot. */
static bool put_kernel_data(const struct probe_site *s, uint64_t vaddr, struct out *o)
{
	const struct symbol *sym = probe_module_symbols(s->m, NULL) ? NULL : symtab_find(s->m->symbols, vaddr);

	if (sym)
		out_printf(o, "@%s+%llu", sym->name, (unsigned long long)(vaddr - sym->start));
	else
		out_printf(o, "@0x%llx", (unsigned long long)vaddr);
	return true;
}

bool probe_fetch_text(const struct probe_site *s, const struct fetch *f, struct out *o, struct errbuf *eb)
{
	bool is_address = f->base == FETCH_DATA || (f->base == FETCH_CONST && f->nr);
	uint32_t first = is_address ? 1 : 0; /* the first access is part of '@' */

	if (f->add && f->base != FETCH_CONST) {
		errbuf_set(eb, -ENOTSUP, "its value is that of another %s%lld, and the kernel can add to addresses only",
			   f->add > 0 ? "plus " : "minus ", (long long)(f->add > 0 ? f->add : -f->add));
		return false;
	}
	if (is_address && !f->nr) {
		errbuf_set(eb, -ENOTSUP, "it is an address that is known when the program is loaded, which the kernel cannot compute");
		return false;
	}
	for (uint32_t i = f->nr; i-- > first;)
		out_printf(o, "%c%s%llu(", f->offs[i] < 0 ? '-' : '+', f->is_user[i] ? "u" : "",
			   (unsigned long long)(f->offs[i] < 0 ? -(uint64_t)f->offs[i] : (uint64_t)f->offs[i]));
	if (f->base == FETCH_REG) {
		if (!put_register(s, f->reg, o, eb))
			return false;
	} else if (f->base == FETCH_RETVAL) {
		out_str(o, "$retval");
	} else if (f->base == FETCH_DATA) {
		uint64_t vaddr = f->number + (uint64_t)f->offs[0];

		if (s->m->path)
			out_printf(o, "@+0x%llx", (unsigned long long)probe_data_off(s->m, vaddr, s->vaddr));
		else
			put_kernel_data(s, vaddr, o);
	} else if (f->nr) {
		out_printf(o, "@0x%llx", (unsigned long long)(f->number + (uint64_t)f->offs[0]));
	} else {
		out_printf(o, "\\%lld", (long long)(f->number + (uint64_t)f->add));
	}
	for (uint32_t i = f->nr; i-- > first;)
		out_char(o, ')');
	return true;
}

/* An argument being written. */
struct argument {
	const struct probe_site *site;
	const struct probe_arg *arg;
	struct probe_value v;
	struct out *o;
	struct errbuf *eb;
	const char *label; /* what was asked for */
};

static char letter_of(const struct type *t)
{
	return t->kind == TYPE_SIGNED ? 's' : 'x';
}

/* The number of bits of a scalar that the kernel can fetch; 0: none. */
static uint32_t scalar_bits(const struct type *t)
{
	uint64_t n = t->size_bytes;

	if (t->kind == TYPE_STRUCT || t->kind == TYPE_ARRAY || (n != 1 && n != 2 && n != 4 && n != 8))
		return 0;
	return (uint32_t)n * 8;
}

static int put_fetch(struct argument *a, const struct location_piece *p, uint64_t off)
{
	struct errbuf why = { 0 };
	struct fetch f = p->f;

	if (!p->is_value && !fetch_deref(&f, (int64_t)off, a->v.is_user || a->arg->is_user))
		return errbuf_set(a->eb, -ENOTSUP, "'%s' is behind too many pointers", a->label);
	if (!probe_fetch_text(a->site, &f, a->o, &why))
		return errbuf_set(a->eb, -ENOTSUP, "'%s' cannot be fetched: %s", a->label, why.text);
	return 0;
}

/* Bits of a value: those of a bit-field in memory, or a part of a register. */
static int put_bits(struct argument *a, uint32_t width, uint64_t bit_off, bool is_signed)
{
	const struct location_piece *p = probe_value_piece(&a->v, (bit_off + width + 7) / 8, a->label, a->eb);
	uint64_t off, low;
	uint32_t size = 8;
	int err;

	if (!p)
		return -ENODATA;
	off = a->v.off - p->start;
	low = bit_off;
	if (p->is_value) {
		low += off * 8;
		off = 0;
		size = a->site->m->arch->word_bytes * 8U;
	} else {
		/* The smallest aligned container: what is read is part of the struct then. */
		for (; size < 64; size *= 2)
			if (((off * 8 + low) & (size - 1)) + width <= size)
				break;
		/* Packed structs have fields across these: then from the byte where the field begins. */
		if (((off * 8 + low) & (size - 1)) + width <= size) {
			low = (off * 8 + low) & (size - 1);
			off -= off & (size / 8 - 1);
		}
	}
	if (low + width > size)
		return errbuf_set(a->eb, -ENOTSUP, "'%s': the bits are spread over more than the kernel fetches at once", a->label);
	if (is_signed)
		log_warn("'%s' is signed, and the kernel shows bit-fields without a sign: -1 is %llu", a->label,
			 (unsigned long long)(width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1));
	err = put_fetch(a, p, off);
	if (!err)
		out_printf(a->o, ":b%u@%llu/%u", width, (unsigned long long)low, size);
	return err;
}

/* Text: an array of characters is where its text is, a pointer to them leads there. */
static int put_string(struct argument *a, const char *type)
{
	const struct location_piece *p;
	int err = 0;

	if (a->v.type.kind != TYPE_ARRAY) {
		if (a->v.type.size_bytes && a->v.type.size_bytes != a->site->m->arch->word_bytes)
			return errbuf_set(a->eb, -EINVAL, "'%s': a string is an array of char or a pointer, and this is %s", a->label,
					  dwarf_type_label(&a->v.type));
		err = probe_value_follow(&a->v, 0, false, a->label, a->eb);
		if (err)
			return err;
	}
	p = probe_value_piece(&a->v, 1, a->label, a->eb);
	if (!p)
		return -ENODATA;
	if (p->is_value)
		return errbuf_set(a->eb, -ENOTSUP, "'%s' is in a register: the kernel reads strings from memory", a->label);
	err = put_fetch(a, p, a->v.off - p->start);
	if (!err)
		out_printf(a->o, ":%s", type);
	return err;
}

/* An array or a struct as numbers side by side. */
static int put_array(struct argument *a)
{
	struct type element = { .kind = TYPE_UNSIGNED, .size_bytes = 1 }, inner;
	const struct location_piece *p;
	uint64_t nr = a->v.type.size_bytes, all = nr;
	int err;

	if (a->v.type.kind == TYPE_ARRAY) {
		if (!dwarf_type_element(&a->v.type, &element, &nr))
			return errbuf_set(a->eb, -EINVAL, "'%s': the elements of the array are not known", a->label);
		if (element.is_char)
			return put_string(a, a->site->m->path || !a->arg->is_user ? "string" : "ustring");
		while (element.kind == TYPE_ARRAY) {
			uint64_t more;

			if (!dwarf_type_element(&element, &inner, &more) || __builtin_mul_overflow(nr, more, &nr))
				return errbuf_set(a->eb, -EINVAL, "'%s': the elements of the array are not known", a->label);
			element = inner;
		}
		all = element.size_bytes;
	}
	if (!scalar_bits(&element)) {
		/* Structs: the widest numbers that divide them. */
		if (!all)
			return errbuf_set(a->eb, -EINVAL, "'%s': the size of %s is not known", a->label, dwarf_type_label(&a->v.type));
		nr = a->v.type.kind == TYPE_ARRAY && !__builtin_mul_overflow(nr, all, &nr) ? nr : all;
		element = (struct type){ .kind = TYPE_UNSIGNED, .size_bytes = 1 };
	}
	if (a->v.type.kind != TYPE_ARRAY || element.die.tree == NULL)
		while (element.size_bytes < 8 && nr && nr % 2 == 0) {
			element.size_bytes *= 2;
			nr /= 2;
		}
	p = probe_value_piece(&a->v, element.size_bytes, a->label, a->eb);
	if (!p)
		return -ENODATA;
	if (p->is_value && (nr > 1 || a->v.off != p->start))
		return errbuf_set(a->eb, -ENOTSUP, "'%s' is in registers: fetch its members one by one", a->label);
	if (!nr || nr > MAX_ELEMENTS) {
		log_warn("'%s': the kernel fetches %u elements at most: the rest is left out", a->label, MAX_ELEMENTS);
		nr = MAX_ELEMENTS;
	}
	err = put_fetch(a, p, a->v.off - p->start);
	if (err)
		return err;
	out_printf(a->o, ":%c%llu", letter_of(&element), (unsigned long long)element.size_bytes * 8);
	if (nr > 1)
		out_printf(a->o, "[%llu]", (unsigned long long)nr);
	return 0;
}

/* A number of one size, as the program has it or as it was asked for. */
static int put_scalar(struct argument *a, const char *cast)
{
	uint32_t bits = scalar_bits(&a->v.type);
	bool is_letter = cast && cast[0] && !cast[1];
	const struct location_piece *p;
	int err;

	if (a->v.type.kind == TYPE_VOID && !bits)
		bits = a->site->m->arch->word_bytes * 8U;
	if (a->v.type.kind == TYPE_FUNCTION || (!bits && (!cast || is_letter)))
		return errbuf_set(a->eb, -ENOTSUP, "'%s': the kernel cannot fetch %s as a number (%llu bytes)", a->label,
				  dwarf_type_label(&a->v.type), (unsigned long long)a->v.type.size_bytes);
	p = probe_value_piece(&a->v, bits / 8, a->label, a->eb);
	if (!p)
		return -ENODATA;
	if (p->is_value && a->v.off != p->start)
		return put_bits(a, bits, 0, a->v.type.kind == TYPE_SIGNED);
	err = put_fetch(a, p, a->v.off - p->start);
	if (err)
		return err;
	if (cast && !is_letter)
		out_printf(a->o, ":%s", cast);
	else
		out_printf(a->o, ":%c%u", is_letter ? cast[0] : letter_of(&a->v.type), bits);
	return 0;
}

static int put_value(struct argument *a)
{
	const char *cast = a->arg->type;
	int err = probe_value_settle(a->site, &a->v, a->label, a->eb);

	if (err)
		return err;
	if (a->v.bits && (!cast || !cast[1]))
		return put_bits(a, a->v.bits, a->v.bit_off, a->v.type.kind == TYPE_SIGNED);
	if (cast && (!strcmp(cast, "string") || !strcmp(cast, "ustring")))
		return put_string(a, cast);
	if ((a->v.type.kind == TYPE_ARRAY || a->v.type.kind == TYPE_STRUCT) && !cast)
		return put_array(a);
	return put_scalar(a, cast);
}

int probe_fetch_value(const struct probe_site *s, const struct probe_arg *arg, const struct probe_value *v, struct out *o,
		      struct errbuf *eb)
{
	struct argument a = { .site = s, .arg = arg, .v = *v, .o = o, .eb = eb, .label = arg->text };

	return put_value(&a);
}
