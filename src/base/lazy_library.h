/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Functions of a shared library that is loaded when the first of them is called, for libraries whose relocations would be a large part of each
 * start. FUNCTIONS is an X-macro of their names; the including file defines a function of each name that calls the one in `library`. The
 * statically linked program has the library's own functions instead of such a file.
 */
#ifndef ASSAY_BASE_LAZY_LIBRARY_H
#define ASSAY_BASE_LAZY_LIBRARY_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/log.h"

#define LAZY_MEMBER(name) typeof(&(name)) name;
#define LAZY_NAME(name) #name,
/* `library` has a pointer for each; they are a library's, which a process has once as well. */
#define LAZY_LIBRARY(FUNCTIONS)                                                                                                            \
	static struct {                                                                                                                    \
		FUNCTIONS(LAZY_MEMBER)                                                                                                     \
	} library;                                                                                                                         \
	static const char *const library_names[] = { FUNCTIONS(LAZY_NAME) };                                                               \
	_Static_assert(sizeof(library) == sizeof(library_names), "a pointer for each name");

/* All or none; the library stays loaded. `without`: what is missing then. */
static inline bool lazy_library_load(const char *file, const char *const *names, void **functions, size_t nr, const char *without)
{
	void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);

	if (!handle) {
		log_debug("%s: %s", without, dlerror());
		return false;
	}
	for (size_t i = 0; i < nr; i++) {
		functions[i] = dlsym(handle, names[i]);
		if (!functions[i])
			return false;
	}
	return true;
}

#define LAZY_LOAD(file, without)                                                                                                           \
	lazy_library_load(file, library_names, (void **)&library, sizeof(library_names) / sizeof(library_names[0]), without)

#endif
