/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where the other halves of units are: a .dwp beside the program, with an index by number; else the .dwo where the compiler put it, or
 * beside the program. A half with another number than the skeleton's is of another build and not taken. Fed by dwarf_module.c.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "symbols/elf_file.h"
#include "symbols/debug_files.h"
#include "symbols/dwarf_module.h"
#include "symbols/dwarf_unit.h"

/* Columns of the index that matter. */
enum column { COLUMN_INFO = 1, COLUMN_ABBREV = 3, COLUMN_LOCLISTS = 5, COLUMN_STR_OFFSETS = 6, COLUMN_RNGLISTS = 8, MAX_COLUMN = 8 };

/* Every unit of a hostile program names the same file, which is opened for each. */
#define OPENING_COST 4096U

void dwarf_split_init(struct dwarf_split *s, const char *program, const char *symfs, struct dwarf_work *work)
{
	char *path = mem_printf("%s.dwp", program);

	*s = (struct dwarf_split){ .program = mem_strdup(program), .symfs = symfs ? symfs : "", .dwp_elf.fd = -1, .work = work };
	pthread_mutex_init(&s->lock, NULL);
	if (elf_file_open(&s->dwp_elf, path, NULL) == 0) {
		if (dwarf_file_open(&s->dwp, &s->dwp_elf, true, work))
			elf_file_close(&s->dwp_elf);
		else
			dwarf_file_allow_work(&s->dwp);
	}
	free(path);
}

void dwarf_split_fini(struct dwarf_split *s)
{
	dwarf_file_close(&s->dwp);
	elf_file_close(&s->dwp_elf);
	free(s->program);
	s->program = NULL;
	hindex_fini(&s->opened);
	pthread_mutex_destroy(&s->lock);
}

/* Where a unit's parts begin in the sections of a .dwp; zero in a .dwo. */
struct contribution {
	uint64_t info, abbrev, str_offsets, rnglists, loclists;
};

/* Makes the half's unit out of the header at an offset, if its number is the skeleton's. */
static bool take_unit(struct dwarf_half *half, const struct dwarf_file *d, const struct dwarf_unit *skeleton, uint64_t off,
		      const struct contribution *c)
{
	struct dwarf_unit *u = &half->unit;
	struct dwarf_header h;
	bool is_wide;

	if (dwarf_header_read(&h, d, off))
		return false;
	is_wide = h.enc.offset_size == 8;
	if (h.enc.version != skeleton->head.enc.version || h.enc.addr_size != skeleton->head.enc.addr_size ||
	    (h.enc.version >= 5 && h.type != DW_UT_split_compile))
		return false;
	h.abbrev_off += c->abbrev;
	if (dwarf_unit_init(u, d, &h))
		return false;
	if (u->tag != DW_TAG_compile_unit || u->dwo_id != skeleton->dwo_id) {
		dwarf_unit_fini(u);
		return false;
	}
	u->program = skeleton->file;
	u->addrs = skeleton->addrs;
	u->ranges = skeleton->ranges;
	u->low_pc = skeleton->low_pc;
	/* Since version 5 the tables have heads. */
	u->str_offsets = c->str_offsets + (h.enc.version >= 5 ? (is_wide ? 16 : 8) : 0);
	u->rnglists = c->rnglists + (is_wide ? 20 : 12);
	u->loclists = c->loclists + (is_wide ? 20 : 12);
	u->locs = c->loclists;
	return true;
}

/* A number of the index. */
static uint64_t item(const struct dwarf_file *d, uint64_t off, unsigned int size, bool *ok)
{
	uint64_t v = 0;

	*ok &= dwarf_item_read(d, DWARF_CU_INDEX, off, 0, size, &v);
	return v;
}

static uint32_t item_u32(const struct dwarf_file *d, uint64_t off, bool *ok)
{
	return (uint32_t)item(d, off, 4, ok);
}

/* The row of a number in the hash table of the index, from 1; 0 where there is none. */
static uint32_t find_row(const struct dwarf_file *d, uint64_t id, uint32_t nr_slots)
{
	uint64_t mask = nr_slots - 1ULL, slot = id & mask, step = ((id >> 32) & mask) | 1;
	bool ok = true;

	for (uint32_t i = 0; i < nr_slots && ok; i++) {
		uint64_t found = item(d, 16 + slot * 8, 8, &ok);
		uint32_t row = item_u32(d, 16 + nr_slots * 8ULL + slot * 4, &ok);

		if (ok && row && found == id)
			return row;
		if (!row || !dwarf_work_take(d->work, 16))
			return 0;
		slot = (slot + step) & mask;
	}
	return 0;
}

static bool find_in_dwp(struct dwarf_split *s, const struct dwarf_unit *skeleton, struct dwarf_half *half)
{
	const struct dwarf_file *d = &s->dwp;
	uint32_t version, nr_columns, nr_units, nr_slots, row;
	uint64_t columns, at[MAX_COLUMN + 1] = { 0 };
	struct contribution c;
	bool ok = true;

	version = item_u32(d, 0, &ok);
	nr_columns = item_u32(d, 4, &ok);
	nr_units = item_u32(d, 8, &ok);
	nr_slots = item_u32(d, 12, &ok);
	/* Version 5 made two bytes of it, with two of padding. */
	if (d->swap)
		version = version > 5 ? version >> 16 : version;
	else
		version &= 0xffff;
	if (!ok || (version != 2 && version != 5) || nr_columns > 32 || !nr_slots || (nr_slots & (nr_slots - 1)))
		return false;
	row = find_row(d, skeleton->dwo_id, nr_slots);
	if (!row || row > nr_units)
		return false;
	columns = 16 + nr_slots * 12ULL;
	for (uint32_t i = 0; i < nr_columns; i++) {
		uint32_t column = item_u32(d, columns + i * 4, &ok);

		if (column <= MAX_COLUMN)
			at[column] = item_u32(d, columns + ((uint64_t)nr_columns * row + i) * 4, &ok);
	}
	c = (struct contribution){ at[COLUMN_INFO], at[COLUMN_ABBREV], at[COLUMN_STR_OFFSETS], version == 5 ? at[COLUMN_RNGLISTS] : 0,
				   at[COLUMN_LOCLISTS] };
	return ok && take_unit(half, d, skeleton, c.info, &c);
}

/* A file may be named by many units of a damaged program; it explains its size once. */
static void allow_once(struct dwarf_split *s, struct dwarf_half *half)
{
	struct stat st;
	uint64_t hash;

	if (fstat(half->elf.fd, &st) != 0)
		return;
	hash = hash_pair((uint64_t)st.st_ino, (uint64_t)st.st_dev);
	pthread_mutex_lock(&s->lock);
	if (HINDEX_FIND(&s->opened, hash, id, true) == HINDEX_NONE) {
		hindex_add(&s->opened, hash, 0);
		dwarf_file_allow_work(&half->dwo);
	}
	pthread_mutex_unlock(&s->lock);
}

/* Takes `path` (and frees it) if the half is in it. */
static bool try_dwo(struct dwarf_split *s, char *path, const struct dwarf_unit *skeleton, struct dwarf_half *half)
{
	static const struct contribution none;
	bool found = false;

	if (elf_file_open(&half->elf, path, NULL) == 0) {
		if (dwarf_work_take(s->work, OPENING_COST) && dwarf_file_open(&half->dwo, &half->elf, true, s->work) == 0) {
			struct dwarf_units us;

			allow_once(s, half);
			dwarf_units_init(&us, &half->dwo);
			for (uint32_t i = 0; i < us.headers.nr && !found; i++)
				found = take_unit(half, &half->dwo, skeleton, us.headers.v[i].off, &none);
			dwarf_units_fini(&us);
			if (!found)
				dwarf_file_close(&half->dwo);
		}
		if (!found)
			elf_file_close(&half->elf);
	}
	free(path);
	return found;
}

/* Malloc'd; NULL where it is empty. */
static char *copy_string(const struct dwarf_unit *u, const struct dwarf_value *v)
{
	char *tmp = mem_alloc(DWARF_STRING_MAX), *copy;
	size_t len;
	const char *s = dwarf_unit_string(u, v, tmp, &len);

	copy = s && len ? mem_strndup(s, len) : NULL;
	free(tmp);
	return copy;
}

static bool find_dwo(struct dwarf_split *s, const struct dwarf_unit *skeleton, struct dwarf_half *half)
{
	char *name = copy_string(skeleton, &skeleton->dwo_name), *dir = copy_string(skeleton, &skeleton->comp_dir);
	const char *base, *slash = strrchr(s->program, '/');
	int program_dir = slash ? (int)(slash - s->program) + 1 : 0;
	bool found = false;

	if (name) {
		base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
		if (name[0] == '/')
			found = try_dwo(s, mem_printf("%s%s", s->symfs, name), skeleton, half);
		else if (dir)
			found = try_dwo(s, mem_printf("%s%s/%s", s->symfs, dir, name), skeleton, half);
		if (!found && name[0] != '/')
			found = try_dwo(s, mem_printf("%.*s%s", program_dir, s->program, name), skeleton, half);
		if (!found && base != name)
			found = try_dwo(s, mem_printf("%.*s%s", program_dir, s->program, base), skeleton, half);
	}
	free(name);
	free(dir);
	return found;
}

bool dwarf_split_open(struct dwarf_split *s, const struct dwarf_unit *skeleton, struct dwarf_half *half)
{
	*half = (struct dwarf_half){ .elf.fd = -1 };
	if (!skeleton->dwo_id)
		return false;
	if (s->dwp_elf.elf && find_in_dwp(s, skeleton, half))
		return true;
	return find_dwo(s, skeleton, half);
}

void dwarf_half_close(struct dwarf_half *half)
{
	dwarf_unit_fini(&half->unit);
	dwarf_file_close(&half->dwo);
	elf_file_close(&half->elf);
}

/* The debug file that several share, as dwz makes it, named by .gnu_debugaltlink (a path and a build-id) or version 5's .debug_sup: looked
 * for at that path and wherever debug files are kept by build-id. One with another build-id is not used. */

/* What the link says; `path` points into the section. */
struct alt_link {
	const char *path;
	struct build_id id;
};

static bool read_gnu_link(const Elf_Data *d, struct alt_link *l)
{
	size_t len;

	l->path = elf_string(d, 0, &len);
	if (!l->path || !len || len >= ELF_STRING_MAX || d->d_size - len - 1 < 2)
		return false;
	l->id = build_id_of((const uint8_t *)l->path + len + 1, d->d_size - len - 1);
	return true;
}

/* Version, whether it is itself the shared one, path (of that: empty), length of the checksum, checksum. */
static bool read_new_link(const Elf_Data *d, bool is_shared, struct alt_link *l)
{
	struct bytes b = bytes_of(d->d_buf, d->d_size, false);
	const uint8_t *sum;
	uint64_t size;
	size_t len;

	/* libelf does not turn the version of a file of the other byte order. */
	if ((bytes_u8(&b) | bytes_u8(&b)) != 5 || bytes_u8(&b) != is_shared || b.failed)
		return false;
	l->path = elf_string(d, 3, &len);
	if (!l->path || !len != is_shared || len >= ELF_STRING_MAX)
		return false;
	bytes_take(&b, len + 1);
	size = bytes_uleb(&b);
	sum = size <= d->d_size ? bytes_take(&b, size) : NULL;
	if (!sum || size < 2)
		return false;
	l->id = build_id_of(sum, size);
	return true;
}

/* The build-id, or what version 5 has instead. */
static struct build_id id_of_alt(const struct elf_file *f)
{
	const Elf_Data *sup = elf_file_get_data(f, elf_file_find_section(f, ".debug_sup"));
	struct alt_link l;

	return sup && read_new_link(sup, true, &l) ? l.id : build_id_of_file(f);
}

/* Takes `path` (and frees it) if it is the file. */
static bool try_alt(struct elf_file *alt, char *path, const struct build_id *id)
{
	bool ok = false;

	if (path && elf_file_open(alt, path, NULL) == 0) {
		struct build_id found = id_of_alt(alt);

		ok = build_id_equal(&found, id);
		if (!ok)
			elf_file_close(alt);
	}
	free(path);
	return ok;
}

/* Relative to the directory of the file that names it, with links of that resolved: debug files are often reached by build-id. */
static char *beside(const char *path, const char *name)
{
	char *real = realpath(path, NULL), *slash = real ? strrchr(real, '/') : NULL, *joined = NULL;

	if (slash)
		joined = mem_printf("%.*s/%s", (int)(slash - real), real, name);
	free(real);
	return joined;
}

bool dwarf_alt_open(struct elf_file *alt, const struct elf_file *f, const char *path, const char *symfs, bool *is_named)
{
	const Elf_Data *gnu = elf_file_get_data(f, elf_file_find_section(f, ".gnu_debugaltlink"));
	const Elf_Data *sup = gnu ? NULL : elf_file_get_data(f, elf_file_find_section(f, ".debug_sup"));
	struct alt_link l;

	*is_named = (gnu && read_gnu_link(gnu, &l)) || (sup && read_new_link(sup, false, &l));
	if (!*is_named)
		return false;
	if (l.path[0] == '/') {
		if (*symfs && try_alt(alt, mem_printf("%s%s", symfs, l.path), &l.id))
			return true;
		if (try_alt(alt, mem_strdup(l.path), &l.id))
			return true;
	} else if (try_alt(alt, beside(path, l.path), &l.id)) {
		return true;
	}
	return try_alt(alt, debug_files_by_build_id(symfs, &l.id), &l.id) ||
	       (*symfs && try_alt(alt, debug_files_by_build_id("", &l.id), &l.id)) ||
	       try_alt(alt, debug_files_debuginfod(&l.id, "debuginfo"), &l.id);
}
