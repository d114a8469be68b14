/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finding a Go program's tables: by section name or, where linkers or strip left none, by magic. Where code begins and the trees of inlined
 * calls lie is in a structure of Go's runtime, found by its pointers to the parts of the table. Its members moved between versions: the
 * address of the trees is used only where all probed trees are sound.
 */
#include "symbols/go_module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/mem.h"

/* The largest programs have a table of a quarter of this. */
#define MAX_TABLE_BYTES (256U << 20)
/* Of a writable segment, in which the runtime's structure is looked for. */
#define MAX_DATA_BYTES (64U << 20)
/* Places in a file that look like a table, and how much is searched for them: holes cost nothing but reading. */
#define MAX_TRIED 64U
#define MAX_SEARCHED_BYTES (512U << 20)
#define MAX_NOTE_BYTES 4096U
#define TABLE_ALIGN 16U
#define SEARCH_BYTES (1U << 20)
/* Words of the runtime's structure: the pointers to the table's parts, the code's address, and those among which the trees' is. */
#define MODULE_WORDS 64U
#define MODULE_TEXT 22U
#define TREES_FIRST 32U
/* Functions whose trees are probed before an address is used, and how many named calls they must have. */
#define PROBE_FUNCTIONS 512U
#define MIN_PROBED 2U
/* Spans of addresses that are looked at for that. */
#define PROBE_SPANS (1U << 18)

/* struct elf_image: the bytes of an ELF file by address, as a loader would place them at the addresses the file is linked for. Relative
 * relocations are applied, so that pointers in position-independent programs can be followed. Everything is found by program headers, which
 * stripping leaves in place. Relocations without an addend of their own (REL, RELR) have it in the bytes already. */

struct elf_image_part { /* a PT_LOAD segment, as far as the file holds its bytes */
	uint64_t vaddr, size_bytes, file_off;
	bool is_executable, is_writable;
};

struct elf_image_reloc {
	uint64_t vaddr, value;
};

struct elf_image {
	const struct elf_file *file;
	VEC(struct elf_image_part) parts;
	VEC(struct elf_image_reloc) relocs; /* by address */
};

/* Real files have less than ten; all of them are searched, which must not be thousands that overlap. */
#define MAX_PARTS 64U
#define MAX_DYNAMIC_BYTES (64U << 10)
/* The largest programs have a tenth of this. */
#define MAX_RELOC_BYTES (256U << 20)
#define RELA_BYTES 24U

static uint32_t relative_type(uint16_t machine)
{
	switch (machine) {
	case EM_X86_64:
		return R_X86_64_RELATIVE;
	case EM_AARCH64:
		return R_AARCH64_RELATIVE;
	}
	return 0;
}

static const struct elf_image_part *elf_image_find(const struct elf_image *im, uint64_t vaddr)
{
	for (uint32_t i = 0; i < im->parts.nr; i++)
		if (vaddr >= im->parts.v[i].vaddr && vaddr - im->parts.v[i].vaddr < im->parts.v[i].size_bytes)
			return &im->parts.v[i];
	return NULL;
}

static size_t read_raw(const struct elf_image *im, uint64_t vaddr, void *buf, size_t size)
{
	const struct elf_image_part *p = elf_image_find(im, vaddr);
	uint64_t off;

	if (!p)
		return 0;
	off = vaddr - p->vaddr;
	if (size > p->size_bytes - off)
		size = (size_t)(p->size_bytes - off);
	return elf_file_read(im->file, p->file_off + off, buf, size);
}

static size_t elf_image_read(const struct elf_image *im, uint64_t vaddr, void *buf, size_t size)
{
	size_t got = read_raw(im, vaddr, buf, size);

	for (uint32_t i = vec_search(im->relocs.nr, k, im->relocs.v[k].vaddr >= vaddr); i < im->relocs.nr && got >= 8; i++) {
		uint64_t off = im->relocs.v[i].vaddr - vaddr, value = im->relocs.v[i].value;

		if (off > got - 8)
			break;
		if (im->file->swap)
			value = __builtin_bswap64(value);
		memcpy((char *)buf + off, &value, 8);
	}
	return got;
}

static void read_relocs(struct elf_image *im, uint64_t vaddr, uint64_t size)
{
	uint32_t relative = relative_type(im->file->machine);
	const struct elf_image_part *p = elf_image_find(im, vaddr);
	struct bytes b;
	void *buf;

	if (!relative || !p || size > p->size_bytes || size > MAX_RELOC_BYTES || !elf_file_take_memory(im->file, size))
		return;
	buf = mem_alloc(size ? size : 1);
	b = bytes_of(buf, read_raw(im, vaddr, buf, size), im->file->swap);
	while (bytes_left(&b) >= RELA_BYTES) {
		uint64_t where = bytes_u64(&b), info = bytes_u64(&b), addend = bytes_u64(&b);

		if ((uint32_t)info == relative)
			vec_push(&im->relocs, ((struct elf_image_reloc){ where, addend }));
	}
	free(buf);
	vec_sort(&im->relocs, compare_u64);
}

/* Files of 32 bits have their addends in place. */
static void read_dynamic(struct elf_image *im, const GElf_Phdr *ph)
{
	size_t size = ph->p_filesz < MAX_DYNAMIC_BYTES ? (size_t)ph->p_filesz : MAX_DYNAMIC_BYTES;
	uint64_t rela = 0, rela_bytes = 0;
	uint8_t *buf = mem_alloc(size + 1);
	struct bytes b = bytes_of(buf, elf_file_read(im->file, ph->p_offset, buf, size), im->file->swap);

	while (im->file->word_bytes == 8 && bytes_left(&b) >= 16) {
		uint64_t tag = bytes_u64(&b), value = bytes_u64(&b);

		if (tag == DT_NULL)
			break;
		if (tag == DT_RELA)
			rela = value;
		if (tag == DT_RELASZ)
			rela_bytes = value;
	}
	free(buf);
	if (rela_bytes)
		read_relocs(im, rela, rela_bytes);
}

static uint64_t file_size(const struct elf_file *f)
{
	struct stat st;

	if (f->fd >= 0)
		return fstat(f->fd, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
	return f->image_size;
}

/* No more of it than the file has: sizes are trusted from here on. */
static void add_part(struct elf_image *im, const GElf_Phdr *ph, uint64_t size)
{
	uint64_t left = ph->p_offset < size ? size - ph->p_offset : 0;
	uint64_t bytes = ph->p_filesz < left ? ph->p_filesz : left;

	if (bytes && ph->p_vaddr <= UINT64_MAX - bytes && im->parts.nr < MAX_PARTS)
		vec_push(&im->parts, ((struct elf_image_part){ ph->p_vaddr, bytes, ph->p_offset, ph->p_flags & PF_X, ph->p_flags & PF_W }));
}

static void elf_image_open(struct elf_image *im, const struct elf_file *f)
{
	const GElf_Phdr *dynamic = NULL;
	uint64_t size = file_size(f);

	*im = (struct elf_image){ .file = f };
	for (uint32_t i = 0; i < f->headers.nr; i++) {
		if (f->headers.v[i].p_type == PT_DYNAMIC)
			dynamic = &f->headers.v[i];
		if (f->headers.v[i].p_type == PT_LOAD)
			add_part(im, &f->headers.v[i], size);
	}
	if (dynamic)
		read_dynamic(im, dynamic);
}

static void elf_image_close(struct elf_image *im)
{
	vec_fini(&im->parts);
	vec_fini(&im->relocs);
}

static bool is_go_note(const struct elf_file *f, const GElf_Phdr *ph)
{
	uint8_t buf[MAX_NOTE_BYTES];
	size_t got = elf_file_read(f, ph->p_offset, buf, ph->p_filesz < sizeof(buf) ? (size_t)ph->p_filesz : sizeof(buf));

	/* Sizes of name and contents, the type (build-id), then the name. */
	return got >= 16 && memmem(buf, got, "\4\0\0\0Go\0", 8) != NULL;
}

bool go_module_is_go(const struct elf_file *f)
{
	if (elf_file_find_section(f, ".gopclntab") || elf_file_find_section(f, ".data.rel.ro.gopclntab") ||
	    elf_file_find_section(f, ".go.buildinfo") || elf_file_find_section(f, ".note.go.buildid"))
		return true;
	for (uint32_t i = 0; i < f->headers.nr && !f->sections.nr; i++)
		if (f->headers.v[i].p_type == PT_NOTE && f->headers.v[i].p_offset <= INT64_MAX && is_go_note(f, &f->headers.v[i]))
			return true;
	return false;
}

/* `size` is what there is at most: of a table without a section the end is not known. */
static bool try_table(struct go_module *m, const struct elf_image *im, uint64_t vaddr, uint64_t size)
{
	size_t got;

	size = elf_file_take_work(im->file, size < MAX_TABLE_BYTES ? size : MAX_TABLE_BYTES);
	m->table_bytes = mem_alloc(size ? size : 1);
	got = elf_image_read(im, vaddr, m->table_bytes, size);
	if (!go_pclntab_init(&m->table, m->table_bytes, got, im->file->swap)) {
		m->table_vaddr = vaddr;
		return true;
	}
	free(m->table_bytes);
	m->table_bytes = NULL;
	return false;
}

static bool try_section(struct go_module *m, const struct elf_image *im, const char *name)
{
	uint32_t i = elf_file_find_section(im->file, name);
	const struct elf_section *s = i ? &im->file->sections.v[i] : NULL;
	const struct elf_image_part *p = s && s->type != SHT_NOBITS ? elf_image_find(im, s->vaddr) : NULL;

	return p && s->size_bytes <= p->size_bytes && try_table(m, im, s->vaddr, s->size_bytes);
}

/* Its magic is eight bytes of which few fit by chance; what fits is looked at in full. */
static bool search_part(struct go_module *m, const struct elf_image *im, const struct elf_image_part *p, uint8_t *buf,
			unsigned int *nr_tried, uint64_t *left)
{
	for (uint64_t off = 0; off < p->size_bytes && *left >= SEARCH_BYTES; off += SEARCH_BYTES, *left -= SEARCH_BYTES) {
		uint64_t vaddr = p->vaddr + off;
		uint64_t want = elf_file_take_work(im->file, p->size_bytes - off < SEARCH_BYTES ? p->size_bytes - off : SEARCH_BYTES);
		size_t got = want ? elf_image_read(im, vaddr, buf, (size_t)want + GO_MAGIC_BYTES) : 0;

		if (!got)
			return false;
		for (size_t at = (size_t)(-vaddr % TABLE_ALIGN); at + GO_MAGIC_BYTES <= got && at < SEARCH_BYTES; at += TABLE_ALIGN) {
			if (!go_pclntab_is_magic(buf + at, im->file->swap))
				continue;
			if (try_table(m, im, vaddr + at, p->size_bytes - off - at))
				return true;
			/* A file full of magic numbers costs no more than this. */
			if (++*nr_tried >= MAX_TRIED)
				return false;
		}
	}
	return false;
}

static bool search_table(struct go_module *m, const struct elf_image *im)
{
	uint8_t *buf = mem_alloc(SEARCH_BYTES + GO_MAGIC_BYTES);
	uint64_t left = MAX_SEARCHED_BYTES;
	unsigned int nr_tried = 0;
	bool found = false;

	/* Code last: linkers that do not separate it put everything read-only into one segment. */
	for (int is_code = 0; is_code < 2; is_code++)
		for (uint32_t i = 0; i < im->parts.nr && !found && nr_tried < MAX_TRIED; i++)
			if (im->parts.v[i].is_executable == is_code)
				found = search_part(m, im, &im->parts.v[i], buf, &nr_tried, &left);
	free(buf);
	return found;
}

static uint64_t word_at(const struct elf_image *im, const uint8_t *bytes, uint32_t i)
{
	struct bytes b = bytes_of(bytes + (size_t)i * im->file->word_bytes, im->file->word_bytes, im->file->swap);

	return bytes_uint(&b, im->file->word_bytes);
}

/* The runtime's structure begins with a pointer to the table and slices (pointer, length, capacity) of its parts. */
static bool is_module(const struct go_module *m, const struct elf_image *im, const uint8_t *words)
{
	const struct go_pclntab *t = &m->table;
	const uint64_t parts[] = { t->names, t->units, t->files, t->values, t->functions };

	if (word_at(im, words, 0) != m->table_vaddr)
		return false;
	for (uint32_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (word_at(im, words, 1 + 3 * i) != m->table_vaddr + parts[i])
			return false;
	return true;
}

static bool find_module_in(const struct go_module *m, const struct elf_image *im, const struct elf_image_part *p, uint64_t *words)
{
	size_t size = (size_t)elf_file_take_work(im->file, p->size_bytes < MAX_DATA_BYTES ? p->size_bytes : MAX_DATA_BYTES), got;
	uint8_t *bytes = mem_alloc(size + 1);
	bool found = false;

	got = elf_image_read(im, p->vaddr, bytes, size);
	for (size_t at = 0; got >= MODULE_WORDS * im->file->word_bytes && at <= got - MODULE_WORDS * im->file->word_bytes && !found;
	     at += im->file->word_bytes) {
		found = is_module(m, im, bytes + at);
		for (uint32_t i = 0; found && i < MODULE_WORDS; i++)
			words[i] = word_at(im, bytes + at, i);
	}
	free(bytes);
	return found;
}

static bool find_module(const struct go_module *m, const struct elf_image *im, uint64_t words[MODULE_WORDS])
{
	if (m->table.layout < GO_1_16)
		return false;
	for (uint32_t i = 0; i < im->parts.nr; i++)
		if (im->parts.v[i].is_writable && find_module_in(m, im, &im->parts.v[i], words))
			return true;
	return false;
}

/* How many bytes a node has, and where in it the name and the place of the call are. */
struct node_shape {
	uint8_t size, name, parent;
};

static struct node_shape node_shape_of(const struct go_pclntab *t)
{
	return t->layout >= GO_1_20 ? (struct node_shape){ 16, 4, 8 } : (struct node_shape){ 20, 12, 16 };
}

bool go_module_inlined(const struct go_module *m, const struct go_function *f, uint32_t i, struct go_inlined *call)
{
	struct node_shape shape = node_shape_of(&m->table);
	uint64_t off = f->inline_tree - m->trees_start + (uint64_t)i * shape.size;
	struct bytes b;
	uint32_t parent;

	if (!m->trees || f->inline_tree < m->trees_start || off > m->trees_size || m->trees_size - off < shape.size)
		return false;
	b = bytes_of(m->trees + off + shape.name, 4, m->table.swap);
	call->name = bytes_u32(&b);
	b = bytes_of(m->trees + off + shape.parent, 4, m->table.swap);
	parent = bytes_u32(&b);
	call->parent_addr = f->start + parent;
	return parent < f->end - f->start && go_pclntab_is_name(&m->table, call->name);
}

/* The span of all trees, as functions name them. */
static bool trees_span(const struct go_pclntab *t, uint64_t *start, uint64_t *end)
{
	struct go_function f;

	*start = UINT64_MAX;
	*end = 0;
	for (uint32_t i = 0; i < t->nr_functions; i++) {
		if (!go_pclntab_function(t, i, &f) || !f.has_inlines)
			continue;
		*start = f.inline_tree < *start ? f.inline_tree : *start;
		*end = f.inline_tree > *end ? f.inline_tree : *end;
	}
	return *start <= *end;
}

struct probe {
	uint32_t nr, nr_named, nr_spans;
};

/* All calls of one function; false where one makes no sense. */
static bool probe_function(const struct go_module *m, const struct go_function *f, struct probe *p)
{
	struct go_values v = go_values_begin(&m->table, f, f->inline_values);
	struct go_inlined call;
	uint64_t start, end;
	int32_t node;

	while (p->nr_spans < PROBE_SPANS && go_values_next(&v, &start, &end, &node)) {
		p->nr_spans++;
		if (node < 0)
			continue;
		if (!go_module_inlined(m, f, (uint32_t)node, &call))
			return false;
		p->nr++;
		p->nr_named += call.name != 0;
	}
	return true;
}

static bool probe_trees(const struct go_module *m)
{
	uint32_t step = m->table.nr_functions / PROBE_FUNCTIONS + 1;
	struct probe p = { 0 };
	struct go_function f;

	for (uint32_t i = 0; i < m->table.nr_functions; i += step)
		if (go_pclntab_function(&m->table, i, &f) && f.has_inlines && !probe_function(m, &f, &p))
			return false;
	return p.nr_named >= MIN_PROBED && p.nr_named >= p.nr / 2;
}

/* `base`: the address that the numbers of trees count from. The last tree's size is not known: what follows is read with it. */
static bool try_trees(struct go_module *m, const struct elf_image *im, uint64_t base, uint64_t start, uint64_t end)
{
	const struct elf_image_part *p = elf_image_find(im, base + start);
	uint64_t left, size = end - start + (1U << 20);

	if (!p || p->is_executable || end < start)
		return false;
	left = p->size_bytes - (base + start - p->vaddr);
	if (end - start >= left)
		return false;
	size = elf_file_take_work(im->file, size < left ? size : left);
	m->trees = mem_alloc(size + 1);
	m->trees_size = elf_image_read(im, base + start, m->trees, size);
	m->trees_start = start;
	if (probe_trees(m))
		return true;
	free(m->trees);
	m->trees = NULL;
	return false;
}

static void find_trees(struct go_module *m, const struct elf_image *im, const uint64_t *words)
{
	/* Where it is in the versions that are known, then wherever else it may have gone. */
	uint32_t likely = m->table.layout >= GO_1_20 ? 40 : 38;
	uint64_t start, end;

	if (m->table.layout < GO_1_16 || !trees_span(&m->table, &start, &end))
		return;
	if (m->table.layout < GO_1_18) {
		try_trees(m, im, 0, start, end);
		return;
	}
	if (words && !try_trees(m, im, words[likely], start, end))
		for (uint32_t i = TREES_FIRST; i < MODULE_WORDS && !m->trees; i++)
			if (i != likely && words[i] != words[likely])
				try_trees(m, im, words[i], start, end);
}

/* All functions lie in one segment of code: what is made of a table is bounded by the file, even where functions share values. */
static bool has_sound_text(const struct go_module *m, const struct elf_image *im)
{
	uint64_t last = go_pclntab_entry(&m->table, m->table.nr_functions) - 1;
	const struct elf_image_part *p = elf_image_find(im, go_pclntab_entry(&m->table, 0));

	return p && p->is_executable && last >= p->vaddr && last - p->vaddr < p->size_bytes;
}

int go_module_open(struct go_module *m, const struct elf_file *f, bool inlines)
{
	uint64_t words[MODULE_WORDS];
	struct elf_image im;
	bool has_module = false, ok;

	*m = (struct go_module){ 0 };
	if (!go_module_is_go(f) || elf_file_is_hollow(f))
		return -ENODATA;
	elf_image_open(&im, f);
	ok = try_section(m, &im, ".gopclntab") || try_section(m, &im, ".data.rel.ro.gopclntab") || search_table(m, &im);
	if (ok && (inlines || !has_sound_text(m, &im)))
		has_module = find_module(m, &im, words);
	/* The table need not say where code begins. */
	if (ok && has_module && m->table.layout >= GO_1_18)
		m->table.text = words[MODULE_TEXT];
	ok = ok && has_sound_text(m, &im);
	if (ok && inlines)
		find_trees(m, &im, has_module ? words : NULL);
	elf_image_close(&im);
	if (!ok)
		go_module_close(m);
	return ok ? 0 : -ENODATA;
}

void go_module_close(struct go_module *m)
{
	free(m->table_bytes);
	free(m->trees);
	*m = (struct go_module){ 0 };
}
