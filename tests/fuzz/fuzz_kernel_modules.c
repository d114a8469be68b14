/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/kernel_modules: any text as /proc/modules. Names become parts of paths below /sys.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "symbols/kernel_modules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A copy of its own, so that reads past the end are seen. */
	char *text = mem_alloc(size ? size : 1);
	struct kernel_modules m;

	if (size)
		memcpy(text, data, size);
	kernel_modules_parse(&m, text, size);
	for (uint32_t i = 0; i < m.v.nr; i++) {
		const struct kernel_module_now *v = &m.v.v[i];

		if (!v->start || !*v->name || strchr(v->name, '/') || v->name[0] == '.' || !kernel_modules_find(&m, v->name))
			abort();
	}
	kernel_modules_fini(&m);
	free(text);
	return 0;
}
