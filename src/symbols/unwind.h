/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The unwinder: from a thread's registers and stack to the addresses of its callers. It allocates nothing and reads memory and maps through
 * callbacks: of a perf.data, a ring, a stopped process or a core file. Per frame: the file's table, otherwise the frame pointer or, in a
 * leaf (arm64), the link register, where they lead to executable memory.
 */
#ifndef ASSAY_SYMBOLS_UNWIND_H
#define ASSAY_SYMBOLS_UNWIND_H

#include "arch/arch.h"
#include "symbols/unwind_table.h"

struct unwind_regs {
	uint64_t pc;
	uint64_t v[ARCH_MAX_REGS]; /* by DWARF number */
	uint64_t valid;		   /* bit by number */
};

/* Registers of a stopped thread (ptrace, core file) in the kernel's order. False: too few bytes, or the order is not known. */
bool unwind_regs_decode(const struct arch_ops *arch, const void *bytes, uint32_t size, struct unwind_regs *regs);

/* The file that an address lies in. */
struct unwind_module {
	const struct unwind_table *table; /* NULL: none (JIT, anonymous memory) */
	uint64_t start, end;		  /* of the map, runtime */
	uint64_t addr_of_start;		  /* file offset (or runtime address) of `start` */
};

/* The rules of the addresses seen last. The owner, one thread, zeroes it at first and whenever a table is freed. */
#define UNWIND_CACHE_SIZE 1024
struct unwind_cache {
	struct {
		const struct unwind_table *table;
		const struct unwind_table *piece; /* that has the rule: the table, or what it compiled for this address */
		uint32_t addr;			  /* the low bits of a file offset that picks this entry */
		uint32_t rule;
	} v[UNWIND_CACHE_SIZE];
};

struct unwind_access {
	void *ctx;
	/* 8 bytes of the thread's memory at `addr` (any alignment); false: not known. */
	bool (*read)(void *ctx, uint64_t addr, uint64_t *value);
	/* One buffer that holds most of it (a dumped stack), and is read without a call; or NULL */
	const uint8_t *stack;
	uint64_t stack_start, stack_size;
	/* The dump ends where the stack itself ends (fewer bytes than were requested): a read above it is no truncation. */
	bool stack_is_whole;
	struct unwind_cache *cache; /* or NULL */
	/* NULL, or room for as many as there are addresses: whether each is exact, or a return address less one. */
	bool *exact;
	/* The executable map around `ip`; false: in none. */
	bool (*find)(void *ctx, uint64_t ip, struct unwind_module *m);
};

/* Why the walk ended. */
enum unwind_end {
	UNWIND_NOT_DONE,    /* not unwound (frame pointer chains of the kernel) */
	UNWIND_COMPLETE,    /* at the outermost function */
	UNWIND_TRUNCATED,   /* needed memory just above the dumped part of the stack */
	UNWIND_LIMIT,	    /* max addresses */
	UNWIND_NO_MAP,	    /* a return address in no executable memory */
	UNWIND_NO_RULE,	    /* no table covers it and the frame pointer leads nowhere */
	UNWIND_BAD_MEMORY,  /* memory that is not there, elsewhere than above the dump */
	UNWIND_NO_PROGRESS, /* the stack pointer would not move up */
	/* Not of unwind_walk(), but of its callers: */
	UNWIND_NO_STACK,     /* nothing was dumped: in the middle of an exec there is no stack */
	UNWIND_SMALL_DUMP,   /* truncated, in a dump that the recorder kept smaller than it would have been */
	UNWIND_RECORD_LIMIT, /* more addresses than a record has room for */
	UNWIND_PYTHON_LIMIT, /* more frames of Python than are recorded of a stack */
	UNWIND_NR_ENDS,
};

struct unwind_result {
	enum unwind_end end;
	/* A step was without a table, by link register, top of the stack or a frame pointer that the stack does not confirm: frames may be missing
	 * before it. */
	bool guessed;
};

/* Walks from `regs`, which is used up. ips[0] is the pc; callers are return addresses minus one (as perf prints them), but exact for frames
 * that a signal interrupted and its trampoline. The last one may be in no executable memory. Returns how many (1 to `max`). */
uint32_t unwind_walk(const struct arch_ops *arch, struct unwind_regs *regs, const struct unwind_access *access, uint64_t *ips, uint32_t max,
		     struct unwind_result *result);

/* One word per end, for --json and -v: "complete", "truncated", … */
const char *unwind_end_name(enum unwind_end end);

#endif
