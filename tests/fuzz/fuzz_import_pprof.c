/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * profile.proto, unpacked, through the importer, the writer, a session and a profile: what was understood comes out unchanged.
 */
#include "base/log.h"
#include "import/reading.h"
#include "import_roundtrip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct import_result result = { 0 };
	struct import_builder b;
	struct errbuf eb = { 0 };

	log_level = LOG_QUIET;
	import_builder_init(&b);
	if (!import_pprof(&b, data, size, &result, &eb))
		roundtrip(&b);
	import_builder_fini(&b);
	return 0;
}
