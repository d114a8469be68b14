/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * session/python_frames.h on any raw bytes: each record behind two bytes with its size. Whatever they say, a stack has as many frames as there
 * is room for, and its code has names or none.
 */
#include <stdlib.h>
#include <string.h>

#include "session/python_frames.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(const struct python_frames *p)
{
	const struct python_stack *st = python_frames_of(p, 10, 101);

	for (uint32_t i = 0; st && i < st->nr_frames; i++) {
		uint64_t word = python_word(&st->frames[i]);
		const struct python_code *c = python_frames_code(p, python_word_code(word));

		if (st->nr_frames > PYTHON_MAX_FRAMES || !python_is_word(word))
			abort();
		if (c && strlen(python_frames_str(p, c->name)) + strlen(python_frames_str(p, c->file)) > 2 * UINT16_MAX)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct python_frames p = { 0 };
	struct budget memory;

	budget_init(&memory, 1 << 20, 1, 0);
	for (size_t at = 0; at + 2 <= size;) {
		size_t wanted = data[at] | (size_t)data[at + 1] << 8, is = wanted < size - at - 2 ? wanted : size - at - 2;
		/* Exactly as large, so that a sanitizer sees reads behind it. */
		uint8_t *raw = malloc(is + !is);
		struct sample s = { .time_ns = 100, .tid = 10, .raw = raw, .raw_size = (uint32_t)is };

		memcpy(raw, data + at + 2, is);
		python_frames_take(&p, &s, &memory);
		free(raw);
		look(&p);
		at += 2 + is;
	}
	python_frames_fini(&p);
	return 0;
}
