// SPDX-License-Identifier: GPL-2.0-or-later
package main

/*
#include <stdint.h>

__attribute__((noinline)) static uint64_t burn(uint64_t x)
{
	for (int i = 0; i < 20000; i++) {
		x = x * 6364136223846793005u + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

static uint64_t in_c(uint64_t x)
{
	return burn(x) + 1;
}
*/
import "C"

func through(x uint64) uint64 { return uint64(C.in_c(C.uint64_t(x))) }
