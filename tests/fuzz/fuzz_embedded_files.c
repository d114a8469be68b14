/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The feature section about mapped files: whatever it says, all that is pointed to lies inside; and what was understood comes out the same
 * when it is written and read again.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "perfdata/embedded_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(what)                                                                                                                        \
	do {                                                                                                                               \
		if (!(what))                                                                                                               \
			abort();                                                                                                           \
	} while (0)

static void same_part(const struct embedded_part *a, const struct embedded_part *b)
{
	CHECK(a->size_bytes == b->size_bytes && (!a->size_bytes || !memcmp(a->data, b->data, a->size_bytes)));
}

/* A file is found by its own map, or another of the same identity. */
static void compare(const struct embedded_files *a, const struct embedded_files *b)
{
	CHECK(a->files.nr == b->files.nr);
	for (uint32_t i = 0; i < a->files.nr; i++) {
		const struct embedded_file *x = &a->files.v[i], *y = &b->files.v[i];
		struct record_mmap m = {
			.maj = x->identity.major, .min = x->identity.minor, .ino = x->identity.inode, .build_id_size = x->build_id_size
		};

		memcpy(m.build_id, x->build_id, sizeof(m.build_id));
		CHECK(!strcmp(x->path, y->path) && !memcmp(&x->identity, &y->identity, sizeof(x->identity)));
		same_part(&x->symbols, &y->symbols);
		same_part(&x->unwind, &y->unwind);
		same_part(&x->functions, &y->functions);
		if (b->files.nr < 100 && (m.ino || m.build_id_size))
			CHECK(embedded_files_find(b, &m, x->identity.since_ns));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t *copy = mem_alloc(size + 8); /* aligned */
	struct embedded_files n, again;
	struct out o;

	memcpy(copy, data, size);
	if (!embedded_files_init(&n, copy, size)) {
		out_init(&o, -1);
		embedded_files_encode(&n, &o);
		CHECK(!embedded_files_init(&again, o.buf, o.len));
		compare(&n, &again);
		embedded_files_fini(&again);
		out_fini(&o);
	}
	embedded_files_fini(&n);
	free(copy);
	return 0;
}
