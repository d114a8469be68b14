/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The stacks in a core file: what it says was mapped becomes a machine, its threads are walked one after the other.
 */
#ifndef ASSAY_SESSION_CORE_STACK_H
#define ASSAY_SESSION_CORE_STACK_H

#include "session/machine.h"
#include "session/thread_stack.h"

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
