/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reading the table: a list of functions by address, an entry for each, and tables that map addresses to values as pairs of differences.
 * Versions differ in where the parts lie and how wide the numbers are. Knows nothing of ELF.
 */
#include "symbols/go_module.h"

#include <errno.h>

#include "base/bytes.h"

#define PCDATA_INLINE 2	  /* from 1.16 on */
#define FUNCDATA_INLINE 3 /* the same */
#define NO_OFFSET UINT32_MAX

/* Of a function, in a byte that is zero before Go 1.17. */
#define FLAG_TOP_FRAME 1
#define FLAG_WRITES_SP 2

static bool layout_of(uint32_t magic, enum go_layout *layout)
{
	static const uint32_t magics[] = { [GO_1_2] = 0xfffffffb, [GO_1_16] = 0xfffffffa, [GO_1_18] = 0xfffffff0, [GO_1_20] = 0xfffffff1 };

	for (uint32_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (magics[i] == magic) {
			*layout = (enum go_layout)i;
			return true;
		}
	return false;
}

bool go_pclntab_is_magic(const uint8_t *bytes, bool swap)
{
	struct bytes b = bytes_of(bytes, GO_MAGIC_BYTES, swap);
	enum go_layout layout;

	return layout_of(bytes_u32(&b), &layout) && !bytes[4] && !bytes[5] && (bytes[6] == 1 || bytes[6] == 2 || bytes[6] == 4) &&
	       (bytes[7] == 4 || bytes[7] == 8);
}

static struct bytes bytes_at(const struct go_pclntab *t, uint64_t part, uint64_t off)
{
	if (part > t->size || off > t->size - part)
		return (struct bytes){ .failed = true };
	return bytes_of(t->bytes + part + off, t->size - (size_t)(part + off), t->swap);
}

/* Numbers in the list of functions. */
static unsigned int entry_width(const struct go_pclntab *t)
{
	return t->layout >= GO_1_18 ? 4 : t->ptr_size;
}

static uint64_t read_entry(const struct go_pclntab *t, struct bytes *b)
{
	return (t->layout >= GO_1_18 ? t->text : 0) + bytes_uint(b, entry_width(t));
}

/* Two numbers a function and the end of the last one, all going up. */
static bool check_entries(struct go_pclntab *t, uint64_t nr)
{
	struct bytes b = bytes_at(t, t->entries, 0);
	uint64_t last = 0;

	if (!nr || nr >= NO_OFFSET / 2 || !bytes_has(&b, 2 * nr + 1, entry_width(t)))
		return false;
	for (uint64_t i = 0; i <= nr; i++) {
		uint64_t at = bytes_uint(&b, entry_width(t));

		if (i && at <= last)
			return false;
		last = at;
		if (i < nr)
			bytes_take(&b, entry_width(t));
	}
	t->nr_functions = (uint32_t)nr;
	return true;
}

/* Behind the list of functions stands where that of files is. */
static bool read_files_1_2(struct go_pclntab *t)
{
	struct bytes b = bytes_at(t, t->entries, (2ULL * t->nr_functions + 1) * t->ptr_size);

	t->files = bytes_u32(&b);
	return !b.failed && t->files < t->size;
}

int go_pclntab_init(struct go_pclntab *t, const void *bytes, size_t size, bool swap)
{
	struct bytes b = bytes_of(bytes, size, swap);
	uint64_t nr, *parts[] = { &t->names, &t->units, &t->files, &t->values, &t->functions };

	*t = (struct go_pclntab){ .bytes = bytes, .size = size, .swap = swap };
	if (size < GO_MAGIC_BYTES || !go_pclntab_is_magic(bytes, swap))
		return -EBADMSG;
	layout_of(bytes_u32(&b), &t->layout);
	bytes_u16(&b);
	t->quantum = bytes_u8(&b);
	t->ptr_size = bytes_u8(&b);
	nr = bytes_uint(&b, t->ptr_size);
	if (t->layout == GO_1_2) {
		t->entries = size - bytes_left(&b);
		return check_entries(t, nr) && read_files_1_2(t) ? 0 : -EBADMSG;
	}
	bytes_uint(&b, t->ptr_size); /* the number of files */
	if (t->layout >= GO_1_18)
		t->text = bytes_uint(&b, t->ptr_size);
	/* Entries count from there, in 32 bits. */
	if (t->text > UINT64_MAX - UINT32_MAX)
		return -EBADMSG;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		*parts[i] = bytes_uint(&b, t->ptr_size);
		if (b.failed || *parts[i] >= size)
			return -EBADMSG;
	}
	t->entries = t->functions;
	return check_entries(t, nr) ? 0 : -EBADMSG;
}

uint64_t go_pclntab_entry(const struct go_pclntab *t, uint32_t i)
{
	struct bytes b = bytes_at(t, t->entries, 2ULL * i * entry_width(t));

	return read_entry(t, &b);
}

/* Tables of values and data by number: u32 each, then words of a pointer's size before 1.18 and u32 after. */
static void read_inlines(const struct go_pclntab *t, struct go_function *f, struct bytes b, uint32_t nr_pcdata, uint32_t nr_funcdata,
			 uint64_t off)
{
	unsigned int width = entry_width(t);
	struct bytes data = b;
	uint64_t skip = 4ULL * nr_pcdata;

	if (nr_pcdata <= PCDATA_INLINE || nr_funcdata <= FUNCDATA_INLINE)
		return;
	bytes_take(&b, 4 * PCDATA_INLINE);
	f->inline_values = bytes_u32(&b);
	if (width == 8 && (off + skip) % 8)
		skip += 4;
	bytes_take(&data, (size_t)(skip + FUNCDATA_INLINE * width));
	f->inline_tree = bytes_uint(&data, width);
	f->has_inlines = !b.failed && !data.failed && f->inline_values && f->inline_tree != (t->layout >= GO_1_18 ? NO_OFFSET : 0);
}

bool go_pclntab_function(const struct go_pclntab *t, uint32_t i, struct go_function *f)
{
	struct bytes b = bytes_at(t, t->entries, 2ULL * i * entry_width(t));
	uint32_t nr_pcdata, nr_funcdata;
	uint64_t off;
	uint8_t flags;

	*f = (struct go_function){ .start = read_entry(t, &b) };
	off = bytes_uint(&b, entry_width(t));
	f->end = read_entry(t, &b);
	if (b.failed)
		return false;
	b = bytes_at(t, t->functions, off);
	/* The entry says once more where it begins. */
	if (read_entry(t, &b) != f->start || b.failed)
		return false;
	f->name = bytes_u32(&b);
	bytes_take(&b, 8);
	f->stack_values = bytes_u32(&b);
	f->file_values = bytes_u32(&b);
	f->line_values = bytes_u32(&b);
	nr_pcdata = bytes_u32(&b);
	if (t->layout == GO_1_2)
		return !b.failed;
	f->unit = bytes_u32(&b);
	bytes_take(&b, t->layout >= GO_1_20 ? 5 : 1);
	flags = bytes_u8(&b);
	f->is_top = flags & FLAG_TOP_FRAME;
	f->writes_sp = flags & FLAG_WRITES_SP;
	bytes_take(&b, 1);
	nr_funcdata = bytes_u8(&b);
	if (b.failed)
		return false;
	/* Offsets of the data are aligned as seen from the entry. */
	read_inlines(t, f, b, nr_pcdata, nr_funcdata, t->ptr_size + 36);
	return true;
}

static const char *read_string(const struct go_pclntab *t, uint64_t part, uint64_t off, size_t *len)
{
	struct bytes b = bytes_at(t, part, off);
	size_t left = b.failed ? 0 : bytes_left(&b);
	const char *nul = left ? memchr(b.pos, 0, left < GO_NAME_MAX ? left : GO_NAME_MAX) : NULL;

	*len = nul ? (size_t)(nul - (const char *)b.pos) : GO_NAME_MAX;
	return nul || left > GO_NAME_MAX ? (const char *)b.pos : NULL;
}

const char *go_pclntab_name(const struct go_pclntab *t, uint32_t name, size_t *len)
{
	return read_string(t, t->names, name, len);
}

bool go_pclntab_is_name(const struct go_pclntab *t, uint32_t name)
{
	struct bytes b = bytes_at(t, t->names, name ? name - 1 : 0);

	return (!name || !bytes_u8(&b)) && bytes_u8(&b) && !b.failed;
}

const char *go_pclntab_file(const struct go_pclntab *t, const struct go_function *f, int32_t number, size_t *len)
{
	struct bytes b;
	uint32_t off;

	if (number < 0)
		return NULL;
	if (t->layout == GO_1_2) {
		b = bytes_at(t, t->files, 4ULL * (uint32_t)number);
		off = bytes_u32(&b);
		return number && off && !b.failed ? read_string(t, 0, off, len) : NULL;
	}
	b = bytes_at(t, t->units, 4ULL * ((uint64_t)f->unit + (uint32_t)number));
	off = bytes_u32(&b);
	return !b.failed && off != NO_OFFSET ? read_string(t, t->files, off, len) : NULL;
}

struct go_values go_values_begin(const struct go_pclntab *t, const struct go_function *f, uint32_t values)
{
	return (struct go_values){
		.b = values ? bytes_at(t, t->values, values) : (struct bytes){ .failed = true },
		.addr = f->start,
		.end = f->end,
		.value = -1,
		.quantum = t->quantum,
		.is_first = true,
	};
}

bool go_values_next(struct go_values *v, uint64_t *start, uint64_t *end, int32_t *value)
{
	uint32_t delta = (uint32_t)bytes_uleb(&v->b);
	uint64_t size = (uint64_t)(uint32_t)bytes_uleb(&v->b) * v->quantum;

	/* A difference of zero ends the table, except in front. Without a step of addresses a hostile one would never end. */
	if (v->b.failed || (!delta && !v->is_first) || !size || v->addr >= v->end)
		return false;
	v->is_first = false;
	v->value = (int32_t)((uint32_t)v->value + (delta & 1 ? ~(delta >> 1) : delta >> 1));
	*start = v->addr;
	*end = size > v->end - v->addr ? v->end : v->addr + size;
	*value = v->value;
	v->addr = *end;
	return true;
}
