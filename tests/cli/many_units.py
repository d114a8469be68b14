#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a C file with NR functions, each with inlined calls: half a megabyte of debug information for 200. Usage: many_units.py NR"""
import sys

print("""#include <stdint.h>
#define INLINE static inline __attribute__((always_inline))
struct node { struct node *next; uint64_t key; union { int i; double d; } u; };
INLINE uint64_t mix(uint64_t a, uint64_t b) { uint64_t c = a ^ (b << 7); c *= 0x9e3779b97f4a7c15ULL; return c ^ (c >> 29); }
INLINE uint64_t walk(struct node *n, uint64_t seed) { uint64_t s = seed; while (n) { s = mix(s, n->key); n = n->next; } return s; }
INLINE uint64_t twice(struct node *n, uint64_t seed) { uint64_t a = walk(n, seed), b = walk(n->next, a); return mix(a, b); }""")
for i in range(int(sys.argv[1])):
    print(f"""struct state_{i} {{ uint64_t total_{i}, count_{i}; struct node *list_{i}; char name_{i}[{i % 13 + 1}]; }};
uint64_t step_{i}(struct state_{i} *state, uint64_t seed)
{{
	uint64_t local_a = mix(seed, {i}), local_b = twice(state->list_{i}, local_a);
	if (local_b & 1) {{ uint64_t inner = walk(state->list_{i}, local_b); state->total_{i} += inner; }}
	for (uint64_t loop = 0; loop < seed; loop++) state->count_{i} += mix(loop, local_b);
	return twice(state->list_{i}, local_b) + state->total_{i};
}}""")
