/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/kallsyms: any text as /proc/modules, asked for the module of its first line.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "symbols/kernel_symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A copy of its own, so that reads past the end are seen. */
	char *text = mem_alloc(size ? size : 1);
	char name[64];
	size_t len = 0;

	if (size)
		memcpy(text, data, size);
	while (len < size && len < sizeof(name) - 1 && text[len] && text[len] != ' ')
		len++;
	memcpy(name, text, len);
	name[len] = 0;
	if (kernel_modules_find(text, size, name) && (!len || strchr(name, '/') || name[0] == '.'))
		abort();
	free(text);
	return 0;
}
