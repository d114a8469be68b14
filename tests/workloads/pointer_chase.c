/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pointer_chase [LAPS [BYTES]]: follows a ring of pointers that lie a cache line apart in BYTES of memory (64 kB), LAPS times (1,000), as programs that
 * measure the latency of memory do: a hundred loads a step. Prints how many steps it made and where each of them begins. The ninth line of
 * chase() is the step.
 */
#include <stdio.h>
#include <stdlib.h>

#define LOAD p = *p;
#define TEN_LOADS LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD
#define HUNDRED_LOADS                                                                                                                      \
	TEN_LOADS TEN_LOADS TEN_LOADS TEN_LOADS TEN_LOADS                                                                                  \
	TEN_LOADS TEN_LOADS TEN_LOADS TEN_LOADS TEN_LOADS

struct ring {
	void **first;
	size_t nr_steps; /* of a lap */
};

/* clang-format off */
__attribute__((noinline)) void **chase(size_t laps, const struct ring *ring)
{
	const size_t nr_steps = ring->nr_steps;
	void **p = ring->first;
	size_t step;

	while (laps-- > 0) {
		/* Each step takes the pointer around the ring. */
		for (step = 0; step < nr_steps; step++) {
			HUNDRED_LOADS
		}
	}
	return p;
}
/* clang-format on */

int main(int argc, char **argv)
{
	size_t laps = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000, size = argc > 2 ? strtoul(argv[2], NULL, 10) : 65536;
	size_t apart = size / 100 / sizeof(void *);
	void **memory = malloc(size);
	struct ring ring = { memory, 3 };

	if (!memory || !apart)
		return 2;
	for (size_t i = 0; i < 100; i++)
		memory[i * apart] = &memory[(i + 1) % 100 * apart];
	if (chase(laps, &ring) != memory)
		return 1;
	printf("steps %zu from %p\n", laps * ring.nr_steps, (void *)memory);
	return 0;
}
