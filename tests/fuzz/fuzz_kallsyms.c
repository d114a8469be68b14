/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/kallsyms: any text as /proc/kallsyms.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/kernel_symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size ? size : 1);
	struct kallsyms k = { 0 };
	struct symtab *t;

	memcpy(text, data, size);
	if (kallsyms_parse(&k, text, size, "_text", NULL) == 0) {
		t = kallsyms_copy_module(&k, "ext4", 0x1000);
		symtab_find(t, 0xffffffffc0000000);
		symtab_free(t);
		t = kallsyms_take_kernel(&k, k.ref_addr ? 0xffffffff81000000 - k.ref_addr : 0);
		for (uint32_t i = 1; i < t->symbols.nr; i++)
			if (t->symbols.v[i - 1].start >= t->symbols.v[i].start)
				abort();
		symtab_find(t, 0xffffffff81000000);
		symtab_free(t);
	}
	kallsyms_close(&k);
	free(text);
	return 0;
}
