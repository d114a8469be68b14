/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Known truth for unwinding where code is not the program's own: main → through_plt() calls short functions of libc and libm by way of
 * PLT stubs, so that samples lie in the stubs; main → in_vdso() asks for the time, so that they lie in the vdso; main → lazily() opens
 * a library anew each time, so that they lie in the dynamic linker, under its resolver too.
 *
 * usage: unwind_calls [SECONDS=1]
 */
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "workload.h"

static volatile uint64_t sink;

KEPT uint64_t through_plt(uint64_t x)
{
	for (int i = 0; i < 20000; i++) {
		x += (uint64_t)abs((int)x) + (uint64_t)labs((long)x);
		x += (uint64_t)ldexp(1.0, (int)(x & 15));
	}
	return x + 1;
}

KEPT uint64_t in_vdso(uint64_t x)
{
	struct timespec ts;

	for (int i = 0; i < 10000; i++) {
		clock_gettime(CLOCK_MONOTONIC, &ts);
		x += (uint64_t)ts.tv_nsec;
	}
	return x + 1;
}

typedef unsigned long crc_fn(unsigned long, const void *, unsigned);

KEPT uint64_t lazily(uint64_t x)
{
	for (int i = 0; i < 3; i++) {
		void *lib = dlopen("libz.so.1", RTLD_LAZY);
		crc_fn *crc = lib ? (crc_fn *)dlsym(lib, "crc32") : NULL;

		if (crc)
			x += crc(0, &x, sizeof(x));
		if (lib)
			dlclose(lib);
	}
	return x + 1;
}

int main(int argc, char **argv)
{
	double end = now() + (argc > 1 ? atof(argv[1]) : 1.0);

	do
		sink += lazily(in_vdso(through_plt(sink)));
	while (now() < end);
	return 0;
}
