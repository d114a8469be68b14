/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is summed up: one entry a summary.
 */
#include "model/pair_sums.h"

#define BY_WAIT (PAIR_BY_STACK | PAIR_BY_TASK | PAIR_BY_OBJECT)
#define BY_WORK (PAIR_BY_CPU | PAIR_BY_OBJECT)
#define BY_MEMORY (PAIR_BY_CPU | PAIR_BY_OBJECT)

/* A mutex says that it begins again where it stops spinning: it goes on waiting. */
const struct pair_sum_def pair_sum_kernel_locks = {
	.name = "lock",
	.from = "lock:contention_begin",
	.to = "lock:contention_end",
	.key = "sample.tid,lock_addr",
	.object = "lock_addr",
	.object_kind = PAIR_KERNEL_ADDRESS,
	.flags = "flags",
	.caller = lock_caller,
	.parts = BY_WAIT,
	.keeps_first = true,
	/* perf looks for the caller at both. */
	.events = "lock:contention_begin/call-graph=fp/,lock:contention_end/call-graph=fp/",
};

const struct pair_sum_def pair_sum_futexes = {
	.name = "futex",
	.from = "syscalls:sys_enter_futex*",
	.to = "syscalls:sys_exit_futex*",
	.key = "sample.tid",
	.object = "uaddr,waiters",
	.object_kind = PAIR_USER_ADDRESS,
	.caller = lock_caller,
	.parts = BY_WAIT,
	.is_futex = true,
	.events = "syscalls:sys_enter_futex*/call-graph=dwarf/,syscalls:sys_exit_futex*/call-graph=no/",
};

const struct pair_sum_def pair_sum_faults = {
	.name = "fault",
	.object_kind = PAIR_USER_ADDRESS,
	.parts = BY_WAIT,
};

/* Before Linux 6.1, allocations that name a node had events of their own. */
#define SLAB_BEGINS "kmem:kmalloc,kmem:kmem_cache_alloc,kmem:kmalloc_node,kmem:kmem_cache_alloc_node"
#define SLAB_ENDS "kmem:kfree,kmem:kmem_cache_free"
#define SLAB_EVENTS "kmem:kmalloc*,kmem:kmem_cache_*,kmem:kfree"

const struct pair_sum_def pair_sum_slab_callers = {
	.name = "slab",
	.from = SLAB_BEGINS,
	.to = SLAB_ENDS,
	.key = "ptr",
	.object = "call_site",
	.object_kind = PAIR_KERNEL_FUNCTION,
	.size = "bytes_alloc",
	.wanted = "bytes_req",
	.node = "node",
	.parts = BY_MEMORY,
	.events = SLAB_EVENTS,
};

const struct pair_sum_def pair_sum_slab_objects = {
	.name = "slab",
	.from = SLAB_BEGINS,
	.to = SLAB_ENDS,
	.key = "ptr",
	.object = "ptr",
	.object_kind = PAIR_NUMBER,
	.size = "bytes_alloc",
	.wanted = "bytes_req",
	.node = "node",
	.parts = BY_MEMORY,
	.events = SLAB_EVENTS,
};

#define PAGE_EVENTS "kmem:mm_page_alloc/call-graph=fp/,kmem:mm_page_free/call-graph=no/"

const struct pair_sum_def pair_sum_page_callers = {
	.name = "page",
	.from = "kmem:mm_page_alloc",
	.to = "kmem:mm_page_free",
	.key = "pfn",
	.object = "pfn",
	.object_kind = PAIR_NUMBER,
	.flags = "gfp_flags",
	.order = "order",
	.mobility = "migratetype",
	.caller = page_caller,
	.parts = PAIR_BY_STACK | PAIR_BY_CPU,
	.events = PAGE_EVENTS,
};

const struct pair_sum_def pair_sum_pages = {
	.name = "page",
	.from = "kmem:mm_page_alloc",
	.to = "kmem:mm_page_free",
	.key = "pfn",
	.object = "pfn",
	.object_kind = PAIR_NUMBER,
	.flags = "gfp_flags",
	.order = "order",
	.mobility = "migratetype",
	.caller = page_caller,
	.parts = PAIR_BY_STACK | BY_MEMORY,
	.events = PAGE_EVENTS,
};

const struct pair_sum_def pair_sum_kernel_works[KERNEL_NR_WORKS] = {
	[KERNEL_IRQ] = { .name = "irq",
			 .from = "irq:irq_handler_entry",
			 .to = "irq:irq_handler_exit",
			 .key = "irq,sample.cpu",
			 .object = "irq",
			 .object_kind = PAIR_NUMBER,
			 .label = "name",
			 .parts = BY_WORK,
			 .events = "irq:irq_handler_entry,irq:irq_handler_exit" },
	[KERNEL_SOFTIRQ] = { .name = "softirq",
			     .from = "irq:softirq_entry",
			     .to = "irq:softirq_exit",
			     .key = "vec,sample.cpu",
			     .object = "vec",
			     .object_kind = PAIR_NUMBER,
			     .parts = BY_WORK,
			     .events = "irq:softirq_entry,irq:softirq_exit" },
	[KERNEL_WORKQUEUE] = { .name = "workqueue",
			       .from = "workqueue:workqueue_execute_start",
			       .to = "workqueue:workqueue_execute_end",
			       .key = "work",
			       .object = "function",
			       .object_kind = PAIR_KERNEL_FUNCTION,
			       .parts = BY_WORK,
			       .events = "workqueue:workqueue_execute_start,workqueue:workqueue_execute_end" },
};

/* What is raised again before it runs was due since it was first raised. */
const struct pair_sum_def pair_sum_kernel_delays[KERNEL_NR_WORKS] = {
	[KERNEL_SOFTIRQ] = { .name = "softirq",
			     .from = "irq:softirq_raise",
			     .to = "irq:softirq_entry",
			     .key = "vec,sample.cpu",
			     .object = "vec",
			     .object_kind = PAIR_NUMBER,
			     .parts = BY_WORK,
			     .keeps_first = true,
			     .events = "irq:softirq_raise,irq:softirq_entry" },
	[KERNEL_WORKQUEUE] = { .name = "workqueue",
			       .from = "workqueue:workqueue_activate_work",
			       .to = "workqueue:workqueue_execute_start",
			       .key = "work",
			       .object = "function",
			       .object_kind = PAIR_KERNEL_FUNCTION,
			       .parts = BY_WORK,
			       .keeps_first = true,
			       .events = "workqueue:workqueue_activate_work,workqueue:workqueue_execute_start" },
};
