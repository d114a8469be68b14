/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which functions are the insides of a lock, or of the allocator of pages: a wait, or a page, is said to be that of the first function that is
 * none of them.
 */
#include <string.h>

#include "model/pair_sums.h"

/* Beginnings of names, without underscores and "__GI_" in front. `kind`: what it waits for. */
static const struct lock_function {
	const char *begin, *kind;
	bool is_kernel;
} functions[] = {
	/* the C library, and what is built on it */
	{ "pthread_mutex_", "mutex", false },
	{ "lll_lock", "mutex", false },
	{ "lll_mutex", "mutex", false },
	{ "pthread_rwlock_", "rwlock", false },
	{ "pthread_spin_", "spinlock", false },
	{ "pthread_cond_", "condvar", false },
	{ "pthread_barrier_", "barrier", false },
	{ "pthread_clockjoin", "join", false },
	{ "pthread_join", "join", false },
	{ "pthread_timedjoin", "join", false },
	{ "pthread_once", "once", false },
	{ "new_sem_", "semaphore", false },
	{ "sem_wait", "semaphore", false },
	{ "sem_timedwait", "semaphore", false },
	{ "sem_clockwait", "semaphore", false },
	{ "sem_post", "semaphore", false },
	{ "futex", NULL, false },
	{ "nptl_", NULL, false },
	{ "syscall", NULL, false },
	{ "mtx_", "mutex", false },
	{ "cnd_", "condvar", false },
	{ "gthread_mutex", "mutex", false },
	{ "std::mutex::", "mutex", false },
	{ "std::timed_mutex::", "mutex", false },
	{ "std::recursive_mutex::", "mutex", false },
	{ "std::shared_mutex::", "rwlock", false },
	{ "std::unique_lock<", NULL, false },
	{ "std::lock_guard<", NULL, false },
	{ "std::condition_variable", "condvar", false },
	{ "std::thread::join", "join", false },
	{ "std::atomic_wait", NULL, false },
	{ "std::sys::", NULL, false },
	{ "std::sync::mutex::", "mutex", false },
	{ "std::sync::poison::mutex::", "mutex", false },
	{ "std::sync::condvar::", "condvar", false },
	{ "std::sync::rwlock::", "rwlock", false },
	{ "PyThread_", NULL, false },
	{ "runtime.futex", NULL, false },
	/* the kernel: its kinds are in the record */
	{ "mutex_lock", NULL, true },
	{ "mutex_unlock", NULL, true },
	{ "ww_mutex_lock", NULL, true },
	{ "rt_mutex_", NULL, true },
	{ "rt_spin_", NULL, true },
	{ "rwbase_", NULL, true },
	{ "rwsem_", NULL, true },
	{ "down", NULL, true },
	{ "percpu_down_", NULL, true },
	{ "percpu_rwsem_", NULL, true },
	{ "raw_spin_lock", NULL, true },
	{ "raw_spin_trylock", NULL, true },
	{ "raw_read_lock", NULL, true },
	{ "raw_write_lock", NULL, true },
	{ "raw_callee_save", NULL, true },
	{ "queued_", NULL, true },
	{ "native_queued_", NULL, true },
	{ "pv_queued_", NULL, true },
	{ "osq_lock", NULL, true },
	{ "schedule", NULL, true },
	{ "lock_slowpath", NULL, true },
	{ "traceiter_contention_", NULL, true },
	{ "perf_trace_contention_", NULL, true },
	{ "trace_contention_", NULL, true },
	{ "bpf_trace_contention_", NULL, true },
};

static const char *skip_underscores(const char *name)
{
	while (*name == '_')
		name += strncmp(name, "__GI_", 5) ? 1 : 5;
	return name;
}

static const struct lock_function *find_function(const char *name, bool is_kernel)
{
	name = skip_underscores(name);
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (functions[i].is_kernel == is_kernel && !strncmp(name, functions[i].begin, strlen(functions[i].begin)))
			return &functions[i];
	return NULL;
}

uint32_t lock_caller(struct profile *p, uint32_t stack, const char **kind)
{
	uint32_t node = profile_stack_node(p, stack);

	*kind = NULL;
	for (uint32_t n = node; n != STACK_TREE_ROOT; n = stack_tree_parent(&p->tree, n)) {
		uint32_t location = stack_tree_frame(&p->tree, n);
		const struct profile_frame *f = profile_frame_at(p, location);
		const struct lock_function *l =
			f->function ? find_function(profile_str(p, f->function), p->locations.v[location].cpumode == MISC_KERNEL) : NULL;

		if (!l)
			return n;
		if (l->kind)
			*kind = l->kind;
	}
	/* Nothing else is known of it. */
	return node;
}

static bool is_page_function(const char *name)
{
	/* Beginnings, without underscores in front. */
	static const char *const begins[] = {
		"alloc_pages",	   "alloc_page_",	"alloc_frozen_pages",	  "alloc_pages_bulk",
		"get_free_page",   "get_zeroed_page",	"get_page_from_freelist", "folio_alloc",
		"vma_alloc_folio", "traceiter_mm_page", "perf_trace_mm_page",	  "trace_mm_page",
	};

	name = skip_underscores(name);
	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

uint32_t page_caller(struct profile *p, uint32_t stack, const char **kind)
{
	uint32_t node = profile_stack_node(p, stack);

	*kind = NULL;
	for (uint32_t n = node; n != STACK_TREE_ROOT; n = stack_tree_parent(&p->tree, n)) {
		const struct profile_frame *f = profile_frame_at(p, stack_tree_frame(&p->tree, n));

		if (!f->function || !is_page_function(profile_str(p, f->function)))
			return n;
	}
	return node;
}
