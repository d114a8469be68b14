/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/perf_map: any text as a JIT map.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/symbol_readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symtab *t = symtab_new();

	t->text = malloc(size ? size : 1);
	memcpy(t->text, data, size);
	perf_map_parse(t, t->text, size);
	for (uint32_t i = 0; i < t->symbols.nr; i++) {
		const struct symbol *s = &t->symbols.v[i];

		if (i && s[-1].start >= s->start)
			abort();
		if (symtab_find(t, s->start) != s || !s->name[0])
			abort();
	}
	symtab_free(t);
	return 0;
}
