/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Any bytes through the door of the importers: told apart, unpacked, read and written. What is taken
 * opens as a recording and has the samples that were counted; what is refused says why.
 */
#include "base/log.h"
#include "import/import.h"
#include "import_roundtrip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_SAMPLES 20000

static void read_back(const char *path, const struct import_result *result)
{
	struct errbuf eb = { 0 };
	struct session_record sr;
	struct session *s;
	uint64_t nr = 0;

	ROUNDTRIP_CHECK(!roundtrip_session(&s, path, &eb));
	while (nr <= MAX_SAMPLES && session_next(s, &sr, &eb) > 0)
		nr += sr.header->type == RECORD_SAMPLE;
	ROUNDTRIP_CHECK(nr > MAX_SAMPLES || nr == result->nr_samples);
	session_close(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int in = memfd_create("in", MFD_CLOEXEC), out = memfd_create("out", MFD_CLOEXEC);
	const struct import_options o = { .format = IMPORT_GUESS };
	struct import_result result;
	struct errbuf eb = { 0 };
	char path[64];
	int err;

	log_level = LOG_QUIET;
	if (in < 0 || out < 0 || (size && pwrite(in, data, size, 0) != (ssize_t)size))
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", out);
	import_could_be(data, size < 4096 ? size : 4096);
	import_is_profile(data, size);
	err = import_file(in, out, "fuzz", &o, &result, &eb);
	ROUNDTRIP_CHECK(!err || eb.text[0]);
	if (!err && !result.is_recording)
		read_back(path, &result);
	close(in);
	close(out);
	return 0;
}
