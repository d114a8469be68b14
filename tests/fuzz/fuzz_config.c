/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * base/config: any text as a configuration file. What is set in it is found again, and everything else is as it was.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct config before = { 0 }, after = { 0 };
	char *text = mem_strndup((const char *)data, size); /* up to the first NUL */
	const char *found;
	struct out o;

	size = strlen(text);
	config_parse(&before, text, size);
	for (uint32_t i = 0; i < before.entries.nr; i++)
		if (!config_is_key(before.entries.v[i].key) || before.entries.v[i].to > size)
			abort();
	out_init(&o, -1);
	config_set(&o, text, size, "report.children", "a \"b\" \\c");
	config_parse(&after, o.buf, o.len);
	found = config_find(&after, "report.children");
	if (!found || strcmp(found, "a \"b\" \\c") != 0)
		abort();
	for (uint32_t i = 0; i < before.entries.nr; i++) {
		const char *key = before.entries.v[i].key, *value = config_find(&after, key);

		if (strcmp(key, "report.children") && (!value || strcmp(value, config_find(&before, key)) != 0))
			abort();
	}
	out_fini(&o);
	config_fini(&before);
	config_fini(&after);
	free(text);
	return 0;
}
