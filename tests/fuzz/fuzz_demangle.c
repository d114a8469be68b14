/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/demangle: any string as a mangled name; symbols/name_fold: any string as a demangled one.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = malloc(size + 1);

	memcpy(name, data, size);
	name[size] = 0;
	free(demangle_name(name, false));
	free(demangle_name(name, true));
	for (int scheme = NAME_CPP; scheme <= NAME_OCAML; scheme++)
		free(name_fold(name, (enum name_scheme)scheme));
	free(name);
	return 0;
}
