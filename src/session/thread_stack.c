/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Joins unwind_walk() with a task's maps, and reads memory in pages: a core file or a stopped process is asked for 4 kB at a time.
 */
#include "session/thread_stack.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE_BYTES 4096u
#define NR_PAGES 64u

struct cached_page {
	uint64_t addr; /* 0: unused */
	uint32_t size;
	uint8_t bytes[PAGE_BYTES];
};

struct stack_walker {
	struct machine *machine;
	const struct arch_ops *arch;
	uint32_t max;
	uint64_t *ips;
	bool *exact; /* of each */
	struct stack_place *places;
	struct cached_page *pages;
	/* of the walk at hand */
	const struct task *task;
	const struct stack_memory *mem;
	bool wanted_memory;
	uint64_t wanted_map;
};

struct stack_walker *stack_walker_new(struct machine *m, const struct arch_ops *arch, uint32_t max)
{
	struct stack_walker *w = mem_zalloc(sizeof(*w));

	w->machine = m;
	w->arch = arch;
	w->max = max;
	w->ips = mem_realloc(NULL, max, sizeof(*w->ips));
	w->exact = mem_realloc(NULL, max, sizeof(*w->exact));
	w->places = mem_realloc(NULL, max, sizeof(*w->places));
	w->pages = mem_realloc(NULL, NR_PAGES, sizeof(*w->pages));
	return w;
}

void stack_walker_free(struct stack_walker *w)
{
	if (!w)
		return;
	free(w->ips);
	free(w->exact);
	free(w->places);
	free(w->pages);
	free(w);
}

static void forget_pages(struct stack_walker *w)
{
	for (uint32_t i = 0; i < NR_PAGES; i++)
		w->pages[i].addr = 0;
}

/* The part of a page that is there. */
static const struct cached_page *get_page(struct stack_walker *w, uint64_t addr)
{
	uint64_t start = addr & ~(uint64_t)(PAGE_BYTES - 1);
	struct cached_page *p = &w->pages[start / PAGE_BYTES % NR_PAGES];

	if (p->addr != start || !start) {
		p->addr = start;
		p->size = (uint32_t)w->mem->read(w->mem->ctx, start, p->bytes, PAGE_BYTES);
	}
	return p;
}

static bool read_bytes(struct stack_walker *w, uint64_t addr, void *buf, uint32_t size)
{
	uint8_t *to = buf;

	if (addr + size < addr)
		return false;
	while (size) {
		const struct cached_page *p = get_page(w, addr);
		uint32_t off = (uint32_t)(addr % PAGE_BYTES);
		uint32_t part = PAGE_BYTES - off < size ? PAGE_BYTES - off : size;

		if (off + part > p->size)
			return false;
		memcpy(to, p->bytes + off, part);
		to += part;
		addr += part;
		size -= part;
	}
	return true;
}

static bool read_word(void *ctx, uint64_t addr, uint64_t *value)
{
	struct stack_walker *w = ctx;

	if (w->mem->only_copy) {
		w->wanted_memory = true;
		return false;
	}
	return read_bytes(w, addr, value, sizeof(*value));
}

static bool find_module(void *ctx, uint64_t ip, struct unwind_module *m)
{
	struct stack_walker *w = ctx;
	const struct map *map = map_set_find(task_maps(w->task), ip);

	if (!map || !(map->prot & PROT_EXEC)) {
		if (!map)
			w->wanted_map = ip;
		return false;
	}
	*m = (struct unwind_module){
		.table = dso_table_unwind(&w->machine->dsos, map->dso),
		.start = map->start,
		.end = map->end,
		.addr_of_start = map_addr(map, map->start),
	};
	return true;
}

static void fill_places(struct stack_walker *w, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		w->places[i] = (struct stack_place){ w->ips[i] + !w->exact[i], machine_locate(w->machine, w->task, w->ips[i], MISC_USER) };
}

uint32_t stack_walker_walk(struct stack_walker *w, const struct task *task, struct unwind_regs *regs, const struct stack_memory *mem,
			   const struct stack_place **places, struct unwind_result *result)
{
	struct unwind_access access = {
		.ctx = w,
		.read = read_word,
		.find = find_module,
		.stack = mem->copy,
		.stack_start = mem->copy_start,
		.stack_size = mem->copy_size,
		.exact = w->exact,
	};
	uint32_t nr;

	w->task = task;
	w->mem = mem;
	w->wanted_memory = false;
	w->wanted_map = 0;
	forget_pages(w);
	nr = unwind_walk(w->arch, regs, &access, w->ips, w->max, result);
	fill_places(w, nr);
	*places = w->places;
	return nr;
}

bool stack_walker_wanted_memory(const struct stack_walker *w)
{
	return w->wanted_memory;
}

uint64_t stack_walker_wanted_map(const struct stack_walker *w)
{
	return w->wanted_map;
}
