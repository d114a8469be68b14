/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sdt_probes [N]: passes three SDT probes N times (10): assay_test:plain with a counter and the address of a text, assay_test:guarded, whose
 * semaphore says whether someone traces it, assay_test:many with a value of each size, and assay_test:globals with variables of the file,
 * initialised and not. Prints what the probes were given, and how often it saw the semaphore set.
 *
 * The notes are written by hand, in the format that <sys/sdt.h> of SystemTap has.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WORD ".8byte"

#define SDT(name, semaphore, args, ...)                                                                                                    \
	__asm__ volatile("990: nop\n"                                                                                                      \
			 ".pushsection .note.stapsdt,\"?\",\"note\"\n"                                                                     \
			 ".balign 4\n"                                                                                                     \
			 ".4byte 992f-991f, 994f-993f, 3\n"                                                                                \
			 "991: .asciz \"stapsdt\"\n"                                                                                       \
			 "992: .balign 4\n"                                                                                                \
			 "993: " WORD " 990b\n" WORD " _.stapsdt.base\n" WORD " " semaphore "\n"                                           \
			 ".asciz \"assay_test\"\n"                                                                                         \
			 ".asciz \"" name "\"\n"                                                                                           \
			 ".asciz \"" args "\"\n"                                                                                           \
			 "994: .balign 4\n"                                                                                                \
			 ".popsection\n"                                                                                                   \
			 ".ifndef _.stapsdt.base\n"                                                                                        \
			 ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"                                           \
			 ".weak _.stapsdt.base\n"                                                                                          \
			 ".hidden _.stapsdt.base\n"                                                                                        \
			 "_.stapsdt.base: .space 1\n"                                                                                      \
			 ".size _.stapsdt.base, 1\n"                                                                                       \
			 ".popsection\n"                                                                                                   \
			 ".endif\n" ::__VA_ARGS__)

volatile uint16_t assay_test_guarded_semaphore __attribute__((section(".probes"), used, visibility("hidden")));

volatile int set_global = 1000;
static volatile int64_t unset_globals[3];

static const char text[] = "a text";

__attribute__((noinline)) static void pass(int i, unsigned int *nr_guarded)
{
	volatile int64_t on_stack = -i;
	int8_t small = (int8_t)-i;
	uint16_t half = (uint16_t)(i + 40000);

	SDT("plain", "0", "-4@%0 8@%1", "r"(i), "r"(text));
	if (assay_test_guarded_semaphore) {
		++*nr_guarded;
		SDT("guarded", "assay_test_guarded_semaphore", "-4@%0", "r"(i));
	}
	SDT("many", "0", "-8@%0 -1@%1 2@%2 -4@%3", "m"(on_stack), "r"(small), "r"(half), "i"(-7));
	set_global++;
	unset_globals[2] -= i;
	SDT("globals", "0", "-4@%0 -8@%1", "m"(set_global), "m"(unset_globals[2]));
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 10;
	unsigned int nr_guarded = 0;

	for (int i = 1; i <= n; i++)
		pass(i, &nr_guarded);
	printf("passes %d text %p guarded %u\n", n, (const void *)text, nr_guarded);
	return 0;
}
