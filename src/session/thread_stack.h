/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The stack of one stopped thread: from registers and memory to places in files. The caller, a live thread or a core file, says how memory
 * is read, and each stack goes to a sink.
 */
#ifndef ASSAY_SESSION_THREAD_STACK_H
#define ASSAY_SESSION_THREAD_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "session/machine.h"
#include "symbols/unwind.h"

/* One frame. `pc` is what the register or the stack held: for a caller the address that is returned to. `at.ip` lies in the
 * instruction that was under way: names and lines are those of it. They are equal where the thread was interrupted. */
struct stack_place {
	uint64_t pc;
	struct location at;
};

struct stack_memory {
	void *ctx;
	/* How many bytes from `addr` on were read. */
	size_t (*read)(void *ctx, uint64_t addr, void *buf, size_t size);
	/* A part of the stack, as it was while the thread stood. */
	const uint8_t *copy;
	uint64_t copy_start, copy_size;
	bool only_copy; /* the thread runs again: nothing else is to be read */
};

/* A thread and its stack, as a sink gets it; valid during the call. */
struct thread_stack {
	int32_t pid, tid;
	const char *comm;
	const char *state;  /* what it was doing: "sleeping in read(3)"; NULL: not known */
	const char *kernel; /* its frames in the kernel, innermost first, one a line; NULL */
	const struct stack_place *places;
	uint32_t nr;
	struct unwind_result walk;
	const char *why; /* the sentence, where nothing or only a part could be seen; NULL */
};
struct thread_stack_sink {
	void (*add)(void *ctx, const struct thread_stack *t);
	void *ctx;
};

struct stack_walker;

/* At most `max` frames a thread. */
struct stack_walker *stack_walker_new(struct machine *m, const struct arch_ops *arch, uint32_t max);
void stack_walker_free(struct stack_walker *w);

/* Walks from `regs` (which is used up). Returns how many places *places has (at least 1), valid until the next walk. */
uint32_t stack_walker_walk(struct stack_walker *w, const struct task *task, struct unwind_regs *regs, const struct stack_memory *mem,
			   const struct stack_place **places, struct unwind_result *result);
/* Of the last walk: it asked for memory that the copy does not hold. */
bool stack_walker_wanted_memory(const struct stack_walker *w);
/* Of the last walk: an address, the last one, that it took for code and that no map is known for; 0: none. */
uint64_t stack_walker_wanted_map(const struct stack_walker *w);

/* core_stack.c: the threads of a core file. */

struct core_stack_options {
	const char *path;
	const char *executable; /* the program that died, where it is not where it was; NULL */
	uint32_t max_frames;
	bool data_maps; /* the machine is to know maps without code, too */
};

struct core_stack;

/* `notes` gets what a person should know of the file: "" where it is whole. */
int core_stack_open(struct core_stack **cs, const struct symbolizer_options *symbols, const struct core_stack_options *o,
		    struct errbuf *notes, struct errbuf *eb);
void core_stack_close(struct core_stack *cs);

/* All threads, or the one of that id: how many (0: there is no such thread). */
int core_stack_take(struct core_stack *cs, int32_t tid, const struct thread_stack_sink *sink);

struct machine *core_stack_machine(struct core_stack *cs);
const struct task *core_stack_task(const struct core_stack *cs);
int32_t core_stack_pid(const struct core_stack *cs);

#endif
