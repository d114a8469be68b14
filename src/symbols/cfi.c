/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reading .eh_frame and .debug_frame, which differ in how an FDE names its CIE and in how addresses are written. A first pass notes where
 * CIEs are: an FDE may name no other place, so that no byte is part of two. Each is read once.
 */
#include "symbols/unwind_build.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/bytes.h"

/* Encodings of pointers in .eh_frame (Linux Standard Base) */
#define PE_OMIT 0xff
#define PE_INDIRECT 0x80
#define PE_BASE 0x70
#define PE_ALIGNED 0x50

#define AUGMENTATION_MAX 32

#define NOT_READ UINT32_MAX

struct cie_place {
	uint64_t off; /* in the section */
	uint32_t cie; /* index, or NOT_READ */
};

struct cfi_reader {
	const struct cfi_section *section;
	VEC(struct cie_place) places; /* ascending */
	VEC(struct cfi_cie) cies;     /* those that were needed */
	uint32_t last_place;
	uint32_t nr_damaged;
	struct cfi_program program;
};

/* One entry of the chain. */
struct entry {
	uint64_t off;	 /* in the section */
	uint64_t id;	 /* distinguishes CIEs from FDEs */
	uint64_t id_off; /* where `id` stands */
	bool is_64;
	struct bytes body; /* behind the id */
};

static uint64_t offset_of(const struct cfi_reader *p, const struct bytes *b)
{
	return (uint64_t)(b->pos - (const uint8_t *)p->section->bytes);
}

static bool pointer_value(struct bytes *b, uint8_t format, uint8_t address_size, uint64_t *v)
{
	static const uint8_t sizes[8] = { [DW_EH_PE_udata2] = 2, [DW_EH_PE_udata4] = 4, [DW_EH_PE_udata8] = 8 };
	uint8_t size = format == DW_EH_PE_absptr ? address_size : sizes[format & 7];
	bool is_leb = (format & 7) == DW_EH_PE_uleb128;

	if (!is_leb && !size)
		return false;
	if (format & DW_EH_PE_signed)
		*v = (uint64_t)(is_leb ? bytes_sleb(b) : bytes_int(b, size));
	else
		*v = is_leb ? bytes_uleb(b) : bytes_uint(b, size);
	return true;
}

bool cfi_pointer(const struct cfi_section *s, struct bytes *b, uint8_t encoding, uint8_t address_size, uint64_t *value)
{
	uint64_t at = s->vaddr + (uint64_t)(b->pos - (const uint8_t *)s->bytes);
	uint64_t base = 0;

	*value = 0;
	if (encoding == PE_OMIT || encoding & PE_INDIRECT)
		return false;
	switch (encoding & PE_BASE) {
	case DW_EH_PE_absptr:
		break;
	case DW_EH_PE_pcrel:
		base = at;
		break;
	case DW_EH_PE_textrel:
		base = s->text_vaddr;
		break;
	case DW_EH_PE_datarel:
		base = s->data_vaddr;
		break;
	default:
		return false;
	}
	if ((encoding & PE_BASE) > DW_EH_PE_pcrel && !base)
		return false;
	if (!pointer_value(b, encoding & 0xf, address_size, value))
		return false;
	*value += base;
	if (address_size == 4)
		*value = (uint32_t)*value;
	return true;
}

/* Skips a pointer that is not needed (the personality routine). */
static void skip_pointer(const struct cfi_reader *p, struct bytes *b, uint8_t encoding, uint8_t address_size)
{
	uint64_t v, at = p->section->vaddr + offset_of(p, b);

	if (encoding == PE_OMIT)
		return;
	if ((encoding & PE_BASE) == PE_ALIGNED) {
		bytes_take(b, -at & (address_size - 1U));
		bytes_take(b, address_size);
	} else if (!pointer_value(b, encoding & 0xf, address_size, &v)) {
		b->failed = true;
	}
}

/* The data that the letters of an augmentation announce. */
static void read_augmentation(const struct cfi_reader *p, struct cfi_cie *c, const char *letters, struct bytes *b)
{
	struct bytes data = *b;

	if (c->has_data) {
		uint64_t size = bytes_uleb(b);

		data = bytes_has(b, size, 1) ? bytes_of(bytes_take(b, size), size, false) : *b;
		if (b->failed)
			return;
	}
	for (; *letters; letters++) {
		switch (*letters) {
		case 'R':
			c->fde_encoding = bytes_u8(&data);
			break;
		case 'L':
			bytes_u8(&data);
			break;
		case 'P':
			skip_pointer(p, &data, bytes_u8(&data), c->address_size);
			break;
		case 'S':
			c->is_signal = true;
			break;
		case 'B': /* return addresses are signed with the other key */
		case 'G':
			break; /* memory tags on the stack */
		default:       /* With the length of its data known, an unknown letter and what follows can be passed over. */
			if (!c->has_data)
				b->failed = true;
			return;
		}
	}
	if (data.failed || !c->has_data)
		*b = data;
}

static void read_cie(struct cfi_reader *p, struct cfi_cie *c, struct bytes *b)
{
	const struct arch_ops *arch = p->program.arch;
	uint8_t version = bytes_u8(b);
	size_t max = bytes_left(b) < AUGMENTATION_MAX ? bytes_left(b) : AUGMENTATION_MAX;
	size_t len = strnlen((const char *)b->pos, max);
	const char *letters = len < max ? bytes_take(b, len + 1) : NULL;
	uint64_t ra;

	if (!letters || (version != 1 && version != 3 && version != 4)) {
		b->failed = true;
		return;
	}
	if (version == 4) {
		c->address_size = bytes_u8(b);
		/* Segments are of machines that are gone. */
		if (bytes_u8(b) != 0 || (c->address_size != 4 && c->address_size != 8))
			b->failed = true;
	}
	if (strcmp(letters, "eh") == 0) { /* gcc 2's: a pointer, and no letters */
		bytes_take(b, c->address_size);
		letters += 2;
	}
	c->code_align = bytes_uleb(b);
	c->data_align = bytes_sleb(b);
	ra = version == 1 ? bytes_u8(b) : bytes_uleb(b);
	c->has_data = letters[0] == 'z';
	read_augmentation(p, c, letters + c->has_data, b);
	/* A column that is not followed leads nowhere. */
	if (ra >= arch->nr_regs)
		b->failed = true;
	c->ra = (uint8_t)ra;
}

static bool read_entry(const struct cfi_reader *p, struct bytes *b, struct entry *e)
{
	uint64_t size;

	e->off = offset_of(p, b);
	size = bytes_u32(b);
	e->is_64 = size == UINT32_MAX;
	if (e->is_64)
		size = bytes_u64(b);
	if (!bytes_has(b, size, 1))
		return false;
	e->body = bytes_of(bytes_take(b, size), size, false);
	e->id_off = offset_of(p, &e->body);
	/* In .eh_frame the id is 4 bytes, whatever the length was. */
	if (e->is_64 && !p->section->is_eh)
		e->id = bytes_u64(&e->body);
	else
		e->id = bytes_u32(&e->body);
	return true;
}

static bool is_cie(const struct cfi_reader *p, const struct entry *e)
{
	if (p->section->is_eh)
		return e->id == 0;
	return e->id == (e->is_64 ? UINT64_MAX : UINT32_MAX);
}

static void start_program(struct cfi_reader *p, const struct cfi_cie *c, bool is_initial)
{
	p->program.cie = c;
	p->program.is_initial = is_initial;
	p->program.state = c->state;
	p->program.nr_remembered = 0;
	p->program.has_exprs = false;
}

/* Reads the CIE at an offset of the section and runs its instructions. */
static void load_cie(struct cfi_reader *p, uint64_t off, struct cfi_cie *c)
{
	struct bytes b = bytes_of(p->section->bytes, p->section->size, false);
	struct entry e;

	*c = (struct cfi_cie){ .address_size = p->section->address_size, .fde_encoding = DW_EH_PE_absptr };
	bytes_take(&b, off);
	read_entry(p, &b, &e);
	read_cie(p, c, &e.body);
	c->is_damaged = e.body.failed;
	if (!c->is_damaged) {
		start_program(p, c, true);
		c->is_damaged = cfi_program_run(&p->program, e.body) != 0;
		c->has_exprs = p->program.has_exprs;
		c->state = p->program.state;
	}
	/* Counted once, not for each FDE that needs it. */
	p->nr_damaged += c->is_damaged;
}

/* The index of the CIE that begins at `off`, or `places.nr`. */
static uint32_t find_place(const struct cfi_reader *p, uint64_t off)
{
	uint32_t lo;

	if (p->last_place < p->places.nr && p->places.v[p->last_place].off == off)
		return p->last_place;
	lo = vec_search(p->places.nr, i, p->places.v[i].off >= off);
	return lo < p->places.nr && p->places.v[lo].off == off ? lo : p->places.nr;
}

/* NULL: there is none, or it is damaged. Valid until the next call. */
static const struct cfi_cie *find_cie(struct cfi_reader *p, uint64_t off)
{
	uint32_t place = find_place(p, off), id;

	if (place == p->places.nr) {
		p->nr_damaged++;
		return NULL;
	}
	p->last_place = place;
	id = p->places.v[place].cie;
	if (id == NOT_READ) {
		struct cfi_cie c;

		load_cie(p, off, &c);
		id = p->places.v[place].cie = p->cies.nr;
		vec_push(&p->cies, c);
	}
	return p->cies.v[id].is_damaged ? NULL : &p->cies.v[id];
}

/* The function that an FDE describes; NULL: none, or damage. The entry's body is behind its addresses then. */
static const struct cfi_cie *read_addresses(struct cfi_reader *p, struct entry *e, uint64_t *start, uint64_t *end)
{
	struct bytes *b = &e->body;
	const struct cfi_cie *c;
	uint64_t size;
	bool ok;

	/* .eh_frame counts backwards from the field itself. */
	if (p->section->is_eh && e->id > e->id_off) {
		p->nr_damaged++;
		return NULL;
	}
	c = find_cie(p, p->section->is_eh ? e->id_off - e->id : e->id);
	if (!c)
		return NULL;
	ok = cfi_pointer(p->section, b, c->fde_encoding, c->address_size, start) &&
	     cfi_pointer(p->section, b, c->fde_encoding & 0xf, c->address_size, &size);
	if (ok && c->has_data) {
		uint64_t skip = bytes_uleb(b);

		if (bytes_has(b, skip, 1))
			bytes_take(b, skip);
	}
	if (!ok || b->failed || size > UINT64_MAX - *start) {
		p->nr_damaged++;
		return NULL;
	}
	*end = *start + size;
	return size ? c : NULL;
}

static void read_fde(struct cfi_reader *p, struct entry *e, const struct cfi_sink *sink)
{
	uint64_t start, end;
	const struct cfi_cie *c = read_addresses(p, e, &start, &end);

	if (!c || !sink->begin(sink->ctx, start, end))
		return;
	start_program(p, c, false);
	p->program.sink = sink;
	p->program.loc = start;
	p->program.end = end;
	if (cfi_program_run(&p->program, e->body) != 0)
		p->nr_damaged++;
}

/* The next entry with a body: 1, 0 at the end. A length that leaves the section ends the chain: damage. */
static int next_entry(struct cfi_reader *p, struct bytes *b, struct entry *e)
{
	while (bytes_left(b) >= 4) {
		if (!read_entry(p, b, e)) {
			p->nr_damaged++;
			return 0;
		}
		if (!e->body.failed)
			return 1;
		/* Length 0 ends the list of one linker input; another may follow. */
		p->nr_damaged += e->body.end != e->body.pos;
		if (p->section->ends_at_zero && e->body.end == e->body.pos)
			return 0;
	}
	return 0;
}

static void find_places(struct cfi_reader *p)
{
	struct bytes b = bytes_of(p->section->bytes, p->section->size, false);
	struct entry e;

	while (next_entry(p, &b, &e))
		if (is_cie(p, &e))
			vec_push(&p->places, ((struct cie_place){ e.off, NOT_READ }));
	/* What is wrong with the chain is counted when it is read again. */
	p->nr_damaged = 0;
}

struct cfi_reader *cfi_reader_new(const struct cfi_section *section, const struct arch_ops *arch)
{
	struct cfi_reader *p = mem_zalloc(sizeof(*p));

	p->section = section;
	p->program.section = section;
	p->program.arch = arch;
	find_places(p);
	return p;
}

void cfi_reader_free(struct cfi_reader *p)
{
	if (!p)
		return;
	vec_fini(&p->places);
	vec_fini(&p->cies);
	free(p);
}

bool cfi_reader_list(struct cfi_reader *p, void (*take)(void *ctx, uint64_t off, uint64_t start, uint64_t end), void *ctx)
{
	struct bytes b = bytes_of(p->section->bytes, p->section->size, false);
	uint64_t start, end;
	struct entry e;

	while (next_entry(p, &b, &e))
		if (!is_cie(p, &e) && read_addresses(p, &e, &start, &end))
			take(ctx, e.off, start, end);
	for (uint32_t i = 0; i < p->cies.nr; i++)
		if (p->cies.v[i].has_exprs)
			return false;
	return true;
}

bool cfi_reader_read(struct cfi_reader *p, uint64_t off, const struct cfi_sink *sink)
{
	struct bytes b = bytes_of(p->section->bytes, p->section->size, false);
	uint32_t nr_damaged = p->nr_damaged;
	struct entry e;

	if (!bytes_has(&b, off, 1))
		return true;
	bytes_take(&b, off);
	if (!read_entry(p, &b, &e) || e.body.failed || is_cie(p, &e))
		return true;
	read_fde(p, &e, sink);
	return p->nr_damaged != nr_damaged;
}

uint32_t cfi_parse(const struct cfi_section *section, const struct arch_ops *arch, const struct cfi_sink *sink)
{
	struct cfi_reader *p = cfi_reader_new(section, arch);
	struct bytes b = bytes_of(section->bytes, section->size, false);
	uint32_t nr_damaged;
	struct entry e;

	/* Expressions of CIEs go to the sink too. */
	p->program.sink = sink;
	while (next_entry(p, &b, &e))
		if (!is_cie(p, &e))
			read_fde(p, &e, sink);
	nr_damaged = p->nr_damaged;
	cfi_reader_free(p);
	return nr_damaged;
}
