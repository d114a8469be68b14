/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The text of perf script through the importer, the writer, a session and a profile: what was understood comes out unchanged.
 */
#include "base/log.h"
#include "import/reading.h"
#include "import_roundtrip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct import_result result = { 0 };
	struct import_builder b;
	struct import_lines lines;
	struct errbuf eb = { 0 };

	log_level = LOG_QUIET;
	import_builder_init(&b);
	import_lines_init(&lines, data, size);
	if (!import_script(&b, &lines, &result, &eb))
		roundtrip(&b);
	import_lines_fini(&lines);
	import_builder_fini(&b);
	return 0;
}
