/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Calls the library at a path that it is given: which of two libraries that is depends on the mount namespace.
 *
 * usage: user LIBRARY FUNCTION ROUNDS
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	void *library = argc == 4 ? dlopen(argv[1], RTLD_NOW) : NULL;
	uint64_t (*work)(long) = library ? (uint64_t(*)(long))(uintptr_t)dlsym(library, argv[2]) : NULL;

	if (!work) {
		fprintf(stderr, "user: %s\n", argc == 4 ? dlerror() : "usage: user LIBRARY FUNCTION ROUNDS");
		return 1;
	}
	return work(atol(argv[3])) == 42;
}
