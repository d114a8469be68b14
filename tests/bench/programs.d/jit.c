/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Machine code in memory without a file: outer() calls middle(), which calls inner(), which loops. Without `fp` they keep no frame
 * pointer, use the register for something else, and have frames of different sizes. x86_64 only. Their names are in /tmp/perf-PID.map,
 * which is left there for the reader of the profile.
 *
 * usage: jit ROUNDS [fp]
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SLOT 64 /* bytes for a function */

/* mov $20000,%ecx; 1: dec %ecx; jne 1b */
#define LOOP 0xb9, 0x20, 0x4e, 0, 0, 0xff, 0xc9, 0x75, 0xfc
#define CALL 0xe8, 0, 0, 0, 0

/* push %rbp; mov %rsp,%rbp; …; pop %rbp; ret */
static const unsigned char inner_fp[] = { 0x55, 0x48, 0x89, 0xe5, LOOP, 0x5d, 0xc3 };
static const unsigned char calls_fp[] = { 0x55, 0x48, 0x89, 0xe5, CALL, 0x5d, 0xc3 };
/* sub $24,%rsp; …; add $24,%rsp; ret */
static const unsigned char inner_none[] = { 0x48, 0x83, 0xec, 0x18, LOOP, 0x48, 0x83, 0xc4, 0x18, 0xc3 };
/* push %rbp; push %rbx; xor %ebp,%ebp; sub $40,%rsp; call; add $40,%rsp; pop %rbx; pop %rbp; ret */
static const unsigned char calls_none[] = { 0x55, 0x53, 0x31, 0xed, 0x48, 0x83, 0xec, 0x28, CALL, 0x48, 0x83, 0xc4, 0x28, 0x5b, 0x5d, 0xc3 };

static void put(unsigned char *code, int slot, const unsigned char *bytes, size_t size)
{
	unsigned char *at = code + slot * SLOT;

	memcpy(at, bytes, size);
	for (size_t i = 0; slot && i + 4 < size; i++)
		if (at[i] == 0xe8) { /* to the slot before */
			int32_t distance = -SLOT - (int32_t)i - 5;

			memcpy(at + i + 1, &distance, sizeof(distance));
			break;
		}
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "inner", "middle", "outer" };
	int fp = argc > 2 && !strcmp(argv[2], "fp");
	unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*outer)(void) = (void (*)(void))(uintptr_t)(code + 2 * SLOT);
	char path[64];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (code == MAP_FAILED || !map) {
		perror("jit");
		return 1;
	}
	for (int i = 0; i < 3; i++) {
		const unsigned char *bytes = i ? fp ? calls_fp : calls_none : fp ? inner_fp : inner_none;
		size_t size = i ? fp ? sizeof(calls_fp) : sizeof(calls_none) : fp ? sizeof(inner_fp) : sizeof(inner_none);

		put(code, i, bytes, size);
		fprintf(map, "%lx %x jit_%s\n", (unsigned long)(uintptr_t)code + (unsigned long)i * SLOT, SLOT, names[i]);
	}
	fclose(map);
	for (long i = argc > 1 ? atol(argv[1]) : 1000; i > 0; i--)
		outer();
	return 0;
}
