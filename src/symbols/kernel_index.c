/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A part is a small head (what the addresses are relative to, whose they are) and a flat symbol table. Addresses are kept as distances from
 * the start of the code plus BIAS, so that symbols a little in front of it have a place too. Fed by kernel_symbols.c.
 */
#include "symbols/kernel_symbols.h"

#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/mem.h"
#include "symbols/symbol_index.h"
#include "symbols/symtab.h"

#define KERNEL_MAGIC 0x316e726bu
#define MODULE_MAGIC 0x31646f6du
#define BIAS (1ULL << 40)
#define NO_MARK UINT64_MAX
/* No real kernel has so few; what hides addresses shows most of them as 0. */
#define MIN_SYMBOLS 1000

struct kernel_head {
	uint32_t magic;
	uint32_t zero;
	uint64_t marks[KALLSYMS_NR_MARKS]; /* relative, with BIAS; NO_MARK: no such symbol */
};

struct module_head {
	uint32_t magic;
	uint8_t id_size, boot_size;
	uint8_t zero[2];
	uint8_t id[BUILD_ID_SIZE], boot[BUILD_ID_SIZE];
	uint64_t inode;
	char name[64]; /* the kernel's limit is 56 */
};

_Static_assert(sizeof(struct kernel_head) % 8 == 0 && sizeof(struct module_head) % 8 == 0, "tables behind them are aligned");

struct build_id kernel_index_boot_id(void)
{
	struct build_id id = { .size = 16 };
	char line[64], digits[64], *to = digits;

	if (io_read_line("/proc/sys/kernel/random/boot_id", line, sizeof(line)))
		return (struct build_id){ 0 };
	for (const char *p = line; *p; p++)
		if (*p != '-')
			*to++ = *p;
	return to - digits == 32 && hex_bytes(digits, 16, id.bytes) ? id : (struct build_id){ 0 };
}

bool kernel_index_trusts_proc(void)
{
	struct statfs proc, sys;

	return statfs("/proc/kallsyms", &proc) == 0 && proc.f_type == PROC_SUPER_MAGIC && statfs("/sys/kernel/notes", &sys) == 0 &&
	       sys.f_type == SYSFS_MAGIC;
}

/* Symbols at the other end of the address space (variables of each CPU are numbered from 0) do not move with the code. */
static bool is_near(uint64_t addr, uint64_t base)
{
	return addr >= base ? addr - base < BIAS : base - addr < BIAS;
}

/* Adds a part of a head and what `t` has around `base`, relative to base - BIAS, to an index, which is closed. */
static void keep(struct symbol_index *x, const char *name, uint64_t key, const void *head, size_t head_size, const struct symtab *t,
		 uint64_t base, bool functions_only)
{
	struct symtab *moved;
	size_t flat_size;
	char *part;
	void *flat;

	if (!x)
		return;
	moved = symtab_new();
	for (uint32_t i = 0; i < t->symbols.nr; i++) {
		const struct symbol *s = &t->symbols.v[i];
		uint64_t at = s->start - base + BIAS;

		if (is_near(s->start, base) && !(functions_only && s->kind != SYMBOL_FUNCTION))
			symtab_add_borrowed(moved, at, at + (s->end - s->start), s->name, s->binding, s->kind);
	}
	flat = moved->symbols.nr ? symtab_flatten(moved, &flat_size) : NULL;
	if (flat) {
		part = mem_alloc(head_size + flat_size);
		memcpy(part, head, head_size);
		memcpy(part + head_size, flat, flat_size);
		symbol_index_set_name(x, name);
		symbol_index_add(x, INDEX_KERNEL, key, part, head_size + flat_size);
		free(part);
	}
	free(flat);
	symtab_free(moved);
	symbol_index_close(x);
}

/* The table behind a head with the code at `base`; takes the index where it succeeds, and closes it where it does not. */
static struct symtab *unpack(struct symbol_index *x, const void *part, size_t size, size_t head_size, uint64_t base)
{
	struct symtab *t = symtab_new();

	if (part && symtab_view(t, (const char *)part + head_size, size - head_size, base - BIAS) == 0 && t->symbols.nr) {
		t->part.index = x;
		t->made_from = mem_strdup("index, made of /proc/kallsyms");
		return t;
	}
	symtab_free(t);
	symbol_index_close(x);
	return NULL;
}

/* The part of the kernel itself, or NULL. */
static const struct kernel_head *find_kernel(struct symbol_index *x, size_t *size)
{
	const struct kernel_head *h = symbol_index_find(x, INDEX_KERNEL, 0, size);

	return h && *size >= sizeof(*h) && h->magic == KERNEL_MAGIC ? h : NULL;
}

bool kernel_index_has(const struct build_id *id)
{
	struct symbol_index *x = symbol_index_open_id(id);
	size_t size;
	bool has = !x || find_kernel(x, &size);

	symbol_index_close(x);
	return has;
}

struct symtab *kernel_index_find(const struct build_id *id, const char *ref_name, uint64_t ref_addr)
{
	int mark = kallsyms_mark(ref_name);
	struct symbol_index *x = mark < 0 ? NULL : symbol_index_open_id(id);
	const struct kernel_head *h;
	uint64_t distance;
	size_t size;

	if (!x)
		return NULL;
	h = find_kernel(x, &size);
	if (!h || h->marks[mark] >= 2 * BIAS) {
		symbol_index_close(x);
		return NULL;
	}
	distance = h->marks[mark] - BIAS;
	return unpack(x, h, size, sizeof(*h), ref_addr - distance);
}

/* Hidden addresses are 0 and must not be kept as the truth. */
static bool is_plausible(const struct kallsyms *k, uint64_t base)
{
	uint32_t nr_above = 0;

	for (uint32_t i = 0; k->kernel && i < k->kernel->symbols.nr; i++)
		nr_above += k->kernel->symbols.v[i].start >= base;
	return base && nr_above >= MIN_SYMBOLS;
}

void kernel_index_add(const struct build_id *id, const struct kallsyms *k)
{
	uint64_t base = k->marks[KALLSYMS_TEXT] ? k->marks[KALLSYMS_TEXT] : k->marks[KALLSYMS_STEXT];
	struct kernel_head h = { .magic = KERNEL_MAGIC };

	if (!is_plausible(k, base))
		return;
	for (int i = 0; i < KALLSYMS_NR_MARKS; i++)
		h.marks[i] = k->marks[i] ? k->marks[i] - base + BIAS : NO_MARK;
	keep(symbol_index_open_id(id), "[kernel.kallsyms]", 0, &h, sizeof(h), k->kernel, base, false);
}

/* The index a module is in: its own, or that of the boot. */
static struct symbol_index *open_module(const struct kernel_index_module *m)
{
	return symbol_index_open_id(m->id.size ? &m->id : &m->boot);
}

static uint64_t module_key(const char *name)
{
	return hash_sum(name, strlen(name), 0);
}

/* Without a build-id only this very loading of the module counts. */
static bool is_same_module(const struct module_head *h, size_t size, const struct kernel_index_module *m)
{
	if (!h || size < sizeof(*h) || h->magic != MODULE_MAGIC || strncmp(h->name, m->name, sizeof(h->name)) != 0 ||
	    h->id_size != m->id.size || memcmp(h->id, m->id.bytes, sizeof(h->id)) != 0)
		return false;
	return m->id.size || (m->boot.size && h->boot_size == m->boot.size && memcmp(h->boot, m->boot.bytes, sizeof(h->boot)) == 0 &&
			      m->inode && h->inode == m->inode);
}

struct symtab *kernel_index_find_module(const struct kernel_index_module *m, uint64_t start)
{
	struct symbol_index *x = open_module(m);
	const struct module_head *h;
	size_t size;

	if (!x)
		return NULL;
	h = symbol_index_find(x, INDEX_KERNEL, module_key(m->name), &size);
	return unpack(x, is_same_module(h, size, m) ? h : NULL, size, sizeof(*h), start);
}

void kernel_index_add_module(const struct kernel_index_module *m, const struct symtab *t, uint64_t start)
{
	struct module_head h = { .magic = MODULE_MAGIC, .id_size = m->id.size, .boot_size = m->boot.size, .inode = m->inode };
	char *name;

	if (strlen(m->name) >= sizeof(h.name) || (!m->id.size && (!m->boot.size || !m->inode)))
		return;
	memcpy(h.id, m->id.bytes, sizeof(h.id));
	memcpy(h.boot, m->boot.bytes, sizeof(h.boot));
	memcpy(h.name, m->name, strlen(m->name));
	name = m->id.size ? mem_printf("[%s]", m->name) : mem_strdup("kernel modules of one boot");
	keep(open_module(m), name, module_key(m->name), &h, sizeof(h), t, start, true);
	free(name);
}
